// The program forecast as users run it.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../../examples/support/trace_file.hpp"
#include "../support/made_up_traces.hpp"
#include "support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::made_up_trace;
using support::read_text;
using support::run_program;
using support::temporary_directory;
using support::operator+;

namespace {

using bellamy::application_trace;
using words = std::vector<std::string>;

void write_traces(const std::string& path, const std::vector<application_trace>& traces) {
    tools::trace_writer writer(path);
    for (const auto& each : traces) writer.add(each);
    writer.close();
}

// A folder with past runs, and a run of which two of three jobs have ended.
struct running_application {
    temporary_directory place;
    application_trace whole = made_up_trace(77, 20000, 4);

    running_application() {
        std::vector<application_trace> past;
        std::uint64_t seed = 0;
        for (const int x : {2, 4, 8})
            for (const std::uint64_t size : {8000U, 16000U, 32000U})
                past.push_back(support::without_tasks(made_up_trace(++seed, size, x)));
        past.push_back(made_up_trace(99, 8000, 2));
        past.back().application = "another";
        write_traces(place / "past.jsonl.zst", past);
        write_traces(place / "now.jsonl", {first_jobs(2)});
    }

    [[nodiscard]] application_trace first_jobs(std::size_t jobs) const {
        auto made = whole;
        made.jobs.resize(jobs);
        made.outcome = bellamy::trace_outcome::unfinished;
        made.runtime_s = jobs == 0 ? 1 : *made.jobs.back().completed_s;
        return made;
    }
    [[nodiscard]] words command(const std::string& running = "now.jsonl") const {
        return {BELLAMY_PROGRAM, "forecast", place / running, "--history", place / "past.jsonl.zst"};
    }
    [[nodiscard]] nlohmann::json record(const words& more = {}, int exit_code = 0) const {
        return answer_to(command() + more, exit_code);
    }
    /// The same of another run.
    [[nodiscard]] nlohmann::json record_of(const application_trace& run, const words& more = {}, int exit_code = 0) const {
        write_traces(place / "other.jsonl", {run});
        return answer_to(command("other.jsonl") + more, exit_code);
    }

private:
    [[nodiscard]] static nlohmann::json answer_to(const words& command, int exit_code) {
        const auto finished = run_program(command + words{"--json"});
        CAPTURE(finished.command);
        CHECK(finished.exit_code == exit_code);
        CHECK(finished.err == "");
        return nlohmann::json::parse(finished.out);
    }
};

const running_application& etl() {
    static const running_application made;
    return made;
}

[[nodiscard]] double end_of(const nlohmann::json& record) {
    return record.at("elapsed_s").get<double>() + record.at("rest").at("median_s").get<double>();
}

}  // namespace

TEST_CASE("forecast predicts the rest of a run: its jobs to come, its end, and what holds it") {
    const auto record = etl().record();
    CHECK(record.at("application") == "etl");
    CHECK(record.at("finished_jobs") == 2);
    CHECK(record.at("expected_jobs") == 3);
    CHECK(record.at("expected_stages") == true);
    CHECK(record.at("scale_out") == 4);
    REQUIRE(record.at("jobs").size() == 1);
    CHECK(record.at("jobs")[0].at("job") == 2);
    CHECK(record.at("jobs")[0].at("ends_s").get<double>() == doctest::Approx(end_of(record)));
    CHECK(end_of(record) == doctest::Approx(etl().whole.runtime_s).epsilon(0.15));
    const auto& rest = record.at("rest");
    CHECK(rest.at("p05_s") < rest.at("median_s"));
    CHECK(rest.at("median_s") < rest.at("p95_s"));
    CHECK_FALSE(record.contains("decision"));
}

