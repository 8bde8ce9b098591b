// Fits a Gaussian process's hyper-parameters by marginal or leave-one-context-out likelihood, with their gradients.
#ifndef BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_FIT_HPP
#define BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_FIT_HPP

#include <bellamy/detail/blend/gaussian_process_covariance.hpp>
#include <bellamy/detail/maths/lbfgs.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// What a fit maximises: the joint likelihood of all points, or that of each context's points given all other contexts',
/// which fits the direction of the pressure too.
enum class process_objective : std::uint8_t { marginal_likelihood, left_out_likelihood };

/// Leave-one-out prediction of one point's log-runtime.
struct point_prediction {
    double mean = 0;
    double variance = 0;
};

class process_fit {
public:
    using dense = process_covariance::dense;
    using column = process_covariance::column;

    /// The marginal likelihood would overfit a direction of the pressure. `prior_amplitudes`: at the centre of their prior,
    /// relative to the default ones.
    process_fit(const history_data& history, double pressure_slope, process_objective objective, double prior_amplitudes = 1)
        : history_(history),
          objective_(objective),
          covariance_(history, pressure_slope, objective == process_objective::left_out_likelihood, prior_amplitudes) {
        const auto n = static_cast<Eigen::Index>(history.points.size());
        log_runtime_.resize(n);
        for (Eigen::Index i = 0; i < n; ++i) log_runtime_[i] = history.points[static_cast<size_t>(i)].log_runtime;
        inverse_.resize(n, n);
        by_covariance_.resize(n, n);
    }

    const std::vector<double>& centre() const noexcept { return covariance_.centre(); }
    gaussian_process_parameters unpack(const std::vector<double>& x) const { return covariance_.unpack(x); }

    /// Negative log posterior of the hyper-parameters (up to a constant) and its gradient; infinite where the covariance is
    /// not positive definite.
    double operator()(const std::vector<double>& x, std::vector<double>& gradient) {
        const auto p = unpack(x);
        gradient.assign(x.size(), 0.0);
        if (!invert(p)) return infinite;
        const column residual = centred(p);
        const column weights = inverse_.selfadjointView<Eigen::Lower>() * residual;
        double value = objective_ == process_objective::marginal_likelihood
                           ? marginal_loss(residual, weights, gradient[process_layout::mean])
                           : leave_one_context_out_loss(weights, gradient[process_layout::mean]);
        covariance_.contract(p, by_covariance_, gradient);
        const auto& centre = covariance_.centre();
        for (size_t i = 1; i < x.size(); ++i) {
            const double t = std::tanh((x[i] - centre[i]) / process_reach);
            const double precision = i < covariance_.layout().direction() ? logarithm_precision : direction_precision;
            gradient[i] = gradient[i] * (1 - t * t) + precision * (x[i] - centre[i]);
            value += 0.5 * precision * (x[i] - centre[i]) * (x[i] - centre[i]);
        }
        gradient[process_layout::mean] += x[process_layout::mean] - centre[process_layout::mean];
        value += 0.5 * (x[process_layout::mean] - centre[process_layout::mean]) *
                 (x[process_layout::mean] - centre[process_layout::mean]);
        return value;
    }

    /// Leave-one-context-out predictions of every context's points from one inverse, without its anomaly; empty where there
    /// is no inverse.
    std::vector<expert_answer> predict_left_out_contexts(const gaussian_process_parameters& p) {
        if (!invert(p)) return {};
        const column weights = inverse_.selfadjointView<Eigen::Lower>() * centred(p);
        mirror_inverse();
        std::vector<expert_answer> predictions;
        for (const auto& context : history_.contexts) {
            left_out_context left_out;
            if (!leave_out(context, weights, left_out)) return {};
            expert_answer prediction{.covariance = matrix(context.count, context.count)};
            for (size_t i = 0; i < context.count; ++i)
                prediction.mean.push_back(log_runtime_[index(context.first + i)] - left_out.residual[index(i)]);
            const auto log_scale_outs = history_.log_scale_outs_of(context);
            for (size_t i = 0; i < context.count; ++i) {
                for (size_t j = 0; j < context.count; ++j) {
                    prediction.covariance(i, j) = left_out.covariance(index(i), index(j));
                    if (context.anomaly_variance > 0)
                        prediction.covariance(i, j) -=
                            context.anomaly_variance * anomaly_covariance(log_scale_outs[i], log_scale_outs[j]);
                }
                prediction.covariance(i, i) -= history_.points[context.first + i].variance + least_variance;
            }
            predictions.push_back(std::move(prediction));
        }
        return predictions;
    }

    /// Leave-one-out predictions of single points, without their run noise; empty where there is no inverse.
    std::vector<point_prediction> leave_points_out(const gaussian_process_parameters& p) {
        if (!invert(p)) return {};
        const column weights = inverse_.selfadjointView<Eigen::Lower>() * centred(p);
        std::vector<point_prediction> predictions;
        for (Eigen::Index i = 0; i < weights.size(); ++i) {
            const double variance = 1 / inverse_(i, i);
            const double noise = history_.points[static_cast<size_t>(i)].variance + least_variance;
            predictions.push_back(
                {.mean = log_runtime_[i] - weights[i] * variance, .variance = (std::max)(variance - noise, 0.0)});
        }
        return predictions;
    }

private:
    // Products and factors of whole matrices are Eigen's, single numbers are handled in loops: each type of expression takes
    // a unit a tenth of a second to compile.
    static Eigen::Index index(size_t i) noexcept { return static_cast<Eigen::Index>(i); }

    column centred(const gaussian_process_parameters& p) const {
        column residual = log_runtime_;
        for (double& value : std::span(residual.data(), history_.points.size())) value -= p.mean;
        return residual;
    }

