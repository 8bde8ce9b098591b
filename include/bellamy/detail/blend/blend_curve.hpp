// What a curve holds in best mode: the runtime's distribution on a few knots, and what it rests on.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_CURVE_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_CURVE_HPP

#include <bellamy/detail/blend/knots.hpp>
#include <bellamy/prediction.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// One context, conditioned on its observed runs.
struct blend_curve {
    knot_table table{};
    bool unlike_any_seen = false;
    bool outside_seen_sizes = false;
    /// Observed runs of one scale-out are far apart.
    bool contradictory_runs = false;

    /// What a curve answers. Does not allocate.
    [[nodiscard]] prediction operator()(int scale_out) const noexcept {
        prediction answer{.outside_seen_data_sizes = outside_seen_sizes,
                          .unlike_any_seen_context = unlike_any_seen,
                          .contradictory_observed_runs = contradictory_runs,
                          .is_point = false,
                          .log_quantiles = table.at(scale_out)};
        answer.median_s = std::exp(answer.log_quantiles[quantile_deviates.size() / 2]);
        return answer;
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
