// Draws what allocate answers through gnuplot, in one panel: a curve per machine, the bands of the chosen one, the observed
// runs, the limit, the choice.
#ifndef BELLAMY_EXAMPLES_ANSWER_PLOT_HPP
#define BELLAMY_EXAMPLES_ANSWER_PLOT_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "output_file.hpp"
#include "plot_style.hpp"

namespace tools {

namespace detail {

// The longest run that keeps the deadline or the budget.
[[nodiscard]] inline double longest_runtime_s(const answer& all, const bellamy::price& costs, int scale_out) {
    if (all.has_deadline()) return bellamy::runtime_within_s(costs, all.wanted.deadline_s);
    return bellamy::runtime_within_budget_s(costs, scale_out, all.wanted.budget);
}

// Everything in the picture lies between these.
struct plot_frame {
    std::vector<int> scale_outs{};  // where the curves are asked
    double low_s = std::numeric_limits<double>::infinity();
    double high_s = 0;
    bool log_runtime = false;
    bool log_scale_out = false;
    bool limit_fits = false;

    void show(double runtime_s) {
        if (!(runtime_s > 0) || !std::isfinite(runtime_s)) return;
        low_s = std::min(low_s, runtime_s);
        high_s = std::max(high_s, runtime_s);
    }

    explicit plot_frame(const answer& all) {
        std::set<int> wanted(all.scale_outs.begin(), all.scale_outs.end());
        for (const auto& each : all.machines)
            for (const auto& run : each.observed) wanted.insert(run.scale_out);
        // One scale-out alone is no curve.
        if (wanted.size() == 1) {
            wanted.insert(std::max(1, *wanted.begin() - 1));
            wanted.insert(*wanted.rbegin() + 1);
        }
        const int first = *wanted.begin();
        const int last = *wanted.rbegin();
        log_scale_out = last >= 8 * first && last - first > 24;
        const int step = std::max(1, (last - first) / 400);
        for (int x = first; x < last; x += step) wanted.insert(x);
        scale_outs.assign(wanted.begin(), wanted.end());

        for (const auto& of_machine : all.curves) {
            for (const int x : scale_outs) {
                const auto predicted = of_machine.at(x);
                show(predicted.median_s);
                show(predicted.interval_s(0.9).low_s);
                show(predicted.interval_s(0.9).high_s);
            }
        }
        for (const auto& each : all.machines) {
            for (const auto& run : each.observed) show(run.runtime_s);
            for (const auto& [x, runtime_s] : each.measured) show(runtime_s);
        }
        if (all.has_limit()) {
            double lowest = std::numeric_limits<double>::infinity();
            for (const auto& each : all.machines)
                for (const int x : all.scale_outs) lowest = std::min(lowest, longest_runtime_s(all, each.costs, x));
            limit_fits = lowest <= 1.5 * high_s && lowest >= low_s / 2;
            if (limit_fits) show(lowest);
        }
        log_runtime = high_s > 8 * low_s;
    }

    [[nodiscard]] double bottom() const {
        if (log_runtime) return low_s / 1.15;
        return low_s < high_s / 2 ? 0 : low_s - 0.1 * (high_s - low_s);
    }
    [[nodiscard]] double top() const { return log_runtime ? high_s * 1.15 : high_s + 0.05 * (high_s - bottom()); }
    [[nodiscard]] double left() const {
        return log_scale_out ? scale_outs.front() / 1.15 : scale_outs.front() - 0.03 * width() - 0.2;
    }
    [[nodiscard]] double right() const {
        return log_scale_out ? scale_outs.back() * 1.15 : scale_outs.back() + 0.03 * width() + 0.2;
    }

private:
    [[nodiscard]] double width() const { return scale_outs.back() - scale_outs.front(); }
};

class gnuplot_script {
public:
    explicit gnuplot_script(const answer& all) : all_(all), frame_(all) {}

