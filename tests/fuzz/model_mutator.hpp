// Alters a model file within its sections, then repairs its size and its checksum: what the checksum would refuse gets to
// the code behind it.
#ifndef BELLAMY_TESTS_FUZZ_MODEL_MUTATOR_HPP
#define BELLAMY_TESTS_FUZZ_MODEL_MUTATOR_HPP

#include <bellamy/detail/base/random.hpp>

#include <cmath>
#include <cstring>

#include "input.hpp"
#include "model_seeds.hpp"

namespace fuzz {

/// The sections of bytes that may be a model file; none where they are not.
[[nodiscard]] inline std::vector<support::section> sections_in(std::span<const std::byte> whole) {
    const auto opened = bellamy::detail::open_envelope(whole);
    if (!opened) return {};
    bellamy::detail::byte_reader in(*opened);
    std::vector<support::section> sections;
    while (in.remaining() > 0) {
        support::section each;
        const auto name = in.take(4);
        each.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
        each.flags = in.number<std::uint32_t>();
        const auto content = in.take(static_cast<std::size_t>(in.number<std::uint64_t>()));
        if (!in.good()) return {};
        each.content.assign(content.begin(), content.end());
        sections.push_back(std::move(each));
    }
    return sections;
}

/// Overwrites a number somewhere: a double, an integer, or a double by one that is a little different.
inline void alter_number(support::bytes& content, bellamy::detail::random_generator& random) {
    if (content.size() < 8) return;
    const auto at = static_cast<std::size_t>(random.bits() % (content.size() - 7));
    double old = 0;
    std::memcpy(&old, content.data() + at, sizeof old);
    constexpr std::array<std::uint32_t, 9> integers{0, 1, 2, 40, 0x100, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    switch (random.bits() % 4) {
        case 0: support::overwrite(content, at, edge_numbers[random.below(edge_numbers.size())]); break;
        case 1: support::overwrite(content, at, integers[random.below(integers.size())]); break;
        case 2: support::overwrite(content, at, static_cast<std::uint64_t>(integers[random.bits() % 5])); break;
        default: support::overwrite(content, at, old * std::exp(random.normal()));
    }
}

inline void assign(support::bytes& content, const bellamy::detail::byte_writer& made) {
    content.assign(made.bytes().begin(), made.bytes().end());
}

/// Takes the questions out of a self-test: any altered number would fail it, and one without questions is passed by all.
inline void ask_nothing(std::vector<support::section>& sections) {
    using namespace bellamy::detail;
    const bool is_application =
        std::any_of(sections.begin(), sections.end(), [](const auto& each) { return each.name == "APPL"; });
    for (auto& each : sections) {
        if (each.name != "SELF") continue;
        if (!is_application) {
            assign(each.content, content_of(std::vector<self_test_question>{}));
            continue;
        }
        auto questions = read_section<application_self_test, packed_reader>(byte_reader(each.content), "SELF");
        if (!questions) continue;
        for (auto& part : *questions) part.clear();
        byte_writer content;
        packed_writer archive(content);
        archive(*questions);
        assign(each.content, content);
    }
}

/// `alter(bytes)` changes any bytes in any way, also their number. `seeds` are the sections of files of the same kind.
/// Altered ones lose the questions of their self-test, but for an eighth of them and for altered self-tests.
template <class Alter>
[[nodiscard]] support::bytes mutated_model(std::span<const std::byte> whole, std::uint64_t seed, const Alter& alter,
                                           const std::vector<std::vector<support::section>>& seeds) {
    bellamy::detail::random_generator random(seed);
    auto sections = sections_in(whole);
    const auto& other = seeds[random.below(seeds.size())];
    if (sections.empty()) sections = other;
    const auto chosen = static_cast<std::size_t>(random.bits() % sections.size());
    const bool repairs = random.bits() % 8 != 0 && sections[chosen].name != "SELF";
    switch (random.bits() % 16) {
        case 0: sections.push_back(sections[chosen]); break;
        case 1: sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(chosen)); break;
        case 2: std::swap(sections[chosen], sections.front()); break;
        case 3: sections[chosen].flags ^= 1U; break;
        case 4: sections[chosen] = other[random.below(other.size())]; break;
        case 5: sections = other; break;
        case 6: {
            // Not repaired.
            support::bytes raw(whole.begin(), whole.end());
            alter(raw);
            return raw;
        }
        case 7:
        case 8:
        case 9: alter(sections[chosen].content); break;
        default:
            for (auto times = 1 + random.bits() % 3; times > 0; --times) alter_number(sections[chosen].content, random);
    }
    if (repairs) ask_nothing(sections);
    return support::assembled(sections);
}

}  // namespace fuzz

#endif
