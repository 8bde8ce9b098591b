// Hierarchical Ernest: Bayesian linear regression of log-runtimes, ln y = phi(n)'(B z + u) + e, with coefficients B shared
// by all contexts and u ~ N(0, S) of each context.
#ifndef BELLAMY_DETAIL_BLEND_HIERARCHICAL_ERNEST_HPP
#define BELLAMY_DETAIL_BLEND_HIERARCHICAL_ERNEST_HPP

#include <bellamy/detail/blend/gaussian_process.hpp>

#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr size_t ernest_term_count = 4;

/// phi(n): 1, and 1/n, ln n, n, each centred over the distinct scale-outs of the history and scaled to about the spread that
/// it has over 2, 4, .., 12 nodes (n to a tenth of that), for which the priors below were chosen.
class ernest_basis {
public:
    explicit ernest_basis(const history_data& history) {
        auto scale_outs = values_of(history.points, &history_point::scale_out);
        sort_distinct(scale_outs);
        if (scale_outs.empty()) scale_outs.push_back(1);
        // A narrow range counts as that from half of its middle to double: small differences do not say how runtimes change
        // far away.
        if (scale_outs.back() < 4 * scale_outs.front()) {
            const double middle = std::sqrt(scale_outs.front() * scale_outs.back());
            scale_outs = {middle / 2, middle, middle * 2};
        }
        lowest_ = scale_outs.front();
        highest_ = scale_outs.back();
        for (size_t k = 0; k < 3; ++k) {
            double mean = 0;
            double squares = 0;
            for (const double n : scale_outs) mean += raw_terms(n)[k] / count_of(scale_outs);
            for (const double n : scale_outs) squares += (raw_terms(n)[k] - mean) * (raw_terms(n)[k] - mean);
            means_[k] = mean;
            scales_[k] = prior_sds[k] / std::sqrt(squares / count_of(scale_outs));
        }
    }

    /// Beyond the history's scale-outs the term that would soon outgrow the trend, n above them and 1/n below, goes on as a
    /// straight line over ln n. From a factor of `most_extrapolation` on, all terms stay as they are.
    std::array<double, ernest_term_count> operator()(double scale_out) const noexcept {
        const double n = std::clamp(scale_out, lowest_ / most_extrapolation, highest_ * most_extrapolation);
        auto terms = raw_terms(n);
        if (n < lowest_) terms[0] = (1 + std::log(lowest_ / n)) / lowest_;
        if (n > highest_) terms[2] = (1 + std::log(n / highest_)) * highest_;
        return {1, (terms[0] - means_[0]) * scales_[0], (terms[1] - means_[1]) * scales_[1],
                (terms[2] - means_[2]) * scales_[2]};
    }

private:
    static constexpr double most_extrapolation = 4;
    static constexpr std::array<double, 3> prior_sds{0.1435, 0.6119, 0.3416};
    static std::array<double, 3> raw_terms(double n) noexcept { return {1 / n, std::log(n), n}; }

    std::array<double, 3> means_{};
    std::array<double, 3> scales_{};
    double lowest_ = 1;
    double highest_ = 1;
};

/// Hyper-parameters: covariance S of the contexts' coefficients u, and the variance that runs of one configuration have in
/// common.
struct hierarchical_ernest_parameters {
    std::array<double, ernest_term_count * ernest_term_count> covariance{};
    double nugget_variance = 1e-4;
};

/// The posterior of B given a history. Not stored: recomputed from data and hyper-parameters.
class hierarchical_ernest {
public:
    /// Cost: contexts x (4 d)^2 operations for d features.
    hierarchical_ernest(const hierarchical_ernest_parameters& parameters, const history_data& history, double pressure_slope)
        : parameters_(parameters), basis_(history), pressure_slope_(pressure_slope) {
        standardise_pressure(history);
        equations_.precision = prior_precision(history.features());
        equations_.moment.assign(equations_.precision.rows(), 0.0);
        for (const auto& context : history.contexts) add_context(history, context, 1, equations_);
        if (auto posterior = solve(equations_)) posterior_ = *std::move(posterior);
    }

    /// False where the precision of B is not positive definite.
    bool usable() const noexcept { return !posterior_.mean.empty(); }
    const hierarchical_ernest_parameters& parameters() const noexcept { return parameters_; }

