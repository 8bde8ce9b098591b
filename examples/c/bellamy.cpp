// The one C++ unit of a C program, or the whole of a shared library for other languages.
#define BELLAMY_C_IMPLEMENTATION
#include <bellamy/c.h>
