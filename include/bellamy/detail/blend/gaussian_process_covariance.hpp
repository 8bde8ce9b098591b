// The covariance of a history's points as a function of the hyper-parameters, and the chain rule back to them.
#ifndef BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_COVARIANCE_HPP
#define BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_COVARIANCE_HPP

#include <bellamy/detail/base/eigen.hpp>
#include <bellamy/detail/blend/gaussian_process.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

// Where the logarithms of the hyper-parameters stand in the vector that is optimised; the mean comes first.
struct process_layout {
    static constexpr std::size_t mean = 0;
    static constexpr std::size_t amplitude = 1;
    static constexpr std::size_t nugget = 10;
    static constexpr std::size_t shape_length = 11;
    static constexpr std::size_t joint_length = 12;
    static constexpr std::size_t own_length = 13;
    static constexpr std::size_t pressure_length = 14;
    static constexpr std::size_t level_lengths = 15;
    std::size_t features = 0;
    bool learns_direction = false;
    [[nodiscard]] std::size_t joint_lengths() const noexcept { return level_lengths + features; }
    /// The only ones that are not logarithms: the pressure's direction.
    [[nodiscard]] std::size_t direction() const noexcept { return level_lengths + 2 * features; }
    [[nodiscard]] std::size_t size() const noexcept { return direction() + (learns_direction ? features : 0); }
};

/// Centre of the prior, and start.
[[nodiscard]] inline std::vector<double> start_of_process(const process_layout& at, double mean) {
    std::vector<double> start(at.size(), 0.0);
    for (std::size_t i = process_layout::level_lengths; i < at.direction(); ++i) start[i] = std::log(2.0);
    start[process_layout::mean] = mean;
    constexpr std::array<double, 14> rest{.3, .7, .5, .3, .3, .15, .1, .25, .2, .03, 1., .7, .7, 1.};
    for (std::size_t i = 0; i < rest.size(); ++i) start[1 + i] = std::log(rest[i]);
    return start;
}

/// Logarithms of hyper-parameters stay within 4 of the centre, however far the optimiser goes.
inline constexpr double process_reach = 4;

/// Keeps what does not depend on the hyper-parameters, and tables of what has few distinct values.
class process_covariance {
public:
    using dense = Eigen::MatrixXd;
    using column = Eigen::VectorXd;

    process_covariance(const history_data& history, double pressure_slope, bool learns_direction)
        : history_(history),
          layout_{.features = history.features(), .learns_direction = learns_direction},
          slope_(pressure_slope) {
        const auto n = static_cast<Eigen::Index>(history.points.size());
        pressure_.resize(n);
        double mean = 0;
        for (const auto& point : history.points) {
            mean += point.log_runtime / static_cast<double>(n);
            const double w = history.contexts[point.context].pressure;
            measured_pressure_ = measured_pressure_ || std::isfinite(w);
            time_of_.push_back(time_index(std::log(point.scale_out)));
        }
        has_pressure_ = measured_pressure_ || learns_direction;
        centre_ = start_of_process(layout_, mean);
        covariance_.resize(n, n);
        if (has_pressure_) {
            pressure_matern_.resize(n, n);
            pressure_change_.resize(n, n);
            // Never resized: Eigen 3.4 frees before it allocates, and frees once more when that fails.
            scratch_.resize(n);
        }
        if (measured_pressure_) tabulate_work_trend();
        // Squared distances and products of the features, one after the other for each pair of contexts.
        const std::size_t h = history.contexts.size();
        for (std::size_t a = 0; a < h; ++a)
            for (std::size_t b = 0; b <= a; ++b)
                for (std::size_t f = 0; f < layout_.features; ++f) {
                    const double x = history.contexts[a].features[f];
                    const double y = history.contexts[b].features[f];
                    distances_.push_back((x - y) * (x - y));
                    products_.push_back(x * y);
                }
        pairs_.resize(h * (h + 1) / 2);
    }

