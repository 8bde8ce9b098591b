// What bellamy answers about one scale-out.
#ifndef BELLAMY_PREDICTION_HPP
#define BELLAMY_PREDICTION_HPP

#include <bellamy/version.hpp>

#include <limits>

namespace bellamy::inline BELLAMY_ABI {

/// Predicted runtime at one scale-out, with what the caller should know about it.
struct prediction {
    /// The runtime in seconds that is as likely to be exceeded as not. The published network gives a point only, which can
    /// be zero or negative: see `usable`. NaN where the question itself was not valid.
    double median_s = std::numeric_limits<double>::quiet_NaN();
    /// The scale-out lies below or above every one that the model has seen: the answer is an extrapolation.
    bool outside_seen_scale_outs = false;

    /// Whether this can be a runtime: finite and greater than zero. What is not usable is never chosen.
    [[nodiscard]] constexpr bool usable() const noexcept {
        return median_s > 0 && median_s <= (std::numeric_limits<double>::max)();
    }
};

}  // namespace bellamy::inline BELLAMY_ABI

#endif