    /// The panel, and the legend beneath it.
    [[nodiscard]] std::string text() {
        // Names of machines are long: then there is an entry a line.
        const double lines = all_.machines.size() == 1 ? 4 : static_cast<double>(all_.machines.size()) + 6;
        const double legend_height = 25 + 22 * lines;
        constexpr double panel_height = 430;
        constexpr double width = 800;
        const double height = legend_height + panel_height;
        add("set encoding utf8\nset terminal svg noenhanced size {},{} font 'sans-serif,14' background rgb 'white'\n", width,
            height);
        for (std::size_t i = 0; i < all_.machines.size(); ++i) add_data(i);
        add("set multiplot\n");
        add_axes();
        add_margins(100 / width, 1 - 20 / width, (legend_height + 65) / height, (height - 45) / height);
        add_panel();
        add_margins(10 / width, 1 - 10 / width, 5 / height, (legend_height - 5) / height);
        add("unset object\nunset label\nunset border\nunset tics\nunset xlabel\nunset ylabel\nunset title\n");
        add("unset logscale\nset key center center horizontal samplen 2 width 1\n");
        add("plot [0:1] [0:1] {}, NaN notitle\nunset multiplot\n", fmt::join(legend_, ", "));
        return script_;
    }

    /// What the picture is of, in one line.
    [[nodiscard]] std::string title() const {
        const auto& algorithm = all_.model.basis().algorithm;
        auto made = fmt::format("Runtime of {} over its scale-out", algorithm.empty() ? "a job" : algorithm);
        if (all_.has_limit()) made += ", " + limit_name();
        return made;
    }

    /// What it shows, for those who cannot see it.
    [[nodiscard]] std::string description() const {
        auto made = fmt::format("Median runtime in seconds for {} to {} {}s", all_.scale_outs.front(),
                                all_.scale_outs.back(), to_string(all_.model.schema().unit));
        const auto drawn = front();
        for (const auto& row : all_.table)
            if (all_.machine_of(row) == drawn && row.predicted.usable() &&
                (row.scale_out == all_.scale_outs.front() || row.scale_out == all_.scale_outs.back()))
                made += fmt::format("; {:.4g} s at {}", row.predicted.median_s, row.scale_out);
        if (all_.choice.candidate) made += fmt::format("; {}", fmt::join(choice_numbers(), ", "));
        return made + '.';
    }

private:
    template <class... Values>
    void add(fmt::format_string<Values...> form, Values&&... values) {
        fmt::format_to(std::back_inserter(script_), form, std::forward<Values>(values)...);
    }
    void add_margins(double left, double right, double bottom, double top) {
        add("set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n", left, right);
        add("set bmargin at screen {:.4f}\nset tmargin at screen {:.4f}\n", bottom, top);
    }

    // The machine whose bands are drawn.
    [[nodiscard]] std::size_t front() const { return all_.choice.candidate ? all_.machine_of(*all_.choice.candidate) : 0; }

    // Data of a machine: its curve at every scale-out, what was observed and measured, the limit, and the choice.
    void add_data(std::size_t number) {
        const auto& machine = all_.machines[number];
        add("$curve{} << EOD\n", number);
        for (const int x : frame_.scale_outs) {
            const auto predicted = all_.curves[number].at(x);
            if (!predicted.usable()) continue;
            const auto half = predicted.interval_s(0.5);
            const auto most = predicted.interval_s(0.9);
            add("{} {} {} {} {} {}\n", x, most.low_s, half.low_s, predicted.median_s, half.high_s, most.high_s);
        }
        add("EOD\n$candidates{} << EOD\n", number);
        for (const auto& row : all_.table)
            if (all_.machine_of(row) == number && row.predicted.usable())
                add("{} {}\n", row.scale_out, row.predicted.median_s);
        add("EOD\n$observed{} << EOD\n", number);
        for (const auto& run : machine.observed) add("{} {}\n", run.scale_out, run.runtime_s);
        add("EOD\n$measured{} << EOD\n", number);
        for (const auto& [x, runtime_s] : machine.measured) add("{} {}\n", x, runtime_s);
        add("EOD\n$choice{} << EOD\n", number);
        if (const auto& row = all_.choice.candidate; row && all_.machine_of(*row) == number)
            add("{} {}\n", row->scale_out, row->predicted.median_s);
        add("EOD\n$limit{} << EOD\n", number);
        if (all_.has_limit() && frame_.limit_fits) {
            const bool level = all_.has_deadline();
            if (level) add("{} {}\n", frame_.left(), longest_runtime_s(all_, machine.costs, 1));
            for (const int x : frame_.scale_outs) add("{} {}\n", x, longest_runtime_s(all_, machine.costs, x));
            if (level) add("{} {}\n", frame_.right(), longest_runtime_s(all_, machine.costs, 1));
        }
        add("EOD\n");
    }

