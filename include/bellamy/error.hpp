// What can go wrong, and the value-or-error type that every fallible call returns.
#ifndef BELLAMY_ERROR_HPP
#define BELLAMY_ERROR_HPP

#include <bellamy/detail/base/error_list.h>
#include <bellamy/version.hpp>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <version>

#if defined(__cpp_lib_expected)
#include <expected>
#endif
#if defined(__cpp_exceptions)
#include <stdexcept>
#include <string>
#endif

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// The name of an enumerator; its number is the name's place in the list. Precondition: it has one.
constexpr std::string_view name_at(auto enumerator, std::initializer_list<std::string_view> names) noexcept {
    return names.begin()[static_cast<size_t>(enumerator)];
}

}  // namespace detail

/// Every reason for which bellamy refuses to answer; 0 is success and values are never reused. See error_list.h.
enum class errc : std::uint8_t {
#define BELLAMY_ENTRY(name, number) name = (number),
    BELLAMY_ERROR_LIST(BELLAMY_ENTRY)
#undef BELLAMY_ENTRY
};

/// Spelled name of a code, stable across versions.
[[nodiscard]] constexpr std::string_view to_string(errc code) noexcept {
    switch (code) {
#define BELLAMY_ENTRY(name, number) \
    case errc::name: return #name;
        BELLAMY_ERROR_LIST(BELLAMY_ENTRY)
#undef BELLAMY_ENTRY
#undef BELLAMY_ERROR_LIST
    }
    return "unknown";
}

/// A code with a sentence that says what was expected and what was found.
///
/// The text lives inside the object (cut at `capacity` bytes), so making an error never allocates.
class error {
public:
    static constexpr size_t capacity = 245;

    constexpr error(errc code, std::string_view message) noexcept : code_(code) {
        for (const char c : message.substr(0, capacity)) text_[size_++] = c;
    }

    [[nodiscard]] constexpr errc code() const noexcept { return code_; }
    [[nodiscard]] constexpr std::string_view message() const noexcept { return {text_.data(), size_}; }

    /// "code: message", to whatever takes a `std::string_view`; no stream is included for it.
    template <class Stream>
    friend auto operator<<(Stream& out, const error& cause) -> decltype(out << std::string_view{}, out) {
        out << to_string(cause.code()) << std::string_view(": ") << cause.message();
        return out;
    }

private:
    std::array<char, capacity> text_{};
    std::uint8_t size_ = 0;
    errc code_;
};

#if defined(__cpp_exceptions)
/// Thrown by `result::value()`, the only throwing layer; `what()` is "code: message".
class failure : public std::runtime_error {
public:
    explicit failure(const bellamy::error& cause)
        : std::runtime_error(std::string(to_string(cause.code())) + ": " + std::string(cause.message())), cause_(cause) {}
    [[nodiscard]] const bellamy::error& cause() const noexcept { return cause_; }

private:
    bellamy::error cause_;
};
#endif

/// A value or the error that prevented it; spelled like C++23's `std::expected<T, error>`.
template <class T>
class [[nodiscard]] result {
public:
    using value_type = T;

