// The bodies of the fuzzers on what they once found interesting, and on models altered by the fuzzer's own mutator.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "application.hpp"
#include "kernels.hpp"
#include "model.hpp"
#include "model_mutator.hpp"
#include "placement.hpp"
#include "request.hpp"
#include "text.hpp"

#if defined(BELLAMY_HAS_TOOLS)
#include "event_log.hpp"
#include "flink_archive.hpp"
#include "table.hpp"
#include "zip_archive.hpp"
#endif

namespace {

template <class Body>
void replay(const std::string& name, const Body& body) {
    std::vector<std::filesystem::path> files;
    for (const auto& each : std::filesystem::directory_iterator(std::filesystem::path(BELLAMY_FUZZ_CORPUS) / name))
        files.push_back(each.path());
    REQUIRE_FALSE(files.empty());
    std::sort(files.begin(), files.end());
    for (const auto& each : files) {
        CAPTURE(each.filename().string());
        std::ifstream in(each, std::ios::binary);
        const std::string content((std::istreambuf_iterator<char>(in)), {});
        const std::vector<std::uint8_t> bytes(content.begin(), content.end());
        CHECK_NOTHROW(body(fuzz::bytes(bytes)));
    }
}

/// What libFuzzer does to bytes, in small: overwrites, inserts or erases some.
void alter(support::bytes& content, bellamy::detail::random_generator& random) {
    const auto at = static_cast<std::ptrdiff_t>(random.bits() % (content.size() + 1));
    const auto size = static_cast<std::ptrdiff_t>(1 + random.bits() % 9);
    const auto rest = static_cast<std::ptrdiff_t>(content.size()) - at;
    switch (random.bits() % 3) {
        case 0: content.insert(content.begin() + at, static_cast<std::size_t>(size), std::byte(random.bits() % 256)); break;
        case 1: content.erase(content.begin() + at, content.begin() + at + (std::min)(size, rest)); break;
        default: std::fill_n(content.begin() + at, (std::min)(size, rest), std::byte(random.bits() % 256));
    }
}

/// Alters each file step by step, from one that loads to the next; returns how many loaded.
template <class Loads, class Body>
[[nodiscard]] std::size_t altered_and_loaded(const std::vector<support::bytes>& files,
                                             const std::vector<std::vector<support::section>>& seeds, int steps,
                                             const Loads& loads, const Body& body) {
    bellamy::detail::random_generator random(1);
    std::size_t loaded = 0;
    for (auto current : files) {
        REQUIRE(loads(current));
        for (int step = 0; step < steps; ++step) {
            CAPTURE(step);
            auto next = fuzz::mutated_model(
                current, random.bits(), [&](support::bytes& content) { alter(content, random); }, seeds);
            std::vector<std::uint8_t> bytes(next.size());
            std::memcpy(bytes.data(), next.data(), next.size());
            CHECK_NOTHROW(body(bytes));
            if (!loads(next)) continue;
            ++loaded;
            current = std::move(next);
        }
    }
    return loaded;
}

}  // namespace

TEST_CASE("any text is encoded, validated and told as text") { replay("text", fuzz::try_text); }
TEST_CASE("any request gets the choice that a search by hand finds") { replay("request", fuzz::try_request); }
TEST_CASE("any networks and jobs are refused by name, or placed by plans that a check accepts") {
    replay("placement", fuzz::try_placement);
}
TEST_CASE("the fast kernels answer as the network in double for any network and context") {
    replay("kernels", fuzz::try_kernels);
}

TEST_CASE("any table is read or refused") {
#if defined(BELLAMY_HAS_TOOLS)
    replay("table", fuzz::try_table);
#else
    MESSAGE("skipped: the example tools, which read tables, are not built");
#endif
}

TEST_CASE("any bytes are read as an event log or refused") {
#if defined(BELLAMY_HAS_TOOLS)
    replay("event_log", fuzz::try_event_log);
#else
    MESSAGE("skipped: the example tools, which read event logs, are not built");
#endif
}

TEST_CASE("any bytes are read as a zip archive or refused, and nothing is unpacked onto the disk") {
#if defined(BELLAMY_HAS_TOOLS)
    replay("zip_archive", fuzz::try_zip_archive);
#else
    MESSAGE("skipped: the example tools, which read zip archives, are not built");
#endif
}

TEST_CASE("any bytes as an archive of Flink: a run or a refusal that says what was expected") {
#if defined(BELLAMY_HAS_TOOLS)
    replay("flink_archive", fuzz::try_flink_archive);
#else
    MESSAGE("skipped: the example tools, which read archives of Flink, are not built");
#endif
}

TEST_CASE("models altered within their sections and given a new checksum are refused or answer") {
    std::vector<support::bytes> files;
    for (const auto& seed : fuzz::seed_sections()) files.push_back(support::assembled(seed));
    files.push_back(
        *bellamy::detail::read_file(BELLAMY_GOLDEN_DIR "/models/1.0/best.bellamy", bellamy::largest_model_bytes));
    const auto loads = [](const support::bytes& file) { return bellamy::from_bytes(file).has_value(); };
    // Else nothing behind the checksum was tried.
    CHECK(altered_and_loaded(files, fuzz::seed_sections(), 200, loads, fuzz::try_model) > 100);
}

TEST_CASE("application models altered within their sections and given a new checksum are refused or answer") {
    std::vector<support::bytes> files;
    for (const auto& seed : fuzz::application_seed_sections()) files.push_back(support::assembled(seed));
    const auto loads = [](const support::bytes& file) { return bellamy::application_from_bytes(file).has_value(); };
    CHECK(altered_and_loaded(files, fuzz::application_seed_sections(), 150, loads, fuzz::try_application) > 50);
}
