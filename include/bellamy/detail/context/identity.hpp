// Identity of contexts: a canonical byte string, its hash, and numbers for the distinct contexts of a history.
#ifndef BELLAMY_DETAIL_CONTEXT_IDENTITY_HPP
#define BELLAMY_DETAIL_CONTEXT_IDENTITY_HPP

#include <bellamy/detail/base/sort.hpp>
#include <bellamy/run.hpp>

#include <bit>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Canonical bytes, the same for two contexts exactly where they are equal: the unit, then every property by name, kind and
/// value, optional ones sorted by name. Texts are preceded by their lengths, so that no text can imitate a boundary.
/// Allocates.
inline std::string identity_of(const context& source) {
    std::string bytes(1, static_cast<char>(source.unit));
    const auto append_number = [&](std::uint64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((number >> shift) & 255U);
    };
    const auto append_text = [&](std::string_view words) {
        append_number(words.size());
        bytes += words;
    };
    const auto append_property = [&](const property& property) {
        append_text(property.name);
        bytes += static_cast<char>(property.kind());
        if (const auto* words = property.value.text()) append_text(*words);
        if (const auto* natural = property.value.natural()) append_number(*natural);
        if (const auto* real = property.value.quantity()) append_number(std::bit_cast<std::uint64_t>(*real));
    };
    append_number(source.essential.size());
    for (const auto& property : source.essential) append_property(property);
    std::vector<const property*> sorted;
    for (const auto& property : source.optional) sorted.push_back(&property);
    sort(sorted, [](const auto* a, const auto* b) { return a->name < b->name; });
    for (const auto* property : sorted) append_property(*property);
    return bytes;
}

/// The 64-bit FNV-1a hash.
inline std::uint64_t hash_of_identity(std::string_view identity) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : identity) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3U;
    }
    return hash;
}

/// Hash of the identity, the same on every machine: model files hold it.
inline std::uint64_t identity_hash(const context& source) { return hash_of_identity(identity_of(source)); }

/// Numbers contexts from 0 in order of first appearance.
class context_numbering {
public:
    /// The context's number; `size()` grows where it is new.
    size_t operator()(const context& source) {
        // Runs of one context are mostly adjacent.
        if (last_ != nullptr && *last_ == source) return last_number_;
        last_ = &source;
        last_number_ = number_of(identity_of(source));
        return last_number_;
    }
    size_t size() const noexcept { return identities_.size(); }

private:
    // A hash table in place of std::map, whose header has 3,000 lines for every unit that predicts.
    size_t number_of(std::string identity) {
        if (2 * identities_.size() >= slots_.size()) grow();
        size_t& slot = slot_of(identity);
        if (slot == 0) {
            identities_.push_back(std::move(identity));
            slot = identities_.size();
        }
        return slot - 1;
    }
    size_t& slot_of(std::string_view identity) noexcept {
        size_t i = hash_of_identity(identity) % slots_.size();
        while (slots_[i] != 0 && identities_[slots_[i] - 1] != identity) i = i + 1 < slots_.size() ? i + 1 : 0;
        return slots_[i];
    }
    void grow() {
        slots_.assign(2 * slots_.size() + 15, 0);
        for (size_t i = 0; i < identities_.size(); ++i) slot_of(identities_[i]) = i + 1;
    }

    std::vector<std::string> identities_;
    std::vector<size_t> slots_;      // numbers from 1 on; 0 is free
    const context* last_ = nullptr;  // the caller's; must outlive the numbering
    size_t last_number_ = 0;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
