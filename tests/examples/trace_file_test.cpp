#include "../../examples/support/trace_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "support/temporary_directory.hpp"

namespace {

using bellamy::application_trace;

const std::string recorded = BELLAMY_GOLDEN_DIR "/traces.jsonl";

[[nodiscard]] std::string written(const support::temporary_directory& in, const std::string& text) {
    const auto path = in / "traces.jsonl";
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

[[nodiscard]] std::string refusal(const std::string& text) {
    const support::temporary_directory directory;
    try {
        (void)tools::read_traces(written(directory, text));
    } catch (const std::exception& problem) {
        const std::string what = problem.what();
        const auto path = what.find((directory / "").c_str());
        return path == what.npos ? what : what.substr(0, path) + what.substr(what.find("traces.jsonl"));
    }
    return "";
}

void check_round_trip(const std::string& path, const std::string& extension) {
    const support::temporary_directory directory;
    const auto before = tools::read_traces(path);
    REQUIRE(!before.empty());
    tools::trace_writer writer(directory / ("copy" + extension));
    for (const auto& each : before) writer.add(each.trace, each.beside);
    CHECK(directory.listing() == "copy" + extension + ".partial ");
    writer.close();
    CHECK(directory.listing() == "copy" + extension + " ");

    const auto after = tools::read_traces(directory / ("copy" + extension));
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(after[i].trace == before[i].trace);
        CHECK(after[i].beside == before[i].beside);
        CHECK(after[i].number == i + 1);
    }
}

constexpr auto line = R"({"format":1,"application":"a","runtime_s":3,"jobs":[{"id":0,"stages":[{"id":1}]}]})";

}  // namespace

TEST_CASE("a run that the plugin in Spark's driver recorded is read like one of the importer's") {
    const auto lines = tools::read_traces(BELLAMY_GOLDEN_DIR "/recorded_run.jsonl");  // the plugin's test compares its bytes
    REQUIRE(lines.size() == 1);
    const auto& run = lines[0].trace;
    CHECK(run.run == "app-1");
    CHECK(run.unit == bellamy::scale_out_unit::core);
    REQUIRE(run.properties.size() == 3);
    CHECK(run.properties[0].role == bellamy::property_role::data_size);
    CHECK(run.scale_out.back() == bellamy::scale_out_step{.at_s = 8.34, .scale_out = 4});
    REQUIRE(run.jobs.size() == 2);
    REQUIRE(run.jobs[1].stages.size() == 2);
    CHECK(run.jobs[1].stages[1].parents == std::vector<std::int64_t>{2});
    CHECK(run.jobs[0].stages[0].task_s.size() == 12);
    CHECK(run.jobs[0].stages[0].first_wave == 2);
    CHECK(run.jobs[0].stages[0].metrics.has_value());
}

TEST_CASE("recorded traces read back as they were written, plain and compressed") {
    check_round_trip(recorded, ".jsonl");
    check_round_trip(recorded, ".jsonl.zst");
}

TEST_CASE("every shared trace file reads back as it was written" * doctest::skip(!std::filesystem::exists(BELLAMY_TRACES))) {
    for (const auto& each : std::filesystem::directory_iterator(BELLAMY_TRACES))
        if (each.path().extension() == ".zst") check_round_trip(each.path().string(), ".jsonl.zst");
}

TEST_CASE("a trace has the numbers that stand in its file") {
    const auto lines = tools::read_traces(recorded);
    REQUIRE(lines.size() == 3);
    const auto& etl = lines[0].trace;
    CHECK(etl.application == "sleepy-etl");
    CHECK(etl.unit == bellamy::scale_out_unit::core);
    CHECK(etl.runtime_s == 24.969);
    CHECK(etl.scale_out == std::vector<bellamy::scale_out_step>{{0, 0}, {0.151, 2}});
    REQUIRE(etl.properties.size() == 2);
    CHECK(etl.properties[0] == bellamy::text("spark.sql.shuffle.partitions", "12"));
    CHECK(etl.properties[1] == bellamy::natural("data_size_MB", 1000).with_role(bellamy::property_role::data_size));
    const auto& stage = etl.jobs.at(0).stages.at(1);
    CHECK(stage.parents == std::vector<std::int64_t>{0});
    CHECK(stage.task_s.size() == 12);
    CHECK(stage.first_wave == 2);
    CHECK(stage.metrics->shuffle_read_bytes == 5232);
    CHECK(stage.scale_out == bellamy::scale_out_range_seen{2, 2});
    CHECK(lines[1].trace.properties[0].kind() == bellamy::property_kind::quantity);
    CHECK(lines[2].trace.jobs.at(1).stages.empty());
    CHECK(lines[2].find_beside("run_number")->value == bellamy::property_value(std::uint64_t{1}));
    CHECK(lines[2].find_beside("failures_injected")->value == bellamy::property_value("false"));
}

