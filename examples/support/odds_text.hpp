// Odds of being in time or in budget, as all commands print them.
#ifndef BELLAMY_EXAMPLES_ODDS_TEXT_HPP
#define BELLAMY_EXAMPLES_ODDS_TEXT_HPP

#include <fmt/format.h>
#include <bellamy/choose.hpp>

#include <cmath>
#include <string>
#include <string_view>

namespace tools {

/// In percent with one decimal, but never rounded up to what is required: 89.97 % is not 90 %.
[[nodiscard]] inline std::string percent_of(double probability, double required) {
    const bool is_rounded_up = probability < required && std::round(1000 * probability) >= 1000 * required;
    return fmt::format("{:.1f} %", is_rounded_up ? std::floor(1000 * probability) / 10 : 100 * probability);
}

/// The verdict on a size that does not have the odds required. `misses` is said where it more likely fails than not.
[[nodiscard]] inline std::string verdict_on_odds(std::string_view misses, double probability, double required) {
    return probability < 0.5 ? std::string(misses) : fmt::format("too risky: {:g} % required", 100 * required);
}

/// The verdict on a size at which an executor's heap would outgrow its memory.
inline constexpr std::string_view heap_too_small = "heap too small";
inline constexpr std::string_view withheld = "withheld";

/// The verdict on a size: none is proposed where advice is withheld, and none up to `without_memory`, whatever their odds.
[[nodiscard]] inline std::string_view verdict_on_size(const bellamy::assessment& row, bool is_withheld, int without_memory) {
    if (is_withheld) return withheld;
    return row.scale_out <= without_memory ? heap_too_small : to_string(row.why);
}

}  // namespace tools

#endif
