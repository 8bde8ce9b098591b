// Posterior of a mixture of Gaussian priors given a few observed runs: exact for runs that ended, moment-matched for
// right-censored ones.
#ifndef BELLAMY_DETAIL_BLEND_CONDITIONING_HPP
#define BELLAMY_DETAIL_BLEND_CONDITIONING_HPP

#include <bellamy/detail/blend/expert_weights.hpp>
#include <bellamy/detail/blend/gaussian_process.hpp>
#include <bellamy/detail/blend/run_likelihood.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Prior: one Gaussian component over the knots. Its covariance is scale^2 times the expert's, plus deviation_sd^2 times the
/// deviation kernel, plus `level_variance` between any two knots (of property values not in the history, which `scale` must
/// not shrink). Where the context does not differ from others, the covariance between contexts is left out.
struct prior_component {
    const expert_answer* prediction = nullptr;
    double scale = 1;
    double deviation_sd = 0;
    double level_variance = 0;
    bool differs = true;
    double log_weight = 0;
    expert_kind expert = expert_kind::process_over_trend;
};

/// Covariance of two knots. `kernel`: the deviation kernel over the knots.
inline double covariance_of(const prior_component& prior, const matrix& kernel, size_t i, size_t j) noexcept {
    double covariance = prior.prediction->covariance(i, j);
    if (!prior.differs && prior.prediction->between_contexts.rows() > 0)
        covariance -= prior.prediction->between_contexts(i, j);
    return prior.scale * prior.scale * covariance +
           (prior.differs ? prior.deviation_sd * prior.deviation_sd * kernel(i, j) : 0) + prior.level_variance;
}

/// Covariance of a context's deviation from its prediction, of standard deviation 1.
inline matrix deviation_kernel(std::span<const double> log_scale_outs) {
    return kernel_of(log_scale_outs, deviation_covariance);
}

/// Posterior: one Gaussian component of the log-runtime without run noise, by its marginals at the knots.
struct posterior_component {
    double weight = 0;
    expert_kind expert = expert_kind::process_over_trend;
    /// Of its run noise, relative to the history's.
    double noise_factor = 1;
    std::vector<double> mean{};
    std::vector<double> variance{};
};

inline constexpr double least_posterior_variance = 1e-9;

/// Posterior of one prior component given runs that are not censored, for every set of stragglers. With A the covariance of
/// the runs if none is a straggler, P = A^-1 and D the additional variance of the stragglers M, evidence and moments follow
/// from D^-1 + P_MM, which is as small as the set (Woodbury identity).
class conditioned_component {
public:
    /// Refers to the prediction, the kernel and the runs.
    conditioned_component(const prior_component& prior, const matrix& kernel, const std::vector<observation>& runs)
        : prior_(prior), kernel_(kernel), runs_(runs) {
        const size_t k = runs.size();
        std::vector<double> residual;
        residual.reserve(k);
        for (const auto& run : runs) residual.push_back(run.log_runtime - prior.prediction->mean[run.knot]);
        matrix factor(k, k);
        const auto fill = [&] {
            for (size_t i = 0; i < k; ++i) {
                for (size_t j = i; j < k; ++j) factor(i, j) = covariance(runs[i].knot, runs[j].knot);
                factor(i, i) += runs[i].narrow_variance;
            }
        };
        fill();
        usable_ = factorise_in_place(factor, fill) >= 0;
        if (!usable_) return;
        precision_ = inverse_of_factorised(factor);
        log_evidence_ = -0.5 * log_two_pi * count_of(runs);
        solved_residual_.resize(k);
        for (size_t i = 0; i < k; ++i) {
            log_evidence_ -= std::log(factor(i, i));
            solved_residual_[i] = dot(precision_.row(i), residual.data(), k);
        }
        log_evidence_ -= 0.5 * dot(solved_residual_.data(), residual.data(), k);
    }

    /// Whether the covariance is positive definite.
    bool usable() const noexcept { return usable_; }

    double log_prior_weight() const noexcept { return prior_.log_weight; }

