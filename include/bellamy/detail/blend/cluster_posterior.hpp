// Runtimes of any cluster given some runs: a mixture of log-normal distributions, one for each law, place of a memory cliff,
// and whether doubtful runs tell anything.
#ifndef BELLAMY_DETAIL_BLEND_CLUSTER_POSTERIOR_HPP
#define BELLAMY_DETAIL_BLEND_CLUSTER_POSTERIOR_HPP

#include <bellamy/detail/blend/cluster_law.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Each law with each place of the cliff is a Gaussian process, which is conditioned exactly; the runs weight them. Where
/// runs are doubtful, each is also conditioned as though these told nothing, at the same prior weight.
class cluster_posterior {
public:
    /// Cost: n^3/3 operations for each law and cliff for n runs, twice where runs are doubtful.
    cluster_posterior(const std::vector<cluster_law>& laws, std::vector<double> cliffs, const std::vector<cluster_run>& runs)
        : laws_(laws), runs_(runs) {
        const size_t n = runs.size();
        const bool any_doubtful = any_of(runs, [](const auto& run) { return run.is_doubtful; });
        const double cliff_count = count_of(cliffs);
        cliffs.push_back(infinite);
        matrix deviations(n, n);
        for (size_t i = 0; i < n; ++i)
            for (size_t j = i; j < n; ++j) deviations(i, j) = cluster_deviation_covariance(runs[i].at, runs[j].at);
        for (size_t law = 0; law < laws.size(); ++law) {
            const double has_cliff = cliff_count > 0 ? laws[law].cliff_probability : 0;
            const double log_weight = std::log(laws[law].weight);
            auto covariance = deviations;
            for (size_t i = 0; i < n; ++i)
                for (size_t j = i; j < n; ++j)
                    covariance(i, j) += laws[law].covariance_of(runs[i].at.terms, runs[j].at.terms);
            for (const bool trusts_all : {true, false}) {
                if (!trusts_all && !any_doubtful) continue;
                for (const double place : cliffs) {
                    const double probability = place < infinite ? has_cliff / cliff_count : 1 - has_cliff;
                    add(covariance, {law, place, trusts_all, log_weight + std::log(probability)});
                }
            }
        }
    }

    /// The log-runtimes at some points, without noise, under each hypothesis of at least this probability. Covariances of
    /// those `with_all`, of the others variances alone.
    std::vector<weighted_answer> operator()(const std::vector<cluster_point>& points, std::span<const size_t> with_all,
                                            double least_probability) const {
        matrix deviations(runs_.size(), points.size());
        for (size_t i = 0; i < runs_.size(); ++i)
            for (size_t j = 0; j < points.size(); ++j)
                deviations(i, j) = cluster_deviation_covariance(runs_[i].at, points[j]);
        const double log_sum = log_sum_exp(values_of(hypotheses_, &hypothesis::log_weight));
        std::vector<weighted_answer> answers;
        double kept = 0;
        for (const auto& each : hypotheses_) {
            const double weight = std::exp(each.log_weight - log_sum);
            if (weight < least_probability) continue;
            kept += weight;
            answers.push_back({weight, answer_under(each, deviations, points, with_all)});
        }
        for (auto& each : answers) each.probability /= kept;
        return answers;
    }

    /// Predictions of the runs of each group, contiguous, from all others (Rasmussen, Williams 2006, 5.10 to 5.12).
    std::vector<std::vector<weighted_answer>> leave_out(std::span<const size_t> counts) const {
        std::vector<std::vector<weighted_answer>> answers(counts.size());
        for (const auto& each : hypotheses_) {
            const matrix precision = inverse_of_factorised(each.factor);
            auto weights = each.whitened;
            solve_upper(each.factor, weights);
            size_t first = 0;
            for (size_t c = 0; c < counts.size(); first += counts[c++])
                answers[c].push_back(left_out(each, precision, weights, first, counts[c]));
        }
        for (auto& group : answers) {
            const double log_sum = log_sum_exp(values_of(group, &weighted_answer::probability));
            for (auto& each : group) each.probability = std::exp(each.probability - log_sum);
        }
        return answers;
    }

private:
    struct hypothesis {
        size_t law = 0;
        /// Of the cliff; infinite where there is none.
        double place = infinite;
        /// Doubtful runs, too.
        bool trusts_all = true;
        double log_weight = 0;
        /// Cholesky factor of the runs' covariance, and the runs' deviations from their means, whitened.
        matrix factor{};
        std::vector<double> whitened{};
    };

