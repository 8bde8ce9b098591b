// Covariance matrix of a history's points as a function of the hyper-parameters, and the chain rule back to them.
// Its terms (level, joint, ..) and their formula stand at `gaussian_process_parameters`.
#ifndef BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_COVARIANCE_HPP
#define BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_COVARIANCE_HPP

#include <bellamy/detail/base/eigen.hpp>
#include <bellamy/detail/blend/process_layout.hpp>
#include <bellamy/detail/maths/kernels.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Keeps what does not depend on the hyper-parameters, and tables of what has few distinct values.
class process_covariance {
public:
    using dense = Eigen::MatrixXd;
    using column = Eigen::VectorXd;

    process_covariance(const history_data& history, double pressure_slope, bool has_direction, double prior_amplitudes)
        : history_(history),
          layout_{.features = history.features(), .has_direction = has_direction},
          slope_(pressure_slope) {
        const auto n = static_cast<Eigen::Index>(history.points.size());
        pressure_.resize(n);
        double mean = 0;
        for (const auto& point : history.points) {
            mean += point.log_runtime / static_cast<double>(n);
            measured_pressure_ = measured_pressure_ || std::isfinite(measured_pressure_of(point));
            scale_out_of_.push_back(place_among(log_scale_outs_, std::log(point.scale_out)));
        }
        has_pressure_ = measured_pressure_ || has_direction;
        centre_ = prior_centre(layout_, mean, prior_amplitudes);
        covariance_.resize(n, n);
        if (has_pressure_) {
            pressure_value_.resize(n, n);
            pressure_by_length_.resize(n, n);
            scaled_distance_.resize(history.points.size());
            decay_.resize(history.points.size());
        }
        if (measured_pressure_) tabulate_work_trend();
        tabulate_features();
    }

    const process_layout& layout() const noexcept { return layout_; }
    const std::vector<double>& centre() const noexcept { return centre_; }

    /// The hyper-parameters of an optimiser's vector.
    gaussian_process_parameters unpack(const std::vector<double>& x) const {
        gaussian_process_parameters p;
        const auto value = [&](size_t i) { return std::exp(bounded(x, i)); };
        p.mean = x[process_layout::mean];
        for (size_t i = 0; i < process_terms; ++i) p.amplitude[i] = value(process_layout::amplitudes + i);
        if (!has_pressure_) p.amplitude[static_cast<size_t>(process_term::pressure)] = 0;
        if (!measured_pressure_) p.amplitude[static_cast<size_t>(process_term::work)] = 0;
        p.pressure_from_direction = has_pressure_ && !measured_pressure_;
        p.nugget = value(process_layout::nugget);
        p.shape_length = value(process_layout::shape_length);
        p.joint_length = value(process_layout::joint_length);
        p.own_length = value(process_layout::own_length);
        p.pressure_length = value(process_layout::pressure_length);
        for (size_t f = 0; f < layout_.features; ++f) {
            p.level_lengths.push_back(value(process_layout::level_lengths + f));
            p.joint_lengths.push_back(value(layout_.joint_lengths() + f));
            if (layout_.has_direction) p.pressure_direction.push_back(bounded(x, layout_.direction() + f));
        }
        return p;
    }

    /// The lower triangle; contexts' points stand together, so rows of one pair of contexts are neighbours.
    const dense& operator()(const gaussian_process_parameters& p) {
        compare_contexts(p);
        tabulate(shape_, p.shape_length);
        tabulate(joint_, p.joint_length);
        tabulate(own_, p.own_length);
        if (has_pressure_) tabulate_pressures(p);
        size_t k = 0;
        for (size_t a = 0; a < history_.contexts.size(); ++a)
            for (size_t b = 0; b <= a; ++b) fill(p, a, b, pair_similarities_[k++].similarity);
        for (const auto& context : history_.contexts)
            if (context.anomaly_variance > 0) add_anomaly(context);
        for (size_t i = 0; i < history_.points.size(); ++i)
            covariance_(index(i), index(i)) += p.nugget * p.nugget + history_.points[i].variance + least_variance;
        return covariance_;
    }

    /// Chain rule: dL/dK (lower triangle) to dL/dtheta, at the parameters of the last call of operator(). Precondition: the
    /// gradient is zero but for the mean's entry, which stays.
    void contract(const gaussian_process_parameters& p, const dense& by_covariance, std::vector<double>& gradient) {
        const auto sums = collect(by_covariance);
        contract_scale_outs(p, sums, gradient);
        contract_features(p, gradient);
    }

private:
    // A pair of contexts: their similarity, and derivatives of L.
    struct context_pair {
        context_similarity similarity{};
        double by_level = 0;     // by the level, which all entries of the pair share
        double by_joint = 0;     // by the similarity of the joint term
        double by_pressure = 0;  // by the similarity of the pressure's term
        double by_shift = 0;     // by the difference of the two contexts' pressures
    };