    // Lower triangle of K^-1, from the inverse of its factor; false where K is not positive definite.
    bool invert(const gaussian_process_parameters& p) {
        factor_.compute(covariance_(p));
        if (factor_.info() != Eigen::Success) return false;
        half_.setIdentity(log_runtime_.size(), log_runtime_.size());
        factor_.matrixL().solveInPlace(half_);
        inverse_.setZero();
        inverse_.selfadjointView<Eigen::Lower>().rankUpdate(half_.transpose());
        return true;
    }
    void mirror_inverse() {
        for (Eigen::Index j = 0; j < inverse_.cols(); ++j)
            for (Eigen::Index i = 0; i < j; ++i) inverse_(i, j) = inverse_(j, i);
    }

    static double half_log_determinant(const Eigen::LLT<dense>& factor) {
        double sum = 0;
        for (Eigen::Index i = 0; i < factor.rows(); ++i) sum += std::log(factor.matrixLLT()(i, i));
        return sum;
    }

    // Negative log marginal likelihood (Rasmussen, Williams 2006, 5.9); leaves the derivative by K in `by_covariance_`
    // (lower triangle).
    double marginal_loss(const column& residual, const column& weights, double& mean_slope) {
        const Eigen::Index n = weights.size();
        for (Eigen::Index j = 0; j < n; ++j) {
            for (Eigen::Index i = j; i < n; ++i) by_covariance_(i, j) = 0.5 * (inverse_(i, j) - weights[i] * weights[j]);
            mean_slope -= weights[j];
        }
        return 0.5 * dot(residual.data(), weights.data(), history_.points.size()) + half_log_determinant(factor_);
    }

    // With M a context's block of K^-1 and a its part of K^-1 r, its residual given all others is e = M^-1 a with covariance
    // M^-1.
    struct left_out_context {
        dense covariance{};
        column residual{};
        double half_log_determinant = 0;  // of M
    };
    // False where M is not positive definite.
    bool leave_out(const history_context& context, const column& weights, left_out_context& result) const {
        const Eigen::Index first = index(context.first);
        const Eigen::Index count = index(context.count);
        const Eigen::LLT<dense> factor(dense(inverse_.block(first, first, count, count)));
        if (factor.info() != Eigen::Success) return false;
        result.covariance.setIdentity(count, count);
        factor.solveInPlace(result.covariance);
        result.residual.setZero(count);
        for (Eigen::Index j = 0; j < count; ++j)
            for (Eigen::Index i = 0; i < count; ++i) result.residual[i] += result.covariance(i, j) * weights[first + j];
        result.half_log_determinant = half_log_determinant(factor);
        return true;
    }

    // Negative log-likelihood of each context's points given all other contexts'. Its derivative by K is K^-1 B K^-1 -
    // sym(K^-1 e (K^-1 r)'), B blocks (M^-1 + e e')/2.
    double leave_one_context_out_loss(const column& weights, double& mean_slope) {
        const Eigen::Index n = weights.size();
        double value = 0;
        half_.resize(n, n);
        column residual(n);
        mirror_inverse();
        left_out_context left_out;
        for (const auto& context : history_.contexts) {
            if (!leave_out(context, weights, left_out)) return infinite;
            const Eigen::Index first = index(context.first);
            const Eigen::Index count = index(context.count);
            auto& [middle, e, half_log_determinant] = left_out;
            for (Eigen::Index j = 0; j < count; ++j) {
                residual[first + j] = e[j];
                value += 0.5 * weights[first + j] * e[j];
                for (Eigen::Index i = 0; i < count; ++i) middle(i, j) = 0.5 * (middle(i, j) + e[i] * e[j]);
            }
            value -= half_log_determinant;
            const Eigen::LLT<dense> root(middle);
            half_.middleCols(first, count).noalias() = inverse_.middleCols(first, count) * dense(root.matrixL());
        }
        by_covariance_.setZero();
        by_covariance_.selfadjointView<Eigen::Lower>().rankUpdate(half_);
        const column influence = inverse_.selfadjointView<Eigen::Lower>() * residual;
        for (Eigen::Index j = 0; j < n; ++j) {
            for (Eigen::Index i = j; i < n; ++i)
                by_covariance_(i, j) -= 0.5 * (influence[i] * weights[j] + influence[j] * weights[i]);
            mean_slope -= influence[j];
        }
        return value;
    }

    const history_data& history_;
    process_objective objective_;
    process_covariance covariance_;
    column log_runtime_{};
    dense inverse_{};
    dense half_{};  // a factor of a matrix: of K^-1 in `invert`, of its loss's derivative in `leave_one_context_out_loss`
    dense by_covariance_{};  // derivative by K, lower triangle
    Eigen::LLT<dense> factor_{};
};

struct process_fit_outcome {
    gaussian_process_parameters parameters{};
    /// The optimiser's vector of the parameters.
    std::vector<double> packed{};
    process_objective objective = process_objective::marginal_likelihood;
    /// Negative log posterior; not finite where the covariance is not positive definite.
    double value = 0;
};

struct process_fit_options {
    int iterations = 100;
    /// See `process_fit`.
    double prior_amplitudes = 1;
};

/// Fits from `start`, an optimiser's vector; empty for the prior's centre.
inline process_fit_outcome fit_gaussian_process(const history_data& history, double pressure_slope,
                                                process_objective objective, const std::vector<double>& start,
                                                const process_fit_options& options) {
    process_fit fit(history, pressure_slope, objective, options.prior_amplitudes);
    process_fit_outcome outcome{.packed = start.empty() ? fit.centre() : start, .objective = objective};
    outcome.value = minimise(fit, outcome.packed, {.iterations = options.iterations}).value;
    outcome.parameters = fit.unpack(outcome.packed);
    return outcome;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