    [[nodiscard]] const process_layout& layout() const noexcept { return layout_; }
    [[nodiscard]] const std::vector<double>& centre() const noexcept { return centre_; }

    /// The hyper-parameters that a vector of the optimiser stands for.
    [[nodiscard]] gaussian_process_parameters unpack(const std::vector<double>& x) const {
        gaussian_process_parameters p;
        const auto value = [&](std::size_t i) { return std::exp(bounded(x, i)); };
        p.mean = x[process_layout::mean];
        for (std::size_t i = 0; i < p.amplitude.size(); ++i) p.amplitude[i] = value(process_layout::amplitude + i);
        if (!has_pressure_) p.amplitude[4] = 0;
        if (!measured_pressure_) p.amplitude[8] = 0;
        p.pressure_from_direction = has_pressure_ && !measured_pressure_;
        p.nugget = value(process_layout::nugget);
        p.shape_length = value(process_layout::shape_length);
        p.joint_length = value(process_layout::joint_length);
        p.own_length = value(process_layout::own_length);
        p.pressure_length = value(process_layout::pressure_length);
        for (std::size_t f = 0; f < layout_.features; ++f) {
            p.level_lengths.push_back(value(process_layout::level_lengths + f));
            p.joint_lengths.push_back(value(layout_.joint_lengths() + f));
            if (layout_.learns_direction) p.pressure_direction.push_back(bounded(x, layout_.direction() + f));
        }
        return p;
    }

