// Draws what allocate answers through gnuplot: per machine the curve with its bands, the observed runs, the limit, the
// choice.
#ifndef BELLAMY_EXAMPLES_ANSWER_PLOT_HPP
#define BELLAMY_EXAMPLES_ANSWER_PLOT_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "child_program.hpp"
#include "output_file.hpp"

namespace tools {

namespace detail {

// Colours that people with any colour vision tell apart (Okabe and Ito 2008).
namespace colour {
inline constexpr std::string_view blue = "#0072B2";
inline constexpr std::string_view vermilion = "#D55E00";
inline constexpr std::string_view orange = "#E69F00";
inline constexpr std::string_view black = "#000000";
inline constexpr std::string_view band_90 = "#CDE3F1";
inline constexpr std::string_view band_50 = "#8FC1DF";
inline constexpr std::string_view beyond = "#F0F0F0";
}  // namespace colour

// In single quotes, where gnuplot knows only the quote itself.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
    std::string made = "'";
    for (const char c : text) {
        if (c == '\'') made += '\'';
        made += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return made + "'";
}

struct time_unit {
    std::string_view name;
    double seconds;
};

// Numbers on the axis stay below a few hundred.
[[nodiscard]] inline time_unit unit_for(double largest_s) {
    if (largest_s <= 900) return {"s", 1};
    return largest_s <= 6 * 3600 ? time_unit{"min", 60} : time_unit{"h", 3600};
}

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
    time_unit unit{"s", 1};

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
        unit = unit_for(high_s);
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

    /// A panel per machine, at most three in a row, and under all of them the legend.
    [[nodiscard]] std::string text() {
        const auto panels = all_.machines.size();
        const auto columns = std::min<std::size_t>(panels, 3);
        const auto rows = (panels + columns - 1) / columns;
        const double panel_width = columns == 1 ? 690 : 330;
        constexpr double panel_height = 410;
        const double width = 90 + panel_width * static_cast<double>(columns);
        const double height = legend_height + panel_height * static_cast<double>(rows);
        add("set encoding utf8\nset terminal svg noenhanced size {},{} font 'sans-serif,14' background rgb 'white'\n", width,
            height);
        for (std::size_t i = 0; i < panels; ++i) add_data(i);
        add("set multiplot\n");
        add_axes();
        for (std::size_t i = 0; i < panels; ++i) {
            const double left = 80 + panel_width * static_cast<double>(i % columns);
            const double bottom = height - panel_height * (1 + static_cast<double>(i / columns));
            add_margins(left / width, (left + panel_width - 20) / width, (bottom + 65) / height,
                        (bottom + panel_height - 45) / height);
            add_panel(i, i % columns == 0);
        }
        add_margins(10 / width, 1 - 10 / width, 5 / height, (legend_height - 5) / height);
        add("unset object\nunset border\nunset tics\nunset xlabel\nunset ylabel\nunset title\nunset logscale\n");
        add("set key center center horizontal samplen 2 width 1\nplot [0:1] [0:1] {}, NaN notitle\nunset multiplot\n",
            fmt::join(legend_, ", "));
        return script_;
    }

private:
    static constexpr double legend_height = 105;

    template <class... Values>
    void add(fmt::format_string<Values...> form, Values&&... values) {
        fmt::format_to(std::back_inserter(script_), form, std::forward<Values>(values)...);
    }
    void add_margins(double left, double right, double bottom, double top) {
        add("set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n", left, right);
        add("set bmargin at screen {:.4f}\nset tmargin at screen {:.4f}\n", bottom, top);
    }

    [[nodiscard]] double shown(double runtime_s) const { return runtime_s / frame_.unit.seconds; }

