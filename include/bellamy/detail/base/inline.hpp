// Public functions are defined in every unit that includes them or, where BELLAMY_COMPILED is defined, in one: of the CMake
// target bellamy::compiled, or of the program itself (definitions.hpp). A public header then ends without its definitions.
#ifndef BELLAMY_DETAIL_BASE_INLINE_HPP
#define BELLAMY_DETAIL_BASE_INLINE_HPP

#if defined(BELLAMY_COMPILED)
#define BELLAMY_PUBLIC_INLINE
#else
#define BELLAMY_PUBLIC_INLINE inline
#endif

#endif
