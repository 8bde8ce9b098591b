// A small plot as SVG: two axes, and marks at values of the data. Nothing that is added lies outside the axes.
#ifndef BELLAMY_EXAMPLES_SVG_PLOT_HPP
#define BELLAMY_EXAMPLES_SVG_PLOT_HPP

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plot_style.hpp"

namespace tools {

/// One direction of a plot: the values at its ends, and whether equal factors have equal lengths.
struct plot_axis {
    double low = 0;
    double high = 1;
    bool is_logarithmic = false;
    std::string label{};
    /// Values in the data's unit are divided by it on the labels: 60 for minutes.
    double unit = 1;
    /// Values are seconds since 1970, labels days of the calendar, or times of the day where the axis is short; UTC.
    bool is_date = false;

    /// Position from 0 to 1; what lies outside is moved to the end.
    [[nodiscard]] double share(double value) const {
        const double at =
            is_logarithmic ? std::log(std::max(value, low) / low) / std::log(high / low) : (value - low) / (high - low);
        return std::clamp(at, 0.0, 1.0);
    }

    /// Round numbers between the ends, at most seven.
    [[nodiscard]] std::vector<double> ticks() const {
        if (is_date) return dates();
        return is_logarithmic && high / low >= 8 ? decades() : steps();
    }

    /// What stands at a tick.
    [[nodiscard]] std::string tick_text(double tick) const {
        if (!is_date) return fmt::format("{:g}", tick / unit);
        const auto at = fmt::gmtime(static_cast<std::time_t>(tick));
        if (high - low <= two_days_s) return fmt::format("{:%d %b %H:%M}", at);
        return high - low <= 400 * 86400.0 ? fmt::format("{:%d %b}", at) : fmt::format("{:%b %Y}", at);
    }

private:
    static constexpr double two_days_s = 2 * 86400.0;

    // Whole hours, days or weeks from a Monday, at most five; of hours, whose labels are longer, at most three.
    [[nodiscard]] std::vector<double> dates() const {
        constexpr std::array<double, 8> steps_s{3600, 10800, 21600, 43200, 86400, 172800, 432000, 604800};
        const auto* fitting = std::find_if(steps_s.begin(), steps_s.end(), [&](double each) {
            return (high - low) / each <= (high - low <= two_days_s ? 2.5 : 5);
        });
        const double step_s = fitting != steps_s.end() ? *fitting : 604800 * std::ceil((high - low) / 604800 / 5);
        const double origin_s = step_s < 604800 ? 0 : 4 * 86400.0;  // a Monday
        std::vector<double> made;
        for (double tick = origin_s + std::ceil((low - origin_s) / step_s) * step_s; tick <= high; tick += step_s)
            made.push_back(tick);
        return made;
    }

    // 1, 2, 5, 10, ... of the unit, or fewer of them where these are too many.
    [[nodiscard]] std::vector<double> decades() const {
        for (const int digits : {3, 1}) {
            std::vector<double> made;
            for (int power = static_cast<int>(std::floor(std::log10(low / unit))); std::pow(10, power) * unit <= high;
                 ++power)
                for (const double digit : {1, 2, 5})
                    if (const double tick = digit * std::pow(10, power) * unit;
                        tick >= low && tick <= high && (digits == 3 || digit == 1))
                        made.push_back(tick);
            if (made.size() <= 7) return made;
        }
        return {low, high};
    }

    [[nodiscard]] std::vector<double> steps() const {
        const double rough = (high - low) / unit / 4;
        const double power = std::pow(10, std::floor(std::log10(rough)));
        const double digit = rough / power;
        const double step = power * unit * (digit > 5 ? 10 : digit > 2 ? 5 : digit > 1 ? 2 : 1);
        std::vector<double> made;
        for (double tick = std::ceil(low / step) * step; tick <= high * (1 + 1e-9); tick += step) made.push_back(tick);
        return made;
    }
};

/// A point of the data.
struct plot_point {
    double x = 0;
    double y = 0;
};

class svg_plot {
public:
    svg_plot(plot_axis x, plot_axis y) : x_(std::move(x)), y_(std::move(y)) {
        for (const double tick : y_.ticks())  // digits are wider than other letters
            first_x_ = (std::max)(first_x_, 7 + 7.7 * static_cast<double>(y_.tick_text(tick).size()));
        legend_x_ = first_x_;
    }

    void add_line(std::span<const plot_point> points, std::string_view style) {
        body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path_of(points));
    }