    // Matern 5/2 over all pairs of scale-outs, its derivative by ln(length), and dL/dvalue.
    struct scale_out_table {
        matrix value{};
        matrix by_length{};
        matrix by_value{};
    };

    // Sums over all entries of their derivatives times the unit-amplitude value of one term.
    struct term_sums {
        double constant = 0;
        double own_level = 0;
        double pressure_length = 0;
        double nugget = 0;
        double work = 0;  // of the work trend
    };

    static Eigen::Index index(size_t i) noexcept { return static_cast<Eigen::Index>(i); }

    double bounded(const std::vector<double>& x, size_t i) const noexcept {
        return centre_[i] + process_reach * std::tanh((x[i] - centre_[i]) / process_reach);
    }

    double log_scale_out(size_t point) const noexcept { return log_scale_outs_[scale_out_of_[point]]; }

    double measured_pressure_of(const history_point& point) const noexcept {
        return history_.contexts[point.context].pressure;
    }

    void tabulate(scale_out_table& table, double length) const {
        const size_t m = log_scale_outs_.size();
        table = {.value = matrix(m, m), .by_length = matrix(m, m), .by_value = matrix(m, m)};
        for (size_t a = 0; a < m; ++a)
            for (size_t b = 0; b < m; ++b) {
                const double r = root_five * std::abs(log_scale_outs_[a] - log_scale_outs_[b]) / length;
                const double decay = std::exp(-r);
                table.value(a, b) = matern_value(r, decay);
                table.by_length(a, b) = matern_slope(r, decay);
            }
    }

    // An unknown size or memory has no covariance with any other; within one context only the scale-out moves.
    void tabulate_work_trend() {
        const size_t n = history_.points.size();
        work_trend_.resize(index(n), index(n));
        for (size_t j = 0; j < n; ++j)
            for (size_t i = j; i < n; ++i) {
                const auto& a = history_.points[i];
                const auto& b = history_.points[j];
                const double pressure_gap = a.context == b.context ? 0.0 : measured_pressure_of(a) - measured_pressure_of(b);
                const double difference = pressure_gap + slope_ * (log_scale_out(i) - log_scale_out(j));
                work_trend_(index(i), index(j)) = std::isfinite(difference) ? work_trend(difference) : 0.0;
            }
    }

    // Squared distances and products of the features, one after the other for each pair of contexts.
    void tabulate_features() {
        const size_t contexts = history_.contexts.size();
        pair_similarities_.resize(contexts * (contexts + 1) / 2);
        for (size_t a = 0; a < contexts; ++a)
            for (size_t b = 0; b <= a; ++b)
                for (size_t f = 0; f < layout_.features; ++f) {
                    const double x = history_.contexts[a].features[f];
                    const double y = history_.contexts[b].features[f];
                    distances_.push_back((x - y) * (x - y));
                    products_.push_back(x * y);
                }
    }

    void compare_contexts(const gaussian_process_parameters& p) {
        const size_t features = layout_.features;
        std::vector<double> level(features);
        std::vector<double> joint(features);
        for (size_t f = 0; f < features; ++f) {
            level[f] = 1 / (p.level_lengths[f] * p.level_lengths[f]);
            joint[f] = 1 / (p.joint_lengths[f] * p.joint_lengths[f]);
        }
        for (size_t k = 0; k < pair_similarities_.size(); ++k) {
            const double* squares = distances_.data() + k * features;
            const double* products = products_.data() + k * features;
            pair_similarities_[k] = {.similarity = similarity_of(dot(squares, level.data(), features),
                                                                 dot(products, level.data(), features),
                                                                 dot(squares, joint.data(), features))};
        }
    }

