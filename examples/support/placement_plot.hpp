// Draws sites, links and their load before and after a plan through gnuplot.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_PLOT_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_PLOT_HPP

#include <fmt/format.h>

#include <bellamy/placement/plan.hpp>

#include <cmath>
#include <numbers>
#include <string>

#include "output_file.hpp"
#include "placement_files.hpp"
#include "plot_style.hpp"

namespace tools {

namespace detail {

// In double quotes, where gnuplot reads escapes and enhanced text.
[[nodiscard]] inline std::string plain_label(const std::string& text) {
    std::string safe;
    for (const char c : text)
        safe += (c == '"' || c == '\\' || c == '{' || c == '}' || c == '_' || c == '^' || c == '@' ||
                 static_cast<unsigned char>(c) < 0x20)
                    ? ' '
                    : c;
    return safe;
}

}  // namespace detail

/// Sites stand on a circle; a site's disc has the area of its slots, a ring of the load after and one of the load before.
/// Errors: cannot_run, cannot_write.
inline void write_placement_plot(const sites& where, const bellamy::placement::plan& found, const std::string& path) {
    const auto& net = where.net;
    int most = 1;
    for (const auto& each : net.data_centres()) most = std::max(most, each.slots);
    const auto place = [&](std::size_t i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(net.size());
        return std::pair(std::cos(angle), std::sin(angle));
    };
    const auto radius = [&](int slots) { return 0.12 * std::sqrt(static_cast<double>(slots) / most); };
    std::string script =
        "set terminal svg size 900,700 font 'sans,13' background 'white'\nunset border\nunset tics\nset size ratio -1\n"
        "set xrange [-1.6:1.6]\nset yrange [-1.3:1.3]\nset key off\nset title 'load before (dark) and after (light) of all "
        "slots (outline)'\n";
    for (const auto& each : net.links()) {
        const auto [x, y] = place(each.a);
        const auto [to_x, to_y] = place(each.b);
        script += fmt::format("set arrow from {},{} to {},{} nohead lc rgb '#999999' back\n", x, y, to_x, to_y);
    }
    for (std::size_t i = 0; i < net.size(); ++i) {
        const auto [x, y] = place(i);
        const auto disc = [&, x = x, y = y](int slots, const char* style) {
            if (slots > 0)
                script += fmt::format("set object circle at {},{} size {} front {}\n", x, y, radius(slots), style);
        };
        disc(net[i].slots, "fc rgb '#444444' fillstyle empty");
        disc(found.load[i], "fc rgb '#88bbee' fillstyle solid noborder");
        disc(net[i].load, "fc rgb '#225588' fillstyle solid noborder");
        script +=
            fmt::format("set label \"{}\\n{} to {} of {}\" at {},{} center front\n", detail::plain_label(where.names[i]),
                        net[i].load, found.load[i], net[i].slots, 1.32 * x, 1.22 * y);
    }
    script += "plot NaN\n";
    write_file(path, detail::draw(script));
}

}  // namespace tools

#endif
