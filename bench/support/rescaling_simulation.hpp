// Runs policies on simulated runs, counts missed targets and executor-seconds, and compares policies at equal
// executor-seconds.
#ifndef BELLAMY_BENCH_RESCALING_SIMULATION_HPP
#define BELLAMY_BENCH_RESCALING_SIMULATION_HPP

#include "rescaling_oracle.hpp"
#include "rescaling_policies.hpp"
#include "stage_rows.hpp"

namespace bench {

/// A policy and how cautious it is: `static` and `best` keep the target with a probability; `least-cost` takes a missed
/// target to cost so many times what it does; the published rules, which know neither, are told the target times a margin.
struct policy_setting {
    rescaling_rule rule = rescaling_rule::best;
    double caution = 0;

    [[nodiscard]] bool has_probability() const noexcept {
        return rule == rescaling_rule::fixed || rule == rescaling_rule::best;
    }
    [[nodiscard]] double margin() const noexcept {
        return has_probability() || rule == rescaling_rule::least_cost ? 1 : caution;
    }
    /// As published, or the library's default.
    [[nodiscard]] bool usual() const noexcept {
        return caution == (has_probability() ? bellamy::rescale_request{}.probability : 1.0);
    }
    friend auto operator<=>(const policy_setting&, const policy_setting&) = default;
};

[[nodiscard]] inline std::vector<policy_setting> settings_of(rescaling_rule rule) {
    if (rule == rescaling_rule::oracle) return {{.rule = rule, .caution = 1}};
    // The network takes its time.
    if (rule == rescaling_rule::enel) return {{.rule = rule, .caution = 0.8}, {.rule = rule, .caution = 1}};
    const bool by_probability = policy_setting{.rule = rule}.has_probability();
    const std::vector<double> cautions = by_probability ? std::vector{0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995}
                                         : rule == rescaling_rule::least_cost ? std::vector{0.3, 0.5, 1.0, 2.0, 5.0, 20.0}
                                                                              : std::vector{0.7, 0.8, 0.9, 0.95, 1.0, 1.05};
    std::vector<policy_setting> all;
    for (const double each : cautions) all.push_back({.rule = rule, .caution = each});
    return all;
}

struct rescaling_options {
    std::vector<rescaling_rule> rules{};
    rescaling_noise noise{};
    std::size_t runs = 100;
    std::size_t history = 30;
    std::size_t folds = 5;
    /// Of a missed target, in shares of the usual executor-seconds of the run.
    double penalty = 1;
    /// What `best` takes a change to cost beside its delay, in shares of what the rest of the run is to cost as it is.
    double cost_of_change = 0;
    int enel_trials = 4;
    std::uint64_t seed = 0;
};

struct rescaling_row {
    std::string application{};
    std::size_t run = 0;
    policy_setting by{};
    double target_s = 0;
    double runtime_s = 0;
    double executor_s = 0;
    /// Of a run as the laws have it at the least scale-out that keeps the target: what executor-seconds are divided by when
    /// applications are pooled.
    double usual_executor_s = 0;
    double cost = 0;
    int changes = 0;

