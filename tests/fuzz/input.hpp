// What the bodies of the fuzzers share: bytes that become decisions, and promises that are checked.
#ifndef BELLAMY_TESTS_FUZZ_INPUT_HPP
#define BELLAMY_TESTS_FUZZ_INPUT_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

namespace fuzz {

using bytes = std::span<const std::uint8_t>;

/// A broken promise: libFuzzer stops at an exception that nobody catches, doctest reports it.
inline void require(bool kept, const char* promise) {
    if (!kept) throw std::logic_error(promise);
}

/// Whether a file was loaded: what is refused is explained, and what is not can be saved and loaded again as it is.
template <class Loaded, class Load>
[[nodiscard]] bool is_loaded_for_good(const Loaded& loaded, const Load& load) {
    if (!loaded) {
        require(!loaded.error().message().empty(), "what is refused is explained");
        return false;
    }
    if (const auto written = to_bytes(*loaded)) {
        const auto again = load(*written);
        require(again.has_value(), "what was loaded can be saved and loaded");
        require(*to_bytes(*again) == *written, "and stays as it is");
    }
    return true;
}

/// Numbers at the edges of what a double can be.
inline constexpr std::array<double, 20> edge_numbers{0.0,
                                                     -0.0,
                                                     1.0,
                                                     -1.0,
                                                     0.5,
                                                     2.0,
                                                     1e-12,
                                                     1e-9,
                                                     1e9,
                                                     -1e9,
                                                     1.0000001e9,
                                                     1e300,
                                                     -1e300,
                                                     1e-300,
                                                     std::numeric_limits<double>::denorm_min(),
                                                     (std::numeric_limits<double>::max)(),
                                                     std::numeric_limits<double>::lowest(),
                                                     std::numeric_limits<double>::infinity(),
                                                     -std::numeric_limits<double>::infinity(),
                                                     std::numeric_limits<double>::quiet_NaN()};

/// Reads decisions from the front of the bytes; zeros after their end.
class input {
public:
    explicit input(bytes all) noexcept : rest_(all) {}

    [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }

    template <std::unsigned_integral Number>
    [[nodiscard]] Number number() noexcept {
        std::uint64_t value = 0;
        const auto size = (std::min)(sizeof(Number), rest_.size());
        for (std::size_t i = 0; i < size; ++i) value |= static_cast<std::uint64_t>(rest_[i]) << (8 * i);
        rest_ = rest_.subspan(size);
        return static_cast<Number>(value);
    }
    [[nodiscard]] bool yes() noexcept { return (number<std::uint8_t>() & 1U) != 0; }
    /// From 0 to count - 1.
    [[nodiscard]] std::size_t below(std::size_t count) noexcept {
        return count <= 256 ? number<std::uint8_t>() % count : number<std::uint32_t>() % count;
    }
    /// In [low, high].
    [[nodiscard]] double between(double low, double high) noexcept {
        return low + (high - low) * static_cast<double>(number<std::uint16_t>()) / 65535;
    }
    /// Any double, those at the edges often.
    [[nodiscard]] double any_real() noexcept {
        const auto kind = number<std::uint8_t>();
        if (kind < 64) return edge_numbers[kind % edge_numbers.size()];
        if (kind < 192) return std::bit_cast<double>(number<std::uint64_t>());
        return between(0, 1000);
    }
    [[nodiscard]] std::string text(std::size_t size) {
        const auto part = rest_.first((std::min)(size, rest_.size()));
        rest_ = rest_.subspan(part.size());
        return {part.begin(), part.end()};
    }
    [[nodiscard]] std::string rest() { return text(rest_.size()); }

private:
    bytes rest_;
};

}  // namespace fuzz

#endif