    // Data of a machine: its curve at every scale-out, what was observed and measured, the limit, and the choice.
    void add_data(std::size_t number) {
        const auto& machine = all_.machines[number];
        add("$curve{} << EOD\n", number);
        for (const int x : frame_.scale_outs) {
            const auto predicted = all_.curves[number].at(x);
            if (!predicted.usable()) continue;
            const auto half = predicted.interval_s(0.5);
            const auto most = predicted.interval_s(0.9);
            add("{} {} {} {} {} {}\n", x, shown(most.low_s), shown(half.low_s), shown(predicted.median_s),
                shown(half.high_s), shown(most.high_s));
        }
        add("EOD\n$candidates{} << EOD\n", number);
        for (const auto& row : all_.table)
            if (all_.machine_of(row) == number && row.predicted.usable())
                add("{} {}\n", row.scale_out, shown(row.predicted.median_s));
        add("EOD\n$observed{} << EOD\n", number);
        for (const auto& run : machine.observed) add("{} {}\n", run.scale_out, shown(run.runtime_s));
        add("EOD\n$measured{} << EOD\n", number);
        for (const auto& [x, runtime_s] : machine.measured) add("{} {}\n", x, shown(runtime_s));
        add("EOD\n$choice{} << EOD\n", number);
        if (const auto& row = all_.choice.candidate; row && all_.machine_of(*row) == number)
            add("{} {}\n", row->scale_out, shown(row->predicted.median_s));
        add("EOD\n$limit{} << EOD\n", number);
        if (all_.has_limit() && frame_.limit_fits) {
            const bool level = all_.has_deadline();
            if (level) add("{} {}\n", frame_.left(), shown(longest_runtime_s(all_, machine.costs, 1)));
            for (const int x : frame_.scale_outs) add("{} {}\n", x, shown(longest_runtime_s(all_, machine.costs, x)));
            if (level) add("{} {}\n", frame_.right(), shown(longest_runtime_s(all_, machine.costs, 1)));
        }
        add("EOD\n");
    }

    void add_axes() {
        add("set xrange [{}:{}]\nset yrange [{}:{}]\n", frame_.left(), frame_.right(), shown(frame_.bottom()),
            shown(frame_.top()));
        add("set tics nomirror out\nset border 3 lw 1\nset grid y lt 1 lw 1 lc rgb '#E0E0E0'\n");
        if (frame_.log_runtime) add("set logscale y 10\n");
        if (frame_.log_scale_out) add("set logscale x 2\n");
        add("set xtics ({})\n", scale_out_tics());
    }

