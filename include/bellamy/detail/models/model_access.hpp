// The library's own access to models: creates one of any kind, and reads what predicts inside it.
#ifndef BELLAMY_DETAIL_MODELS_MODEL_ACCESS_HPP
#define BELLAMY_DETAIL_MODELS_MODEL_ACCESS_HPP

#include <bellamy/detail/models/predictor.hpp>
#include <bellamy/model.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct blend_kind;
struct network_kind;
struct shapes_kind;

/// The public name of a kind.
template <class Kind>
inline constexpr model_kind public_kind = std::is_same_v<Kind, blend_kind>     ? model_kind::blend
                                          : std::is_same_v<Kind, network_kind> ? model_kind::network
                                                                               : model_kind::shapes;

struct model_access {
    /// `basis`: that of the model without observed runs. Precondition: the kind was fitted to runs of the schema, and the
    /// observed runs fit the schema.
    template <class Kind>
    static model make(schema properties, training_basis basis, Kind kind, std::vector<run> observed = {}) {
        return {std::move(properties), std::move(basis), public_kind<Kind>,
                shared<predictor>(predictor_of<Kind>(std::move(kind))), std::move(observed)};
    }
    /// Null where the model is of another kind.
    template <class Kind>
    static const Kind* get_if(const model& source) noexcept {
        if (source.kind() != public_kind<Kind>) return nullptr;
        return &static_cast<const predictor_of<Kind>&>(*source.predictor_).kind;
    }
    static const training_basis& general_basis(const model& source) noexcept { return source.general_basis_; }
    /// A curve of which only these scale-outs may be read.
    static result<curve> bind_at(const model& source, const context& target, std::span<const int> scale_outs) {
        return source.bind(target, {}, scale_outs);
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
