// Properties by value, so that each value is encoded once however often it occurs.
#ifndef BELLAMY_DETAIL_NETWORK_DISTINCT_PROPERTIES_HPP
#define BELLAMY_DETAIL_NETWORK_DISTINCT_PROPERTIES_HPP

#include <bellamy/encoding.hpp>

#include <unordered_map>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Numbers distinct values from 0 in order of first appearance.
template <class Scalar, std::size_t Size>
class distinct_properties {
public:
    using encoding = std::array<Scalar, Size>;

    /// The number of a property's value at a scale-out, as the encoder distinguishes it.
    [[nodiscard]] std::uint32_t operator()(const property& subject, int scale_out) {
        auto value = subject.value;
        if (subject.scales_with_scale_out) {
            if (auto* natural = std::get_if<std::uint64_t>(&value)) *natural *= static_cast<std::uint64_t>(scale_out);
            if (auto* quantity = std::get_if<double>(&value)) *quantity *= scale_out;
        }
        const auto [at, is_new] = numbers_.try_emplace(std::move(value), static_cast<std::uint32_t>(numbers_.size()));
        if (is_new) encode(subject, scale_out, std::span(encoded_.emplace_back()));
        return at->second;
    }

    /// The encoded values in the order of their numbers.
    [[nodiscard]] const std::vector<encoding>& encoded() const noexcept { return encoded_; }

private:
    std::unordered_map<property_value, std::uint32_t> numbers_{};
    std::vector<encoding> encoded_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
