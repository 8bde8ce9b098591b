// Definitions of exploration_prior.hpp: an EM algorithm over the coefficients of other jobs.
#ifndef BELLAMY_DETAIL_DECISION_EXPLORATION_PRIOR_IMPL_HPP
#define BELLAMY_DETAIL_DECISION_EXPLORATION_PRIOR_IMPL_HPP

#include <bellamy/detail/blend/cluster_law.hpp>
#include <bellamy/exploration_prior.hpp>
#include <bellamy/schema.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// What the runs of one job say of its coefficients: products of the terms' columns and of the runtimes, weighted by the
/// inverse covariance of the deviations.
struct cluster_evidence {
    matrix products{cluster_term_count, cluster_term_count};
    cluster_row with_runtimes{};
    bool has_cliff = false;
};

/// Gaussian distribution of a job's coefficients given its runs.
struct coefficient_posterior {
    cluster_row mean{};
    matrix covariance{};
    /// ln of the marginal likelihood, up to what the runs alone decide.
    double log_evidence = 0;
};

inline matrix to_matrix(const std::array<cluster_row, cluster_term_count>& rows) {
    matrix values(cluster_term_count, cluster_term_count);
    for (size_t i = 0; i < cluster_term_count; ++i)
        for (size_t j = 0; j < cluster_term_count; ++j) values(i, j) = rows[i][j];
    return values;
}

/// The inverse of a covariance, and ln of its determinant's root.
struct precision {
    explicit precision(const matrix& covariance) {
        matrix factor;
        (void)factorise_with_jitter(covariance, factor);
        for (size_t i = 0; i < factor.rows(); ++i) log_root_determinant += std::log(factor(i, i));
        inverse = inverse_of_factorised(factor);
    }
    matrix inverse{};
    double log_root_determinant = 0;
};

inline coefficient_posterior coefficients_of(const cluster_evidence& evidence, const cluster_law& prior) {
    const precision of_prior(to_matrix(prior.covariance));
    matrix sum = of_prior.inverse;
    cluster_row right = evidence.with_runtimes;
    coefficient_posterior posterior;
    for (size_t i = 0; i < cluster_term_count; ++i) {
        for (size_t j = 0; j < cluster_term_count; ++j) sum(i, j) += evidence.products(i, j);
        const double product = dot(of_prior.inverse.row(i), prior.mean.data(), cluster_term_count);
        right[i] += product;
        posterior.log_evidence -= 0.5 * prior.mean[i] * product;
    }
    const precision of_posterior(sum);
    posterior.covariance = of_posterior.inverse;
    for (size_t i = 0; i < cluster_term_count; ++i) {
        posterior.mean[i] = dot(of_posterior.inverse.row(i), right.data(), cluster_term_count);
        posterior.log_evidence += 0.5 * posterior.mean[i] * right[i];
    }
    posterior.log_evidence -= of_prior.log_root_determinant + of_posterior.log_root_determinant;
    return posterior;
}

/// The evidence with the likeliest memory cliff, or none.
inline cluster_evidence evidence_of(const std::vector<cluster_run>& runs, const cluster_law& prior) {
    const auto points = values_of(runs, &cluster_run::at);
    const auto cliffs = possible_cliffs(points);
    const size_t n = runs.size();
    // The columns of the terms, of every possible cliff, and the runtimes.
    const size_t last = cliff + cliffs.size();
    matrix columns(n, last + 1);
    matrix covariance(n, n);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < cliff; ++j) columns(i, j) = points[i].terms[j];
        for (size_t j = 0; j < cliffs.size(); ++j) columns(i, cliff + j) = is_beyond(cliffs[j], points[i]);
        columns(i, last) = runs[i].log_runtime;
        for (size_t j = 0; j < n; ++j) covariance(i, j) = cluster_deviation_covariance(points[i], points[j]);
        covariance(i, i) += runs[i].variance;
    }
    matrix factor;
    (void)factorise_with_jitter(covariance, factor);
    solve_transposed(factor, columns);
    matrix products(columns.columns(), columns.columns());
    add_product(products, columns, columns);

    cluster_evidence best;
    double most = -infinite;
    for (size_t i = 0; i <= cliffs.size(); ++i) {
        // First without a cliff.
        cluster_evidence evidence{.has_cliff = i > 0};
        const auto is_used = [&](size_t term) { return term != cliff || i > 0; };
        const auto column = [&](size_t term) { return term < cliff ? term : cliff + i - 1; };
        for (size_t j = 0; j < cluster_term_count; ++j) {
            if (!is_used(j)) continue;
            evidence.with_runtimes[j] = products(column(j), last);
            for (size_t k = 0; k < cluster_term_count; ++k)
                if (is_used(k)) evidence.products(j, k) = products(column(j), column(k));
        }
        const double probability = i > 0 ? prior.cliff_probability / count_of(cliffs) : 1 - prior.cliff_probability;
        const double log = coefficients_of(evidence, prior).log_evidence + std::log(probability);
        if (!(log > most)) continue;
        most = log;
        best = std::move(evidence);
    }
    return best;
}

