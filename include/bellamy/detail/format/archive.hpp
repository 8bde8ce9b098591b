// Numbers, texts and fields as little-endian bytes with a checksum: a structure names its fields once for both directions.
#ifndef BELLAMY_DETAIL_FORMAT_ARCHIVE_HPP
#define BELLAMY_DETAIL_FORMAT_ARCHIVE_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/run.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Lookup tables: entry [n][b] is the CRC of byte b followed by n zero bytes.
constexpr std::array<std::array<std::uint64_t, 256>, 8> crc64_tables() noexcept {
    std::array<std::array<std::uint64_t, 256>, 8> tables{};
    for (std::uint64_t i = 0; i < 256; ++i) {
        std::uint64_t value = i;
        for (size_t zeros = 0; zeros < tables.size(); ++zeros) {
            for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xC96C5795D7870F42U : 0U);
            tables[zeros][i] = value;
        }
    }
    return tables;
}

/// CRC-64/XZ (ECMA-182 polynomial, reflected): detects every burst of up to 64 wrong bits. Eight bytes at a time, by
/// independent lookups. Not inlined into what is cold: it passes over the whole file.
[[gnu::noinline]] inline std::uint64_t crc64(std::span<const std::byte> bytes) noexcept {
    static constexpr auto tables = crc64_tables();
    std::uint64_t crc = ~std::uint64_t{0};
    for (; bytes.size() >= tables.size(); bytes = bytes.subspan(tables.size())) {
        std::uint64_t next = 0;
        for (size_t i = 0; i < tables.size(); ++i)
            next ^= tables[tables.size() - 1 - i][((crc >> (8 * i)) ^ std::to_integer<std::uint64_t>(bytes[i])) & 0xffU];
        crc = next;
    }
    for (const std::byte byte : bytes) crc = tables[0][(crc ^ std::to_integer<std::uint64_t>(byte)) & 0xffU] ^ (crc >> 8U);
    return ~crc;
}

/// All 16 digits.
inline std::string hexadecimal(std::uint64_t number) {
    std::string digits;
    for (int digit = 15; digit >= 0; --digit) digits += "0123456789abcdef"[(number >> (4 * digit)) & 15U];
    return digits;
}

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559,
              "model files hold IEEE 754 numbers");

