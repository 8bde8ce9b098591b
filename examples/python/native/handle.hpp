// What the C interface hands out, owned by C++ objects; and its codes as exceptions.
#ifndef BELLAMY_PYTHON_HANDLE_HPP
#define BELLAMY_PYTHON_HANDLE_HPP

#include <bellamy/c.h>
#include <nanobind/nanobind.h>

#include <string>
#include <utility>

namespace python {

namespace nb = nanobind;

/// Becomes a bellamy.Error.
struct refusal {
    int32_t code;
    std::string message;
};

/// One reference of a handle; it moves and is not copied.
template <class Object, void (*Release)(Object**) BELLAMY_C_NOEXCEPT>
class handle {
public:
    handle() = default;
    handle(handle&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    handle& operator=(handle&& other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;
    ~handle() { Release(&held_); }

    [[nodiscard]] const Object* get() const noexcept { return held_; }
    [[nodiscard]] Object** out() noexcept { return &held_; }

private:
    Object* held_ = nullptr;
};

using model = handle<bellamy_model, bellamy_model_release>;
using curve = handle<bellamy_curve, bellamy_curve_release>;
using application = handle<bellamy_application, bellamy_application_release>;
using forecast = handle<bellamy_forecast, bellamy_forecast_release>;

/// A struct whose size is set and whose other fields are zero.
template <class Struct>
[[nodiscard]] Struct sized() {
    Struct made{};
    made.size = sizeof(Struct);
    return made;
}

/// Calls a function whose last argument is the error, and throws what it refuses.
template <class Function, class... Arguments>
void call(Function function, Arguments... arguments) {
    auto error = sized<bellamy_error>();
    if (function(arguments..., &error) != 0) throw refusal{error.code, error.message};
}

/// The same for what takes its time: other threads of Python's go on meanwhile.
template <class Function, class... Arguments>
void call_without_lock(Function function, Arguments... arguments) {
    const nb::gil_scoped_release others_go_on;
    call(function, arguments...);
}

/// A call that tells the size with a capacity of 0, then fills.
template <class Object, class ToBytes>
[[nodiscard]] nb::bytes bytes_of(const Object* object, ToBytes to_bytes) {
    size_t size = 0;
    std::string bytes;
    {
        const nb::gil_scoped_release others_go_on;
        call(to_bytes, object, nullptr, size_t{0}, &size);
        bytes.resize(size);
        call(to_bytes, object, bytes.data(), size, &size);
    }
    return nb::bytes(bytes.data(), size);
}

}  // namespace python

#endif
