// The library for C, and for every language that can call C, with a stable binary interface.
//
// One C++20 translation unit of the program, or of a shared library, defines BELLAMY_C_IMPLEMENTATION before it includes
// this header: it contains the functions. All other units, C or C++, only include the header.
//
// Errors: a function that can fail returns a code, 0 for success, and fills the caller's `bellamy_error` (which may be null)
// with a sentence that says what was expected and found. No exception leaves a function. A failed call changes neither the
// handle nor the structs that it would have filled, but where a buffer is too small it writes the number of rows or bytes
// that are needed. Running out of memory is a code where the implementation is compiled with exceptions.
//
// Structs begin with their size. The caller sets it to `sizeof` the struct, also in structs to be filled (in an array to be
// filled, in the first one). Fields that a newer header appends must be zero where the library is older.
//
// Ownership: all arrays belong to the caller and are not needed after the call. Models, curves, priors, applications and
// forecasts are reference-counted: whoever created or retained one releases it once. They are immutable, so any number of
// threads may use one at once. A reference must not be released while another thread still uses it.
//
// Texts are UTF-8 and end with a zero byte. Enumerators are passed as 32-bit integers. Booleans are 0 or not 0.
#ifndef BELLAMY_C_H
#define BELLAMY_C_H

#include <bellamy/c/application.h>
#include <bellamy/c/choose.h>
#include <bellamy/c/error.h>
#include <bellamy/c/explore.h>
#include <bellamy/c/model.h>
#include <bellamy/c/prediction.h>
#include <bellamy/c/run.h>
#include <bellamy/c/trace.h>
#include <bellamy/c/training.h>

#endif

// Outside of the guard: a unit may have included this header before it defines the macro.
#if defined(BELLAMY_C_IMPLEMENTATION) && !defined(BELLAMY_C_IMPLEMENTED)
#define BELLAMY_C_IMPLEMENTED
#include <bellamy/detail/c/application_functions.hpp>
#include <bellamy/detail/c/training_functions.hpp>
#endif
