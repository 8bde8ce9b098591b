// The immutable model: returned by training, stored in files; binds a context to a curve of predicted runtimes.
#ifndef BELLAMY_MODEL_HPP
#define BELLAMY_MODEL_HPP

#include <bellamy/curve.hpp>
#include <bellamy/detail/base/shared.hpp>
#include <bellamy/network.hpp>
#include <bellamy/schema.hpp>
#include <bellamy/training_basis.hpp>

#include <initializer_list>
#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The kinds of models.
enum class model_kind : std::uint8_t {
    blend = 0,    // best mode: statistical experts, conditioned in closed form, with quantiles
    network = 1,  // paper mode: the published network, fine-tuned, a point per scale-out
    shapes = 2,   // cold start: shapes of other jobs' curves, conditioned in closed form, with quantiles
};

[[nodiscard]] constexpr std::string_view to_string(model_kind kind) noexcept {
    return detail::name_at(kind, {"best mode", "network", "shapes of other jobs"});
}

/// Whether `condition` is for this kind; a network is adapted by `fine_tune` instead.
[[nodiscard]] constexpr bool is_conditioned(model_kind kind) noexcept { return kind != model_kind::network; }

namespace detail {
class predictor;
struct model_access;
}  // namespace detail

/// How to bind a context.
struct bind_options {
    /// Median runtimes do not increase with the scale-out up to the turning point that the data support: the seen scale-out
    /// with the lowest median, or without end where that is the largest seen. Not for a network.
    bool non_increasing = false;
};

/// A runtime model of one algorithm. An immutable value: const means safe to share between threads, learning returns a new
/// one. Created by `pretrain`, `cold_start`, `fine_tune`, `condition` and `load`; there is no empty model. Copies share the
/// fitted parameters and allocate for the schema and the observed runs. The function that creates a model brings the code
/// of its kind into a program (definitions.hpp), not the class.
class model {
public:
    /// A model in paper mode. Precondition: the network has as many essential properties as the schema.
    model(bellamy::schema properties, training_basis basis, network<> parameters);

    [[nodiscard]] model_kind kind() const noexcept { return kind_; }
    [[nodiscard]] const bellamy::schema& schema() const& noexcept { return schema_; }
    [[nodiscard]] const training_basis& basis() const& noexcept { return basis_; }
    // A temporary returns values: no reference outlives it.
    [[nodiscard]] bellamy::schema schema() && noexcept { return std::move(schema_); }
    [[nodiscard]] training_basis basis() && noexcept { return std::move(basis_); }

    /// Precondition: kind() == model_kind::network.
    [[nodiscard]] const network<>& parameters() const noexcept;
    /// The runs that the model is conditioned on, in that order; empty for a network, which is fine-tuned on them instead.
    [[nodiscard]] std::span<const run> observed() const& noexcept { return observed_; }
    [[nodiscard]] std::vector<run> observed() && noexcept { return std::move(observed_); }

    /// The runtimes of one context over scale-outs. Allocates; takes microseconds for a network, for the other kinds a
    /// millisecond, or two from 512 configurations (context, scale-out) of the history on; times up to eight where values of
    /// the context are not known. The first call factorises what was loaded or learned, tens of milliseconds. Errors: those
    /// of `schema::check`; invalid_option where an option is not for this kind of model.
    result<curve> bind(const context& target, const bind_options& options = {}) const { return bind(target, options, {}); }

    /// A copy with these observed runs appended; `bind` computes the posterior given them. The runs of a context count for
    /// that context only: to use them for other contexts, pre-train again. Cheap. A network cannot be conditioned, see
    /// `fine_tune`. Errors, with the number of the run from 0: those of `schema::check` and `validate`; not_conditionable.
    result<model> condition(std::span<const run> runs) const;
    /// The same for runs in braces.
    result<model> condition(std::initializer_list<run> runs) const {
        return condition(std::span(runs.begin(), runs.size()));
    }
    /// A copy without the observed runs, but for those with a timestamp of `since_s` (seconds since the Unix epoch) or
    /// later: where a job has changed, its older runs are left behind. A network is returned as it is. Cheap.
    [[nodiscard]] model general(double since_s = std::numeric_limits<double>::infinity()) const;

private:
    friend struct detail::model_access;

    model(bellamy::schema properties, training_basis general_basis, model_kind kind,
          detail::shared<detail::predictor> predictor, std::vector<run> observed)
        : schema_(std::move(properties)),
          general_basis_(std::move(general_basis)),
          basis_(detail::conditioned_basis(general_basis_, observed)),
          kind_(kind),
          predictor_(std::move(predictor)),
          observed_(std::move(observed)) {}

    // Where `scale_outs` is not empty, only those may be read from the curve.
    result<curve> bind(const context& target, const bind_options& options, std::span<const int> scale_outs) const;

    bellamy::schema schema_;
    training_basis general_basis_;
    training_basis basis_;
    model_kind kind_;
    detail::shared<detail::predictor> predictor_;
    std::vector<run> observed_;
};

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/models/model_impl.hpp>  // IWYU pragma: export
#endif

#endif
