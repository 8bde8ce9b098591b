// From priors over the scale-outs and observed runs to quantiles of a run: how every model of best mode is bound.
#ifndef BELLAMY_DETAIL_BLEND_MIXTURE_BINDING_HPP
#define BELLAMY_DETAIL_BLEND_MIXTURE_BINDING_HPP

#include <bellamy/detail/blend/conditioning.hpp>
#include <bellamy/detail/blend/knots.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// So that seconds neither overflow nor become zero.
inline constexpr double largest_log_runtime = 700;

/// Log-runtimes seen.
struct log_runtime_range {
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -std::numeric_limits<double>::infinity();

    void include(double log_runtime) noexcept {
        lowest = (std::min)(lowest, log_runtime);
        highest = (std::max)(highest, log_runtime);
    }
};

/// Where medians stay. Both ends are limited on both sides: what was seen, or stored in a model, may lie wholly beyond.
[[nodiscard]] inline log_runtime_range answer_bounds(const log_runtime_range& seen) noexcept {
    return {.lowest = std::clamp(seen.lowest - most_beyond_seen, -largest_log_runtime, largest_log_runtime),
            .highest = std::clamp(seen.highest + most_beyond_seen, -largest_log_runtime, largest_log_runtime)};
}

/// The mixture of a new run at one knot, with both parts of the run noise; all straggler parts are merged into one
/// component.
inline void add_run_noise(const conditioned_mixture& posterior, std::size_t knot, const scale_out_noise& noise,
                          std::vector<normal_component>& mixture) {
    mixture.clear();
    double mean = 0;
    double second = 0;
    for (std::size_t c = 0; c < posterior.weights.size(); ++c) {
        const double w = posterior.weights[c];
        const double m = posterior.means(c, knot);
        const double v = posterior.variances(c, knot);
        mean += w * m;
        second += w * (v + m * m);
        mixture.push_back(
            {.weight = w * (1 - noise.straggler), .mean = m, .deviation = std::sqrt(v + noise.narrow_variance)});
    }
    const double variance = (std::max)(second - mean * mean, 0.0);
    mixture.push_back(
        {.weight = noise.straggler, .mean = mean + noise.delay, .deviation = std::sqrt(variance + noise.wide_variance)});
}

/// Moves the quantiles so that their median stays within the bounds, with its interval: that ends at the bounds, or where
/// the median leaves what was seen, a factor of 100 from it.
inline void limit_median(quantile_row& quantiles, double lowest, double highest) noexcept {
    const double found = quantiles[quantiles.size() / 2];
    const double median = std::clamp(found, lowest, highest);
    const double least = (std::max)((std::min)(lowest, median - most_beyond_seen), -largest_log_runtime);
    const double most = (std::min)((std::max)(highest, median + most_beyond_seen), largest_log_runtime);
    for (double& each : quantiles) each = std::clamp(each + median - found, least, most);
}

/// Quantiles lie no farther from their median than `factor` times those of the other row from theirs.
inline void limit_widths(quantile_row& quantiles, const quantile_row& other, double factor) noexcept {
    constexpr std::size_t middle = quantile_deviates.size() / 2;
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
        const double most = factor * std::abs(other[k] - other[middle]);
        quantiles[k] = quantiles[middle] + std::clamp(quantiles[k] - quantiles[middle], -most, most);
    }
}

/// A curve's knots, and the runs that it is conditioned on (their contexts are not looked at).
class mixture_binding {
public:
    /// Refers to the runs. `seen`: the scale-outs that the curve should have knots at.
    mixture_binding(std::vector<int> seen, std::span<const run> observed) : observed_(observed) {
        for (const auto& each : observed) observed_scale_outs_.push_back(each.scale_out);
        for (const auto* list : {&seen, &observed_scale_outs_})
            for (const int x : *list) {
                least_ = (std::min)(least_, std::log(static_cast<double>(x)));
                most_ = (std::max)(most_, std::log(static_cast<double>(x)));
            }
        if (seen.empty() && observed.empty()) least_ = most_ = 0;
        knots_ = knot_scale_outs(std::move(seen), observed_scale_outs_);
        log_scale_outs_.reserve(knots_.size());
        for (const int x : knots_) log_scale_outs_.push_back(std::log(static_cast<double>(x)));
    }

