// Fits the models of the parts of an application's runs of one shape, and the statistics that tie the parts together.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_FIT_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_FIT_HPP

#include <bellamy/detail/application/application_parts.hpp>
#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/replay.hpp>

#include <map>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Groups runs by shape, the largest group first, ties in the order of appearance. At most eight groups; those of one run
/// are dropped where there is a larger one.
inline std::vector<std::vector<const application_trace*>> by_shape(std::span<const application_trace* const> runs) {
    std::map<std::vector<std::uint64_t>, size_t> numbers;
    std::vector<std::vector<const application_trace*>> groups;
    for (const auto* run : runs) {
        const auto number = numbers.try_emplace(shape_of(*run), groups.size()).first->second;
        if (number == groups.size()) groups.emplace_back();
        groups[number].push_back(run);
    }
    sort_stably(groups, [](const auto& a, const auto& b) { return a.size() > b.size(); });
    size_t kept = 1;
    while (kept < groups.size() && kept < most_shapes && groups[kept].size() > 1) ++kept;
    groups.resize((std::min)(groups.size(), kept));
    return groups;
}

/// Replayed times, each times a factor.
inline part_times times_of(const replayed_times& replayed, double factor) {
    part_times times{.run_s = factor * replayed.run_s, .outside_s = factor * replayed.run_s};
    for (size_t job = 0; job < replayed.path_s.size(); ++job) {
        auto& stage_s = times.stage_s.emplace_back();
        for (const double seconds : replayed.stage_s[job]) stage_s.emplace_back(factor * seconds);
        times.path_s.emplace_back(factor * replayed.path_s[job]);
        times.outside_s -= factor * replayed.path_s[job];
    }
    return times;
}

/// A recorded run of an application, and its replays at half and double its scale-out.
struct recorded_run {
    const application_trace* trace = nullptr;
    context properties{};
    int scale_out = 0;  // 0: not known, or it changed
    part_times times{};
    std::vector<std::pair<int, part_times>> replays{};  // by scale-out

    /// From the end of a job to the end of the run; empty where the job's end is not known.
    std::optional<double> rest_s(size_t job) const noexcept {
        const auto& end_s = trace->jobs[job].completed_s;
        if (!end_s) return std::nullopt;
        return (std::max)(0.0, trace->runtime_s - *end_s);
    }
};

/// Fits the runs of one shape. Precondition: at least one run.
class shape_fit {
public:
    shape_fit(std::span<const application_trace* const> traces, const common_context& properties, std::uint64_t seed,
              size_t threads)
        : seed_(seed), threads_(threads) {
        for (const auto* trace : traces)
            runs_.push_back({.trace = trace,
                             .properties = properties.context_of(trace->properties),
                             .scale_out = constant_scale_out(*trace).value_or(0),
                             .times = times_of(*trace)});
        add_replays();
        is_small_ = small_jobs();
    }

    application_shape fit() const {
        application_shape shape{.statistics = fractions()};
        auto& statistics = shape.statistics;
        shape.parts = fit_parts(all_parts());
        auto predictions = cross_validated_predictions(shape);
        if (is_cross_validated()) statistics.whole_weight = whole_weight_of(predictions);
        std::vector<predicted_run> predicted_runs;
        for (auto& run : predictions) {
            if (!run.jobs) continue;
            run.median.whole_weight = statistics.whole_weight;
            for (auto& job : *run.jobs) job.predicted_rest_s = run.median.scaled_s(job.predicted_rest_s);
            predicted_runs.push_back(*std::move(run.jobs));
        }
        // Learns how residuals of finished jobs correct the forecast of the rest.
        statistics.factor = run_factor(predicted_runs);
        single_precision{}(statistics.path_fraction, statistics.log_stage_fraction, statistics.outside_fraction_after,
                           statistics.whole_weight, statistics.factor);
        return shape;
    }

private:
    /// Of more stages, and more jobs, the smaller ones have no model of their own.
    static constexpr size_t most_stages = 128;
    static constexpr size_t most_paths = 40;
    /// Cross-validation: so many folds, where there are at most so many jobs and at least so many runs.
    static constexpr size_t fold_count = 4;
    static constexpr size_t most_cross_validated_jobs = 12;
    static constexpr size_t fewest_cross_validated_runs = 8;
    static constexpr size_t most_runs_replayed_everywhere = 32;
    /// Weight of a replay, a recorded run simulated at half or double its scale-out, beside a recorded run.
    static constexpr double replay_weight = 0.3;
    static constexpr double shortest_s = 1e-3;

