// Definitions of pre-training and of the store of jobs, which learns as runs end, for one unit of a program (see
// definitions.hpp). Includes Eigen; needs answering.hpp in some unit.
#ifndef BELLAMY_DEFINITIONS_PRETRAINING_HPP
#define BELLAMY_DEFINITIONS_PRETRAINING_HPP

#ifndef BELLAMY_COMPILED
#error "expected BELLAMY_COMPILED in every unit of a program that includes bellamy's definitions in one of them"
#endif

#include <bellamy/detail/format/job_store_impl.hpp>  // IWYU pragma: export
#include <bellamy/detail/models/pretrain_impl.hpp>   // IWYU pragma: export

#endif