    void tabulate_pressures(const gaussian_process_parameters& p) {
        const Eigen::Index n = pressure_.size();
        for (Eigen::Index i = 0; i < n; ++i) {
            const auto point = static_cast<size_t>(i);
            const auto& context = history_.contexts[history_.points[point].context];
            pressure_[i] = p.pressure_at(context.pressure, context.features) + slope_ * log_scale_out(point);
        }
        for (Eigen::Index j = 0; j < n; ++j) {
            const auto rest = static_cast<size_t>(n - j);
            double* const value = &pressure_value_(j, j);
            double* const slope = &pressure_by_length_(j, j);
            for (size_t i = 0; i < rest; ++i) {
                scaled_distance_[i] = std::abs(pressure_[j + index(i)] - pressure_[j]) * (root_five / p.pressure_length);
                decay_[i] = -scaled_distance_[i];
            }
            exponentials(std::span(decay_).first(rest));
            for (size_t i = 0; i < rest; ++i) {
                value[i] = matern_value(scaled_distance_[i], decay_[i]);
                slope[i] = matern_slope(scaled_distance_[i], decay_[i]);
            }
        }
        if (std::all_of(pressure_.data(), pressure_.data() + n, [](double pressure) { return std::isfinite(pressure); }))
            return;
        // An unknown pressure has no covariance with another context's; within its own the unknown part cancels, and the
        // difference is that of the scale-outs.
        for (Eigen::Index j = 0; j < n; ++j)
            for (Eigen::Index i = j; i < n; ++i) {
                if (std::isfinite(pressure_[i]) && std::isfinite(pressure_[j])) continue;
                const auto a = static_cast<size_t>(i);
                const auto b = static_cast<size_t>(j);
                const bool same = history_.points[a].context == history_.points[b].context;
                const double r = root_five * std::abs(slope_ * (log_scale_out(a) - log_scale_out(b))) / p.pressure_length;
                pressure_value_(i, j) = same ? matern_value(r, std::exp(-r)) : 0.0;
                pressure_by_length_(i, j) = same ? matern_slope(r, std::exp(-r)) : 0.0;
            }
    }

    // Entries of one pair of contexts.
    void fill(const gaussian_process_parameters& p, size_t a, size_t b, const context_similarity& similarity) {
        const auto& rows = history_.contexts[a];
        const auto& columns = history_.contexts[b];
        const pair_coefficients coefficients(p, similarity, a == b);
        for (size_t j = columns.first; j < columns.first + columns.count; ++j) {
            const double* shape_row = shape_.value.row(scale_out_of_[j]);
            const double* joint_row = joint_.value.row(scale_out_of_[j]);
            const double* own_row = own_.value.row(scale_out_of_[j]);
            for (size_t i = a == b ? j : rows.first; i < rows.first + rows.count; ++i) {
                const size_t t = scale_out_of_[i];
                double value = coefficients.without_pressure(shape_row[t], joint_row[t]);
                if (has_pressure_) value += coefficients.pressure * pressure_value_(index(i), index(j));
                if (measured_pressure_) value += coefficients.work * work_trend_(index(i), index(j));
                if (a == b) value += coefficients.own_shape * own_row[t];
                covariance_(index(i), index(j)) = value;
            }
        }
    }

    void add_anomaly(const history_context& context) {
        for (size_t j = context.first; j < context.first + context.count; ++j)
            for (size_t i = j; i < context.first + context.count; ++i)
                covariance_(index(i), index(j)) +=
                    context.anomaly_variance * anomaly_covariance(log_scale_out(i), log_scale_out(j));
    }

    term_sums collect(const dense& by_covariance) {
        term_sums sums;
        size_t k = 0;
        for (size_t a = 0; a < history_.contexts.size(); ++a)
            for (size_t b = 0; b <= a; ++b) collect(by_covariance, a, b, pair_similarities_[k++], sums);
        return sums;
    }

    // Adds up the derivatives by the entries of one pair of contexts.
    void collect(const dense& by_covariance, size_t a, size_t b, context_pair& pair, term_sums& sums) {
        const auto& rows = history_.contexts[a];
        const auto& columns = history_.contexts[b];
        double pressure_length = 0;
        for (size_t j = columns.first; j < columns.first + columns.count; ++j) {
            const size_t s = scale_out_of_[j];
            double* shape_row = shape_.by_value.row(s);
            double* joint_row = joint_.by_value.row(s);
            double* own_row = own_.by_value.row(s);
            const double* joint_value = joint_.value.row(s);
            for (size_t i = a == b ? j : rows.first; i < rows.first + rows.count; ++i) {
                const size_t t = scale_out_of_[i];
                const auto r = index(i);
                const auto c = index(j);
                const double g = (i == j ? 1 : 2) * by_covariance(r, c);
                pair.by_level += g;
                pair.by_joint += g * joint_value[t];
                shape_row[t] += g;
                joint_row[t] += g * pair.similarity.joint;
                if (has_pressure_) {
                    pair.by_pressure += g * pressure_value_(r, c);
                    const double by_length = g * pressure_by_length_(r, c);
                    pressure_length += by_length;
                    const double pressure_gap = pressure_[r] - pressure_[c];
                    if (layout_.has_direction && std::abs(pressure_gap) > 1e-12) pair.by_shift -= by_length / pressure_gap;
                }
                if (measured_pressure_) sums.work += g * work_trend_(r, c);
                if (a == b) own_row[t] += g;
                if (i == j) sums.nugget += g;
            }
        }
        sums.constant += pair.by_level;
        if (a == b) sums.own_level += pair.by_level;
        sums.pressure_length += pressure_length * pair.similarity.pressure;
    }

