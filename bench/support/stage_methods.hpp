// The methods of bench/stages: how to learn an application from its runs, and to predict another run part by part.
#ifndef BELLAMY_BENCH_STAGE_METHODS_HPP
#define BELLAMY_BENCH_STAGE_METHODS_HPP

#include <bellamy/application.hpp>
#include <bellamy/replay.hpp>
#include <bellamy/trace.hpp>

#include "growth_lines.hpp"
#include "stage_cases.hpp"
#include "stage_rows.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace bench {

struct stage_options {
    std::uint64_t seed = 0;
    int threads = 1;
    int enel_trials = 40;
};

/// What a method has learned of one application. It sees a `known_part` and nothing else of the run that it predicts.
class stage_predictor {
public:
    stage_predictor() = default;
    stage_predictor(const stage_predictor&) = delete;
    stage_predictor& operator=(const stage_predictor&) = delete;
    virtual ~stage_predictor() = default;

    /// Before the start: stages, path times of jobs, and the run.
    [[nodiscard]] virtual std::vector<stage_answer> before(const bellamy::application_trace& known) const = 0;
    /// From the end of the last known job to that of the run.
    [[nodiscard]] virtual std::optional<bellamy::prediction> remaining(const bellamy::application_trace& known) const = 0;
};

struct stage_method {
    std::string name{};
    std::function<std::unique_ptr<stage_predictor>(const stage_case&, const stage_options&)> learn{};
};

/// Times of the parts of runs of one shape (names of stages apart), each with the size and the scale-out of its run.
struct shape_history {
    std::vector<std::uint64_t> shape{};
    std::vector<const bellamy::application_trace*> traces{};
    std::vector<std::vector<std::vector<bellamy::run>>> stages{};  // by job and stage
    std::vector<std::vector<bellamy::run>> paths{};                // by job
    std::vector<std::vector<bellamy::run>> jobs{};                 // wall-clock times
    std::vector<double> outside{};                                 // time outside of jobs over the sum of path times
    std::vector<double> gaps_s{};
    std::vector<double> runtimes_s{};
};

[[nodiscard]] inline bellamy::run as_run(const bellamy::application_trace& of, int scale_out, double runtime_s) {
    const double size = data_size_of(context_of(of));
    bellamy::run made{.scale_out = scale_out, .runtime_s = runtime_s};
    made.context.essential = {
        bellamy::quantity("data_size_MB", size > 0 ? size : 1.0).with_role(bellamy::property_role::data_size)};
    return made;
}

/// Groups of runs by shape, the largest first; runs that did not succeed are left out.
[[nodiscard]] inline std::vector<shape_history> shape_histories(const stage_case& subject) {
    std::map<std::vector<std::uint64_t>, shape_history> groups;
    for (const auto* each : subject.train) {
        if (each->outcome != bellamy::trace_outcome::succeeded || each->jobs.empty()) continue;
        const auto shape = bellamy::detail::shape_of(*each);
        auto& group = groups[shape];
        group.shape = shape;
        group.traces.push_back(each);
        group.stages.resize(shape.size());
        group.paths.resize(shape.size());
        group.jobs.resize(shape.size());
        const int x = bellamy::detail::constant_scale_out(*each).value_or(0);
        const auto add = [&](std::vector<bellamy::run>& to, const std::optional<double>& time_s) {
            if (time_s) to.push_back(as_run(*each, x, (std::max)(*time_s, 1e-3)));
        };
        double inside_s = 0;
        double covered_s = 0;
        for (std::size_t job = 0; job < shape.size(); ++job) {
            const auto stages = bellamy::detail::last_attempts(each->jobs[job]);
            group.stages[job].resize(stages.size());
            for (std::size_t i = 0; i < stages.size(); ++i)
                add(group.stages[job][i], bellamy::detail::runtime_s(*stages[i]));
            add(group.paths[job], bellamy::detail::path_time_s(each->jobs[job]));
            add(group.jobs[job], bellamy::detail::runtime_s(each->jobs[job]));
            inside_s += bellamy::detail::path_time_s(each->jobs[job]).value_or(0);
            covered_s += bellamy::detail::runtime_s(each->jobs[job]).value_or(0);
        }
        group.runtimes_s.push_back(each->runtime_s);
        group.gaps_s.push_back((std::max)(0.0, each->runtime_s - covered_s));
        group.outside.push_back(inside_s > 0 ? (std::max)(0.0, each->runtime_s / inside_s - 1) : 0);
    }
    std::vector<shape_history> all;
    for (auto& [shape, group] : groups) all.push_back(std::move(group));
    std::ranges::stable_sort(all, std::greater<>{}, [](const auto& each) { return each.traces.size(); });
    return all;
}