    /// The lower triangle; contexts' points stand together, so rows of one pair of contexts are neighbours.
    [[nodiscard]] const dense& operator()(const gaussian_process_parameters& p) {
        compare_contexts(p);
        fill_times(shape_, p.shape_length);
        fill_times(joint_, p.joint_length);
        fill_times(own_, p.own_length);
        if (has_pressure_) fill_pressures(p);
        const auto& a = p.amplitude;
        const double shape = a[2] * a[2];
        const double work = a[8] * a[8];
        std::size_t k = 0;
        for (std::size_t one = 0; one < history_.contexts.size(); ++one)
            for (std::size_t two = 0; two <= one; ++two, ++k) {
                const auto& rows = history_.contexts[one];
                const auto& columns = history_.contexts[two];
                const auto& pair = pairs_[k];
                const double constant =
                    a[0] * a[0] + a[1] * a[1] * pair.level + a[7] * a[7] * pair.linear + (one == two ? a[5] * a[5] : 0);
                const double joint = a[3] * a[3] * pair.joint;
                const double pressure = a[4] * a[4] * pair.pressure;
                for (std::size_t j = columns.first; j < columns.first + columns.count; ++j) {
                    const double* shape_row = shape_.value.row(time_of_[j]);
                    const double* joint_row = joint_.value.row(time_of_[j]);
                    const double* own_row = own_.value.row(time_of_[j]);
                    for (std::size_t i = one == two ? j : rows.first; i < rows.first + rows.count; ++i) {
                        const std::size_t t = time_of_[i];
                        const auto r = static_cast<Eigen::Index>(i);
                        const auto c = static_cast<Eigen::Index>(j);
                        double value = constant + shape * shape_row[t] + joint * joint_row[t];
                        if (has_pressure_) value += pressure * pressure_matern_(r, c);
                        if (measured_pressure_) value += work * work_trend_(r, c);
                        if (one == two) value += a[6] * a[6] * own_row[t];
                        covariance_(r, c) = value;
                    }
                }
            }
        for (const auto& own : history_.contexts) {
            if (!(own.anomaly > 0)) continue;
            for (std::size_t j = own.first; j < own.first + own.count; ++j)
                for (std::size_t i = j; i < own.first + own.count; ++i)
                    covariance_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) +=
                        own.anomaly * anomaly_covariance(times_[time_of_[i]], times_[time_of_[j]]);
        }
        for (std::size_t i = 0; i < history_.points.size(); ++i)
            covariance_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) +=
                p.nugget * p.nugget + history_.points[i].variance + least_variance;
        return covariance_;
    }

    /// From the derivative by K (lower triangle) to that by what is optimised, at the parameters of the last call of
    /// operator(). Precondition: the gradient is zero but for the mean's entry, which stays.
    void contract(const gaussian_process_parameters& p, const dense& slopes, std::vector<double>& gradient) {
        const auto& a = p.amplitude;
        double all = 0;
        double own = 0;
        double pressure_length = 0;
        double diagonal = 0;
        double work = 0;
        std::size_t k = 0;
        for (std::size_t one = 0; one < history_.contexts.size(); ++one)
            for (std::size_t two = 0; two <= one; ++two, ++k) {
                const auto& rows = history_.contexts[one];
                const auto& columns = history_.contexts[two];
                auto& pair = pairs_[k];
                double pair_pressure_length = 0;
                for (std::size_t j = columns.first; j < columns.first + columns.count; ++j) {
                    const std::size_t s = time_of_[j];
                    double* shape_row = shape_.slope.row(s);
                    double* joint_row = joint_.slope.row(s);
                    double* own_row = own_.slope.row(s);
                    const double* joint_value = joint_.value.row(s);
                    for (std::size_t i = one == two ? j : rows.first; i < rows.first + rows.count; ++i) {
                        const std::size_t t = time_of_[i];
                        const auto r = static_cast<Eigen::Index>(i);
                        const auto c = static_cast<Eigen::Index>(j);
                        const double g = (i == j ? 1 : 2) * slopes(r, c);
                        pair.level_slope += g;
                        pair.joint_slope += g * joint_value[t];
                        shape_row[t] += g;
                        joint_row[t] += g * pair.joint;
                        if (has_pressure_) {
                            pair.pressure_slope += g * pressure_matern_(r, c);
                            const double change = g * pressure_change_(r, c);
                            pair_pressure_length += change;
                            const double gap = pressure_[r] - pressure_[c];
                            if (layout_.learns_direction && std::abs(gap) > 1e-12) pair.pressure_shift -= change / gap;
                        }
                        if (measured_pressure_) work += g * work_trend_(r, c);
                        if (one == two) own_row[t] += g;
                        if (i == j) diagonal += g;
                    }
                }
                all += pair.level_slope;
                if (one == two) own += pair.level_slope;
                pressure_length += pair_pressure_length * pair.pressure;
            }
        const auto sum = [](const matrix& left, const matrix& right) {
            return dot(left.values().data(), right.values().data(), left.values().size());
        };
        constexpr std::size_t first = process_layout::amplitude;
        gradient[first] = 2 * a[0] * a[0] * all;
        gradient[first + 2] = 2 * a[2] * a[2] * sum(shape_.slope, shape_.value);
        gradient[first + 5] = 2 * a[5] * a[5] * own;
        gradient[first + 6] = 2 * a[6] * a[6] * sum(own_.slope, own_.value);
        gradient[first + 8] = 2 * a[8] * a[8] * work;
        gradient[process_layout::nugget] = 2 * p.nugget * p.nugget * diagonal;
        gradient[process_layout::shape_length] = a[2] * a[2] * sum(shape_.slope, shape_.change);
        gradient[process_layout::joint_length] = a[3] * a[3] * sum(joint_.slope, joint_.change);
        gradient[process_layout::own_length] = a[6] * a[6] * sum(own_.slope, own_.change);
        gradient[process_layout::pressure_length] = a[4] * a[4] * pressure_length;
        contract_features(p, gradient);
    }

