// Definitions of all that the public headers declare, for one unit of a program. Where BELLAMY_COMPILED is defined for every
// unit, the others see declarations alone and compile in a second, without a library to build and to link. The parts in
// definitions/ may stand in units of their own, which then compile side by side, or be left out where nothing of theirs is
// used.
//
// A unit compiles the kinds of models that it creates and no others, because a model holds its kind behind an interface:
// `cold_start` brings the shapes, `fine_tune` the network, and `pretrain` the blend and the network, since the mode is an
// option; `job_store` brings the blend and the shapes. `load`, `from_bytes` and `model_store` bring all three, since a file
// may hold any; `bind` and `condition` bring none.
#ifndef BELLAMY_DEFINITIONS_HPP
#define BELLAMY_DEFINITIONS_HPP

#include <bellamy/definitions/answering.hpp>    // IWYU pragma: export
#include <bellamy/definitions/application.hpp>  // IWYU pragma: export
#include <bellamy/definitions/enel.hpp>         // IWYU pragma: export
#include <bellamy/definitions/fine_tuning.hpp>  // IWYU pragma: export
#include <bellamy/definitions/placement.hpp>    // IWYU pragma: export
#include <bellamy/definitions/pretraining.hpp>  // IWYU pragma: export

#endif
