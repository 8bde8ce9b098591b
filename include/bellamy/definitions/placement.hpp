// Definitions of the placement headers, for one unit of a program (see definitions.hpp). Needs answering.hpp in some unit.
#ifndef BELLAMY_DEFINITIONS_PLACEMENT_HPP
#define BELLAMY_DEFINITIONS_PLACEMENT_HPP

#ifndef BELLAMY_COMPILED
#error "expected BELLAMY_COMPILED in every unit of a program that includes bellamy's definitions in one of them"
#endif

#include <bellamy/detail/placement/arrivals_impl.hpp>          // IWYU pragma: export
#include <bellamy/detail/placement/choose_variants_impl.hpp>   // IWYU pragma: export
#include <bellamy/detail/placement/consensus_impl.hpp>         // IWYU pragma: export
#include <bellamy/detail/placement/crawl_impl.hpp>             // IWYU pragma: export
#include <bellamy/detail/placement/enumerated_plans_impl.hpp>  // IWYU pragma: export
#include <bellamy/detail/placement/job_graph_impl.hpp>         // IWYU pragma: export
#include <bellamy/detail/placement/network_impl.hpp>           // IWYU pragma: export
#include <bellamy/detail/placement/place_impl.hpp>             // IWYU pragma: export
#include <bellamy/detail/placement/plan_impl.hpp>              // IWYU pragma: export
#include <bellamy/detail/placement/strategies_impl.hpp>        // IWYU pragma: export

#endif