/// The jobs' mean and covariance of coefficients, with priors that count for `prior_jobs_of_mean` and
/// `prior_jobs_of_covariance` jobs.
inline cluster_law fit_cluster_law(std::span<const cluster_evidence> jobs) {
    constexpr int rounds = 12;
    constexpr double prior_jobs_of_mean = 1;
    constexpr double prior_jobs_of_covariance = 2;
    auto usual = law_of_any_job();
    auto law = usual;
    usual.covariance[level][level] = 1;
    double with_cliff = 0;
    for (const auto& job : jobs) with_cliff += job.has_cliff ? 1 : 0;
    const auto count = [&](size_t term) { return term == cliff ? with_cliff : count_of(jobs); };
    const auto counts = [](const cluster_evidence& job, size_t term) { return term != cliff || job.has_cliff; };
    for (int round = 0; round < rounds; ++round) {
        // What each job's runs say of its coefficients, under the law so far.
        std::vector<coefficient_posterior> posteriors;
        for (const auto& job : jobs) posteriors.push_back(coefficients_of(job, law));
        cluster_law next{.cliff_probability = (with_cliff + 1) / (count_of(jobs) + 2)};
        for (size_t i = 0; i < cluster_term_count; ++i) {
            next.mean[i] = prior_jobs_of_mean * usual.mean[i];
            for (size_t k = 0; k < jobs.size(); ++k)
                if (counts(jobs[k], i)) next.mean[i] += posteriors[k].mean[i];
            next.mean[i] /= prior_jobs_of_mean + count(i);
        }
        for (size_t i = 0; i < cluster_term_count; ++i)
            for (size_t j = 0; j < cluster_term_count; ++j) {
                if ((i == cliff) != (j == cliff)) continue;
                double sum = prior_jobs_of_covariance * usual.covariance[i][j];
                for (size_t k = 0; k < jobs.size(); ++k)
                    if (counts(jobs[k], i))
                        sum += posteriors[k].covariance(i, j) +
                               (posteriors[k].mean[i] - next.mean[i]) * (posteriors[k].mean[j] - next.mean[j]);
                next.covariance[i][j] = sum / (prior_jobs_of_covariance + count(i));
            }
        law = next;
    }
    return law;
}

/// The evidence of every group of runs that differ in machine and scale-out alone.
inline void add_evidence(std::span<const run> job, std::vector<cluster_evidence>& evidence) {
    std::vector<std::vector<cluster_run>> groups;
    cluster_point_maker point_of;
    for (const auto& run : job) {
        const auto at = point_of(run.context, run.scale_out);
        const auto group = find_if(groups, [&](const auto& each) {
            const auto& other = each.front().at;
            return other.others == at.others && other.terms[data_size] == at.terms[data_size];
        });
        (group == groups.end() ? groups.emplace_back() : *group).push_back(to_cluster_run(run, at));
    }
    for (auto& group : groups) {
        for (auto& run : group) run.at.terms[data_size] = 0;
        evidence.push_back(evidence_of(group, law_of_any_job()));
    }
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<exploration_prior> learn_exploration(std::span<const std::span<const run>> other_jobs) {
    // A job may be unlike all others.
    constexpr double unlike_others = 0.3;
    if (other_jobs.empty()) return detail::fail(errc::empty_history, "expected at least one job, found none");
    std::vector<detail::cluster_evidence> evidence;
    for (size_t i = 0; i < other_jobs.size(); ++i) {
        if (auto job = schema_of(other_jobs[i]); !job) return detail::with_subject(job.error(), "job ", i);
        detail::add_evidence(other_jobs[i], evidence);
    }
    exploration_prior learned;
    auto& laws = detail::exploration_access::laws(learned);
    laws.front().weight = unlike_others;
    laws.push_back(detail::fit_cluster_law(evidence));
    laws.back().weight = 1 - unlike_others;
    return learned;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
