// The program itself, on small cases.
#include <doctest/doctest.h>

#include "../examples/support/run_program.hpp"

#include <sstream>

using support::check_succeeds;

TEST_CASE("stages_speed times learning, binding and deciding of each case, and Enel's network") {
    std::istringstream printed(check_succeeds({BELLAMY_STAGES_SPEED, "--cases", "5x9,6x3", "--rounds", "1"}));
    std::string line;
    std::getline(printed, line);
    std::getline(printed, line);
    for (const double runs : {5, 6}) {
        std::getline(printed, line);
        CAPTURE(line);
        std::istringstream cells(line);
        double cell = 0;
        std::vector<double> row;
        while (cells >> cell) row.push_back(cell);
        REQUIRE(row.size() == 7);
        CHECK(row[0] == runs);
        CHECK(row[1] == (runs == 5 ? 9 : 3));
        CHECK(row[2] == (runs == 5 ? 2 : 1));
        for (const double each : row) CHECK(each > 0);
    }
    std::getline(printed, line);
    CHECK(line.find("25 jobs of 100 stages in all, 13 of them done, 33 candidates: ") != line.npos);
}

TEST_CASE("stages_speed refuses cases that are none") {
    for (const std::string text : {"5", "x", "5x", "1x4", "5x0", "5x3x"}) {
        CAPTURE(text);
        const auto refused = support::run_program({BELLAMY_STAGES_SPEED, "--cases", text});
        CHECK(refused.exit_code == 2);
        CHECK(refused.err.find("such as 50x200") != refused.err.npos);
    }
}
