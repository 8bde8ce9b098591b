// Any network, context and scale-outs: the fast kernels answer as the network does in double, number by number.
#ifndef BELLAMY_TESTS_FUZZ_KERNELS_HPP
#define BELLAMY_TESTS_FUZZ_KERNELS_HPP

#include <bellamy/batch.hpp>
#include <bellamy/curve.hpp>
#include <bellamy/model.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "../support/networks.hpp"
#include "input.hpp"

namespace fuzz {

/// A number together with the sum of the magnitudes that it is the sum of: rounding errors are a share of the latter.
struct traced {
    double value = 0;
    double magnitude = 0;
};

/// Adding and multiplying in double; magnitudes as if nothing ever cancelled.
[[nodiscard]] inline traced plus_product(traced sum, double weight, traced x) noexcept {
    return {sum.value + weight * x.value, sum.magnitude + std::abs(weight) * x.magnitude};
}

/// SELU grows at most 1.76-fold. Below zero the kernels take 1 from a power: what is small there has the rounding of 1.
[[nodiscard]] inline traced traced_selu(traced x) noexcept {
    return {bellamy::detail::selu(x.value), 1.76 * (x.magnitude + (x.value < 0 ? 1 : 0))};
}

template <std::size_t Outputs, std::size_t Inputs>
[[nodiscard]] std::array<traced, Outputs> traced_layer(std::span<const float> weights, std::span<const float> bias,
                                                       const std::array<traced, Inputs>& x) {
    std::array<traced, Outputs> sums{};
    for (std::size_t o = 0; o < Outputs; ++o) {
        if (!bias.empty()) sums[o] = {static_cast<double>(bias[o]), std::abs(static_cast<double>(bias[o]))};
        for (std::size_t i = 0; i < Inputs; ++i)
            sums[o] = plus_product(sums[o], static_cast<double>(weights[i * Outputs + o]), x[i]);
    }
    return sums;
}

template <std::size_t Size>
[[nodiscard]] std::array<traced, Size> activated(std::array<traced, Size> values) {
    for (auto& each : values) each = traced_selu(each);
    return values;
}

using traced_head = std::array<traced, 8>;
using traced_code = std::array<traced, 4>;

[[nodiscard]] inline traced_code code_of(const bellamy::network<>& source, std::span<const float, 40> encoded) {
    std::array<traced, 40> x{};
    for (std::size_t i = 0; i < 40; ++i) x[i] = {static_cast<double>(encoded[i]), std::abs(static_cast<double>(encoded[i]))};
    const auto& layers = source.encoder.layers;
    const auto hidden = activated(traced_layer<8>(layers.first.weights, {}, x));
    return activated(traced_layer<4>(layers.second.weights, {}, hidden));
}

/// Seconds at a scale-out for the codes of the essential properties, then of the optional ones.
[[nodiscard]] inline traced runtime_of(const bellamy::network<>& source, const std::vector<traced_code>& codes,
                                       int scale_out) {
    traced_head sums{};
    for (std::size_t o = 0; o < sums.size(); ++o)
        sums[o] = {static_cast<double>(source.head_bias[o]), std::abs(static_cast<double>(source.head_bias[o]))};
    const std::size_t essential = source.essential_count();
    for (std::size_t c = 0; c < codes.size(); ++c) {
        const double share = c < essential ? 1.0 : 1.0 / static_cast<double>(codes.size() - essential);
        const auto weights = source.code_weights((std::min)(c, essential));
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t o = 0; o < sums.size(); ++o)
                sums[o] = plus_product(sums[o], share * static_cast<double>(weights[i * 8 + o]), codes[c][i]);
    }

    const auto& scaler = source.runtime.scaler;
    const auto raw = bellamy::scale_out_features(static_cast<double>(scale_out));
    std::array<traced, 3> features{};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto minimum = static_cast<double>(scaler.minimum[i]);
        const auto span = static_cast<double>(scaler.span[i]);
        features[i] = {(raw[i] - minimum) / span, (std::abs(raw[i]) + std::abs(minimum)) / span};
    }
    const auto& layers = source.runtime.scale_out;
    const auto hidden = activated(traced_layer<16>(layers.first.weights, layers.first.bias, features));
    const auto code = activated(traced_layer<8>(layers.second.weights, layers.second.bias, hidden));
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t o = 0; o < 8; ++o)
            sums[o] = plus_product(sums[o], static_cast<double>(source.runtime.scale_out_weights[i * 8 + o]), code[i]);
    const auto& last = source.runtime.head_second;
    return traced_selu(traced_layer<1>(last.weights, last.bias, activated(sums))[0]);
}

