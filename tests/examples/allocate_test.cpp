// The programs allocate and quickstart, with the model that they carry or one made for the purpose.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "../../examples/support/odds_text.hpp"
#include "support/made_up_table.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::read_text;
using support::run_program;
using support::sort_job;
using support::temporary_directory;

namespace {

using words = std::vector<std::string>;
using support::operator+;

// The context of the target `demo` in examples/CMakeLists.txt, with some of its properties changed.
words job(const std::map<std::string, std::string>& changed = {}) {
    std::map<std::string, std::string> properties{{"machine_type", "m4.2xlarge"},
                                                  {"job_args", ""},
                                                  {"data_size_MB", "15408"},
                                                  {"data_characteristics", "100 160000000"},
                                                  {"environment", "public cloud aws emr"},
                                                  {"job_type", "sort-spark"},
                                                  {"memory", "32000"},
                                                  {"slots", "8"}};
    for (const auto& [name, value] : changed) properties[name] = value;
    words command{BELLAMY_PROGRAM, "allocate"};
    for (const auto& [name, value] : properties) {
        command.push_back("--property");
        command.push_back(name + "=" + value);
    }
    return command;
}

// Its arguments after the properties.
const words demo{"--observe", "4=298",      "--observe", "8=226",      "--deadline", "260",        "--measured",
                 "2=634",     "--measured", "6=248",     "--measured", "10=220",     "--measured", "12=208"};

// What an answer prints that keeps no limit: its exit code says so too.
std::string check_infeasible(const words& command) {
    const auto finished = run_program(command);
    CAPTURE(finished.command);
    CHECK(finished.exit_code == 4);
    CHECK(finished.err == "");
    return finished.out;
}

std::string last_line(const std::string& text) { return text.substr(text.rfind('\n', text.size() - 2) + 1); }

// The text between two others.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    REQUIRE_MESSAGE(begin != std::string::npos, before, " is not in ", text);
    const auto end = text.find(after, begin + before.size());
    REQUIRE_MESSAGE(end != std::string::npos, after, " is not in ", text);
    return text.substr(begin + before.size(), end - begin - before.size());
}

}  // namespace

TEST_CASE("the demo prints a table, a curve and a choice, and is off by a few percent") {
    const auto printed = check_succeeds(job() + demo);
    CHECK(printed.find("model        sort, learned from ") != std::string::npos);
    CHECK(printed.find("based on     m4.2xlarge: ") != std::string::npos);
    CHECK(printed.find("the model and 2 runs\n") != std::string::npos);
    CHECK(printed.find("scale-out  median s") != std::string::npos);
    CHECK(printed.find("measured s  difference  verdict\n        2 ") != std::string::npos);
    for (const std::string word : {"misses the deadline\n", "chosen\n", "larger than needed\n", "runtime (s)\n",
                                   "scale-out (nodes)\n", "* predicted   o observed   # chosen: ", "   - deadline 260 s\n"})
        CHECK_MESSAGE(printed.find(word) != std::string::npos, word);

    // Runs of one job on the same nodes differ by 2.8 % from their mean in the records of sort, which nothing can predict;
    // Ernest, which knows the two observed runs only, is off by 9.4 % here.
    const auto off = std::stod(between(printed, "Mean difference at 4 measured scale-outs that were not observed: ", " %"));
    CHECK(off > 0);
    CHECK(off <= 5);

    const auto choice = last_line(printed);
    CHECK(choice.starts_with("Choose "));
    CHECK(choice.find("within the deadline of 260 s") != std::string::npos);
    CHECK(std::stod(between(choice, "predicted to take ", " s")) <= 260);
    CHECK(between(printed, "# chosen: ", " ") == between(choice, "Choose ", " "));
}

TEST_CASE("the ten lines answer as the program does") {
    const auto ten_lines = check_succeeds({BELLAMY_QUICKSTART});
    const auto choice = last_line(check_succeeds(job() + demo + words{"--range", "2:12:2"}));
    CHECK(between(ten_lines, "Take ", " nodes") == between(choice, "Choose ", " nodes"));
    CHECK(between(ten_lines, "about ", " s,") == between(choice, "predicted to take ", " s"));
    CHECK(read_text(BELLAMY_GOLDEN_DIR "/../../README.md").find("`" + ten_lines.substr(0, ten_lines.find('\n')) + "`") !=
          std::string::npos);
}

TEST_CASE("an infeasible deadline is an answer with the best effort") {
    const auto printed = check_infeasible(job() + words{"--deadline", "1"});
    CHECK(last_line(printed).starts_with("No candidate meets the deadline of 1 s"));
    CHECK(last_line(printed).find("; the closest is ") != std::string::npos);
    CHECK(last_line(printed).find(" nodes: ") != std::string::npos);
    CHECK(printed.find("  chosen\n") == std::string::npos);
    CHECK(printed.find("# chosen") == std::string::npos);
}