    /// Log density of the runs, given their stragglers.
    double log_evidence(const straggler_set& stragglers) noexcept {
        double value = log_evidence_;
        if (stragglers.empty()) return value;
        if (!factorise(stragglers)) return -infinite;
        for (size_t i = 0; i < stragglers.size(); ++i)
            value += 0.5 * runs_[stragglers[i]].straggler_delay * (solved_residual_[stragglers[i]] + delayed_residual_[i]);
        double determinant = 1;  // of I + D P_MM
        for (size_t i = 0; i < stragglers.size(); ++i) {
            value += 0.5 * reduced_residual_[i] * reduced_residual_[i] * pivot_inverse_[i];
            determinant *= set_factor_[i][i] * added_variance(stragglers[i]);
        }
        return value - 0.5 * std::log(determinant);
    }

    /// Marginals of the posterior, given the stragglers; the weight is not set.
    posterior_component marginals(const straggler_set& stragglers) {
        compute_marginals();
        posterior_component posterior{.mean = mean_, .variance = variance_};
        if (stragglers.empty() || !factorise(stragglers)) return posterior;
        const size_t q = mean_.size();
        const matrix gain = reduced_gain(stragglers);
        for (size_t i = 0; i < stragglers.size(); ++i) {
            add_scaled(posterior.mean.data(), gain.row(i), -reduced_residual_[i] * pivot_inverse_[i], q);
            add_scaled(posterior.mean.data(), gain_.row(stragglers[i]), -runs_[stragglers[i]].straggler_delay, q);
            for (size_t c = 0; c < q; ++c) posterior.variance[c] += gain(i, c) * gain(i, c) * pivot_inverse_[i];
        }
        return posterior;
    }

    /// Posterior covariances of one knot with all.
    std::vector<double> covariances(const straggler_set& stragglers, size_t knot) {
        compute_marginals();
        const size_t q = mean_.size();
        std::vector<double> column(q);
        for (size_t c = 0; c < q; ++c) column[c] = covariance(knot, c);
        for (size_t i = 0; i < runs_.size(); ++i)
            add_scaled(column.data(), gain_.row(i), -covariance(runs_[i].knot, knot), q);
        if (stragglers.empty() || !factorise(stragglers)) return column;
        const matrix gain = reduced_gain(stragglers);
        for (size_t i = 0; i < stragglers.size(); ++i)
            add_scaled(column.data(), gain.row(i), gain(i, knot) * pivot_inverse_[i], q);
        return column;
    }

private:
    double covariance(size_t i, size_t j) const noexcept { return covariance_of(prior_, kernel_, i, j); }
    // Of a run that is a straggler: its element of D.
    double added_variance(size_t run) const noexcept { return runs_[run].wide_variance - runs_[run].narrow_variance; }

    // Gain, mean and variance without stragglers; computed only for components of enough evidence.
    void compute_marginals() {
        if (!mean_.empty()) return;
        const size_t q = prior_.prediction->mean.size();
        gain_ = matrix(runs_.size(), q);
        mean_ = prior_.prediction->mean;
        variance_.resize(q);
        for (size_t c = 0; c < q; ++c) variance_[c] = covariance(c, c);
        for (size_t i = 0; i < runs_.size(); ++i)
            for (size_t j = 0; j < runs_.size(); ++j)
                for (size_t c = 0; c < q; ++c) gain_(i, c) += precision_(i, j) * covariance(runs_[j].knot, c);
        for (size_t i = 0; i < runs_.size(); ++i)
            for (size_t c = 0; c < q; ++c) {
                const double prior_covariance = covariance(runs_[i].knot, c);
                mean_[c] += prior_covariance * solved_residual_[i];
                variance_[c] -= prior_covariance * gain_(i, c);
            }
    }

    // Factors L, its pivots, and pivots times L' of D^-1 + P_MM in one matrix; and L^-1 times the stragglers' residuals less
    // their delays (times P). False where it is not positive definite.
    bool factorise(const straggler_set& stragglers) noexcept {
        for (size_t i = 0; i < stragglers.size(); ++i) {
            const size_t run = stragglers[i];
            double pivot = precision_(run, run) + 1 / added_variance(run);
            double residual = solved_residual_[run];
            for (const auto j : stragglers) residual -= precision_(run, j) * runs_[j].straggler_delay;
            delayed_residual_[i] = residual;
            for (size_t j = 0; j < i; ++j) {
                double value = precision_(run, stragglers[j]);
                for (size_t m = 0; m < j; ++m) value -= set_factor_[m][i] * set_factor_[j][m];
                set_factor_[j][i] = value;
                set_factor_[i][j] = value * pivot_inverse_[j];
                pivot -= value * set_factor_[i][j];
                residual -= set_factor_[i][j] * reduced_residual_[j];
            }
            if (!(pivot > 0)) return false;
            set_factor_[i][i] = pivot;
            pivot_inverse_[i] = 1 / pivot;
            reduced_residual_[i] = residual;
        }
        return true;
    }

