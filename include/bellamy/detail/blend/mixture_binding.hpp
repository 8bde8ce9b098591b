// Binds a mixture of priors: the curve's knots, the posterior given the observed runs, quantiles of a new run at each knot.
#ifndef BELLAMY_DETAIL_BLEND_MIXTURE_BINDING_HPP
#define BELLAMY_DETAIL_BLEND_MIXTURE_BINDING_HPP

#include <bellamy/detail/blend/knots.hpp>
#include <bellamy/detail/blend/noise_posterior.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Smallest and largest of some logarithms.
struct log_range {
    double lowest = infinite;
    double highest = -infinite;

    void include(double logarithm) noexcept {
        lowest = (std::min)(lowest, logarithm);
        highest = (std::max)(highest, logarithm);
    }
};

/// Where predicted medians stay: within a factor of 100 of the runtimes seen. Both ends are clamped on both sides, because a
/// range from a file may lie beyond either.
inline log_range median_bounds(const log_range& seen) noexcept {
    return {.lowest = std::clamp(seen.lowest - most_beyond_seen, -largest_log_runtime, largest_log_runtime),
            .highest = std::clamp(seen.highest + most_beyond_seen, -largest_log_runtime, largest_log_runtime)};
}

/// Divides the `weights` of each expert's components by its standard deviation of a new run at this knot, to this power.
inline void weigh_by_precision(std::vector<posterior_component>& components, const std::vector<double>& weights, size_t knot,
                               double noise_variance, double power) noexcept {
    by_expert<double> sums{};
    by_expert<double> variances{};
    for (size_t c = 0; c < weights.size(); ++c) {
        sums[components[c].expert] += weights[c];
        variances[components[c].expert] += weights[c] * (components[c].variance[knot] + noise_variance);
    }
    double sum = 0;
    for (size_t c = 0; c < weights.size(); ++c) {
        auto& component = components[c];
        sum += component.weight = weights[c] * std::pow(sums[component.expert] / variances[component.expert], power / 2);
    }
    for (auto& component : components) component.weight /= sum;
}

/// Predictive distribution of a new run at one knot: the posterior plus run noise. The stragglers of all components are
/// merged into one component by their moments.
inline std::vector<normal_component> predictive_mixture(const std::vector<posterior_component>& posterior, size_t knot,
                                                        const scale_out_noise& noise) {
    std::vector<normal_component> mixture;
    mixture.reserve(posterior.size() + 1);
    double mean = 0;
    double second_moment = 0;
    double wide_variance = 0;
    for (const auto& component : posterior) {
        const double weight = component.weight;
        const double narrow_variance = component.noise_factor * noise.narrow_variance;
        const double component_mean = component.mean[knot];
        const double variance = component.variance[knot];
        mean += weight * component_mean;
        second_moment += weight * (variance + component_mean * component_mean);
        mixture.push_back({.weight = weight * (1 - noise.straggler_probability),
                           .mean = component_mean,
                           .sd = std::sqrt(variance + narrow_variance)});
        wide_variance += weight * (std::max)(noise.wide_variance, narrow_variance);
    }
    const double variance = (std::max)(second_moment - mean * mean, 0.0);
    mixture.push_back({.weight = noise.straggler_probability,
                       .mean = mean + noise.straggler_delay,
                       .sd = std::sqrt(variance + wide_variance)});
    return mixture;
}

/// Heavier tails than a normal's: the variance in one context is known to a factor alone, taken to be log-normal with the
/// scatter of its noise. Quantiles of that scale mixture of normals by the Cornish-Fisher expansion, with its excess
/// kurtosis to first order; beyond |z| = 2.6 they are stretched as there.
inline quantile_row with_uncertain_variance(quantile_row quantiles) noexcept {
    constexpr double kurtosis = 3 * between_contexts_noise_sd * between_contexts_noise_sd;
    const double median = quantiles[median_index];
    for (size_t k = 0; k < quantiles.size(); ++k) {
        const double z = standard_normal_quantiles[k];
        quantiles[k] = median + (quantiles[k] - median) * (1 + kurtosis * ((std::min)(z * z, 7.0) - 3) / 24);
    }
    return quantiles;
}

