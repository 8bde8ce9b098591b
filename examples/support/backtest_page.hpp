// The page of a back-test: its tables, and a picture of each application, in one file that needs nothing beside it.
#ifndef BELLAMY_EXAMPLES_BACKTEST_PAGE_HPP
#define BELLAMY_EXAMPLES_BACKTEST_PAGE_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backtest_score.hpp"
#include "plot_style.hpp"
#include "report_page_parts.hpp"
#include "svg_plot.hpp"

namespace tools {

namespace detail {

// From the smallest to the largest of the runtimes, measured or predicted.
struct runtime_range {
    double low_s = 1e300;
    double high_s = 0;

    void take(double runtime_s) {
        low_s = (std::min)(low_s, (std::max)(runtime_s, 1e-3));
        high_s = (std::max)({high_s, runtime_s, 1e-3});
    }
    [[nodiscard]] plot_axis axis(std::string_view what, const time_unit& unit) const {
        return {.low = low_s / 1.1,
                .high = high_s * 1.1,
                .is_logarithmic = true,
                .label = fmt::format("{} ({}), logarithmic", what, unit.name),
                .unit = unit.seconds};
    }
};

// Predicted over measured runtimes; the bars hold 90 %. The first are far wider than what is of interest, and end four times
// beyond the runtimes.
[[nodiscard]] inline std::string picture_of(const backtested& of) {
    runtime_range measured;
    runtime_range predicted;
    for (const auto& each : of.tries) {
        measured.take(each.measured_s);
        for (const double runtime_s : {each.measured_s, each.predicted.median_s}) predicted.take(runtime_s);
    }
    const auto runtimes = predicted;
    const auto interval_of = [&](const tried& each) {
        const auto range = each.predicted.interval_s(0.9);
        const double low_s = runtimes.low_s / 4;
        const double high_s = runtimes.high_s * 4;
        return std::pair(std::clamp(range.low_s, low_s, high_s), std::clamp(range.high_s, low_s, high_s));
    };
    for (const auto& each : of.tries) {
        predicted.take(interval_of(each).first);
        predicted.take(interval_of(each).second);
    }
    const auto unit = unit_for(runtimes.high_s);
    svg_plot plot(measured.axis("measured", unit), predicted.axis("predicted", unit));
    const std::vector<plot_point> exact{{measured.low_s, measured.low_s}, {measured.high_s, measured.high_s}};
    plot.add_line(exact, "now");
    for (const auto& each : of.tries) {
        const auto [low_s, high_s] = interval_of(each);
        const std::vector<plot_point> bar{{each.measured_s, low_s}, {each.measured_s, high_s}};
        plot.add_line(bar, "interval");
    }
    for (const auto& each : of.tries) plot.add_dot({each.measured_s, each.predicted.median_s}, "run");
    plot.add_legend("median of a run", "runline");
    plot.add_legend("its 90 % interval, cut 4 times beyond all", "interval");
    plot.add_legend("exact", "now");
    const auto now = score_of(of.tries);
    return plot.text("Predicted over measured runtimes of " + of.application,
                     fmt::format("{} runs; median error {}, {} of them within the 90 % interval; points on the dashed line "
                                 "were predicted exactly; intervals are cut 4 times beyond all runtimes.",
                                 of.tries.size(), percent(now.error), percent(now.within_interval)));
}

[[nodiscard]] inline std::string row_of(const std::string& name, const std::vector<std::string>& cells) {
    auto row = fmt::format("<tr><th scope=\"row\">{}</th>", in_xml(name));
    for (const auto& each : cells) row += "<td>" + each + "</td>";
    return row + "</tr>";
}

[[nodiscard]] inline std::string table_of(const std::vector<std::string>& columns, const std::vector<backtested>& all,
                                          const backtested& together,
                                          std::vector<std::string> (*cells_of)(const backtested&)) {
    std::string made = "<div class=\"scroll\" role=\"region\" aria-label=\"table\" tabindex=\"0\"><table><tr>";
    for (const auto& each : columns) made += "<th scope=\"col\">" + each + "</th>";
    made += "</tr>";
    for (const auto& each : all) made += row_of(each.application, cells_of(each));
    return made + row_of(together.application, cells_of(together)) + "</table></div>";
}

[[nodiscard]] inline std::string figures_of(const std::vector<backtested>& all) {
    std::string made;
    for (const auto& each : all)
        if (!each.tries.empty())
            made +=
                fmt::format("<figure><figcaption>{}</figcaption>{}</figure>", in_xml(each.application), picture_of(each));
    return made;
}

}  // namespace detail

/// `together`: all runs; `about`: what the table of proposals says; `period`: when the runs were.
[[nodiscard]] inline std::string page_of(const std::vector<backtested>& all, const backtested& together,
                                         const std::string& about, const std::string& period) {
    auto page = fmt::format(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
        "<title>Back-test</title><style>{}table{{width:auto}}tbody "
        "th{{min-width:0}}th:first-child{{text-align:left}}figure{{margin:0;flex:1 1 "
        "20rem;max-width:30rem}}figcaption{{overflow-wrap:anywhere}}svg "
        ".interval{{stroke:var(--blue)}}</style><h1>Back-test</h1><p>Each run is predicted from those that had ended before "
        "it began. ",
        detail::report_css);
    page += detail::in_xml(period) + "</p><h2>In short</h2>";
    for (const auto& sentence : verdict_on(together)) page += fmt::format("<p>{}</p>", detail::in_xml(sentence));
    page += "<h2>Errors</h2>";
    page += detail::table_of(error_columns, all, together, error_cells);
    page += fmt::format("<p>{}</p>", detail::in_xml(std::string(about_errors)));
    page += fmt::format("<h2>Proposed sizes against those that ran</h2><p>{}</p>", detail::in_xml(about));
    page += detail::table_of(proposal_columns, all, together, proposal_cells);
    return page + "<div class=\"pictures\">" + detail::figures_of(all) + "</div></html>\n";
}

}  // namespace tools

#endif