TEST_CASE("forecast chooses the cheapest scale-out that keeps the deadline, and says why of every other") {
    const double elapsed_s = etl().record().at("elapsed_s");
    const auto deadline = [&](double rest_s) { return words{"--deadline", std::to_string(elapsed_s + rest_s)}; };
    const double here_s = etl().record().at("rest").at("p95_s");
    const auto easy = etl().record(deadline(10 * here_s) + words{"--price", "2", "--delay", "5"});
    CHECK(easy.at("decision").at("outcome") == "meets the deadline");
    CHECK(easy.at("table").size() == 7);
    double least = 1e300;
    for (const auto& row : easy.at("table")) least = std::min(least, row.at("expected_cost").get<double>());
    for (const auto& row : easy.at("table"))
        if (row.at("scale_out") == easy.at("decision").at("scale_out")) {
            CHECK(row.at("why") == "chosen");
            CHECK(row.at("expected_cost") == least);
        }
    const auto tight = etl().record(deadline(0.8 * etl().record().at("rest").at("p05_s").get<double>()));
    CHECK(tight.at("decision").at("scale_out") > 4);
    CHECK(tight.at("decision").at("changes") == true);
    std::string why_not_four;
    for (const auto& row : tight.at("table"))
        if (row.at("scale_out") == 4) why_not_four = row.at("why").get<std::string>();
    CHECK(why_not_four == "misses the deadline");

    const auto printed = check_succeeds(etl().command() + deadline(10 * here_s));
    for (const std::string part :
         {"2 of 3 jobs have ended", "rest of the run", "job 2, 1 stage", "chosen", "costs more", "meets the deadline"})
        CHECK_MESSAGE(printed.find(part) != std::string::npos, part, " is not in ", printed);
}

TEST_CASE("where cores are counted, candidates are whole executors") {
    const temporary_directory place;
    const auto line = [](application_trace of) {
        of.unit = bellamy::scale_out_unit::core;
        return tools::to_line(of, std::vector{bellamy::natural("executors", 4), bellamy::natural("executor_cores", 2)}) +
               "\n";
    };
    support::write_text(place / "past.jsonl", line(made_up_trace(1, 8000, 2)) + line(made_up_trace(2, 8000, 8)));
    support::write_text(place / "now.jsonl", line(etl().first_jobs(2)));
    const auto finished = run_program(
        {BELLAMY_PROGRAM, "forecast", place / "now.jsonl", "--history", place / "past.jsonl", "--deadline", "1h", "--json"});
    std::vector<int> scale_outs;
    const auto record = nlohmann::json::parse(finished.out);
    for (const auto& row : record.at("table")) scale_outs.push_back(row.at("scale_out"));
    CHECK(scale_outs == std::vector{2, 4, 6, 8});
}

TEST_CASE("looking back at a run, nothing of what came later reaches the answer") {
    auto whole = etl().whole;
    const words back{"--after", "2", "--deadline", "1000"};
    const auto record = etl().record_of(whole, back);
    whole.runtime_s *= 3;
    *whole.jobs[2].completed_s *= 3;
    whole.jobs[2].stages[0].name = "other";
    whole.scale_out.push_back({.at_s = *whole.jobs[2].completed_s - 1, .scale_out = 16});
    CHECK(etl().record_of(whole, back) == record);
    CHECK(record.at("rest") == etl().record().at("rest"));
    CHECK(etl().record_of(whole, {"--after", "0"}).at("jobs").size() == 3);
}

TEST_CASE("a saved model answers as the runs that it was learned from") {
    const words question{"--deadline", "1000", "--json"};
    const auto model = etl().place / "etl.model";
    const auto learned = check_succeeds(etl().command() + question + words{"--save", model});
    CHECK(check_succeeds(words{BELLAMY_PROGRAM, "forecast", etl().place / "now.jsonl", "--model", model} + question) ==
          learned);
}

TEST_CASE("a job that runs already is known to take at least as long as it has") {
    auto waiting = etl().first_jobs(2);
    const double first_s = end_of(etl().record_of(waiting));
    const double rest_s = first_s - waiting.runtime_s;
    double before_s = first_s;
    for (const double share : {0.5, 1.0, 2.0}) {
        auto later = waiting;
        later.runtime_s += share * rest_s;
        const auto record = etl().record_of(later);
        CHECK(end_of(record) > later.runtime_s);
        CHECK(end_of(record) >= before_s * (1 - 1e-9));
        before_s = end_of(record);
    }
    CHECK(before_s > first_s + rest_s);
}

TEST_CASE("forecast states what it answers where there is little to decide") {
    const auto passed = etl().record({"--deadline", "1"}, 4);
    CHECK(passed.at("decision").at("outcome") == "deadline passed");
    const auto over = etl().record_of(etl().whole, {"--deadline", "1000"});
    CHECK(over.at("decision").at("outcome") == "nothing to come");
    CHECK(over.at("decision").at("scale_out") == 4);
    CHECK(over.at("jobs").empty());
    CHECK(over.at("rest").is_null());
    const auto one = etl().record({"--deadline", "1000", "--scale-outs", "6"});
    CHECK(one.at("table").size() == 1);
    CHECK(one.at("decision").at("scale_out") == 6);

    auto other = etl().first_jobs(2);
    other.jobs[0].stages.push_back(other.jobs[0].stages[0]);
    other.jobs[0].stages.back().id = 100;
    CHECK(etl().record_of(other).at("expected_stages") == false);
    write_traces(etl().place / "other.jsonl", {other});
    CHECK(check_succeeds(etl().command("other.jsonl")).find("match no past run") != std::string::npos);
}

