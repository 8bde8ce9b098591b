// A Gaussian process over contexts and scale-outs for the log-runtime: kernel, and posterior of a new context.
#ifndef BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_HPP
#define BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_HPP

#include <bellamy/detail/context/history.hpp>
#include <bellamy/detail/maths/dense.hpp>

#include <array>
#include <limits>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Hyper-parameters. With x the features, t = ln(scale-out), w the pressure, the covariance of two points is
///   a0^2 + a1^2 E1 + a7^2 L1 + a2^2 M(t; l_shape) + a3^2 E2 M(t; l_joint) + a4^2 E2^(1/4) M(w; l_pressure) + a8^2 E(v; 3)
///   + [same context] (a5^2 + a6^2 M(t; l_own) + what its anomaly adds) + [same configuration] nugget^2,
/// E squared exponential and L linear (x/l) in the features with a length each, M Matern 5/2. L carries a trend, log-runtime
/// over log-size above all, to where no other context is near.
/// The pressure is w = v + b'x, v = ln(data size) - ln(memory per node) - t, with a learned direction b (0 where it is
/// empty): what fills the memory need not be what the size property counts. Where a history names no size or no memory, w =
/// b'x - t, and there is no E(v). That carries how a trend over size and scale-out bends: a fixed overhead outweighs ever
/// smaller shares.
struct gaussian_process_parameters {
    double mean = 0;
    std::array<double, 9> amplitude{};
    double nugget = 0;
    double shape_length = 1;
    double joint_length = 1;
    double own_length = 1;
    double pressure_length = 1;
    std::vector<double> level_lengths{};
    std::vector<double> joint_lengths{};
    std::vector<double> pressure_direction{};
    /// The pressure starts from nothing but the direction.
    bool pressure_from_direction = false;

    /// Pressure of a context without the part that depends on the scale-out.
    [[nodiscard]] double pressure_at(double measured, std::span<const double> features) const noexcept {
        if (pressure_from_direction) measured = 0;
        for (std::size_t f = 0; f < pressure_direction.size(); ++f) measured += pressure_direction[f] * features[f];
        return measured;
    }
};

inline constexpr double least_variance = 1e-6;

/// Of the normal priors of the hyper-parameters around their centres: of the logarithms, and of the pressure's direction.
inline constexpr double logarithm_precision = 0.5;
inline constexpr double direction_precision = 4.5;

/// No context of the history.
inline constexpr std::size_t no_context = (std::numeric_limits<std::size_t>::max)();

/// One context at several scale-outs, as asked of an expert.
struct expert_question {
    std::span<const double> features{};
    double pressure = 0;        // NaN where unknown
    double pressure_slope = 0;  // change with ln(scale-out)
    std::span<const double> log_scale_outs{};
    /// Which context of the history it is, where it is one.
    std::size_t same = no_context;
    /// How much higher than known the pressure is taken to be.
    double pressure_shift = 0;
};

/// Joint normal distribution of the log-runtime (without run noise) at the scale-outs asked about.
struct expert_answer {
    std::vector<double> mean{};
    matrix covariance{};
};

/// How two contexts resemble each other, by features alone.
struct context_similarity {
    double level = 0;     // E1
    double linear = 0;    // L1
    double joint = 0;     // E2
    double pressure = 0;  // E2^(1/4)
};

[[nodiscard]] inline context_similarity compare(const gaussian_process_parameters& with, std::span<const double> a,
                                                std::span<const double> b) noexcept {
    double level = 0;
    double joint = 0;
    double linear = 0;
    for (std::size_t f = 0; f < a.size(); ++f) {
        const double d = a[f] - b[f];
        level += d * d / (with.level_lengths[f] * with.level_lengths[f]);
        joint += d * d / (with.joint_lengths[f] * with.joint_lengths[f]);
        linear += a[f] * b[f] / (with.level_lengths[f] * with.level_lengths[f]);
    }
    const double root = std::exp(-0.125 * joint);
    return {.level = std::exp(-0.5 * level), .linear = linear, .joint = root * root * root * root, .pressure = root};
}

/// The process conditioned on a history; recomputed from data and hyper-parameters, never stored.
class gaussian_process {
public:
    /// Cost: n^3/3 operations for n points. Where `usable` is false, no jitter made the covariance positive definite.
    gaussian_process(gaussian_process_parameters parameters, const history_data& history, double pressure_slope)
        : parameters_(std::move(parameters)) {
        const std::size_t n = history.points.size();
        matrix covariance(n, n);
        for (const auto& own : history.contexts) {
            std::vector<double> t;
            for (std::size_t i = 0; i < own.count; ++i) t.push_back(std::log(history.points[own.first + i].scale_out));
            const expert_question question{.features = own.features,
                                           .pressure = own.pressure,
                                           .pressure_slope = pressure_slope,
                                           .log_scale_outs = t,
                                           .same = static_cast<std::size_t>(&own - history.contexts.data())};
            const matrix cross = covariance_with(history, question);
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t i = 0; i < own.count; ++i) covariance(j, own.first + i) = cross(j, i);
        }
        for (std::size_t i = 0; i < n; ++i) covariance(i, i) += history.points[i].variance + least_variance;
        jitter_ = factorise_with_jitter(covariance, factor_);
        if (jitter_ < 0) return;
        weights_.reserve(n);
        for (const auto& each : history.points) weights_.push_back(each.log_runtime - parameters_.mean);
        solve_transposed(factor_, weights_);
        solve_upper(factor_, weights_);
    }

    [[nodiscard]] bool usable() const noexcept { return jitter_ >= 0; }
    [[nodiscard]] double jitter() const noexcept { return jitter_; }
    [[nodiscard]] const gaussian_process_parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] const matrix& factor() const noexcept { return factor_; }
    /// K^-1 (l - mean).
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }

    /// Posterior of the context asked about. `history` is the one that the process was made from.
    /// Cost: n^2 q operations for n points and q scale-outs.
    [[nodiscard]] expert_answer operator()(const history_data& history, const expert_question& question) const {
        const std::size_t q = question.log_scale_outs.size();
        matrix cross = covariance_with(history, question);
        const double anomaly = question.same == no_context ? 0.0 : history.contexts[question.same].anomaly;
        expert_answer answer{.mean = std::vector<double>(q, parameters_.mean),
                             .covariance = own_covariance(question, anomaly)};
        for (std::size_t j = 0; j < cross.rows(); ++j) add_scaled(answer.mean.data(), cross.row(j), weights_[j], q);
        solve_transposed(factor_, cross);
        add_product(answer.covariance, cross, cross, -1);
        return answer;
    }