    static double variance_of(const cluster_run& run, bool trusts_all) noexcept {
        constexpr double unknown = 4;
        return run.variance + (run.is_doubtful && !trusts_all ? unknown : 0.0);
    }

    /// From the prior weight, and the runs' covariance without the cliff and their noise.
    void add(matrix covariance, hypothesis candidate) {
        const auto& law = laws_[candidate.law];
        const size_t n = runs_.size();
        for (size_t i = 0; i < n; ++i) {
            const double step = is_beyond(candidate.place, runs_[i].at);
            for (size_t j = i; j < n; ++j)
                covariance(i, j) += law.cliff_variance() * step * is_beyond(candidate.place, runs_[j].at);
            covariance(i, i) += variance_of(runs_[i], candidate.trusts_all);
            candidate.whitened.push_back(runs_[i].log_runtime - law.mean_of(runs_[i].at.terms) - law.mean[cliff] * step);
        }
        (void)factorise_with_jitter(covariance, candidate.factor);
        solve_transposed(candidate.factor, candidate.whitened);
        candidate.log_weight -= 0.5 * dot(candidate.whitened.data(), candidate.whitened.data(), n);
        for (size_t i = 0; i < n; ++i) candidate.log_weight -= std::log(candidate.factor(i, i));
        hypotheses_.push_back(std::move(candidate));
    }

    expert_answer answer_under(const hypothesis& under, const matrix& deviations, const std::vector<cluster_point>& points,
                               std::span<const size_t> with_all) const {
        const size_t n = runs_.size();
        const size_t m = points.size();
        const auto& law = laws_[under.law];
        const auto prior = [&](const cluster_point& a, const cluster_point& b) {
            return law.covariance_of(a.terms, b.terms) +
                   law.cliff_variance() * is_beyond(under.place, a) * is_beyond(under.place, b);
        };
        matrix shared = deviations;
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < m; ++j) shared(i, j) += prior(runs_[i].at, points[j]);
        solve_transposed(under.factor, shared);
        expert_answer answer{std::vector<double>(m), matrix(m, m)};
        const auto covariance = [&](size_t a, size_t b) {
            double value = prior(points[a], points[b]) + cluster_deviation_covariance(points[a], points[b]);
            for (size_t i = 0; i < n; ++i) value -= shared(i, a) * shared(i, b);
            return value;
        };
        for (size_t j = 0; j < m; ++j) {
            answer.mean[j] = law.mean_of(points[j].terms) + law.mean[cliff] * is_beyond(under.place, points[j]);
            for (size_t i = 0; i < n; ++i) answer.mean[j] += shared(i, j) * under.whitened[i];
            for (const size_t i : with_all) answer.covariance(i, j) = answer.covariance(j, i) = covariance(i, j);
            answer.covariance(j, j) = (std::max)(covariance(j, j), 0.0);
        }
        return answer;
    }

    /// With the logarithm of its weight, up to a constant, for its probability.
    weighted_answer left_out(const hypothesis& under, const matrix& precision, std::span<const double> weights, size_t first,
                             size_t count) const {
        matrix block(count, count);
        for (size_t i = 0; i < count; ++i) std::copy_n(precision.row(first + i) + first, count, block.row(i));
        weighted_answer prediction{under.log_weight};
        matrix factor;
        (void)factorise_with_jitter(block, factor);
        prediction.answer.covariance = inverse_of_factorised(factor);
        for (size_t i = 0; i < count; ++i) {
            const double residual = dot(prediction.answer.covariance.row(i), weights.data() + first, count);
            prediction.answer.mean.push_back(runs_[first + i].log_runtime - residual);
            prediction.probability += 0.5 * residual * weights[first + i] - std::log(factor(i, i));
        }
        for (size_t i = 0; i < count; ++i)
            prediction.answer.covariance(i, i) -= variance_of(runs_[first + i], under.trusts_all);
        return prediction;
    }

    std::vector<cluster_law> laws_;
    std::vector<cluster_run> runs_;
    std::vector<hypothesis> hypotheses_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
