// Definitions of what loads, conditions, asks and chooses, for one unit of a program (see definitions.hpp).
#ifndef BELLAMY_DEFINITIONS_ANSWERING_HPP
#define BELLAMY_DEFINITIONS_ANSWERING_HPP

#ifndef BELLAMY_COMPILED
#error "expected BELLAMY_COMPILED in every unit of a program that includes bellamy's definitions in one of them"
#endif

#include <bellamy/detail/context/run.hpp>               // IWYU pragma: export
#include <bellamy/detail/context/schema.hpp>            // IWYU pragma: export
#include <bellamy/detail/decision/choice.hpp>           // IWYU pragma: export
#include <bellamy/detail/decision/published_rules.hpp>  // IWYU pragma: export
#include <bellamy/detail/decision/rescaling.hpp>        // IWYU pragma: export
#include <bellamy/detail/format/model_store.hpp>        // IWYU pragma: export
#include <bellamy/detail/format/serialize.hpp>          // IWYU pragma: export
#include <bellamy/detail/kinds/batch.hpp>               // IWYU pragma: export
#include <bellamy/detail/kinds/cold_start.hpp>          // IWYU pragma: export
#include <bellamy/detail/kinds/drift.hpp>               // IWYU pragma: export
#include <bellamy/detail/kinds/model.hpp>               // IWYU pragma: export
#include <bellamy/detail/kinds/unseen_values.hpp>       // IWYU pragma: export

#endif