    // L^-1 times the stragglers' rows of the gain.
    matrix reduced_gain(const straggler_set& stragglers) const {
        const size_t q = gain_.columns();
        matrix gain(stragglers.size(), q);
        for (size_t i = 0; i < stragglers.size(); ++i) {
            add_scaled(gain.row(i), gain_.row(stragglers[i]), 1, q);
            for (size_t m = 0; m < i; ++m) add_scaled(gain.row(i), gain.row(m), -set_factor_[i][m], q);
        }
        return gain;
    }

    template <class Value>
    using per_straggler = std::array<Value, most_exact_observations>;

    prior_component prior_;
    const matrix& kernel_;  // see `covariance_of`
    std::span<const observation> runs_;
    // If no run is a straggler: P, P times the residuals, P times the covariance of the runs with the knots; moments.
    matrix precision_;
    std::vector<double> solved_residual_;
    matrix gain_;
    std::vector<double> mean_;
    std::vector<double> variance_;
    double log_evidence_ = 0;
    bool usable_ = false;
    // Of the last set of stragglers: see `factorise`.
    per_straggler<per_straggler<double>> set_factor_{};
    per_straggler<double> pivot_inverse_{};
    per_straggler<double> reduced_residual_{};
    per_straggler<double> delayed_residual_{};
};

/// Log prior probability of each set of stragglers.
inline std::vector<double> log_prior_probabilities(const std::vector<straggler_set>& sets,
                                                   const std::vector<observation>& runs) {
    std::vector<double> log_odds;
    double log_none = 0;
    for (const auto& run : runs) {
        const double log_usual = std::log1p(-run.straggler_probability);
        log_none += log_usual;
        log_odds.push_back(std::log(run.straggler_probability) - log_usual);
    }
    std::vector<double> log_probabilities(sets.size(), log_none);
    for (size_t s = 0; s < sets.size(); ++s)
        for (const auto i : sets[s]) log_probabilities[s] += log_odds[i];
    return log_probabilities;
}

/// A component of the posterior, by the indices of its prior and of its set of stragglers, with its log weight.
struct posterior_candidate {
    double log_weight = 0;
    size_t prior = 0;
    size_t set = 0;
};

/// Tempered likelihood: the power of the evidence by which runs decide between priors. Runs of one context share a deviation
/// that no prior has right, so their evidence is worth less than that of independent runs: with 1, a few runs below a memory
/// cliff excluded any cliff beyond them.
inline constexpr double evidence_power = 1.0 / 3;

/// Candidates by descending weight, without those below e^-16 of the best. Between the sets of stragglers of one prior the
/// evidence has its full power.
inline std::vector<posterior_candidate> weigh_candidates(std::vector<conditioned_component>& priors,
                                                         const std::vector<straggler_set>& sets,
                                                         const std::vector<observation>& runs) {
    const auto log_set_probabilities = log_prior_probabilities(sets, runs);
    std::vector<posterior_candidate> candidates;
    candidates.reserve(priors.size() * sets.size());
    std::vector<double> log_joints(sets.size());
    double best = -infinite;
    for (size_t p = 0; p < priors.size(); ++p) {
        if (!priors[p].usable()) continue;
        for (size_t s = 0; s < sets.size(); ++s) log_joints[s] = log_set_probabilities[s] + priors[p].log_evidence(sets[s]);
        const double log_tempered_weight = priors[p].log_prior_weight() - (1 - evidence_power) * log_sum_exp(log_joints);
        for (size_t s = 0; s < sets.size(); ++s) {
            const double log_weight = log_tempered_weight + log_joints[s];
            if (!(log_weight > best - 16)) continue;
            best = (std::max)(best, log_weight);
            candidates.push_back({.log_weight = log_weight, .prior = p, .set = s});
        }
    }
    sort_stably(candidates, [](const auto& a, const auto& b) { return a.log_weight > b.log_weight; });
    return candidates;
}

