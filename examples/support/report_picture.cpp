#include "report_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

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
    [[nodiscard]] double low() const { return low_; }
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

void add_run(svg_plot& plot, const plot_point& at, bool is_censored) {
    if (is_censored) {
        plot.add_cross(at, "bad");
    } else {
        plot.add_dot(at, "run");
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
    for (std::size_t i = first_shown(of); i < of.runs.size(); ++i)
        add_run(plot, {static_cast<double>(of.runs[i].scale_out), time_to_result_s(of.runs[i], of.facts[i], made.from)},
                of.runs[i].censored);
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

namespace {

// What stands beside a run in the picture of the latest ones.
struct shown_run {
    double x = 0;  // seconds since 1970, or its number
    double time_s = 0;
    bool is_censored = false;
    /// Before it began, where there was a back-test; else what is expected of the next run at its size.
    std::optional<bellamy::prediction> predicted{};
};

[[nodiscard]] bool all_have_starts(const application_history& of) {
    const auto shown = std::span(of.runs).subspan(first_shown(of));
    return std::all_of(shown.begin(), shown.end(), has_start) && shown.front().timestamp_s < shown.back().timestamp_s;
}

[[nodiscard]] std::vector<shown_run> latest_runs(const reported_application& one) {
    const auto& of = *one.of;
    const bool is_dated = all_have_starts(of);
    std::vector<shown_run> made;
    for (std::size_t i = first_shown(of); i < of.runs.size(); ++i) {
        const auto& run = of.runs[i];
        made.push_back({.x = is_dated ? *run.timestamp_s : static_cast<double>(i + 1),
                        .time_s = time_to_result_s(run, of.facts[i], one.advice->from),
                        .is_censored = run.censored});
        if (!one.tested) {
            made.back().predicted = one.advice->runtimes.at(run.scale_out);
        } else {
            for (const auto& each : one.tested->tries)
                if (each.run == i) made.back().predicted = each.predicted_to_result;
        }
        if (made.back().predicted && !made.back().predicted->usable()) made.back().predicted.reset();
    }
    return made;
}

// Of the times of the runs, and of the intervals up to four times beyond these: the first are far wider than what is of
// interest, and arrows show that they go on.
[[nodiscard]] value_range range_of_times(const std::vector<shown_run>& runs, double deadline_s) {
    value_range times;
    for (const auto& each : runs) times.take(each.time_s);
    times.take(deadline_s);
    const double low_s = times.low() / 4;
    const double high_s = times.high() * 4;
    for (const auto& each : runs) {
        if (!each.predicted) continue;
        times.take(std::clamp(each.predicted->quantile_s(0.05), low_s, high_s));
        times.take(std::clamp(each.predicted->quantile_s(0.95), low_s, high_s));
    }
    return times;
}

[[nodiscard]] plot_axis axis_of(const std::vector<shown_run>& runs, bool is_dated) {
    const double first = runs.front().x;
    const double last = runs.back().x;
    const double margin = is_dated ? 0.03 * (last - first) : 0.5;
    return {.low = first - margin,
            .high = last + margin,
            .label = is_dated ? "start of the run (UTC)" : "number of the run, the latest to the right",
            .is_date = is_dated};
}

}  // namespace

std::string runs_picture(const reported_application& one, std::string_view name) {
    if (!one.advice) return {};
    const bool is_dated = all_have_starts(*one.of);
    const auto runs = latest_runs(one);
    const double deadline_s = one.advice->wanted.deadline_s;
    const auto times = range_of_times(runs, deadline_s);
    const auto x = axis_of(runs, is_dated);
    const auto y =
        times.logarithmic(seconds_label("time to the result", times.high()), detail::unit_for(times.high()).seconds, 1.05);
    svg_plot plot(x, y);
    std::size_t cut = 0;
    value_range of_cut;
    for (const auto& each : runs) {
        if (!each.predicted) continue;
        const auto range = each.predicted->interval_s(0.9);
        const double median_s = each.predicted->median_s;
        if (median_s >= y.low && median_s <= y.high) plot.add_tick({each.x, median_s}, "expected");
        if (!plot.add_interval(each.x, range.low_s, range.high_s, "expected")) continue;
        ++cut;
        of_cut.take(range.low_s);
        of_cut.take(range.high_s);
    }
    const std::vector<plot_point> limit{{x.low, deadline_s}, {x.high, deadline_s}};
    plot.add_line(limit, "deadline");
    for (const auto& each : runs) add_run(plot, {each.x, each.time_s}, each.is_censored);
    plot.add_legend("runs, x: not successful", "runline");
    plot.add_legend(one.tested ? "predicted before each run: median, 90 %" : "expected now: median, 90 %", "expected");
    plot.add_legend("deadline", "deadline");
    if (cut > 0) plot.add_legend("arrow: goes on beyond the picture", "expected");
    const auto beyond = cut == 0 ? std::string()
                                 : fmt::format(" The picture cuts 90 % intervals, of {}: uncut they span {} to {}.",
                                               count(cut, "run"), duration_text(of_cut.low()), duration_text(of_cut.high()));
    return plot.text(
        fmt::format("The latest runs of {}", name),
        fmt::format("{}, beside what {}; the last took {}.{}", count(runs.size(), "run"),
                    one.tested ? "was predicted of each before it began" : "is expected of the next run at their sizes",
                    duration_text(runs.back().time_s), beyond));
}

namespace {

[[nodiscard]] plot_axis period_axis(const fleet_report& report) {
    return {.low = report.from_s, .high = report.until_s, .label = "start of the runs (UTC)", .is_date = true};
}

}  // namespace

std::string days_picture(const fleet_report& report) {
    const auto& days = report.days_of_period;
    if (days.empty()) return {};
    constexpr double day_s = 86400;
    const double most = std::max_element(days.begin(), days.end(), [](const day_sums& a, const day_sums& b) {
                            return a.unit_hours < b.unit_hours;
                        })->unit_hours;
    svg_plot plot(
        period_axis(report),
        {.low = 0, .high = most > 0 ? 1.05 * most : 1, .label = fmt::format("{}-hours a day", to_string(report.unit))});
    for (std::size_t i = 0; i < days.size(); ++i) {
        const double midnight_s = day_s * (std::floor(report.from_s / day_s) + static_cast<double>(i));
        plot.add_bar(std::max(midnight_s, report.from_s), std::min(midnight_s + day_s, report.until_s), days[i].unit_hours,
                     "bar");
    }
    return plot.text("Hours of each day (UTC)", halves_text(report));
}

std::string errors_picture(const fleet_report& report) {
    const auto all = report.predictions();
    if (all.empty()) return {};
    constexpr std::size_t parts = 10;
    const double part_s = (report.until_s - report.from_s) / parts;
    std::vector<std::vector<timed_prediction>> by_part(parts);
    for (const auto& each : all)
        by_part[std::min(parts - 1, static_cast<std::size_t>((each.at_s - report.from_s) / part_s))].push_back(each);
    double most = 0;
    for (const auto& part : by_part)
        if (!part.empty()) most = std::max(most, median_error(part));
    svg_plot plot(period_axis(report),
                  {.low = 0, .high = most > 0 ? 1.05 * most : 1, .label = "median error of predictions (%)", .unit = 0.01});
    for (std::size_t i = 0; i < parts; ++i) {
        if (by_part[i].empty()) continue;
        const double begin_s = report.from_s + part_s * static_cast<double>(i);
        plot.add_bar(begin_s, begin_s + part_s, median_error(by_part[i]), "bar");
    }
    return plot.text("Median error of the predictions made before each run",
                     fmt::format("{} in all, of {}.", percent(median_error(all)), count(all.size(), "run")));
}

}  // namespace tools
