// Hyper-parameters of hierarchical Ernest by expectation maximisation.
#ifndef BELLAMY_DETAIL_BLEND_HIERARCHICAL_ERNEST_FIT_HPP
#define BELLAMY_DETAIL_BLEND_HIERARCHICAL_ERNEST_FIT_HPP

#include <bellamy/detail/blend/hierarchical_ernest.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Standard deviations of 0.2 for the level and 0.3, 0.1, 0.1 for the terms; 1 % between configurations.
[[nodiscard]] inline hierarchical_ernest_parameters start_of_hierarchical_ernest() noexcept {
    hierarchical_ernest_parameters start;
    constexpr std::array<double, ernest_term_count> deviations{0.2, 0.3, 0.1, 0.1};
    for (std::size_t p = 0; p < ernest_term_count; ++p)
        start.covariance[p * ernest_term_count + p] = deviations[p] * deviations[p];
    return start;
}

/// Posterior second moment of what B leaves of a context's points: residuals, and B's own uncertainty.
[[nodiscard]] inline matrix second_moment(const hierarchical_ernest& now, const hierarchical_ernest::block& block,
                                          std::span<const history_point> points) {
    const std::size_t m = points.size();
    const std::size_t size = block.design.columns();
    std::vector<double> residual(m);
    for (std::size_t i = 0; i < m; ++i)
        residual[i] = points[i].log_runtime - dot(block.design.row(i), now.coefficients().data(), size);
    matrix second(m, m);
    std::vector<double> half(size);
    for (std::size_t i = 0; i < m; ++i) {
        half.assign(size, 0.0);
        for (std::size_t k = 0; k < size; ++k)
            add_scaled(half.data(), now.coefficient_covariance().row(k), block.design(i, k), size);
        for (std::size_t j = 0; j < m; ++j)
            second(i, j) = residual[i] * residual[j] + dot(half.data(), block.design.row(j), size);
    }
    return second;
}

/// Adds a context's E[u u'] = G R G' + S - G phi S, with R the second moment, C the points' precision and G = S phi' C.
inline void add_coefficient_moment(const hierarchical_ernest::block& block, const matrix& second, const matrix& prior,
                                   matrix& covariance) {
    const std::size_t m = second.rows();
    matrix loaded(m, ernest_term_count);  // phi S
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t a = 0; a < ernest_term_count; ++a)
            add_scaled(loaded.row(i), prior.row(a), block.terms(i, a), ernest_term_count);
    matrix gain(m, ernest_term_count);  // G'
    add_product(gain, block.precision, loaded);
    matrix spread(m, ernest_term_count);  // R G'
    add_product(spread, second, gain);
    add_product(covariance, gain, spread);
    add_product(covariance, gain, loaded, -1);
    for (std::size_t a = 0; a < ernest_term_count; ++a) add_scaled(covariance.row(a), prior.row(a), 1, ernest_term_count);
}

/// Adds a context's E[e^2], like E[u u'] with the noise's diagonal in place of S phi', less the run noise.
inline void add_excess_variance(const hierarchical_ernest::block& block, const matrix& second,
                                std::span<const history_point> points, double nugget_variance, double& excess) {
    const std::size_t m = points.size();
    matrix inner(m, m);  // R C
    add_product(inner, second, block.precision);
    for (std::size_t i = 0; i < m; ++i) {
        const double noise = points[i].variance;
        const double total = noise + nugget_variance;
        double explained = 0;
        for (std::size_t j = 0; j < m; ++j) explained += block.precision(i, j) * inner(j, i);
        excess += total * total * (explained - block.precision(i, i)) + total - noise;
    }
}

/// One round: posterior second moments of the contexts' coefficients and of the configurations' residuals, then their means.
/// S is shrunk by one pseudo-context of zero, and its diagonal raised by 1e-4 over the count.
[[nodiscard]] inline hierarchical_ernest_parameters improve(const hierarchical_ernest& now, const history_data& history) {
    constexpr std::size_t terms = ernest_term_count;
    const auto& given = now.parameters();
    matrix covariance(terms, terms);
    matrix prior(terms, terms);
    std::copy(given.covariance.begin(), given.covariance.end(), prior.values().begin());
    double excess = 0;
    for (const auto& own : history.contexts) {
        const auto block = now.block_of(history, own);
        const auto points = history.points_of(own);
        const auto second = second_moment(now, block, points);
        add_coefficient_moment(block, second, prior, covariance);
        add_excess_variance(block, second, points, given.nugget_variance, excess);
    }
    hierarchical_ernest_parameters next;
    const double shrink = 1 / (static_cast<double>(history.contexts.size()) + 1);
    for (std::size_t a = 0; a < terms; ++a)
        for (std::size_t b = 0; b < terms; ++b)
            next.covariance[a * terms + b] = 0.5 * (covariance(a, b) + covariance(b, a) + (a == b ? 2e-4 : 0)) * shrink;
    next.nugget_variance = (std::max)(excess / static_cast<double>(history.points.size()), 1e-5);
    return next;
}

/// Cost per round: contexts x (4 d)^2 operations for d features.
[[nodiscard]] inline hierarchical_ernest_parameters fit_hierarchical_ernest(const history_data& history,
                                                                            double pressure_slope,
                                                                            hierarchical_ernest_parameters start,
                                                                            int rounds = 60) {
    for (int round = 0; round < rounds; ++round) {
        const hierarchical_ernest now(start, history, pressure_slope);
        if (!now.usable()) return start;
        start = improve(now, history);
    }
    return start;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
