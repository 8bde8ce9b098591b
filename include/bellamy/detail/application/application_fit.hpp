// Definitions of what application.hpp declares: learning an application from its runs.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_FIT_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_FIT_HPP

#include <bellamy/application.hpp>
#include <bellamy/detail/application/application_parts.hpp>
#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>
#include <bellamy/replay.hpp>

#include <functional>
#include <map>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Groups runs by shape, the largest group first, ties in the order of appearance; at most eight groups. Groups of one run
/// are dropped where there is a larger one.
[[nodiscard]] inline std::vector<std::vector<const application_trace*>> by_shape(
    std::span<const application_trace* const> runs) {
    std::map<std::vector<std::uint64_t>, std::size_t> numbers;
    std::vector<std::vector<const application_trace*>> groups;
    for (const auto* run : runs) {
        const auto number = numbers.try_emplace(shape_of(*run), groups.size()).first->second;
        if (number == groups.size()) groups.emplace_back();
        groups[number].push_back(run);
    }
    sort_stably(groups, [](const auto& a, const auto& b) { return a.size() > b.size(); });
    std::size_t kept = 1;
    while (kept < groups.size() && kept < most_shapes && groups[kept].size() > 1) ++kept;
    groups.resize((std::min)(groups.size(), kept));
    return groups;
}

/// The times of a run's parts, in seconds; those that are not known are left out by their absence.
struct part_times {
    std::vector<std::vector<std::optional<double>>> stage_s{};
    std::vector<std::optional<double>> path_s{};
    double run_s = 0;
    double outside_s = 0;
};

[[nodiscard]] inline part_times times_of(const application_trace& trace) {
    part_times made{.run_s = trace.runtime_s, .outside_s = trace.runtime_s};
    for (const auto& job : trace.jobs) {
        auto& own = made.stage_s.emplace_back();
        for (const auto* stage : last_attempts(job)) own.push_back(runtime_s(*stage));
        made.path_s.push_back(path_time_s(job));
        made.outside_s -= made.path_s.back().value_or(0);
    }
    return made;
}

[[nodiscard]] inline part_times times_of(const replayed_times& replayed) {
    part_times made{.run_s = replayed.run_s, .outside_s = replayed.run_s};
    for (std::size_t job = 0; job < replayed.path_s.size(); ++job) {
        made.stage_s.emplace_back(replayed.stage_s[job].begin(), replayed.stage_s[job].end());
        made.path_s.emplace_back(replayed.path_s[job]);
        made.outside_s -= replayed.path_s[job];
    }
    return made;
}

/// Learns the parts of the runs of one shape.
class shape_fit {
public:
    shape_fit(std::span<const application_trace* const> runs, const common_context& properties,
              const application_options& options)
        : runs_(runs), options_(options) {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            contexts_.push_back(properties.of(runs[i]->properties));
            scale_outs_.push_back(constant_scale_out(*runs[i]).value_or(0));
        }
        for (std::size_t i = 0; i < runs.size(); ++i) {
            add(i, scale_outs_[i], times_of(*runs[i]), false);
            add_replays(i);
        }
    }

    [[nodiscard]] shape_parts fit() {
        shape_parts made{.shape = shape_of(*runs_.front()), .runs = runs_.size()};
        const auto& first = times_.front().times;
        const auto largest = largest_stages();
        set_small_jobs();
        std::vector<std::pair<component*, part>> wanted;
        made.parts.paths.resize(first.path_s.size());
        made.parts.stages.resize(first.path_s.size());
        made.log_share.resize(first.path_s.size());
        wanted.emplace_back(&made.parts.run, part{.what = part::run});
        wanted.emplace_back(&made.parts.outside, part{.what = part::outside});
        wanted.emplace_back(&made.parts.small_paths, part{.what = part::small_paths});
        for (std::size_t job = 0; job < first.path_s.size(); ++job) {
            made.path_share.push_back(is_small_[job] ? path_share(job) : 0);
            if (!is_small_[job]) {
                made.parts.paths[job] = std::make_unique<component>();
                wanted.emplace_back(made.parts.paths[job].get(), part{.what = part::path, .job = job});
            }
            made.parts.stages[job].resize(first.stage_s[job].size());
            for (std::size_t at = 0; at < first.stage_s[job].size(); ++at) {
                made.log_share[job].push_back(log_share(job, at));
                // The only stage of a job is its path.
                if (first.stage_s[job].size() < 2 || !largest[job][at]) continue;
                made.parts.stages[job][at] = std::make_unique<component>();
                wanted.emplace_back(made.parts.stages[job][at].get(),
                                    part{.what = part::one_stage, .job = job, .stage = at});
            }
        }
        for_each_index(wanted.size(), static_cast<std::size_t>(options_.threads),
                       [&](std::size_t i) { *wanted[i].first = component(history_of(wanted[i].second), options_.seed); });
        set_outside_after(made);
        learn_rest(made);
        single_precision{}(made.path_share, made.log_share, made.outside_after, made.whole_weight, made.factor);
        return made;
    }