    /// Prediction of a context. A context of the history is left out of the posterior of B, and then conditioned on its own
    /// points, so that these count once.
    expert_answer operator()(const history_data& history, const expert_question& question) const {
        if (question.known_context == no_context) return predict(question, posterior_);
        const auto& context = history.contexts[question.known_context];
        const size_t q = question.log_scale_outs.size();
        // Jointly for the scale-outs in question and those of the points.
        std::vector<double> log_scale_outs(question.log_scale_outs.begin(), question.log_scale_outs.end());
        for (const double t : history.log_scale_outs_of(context)) log_scale_outs.push_back(t);
        auto joint_question = question;
        joint_question.log_scale_outs = log_scale_outs;
        const auto prior = without(history, question.known_context, joint_question);
        matrix point_covariance(context.count, context.count);
        matrix gain(context.count, q);
        std::vector<double> residual;
        for (size_t i = 0; i < context.count; ++i) {
            const auto& point = history.points[context.first + i];
            for (size_t j = 0; j < context.count; ++j) point_covariance(i, j) = prior.covariance(q + i, q + j);
            std::copy_n(prior.covariance.row(q + i), q, gain.row(i));
            point_covariance(i, i) += point.variance + least_variance;
            residual.push_back(point.log_runtime - prior.mean[q + i]);
        }
        expert_answer posterior{.mean = {prior.mean.begin(), prior.mean.begin() + static_cast<std::ptrdiff_t>(q)},
                                .covariance = matrix(q, q)};
        for (size_t i = 0; i < q; ++i) std::copy_n(prior.covariance.row(i), q, posterior.covariance.row(i));
        matrix factor;
        if (factorise_with_jitter(point_covariance, factor) < 0) return posterior;
        solve_transposed(factor, residual);
        solve_transposed(factor, gain);
        for (size_t i = 0; i < context.count; ++i) add_scaled(posterior.mean.data(), gain.row(i), residual[i], q);
        add_product(posterior.covariance, gain, gain, -1);
        return posterior;
    }

    /// Leave-one-out prediction of a context of the history.
    expert_answer without(const history_data& history, size_t context, const expert_question& question) const {
        auto equations = equations_;
        add_context(history, history.contexts[context], -1, equations);
        const auto posterior = solve(equations);
        return predict(question, posterior ? *posterior : posterior_);
    }

    /// A context's rows of the design matrix, the inverse covariance of its points given B, and phi at its points.
    struct block {
        matrix design{};
        matrix precision{};
        matrix terms{};
    };
    block block_of(const history_data& history, const history_context& context) const {
        const auto log_scale_outs = history.log_scale_outs_of(context);
        block context_block{.terms = terms(log_scale_outs)};
        context_block.design = design(question_about(context, pressure_slope_, log_scale_outs), context_block.terms);
        auto& precision = context_block.precision;
        precision = context_covariance(log_scale_outs, context_block.terms);
        for (size_t i = 0; i < context.count; ++i)
            precision(i, i) += history.points[context.first + i].variance + least_variance;
        matrix factor;
        if (factorise_with_jitter(precision, factor) >= 0) precision = inverse_of_factorised(factor);
        return context_block;
    }
    std::span<const double> coefficients() const noexcept { return posterior_.mean; }
    const matrix& coefficient_covariance() const noexcept { return posterior_.covariance; }

private:
    // Precision matrix of the posterior of B, and that times its mean.
    struct normal_equations {
        matrix precision{};
        std::vector<double> moment{};
    };
    // Mean and covariance of the posterior of B.
    struct coefficient_posterior {
        std::vector<double> mean{};
        matrix covariance{};
    };

    // One, the features, the pressure.
    static constexpr size_t inputs(size_t features) noexcept { return features + 2; }

    // Ridge prior of B: standard deviations 0.3 for the level, 0.5, 0.2, 0.2 for the terms; 10 for the intercept of the
    // level. The other intercepts are no wider than their terms: the growth trend has them already, and where every context
    // was run at one scale-out nothing else limits them at others.
    static matrix prior_precision(size_t features) {
        constexpr std::array<double, ernest_term_count> sds{0.3, 0.5, 0.2, 0.2};
        const size_t d = inputs(features);
        matrix precision(ernest_term_count * d, ernest_term_count * d);
        for (size_t p = 0; p < ernest_term_count; ++p)
            for (size_t j = 0; j < d; ++j) precision(p * d + j, p * d + j) = p == 0 && j == 0 ? 1e-2 : 1 / (sds[p] * sds[p]);
        return precision;
    }

    // Mean and inverse standard deviation of the points' memory pressures, where they are known. Those that spread less than
    // half, the middle and double count as 0: no slope over a narrow range says what follows far away.
    void standardise_pressure(const history_data& history) {
        double count = 0;
        double sum = 0;
        double squares = 0;
        for (const auto& point : history.points) {
            const double pressure = history.contexts[point.context].pressure + pressure_slope_ * std::log(point.scale_out);
            if (!std::isfinite(pressure)) continue;
            count += 1;
            sum += pressure;
            squares += pressure * pressure;
        }
        if (count < 1) return;
        pressure_mean_ = sum / count;
        const double variance = squares / count - pressure_mean_ * pressure_mean_;
        const double least = std::log(2.0) * std::log(2.0) * 2 / 3;
        pressure_scale_ = variance > least ? 1 / std::sqrt(variance) : 0;
    }

