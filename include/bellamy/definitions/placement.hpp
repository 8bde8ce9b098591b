// Definitions of what places jobs over several sites, for one unit of a program (see definitions.hpp). Needs answering.hpp
// in some unit.
#ifndef BELLAMY_DEFINITIONS_PLACEMENT_HPP
#define BELLAMY_DEFINITIONS_PLACEMENT_HPP

#ifndef BELLAMY_COMPILED
#error "expected BELLAMY_COMPILED in every unit of a program that includes bellamy's definitions in one of them"
#endif

#include <bellamy/detail/placement/arrivals.hpp>        // IWYU pragma: export
#include <bellamy/detail/placement/bounds.hpp>          // IWYU pragma: export
#include <bellamy/detail/placement/consensus.hpp>       // IWYU pragma: export
#include <bellamy/detail/placement/crawl_plan.hpp>      // IWYU pragma: export
#include <bellamy/detail/placement/enumeration.hpp>     // IWYU pragma: export
#include <bellamy/detail/placement/job_graph.hpp>       // IWYU pragma: export
#include <bellamy/detail/placement/network.hpp>         // IWYU pragma: export
#include <bellamy/detail/placement/place.hpp>           // IWYU pragma: export
#include <bellamy/detail/placement/plan.hpp>            // IWYU pragma: export
#include <bellamy/detail/placement/shortage.hpp>        // IWYU pragma: export
#include <bellamy/detail/placement/small.hpp>           // IWYU pragma: export
#include <bellamy/detail/placement/variant_choice.hpp>  // IWYU pragma: export

#endif
