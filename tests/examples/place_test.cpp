// The program place as users run it.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/made_up_table.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::write_text;

namespace {

using words = std::vector<std::string>;
using support::operator+;

constexpr const char* two_sites =
    R"({"data_centres": [{"slots": 3, "load": 1, "price": 1, "idle": 1}, {"slots": 4, "price": 2, "idle": 1}],
                                      "links": [[0, 1, 0.5]]})";

}  // namespace

TEST_CASE("place answers as JSON: where, unplaced, load, costs and a bound") {
    const temporary_directory place;
    write_text(place / "sites.json", two_sites);
    write_text(place / "jobs.json", R"([{"name": "a", "tasks": 3, "edges": [[0, 1, 1], [1, 2, 1]]},
                                        {"name": "b", "tasks": 9, "edges": []}, {"name": "c", "tasks": 0, "edges": []}])");
    const auto printed =
        check_succeeds({BELLAMY_PROGRAM, "place", "--sites", place / "sites.json", "--jobs", place / "jobs.json", "--json"});
    const auto answer = nlohmann::json::parse(printed);
    // Two tasks in the cheap site and one in the other, across one edge: 1 + 1 + 2 + 0.5.
    CHECK(answer.at("added_rate").get<double>() == doctest::Approx(4.5));
    CHECK(answer.at("cost_rate").get<double>() == doctest::Approx(5.5));
    CHECK(answer.at("lower_bound").get<double>() <= 5.5);
    CHECK(answer.at("load") == nlohmann::json({3, 1}));
    CHECK(answer.at("unplaced") == nlohmann::json({1}));
    CHECK(answer.at("why_unplaced") == nlohmann::json({{"1", "needs 9 free slots, found 6"}}));
    CHECK(answer.at("where").at(0).size() == 3);
    CHECK(answer.at("where").at(1).empty());
}

TEST_CASE("place runs at once with what it carries, and again from the files that it prints") {
    const auto printed = check_succeeds({BELLAMY_PROGRAM, "place"});
    CHECK(check_succeeds({BELLAMY_PROGRAM, "place", "--help"}).find("Internet Topology Zoo") != std::string::npos);
    for (const std::string part : {"sort: meets the deadline", "chosen", "Kansas City", "no plan adds less than"})
        CHECK_MESSAGE(printed.find(part) != std::string::npos, part, " is not in ", printed);
    const temporary_directory place;
    write_text(place / "sites.json", check_succeeds({BELLAMY_PROGRAM, "place", "--print-sites"}));
    write_text(place / "jobs.json", check_succeeds({BELLAMY_PROGRAM, "place", "--print-jobs"}));
    CHECK(check_succeeds({BELLAMY_PROGRAM, "place", "--sites", place / "sites.json", "--jobs", place / "jobs.json"}) ==
          printed);
}

TEST_CASE("place says which variant of a job it placed, also where all miss the deadline or none fits") {
    const temporary_directory place;
    write_text(place / "sites.json", R"({"data_centres": [{"slots": 6, "price": 1, "idle": 1}], "links": []})");
    const auto answer_to = [&](const std::string& deadline_s, const words& more) {
        write_text(place / "jobs.json", R"([{"name": "a", "deadline_s": )" + deadline_s +
                                            R"(, "variants": [{"scale_out": 2, "shape": "path", "median_s": 100},
                                                {"scale_out": 4, "shape": "path", "median_s": 60},
                                                {"scale_out": 9, "shape": "path", "median_s": 40}]}])");
        return check_succeeds(
            words{BELLAMY_PROGRAM, "place", "--sites", place / "sites.json", "--jobs", place / "jobs.json"} + more);
    };
    const auto chosen_for = [&](const std::string& deadline_s) {
        return nlohmann::json::parse(answer_to(deadline_s, {"--json"})).at("variants").at("0").at("chosen");
    };
    CHECK(answer_to("70", {}).find("; variant 2 of 3, scale-out 4\n") != std::string::npos);
    CHECK(chosen_for("70") == 1);
    const auto missed = answer_to("50", {});
    CHECK(missed.find(" chosen\n") == std::string::npos);
    CHECK(missed.find("; variant 2 of 3, scale-out 4, the best effort\n") != std::string::npos);
    CHECK(chosen_for("50") == 1);
    write_text(place / "sites.json", R"({"data_centres": [{"slots": 1, "price": 1, "idle": 1}], "links": []})");
    CHECK(answer_to("70", {}).find("no room: no variant is usable and fits\n") != std::string::npos);
    CHECK(chosen_for("70").is_null());
}