TEST_CASE("a deadline that no scale-out keeps has its own exit code, with the best effort printed") {
    const auto finished = run_program(etl().command() + words{"--deadline", "1"});
    CHECK(finished.exit_code == 4);
    CHECK(finished.err == "");
    CHECK(finished.out.find("deadline passed") != std::string::npos);
    const auto soon = std::to_string(etl().record().at("elapsed_s").get<double>() + 0.5);
    CHECK(etl().record({"--deadline", soon}, 4).at("decision").at("outcome") == "misses the deadline");
    const auto missed = run_program(etl().command() + words{"--deadline", soon});
    CHECK(missed.out.find("  best effort") != std::string::npos);
    CHECK(missed.out.find("  chosen") == std::string::npos);
    CHECK(etl().record({"--deadline", "100000"}).at("decision").at("outcome") == "meets the deadline");
    // Over, and too late.
    CHECK(etl().record_of(etl().whole, {"--deadline", "1"}, 4).at("decision").at("outcome") == "nothing to come");
}

TEST_CASE("forecast marks candidates outside the scale-outs that it learned from") {
    const words question{"--deadline", "100000", "--scale-outs", "4,8,64"};
    const auto rows = etl().record(question).at("table");
    CHECK(rows.at(0).at("outside_seen_scale_outs") == false);
    CHECK(rows.at(1).at("outside_seen_scale_outs") == false);
    CHECK(rows.at(2).at("outside_seen_scale_outs") == true);
    const auto printed = check_succeeds(etl().command() + question);
    const std::string mark = "(outside the scale-outs seen)\n";
    const auto at = printed.find(mark);
    REQUIRE(at != std::string::npos);
    CHECK(printed.substr(printed.rfind('\n', at) + 1, 9) == "       64");
    CHECK(printed.find(mark, at + 1) == std::string::npos);
    CHECK(check_succeeds(etl().command() + words{"--deadline", "100000", "--scale-outs", "64"})
              .find("; but that extrapolates, since only scale-outs 2 to 8 were seen\n") != std::string::npos);
}

TEST_CASE("where missing has a cost, forecast takes what costs least, and says with which probability that is in time") {
    const auto now = etl().record();
    const double deadline_s = now.at("elapsed_s").get<double>() + 0.9 * now.at("rest").at("median_s").get<double>();
    const words asked{"--deadline", std::to_string(deadline_s), "--scale-outs", "4,8", "--price",
                      "1",          "--cost-of-change",         "100"};
    CHECK(etl().record(asked).at("decision").at("scale_out") == 8);
    const auto cheap = etl().record(asked + words{"--cost-of-missing", "1e-9"});
    CHECK(cheap.at("decision").at("outcome") == "costs least");
    CHECK(cheap.at("decision").at("scale_out") == 4);
    CHECK(cheap.at("cost_of_missing") == 1e-9);
    CHECK(etl().record(asked + words{"--cost-of-missing", "1e9"}).at("decision").at("scale_out") == 8);
    CHECK(etl().record({"--deadline", "1", "--cost-of-missing", "1"}, 4).at("decision").at("outcome") == "deadline passed");
}

TEST_CASE("forecast refuses what only a deadline gives a meaning where there is none") {
    for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--probability", "0.5"},
                                                                                        {"--price", "2"},
                                                                                        {"--delay", "30"},
                                                                                        {"--cost-of-change", "1"},
                                                                                        {"--cost-of-missing", "1"},
                                                                                        {"--scale-outs", "4,8"}})
        check_wrong_usage(run_program(etl().command() + words{option, value}), {option, "--deadline"});
}

