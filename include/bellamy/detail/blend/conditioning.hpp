// Exact conditioning of a mixture of Gaussian priors on a few observed runs, any of which may be a straggler or a bound.
#ifndef BELLAMY_DETAIL_BLEND_CONDITIONING_HPP
#define BELLAMY_DETAIL_BLEND_CONDITIONING_HPP

#include <bellamy/detail/blend/bound_update.hpp>
#include <bellamy/detail/blend/gaussian_process.hpp>

#include <cstdint>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Gaussian prior of one expert: its covariance times `scale` squared, plus the deviation kernel times `deviation` squared,
/// plus `level_variance` between any two scale-outs: what no expert knows has a variance that none of their scales shrinks.
struct prior_component {
    const expert_answer* answer = nullptr;
    double scale = 1;
    double deviation = 0;
    double level_variance = 0;
    double log_weight = 0;
};

/// The deviation kernel over some scale-outs.
[[nodiscard]] inline matrix deviation_kernel(std::span<const double> log_scale_outs) {
    const std::size_t q = log_scale_outs.size();
    matrix made(q, q);
    for (std::size_t i = 0; i < q; ++i)
        for (std::size_t j = 0; j < q; ++j) made(i, j) = deviation_covariance(log_scale_outs[i], log_scale_outs[j]);
    return made;
}

/// The log-runtime (without run noise) over all scale-outs: one weight per component, rows of means and variances.
struct conditioned_mixture {
    std::vector<double> weights{};
    matrix means{};
    matrix variances{};
};

inline constexpr double least_posterior_variance = 1e-9;

/// Conditions one prior on the observations that are not bounds, for all straggler masks at once. With A the covariance of
/// the observed runs without stragglers, P = A^-1 and D the extra variance of a mask's stragglers, everything follows from
/// (D^-1 + P_MM), whose size is the mask's (Woodbury).
class prior_conditioning {
public:
    /// Refers to the answer, the kernel and the observations.
    prior_conditioning(const prior_component& prior, const matrix& kernel, std::span<const observation> seen)
        : prior_(prior), kernel_(kernel), seen_(seen) {
        const std::size_t k = seen.size();
        const std::size_t q = prior.answer->mean.size();
        matrix inner(k, k);
        residual_.reserve(k);
        projection_ = matrix(k, q);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j < k; ++j) inner(i, j) = covariance(seen[i].at, seen[j].at);
            inner(i, i) += seen[i].narrow_variance;
            residual_.push_back(seen[i].log_runtime - prior.answer->mean[seen[i].at]);
        }
        matrix factor;
        usable_ = factorise_with_jitter(inner, factor) >= 0;
        if (!usable_) return;
        precision_ = inverse_of_factorised(factor);
        log_density_ = -0.5 * log_two_pi * static_cast<double>(k);
        for (std::size_t i = 0; i < k; ++i) log_density_ -= std::log(factor(i, i));
        weights_.assign(k, 0.0);
        for (std::size_t i = 0; i < k; ++i) weights_[i] = dot(precision_.row(i), residual_.data(), k);
        log_density_ -= 0.5 * dot(weights_.data(), residual_.data(), k);
    }

    [[nodiscard]] bool usable() const noexcept { return usable_; }

    [[nodiscard]] double log_weight() const noexcept { return prior_.log_weight; }

    /// ln of the density of the observed runs, where those in `mask` are stragglers.
    [[nodiscard]] double log_density(std::span<const std::uint16_t> mask) noexcept {
        double value = log_density_;
        if (mask.empty()) return value;
        if (!factorise_mask(mask)) return -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < mask.size(); ++i)
            value += 0.5 * seen_[mask[i]].delay * (weights_[mask[i]] + shifted_[i]);
        for (std::size_t i = 0; i < mask.size(); ++i) {
            const auto& run = seen_[mask[i]];
            value += 0.5 * shift_[i] * shift_[i] - std::log(small_[i][i]) -
                     0.5 * std::log(run.wide_variance - run.narrow_variance);
        }
        return value;
    }

    /// Mean and variance at all scale-outs for one mask.
    void posterior(std::span<const std::uint16_t> mask, double* mean, double* variance) {
        prepare();
        const std::size_t q = base_mean_.size();
        std::copy(base_mean_.begin(), base_mean_.end(), mean);
        std::copy(base_variance_.begin(), base_variance_.end(), variance);
        if (mask.empty() || !factorise_mask(mask)) return;
        const matrix moved = moved_by(mask);
        for (std::size_t i = 0; i < mask.size(); ++i) {
            add_scaled(mean, moved.row(i), -shift_[i], q);
            add_scaled(mean, projection_.row(mask[i]), -seen_[mask[i]].delay, q);
            for (std::size_t c = 0; c < q; ++c) variance[c] += moved(i, c) * moved(i, c);
        }
    }

    /// Posterior covariance of one scale-out with all.
    [[nodiscard]] std::vector<double> covariances(std::span<const std::uint16_t> mask, std::size_t at) {
        prepare();
        const std::size_t q = base_mean_.size();
        std::vector<double> column(q);
        for (std::size_t c = 0; c < q; ++c) column[c] = covariance(at, c);
        for (std::size_t i = 0; i < seen_.size(); ++i)
            add_scaled(column.data(), projection_.row(i), -covariance(seen_[i].at, at), q);
        if (mask.empty() || !factorise_mask(mask)) return column;
        const matrix moved = moved_by(mask);
        for (std::size_t i = 0; i < mask.size(); ++i) add_scaled(column.data(), moved.row(i), moved(i, at), q);
        return column;
    }