private:
    // What a pair of contexts adds to the covariance and to the gradient.
    struct context_pair {
        double level = 0;
        double linear = 0;
        double joint = 0;
        double pressure = 0;
        double level_slope = 0;
        double joint_slope = 0;
        double pressure_slope = 0;
        double pressure_shift = 0;  // derivative by the difference of the pressures
    };

    [[nodiscard]] double bounded(const std::vector<double>& x, std::size_t i) const noexcept {
        return centre_[i] + process_reach * std::tanh((x[i] - centre_[i]) / process_reach);
    }

    [[nodiscard]] std::size_t time_index(double t) {
        const auto at = std::find(times_.begin(), times_.end(), t);
        if (at != times_.end()) return static_cast<std::size_t>(at - times_.begin());
        times_.push_back(t);
        return times_.size() - 1;
    }

    // Matern 5/2 over all pairs of scale-outs, and its derivative by the logarithm of the length.
    struct time_table {
        matrix value{};
        matrix change{};
        matrix slope{};  // collects the gradient
    };
    void fill_times(time_table& table, double length) const {
        const std::size_t m = times_.size();
        table.value = matrix(m, m);
        table.change = matrix(m, m);
        table.slope = matrix(m, m);
        for (std::size_t a = 0; a < m; ++a)
            for (std::size_t b = 0; b < m; ++b) {
                const double r = 2.23606797749978969 * std::abs(times_[a] - times_[b]) / length;
                const double e = std::exp(-r);
                table.value(a, b) = (1 + r + r * r / 3) * e;
                table.change(a, b) = r * r / 3 * (1 + r) * e;
            }
    }

    // An unknown size or memory is unlike any other; within one context only the scale-out moves.
    void tabulate_work_trend() {
        const std::size_t n = history_.points.size();
        work_trend_.resize(pressure_.size(), pressure_.size());
        const auto pressure_of_point = [&](std::size_t i) { return history_.contexts[history_.points[i].context].pressure; };
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = j; i < n; ++i) {
                const bool same = history_.points[i].context == history_.points[j].context;
                const double gap = same ? 0.0 : pressure_of_point(i) - pressure_of_point(j);
                const double difference = gap + slope_ * (times_[time_of_[i]] - times_[time_of_[j]]);
                work_trend_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                    std::isfinite(difference) ? work_trend(difference) : 0.0;
            }
    }

    void compare_contexts(const gaussian_process_parameters& p) {
        std::vector<double> level(layout_.features);
        std::vector<double> joint(layout_.features);
        for (std::size_t f = 0; f < layout_.features; ++f) {
            level[f] = 1 / (p.level_lengths[f] * p.level_lengths[f]);
            joint[f] = 1 / (p.joint_lengths[f] * p.joint_lengths[f]);
        }
        for (std::size_t k = 0; k < pairs_.size(); ++k) {
            const double* d = distances_.data() + k * layout_.features;
            auto& pair = pairs_[k];
            pair = {};
            pair.level = std::exp(-0.5 * dot(d, level.data(), layout_.features));
            pair.linear = dot(products_.data() + k * layout_.features, level.data(), layout_.features);
            pair.pressure = std::exp(-0.125 * dot(d, joint.data(), layout_.features));
            pair.joint = pair.pressure * pair.pressure * pair.pressure * pair.pressure;
        }
    }

    void fill_pressures(const gaussian_process_parameters& p) {
        const Eigen::Index n = pressure_.size();
        const double length = p.pressure_length;
        for (Eigen::Index i = 0; i < n; ++i) {
            const auto point = static_cast<std::size_t>(i);
            const auto& own = history_.contexts[history_.points[point].context];
            pressure_[i] = p.pressure_at(own.pressure, own.features) + slope_ * times_[time_of_[point]];
        }
        constexpr double root = 2.23606797749978969;
        for (Eigen::Index j = 0; j < n; ++j) {
            const auto rest = n - j;
            auto scaled = scratch_.head(rest);
            scaled = (pressure_.tail(rest).array() - pressure_[j]).abs() * (root / length);
            auto values = pressure_matern_.col(j).tail(rest).array();
            auto changes = pressure_change_.col(j).tail(rest).array();
            const auto decay = (-scaled).exp().eval();
            values = (1 + scaled + scaled.square() / 3) * decay;
            changes = scaled.square() / 3 * (1 + scaled) * decay;
        }
        if (pressure_.allFinite()) return;
        // An unknown pressure is unlike any other; within one context it only moves with the scale-out.
        for (Eigen::Index j = 0; j < n; ++j)
            for (Eigen::Index i = j; i < n; ++i) {
                if (std::isfinite(pressure_[i]) && std::isfinite(pressure_[j])) continue;
                const auto a = static_cast<std::size_t>(i);
                const auto b = static_cast<std::size_t>(j);
                const bool same = history_.points[a].context == history_.points[b].context;
                const double r = root * std::abs(slope_ * (times_[time_of_[a]] - times_[time_of_[b]])) / length;
                pressure_matern_(i, j) = same ? (1 + r + r * r / 3) * std::exp(-r) : 0.0;
                pressure_change_(i, j) = same ? r * r / 3 * (1 + r) * std::exp(-r) : 0.0;
            }
    }

    void contract_features(const gaussian_process_parameters& p, std::vector<double>& gradient) const {
        const std::size_t features = layout_.features;
        const double level = p.amplitude[1] * p.amplitude[1];
        const double joint = p.amplitude[3] * p.amplitude[3];
        const double pressure = p.amplitude[4] * p.amplitude[4];
        const double linear = p.amplitude[7] * p.amplitude[7];
        std::vector<double> squares(features, 0.0);
        std::vector<double> lines(features, 0.0);
        std::vector<double> joints(features, 0.0);
        std::size_t one = 0;
        std::size_t two = 0;
        constexpr std::size_t first = process_layout::amplitude;
        for (std::size_t k = 0; k < pairs_.size(); ++k) {
            const auto& pair = pairs_[k];
            gradient[first + 1] += 2 * level * pair.level_slope * pair.level;
            gradient[first + 3] += 2 * joint * pair.joint_slope * pair.joint;
            gradient[first + 4] += 2 * pressure * pair.pressure_slope * pair.pressure;
            gradient[first + 7] += 2 * linear * pair.level_slope * pair.linear;
            const double* d = distances_.data() + k * features;
            add_scaled(squares.data(), d, pair.level_slope * pair.level, features);
            add_scaled(lines.data(), products_.data() + k * features, pair.level_slope, features);
            add_scaled(joints.data(), d,
                       joint * pair.joint_slope * pair.joint + 0.25 * pressure * pair.pressure_slope * pair.pressure,
                       features);
            if (layout_.learns_direction) {
                const double shift = pressure * pair.pressure * pair.pressure_shift;
                double* out = gradient.data() + layout_.direction();
                add_scaled(out, history_.contexts[one].features.data(), shift, features);
                add_scaled(out, history_.contexts[two].features.data(), -shift, features);
            }
            if (two++ == one) {
                ++one;
                two = 0;
            }
        }
        for (std::size_t f = 0; f < features; ++f) {
            gradient[process_layout::level_lengths + f] =
                (level * squares[f] - 2 * linear * lines[f]) / (p.level_lengths[f] * p.level_lengths[f]);
            gradient[layout_.joint_lengths() + f] = joints[f] / (p.joint_lengths[f] * p.joint_lengths[f]);
        }
    }

    const history_data& history_;
    process_layout layout_;
    double slope_;
    bool measured_pressure_ = false;
    bool has_pressure_ = false;
    std::vector<double> centre_{};
    column pressure_{};
    std::vector<double> times_{};
    std::vector<std::size_t> time_of_{};
    std::vector<double> distances_{};
    std::vector<double> products_{};
    std::vector<context_pair> pairs_{};
    time_table shape_{};
    time_table joint_{};
    time_table own_{};
    dense covariance_{};
    dense pressure_matern_{};
    dense pressure_change_{};
    dense work_trend_{};
    Eigen::ArrayXd scratch_{};
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