    void add_axes() {
        add("set xrange [{}:{}]\nset yrange [{}:{}]\n", frame_.left(), frame_.right(), frame_.bottom(), frame_.top());
        add("set tics nomirror out\nset border 3 lw 1\nset grid y lt 1 lw 1 lc rgb '#E0E0E0'\n");
        if (frame_.log_runtime) add("set logscale y 10\n");
        if (frame_.log_scale_out) add("set logscale x 2\n");
        add("set xtics ({})\n", scale_out_tics());
    }

    // Whole numbers, as many as there is room for.
    [[nodiscard]] std::string scale_out_tics() const {
        const int first = frame_.scale_outs.front();
        const int last = frame_.scale_outs.back();
        constexpr std::size_t room = 16;
        std::vector<int> at;
        if (frame_.log_scale_out) {
            for (int x = first; x <= last; x *= 2) at.push_back(x);
        } else {
            int step = 1;
            for (const int round : {1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000}) {
                step = round;
                if (static_cast<std::size_t>((last - first) / step) < room) break;
            }
            const int start = step == 1 ? first : (first + step - 1) / step * step;
            for (int x = start; x <= last; x += step) at.push_back(x);
        }
        std::string tics;
        for (const int x : at) tics += fmt::format("{}'{}' {}", tics.empty() ? "" : ", ", x, x);
        return tics;
    }

    void add_panel() {
        const auto& algorithm = all_.model.basis().algorithm;
        const auto& machine = all_.machines[front()];
        const auto rests = rests_of(front());
        const auto name =
            fmt::format("{}{}{}", algorithm.empty() ? "job" : algorithm, machine.name.empty() ? "" : " on ", machine.name);
        add("set title {} offset 0,-0.3\n",
            in_quotes(all_.machines.size() == 1 ? fmt::format("{}: {}", name, rests)
                                                : fmt::format("{}, and other machines", name)));
        add("set xlabel {}\n", in_quotes(fmt::format("scale-out ({}s){}", to_string(all_.model.schema().unit),
                                                     frame_.log_scale_out ? ", logarithmic" : "")));
        add("set ylabel {}\n", in_quotes(frame_.log_runtime ? "runtime (s), logarithmic" : "runtime (s)"));
        if (frame_.log_runtime) add("set ytics ({})\n", log_tics(frame_.bottom(), frame_.top()));
        add_extrapolation(all_.curves[front()].seen_scale_outs());
        add_annotation();
        const auto drawn = layers();
        add("unset key\nplot {}\n", fmt::join(drawn, ", "));
    }

    [[nodiscard]] std::string rests_of(std::size_t number) const {
        if (!all_.basis.empty()) return all_.basis;
        return rests_on(all_.model.kind(), all_.curves[number].at(frame_.scale_outs.front()));
    }

