// One question put to a history, and the answers' scores: relative error, pinball loss and coverage.
#ifndef BELLAMY_BENCH_HISTORY_CASE_HPP
#define BELLAMY_BENCH_HISTORY_CASE_HPP

#include <bellamy/prediction.hpp>
#include <bellamy/run.hpp>

#include "summary.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// The columns of a law t = sum of non-negative multiples of columns; data size in MB. A law may have a memory cliff: what
/// changes beyond that work per unit, s/x.
using growth_row = std::array<double, 6>;
using growth_columns = growth_row (*)(double size_mb, double scale_out, double cliff_mb);

/// A run to be predicted. `median_s` is what errors are measured against: the run's own runtime where the truth is not
/// known.
struct tested_run {
    bellamy::run of{};
    double median_s = 0;
};

/// Tests of one group that share a history and the observed runs of their context. Cases of one history share the object, so
/// that methods learn from it once.
struct history_case {
    /// Where the runs come from, and which row of the table this belongs to.
    std::string part{};
    std::string group{};
    std::shared_ptr<const std::vector<bellamy::run>> history{};
    std::vector<bellamy::run> observed{};
    std::vector<tested_run> tests{};
    /// The columns of the law that made-up runs follow.
    growth_columns truth = nullptr;
};

/// One answer beside the truth.
struct history_outcome {
    std::string part{};
    std::string group{};
    std::string method{};
    double median_s = 0;  // see tested_run
    double runtime_s = 0;
    bellamy::prediction predicted{};
};

/// Data size in MB of a context that has one, else NaN.
[[nodiscard]] inline double data_size_of(const bellamy::context& subject) noexcept {
    for (const auto* list : {&subject.essential, &subject.optional})
        for (const auto& each : *list)
            if (each.role == bellamy::property_role::data_size) return each.value.number();
    return std::numeric_limits<double>::quiet_NaN();
}

/// All in % but the width: of the truth, and for coverage of the tests. A point counts as all of its quantiles and covers
/// nothing.
struct history_score {
    std::size_t tests = 0;
    double mean = 0;
    double median = 0;
    double pinball = 0;
    bool is_point = true;
    double covered_50 = 0;
    double covered_90 = 0;
    /// Median ratio of the 95 to the 5 % quantile.
    double width = 0;
};

/// Precondition: at least one outcome.
[[nodiscard]] inline history_score score_of(const std::vector<const history_outcome*>& outcomes) {
    history_score made{.tests = outcomes.size()};
    std::vector<double> errors;
    std::vector<double> widths;
    const double share = 100 / static_cast<double>(outcomes.size());
    for (const auto* each : outcomes) {
        const auto& predicted = each->predicted;
        errors.push_back(100 * std::abs(predicted.median_s - each->median_s) / each->median_s);
        for (const double p : {0.05, 0.25, 0.5, 0.75, 0.95}) {
            const double above = each->runtime_s - predicted.quantile_s(p);
            made.pinball += share / 5 * (above > 0 ? p * above : (p - 1) * above) / each->runtime_s;
        }
        if (predicted.is_point) continue;
        made.is_point = false;
        const auto inside = [&](double probability) {
            const auto interval = predicted.interval_s(probability);
            return each->runtime_s >= interval.low_s && each->runtime_s <= interval.high_s;
        };
        if (inside(0.5)) made.covered_50 += share;
        if (inside(0.9)) made.covered_90 += share;
        widths.push_back(predicted.quantile_s(0.95) / predicted.quantile_s(0.05));
    }
    if (!widths.empty()) made.width = median_of(std::move(widths));
    made.mean = mean_of(errors);
    made.median = median_of(std::move(errors));
    return made;
}

}  // namespace bench

#endif
