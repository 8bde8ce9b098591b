// Terms of the Gaussian process's covariance: hyper-parameters, similarity of contexts, and the memory pressure's term.
#ifndef BELLAMY_DETAIL_BLEND_COVARIANCE_TERMS_HPP
#define BELLAMY_DETAIL_BLEND_COVARIANCE_TERMS_HPP

#include <bellamy/detail/blend/expert_question.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Terms of the covariance, in the order in which their amplitudes are packed and stored.
enum class process_term : std::uint8_t { constant, level, shape, joint, pressure, own_level, own_shape, linear, work };
inline constexpr size_t process_terms = 9;

/// Hyper-parameters of a Gaussian process for the log-runtime. With x the features, t = ln(scale-out), w the pressure, v its
/// measured part and a the amplitudes, the covariance of two points is
///   constant^2 + level^2 E1(x) + linear^2 L1(x) + shape^2 M(t) + joint^2 E2(x) M(t) + pressure^2 E2(x)^(1/4) M(w)
///   + work^2 W(v) + [same context] (own_level^2 + own_shape^2 M(t) + its anomaly) + [same configuration] nugget^2,
/// E squared exponential and L linear (both with a length per feature), M Matern 5/2, W the work trend. L extrapolates a
/// trend, of log-runtime over log-size above all, to where no other context is near.
/// The pressure is w = v + b'x, v = ln(data size) - ln(memory per node) - t. Its direction b is fitted (0 where empty),
/// because what fills the memory need not be what the size property counts. A history without size or memory has w = b'x - t
/// and no work term. That term models the curvature of trends over size and scale-out: where the work per node is small, a
/// fixed overhead outweighs it.
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
    double variance(process_term term) const noexcept {
        const double root = amplitude[static_cast<size_t>(term)];
        return root * root;
    }

    /// Pressure of a context without the part that depends on the scale-out.
    double pressure_at(double measured, std::span<const double> features) const noexcept {
        return (pressure_from_direction ? 0 : measured) +
               dot(pressure_direction.data(), features.data(), pressure_direction.size());
    }
};

/// Added to every point's noise variance, so that covariances stay positive definite.
inline constexpr double least_variance = 1e-6;

/// Precisions of the hyper-parameters' normal priors: of the logarithms, and of the pressure's direction.
inline constexpr double logarithm_precision = 0.5;
inline constexpr double direction_precision = 4.5;

/// The covariance's factors that depend on two contexts' features alone.
struct context_similarity {
    double level = 0;     // E1
    double linear = 0;    // L1
    double joint = 0;     // E2
    double pressure = 0;  // E2^(1/4)
};

/// From sums over the features: squared distances in lengths of the level and of the joint term, and products.
inline context_similarity similarity_of(double level_squares, double products, double joint_squares) noexcept {
    const double root = squared_exponential(joint_squares / 4);
    return {.level = squared_exponential(level_squares),
            .linear = products,
            .joint = root * root * root * root,
            .pressure = root};
}

inline context_similarity similarity_between(const gaussian_process_parameters& parameters, std::span<const double> a,
                                             std::span<const double> b) noexcept {
    // Squared distances in the length scales of the level (equal at all scale-outs) and of the joint term, and the dot
    // product.
    double level = 0;
    double joint = 0;
    double products = 0;
    for (size_t f = 0; f < a.size(); ++f) {
        const double d = a[f] - b[f];
        level += d * d / (parameters.level_lengths[f] * parameters.level_lengths[f]);
        joint += d * d / (parameters.joint_lengths[f] * parameters.joint_lengths[f]);
        products += a[f] * b[f] / (parameters.level_lengths[f] * parameters.level_lengths[f]);
    }
    return similarity_of(level, products, joint);
}

/// Coefficients of the terms of the covariance between points of two contexts (letters: `gaussian_process_parameters`):
///   level + shape M(t) + joint M(t) + pressure M(w) + work W(v), and own_shape M(t) within one context.
struct pair_coefficients {
    double level = 0;
    double shape = 0;
    double joint = 0;
    double pressure = 0;
    double work = 0;  // as `shape`, the same for every pair of contexts
    double own_shape = 0;

    pair_coefficients(const gaussian_process_parameters& p, const context_similarity& similarity, bool same_context) noexcept
        : level(p.variance(process_term::constant) + p.variance(process_term::level) * similarity.level +
                p.variance(process_term::linear) * similarity.linear +
                (same_context ? p.variance(process_term::own_level) : 0)),
          shape(p.variance(process_term::shape)),
          joint(p.variance(process_term::joint) * similarity.joint),
          pressure(p.variance(process_term::pressure) * similarity.pressure),
          work(p.variance(process_term::work)),
          own_shape(same_context ? p.variance(process_term::own_shape) : 0) {}

    /// The terms of any two contexts that do not depend on pressures, from the Matern terms of shape and joint.
    double without_pressure(double shape_matern, double joint_matern) const noexcept {
        return level + shape * shape_matern + joint * joint_matern;
    }
};