/// The largest group that the known jobs can begin, else the largest that is longer, else the largest; null without any.
[[nodiscard]] inline const shape_history* group_for(std::span<const shape_history> groups,
                                                    const bellamy::application_trace& known) {
    const auto begun = bellamy::detail::shape_of(known);
    for (const auto& each : groups)
        if (each.shape.size() > begun.size() && bellamy::detail::begins_with(each.shape, begun)) return &each;
    for (const auto& each : groups)
        if (each.shape.size() > begun.size()) return &each;
    return groups.empty() ? nullptr : &groups.front();
}

/// Seconds at a size and a scale-out, from runs of one part; NaN where it cannot say.
using part_law = std::function<double(const bellamy::run&)>;
using part_fit = std::function<part_law(std::vector<bellamy::run>)>;

/// A law for each part by itself; a run is the sum of its jobs' path times and the median share outside of them.
class law_predictor final : public stage_predictor {
public:
    law_predictor(const stage_case& subject, part_fit fit) : groups_(shape_histories(subject)), fit_(std::move(fit)) {}

    [[nodiscard]] std::vector<stage_answer> before(const bellamy::application_trace& known) const override {
        std::vector<stage_answer> answers;
        const auto* group = group_for(groups_, known);
        if (group == nullptr) return answers;
        const auto asked = as_run(known, asked_scale_out(known), 1);
        const auto answer = [&](stage_quantity what, std::size_t job, int stage, double median_s) {
            answers.push_back(
                {.what = what, .job = static_cast<int>(job), .stage = stage, .predicted = {.median_s = median_s}});
        };
        double sum_s = 0;
        for (std::size_t job = 0; job < group->paths.size(); ++job) {
            for (std::size_t i = 0; i < group->stages[job].size(); ++i)
                answer(stage_quantity::stage, job, static_cast<int>(i), fit_(group->stages[job][i])(asked));
            const double path_s = path_of(*group, job, asked);
            answer(stage_quantity::job, job, -1, path_s);
            sum_s += path_s;
        }
        answers.push_back({.what = stage_quantity::run, .predicted = {.median_s = sum_s * (1 + median_of(group->outside))}});
        return answers;
    }

    [[nodiscard]] std::optional<bellamy::prediction> remaining(const bellamy::application_trace& known) const override {
        const auto* group = group_for(groups_, known);
        if (group == nullptr) return std::nullopt;
        const auto asked = as_run(known, asked_scale_out(known), 1);
        double sum_s = 0;
        for (std::size_t job = known.jobs.size(); job < group->paths.size(); ++job) sum_s += path_of(*group, job, asked);
        return bellamy::prediction{.median_s = sum_s * (1 + median_of(group->outside))};
    }

private:
    // The longest path of the stages' predictions; where a source has no stages, the law of the job.
    [[nodiscard]] double path_of(const shape_history& group, std::size_t job, const bellamy::run& asked) const {
        if (group.stages[job].empty()) return fit_(group.paths[job])(asked);
        const auto stages = bellamy::detail::last_attempts(group.traces.front()->jobs[job]);
        std::vector<double> time_s;
        for (const auto& each : group.stages[job]) time_s.push_back(fit_(each)(asked));
        return bellamy::detail::longest_path(bellamy::detail::graph_of(stages), time_s);
    }