    result(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : value_(std::move(value)), has_value_(true) {}
    result(bellamy::error cause) noexcept : error_(cause) { assert(cause.code() != errc::ok); }
    result(const result& other) noexcept(std::is_nothrow_copy_constructible_v<T>) requires(std::is_copy_constructible_v<T>)
        : has_value_(other.has_value_) {
        copy_from(other);
    }
    result(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : has_value_(other.has_value_) {
        copy_from(std::move(other));
    }
    result& operator=(result other) noexcept {
        destroy();
        has_value_ = other.has_value_;
        copy_from(std::move(other));
        return *this;
    }
    ~result() { destroy(); }

    [[nodiscard]] bool has_value() const noexcept { return has_value_; }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value; it is a programming error to ask without having checked.
    [[nodiscard]] const T& operator*() const& noexcept {
        assert(has_value_);
        return value_;
    }
    [[nodiscard]] T& operator*() & noexcept {
        assert(has_value_);
        return value_;
    }
    /// Of a temporary it is moved out, so that no reference to what was inside it dangles.
    [[nodiscard]] T operator*() && noexcept(std::is_nothrow_move_constructible_v<T>) { return std::move(**this); }
    [[nodiscard]] const T* operator->() const noexcept { return &**this; }
    [[nodiscard]] T* operator->() noexcept { return &**this; }

    /// The value, or where there is none, the other one.
    template <class Other>
    requires std::is_convertible_v<Other, T>
    [[nodiscard]] T value_or(Other&& other) const& {
        return has_value() ? value_ : static_cast<T>(std::forward<Other>(other));
    }
    template <class Other>
    requires std::is_convertible_v<Other, T>
    [[nodiscard]] T value_or(Other&& other) && {
        return has_value() ? std::move(value_) : static_cast<T>(std::forward<Other>(other));
    }

    /// `next(value)`, itself a result, or the error.
    template <class Next>
    [[nodiscard]] auto and_then(Next&& next) const& -> decltype(std::forward<Next>(next)(std::declval<const T&>())) {
        if (!has_value()) return error();
        return std::forward<Next>(next)(value_);
    }
    template <class Next>
    [[nodiscard]] auto and_then(Next&& next) && -> decltype(std::forward<Next>(next)(std::declval<T>())) {
        if (!has_value()) return error();
        return std::forward<Next>(next)(std::move(value_));
    }

    /// `change(value)` as a result, of nothing where it returns nothing, or the error.
    template <class Change>
    [[nodiscard]] auto transform(Change&& change) const& {
        return and_then([&](const T& value) { return as_result([&] { return change(value); }); });
    }
    template <class Change>
    [[nodiscard]] auto transform(Change&& change) && {
        return std::move(*this).and_then([&](T&& value) { return as_result([&] { return change(std::move(value)); }); });
    }

    /// The value, or `recover(error)`, itself a result of the same type.
    template <class Recover>
    [[nodiscard]] result or_else(Recover&& recover) const& {
        return has_value() ? *this : std::forward<Recover>(recover)(error());
    }
    template <class Recover>
    [[nodiscard]] result or_else(Recover&& recover) && {
        return has_value() ? std::move(*this) : std::forward<Recover>(recover)(error());
    }

    /// The error; it is a programming error to ask when there is a value.
    [[nodiscard]] const bellamy::error& error() const& noexcept {
        assert(!has_value());
        return error_;
    }
    [[nodiscard]] bellamy::error error() && noexcept { return error(); }

#if defined(__cpp_lib_expected)
    /// The same as the standard's type, where the standard library has it.
    operator std::expected<T, bellamy::error>() const& {
        if (has_value()) return value_;
        return std::unexpected(error());
    }
    operator std::expected<T, bellamy::error>() && {
        if (has_value()) return std::move(value_);
        return std::unexpected(error());
    }
#endif

#if defined(__cpp_exceptions)
    /// The value, or throws `failure`.
    [[nodiscard]] const T& value() const& { return require(), value_; }
    [[nodiscard]] T& value() & { return require(), value_; }
    [[nodiscard]] T value() && { return require(), std::move(value_); }
#endif

private:
    template <class Call>
    static auto as_result(Call call) {
        using made = decltype(call());
        if constexpr (std::is_void_v<made>)
            return call(), result<made>();
        else
            return result<made>(call());
    }

#if defined(__cpp_exceptions)
    void require() const {
        if (!has_value()) throw failure(error());
    }
#endif

    template <class Other>
    void copy_from(Other&& other) {
        if (has_value_)
            ::new (&value_) T(std::forward<Other>(other).value_);
        else
            ::new (&error_) bellamy::error(other.error_);
    }
    void destroy() noexcept {
        if (has_value_) value_.~T();
    }

    // A union, since of a std::variant each result would compile some 40 functions.
    union {
        T value_;               // NOLINT(readability-identifier-naming): private, as the union is
        bellamy::error error_;  // NOLINT(readability-identifier-naming)
    };
    bool has_value_ = false;
};

/// Success, or the error that prevented it. What is chained to it takes no value.
template <>
class [[nodiscard]] result<void> : result<std::true_type> {  // empty: success writes nothing but the flag
    using base = result<std::true_type>;

public:
    using value_type = void;

    result() noexcept : base(std::true_type{}) {}
    result(bellamy::error cause) noexcept : base(cause) {}
    using base::error;
    using base::has_value;
    using base::operator bool;

    /// `next()`, itself a result, or the error.
    template <class Next>
    [[nodiscard]] auto and_then(Next&& next) const {
        return base::and_then([&](std::true_type) { return std::forward<Next>(next)(); });
    }

    /// `change()` as a result, of nothing where it returns nothing, or the error.
    template <class Change>
    [[nodiscard]] auto transform(Change&& change) const {
        return base::transform([&](std::true_type) { return change(); });
    }

    /// Success, or `recover(error)`, itself a result without a value.
    template <class Recover>
    [[nodiscard]] result or_else(Recover&& recover) const {
        return has_value() ? *this : std::forward<Recover>(recover)(error());
    }

#if defined(__cpp_exceptions)
    void value() const { (void)base::value(); }
#endif
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
