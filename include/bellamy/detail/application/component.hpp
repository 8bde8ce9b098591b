// A part of an application (a stage, a job, the run, what is beside the jobs) as a job of its own: its runtimes learned by
// the library's best mode.
#ifndef BELLAMY_DETAIL_APPLICATION_COMPONENT_HPP
#define BELLAMY_DETAIL_APPLICATION_COMPONENT_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/format/packed.hpp>
#include <bellamy/detail/maths/empirical.hpp>
#include <bellamy/detail/models/blend_kind.hpp>
#include <bellamy/pretrain.hpp>

#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Runtimes of a part: from runs, and from replays of runs at other scale-outs, which count less.
struct component_history {
    std::vector<run> runs{};
    /// Whether the scale-out of a run is known; where it is not, it counts for `any_scale_out` alone.
    std::vector<bool> has_scale_out{};
    /// The run in the application's history that each comes from, so that a run can be left out with its replays.
    std::vector<std::size_t> source{};
    std::vector<bool> is_replay{};
};

/// A part bound to a context. A scale-out of 0 is not known.
struct bound_component {
    std::optional<curve> over_scale_outs{};
    prediction any_scale_out{};

    [[nodiscard]] prediction at(int scale_out) const noexcept {
        return scale_out > 0 && over_scale_outs ? over_scale_outs->at(scale_out) : any_scale_out;
    }
    [[nodiscard]] double median_s(int scale_out) const noexcept { return at(scale_out).median_s; }
};

/// The same model with its numbers rounded to single precision, in which it is stored; as it is where nothing could answer
/// then.
[[nodiscard]] inline model in_single_precision(model of) {
    if (of.kind() != model_kind::blend) return of;
    auto data = stored(*model_access::get_if<blend_kind>(of));
    single_precision{}(data);
    fitted_blend experts(std::move(data));
    if (!experts.usable()) return of;
    return model_access::make(of.schema(), of.basis(), blend_kind{.blend = shared(std::move(experts))});
}

/// What is learned of a part, in single precision. Immutable; copies share the model.
class component {
public:
    component() = default;

    /// Of what a file holds: a model, quantiles whatever the scale-out, and the number of runs that those come from.
    component(std::optional<model> learned, const quantile_row& log_quantiles, std::uint32_t runs)
        : model_(std::move(learned)) {
        set_any(log_quantiles, runs);
    }

    /// `without`: runs for which `source % folds == fold` are left out; no fold leaves out none. Parts shorter than a
    /// millisecond count as that long.
    component(const component_history& history, std::uint64_t seed, std::size_t fold = 0, std::size_t folds = 0) {
        std::vector<run> known;
        std::vector<double> log_times;
        for (std::size_t i = 0; i < history.runs.size(); ++i) {
            if (folds > 0 && history.source[i] % folds == fold) continue;
            if (!history.is_replay[i]) log_times.push_back(std::log(history.runs[i].runtime_s));
            if (!history.has_scale_out[i]) continue;
            known.push_back(history.runs[i]);
            single_precision{}(known.back().runtime_s);
        }
        auto log_quantiles = sample_quantiles(log_times, least_deviation);
        single_precision{}(log_quantiles);
        set_any(log_quantiles, static_cast<std::uint32_t>(log_times.size()));
        if (known.size() >= 2) learn(known, seed);
    }

    [[nodiscard]] bound_component bind(const context& subject) const {
        bound_component made{.any_scale_out = any_};
        if (!model_) return made;
        if (auto bound = model_->bind(subject)) made.over_scale_outs = *bound;
        return made;
    }

    /// Absent where no two runs had a known scale-out.
    [[nodiscard]] const std::optional<model>& learned() const noexcept { return model_; }
    [[nodiscard]] const prediction& at_any_scale_out() const noexcept { return any_; }

private:
    static constexpr double least_deviation = 0.05;

    void set_any(const quantile_row& log_quantiles, std::uint32_t runs) noexcept {
        any_.is_point = false;
        any_.log_quantiles = log_quantiles;
        any_.median_s = std::exp(any_.log_quantiles[any_.log_quantiles.size() / 2]);
        any_.observed_runs = runs;
    }

    void learn(const std::vector<run>& known, std::uint64_t seed) {
        if (auto trained = pretrain(known, {.seed = seed})) {
            model_ = in_single_precision(std::move(trained->model));
            return;
        }
        // One context: the usual shapes, conditioned on its runs.
        if (auto unlearned = cold_start(known.front().context))
            if (auto learned = unlearned->condition(known)) model_ = *std::move(learned);
    }

    std::optional<model> model_{};
    prediction any_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