    std::vector<shape_history> groups_;
    part_fit fit_;
};

/// Medians over the runs, whatever their size and scale-out.
class median_predictor final : public stage_predictor {
public:
    explicit median_predictor(const stage_case& subject) : groups_(shape_histories(subject)) {}

    [[nodiscard]] std::vector<stage_answer> before(const bellamy::application_trace& known) const override {
        std::vector<stage_answer> answers;
        const auto* group = group_for(groups_, known);
        if (group == nullptr) return answers;
        for (std::size_t job = 0; job < group->paths.size(); ++job) {
            const auto at = static_cast<int>(job);
            for (std::size_t i = 0; i < group->stages[job].size(); ++i)
                answers.push_back({.what = stage_quantity::stage,
                                   .job = at,
                                   .stage = static_cast<int>(i),
                                   .predicted = {.median_s = median_of_runs(group->stages[job][i])}});
            answers.push_back(
                {.what = stage_quantity::job, .job = at, .predicted = {.median_s = median_of_runs(group->paths[job])}});
        }
        answers.push_back({.what = stage_quantity::run, .predicted = {.median_s = median_of(group->runtimes_s)}});
        return answers;
    }

    [[nodiscard]] std::optional<bellamy::prediction> remaining(const bellamy::application_trace& known) const override {
        const auto* group = group_for(groups_, known);
        if (group == nullptr) return std::nullopt;
        double sum_s = median_of(group->gaps_s);
        for (std::size_t job = known.jobs.size(); job < group->jobs.size(); ++job) sum_s += median_of_runs(group->jobs[job]);
        return bellamy::prediction{.median_s = sum_s};
    }

private:
    [[nodiscard]] static double median_of_runs(std::span<const bellamy::run> runs) {
        std::vector<double> time_s;
        for (const auto& each : runs) time_s.push_back(each.runtime_s);
        return time_s.empty() ? std::numeric_limits<double>::quiet_NaN() : median_of(std::move(time_s));
    }

    std::vector<shape_history> groups_;
};

/// The library's best mode.
class best_predictor final : public stage_predictor {
public:
    best_predictor(const stage_case& subject, const stage_options& options) {
        auto learned = bellamy::pretrain_application(subject.train, {.seed = options.seed, .threads = options.threads});
        if (learned) model_ = *std::move(learned);
    }

    [[nodiscard]] std::vector<stage_answer> before(const bellamy::application_trace& known) const override {
        std::vector<stage_answer> answers;
        if (!model_) return answers;
        const auto& whole = bound_to(known.properties);
        const int x = asked_scale_out(known);
        for (std::size_t job = 0; job < whole.jobs(); ++job) {
            const auto at = static_cast<int>(job);
            for (std::size_t i = 0; i < whole.stages(job); ++i)
                answers.push_back({.what = stage_quantity::stage,
                                   .job = at,
                                   .stage = static_cast<int>(i),
                                   .predicted = whole.stage(job, i, x)});
            answers.push_back({.what = stage_quantity::job, .job = at, .predicted = whole.job(job, x)});
        }
        answers.push_back({.what = stage_quantity::run, .predicted = whole.run(x)});
        return answers;
    }

    [[nodiscard]] std::optional<bellamy::prediction> remaining(const bellamy::application_trace& known) const override {
        if (!model_) return std::nullopt;
        return bound_to(known.properties).observe(known).value().remaining(asked_scale_out(known));
    }

private:
    // The rests of one run are asked about one after the other.
    [[nodiscard]] const bellamy::forecast& bound_to(const std::vector<bellamy::property>& properties) const {
        if (!bound_ || bound_->first != properties) bound_.emplace(properties, model_->bind(properties).value());
        return bound_->second;
    }

    std::optional<bellamy::application_model> model_{};
    mutable std::optional<std::pair<std::vector<bellamy::property>, bellamy::forecast>> bound_{};
};