TEST_CASE("what lies outside the scale-outs seen is said") {
    const auto table = check_succeeds(job() + words{"--deadline", "100000", "--range", "10:16:2"});
    const auto lines = between(table, "verdict\n", "\n\n");
    CHECK(between(lines, " 12 ", "\n").find("outside") == std::string::npos);
    CHECK(between(lines, " 14 ", "\n").find("outside the scale-outs seen") != std::string::npos);
    CHECK(table.find("extrapolates") == std::string::npos);  // the choice itself was seen

    const auto beyond = check_succeeds(job() + words{"--deadline", "100000", "--scale-outs", "14,16"});
    CHECK(last_line(beyond).starts_with("Choose 14 nodes"));
    CHECK(last_line(beyond).find("that extrapolates, since only scale-outs 2 to 12 were seen") != std::string::npos);

    // An observed run is seen.
    const auto observed =
        check_succeeds(job() + words{"--deadline", "100000", "--scale-outs", "14,16", "--observe", "16=200"});
    CHECK(last_line(observed).find("extrapolates") == std::string::npos);
}

TEST_CASE("without observed runs the general model answers, and the default candidates are those seen") {
    const auto printed = check_succeeds(job() + words{"--deadline", "400"});
    CHECK(printed.find("based on     m4.2xlarge: the model alone\n") != std::string::npos);
    const auto lines = between(printed, "verdict\n", "\n\n");
    CHECK(std::count(lines.begin(), lines.end(), '\n') + 1 == 11);  // 2 to 12
}

TEST_CASE("every strategy of reuse answers with a network") {
    const temporary_directory place;
    support::make_model(place);
    for (const std::string strategy : {"partial_unfreeze", "full_unfreeze", "partial_reset", "full_reset", "local"})
        CHECK(check_succeeds(sort_job(place / "sort.bellamy") +
                             words{"--deadline", "1e6", "--observe", "4=100", "--strategy", strategy})
                  .find("fine-tuning  " + strategy) != std::string::npos);
}

TEST_CASE("a request with a defect is refused by name") {
    using changes = std::map<std::string, std::string>;
    struct row {
        changes properties;
        words arguments;
        std::string code;
        words said;
    };
    const words fine{"--deadline", "260"};
    const std::vector<row> table{
        {{}, fine + words{"--observe", "4=0"}, "invalid_runtime", {"run 0", "found 0"}},
        {{}, fine + words{"--observe", "4=100", "--observe", "8=-1"}, "invalid_runtime", {"run 1", "found -1"}},
        {{}, fine + words{"--observe", "4=nan"}, "invalid_runtime", {"found nan"}},
        {{}, fine + words{"--observe", "4=inf"}, "invalid_runtime", {"found inf"}},
        {{}, fine + words{"--observe", "0=100"}, "invalid_scale_out", {"run 0", "found 0"}},
        {{}, fine + words{"--measured", "4=0"}, "invalid_runtime", {"found 0"}},
        {{}, fine + words{"--measured", "40=100"}, "invalid_scale_out", {"candidate", "found scale-out 40"}},
        {{}, fine + words{"--property", "slots=8"}, "duplicate_property", {"slots twice"}},
        {{{"colour", "red"}}, fine, "unknown_property", {"machine_type", "memory", "\"colour\""}},
        {{{"data_size_MB", "549755813888"}}, fine, "number_too_large", {"549755813887", "found 549755813888"}},
        {{{"data_size_MB", "18446744073709551616"}}, fine, "number_too_large", {"found 18446744073709551616"}},
        {{{"memory", "549755813887"}}, fine + words{"--observe", "4=100"}, "number_too_large", {"memory", "times 4"}},
        {{{"data_size_MB", "many"}}, fine, "not_a_number", {"data_size_MB", "\"many\""}},
        {{{"data_size_MB", "-1"}}, fine, "not_a_number", {"data_size_MB", "\"-1\""}},
        {{{"machine_type", "caf\xE9"}}, fine, "invalid_text", {"UTF-8", "machine_type"}},
        {{}, fine + words{"--observe", "c4.large:4=100"}, "unknown_machine", {"m4.2xlarge", "\"c4.large\""}},
        {{}, fine + words{"--unknown", "slots"}, "duplicate_property", {"slots", "twice"}},
        {{}, fine + words{"--unknown", "colour"}, "unknown_property", {"\"colour\""}},
        {{}, fine + words{"--machine", "m4.2xlarge=1"}, "duplicate_property", {"machine_type", "found both"}},
    };
    for (const auto& [properties, arguments, code, said] : table) {
        check_refused(run_program(job(properties) + arguments), code, said);
    }
    check_refused(run_program({BELLAMY_PROGRAM, "allocate", "--deadline", "9", "--property", "job_args="}),
                  "missing_property", {"machine_type, data_size_MB, data_characteristics, environment"});
    check_wrong_usage(run_program({BELLAMY_PROGRAM, "allocate", "--deadline", "9"}),
                      {"--cold-start", "--model", "sort, --property machine_type=VALUE"});
}