    [[nodiscard]] bool missed() const noexcept { return runtime_s > target_s; }
    [[nodiscard]] double minutes_over() const noexcept { return missed() ? (runtime_s - target_s) / 60 : 0; }
};

[[nodiscard]] inline double usual_executor_s(const drawn_run& drawn) {
    for (const int x : drawn.scale_outs())
        if (const double time_s = drawn.of->usual_s(*drawn.recorded, x); time_s <= drawn.target_s) return time_s * x;
    return drawn.target_s * drawn.scale_outs().back();
}

/// Learns what the rules need from past runs; a model that cannot be learned is refused by name.
[[nodiscard]] inline learned_application learn_application(const recorded_application& of,
                                                           std::span<const bellamy::application_trace> history,
                                                           const rescaling_options& options) {
    const auto wants = [&](rescaling_rule rule) { return std::ranges::find(options.rules, rule) != options.rules.end(); };
    learned_application made{.scale_outs = of.scale_outs(), .cost_of_change = options.cost_of_change};
    made.seen = {.smallest = of.scale_outs().front(), .largest = of.scale_outs().back()};
    std::vector<const bellamy::application_trace*> pointers;
    for (const auto& each : history) pointers.push_back(&each);
    if (wants(rescaling_rule::best) || wants(rescaling_rule::least_cost) || wants(rescaling_rule::fixed) ||
        wants(rescaling_rule::enel_on_best))
        made.best = bellamy::pretrain_application(pointers, {.seed = options.seed}).value();
    if (wants(rescaling_rule::ellis)) made.ellis = ellis_model::learn(history).value();
    if (wants(rescaling_rule::enel))
        made.enel = bellamy::enel_model::pretrain(history, {.trials = options.enel_trials, .seed = options.seed}).value();
    return made;
}

/// One run under a policy.
[[nodiscard]] inline simulated_run simulate(const drawn_run& drawn, rescaling_policy& policy, double target_s,
                                            double mean_delay_s, double penalty_executor_s) {
    const auto& scale_outs = drawn.scale_outs();
    const auto position = [&](int x) {
        const auto found = std::ranges::find(scale_outs, x);
        if (found == scale_outs.end())
            throw tools::tool_error("unknown_scale_out", fmt::format("expected a scale-out of the range, found {}", x));
        return static_cast<std::size_t>(found - scale_outs.begin());
    };
    simulated_run run(drawn);
    int x = scale_outs.front();
    for (std::size_t job = 0; job < drawn.jobs(); ++job) {
        const rescaling_view now{.so_far = run.trace(),
                                 .elapsed_s = run.elapsed_s(),
                                 .target_s = target_s,
                                 .scale_out = x,
                                 .mean_delay_s = mean_delay_s,
                                 .penalty_executor_s = penalty_executor_s};
        x = job == 0 ? policy.first(now) : policy.next(now);
        run.run_job(position(x));
    }
    run.finish();
    return run;
}

[[nodiscard]] inline simulated_run follow(const drawn_run& drawn, std::span<const std::size_t> plan) {
    simulated_run run(drawn);
    for (const auto at : plan) run.run_job(at);
    run.finish();
    return run;
}

/// All policies on the same draws of the recorded runs of one fold; they learned from draws of the others.
[[nodiscard]] inline std::vector<rescaling_row> simulate_fold(const recorded_application& of, std::size_t fold,
                                                              const rescaling_options& options) {
    bellamy::detail::random_generator random(options.seed * 1'000'003 + fold);
    std::vector<const bellamy::application_trace*> earlier;
    std::vector<const bellamy::application_trace*> own;
    for (std::size_t i = 0; i < of.runs().size(); ++i) (i % options.folds == fold ? own : earlier).push_back(of.runs()[i]);
    std::vector<rescaling_row> rows;
    if (own.empty() || earlier.empty()) return rows;
    const auto history = simulated_history(of, earlier, options.history, options.noise, random);
    const auto learned = learn_application(of, history, options);
    const double mean_delay_s = (options.noise.shortest_delay_s + options.noise.longest_delay_s) / 2;
    for (std::size_t i = fold; i < options.runs; i += options.folds) {
        const auto drawn = draw_run(of, *own[random.below(own.size())], options.noise, random);
        const double usual = usual_executor_s(drawn);
        const rescaling_cost cost{.penalty = options.penalty * usual};
        const auto add = [&](const policy_setting& by, const simulated_run& run) {
            rows.push_back({.application = of.name(),
                            .run = i,
                            .by = by,
                            .target_s = drawn.target_s,
                            .runtime_s = run.elapsed_s(),
                            .executor_s = run.executor_s(),
                            .usual_executor_s = usual,
                            .cost = cost(run.executor_s(), run.elapsed_s(), drawn.target_s),
                            .changes = run.changes()});
        };
        for (const auto rule : options.rules) {
            for (const auto& by : settings_of(rule)) {
                if (rule == rescaling_rule::oracle) {
                    add(by, follow(drawn, rescaling_oracle(drawn).plan(cost)));
                } else {
                    const auto policy = make_policy(rule, learned, by.caution);
                    add(by, simulate(drawn, *policy, drawn.target_s * by.margin(), mean_delay_s, cost.penalty));
                }
            }
        }
    }
    return rows;
}

/// Means over runs; executor-seconds and costs in shares of the usual ones.
struct rescaling_score {
    std::size_t runs = 0;
    /// Enel's CVC: the share of the runs that miss their target.
    double missed = 0;
    /// Enel's CVS: minutes over the target, 0 where it is met.
    double minutes_over = 0;
    double executors = 0;
    double cost = 0;
    double changes = 0;
};

using rescaling_scores = std::map<policy_setting, rescaling_score>;

/// Of one application, of all where the name is empty: every application counts as much.
[[nodiscard]] inline rescaling_scores scores_of(std::span<const rescaling_row> rows, const std::string& application = {}) {
    rescaling_scores scores;
    std::map<std::pair<std::string, policy_setting>, double> counts;
    for (const auto& each : rows) counts[{each.application, each.by}] += 1;
    for (const auto& each : rows) {
        if (!application.empty() && each.application != application) continue;
        auto& score = scores[each.by];
        const double applications = static_cast<double>(std::ranges::count_if(counts, [&](const auto& count) {
            return count.first.second == each.by && (application.empty() || count.first.first == application);
        }));
        const double weight = 1 / counts[{each.application, each.by}] / applications;
        ++score.runs;
        score.missed += weight * (each.missed() ? 1 : 0);
        score.minutes_over += weight * each.minutes_over();
        score.executors += weight * each.executor_s / each.usual_executor_s;
        score.cost += weight * each.cost / each.usual_executor_s;
        score.changes += weight * each.changes;
    }
    return scores;
}

/// What a rule would have at these executor-seconds: linear between its two settings next to them, which is what deciding
/// by lot between the two has. Empty below its cheapest setting; above its dearest one that setting itself, which needs
/// less.
[[nodiscard]] inline std::optional<rescaling_score> at_executors(const rescaling_scores& scores, rescaling_rule rule,
                                                                 double executors) {
    std::vector<rescaling_score> own;
    for (const auto& [by, score] : scores)
        if (by.rule == rule) own.push_back(score);
    std::ranges::sort(own, {}, &rescaling_score::executors);
    if (own.empty() || executors < own.front().executors) return std::nullopt;
    for (std::size_t i = 1; i < own.size(); ++i) {
        const auto& a = own[i - 1];
        const auto& b = own[i];
        if (b.executors < executors) continue;
        const double share = b.executors > a.executors ? (executors - a.executors) / (b.executors - a.executors) : 0;
        const auto between = [&](double rescaling_score::*what) { return a.*what + share * (b.*what - a.*what); };
        return rescaling_score{.runs = a.runs,
                               .missed = between(&rescaling_score::missed),
                               .minutes_over = between(&rescaling_score::minutes_over),
                               .executors = executors,
                               .cost = between(&rescaling_score::cost),
                               .changes = between(&rescaling_score::changes)};
    }
    return own.back();
}

[[nodiscard]] inline std::string to_csv(std::span<const rescaling_row> rows) {
    std::string table =
        "application,run,policy,caution,target_s,runtime_s,executor_s,usual_executor_s,cost,changes,missed,minutes_over\n";
    for (const auto& each : rows)
        table += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(each.application), each.run,
                             to_string(each.by.rule), each.by.caution, each.target_s, each.runtime_s, each.executor_s,
                             each.usual_executor_s, each.cost, each.changes, each.missed() ? 1 : 0, each.minutes_over());
    return table;
}

}  // namespace bench

#endif