    /// The area between the points, in order, and back to the first.
    void add_area(std::span<const plot_point> points, std::string_view style) {
        body_ += fmt::format("<path class=\"{}\" d=\"{}Z\"/>", style, path_of(points));
    }

    void add_dot(const plot_point& at, std::string_view style) {
        body_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", style, left(at), top(at));
    }

    /// A vertical bar; an end that lies beyond the axis is the head of an arrow. Says whether one is.
    bool add_interval(double x, double low, double high, std::string_view style) {
        const std::vector<plot_point> bar{{x, low}, {x, high}};
        add_line(bar, style);
        const double tip = left(bar.front());
        if (low < y_.low)
            body_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l4 5 4-5\"/>", style, tip - 4, bottom - 5);
        if (high > y_.high)
            body_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l4-5 4 5\"/>", style, tip - 4, first_y + 5);
        return low < y_.low || high > y_.high;
    }

    /// A short horizontal line.
    void add_tick(const plot_point& at, std::string_view style) {
        body_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}h6\"/>", style, left(at) - 3, top(at));
    }

    /// A cross, which differs from a dot without its colour, too.
    void add_cross(const plot_point& at, std::string_view style) {
        body_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l6 6m0-6l-6 6\"/>", style, left(at) - 3, top(at) - 3);
    }

    /// From the bottom up to `y`, `width` wide.
    void add_bar(double from_x, double to_x, double y, std::string_view style) {
        const double begin = left({from_x, 0});
        const double end = left({to_x, 0});
        const double height = bottom - top({0, y});
        body_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", style,
                             begin, bottom - height, std::max(0.5, end - begin - 1), height);
    }

    /// Text of the legend, below the plot; a sample of the style before it.
    void add_legend(std::string_view text, std::string_view style) {
        constexpr double sample = 18;
        const double length = sample + 6.6 * static_cast<double>(text.size());  // wider than most fonts at 12 px
        if (legend_x_ > first_x_ && legend_x_ + length > width) {
            legend_x_ = first_x_;
            ++legend_line_;
        }
        const double y = bottom + 50 + 16 * legend_line_;
        body_ += fmt::format("<path class=\"{} sample\" d=\"M{:.0f} {:.0f}h14\"/><text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>",
                             style, legend_x_, y - 4, legend_x_ + sample, y, detail::in_xml(text));
        legend_x_ += length + 14;
    }

    /// The picture, with a title and what it shows in words.
    [[nodiscard]] std::string text(std::string_view title, std::string_view description) const {
        auto made = fmt::format(
            "<svg role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" aria-label=\"{}\"><title>{}</title><desc>{}</desc>", width,
            bottom + 56 + 16 * legend_line_, detail::in_xml(title), detail::in_xml(title), detail::in_xml(description));
        for (const double tick : y_.ticks()) {
            const double y = top({0, tick});
            made += fmt::format(
                "<path class=\"grid\" d=\"M{:.0f} {:.1f}H{:.0f}\"/><text class=\"y\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>",
                first_x_, y, last_x, first_x_ - 5, y + 4, y_.tick_text(tick));
        }
        for (const double tick : x_.ticks()) {
            const auto label = x_.tick_text(tick);
            const double half = 3.6 * static_cast<double>(label.size());
            made += fmt::format("<text class=\"x\" x=\"{:.1f}\" y=\"{:.0f}\">{}</text>",
                                std::clamp(left({tick, 0}), half, width - half), bottom + 16, label);
        }
        made += fmt::format("<text x=\"2\" y=\"12\">{}</text><text class=\"x\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>",
                            detail::in_xml(y_.label), (first_x_ + last_x) / 2, bottom + 32, detail::in_xml(x_.label));
        return made + body_ + "</svg>";
    }

private:
    static constexpr double width = 360;
    static constexpr double last_x = 350;
    static constexpr double first_y = 22;
    static constexpr double bottom = 200;

    [[nodiscard]] double left(const plot_point& at) const { return first_x_ + (last_x - first_x_) * x_.share(at.x); }
    [[nodiscard]] double top(const plot_point& at) const { return bottom - (bottom - first_y) * y_.share(at.y); }

    [[nodiscard]] std::string path_of(std::span<const plot_point> points) const {
        std::string made;
        for (const auto& each : points)
            made += fmt::format("{}{:.1f} {:.1f}", made.empty() ? "M" : "L", left(each), top(each));
        return made;
    }

    plot_axis x_;
    plot_axis y_;
    std::string body_{};
    double first_x_ = 44;  // right of the longest label
    double legend_x_ = 44;
    int legend_line_ = 0;
};

}  // namespace tools

#endif
