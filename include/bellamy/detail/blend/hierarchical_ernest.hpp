// Hierarchical Ernest on log-runtimes: ln y = phi(n)'(B z + u) + e, with B shared by all contexts, u ~ N(0, S) per context.
#ifndef BELLAMY_DETAIL_BLEND_HIERARCHICAL_ERNEST_HPP
#define BELLAMY_DETAIL_BLEND_HIERARCHICAL_ERNEST_HPP

#include <bellamy/detail/blend/gaussian_process.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

inline constexpr std::size_t ernest_term_count = 4;

/// phi(n): 1, and 1/n, ln n, n, each centred over the distinct scale-outs seen and scaled to about the spread that it has
/// over 2, 4, .., 12 nodes (n to a tenth of that), where the priors below were chosen.
class ernest_basis {
public:
    explicit ernest_basis(const history_data& history) {
        std::vector<double> seen;
        for (const auto& each : history.points) seen.push_back(each.scale_out);
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        if (seen.empty()) seen.push_back(1);
        // One scale-out has no spread: half and double are added.
        if (seen.size() == 1) seen = {seen[0] / 2, seen[0], seen[0] * 2};
        lowest_ = seen.front() / beyond;
        highest_ = seen.back() * beyond;
        for (std::size_t k = 0; k < 3; ++k) {
            double mean = 0;
            double squares = 0;
            for (const double n : seen) mean += raw(n)[k] / static_cast<double>(seen.size());
            for (const double n : seen) squares += (raw(n)[k] - mean) * (raw(n)[k] - mean);
            centre_[k] = mean;
            scale_[k] = usual_spread[k] / std::sqrt(squares / static_cast<double>(seen.size()));
        }
    }

    /// Scale-outs farther than a factor of `beyond` outside the ones seen count as that far.
    [[nodiscard]] std::array<double, ernest_term_count> operator()(double scale_out) const noexcept {
        const auto terms = raw(std::clamp(scale_out, lowest_, highest_));
        return {1, (terms[0] - centre_[0]) * scale_[0], (terms[1] - centre_[1]) * scale_[1],
                (terms[2] - centre_[2]) * scale_[2]};
    }

private:
    static constexpr double beyond = 4;
    static constexpr std::array<double, 3> usual_spread{0.1435, 0.6119, 0.3416};
    [[nodiscard]] static std::array<double, 3> raw(double n) noexcept { return {1 / n, std::log(n), n}; }

    std::array<double, 3> centre_{};
    std::array<double, 3> scale_{};
    double lowest_ = 1;
    double highest_ = 1;
};

/// Hyper-parameters: covariance S of the contexts' coefficients u, and the variance shared by runs of one configuration.
struct hierarchical_ernest_parameters {
    std::array<double, ernest_term_count * ernest_term_count> covariance{};
    double nugget_variance = 1e-4;
};

/// Conditioned on a history. Not stored: recomputed from data and hyper-parameters.
class hierarchical_ernest {
public:
    /// Cost: contexts x (4 d)^2 operations for d features.
    hierarchical_ernest(const hierarchical_ernest_parameters& parameters, const history_data& history, double pressure_slope)
        : parameters_(parameters), basis_(history), slope_(pressure_slope) {
        measure_pressure(history);
        const std::size_t size = ernest_term_count * inputs(history.features());
        normal_ = prior_precision(history.features());
        moment_.assign(size, 0.0);
        for (const auto& each : history.contexts) add(history, each, 1, normal_, moment_);
        usable_ = solve(normal_, moment_, mean_, covariance_);
    }

    [[nodiscard]] bool usable() const noexcept { return usable_; }
    [[nodiscard]] const hierarchical_ernest_parameters& parameters() const noexcept { return parameters_; }

