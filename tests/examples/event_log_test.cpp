// What the parser of event logs makes of logs that are cut, broken, hostile or just odd.
#include <doctest/doctest.h>
#include <zstd.h>

#include <algorithm>
#include <string>

#include "../../examples/support/event_log/names.hpp"
#include "../../examples/support/event_log/run_row.hpp"
#include "support/made_up_log.hpp"

using support::log_start;
using support::made_up_log;
using support::read_log;
using namespace tools::event_log;

namespace {

using lines = std::vector<std::string>;

[[nodiscard]] std::unique_ptr<log_reader> read_lines(const lines& all) { return read_log(made_up_log::joined(all)); }

[[nodiscard]] bellamy::application_trace trace_of(const log_reader& read) {
    auto made = to_trace(read.log(), {});
    CHECK(validate(made).has_value());
    return made;
}

[[nodiscard]] std::string in_zstd_frames(const std::string& text, std::size_t frame) {
    std::string made;
    for (std::size_t at = 0; at < text.size(); at += frame) {
        const auto part = text.substr(at, frame);
        std::string packed(ZSTD_compressBound(part.size()), '\0');
        packed.resize(ZSTD_compress(packed.data(), packed.size(), part.data(), part.size(), 3));
        made += packed;
    }
    return made;
}

}  // namespace

TEST_CASE("an event log becomes the run, the job, the stage and the tasks that it tells of") {
    const auto read = read_log(made_up_log{}.text());
    const auto trace = trace_of(*read);
    CHECK(trace.application == "daily report");
    CHECK(trace.runtime_s == 7.0);
    CHECK(trace.scale_out == std::vector<bellamy::scale_out_step>{{0.0, 0}, {2.0, 2}});
    REQUIRE(trace.jobs.size() == 1);
    REQUIRE(trace.jobs[0].stages.size() == 1);
    const auto& stage = trace.jobs[0].stages[0];
    CHECK(stage.task_s == std::vector<double>(6, 1.0));
    CHECK(stage.first_wave == 2);
    CHECK(stage.metrics->run_s == 5.4);
    CHECK(stage.metrics->cpu_s == 4.8);
    CHECK(read->log().counts().metrics.input_bytes == 6 << 20);
}

TEST_CASE("blocks of any size and frames of any number give the same facts") {
    const auto text = made_up_log{}.text();
    auto expected = facts_of(*read_log(text));
    for (const std::size_t block : {1U, 7U, 4096U}) CHECK(facts_of(*read_log(text, block)) == expected);
    for (const std::size_t frame : {100U, 1000U}) {
        const auto packed = in_zstd_frames(text, frame);
        for (const std::size_t block : {3U, 65536U}) {
            const auto read = read_log(packed, block);
            CHECK_FALSE(read->counts().damaged);
            CHECK(read->counts().bytes == static_cast<std::int64_t>(packed.size()));
            CHECK(read->counts().events == expected["events"]);
        }
    }
}

TEST_CASE("of a compressed log that is cut, what decodes is taken") {
    const auto text = made_up_log{}.text();
    const auto packed = in_zstd_frames(text, 1000);
    const auto cut = read_log(std::string_view(packed).substr(0, packed.size() - 10));
    CHECK(cut->counts().damaged);
    CHECK(cut->counts().events > 10);
    CHECK(trace_of(*cut).outcome == bellamy::trace_outcome::unfinished);
    CHECK(cut->counts().events < read_log(text)->counts().events);
}

TEST_CASE("a last line that is cut is told and the run before it taken") {
    auto text = made_up_log{.ends = false}.text();
    text.resize(text.size() - 30);
    const auto read = read_log(text);
    CHECK(read->counts().cut_line);
    CHECK(read->counts().bad_lines == 1);
    const auto trace = trace_of(*read);
    CHECK(trace.outcome == bellamy::trace_outcome::unfinished);
    CHECK(trace.jobs.at(0).completed_s == 6.0);  // with its last stage
    CHECK(read->log().repaired().job_ends == 1);
}

