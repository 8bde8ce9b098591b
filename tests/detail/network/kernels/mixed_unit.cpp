// One translation unit of a program whose units are compiled for different instructions.
#include <bellamy/detail/network/network_curve.hpp>
#include <bellamy/detail/network/parameters.hpp>

using namespace bellamy;

/// What this unit predicts at scale-outs 1 to 20, by its own kernels; and on which instructions.
const char* BELLAMY_UNIT(std::span<float> runtime_s);
const char* BELLAMY_UNIT(std::span<float> runtime_s) {
    detail::random_generator random(1);
    const auto source = detail::random_network<float, dimensions{}>(0, random);
    const detail::prepared_network prepared(source);
    for (std::size_t i = 0; i < runtime_s.size(); ++i) runtime_s[i] = static_cast<float>(i + 1);
    detail::simd::predict_curve(prepared.runtime, prepared.head_bias, runtime_s.data(), runtime_s.data(), runtime_s.size());
    // The public way, whichever unit's copy of it the linker keeps.
    const detail::network_curve curve(source, {});
    for (std::size_t i = 0; i < runtime_s.size(); ++i)
        if (std::abs(curve(static_cast<int>(i) + 1) - runtime_s[i]) > 1e-5F * (1 + std::abs(runtime_s[i]))) return "wrong";
    return detail::simd::isa_name;
}
