// Between the JVM and C: arrays in and out, handles, and refusals that become Java exceptions.
#ifndef BELLAMY_EXAMPLES_JNI_ENVIRONMENT_HPP
#define BELLAMY_EXAMPLES_JNI_ENVIRONMENT_HPP

#include <bellamy/c.h>

#include <jni.h>

#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jni {

/// Thrown once the JVM has an exception pending, to leave the native method at once.
struct java_exception {};

/// What the library refuses, thrown to become a Java exception.
struct refusal {
    int32_t code;
    std::string message;
};

/// Code of a failure that the library does not name, as in io.github.bellamy.ErrorCode.
inline constexpr int internal_error = 1004;

inline void leave_if_pending(JNIEnv* env) {
    if (env->ExceptionCheck() != JNI_FALSE) throw java_exception{};
}

[[nodiscard]] inline std::vector<std::byte> to_bytes(JNIEnv* env, jbyteArray array) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(env->GetArrayLength(array)));
    env->GetByteArrayRegion(array, 0, static_cast<jsize>(bytes.size()), reinterpret_cast<jbyte*>(bytes.data()));
    leave_if_pending(env);
    return bytes;
}

[[nodiscard]] inline std::string to_text(JNIEnv* env, jbyteArray utf8) {
    const auto bytes = to_bytes(env, utf8);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[nodiscard]] inline jbyteArray to_array(JNIEnv* env, std::span<const std::byte> bytes) {
    const auto size = static_cast<jsize>(bytes.size());
    jbyteArray array = env->NewByteArray(size);
    leave_if_pending(env);
    env->SetByteArrayRegion(array, 0, size, reinterpret_cast<const jbyte*>(bytes.data()));
    leave_if_pending(env);
    return array;
}

[[nodiscard]] inline jbyteArray to_array(JNIEnv* env, std::string_view words) {
    return to_array(env, std::as_bytes(std::span(words)));
}

[[nodiscard]] inline std::vector<int> to_ints(JNIEnv* env, jintArray array) {
    static_assert(sizeof(jint) == sizeof(int));
    std::vector<int> numbers(static_cast<std::size_t>(env->GetArrayLength(array)));
    env->GetIntArrayRegion(array, 0, static_cast<jsize>(numbers.size()), reinterpret_cast<jint*>(numbers.data()));
    leave_if_pending(env);
    return numbers;
}

[[nodiscard]] inline std::vector<double> to_doubles(JNIEnv* env, jdoubleArray array) {
    std::vector<double> numbers(static_cast<std::size_t>(env->GetArrayLength(array)));
    env->GetDoubleArrayRegion(array, 0, static_cast<jsize>(numbers.size()), numbers.data());
    leave_if_pending(env);
    return numbers;
}

inline void fill(JNIEnv* env, jdoubleArray array, std::span<const double> numbers) {
    env->SetDoubleArrayRegion(array, 0, static_cast<jsize>(numbers.size()), numbers.data());
    leave_if_pending(env);
}

/// A struct of bellamy/c.h, all zero but its size.
template <class Struct>
[[nodiscard]] Struct sized() {
    Struct made{};
    made.size = sizeof(Struct);
    return made;
}

/// Calls a function of bellamy/c.h whose last parameter is the error, and throws what it refuses.
template <class... Parameters, class... Arguments>
void call(int32_t (*function)(Parameters...), Arguments... arguments) {
    auto error = sized<bellamy_error>();
    const int32_t code = function(arguments..., &error);
    if (code == bellamy_errc_out_of_memory) throw std::bad_alloc();
    if (code != bellamy_errc_ok) throw refusal{code, error.message};
}

/// What Java holds as a number.
template <class Handle>
[[nodiscard]] jlong to_handle(Handle* owned) noexcept {
    return reinterpret_cast<jlong>(owned);
}
template <class Handle>
[[nodiscard]] Handle* from_handle(jlong handle) noexcept {
    return reinterpret_cast<Handle*>(handle);
}

/// Throws what `failure(int, byte[])` of the calling class makes, whatever a build that renames classes calls it. Its method
/// is looked up where needed, so that nothing here keeps a class, and with it a class loader, alive.
inline void raise(JNIEnv* env, jclass natives, int code, std::string_view message) noexcept {
    const jmethodID make = env->GetStaticMethodID(natives, "failure", "(I[B)Ljava/lang/RuntimeException;");
    if (make == nullptr) return;  // an exception is pending that says so
    const auto size = static_cast<jsize>(message.size());
    jbyteArray bytes = env->NewByteArray(size);
    if (bytes == nullptr) return;
    env->SetByteArrayRegion(bytes, 0, size, reinterpret_cast<const jbyte*>(message.data()));
    const auto made = static_cast<jthrowable>(env->CallStaticObjectMethod(natives, make, code, bytes));
    if (made != nullptr && env->ExceptionCheck() == JNI_FALSE) env->Throw(made);
}

inline void raise_out_of_memory(JNIEnv* env) noexcept {
    if (jclass type = env->FindClass("java/lang/OutOfMemoryError"); type != nullptr)
        env->ThrowNew(type, "bellamy: the native heap is exhausted");
}

/// What the body returns, or a pending Java exception; no C++ exception gets past.
template <class Body>
auto guarded(JNIEnv* env, jclass natives, Body body) noexcept -> decltype(body()) {
    try {
        return body();
    } catch (const java_exception&) {
    } catch (const refusal& refused) {
        raise(env, natives, refused.code, refused.message);
    } catch (const std::bad_alloc&) {
        raise_out_of_memory(env);
    } catch (const std::exception& unexpected) {
        raise(env, natives, internal_error, unexpected.what());
    }
    return decltype(body())();
}

}  // namespace jni

#endif
