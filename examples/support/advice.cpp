#include "advice.hpp"

#include <fmt/format.h>
#include <bellamy/replay.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace tools {

namespace {

using bellamy::run;

[[nodiscard]] std::vector<int> sizes_to_try(const std::vector<run>& runs) {
    int largest = 1;
    for (const auto& each : runs) largest = std::max(largest, each.scale_out);
    std::vector<int> sizes;
    const int last = std::min(2 * largest, 100);
    for (int size = 1; size <= last; ++size) sizes.push_back(size);
    for (const auto& each : runs)  // beyond a hundred the sizes that ran, and the double of the largest
        if (each.scale_out > last) sizes.push_back(each.scale_out);
    if (2 * largest > last) sizes.push_back(std::min(2 * largest, bellamy::largest_scale_out));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// |ln| of a ratio of sizes that may be 0.
[[nodiscard]] double distance(double a, double b) { return std::abs(std::log((a + 1) / (b + 1))); }

[[nodiscard]] bool is_one_size(const std::vector<run>& runs) {
    return std::all_of(runs.begin(), runs.end(), [&](const run& each) { return each.scale_out == runs[0].scale_out; });
}

// Standard deviation of ln runtime among runs of the last one's context; the default where they are fewer than three.
[[nodiscard]] bellamy::replay_error replay_error_of(const std::vector<run>& runs) {
    std::vector<double> logs;
    const auto numbers = bellamy::context_numbers(runs);
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (numbers[i] == numbers.back() && !runs[i].censored) logs.push_back(std::log(runs[i].runtime_s));
    bellamy::replay_error made;
    if (logs.size() < 3) return made;
    const auto count = static_cast<double>(logs.size());
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
    double squares = 0;
    for (const double each : logs) squares += (each - mean) * (each - mean);
    made.at_source = std::max(0.02, std::sqrt(squares / (count - 1)));
    return made;
}

// The data size of the run whose tasks are known.
[[nodiscard]] std::optional<double> size_with_tasks(const application_history& of) {
    for (auto i = of.runs.size(); of.latest && i-- > 0;)
        if (of.facts[i].id == of.latest->run && !of.runs[i].censored) return data_size(of.runs[i]);
    return data_size(of.runs.back());
}

// Tasks over other data than those of the run, by more than a tenth, would take other times.
[[nodiscard]] bool asks_for_other_data(const application_history& of, const advice_request& wanted) {
    const auto had = size_with_tasks(of);
    const auto asked = wanted.size ? wanted.size->middle_mb() : std::nullopt;
    return had && asked && distance(*had, *asked) > std::log(1.1);
}

// Runs at one size do not tell what another size changes; the tasks of one run do.
[[nodiscard]] std::optional<bellamy::curve> replayed(const application_history& of) {
    if (!of.latest || !is_one_size(of.runs)) return std::nullopt;
    const auto replay = bellamy::application_replay::from_trace(*of.latest, replay_error_of(of.runs));
    if (!replay || replay->source_scale_out() != of.runs.back().scale_out) return std::nullopt;
    return replay->run_curve();
}

// How the latest runs, a quarter and at most ten, fit those before them.
[[nodiscard]] std::optional<bellamy::drift> drift_of(const application_history& of) {
    const auto recent = std::clamp<std::size_t>(of.runs.size() / 4, 3, 10);
    if (of.runs.size() < recent + 3) return std::nullopt;
    const std::span<const run> all(of.runs);
    const auto before = learn(all.first(all.size() - recent), of.name);
    if (!before) return std::nullopt;
    const auto found = bellamy::measure_drift(*before, all.last(recent));
    if (!found || found->runs == 0) return std::nullopt;
    return *found;
}

[[nodiscard]] std::vector<std::size_t> nearest_runs(const application_history& of, const next_size& size, int scale_out) {
    const auto numbers = bellamy::context_numbers(of.runs);
    const auto asked = size.middle_mb().value_or(0);
    const auto farness = [&](std::size_t i) {
        return std::tuple(numbers[i] != numbers.back(), distance(data_size(of.runs[i]).value_or(0), asked),
                          distance(of.runs[i].scale_out, scale_out), of.runs.size() - i);
    };
    std::vector<std::size_t> order(of.runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return farness(a) < farness(b); });
    order.resize(std::min<std::size_t>(order.size(), 5));
    return order;
}

// The learner of runtimes takes any positive quantity.
[[nodiscard]] std::optional<bellamy::curve> learn_heap(const application_history& of, const next_size& size) {
    std::vector<run> heaps;
    for (std::size_t i = 0; i < of.runs.size(); ++i) {
        if (of.facts[i].peak_heap_mb <= 0) continue;
        heaps.push_back(of.runs[i]);
        heaps.back().runtime_s = static_cast<double>(of.facts[i].peak_heap_mb);
        heaps.back().censored = of.facts[i].out_of_memory;  // it would have needed more
    }
    if (heaps.empty()) return std::nullopt;
    const auto learnt = learn(heaps, of.name);
    if (!learnt) return std::nullopt;
    const auto bound = bind_next(*learnt, of.runs.back().context, size);
    if (!bound) return std::nullopt;
    return *bound;
}

// A run with as much memory in all, and no more data, that was short of it tells that the proposed one will be.
template <class Short>
[[nodiscard]] const run_facts* precedent(const application_history& of, const advice& made, const Short& is_short) {
    const int scale_out = made.choice.candidate->scale_out;
    const auto asked = made.size.middle_mb();
    const auto memory = of.facts.back().size.executor_memory_mb;
    for (auto i = of.runs.size(); i-- > 0;) {
        const auto size = data_size(of.runs[i]);
        const bool had_as_much = of.runs[i].scale_out >= scale_out && of.facts[i].size.executor_memory_mb >= memory;
        const bool had_no_more_data = !asked || !size || *size <= *asked;
        if (had_as_much && had_no_more_data && is_short(of.facts[i])) return &of.facts[i];
    }
    return nullptr;
}

// What the runs lack that an advice would rest on.
[[nodiscard]] std::vector<std::string> warnings_of_basis(const application_history& of, const advice& made) {
    std::vector<std::string> all;
    if (std::all_of(of.runs.begin(), of.runs.end(), [](const run& each) { return each.censored; }))
        all.emplace_back("no run succeeded: how long they took are lower bounds only, and the next may take far longer");
    const auto replayed_mb = size_with_tasks(of);
    const auto next_mb = made.size.middle_mb();
    if (!made.without_replay.empty()) {
        all.push_back(made.without_replay);
    } else if (made.basis == advice_basis::replay && replayed_mb && distance(*replayed_mb, next_mb.value_or(0)) > 0.1) {
        all.push_back(fmt::format("the run whose tasks are used had {0:.0f} {2}, the next may have {1:.0f} {2}",
                                  *replayed_mb, next_mb.value_or(0), of.size_unit));
    }
    return all;
}

[[nodiscard]] std::vector<std::string> warnings_of(const application_history& of, const advice& made) {
    auto all = warnings_of_basis(of, made);
    const auto& best = made.choice.candidate;
    if (!best) {
        all.emplace_back("no size has a usable prediction");
        return all;
    }
    const int size = best->scale_out;
    if (!made.choice.feasible())
        all.push_back(fmt::format("no size meets the deadline with the {:g} % required: this one comes nearest",
                                  100 * made.wanted.probability));
    if (made.choice.outcome == bellamy::outcome::meets_deadline_by_extrapolation)
        all.emplace_back("beyond the sizes that ran");
    if (const auto* found = precedent(of, made, [](const run_facts& each) { return each.out_of_memory; }))
        all.push_back(fmt::format("run {} ran out of memory with {} and no more data", found->id, describe(found->size)));
    if (const auto* found = precedent(of, made, [](const run_facts& each) { return each.spilled_mb > 0; }))
        all.push_back(fmt::format("will spill: run {} spilled {} MB with {} and no more data", found->id, found->spilled_mb,
                                  describe(found->size)));
    const auto memory = static_cast<double>(of.facts.back().size.executor_memory_mb);
    if (made.heap_mb && memory > 0) {
        const auto heap = made.heap_mb->at(size);
        if (heap.usable() && heap.quantile_s(0.9) > memory)
            all.push_back(fmt::format("an executor's heap may need {:.0f} MB (90 %), and has {:.0f} MB",
                                      heap.quantile_s(0.9), memory));
    }
    if (made.recent && made.recent->probability < 0.01)
        all.push_back(fmt::format("drift: the {}; the application or its data changed", describe(*made.recent)));
    return all;
}

}  // namespace

