#include <bellamy/c.h>

#if defined(__GLIBCXX__)
#error "expected headers of C alone, found one of libstdc++: math.h alone is 125,000 tokens"
#endif
