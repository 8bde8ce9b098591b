// What can go wrong, and the value-or-error type that every fallible call returns.
#ifndef BELLAMY_ERROR_HPP
#define BELLAMY_ERROR_HPP

#include <bellamy/version.hpp>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#if defined(__cpp_exceptions)
#include <stdexcept>
#include <string>
#endif

namespace bellamy::inline BELLAMY_ABI {

/// Every reason for which bellamy refuses to answer; 0 is success and values are never reused.
enum class errc : std::uint8_t {
    ok = 0,
    // runs and contexts
    empty_history = 1,
    single_context = 2,
    invalid_runtime = 3,
    invalid_scale_out = 4,
    invalid_weight = 5,
    invalid_text = 6,
    invalid_quantity = 7,
    number_too_large = 8,
    duplicate_property = 9,
    too_many_properties = 10,
    too_many_scale_outs = 11,
    unknown_value = 12,
    // what does not fit the model
    essential_count_mismatch = 20,
    property_mismatch = 21,
    unknown_property = 22,
    unit_mismatch = 23,
    not_a_blend = 24,
    // requests
    invalid_deadline = 30,
    empty_candidates = 31,
    buffer_too_small = 32,
    invalid_option = 33,
    invalid_budget = 34,
    invalid_probability = 35,
    invalid_price = 36,
    // training
    training_diverged = 40,
    // files and model bytes
    cannot_read = 50,
    cannot_write = 51,
    not_a_model = 52,
    unsupported_version = 53,
    truncated = 54,
    corrupted = 55,
    invalid_model = 56,
    self_test_failed = 57,
};

/// Spelled name of a code, stable across versions.
[[nodiscard]] constexpr std::string_view to_string(errc code) noexcept {
    switch (code) {
        case errc::ok: return "ok";
        case errc::empty_history: return "empty_history";
        case errc::single_context: return "single_context";
        case errc::invalid_runtime: return "invalid_runtime";
        case errc::invalid_scale_out: return "invalid_scale_out";
        case errc::invalid_weight: return "invalid_weight";
        case errc::invalid_text: return "invalid_text";
        case errc::invalid_quantity: return "invalid_quantity";
        case errc::number_too_large: return "number_too_large";
        case errc::duplicate_property: return "duplicate_property";
        case errc::too_many_properties: return "too_many_properties";
        case errc::too_many_scale_outs: return "too_many_scale_outs";
        case errc::unknown_value: return "unknown_value";
        case errc::essential_count_mismatch: return "essential_count_mismatch";
        case errc::property_mismatch: return "property_mismatch";
        case errc::unknown_property: return "unknown_property";
        case errc::unit_mismatch: return "unit_mismatch";
        case errc::not_a_blend: return "not_a_blend";
        case errc::invalid_deadline: return "invalid_deadline";
        case errc::empty_candidates: return "empty_candidates";
        case errc::buffer_too_small: return "buffer_too_small";
        case errc::invalid_option: return "invalid_option";
        case errc::invalid_budget: return "invalid_budget";
        case errc::invalid_probability: return "invalid_probability";
        case errc::invalid_price: return "invalid_price";
        case errc::training_diverged: return "training_diverged";
        case errc::cannot_read: return "cannot_read";
        case errc::cannot_write: return "cannot_write";
        case errc::not_a_model: return "not_a_model";
        case errc::unsupported_version: return "unsupported_version";
        case errc::truncated: return "truncated";
        case errc::corrupted: return "corrupted";
        case errc::invalid_model: return "invalid_model";
        case errc::self_test_failed: return "self_test_failed";
    }
    return "unknown";
}

/// A code with a sentence that says what was expected and what was found.
///
/// The text lives inside the object (cut at `capacity` bytes), so making an error never allocates.
class error {
public:
    static constexpr std::size_t capacity = 245;

    constexpr error(errc code, std::string_view message) noexcept : code_(code) {
        for (const char c : message.substr(0, capacity)) text_[size_++] = c;
    }

    [[nodiscard]] constexpr errc code() const noexcept { return code_; }
    [[nodiscard]] constexpr std::string_view message() const noexcept { return {text_.data(), size_}; }

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

    result(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : state_(std::in_place_index<0>, std::move(value)) {}
    result(bellamy::error cause) noexcept : state_(std::in_place_index<1>, cause) { assert(cause.code() != errc::ok); }

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value; it is a programming error to ask without having checked.
    [[nodiscard]] const T& operator*() const& noexcept { return *checked(); }
    [[nodiscard]] T& operator*() & noexcept { return *checked(); }
    [[nodiscard]] T&& operator*() && noexcept { return std::move(*checked()); }
    [[nodiscard]] const T* operator->() const noexcept { return checked(); }
    [[nodiscard]] T* operator->() noexcept { return checked(); }

    /// The error; it is a programming error to ask when there is a value.
    [[nodiscard]] const bellamy::error& error() const noexcept {
        assert(!has_value());
        return *std::get_if<1>(&state_);
    }

#if defined(__cpp_exceptions)
    /// The value, or throws `failure`.
    [[nodiscard]] const T& value() const& { return require(), *checked(); }
    [[nodiscard]] T& value() & { return require(), *checked(); }
    [[nodiscard]] T&& value() && { return require(), std::move(*checked()); }
#endif

private:
    [[nodiscard]] const T* checked() const noexcept {
        assert(has_value());
        return std::get_if<0>(&state_);
    }
    [[nodiscard]] T* checked() noexcept {
        assert(has_value());
        return std::get_if<0>(&state_);
    }
#if defined(__cpp_exceptions)
    void require() const {
        if (!has_value()) throw failure(error());
    }
#endif

    std::variant<T, bellamy::error> state_;
};

/// Success, or the error that prevented it.
template <>
class [[nodiscard]] result<void> {
public:
    using value_type = void;

    result() noexcept = default;
    result(bellamy::error cause) noexcept : error_(cause) { assert(cause.code() != errc::ok); }

    [[nodiscard]] bool has_value() const noexcept { return error_.code() == errc::ok; }
    explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] const bellamy::error& error() const noexcept {
        assert(!has_value());
        return error_;
    }

#if defined(__cpp_exceptions)
    void value() const {
        if (!has_value()) throw failure(error_);
    }
#endif

private:
    bellamy::error error_{errc::ok, ""};
};

}  // namespace bellamy::inline BELLAMY_ABI

#endif
