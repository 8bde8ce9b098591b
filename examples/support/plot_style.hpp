// What pictures have in common, and how gnuplot draws them.
#ifndef BELLAMY_EXAMPLES_PLOT_STYLE_HPP
#define BELLAMY_EXAMPLES_PLOT_STYLE_HPP

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "child_program.hpp"
#include "printable.hpp"

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
    for (const char c : printable(std::string(text))) {
        if (c == '\'') made += '\'';
        made += c;
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

/// The SVG of a script. Errors: missing_program, program_failed, cannot_write.
[[nodiscard]] inline std::string draw(std::string_view script) {
    return run_on("gnuplot", script, "Debian: apt-get install gnuplot-nox");
}

// Round numbers on a logarithmic axis: 1, 2, 5, 10, ..., or closer ones where fewer than three of these lie in the range.
[[nodiscard]] inline std::string log_tics(double low, double high) {
    std::vector<double> at;
    for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10, power) <= high; ++power)
        for (const int digit : {1, 2, 5})
            if (const double tic = digit * std::pow(10, power); tic >= low && tic <= high) at.push_back(tic);
    if (at.size() < 3) {
        at.clear();
        const double power = std::pow(10, std::floor(std::log10((high - low) / 3)));
        const double digit = std::floor((high - low) / 3 / power);
        const double step = power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
        for (double tic = std::ceil(low / step) * step; tic <= high; tic += step) at.push_back(tic);
    }
    std::string tics;
    for (const double tic : at) tics += fmt::format("{}'{:g}' {:g}", tics.empty() ? "" : ", ", tic, tic);
    return tics;
}

// XML has no way to write most control characters.
[[nodiscard]] inline std::string in_xml(std::string_view text) {
    std::string made;
    for (const char c : printable(std::string(text)))
        made += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return made;
}

// gnuplot titles every picture with its own name.
[[nodiscard]] inline std::string with_title(std::string svg, const std::string& title, const std::string& description) {
    const auto replace = [&](std::string_view tag, const std::string& text) {
        const auto from = svg.find(fmt::format("<{}>", tag));
        const auto to = svg.find(fmt::format("</{}>", tag));
        if (from == svg.npos || to == svg.npos) return;
        svg.replace(from, to - from, fmt::format("<{}>{}", tag, in_xml(text)));
    };
    replace("title", title);
    replace("desc", description);
    if (const auto at = svg.find("<svg"); at != svg.npos)
        svg.insert(at + 4, fmt::format(" role=\"img\" aria-label=\"{}\"", in_xml(title)));
    return svg;
}

}  // namespace tools::detail

#endif
