// A Gaussian process over contexts and scale-outs for the log-runtime: covariance, and posterior of a new context.
#ifndef BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_HPP
#define BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_HPP

#include <bellamy/detail/blend/pressure_term.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

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

/// The process conditioned on a history. Not stored: recomputed from data and hyper-parameters.
class gaussian_process {
public:
    /// Cost: n^3/3 operations for n points. Where `usable` is false, no jitter made the covariance positive definite.
    /// `work`: the work trends of the history's points with each other, where they are known already. `room`: memory for
    /// n^2 numbers, for those who make several processes.
    gaussian_process(gaussian_process_parameters parameters, const history_data& history, double pressure_slope,
                     const matrix* work, matrix& room)
        : parameters_(std::move(parameters)), contexts_(history.contexts.size()) {
        const std::size_t n = history.points.size();
        const auto fill = [&] { fill_covariance(history, pressure_slope, work, room); };
        fill();
        jitter_ = factorise_in_place(room, fill);
        if (jitter_ < 0) return;
        factor_ = upper_triangle(room);
        weights_.reserve(n);
        for (const auto& each : history.points) weights_.push_back(each.log_runtime - parameters_.mean);
        solve_transposed(factor_, std::span(weights_));
        solve_upper(factor_, std::span(weights_));
    }

    gaussian_process(gaussian_process_parameters parameters, const history_data& history, double pressure_slope,
                     matrix room = {})
        : gaussian_process(std::move(parameters), history, pressure_slope, nullptr, room) {}

    [[nodiscard]] bool usable() const noexcept { return jitter_ >= 0; }
    [[nodiscard]] double jitter() const noexcept { return jitter_; }
    [[nodiscard]] const gaussian_process_parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] const upper_triangle& factor() const noexcept { return factor_; }
    /// K^-1 (l - mean).
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }

    /// Posterior of the context asked about. `history` begins with the one that the process was made from; its runtimes are
    /// not looked at. Cost: n^2 q operations for n points and q scale-outs.
    [[nodiscard]] expert_answer operator()(const history_data& history, const expert_question& question) const {
        return std::move((*this)(history, std::span(&question, 1)).front());
    }
    /// Of several questions, for which the factor is read once.
    [[nodiscard]] std::vector<expert_answer> operator()(const history_data& history,
                                                        std::span<const expert_question> questions) const {
        std::size_t columns = 0;
        for (const auto& each : questions) columns += each.log_scale_outs.size();
        // Whole packs of columns are solved at once; those beyond the questions' are zero.
        columns = (columns + pack_lanes - 1) / pack_lanes * pack_lanes;
        matrix cross(weights_.size(), columns);
        std::size_t column = 0;
        for (const auto& each : questions) {
            scale_out_table shapes(*this, each.pressure_slope, each.log_scale_outs);
            add_covariances(history, each, contexts_, shapes, cross, column);
            column += each.log_scale_outs.size();
        }
        std::vector<double> means(columns, parameters_.mean);
        add_combination(means.data(), cross, weights_.data());
        solve_transposed(factor_, cross);
        std::vector<expert_answer> answers;
        answers.reserve(questions.size());
        column = 0;
        for (const auto& each : questions) {
            const auto from = means.begin() + static_cast<std::ptrdiff_t>(column);
            const std::size_t q = each.log_scale_outs.size();
            const double anomaly_variance = each.same == no_context ? 0.0 : history.contexts[each.same].anomaly_variance;
            answers.push_back({.mean = {from, from + static_cast<std::ptrdiff_t>(q)},
                               .covariance = own_covariance(each, anomaly_variance)});
            subtract_explained(cross, column, each.with_all, answers.back().covariance);
            column += q;
        }
        return answers;
    }

