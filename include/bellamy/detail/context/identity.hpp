// The one answer to "is this the same context?".
#ifndef BELLAMY_DETAIL_CONTEXT_IDENTITY_HPP
#define BELLAMY_DETAIL_CONTEXT_IDENTITY_HPP

#include <bellamy/run.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <span>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Bytes that two contexts share exactly where they are equal: the unit, then every property by name, kind and value,
/// optional ones sorted by name. Lengths stand before texts, so that no text can imitate a boundary. Allocates.
[[nodiscard]] inline std::string identity_of(const context& subject) {
    std::string bytes(1, static_cast<char>(subject.unit));
    const auto append_number = [&](std::uint64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((number >> shift) & 255U);
    };
    const auto append_text = [&](std::string_view words) {
        append_number(words.size());
        bytes += words;
    };
    const auto append = [&](const property& each) {
        append_text(each.name);
        bytes += static_cast<char>(each.value.index());
        if (const auto* words = std::get_if<std::string>(&each.value)) append_text(*words);
        if (const auto* natural = std::get_if<std::uint64_t>(&each.value)) append_number(*natural);
        if (const auto* real = std::get_if<double>(&each.value)) append_number(std::bit_cast<std::uint64_t>(*real));
    };
    append_number(subject.essential.size());
    for (const auto& each : subject.essential) append(each);
    std::vector<const property*> sorted;
    for (const auto& each : subject.optional) sorted.push_back(&each);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    for (const auto* each : sorted) append(*each);
    return bytes;
}

/// Hash of the identity (FNV-1a), the same on every machine: model files hold it.
[[nodiscard]] inline std::uint64_t identity_hash(const context& subject) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : identity_of(subject)) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3U;
    }
    return hash;
}

/// Numbers contexts from 0 in order of first appearance.
class context_numbering {
public:
    /// The context's number; `size()` has grown where it is new.
    [[nodiscard]] std::size_t operator()(const context& subject) {
        // Runs of one context mostly stand together.
        if (last_ != nullptr && *last_ == subject) return last_number_;
        last_ = &subject;
        last_number_ = numbers_.try_emplace(identity_of(subject), numbers_.size()).first->second;
        return last_number_;
    }
    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }

private:
    std::map<std::string, std::size_t> numbers_{};
    const context* last_ = nullptr;  // the caller's, who keeps it for as long as the numbering goes on
    std::size_t last_number_ = 0;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

namespace bellamy::inline BELLAMY_ABI {

inline bool operator==(const context& a, const context& b) {
    const auto same = [](const property& x, const property& y) { return x.name == y.name && x.value == y.value; };
    if (a.unit != b.unit || a.essential.size() != b.essential.size() || a.optional.size() != b.optional.size()) return false;
    if (!std::equal(a.essential.begin(), a.essential.end(), b.essential.begin(), same)) return false;
    return std::all_of(a.optional.begin(), a.optional.end(), [&](const property& each) {
        return std::any_of(b.optional.begin(), b.optional.end(), [&](const property& other) { return same(each, other); });
    });
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
