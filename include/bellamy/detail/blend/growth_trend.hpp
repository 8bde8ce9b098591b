// How runtimes grow with data size and scale-out before anything else is known: size-aware Ernest as the mean of experts.
#ifndef BELLAMY_DETAIL_BLEND_GROWTH_TREND_HPP
#define BELLAMY_DETAIL_BLEND_GROWTH_TREND_HPP

#include <bellamy/detail/context/features.hpp>
#include <bellamy/detail/context/history.hpp>

#include <array>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// phi = [1, s/x, ln x, x, 1/x, s], s the data size over its geometric mean and x the scale-out (Venkataraman et al. 2016,
/// with the size), and s/x once more beyond a memory cliff.
inline constexpr std::size_t growth_term_count = 7;
inline constexpr std::size_t growth_work_term = 1;
inline constexpr std::size_t growth_cliff_term = 6;
using growth_terms = std::array<double, growth_term_count>;

/// What is stored of a trend.
struct growth_parameters {
    /// Of the terms, in runtimes of exp(level). That of the cliff is 0 where there is none.
    growth_terms multiples{1};
    double level = 0;
    /// Log-runtimes that it was fitted to.
    double lowest = 0;
    double highest = 0;
    /// The cliff lies between these ln(s/x), which are of runs that were seen.
    double cliff_low = 0;
    double cliff_high = 0;
};

/// ln of t = sum of w_j phi_j(s, x) with w_j >= 0. An expert that learns what a history leaves of it reverts to physics, not
/// to a mean, where the history says nothing: at scale-outs and sizes beyond those seen. Where the data size is not known or
/// does not vary, s = 1.
class growth_trend {
public:
    growth_trend() = default;

    /// Questions have the features of `features`.
    growth_trend(const feature_map& features, const growth_parameters& parameters) : parameters_(parameters) {
        find_size(features);
    }

    [[nodiscard]] const growth_parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] bool has_cliff() const noexcept { return parameters_.multiples[growth_cliff_term] > 0; }

    /// Log-runtime; stays within a factor of 100 of those that it was fitted to. `share`: where between its bounds the cliff
    /// is taken to be.
    [[nodiscard]] double operator()(std::span<const double> features, double log_scale_out,
                                    double share = 0.5) const noexcept {
        const auto& p = parameters_;
        const auto phi = terms(features, log_scale_out, p.cliff_low + share * (p.cliff_high - p.cliff_low));
        double sum = 0;
        for (std::size_t j = 0; j < growth_term_count; ++j) sum += p.multiples[j] * phi[j];
        return std::clamp(p.level + std::log((std::max)(sum, 1e-300)), p.lowest - most_beyond_seen,
                          p.highest + most_beyond_seen);
    }

    /// The terms, with a cliff at this ln(s/x).
    [[nodiscard]] growth_terms terms(std::span<const double> features, double log_scale_out, double cliff) const noexcept {
        const double log_size = log_size_of(features, log_scale_out);
        const double size = std::exp(std::clamp(log_size, -most_exponent, most_exponent));
        const double x = std::exp(log_scale_out);
        return {1, size / x, log_scale_out, x, 1 / x, size, log_size - log_scale_out > cliff ? size / x : 0};
    }

    /// ln(s/x).
    [[nodiscard]] double log_work(std::span<const double> features, double log_scale_out) const noexcept {
        return log_size_of(features, log_scale_out) - log_scale_out;
    }

    /// What the trend leaves of a history.
    [[nodiscard]] history_data residual(history_data history) const {
        for (auto& each : history.points)
            each.log_runtime -= (*this)(history.contexts[each.context].features, std::log(each.scale_out));
        return history;
    }

    /// From means of the residual to means of the log-runtime.
    void add_to(std::span<double> means, std::span<const double> features, std::span<const double> log_scale_outs,
                double share = 0.5) const {
        for (std::size_t i = 0; i < means.size(); ++i) means[i] += (*this)(features, log_scale_outs[i], share);
    }

    /// Where the cliff may be, all as probable: several places where a question lies between its bounds.
    [[nodiscard]] std::span<const double> cliff_positions(std::span<const double> features,
                                                          std::span<const double> log_scale_outs) const noexcept {
        static constexpr std::array several{1.0 / 6, 0.5, 5.0 / 6};
        const bool between = has_cliff() && std::any_of(log_scale_outs.begin(), log_scale_outs.end(), [&](double t) {
                                 const double work = log_work(features, t);
                                 return work > parameters_.cliff_low && work < parameters_.cliff_high;
                             });
        return between ? std::span<const double>(several) : std::span<const double>(several).subspan(1, 1);
    }

    /// Whether contexts differ in their data size and in nothing else.
    [[nodiscard]] bool varies_in_size_only() const noexcept { return sizes_alone_; }

private:
    static constexpr double most_exponent = 50;

    // The size's column of features, where sizes differ.
    void find_size(const feature_map& features) {
        scales_ = features.data_size_scales;
        if (features.data_size.empty()) return;
        for (std::size_t i = 0; i < features.columns.size(); ++i) {
            const auto& each = features.columns[i];
            if (each.property != features.data_size || each.source != feature_source::number || !each.logarithm) continue;
            column_ = i;
            deviation_ = each.deviation;
            sizes_alone_ = features.columns.size() == 1;
        }
    }

    [[nodiscard]] double log_size_of(std::span<const double> features, double log_scale_out) const noexcept {
        return (column_ < features.size() ? deviation_ * features[column_] : 0.0) + (scales_ ? log_scale_out : 0.0);
    }

    growth_parameters parameters_{};
    std::size_t column_ = (std::numeric_limits<std::size_t>::max)();
    double deviation_ = 1;
    bool scales_ = false;
    bool sizes_alone_ = false;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
