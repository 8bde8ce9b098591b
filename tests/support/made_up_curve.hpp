// Curves of a known shape, made of a network with a handful of parameters that are not zero.
#ifndef BELLAMY_TESTS_SUPPORT_MADE_UP_CURVE_HPP
#define BELLAMY_TESTS_SUPPORT_MADE_UP_CURVE_HPP

#include <bellamy/model.hpp>

namespace support {

/// Runtime shared / x + fixed + per_unit * x seconds (within float precision) wherever that is positive, seen at 2 to 12.
[[nodiscard]] inline bellamy::curve made_up_curve(float shared, float fixed, float per_unit = 0) {
    constexpr auto scale = static_cast<float>(bellamy::detail::selu_scale);
    bellamy::network<> linear(0);
    // Features 1/x and x go through one unit of every layer each. SELU multiplies what is positive by its scale: four times
    // on the way, once after the fixed part.
    linear.runtime.scale_out.first.weights[0 * 16 + 0] = 1;
    linear.runtime.scale_out.first.weights[2 * 16 + 1] = 1;
    linear.runtime.scale_out.second.weights[0 * 8 + 0] = 1;
    linear.runtime.scale_out.second.weights[1 * 8 + 1] = 1;
    linear.runtime.scale_out_weights[0 * 8 + 0] = 1;
    linear.runtime.scale_out_weights[1 * 8 + 1] = 1;
    const float scales = scale * scale * scale * scale;
    linear.runtime.head_second.weights[0] = shared / scales;
    linear.runtime.head_second.weights[1] = per_unit / scales;
    linear.runtime.head_second.bias[0] = fixed / scale;
    return *bellamy::model({}, {.seen_scale_outs = {.smallest = 2, .largest = 12}}, linear).bind({});
}

}  // namespace support

#endif
