// What the pictures that gnuplot draws have in common.
#ifndef BELLAMY_EXAMPLES_PLOT_STYLE_HPP
#define BELLAMY_EXAMPLES_PLOT_STYLE_HPP

#include <array>
#include <string>
#include <string_view>

namespace tools::detail {

// Colours that people with any colour vision tell apart (Okabe and Ito 2008).
namespace colour {
inline constexpr std::string_view blue = "#0072B2";
inline constexpr std::string_view vermilion = "#D55E00";
inline constexpr std::string_view orange = "#E69F00";
inline constexpr std::string_view black = "#000000";
inline constexpr std::string_view band_90 = "#CDE3F1";
inline constexpr std::string_view band_50 = "#8FC1DF";
inline constexpr std::string_view beyond = "#F0F0F0";
// Of machines beside the chosen one, in turn.
inline constexpr std::array<std::string_view, 5> others{"#009E73", "#CC79A7", "#56B4E9", "#7F6000", "#666666"};
}  // namespace colour

// In single quotes, where gnuplot knows only the quote itself.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
    std::string made = "'";
    for (const char c : text) {
        if (c == '\'') made += '\'';
        made += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return made + "'";
}

struct time_unit {
    std::string_view name;
    double seconds;
};

// Numbers on the axis stay below a few hundred.
[[nodiscard]] inline time_unit unit_for(double largest_s) {
    if (largest_s <= 900) return {"s", 1};
    return largest_s <= 6 * 3600 ? time_unit{"min", 60} : time_unit{"h", 3600};
}

}  // namespace tools::detail

#endif