std::size_t runs_like_the_last(const application_history& of) {
    const auto without_size = [](bellamy::context context) {
        for (auto& property : context.essential)
            if (property.role == bellamy::property_role::data_size) property.value = std::uint64_t{1};
        return context;
    };
    const auto last = without_size(of.runs.back().context);
    return static_cast<std::size_t>(
        std::count_if(of.runs.begin(), of.runs.end(), [&](const run& each) { return without_size(each.context) == last; }));
}

std::string describe(const bellamy::drift& recent) {
    return fmt::format("last {} runs took {:.1f} standard deviations {} than predicted from those before (p = {:.2g})",
                       recent.runs, std::abs(recent.mean_deviate), recent.mean_deviate < 0 ? "less" : "more",
                       recent.probability);
}

bellamy::result<size_choice> choose_size(const bellamy::curve& runtimes, std::vector<int> scale_outs, int present,
                                         double deadline_s, double probability) {
    // A little more, so that the present size itself keeps it.
    const double kept_s = (1 + 1e-6) * runtimes.at(present).quantile_s(probability);
    size_choice made{.wanted = {.goal = bellamy::goal::cheapest_within_deadline,
                                .deadline_s = deadline_s > 0 ? deadline_s : kept_s,
                                .probability = probability},
                     .scale_outs = std::move(scale_outs)};
    std::vector<bellamy::candidate> candidates;
    for (const int x : made.scale_outs)
        candidates.push_back({.runtimes = &runtimes, .scale_out = x, .costs = {.per_unit_and_hour = 1}});
    made.rows.resize(candidates.size());
    const auto choice = bellamy::choose(candidates, made.wanted, made.rows);
    if (!choice) return choice.error();
    made.choice = *choice;
    return made;
}

