// Definitions of Enel's network, for one unit of a program (see definitions.hpp). Includes Eigen; needs answering.hpp and
// application.hpp in some unit.
#ifndef BELLAMY_DEFINITIONS_ENEL_HPP
#define BELLAMY_DEFINITIONS_ENEL_HPP

#ifndef BELLAMY_COMPILED
#error "expected BELLAMY_COMPILED in every unit of a program that includes bellamy's definitions in one of them"
#endif

#include <bellamy/detail/enel/enel_impl.hpp>  // IWYU pragma: export

#endif
