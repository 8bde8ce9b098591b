// Public functions are defined in every unit that includes them or, in a program that links the CMake target
// bellamy::compiled, once in that library: a public header then ends without its definitions.
#ifndef BELLAMY_DETAIL_BASE_INLINE_HPP
#define BELLAMY_DETAIL_BASE_INLINE_HPP

#if defined(BELLAMY_COMPILED)
#define BELLAMY_PUBLIC_INLINE
#else
#define BELLAMY_PUBLIC_INLINE inline
#endif

#endif