bellamy::result<advice> advise(const application_history& of, const advice_request& wanted) {
    auto model = learn(of.runs, of.name);
    if (!model) return model.error();
    const auto size = wanted.size ? *wanted.size : forecast_size(of.runs);
    const auto bound = bind_next(*model, of.runs.back().context, size);
    if (!bound) return bound.error();
    const auto others = asks_for_other_data(of, wanted);
    auto replay = replayed(of);
    std::string without_replay;
    if (replay && others) {
        without_replay = fmt::format("the tasks of the latest run are not used: it had {:.0f} MB, the next has {:.0f} MB",
                                     size_with_tasks(of).value_or(0), size.middle_mb().value_or(0));
        replay.reset();
    }
    const bool is_cold = model->kind() == bellamy::model_kind::shapes;

    advice made{.basis = replay    ? advice_basis::replay
                         : is_cold ? advice_basis::cold_start
                                   : advice_basis::history,
                .model = *std::move(model),
                .runtimes = replay ? *replay : *bound,
                .size = size,
                .without_replay = std::move(without_replay)};
    const int present = of.runs.back().scale_out;
    auto chosen = choose_size(made.runtimes, sizes_to_try(of.runs), present, wanted.deadline_s, wanted.probability);
    if (!chosen) return chosen.error();
    made.wanted = chosen->wanted;
    made.scale_outs = std::move(chosen->scale_outs);
    made.rows = std::move(chosen->rows);
    made.choice = chosen->choice;
    made.present =
        *std::find_if(made.rows.begin(), made.rows.end(), [&](const auto& row) { return row.scale_out == present; });
    made.nearest = nearest_runs(of, size, made.choice.candidate ? made.choice.candidate->scale_out : present);
    made.recent = drift_of(of);
    made.heap_mb = learn_heap(of, size);
    made.warnings = warnings_of(of, made);
    return made;
}

spark_size proposed_size(const application_history& of, const advice& made) {
    const auto& last = of.facts.back().size;
    if (!made.choice.candidate) return last;
    return size_of(made.choice.candidate->scale_out, of.runs.back().context.unit, last);
}

}  // namespace tools
