// Definitions of drift.hpp: tests of recent runs, by ranks among those observed before or by standardised residuals, and
// improbable observed runs.
#ifndef BELLAMY_DETAIL_MODELS_DRIFT_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_DRIFT_IMPL_HPP

#include <bellamy/detail/blend/run_likelihood.hpp>
#include <bellamy/detail/maths/dense.hpp>
#include <bellamy/detail/models/model_access.hpp>
#include <bellamy/drift.hpp>

#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Probability that a chi-squared variable exceeds `sum` (Wilson, Hilferty 1931).
inline double chi_squared_p_value(double sum, std::uint32_t degrees_of_freedom) noexcept {
    if (degrees_of_freedom == 0) return 1;
    const double variance = 2 / (9.0 * degrees_of_freedom);
    return normal_cdf(-(std::cbrt(sum / degrees_of_freedom) - (1 - variance)) / std::sqrt(variance));
}

/// Two-sided mid-p-value (Lancaster 1961) of Wilcoxon's rank-sum test, exact with ties too: of all ways to choose as many of
/// the values as `first` has, the share whose sum of ranks is farther from its mean, and half of those as far. A p-value of
/// whole ranks is below 0.01 less often than in one of a hundred tests. Cost: the fourth power of the number of values.
inline double rank_sum_p_value(std::span<const double> first, std::span<const double> second) {
    std::vector<double> sorted(first.begin(), first.end());
    append(sorted, second);
    sort(sorted);
    // Tied values have their mean rank; ranks are doubled to be whole numbers.
    const auto doubled_rank = [&](double value) {
        const auto tied = std::equal_range(sorted.begin(), sorted.end(), value);
        return static_cast<size_t>((tied.first - sorted.begin()) + (tied.second - sorted.begin())) + 1;
    };
    const size_t largest_sum = sorted.size() * (sorted.size() + 1);
    matrix ways(first.size() + 1, largest_sum + 1);  // to choose so many values of this sum
    ways(0, 0) = 1;
    for (const double value : sorted) {
        const size_t rank = doubled_rank(value);
        for (size_t count = first.size(); count > 0; --count)
            for (size_t sum = largest_sum; sum >= rank; --sum) ways(count, sum) += ways(count - 1, sum - rank);
    }
    const double mean = count_of(first) * (count_of(sorted) + 1);
    double sum = 0;
    for (const double value : first) sum += static_cast<double>(doubled_rank(value));
    double as_far = 0;
    double all = 0;
    for (size_t s = 0; s <= largest_sum; ++s) {
        all += ways(first.size(), s);
        const double farther = std::abs(static_cast<double>(s) - mean) - std::abs(sum - mean);
        if (farther >= 0) as_far += (farther > 0 ? 1 : 0.5) * ways(first.size(), s);
    }
    return as_far / all;
}

/// The last 30 runs of one context that ended, at most.
inline std::vector<run> latest_ended(std::span<const run> runs, const context& target) {
    constexpr size_t most = 30;
    std::vector<run> latest;
    for (const auto& run : runs)
        if (!run.censored && run.context == target) latest.push_back(run);
    if (latest.size() > most) latest.erase(latest.begin(), latest.end() - most);
    return latest;
}

/// Of runs of one context: deviations of their log-runtimes from the predicted medians, and the mean predicted variance.
struct predicted_deviations {
    std::vector<double> log_ratios{};
    double variance = 0;
};

inline result<predicted_deviations> deviations_of(std::span<const run> runs, const context& target, const model& fitted) {
    auto scale_outs = values_of(runs, &run::scale_out);
    sort_distinct(scale_outs);
    const auto predicted = model_access::bind_at(fitted, target, scale_outs);
    if (!predicted) return predicted.error();
    predicted_deviations deviations;
    for (const auto& run : runs) {
        const auto runtime = predicted->at(run.scale_out);
        deviations.log_ratios.push_back(std::log(run.runtime_s / runtime.median_s));
        // The 10 and the 90 % quantile; stragglers widen the tails beyond them.
        deviations.variance += std::pow((runtime.log_quantiles[12] - runtime.log_quantiles[4]) / 2.564, 2) / count_of(runs);
    }
    return deviations;
}

/// Square of the mean deviation of runs of one context, over its variance: that of the context's level, and that of the
/// mean's noise. The noise is told by the scatter of the runs and by the variance that the model predicts once it knows
/// them, which counts as four degrees of freedom; the level by what they took from the predicted variance, but no better
/// than as many runs as were `observed` before tell it (infinite without any).
inline double squared_mean_deviate(const predicted_deviations& predicted, double variance_since, double observed) noexcept {
    const double n = count_of(predicted.log_ratios);
    const double mean = sum_of(predicted.log_ratios) / n;
    double noise = 4 * variance_since;
    for (const double deviation : predicted.log_ratios) noise += std::pow(deviation - mean, 2);
    noise /= n + 3;
    return mean * mean / ((std::max)(predicted.variance - variance_since, noise / observed) + noise / n);
}

