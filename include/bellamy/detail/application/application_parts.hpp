// Models of the parts of an application (stages, jobs, the run), each fitted as a job of its own, and bound to a context.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_PARTS_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_PARTS_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/application/common_context.hpp>
#include <bellamy/detail/application/run_factor.hpp>
#include <bellamy/detail/format/packed.hpp>
#include <bellamy/detail/models/blend_kind.hpp>
#include <bellamy/pretrain.hpp>

#include <memory>
#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The runtime of a part in a recorded run, or in its replay at another scale-out.
struct part_run {
    run observed{};  // its scale-out is 1 where it is not known
    bool has_scale_out = false;
    bool is_replay = false;
};

/// A part bound to a context. A scale-out of 0 is not known.
struct bound_part {
    std::optional<curve> over_scale_outs{};
    prediction any_scale_out{};

    prediction at(int scale_out) const noexcept {
        return scale_out > 0 && over_scale_outs ? over_scale_outs->at(scale_out) : any_scale_out;
    }
    double median_s(int scale_out) const noexcept { return at(scale_out).median_s; }
};

/// Rounds a blend to single precision, in which it is stored, so that a loaded model answers as the fitted one to the last
/// bit. Returns the model as it is where its experts cannot be rebuilt from rounded numbers.
inline model in_single_precision(model fitted) {
    if (fitted.kind() != model_kind::blend) return fitted;
    auto data = stored(*model_access::get_if<blend_kind>(fitted));
    single_precision{}(data);
    fitted_blend blend(std::move(data));
    if (!blend.usable()) return fitted;
    return model_access::make(fitted.schema(), fitted.basis(), blend_kind{.blend = shared(std::move(blend))});
}

/// The model of a part, in single precision. Immutable; copies share the model.
class application_part {
public:
    application_part() = default;

    /// From a file: a model, quantiles of ln runtime over all scale-outs, and the number of runs behind them.
    application_part(std::optional<model> over_scale_outs, const quantile_row& log_quantiles, std::uint32_t runs)
        : over_scale_outs_(std::move(over_scale_outs)) {
        set_any_scale_out(log_quantiles, runs);
    }

    /// Fits the runs of known scale-out by the blend, and the quantiles of all recorded runs.
    application_part(std::span<const part_run> history, std::uint64_t seed) {
        std::vector<run> runs;
        std::vector<double> log_runtimes;
        for (const auto& run : history) {
            if (!run.is_replay) log_runtimes.push_back(std::log(run.observed.runtime_s));
            if (!run.has_scale_out) continue;
            runs.push_back(run.observed);
            single_precision{}(runs.back().runtime_s);
        }
        auto log_quantiles = sample_quantiles(log_runtimes, least_deviation);
        single_precision{}(log_quantiles);
        set_any_scale_out(log_quantiles, static_cast<std::uint32_t>(log_runtimes.size()));
        if (!runs.empty()) fit(runs, seed);
    }

    bound_part bind(const context& target) const {
        bound_part bound{.any_scale_out = any_scale_out_};
        if (!over_scale_outs_) return bound;
        if (auto curve = over_scale_outs_->bind(target)) bound.over_scale_outs = *curve;
        return bound;
    }

    /// Absent where no run had a known scale-out.
    const std::optional<model>& over_scale_outs() const noexcept { return over_scale_outs_; }
    /// Of all recorded runs, whatever their scale-out: the answer where a scale-out is not known, or there is no model.
    const prediction& any_scale_out() const noexcept { return any_scale_out_; }

private:
    static constexpr double least_deviation = 0.05;  // of ln runtime

    void set_any_scale_out(const quantile_row& log_quantiles, std::uint32_t runs) noexcept {
        any_scale_out_.is_point = false;
        any_scale_out_.log_quantiles = log_quantiles;
        any_scale_out_.median_s = std::exp(log_quantiles[log_quantiles.size() / 2]);
        any_scale_out_.observed_runs = runs;
    }

    void fit(const std::vector<run>& runs, std::uint64_t seed) {
        if (auto trained = pretrain(runs, {.seed = seed})) {
            over_scale_outs_ = in_single_precision(std::move(trained->model));
            return;
        }
        // Runs of one context cannot be pretrained on: condition the prior shapes of curves on them.
        if (auto prior = cold_start(runs.front().context))
            if (auto conditioned = prior->condition(runs)) over_scale_outs_ = *std::move(conditioned);
    }

    std::optional<model> over_scale_outs_;
    prediction any_scale_out_{};
};

/// One value for each part of an application's runs: its fitted model, what a file holds of it, or its bound curve. `Part`
/// can be null.
template <class Part>
struct application_parts {
    std::vector<std::vector<Part>> stages{};  // by job and position; null: a fraction of the job's path time
    std::vector<Part> paths{};                // path times of jobs; null: a small job, a fraction of `small_paths`
    Part small_paths{};                       // path times of all small jobs together; null where there is none
    Part run{};
    Part outside{};  // time outside of path times: driver, scheduling, what a job lost to failed attempts
};