private:
    // History points by scale-outs asked about.
    [[nodiscard]] matrix covariance_with(const history_data& history, const expert_question& question) const {
        const std::size_t q = question.log_scale_outs.size();
        matrix made(history.points.size(), q);
        shape_table shapes(*this, question.log_scale_outs);
        const double pressure = parameters_.pressure_at(question.pressure, question.features) + question.pressure_shift;
        for (std::size_t c = 0; c < history.contexts.size(); ++c) {
            const auto& other = history.contexts[c];
            const auto like = compare(parameters_, other.features, question.features);
            const bool same = c == question.same;
            const double gap = same ? 0.0 : parameters_.pressure_at(other.pressure, other.features) - pressure;
            const double work_gap = same ? 0.0 : other.pressure - question.pressure;
            for (std::size_t i = other.first; i < other.first + other.count; ++i) {
                const double t = std::log(history.points[i].scale_out);
                fill(made.row(i), shapes(t), like, gap, work_gap, t, question);
                if (same) add_own(made.row(i), shapes(t), other.anomaly, t, question);
            }
        }
        return made;
    }

    [[nodiscard]] matrix own_covariance(const expert_question& question, double anomaly) const {
        const std::size_t q = question.log_scale_outs.size();
        matrix made(q, q);
        shape_table shapes(*this, question.log_scale_outs);
        const auto like = compare(parameters_, question.features, question.features);
        for (std::size_t i = 0; i < q; ++i) {
            const double t = question.log_scale_outs[i];
            fill(made.row(i), shapes(t), like, 0.0, 0.0, t, question);
            add_own(made.row(i), shapes(t), anomaly, t, question);
        }
        return made;
    }

    // The three Matern terms in t between one scale-out and those asked about; histories have few distinct scale-outs.
    class shape_table {
    public:
        shape_table(const gaussian_process& owner, std::span<const double> to) : owner_(owner), to_(to) {}
        [[nodiscard]] const double* operator()(double t) {
            for (const auto& [key, row] : rows_)
                if (key == t) return row.data();
            std::vector<double> row;
            const auto& p = owner_.parameters_;
            for (const double u : to_) row.push_back(p.amplitude[2] * p.amplitude[2] * matern((t - u) / p.shape_length));
            for (const double u : to_) row.push_back(p.amplitude[3] * p.amplitude[3] * matern((t - u) / p.joint_length));
            for (const double u : to_) row.push_back(p.amplitude[6] * p.amplitude[6] * matern((t - u) / p.own_length));
            return rows_.emplace_back(t, std::move(row)).second.data();
        }

    private:
        const gaussian_process& owner_;
        std::span<const double> to_;
        std::vector<std::pair<double, std::vector<double>>> rows_{};
    };

    // What a context shares with itself only.
    void add_own(double* out, const double* shapes, double anomaly, double t,
                 const expert_question& question) const noexcept {
        const std::size_t q = question.log_scale_outs.size();
        const auto& a = parameters_.amplitude;
        for (std::size_t k = 0; k < q; ++k) {
            const double u = question.log_scale_outs[k];
            out[k] += a[5] * a[5] + shapes[2 * q + k];
            if (t == u) out[k] += parameters_.nugget * parameters_.nugget;
            if (anomaly > 0) out[k] += anomaly * anomaly_covariance(t, u);
        }
    }

    void fill(double* out, const double* shapes, const context_similarity& like, double pressure_gap, double work_gap,
              double t, const expert_question& question) const noexcept {
        const std::size_t q = question.log_scale_outs.size();
        const auto& a = parameters_.amplitude;
        const double constant = a[0] * a[0] + a[1] * a[1] * like.level + a[7] * a[7] * like.linear;
        for (std::size_t k = 0; k < q; ++k) out[k] = constant + shapes[k] + like.joint * shapes[q + k];
        // An unknown pressure is unlike any other; within one context it only moves with the scale-out.
        if (a[4] > 0 && std::isfinite(pressure_gap)) {
            const double scale = a[4] * a[4] * like.pressure;
            for (std::size_t k = 0; k < q; ++k)
                out[k] += scale * matern((pressure_gap + question.pressure_slope * (t - question.log_scale_outs[k])) /
                                         parameters_.pressure_length);
        }
        if (a[8] > 0 && std::isfinite(work_gap))
            for (std::size_t k = 0; k < q; ++k)
                out[k] += a[8] * a[8] * work_trend(work_gap + question.pressure_slope * (t - question.log_scale_outs[k]));
    }

    gaussian_process_parameters parameters_;
    matrix factor_{};
    std::vector<double> weights_{};
    double jitter_ = -1;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