/// Number of leading candidates, at most `most`, that together have the probability `coverage`.
inline size_t count_to_keep(const std::vector<posterior_candidate>& candidates, double coverage, size_t most) {
    const auto log_weights = values_of(candidates, &posterior_candidate::log_weight);
    const double total = log_sum_exp(log_weights);
    double covered = 0;
    size_t kept = 0;
    while (kept < candidates.size() && kept < most && covered < coverage) covered += std::exp(log_weights[kept++] - total);
    return kept;
}

struct censored_posterior {
    posterior_component component{};
    double log_evidence = 0;
};

/// Updates a component by right-censored runs, one after the other (assumed density filtering). `covariances`: those of each
/// run's knot with all knots.
inline censored_posterior update_by_censored(posterior_component component, std::vector<std::vector<double>> covariances,
                                             const std::vector<observation>& censored) {
    const size_t q = component.mean.size();
    double log_evidence = 0;
    for (size_t b = 0; b < censored.size(); ++b) {
        const size_t knot = censored[b].knot;
        const auto& column = covariances[b];
        const auto update =
            censored_update(censored[b], component.mean[knot], (std::max)(column[knot], least_posterior_variance));
        log_evidence += update.log_evidence;
        for (size_t i = 0; i < q; ++i) {
            component.mean[i] += column[i] * update.mean_gain;
            component.variance[i] += column[i] * column[i] * update.variance_gain;
        }
        // Rank-one update of the covariances that the later runs need.
        for (size_t later = b + 1; later < censored.size(); ++later)
            add_scaled(covariances[later].data(), column.data(), covariances[later][knot] * update.variance_gain, q);
    }
    for (double& variance : component.variance) variance = (std::max)(variance, least_posterior_variance);
    return {.component = std::move(component), .log_evidence = log_evidence};
}

/// Posterior given the observed runs: one component for each prior and set of stragglers, weighted by prior weight and
/// tempered evidence. Components that together have less than three thousandths of the weight are left out. `kernel`: the
/// deviation kernel over the knots.
/// Cost: priors x (k^3 + sets x k^2) + components x q k for k observations and q knots.
inline std::vector<posterior_component> condition(const std::vector<prior_component>& priors, const matrix& kernel,
                                                  const std::vector<observation>& observed, size_t most_components = 64) {
    std::vector<observation> ended;
    std::vector<observation> censored;
    for (auto run : merge_observations(observed)) {
        run.wide_variance = (std::max)(run.wide_variance, 1.01 * run.narrow_variance);
        run.straggler_probability = std::clamp(run.straggler_probability, 1e-9, 1 - 1e-9);
        (run.censored ? censored : ended).push_back(run);
    }
    const auto sets = straggler_sets(ended.size());
    std::vector<conditioned_component> conditioned;
    conditioned.reserve(priors.size());
    for (const auto& prior : priors) conditioned.emplace_back(prior, kernel, ended);
    const auto candidates = weigh_candidates(conditioned, sets, ended);

    // Without runs there is one noise, with them several, of which each keeps fewer. Censored runs may reverse the order of
    // the weights, so more candidates are kept where there are any.
    const double coverage = !censored.empty() ? 1 - 1e-6 : (ended.empty() ? 0.999 : 0.997);
    const size_t kept = count_to_keep(candidates, coverage, most_components);
    std::vector<posterior_component> posterior;
    for (const auto& [log_weight, prior, set] : std::span(candidates).first(kept)) {
        std::vector<std::vector<double>> covariances;
        covariances.reserve(censored.size());
        for (const auto& run : censored) covariances.push_back(conditioned[prior].covariances(sets[set], run.knot));
        auto updated = update_by_censored(conditioned[prior].marginals(sets[set]), std::move(covariances), censored);
        posterior.push_back(std::move(updated.component));
        posterior.back().weight = log_weight + updated.log_evidence;
        posterior.back().expert = priors[prior].expert;
    }
    const double total = log_sum_exp(values_of(posterior, &posterior_component::weight));
    for (auto& component : posterior) component.weight = std::exp(component.weight - total);
    return posterior;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
