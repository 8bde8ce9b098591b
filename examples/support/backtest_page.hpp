// The page of a back-test: its tables, and through gnuplot a picture of each application, in one file that needs nothing
// beside it.
#ifndef BELLAMY_EXAMPLES_BACKTEST_PAGE_HPP
#define BELLAMY_EXAMPLES_BACKTEST_PAGE_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backtest_score.hpp"
#include "plot_style.hpp"

namespace tools {

namespace detail {

// Predicted over measured runtimes, both axes logarithmic; the bars hold 90 %, and end with the picture.
[[nodiscard]] inline std::string script_of(const backtested& of) {
    double low = 1e300;
    double high = 0;
    for (const auto& each : of.tries) {  // the first intervals are far wider than what is of interest
        low = (std::min)({low, each.measured_s, each.predicted.median_s});
        high = (std::max)({high, each.measured_s, each.predicted.median_s});
    }
    low = (std::max)(low, 1e-3);
    const double margin = (std::max)(1.1, std::pow(high / low, 0.25));
    low /= margin;
    high *= margin;
    auto script = fmt::format(
        "set encoding utf8\nset terminal svg noenhanced size 480,500 font 'sans-serif,13' background rgb 'white'\n"
        "set logscale xy\nset size square\nset xrange [{0}:{1}]\nset yrange [{0}:{1}]\nset xtics ({2})\nset ytics ({2})\n"
        "set tics nomirror out\nset border 3 lw 1\nset grid lt 1 lw 1 lc rgb '#E0E0E0'\n"
        "set xlabel 'measured (s), logarithmic'\nset ylabel 'predicted (s), logarithmic'\n"
        "set key above horizontal samplen 2\n$runs << EOD\n",
        low, high, log_tics(low, high));
    for (const auto& each : of.tries) {
        const auto range = each.predicted.interval_s(0.9);
        script += fmt::format("{} {} {} {}\n", each.measured_s, each.predicted.median_s, (std::max)(range.low_s, low),
                              (std::min)(range.high_s, high));
    }
    return script + fmt::format(
                        "EOD\nplot x with lines dt 2 lc rgb '{}' title 'exact', $runs using 1:2:3:4 with yerrorbars pt 7 ps "
                        "0.4 lc rgb '{}' title 'median and 90 % interval of a run'\n",
                        colour::black, colour::blue);
}

[[nodiscard]] inline std::string picture_of(const backtested& of, std::size_t number) {
    const auto now = score_of(of.tries);
    const auto svg = with_title(
        draw(script_of(of)), "Predicted over measured runtimes of " + of.application,
        fmt::format(
            "{} runs; median error {}, {} of them within the 90 % interval; points on the dashed line were predicted "
            "exactly.",
            of.tries.size(), percent(now.error), percent(now.within_interval)));
    return for_page(svg, fmt::format("p{}_", number));
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

// The pictures, or why there are none.
[[nodiscard]] inline std::string figures_of(const std::vector<backtested>& all, std::string& missing) {
    std::string made;
    try {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (!all[i].tries.empty())
                made += fmt::format("<figure><figcaption>{}</figcaption>{}</figure>", in_xml(all[i].application),
                                    picture_of(all[i], i));
        return made;
    } catch (const tool_error& problem) {
        missing = problem.what();
        return fmt::format("<p>Pictures are left out: {}</p>", in_xml(missing));
    }
}

}  // namespace detail

struct backtest_page {
    std::string html{};
    /// Why there are no pictures; empty where there are.
    std::string missing{};
};

/// `together`: all runs; `about`: what the table of proposals says; `period`: when the runs were.
[[nodiscard]] inline backtest_page page_of(const std::vector<backtested>& all, const backtested& together,
                                           const std::string& about, const std::string& period) {
    std::string page =
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
        "<title>Back-test</title><style>body{font:15px sans-serif;margin:2em;max-width:85em}table{border-collapse:collapse}"
        "td,th{padding:.3em .8em;text-align:right;white-space:nowrap;border-bottom:1px solid "
        "#ddd}th:first-child{text-align:left}"
        ".scroll{overflow-x:auto}figure{display:inline-block;margin:1em 0;max-width:100%}svg{max-width:100%;height:auto}"
        "</style><h1>Back-test</h1><p>Each run is "
        "predicted from those that had ended before it began. ";
    page += detail::in_xml(period) + "</p><h2>In short</h2>";
    for (const auto& sentence : verdict_on(together)) page += fmt::format("<p>{}</p>", detail::in_xml(sentence));
    page += "<h2>Errors</h2>";
    page += detail::table_of(error_columns, all, together, error_cells);
    page += fmt::format("<p>{}</p>", detail::in_xml(std::string(about_errors)));
    page += fmt::format("<h2>Proposed sizes against those that ran</h2><p>{}</p>", detail::in_xml(about));
    page += detail::table_of(proposal_columns, all, together, proposal_cells);
    backtest_page made;
    page += detail::figures_of(all, made.missing);
    made.html = page + "</html>\n";
    return made;
}

}  // namespace tools

#endif