TEST_CASE("fields that are not of the format and lines without anything are ignored") {
    const support::temporary_directory directory;
    const std::string more = R"({"format":1,"new":{"a":[1,{}]},"application":"a","runtime_s":3,"jobs":[{"id":0,"x":null}]})";
    const auto lines = tools::read_traces(written(directory, std::string(line) + "\r\n\n" + more));
    REQUIRE(lines.size() == 2);
    CHECK(lines[1].trace.jobs.size() == 1);
    CHECK(lines[1].number == 3);
}

TEST_CASE("a byte-order mark before the first line is no part of it, anywhere else it is refused") {
    const support::temporary_directory directory;
    const std::string mark = "\xEF\xBB\xBF";
    CHECK(tools::read_traces(written(directory, mark + std::string(line) + "\n" + std::string(line))).size() == 2);
    CHECK(refusal(std::string(line) + "\n" + mark + std::string(line)).find("line 2") != std::string::npos);
}

TEST_CASE("what is wrong in a file is told with its line") {
    CHECK(refusal(std::string(line) + "\n{\"format\":1") != "");
    CHECK(refusal(std::string(line) + "\n{\"format\":1").find("traces.jsonl, line 2: ") != std::string::npos);
    CHECK(refusal(R"({"format":2})") == "invalid_trace: traces.jsonl, line 1: expected format 1, found 2");
    CHECK(refusal(R"({"application":"a","runtime_s":3})") ==
          "invalid_trace: traces.jsonl, line 1: expected a field format, found none");
    CHECK(refusal("job,started,seconds").find("found \"job,started,seconds\"") != std::string::npos);
    CHECK(refusal(R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.1"})").find("bellamy import") !=
          std::string::npos);
    CHECK(refusal(R"({"format":1,"application":"a","runtime_s":"3"})").find("at field \"runtime_s\"") != std::string::npos);
    CHECK(refusal(R"({"format":1,"application":"a","runtime_s":-3})") ==
          "invalid_trace: traces.jsonl, line 1: expected a finite runtime_s > 0, found -3");
    CHECK(refusal(R"({"format":1,"application":"a","runtime_s":3,"outcome":"lost"})") ==
          "invalid_trace: traces.jsonl, line 1: expected one of succeeded, failed, killed, unfinished, found \"lost\"");
    CHECK(refusal(R"({"format":1,"application":"a","runtime_s":3,"jobs":[{"id":0,"task_s":[1]}]})") ==
          "invalid_trace: traces.jsonl, line 1: expected tasks within a stage, found some in job 0");
    CHECK(refusal(R"({"format":1,"application":"a","runtime_s":1e999})").find("line 1") != std::string::npos);
    CHECK(refusal(std::string(line) + " {}").find("line 1") != std::string::npos);
    CHECK(refusal("[1]").find("line 1") != std::string::npos);
    CHECK(refusal("{\"format\":1,\"application\":\"\xFF\",\"runtime_s\":3}").find("line 1") != std::string::npos);
}

TEST_CASE("a compressed file that is cut off is refused, not taken for a short one") {
    const support::temporary_directory directory;
    const auto path = directory / "whole.jsonl.zst";
    tools::trace_writer writer(path);
    for (const auto& each : tools::read_traces(recorded)) writer.add(each.trace);
    writer.close();
    const auto whole = std::filesystem::file_size(path);
    for (const auto size : {whole - 1, whole / 2, std::uintmax_t{5}}) {
        std::filesystem::resize_file(path, size);
        CHECK_THROWS_WITH_AS((void)tools::read_traces(path), doctest::Contains("cannot_read"), std::runtime_error);
    }
    CHECK_THROWS_WITH_AS((void)tools::read_traces(directory / "none"), doctest::Contains("cannot_read"), std::runtime_error);
    CHECK_THROWS_WITH_AS((void)tools::read_traces(directory / ""), doctest::Contains("cannot_read"), std::runtime_error);
}

TEST_CASE("a writer that is not closed, or is given what is not valid, leaves what stood there before") {
    const support::temporary_directory directory;
    const auto path = written(directory, line);
    {
        tools::trace_writer writer(path);
        writer.add({.application = "b", .runtime_s = 1});
        CHECK_THROWS((void)writer.add({.application = "b", .runtime_s = std::numeric_limits<double>::quiet_NaN()}));
    }
    CHECK(directory.listing() == "traces.jsonl ");
    CHECK(tools::read_traces(path).at(0).trace.application == "a");
}

TEST_CASE("a device is written to, not replaced") {
    const support::temporary_directory directory;
    std::filesystem::create_symlink("/dev/null", directory / "null");
    tools::trace_writer writer(directory / "null");
    writer.add_line(line);
    writer.close();
    CHECK(std::filesystem::is_symlink(directory / "null"));
    CHECK(directory.listing() == "null ");
}
