// Logs as Spark compresses them, and as its history server zips them; spark_logs/make.py made the files.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <string_view>

#include "../../examples/support/event_log/import.hpp"
#include "../../examples/support/event_log/sources.hpp"
#include "../support/temporary_directory.hpp"
#include "support/made_up_log.hpp"
#include "support/run_program.hpp"

using support::read_log;
using support::read_text;
using support::temporary_directory;
using support::write_text;
using namespace tools::event_log;

namespace {

const std::string spark_logs = BELLAMY_SPARK_LOGS;

[[nodiscard]] std::string spark_log(const std::string& name) { return read_text(spark_logs + "/" + name); }

[[nodiscard]] imported_log import_file(const std::string& path) {
    std::atomic<std::int64_t> bytes_done = 0;
    const auto found = find_logs({path});
    REQUIRE(found.size() == 1);
    return import_log(found[0], {}, bytes_done);
}

/// What the events of a log say, without what the file is like.
[[nodiscard]] nlohmann::ordered_json facts_of_events(const log_reader& read) {
    auto facts = facts_of(read);
    for (const auto* of_file : {"bytes", "codec", "parts"}) facts.erase(of_file);
    return facts;
}

[[nodiscard]] bool is_built_in(codec kind) {
    if (is_readable(kind)) return true;
    const auto made = import_file(spark_logs + "/" + std::string(to_string(kind)));
    CHECK(made.is_log);
    CHECK(made.skipped.find("apt-get install " + std::string(packages_for(kind)) + ",") != std::string::npos);
    MESSAGE("skipped: the program was built without " << to_string(kind) << " (Debian: apt-get install "
                                                      << packages_for(kind) << ")");
    return false;
}

}  // namespace

TEST_CASE("a log that Spark compressed by lz4 or snappy says what it says compressed by zstd") {
    const auto expected = facts_of_events(*read_log(spark_log("zstd")));
    CHECK(expected.at("application_end") == true);
    CHECK(expected.at("task_attempts").at("succeeded") == 6);
    for (const auto kind : {codec::lz4, codec::snappy}) {
        if (!is_built_in(kind)) continue;
        CAPTURE(std::string(to_string(kind)));
        const auto packed = spark_log(std::string(to_string(kind)));
        for (const std::size_t block : {1U, 7U, 4096U, 1U << 20U}) {
            const auto read = read_log(packed, block);
            CHECK(read->counts().codecs == std::set{kind});
            CHECK_FALSE(read->counts().is_incomplete());
            CHECK(facts_of_events(*read) == expected);
        }
        // Streams that follow each other, as of a log that was opened again.
        CHECK(read_log(packed + packed)->counts().events == 2 * expected.at("events").get<std::int64_t>());
    }
}

TEST_CASE("of a log that is cut within lz4 or snappy the whole blocks are taken, and it is said to be cut") {
    const auto whole = read_log(spark_log("zstd"))->counts().events;
    for (const auto kind : {codec::lz4, codec::snappy}) {
        if (!is_built_in(kind)) continue;
        CAPTURE(std::string(to_string(kind)));
        const auto packed = spark_log(std::string(to_string(kind)));
        for (const std::size_t cut : {packed.size() / 2, packed.size() - 30, packed.size() - 1}) {
            CAPTURE(cut);
            const auto read = read_log(packed.substr(0, cut));
            CHECK(read->counts().damaged);
            CHECK(read->counts().events > 0);
            CHECK(read->counts().events <= whole);
        }
        for (const std::size_t cut : {9U, 20U, 100U}) {
            const auto read = read_log(packed.substr(0, cut));
            CHECK(read->counts().damaged);
            CHECK(read->looks_like_log());
        }
    }
}

TEST_CASE("a block of lz4 or snappy that was changed ends what is read of its log") {
    for (const auto kind : {codec::lz4, codec::snappy}) {
        if (!is_built_in(kind)) continue;
        CAPTURE(std::string(to_string(kind)));
        const auto packed = spark_log(std::string(to_string(kind)));
        const auto whole = read_log(packed);
        auto size = packed;
        size[kind == codec::lz4 ? 12 : 16] = '\x7F';  // the first block would have 2 GB: nobody waits for them
        CHECK(read_log(size, 64)->counts().damaged);
        CHECK(read_log(size, 64)->counts().text_bytes == 0);
        CHECK(read_log(size, 64)->counts().bytes == 64);
        if (kind == codec::snappy) continue;  // its framing has no checksums
        for (const std::size_t place : {18U, 2000U}) {
            auto changed = packed;
            changed[place] ^= 1;
            CHECK(read_log(changed)->counts().damaged);
            CHECK(read_log(changed)->counts().events < whole->counts().events);
        }
    }
}

TEST_CASE("lzf and the framing of other tools are refused by name") {
    const auto lzf = import_file(spark_logs + "/lzf");
    CHECK(
        lzf.skipped ==
        "unreadable_codec: expected plain, gzip, zstd, lz4 or snappy, found lzf, which ImportLogs reads, the importer as a "
        "Spark job");
    const temporary_directory place;
    write_text(place / "tool.lz4", "\x04\x22\x4D\x18 and more");
    CHECK(import_file(place / "tool.lz4").skipped.ends_with("found another format"));
}

TEST_CASE("zips of the history server give the run that the log itself gives") {
    if (!is_built_in(codec::lz4)) return;
    const auto expected = import_file(spark_logs + "/zstd");
    const auto zipped = import_file(spark_logs + "/server.zip");
    CHECK(zipped.name == "server.zip/" + expected.run + ".lz4");
    CHECK(zipped.skipped == "");
    CHECK(zipped.notes == expected.notes);
    CHECK(zipped.text_bytes == expected.text_bytes);
    CHECK(unpack_trace(zipped.packed_trace) == unpack_trace(expected.packed_trace));
    REQUIRE(zipped.row.has_value());
    CHECK(to_line(*zipped.row) == to_line(*expected.row));

    const auto rolling = import_file(spark_logs + "/server_rolling.zip");
    CHECK(rolling.name == "server_rolling.zip/eventlog_v2_" + rolling.run + "/" + rolling.run);
    CHECK(rolling.skipped == "");
    REQUIRE(rolling.row.has_value());
    CHECK(rolling.ended);
    CHECK(rolling.row->application == expected.row->application);
    CHECK(rolling.row->flags.empty());
    CHECK(rolling.events == expected.events);
}