private:
    static constexpr std::size_t most_in_mask = most_exact_observations;

    [[nodiscard]] double covariance(std::size_t i, std::size_t j) const noexcept {
        return prior_.scale * prior_.scale * prior_.answer->covariance(i, j) +
               prior_.deviation * prior_.deviation * kernel_(i, j) + prior_.level_variance;
    }

    // What does not depend on the mask; only for priors that the posterior keeps.
    void prepare() {
        if (!base_mean_.empty()) return;
        const std::size_t q = prior_.answer->mean.size();
        base_mean_ = prior_.answer->mean;
        base_variance_.resize(q);
        for (std::size_t c = 0; c < q; ++c) base_variance_[c] = covariance(c, c);
        for (std::size_t i = 0; i < seen_.size(); ++i)
            for (std::size_t j = 0; j < seen_.size(); ++j)
                for (std::size_t c = 0; c < q; ++c) projection_(i, c) += precision_(i, j) * covariance(seen_[j].at, c);
        for (std::size_t i = 0; i < seen_.size(); ++i)
            for (std::size_t c = 0; c < q; ++c) {
                const double s = covariance(seen_[i].at, c);
                base_mean_[c] += s * weights_[i];
                base_variance_[c] -= s * projection_(i, c);
            }
    }

    // Lower Cholesky factor of D^-1 + P_MM, and its inverse times the mask's weights.
    [[nodiscard]] bool factorise_mask(std::span<const std::uint16_t> mask) noexcept {
        for (std::size_t i = 0; i < mask.size(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                double value = precision_(mask[i], mask[j]);
                if (i == j) value += 1 / (seen_[mask[i]].wide_variance - seen_[mask[i]].narrow_variance);
                for (std::size_t m = 0; m < j; ++m) value -= small_[i][m] * small_[j][m];
                if (i != j) {
                    small_[i][j] = value / small_[j][j];
                } else {
                    if (!(value > 0)) return false;
                    small_[i][i] = std::sqrt(value);
                }
            }
            double value = weights_[mask[i]];
            for (const auto j : mask) value -= precision_(mask[i], j) * seen_[j].delay;
            shifted_[i] = value;
            for (std::size_t m = 0; m < i; ++m) value -= small_[i][m] * shift_[m];
            shift_[i] = value / small_[i][i];
        }
        return true;
    }

    [[nodiscard]] matrix moved_by(std::span<const std::uint16_t> mask) const {
        const std::size_t q = projection_.columns();
        matrix moved(mask.size(), q);
        for (std::size_t i = 0; i < mask.size(); ++i) {
            add_scaled(moved.row(i), projection_.row(mask[i]), 1, q);
            for (std::size_t m = 0; m < i; ++m) add_scaled(moved.row(i), moved.row(m), -small_[i][m], q);
            for (std::size_t c = 0; c < q; ++c) moved(i, c) /= small_[i][i];
        }
        return moved;
    }

    prior_component prior_;
    const matrix& kernel_;
    std::span<const observation> seen_;
    std::vector<double> residual_{};
    std::vector<double> weights_{};
    matrix precision_{};
    matrix projection_{};
    std::vector<double> base_mean_{};
    std::vector<double> base_variance_{};
    std::array<std::array<double, most_in_mask>, most_in_mask> small_{};
    std::array<double, most_in_mask> shift_{};
    std::array<double, most_in_mask> shifted_{};
    double log_density_ = 0;
    bool usable_ = false;
};

/// Takes all bounds into one component, one after the other; returns ln of their probability.
inline double take_bounds(prior_conditioning& part, std::span<const std::uint16_t> mask, std::span<const observation> bounds,
                          double* mean, double* variance, std::size_t scale_outs) {
    double log_probability = 0;
    std::vector<std::vector<double>> columns;
    columns.reserve(bounds.size());
    for (const auto& bound : bounds) columns.push_back(part.covariances(mask, bound.at));
    for (std::size_t b = 0; b < bounds.size(); ++b) {
        const std::size_t at = bounds[b].at;
        const auto& column = columns[b];
        const auto update = take_bound(bounds[b], mean[at], (std::max)(column[at], least_posterior_variance));
        log_probability += update.log_probability;
        for (std::size_t i = 0; i < scale_outs; ++i) {
            mean[i] += column[i] * update.mean_gain;
            variance[i] += column[i] * column[i] * update.variance_gain;
        }
        for (std::size_t later = b + 1; later < bounds.size(); ++later)
            add_scaled(columns[later].data(), column.data(), columns[later][at] * update.variance_gain, scale_outs);
    }
    return log_probability;
}

