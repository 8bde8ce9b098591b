// The library for C, and for every language that can call C: a stable binary interface.
//
// One C++20 translation unit of the program, or of a shared library, defines BELLAMY_C_IMPLEMENTATION before it includes
// this header, and so carries the functions; all other units, C or C++, only include it.
//
// Errors: what can fail returns a code, 0 for success, and fills the caller's `bellamy_error` (which may be null) with a
// sentence that says what was expected and found. No exception leaves, and a failed call does not touch the handle or the
// structs that it would have filled (numbers of rows and bytes are told where a buffer is too small);
// running out of memory is a code where the implementation is compiled with exceptions.
//
// Structs begin with their size, which the caller sets to `sizeof`, also in structs to be filled (in an array to be filled,
// of the first one). Fields that a newer header appends must be zero where the library is older.
//
// Ownership: all arrays are the caller's and are not needed after the call. Models, curves, applications and
// forecasts are reference-counted: whoever made or retained one releases it once. They are immutable, so any number of
// threads may use one at once; a reference must not be released while another thread still uses it.
//
// Texts are UTF-8 and end with a zero byte. Integers that stand for enumerators are 32 bits wide. Booleans are 0 or not 0.
#ifndef BELLAMY_C_H
#define BELLAMY_C_H

#include <bellamy/c/application.h>
#include <bellamy/c/choose.h>
#include <bellamy/c/error.h>
#include <bellamy/c/model.h>
#include <bellamy/c/prediction.h>
#include <bellamy/c/run.h>
#include <bellamy/c/trace.h>
#include <bellamy/c/training.h>

#endif

// Outside of the guard: a unit may have included this header before it defines the macro.
#if defined(BELLAMY_C_IMPLEMENTATION)
#include <bellamy/detail/c/c_impl.hpp>
#endif
