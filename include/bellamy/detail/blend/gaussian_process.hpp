// A Gaussian process over contexts and scale-outs for the log-runtime: covariance, and posterior of a new context.
#ifndef BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_HPP
#define BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_HPP

#include <bellamy/detail/context/history.hpp>
#include <bellamy/detail/maths/dense.hpp>
#include <bellamy/detail/maths/kernels.hpp>

#include <array>
#include <limits>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Terms of the covariance, in the order in which their amplitudes are packed and stored.
enum class process_term : std::uint8_t { constant, level, shape, joint, pressure, own_level, own_shape, linear, work };
inline constexpr std::size_t process_terms = 9;

/// Hyper-parameters. With x the features, t = ln(scale-out), w the pressure, v its measured part and a the amplitudes, the
/// covariance of two points is
///   constant^2 + level^2 E1(x) + linear^2 L1(x) + shape^2 M(t) + joint^2 E2(x) M(t) + pressure^2 E2(x)^(1/4) M(w)
///   + work^2 W(v) + [same context] (own_level^2 + own_shape^2 M(t) + its anomaly) + [same configuration] nugget^2,
/// E squared exponential and L linear (both with a length per feature), M Matern 5/2, W the work trend. L extrapolates a
/// trend, of log-runtime over log-size above all, to where no other context is near.
/// The pressure is w = v + b'x, v = ln(data size) - ln(memory per node) - t. Its direction b is learned (0 where empty),
/// because what fills the memory need not be what the size property counts. A history without size or memory has w = b'x - t
/// and no work term. That term models how trends over size and scale-out bend: a fixed overhead outweighs small shares.
struct gaussian_process_parameters {
    double mean = 0;
    std::array<double, process_terms> amplitude{};
    double nugget = 0;
    double shape_length = 1;
    double joint_length = 1;
    double own_length = 1;
    double pressure_length = 1;
    std::vector<double> level_lengths{};
    std::vector<double> joint_lengths{};
    std::vector<double> pressure_direction{};
    /// The history has no measured pressure: it is the direction's alone.
    bool pressure_from_direction = false;

    /// Amplitude squared.
    [[nodiscard]] double variance(process_term of) const noexcept {
        const double root = amplitude[static_cast<std::size_t>(of)];
        return root * root;
    }

    /// Pressure of a context without the part that depends on the scale-out.
    [[nodiscard]] double pressure_at(double measured, std::span<const double> features) const noexcept {
        if (pressure_from_direction) measured = 0;
        for (std::size_t f = 0; f < pressure_direction.size(); ++f) measured += pressure_direction[f] * features[f];
        return measured;
    }
};

inline constexpr double least_variance = 1e-6;

/// Precisions of the hyper-parameters' normal priors: of the logarithms, and of the pressure's direction.
inline constexpr double logarithm_precision = 0.5;
inline constexpr double direction_precision = 4.5;

/// No context of the history.
inline constexpr std::size_t no_context = (std::numeric_limits<std::size_t>::max)();

/// What an expert is asked: one context at several scale-outs.
struct expert_question {
    std::span<const double> features{};
    double pressure = 0;        // NaN where unknown
    double pressure_slope = 0;  // change with ln(scale-out)
    std::span<const double> log_scale_outs{};
    /// Its index where it is a context of the history.
    std::size_t same = no_context;
    /// How much higher than known the pressure is taken to be.
    double pressure_shift = 0;
    /// See `work_trends`: of more scale-outs than those asked about, which are the columns from this one on.
    const matrix* work_trends = nullptr;
    std::size_t first_work_trend = 0;
};

/// The work trend between the points of a history's first contexts and the scale-outs asked about. It has no
/// hyper-parameters: processes that are asked the same share it. Rows of contexts whose work is unknown are zero.
[[nodiscard]] inline matrix work_trends(const history_data& history, const expert_question& question, std::size_t contexts) {
    const std::size_t q = question.log_scale_outs.size();
    matrix made(history.points_of_first(contexts), q);
    for (std::size_t c = 0; c < contexts; ++c) {
        const auto& other = history.contexts[c];
        const double gap = c == question.same ? 0.0 : other.pressure - question.pressure;
        if (!std::isfinite(gap)) continue;
        for (std::size_t i = other.first; i < other.first + other.count; ++i) {
            const double t = std::log(history.points[i].scale_out);
            for (std::size_t k = 0; k < q; ++k)
                made(i, k) = work_trend(gap + question.pressure_slope * (t - question.log_scale_outs[k]));
        }
    }
    return made;
}

/// About a context of a history as if it were a new one.
[[nodiscard]] inline expert_question question_about(const history_context& own, double pressure_slope,
                                                    std::span<const double> log_scale_outs) noexcept {
    return {.features = own.features,
            .pressure = own.pressure,
            .pressure_slope = pressure_slope,
            .log_scale_outs = log_scale_outs};
}

/// Joint normal distribution of the log-runtime (without run noise) at the scale-outs asked about.
struct expert_answer {
    std::vector<double> mean{};
    matrix covariance{};
};

