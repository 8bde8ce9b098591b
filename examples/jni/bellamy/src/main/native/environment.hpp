// Between the JVM and C++: arrays in and out, handles, and failures that become Java exceptions.
#ifndef BELLAMY_EXAMPLES_JNI_ENVIRONMENT_HPP
#define BELLAMY_EXAMPLES_JNI_ENVIRONMENT_HPP

#include <bellamy/error.hpp>

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

/// Code of a failure that is no `errc`, as in io.github.bellamy.ErrorCode.
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

/// Owners of what Java holds as a number.
template <class T>
[[nodiscard]] jlong to_handle(T value) {
    return reinterpret_cast<jlong>(new T(std::move(value)));
}
template <class T>
[[nodiscard]] T& from_handle(jlong handle) noexcept {
    return *reinterpret_cast<T*>(handle);
}
template <class T>
void destroy(JNIEnv*, jclass, jlong handle) noexcept {
    delete reinterpret_cast<T*>(handle);
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
    } catch (const bellamy::failure& failed) {
        raise(env, natives, static_cast<int>(failed.cause().code()), failed.cause().message());
    } catch (const std::bad_alloc&) {
        raise_out_of_memory(env);
    } catch (const std::exception& unexpected) {
        raise(env, natives, internal_error, unexpected.what());
    }
    return decltype(body())();
}

}  // namespace jni

#endif