    /// Posterior of the context asked about. A context of the history is left out of the shared coefficients and then
    /// conditioned on its own points, so that it counts once.
    [[nodiscard]] expert_answer operator()(const history_data& history, const expert_question& question) const {
        if (question.same == no_context) return predict(question, mean_, covariance_);
        const auto& own = history.contexts[question.same];
        std::vector<double> log_scale_outs(question.log_scale_outs.begin(), question.log_scale_outs.end());
        for (const double each : history.log_scale_outs_of(own)) log_scale_outs.push_back(each);
        auto wider = question;
        wider.log_scale_outs = log_scale_outs;
        const auto prior = without(history, question.same, wider);
        const std::size_t q = question.log_scale_outs.size();
        matrix inner(own.count, own.count);
        matrix gain(own.count, q);
        std::vector<double> residual;
        for (std::size_t i = 0; i < own.count; ++i) {
            for (std::size_t j = 0; j < own.count; ++j) inner(i, j) = prior.covariance(q + i, q + j);
            for (std::size_t j = 0; j < q; ++j) gain(i, j) = prior.covariance(q + i, j);
            inner(i, i) += history.points[own.first + i].variance + least_variance;
            residual.push_back(history.points[own.first + i].log_runtime - prior.mean[q + i]);
        }
        expert_answer answer{.mean = {prior.mean.begin(), prior.mean.begin() + static_cast<std::ptrdiff_t>(q)},
                             .covariance = matrix(q, q)};
        for (std::size_t i = 0; i < q; ++i)
            for (std::size_t j = 0; j < q; ++j) answer.covariance(i, j) = prior.covariance(i, j);
        matrix factor;
        if (factorise_with_jitter(inner, factor) < 0) return answer;
        solve_transposed(factor, residual);
        solve_transposed(factor, gain);
        for (std::size_t i = 0; i < own.count; ++i) add_scaled(answer.mean.data(), gain.row(i), residual[i], q);
        add_product(answer.covariance, gain, gain, -1);
        return answer;
    }

    /// Leave-one-out prediction of a context of the history.
    [[nodiscard]] expert_answer without(const history_data& history, std::size_t context,
                                        const expert_question& question) const {
        auto normal = normal_;
        auto moment = moment_;
        add(history, history.contexts[context], -1, normal, moment);
        std::vector<double> mean;
        matrix covariance;
        if (!solve(normal, moment, mean, covariance)) return predict(question, mean_, covariance_);
        return predict(question, mean, covariance);
    }

    /// A context's rows of the design matrix, the inverse covariance of its points given B, and phi at its points.
    struct block {
        matrix design{};
        matrix precision{};
        matrix terms{};
    };
    [[nodiscard]] block block_of(const history_data& history, const history_context& own) const {
        const auto log_scale_outs = history.log_scale_outs_of(own);
        block made{.terms = terms(log_scale_outs)};
        made.design = design(question_about(own, slope_, log_scale_outs), made.terms);
        made.precision = own_covariance(log_scale_outs, made.terms);
        for (std::size_t i = 0; i < own.count; ++i)
            made.precision(i, i) += history.points[own.first + i].variance + least_variance;
        matrix factor;
        if (factorise_with_jitter(made.precision, factor) >= 0) made.precision = inverse_of_factorised(factor);
        return made;
    }
    [[nodiscard]] std::span<const double> coefficients() const noexcept { return mean_; }
    [[nodiscard]] const matrix& coefficient_covariance() const noexcept { return covariance_; }

private:
    // One, the features, the pressure.
    [[nodiscard]] static constexpr std::size_t inputs(std::size_t features) noexcept { return features + 2; }

    // Ridge on B: deviations 0.3 for the level, 0.5, 0.2, 0.2 for the terms; 10 for the level that does not depend on
    // features. The terms that do not are no wider than the others: the growth trend has them already, and where every
    // context was run at one scale-out nothing else limits them beyond those seen.
    [[nodiscard]] static matrix prior_precision(std::size_t features) {
        constexpr std::array<double, ernest_term_count> deviations{0.3, 0.5, 0.2, 0.2};
        const std::size_t d = inputs(features);
        matrix made(ernest_term_count * d, ernest_term_count * d);
        for (std::size_t p = 0; p < ernest_term_count; ++p)
            for (std::size_t j = 0; j < d; ++j)
                made(p * d + j, p * d + j) = p == 0 && j == 0 ? 1e-2 : 1 / (deviations[p] * deviations[p]);
        return made;
    }

    // The pressure at each point, standardised like a feature.
    void measure_pressure(const history_data& history) {
        double count = 0;
        double sum = 0;
        double squares = 0;
        for (const auto& each : history.points) {
            const double w = history.contexts[each.context].pressure + slope_ * std::log(each.scale_out);
            if (!std::isfinite(w)) continue;
            count += 1;
            sum += w;
            squares += w * w;
        }
        if (count < 1) return;
        pressure_mean_ = sum / count;
        const double variance = squares / count - pressure_mean_ * pressure_mean_;
        pressure_scale_ = variance > 1e-12 ? 1 / std::sqrt(variance) : 0;
    }