    struct part_id {
        enum kind : std::uint8_t { run, outside, small_paths, path, stage };
        kind part = run;
        size_t job = 0;
        size_t position = 0;  // of a stage in its job
    };
    /// The parts that have a model, as indices of `ids`.
    struct modelled_parts {
        std::vector<part_id> ids{};
        application_parts<std::optional<size_t>> index{};

        size_t add(const part_id& id) {
            ids.push_back(id);
            return ids.size() - 1;
        }
    };
    /// A recorded run and its medians by models that were fitted without it, where there are enough runs.
    struct run_prediction {
        run_median median{};
        double actual_s = 0;
        std::optional<predicted_run> jobs{};  // absent where the time of a job is not known
    };

    // Replays at half and double the scale-out.
    void add_replays() {
        std::vector<std::optional<application_replay>> replays;
        for (const auto& run : runs_) replays.push_back(replay_of(run));
        const double bias = replay_bias(replays);
        for (size_t i = 0; i < runs_.size(); ++i) {
            if (!replays[i]) continue;
            for (const int x : {runs_[i].scale_out / 2, runs_[i].scale_out * 2}) {
                if (x < 1 || x > largest_scale_out || !is_replayed_at(x)) continue;
                const double factor = std::exp(bias * std::log2(static_cast<double>(x) / runs_[i].scale_out));
                runs_[i].replays.emplace_back(x, times_of(*replays[i]->at(x), factor));
            }
        }
    }
    // A fit takes time cubic in the points: of many runs, replays are made only at scale-outs without a record.
    bool is_replayed_at(int scale_out) const noexcept {
        return runs_.size() <= most_runs_replayed_everywhere ||
               !any_of(runs_, [&](const recorded_run& run) { return run.scale_out == scale_out; });
    }
    static std::optional<application_replay> replay_of(const recorded_run& run) {
        const bool has_tasks = any_of(run.trace->jobs, [](const job_trace& job) {
            return any_of(job.stages, [](const stage_trace& stage) { return !stage.task_s.empty(); });
        });
        if (run.scale_out < 1 || !has_tasks) return std::nullopt;
        auto replay = application_replay::from_trace(*run.trace);
        return replay ? std::optional(*std::move(replay)) : std::nullopt;
    }
    // Mean log-residual of replays for each doubling of the scale-out: ridge regression over pairs of recorded runs of equal
    // properties. Prior: as many doublings, squared, as one pair has.
    double replay_bias(std::span<const std::optional<application_replay>> replays) const {
        double squares = 1;
        double products = 0;
        const size_t count = (std::min)(runs_.size(), most_runs_replayed_everywhere);
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < count && replays[i]; ++j) {
                const int x = runs_[j].scale_out;
                if (x < 1 || x == runs_[i].scale_out || runs_[i].properties != runs_[j].properties) continue;
                const double doublings = std::log2(static_cast<double>(x) / runs_[i].scale_out);
                squares += doublings * doublings;
                products += doublings * log_residual(runs_[j].trace->runtime_s, replays[i]->at(x)->run_s);
            }
        return products / squares;
    }

    size_t jobs() const noexcept { return is_small_.size(); }
    size_t stages_of(size_t job) const noexcept { return runs_.front().times.stage_s[job].size(); }

    std::optional<double> time_of(const part_times& times, const part_id& id) const noexcept {
        switch (id.part) {
            case part_id::run: return times.run_s;
            case part_id::outside: return times.outside_s;
            case part_id::small_paths: return small_paths_s(times);
            case part_id::path: return times.path_s[id.job];
            case part_id::stage: return times.stage_s[id.job][id.position];
        }
        return std::nullopt;
    }
    // Empty where there are no small jobs, or the time of one is not known.
    std::optional<double> small_paths_s(const part_times& times) const noexcept {
        std::optional<double> sum_s;
        for (size_t job = 0; job < jobs(); ++job) {
            if (!is_small_[job]) continue;
            if (!times.path_s[job]) return std::nullopt;
            sum_s = sum_s.value_or(0) + (std::max)(*times.path_s[job], shortest_s);
        }
        return sum_s;
    }
    // Over all runs and replays.
    double total_s(const part_id& id) const noexcept {
        double sum_s = 0;
        for (const auto& run : runs_) {
            sum_s += time_of(run.times, id).value_or(0);
            for (const auto& [scale_out, times] : run.replays) sum_s += time_of(times, id).value_or(0);
        }
        return sum_s;
    }

    // The parts of the largest total time; ties by their order.
    std::vector<part_id> largest(std::vector<part_id> parts, size_t most) const {
        std::vector<std::pair<double, size_t>> order;
        for (size_t i = 0; i < parts.size(); ++i) order.emplace_back(-total_s(parts[i]), i);
        sort(order);
        order.resize((std::min)(order.size(), most));
        std::vector<part_id> kept;
        kept.reserve(order.size());
        for (const auto& [minus_total_s, i] : order) kept.push_back(parts[i]);
        return kept;
    }
    // Those without a model of their own: all but the `most_paths` of the largest total time.
    std::vector<bool> small_jobs() const {
        std::vector<part_id> paths;
        for (size_t job = 0; job < runs_.front().times.path_s.size(); ++job)
            paths.push_back({.part = part_id::path, .job = job});
        std::vector<bool> is_small(paths.size(), true);
        for (const auto& path : largest(paths, most_paths)) is_small[path.job] = false;
        return is_small;
    }

    modelled_parts all_parts() const {
        auto parts = parts_without_stages();
        std::vector<part_id> stages;
        for (size_t job = 0; job < jobs(); ++job) {
            parts.index.stages.emplace_back(stages_of(job));
            for (size_t position = 0; position < stages_of(job); ++position)
                stages.push_back({.part = part_id::stage, .job = job, .position = position});
        }
        // The only stage of a job is its path.
        for (const auto& stage : largest(stages, most_stages))
            if (stages_of(stage.job) > 1) parts.index.stages[stage.job][stage.position] = parts.add(stage);
        return parts;
    }
    modelled_parts parts_without_stages() const {
        modelled_parts parts;
        parts.index.run = parts.add({.part = part_id::run});
        parts.index.outside = parts.add({.part = part_id::outside});
        for (size_t job = 0; job < jobs(); ++job) {
            auto& path = parts.index.paths.emplace_back();
            if (!is_small_[job]) path = parts.add({.part = part_id::path, .job = job});
            if (is_small_[job] && !parts.index.small_paths)
                parts.index.small_paths = parts.add({.part = part_id::small_paths});
        }
        return parts;
    }

    // Times of a part in all runs but those of one fold.
    std::vector<part_run> history_of(const part_id& id, std::optional<size_t> left_out_fold) const {
        std::vector<part_run> history;
        for (size_t i = 0; i < runs_.size(); ++i) {
            if (left_out_fold == i % fold_count) continue;
            const auto add = [&](int scale_out, const part_times& times, bool is_replay) {
                const auto time_s = time_of(times, id);  // absent where the run did not record it
                if (!time_s || !std::isfinite(*time_s)) return;
                history.push_back({.observed = {.context = runs_[i].properties,
                                                .scale_out = (std::max)(scale_out, 1),
                                                .runtime_s = (std::max)(*time_s, shortest_s),
                                                .weight = is_replay ? replay_weight : 1},
                                   .has_scale_out = scale_out > 0,
                                   .is_replay = is_replay});
            };
            add(runs_[i].scale_out, runs_[i].times, false);
            for (const auto& [scale_out, times] : runs_[i].replays) add(scale_out, times, true);
        }
        return history;
    }

    application_parts<std::optional<application_part>> fit_parts(const modelled_parts& parts,
                                                                 std::optional<size_t> left_out_fold = {}) const {
        std::vector<application_part> models(parts.ids.size());
        for_each_index(models.size(), threads_,
                       [&](size_t i) { models[i] = application_part(history_of(parts.ids[i], left_out_fold), seed_); });
        return map_parts(parts.index, [&](const std::optional<size_t>& index) {
            return index ? std::optional(std::move(models[*index])) : std::nullopt;
        });
    }

    // Fractions of what: see `shape_statistics`.
    shape_statistics fractions() const {
        shape_statistics statistics{.shape = shape_of(*runs_.front().trace), .runs = runs_.size()};
        for (size_t job = 0; job < jobs(); ++job) {
            statistics.path_fraction.push_back(is_small_[job] ? path_fraction(job) : 0);
            auto& log_fractions = statistics.log_stage_fraction.emplace_back();
            for (size_t position = 0; position < stages_of(job); ++position)
                log_fractions.push_back(log_stage_fraction(job, position));
            statistics.outside_fraction_after.push_back(outside_fraction_after(job));
        }
        return statistics;
    }
    double path_fraction(size_t job) const {
        std::vector<double> fractions;
        for (const auto& run : runs_)
            if (const auto all_s = small_paths_s(run.times))
                fractions.push_back((std::max)(*run.times.path_s[job], shortest_s) / *all_s);
        if (!fractions.empty()) return median_of(std::move(fractions));
        return 1 / static_cast<double>(std::count(is_small_.begin(), is_small_.end(), true));
    }
    double log_stage_fraction(size_t job, size_t position) const {
        std::vector<double> log_fractions;
        for (const auto& run : runs_) {
            const auto stage_s = run.times.stage_s[job][position];
            const auto path_s = run.times.path_s[job];
            if (stage_s && path_s)
                log_fractions.push_back(std::log((std::max)(*stage_s, shortest_s) / (std::max)(*path_s, shortest_s)));
        }
        return median_of(std::move(log_fractions));
    }
    // Of the time outside of path times, what lies between the end of a job and that of the run.
    double outside_fraction_after(size_t job) const {
        std::vector<double> fractions;
        for (const auto& run : runs_) {
            const auto rest_s = run.rest_s(job);
            if (!rest_s || !(run.times.outside_s > 0)) continue;
            double after_s = *rest_s;
            for (size_t later = job + 1; later < jobs(); ++later) after_s -= run.times.path_s[later].value_or(0);
            fractions.push_back(std::clamp(after_s / run.times.outside_s, 0.0, 1.0));
        }
        if (!fractions.empty()) return median_of(std::move(fractions));
        return 1 - (static_cast<double>(job) + 1) / static_cast<double>(jobs());
    }

    // Where most scale-outs are not known, runs are predicted without theirs.
    bool has_scale_outs() const noexcept {
        return 2 * count_if(runs_, [](const recorded_run& run) { return run.scale_out > 0; }) >= runs_.size();
    }
    bool is_cross_validated() const noexcept {
        return has_scale_outs() && jobs() <= most_cross_validated_jobs && runs_.size() >= fewest_cross_validated_runs;
    }

    // Each run by the models of the other folds; by the models of all runs where cross-validation costs too much.
    std::vector<run_prediction> cross_validated_predictions(const application_shape& shape) const {
        std::vector<application_parts<std::optional<application_part>>> folds;
        if (is_cross_validated())
            for (size_t fold = 0; fold < fold_count; ++fold) folds.push_back(fit_parts(parts_without_stages(), fold));
        std::vector<run_prediction> predictions;
        std::optional<bound_application> bound;
        for (size_t i = 0; i < runs_.size(); ++i) {
            if (!bound || is_cross_validated() || runs_[i].properties != runs_[i - 1].properties)
                bound =
                    bind_parts(folds.empty() ? shape.parts : folds[i % fold_count], shape.statistics, runs_[i].properties);
            predictions.push_back(prediction_of(runs_[i], *bound));
        }
        return predictions;
    }
    run_prediction prediction_of(const recorded_run& run, const bound_application& bound) const {
        const int x = has_scale_outs() ? run.scale_out : 0;
        run_prediction predicted{.median = bound.run(x), .actual_s = run.trace->runtime_s};
        predicted_run by_job;
        for (size_t job = 0; job < jobs(); ++job) {
            const auto actual_s = run.times.path_s[job];
            const auto rest_s = run.rest_s(job);
            if (!actual_s || !rest_s) return predicted;
            by_job.push_back({.predicted_s = bound.path_s(job, x),
                              .actual_s = *actual_s,
                              .predicted_rest_s = bound.parts_after_s(job + 1, x),
                              .actual_rest_s = *rest_s});
        }
        predicted.jobs = std::move(by_job);
        return predicted;
    }

    // Inverse fourth powers of the absolute log-errors of the two medians.
    static double whole_weight_of(std::span<const run_prediction> predictions) noexcept {
        double whole_error = 1e-6;
        double sum_error = 1e-6;
        for (const auto& run : predictions) {
            whole_error += std::abs(std::log(run.median.whole_s / run.actual_s));
            sum_error += std::abs(std::log(run.median.sum_s / run.actual_s));
        }
        return std::pow(whole_error, -4.0) / (std::pow(whole_error, -4.0) + std::pow(sum_error, -4.0));
    }

    std::uint64_t seed_;
    size_t threads_;
    std::vector<recorded_run> runs_;
    std::vector<bool> is_small_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
