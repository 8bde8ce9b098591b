// The largest numbers, texts and lists that are accepted.
#ifndef BELLAMY_LIMITS_HPP
#define BELLAMY_LIMITS_HPP

#include <bellamy/version.hpp>

#include <cstddef>
#include <cstdint>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The largest natural number that a property may have, at the scale-out asked about: 39 bits (paper, section III-B).
inline constexpr std::uint64_t largest_natural = 0x7f'ffff'ffff;

/// The largest scale-out of a run or a question.
inline constexpr int largest_scale_out = 1'000'000;

/// Longer names of properties are refused.
inline constexpr size_t longest_name_bytes = 65536;

/// More essential or optional properties than this are refused.
inline constexpr size_t most_properties = 32;

/// More properties that scale with the scale-out than this are refused.
inline constexpr size_t most_scaling_properties = 8;

/// Larger model files are refused.
inline constexpr size_t largest_model_bytes = size_t{64} << 20U;

}}  // namespace bellamy::BELLAMY_ABI

#endif
