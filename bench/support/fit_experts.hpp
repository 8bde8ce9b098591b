// Fits some of the best mode's experts: in a unit of its own, because that takes a minute to compile.
#ifndef BELLAMY_BENCH_FIT_EXPERTS_HPP
#define BELLAMY_BENCH_FIT_EXPERTS_HPP

#include <bellamy/detail/blend/blend.hpp>

#include <cstdint>
#include <span>

namespace bench {

[[nodiscard]] bellamy::detail::fitted_blend fit_experts(std::span<const bellamy::run> history,
                                                        bellamy::detail::by_expert<bool> taking_part, std::uint64_t seed);

}  // namespace bench

#endif
