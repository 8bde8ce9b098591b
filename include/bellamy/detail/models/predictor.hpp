// What predicts inside a model: the interface of its kinds, and what they are bound with.
#ifndef BELLAMY_DETAIL_MODELS_PREDICTOR_HPP
#define BELLAMY_DETAIL_MODELS_PREDICTOR_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/shared.hpp>
#include <bellamy/schema.hpp>
#include <bellamy/training_basis.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The context to predict, and what the model knows of it. The references must outlive the call.
struct binding {
    const context& target;
    /// Observed runs of the target itself.
    std::span<const run> target_runs;
    /// Observed runs of all contexts.
    std::span<const run> observed;
    const training_basis& basis;
    /// Medians must not increase with the scale-out.
    bool non_increasing = false;
    /// Where not empty, only these scale-outs will be read from the curve: a kind may save the work for the others.
    std::span<const int> scale_outs{};
};

/// Interface of the kinds. Virtual, so that a program compiles the code of those kinds alone whose models it creates.
class predictor {
public:
    virtual result<curve> bind(const binding& question) const = 0;

protected:
    predictor() = default;
    predictor(const predictor&) = default;
    predictor(predictor&&) = default;
    ~predictor() = default;
};

/// A kind of model, which has `bind(binding)`, behind the interface.
template <class Kind>
struct predictor_of final : predictor {
    explicit predictor_of(Kind wrapped) : kind(std::move(wrapped)) {}

    result<curve> bind(const binding& question) const override { return kind.bind(question); }

    Kind kind;
};

/// The error of a section of a model file that holds something else.
inline error malformed(std::string_view section, std::string_view expected) noexcept {
    return fail(errc::invalid_model, "expected ", expected, " in section ", section, ", found something else");
}

/// Checks observed runs against a model's schema; errors name the run.
inline result<void> validate_observed(const schema& expected, std::span<const run> runs) {
    for (size_t i = 0; i < runs.size(); ++i) {
        auto valid = expected.check(runs[i].context);
        if (valid) valid = validate(runs[i]);
        if (!valid) return with_subject(valid.error(), "run ", i);
    }
    return {};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