    // An amplitude's logarithm counts twice, because the covariance has its square.
    void contract_scale_outs(const gaussian_process_parameters& p, const term_sums& sums,
                             std::vector<double>& gradient) const {
        const auto sum = [](const matrix& left, const matrix& right) {
            return dot(left.values().data(), right.values().data(), left.values().size());
        };
        const auto amplitude = [&](process_term term, double value) {
            gradient[process_layout::amplitude(term)] = 2 * p.variance(term) * value;
        };
        amplitude(process_term::constant, sums.constant);
        amplitude(process_term::shape, sum(shape_.by_value, shape_.value));
        amplitude(process_term::own_level, sums.own_level);
        amplitude(process_term::own_shape, sum(own_.by_value, own_.value));
        amplitude(process_term::work, sums.work);
        gradient[process_layout::nugget] = 2 * p.nugget * p.nugget * sums.nugget;
        gradient[process_layout::shape_length] = p.variance(process_term::shape) * sum(shape_.by_value, shape_.by_length);
        gradient[process_layout::joint_length] = p.variance(process_term::joint) * sum(joint_.by_value, joint_.by_length);
        gradient[process_layout::own_length] = p.variance(process_term::own_shape) * sum(own_.by_value, own_.by_length);
        gradient[process_layout::pressure_length] = p.variance(process_term::pressure) * sums.pressure_length;
    }

    void contract_features(const gaussian_process_parameters& p, std::vector<double>& gradient) const {
        const size_t features = layout_.features;
        const double level = p.variance(process_term::level);
        const double joint = p.variance(process_term::joint);
        const double pressure = p.variance(process_term::pressure);
        const double linear = p.variance(process_term::linear);
        const auto amplitude = [&](process_term term) -> double& { return gradient[process_layout::amplitude(term)]; };
        std::vector<double> by_level(features, 0.0);
        std::vector<double> by_linear(features, 0.0);
        std::vector<double> by_joint(features, 0.0);
        size_t a = 0;
        size_t b = 0;
        for (size_t k = 0; k < pair_similarities_.size(); ++k) {
            const auto& [similarity, pair_level, pair_joint, pair_pressure, pair_shift] = pair_similarities_[k];
            amplitude(process_term::level) += 2 * level * pair_level * similarity.level;
            amplitude(process_term::joint) += 2 * joint * pair_joint * similarity.joint;
            amplitude(process_term::pressure) += 2 * pressure * pair_pressure * similarity.pressure;
            amplitude(process_term::linear) += 2 * linear * pair_level * similarity.linear;
            const double* squares = distances_.data() + k * features;
            add_scaled(by_level.data(), squares, pair_level * similarity.level, features);
            add_scaled(by_linear.data(), products_.data() + k * features, pair_level, features);
            add_scaled(by_joint.data(), squares,
                       joint * pair_joint * similarity.joint + 0.25 * pressure * pair_pressure * similarity.pressure,
                       features);
            if (layout_.has_direction) {
                const double shift = pressure * similarity.pressure * pair_shift;
                double* by_direction = gradient.data() + layout_.direction();
                add_scaled(by_direction, history_.contexts[a].features.data(), shift, features);
                add_scaled(by_direction, history_.contexts[b].features.data(), -shift, features);
            }
            if (b++ == a) {
                ++a;
                b = 0;
            }
        }
        for (size_t f = 0; f < features; ++f) {
            gradient[process_layout::level_lengths + f] =
                (level * by_level[f] - 2 * linear * by_linear[f]) / (p.level_lengths[f] * p.level_lengths[f]);
            gradient[layout_.joint_lengths() + f] = by_joint[f] / (p.joint_lengths[f] * p.joint_lengths[f]);
        }
    }

    const history_data& history_;
    process_layout layout_;
    double slope_;
    bool measured_pressure_ = false;
    bool has_pressure_ = false;
    std::vector<double> centre_;
    column pressure_{};
    std::vector<double> log_scale_outs_;  // distinct
    std::vector<size_t> scale_out_of_;    // each point's among them
    std::vector<double> distances_;
    std::vector<double> products_;
    std::vector<context_pair> pair_similarities_;
    scale_out_table shape_{};
    scale_out_table joint_{};
    scale_out_table own_{};
    dense covariance_{};
    dense pressure_value_{};
    dense pressure_by_length_{};
    dense work_trend_{};
    std::vector<double> scaled_distance_;  // of pressures: one column
    std::vector<double> decay_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