private:
    /// More stages, and more jobs, than this are not learned by themselves.
    static constexpr std::size_t most_stages = 128;
    static constexpr std::size_t most_paths = 40;
    /// Runs are predicted by the others in so many groups, where there are no more jobs than this and enough runs.
    static constexpr std::size_t fold_count = 4;
    static constexpr std::size_t most_folded_jobs = 12;
    static constexpr std::size_t fewest_folded_runs = 8;
    static constexpr std::size_t most_runs_replayed_everywhere = 32;
    /// What a replay counts beside a run.
    static constexpr double replay_weight = 0.3;
    static constexpr double shortest_s = 1e-3;

    struct part {
        enum kind : std::uint8_t { run, outside, small_paths, path, one_stage };
        kind what = run;
        std::size_t job = 0;
        std::size_t stage = 0;
    };
    struct timed {
        std::size_t source = 0;
        int scale_out = 0;
        part_times times{};
        bool is_replay = false;
    };

    void add(std::size_t source, int scale_out, part_times times, bool is_replay) {
        times_.push_back({.source = source, .scale_out = scale_out, .times = std::move(times), .is_replay = is_replay});
    }
    void add_replays(std::size_t i) {
        if (scale_outs_[i] < 1) return;
        const auto replay = application_replay::of(*runs_[i]);
        if (!replay || !has_tasks(*runs_[i])) return;
        for (const int x : {scale_outs_[i] / 2, scale_outs_[i] * 2})
            if (x >= 1 && x <= largest_scale_out && is_replayed_at(x)) add(i, x, times_of(*replay->at(x)), true);
    }
    // Fitting takes the cube of the points: of many runs, replays stand only where none was recorded.
    [[nodiscard]] bool is_replayed_at(int scale_out) const noexcept {
        return runs_.size() <= most_runs_replayed_everywhere ||
               std::find(scale_outs_.begin(), scale_outs_.end(), scale_out) == scale_outs_.end();
    }
    [[nodiscard]] static bool has_tasks(const application_trace& trace) noexcept {
        for (const auto& job : trace.jobs)
            for (const auto& stage : job.stages)
                if (!stage.task_s.empty()) return true;
        return false;
    }

    [[nodiscard]] std::optional<double> time_of(const part_times& times, const part& of) const noexcept {
        switch (of.what) {
            case part::run: return times.run_s;
            case part::outside: return times.outside_s;
            case part::small_paths: return small_paths_s(times);
            case part::path: return times.path_s[of.job];
            case part::one_stage: return times.stage_s[of.job][of.stage];
        }
        return std::nullopt;
    }

    [[nodiscard]] component_history history_of(const part& of) const {
        component_history made;
        for (const auto& each : times_) {
            const auto time_s = time_of(each.times, of);
            if (!time_s || !std::isfinite(*time_s)) continue;
            made.runs.push_back({.context = contexts_[each.source],
                                 .scale_out = (std::max)(each.scale_out, 1),
                                 .runtime_s = (std::max)(*time_s, shortest_s),
                                 .weight = each.is_replay ? replay_weight : 1});
            made.has_scale_out.push_back(each.scale_out > 0);
            made.source.push_back(each.source);
            made.is_replay.push_back(each.is_replay);
        }
        return made;
    }

    /// Empty where there are none, or one is not known.
    [[nodiscard]] std::optional<double> small_paths_s(const part_times& times) const noexcept {
        std::optional<double> sum_s;
        for (std::size_t job = 0; job < is_small_.size(); ++job) {
            if (!is_small_[job]) continue;
            if (!times.path_s[job]) return std::nullopt;
            sum_s = sum_s.value_or(0) + (std::max)(*times.path_s[job], shortest_s);
        }
        return sum_s;
    }

    [[nodiscard]] double path_share(std::size_t job) const {
        std::vector<double> shares;
        for (const auto& each : times_) {
            const auto all_s = small_paths_s(each.times);
            if (all_s && !each.is_replay) shares.push_back((std::max)(*each.times.path_s[job], shortest_s) / *all_s);
        }
        if (!shares.empty()) return median_of(std::move(shares));
        return 1 / static_cast<double>(std::count(is_small_.begin(), is_small_.end(), true));
    }

    [[nodiscard]] double log_share(std::size_t job, std::size_t at) const {
        std::vector<double> shares;
        for (const auto& each : times_) {
            const auto stage_s = each.times.stage_s[job][at];
            const auto path_s = each.times.path_s[job];
            if (stage_s && path_s && !each.is_replay)
                shares.push_back(std::log((std::max)(*stage_s, shortest_s) / (std::max)(*path_s, shortest_s)));
        }
        return median_of(std::move(shares));
    }

    [[nodiscard]] std::vector<std::vector<bool>> largest_stages() const {
        const auto& first = times_.front().times.stage_s;
        std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> all;
        std::vector<std::vector<bool>> chosen(first.size());
        for (std::size_t job = 0; job < first.size(); ++job) {
            chosen[job].resize(first[job].size());
            for (std::size_t at = 0; at < first[job].size(); ++at) {
                double sum_s = 0;
                for (const auto& each : times_) sum_s += each.times.stage_s[job][at].value_or(0);
                all.push_back({-sum_s, {job, at}});
            }
        }
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < (std::min)(all.size(), most_stages); ++i)
            chosen[all[i].second.first][all[i].second.second] = true;
        return chosen;
    }

    void set_small_jobs() {
        std::vector<std::pair<double, std::size_t>> all;
        for (std::size_t job = 0; job < times_.front().times.path_s.size(); ++job) {
            double sum_s = 0;
            for (const auto& each : times_) sum_s += each.times.path_s[job].value_or(0);
            all.push_back({-sum_s, job});
        }
        std::sort(all.begin(), all.end());
        is_small_.assign(all.size(), false);
        for (std::size_t i = most_paths; i < all.size(); ++i) is_small_[all[i].second] = true;
    }

    // After each job: time from its end to the end of the run that the path times of later jobs do not cover, as a share of
    // all such time.
    void set_outside_after(shape_parts& made) const {
        for (std::size_t job = 0; job < runs_.front()->jobs.size(); ++job) {
            std::vector<double> shares;
            for (std::size_t i = 0; i < runs_.size(); ++i) {
                const auto rest_s = actual_rest_s(i, job);
                const auto& times = original(i);
                if (!rest_s || !(times.outside_s > 0)) continue;
                double after_s = *rest_s;
                for (std::size_t later = job + 1; later < times.path_s.size(); ++later)
                    after_s -= times.path_s[later].value_or(0);
                shares.push_back((std::min)((std::max)(after_s / times.outside_s, 0.0), 1.0));
            }
            const auto jobs = static_cast<double>(runs_.front()->jobs.size());
            made.outside_after.push_back(shares.empty() ? 1 - (static_cast<double>(job) + 1) / jobs
                                                        : median_of(std::move(shares)));
        }
    }

    [[nodiscard]] const part_times& original(std::size_t run) const noexcept {
        for (const auto& each : times_)
            if (each.source == run && !each.is_replay) return each.times;
        return times_.front().times;
    }
    [[nodiscard]] std::optional<double> actual_rest_s(std::size_t run, std::size_t job) const noexcept {
        const auto& end_s = runs_[run]->jobs[job].completed_s;
        if (!end_s) return std::nullopt;
        return (std::max)(0.0, runs_[run]->runtime_s - *end_s);
    }

    // What a run's parts share, and how much the run learned as a whole counts, from runs that the others predict.
    void learn_rest(shape_parts& made) const {
        std::size_t known = 0;
        for (const int x : scale_outs_) known += x > 0 ? 1U : 0U;
        const bool blind = 2 * known < runs_.size();  // most scale-outs are not known: deviations are those from medians
        const bool folded = !blind && made.parts.paths.size() <= most_folded_jobs && runs_.size() >= fewest_folded_runs;
        const std::size_t folds = folded ? fold_count : 1;
        std::vector<shape_parts> without(folds);
        if (folded) {
            std::vector<std::function<void()>> work;
            for (std::size_t fold = 0; fold < folds; ++fold) add_fold(work, without[fold], made, fold);
            for_each_index(work.size(), static_cast<std::size_t>(options_.threads), [&](std::size_t i) { work[i](); });
        }
        std::vector<predicted_run> predicted;
        std::vector<double> whole_over_sum;
        double whole_error = 1e-6;
        double sum_error = 1e-6;
        std::optional<bound_application> bound_to_last;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (!bound_to_last || folded || contexts_[i] != contexts_[i - 1])
                bound_to_last = bind_parts(folded ? without[i % folds] : made, contexts_[i]);
            const auto& bound = *bound_to_last;
            const int x = blind ? 0 : scale_outs_[i];
            const double whole_s = bound.parts.run.median_s(x);
            const double sum_s = bound.sum_s(x);
            whole_error += std::abs(std::log(whole_s / runs_[i]->runtime_s));
            sum_error += std::abs(std::log(sum_s / runs_[i]->runtime_s));
            if (auto one = deviations_of(i, bound, x)) {
                predicted.push_back(*std::move(one));
                whole_over_sum.push_back(whole_s / sum_s);
            }
        }
        if (folded)
            made.whole_weight = std::pow(whole_error, -4.0) / (std::pow(whole_error, -4.0) + std::pow(sum_error, -4.0));
        // As `forecast::remaining` has it.
        for (std::size_t i = 0; i < predicted.size(); ++i)
            for (double& rest_s : predicted[i].predicted_rest_s) rest_s *= std::pow(whole_over_sum[i], made.whole_weight);
        made.factor = run_factor(predicted);
    }

    void add_fold(std::vector<std::function<void()>>& work, shape_parts& to, const shape_parts& whole,
                  std::size_t fold) const {
        to.outside_after = whole.outside_after;
        to.parts.paths.resize(whole.parts.paths.size());
        const auto learn = [this, fold](component& into, const part& of) {
            into = component(history_of(of), options_.seed, fold, fold_count);
        };
        work.emplace_back([&to, learn] { learn(to.parts.run, {.what = part::run}); });
        work.emplace_back([&to, learn] { learn(to.parts.outside, {.what = part::outside}); });
        for (std::size_t job = 0; job < to.parts.paths.size(); ++job)
            work.emplace_back([&to, learn, job] {
                to.parts.paths[job] = std::make_unique<component>();
                learn(*to.parts.paths[job], {.what = part::path, .job = job});
            });
    }

    [[nodiscard]] std::optional<predicted_run> deviations_of(std::size_t run, const bound_application& bound,
                                                             int scale_out) const {
        predicted_run made;
        const auto& times = original(run);
        for (std::size_t job = 0; job < times.path_s.size(); ++job) {
            const auto rest_s = actual_rest_s(run, job);
            if (!times.path_s[job] || !rest_s) return std::nullopt;
            made.actual_s.push_back(*times.path_s[job]);
            made.predicted_s.push_back(bound.path_s(job, scale_out));
            made.actual_rest_s.push_back(*rest_s);
            made.predicted_rest_s.push_back(bound.rest_s(job + 1, scale_out));
        }
        return made;
    }

    std::span<const application_trace* const> runs_;
    application_options options_;
    std::vector<context> contexts_{};
    std::vector<int> scale_outs_{};
    std::vector<timed> times_{};
    std::vector<bool> is_small_{};
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<application_model> pretrain_application(std::span<const application_trace* const> history,
                                                                     const application_options& options) {
    if (options.threads < 1 || options.threads > 1024)
        return detail::fail(errc::invalid_option, "expected threads from 1 to 1024, found ", options.threads);
    std::vector<const application_trace*> runs;
    for (std::size_t i = 0; i < history.size(); ++i) {
        if (history[i] == nullptr) return detail::fail(errc::invalid_trace, "run ", i, ": expected a trace, found none");
        if (auto valid = validate(*history[i]); !valid)
            return detail::fail(valid.error().code(), "run ", i, ": ", valid.error().message());
        if (history[i]->application != history.front()->application || history[i]->unit != history.front()->unit)
            return detail::fail(errc::invalid_trace, "run ", i, ": expected ", history.front()->application,
                                " over units of ", to_string(history.front()->unit), ", found ", history[i]->application,
                                " over ", to_string(history[i]->unit));
        if (history[i]->outcome == trace_outcome::succeeded && !history[i]->jobs.empty()) runs.push_back(history[i]);
    }
    if (runs.empty())
        return detail::fail(errc::empty_history, "expected a run with jobs that succeeded, found none among ",
                            history.size());
    auto state = std::make_shared<detail::application_state>();
    state->application = runs.front()->application;
    state->properties = detail::common_context(runs);
    std::vector<int> scale_outs;
    for (const auto* each : runs)
        if (const auto x = detail::constant_scale_out(*each)) scale_outs.push_back(*x);
    if (!scale_outs.empty()) {
        const auto [least, most] = std::minmax_element(scale_outs.begin(), scale_outs.end());
        state->seen = {.smallest = *least, .largest = *most};
    }
    for (const auto& group : detail::by_shape(runs))
        state->shapes.push_back(detail::shape_fit(group, state->properties, options).fit());
    return detail::application_access::make(std::move(state));
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
