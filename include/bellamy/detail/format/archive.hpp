// One way to write and read a field: a structure names its fields once, as fields(archive, structure), for both directions.
#ifndef BELLAMY_DETAIL_FORMAT_ARCHIVE_HPP
#define BELLAMY_DETAIL_FORMAT_ARCHIVE_HPP

#include <bellamy/detail/base/byte_io.hpp>
#include <bellamy/detail/base/utf8.hpp>

#include <array>
#include <optional>
#include <type_traits>
#include <variant>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Integers take eight bytes, enumerators, booleans and the index of a variant one, texts and lists their size before them.
class archive_writer {
public:
    explicit archive_writer(byte_writer& out) noexcept : out_(out) {}

    template <class... Values>
    void operator()(const Values&... values) {
        (write(values), ...);
    }

private:
    void write(double value) { out_.number(value); }
    void write(float value) { out_.number(value); }
    void write(bool value) { out_.number(static_cast<std::uint8_t>(value ? 1 : 0)); }
    void write(std::monostate) {}
    void write(const std::string& value) {
        write(value.size());
        out_.append(std::as_bytes(std::span(value.data(), value.size())));
    }
    template <class Enum>
    requires(std::is_enum_v<Enum>) void write(Enum value) { out_.number(static_cast<std::uint8_t>(value)); }
    template <std::integral Integer>
    void write(Integer value) {
        out_.number(static_cast<std::uint64_t>(value));
    }
    template <class Value, std::size_t Size>
    void write(const std::array<Value, Size>& values) {
        for (const auto& each : values) write(each);
    }
    template <class Value>
    void write(const std::vector<Value>& values) {
        write(values.size());
        for (const auto& each : values) write(each);
    }
    template <class Value>
    void write(const std::optional<Value>& value) {
        write(value.has_value());
        if (value) write(*value);
    }
    template <class... Alternatives>
    void write(const std::variant<Alternatives...>& value) {
        out_.number(static_cast<std::uint8_t>(value.index()));
        std::visit([&](const auto& alternative) { (*this)(alternative); }, value);
    }
    template <class Structure>
    requires(std::is_class_v<Structure>) void write(const Structure& value) { fields(*this, value); }

    byte_writer& out_;
};

/// Reads what archive_writer wrote; nothing is trusted. After anything that cannot have been written, `finished()` is false.
/// Enumerators may have any value: who reads them checks.
class archive_reader {
public:
    explicit archive_reader(byte_reader in) noexcept : in_(in) {}

    template <class... Values>
    void operator()(Values&... values) {
        (read(values), ...);
    }
    /// Everything was read, and nothing is left.
    [[nodiscard]] bool finished() const noexcept { return in_.finished(); }

private:
    void read(double& value) { value = in_.wide_real(); }
    void read(float& value) { value = in_.real(); }
    void read(bool& value) {
        const auto byte = in_.number<std::uint8_t>();
        if (byte > 1) in_.refuse();
        value = byte == 1;
    }
    void read(std::monostate) {}
    void read(std::string& value) {
        std::size_t size = 0;
        read(size);
        const auto bytes = in_.take(size);
        value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (!is_utf8(value)) in_.refuse();
    }
    template <class Enum>
    requires(std::is_enum_v<Enum>) void read(Enum& value) {
        static_assert(std::is_same_v<std::underlying_type_t<Enum>, std::uint8_t>);
        value = static_cast<Enum>(in_.number<std::uint8_t>());
    }
    template <std::integral Integer>
    void read(Integer& value) {
        const auto number = in_.number<std::uint64_t>();
        if (number > static_cast<std::uint64_t>((std::numeric_limits<Integer>::max)())) in_.refuse();
        value = in_.good() ? static_cast<Integer>(number) : Integer{0};
    }
    template <class Value, std::size_t Size>
    void read(std::array<Value, Size>& values) {
        for (auto& each : values) read(each);
    }
    // An element takes a byte or more, and none is made once the bytes have ended: a size that lies cannot make us allocate.
    template <class Value>
    void read(std::vector<Value>& values) {
        std::size_t size = 0;
        read(size);
        if (size > in_.remaining()) in_.refuse();
        for (std::size_t i = 0; i < size && in_.good(); ++i) read(values.emplace_back());
    }
    template <class Value>
    void read(std::optional<Value>& value) {
        bool there = false;
        read(there);
        if (there && in_.good()) read(value.emplace());
    }
    template <class... Alternatives>
    void read(std::variant<Alternatives...>& value) {
        const std::size_t index = in_.number<std::uint8_t>();
        if (index >= sizeof...(Alternatives)) in_.refuse();
        std::size_t at = 0;
        ((at++ == index && in_.good() ? read(value.template emplace<Alternatives>()) : void()), ...);
    }
    template <class Structure>
    requires(std::is_class_v<Structure>) void read(Structure& value) { fields(*this, value); }

    byte_reader in_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
