// Growth trend: runtime over data size and scale-out by a size-aware Ernest model, the mean that experts add residuals to.
#ifndef BELLAMY_DETAIL_BLEND_GROWTH_TREND_HPP
#define BELLAMY_DETAIL_BLEND_GROWTH_TREND_HPP

#include <bellamy/detail/context/features.hpp>
#include <bellamy/detail/maths/dense.hpp>

#include <array>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// phi = [1, s/x, ln x, x, 1/x, s], s the data size over its geometric mean and x the scale-out, in slots where cores are
/// known (Venkataraman et al. 2016, with the size), and s/x a second time beyond a memory cliff.
inline constexpr size_t growth_term_count = 7;
inline constexpr size_t growth_work_term = 1;
inline constexpr size_t growth_cliff_term = 6;
using growth_terms = std::array<double, growth_term_count>;

/// What a file stores of a trend.
struct growth_parameters {
    /// Of the terms, in units of exp(log_unit) seconds. That of the cliff is 0 where there is none.
    growth_terms coefficients{1};
    double log_unit = 0;
    /// Half the range of the log-runtimes that it was fitted to; the middle of it is `log_unit`.
    double half_log_range = 0;
    /// The cliff lies between these values of `growth_trend::log_data_per_memory`, which neighbouring runs have.
    double cliff_lower = 0;
    double cliff_upper = 0;
};

/// Log-runtime ln(sum of w_j phi_j(s, x)) with w_j >= 0. An expert of the residual reverts to physics, not to a mean, at
/// sizes and scale-outs far from the history's. Where the data size is not known or does not vary, s = 1.
class growth_trend {
public:
    growth_trend() = default;

    /// Contexts have the features of `features`.
    growth_trend(const feature_map& features, const growth_parameters& parameters) : parameters_(parameters) {
        find_columns(features);
    }

    const growth_parameters& parameters() const noexcept { return parameters_; }
    bool has_cliff() const noexcept { return parameters_.coefficients[growth_cliff_term] > 0; }

    /// Log-runtime, clamped to a factor of 10,000 around those that it was fitted to. `cliff_position`: of the cliff between
    /// its bounds, 0 to 1. Infinite: without the cliff, whose place is then infinite or no number.
    double operator()(std::span<const double> features, double log_scale_out, double cliff_position = 0.5) const noexcept {
        const auto& p = parameters_;
        const auto phi = terms(features, log_scale_out, p.cliff_lower + cliff_position * (p.cliff_upper - p.cliff_lower));
        const double sum = dot(p.coefficients.data(), phi.data(), growth_term_count);
        const double most = p.half_log_range + 2 * most_beyond_seen;
        return p.log_unit + std::clamp(std::log((std::max)(sum, 1e-300)), -most, most);
    }

    /// phi, with a cliff at this `log_data_per_memory`.
    growth_terms terms(std::span<const double> features, double log_scale_out, double cliff) const noexcept {
        const double log_size = log_size_of(features, log_scale_out);
        const double size = std::exp(std::clamp(log_size, -most_log_size, most_log_size));
        const double x = std::exp(log_scale_out);
        return {
            1, size / x, log_scale_out, x, 1 / x, size, log_data_per_memory(features, log_scale_out) > cliff ? size / x : 0};
    }

    /// ln(s/x), less ln of a core's memory where machines differ in it: beyond a cliff, data do not fit into memory.
    double log_data_per_memory(std::span<const double> features, double log_scale_out) const noexcept {
        return log_size_of(features, log_scale_out) - log_scale_out -
               (memory_column_ < features.size() ? log_memory_sd_ * features[memory_column_] : 0.0);
    }

    /// The history with residuals for log-runtimes.
    history_data residual(history_data history) const {
        for (auto& point : history.points)
            point.log_runtime -= (*this)(history.contexts[point.context].features, std::log(point.scale_out));
        return history;
    }

    /// Adds the trend to means of residuals.
    void add_to(std::span<double> means, std::span<const double> features, std::span<const double> log_scale_outs,
                double cliff_position) const {
        for (size_t i = 0; i < means.size(); ++i) means[i] += (*this)(features, log_scale_outs[i], cliff_position);
    }

