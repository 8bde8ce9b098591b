#include "../../examples/support/terminal_curve.hpp"

#include <doctest/doctest.h>

#include <sstream>

using tools::curve_drawing;
using tools::draw_curve;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

long count(const std::string& text, char sign) { return std::count(text.begin(), text.end(), sign); }

}  // namespace

TEST_CASE("a falling curve falls from left to right, marks what was observed and chosen, and shows the deadline") {
    const auto drawn = draw_curve({.predicted = {{2, 400}, {4, 200}, {6, 150}, {8, 120}},
                                   .observed = {{4, 210}},
                                   .chosen = {{6, 150}},
                                   .deadline_s = 160});
    const auto lines = lines_of(drawn);
    std::vector<std::size_t> columns;
    for (const auto& line : lines)
        if (const auto at = line.find_first_of("*o#"); at != std::string::npos && line.find('|') != std::string::npos)
            columns.push_back(at);
    CHECK(std::is_sorted(columns.begin(), columns.end()));
    CHECK(columns.size() == 5);
    CHECK(drawn.find("# chosen: 6   - deadline 160 s") != std::string::npos);
    CHECK(drawn.find("o observed") != std::string::npos);
    CHECK(drawn.find(" - - - ") != std::string::npos);
    CHECK(drawn.find("scale-out (nodes)") != std::string::npos);
}

TEST_CASE("a deadline that would flatten the curve is left out, and the legend says where it is") {
    const auto drawn = [](double deadline_s) {
        return draw_curve({.predicted = {{2, 400}, {4, 200}}, .deadline_s = deadline_s});
    };
    CHECK(drawn(1e6).find("deadline 1e+06 s (above the drawing)") != std::string::npos);
    CHECK(drawn(1).find("deadline 1 s (below the drawing)") != std::string::npos);
    CHECK(drawn(1).find(" - - ") == std::string::npos);
}

TEST_CASE("whatever is drawn fits its width and shows every label apart from the others") {
    std::vector<tools::curve_point> many;
    for (int x = 1; x <= 1000; ++x) many.push_back({x, 1000.0 / x});
    const std::vector<curve_drawing> table{
        {.predicted = {{7, 100}}, .deadline_s = 100},
        {.predicted = {{2, 100}, {4, 100}, {8, 100}}, .deadline_s = 90},
        {.predicted = {{1, 1e-9}, {1'000'000, 2e-9}}, .deadline_s = 1e-9},
        {.predicted = {{999'999, 1e15}, {1'000'000, 1}}, .deadline_s = 1e12},
        {.predicted = {}, .observed = {{3, 55}}, .deadline_s = 1},
        {.predicted = {{4, 0.0}, {5, 10}}, .deadline_s = 5},
        {.predicted = many, .deadline_s = 30},
    };
    for (const auto& each : table) {
        const auto drawn = draw_curve(each, 40, 10);
        CAPTURE(drawn);
        const auto lines = lines_of(drawn);
        CHECK(lines.size() == 1 + 10 + 3 + 2);  // title, drawing, bottom, blank and legend
        const auto margin = lines[1].find('|') + 1;
        for (std::size_t i = 1; i <= 12; ++i) CHECK(lines[i].size() <= margin + 40 + 6);  // the last label may be that long
        CHECK(count(drawn, '*') + count(drawn, 'o') > 0);
        CHECK(lines[12].find_first_of("0123456789") != std::string::npos);
    }
    CHECK(draw_curve({}) == "");
}
