// Draws runtimes over scale-outs as plain text.
#ifndef BELLAMY_EXAMPLES_TERMINAL_CURVE_HPP
#define BELLAMY_EXAMPLES_TERMINAL_CURVE_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace tools {

struct curve_point {
    int scale_out = 0;
    double runtime_s = 0;
};

/// What to draw; runtimes must be finite and not negative.
struct curve_drawing {
    std::vector<curve_point> predicted{};
    std::vector<curve_point> observed{};
    std::optional<curve_point> chosen{};
    std::optional<double> deadline_s{};
    std::string deadline_name = "deadline";
    std::string unit = "node";
};

namespace detail {

// A smallest and a largest value on a scale of round numbers.
struct axis {
    double low = 0;
    double high = 1;
    double step = 1;

    // Of about `ticks` steps, from zero unless that would leave half of the drawing empty.
    [[nodiscard]] static axis around(double smallest, double largest, int ticks) {
        if (smallest < largest / 2) smallest = 0;
        const double rough = std::max(largest - smallest, largest * 1e-3 + 1e-9) / ticks;
        const double power = std::pow(10.0, std::floor(std::log10(rough)));
        double step = 10 * power;
        for (const double round : {5.0, 2.0, 1.0})
            if (round * power >= rough) step = round * power;
        const double first = std::floor(smallest / step);
        const double last = std::max(std::ceil(largest / step), first + 1);
        return {.low = first * step, .high = last * step, .step = step};
    }
};

class canvas {
public:
    canvas(int width, int height, int first, int last, axis runtimes)
        : width_(width),
          first_(first),
          last_(last),
          runtimes_(runtimes),
          rows_(static_cast<std::size_t>(height), std::string(static_cast<std::size_t>(width), ' ')) {}

    // One blank column is left free at either end.
    [[nodiscard]] std::size_t column(int scale_out) const {
        const double share = first_ == last_ ? 0.5 : (static_cast<double>(scale_out) - first_) / (last_ - first_);
        return static_cast<std::size_t>(std::lround(2 + share * (width_ - 5)));
    }
    [[nodiscard]] std::size_t row(double runtime_s) const {
        const double share = (runtimes_.high - runtime_s) / (runtimes_.high - runtimes_.low);
        return static_cast<std::size_t>(std::lround(share * static_cast<double>(rows_.size() - 1)));
    }

    void mark(const curve_point& at, char sign) { rows_[row(at.runtime_s)][column(at.scale_out)] = sign; }
    void mark_line(double runtime_s) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(width_); i += 2) rows_[row(runtime_s)][i] = '-';
    }
    [[nodiscard]] const std::vector<std::string>& rows() const { return rows_; }

private:
    int width_;
    int first_;
    int last_;
    axis runtimes_;
    std::vector<std::string> rows_;
};

// Labels of the rows on which a round number falls.
[[nodiscard]] inline std::vector<std::string> row_labels(const canvas& drawn, const axis& runtimes) {
    std::vector<std::string> labels(drawn.rows().size());
    const auto ticks = std::lround((runtimes.high - runtimes.low) / runtimes.step);
    for (long i = 0; i <= ticks; ++i) {
        const double at = runtimes.low + static_cast<double>(i) * runtimes.step;
        labels[drawn.row(at)] = fmt::format("{:g}", at);
    }
    return labels;
}

// The line under the drawing and the numbers under it.
struct bottom {
    std::string ticks;
    std::string numbers{};
    bool fits = true;

    // A tick and a number for every `stride`-th scale-out.
    bottom(const canvas& drawn, const std::vector<int>& scale_outs, std::size_t stride)
        : ticks(drawn.rows().front().size(), '_') {
        for (std::size_t i = 0; i < scale_outs.size(); i += stride) {
            const auto label = std::to_string(scale_outs[i]);
            const auto column = drawn.column(scale_outs[i]);
            const auto begin = column - std::min(column, (label.size() - 1) / 2);
            fits = fits && (i == 0 || begin > numbers.size());
            numbers.resize(std::max(begin, numbers.size()), ' ');
            numbers += label;
            ticks[column] = '|';
        }
    }
};