/// One recorded run scheduled again at another scale-out, from each run with the same properties by itself.
class replay_predictor final : public stage_predictor {
public:
    explicit replay_predictor(const stage_case& subject) {
        const auto error = bellamy::replay_spread(subject.train);
        for (const auto* each : subject.train)
            if (auto made = bellamy::application_replay::from_trace(*each, error))
                sources_.emplace_back(each, *std::move(made));
    }

    [[nodiscard]] std::vector<stage_answer> before(const bellamy::application_trace& known) const override {
        std::vector<stage_answer> answers;
        for (const auto& [source, replay] : sources_) {
            const int x = asked_scale_out(known);
            if (source->properties != known.properties || x < 1 || x == replay.source_scale_out()) continue;
            const auto times = replay.at(x).value();
            const auto add = [&, x_from = replay.source_scale_out()](stage_quantity what, std::size_t job, int stage,
                                                                     double time_s, const auto& from) {
                answers.push_back({.what = what,
                                   .job = static_cast<int>(job),
                                   .stage = stage,
                                   .predicted = from.spread(time_s, x),
                                   .source_scale_out = x_from});
            };
            for (std::size_t job = 0; job < times.path_s.size(); ++job) {
                for (std::size_t i = 0; i < times.stage_s[job].size(); ++i)
                    add(stage_quantity::stage, job, static_cast<int>(i), times.stage_s[job][i], replay);
                add(stage_quantity::job, job, -1, times.path_s[job], replay);
            }
            answers.push_back({.what = stage_quantity::run,
                               .predicted = replay.spread(times.run_s, x),
                               .source_scale_out = replay.source_scale_out()});
        }
        return answers;
    }

    /// From the run whose scale-out is nearest: what is left of it, at the speed that the finished jobs had.
    [[nodiscard]] std::optional<bellamy::prediction> remaining(const bellamy::application_trace& known) const override {
        const int x = asked_scale_out(known);
        const bellamy::application_replay* nearest = nullptr;
        const auto distance = [&](const bellamy::application_replay& each) {
            return std::abs(std::log(static_cast<double>(x) / each.source_scale_out()));
        };
        for (const auto& source : sources_) {
            if (x < 1 || source.first->properties != known.properties || source.first->jobs.size() <= known.jobs.size())
                continue;
            if (nearest == nullptr || distance(source.second) < distance(*nearest)) nearest = &source.second;
        }
        if (nearest == nullptr) return std::nullopt;
        const auto times = nearest->at(x).value();
        double done_s = 0;
        double all_s = 0;
        for (std::size_t job = 0; job < times.path_s.size(); ++job) {
            all_s += times.path_s[job];
            if (job < known.jobs.size()) done_s += times.path_s[job];
        }
        return nearest->spread(times.run_s * (all_s - done_s) / all_s, x);
    }

private:
    std::vector<std::pair<const bellamy::application_trace*, bellamy::application_replay>> sources_{};
};

namespace detail {

// Runs without a scale-out serve no law that has one.
[[nodiscard]] inline part_fit law_of(std::function<part_law(const std::vector<bellamy::run>&)> fit) {
    return [fit = std::move(fit)](std::vector<bellamy::run> runs) -> part_law {
        std::erase_if(runs, [](const bellamy::run& each) { return each.scale_out < 1; });
        if (runs.empty()) return [](const bellamy::run&) { return std::numeric_limits<double>::quiet_NaN(); };
        return [law = fit(runs)](const bellamy::run& asked) {
            return asked.scale_out < 1 ? std::numeric_limits<double>::quiet_NaN() : law(asked);
        };
    };
}

[[nodiscard]] inline double distance(const bellamy::run& a, const bellamy::run& b) {
    const double size = std::log(data_size_of(a.context) / data_size_of(b.context));
    const double units = std::log((a.scale_out + 1e-9) / (b.scale_out + 1e-9));
    return size * size + units * units;
}

template <class Made, class... Arguments>
[[nodiscard]] auto learns(Arguments... arguments) {
    return [=](const stage_case& subject, const stage_options&) -> std::unique_ptr<stage_predictor> {
        return std::make_unique<Made>(subject, arguments...);
    };
}

}  // namespace detail

