// Macros for the compiler: where public functions are defined, and which loops are unrolled.
#ifndef BELLAMY_DETAIL_BASE_COMPILER_HPP
#define BELLAMY_DETAIL_BASE_COMPILER_HPP

// Public functions are defined in every unit that includes them or, where BELLAMY_COMPILED is defined, in one: of the CMake
// target bellamy::compiled, or of the program itself (definitions.hpp). A public header then ends without its definitions.
#if defined(BELLAMY_COMPILED)
#define BELLAMY_PUBLIC_INLINE
#else
#define BELLAMY_PUBLIC_INLINE inline
#endif

// Unrolls loops of a known length, so that the arrays they run over stay in registers.
#if defined(__GNUC__)
#define BELLAMY_UNROLL _Pragma("GCC unroll 40")
#define BELLAMY_UNROLL_4 _Pragma("GCC unroll 4")
#else
#define BELLAMY_UNROLL
#define BELLAMY_UNROLL_4
#endif

#endif