/// The covariance's factors that depend on two contexts' features alone.
struct context_similarity {
    double level = 0;     // E1
    double linear = 0;    // L1
    double joint = 0;     // E2
    double pressure = 0;  // E2^(1/4)
};

/// From sums over the features: squared distances in lengths of the level and of the joint term, and products.
[[nodiscard]] inline context_similarity similarity_of(double level_squares, double products, double joint_squares) noexcept {
    const double root = squared_exponential(joint_squares / 4);
    return {.level = squared_exponential(level_squares),
            .linear = products,
            .joint = root * root * root * root,
            .pressure = root};
}

[[nodiscard]] inline context_similarity compare(const gaussian_process_parameters& with, std::span<const double> a,
                                                std::span<const double> b) noexcept {
    double level = 0;
    double joint = 0;
    double products = 0;
    for (std::size_t f = 0; f < a.size(); ++f) {
        const double d = a[f] - b[f];
        level += d * d / (with.level_lengths[f] * with.level_lengths[f]);
        joint += d * d / (with.joint_lengths[f] * with.joint_lengths[f]);
        products += a[f] * b[f] / (with.level_lengths[f] * with.level_lengths[f]);
    }
    return similarity_of(level, products, joint);
}

/// What two contexts share at any two scale-outs.
[[nodiscard]] inline double level_covariance(const gaussian_process_parameters& of,
                                             const context_similarity& like) noexcept {
    return of.variance(process_term::constant) + of.variance(process_term::level) * like.level +
           of.variance(process_term::linear) * like.linear;
}

/// Of all points of a history with each other; the upper triangle of blocks of contexts.
[[nodiscard]] inline matrix work_trends_within(const history_data& history, double pressure_slope) {
    matrix made(history.points.size(), history.points.size());
    for (const auto& own : history.contexts) {
        const auto log_scale_outs = history.log_scale_outs_of(own);
        auto question = question_about(own, pressure_slope, log_scale_outs);
        question.same = static_cast<std::size_t>(&own - history.contexts.data());
        const matrix columns = work_trends(history, question, question.same + 1);
        for (std::size_t i = 0; i < columns.rows(); ++i)
            std::copy(columns.row(i), columns.row(i) + own.count, made.row(i) + own.first);
    }
    return made;
}

/// The process conditioned on a history. Not stored: recomputed from data and hyper-parameters.
class gaussian_process {
public:
    /// Cost: n^3/3 operations for n points. Where `usable` is false, no jitter made the covariance positive definite.
    /// `work`: the work trends of the history's points with each other, where they are known already.
    gaussian_process(gaussian_process_parameters parameters, const history_data& history, double pressure_slope,
                     const matrix* work = nullptr)
        : parameters_(std::move(parameters)) {
        const std::size_t n = history.points.size();
        matrix covariance(n, n);
        for (const auto& own : history.contexts) {
            const auto log_scale_outs = history.log_scale_outs_of(own);
            auto question = question_about(own, pressure_slope, log_scale_outs);
            question.same = static_cast<std::size_t>(&own - history.contexts.data());
            question.work_trends = work;
            question.first_work_trend = own.first;
            // The upper triangle, which is all that a factor is made of.
            const matrix cross = covariance_with(history, question, question.same + 1);
            for (std::size_t j = 0; j < cross.rows(); ++j)
                for (std::size_t i = 0; i < own.count; ++i) covariance(j, own.first + i) = cross(j, i);
        }
        for (std::size_t i = 0; i < n; ++i) covariance(i, i) += history.points[i].variance + least_variance;
        matrix factor;
        jitter_ = factorise_with_jitter(covariance, factor);
        if (jitter_ < 0) return;
        factor_ = upper_triangle(factor);
        weights_.reserve(n);
        for (const auto& each : history.points) weights_.push_back(each.log_runtime - parameters_.mean);
        solve_transposed(factor_, std::span(weights_));
        solve_upper(factor_, std::span(weights_));
    }

    [[nodiscard]] bool usable() const noexcept { return jitter_ >= 0; }
    [[nodiscard]] double jitter() const noexcept { return jitter_; }
    [[nodiscard]] const gaussian_process_parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] const upper_triangle& factor() const noexcept { return factor_; }
    /// K^-1 (l - mean).
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }

    /// Posterior of the context asked about. `history` is the one that the process was made from.
    /// Cost: n^2 q operations for n points and q scale-outs.
    [[nodiscard]] expert_answer operator()(const history_data& history, const expert_question& question) const {
        const std::size_t q = question.log_scale_outs.size();
        matrix cross = covariance_with(history, question, history.contexts.size());
        const double anomaly_variance = question.same == no_context ? 0.0 : history.contexts[question.same].anomaly_variance;
        expert_answer answer{.mean = std::vector<double>(q, parameters_.mean),
                             .covariance = own_covariance(question, anomaly_variance)};
        add_combination(answer.mean.data(), cross, weights_.data());
        solve_transposed(factor_, cross);
        add_product(answer.covariance, cross, cross, -1);
        return answer;
    }