TEST_CASE("allocate called wrongly says so in one line") {
    for (const auto& [arguments, word] : std::vector<std::pair<words, std::string>>{
             {{}, "--deadline"},
             {{"--deadline", "soon"}, "--deadline"},
             {{"--deadline", "9", "--goal", "best"},
              "expected one of smallest, cheapest, fastest, least-cost, found \"best\""},
             {{"--deadline", "9", "--range", "5"}, "FIRST:LAST"},
             {{"--deadline", "9", "--plot", "curve.png"}, ".svg"},
             {{"--deadline", "9", "--range", "a:b"}, "FIRST:LAST"},
             {{"--deadline", "9", "--range", "1:2:3:4"}, "FIRST:LAST"},
             {{"--deadline", "9", "--range", "2:5", "--scale-outs", "2"}, "--range"},
             {{"--deadline", "9", "--observe", "4"}, "SCALE_OUT=TIME"},
             {{"--deadline", "9", "--observe", "=4"}, "SCALE_OUT=TIME"},
             {{"--deadline", "9", "--observe", "4=x"}, "SCALE_OUT=TIME"},
             {{"--deadline", "9", "--measured", "4.5=3"}, "SCALE_OUT=TIME"},
             {{"--deadline", "9", "--property", "slots"}, "NAME=VALUE"},
             {{"--deadline", "9", "--embedded", "chess"}, "sort"},
             {{"--deadline", "9", "--embedded", "sort", "--model", "m"}, "--model"},
             {{"--deadline", "9", "--strategy", "magic"}, "partial_unfreeze"},
             {{"--deadline", "9", "--strategy", "local"}, "paper mode"},
             {{"--deadline", "9", "--rerun-share", "0.5"}, "--interruptions"},
             {{"--deadline", "9", "--goal", "prettiest"}, "least-cost"},
             {{"--deadline", "9", "--goal", "cheapest"}, "--price"},
             {{"--price", "1", "--goal", "cheapest"}, "--deadline"},
             {{"--price", "1", "--budget", "1"}, "--budget is the limit of --goal fastest"},
             {{"--price", "1", "--goal", "fastest"}, "--budget"},
             {{"--budget", "1", "--goal", "fastest"}, "--price"},
             {{"--deadline", "9", "--budget", "1"}, "--budget"},
             {{"--deadline", "9", "--goal", "least-cost", "--price", "1"}, "--deadline"},
             {{"--cost-of-missing", "1", "--price", "1"}, "--deadline"},
             {{"--deadline", "9", "--cost-of-missing", "1"}, "--price"},
             {{"--deadline", "9", "--cost-of-missing", "1", "--goal", "cheapest", "--price", "1"}, "--cost-of-missing"},
             {{"--deadline", "9", "--price", "a"}, "--price"},
             {{"--deadline", "9", "--price", "1", "--machine", "a=1"}, "--machine"},
             {{"--deadline", "9", "--seed", "-1"}, "--seed"},
             {{"--deadline", "0"}, "--deadline: expected"},
             {{"--deadline", "-5"}, "--deadline: expected"},
             {{"--deadline", "nan"}, "--deadline: expected"},
             {{"--deadline", "inf"}, "--deadline: expected"},
             {{"--deadline", "9", "--range", "9:5"}, "--range: expected"},
             {{"--deadline", "9", "--range", "2:12:0"}, "--range: expected"},
             {{"--deadline", "9", "--range", "0:5"}, "--range: expected"},
             {{"--deadline", "9", "--range", "2:2000000000"}, "--range: expected"},
             {{"--deadline", "9", "--scale-outs", "4,0"}, "--scale-outs: expected"},
             {{"--deadline", "9", "--probability", "0"}, "--probability: expected"},
             {{"--deadline", "9", "--probability", "1"}, "--probability: expected"},
             {{"--deadline", "9", "--probability", "-0.1"}, "--probability: expected"},
             {{"--deadline", "9", "--probability", "nan"}, "--probability: expected"},
             {{"--deadline", "9", "--price", "-1"}, "--price: expected"},
             {{"--deadline", "9", "--price", "inf"}, "--price: expected"},
             {{"--deadline", "9", "--start-up", "-1"}, "--start-up: expected"},
             {{"--deadline", "9", "--billing", "-60"}, "--billing: expected"},
             {{"--deadline", "9", "--interruptions", "nan"}, "--interruptions: expected"},
             {{"--deadline", "9", "--rerun-share", "1.5"}, "--rerun-share: expected"},
             {{"--goal", "fastest", "--price", "1", "--budget", "0"}, "--budget: expected"},
             {{"--goal", "fastest", "--price", "1", "--budget", "nan"}, "--budget: expected"},
             {{"--deadline", "9", "--range", "12:2"}, "FIRST <= LAST"},
             {{"--deadline", "9", "--probability", "90"}, "such as 0.9 or 90%, found \"90\""},
             {{"--deadline", "9", "--probability", "100%"}, "--probability: expected"},
             {{"--deadline", "9", "--scale-outs", "2,,4"}, "found \"2,,4\""},
             {{"--deadline", "9", "--scale-outs", "2,"}, "found \"2,\""},
             {{"--deadline", "9", "--scale-outs", ""}, "--scale-outs"},
             {{"--deadline", ""}, "--deadline"},
             {{"--deadline", "9", "--model", ""}, "--model: expected a value"},
             {{"--deadline", "9", "extra"}, "extra"}}) {
        check_wrong_usage(run_program(job() + arguments), {word});
    }
    CHECK(check_succeeds({BELLAMY_PROGRAM, "allocate", "--help"}).find("--deadline") != std::string::npos);
}