private:
    // The upper triangle of the covariance of a history's points with their noise, which is all that a factor is made of.
    void fill_covariance(const history_data& history, double pressure_slope, const matrix* work, matrix& covariance) const {
        covariance.reset(history.points.size(), history.points.size());
        scale_out_table shapes(*this, pressure_slope, {});
        for (const auto& own : history.contexts) {
            const auto log_scale_outs = history.log_scale_outs_of(own);
            auto question = question_about(own, pressure_slope, log_scale_outs);
            question.same = static_cast<std::size_t>(&own - history.contexts.data());
            question.work_trends = work;
            question.first_work_trend = own.first;
            // Contexts often have the same scale-outs.
            if (!shapes.is_of(log_scale_outs)) shapes = scale_out_table(*this, pressure_slope, log_scale_outs);
            add_covariances(history, question, question.same + 1, shapes, covariance, own.first);
        }
        for (std::size_t i = 0; i < covariance.rows(); ++i) covariance(i, i) += history.points[i].variance + least_variance;
    }

    // ln of a history's scale-outs, and the three Matern terms between each and those asked about; histories have few
    // distinct scale-outs. The pressure's term of those asked about.
    class scale_out_table {
    public:
        struct row {
            double scale_out;
            double t;
            std::vector<double> shapes;
        };

        scale_out_table(const gaussian_process& owner, double pressure_slope, std::span<const double> to)
            : owner_(&owner), to_(to.begin(), to.end()), pressures_(owner.parameters_.pressure_length, pressure_slope, to) {}

        [[nodiscard]] bool is_of(std::span<const double> to) const noexcept {
            return std::equal(to.begin(), to.end(), to_.begin(), to_.end());
        }
        // Neighbouring points have neighbouring scale-outs, so that the row after the last is looked at first.
        [[nodiscard]] const row& operator()(double scale_out) {
            for (std::size_t step = 0; step < rows_.size(); ++step) {
                last_ = last_ + 1 < rows_.size() ? last_ + 1 : 0;
                if (rows_[last_].scale_out == scale_out) return rows_[last_];
            }
            const double t = std::log(scale_out);
            rows_.push_back({.scale_out = scale_out, .t = t, .shapes = owner_->shapes_between(t, to_)});
            last_ = rows_.size() - 1;
            return rows_.back();
        }
        [[nodiscard]] pressure_term& pressures() noexcept { return pressures_; }

    private:
        const gaussian_process* owner_;
        std::vector<double> to_;
        pressure_term pressures_;
        std::vector<row> rows_{};
        std::size_t last_ = 0;
    };

    [[nodiscard]] std::vector<double> shapes_between(double t, std::span<const double> to) const {
        const std::size_t q = to.size();
        const std::array terms{process_term::shape, process_term::joint, process_term::own_shape};
        const std::array lengths{parameters_.shape_length, parameters_.joint_length, parameters_.own_length};
        std::vector<double> shapes(terms.size() * q);
        for (std::size_t term = 0; term < terms.size(); ++term)
            for (std::size_t k = 0; k < q; ++k) shapes[term * q + k] = matern_exponent((t - to[k]) / lengths[term]);
        auto decays = shapes;
        exponentials(decays);
        for (std::size_t term = 0; term < terms.size(); ++term)
            for (std::size_t k = term * q; k < (term + 1) * q; ++k)
                shapes[k] = parameters_.variance(terms[term]) * matern_value(-shapes[k], decays[k]);
        return shapes;
    }

    // Of the points of the history's first contexts with the scale-outs asked about, which are the columns of `made` from
    // `column` on.
    void add_covariances(const history_data& history, const expert_question& question, std::size_t contexts,
                         scale_out_table& shapes, matrix& made, std::size_t column) const {
        const double pressure = parameters_.pressure_at(question.pressure, question.features) + question.pressure_shift;
        std::vector<covariance_row> rows;
        for (std::size_t c = 0; c < contexts; ++c) {
            const auto& other = history.contexts[c];
            const auto like = compare(parameters_, other.features, question.features);
            const bool same = c == question.same;
            const double gap = same ? 0.0 : parameters_.pressure_at(other.pressure, other.features) - pressure;
            const double work_gap = same ? 0.0 : other.pressure - question.pressure;
            rows.clear();
            for (std::size_t i = other.first; i < other.first + other.count; ++i) {
                const auto& row = shapes(history.points[i].scale_out);
                const double* work =
                    question.work_trends != nullptr ? question.work_trends->row(i) + question.first_work_trend : nullptr;
                rows.push_back({.out = made.row(i) + column, .t = row.t, .shapes = row.shapes.data(), .work_trends = work});
                add_shapes(rows.back(), like, question);
            }
            add_pressure(like, gap, shapes.pressures(), rows);
            add_work(work_gap, question, rows);
            if (same) add_own(other.anomaly_variance, question, rows);
        }
    }

    [[nodiscard]] matrix own_covariance(const expert_question& question, double anomaly_variance) const {
        const std::size_t q = question.log_scale_outs.size();
        matrix made(q, q);
        const auto like = compare(parameters_, question.features, question.features);
        std::vector<std::vector<double>> shapes;
        std::vector<covariance_row> rows;
        for (std::size_t i = 0; i < q; ++i) {
            const double t = question.log_scale_outs[i];
            shapes.push_back(shapes_between(t, question.log_scale_outs));
            rows.push_back({.out = made.row(i), .t = t, .shapes = shapes.back().data()});
            add_shapes(rows.back(), like, question);
        }
        pressure_term pressures(parameters_.pressure_length, question.pressure_slope, question.log_scale_outs);
        add_pressure(like, 0.0, pressures, rows);
        add_work(0.0, question, rows);
        add_own(anomaly_variance, question, rows);
        return made;
    }

    // What the history explains of the covariances that are asked for: products of the columns from `column` on.
    static void subtract_explained(const matrix& cross, std::size_t column, const std::vector<std::size_t>* with_all,
                                   matrix& covariance) noexcept {
        const std::size_t q = covariance.rows();
        for (std::size_t k = 0; k < cross.rows(); ++k) {
            const double* row = cross.row(k) + column;
            if (with_all == nullptr) {
                for (std::size_t i = 0; i < q; ++i) add_scaled(covariance.row(i), row, -row[i], q);
                continue;
            }
            for (std::size_t i = 0; i < q; ++i) covariance(i, i) -= row[i] * row[i];
            for (const std::size_t i : *with_all)
                for (std::size_t j = 0; j < q; ++j)
                    if (i != j) covariance(i, j) -= row[i] * row[j];
        }
    }

    // Terms of one context with itself.
    void add_own(double anomaly_variance, const expert_question& question,
                 std::span<const covariance_row> rows) const noexcept {
        const std::size_t q = question.log_scale_outs.size();
        const double own_level = parameters_.variance(process_term::own_level);
        for (const auto& row : rows)
            for (std::size_t k = 0; k < q; ++k) {
                const double u = question.log_scale_outs[k];
                row.out[k] += own_level + row.shapes[2 * q + k];
                if (row.t == u) row.out[k] += parameters_.nugget * parameters_.nugget;
                if (anomaly_variance > 0) row.out[k] += anomaly_variance * anomaly_covariance(row.t, u);
            }
    }

    // What any two contexts share at any pressure.
    void add_shapes(const covariance_row& row, const context_similarity& like,
                    const expert_question& question) const noexcept {
        const std::size_t q = question.log_scale_outs.size();
        const double level = level_covariance(parameters_, like);
        for (std::size_t k = 0; k < q; ++k) row.out[k] += level + row.shapes[k] + like.joint * row.shapes[q + k];
    }

    // An unknown pressure has no covariance with any other; within one context it only moves with the scale-out.
    void add_pressure(const context_similarity& like, double gap, pressure_term& term,
                      std::span<const covariance_row> rows) const {
        const double variance = parameters_.variance(process_term::pressure) * like.pressure;
        if (!(variance > 0 && std::isfinite(gap))) return;
        term.add_to(rows, gap, variance);
    }

    void add_work(double gap, const expert_question& question, std::span<const covariance_row> rows) const noexcept {
        const double work = parameters_.variance(process_term::work);
        if (!(work > 0 && std::isfinite(gap))) return;
        const auto& u = question.log_scale_outs;
        for (const auto& row : rows)
            for (std::size_t k = 0; k < u.size(); ++k)
                row.out[k] +=
                    work * (row.work_trends != nullptr ? row.work_trends[k]
                                                       : work_trend(gap + question.pressure_slope * (row.t - u[k])));
    }

    gaussian_process_parameters parameters_;
    std::size_t contexts_;
    upper_triangle factor_{};
    std::vector<double> weights_{};
    double jitter_ = -1;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
