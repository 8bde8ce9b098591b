// The border between C and C++: structs with a size field, reference-counted handles, and errors as codes.
#ifndef BELLAMY_DETAIL_C_BOUNDARY_HPP
#define BELLAMY_DETAIL_C_BOUNDARY_HPP

#include <bellamy/c.h>
#include <bellamy/detail/base/message.hpp>

#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#if defined(__cpp_exceptions)
#include <exception>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::c {

// Error codes of the C interface alone.
inline constexpr auto invalid_argument = static_cast<errc>(bellamy_errc_invalid_argument);
inline constexpr auto out_of_memory = static_cast<errc>(bellamy_errc_out_of_memory);
inline constexpr auto unexpected = static_cast<errc>(bellamy_errc_unexpected);

/// Name of a C struct, for error messages.
template <class Struct>
inline constexpr std::string_view name_of{};
#define BELLAMY_NAME(type) \
    template <>            \
    inline constexpr std::string_view name_of<type> = #type;
BELLAMY_NAME(bellamy_error)
BELLAMY_NAME(bellamy_property)
BELLAMY_NAME(bellamy_context)
BELLAMY_NAME(bellamy_run)
BELLAMY_NAME(bellamy_drift)
BELLAMY_NAME(bellamy_improbable_run)
BELLAMY_NAME(bellamy_model_description)
BELLAMY_NAME(bellamy_property_definition)
BELLAMY_NAME(bellamy_bind_options)
BELLAMY_NAME(bellamy_curve_description)
BELLAMY_NAME(bellamy_prediction)
BELLAMY_NAME(bellamy_question)
BELLAMY_NAME(bellamy_price)
BELLAMY_NAME(bellamy_candidate)
BELLAMY_NAME(bellamy_request)
BELLAMY_NAME(bellamy_assessment)
BELLAMY_NAME(bellamy_decision)
BELLAMY_NAME(bellamy_other_job)
BELLAMY_NAME(bellamy_trial_candidate)
BELLAMY_NAME(bellamy_exploration_request)
BELLAMY_NAME(bellamy_proposed_trial)
BELLAMY_NAME(bellamy_exploration)
BELLAMY_NAME(bellamy_pretrain_options)
BELLAMY_NAME(bellamy_fine_tune_options)
BELLAMY_NAME(bellamy_training_report)
BELLAMY_NAME(bellamy_stage_trace)
BELLAMY_NAME(bellamy_job_trace)
BELLAMY_NAME(bellamy_scale_out_step)
BELLAMY_NAME(bellamy_application_trace)
BELLAMY_NAME(bellamy_application_options)
BELLAMY_NAME(bellamy_application_description)
BELLAMY_NAME(bellamy_forecast_description)
BELLAMY_NAME(bellamy_rescale_request)
BELLAMY_NAME(bellamy_rescale_assessment)
BELLAMY_NAME(bellamy_rescale_decision)
#undef BELLAMY_NAME

/// Larger sizes are refused: the size field was never set.
inline constexpr size_t largest_struct_bytes = 4096;

/// Larger counts are refused: they are negative numbers converted to unsigned.
inline constexpr size_t most_rows = (std::numeric_limits<std::uint32_t>::max)();

inline error null_pointer(std::string_view what) noexcept {
    return fail(invalid_argument, "expected ", what, ", found a null pointer");
}

/// The size field of a struct: of this version, or larger where the caller was compiled with a newer header. A smaller one
/// is refused, since no field was appended yet.
template <class Struct>
result<size_t> validated_size(const Struct* row) noexcept {
    static_assert(std::is_trivially_copyable_v<Struct> && std::is_standard_layout_v<Struct>);
    if (row == nullptr) return null_pointer(name_of<Struct>);
    size_t size = 0;
    std::memcpy(&size, row, sizeof(size));
    if (size < sizeof(Struct) || size > largest_struct_bytes)
        return fail(invalid_argument, "expected ", name_of<Struct>, ".size from ", sizeof(Struct), " to ",
                    largest_struct_bytes, " (sizeof it), found ", size);
    return size;
}