namespace {

// Two kinds of machine, the second twice as fast at twice the price of the first, and with noise from run to run.
std::string two_machines_table() {
    std::string table = "nodes,machine_type,memory_mb,size_mb,seconds\n";
    int noise = 0;
    for (const int size_mb : {8000, 16000, 24000, 32000})
        for (const bool fast : {false, true})
            for (const int x : {2, 4, 6, 8, 12})
                for (int repeat = 0; repeat < 2; ++repeat) {
                    noise = (noise + 37) % 101;
                    const double seconds = (20 + size_mb / 25.0 / x) * (fast ? 0.5 : 1) * (1 + noise / 2020.0);
                    table += std::to_string(x) + (fast ? ",fast," : ",slow,") + (fast ? "32000," : "16000,") +
                             std::to_string(size_mb) + "," + std::to_string(seconds) + "\n";
                }
    return table;
}

// A model of best mode of that table; `role` makes machine_type known by its role rather than by its name.
std::string make_best_model(const temporary_directory& place, bool role = true) {
    support::write_text(place / "job.csv", two_machines_table());
    words command{
        BELLAMY_PROGRAM, "pretrain",          "--table",     place / "job.csv",      "--scale-out", "nodes",
        "--runtime",     "seconds",           "--essential", "machine_type,size_mb", "--optional",  "memory_mb",
        "--natural",     "memory_mb,size_mb", "--role",      "size_mb=data_size",    "--out",       place / "job.bellamy"};
    if (role) command = command + words{"--role", "machine_type=machine_type"};
    check_succeeds(command);
    return place / "job.bellamy";
}

words on_both(const std::string& model) {
    return {BELLAMY_PROGRAM, "allocate",
            "--model",       model,
            "--property",    "size_mb=20000",
            "--machine",     "slow=0.2,memory_mb=16000",
            "--machine",     "fast=0.4,memory_mb=32000"};
}

nlohmann::json record_of(const words& command) {
    const auto printed = check_succeeds(command + words{"--json"});
    CHECK(std::count(printed.begin(), printed.end(), '\n') == 1);
    CHECK(printed.ends_with('\n'));
    return nlohmann::json::parse(printed);
}

}  // namespace

TEST_CASE("with best mode the table has quantiles, probabilities, costs and what they rest on") {
    const temporary_directory place;
    const auto command = on_both(make_best_model(place)) + words{"--deadline", "200", "--observe", "slow:4=225"};
    const auto printed = check_succeeds(command);
    for (const std::string word : {"method       best mode: statistical models, with quantiles\n",
                                   "based on     slow: the model and 1 run\n", "based on     fast: the model alone\n",
                                   "median s", "p90 s", "in time", "cost", "  costs more\n", "misses the deadline\n"})
        CHECK_MESSAGE(printed.find(word) != std::string::npos, word, " is not in ", printed);
    CHECK(last_line(printed).find(" % probability (90 % required)") != std::string::npos);
    CHECK(last_line(printed).find(", at an expected cost of ") != std::string::npos);
    CHECK(check_succeeds(command + words{"--probability", "0.75"}).find("p75 s") != std::string::npos);
}

