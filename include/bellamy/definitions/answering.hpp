// Definitions of loading, conditioning, binding, choosing, exploring and rescaling, for one unit of a program.
#ifndef BELLAMY_DEFINITIONS_ANSWERING_HPP
#define BELLAMY_DEFINITIONS_ANSWERING_HPP

#ifndef BELLAMY_COMPILED
#error "expected BELLAMY_COMPILED in every unit of a program that includes bellamy's definitions in one of them"
#endif

#include <bellamy/detail/context/run_impl.hpp>                 // IWYU pragma: export
#include <bellamy/detail/context/schema_impl.hpp>              // IWYU pragma: export
#include <bellamy/detail/decision/choose_impl.hpp>             // IWYU pragma: export
#include <bellamy/detail/decision/exploration_prior_impl.hpp>  // IWYU pragma: export
#include <bellamy/detail/decision/explore_impl.hpp>            // IWYU pragma: export
#include <bellamy/detail/decision/rescale_impl.hpp>            // IWYU pragma: export
#include <bellamy/detail/format/model_store_impl.hpp>          // IWYU pragma: export
#include <bellamy/detail/format/serialize_impl.hpp>            // IWYU pragma: export
#include <bellamy/detail/models/batch_impl.hpp>                // IWYU pragma: export
#include <bellamy/detail/models/cold_start_impl.hpp>           // IWYU pragma: export
#include <bellamy/detail/models/drift_impl.hpp>                // IWYU pragma: export
#include <bellamy/detail/models/model_impl.hpp>                // IWYU pragma: export
#include <bellamy/detail/models/unseen_values_impl.hpp>        // IWYU pragma: export

#endif
