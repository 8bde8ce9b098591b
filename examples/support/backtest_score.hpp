// What a back-test found out, and how right that was.
#ifndef BELLAMY_EXAMPLES_BACKTEST_SCORE_HPP
#define BELLAMY_EXAMPLES_BACKTEST_SCORE_HPP

#include <fmt/format.h>
#include <bellamy/model.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace tools {

// A run that was predicted, by everyone.
struct tried {
    double measured_s = 0;
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

}  // namespace tools

#endif