    // phi, one row for each scale-out.
    matrix terms(std::span<const double> log_scale_outs) const {
        matrix phi(log_scale_outs.size(), ernest_term_count);
        for (size_t i = 0; i < log_scale_outs.size(); ++i) {
            const auto row = basis_(std::exp(log_scale_outs[i]));
            std::copy(row.begin(), row.end(), phi.row(i));
        }
        return phi;
    }

    // Rows phi (x) z: every term times every input.
    matrix design(const expert_question& question, const matrix& phi) const {
        const size_t d = inputs(question.features.size());
        matrix rows(question.log_scale_outs.size(), ernest_term_count * d);
        for (size_t i = 0; i < rows.rows(); ++i) {
            const double pressure = question.pressure + pressure_slope_ * question.log_scale_outs[i];
            const double standardised = std::isfinite(pressure) ? (pressure - pressure_mean_) * pressure_scale_ : 0.0;
            for (size_t p = 0; p < ernest_term_count; ++p) {
                double* out = rows.row(i) + p * d;
                out[0] = phi(i, p);
                for (size_t f = 0; f < question.features.size(); ++f) out[1 + f] = phi(i, p) * question.features[f];
                out[d - 1] = phi(i, p) * standardised;
            }
        }
        return rows;
    }

    // Of one context given B: phi S phi' + nugget where scale-outs are the same.
    matrix context_covariance(std::span<const double> log_scale_outs, const matrix& phi) const {
        matrix covariance(log_scale_outs.size(), log_scale_outs.size());
        for (size_t i = 0; i < log_scale_outs.size(); ++i) {
            std::array<double, ernest_term_count> phi_s{};
            for (size_t p = 0; p < ernest_term_count; ++p)
                add_scaled(phi_s.data(), parameters_.covariance.data() + p * ernest_term_count, phi(i, p),
                           ernest_term_count);
            for (size_t j = 0; j < log_scale_outs.size(); ++j) {
                covariance(i, j) = dot(phi_s.data(), phi.row(j), ernest_term_count);
                if (log_scale_outs[i] == log_scale_outs[j]) covariance(i, j) += parameters_.nugget_variance;
            }
        }
        return covariance;
    }

    // Adds (sign 1) or removes (-1) a context's points.
    void add_context(const history_data& history, const history_context& context, double sign,
                     normal_equations& equations) const {
        const auto context_block = block_of(history, context);
        auto& moment = equations.moment;
        matrix weighted_design(context.count, moment.size());
        add_product(weighted_design, context_block.precision, context_block.design);
        add_product(equations.precision, context_block.design, weighted_design, sign);
        for (size_t i = 0; i < context.count; ++i)
            add_scaled(moment.data(), weighted_design.row(i), sign * history.points[context.first + i].log_runtime,
                       moment.size());
    }

    // None where the precision is not positive definite.
    static std::optional<coefficient_posterior> solve(const normal_equations& equations) {
        matrix factor;
        if (factorise_with_jitter(equations.precision, factor) < 0) return {};
        coefficient_posterior posterior{.mean = equations.moment};
        solve_transposed(factor, posterior.mean);
        solve_upper(factor, posterior.mean);
        posterior.covariance = inverse_of_factorised(factor);
        return posterior;
    }

    expert_answer predict(const expert_question& question, const coefficient_posterior& posterior) const {
        const auto phi = terms(question.log_scale_outs);
        const auto rows = design(question, phi);
        const size_t q = rows.rows();
        const size_t size = rows.columns();
        expert_answer prediction{.mean = std::vector<double>(q),
                                 .covariance = context_covariance(question.log_scale_outs, phi)};
        prediction.between_contexts = prediction.covariance;
        std::vector<double> row_covariance(size);
        for (size_t i = 0; i < q; ++i) {
            prediction.mean[i] = dot(rows.row(i), posterior.mean.data(), size);
            row_covariance.assign(size, 0.0);
            add_combination(row_covariance, posterior.covariance, rows.row(i));
            for (size_t j = 0; j < q; ++j) prediction.covariance(i, j) += dot(row_covariance.data(), rows.row(j), size);
        }
        return prediction;
    }

    hierarchical_ernest_parameters parameters_;
    ernest_basis basis_;
    double pressure_slope_;
    double pressure_mean_ = 0;
    double pressure_scale_ = 0;
    normal_equations equations_{};
    coefficient_posterior posterior_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
