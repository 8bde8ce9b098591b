// Definitions of fine-tuning a network, for one unit of a program (see definitions.hpp). Includes Eigen;
// needs answering.hpp in some unit.
#ifndef BELLAMY_DEFINITIONS_FINE_TUNING_HPP
#define BELLAMY_DEFINITIONS_FINE_TUNING_HPP

#ifndef BELLAMY_COMPILED
#error "expected BELLAMY_COMPILED in every unit of a program that includes bellamy's definitions in one of them"
#endif

#include <bellamy/detail/models/fine_tune_impl.hpp>  // IWYU pragma: export

#endif