TEST_CASE("forecast refuses what is no question and names it") {
    const auto refuse = [](const application_trace& run, const std::string& code, const words& more = {}) {
        write_traces(etl().place / "bad.jsonl", {run});
        check_refused(run_program(etl().command("bad.jsonl") + more), code);
    };
    auto gap = etl().first_jobs(2);
    gap.jobs[0].completed_s.reset();
    gap.jobs[0].outcome = bellamy::trace_outcome::unfinished;
    refuse(gap, "invalid_trace");
    auto unknown = etl().first_jobs(2);
    unknown.scale_out.clear();
    refuse(unknown, "unknown_scale_out");
    auto stranger = etl().first_jobs(2);
    stranger.application = "nobody";
    refuse(stranger, "empty_history");
    refuse(etl().whole, "no_such_job", {"--after", "4"});
    check_refused(run_program(etl().command() + words{"--run", "none"}), "unclear_run");
    check_refused(run_program(etl().command("past.jsonl.zst")), "unclear_run");
    check_refused(run_program(etl().command("none.jsonl")), "cannot_read");
    check_refused(
        run_program({BELLAMY_PROGRAM, "forecast", etl().place / "now.jsonl", "--model", etl().place / "now.jsonl"}),
        "not_a_model");
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "forecast", etl().place / "now.jsonl"}));
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "forecast", "--history", etl().place / "past.jsonl.zst",
                                   etl().place / "now.jsonl", "--json"}),
                      {"RUNNING is required", "before --history"});
}

TEST_CASE("forecast refuses options out of their ranges, also those that only a deadline needs") {
    for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--deadline", "-1"},
                                                                                        {"--deadline", "0"},
                                                                                        {"--deadline", ""},
                                                                                        {"--probability", "1"},
                                                                                        {"--probability", "2"},
                                                                                        {"--price", "-1"},
                                                                                        {"--cost-of-change", "inf"},
                                                                                        {"--cost-of-missing", "-1"},
                                                                                        {"--delay", "-3"},
                                                                                        {"--scale-outs", "4,0"},
                                                                                        {"--scale-outs", "4,,8"}})
        check_wrong_usage(run_program(etl().command() + words{option, value}), {option + ": expected"});
}

TEST_CASE("forecast draws the run so far, the band of its rest, the deadline and the choice") {
    if (run_program({"/bin/sh", "-c", "command -v gnuplot"}).exit_code != 0) {
        MESSAGE("skipped: no gnuplot here (Debian: apt-get install gnuplot-nox)");
        return;
    }
    const double elapsed_s = etl().record().at("elapsed_s");
    const auto rest_s = etl().record().at("rest").at("p05_s").get<double>();
    const auto plot = etl().place / "rest.svg";
    check_succeeds(etl().command() + words{"--deadline", std::to_string(elapsed_s + 0.8 * rest_s), "--plot", plot});
    const auto picture = read_text(plot);
    for (const std::string part : {"<svg", "jobs that have ended", "time since the start (s)", "90 % of runs",
                                   "50 % of runs", "median at 4 nodes", "this run", "deadline: ", "2 of 3 jobs"})
        CHECK_MESSAGE(picture.find(part) != std::string::npos, part, " is not in the picture");
    write_traces(etl().place / "over.jsonl", {etl().whole});
    check_succeeds(etl().command("over.jsonl") + words{"--plot", plot});
    CHECK(read_text(plot).find("of runs") == std::string::npos);
}

TEST_CASE("a forecast that rests on one past run says so, which jobs differ from it, and is wide enough for what came") {
    const std::string folder = std::string(BELLAMY_FIELD_CASES) + "/forecast_of_one_run/";
    if (!std::filesystem::exists(folder)) {
        MESSAGE("skipped: the traces at " << folder << " are not there");
        return;
    }
    constexpr double ended_s = 503.1;
    const auto finished = run_program({BELLAMY_PROGRAM, "forecast", folder + "now.jsonl", "--history", folder + "past.jsonl",
                                       "--deadline", "400", "--json"});
    CHECK(finished.exit_code == 4);
    const auto record = nlohmann::json::parse(finished.out);
    REQUIRE(record.at("warnings").size() == 2);
    CHECK(record.at("warnings")[0].get<std::string>().find("one past run") != std::string::npos);
    CHECK(record.at("warnings")[1].get<std::string>().find("job 2 had 34 tasks, 17 in the past run") == 0);
    CHECK(record.at("elapsed_s").get<double>() + record.at("rest").at("p95_s").get<double>() > ended_s);
    CHECK(record.at("table")[0].at("probability") < 0.7);
}

TEST_CASE("where the only past run had as many tasks, or there are several, nothing but their number is doubted") {
    const temporary_directory place;
    write_traces(place / "past.jsonl", {support::without_tasks(etl().whole)});
    auto again = etl().first_jobs(2);
    again.run = "again";
    write_traces(place / "now.jsonl", {again});
    const auto of_one = nlohmann::json::parse(
        check_succeeds({BELLAMY_PROGRAM, "forecast", place / "now.jsonl", "--history", place / "past.jsonl", "--json"}));
    CHECK(of_one.at("warnings").size() == 1);
    CHECK(etl().record().at("warnings").empty());
}
