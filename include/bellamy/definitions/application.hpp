// Definitions of traces, their replay and applications, for one unit of a program (see definitions.hpp).
// Needs answering.hpp and pretraining.hpp in some unit.
#ifndef BELLAMY_DEFINITIONS_APPLICATION_HPP
#define BELLAMY_DEFINITIONS_APPLICATION_HPP

#ifndef BELLAMY_COMPILED
#error "expected BELLAMY_COMPILED in every unit of a program that includes bellamy's definitions in one of them"
#endif

#include <bellamy/detail/application/application_file_impl.hpp>  // IWYU pragma: export
#include <bellamy/detail/application/application_impl.hpp>       // IWYU pragma: export
#include <bellamy/detail/trace/replay_impl.hpp>                  // IWYU pragma: export
#include <bellamy/detail/trace/trace_impl.hpp>                   // IWYU pragma: export

#endif
