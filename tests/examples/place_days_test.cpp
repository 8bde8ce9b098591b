// The program place over days of arriving jobs, as users run it.
#include <nlohmann/json.hpp>

#include <numeric>

#include "support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;
using nlohmann::json;

constexpr const char* columns = "job,arrives_h,ends_h,tasks,shape\n";

/// A site that is alone in the world: every strategy places a job there.
constexpr const char* one_site = R"({"data_centres": [{"name": "A", "slots": 4, "price": 1, "idle": 1}], "links": []})";

class days {
public:
    explicit days(const std::string& sites) { write_text(folder_ / "sites.json", sites); }

    [[nodiscard]] support::finished_program run(const std::string& arrivals, const std::string& prices = "",
                                                const words& more = {}) const {
        write_text(folder_ / "arrivals.csv", arrivals);
        words command{BELLAMY_PROGRAM, "place", "--sites", folder_ / "sites.json", "--arrivals", folder_ / "arrivals.csv"};
        if (!prices.empty()) {
            write_text(folder_ / "prices.csv", prices);
            command.insert(command.end(), {"--prices", folder_ / "prices.csv"});
        }
        command.insert(command.end(), more.begin(), more.end());
        return run_program(command);
    }
    [[nodiscard]] json answer(const std::string& arrivals, const std::string& prices = "", words more = {}) const {
        more.emplace_back("--json");
        const auto finished = run(arrivals, prices, more);
        CAPTURE(finished.err);
        REQUIRE(finished.exit_code == 0);
        return json::parse(finished.out).at("days");
    }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

private:
    temporary_directory folder_{};
};

/// Sites that are all linked, with more strategies of a job of six tasks than are enumerated.
[[nodiscard]] std::string many_sites() {
    json sites{{"data_centres", json::array()}, {"links", json::array()}};
    for (int i = 0; i < 14; ++i) {
        sites["data_centres"].push_back({{"slots", 8}, {"price", 1 + 0.1 * i}, {"idle", 1}});
        for (int other = 0; other < i; ++other) sites["links"].push_back({other, i});
    }
    return sites.dump();
}

}  // namespace

TEST_CASE("jobs pay for every hour that they run, at the price of the hour, which rises with the load") {
    const days alone(one_site);
    const auto arrivals = std::string(columns) + "late,1,3,1,path\nearly,0,2,2,path\n";
    const auto fixed = alone.answer(arrivals);
    CHECK(fixed.at("cost").get<double>() == doctest::Approx(2 + 3 + 1));
    CHECK(alone.answer(arrivals, "hour,A\n0,1\n1,2\n2,3\n").at("cost").get<double>() == doctest::Approx(2 + 6 + 3));
    // The price of the second hour rises by three quarters.
    const auto reacting = alone.answer(arrivals, "", {"--reaction", "1"});
    CHECK(reacting.at("cost").get<double>() == doctest::Approx(2 * 1.5 + 3 * 1.75 + 1 * 1.25));
    CHECK(reacting.at("hours").at(1).at("cost").get<double>() == doctest::Approx(3 * 1.75));
    double of_strategies = 0;
    for (const auto& [name, totals] : fixed.at("strategies").items()) {
        of_strategies += totals.at("cost").get<double>();
        CHECK(totals.at("always").get<double>() == doctest::Approx(6));
    }
    CHECK(of_strategies == doctest::Approx(6));
    CHECK(fixed.at("regret").get<double>() == doctest::Approx(0));
    CHECK(fixed.at("hours").size() == 3);
    CHECK(fixed.at("hours").at(2).at("strategy").is_null());
    CHECK(fixed.at("expected_regret").get<double>() == doctest::Approx(0));
    CHECK(alone.answer(arrivals, "", {"--rule", "exp3"}).at("expected_regret").is_null());
}

TEST_CASE("prices of 24 hours repeat every day, and a job without room is left out") {
    const days alone(one_site);
    std::string prices = "hour,A\n";
    for (int hour = 0; hour < 24; ++hour) prices += std::to_string(hour) + (hour == 1 ? ",5\n" : ",1\n");
    const auto answer = alone.answer(std::string(columns) + "a,24,26,1,path\nb,24,25,9,star\n", prices);
    CHECK(answer.at("cost").get<double>() == doctest::Approx(1 + 5));
    CHECK(answer.at("left_out") == 1);
}

TEST_CASE("a strategy that fails is named and hardly chosen again, and crawlers place its jobs") {
    const days many(many_sites());
    std::string arrivals = columns;
    for (int hour = 0; hour < 6; ++hour)
        arrivals += "job" + std::to_string(hour) + "," + std::to_string(hour) + "," + std::to_string(hour + 1) + ",6,star\n";
    const auto answer = many.answer(arrivals, "", {"--rule", "hedge"});
    const auto& analytical = answer.at("strategies").at("analytical");
    CHECK(analytical.at("failures") == 6);
    CHECK(analytical.at("why_failed").get<std::string>().find("too_many_strategies") == 0);
    CHECK(answer.at("left_out") == 0);
    CHECK(answer.at("best_fixed") != "analytical");
    const auto last = answer.at("hours").back().at("probabilities").get<std::vector<double>>();
    CHECK(last.at(0) < 0.1);
    CHECK(std::accumulate(last.begin(), last.end(), 0.0) == doctest::Approx(1));
    CHECK(answer.at("expected_regret").get<double>() <= answer.at("regret_bound").get<double>());
    const auto text = many.run(arrivals).out;
    CHECK(text.find("analytical failed in 6 hours, and crawlers placed its jobs: too_many_strategies") != std::string::npos);
}