    // Round numbers on a logarithmic axis: 1, 2, 5, 10, 20, 50, ...
    [[nodiscard]] std::string log_tics(bool labelled) const {
        const double low = shown(frame_.bottom());
        const double high = shown(frame_.top());
        std::string tics;
        for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10, power) <= high; ++power)
            for (const int digit : {1, 2, 5})
                if (const double at = digit * std::pow(10, power); at >= low && at <= high)
                    tics +=
                        fmt::format("{}'{}' {:g}", tics.empty() ? "" : ", ", labelled ? fmt::format("{:g}", at) : "", at);
        return tics;
    }

    // Whole numbers, as many as there is room for.
    [[nodiscard]] std::string scale_out_tics() const {
        const int first = frame_.scale_outs.front();
        const int last = frame_.scale_outs.back();
        const std::size_t room = all_.machines.size() == 1 ? 16 : 8;
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

    void add_panel(std::size_t number, bool in_first_column) {
        const auto& machine = all_.machines[number];
        const auto& curve = all_.curves[number];
        const auto& algorithm = all_.model.basis().algorithm;
        add("set title {} offset 0,-0.3\n",
            in_quotes(fmt::format(
                "{}{}{}: {}", algorithm.empty() ? "job" : algorithm, machine.name.empty() ? "" : " on ", machine.name,
                all_.basis.empty() ? rests_on(all_.model.kind(), curve.at(frame_.scale_outs.front())) : all_.basis)));
        add("set xlabel {}\n", in_quotes(fmt::format("scale-out ({}s)", to_string(all_.model.schema().unit))));
        add("set ylabel {}\n", in_quotes(in_first_column ? fmt::format("runtime ({})", frame_.unit.name) : ""));
        if (frame_.log_runtime) {
            add("set ytics ({})\n", log_tics(in_first_column));
        } else {
            add("set format y {}\n", in_first_column ? "'%g'" : "''");
        }
        add_extrapolation(curve.seen_scale_outs(), number == 0);
        add("unset key\nplot {}\n", fmt::join(layers(number), ", "));
    }

    // What no run was seen of lies on grey.
    void add_extrapolation(const bellamy::scale_out_interval& seen, bool first) {
        add("unset object\n");
        const auto grey = [&](double from, double to) {
            add("set object rectangle from {},graph 0 to {},graph 1 behind fillcolor rgb '{}' fillstyle solid noborder\n",
                from, to, colour::beyond);
        };
        const bool below = frame_.scale_outs.front() < seen.smallest;
        const bool above = frame_.scale_outs.back() > seen.largest;
        if (below) grey(frame_.left(), std::min(frame_.right(), static_cast<double>(seen.smallest)));
        if (above) grey(std::max(frame_.left(), static_cast<double>(seen.largest)), frame_.right());
        if (first && (below || above))
            add_to_legend(fmt::format("with boxes fillstyle solid noborder fc rgb '{}'", colour::beyond),
                          "outside the scale-outs seen");
    }

    void add_to_legend(std::string_view style, const std::string& name) {
        legend_.push_back(fmt::format("keyentry {} title {}", style, in_quotes(name)));
    }

    // From the back to the front. The first panel tells the legend of every kind of layer, also of those it lacks itself.
    [[nodiscard]] std::vector<std::string> layers(std::size_t number) {
        std::vector<std::string> made;
        const auto add_layer = [&](std::string_view data, std::string_view columns, const std::string& style,
                                   const std::string& name) {
            made.push_back(fmt::format("${}{} using {} {} notitle", data, number, columns, style));
            if (number == 0 && !name.empty()) add_to_legend(style, name);
        };
        const auto band = [](std::string_view rgb) {
            return fmt::format("with filledcurves fillstyle solid noborder fc rgb '{}'", rgb);
        };
        if (!all_.only_points()) {
            add_layer("curve", "1:2:6", band(colour::band_90), "90 % of runs");
            add_layer("curve", "1:3:5", band(colour::band_50), "50 % of runs");
        }
        add_layer("curve", "1:4", fmt::format("with lines lw 2 lc rgb '{}'", colour::blue), "median");
        add_layer("candidates", "1:2", fmt::format("with points pt 7 ps 0.4 lc rgb '{}'", colour::blue), "");
        if (all_.has_limit())
            add_layer("limit", "1:2", fmt::format("with lines lw 2 dt 2 lc rgb '{}'", colour::vermilion), limit_name());
        if (all_.choice.candidate) {
            add_layer("choice", "1:2", fmt::format("with points pt 13 ps 1.8 lc rgb '{}'", colour::black), "");
            add_layer("choice", "1:2", fmt::format("with points pt 13 ps 1.3 lc rgb '{}'", colour::orange), choice_name());
        }
        const auto any = [&](auto&& has) { return std::any_of(all_.machines.begin(), all_.machines.end(), has); };
        if (any([](const auto& each) { return !each.measured.empty(); }))
            add_layer("measured", "1:2", fmt::format("with points pt 6 ps 0.9 lw 1.5 lc rgb '{}'", colour::black),
                      "measured");
        if (any([](const auto& each) { return !each.observed.empty(); }))
            add_layer("observed", "1:2", fmt::format("with points pt 7 ps 0.8 lc rgb '{}'", colour::black), "observed run");
        return made;
    }

    [[nodiscard]] std::string choice_name() const {
        const auto& row = *all_.choice.candidate;
        return fmt::format("{}: {}{}{}", all_.choice.feasible() ? "choice" : "best effort",
                           count(static_cast<std::size_t>(row.scale_out), to_string(all_.model.schema().unit)),
                           all_.machines.size() > 1 ? " of " : "",
                           all_.machines.size() > 1 ? all_.machines[all_.machine_of(row)].name : "");
    }

    [[nodiscard]] std::string limit_name() const {
        std::string name = fmt::format("budget of {:g}", all_.wanted.budget);
        if (all_.has_deadline()) {
            name = fmt::format("deadline: {:.3g} {}", shown(all_.wanted.deadline_s), frame_.unit.name);
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
    write_file(path, run_on("gnuplot", detail::gnuplot_script(all).text(), "Debian: apt-get install gnuplot-nox"));
}

}  // namespace tools

#endif
