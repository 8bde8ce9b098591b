// The curve of a runtime of which several cases are possible.
#ifndef BELLAMY_EXAMPLES_MIXED_CURVE_HPP
#define BELLAMY_EXAMPLES_MIXED_CURVE_HPP

#include <bellamy/curve.hpp>

#include <span>

namespace tools {

/// One case: a curve's runtime times e^log_factor, at least so many seconds, after a delay; where it is the only one, beyond
/// a scale-out no shorter than there. Shares of all cases sum to 1.
struct possible_runtime {
    const bellamy::curve* runtimes = nullptr;
    double share = 1;
    double log_factor = 0;
    double delay_s = 0;
    double least_s = 0;  // before the delay
    int last_gain = bellamy::largest_scale_out;
};

/// The mixture of the cases; at every scale-out up to 16, in steps of an eighth beyond, linear in ln scale-out between. The
/// first curve itself where there is one case that changes nothing; a curve of points, which have no distribution to mix,
/// stands alone: that of the case in the middle. Unlike any seen context, and outside the data sizes seen, where cases of
/// more than half of the share are. Precondition: at least one case.
[[nodiscard]] bellamy::curve mixed_curve(std::span<const possible_runtime> cases);

/// A time that is, each with half the probability, as predicted or a factor of it. Points and NaN stay as they are.
[[nodiscard]] bellamy::prediction possibly_scaled(bellamy::prediction predicted, double factor);

}  // namespace tools

#endif