TEST_CASE("made-up arrivals and prices can be placed and drawn") {
    const days abilene(check_succeeds({BELLAMY_PROGRAM, "place", "--print-sites"}));
    const auto arrivals = check_succeeds({BELLAMY_PROGRAM, "place", "--print-arrivals"});
    const auto prices = check_succeeds({BELLAMY_PROGRAM, "place", "--print-prices"});
    const auto finished = abilene.run(arrivals, prices, {"--reaction", "1", "--plot", abilene.path("days.svg")});
    CAPTURE(finished.err);
    CHECK(finished.exit_code == 0);
    for (const char* part : {"regret-matching chose in", "cost if always", "the best fixed strategy in hindsight"})
        CHECK(finished.out.find(part) != std::string::npos);
    const auto picture = read_text(abilene.path("days.svg"));
    for (const char* part : {"cost per hour", "regret so far", "probability", "analytical"})
        CHECK(picture.find(part) != std::string::npos);
}

TEST_CASE("arrivals that cannot be meant are refused, all at once and with their lines") {
    const days alone(one_site);
    const auto refused = [&](const std::string& rows, const std::string& code, const words& parts) {
        check_refused(alone.run(columns + rows), code, parts);
    };
    check_refused(alone.run(""), "empty_table", {"arrivals.csv"});
    refused("", "empty_table", {"expected a job", "arrivals.csv"});
    refused("a,3,3,1,path\nb,5,4,1,path\n", "invalid_times", {"line 2", "line 3", "hour 4 after hour 5", "2 bad rows"});
    refused("a,0,1,1,path\nb,0,1,1,path\na,1,2,1,path\n", "duplicate_job", {"\"a\" in lines 2 and 4"});
    refused("a,0,1,-2,path\n", "invalid_job_graph", {"column tasks, line 2", "found -2"});
    refused("a,0,1,0,path\n", "invalid_job_graph", {"found 0"});
    refused("a,-1,1,1,path\n", "cannot_read", {"column arrives_h, line 2", "found -1"});
    refused("a,0.5,1,1,path\n", "not_a_number", {"column arrives_h, line 2"});
    refused("a,0,1,1,heap\n", "cannot_read", {"column shape, line 2", "heap"});
    refused("a,0,1,60000,complete\n", "invalid_job_graph", {"line 2"});
    refused("a,0,1,1\n", "ragged_row", {"line 2"});
    check_refused(alone.run("job,arrives_h,ends_h,tasks\na,0,1,1\n"), "unknown_column", {"shape"});
    check_refused(alone.run("job,arrives_h,ends_h,tasks,shape,traffic\na,0,1,2,path,-1\n"), "invalid_job_graph",
                  {"column traffic, line 2"});
    check_refused(run_program({BELLAMY_PROGRAM, "place", "--arrivals", alone.path("none.csv")}), "cannot_read");
}

TEST_CASE("prices with gaps, of unknown sites or below zero are refused with their lines") {
    const days alone(one_site);
    const auto refused = [&](const std::string& prices, const std::string& code, const words& parts) {
        check_refused(alone.run(std::string(columns) + "a,0,3,1,path\n", prices), code, parts);
    };
    refused("hour,A\n0,1\n2,1\n", "missing_price", {"expected hour 1 in line 3", "found 2"});
    refused("hour,A\n0,1\n1,\n2,1\n", "missing_price", {"column A, line 3"});
    refused("hour,A\n0,1\n1,1\n", "missing_price", {"all 3", "found 2"});
    refused("hour,A,Aa\n0,1,1\n", "unknown_site", {"line 1", "\"Aa\""});
    refused("hour\n0\n", "unknown_column", {"A"});
    refused("hour,A\n0,-1\n", "invalid_price", {"column A, line 2", "found -1"});
    refused("hour,A\n0,nan\n", "invalid_price", {"found nan"});
    refused("hour,A\n", "empty_table", {"prices.csv"});
}

TEST_CASE("options of days need arrivals, and outputs are no inputs") {
    const days alone(one_site);
    for (const words& option : {words{"--prices", "p.csv"}, words{"--reaction", "1"}, words{"--rule", "exp3"}}) {
        words command{BELLAMY_PROGRAM, "place"};
        command.insert(command.end(), option.begin(), option.end());
        check_wrong_usage(run_program(command), {"--arrivals"});
    }
    const auto arrivals = std::string(columns) + "a,0,1,1,path\n";
    check_wrong_usage(alone.run(arrivals, "", {"--reaction", "-1"}), {"reaction"});
    check_wrong_usage(alone.run(arrivals, "", {"--rule", "best"}), {"rule"});
    check_wrong_usage(alone.run(arrivals, "", {"--jobs", "x.json"}), {"--jobs"});
    check_refused(alone.run(arrivals, "", {"--plot", alone.path("arrivals.csv")}), "output_is_input", {"--arrivals"});
    CHECK(read_text(alone.path("arrivals.csv")) == arrivals);
}