TEST_CASE("lines that are no events are counted, and no part of them is believed") {
    auto all = made_up_log{}.lines();
    const auto expected = trace_of(*read_lines(all));
    const lines garbage{"not JSON at all",
                        "[1,2,3]",
                        "42",
                        R"({"no":"event"})",
                        R"({"Event":"SparkListenerApplicationEnd","Timestamp":5)",
                        R"({"Event":"SparkListenerApplicationEnd","Timestamp":1700000000001,_"x":1})",
                        R"({"Event":"SparkListenerApplicationEnd","Timestamp":1700000000001,"x":{"y":nul}})",
                        R"({"Event":"SparkListenerApplicationEnd","Timestamp":1700000000001}{"a":1})",
                        R"({"Event":"SparkListenerApplicationEnd","Timestamp":17000-1})",
                        R"({"Event":"SparkListenerApplicationEnd"x,"Timestamp":1700000000001})",
                        R"({"Event":"SparkListenerApplicationEnd","Timestamp":1700000000001,"x":"y"z})",
                        "{\"Event\":\"\xFF\xFE\"}",
                        std::string(3, '\0')};
    for (std::size_t i = 0; i < garbage.size(); ++i)
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(1 + i), garbage[i]);
    all.emplace_back("  \t ");  // blank lines are nothing
    const auto read = read_lines(all);
    CHECK(read->counts().bad_lines == static_cast<std::int64_t>(garbage.size()));
    CHECK(trace_of(*read) == expected);
}

TEST_CASE("nesting of any depth neither overflows the stack nor is believed") {
    for (const int depth : {100, 2000, 1'000'000}) {
        const auto size = static_cast<std::size_t>(depth);
        for (const auto& deep :
             {std::string(size, '[') + std::string(size, ']'),
              std::string("{\"Event\":\"x\",\"a\":") + std::string(size, '[') + std::string(size, ']') + "}"}) {
            auto all = made_up_log{}.lines();
            all.insert(all.begin() + 2, deep);
            const auto read = read_lines(all);
            const bool is_event = depth == 100 && deep.front() == '{';
            CHECK(read->counts().bad_lines == (is_event ? 0 : 1));
            CHECK(read->log().has_end());
        }
    }
}