/// ln of each mask's prior probability.
[[nodiscard]] inline std::vector<double> log_probabilities(const std::vector<std::vector<std::uint16_t>>& masks,
                                                           std::span<const observation> runs) {
    std::vector<double> logs;
    for (const auto& mask : masks) {
        double log = 0;
        for (const auto& run : runs) log += std::log1p(-run.straggler);
        for (const auto i : mask) log += std::log(runs[i].straggler) - std::log1p(-runs[i].straggler);
        logs.push_back(log);
    }
    return logs;
}

/// A component of the posterior: a prior, and which runs are stragglers.
struct posterior_candidate {
    double log_weight = 0;
    std::size_t part = 0;
    std::size_t mask = 0;
};

/// The power of the evidence by which runs decide between priors. No prior is right about what the runs of one context have
/// in common, so that the evidence of some runs is worth less than that of as many independent ones: with 1, a few runs
/// without a memory cliff were sure that there is none beyond them.
inline constexpr double evidence_power = 1.0 / 3;

/// Candidates by descending weight, those below e^-16 of the best left out.
[[nodiscard]] inline std::vector<posterior_candidate> weigh(std::span<prior_conditioning> parts,
                                                            const std::vector<std::vector<std::uint16_t>>& masks,
                                                            std::span<const double> mask_logs) {
    std::vector<posterior_candidate> candidates;
    std::vector<double> logs(masks.size());
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (!parts[p].usable()) continue;
        for (std::size_t m = 0; m < masks.size(); ++m) logs[m] = mask_logs[m] + parts[p].log_density(masks[m]);
        const double outside = parts[p].log_weight() - (1 - evidence_power) * log_sum_exp(logs);
        for (std::size_t m = 0; m < masks.size(); ++m) {
            const double log = outside + logs[m];
            if (!(log > best - 16)) continue;
            best = (std::max)(best, log);
            candidates.push_back({.log_weight = log, .part = p, .mask = m});
        }
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        if (a.log_weight != b.log_weight) return a.log_weight > b.log_weight;
        return a.part != b.part ? a.part < b.part : a.mask < b.mask;
    });
    return candidates;
}

/// How many of the candidates, at most `most`, have the share `enough` of the weight.
[[nodiscard]] inline std::size_t count_to_keep(std::span<const posterior_candidate> candidates, double enough,
                                               std::size_t most) {
    std::vector<double> logs;
    for (const auto& each : candidates) logs.push_back(each.log_weight);
    const double total = log_sum_exp(logs);
    double covered = 0;
    std::size_t kept = 0;
    while (kept < candidates.size() && kept < most && covered < enough) covered += std::exp(logs[kept++] - total);
    return kept;
}

/// The mixture given all observed runs: components are prior x straggler mask, weighed by prior weight and evidence (see
/// `evidence_power`; which runs of a prior are stragglers is inferred by the whole evidence).
/// Components that together matter less than a thousandth are left out. `kernel` is the deviation kernel.
/// Cost: priors x (k^3 + masks x k^2) + components x q k for k observations and q scale-outs.
[[nodiscard]] inline conditioned_mixture condition(std::span<const prior_component> priors, const matrix& kernel,
                                                   std::span<const observation> observed, std::size_t most_components = 64) {
    std::vector<observation> exact;
    std::vector<observation> bounds;
    for (auto each : merge_observations({observed.begin(), observed.end()})) {
        each.wide_variance = (std::max)(each.wide_variance, 1.01 * each.narrow_variance);
        each.straggler = std::clamp(each.straggler, 1e-9, 1 - 1e-9);
        (each.censored ? bounds : exact).push_back(each);
    }
    const auto masks = straggler_masks(exact.size());
    std::vector<prior_conditioning> parts;
    parts.reserve(priors.size());
    for (const auto& prior : priors) parts.emplace_back(prior, kernel, exact);
    const auto candidates = weigh(parts, masks, log_probabilities(masks, exact));
    // Bounds may turn the weights round, so that more is kept with them.
    const std::size_t kept = count_to_keep(candidates, bounds.empty() ? 0.999 : 1 - 1e-6, most_components);
    const std::size_t q = priors.empty() ? 0 : priors.front().answer->mean.size();
    conditioned_mixture made{.means = matrix(kept, q), .variances = matrix(kept, q)};
    std::vector<double> logs(kept);
    for (std::size_t c = 0; c < kept; ++c) {
        const auto& mask = masks[candidates[c].mask];
        auto& part = parts[candidates[c].part];
        double* variance = made.variances.row(c);
        part.posterior(mask, made.means.row(c), variance);
        logs[c] = candidates[c].log_weight + take_bounds(part, mask, bounds, made.means.row(c), variance, q);
        for (std::size_t i = 0; i < q; ++i) variance[i] = (std::max)(variance[i], least_posterior_variance);
    }
    const double total = log_sum_exp(logs);
    for (const double log : logs) made.weights.push_back(std::exp(log - total));
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