    [[nodiscard]] matrix terms(std::span<const double> log_scale_outs) const {
        matrix made(log_scale_outs.size(), ernest_term_count);
        for (std::size_t i = 0; i < log_scale_outs.size(); ++i) {
            const auto phi = basis_(std::exp(log_scale_outs[i]));
            for (std::size_t p = 0; p < ernest_term_count; ++p) made(i, p) = phi[p];
        }
        return made;
    }

    [[nodiscard]] matrix design(const expert_question& question, const matrix& phi) const {
        const std::size_t d = inputs(question.features.size());
        matrix made(question.log_scale_outs.size(), ernest_term_count * d);
        for (std::size_t i = 0; i < made.rows(); ++i) {
            const double w = question.pressure + slope_ * question.log_scale_outs[i];
            const double pressure = std::isfinite(w) ? (w - pressure_mean_) * pressure_scale_ : 0.0;
            for (std::size_t p = 0; p < ernest_term_count; ++p) {
                double* out = made.row(i) + p * d;
                out[0] = phi(i, p);
                for (std::size_t f = 0; f < question.features.size(); ++f) out[1 + f] = phi(i, p) * question.features[f];
                out[d - 1] = phi(i, p) * pressure;
            }
        }
        return made;
    }

    // phi S phi' + nugget where scale-outs are the same.
    [[nodiscard]] matrix own_covariance(std::span<const double> log_scale_outs, const matrix& phi) const {
        matrix made(log_scale_outs.size(), log_scale_outs.size());
        for (std::size_t i = 0; i < log_scale_outs.size(); ++i) {
            std::array<double, ernest_term_count> half{};
            for (std::size_t p = 0; p < ernest_term_count; ++p)
                add_scaled(half.data(), parameters_.covariance.data() + p * ernest_term_count, phi(i, p), ernest_term_count);
            for (std::size_t j = 0; j < log_scale_outs.size(); ++j) {
                made(i, j) = dot(half.data(), phi.row(j), ernest_term_count);
                if (log_scale_outs[i] == log_scale_outs[j]) made(i, j) += parameters_.nugget_variance;
            }
        }
        return made;
    }

    void add(const history_data& history, const history_context& own, double sign, matrix& normal,
             std::vector<double>& moment) const {
        const auto here = block_of(history, own);
        matrix weighed(own.count, here.design.columns());
        add_product(weighed, here.precision, here.design);
        add_product(normal, here.design, weighed, sign);
        for (std::size_t i = 0; i < own.count; ++i)
            add_scaled(moment.data(), weighed.row(i), sign * history.points[own.first + i].log_runtime, moment.size());
    }

    [[nodiscard]] static bool solve(const matrix& normal, const std::vector<double>& moment, std::vector<double>& mean,
                                    matrix& covariance) {
        matrix factor;
        if (factorise_with_jitter(normal, factor) < 0) return false;
        mean = moment;
        solve_transposed(factor, mean);
        solve_upper(factor, mean);
        covariance = inverse_of_factorised(factor);
        return true;
    }

    [[nodiscard]] expert_answer predict(const expert_question& question, const std::vector<double>& mean,
                                        const matrix& covariance) const {
        const auto phi = terms(question.log_scale_outs);
        const auto rows = design(question, phi);
        const std::size_t q = rows.rows();
        const std::size_t size = rows.columns();
        expert_answer answer{.mean = std::vector<double>(q), .covariance = own_covariance(question.log_scale_outs, phi)};
        std::vector<double> half(size);
        for (std::size_t i = 0; i < q; ++i) {
            answer.mean[i] = dot(rows.row(i), mean.data(), size);
            half.assign(size, 0.0);
            add_combination(half.data(), covariance, rows.row(i));
            for (std::size_t j = 0; j < q; ++j) answer.covariance(i, j) += dot(half.data(), rows.row(j), size);
        }
        return answer;
    }

    hierarchical_ernest_parameters parameters_;
    ernest_basis basis_;
    double slope_;
    double pressure_mean_ = 0;
    double pressure_scale_ = 0;
    matrix normal_{};
    std::vector<double> moment_{};
    std::vector<double> mean_{};
    matrix covariance_{};
    bool usable_ = false;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
