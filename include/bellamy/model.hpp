// The immutable model: what training returns, what files hold, and what binds contexts to curves.
#ifndef BELLAMY_MODEL_HPP
#define BELLAMY_MODEL_HPP

#include <bellamy/detail/kinds/kinds.hpp>

#include <cassert>
#include <initializer_list>

namespace bellamy::inline BELLAMY_ABI {

/// What answers inside a model.
enum class model_kind : std::uint8_t {
    blend = 0,    // best mode: statistical experts, conditioned in closed form, with quantiles
    network = 1,  // paper mode: the published network, fine-tuned, a point per scale-out
    shapes = 2,   // cold start: shapes of other jobs' curves, conditioned in closed form, with quantiles
};

[[nodiscard]] constexpr std::string_view to_string(model_kind kind) noexcept {
    constexpr std::array names{detail::blend_kind::name, detail::network_kind::name, detail::shapes_kind::name};
    static_assert(names.size() == std::variant_size_v<detail::any_kind>);
    return names[static_cast<std::size_t>(kind)];
}

/// Whether a model of this kind learns from the runs of its context by `condition`; the others do by `fine_tune` alone.
[[nodiscard]] constexpr bool is_conditioned(model_kind kind) noexcept {
    constexpr std::array conditioned{detail::blend_kind::is_conditioned, detail::network_kind::is_conditioned,
                                     detail::shapes_kind::is_conditioned};
    return conditioned[static_cast<std::size_t>(kind)];
}

/// How to bind a context.
struct bind_options {
    /// Median runtimes do not increase with the scale-out up to the turning point that the data support: the seen scale-out
    /// with the lowest median, or without end where that is the largest seen. Not for a network.
    bool non_increasing = false;
};

/// A runtime model of one algorithm. An immutable value: const means safe to share between threads, learning returns a new
/// one. Made by `pretrain`, `cold_start`, `fine_tune`, `condition` and `load`; there is no empty model. Copying a network
/// allocates a few kilobytes; copies of the other kinds share what they learned and allocate for the observed runs.
class model {
public:
    /// A model in paper mode. Precondition: the network has as many essential properties as the schema.
    model(bellamy::schema properties, training_basis basis, network<> parameters)
        : model(std::move(properties), std::move(basis), detail::network_kind(std::move(parameters)), {}) {
        assert(this->parameters().essential_count() == schema_.essential.size());
    }

    [[nodiscard]] model_kind kind() const noexcept { return static_cast<model_kind>(kind_.index()); }
    [[nodiscard]] const bellamy::schema& schema() const noexcept { return schema_; }
    [[nodiscard]] const training_basis& basis() const noexcept { return basis_; }

    /// Precondition: kind() == model_kind::network.
    [[nodiscard]] const network<>& parameters() const noexcept {
        assert(kind() == model_kind::network);
        return std::get_if<detail::network_kind>(&kind_)->parameters;
    }
    /// The runs that the model is conditioned on; empty for a network, whose parameters they have become.
    [[nodiscard]] std::span<const run> observed() const noexcept { return observed_; }

    /// The runtimes of one context over scale-outs. Allocates; takes microseconds for a network and up to a millisecond for
    /// the other kinds, times up to eight where values of the context are not known. Errors: those of `schema::check`;
    /// not_a_blend where an option is not for this kind of model.
    [[nodiscard]] result<curve> bind(const context& subject, const bind_options& options = {}) const;

    /// A model that has seen these runs too. The runs of a context speak for that context only: other contexts learn from
    /// them when the model is pre-trained again. Cheap: the work is done in `bind`. A network cannot be conditioned, see
    /// `fine_tune`. Errors, with the number of the run from 0: those of `schema::check` and `validate`; not_a_blend.
    [[nodiscard]] result<model> condition(std::span<const run> runs) const;
    /// The same for runs in braces.
    [[nodiscard]] result<model> condition(std::initializer_list<run> runs) const {
        return condition(std::span(runs.begin(), runs.size()));
    }

private:
    friend struct detail::model_access;

    model(bellamy::schema properties, training_basis basis, detail::any_kind kind, std::vector<run> observed)
        : schema_(std::move(properties)), basis_(std::move(basis)), kind_(std::move(kind)), observed_(std::move(observed)) {}

    bellamy::schema schema_;
    training_basis basis_;
    detail::any_kind kind_;
    std::vector<run> observed_;
};

namespace detail {

/// What the library itself may do with a model: make one of any kind, and look inside.
struct model_access {
    /// Precondition: what answers was learned from runs of the schema, and the observed runs fit it.
    [[nodiscard]] static model make(schema properties, training_basis basis, any_kind kind, std::vector<run> observed = {}) {
        return {std::move(properties), std::move(basis), std::move(kind), std::move(observed)};
    }
    [[nodiscard]] static const any_kind& kind_of(const model& subject) noexcept { return subject.kind_; }
    /// Precondition: the model is of this kind.
    template <class Kind>
    [[nodiscard]] static const Kind& get(const model& subject) noexcept {
        return *std::get_if<Kind>(&subject.kind_);
    }
};

/// Checks observed runs against a model's schema; errors name the run.
[[nodiscard]] inline result<void> validate_observed(const schema& expected, std::span<const run> runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto valid = expected.check(runs[i].context);
        if (valid) valid = validate(runs[i]);
        if (!valid) return fail(valid.error().code(), "run ", i, ": ", valid.error().message());
    }
    return {};
}

}  // namespace detail

inline result<curve> model::bind(const context& subject, const bind_options& options) const {
    if (auto fits = schema_.check(subject); !fits) return fits.error();
    std::vector<run> own;
    for (const auto& each : observed_)
        if (each.context == subject) own.push_back(each);
    const detail::binding asked{.subject = subject, .own = own, .basis = basis_, .non_increasing = options.non_increasing};
    return std::visit([&](const auto& kind) { return detail::bind(kind, asked); }, kind_);
}

inline result<model> model::condition(std::span<const run> runs) const {
    if (!is_conditioned(kind()))
        return detail::fail(errc::not_a_blend, "expected a model of best mode, found a ", to_string(kind()),
                            ": fine_tune adapts it");
    if (auto valid = detail::validate_observed(schema_, runs); !valid) return valid.error();
    auto wiser = *this;
    wiser.observed_.insert(wiser.observed_.end(), runs.begin(), runs.end());
    detail::widen(wiser.basis_, runs);
    wiser.basis_.observed_runs = static_cast<std::uint32_t>(wiser.observed_.size());
    return wiser;
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