/// The covariances of one point with the scale-outs of a question, to which terms are added.
struct covariance_row {
    double* covariances;
    double log_scale_out;
    /// Matern terms of shape, joint and own shape, one after the other.
    const double* materns;
    const double* work_trends = nullptr;
};

/// The pressure's term: Matern 5/2 of the difference of pressures. Its exp(-|a - b|) is a product of exponentials of a and
/// of b, so that points and scale-outs take one exponential each, pairs none.
class pressure_term {
public:
    /// `slope`: change of the pressure with ln(scale-out).
    pressure_term(double length, double slope, std::span<const double> log_scale_outs)
        : rate_(root_five / length), slope_(rate_ * slope) {
        for (const double log_scale_out : log_scale_outs) {
            pressures_.push_back(slope_ * log_scale_out);
            rising_.push_back(std::exp(pressures_.back()));
            falling_.push_back(1 / rising_.back());
            largest_ = (std::max)(largest_, std::abs(pressures_.back()));
        }
    }

    /// Adds the term times `coefficient` to the rows of one context; `pressure_gap`: difference of the contexts' pressures,
    /// finite.
    void add_to(std::span<const covariance_row> rows, double pressure_gap, double coefficient) {
        decays_.clear();
        for (const auto& row : rows) decays_.push_back(-std::abs(scaled_pressure(row, pressure_gap)));
        exponentials(decays_);
        for (size_t i = 0; i < rows.size(); ++i) {
            const double pressure = scaled_pressure(rows[i], pressure_gap);
            if (std::abs(pressure) > most_exponent || largest_ > most_exponent) {
                add_by_pairs(rows[i], pressure, coefficient);
            } else {
                add_by_products(rows[i], pressure, decays_[i], coefficient);
            }
        }
    }

private:
    // Beyond, a product of two might overflow.
    static constexpr double most_exponent = 300;

    // A point's pressure less that of the question at a scale-out of 1, in lengths times the root of five.
    double scaled_pressure(const covariance_row& row, double pressure_gap) const noexcept {
        return rate_ * pressure_gap + slope_ * row.log_scale_out;
    }

    // `decay`: exp(-|pressure|).
    void add_by_products(const covariance_row& row, double pressure, double decay, double coefficient) const noexcept {
        const double falling = pressure >= 0 ? decay : 1 / decay;
        const double rising = pressure >= 0 ? 1 / decay : decay;
        const auto add = [&](auto covariances, size_t k) {
            using numbers = decltype(covariances);
            numbers pressures;
            numbers rises;
            numbers falls;
            load(covariances, row.covariances + k);
            load(pressures, pressures_.data() + k);
            load(rises, rising_.data() + k);
            load(falls, falling_.data() + k);
            const numbers difference = pressure - pressures;
            const numbers distance = difference >= 0 ? difference : -difference;
            const numbers product = difference >= 0 ? falling * rises : rising * falls;
            store(row.covariances + k, covariances + coefficient * matern_value(distance, product));
        };
        size_t k = 0;
        for (; k + pack_lanes <= pressures_.size(); k += pack_lanes) add(pack{}, k);
        for (; k < pressures_.size(); ++k) add(0.0, k);
    }

    void add_by_pairs(const covariance_row& row, double pressure, double coefficient) const noexcept {
        for (size_t k = 0; k < pressures_.size(); ++k) {
            const double distance = std::abs(pressure - pressures_[k]);
            row.covariances[k] += coefficient * matern_value(distance, std::exp(-distance));
        }
    }

    double rate_;
    double slope_;
    double largest_ = 0;
    // Of the scale-outs: scaled pressures, their exponentials and the inverses of these.
    std::vector<double> pressures_;
    std::vector<double> rising_;
    std::vector<double> falling_;
    std::vector<double> decays_;
};

/// A possible difference from the computed pressure, and its probability.
struct pressure_hypothesis {
    double shift = 0;
    double probability = 1;
};

/// Standard deviation of the pressure of a context with a text value that is not in the history, given the most similar
/// context: where no context differs in a feature, the direction has its prior.
inline double pressure_deviation(std::span<const history_context> contexts, std::span<const double> features) noexcept {
    double least = infinite;
    for (const auto& context : contexts) {
        double squares = 0;
        for (size_t f = 0; f < features.size(); ++f)
            squares += (features[f] - context.features[f]) * (features[f] - context.features[f]);
        least = (std::min)(least, squares);
    }
    return std::isfinite(least) ? std::sqrt(least / direction_precision) : 0.0;
}

/// Five values for a normal distribution around the computed pressure; that alone for a deviation of 0.
inline std::vector<pressure_hypothesis> pressure_hypotheses(double deviation) {
    if (!(deviation > 0)) return {{}};
    std::vector<pressure_hypothesis> hypotheses;
    double sum = 0;
    for (const double quantile : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
        hypotheses.push_back({.shift = quantile * deviation, .probability = std::exp(-0.5 * quantile * quantile)});
        sum += hypotheses.back().probability;
    }
    for (auto& hypothesis : hypotheses) hypothesis.probability /= sum;
    return hypotheses;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