TEST_CASE("the record holds what the table shows, as one line of JSON") {
    const temporary_directory place;
    const auto command = on_both(make_best_model(place)) +
                         words{"--deadline", "200", "--observe", "slow:4=225", "--scale-outs", "4,8,16", "--start-up", "10"};
    const auto record = record_of(command);
    CHECK(record["model"]["algorithm"] == "job");
    CHECK(record["model"]["kind"] == "best mode");
    CHECK(record["model"]["runs"] == 80);
    CHECK(record["goal"] == "cheapest");
    CHECK(record["deadline_s"] == 200);
    CHECK(record["budget"].is_null());
    CHECK(record["probability"] == 0.9);
    CHECK(record["unit"] == "node");
    REQUIRE(record["machines"].size() == 2);
    CHECK(record["machines"][0]["name"] == "slow");
    CHECK(record["machines"][1]["price_per_unit_and_hour"] == 0.4);
    CHECK(record["machines"][1]["start_up_s"] == 10);
    CHECK(record["machines"][0]["observed"] == nlohmann::json::parse(R"([{"scale_out": 4, "runtime_s": 225.0}])"));
    REQUIRE(record["candidates"].size() == 6);
    const auto printed = check_succeeds(command);
    for (const auto& row : record["candidates"]) {
        const auto begins = "\n" + row["machine"].get<std::string>();
        const auto x = std::to_string(row["scale_out"].get<int>());
        std::istringstream lines(printed);
        std::string line;
        bool found = false;
        while (std::getline(lines, line)) {
            std::istringstream cells(line);
            std::string machine;
            std::string scale_out;
            double median_s = 0;
            double quantile_s = 0;
            double percent = 0;
            std::string sign;
            double cost = 0;
            if (!(cells >> machine >> scale_out >> median_s >> quantile_s >> percent >> sign >> cost)) continue;
            if (machine != row["machine"] || scale_out != x) continue;
            found = true;
            // The table is rounded to one or three decimals.
            CHECK(std::abs(median_s - row["median_s"].get<double>()) <= 0.06);
            CHECK(std::abs(quantile_s - row["quantile_s"].get<double>()) <= 0.06);
            CHECK(std::abs(percent / 100 - row["probability"].get<double>()) <= 0.0006);
            CHECK(std::abs(cost - row["expected_cost"].get<double>()) <= 0.0006);
            if (row["verdict"] != "misses the deadline")
                CHECK(line.find(row["verdict"].get<std::string>()) != std::string::npos);
            else
                CHECK((line.find("misses the deadline") != std::string::npos ||
                       line.find("too risky: 90 % required") != std::string::npos));
            CHECK((line.find("outside the scale-outs seen") != std::string::npos) == row["outside_seen_scale_outs"]);
        }
        CHECK_MESSAGE(found, begins, " ", x, " is not in ", printed);
        CHECK(row["based_on"] == (row["machine"] == "slow" ? "the model and 1 run" : "the model alone"));
        CHECK(row["is_point"] == false);
    }
    CHECK(record["feasible"] == true);
    const auto& choice = record["candidates"][record["choice"].get<std::size_t>()];
    CHECK(choice["verdict"] == "chosen");
    CHECK(record["chosen"] == choice);
    CHECK(last_line(printed).starts_with("Choose " + std::to_string(choice["scale_out"].get<int>()) + " nodes of " +
                                         choice["machine"].get<std::string>()));
}

TEST_CASE("the record survives names that JSON has to escape, and what has no number is null") {
    const temporary_directory place;
    make_best_model(place);
    const std::string name = "a \"b\" \\ \t caf\xC3\xA9";
    const auto record = record_of({BELLAMY_PROGRAM, "allocate", "--model", place / "job.bellamy", "--property",
                                   "size_mb=20000", "--property", "machine_type=" + name, "--deadline", "200"});
    CHECK(record["machines"][0]["name"] == name);
    CHECK(record["machines"][0]["price_per_unit_and_hour"].is_null());
    CHECK(record["goal"] == "smallest");
    CHECK(record["candidates"][0]["expected_cost"].is_null());
    CHECK(record["candidates"][0]["unlike_any_seen_context"] == true);
    CHECK(record["candidates"][0]["based_on"] == "the model, unlike its runs");
}

TEST_CASE("what is not known yet makes the answer less sure, and contradictory runs are flagged") {
    const temporary_directory place;
    const words job{BELLAMY_PROGRAM,     "allocate",   "--model", make_best_model(place), "--property",
                    "machine_type=slow", "--deadline", "1e4",     "--scale-outs",         "8"};
    const auto first = [&](const words& more) { return record_of(job + more)["candidates"][0]; };
    const auto width = [](const nlohmann::json& row) {
        return row["quantile_s"].get<double>() / row["median_s"].get<double>();
    };
    const words known{"--property", "size_mb=20000"};
    CHECK(width(first({"--unknown", "size_mb"})) > width(first(known)));

    CHECK(first(known + words{"--observe", "8=120", "--observe", "8=125"})["contradictory_observed_runs"] == false);
    const words contradictory{"--observe", "8=100", "--observe", "8=900"};
    CHECK(first(known + contradictory)["contradictory_observed_runs"] == true);
    const auto printed = check_succeeds(job + known + contradictory);
    CHECK(printed.find("contradictory observed runs") != std::string::npos);
    const std::string told = "Runs of this very job contradict each other or the model: some of them count for little.\n";
    CHECK(printed.ends_with(told));
    CHECK_FALSE(check_succeeds(job + known + words{"--observe", "8=120", "--observe", "8=125"}).ends_with(told));
}

