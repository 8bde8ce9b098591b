// The one answer to "is this the same context?".
#ifndef BELLAMY_DETAIL_CONTEXT_IDENTITY_HPP
#define BELLAMY_DETAIL_CONTEXT_IDENTITY_HPP

#include <bellamy/run.hpp>

#include <algorithm>
#include <bit>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

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

/// FNV-1a.
[[nodiscard]] inline std::uint64_t hash_of_identity(std::string_view identity) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : identity) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3U;
    }
    return hash;
}

/// Hash of the identity, the same on every machine: model files hold it.
[[nodiscard]] inline std::uint64_t identity_hash(const context& subject) { return hash_of_identity(identity_of(subject)); }

/// Numbers contexts from 0 in order of first appearance.
class context_numbering {
public:
    /// The context's number; `size()` has grown where it is new.
    [[nodiscard]] std::size_t operator()(const context& subject) {
        // Runs of one context mostly stand together.
        if (last_ != nullptr && *last_ == subject) return last_number_;
        last_ = &subject;
        last_number_ = number_of(identity_of(subject));
        return last_number_;
    }
    [[nodiscard]] std::size_t size() const noexcept { return identities_.size(); }

private:
    // A hash table in place of std::map, whose header has 3,000 lines for every unit that predicts.
    [[nodiscard]] std::size_t number_of(std::string identity) {
        if (2 * identities_.size() >= slots_.size()) grow();
        std::size_t& slot = slot_of(identity);
        if (slot == 0) {
            identities_.push_back(std::move(identity));
            slot = identities_.size();
        }
        return slot - 1;
    }
    [[nodiscard]] std::size_t& slot_of(std::string_view identity) noexcept {
        std::size_t at = hash_of_identity(identity) % slots_.size();
        while (slots_[at] != 0 && identities_[slots_[at] - 1] != identity) at = at + 1 < slots_.size() ? at + 1 : 0;
        return slots_[at];
    }
    void grow() {
        slots_.assign(2 * slots_.size() + 15, 0);
        for (std::size_t i = 0; i < identities_.size(); ++i) slot_of(identities_[i]) = i + 1;
    }

    std::vector<std::string> identities_{};
    std::vector<std::size_t> slots_{};  // numbers from 1 on; 0 is free
    const context* last_ = nullptr;     // the caller's, who keeps it for as long as the numbering goes on
    std::size_t last_number_ = 0;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
