// Made-up laws for questions far beyond a history; some are not of the form that best mode's trend has.
#ifndef BELLAMY_BENCH_FAR_LAWS_HPP
#define BELLAMY_BENCH_FAR_LAWS_HPP

#include "growth_laws.hpp"

namespace bench {

/// Powers of size and scale-out.
[[nodiscard]] inline growth_row power_columns(double s, double x, double) { return {std::pow(s, 0.85) / std::pow(x, 0.6)}; }
/// No more than 24 tasks at a time.
[[nodiscard]] inline growth_row saturated_columns(double s, double x, double) { return {1, s / (std::min)(x, 24.0)}; }
/// Results merged pairwise; sorted data.
[[nodiscard]] inline growth_row merge_columns(double s, double x, double) {
    return {s * std::log(s) / x, s / x * std::log2(x)};
}

inline constexpr std::array<growth_law, 3> further_laws{
    {{.name = "power", .columns = power_columns, .multiples = {0.08}},
     {.name = "saturated", .columns = saturated_columns, .multiples = {15, 0.05}},
     {.name = "merge", .columns = merge_columns, .multiples = {0.004, 0.01}}}};

/// Whether the library's choices were made on this law: its figures are reported apart.
[[nodiscard]] constexpr bool is_chosen_on(std::string_view law) noexcept {
    return law == "overhead" || law == "usl" || law == "cliff" || law == "power";
}

}  // namespace bench

#endif