TEST_CASE("a scale-out that is listed twice is one candidate") {
    const auto scale_outs = [&](const std::string& list) {
        const auto record = record_of(job() + words{"--deadline", "1e4", "--scale-outs", list});
        std::vector<int> found;
        for (const auto& row : record["candidates"]) found.push_back(row["scale_out"]);
        return found;
    };
    CHECK(scale_outs("8,4,4") == std::vector<int>{8, 4});
    CHECK(scale_outs("4,4") == std::vector<int>{4});
}

TEST_CASE("every goal gets what it asks for") {
    const temporary_directory place;
    const auto command = on_both(make_best_model(place)) + words{"--range", "2:12:2"};
    // Among the candidates that keep the limit, no other may be better.
    const auto check_best = [](const nlohmann::json& record, const char* what) {
        REQUIRE(record["feasible"] == true);
        const auto& chosen = record["candidates"][record["choice"].get<std::size_t>()];
        for (const auto& row : record["candidates"])
            if (row["probability"].is_null() || row["probability"] >= record["probability"])
                CHECK(chosen[what].get<double>() <= row[what].get<double>());
        return chosen;
    };
    check_best(record_of(command + words{"--goal", "smallest", "--deadline", "200"}), "scale_out");
    check_best(record_of(command + words{"--goal", "cheapest", "--deadline", "200"}), "expected_cost");
    const auto fastest = check_best(record_of(command + words{"--goal", "fastest", "--budget", "0.1"}), "median_s");
    CHECK(fastest["expected_cost"] <= 0.1);
    check_best(record_of(command + words{"--goal", "least-cost"}), "expected_cost");
    const words priced{"--deadline", "200", "--cost-of-missing", "1e-6", "--probability", "0.999"};
    const auto missed = record_of(command + priced);
    CHECK(missed["goal"] == "least-cost");
    CHECK(missed["cost_of_missing"] == 1e-6);
    CHECK(missed["chosen"]["probability"] < 0.999);
    CHECK(check_succeeds(command + priced).find(", that of missing included.") != std::string::npos);

    const auto none =
        nlohmann::json::parse(check_infeasible(command + words{"--goal", "fastest", "--budget", "0.0001", "--json"}));
    CHECK(none["feasible"] == false);
    CHECK(none["candidates"][none["choice"].get<std::size_t>()]["verdict"] == "exceeds the budget");
}

TEST_CASE("the more certain the deadline must be, the more it costs") {
    const temporary_directory place;
    const auto command = on_both(make_best_model(place)) + words{"--deadline", "150"};
    double before = 0;
    for (const std::string probability : {"0.5", "0.9", "0.99"}) {
        const auto record = record_of(command + words{"--probability", probability});
        REQUIRE(record["feasible"] == true);
        const auto& chosen = record["candidates"][record["choice"].get<std::size_t>()];
        CHECK(chosen["probability"] >= std::stod(probability));
        CHECK(chosen["expected_cost"] >= before);
        before = chosen["expected_cost"];
    }
}

TEST_CASE("start-up, billing periods and interruptions cost time and money") {
    const temporary_directory place;
    const auto command = on_both(make_best_model(place)) + words{"--scale-outs", "8", "--deadline", "150"};
    const auto first = [&](const words& more) { return record_of(command + more)["candidates"][0]; };
    const auto plain = first({});
    const auto started = first({"--start-up", "60"});
    CHECK(started["median_s"] == plain["median_s"]);
    CHECK(started["probability"] < plain["probability"]);
    // 60 s more of 8 nodes at 0.2 per hour. Costs of both machines are shrunk a little towards their mean.
    CHECK(started["expected_cost"].get<double>() - plain["expected_cost"].get<double>() ==
          doctest::Approx(8 * 0.2 / 60).epsilon(0.03));
    // An hour that is paid in full is no uncertain cost.
    CHECK(first({"--billing", "3600"})["expected_cost"].get<double>() == doctest::Approx(8 * 0.2));
    const auto spot = first({"--interruptions", "6"});
    CHECK(spot["expected_cost"] > plain["expected_cost"]);
    CHECK(first({"--interruptions", "6", "--rerun-share", "0"})["expected_cost"] == plain["expected_cost"]);
}

TEST_CASE("machines are told apart by the role machine_type or else by a property called so") {
    const temporary_directory place;
    for (const bool role : {true, false}) {
        const auto record = record_of(on_both(make_best_model(place, role)) + words{"--deadline", "1000"});
        const auto& rows = record["candidates"];
        const auto half = rows.size() / 2;
        CHECK(rows[0]["machine"] == "slow");
        CHECK(rows[half]["machine"] == "fast");
        // The second is twice as fast, which noise of 5 % does not hide.
        CHECK(rows[half]["median_s"].get<double>() == doctest::Approx(rows[0]["median_s"].get<double>() / 2).epsilon(0.1));
    }
}

