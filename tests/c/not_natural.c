// Must not compile: the value would be cut off.
#include <bellamy/c.h>

bellamy_property size(void);
bellamy_property size(void) { return bellamy_natural("size_gb", 15.7); }
