// Numbers and texts as little-endian bytes, and their checksum. Reading past the end sets a sticky error.
#ifndef BELLAMY_DETAIL_BASE_BYTE_IO_HPP
#define BELLAMY_DETAIL_BASE_BYTE_IO_HPP

#include <bellamy/version.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Lookup tables: entry [n][b] is the CRC of byte b followed by n zero bytes.
[[nodiscard]] constexpr std::array<std::array<std::uint64_t, 256>, 8> crc64_tables() noexcept {
    std::array<std::array<std::uint64_t, 256>, 8> tables{};
    for (std::uint64_t i = 0; i < 256; ++i) {
        std::uint64_t value = i;
        for (std::size_t zeros = 0; zeros < tables.size(); ++zeros) {
            for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xC96C5795D7870F42U : 0U);
            tables[zeros][i] = value;
        }
    }
    return tables;
}

/// CRC-64/XZ (ECMA-182 polynomial, reflected): detects every burst of up to 64 wrong bits. Eight bytes at a time, by
/// independent lookups.
[[nodiscard]] inline std::uint64_t crc64(std::span<const std::byte> bytes) noexcept {
    static constexpr auto tables = crc64_tables();
    std::uint64_t crc = ~std::uint64_t{0};
    for (; bytes.size() >= tables.size(); bytes = bytes.subspan(tables.size())) {
        std::uint64_t next = 0;
        for (std::size_t i = 0; i < tables.size(); ++i)
            next ^= tables[tables.size() - 1 - i][((crc >> (8 * i)) ^ std::to_integer<std::uint64_t>(bytes[i])) & 0xffU];
        crc = next;
    }
    for (const std::byte byte : bytes) crc = tables[0][(crc ^ std::to_integer<std::uint64_t>(byte)) & 0xffU] ^ (crc >> 8U);
    return ~crc;
}

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559,
              "model files hold IEEE 754 numbers");

/// Writes numbers and texts as little-endian bytes.
class byte_writer {
public:
    template <std::unsigned_integral Number>
    void number(Number value) {
        for (std::size_t i = 0; i < sizeof(Number); ++i)
            bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
    void number(float value) { number(std::bit_cast<std::uint32_t>(value)); }
    void number(double value) { number(std::bit_cast<std::uint64_t>(value)); }

    void text(std::string_view value) {
        number(static_cast<std::uint32_t>(value.size()));
        append(std::as_bytes(std::span(value.data(), value.size())));
    }
    void append(std::span<const std::byte> bytes) {
        for (const std::byte byte : bytes) bytes_.push_back(byte);  // an insert of a range makes g++ 12 warn at -O3
    }

    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::vector<std::byte> take() && noexcept { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads what byte_writer wrote. Reading past the end sets a sticky error: every later read gives zero or nothing, and
/// `good()` is false.
class byte_reader {
public:
    explicit byte_reader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

    template <std::unsigned_integral Number>
    [[nodiscard]] Number number() noexcept {
        std::uint64_t value = 0;
        const auto part = take(sizeof(Number));
        for (std::size_t i = 0; i < part.size(); ++i) value |= std::to_integer<std::uint64_t>(part[i]) << (8 * i);
        return static_cast<Number>(value);
    }
    [[nodiscard]] float real() noexcept { return std::bit_cast<float>(number<std::uint32_t>()); }
    [[nodiscard]] double wide_real() noexcept { return std::bit_cast<double>(number<std::uint64_t>()); }

    [[nodiscard]] std::string text(std::size_t longest) {
        const std::size_t size = number<std::uint32_t>();
        if (size > longest) good_ = false;
        const auto part = take(good_ ? size : 0);
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }

    /// The next bytes, or none if there are fewer.
    [[nodiscard]] std::span<const std::byte> take(std::size_t size) noexcept {
        if (size > rest_.size()) good_ = false;
        if (!good_) return {};
        const auto part = rest_.first(size);
        rest_ = rest_.subspan(size);
        return part;
    }

    /// Sets the error: the content is invalid.
    void refuse() noexcept { good_ = false; }
    [[nodiscard]] bool good() const noexcept { return good_; }
    [[nodiscard]] std::size_t remaining() const noexcept { return rest_.size(); }
    /// Whether all bytes were read, without an error.
    [[nodiscard]] bool finished() const noexcept { return good_ && rest_.empty(); }

private:
    std::span<const std::byte> rest_;
    bool good_ = true;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