/// Converts each part, also null ones.
auto map_parts(auto& parts, const auto& convert) {
    application_parts<decltype(convert(parts.run))> converted;
    for (auto& job : parts.stages) {
        auto& stages = converted.stages.emplace_back();
        for (auto& stage : job) stages.push_back(convert(stage));
    }
    for (auto& path : parts.paths) converted.paths.push_back(convert(path));
    converted.small_paths = convert(parts.small_paths);
    converted.run = convert(parts.run);
    converted.outside = convert(parts.outside);
    return converted;
}

/// Statistics of the runs of one shape, beside the models of their parts. Fractions are medians over the runs.
struct shape_statistics {
    std::vector<std::uint64_t> shape{};  // hash of the stage graph of each job
    size_t runs = 0;
    /// By job: fraction of the path times of small jobs; 0 for jobs with a model of their own.
    std::vector<double> path_fraction{};
    /// By job and position of the stage: ln of the fraction of the job's path time.
    std::vector<std::vector<double>> log_stage_fraction{};
    /// By job: fraction of the time outside of path times that comes after the job.
    std::vector<double> outside_fraction_after{};
    /// Weight of the model of the whole run beside the sum of its parts.
    double whole_weight = 0.5;
    run_factor factor{};
};

/// Limit of the shapes of an application, in a fit and in a file.
inline constexpr size_t most_shapes = 8;

struct application_shape {
    shape_statistics statistics{};
    application_parts<std::optional<application_part>> parts{};
};

struct application_state {
    std::string application{};
    common_context properties{};
    scale_out_interval seen_scale_outs{};
    std::vector<application_shape> shapes{};  // the largest number of runs first
};

/// The median of a run: the geometric mean of the model of the whole run and the sum of its parts.
struct run_median {
    double whole_s = 0;
    double sum_s = 0;
    double whole_weight = 0.5;

    double mean_s() const noexcept {
        return std::exp(whole_weight * std::log(whole_s) + (1 - whole_weight) * std::log(sum_s));
    }
    /// Some of the parts, scaled as the sum of all is scaled to the mean.
    double scaled_s(double parts_s) const noexcept { return parts_s * mean_s() / sum_s; }
};

inline prediction scaled(prediction predicted, double log_factor) noexcept {
    predicted.median_s *= std::exp(log_factor);
    for (double& log_quantile : predicted.log_quantiles) log_quantile += log_factor;
    return predicted;
}

/// The parts of a shape bound to a context, and the medians that follow from them. Keeps a pointer to the statistics.
struct bound_application {
    application_parts<std::unique_ptr<const bound_part>> parts{};
    const shape_statistics* statistics = nullptr;

    size_t jobs() const noexcept { return parts.paths.size(); }

    prediction stage(size_t job, size_t position, int scale_out) const noexcept {
        if (const auto& bound = parts.stages[job][position]) return bound->at(scale_out);
        return scaled(path(job, scale_out), statistics->log_stage_fraction[job][position]);
    }
    prediction path(size_t job, int scale_out) const noexcept {
        if (const auto& bound = parts.paths[job]) return bound->at(scale_out);
        return scaled(parts.small_paths->at(scale_out), std::log(statistics->path_fraction[job]));
    }
    double path_s(size_t job, int scale_out) const noexcept {
        if (const auto& bound = parts.paths[job]) return bound->median_s(scale_out);
        return statistics->path_fraction[job] * parts.small_paths->median_s(scale_out);
    }
    run_median run(int scale_out) const noexcept {
        return {.whole_s = parts.run->median_s(scale_out),
                .sum_s = parts_after_s(0, scale_out),
                .whole_weight = statistics->whole_weight};
    }
    /// Sum of the medians of what comes after so many finished jobs: path times and time outside of them.
    double parts_after_s(size_t finished, int scale_out) const noexcept {
        double paths_s = 0;
        double small_fraction = 0;
        for (size_t job = finished; job < jobs(); ++job) {
            if (const auto& bound = parts.paths[job]) {
                paths_s += bound->median_s(scale_out);
            } else {
                small_fraction += statistics->path_fraction[job];
            }
        }
        if (small_fraction > 0) paths_s += small_fraction * parts.small_paths->median_s(scale_out);
        return outside_after_s(finished, scale_out) + paths_s;
    }
    double outside_after_s(size_t finished, int scale_out) const noexcept {
        const double outside_s = parts.outside->median_s(scale_out);
        const auto& fractions = statistics->outside_fraction_after;
        return finished == 0 || fractions.empty() ? outside_s
                                                  : fractions[(std::min)(finished, fractions.size()) - 1] * outside_s;
    }
};

/// Precondition: the statistics outlive the result.
inline bound_application bind_parts(const application_parts<std::optional<application_part>>& parts,
                                    const shape_statistics& statistics, const context& target) {
    const auto bind = [&](const std::optional<application_part>& part) -> std::unique_ptr<const bound_part> {
        return part ? std::make_unique<const bound_part>(part->bind(target)) : nullptr;
    };
    return {.parts = map_parts(parts, bind), .statistics = &statistics};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