TEST_CASE("machines that make no sense are refused by name") {
    const temporary_directory place;
    const auto model = make_best_model(place);
    const words job{BELLAMY_PROGRAM, "allocate", "--model", model, "--property", "size_mb=20000", "--deadline", "200"};
    check_refused(run_program(job + words{"--machine", "a=1", "--machine", "a=2"}), "duplicate_machine", {"a twice"});
    check_refused(run_program(job + words{"--machine", "a=-1"}), "invalid_price", {"found -1"});
    check_refused(run_program(job + words{"--machine", "a=1,colour=red"}), "unknown_property", {"\"colour\""});
    check_refused(run_program(job + words{"--machine", "a=1,memory_mb=1,memory_mb=2"}), "duplicate_property",
                  {"memory_mb twice"});
    check_refused(run_program(job + words{"--machine", "a=1,machine_type=b"}), "duplicate_property", {"machine_type"});
    check_refused(run_program(job + words{"--machine", "a=1", "--machine", "b=1", "--observe", "c:4=100"}),
                  "unknown_machine", {"a, b", "\"c\""});
    check_wrong_usage(run_program(job + words{"--machine", "a=1", "--machine", "b=1", "--observe", "4=100"}),
                      {"MACHINE:SCALE_OUT=TIME"});
    check_wrong_usage(run_program(job + words{"--machine", "a"}), {"NAME=PRICE"});
    check_wrong_usage(run_program(job + words{"--machine", "a=cheap"}), {"NAME=PRICE"});

    check_succeeds({BELLAMY_PROGRAM, "pretrain", "--table", place / "job.csv", "--scale-out", "nodes", "--runtime",
                    "seconds", "--essential", "size_mb", "--natural", "size_mb", "--out", place / "nameless"});
    check_refused(run_program({BELLAMY_PROGRAM, "allocate", "--model", place / "nameless", "--property", "size_mb=20000",
                               "--deadline", "200", "--machine", "a=1"}),
                  "no_machine_property", {"role machine_type"});
}

TEST_CASE("a candidate just below the probability required is too risky, and its odds are not rounded up to it") {
    const auto printed = check_infeasible(job() + words{"--observe", "8=226", "--scale-outs", "8", "--deadline", "233"});
    CHECK(printed.find("too risky: 90 % required") != std::string::npos);
    CHECK(printed.find("misses the deadline") == std::string::npos);
}

TEST_CASE("odds are never rounded up to those required; below a half the limit is missed, above it the size is too risky") {
    CHECK(tools::percent_of(0.8999, 0.9) == "89.9 %");
    CHECK(tools::percent_of(0.9, 0.9) == "90.0 %");
    CHECK(tools::percent_of(0.9499, 0.9) == "95.0 %");
    CHECK(tools::percent_of(0.4, 0.999) == "40.0 %");
    CHECK(tools::verdict_on_odds("misses the deadline", 0.49, 0.75) == "misses the deadline");
    CHECK(tools::verdict_on_odds("misses the deadline", 0.5, 0.75) == "too risky: 75 % required");
}

TEST_CASE("costs have as many digits as tell the rows apart") {
    for (const std::string price : {"0.0002", "0.2", "2000"}) {
        const auto table = check_succeeds(job() + words{"--deadline", "1e5", "--range", "6:12", "--price", price});
        std::istringstream lines(between(table, "verdict\n", "\n\n"));
        std::set<std::string> costs;
        int rows = 0;
        for (std::string line; std::getline(lines, line); ++rows) {
            std::istringstream cells(line);
            std::string cell;
            for (int i = 0; i < 6; ++i) cells >> cell;  // scale-out, median, quantile, share, %, cost
            costs.insert(cell);
        }
        CHECK(rows == 7);
        CHECK(costs.size() == 7);
    }
}