/// A few dozen roundings on the way, of half a unit in the last place of the magnitude each, and the kernels' exponential of
/// two units.
inline void require_close(double found, const traced& expected, const char* promise) {
    constexpr double roundings = 40;
    const double tolerance = roundings * static_cast<double>(std::numeric_limits<float>::epsilon()) * expected.magnitude;
    require(std::abs(found - expected.value) <= tolerance + 1e-30, promise);
}

[[nodiscard]] inline bellamy::network<> any_network(input& from, std::size_t essential) {
    // Random weights, of which the fuzzer turns some into others.
    auto made = support::random_network<float>(essential, from.number<std::uint8_t>());
    auto parameters = made.parameters();
    const double scale = std::exp2(from.between(-6, 6));
    for (float& each : parameters) each = static_cast<float>(static_cast<double>(each) * scale);
    for (auto altered = from.below(16); altered > 0; --altered)
        parameters[from.number<std::uint16_t>() % parameters.size()] = static_cast<float>(from.between(-50, 50));
    made.set_parameters(parameters);
    const int smallest = static_cast<int>(1 + from.below(100));
    made.runtime.scaler =
        bellamy::min_max_scaler<float>::of(std::vector{smallest, smallest + static_cast<int>(from.below(100))});
    return made;
}

[[nodiscard]] inline bellamy::property any_property(input& from, std::size_t number) {
    auto name = std::string("p");
    name += std::to_string(number);
    switch (from.below(6)) {
        case 0: return bellamy::natural(name, from.number<std::uint64_t>() % (bellamy::largest_natural / 1024));
        case 1: return bellamy::natural(name, from.number<std::uint32_t>() % 100'000).per_scale_out_unit();
        case 2: return bellamy::quantity(name, from.between(0.001, 1000));
        case 3: return bellamy::quantity(name, from.between(0.001, 10)).per_scale_out_unit();
        case 4: return bellamy::unknown(name);
        default: return bellamy::text(name, from.text(from.below(60)));
    }
}

inline void try_kernels(bytes all) {
    input from(all);
    const std::size_t essential = from.below(4);
    const auto source = any_network(from, essential);
    std::vector<bellamy::context> contexts(1 + from.below(20));
    for (auto& each : contexts) {
        for (std::size_t i = 0; i < essential; ++i) each.essential.push_back(any_property(from, i));
        const auto optional = from.below(4);
        for (std::size_t i = 0; i < optional; ++i) each.optional.push_back(any_property(from, essential + i));
    }
    const int first = static_cast<int>(1 + from.below(40));
    const std::size_t count = 1 + from.below(70);

    std::vector<bellamy::question> questions;
    std::vector<traced> answers;
    const bellamy::detail::prepared_network prepared(source);
    for (const auto& each : contexts) {
        // More than eight properties that scale are refused elsewhere; here are at most six.
        const bellamy::curve runtimes(bellamy::detail::network_curve(prepared, each), {.smallest = 2, .largest = 12});
        std::vector<float> listed(count);
        runtimes.medians_s(first, listed);
        for (std::size_t k = 0; k < count; ++k) {
            const int x = first + static_cast<int>(k);
            std::vector<traced_code> codes;
            for (const auto* list : {&each.essential, &each.optional})
                for (const auto& one : *list) {
                    std::array<float, 40> encoded{};
                    encode(one, x, std::span(encoded));
                    codes.push_back(code_of(source, encoded));
                }
            const auto expected = runtime_of(source, codes, x);
            require_close(static_cast<double>(listed[k]), expected, "many scale-outs are answered as the network does");
            require_close(runtimes.at(x).median_s, expected, "one scale-out is answered as the network does");
            if (k % 7 == 0) {
                questions.push_back({.context = &each, .scale_out = x});
                answers.push_back(expected);
            }
        }
    }
    std::vector<float> found(questions.size());
    bellamy::detail::predict_batch(prepared, questions, found);
    for (std::size_t q = 0; q < found.size(); ++q)
        require_close(static_cast<double>(found[q]), answers[q], "a batch answers as the network does");
}

}  // namespace fuzz

#endif
