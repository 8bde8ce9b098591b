// How runtimes grow with data size and scale-out before anything else is known: size-aware Ernest as the mean of experts.
#ifndef BELLAMY_DETAIL_BLEND_GROWTH_TREND_HPP
#define BELLAMY_DETAIL_BLEND_GROWTH_TREND_HPP

#include <bellamy/detail/context/features.hpp>
#include <bellamy/detail/context/history.hpp>
#include <bellamy/detail/maths/non_negative_least_squares.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// ln of t = sum of w_j phi_j(s, x) with w_j >= 0 and phi = [1, s/x, ln x, x, 1/x, s], s the data size and x the scale-out
/// (Venkataraman et al. 2016, with the size). An expert that learns what a history leaves of it reverts to physics, not to
/// a mean, where the history says nothing: at scale-outs and sizes beyond those seen. Where the data size is not known or
/// does not vary, s = 1.
class growth_trend {
public:
    growth_trend() = default;

    /// Non-negative least squares of relative errors, with a prior that all of the runtime is work, s/x, so that three
    /// points do not decide six multiples. Recomputed from a history, never stored. Cost: a few passes over the points.
    /// `fitted_to` and later questions have the features of `features`.
    growth_trend(const feature_map& features, const history_data& fitted_to) {
        find_size(features);
        lowest_ = std::numeric_limits<double>::infinity();
        highest_ = -lowest_;
        const auto counts = [](const history_point& each) { return each.variance <= most_variance; };
        const bool any = std::any_of(fitted_to.points.begin(), fitted_to.points.end(), counts);
        for (const auto& each : fitted_to.points) {
            if (any && !counts(each)) continue;
            lowest_ = (std::min)(lowest_, each.log_runtime);
            highest_ = (std::max)(highest_, each.log_runtime);
        }
        // In runtimes of the middle of the range, so that none overflows.
        level_ = 0.5 * (lowest_ + highest_);
        std::vector<row> rows;
        std::vector<double> targets;
        rows.reserve(fitted_to.points.size() + term_count);
        row scale{};
        for (const auto& each : fitted_to.points) {
            if (!counts(each)) continue;
            rows.push_back(terms(fitted_to.contexts[each.context].features, std::log(each.scale_out)));
            // Improbable points, whose noise is wide, count for little.
            const double weight = std::sqrt(usual_variance / (usual_variance + each.variance));
            targets.push_back(weight);
            const double relative = weight * std::exp(std::clamp(level_ - each.log_runtime, -most_exponent, most_exponent));
            for (std::size_t j = 0; j < term_count; ++j) {
                rows.back()[j] *= relative;
                scale[j] += rows.back()[j] * rows.back()[j];
            }
        }
        // A multiple is then a term's share of the runtimes, in root mean square.
        const auto count = static_cast<double>(rows.size());
        for (std::size_t j = 0; j < term_count; ++j) {
            scale[j] = scale[j] > 0 ? std::sqrt(count / scale[j]) : 0;
            for (auto& each : rows) each[j] *= scale[j];
        }
        for (std::size_t j = 0; j < term_count; ++j) {
            rows.emplace_back()[j] = prior_weight;
            targets.push_back(j == work ? prior_weight : 0.0);
        }
        multiples_ = non_negative_least_squares<term_count>(rows, targets).solve();
        for (std::size_t j = 0; j < term_count; ++j) multiples_[j] *= scale[j];
    }

    /// Log-runtime; stays within a factor of 100 of those that it was fitted to.
    [[nodiscard]] double operator()(std::span<const double> features, double log_scale_out) const noexcept {
        const auto phi = terms(features, log_scale_out);
        double sum = 0;
        for (std::size_t j = 0; j < term_count; ++j) sum += multiples_[j] * phi[j];
        return std::clamp(level_ + std::log((std::max)(sum, 1e-300)), lowest_ - most_beyond_seen,
                          highest_ + most_beyond_seen);
    }

    /// What the trend leaves of a history.
    [[nodiscard]] history_data residual(history_data history) const {
        for (auto& each : history.points)
            each.log_runtime -= (*this)(history.contexts[each.context].features, std::log(each.scale_out));
        return history;
    }

    /// From means of the residual to means of the log-runtime.
    void add_to(std::span<double> means, std::span<const double> features, std::span<const double> log_scale_outs) const {
        for (std::size_t i = 0; i < means.size(); ++i) means[i] += (*this)(features, log_scale_outs[i]);
    }

private:
    static constexpr std::size_t term_count = 6;
    static constexpr std::size_t work = 1;
    /// Of a share against a run's relative error; squared, a tenth of a run.
    static constexpr double prior_weight = 0.3;
    /// Of what a run deviates from the trend by.
    static constexpr double usual_variance = 0.01;
    /// What is wider is a wrong record: where its runtime is short, even a small weight would make its relative error
    /// decide.
    static constexpr double most_variance = 1;
    static constexpr double most_exponent = 50;
    using row = std::array<double, term_count>;

    // The size's column of features, where sizes differ.
    void find_size(const feature_map& features) {
        scales_ = features.data_size_scales;
        if (features.data_size.empty()) return;
        for (std::size_t i = 0; i < features.columns.size(); ++i) {
            const auto& each = features.columns[i];
            if (each.property != features.data_size || each.source != feature_source::number || !each.logarithm) continue;
            column_ = i;
            deviation_ = each.deviation;
        }
    }

    [[nodiscard]] row terms(std::span<const double> features, double log_scale_out) const noexcept {
        double log_size = column_ < features.size() ? deviation_ * features[column_] : 0.0;
        if (scales_) log_size += log_scale_out;
        const double size = std::exp(std::clamp(log_size, -most_exponent, most_exponent));
        const double x = std::exp(log_scale_out);
        return {1, size / x, log_scale_out, x, 1 / x, size};
    }

    row multiples_{1};
    double level_ = 0;
    double lowest_ = 0;
    double highest_ = 0;
    std::size_t column_ = (std::numeric_limits<std::size_t>::max)();
    double deviation_ = 1;
    bool scales_ = false;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