private:
    // Points of the history's first contexts by scale-outs asked about.
    [[nodiscard]] matrix covariance_with(const history_data& history, const expert_question& question,
                                         std::size_t contexts) const {
        const std::size_t q = question.log_scale_outs.size();
        matrix made(history.points_of_first(contexts), q);
        shape_table shapes(*this, question.log_scale_outs);
        const double pressure = parameters_.pressure_at(question.pressure, question.features) + question.pressure_shift;
        for (std::size_t c = 0; c < contexts; ++c) {
            const auto& other = history.contexts[c];
            const auto like = compare(parameters_, other.features, question.features);
            const bool same = c == question.same;
            const double gap = same ? 0.0 : parameters_.pressure_at(other.pressure, other.features) - pressure;
            const double work_gap = same ? 0.0 : other.pressure - question.pressure;
            for (std::size_t i = other.first; i < other.first + other.count; ++i) {
                const double t = std::log(history.points[i].scale_out);
                const double* work =
                    question.work_trends != nullptr ? question.work_trends->row(i) + question.first_work_trend : nullptr;
                fill(made.row(i), shapes(t), like, gap, work_gap, t, question, work);
                if (same) add_own(made.row(i), shapes(t), other.anomaly_variance, t, question);
            }
        }
        return made;
    }

    [[nodiscard]] matrix own_covariance(const expert_question& question, double anomaly_variance) const {
        const std::size_t q = question.log_scale_outs.size();
        matrix made(q, q);
        shape_table shapes(*this, question.log_scale_outs);
        const auto like = compare(parameters_, question.features, question.features);
        for (std::size_t i = 0; i < q; ++i) {
            const double t = question.log_scale_outs[i];
            fill(made.row(i), shapes(t), like, 0.0, 0.0, t, question);
            add_own(made.row(i), shapes(t), anomaly_variance, t, question);
        }
        return made;
    }

    // The three Matern terms between one scale-out and those asked about; histories have few distinct scale-outs.
    class shape_table {
    public:
        shape_table(const gaussian_process& owner, std::span<const double> to) : owner_(owner), to_(to) {}
        [[nodiscard]] const double* operator()(double t) {
            for (const auto& [key, row] : rows_)
                if (key == t) return row.data();
            std::vector<double> row;
            const auto& p = owner_.parameters_;
            const auto add = [&](process_term term, double length) {
                for (const double u : to_) row.push_back(p.variance(term) * matern((t - u) / length));
            };
            add(process_term::shape, p.shape_length);
            add(process_term::joint, p.joint_length);
            add(process_term::own_shape, p.own_length);
            return rows_.emplace_back(t, std::move(row)).second.data();
        }

    private:
        const gaussian_process& owner_;
        std::span<const double> to_;
        std::vector<std::pair<double, std::vector<double>>> rows_{};
    };

    // Terms of one context with itself.
    void add_own(double* out, const double* shapes, double anomaly_variance, double t,
                 const expert_question& question) const noexcept {
        const std::size_t q = question.log_scale_outs.size();
        const double own_level = parameters_.variance(process_term::own_level);
        for (std::size_t k = 0; k < q; ++k) {
            const double u = question.log_scale_outs[k];
            out[k] += own_level + shapes[2 * q + k];
            if (t == u) out[k] += parameters_.nugget * parameters_.nugget;
            if (anomaly_variance > 0) out[k] += anomaly_variance * anomaly_covariance(t, u);
        }
    }

    // Terms of any two contexts.
    void fill(double* out, const double* shapes, const context_similarity& like, double pressure_gap, double work_gap,
              double t, const expert_question& question, const double* work_trends = nullptr) const noexcept {
        const std::size_t q = question.log_scale_outs.size();
        const double level = level_covariance(parameters_, like);
        for (std::size_t k = 0; k < q; ++k) out[k] = level + shapes[k] + like.joint * shapes[q + k];
        const auto difference = [&](double gap, std::size_t k) {
            return gap + question.pressure_slope * (t - question.log_scale_outs[k]);
        };
        // An unknown pressure has no covariance with any other; within one context it only moves with the scale-out.
        const double pressure = parameters_.variance(process_term::pressure) * like.pressure;
        if (pressure > 0 && std::isfinite(pressure_gap))
            for (std::size_t k = 0; k < q; ++k)
                out[k] += pressure * matern(difference(pressure_gap, k) / parameters_.pressure_length);
        const double work = parameters_.variance(process_term::work);
        if (work > 0 && std::isfinite(work_gap))
            for (std::size_t k = 0; k < q; ++k)
                out[k] += work * (work_trends != nullptr ? work_trends[k] : work_trend(difference(work_gap, k)));
    }

    gaussian_process_parameters parameters_;
    upper_triangle factor_{};
    std::vector<double> weights_{};
    double jitter_ = -1;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