TEST_CASE("names of 64 KB and more pass, cut where a trace has no room") {
    const std::string name(100'000, 'x');
    const auto read = read_log(made_up_log{.name = name}.text());
    CHECK(read->log().application().name == name);
    CHECK(trace_of(*read).application.size() == 512);
}

TEST_CASE("numbers beyond all bounds count nothing, and sums do not wrap") {
    auto all = made_up_log{}.lines();
    const auto end = [](std::string_view bytes) {
        return fmt::format(
            R"({{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{{"Reason":"Success"}},"Task Info":{{"Task ID":99}},"Task Metrics":{{"Input Metrics":{{"Bytes Read":{}}}}}}})",
            bytes);
    };
    for (const auto* number : {"1e400", "99999999999999999999999", "9223372036854775807", "9223372036854775807", "-5"})
        all.insert(all.end() - 3, end(number));
    all.insert(all.end() - 3, R"({"Event":"SparkListenerJobStart","Job ID":7,"Submission Time":1e300,"Stage IDs":[1e99]})");
    const auto read = read_lines(all);
    CHECK(read->counts().bad_lines == 0);
    CHECK(read->log().counts().metrics.input_bytes == std::numeric_limits<std::int64_t>::max() - 5);
    (void)trace_of(*read);
}

TEST_CASE("a clock that runs backwards makes durations of zero, not negative ones") {
    auto all = made_up_log{.task_ms = -150}.lines();
    const auto read = read_lines(all);
    CHECK(read->log().negative_durations() == 7);
    const auto trace = trace_of(*read);
    CHECK(trace.jobs.at(0).stages.at(0).task_s == std::vector<double>(6, 0.0));
    CHECK(trace.jobs[0].stages[0].completed_s == trace.jobs[0].stages[0].submitted_s);
}

TEST_CASE("events that are stated twice count once in the trace") {
    const auto once = made_up_log{}.lines();
    auto twice = once;
    twice.insert(twice.end(), once.begin() + 1, once.end());
    CHECK(trace_of(*read_lines(twice)).jobs.size() == 1);
    CHECK(trace_of(*read_lines(twice)).jobs[0].stages.size() == 1);
    CHECK(trace_of(*read_lines(twice)).jobs[0].stages[0].task_s.size() == 6);
}

TEST_CASE("of a task that ran twice the attempt that finished first counts, and the stage waits for the other") {
    auto all = made_up_log{}.lines();
    const std::string copy = R"("Task ID":6,"Index":5,"Launch Time":1700000005500,"Executor ID":"0","Speculative":true)";
    const std::string killed = fmt::format(
        R"({{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{{"Reason":"TaskKilled"}},"Task Info":{{{},"Finish Time":1700000006400}},"Task Metrics":{{"Executor Run Time":800}}}})",
        copy);
    all.insert(
        all.end() - 3,
        fmt::format(
            R"({{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{{{},"Finish Time":0}}}})",
            copy));
    all.insert(all.end() - 1, killed);
    const auto read = read_lines(all);
    const auto stage = trace_of(*read).jobs.at(0).stages.at(0);
    CHECK(stage.task_s.size() == 6);
    CHECK(stage.metrics->run_s == 6.2);
    CHECK(read->log().counts().tasks_speculative == 1);
}

TEST_CASE("where executors of several sizes hide what another one has, the cores are unknown and not counted without it") {
    for (const std::string others : {"2", "4"}) {
        CAPTURE(others);
        lines all;
        for (auto line : made_up_log{.executors = 3, .tasks = 6}.lines()) {
            const auto replace = [&](const std::string& from, const std::string& to) {
                if (const auto at = line.find(from); at != line.npos) line.replace(at, from.size(), to);
            };
            replace(R"(,"spark.executor.cores":"1")", "");
            replace(R"("1","Executor Info":{"Host":"h","Total Cores":1})",
                    R"("1","Executor Info":{"Host":"h","Total Cores":)" + others + "}");
            replace(R"("0","Executor Info":{"Host":"h","Total Cores":1})",
                    R"("0","Executor Info":{"Host":"h","Total Cores":2})");
            replace(R"("2","Executor Info":{"Host":"h","Total Cores":1})", R"("2","Executor Info":{"Host":"h"})");
            all.push_back(line);
        }
        const auto read = read_lines(all);
        const auto trace = trace_of(*read);
        const auto made = to_row(*read, trace);
        CHECK(made.reason == "");
        const bool is_known = others == "2";
        CHECK(read->log().has_mixed_executors() == !is_known);
        CHECK(read->log().knows_cores() == is_known);
        CHECK(trace.unit == (is_known ? bellamy::scale_out_unit::core : bellamy::scale_out_unit::executor));
        CHECK(made.row.executors == 3);
        CHECK(made.row.cores == (is_known ? 6 : 0));
        CHECK(made.row.executor_cores == (is_known ? 2 : 0));
    }
}

TEST_CASE("names lose what differs from run to run and nothing else") {
    CHECK(clean_name("NewYorkTaxiData_2025_06_27_00_24_44") == "NewYorkTaxiData");
    CHECK(clean_name("report 2025-06-27T01:02:03Z (attempt 2)") == "report");
    CHECK(clean_name("etl_20250627_010203_part") == "etl_part");
    CHECK(clean_name("my-job-3f2b8c1e-1111-2222-3333-444455556666") == "my-job");
    CHECK(clean_name("spark-pi-1718000000123-driver") == "spark-pi-driver");
    CHECK(clean_name("daily[2025-06-27] x") == "daily x");
    for (const auto* kept : {"orders  join (retry)", "tpch-q5", "v3.5.1 load 100000 rows", "facade", "q5 1TB 2025",
                             "application_1713000000000_0001", "2025-01-01"})
        CHECK(clean_name(kept) == kept);
    name_rule rule;
    rule.add("s/-v[0-9]+$//");
    CHECK(rule("load-v12") == "load");
    CHECK_THROWS(rule.add("s/(/x/"));
    CHECK_THROWS(rule.add("tidy"));
}

TEST_CASE("arguments are what stands behind the program's file") {
    const std::string submit = "org.apache.spark.deploy.SparkSubmit ";
    CHECK(arguments_of(submit + "--class C s3a://b/trip.py s3a://in/ s3a://out/") == "s3a://in/ s3a://out/");
    CHECK(arguments_of(submit + "--jars a.jar,b.jar /h/t.jar query 5") == "query 5");
    CHECK(arguments_of(submit + "--conf spark.app.name=job, fails; twice pyspark-shell") == "");
    CHECK(arguments_of("org.apache.spark.deploy.yarn.ApplicationMaster --class X --arg --query --arg 5 --y z") ==
          "--query 5");
    CHECK(arguments_of("*********(redacted)") == "");
}