TEST_CASE("place predicts the runtimes of a job by a model, and chooses its size by its deadline") {
    const temporary_directory place;
    write_text(place / "sites.json", R"({"data_centres": [{"slots": 20, "price": 1, "idle": 1}], "links": []})");
    write_text(place / "sort.tsv", support::c3o_table());
    check_succeeds(
        {BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--folds", "0", "--out", place / "sort.model"});
    const auto answer_to = [&](const std::string& more, const std::string& deadline) {
        const std::string properties =
            R"(, "properties": {"machine_type": "m4.xlarge", "data_size_MB": 16000, "job_args": null, )"
            R"("data_characteristics": "100 1000", "environment": "public cloud aws emr"})";
        const bool has_own = more.find("properties") != std::string::npos;
        write_text(place / "jobs.json", R"([{"name": "s", "model": "sort.model", "shape": "star", "deadline_s": )" +
                                            deadline + (has_own ? "" : properties) + more + "}]");
        return run_program(
            {BELLAMY_PROGRAM, "place", "--sites", place / "sites.json", "--jobs", place / "jobs.json", "--json"});
    };
    const auto table_for = [&](const std::string& more, const std::string& deadline) {
        const auto finished = answer_to(more, deadline);
        CAPTURE(finished.err);
        REQUIRE(finished.exit_code == 0);
        return nlohmann::json::parse(finished.out);
    };
    const auto seen = table_for("", "100000");
    CHECK(seen.at("variants").at("0").at("outcome") == "meets the deadline");
    CHECK(seen.at("where").at(0).size() == 2);  // the least energy
    const auto& rows = seen.at("variants").at("0").at("table");
    CHECK(rows.front().at("scale_out") == 2);
    CHECK(rows.front().at("expected_s").get<double>() > rows.back().at("expected_s").get<double>());
    // A deadline between the two takes more machines.
    const double between = (rows.front().at("expected_s").get<double>() + rows.back().at("expected_s").get<double>()) / 2;
    const auto two = table_for(R"(, "scale_outs": [2, 6])", std::to_string(between));
    CHECK(two.at("variants").at("0").at("table").size() == 2);
    CHECK(two.at("where").at(0).size() == 6);

    check_refused(answer_to(R"(, "scale_outs": [0])", "9"), "invalid_scale_out");
    check_refused(answer_to(R"(, "scale_outs": ["many"])", "9"), "cannot_read", {"whole numbers"});
    check_refused(answer_to(R"(, "scale_outs": [])", "9"), "cannot_read", {"scale_outs"});
    (void)table_for("", "9");
    const auto model = read_text(place / "sort.model");
    std::filesystem::create_symlink(place / "sort.model", place / "picture.svg");
    check_refused(run_program({BELLAMY_PROGRAM, "place", "--sites", place / "sites.json", "--jobs", place / "jobs.json",
                               "--plot", place / "picture.svg"}),
                  "output_is_input", {"the model of s"});
    CHECK(read_text(place / "sort.model") == model);
    check_refused(answer_to(R"(, "variants": [])", "9"), "cannot_read", {"not both"});
    check_refused(answer_to(R"(, "model": "none.model")", "9"), "cannot_read", {"every key once"});
    check_refused(answer_to(R"(, "properties": {"data_size_MB": 1})", "9"), "missing_property", {"machine_type"});
    check_refused(answer_to(R"(, "properties": {"data_size_MB": [1]})", "9"), "cannot_read", {"data_size_MB"});
}

TEST_CASE("place refuses bad sites and jobs and says where they are") {
    const temporary_directory place;
    write_text(place / "good.json", two_sites);
    const auto with_sites = [&](const std::string& text) {
        write_text(place / "sites.json", text);
        return run_program({BELLAMY_PROGRAM, "place", "--sites", place / "sites.json"});
    };
    const auto with_jobs = [&](const std::string& text) {
        write_text(place / "jobs.json", text);
        return run_program({BELLAMY_PROGRAM, "place", "--sites", place / "good.json", "--jobs", place / "jobs.json"});
    };
    check_refused(with_sites("{"), "cannot_read", {"sites.json", "line 1, column 2"});
    check_refused(with_sites(R"({"data_centres": [{"slots": 1, "price": NaN}], "links": []})"), "cannot_read",
                  {"sites.json", "line 1"});
    check_refused(with_sites(R"({"data_centres": 3})"), "cannot_read", {"data_centres"});
    check_refused(with_sites(R"({"data_centres": [{"slots": 1.5, "price": 1}], "links": []})"), "cannot_read", {"slots"});
    check_refused(with_sites(R"({"data_centres": [{"slots": -1, "price": 1}], "links": []})"), "invalid_data_centre",
                  {"data centre 0"});
    check_refused(with_sites(R"({"data_centres": [{"slots": 1, "price": -1}], "links": []})"), "invalid_price");
    check_refused(with_sites(R"({"data_centres": [{"slots": 1, "price": 1}], "links": [[0, 0]]})"), "invalid_link");
    check_refused(with_sites(R"({"data_centres": [], "links": [[0, -1]]})"), "cannot_read", {"pairs"});
    check_refused(with_jobs("{}"), "cannot_read", {"list of jobs"});
    check_refused(with_jobs("[3]"), "cannot_read");
    check_refused(with_jobs(R"([{"deadline_s": 9, "model": "none", "shape": "star", "properties": {}}])"), "cannot_read",
                  {"none"});
    check_refused(with_jobs(R"([{"tasks": 2, "edges": [[0, 1], [1, 0]]}])"), "invalid_job_graph", {"twice"});
    check_refused(with_jobs(R"([{"tasks": 2, "edges": []}, {"tasks": 2, "edges": [[1, 1]]}])"), "invalid_job_graph",
                  {"edge 0", "job 1 of"});
    check_refused(with_jobs(R"([{"tasks": -1, "edges": []}])"), "cannot_read", {"tasks", "job 0 of"});
    check_refused(with_jobs(R"([{"tasks": 1, "tasks": 2, "edges": []}])"), "cannot_read", {"every key once", "tasks"});
    check_refused(with_jobs(R"([{"deadline_s": 9, "variants": []}])"), "cannot_read", {"variants", "job 0 of"});
    check_refused(with_jobs(R"([{"deadline_s": 9, "variants": [{"scale_out": 1, "shape": "star", "median_s": 0}]}])"),
                  "cannot_read", {"median_s", "> 0"});
    check_refused(with_jobs(R"([{"deadline_s": 9, "variants": [{"scale_out": 1, "shape": "star", "median_s": 1,)"
                            R"( "log_deviation": -0.1}]}])"),
                  "cannot_read", {"log_deviation", ">= 0"});
    check_refused(with_jobs(R"([{"tasks": 1000000, "edges": []}])"), "invalid_job_graph", {"1000000", "job 0 of"});
    check_refused(with_jobs(R"([{"tasks": 1000000, "shape": "star"}])"), "invalid_job_graph", {"job 0 of"});
    check_refused(with_jobs(R"([{"deadline_s": 0, "variants": [{"scale_out": 1, "shape": "star", "median_s": 1}]}])"),
                  "invalid_deadline", {"job 0 of ", "jobs.json"});
    check_refused(with_jobs(R"([{"deadline_s": 9, "variants": [{"scale_out": 1, "shape": "heap", "median_s": 1}]}])"),
                  "cannot_read", {"heap"});
    check_refused(run_program({BELLAMY_PROGRAM, "place", "--sites", place / "none.json"}), "cannot_read");
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "place", "--budget", "0"}), {"budget", "found 0"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "place", "--site", "x"}));
}

