// The closed set of kinds of models. A new kind is a header of its own in this room, and one entry here.
#ifndef BELLAMY_DETAIL_MODELS_KINDS_HPP
#define BELLAMY_DETAIL_MODELS_KINDS_HPP

#include <bellamy/detail/models/blend_kind.hpp>
#include <bellamy/detail/models/network_kind.hpp>
#include <bellamy/detail/models/shapes_kind.hpp>

#include <variant>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// In the order of the public `model_kind`. What each can do is one overload set:
///   bind(kind, binding) -> result<curve>;
///   features_of(kind) -> the feature map of its history, or null;
///   stored(kind) -> what a model file holds, a structure with `fields`; restored(structure, schema) -> result<kind>;
///   can_answer(kind) -> result<void>: whether what was restored gives answers at all;
///   kind::is_conditioned: it learns from observed runs when it is bound, else by fine-tuning.
using any_kind = std::variant<blend_kind, network_kind, shapes_kind>;

struct model_access;

/// The structure that a model file holds of a kind.
template <class Kind>
using stored_of = std::remove_cvref_t<decltype(stored(std::declval<const Kind&>()))>;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