    /// Leaves out the knots for which `unwanted(knot, index)` is true, but for those that a run is taken for, or that limit
    /// another.
    template <class Unwanted>
    void leave_out(const Unwanted& unwanted) {
        std::vector<bool> wanted(knots_.size());
        for (std::size_t i = 0; i < knots_.size(); ++i) wanted[i] = !unwanted(knots_[i], i);
        for (const int x : observed_scale_outs_) wanted[nearest_knot(knots_, x)] = true;
        for (std::size_t i = 0; i < knots_.size(); ++i)
            if (wanted[i]) wanted[limit_of(i)] = true;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < knots_.size(); ++i) {
            if (!wanted[i]) continue;
            knots_[kept] = knots_[i];
            log_scale_outs_[kept++] = log_scale_outs_[i];
        }
        knots_.resize(kept);
        log_scale_outs_.resize(kept);
    }

    /// The knots that runs are taken for, by index.
    [[nodiscard]] std::vector<std::size_t> observed_knots() const {
        std::vector<std::size_t> found;
        for (const int x : observed_scale_outs_) found.push_back(nearest_knot(knots_, x));
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    [[nodiscard]] std::span<const int> knots() const noexcept { return knots_; }
    [[nodiscard]] std::span<const double> log_scale_outs() const noexcept { return log_scale_outs_; }
    [[nodiscard]] std::span<const int> observed_scale_outs() const noexcept { return observed_scale_outs_; }

    /// Quantiles of a new run's log-runtime at the knots, from priors over them. `seen`: log-runtimes besides the runs'.
    [[nodiscard]] std::vector<quantile_row> condition_on_runs(std::span<const prior_component> priors, const matrix& kernel,
                                                              const run_noise& noise, log_runtime_range seen) const {
        for (const auto& each : observed_) seen.include(std::log(each.runtime_s));
        const auto [lowest, highest] = answer_bounds(seen);
        const auto posterior = condition(priors, kernel, observations(noise));
        std::vector<quantile_row> rows;
        rows.reserve(knots_.size());
        std::vector<normal_component> mixture;
        for (std::size_t i = 0; i < knots_.size(); ++i) {
            add_run_noise(posterior, i, noise.nearest(log_scale_outs_[i]), mixture);
            rows.push_back(quantiles_of(mixture));
            limit_median(rows.back(), lowest, highest);
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (const auto limit = limit_of(i); limit != i)
                limit_widths(rows[i], rows[limit], std::sqrt(beyond_seen(i) / beyond_seen(limit)));
        return rows;
    }

private:
    /// ln of the factor by which a knot lies beyond what was seen.
    [[nodiscard]] double beyond_seen(std::size_t knot) const noexcept {
        return (std::max)({0.0, least_ - log_scale_outs_[knot], log_scale_outs_[knot] - most_});
    }

    /// Farther than four times beyond what was seen, quantiles lie no farther apart than a random walk over ln x would carry
    /// them from the last knot before: processes that know few scale-outs would take anything for possible. The knot itself
    /// where it is not so far.
    [[nodiscard]] std::size_t limit_of(std::size_t knot) const noexcept {
        const double four_times = std::log(5.5);  // a quarter of 5 is rounded to 1
        const bool below = log_scale_outs_[knot] < least_;
        std::size_t limit = knot;
        while (beyond_seen(limit) > four_times) below ? ++limit : --limit;
        return beyond_seen(limit) > 0 ? limit : knot;
    }

    [[nodiscard]] std::vector<observation> observations(const run_noise& noise) const {
        std::vector<observation> made;
        for (const auto& each : observed_) {
            const auto& here = noise.nearest(std::log(static_cast<double>(each.scale_out)));
            made.push_back({.at = nearest_knot(knots_, each.scale_out),
                            .log_runtime = std::log(each.runtime_s),
                            .narrow_variance = here.narrow_variance,
                            .wide_variance = here.wide_variance,
                            .straggler = here.straggler,
                            .delay = here.delay,
                            .censored = each.censored});
        }
        return made;
    }

    std::span<const run> observed_;
    std::vector<int> observed_scale_outs_{};
    /// ln of the scale-outs seen or observed.
    double least_ = std::numeric_limits<double>::infinity();
    double most_ = -std::numeric_limits<double>::infinity();
    std::vector<int> knots_{};
    std::vector<double> log_scale_outs_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