/// Narrower where experts disagree: the mean of calibrated experts errs less than they do, by the variance between their
/// means (ambiguity decomposition), while their mixture is wider by it. Not all are calibrated: a third of that variance
/// stays, by pinball loss. One expert's components are alternatives, such as the sides of a cliff, and stay as they are.
inline quantile_row with_pooled_experts(quantile_row quantiles, const std::vector<posterior_component>& components,
                                        size_t knot, double noise_variance) noexcept {
    constexpr double share_kept = 1.0 / 3;
    by_expert<double> of_expert{};
    by_expert<double> sums{};
    double mean = 0;
    double second_moment = noise_variance;
    for (const auto& component : components) {
        const double component_mean = component.mean[knot];
        of_expert[component.expert] += component.weight;
        sums[component.expert] += component.weight * component_mean;
        mean += component.weight * component_mean;
        second_moment += component.weight * (component.variance[knot] + component_mean * component_mean);
    }
    double between = 0;
    for (const auto expert : all_experts)
        if (of_expert[expert] > 0) between += of_expert[expert] * std::pow(sums[expert] / of_expert[expert] - mean, 2);
    const double variance = (std::max)(second_moment - mean * mean, between);
    const double factor = variance > 0 ? std::sqrt(1 - (1 - share_kept) * between / variance) : 1.0;
    const double median = quantiles[median_index];
    for (double& quantile : quantiles) quantile = median + (quantile - median) * factor;
    return quantiles;
}

/// Shifts the median to within the bounds, and the quantiles on its side: those beyond the bounds stay, since runtimes may
/// lie there. The interval ends at the bounds, or a factor of 100 from a median that is near one.
inline quantile_row with_limited_median(quantile_row quantiles, const log_range& median_range) noexcept {
    const double predicted = quantiles[median_index];
    const double median = std::clamp(predicted, median_range.lowest, median_range.highest);
    const double least = (std::max)((std::min)(median_range.lowest, median - most_beyond_seen), -largest_log_runtime);
    const double most = (std::min)((std::max)(median_range.highest, median + most_beyond_seen), largest_log_runtime);
    for (double& quantile : quantiles) {
        const double shift = (quantile - predicted) * (median - predicted) >= 0 ? median - predicted : 0;
        quantile = std::clamp(quantile + shift, least, most);
    }
    return quantiles;
}

/// Clamps the quantiles' distances from their median to `factor` times those of a reference.
inline quantile_row with_limited_width(quantile_row quantiles, const quantile_row& reference, double factor) noexcept {
    const double median = quantiles[median_index];
    for (size_t k = 0; k < quantiles.size(); ++k) {
        const double most = factor * std::abs(reference[k] - reference[median_index]);
        quantiles[k] = median + std::clamp(quantiles[k] - median, -most, most);
    }
    return quantiles;
}

/// One row for each needed knot, and how many observed runs are improbable: see `with_wide_improbable`.
struct predictive_quantiles {
    std::vector<quantile_row> rows{};
    size_t improbable_runs = 0;
};

/// The knots of a curve, and the runs observed in its context (whose own contexts are not read).
class mixture_binding {
public:
    /// Refers to the runs. `seen`: scale-outs of the history, which the curve has knots at.
    mixture_binding(std::span<const int> seen, std::span<const run> observed)
        : mixture_binding(seen, observed, knot_scale_outs(seen, values_of(observed, &run::scale_out))) {}

    /// Computes quantiles at these knots alone. Of the other knots stay those of the runs, and those that limit the width at
    /// another.
    mixture_binding restricted_to(std::span<const int> needed) const {
        std::vector<bool> kept(knots_.size());
        for (size_t i = 0; i < knots_.size(); ++i) kept[i] = contains(needed, knots_[i]);
        for (const size_t i : observed_knots()) kept[i] = true;
        for (size_t i = 0; i < knots_.size(); ++i)
            if (kept[i]) kept[limiting_knot(i)] = true;
        auto restricted = *this;
        restricted.needed_.assign(needed.begin(), needed.end());
        restricted.knots_.clear();
        restricted.log_scale_outs_.clear();
        for (size_t i = 0; i < knots_.size(); ++i) {
            if (!kept[i]) continue;
            restricted.knots_.push_back(knots_[i]);
            restricted.log_scale_outs_.push_back(log_scale_outs_[i]);
        }
        return restricted;
    }

    std::span<const int> knots() const noexcept { return knots_; }
    std::span<const double> log_scale_outs() const noexcept { return log_scale_outs_; }
    /// Of each run.
    std::span<const int> observed_scale_outs() const noexcept { return observed_scale_outs_; }

    /// Indices of the knots nearest to a run, ascending.
    std::vector<size_t> observed_knots() const {
        std::vector<size_t> indices;
        for (const int scale_out : observed_scale_outs_) indices.push_back(nearest_knot(knots_, scale_out));
        sort_distinct(indices);
        return indices;
    }

