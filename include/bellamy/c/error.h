// What can go wrong, as codes and sentences, and which version of the interface this is. Part of bellamy/c.h.
#ifndef BELLAMY_C_ERROR_H
#define BELLAMY_C_ERROR_H

#include <stddef.h>
#include <stdint.h>

// What is visible outside of a shared library that is compiled with -fvisibility=hidden. Define it as nothing to keep the
// functions inside, or as __declspec(dllimport) where they come from a DLL.
#ifndef BELLAMY_C_API
#if defined(_WIN32) && defined(BELLAMY_C_IMPLEMENTATION)
#define BELLAMY_C_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define BELLAMY_C_API __attribute__((visibility("default")))
#else
#define BELLAMY_C_API
#endif
#endif

#if defined(__cplusplus)
#define BELLAMY_C_NOEXCEPT noexcept
#else
#define BELLAMY_C_NOEXCEPT
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/// Grows when a program that was built with an older header would no longer work: see "From C and other languages" in the
/// README.
#define BELLAMY_C_ABI_VERSION 1

/// The version of the library that carries the functions; a program may ask before it relies on it.
BELLAMY_C_API uint32_t bellamy_abi_version(void) BELLAMY_C_NOEXCEPT;

/// The version of the library itself, for example "0.1.0".
BELLAMY_C_API const char* bellamy_version(void) BELLAMY_C_NOEXCEPT;

/// Every reason for which there is no answer; values are those of `bellamy::errc` and never reused. From 200 on they are
/// this interface's own.
enum bellamy_errc {
    bellamy_errc_ok = 0,
    bellamy_errc_empty_history = 1,
    bellamy_errc_single_context = 2,
    bellamy_errc_invalid_runtime = 3,
    bellamy_errc_invalid_scale_out = 4,
    bellamy_errc_invalid_weight = 5,
    bellamy_errc_invalid_text = 6,
    bellamy_errc_invalid_quantity = 7,
    bellamy_errc_number_too_large = 8,
    bellamy_errc_duplicate_property = 9,
    bellamy_errc_too_many_properties = 10,
    bellamy_errc_too_many_scale_outs = 11,
    bellamy_errc_unknown_value = 12,
    bellamy_errc_essential_count_mismatch = 20,
    bellamy_errc_property_mismatch = 21,
    bellamy_errc_unknown_property = 22,
    bellamy_errc_unit_mismatch = 23,
    bellamy_errc_not_a_blend = 24,
    bellamy_errc_invalid_deadline = 30,
    bellamy_errc_empty_candidates = 31,
    bellamy_errc_buffer_too_small = 32,
    bellamy_errc_invalid_option = 33,
    bellamy_errc_invalid_budget = 34,
    bellamy_errc_invalid_probability = 35,
    bellamy_errc_invalid_price = 36,
    bellamy_errc_training_diverged = 40,
    bellamy_errc_cannot_read = 50,
    bellamy_errc_cannot_write = 51,
    bellamy_errc_not_a_model = 52,
    bellamy_errc_unsupported_version = 53,
    bellamy_errc_truncated = 54,
    bellamy_errc_corrupted = 55,
    bellamy_errc_invalid_model = 56,
    bellamy_errc_self_test_failed = 57,
    bellamy_errc_invalid_argument = 200,  // a null pointer, a struct of the wrong size, an enumerator that does not exist
    bellamy_errc_out_of_memory = 201,
    bellamy_errc_unexpected = 202  // an exception that no function is known to throw
};

/// What went wrong, owned by the caller. Every function that takes one fills it, with code 0 and no message on success. One
/// of the wrong size is not touched, and the call refused with `bellamy_errc_invalid_argument`.
typedef struct bellamy_error {
    size_t size;
    int32_t code;
    char message[252];
} bellamy_error;

/// Spelled name of a code, "unknown" where there is none.
BELLAMY_C_API const char* bellamy_code_name(int32_t code) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