/// Copy of the fields that this version knows; the bytes after them must be zero.
template <class Struct>
result<Struct> read(const Struct* row) noexcept {
    const auto size = validated_size(row);
    if (!size) return size.error();
    Struct copy{};
    std::memcpy(&copy, row, sizeof(Struct));
    const auto* bytes = reinterpret_cast<const unsigned char*>(row);
    if (!std::all_of(bytes + sizeof(Struct), bytes + *size, [](unsigned char byte) { return byte == 0; }))
        return fail(invalid_argument, "expected zeros behind the ", sizeof(Struct), " bytes of ", name_of<Struct>,
                    " that this version knows, found a field that it cannot honour");
    return copy;
}

/// Sets the size field of a struct of `size` bytes; bytes after the fields that this version knows become zero.
template <class Struct>
void set_size(size_t size, Struct* row) noexcept {
    std::memcpy(row, &size, sizeof(size));
    if (size > sizeof(Struct)) std::memset(reinterpret_cast<unsigned char*>(row) + sizeof(Struct), 0, size - sizeof(Struct));
}

/// Fills a struct of `size` bytes.
template <class Struct>
void write(const Struct& value, size_t size, Struct* row) noexcept {
    std::memcpy(row, &value, sizeof(Struct));
    set_size(size, row);
}

/// Fills a struct whose size field is valid. Error: invalid_argument.
template <class Struct>
result<void> store(const Struct& value, Struct* row) noexcept {
    const auto size = validated_size(row);
    if (!size) return size.error();
    write(value, *size, row);
    return {};
}

/// The caller's array, whose structs may be longer than those of this version.
template <class Struct>
class strided {
public:
    strided(Struct* first, size_t stride, size_t count) noexcept : first_(first), stride_(stride), count_(count) {}

    size_t size() const noexcept { return count_; }

    /// The i-th row; its size field must equal that of the first.
    result<std::remove_const_t<Struct>> read_at(size_t i) const noexcept {
        auto row = read(pointer_to(i));
        if (row && row->size != stride_)
            return fail(invalid_argument, "expected ", name_of<std::remove_const_t<Struct>>, ".size ", stride_,
                        " as in the first, found ", row->size);
        return row;
    }
    /// Fills the i-th row; what it has beyond the known fields becomes zero.
    void write_at(size_t i, const Struct& value) const noexcept { write(value, stride_, pointer_to(i)); }

    /// The i-th row, to be filled in place: its size is set, and bytes after the known fields are zero.
    Struct& row_at(size_t i) const noexcept {
        auto* row = pointer_to(i);
        set_size(stride_, row);
        return *row;
    }

private:
    Struct* pointer_to(size_t i) const noexcept {
        using byte = std::conditional_t<std::is_const_v<Struct>, const unsigned char, unsigned char>;
        return reinterpret_cast<Struct*>(reinterpret_cast<byte*>(first_) + i * stride_);
    }

    Struct* first_;
    size_t stride_;
    size_t count_;
};

/// The caller's rows, to be read (`const Struct`) or filled; null is valid where there are none.
template <class Struct>
result<strided<Struct>> array_of(Struct* first, size_t count) noexcept {
    using row = std::remove_const_t<Struct>;
    if (count == 0) return strided<Struct>(first, sizeof(row), 0);
    if (count > most_rows)
        return fail(invalid_argument, "expected at most ", most_rows, " rows of ", name_of<row>, ", found ", count);
    const auto stride = validated_size<row>(first);
    if (!stride) return stride.error();
    return strided<Struct>(first, *stride, count);
}

/// Rows to be filled, of which `needed` must fit in. Errors: buffer_too_small, and those of `array_of`.
template <class Struct>
result<strided<Struct>> rows_for(size_t needed, Struct* rows, size_t capacity) noexcept {
    if (capacity < needed)
        return fail(errc::buffer_too_small, "expected room for ", needed, " rows of ", name_of<Struct>, ", found ",
                    capacity);
    return array_of(rows, needed);
}

/// The same for an optional table: empty where it is null.
template <class Struct>
result<strided<Struct>> table_for(size_t needed, Struct* rows, size_t capacity) noexcept {
    return rows == nullptr ? array_of(rows, 0) : rows_for(needed, rows, capacity);
}

/// The same for rows whose number is written to `count`; empty for capacity 0, which queries the count alone.
template <class Struct>
result<strided<Struct>> counted_rows_for(size_t needed, Struct* rows, size_t capacity, size_t* count) noexcept {
    if (count == nullptr) return null_pointer("a place for the number of rows");
    *count = needed;
    return capacity == 0 ? array_of(rows, 0) : rows_for(needed, rows, capacity);
}

