// The bodies of the library's fuzzers on what they once found interesting, and on models altered by the fuzzer's own
// mutator.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "application.hpp"
#include "kernels.hpp"
#include "model.hpp"
#include "model_mutator.hpp"
#include "placement.hpp"
#include "replay.hpp"
#include "request.hpp"
#include "text.hpp"

namespace {

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

TEST_CASE("any text is encoded, validated and told as text") { fuzz::replay("text", fuzz::try_text); }
TEST_CASE("any request gets the choice that a search by hand finds") { fuzz::replay("request", fuzz::try_request); }
TEST_CASE("any networks and jobs are refused by name, or placed by plans that a check accepts") {
    fuzz::replay("placement", fuzz::try_placement);
}
TEST_CASE("the fast kernels answer as the network in double for any network and context") {
    fuzz::replay("kernels", fuzz::try_kernels);
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