/// Writes numbers and texts as little-endian bytes.
class byte_writer {
public:
    template <std::unsigned_integral Number>
    void number(Number value) {
        for (size_t i = 0; i < sizeof(Number); ++i)
            bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
    void number(float value) { number(std::bit_cast<std::uint32_t>(value)); }
    void number(double value) { number(std::bit_cast<std::uint64_t>(value)); }

    /// Its bytes, without their number.
    void text(std::string_view value) { append(std::as_bytes(std::span(value.data(), value.size()))); }
    void append(std::span<const std::byte> bytes) {
        for (const std::byte byte : bytes) bytes_.push_back(byte);  // an insert of a range makes g++ 12 warn at -O3
    }

    std::span<const std::byte> bytes() const noexcept { return bytes_; }
    std::vector<std::byte> take() && noexcept { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads what byte_writer wrote. Reading past the end sets a sticky error: every later read gives zero or nothing, and
/// `good()` is false.
class byte_reader {
public:
    explicit byte_reader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

    template <std::unsigned_integral Number>
    Number number() noexcept {
        std::uint64_t value = 0;
        const auto part = take(sizeof(Number));
        if (part.empty()) return 0;
        for (size_t i = 0; i < sizeof(Number); ++i) value |= std::to_integer<std::uint64_t>(part[i]) << (8 * i);
        return static_cast<Number>(value);
    }
    float real() noexcept { return std::bit_cast<float>(number<std::uint32_t>()); }
    double wide_real() noexcept { return std::bit_cast<double>(number<std::uint64_t>()); }

    /// The next so many bytes, or none if there are fewer.
    std::string text(std::uint64_t size) {
        if (size > rest_.size()) good_ = false;
        const auto part = take(static_cast<size_t>(size));
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }

    /// The next bytes, or none if there are fewer.
    std::span<const std::byte> take(size_t size) noexcept {
        if (size > rest_.size()) good_ = false;
        if (!good_) return {};
        const auto part = rest_.first(size);
        rest_ = rest_.subspan(size);
        return part;
    }

    /// The content is not what a writer writes: nothing more is read.
    void mark_invalid() noexcept { good_ = false; }
    bool good() const noexcept { return good_; }
    size_t remaining() const noexcept { return rest_.size(); }
    /// Whether all bytes were read, without an error.
    bool finished() const noexcept { return good_ && rest_.empty(); }

private:
    std::span<const std::byte> rest_;
    bool good_ = true;
};

/// Integers take eight bytes, enumerators and booleans one, texts and lists their size before them.
class plain_encoder {
public:
    plain_encoder(byte_writer& out) noexcept : out_(out) {}

    void real(double value) { out_.number(value); }
    void integer(std::uint64_t value) { out_.number(value); }
    void byte(std::uint8_t value) { out_.number(value); }
    void bits(std::uint32_t value) { out_.number(value); }
    void text(std::string_view value) {
        integer(value.size());
        out_.text(value);
    }

protected:
    byte_writer& out_;
};

/// Decodes the bytes of plain_encoder.
class plain_decoder {
public:
    plain_decoder(byte_reader in) noexcept : in_(in) {}

    double real() noexcept { return in_.wide_real(); }
    std::uint64_t integer() noexcept { return in_.number<std::uint64_t>(); }
    std::uint8_t byte() noexcept { return in_.number<std::uint8_t>(); }
    std::uint32_t bits() noexcept { return in_.number<std::uint32_t>(); }
    std::string text() { return in_.text(integer()); }
    byte_reader& input() noexcept { return in_; }

protected:
    byte_reader in_;
};

/// Writes values by an encoder of numbers and texts: the plain one, or packed.hpp's.
template <class Encoder>
class basic_archive_writer {
public:
    explicit basic_archive_writer(Encoder encoder) noexcept : encoder_(std::move(encoder)) {}

    template <class... Values>
    void operator()(const Values&... values) {
        (write(values), ...);
    }

private:
    void write(double value) { encoder_.real(value); }
    void write(float value) { encoder_.bits(std::bit_cast<std::uint32_t>(value)); }
    void write(bool value) { encoder_.byte(value ? 1 : 0); }
    void write(const property_value& value) {
        write(value.kind());
        if (const auto* text = value.text()) write(*text);
        if (const auto* natural = value.natural()) write(*natural);
        if (const auto* quantity = value.quantity()) write(*quantity);
    }
    void write(const std::string& value) { encoder_.text(value); }
    template <class Enum>
    requires(std::is_enum_v<Enum>) void write(Enum value) { encoder_.byte(static_cast<std::uint8_t>(value)); }
    template <std::integral Integer>
    void write(Integer value) {
        encoder_.integer(static_cast<std::uint64_t>(value));
    }
    template <class Value, size_t Size>
    void write(const std::array<Value, Size>& values) {
        for (const auto& value : values) write(value);
    }
    template <class Value>
    void write(const std::vector<Value>& values) {
        write(values.size());
        for (const auto& value : values) write(value);
    }
    template <class Value>
    void write(const std::optional<Value>& value) {
        write(value.has_value());
        if (value) write(*value);
    }
    template <class Structure>
    requires(std::is_class_v<Structure>) void write(const Structure& value) { fields(*this, value); }

    Encoder encoder_;
};
using archive_writer = basic_archive_writer<plain_encoder>;

/// Reads the same fields; nothing is trusted. After bytes that no writer writes, `finished()` is false. Enumerators may have
/// any value: the caller checks them.
template <class Decoder>
class basic_archive_reader {
public:
    explicit basic_archive_reader(Decoder decoder) noexcept : decoder_(std::move(decoder)) {}

    template <class... Values>
    [[gnu::cold]] void operator()(Values&... values) {
        (read(values), ...);
    }
    /// Everything was read, and nothing is left.
    bool finished() noexcept { return input().finished(); }

private:
    byte_reader& input() noexcept { return decoder_.input(); }
    void read(double& value) { value = decoder_.real(); }
    void read(float& value) { value = std::bit_cast<float>(decoder_.bits()); }
    void read(bool& value) {
        const auto byte = decoder_.byte();
        if (byte > 1) input().mark_invalid();
        value = byte == 1;
    }
    // Not inlined: arrays are read by a call for each element.
    template <class Value>
    [[gnu::noinline]] Value read_as() {
        Value value{};
        read(value);
        return value;
    }
    [[gnu::cold]] void read(property_value& value) {
        switch (read_as<property_kind>()) {
            case property_kind::text: value = read_as<std::string>(); break;
            case property_kind::natural: value = read_as<std::uint64_t>(); break;
            case property_kind::quantity: value = read_as<double>(); break;
            case property_kind::unknown: value = std::nullopt; break;
            default: input().mark_invalid();
        }
    }
    [[gnu::cold]] void read(std::string& value) {
        value = decoder_.text();
        if (!is_utf8(value)) input().mark_invalid();
    }
    template <class Enum>
    requires(std::is_enum_v<Enum>) void read(Enum& value) {
        static_assert(std::is_same_v<std::underlying_type_t<Enum>, std::uint8_t>);
        value = static_cast<Enum>(decoder_.byte());
    }
    template <std::integral Integer>
    void read(Integer& value) {
        const auto number = decoder_.integer();
        if (number > static_cast<std::uint64_t>((std::numeric_limits<Integer>::max)())) input().mark_invalid();
        value = input().good() ? static_cast<Integer>(number) : Integer{0};
    }
    template <class Value, size_t Size>
    void read(std::array<Value, Size>& values) {
        for (auto& value : values) value = read_as<Value>();
    }
    // An element takes at least a byte and none is added after the end of the bytes: a false size cannot make this allocate.
    // Not cold, nor inlined into what is: a network has thousands of parameters.
    template <class Value>
    [[gnu::noinline]] void read(std::vector<Value>& values) {
        size_t size = 0;
        read(size);
        if (size > input().remaining()) input().mark_invalid();
        for (size_t i = 0; i < size && input().good(); ++i) read(values.emplace_back());
    }
    template <class Value>
    [[gnu::cold]] void read(std::optional<Value>& value) {
        bool has_value = false;
        read(has_value);
        if (has_value && input().good()) read(value.emplace());
    }
    template <class Structure>
    requires(std::is_class_v<Structure>) [[gnu::cold]] void read(Structure& value) { fields(*this, value); }

    Decoder decoder_;
};
using archive_reader = basic_archive_reader<plain_decoder>;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