TEST_CASE("caveats stand in the last sentence") {
    const temporary_directory place;
    const auto printed = check_succeeds({BELLAMY_PROGRAM, "allocate", "--model", make_best_model(place), "--property",
                                         "size_mb=20000", "--property", "memory_mb=16000", "--property",
                                         "machine_type=unheard-of", "--deadline", "1e5", "--scale-outs", "20"});
    const auto sentence = last_line(printed);
    CHECK(sentence.starts_with("Choose 20 nodes"));
    CHECK(sentence.find(
              "only scale-outs 2 to 12 were seen; no run had machine_type unheard-of: that is based on fast, slow") !=
          std::string::npos);
    CHECK(sentence.find("data size") == std::string::npos);
    const auto larger = check_succeeds({BELLAMY_PROGRAM, "allocate", "--model", place / "job.bellamy", "--property",
                                        "size_mb=9000000", "--property", "memory_mb=16000", "--property",
                                        "machine_type=fast", "--deadline", "1e9", "--scale-outs", "4"});
    CHECK(last_line(larger).find(
              "; but that extrapolates, since its data size, or the data for its memory, lies outside what was seen.") !=
          std::string::npos);
    const auto worded = check_succeeds(job({{"data_characteristics", "many"}}) + words{"--deadline", "1e5"});
    CHECK(last_line(worded).find("; no run had data_characteristics many: that is based on numbers there.") !=
          std::string::npos);
    const std::string far = "; but no past run was similar: a number of this job is far from those of all runs.";
    const auto huge = job({{"memory", "9000000"}}) + words{"--deadline", "1e5"};
    CHECK(last_line(check_succeeds(huge)).find(far) != std::string::npos);
    CHECK(last_line(check_succeeds(huge + words{"--observe", "4=300"})).find(far) == std::string::npos);
    CHECK(last_line(check_succeeds(job() + words{"--deadline", "1e5"})).find(far) == std::string::npos);
}

TEST_CASE("after a cold start the last sentence says that no run was similar, and of which size they were") {
    const temporary_directory place;
    write_text(place / "runs.csv", "nodes,machine,size_mb,seconds\n2,a,100,200\n4,a,100,110\n");
    check_succeeds({BELLAMY_PROGRAM, "pretrain", "--table", place / "runs.csv", "--scale-out", "nodes", "--runtime",
                    "seconds", "--essential", "machine,size_mb", "--natural", "size_mb", "--role", "size_mb=data_size",
                    "--out", place / "model"});
    const auto asked = [&](const char* machine, const char* size) {
        return last_line(check_succeeds({BELLAMY_PROGRAM, "allocate", "--model", place / "model", "--property", machine,
                                         "--property", size, "--scale-outs", "4", "--deadline", "1e9"}));
    };
    const std::string far = "; but no past run was similar: none that ended differs from this job in its data size alone";
    const std::string beyond =
        "; but that extrapolates, since its data size, or the data for its memory, lies outside what was seen";
    CHECK(asked("machine=a", "size_mb=100").find("; but") == std::string::npos);
    CHECK(asked("machine=a", "size_mb=150").find(beyond + ".") != std::string::npos);
    CHECK(asked("machine=a", "size_mb=300").find(beyond + far) != std::string::npos);
    const auto elsewhere = asked("machine=b", "size_mb=100");
    CHECK(elsewhere.find(far) != std::string::npos);
    CHECK(elsewhere.find(beyond) == std::string::npos);
}

TEST_CASE("the choice can be pasted into a submission") {
    const words command{BELLAMY_PROGRAM,
                        "allocate",
                        "--cold-start",
                        "--unit",
                        "executor",
                        "--property",
                        "executor_cores=2",
                        "--property",
                        "executor_memory_MB=3072",
                        "--observe",
                        "4=100",
                        "--deadline",
                        "1000",
                        "--scale-outs",
                        "4"};
    CHECK(check_succeeds(command + words{"--format", "spark-conf"}) ==
          "spark.dynamicAllocation.enabled false\nspark.executor.instances 4\nspark.executor.cores 2\nspark.cores.max 8\n"
          "spark.executor.memory 3072m\n");
    CHECK(check_succeeds(command + words{"--format", "spark-application"}).find("    instances: 4\n    cores: 2\n") !=
          std::string::npos);
    CHECK(check_succeeds(command + words{"--format", "json"}) == check_succeeds(command + words{"--json"}));
    check_wrong_usage(run_program(command + words{"--format", "xml"}), {"spark-conf"});
}

TEST_CASE("without any model a cold start answers from other jobs, and says so until a run is observed") {
    const words job{BELLAMY_PROGRAM, "allocate", "--cold-start", "--scale-outs", "2,4,8", "--deadline", "1e7"};
    const auto before = check_succeeds(job);
    CHECK(before.find("other jobs alone\n") != std::string::npos);
    CHECK(last_line(before).find("based on other jobs alone") != std::string::npos);
    const auto after = check_succeeds(job + words{"--observe", "4=100"});
    CHECK(last_line(after).find("based on other jobs alone") == std::string::npos);
    CHECK(std::stod(between(after, "\n        4 ", " s")) == doctest::Approx(100).epsilon(0.1));
    // A run that was killed tells that it takes longer.
    const auto killed = check_succeeds(job + words{"--observe", "4=100", "--observe-killed", "8=90"});
    const auto at_eight = [&](const std::string& printed) { return std::stod(between(printed, "\n        8 ", " s")); };
    CHECK(at_eight(killed) > at_eight(after));
    check_wrong_usage(run_program(job + words{"--embedded", "sort"}), {"--embedded"});
}
