// The bodies of the fuzzers of what the tools read, on what they once found interesting.
#include <doctest/doctest.h>

#include "event_log.hpp"
#include "flink_archive.hpp"
#include "replay.hpp"
#include "saved_answers.hpp"
#include "table.hpp"
#include "zip_archive.hpp"

TEST_CASE("any table is read or refused") { fuzz::replay("table", fuzz::try_table); }

TEST_CASE("any bytes are read as an event log or refused") { fuzz::replay("event_log", fuzz::try_event_log); }

TEST_CASE("any bytes are read as a zip archive or refused, and nothing is unpacked onto the disk") {
    fuzz::replay("zip_archive", fuzz::try_zip_archive);
}

TEST_CASE("any bytes as an archive of Flink: a run or a refusal that says what was expected") {
    fuzz::replay("flink_archive", fuzz::try_flink_archive);
}

TEST_CASE("any bytes as answers of a history server: a run or a refusal that says what was expected") {
    fuzz::replay("saved_answers", fuzz::try_saved_answers);
}
