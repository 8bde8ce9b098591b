// Numbers distinct property values and encodes each of them once.
#ifndef BELLAMY_DETAIL_NETWORK_DISTINCT_PROPERTIES_HPP
#define BELLAMY_DETAIL_NETWORK_DISTINCT_PROPERTIES_HPP

#include <bellamy/encoding.hpp>

#include <unordered_map>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Numbers distinct values from 0 in order of first appearance.
template <class Scalar, size_t Size>
class distinct_properties {
public:
    using encoding = std::array<Scalar, Size>;

    /// The number of a property's value at this scale-out, by which it is multiplied where it scales.
    std::uint32_t operator()(const property& source, int scale_out) {
        const auto& value = source.value;
        const int times = source.scales_with_scale_out ? scale_out : 1;
        property_value number = std::nullopt;
        if (const auto* natural = value.natural()) number = *natural * static_cast<std::uint64_t>(times);
        if (const auto* quantity = value.quantity()) number = *quantity * times;
        const auto [entry, is_new] =
            numbers_.try_emplace(value.text() != nullptr ? value : number, static_cast<std::uint32_t>(numbers_.size()));
        if (is_new) encode(source, scale_out, std::span(encoded_.emplace_back()));
        return entry->second;
    }

    /// The encoded values in the order of their numbers.
    const std::vector<encoding>& encoded() const noexcept { return encoded_; }

private:
    struct value_hash {
        size_t operator()(const property_value& value) const noexcept {
            if (const auto* text = value.text()) return std::hash<std::string>{}(*text);
            if (const auto* natural = value.natural()) return std::hash<std::uint64_t>{}(*natural);
            return std::hash<double>{}(value.number());
        }
    };

    std::unordered_map<property_value, std::uint32_t, value_hash> numbers_;
    std::vector<encoding> encoded_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
