// Asks for loops of a known length to be unrolled, so that the arrays they run over stay in registers.
#ifndef BELLAMY_DETAIL_BASE_UNROLL_HPP
#define BELLAMY_DETAIL_BASE_UNROLL_HPP

#if defined(__GNUC__)
#define BELLAMY_UNROLL _Pragma("GCC unroll 40")
#define BELLAMY_UNROLL_4 _Pragma("GCC unroll 4")
#else
#define BELLAMY_UNROLL
#define BELLAMY_UNROLL_4
#endif

#endif