/// Whether ranks of so many runs can tell a drift: the two extreme sums of ranks have a probability below a thousandth.
inline bool has_enough_ranks(size_t first, size_t second) noexcept {
    double ways = 1;
    for (size_t i = 1; i <= first; ++i) ways *= static_cast<double>(second + i) / static_cast<double>(i);
    return ways > 2000;
}

/// One p-value of independent ones (Stouffer 1949).
inline double combined_p_value(std::span<const double> p_values) noexcept {
    if (p_values.size() == 1) return p_values.front();
    double sum = 0;
    for (const double p : p_values) sum += normal_quantile(std::clamp(p, 1e-300, 1 - 1e-12));
    return normal_cdf(sum / std::sqrt(count_of(p_values)));
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<drift> measure_drift(const model& fitted, std::span<const run> recent) {
    // A model that cannot be conditioned is an error without any run too.
    auto conditioned = fitted.condition({});
    if (!conditioned) return conditioned.error();
    if (auto valid = detail::validate_observed(fitted.schema(), recent); !valid) return valid.error();
    drift measured;
    double other_squares = 0;
    std::uint32_t other_contexts = 0;
    for (const auto& run : recent) {
        if (!run.censored) {
            const auto runtimes = detail::model_access::bind_at(*conditioned, run.context, std::span(&run.scale_out, 1));
            if (!runtimes) return runtimes.error();
            const double residual = detail::z_score_at(runtimes->at(run.scale_out).log_quantiles, std::log(run.runtime_s));
            measured.mean_deviate += residual;
            measured.mean_square_deviate += residual * residual;
            ++measured.runs;
            // A single run of a context may be a straggler, as its residual says.
            if (detail::latest_ended(recent, run.context).size() == 1) {
                other_squares += residual * residual;
                ++other_contexts;
            }
        }
        conditioned = conditioned->condition(std::span(&run, 1));
        if (!conditioned) return conditioned.error();
    }
    if (measured.runs == 0) return measured;
    measured.mean_deviate /= measured.runs;
    measured.mean_square_deviate /= measured.runs;

    // By ranks, in each context with enough runs: these need no noise. One curve fitted to both kinds of runs favours
    // neither.
    std::vector<double> p_values;
    std::vector<double> log_factors;
    std::vector<context> contexts;
    for (const auto& run : recent) detail::place_among(contexts, run.context);
    for (const auto& target : contexts) {
        const auto before = detail::latest_ended(fitted.observed(), target);
        const auto since = detail::latest_ended(recent, target);
        const auto from_fitted = detail::deviations_of(since, target, fitted);
        if (!from_fitted) return from_fitted.error();
        detail::append(log_factors, from_fitted->log_ratios);
        if (since.size() < 2) continue;
        auto both = before;
        detail::append(both, since);
        const auto deviations = detail::deviations_of(both, target, *conditioned);
        if (!deviations) return deviations.error();
        const std::span ranked(deviations->log_ratios);
        if (detail::has_enough_ranks(before.size(), since.size())) {
            p_values.push_back(detail::rank_sum_p_value(ranked.subspan(before.size()), ranked.first(before.size())));
        } else {
            other_squares += detail::squared_mean_deviate(*from_fitted, deviations->variance,
                                                          before.empty() ? detail::infinite : detail::count_of(before));
            ++other_contexts;
        }
    }
    if (other_contexts > 0) p_values.push_back(detail::chi_squared_p_value(other_squares, other_contexts));
    measured.probability = detail::combined_p_value(p_values);
    measured.factor = std::exp(detail::median_of(log_factors));
    return measured;
}

BELLAMY_PUBLIC_INLINE result<std::vector<improbable_run>> improbable_runs(const model& fitted) {
    // A model that cannot be conditioned is an error.
    const auto general = fitted.general().condition({});
    if (!general) return general.error();
    const auto observed = fitted.observed();
    std::vector<improbable_run> improbable;
    const auto is_outlier = [](const run& one, const prediction& predicted) {
        if (one.censored && one.runtime_s < predicted.median_s) return false;
        // The 50 % interval is so many standard deviations wide: tails are heavier than a normal's.
        const auto half = predicted.interval_s(0.5);
        const double sd = std::log(half.high_s / half.low_s) / 1.1935;
        return detail::log_densities_of(std::log(one.runtime_s / predicted.median_s), sd * sd, 0, 1).is_improbable();
    };
    for (size_t i = 0; i < observed.size(); ++i) {
        const auto& one = observed[i];
        std::vector<run> others;
        for (const auto& other : observed)
            if (&other != &one && other.context == one.context) others.push_back(other);
        const auto conditioned = general->condition(others);
        if (!conditioned) return conditioned.error();
        const auto runtimes = detail::model_access::bind_at(*conditioned, one.context, std::span(&one.scale_out, 1));
        if (!runtimes) return runtimes.error();
        const auto predicted = runtimes->at(one.scale_out);
        if (!is_outlier(one, predicted)) continue;
        // Few runs that agree are no outliers: they move what is expected.
        const auto given_all = fitted.bind(one.context);
        if (!given_all) return given_all.error();
        if (is_outlier(one, given_all->at(one.scale_out)))
            improbable.push_back({.run = i, .found_s = one.runtime_s, .expected_s = predicted.median_s});
    }
    return improbable;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
