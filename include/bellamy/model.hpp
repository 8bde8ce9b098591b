// The immutable model: what training returns, what files hold, and what binds contexts to curves.
#ifndef BELLAMY_MODEL_HPP
#define BELLAMY_MODEL_HPP

#include <bellamy/curve.hpp>
#include <bellamy/detail/blend/blend.hpp>
#include <bellamy/detail/blend/shape_prior.hpp>
#include <bellamy/detail/context/contradiction.hpp>
#include <bellamy/detail/network/network_curve.hpp>
#include <bellamy/network.hpp>
#include <bellamy/schema.hpp>

#include <cassert>
#include <memory>

namespace bellamy::inline BELLAMY_ABI {

/// What a model was made from, so that an answer can say what it rests on.
struct training_basis {
    std::string algorithm{};
    std::uint32_t runs = 0;
    std::uint32_t contexts = 0;
    /// Runs that the model was fine-tuned or conditioned on.
    std::uint32_t observed_runs = 0;
    scale_out_interval seen_scale_outs{};
    double shortest_runtime_s = 0;
    double longest_runtime_s = 0;
    /// When it was pre-trained, in the caller's words.
    std::string date{};

    friend bool operator==(const training_basis&, const training_basis&) = default;
};

/// What answers inside a model.
enum class model_kind : std::uint8_t {
    blend = 0,    // best mode: statistical experts, conditioned in closed form, with quantiles
    network = 1,  // paper mode: the published network, fine-tuned, a point per scale-out
    shapes = 2,   // cold start: shapes of other jobs' curves, conditioned in closed form, with quantiles
};

[[nodiscard]] constexpr std::string_view to_string(model_kind kind) noexcept {
    constexpr std::array<std::string_view, 3> names{"blend of experts", "network", "shapes of other jobs"};
    return names[static_cast<std::size_t>(kind)];
}

/// Whether a model of this kind learns from the runs of its context by `condition`; the others do by `fine_tune` alone.
[[nodiscard]] constexpr bool is_conditioned(model_kind kind) noexcept {
    return kind == model_kind::blend || kind == model_kind::shapes;
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
    using blend = std::shared_ptr<const detail::best_model>;
    using shapes = std::shared_ptr<const detail::shape_prior>;

    /// Precondition: the network has as many essential properties as the schema.
    model(bellamy::schema properties, training_basis basis, network<> parameters)
        : schema_(std::move(properties)),
          basis_(std::move(basis)),
          prepared_(std::make_shared<const detail::prepared_network>(parameters)),
          answers_(std::move(parameters)) {
        assert(this->parameters().essential_count() == schema_.essential.size());
    }

    /// Precondition: the experts were fitted to runs of the schema, the observed runs fit it.
    model(bellamy::schema properties, training_basis basis, blend experts, std::vector<run> observed)
        : schema_(std::move(properties)),
          basis_(std::move(basis)),
          answers_(std::move(experts)),
          observed_(std::move(observed)) {}

    /// Precondition: the observed runs fit the schema.
    model(bellamy::schema properties, training_basis basis, shapes prior, std::vector<run> observed)
        : schema_(std::move(properties)),
          basis_(std::move(basis)),
          answers_(std::move(prior)),
          observed_(std::move(observed)) {}

    [[nodiscard]] model_kind kind() const noexcept { return static_cast<model_kind>(answers_.index()); }
    [[nodiscard]] const bellamy::schema& schema() const noexcept { return schema_; }
    [[nodiscard]] const training_basis& basis() const noexcept { return basis_; }

    /// Precondition: kind() == model_kind::network.
    [[nodiscard]] const network<>& parameters() const noexcept {
        assert(kind() == model_kind::network);
        return *std::get_if<network<>>(&answers_);
    }
    /// Precondition: kind() == model_kind::blend.
    [[nodiscard]] const detail::best_model& experts() const noexcept {
        assert(kind() == model_kind::blend);
        return **std::get_if<blend>(&answers_);
    }
    /// Precondition: kind() == model_kind::shapes.
    [[nodiscard]] const detail::shape_prior& prior() const noexcept {
        assert(kind() == model_kind::shapes);
        return **std::get_if<shapes>(&answers_);
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

private:
    bellamy::schema schema_;
    training_basis basis_;
    // A network's parameters as the kernels read them.
    std::shared_ptr<const detail::prepared_network> prepared_{};
    std::variant<blend, network<>, shapes> answers_;
    std::vector<run> observed_{};
};

namespace detail {

/// Checks observed runs against a model's schema; errors name the run.
[[nodiscard]] inline result<void> validate_observed(const schema& expected, std::span<const run> runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto valid = expected.check(runs[i].context);
        if (valid) valid = validate(runs[i]);
        if (!valid) return fail(valid.error().code(), "run ", i, ": ", valid.error().message());
    }
    return {};
}

/// Widens what was seen by the scale-outs and runtimes of more runs; they are all that was seen where nothing was before.
inline void widen(training_basis& basis, std::span<const run> runs) noexcept {
    auto& x = basis.seen_scale_outs;
    bool first = basis.runs == 0 && basis.observed_runs == 0;
    for (const auto& each : runs) {
        x.smallest = first ? each.scale_out : (std::min)(x.smallest, each.scale_out);
        x.largest = first ? each.scale_out : (std::max)(x.largest, each.scale_out);
        basis.shortest_runtime_s = first ? each.runtime_s : (std::min)(basis.shortest_runtime_s, each.runtime_s);
        basis.longest_runtime_s = first ? each.runtime_s : (std::max)(basis.longest_runtime_s, each.runtime_s);
        first = false;
    }
}

}  // namespace detail

inline result<curve> model::bind(const context& subject, const bind_options& options) const {
    if (auto fits = schema_.check(subject); !fits) return fits.error();
    if (!is_conditioned(kind())) {
        if (options.non_increasing)
            return detail::fail(errc::not_a_blend,
                                "expected a model of best mode for a curve that does not increase, found a ",
                                to_string(kind()));
        return curve(detail::network_curve(*prepared_, subject), basis_.seen_scale_outs, basis_.observed_runs);
    }
    std::vector<run> own;
    for (const auto& each : observed_)
        if (each.context == subject) own.push_back(each);
    auto bound = kind() == model_kind::blend ? experts().bind(subject, own) : prior().bind(own, detail::usual_scale_outs);
    if (options.non_increasing) bound.table.forbid_increase(basis_.seen_scale_outs.smallest, basis_.seen_scale_outs.largest);
    bound.contradictory_runs = detail::contradict_each_other(own);
    return curve(bound, basis_.seen_scale_outs, static_cast<std::uint32_t>(own.size()));
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