    // What is chosen, beside its point: to the left of it where there is more room.
    void add_annotation() {
        if (!all_.choice.candidate || !all_.choice.candidate->predicted.usable()) return;
        const auto& row = *all_.choice.candidate;
        const double middle =
            frame_.log_scale_out ? std::sqrt(frame_.left() * frame_.right()) : (frame_.left() + frame_.right()) / 2;
        const bool on_left = row.scale_out > middle;
        double lines = 0;
        for (const auto& text : choice_numbers())
            add("set label {} at {},{} {} offset {},{} front\n", in_quotes(text), row.scale_out, row.predicted.median_s,
                on_left ? "right" : "left", on_left ? -1.2 : 1.2, 4.6 - 1.1 * lines++);
    }

    // What no run was seen of lies on grey.
    void add_extrapolation(const bellamy::scale_out_interval& seen) {
        add("unset object\n");
        const auto grey = [&](double from, double to) {
            add("set object rectangle from {},graph 0 to {},graph 1 behind fillcolor rgb '{}' fillstyle solid noborder\n",
                from, to, colour::beyond);
        };
        const bool below = frame_.scale_outs.front() < seen.smallest;
        const bool above = frame_.scale_outs.back() > seen.largest;
        if (below) grey(frame_.left(), std::min(frame_.right(), static_cast<double>(seen.smallest)));
        if (above) grey(std::max(frame_.left(), static_cast<double>(seen.largest)), frame_.right());
        if (below || above)
            add_to_legend(fmt::format("with boxes fillstyle solid noborder fc rgb '{}'", colour::beyond),
                          "outside the scale-outs seen");
    }

    void add_to_legend(std::string_view style, const std::string& name) {
        legend_.push_back(fmt::format("keyentry {} title {}", style, in_quotes(name)));
    }

    [[nodiscard]] std::string line_style(std::size_t number) const {
        const bool is_front = number == front();
        const auto place = number < front() ? number : number - 1;
        const bool never_seen = all_.curves[number].at(frame_.scale_outs.front()).unlike_any_seen_context;
        return fmt::format("with lines lw {}{} lc rgb '{}'", is_front ? 2.5 : 1.5, never_seen ? " dt 2" : "",
                           is_front ? colour::blue : colour::others[place % colour::others.size()]);
    }

    [[nodiscard]] std::string line_name(std::size_t number) const {
        if (all_.machines.size() == 1) return "median";
        const auto& machine = all_.machines[number];
        auto name = fmt::format("median, {}: {}", machine.name, rests_of(number));
        if (all_.priced)
            name +=
                fmt::format(", {:g} per {} and hour", machine.costs.per_unit_and_hour, to_string(all_.model.schema().unit));
        return name;
    }

    // From the back to the front.
    [[nodiscard]] std::vector<std::string> layers() {
        std::vector<std::string> made;
        const auto add_layer = [&](std::string_view data, std::size_t number, std::string_view columns,
                                   const std::string& style, const std::string& name) {
            made.push_back(fmt::format("${}{} using {} {} notitle", data, number, columns, style));
            if (!name.empty()) add_to_legend(style, name);
        };
        const auto band = [](std::string_view rgb) {
            return fmt::format("with filledcurves fillstyle solid noborder fc rgb '{}'", rgb);
        };
        const auto drawn = front();
        if (!all_.only_points()) {
            add_layer("curve", drawn, "1:2:6", band(colour::band_90), "90 % of runs");
            add_layer("curve", drawn, "1:3:5", band(colour::band_50), "50 % of runs");
        }
        for (std::size_t i = 0; i < all_.machines.size(); ++i) add_layer("curve", i, "1:4", line_style(i), line_name(i));
        add_layer("candidates", drawn, "1:2", fmt::format("with points pt 7 ps 0.4 lc rgb '{}'", colour::blue), "");
        if (all_.has_limit()) {
            // A deadline is one for all machines; what a budget buys depends on their prices.
            const auto limits = all_.has_deadline() ? std::size_t{1} : all_.machines.size();
            for (std::size_t i = 0; i < limits; ++i)
                add_layer("limit", i, "1:2", fmt::format("with lines lw 2 dt 4 lc rgb '{}'", colour::vermilion),
                          i == 0 ? limit_name() : "");
        }
        if (all_.choice.candidate) {
            add_layer("choice", drawn, "1:2", fmt::format("with points pt 13 ps 1.8 lc rgb '{}'", colour::black), "");
            add_layer("choice", drawn, "1:2", fmt::format("with points pt 13 ps 1.3 lc rgb '{}'", colour::orange),
                      choice_name());
        }
        add_points(drawn, add_layer);
        return made;
    }