    /// Positions that the cliff may have, equally probable. A scale-out that is not between its bounds is on the same side
    /// of all of them.
    std::span<const double> cliff_positions() const noexcept {
        static constexpr std::array positions{0.5, 1.0 / 6, 5.0 / 6};
        return std::span(positions).first(has_cliff() ? 3 : 1);
    }

    /// The trend for contexts whose data size is so much larger than the only one of the history, which does not say how
    /// runtimes grow with it: what falls with the scale-out, the work, grows faster than the rest. The cliff is a pressure.
    growth_trend at_size_ratio(double log_ratio) const noexcept {
        auto shifted = *this;
        auto& p = shifted.parameters_;
        p.log_unit += work_exponent * log_ratio;
        // 1, ln x, x and s; of one size, 1/x is work, too.
        for (const size_t j : {0U, 2U, 3U, 5U}) p.coefficients[j] *= std::exp((rest_exponent - work_exponent) * log_ratio);
        p.cliff_lower -= log_ratio;
        p.cliff_upper -= log_ratio;
        return shifted;
    }

    /// Whether contexts differ in their data size alone.
    bool varies_in_size_only() const noexcept { return varies_in_size_only_; }
    /// Whether a cliff can be told from other differences: contexts differ in their data size alone, or in that and in
    /// machines whose cores and memory are known.
    bool may_have_cliff() const noexcept { return varies_in_size_only_ || varies_in_machines_only_; }

private:
    /// Powers of the data size that the work and the rest grow with, chosen on four applications of the part grids of
    /// bench/histories.
    static constexpr double work_exponent = 0.8;
    static constexpr double rest_exponent = 0.6;
    /// Bound of |ln s|, so that no product of terms overflows.
    static constexpr double most_log_size = 50;
    static constexpr size_t no_column = (std::numeric_limits<size_t>::max)();

    // The columns of the logarithms of the data size and, where nothing but machines differs besides, of the memory.
    void find_columns(const feature_map& features) {
        size_scales_ = features.data_size_scales;
        varies_in_machines_only_ = !features.machine_type.empty() && features.are_of_clusters();
        for (size_t i = 0; i < features.columns.size(); ++i) {
            const auto& column = features.columns[i];
            if (!column.logarithm) continue;
            if (!features.data_size.empty() && column.property == features.data_size &&
                column.source == feature_source::number) {
                size_column_ = i;
                log_size_sd_ = column.deviation;
                varies_in_size_only_ = features.columns.size() == 1;
            }
            if (varies_in_machines_only_ && column.property == features.memory_per_node) {
                memory_column_ = i;
                log_memory_sd_ = column.deviation;
            }
        }
    }

    // Features are standardised.
    double log_size_of(std::span<const double> features, double log_scale_out) const noexcept {
        return (size_column_ < features.size() ? log_size_sd_ * features[size_column_] : 0.0) +
               (size_scales_ ? log_scale_out : 0.0);
    }

    growth_parameters parameters_{};
    size_t size_column_ = no_column;
    size_t memory_column_ = no_column;
    double log_size_sd_ = 1;
    double log_memory_sd_ = 1;
    /// The data size is that of one unit of scale-out.
    bool size_scales_ = false;
    bool varies_in_size_only_ = false;
    bool varies_in_machines_only_ = false;
};

/// Adds what the trend may err by beyond the largest scale-out of the history: a standard deviation of 0.06 at its
/// double that grows with the square of the number of doublings, as a curvature does that the runs did not show. Errors have
/// the same sign at all scale-outs. Chosen on made-up laws, see the part far-set of bench/histories.
inline void add_trend_doubt(matrix& covariance, std::span<const double> log_scale_outs, double highest_log_scale_out) {
    constexpr double sd_at_double = 0.06;
    std::vector<double> sds;
    for (const double log_scale_out : log_scale_outs) {
        const double doublings = (std::max)(0.0, log_scale_out - highest_log_scale_out) / std::log(2.0);
        sds.push_back(sd_at_double * doublings * doublings);
    }
    for (size_t i = 0; i < sds.size(); ++i) add_scaled(covariance.row(i), sds.data(), sds[i], sds.size());
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