TEST_CASE("a variant that keeps no deadline is placed as the best effort, said so, and no error") {
    const temporary_directory place;
    write_text(place / "sites.json", two_sites);
    write_text(
        place / "jobs.json",
        R"([{"name": "late\u001b[2J", "deadline_s": 9, "variants": [{"scale_out": 2, "shape": "star", "median_s": 90}]}])");
    const words command{BELLAMY_PROGRAM, "place", "--sites", place / "sites.json", "--jobs", place / "jobs.json"};
    const auto printed = check_succeeds(command);
    CHECK(printed.starts_with("late [2J: infeasible (9 s"));
    CHECK(printed.find('\x1b') == std::string::npos);
    const auto answer = nlohmann::json::parse(check_succeeds(command + words{"--json"}));
    CHECK(answer.at("variants").at("0").at("outcome") == "infeasible");
    CHECK(answer.at("where").at(0).size() == 2);
}

TEST_CASE("place tells a field that it does not use, as a misspelt one, and plans by the default") {
    const temporary_directory place;
    write_text(place / "sites.json", R"({"data_centres": [{"slots": 2, "price": 1, "idel": 1}], "links": []})");
    write_text(place / "jobs.json", R"([{"name": "a", "tasks": 1, "edges": [], "deadline": 60}])");
    const auto ran =
        run_program({BELLAMY_PROGRAM, "place", "--sites", place / "sites.json", "--jobs", place / "jobs.json", "--json"});
    CHECK(ran.exit_code == 0);
    for (const char* told : {"\"idel\" in data centre 0 of", "idle", "\"deadline\" in job 0 of"})
        CHECK(ran.err.find(told) != std::string::npos);
    CHECK(nlohmann::json::parse(ran.out).at("unplaced").empty());
}

TEST_CASE("place draws sites and loads through gnuplot") {
    if (run_program({"/bin/sh", "-c", "command -v gnuplot"}).exit_code != 0) {
        MESSAGE("skipped: no gnuplot here (Debian: apt-get install gnuplot-nox)");
        return;
    }
    const temporary_directory place;
    check_succeeds({BELLAMY_PROGRAM, "place", "--plot", place / "sites.svg"});
    const auto picture = read_text(place / "sites.svg");
    for (const std::string part : {"<svg", "Kansas City", "3 to 5 of 8"})
        CHECK_MESSAGE(picture.find(part) != std::string::npos, part, " is not in the picture");
}
