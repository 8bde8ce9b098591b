// Real logs of Spark 1.2 to 4.1: their facts and traces, to the last digit.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "../../examples/support/event_log/sources.hpp"
#include "../../examples/support/trace_file.hpp"
#include "support/made_up_log.hpp"

namespace {

using nlohmann::json;
using namespace tools::event_log;

const std::filesystem::path folder = BELLAMY_EVENT_LOGS;

[[nodiscard]] std::unique_ptr<log_reader> read(const log_source& source) {
    auto reader = std::make_unique<log_reader>();
    for (const auto& part : source.parts) {
        reader->begin_part();
        std::ifstream in(part, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(in)), {});
        if (!bytes.empty()) (void)reader->push(bytes);
    }
    reader->finish();
    return reader;
}

[[nodiscard]] std::map<std::string, log_source> sources_by_name() {
    std::map<std::string, log_source> found;
    for (auto& each : find_logs({folder.string()})) found.emplace(each.name, each);
    return found;
}

[[nodiscard]] bool is_missing() {
    if (std::filesystem::exists(folder / "expected.json")) return false;
    MESSAGE("skipped: the logs at " << folder.string() << " are not there");
    return true;
}

}  // namespace

TEST_CASE("every real log gives the facts that were counted from its events") {
    if (is_missing()) return;
    const auto expected = json::parse(std::ifstream(folder / "expected.json"));
    const auto sources = sources_by_name();
    int compared = 0;
    for (const auto& [name, facts] : expected.items()) {
        CAPTURE(name);
        REQUIRE(sources.contains(name));
        const auto reader = read(sources.at(name));
        if (const auto without = reader->unreadable()) {
            MESSAGE("skipped: the program was built without " << to_string(*without));
            CHECK_FALSE(packages_for(*without).empty());
            continue;
        }
        const json found = facts_of(*reader);
        for (const auto& [field, value] : facts.items()) {
            if (field == "source" || field == "shows") continue;
            CAPTURE(field);
            CHECK(found.value(field, json("absent")) == value);
            ++compared;
        }
    }
    CHECK(compared > 21 * 30);
}

TEST_CASE("real logs give the traces that the format's page describes") {
    if (is_missing()) return;
    const auto sources = sources_by_name();
    std::map<std::string, json> traces;
    for (const auto& [name, source] : sources) {
        const auto reader = read(source);
        if (reader->unreadable() || !reader->log().application().at) continue;
        const auto trace = to_trace(reader->log(), {});
        traces[trace.run] = json::parse(tools::to_line(trace));
    }
    std::ifstream lines(folder / "traces.jsonl");
    int compared = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto expected = json::parse(line);
        const std::string run = expected.at("run");
        CAPTURE(run);
        if (run == "app-20261122043356-0000" && !is_readable(codec::snappy)) continue;
        REQUIRE(traces.contains(run));
        CHECK(traces.at(run) == expected);
        ++compared;
    }
    CHECK(compared == (is_readable(codec::snappy) ? 4 : 3));
}