    // Runs of the machine in front are black, those of others as their curves.
    template <class AddLayer>
    void add_points(std::size_t drawn, const AddLayer& add_layer) const {
        bool measured_named = false;
        bool observed_named = false;
        for (std::size_t i = 0; i < all_.machines.size(); ++i) {
            const auto place = i < drawn ? i : i - 1;
            const auto rgb = i == drawn ? colour::black : colour::others[place % colour::others.size()];
            if (!all_.machines[i].measured.empty())
                add_layer("measured", i, "1:2", fmt::format("with points pt 6 ps 0.9 lw 1.5 lc rgb '{}'", rgb),
                          std::exchange(measured_named, true) ? "" : "measured");
            if (!all_.machines[i].observed.empty())
                add_layer("observed", i, "1:2", fmt::format("with points pt 7 ps 0.8 lc rgb '{}'", rgb),
                          std::exchange(observed_named, true) ? "" : "observed run");
        }
    }

    // What is predicted of the choice.
    [[nodiscard]] std::vector<std::string> choice_numbers() const {
        const auto& row = *all_.choice.candidate;
        std::vector<std::string> made{choice_name(), fmt::format("median {:.4g} s", row.predicted.median_s)};
        if (!row.predicted.is_point) made.back() += fmt::format(", p90 {:.4g} s", row.predicted.quantile_s(0.9));
        if (all_.has_limit() && !row.predicted.is_point)
            made.push_back(fmt::format("{:.1f} % {}", 100 * row.probability, all_.has_deadline() ? "in time" : "in budget"));
        if (all_.priced) made.push_back(fmt::format("cost {:.4g}", row.expected_cost));
        return made;
    }

    [[nodiscard]] std::string choice_name() const {
        const auto& row = *all_.choice.candidate;
        return fmt::format("{}: {}{}{}", all_.choice.meets_limit() ? "choice" : "best effort",
                           count(static_cast<std::size_t>(row.scale_out), to_string(all_.model.schema().unit)),
                           all_.machines.size() > 1 ? " of " : "",
                           all_.machines.size() > 1 ? all_.machines[all_.machine_of(row)].name : "");
    }

    [[nodiscard]] std::string limit_name() const {
        std::string name = fmt::format("budget of {:g}", all_.wanted.budget);
        if (all_.has_deadline()) {
            name = fmt::format("deadline: {:.4g} s", all_.wanted.deadline_s);
            const auto& costs = all_.machines.front().costs;
            if (longest_runtime_s(all_, costs, 1) < all_.wanted.deadline_s)
                name += costs.interruptions_per_hour > 0 ? " less start-up and reruns" : " less start-up";
        }
        if (!frame_.limit_fits) name += " (not in the picture)";
        return name;
    }

    const answer& all_;
    plot_frame frame_;
    std::string script_{};
    std::vector<std::string> legend_{};
};

}  // namespace detail

/// Writes the picture as SVG; where that fails, the file at `path` stays as it was.
/// Errors: missing_program, program_failed, cannot_write.
inline void write_plot(const answer& all, const std::string& path) {
    detail::gnuplot_script script(all);
    write_file(path, detail::with_title(detail::draw(script.text()), script.title(), script.description()));
}

}  // namespace tools

#endif