[[nodiscard]] inline bottom draw_bottom(const canvas& drawn, std::vector<int> scale_outs) {
    scale_outs.erase(std::unique(scale_outs.begin(), scale_outs.end()), scale_outs.end());
    std::size_t stride = 1;
    while (!bottom(drawn, scale_outs, stride).fits) ++stride;
    return {drawn, scale_outs, stride};
}

[[nodiscard]] inline std::string legend(const curve_drawing& what, bool deadline_is_drawn, bool deadline_is_above) {
    std::string text = "* predicted";
    if (!what.observed.empty()) text += "   o observed";
    if (what.chosen) text += fmt::format("   # chosen: {}", what.chosen->scale_out);
    if (!what.deadline_s) return text;
    text += fmt::format("   {}{} {:g} s", deadline_is_drawn ? "- " : "", what.deadline_name, *what.deadline_s);
    if (!deadline_is_drawn) text += deadline_is_above ? " (above the drawing)" : " (below the drawing)";
    return text;
}

}  // namespace detail

/// The drawing, `width` characters wide and `height` lines high without its axes' labels and legend; empty where there is
/// nothing to draw. The deadline is left out where it would flatten the curve; the legend says so.
[[nodiscard]] inline std::string draw_curve(const curve_drawing& what, int width = 64, int height = 16) {
    std::vector<curve_point> all = what.predicted;
    all.insert(all.end(), what.observed.begin(), what.observed.end());
    if (all.empty()) return "";
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.scale_out < b.scale_out; });
    std::vector<int> scale_outs;
    double smallest = all.front().runtime_s;
    double largest = smallest;
    for (const auto& each : all) {
        scale_outs.push_back(each.scale_out);
        smallest = std::min(smallest, each.runtime_s);
        largest = std::max(largest, each.runtime_s);
    }
    const double deadline_s = what.deadline_s.value_or(0);
    const bool deadline_fits = what.deadline_s && deadline_s <= 1.5 * largest && deadline_s >= smallest / 2;
    const bool deadline_is_above = deadline_s > largest;
    if (deadline_fits) {
        smallest = std::min(smallest, deadline_s);
        largest = std::max(largest, deadline_s);
    }

    const auto runtimes = detail::axis::around(smallest, largest, std::max(2, height / 3));
    detail::canvas drawn(width, height, scale_outs.front(), scale_outs.back(), runtimes);
    if (deadline_fits) drawn.mark_line(deadline_s);
    for (const auto& each : what.predicted) drawn.mark(each, '*');
    for (const auto& each : what.observed) drawn.mark(each, 'o');
    if (what.chosen) drawn.mark(*what.chosen, '#');

    const auto labels = detail::row_labels(drawn, runtimes);
    std::size_t margin = 0;
    for (const auto& label : labels) margin = std::max(margin, label.size());
    const auto under = detail::draw_bottom(drawn, scale_outs);

    std::string text = fmt::format("{:>{}}  runtime (s)\n", "", margin);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        auto line = fmt::format("{:>{}} |{}", labels[i], margin, drawn.rows()[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    text += fmt::format("{:>{}} |{}\n", "", margin, under.ticks);
    text += fmt::format("{:>{}}  {}\n", "", margin, under.numbers);
    const auto title = fmt::format("scale-out ({}s)", what.unit);
    text += fmt::format("{:>{}}{}\n\n", "", margin + 2 + (static_cast<std::size_t>(width) - title.size()) / 2, title);
    text += fmt::format("{:>{}}  {}\n", "", margin, detail::legend(what, deadline_fits, deadline_is_above));
    return text;
}

}  // namespace tools

#endif
