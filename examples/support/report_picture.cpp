#include "report_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model_text.hpp"
#include "report_text.hpp"
#include "svg_plot.hpp"

namespace tools {

namespace {

constexpr std::size_t most_points = 24;
constexpr std::size_t most_runs = 60;

// Every scale-out of the table, or as many as a picture shows, the first and the last among them.
[[nodiscard]] std::vector<const bellamy::assessment*> shown_rows(const advice& made) {
    std::vector<const bellamy::assessment*> usable;
    for (const auto& row : made.rows)
        if (row.predicted.usable()) usable.push_back(&row);
    if (usable.size() <= most_points) return usable;
    std::vector<const bellamy::assessment*> thinned;
    const double ratio = static_cast<double>(usable.back()->scale_out) / usable.front()->scale_out;
    for (std::size_t i = 0; i < most_points; ++i) {
        const double wanted =
            usable.front()->scale_out * std::pow(ratio, static_cast<double>(i) / static_cast<double>(most_points - 1));
        const auto* next = *std::min_element(usable.begin(), usable.end(), [&](const auto* a, const auto* b) {
            return std::abs(a->scale_out - wanted) < std::abs(b->scale_out - wanted);
        });
        if (thinned.empty() || thinned.back() != next) thinned.push_back(next);
    }
    return thinned;
}

class value_range {
public:
    void take(double value) {
        if (!std::isfinite(value) || value <= 0) return;
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
    }
    [[nodiscard]] plot_axis logarithmic(std::string label, double unit, double margin) const {
        return {
            .low = low_ / margin, .high = high_ * margin, .is_logarithmic = true, .label = std::move(label), .unit = unit};
    }
    [[nodiscard]] double high() const { return high_; }

private:
    double low_ = 1e300;
    double high_ = 1e-300;
};

[[nodiscard]] std::vector<plot_point> band(const std::vector<const bellamy::assessment*>& rows, double probability) {
    std::vector<plot_point> points;
    std::vector<plot_point> back;
    for (const auto* row : rows) {
        const auto range = row->predicted.interval_s(probability);
        points.push_back({static_cast<double>(row->scale_out), range.low_s});
        back.push_back({static_cast<double>(row->scale_out), range.high_s});
    }
    std::copy(back.rbegin(), back.rend(), std::back_inserter(points));
    return points;
}

[[nodiscard]] std::string seconds_label(std::string_view what, double largest_s) {
    return fmt::format("{} ({}), logarithmic", what, detail::unit_for(largest_s).name);
}

[[nodiscard]] std::size_t first_shown(const application_history& of) {
    return of.runs.size() > most_runs ? of.runs.size() - most_runs : 0;
}

void add_runs(svg_plot& plot, const application_history& of, deadline_start from, bool over_scale_out) {
    for (std::size_t i = first_shown(of); i < of.runs.size(); ++i) {
        const double x = over_scale_out ? of.runs[i].scale_out : static_cast<double>(i + 1);
        const plot_point at{x, time_to_result_s(of.runs[i], of.facts[i], from)};
        if (of.runs[i].censored) {
            plot.add_cross(at, "bad");
        } else {
            plot.add_dot(at, "run");
        }
    }
}

}  // namespace

std::string curve_picture(const reported_application& one, std::string_view name) {
    if (!one.advice) return {};
    const auto& made = *one.advice;
    const auto& of = *one.of;
    const auto rows = shown_rows(made);
    if (rows.empty()) return {};
    value_range y;
    value_range x;
    for (const auto* row : rows) {
        const auto range = row->predicted.interval_s(0.9);
        y.take(range.low_s);
        y.take(range.high_s);
        x.take(row->scale_out);
    }
    for (std::size_t i = first_shown(of); i < of.runs.size(); ++i) {
        y.take(time_to_result_s(of.runs[i], of.facts[i], made.from));
        x.take(of.runs[i].scale_out);
    }
    y.take(made.wanted.deadline_s);
    const auto unit = to_string(last_complete(one).context.unit);
    svg_plot plot(x.logarithmic(fmt::format("{}s, logarithmic", unit), 1, 1.05),
                  y.logarithmic(seconds_label("time to the result", y.high()), detail::unit_for(y.high()).seconds, 1.05));
    plot.add_area(band(rows, 0.9), "band90");
    plot.add_area(band(rows, 0.5), "band50");
    std::vector<plot_point> medians;
    for (const auto* row : rows) medians.push_back({static_cast<double>(row->scale_out), row->predicted.median_s});
    plot.add_line(medians, "median");
    const double deadline_s = made.wanted.deadline_s;
    const std::vector<plot_point> limit{{x.logarithmic("", 1, 1.05).low, deadline_s},
                                        {x.logarithmic("", 1, 1.05).high, deadline_s}};
    plot.add_line(limit, "deadline");
    add_runs(plot, of, made.from, true);
    const auto add_size = [&](int scale_out, std::string_view style) {
        const auto axis = y.logarithmic("", 1, 1.05);
        const double at = scale_out;
        const std::vector<plot_point> line{{at, axis.low}, {at, axis.high}};
        plot.add_line(line, style);
    };
    add_size(made.present.scale_out, "now");
    if (made.changes_size()) add_size(made.proposal->scale_out, "proposed");
    plot.add_legend("median, 50 and 90 %", "median");
    plot.add_legend("runs", "runline");
    plot.add_legend("deadline", "deadline");
    plot.add_legend("size now", "now");
    if (made.changes_size()) plot.add_legend("proposed", "proposed");
    return plot.text(fmt::format("Time to the result over the size of {}", name),
                     fmt::format("At {} {}s the median is {}, the 90 % interval {} to {}.{} The deadline is {}.",
                                 made.present.scale_out, unit, duration_text(made.present.predicted.median_s),
                                 duration_text(made.present.predicted.interval_s(0.9).low_s),
                                 duration_text(made.present.predicted.interval_s(0.9).high_s),
                                 made.changes_size() ? fmt::format(" At the proposed {} it is {}.", made.proposal->scale_out,
                                                                   duration_text(made.proposal->predicted.median_s))
                                                     : "",
                                 duration_text(deadline_s)));
}

std::string runs_picture(const reported_application& one, std::string_view name) {
    if (!one.advice) return {};
    const auto& made = *one.advice;
    const auto& of = *one.of;
    const auto first = first_shown(of);
    value_range y;
    std::vector<bellamy::prediction> expected;
    for (std::size_t i = first; i < of.runs.size(); ++i) {
        y.take(time_to_result_s(of.runs[i], of.facts[i], made.from));
        expected.push_back(made.runtimes.at(of.runs[i].scale_out));
        if (!expected.back().usable()) continue;
        y.take(expected.back().quantile_s(0.05));
        y.take(expected.back().quantile_s(0.95));
    }
    y.take(made.wanted.deadline_s);
    const auto axis = y.logarithmic(seconds_label("time to the result", y.high()), detail::unit_for(y.high()).seconds, 1.05);
    svg_plot plot({.low = static_cast<double>(first) + 0.5,
                   .high = static_cast<double>(of.runs.size()) + 0.5,
                   .label = "run, the latest to the right"},
                  axis);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!expected[i].usable()) continue;
        const double x = static_cast<double>(first + i + 1);
        const auto range = expected[i].interval_s(0.9);
        const std::vector<plot_point> bar{{x, range.low_s}, {x, range.high_s}};
        plot.add_line(bar, "expected");
    }
    const std::vector<plot_point> limit{{0, made.wanted.deadline_s},
                                        {static_cast<double>(of.runs.size()) + 0.5, made.wanted.deadline_s}};
    plot.add_line(limit, "deadline");
    add_runs(plot, of, made.from, false);
    plot.add_legend("runs, x: not successful", "runline");
    plot.add_legend("expected: 90 %", "expected");
    plot.add_legend("deadline", "deadline");
    const auto shown = of.runs.size() - first;
    return plot.text(
        fmt::format("The latest runs of {}", name),
        fmt::format("{}, beside what is expected of the next run at their sizes; the last took {}.", count(shown, "run"),
                    duration_text(time_to_result_s(of.runs[of.runs.size() - 1], of.facts[of.runs.size() - 1], made.from))));
}

std::string days_picture(const fleet_report& report) {
    const auto& hours = report.unit_hours_by_day;
    if (hours.empty()) return {};
    const double most = *std::max_element(hours.begin(), hours.end());
    svg_plot plot(
        {.low = 0, .high = static_cast<double>(hours.size()), .label = "day of the period"},
        {.low = 0, .high = most > 0 ? 1.05 * most : 1, .label = fmt::format("{}-hours a day", to_string(report.unit))});
    for (std::size_t i = 0; i < hours.size(); ++i)
        plot.add_bar(static_cast<double>(i), static_cast<double>(i + 1), hours[i], "bar");
    const auto half = hours.begin() + static_cast<std::ptrdiff_t>(hours.size() / 2);
    double before = 0;
    double after = 0;
    for (auto each = hours.begin(); each != hours.end(); ++each) (each < half ? before : after) += *each;
    return plot.text("Hours of each day",
                     fmt::format("{:.1f} {}-hours in the first half of the period, {:.1f} in the second.", before,
                                 to_string(report.unit), after));
}

}  // namespace tools
