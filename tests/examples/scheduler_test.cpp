// The program scheduler.
#include "support/run_program.hpp"

#include <sstream>

using support::check_succeeds;

namespace {

struct policy {
    int met = 0;
    int jobs = 0;
    double cost = 0;
};

// The end of the line that begins with a policy's name: "157 of 160     19.40".
policy find_policy(const std::string& printed, const std::string& name) {
    const auto begin = printed.find("\n" + name);
    REQUIRE_MESSAGE(begin != std::string::npos, name, " is not in ", printed);
    const auto line = printed.substr(begin + 1, printed.find('\n', begin + 1) - begin - 1);
    // The name takes 48 characters.
    std::istringstream numbers(line.substr(48));
    policy found;
    std::string of;
    numbers >> found.met >> of >> found.jobs >> found.cost;
    REQUIRE_MESSAGE((numbers && of == "of"), line);
    return found;
}

std::string without_times(const std::string& printed) {
    std::istringstream lines(printed);
    std::string kept;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("time: ")) kept += line + "\n";
    return kept;
}

}  // namespace

TEST_CASE("the scheduler costs less than the best static policy and meets no fewer deadlines") {
    const auto printed = check_succeeds({BELLAMY_SCHEDULER});
    const auto ours = find_policy(printed, "bellamy");
    const auto fixed = find_policy(printed, "always ");
    CHECK(ours.jobs == 160);
    CHECK(fixed.jobs == 160);
    CHECK(ours.met >= fixed.met);
    CHECK(ours.met >= 0.9 * ours.jobs);  // as probable as it was asked for
    CHECK(ours.cost > 0);
    CHECK(ours.cost < fixed.cost);
}

TEST_CASE("apart from times, the scheduler prints the same again, whatever other threads ask meanwhile") {
    const auto printed = check_succeeds({BELLAMY_SCHEDULER});
    CHECK(without_times(printed) == without_times(check_succeeds({BELLAMY_SCHEDULER})));
    CHECK(without_times(printed) != printed);
    const auto times = printed.find("other threads asked ");
    REQUIRE(times != std::string::npos);
    CHECK(std::stol(printed.substr(times + 20)) > 0);
}

TEST_CASE("the scheduler says what it does where it is asked, or called wrongly") {
    CHECK(check_succeeds({BELLAMY_SCHEDULER, "--help"}).find("Usage: scheduler") == 0);
    const auto finished = support::run_program({BELLAMY_SCHEDULER, "--fast"});
    CHECK(finished.exit_code == 2);
    CHECK(finished.err.find("Usage: scheduler") == 0);
    CHECK(finished.out == "");
}