    /// Quantiles of a new run's log-runtime at each needed knot. Prior: a mixture over the knots, and the noise of the
    /// history, which `history_repeats` repeated runs have told. Likelihood: the observed runs. `seen`: log-runtimes of the
    /// history. `by_precision`: until a run is observed, the surer an expert is, the more it weighs.
    predictive_quantiles quantiles(const std::vector<prior_component>& priors, const matrix& kernel, const run_noise& noise,
                                   double history_repeats, double difference_probability, log_range seen,
                                   bool by_precision = false) const {
        auto runs = observations(noise);
        const auto predicted = moments_of(priors, kernel, runs);
        const auto assessed = with_wide_improbable(std::move(runs), predicted);
        auto posterior =
            condition_with_noise(priors, kernel, assessed.runs, predicted, history_repeats, difference_probability);
        for (const auto& run : observed_) seen.include(std::log(run.runtime_s));
        const auto bounds = median_bounds(seen);
        const auto weights = values_of(posterior, &posterior_component::weight);
        std::vector<quantile_row> rows;
        for (size_t i = 0; i < knots_.size(); ++i) {
            const auto& knot_noise = noise.nearest(log_scale_outs_[i]);
            // An observed run tells which expert is right. Far beyond the scale-outs known, no expert knows how sure it is.
            if (observed_.empty() && by_precision)
                weigh_by_precision(posterior, weights, i, knot_noise.narrow_variance, std::exp(-2 * log_beyond_known(i)));
            auto row = with_uncertain_variance(quantiles_of(predictive_mixture(posterior, i, knot_noise)));
            if (observed_.empty()) row = with_pooled_experts(row, posterior, i, knot_noise.narrow_variance);
            rows.push_back(with_limited_median(row, bounds));
        }
        std::vector<quantile_row> needed_rows;
        for (size_t i = 0; i < rows.size(); ++i) {
            if (!contains(needed_, knots_[i])) continue;
            const auto limit = limiting_knot(i);
            if (limit != i)
                rows[i] = with_limited_width(rows[i], rows[limit], log_beyond_known(i) / log_beyond_known(limit));
            needed_rows.push_back(rows[i]);
        }
        return {.rows = std::move(needed_rows), .improbable_runs = assessed.improbable};
    }

private:
    mixture_binding(std::span<const int> seen, std::span<const run> observed, std::vector<int> knots)
        : observed_(observed),
          observed_scale_outs_(values_of(observed, &run::scale_out)),
          needed_(knots),
          knots_(std::move(knots)) {
        for (const int knot : knots_) log_scale_outs_.push_back(std::log(knot));
        if (seen.empty() && observed.empty()) known_.include(0);
        for (const auto scale_outs : {seen, std::span<const int>(observed_scale_outs_)})
            for (const int scale_out : scale_outs) known_.include(std::log(scale_out));
    }

    /// Log of the factor by which a knot lies beyond the scale-outs seen or observed.
    double log_beyond_known(size_t knot) const noexcept {
        return (std::max)({0.0, known_.lowest - log_scale_outs_[knot], log_scale_outs_[knot] - known_.highest});
    }

    /// Farther than four times beyond the scale-outs known, intervals grow no faster than the distance in ln(scale-out) from
    /// the last knot before: processes that know few scale-outs would take anything for possible. Index of that knot, or the
    /// knot itself where it is not so far.
    size_t limiting_knot(size_t knot) const noexcept {
        const double four_times = std::log(5.5);  // a quarter of 5 is rounded to 1
        const bool below = log_scale_outs_[knot] < known_.lowest;
        size_t limit = knot;
        while (log_beyond_known(limit) > four_times) below ? ++limit : --limit;
        return log_beyond_known(limit) > 0 ? limit : knot;
    }

    /// The likelihood's terms.
    std::vector<observation> observations(const run_noise& noise) const {
        std::vector<observation> terms;
        for (const auto& run : observed_) {
            const auto& nearest = noise.nearest(std::log(run.scale_out));
            terms.push_back({.knot = nearest_knot(knots_, run.scale_out),
                             .log_runtime = std::log(run.runtime_s),
                             .narrow_variance = nearest.narrow_variance,
                             .wide_variance = nearest.wide_variance,
                             .straggler_probability = nearest.straggler_probability,
                             .straggler_delay = nearest.straggler_delay,
                             .censored = run.censored});
        }
        return terms;
    }

    std::span<const run> observed_;
    std::vector<int> observed_scale_outs_;
    std::vector<int> needed_;
    std::vector<int> knots_;
    std::vector<double> log_scale_outs_;
    log_range known_{};  // of the scale-outs, seen or observed
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