/// Checks a number, from 0, of one of `count` parts.
inline result<void> check_part(std::string_view parts, size_t number, size_t count) noexcept {
    if (number < count) return {};
    return fail(invalid_argument, "expected the number of one of ", count, " ", parts, ", found ", number);
}

/// The integer of an enumerator.
template <class Enum>
constexpr std::int32_t number_of(Enum value) noexcept {
    return static_cast<std::int32_t>(value);
}

/// The enumerator that an integer stands for.
template <class Enum>
result<Enum> enumerator(std::string_view name, std::int32_t value, Enum last) noexcept {
    const auto largest = number_of(last);
    if (value < 0 || value > largest)
        return fail(invalid_argument, "expected ", name, " from 0 to ", largest, ", found ", value);
    return static_cast<Enum>(value);
}

/// Reference-counted value that an opaque handle points to.
template <class Value>
struct shared {
    explicit shared(Value owned) : value(std::move(owned)) {}

    const Value value;
    mutable std::atomic<size_t> owners{1};
};

template <class Handle>
Handle* retain(const Handle* handle) noexcept {
    if (handle != nullptr) handle->owners.fetch_add(1, std::memory_order_relaxed);
    return const_cast<Handle*>(handle);  // only the counter ever changes
}

template <class Handle>
void release(Handle** handle) noexcept {
    if (handle == nullptr || *handle == nullptr) return;
    const Handle* closed = *handle;
    *handle = nullptr;
    if (closed->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete closed;
}

template <class Handle>
result<void> check_handle(const Handle* handle) noexcept {
    if (handle != nullptr) return {};
    return fail(invalid_argument, "expected ", Handle::what, ", found a null handle: it was closed, or never made");
}

/// Writes the outcome of a call to the caller's error, which may be null, and returns its code.
inline std::int32_t report(const result<void>& outcome, bellamy_error* place) noexcept {
    static_assert(sizeof(bellamy_error::message) > error::capacity);
    const auto code = outcome ? std::int32_t{0} : static_cast<std::int32_t>(outcome.error().code());
    if (place == nullptr) return code;
    place->code = code;
    place->message[0] = 0;
    if (outcome) return code;
    const auto words = outcome.error().message();
    *std::copy(words.begin(), words.end(), place->message) = 0;
    return code;
}

/// Runs the body of a function of the interface, which returns `result<void>`. Exceptions become codes.
std::int32_t guarded(bellamy_error* place, auto&& body) noexcept {
    if (place != nullptr && !validated_size(place)) return bellamy_errc_invalid_argument;
#if defined(__cpp_exceptions)
    try {
        return report(body(), place);
    } catch (const std::bad_alloc&) {
        return report(fail(out_of_memory, "expected enough memory, found none left"), place);
    } catch (const std::exception& thrown) {
        return report(fail(unexpected, "expected an answer, found an exception: ", thrown.what()), place);
    } catch (...) {
        return report(fail(unexpected, "expected an answer, found an exception of an unknown type"), place);
    }
#else
    return report(body(), place);
#endif
}

/// The same for a function of a handle: `body` is called with what the handle holds, and these arguments.
template <class Handle>
std::int32_t guarded(bellamy_error* place, const Handle* handle, auto&& body, auto... arguments) noexcept {
    return guarded(place, [&]() -> result<void> {
        if (auto valid = check_handle(handle); !valid) return valid;
        return body(handle->value, arguments...);
    });
}

/// The same for a function that creates a handle of the value that `body` returns. An error leaves `*created` as it is: it
/// may be the caller's only pointer to another value.
template <class Handle>
std::int32_t guarded(bellamy_error* place, Handle** created, auto&& body) noexcept {
    return guarded(place, [&]() -> result<void> {
        if (created == nullptr) return null_pointer("a place for the handle");
        auto value = body();
        if (!value) return value.error();
        *created = new Handle(*std::move(value));
        return {};
    });
}

/// The same for a function of one handle that creates another.
template <class Created, class Handle>
std::int32_t guarded(bellamy_error* place, Created** created, const Handle* handle, auto&& body) noexcept {
    return guarded(place, created, [&]() -> decltype(body(handle->value)) {
        if (auto valid = check_handle(handle); !valid) return valid.error();
        return body(handle->value);
    });
}

}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
