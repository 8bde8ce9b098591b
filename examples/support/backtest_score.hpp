// What a back-test found out, and how right that was.
#ifndef BELLAMY_EXAMPLES_BACKTEST_SCORE_HPP
#define BELLAMY_EXAMPLES_BACKTEST_SCORE_HPP

#include <fmt/format.h>
#include <bellamy/model.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

// The size that would have been recommended before a run.
struct decided_size {
    int scale_out = 0;
    double deadline_s = 0;
    std::optional<double> runtime_s{};  // at that size, where a recorded run tells
};

// A run that was predicted, by everyone.
struct tried {
    double measured_s = 0;
    int scale_out = 0;
    std::optional<decided_size> decided{};
    bellamy::prediction predicted{};  // by what a submission knows: the data size is forecast, and integrated over
    std::optional<bellamy::prediction> size_told{};
    std::optional<double> ernest_s{};
    std::optional<double> boosting_s{};
    double last_run_s = 0;
};

struct backtested {
    std::string application{};
    std::size_t runs = 0;
    std::vector<tried> tries{};
    std::size_t refused = 0;
    /// Why no run was predicted; empty where one was, or where there is one run.
    std::string why_none{};
};

namespace detail {

[[nodiscard]] inline double median(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace detail

struct score {
    std::size_t predicted = 0;
    double error = 0;
    double size_told = 0;
    double ernest = 0;
    double boosting = 0;
    double last_run = 0;
    double covered = 0;  // by the central 90 %
    double kept = 0;     // within the 90 % quantile, as if that had been promised
};

// Median relative errors.
[[nodiscard]] inline score score_of(const std::vector<tried>& tries) {
    score made{.predicted = tries.size()};
    std::vector<double> own;
    std::vector<double> told;
    std::vector<double> ernest;
    std::vector<double> boosting;
    std::vector<double> last;
    double covered = 0;
    double kept = 0;
    for (const auto& each : tries) {
        const auto error = [&](double predicted_s) { return std::abs(predicted_s - each.measured_s) / each.measured_s; };
        own.push_back(error(each.predicted.median_s));
        if (each.size_told && each.size_told->usable()) told.push_back(error(each.size_told->median_s));
        if (each.ernest_s) ernest.push_back(error(*each.ernest_s));
        if (each.boosting_s) boosting.push_back(error(*each.boosting_s));
        last.push_back(error(each.last_run_s));
        const auto range = each.predicted.interval_s(0.9);
        if (range.low_s <= each.measured_s && each.measured_s <= range.high_s) ++covered;
        if (each.measured_s <= each.predicted.quantile_s(0.9)) ++kept;
    }
    made.error = detail::median(own);
    made.size_told = detail::median(told);
    made.ernest = detail::median(ernest);
    made.boosting = detail::median(boosting);
    made.last_run = detail::median(last);
    const auto tried_runs = static_cast<double>(tries.size());
    made.covered = tries.empty() ? std::nan("") : covered / tried_runs;
    made.kept = tries.empty() ? std::nan("") : kept / tried_runs;
    return made;
}

[[nodiscard]] inline std::string percent(double share) {
    return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
}

[[nodiscard]] inline std::vector<std::string> columns_of(const score& of) {
    return {percent(of.error),    percent(of.size_told), percent(of.ernest), percent(of.boosting),
            percent(of.last_run), percent(of.covered),   percent(of.kept)};
}

/// Decisions against what was run. Where a run was decided on otherwise than it was run, and no recorded run tells what the
/// decided size takes, nothing is said.
struct decision_score {
    std::size_t as_run = 0;
    std::size_t judged = 0;
    std::size_t unknown = 0;
    // Of those as run and those judged.
    double run_unit_s = 0;
    double decided_unit_s = 0;
    std::size_t run_in_time = 0;
    std::size_t decided_in_time = 0;
};

[[nodiscard]] inline decision_score decisions_of(const std::vector<tried>& tries) {
    decision_score made;
    for (const auto& each : tries) {
        if (!each.decided) continue;
        const auto& decided = *each.decided;
        if (!decided.runtime_s) {
            ++made.unknown;
            continue;
        }
        ++(decided.scale_out == each.scale_out ? made.as_run : made.judged);
        made.run_unit_s += each.scale_out * each.measured_s;
        made.decided_unit_s += decided.scale_out * *decided.runtime_s;
        if (each.measured_s <= decided.deadline_s) ++made.run_in_time;
        if (*decided.runtime_s <= decided.deadline_s) ++made.decided_in_time;
    }
    return made;
}

/// Decisions, as run, judged, not judged; hours as run, as decided, and their change; shares in time as run, as decided.
[[nodiscard]] inline std::vector<std::string> columns_of(const decision_score& of) {
    const auto known = of.as_run + of.judged;
    const auto share = [&](std::size_t count) {
        return known == 0 ? std::string("-") : percent(static_cast<double>(count) / static_cast<double>(known));
    };
    const auto hours = [&](double seconds) { return known == 0 ? std::string("-") : fmt::format("{:.4g}", seconds / 3600); };
    return {fmt::format("{}", known + of.unknown),
            fmt::format("{}", of.as_run),
            fmt::format("{}", of.judged),
            fmt::format("{}", of.unknown),
            hours(of.run_unit_s),
            hours(of.decided_unit_s),
            known == 0 ? "-" : fmt::format("{:+.1f} %", 100 * (of.decided_unit_s / of.run_unit_s - 1)),
            share(of.run_in_time),
            share(of.decided_in_time)};
}

/// What their table says; `unit` is that of the scale-out.
[[nodiscard]] inline std::string about_decisions(std::string_view unit, double deadline_s, double probability) {
    return fmt::format(
        "Decided: of the sizes at which the application ran, the one with the least expected hours that by the runs before "
        "keeps the deadline with {0:g} %. Deadline: {1}. As run: that size was run. Judged: another one, and what it takes "
        "is told by "
        "the next recorded run at that size that was alike (the same properties, the data size within a tenth); not judged: "
        "there is "
        "none. Hours of {2}s, and shares in time, are of runs as run and judged.",
        100 * probability,
        deadline_s > 0 ? fmt::format("{:g} s", deadline_s)
                       : fmt::format("what the size of the run before keeps with {:g} %", 100 * probability),
        unit);
}

}  // namespace tools

#endif