[[nodiscard]] inline std::vector<stage_method> stage_methods() {
    const auto ernest = detail::law_of([](const std::vector<bellamy::run>& runs) -> part_law {
        return [law = fitted_law(ernest_columns, runs)](const bellamy::run& at) { return law(at.context, at.scale_out); };
    });
    const auto loglinear = detail::law_of([](const std::vector<bellamy::run>& runs) -> part_law {
        return [law = log_linear(runs)](const bellamy::run& at) { return law(at.context, at.scale_out); };
    });
    const part_fit nearest = [](const std::vector<bellamy::run>& runs) -> part_law {
        return [runs](const bellamy::run& asked) {
            const auto closer = [&](const auto& a, const auto& b) {
                return detail::distance(a, asked) < detail::distance(b, asked);
            };
            return runs.empty() ? std::numeric_limits<double>::quiet_NaN()
                                : std::min_element(runs.begin(), runs.end(), closer)->runtime_s;
        };
    };
    const auto best = [](const stage_case& subject, const stage_options& options) -> std::unique_ptr<stage_predictor> {
        return std::make_unique<best_predictor>(subject, options);
    };
    return {{.name = "best", .learn = best},
            {.name = "replay", .learn = detail::learns<replay_predictor>()},
            {.name = "ernest", .learn = detail::learns<law_predictor>(part_fit(ernest))},
            {.name = "loglinear", .learn = detail::learns<law_predictor>(part_fit(loglinear))},
            {.name = "median", .learn = detail::learns<median_predictor>()},
            {.name = "nearest", .learn = detail::learns<law_predictor>(nearest)}};
}

/// Every method's answers to a case beside the truths, those that a method cannot give left out.
[[nodiscard]] inline std::vector<stage_row> answer(const stage_case& subject, const stage_method& method,
                                                   const stage_options& options) {
    std::vector<stage_row> rows;
    const auto learned = method.learn(subject, options);
    for (const auto* each : subject.test) {
        const auto& truth = *each;
        const int jobs = static_cast<int>(truth.jobs.size());
        const auto add = [&](int after_job, int scale_out, const stage_answer& given, std::optional<double> truth_s) {
            if (!truth_s || !(*truth_s > 0) || std::isnan(given.predicted.median_s)) return;
            rows.push_back({.application = subject.application,
                            .part = subject.part,
                            .run = truth.run,
                            .scale_out = scale_out,
                            .after_job = after_job,
                            .answer = given,
                            .method = method.name,
                            .truth_s = *truth_s});
        };
        const auto truth_of = [&](const stage_answer& given) -> std::optional<double> {
            if (given.what == stage_quantity::run) return truth.runtime_s;
            if (given.job >= jobs) return std::nullopt;
            const auto& job = truth.jobs[static_cast<std::size_t>(given.job)];
            if (given.what == stage_quantity::job) return bellamy::detail::path_time_s(job);
            const auto stages = bellamy::detail::last_attempts(job);
            const auto at = static_cast<std::size_t>(given.stage);
            return at < stages.size() ? bellamy::detail::runtime_s(*stages[at]) : std::nullopt;
        };
        const auto start = known_part(truth, -1);
        for (const auto& given : learned->before(start)) add(-1, asked_scale_out(start), given, truth_of(given));
        for (int after = 0; after + 1 < jobs; ++after) {
            const auto& ended_s = truth.jobs[static_cast<std::size_t>(after)].completed_s;
            if (!ended_s) continue;
            const auto known = known_part(truth, after);
            if (const auto rest = learned->remaining(known))
                add(after, asked_scale_out(known), {.what = stage_quantity::remaining, .predicted = *rest},
                    truth.runtime_s - *ended_s);
        }
    }
    return rows;
}

}  // namespace bench

#endif
