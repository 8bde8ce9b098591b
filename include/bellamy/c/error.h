// Error codes and messages, and the version of the interface. Part of bellamy/c.h.
#ifndef BELLAMY_C_ERROR_H
#define BELLAMY_C_ERROR_H

#include <bellamy/detail/base/error_list.h>

#include <stddef.h>
#include <stdint.h>

// Exports the functions from a shared library that is compiled with -fvisibility=hidden. Define it as nothing to keep them
// internal, or as __declspec(dllimport) to use them from a DLL.
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

/// Increases when programs built with an older header would no longer work; examples/c/README.md has the rules.
#define BELLAMY_C_ABI_VERSION 1

/// BELLAMY_C_ABI_VERSION of the library that contains the functions, for a program to compare with its own.
BELLAMY_C_API uint32_t bellamy_abi_version(void) BELLAMY_C_NOEXCEPT;

/// The version of the library itself, for example "0.1.0".
BELLAMY_C_API const char* bellamy_version(void) BELLAMY_C_NOEXCEPT;

/// Error codes: bellamy_errc_ok = 0, bellamy_errc_empty_history and so on, see error_list.h. Those from 200 on belong to
/// this interface alone.
enum bellamy_errc {
    bellamy_errc_invalid_argument = 200,  // a null pointer, a struct of the wrong size, an enumerator that does not exist
    bellamy_errc_out_of_memory = 201,
    bellamy_errc_unexpected = 202,  // an exception that no function is known to throw
#define BELLAMY_ENTRY(name, number) bellamy_errc_##name = number,
    BELLAMY_ERROR_LIST(BELLAMY_ENTRY)
#undef BELLAMY_ENTRY
#undef BELLAMY_ERROR_LIST
};

/// Code and message of the last call, owned by the caller. Every function that takes one fills it, with code 0 and an empty
/// message on success. If its size is wrong it is not touched, and the call returns `bellamy_errc_invalid_argument`.
typedef struct bellamy_error {
    size_t size;
    int32_t code;
    char message[252];
} bellamy_error;

/// Name of a code, "unknown" where there is none.
BELLAMY_C_API const char* bellamy_code_name(int32_t code) BELLAMY_C_NOEXCEPT;

#if defined(__cplusplus)
}
#endif

#endif
