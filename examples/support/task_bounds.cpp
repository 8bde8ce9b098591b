#include "task_bounds.hpp"

#include <bellamy/replay.hpp>

#include <algorithm>
#include <cmath>

#include "mixed_curve.hpp"

namespace tools {

namespace {

// A distribution at one scale-out, carried to others.
struct scaled_source {
    bellamy::prediction at_source{};
    task_bounds bounds{};
    double per_doubling = 0;

    [[nodiscard]] bellamy::prediction operator()(int scale_out) const noexcept {
        auto made = at_source;
        const double change_s = bounds.at(scale_out) - bounds.at(bounds.scale_out);
        const double log_factor = std::log(std::max(0.01, 1 + change_s / bounds.runtime_s));
        const double distance = std::abs(std::log2(static_cast<double>(scale_out) / bounds.scale_out));
        const double middle = at_source.log_quantiles[at_source.log_quantiles.size() / 2];
        for (std::size_t q = 0; q < made.log_quantiles.size(); ++q) {
            const double deviation = at_source.log_quantiles[q] - middle;
            const double added = bellamy::detail::standard_normal_quantiles[q] * per_doubling * distance;
            made.log_quantiles[q] = middle + log_factor + std::copysign(std::hypot(deviation, added), deviation + added);
        }
        made.median_s = std::exp(made.log_quantiles[made.log_quantiles.size() / 2]);
        return made;
    }
};

}  // namespace

double task_bounds::at(int units) const noexcept {
    const double cores = std::min(units * cores_per_unit, most_cores);
    return std::max(longest_task_s, task_core_s / cores);
}

std::optional<task_bounds> task_bounds_of(const application_history& of) {
    const auto place = of.last_complete();
    const auto& run = of.runs[place];
    const auto& facts = of.facts[place];
    const bool counts_executors = run.context.unit == bellamy::scale_out_unit::executor;
    const auto cores = counts_executors ? facts.size.executor_cores : 1;
    const bool is_average = std::find(facts.flags.begin(), facts.flags.end(), "rescaled") != facts.flags.end();
    if (run.censored || is_average || cores < 1 || !(facts.longest_task_s > 0) || !(facts.task_core_s > 0))
        return std::nullopt;
    return task_bounds{.scale_out = run.scale_out,
                       .runtime_s = run.runtime_s,
                       .longest_task_s = std::min(facts.longest_task_s, run.runtime_s),
                       .task_core_s = facts.task_core_s,
                       .cores_per_unit = static_cast<double>(cores),
                       .most_cores = static_cast<double>(std::max<std::int64_t>(1, facts.largest_stage_tasks))};
}

double least_longest_task_s(const application_history& of) {
    double least_s = 0;
    int known = 0;
    for (auto i = of.runs.size(); i-- > 0 && known < 5;) {
        const double longest_s = of.facts[i].longest_task_s;
        if (of.runs[i].censored || !(longest_s > 0)) continue;
        least_s = known++ == 0 ? longest_s : std::min(least_s, longest_s);
    }
    return least_s;
}

bellamy::curve scaled_by_tasks(const bellamy::curve& runtimes, const task_bounds& bounds) {
    const auto at_source = runtimes.at(bounds.scale_out);
    if (!at_source.usable() || at_source.is_point) return runtimes;
    const scaled_source made{.at_source = at_source, .bounds = bounds, .per_doubling = bellamy::replay_error{}.per_doubling};
    return bellamy::curve(made, {.smallest = bounds.scale_out, .largest = bounds.scale_out}, runtimes.observed_runs());
}

bellamy::curve not_below(const bellamy::curve& runtimes, double shortest_s) {
    const possible_runtime whole{.runtimes = &runtimes, .least_s = shortest_s};
    return mixed_curve({&whole, 1});
}

}  // namespace tools
