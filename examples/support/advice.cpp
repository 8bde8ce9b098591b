#include "advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/replay.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "advice_warnings.hpp"
#include "mixed_curve.hpp"
#include "task_bounds.hpp"

namespace tools {

namespace {

using bellamy::run;

// The run whose tasks are known.
[[nodiscard]] std::optional<std::size_t> run_with_tasks(const application_history& of) {
    for (auto i = of.runs.size(); of.latest && i-- > 0;)
        if (of.facts[i].id == of.latest->run && !of.runs[i].censored) return i;
    return std::nullopt;
}

}  // namespace

std::optional<double> size_with_tasks(const application_history& of) {
    return data_size(of.runs[run_with_tasks(of).value_or(of.last_complete())]);
}

namespace {

// Executors are whole: where there were several, their cores come in multiples.
[[nodiscard]] int smallest_step(const application_history& of) {
    const auto unit = of.runs.front().context.unit;
    const auto& size = of.facts[of.last_complete()].size;
    const bool counts_cores = unit == bellamy::scale_out_unit::core || unit == bellamy::scale_out_unit::slot;
    return counts_cores && !size.is_local && !size.is_flink && size.executors > 1 && size.executor_cores > 1
               ? static_cast<int>(std::min<std::int64_t>(size.executor_cores, bellamy::largest_scale_out))
               : 1;
}

// Averages may not be: the next whole number of executors stands for them.
[[nodiscard]] int to_whole_executors(int scale_out, int step) {
    return std::min((scale_out - 1) / step + 1, bellamy::largest_scale_out / step) * step;
}

[[nodiscard]] int present_scale_out(const application_history& of) {
    return to_whole_executors(of.runs[of.last_complete()].scale_out, smallest_step(of));
}

[[nodiscard]] std::vector<int> sizes_to_try(const application_history& of) {
    int largest = 1;
    for (const auto& each : of.runs) largest = std::max(largest, each.scale_out);
    std::vector<int> sizes;
    const int step = smallest_step(of);
    const int last = std::min(2 * largest, 100 * step);
    for (int size = step; size <= last; size += step) sizes.push_back(size);
    for (const auto& each : of.runs)  // beyond a hundred the sizes that ran, and the double of the largest
        if (each.scale_out > last) sizes.push_back(to_whole_executors(each.scale_out, step));
    if (2 * largest > last) sizes.push_back(std::min(2 * largest, bellamy::largest_scale_out) / step * step);
    sizes.push_back(present_scale_out(of));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// |ln| of a ratio of sizes that may be 0.
[[nodiscard]] double distance(double a, double b) { return std::abs(std::log((a + 1) / (b + 1))); }

[[nodiscard]] bool is_one_size(const std::vector<run>& runs) {
    return std::all_of(runs.begin(), runs.end(), [&](const run& each) { return each.scale_out == runs[0].scale_out; });
}

// Standard deviation of ln runtime among runs of this one's context; the default where they are fewer than three.
[[nodiscard]] bellamy::replay_error replay_error_of(const std::vector<run>& runs, std::size_t reference) {
    std::vector<double> logs;
    const auto numbers = bellamy::context_numbers(runs);
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (numbers[i] == numbers[reference] && !runs[i].censored) logs.push_back(std::log(runs[i].runtime_s));
    bellamy::replay_error made;
    if (logs.size() < 3) return made;
    const auto count = static_cast<double>(logs.size());
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
    double squares = 0;
    for (const double each : logs) squares += (each - mean) * (each - mean);
    made.at_source = std::max(0.02, std::sqrt(squares / (count - 1)));
    return made;
}

// Tasks over other data than those of the run, by more than a tenth, would take other times.
[[nodiscard]] bool is_of_other_data(const application_history& of, const next_size& size) {
    const auto had = size_with_tasks(of);
    const auto next = size.middle_mb();
    return had && next && !size.is_forecast && distance(*had, *next) > std::log(1.1);
}

// "arguments, machine_type": what two contexts of an application differ in beside their data size.
[[nodiscard]] std::string differences(const bellamy::context& one, const bellamy::context& other) {
    const auto first = with_size(one, 1).essential;
    const auto second = with_size(other, 1).essential;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
        if (first[i] != second[i]) names.push_back(first[i].name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// Runs at one size do not tell what another size changes; the tasks of one run do.
[[nodiscard]] std::optional<bellamy::curve> replayed(const application_history& of) {
    if (!of.latest || !is_one_size(of.runs)) return std::nullopt;
    const auto replay = bellamy::application_replay::from_trace(*of.latest, replay_error_of(of.runs, of.last_complete()));
    if (!replay || replay->source_scale_out() != of.runs[of.last_complete()].scale_out) return std::nullopt;
    return replay->run_curve();
}

[[nodiscard]] std::vector<std::size_t> nearest_runs(const application_history& of, const bellamy::context& next,
                                                    const next_size& size, int scale_out) {
    const auto asked = size.middle_mb().value_or(0);
    std::vector<std::tuple<bool, double, double, std::size_t>> farness;  // the newest of equally far ones first
    farness.reserve(of.runs.size());
    for (std::size_t i = 0; i < of.runs.size(); ++i)
        farness.emplace_back(!are_alike_but_for_size(of.runs[i].context, next),
                             distance(data_size(of.runs[i]).value_or(0), asked), distance(of.runs[i].scale_out, scale_out),
                             of.runs.size() - i);
    std::sort(farness.begin(), farness.end());
    std::vector<std::size_t> nearest;
    for (std::size_t i = 0; i < std::min<std::size_t>(farness.size(), 5); ++i)
        nearest.push_back(of.runs.size() - std::get<3>(farness[i]));
    return nearest;
}

// The learner of runtimes takes any positive quantity.
[[nodiscard]] std::optional<bellamy::curve> learn_heap(const application_history& of, const bellamy::context& next,
                                                       const next_size& size) {
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
    const auto bound = bind_next(*learnt, next, size);
    if (!bound) return std::nullopt;
    return *bound;
}

}  // namespace

std::size_t runs_like(const bellamy::context& next, const application_history& of) {
    return static_cast<std::size_t>(std::count_if(of.runs.begin(), of.runs.end(), [&](const run& each) {
        return !each.censored && are_alike_but_for_size(each.context, next);
    }));
}

std::vector<double> usual_waits(std::span<const run> runs, std::span<const run_facts> facts) {
    constexpr std::size_t latest = 20;
    std::vector<double> waits_s;
    for (auto i = runs.size(); i-- > 0 && waits_s.size() < latest;)
        if (!runs[i].censored && facts[i].wait_s) waits_s.push_back(*facts[i].wait_s);
    std::sort(waits_s.begin(), waits_s.end());
    return waits_s;
}

namespace {

// Ascending waits, cut where they are farthest apart: a rare long one stays a case of its own. Ends of the cases.
[[nodiscard]] std::vector<std::size_t> cases_of(std::span<const double> waits_s) {
    constexpr std::size_t most_cases = 6;
    std::vector<std::size_t> ends;
    for (std::size_t i = 1; i < waits_s.size(); ++i)
        if (waits_s[i] > waits_s[i - 1]) ends.push_back(i);
    const auto gap_before = [&](std::size_t i) { return waits_s[i] - waits_s[i - 1]; };
    std::stable_sort(ends.begin(), ends.end(), [&](auto a, auto b) { return gap_before(a) > gap_before(b); });
    ends.resize(std::min(ends.size(), most_cases - 1));
    std::sort(ends.begin(), ends.end());
    ends.push_back(waits_s.size());
    return ends;
}

}  // namespace

bellamy::curve after_waits(const bellamy::curve& runtimes, std::span<const double> waits_s) {
    if (waits_s.empty()) return runtimes;
    std::vector<possible_runtime> cases;
    std::size_t begin = 0;
    for (const auto end : cases_of(waits_s)) {
        const auto alike_s = waits_s.subspan(begin, end - begin);
        const auto number = static_cast<double>(alike_s.size());
        cases.push_back({.runtimes = &runtimes,
                         .share = number / static_cast<double>(waits_s.size()),
                         .delay_s = std::accumulate(alike_s.begin(), alike_s.end(), 0.0) / number});
        begin = end;
    }
    return mixed_curve(cases);
}

namespace {

// A run since the change shows it in its tasks.
[[nodiscard]] bool is_since(const recent_change& change, const application_history& of) {
    const auto place = run_with_tasks(of);
    return place && *place + change.runs >= of.runs.size();
}

// That of the last run that succeeded, with the arguments that are wanted.
[[nodiscard]] bellamy::context context_of_next(const application_history& of, const advice_request& wanted) {
    auto made = of.runs[of.last_complete()].context;
    if (!wanted.arguments) return made;
    const auto place = std::find_if(made.essential.begin(), made.essential.end(),
                                    [](const bellamy::property& each) { return each.name == "arguments"; });
    if (place == made.essential.end())
        throw tool_error("unknown_property",
                         fmt::format("expected --arguments of an application whose runs differ in them, found {}, "
                                     "whose runs all had the same ones",
                                     of.name));
    place->value = event_log::clean_name(*wanted.arguments);
    return made;
}

}  // namespace

bellamy::result<known_application> learn_application(const application_history& of, const learner& learning) {
    auto latest = fit_latest(of.runs, learning);
    if (latest.change) return known_application{.model = latest.change->before, .latest = std::move(latest)};
    auto model = learning(of.runs);
    if (!model) return model.error();
    return known_application{.model = *std::move(model), .latest = std::move(latest)};
}

bellamy::result<next_run> predict_next(const application_history& of, const known_application& known,
                                       const bellamy::context& context, const next_size& size) {
    const auto& change = known.latest.change;
    const auto bound = bind_next(known.model, context, size);
    if (!bound) return bound.error();
    const bool is_cold = known.model.kind() == bellamy::model_kind::shapes;
    next_run made{.basis = is_cold ? advice_basis::cold_start : advice_basis::history,
                  .from_first_executor = change ? after_change(*bound, *change) : *bound};
    auto& runtimes = made.from_first_executor;
    if (const auto bounds = task_bounds_of(of, context); bounds && is_one_size(of.runs)) {
        runtimes = scaled_by_tasks(runtimes, *bounds);
        made.basis = advice_basis::task_bounds;
    } else {
        runtimes = not_below(runtimes, least_longest_task_s(of, context), last_gain_by_tasks(of, context, size.middle_mb()));
    }
    const auto replay = replayed(of);
    if (!replay) return made;
    if (const auto& last = of.runs[of.last_complete()].context; !are_alike_but_for_size(context, last)) {
        made.without_replay = fmt::format("the tasks of the latest run are not used: the next differs from it in {}",
                                          differences(context, last));
        return made;
    }
    if (is_of_other_data(of, size)) {
        made.without_replay =
            fmt::format("the tasks of the latest run are not used: it had {:.0f} MB, the next has {:.0f} MB",
                        size_with_tasks(of).value_or(0), size.middle_mb().value_or(0));
        return made;
    }
    made.basis = advice_basis::replay;
    runtimes = change && !is_since(*change, of) ? after_change(*replay, *change) : *replay;
    return made;
}

namespace {

// Whether the present size meets the deadline and the chosen one saves little.
[[nodiscard]] bool stays_as_it_is(const size_choice& made, double least_saving) {
    if (!made.choice.meets_limit() || made.present.probability < made.wanted.probability) return false;
    return made.choice.candidate->expected_cost > (1 - least_saving) * made.present.expected_cost;
}

// The present size is chosen instead of those that cost little less.
void choose_present(size_choice& made) {
    for (auto& row : made.rows) {
        if (row.scale_out == made.present.scale_out) {
            row.why = bellamy::verdict::chosen;
            made.present = row;
        } else if (row.probability >= made.wanted.probability && row.expected_cost <= made.present.expected_cost) {
            const bool is_slower = row.predicted.median_s > made.present.predicted.median_s;
            row.why = is_slower ? bellamy::verdict::slower : bellamy::verdict::larger_than_needed;
        }
    }
    made.choice.candidate = made.present;
    made.choice.outcome = made.present.predicted.outside_seen_scale_outs ? bellamy::outcome::meets_deadline_by_extrapolation
                                                                         : bellamy::outcome::meets_deadline;
}

}  // namespace

bellamy::result<size_choice> choose_size(const bellamy::curve& runtimes, std::vector<int> scale_outs, int present,
                                         const advice_request& wanted, int without_memory) {
    // A little more, so that the present size itself keeps it.
    const double kept_s = (1 + 1e-6) * runtimes.at(present).quantile_s(wanted.probability);
    size_choice sizes{.wanted = {.goal = bellamy::goal::cheapest_within_deadline,
                                 .deadline_s = wanted.deadline_s > 0 ? wanted.deadline_s : kept_s,
                                 .probability = wanted.probability},
                      .scale_outs = std::move(scale_outs)};
    std::vector<bellamy::candidate> candidates;
    candidates.reserve(sizes.scale_outs.size());
    for (const int x : sizes.scale_outs)
        candidates.push_back({.runtimes = &runtimes, .scale_out = x, .costs = {.per_unit_and_hour = 1}});
    sizes.rows.resize(candidates.size());
    auto choice = bellamy::choose(candidates, sizes.wanted, sizes.rows);
    // A size beyond all that ran is worth a try where none of those meets the deadline, and not to save hours.
    const auto meets_deadline = [&](const bellamy::assessment& row) {
        return row.predicted.usable() && row.probability >= sizes.wanted.probability;
    };
    const auto first_allowed =
        std::find_if(sizes.rows.begin(), sizes.rows.end(), [&](const auto& row) { return row.scale_out > without_memory; });
    auto end_allowed = std::find_if(first_allowed, sizes.rows.end(), [&](const bellamy::assessment& row) {
        return row.predicted.outside_seen_scale_outs && row.scale_out > present;
    });
    if (std::none_of(first_allowed, end_allowed, meets_deadline)) end_allowed = sizes.rows.end();
    if (choice && (first_allowed != sizes.rows.begin() || end_allowed != sizes.rows.end())) {
        const auto offset = static_cast<std::size_t>(first_allowed - sizes.rows.begin());
        const auto allowed = std::span(candidates).subspan(offset, static_cast<std::size_t>(end_allowed - first_allowed));
        choice = bellamy::choose(allowed, sizes.wanted, std::span(first_allowed, end_allowed));
        for (auto row = end_allowed; row != sizes.rows.end(); ++row)
            if (meets_deadline(*row)) row->why = bellamy::verdict::larger_than_needed;
    }
    if (!choice) return choice.error();
    sizes.choice = *choice;
    sizes.present =
        *std::find_if(sizes.rows.begin(), sizes.rows.end(), [&](const auto& row) { return row.scale_out == present; });
    if (stays_as_it_is(sizes, wanted.least_saving)) choose_present(sizes);
    return sizes;
}

namespace {

[[nodiscard]] std::optional<kept_deadline> shortest_deadline(const advice& made) {
    std::optional<kept_deadline> shortest;
    for (const auto& row : made.rows) {
        if (!row.predicted.usable() || row.scale_out <= made.without_memory) continue;
        const double kept_s = row.predicted.quantile_s(made.wanted.probability);
        if (!shortest || kept_s < shortest->deadline_s) shortest = {.scale_out = row.scale_out, .deadline_s = kept_s};
    }
    return shortest;
}

}  // namespace

namespace {

// Of the sizes below all that ran the largest at which an executor's heap would outgrow its memory; 0 where it would not.
[[nodiscard]] int largest_without_memory(const application_history& of, const std::vector<int>& scale_outs,
                                         const std::optional<bellamy::curve>& heap_mb) {
    const auto memory_mb = static_cast<double>(of.facts[of.last_complete()].size.executor_memory_mb);
    if (!heap_mb || memory_mb <= 0) return 0;
    int smallest_run = bellamy::largest_scale_out;
    for (const auto& each : of.runs) smallest_run = std::min(smallest_run, each.scale_out);
    int largest = 0;
    for (const int x : scale_outs) {
        const auto heap = heap_mb->at(x);
        if (x < smallest_run && heap.usable() && heap.quantile_s(0.9) > memory_mb) largest = std::max(largest, x);
    }
    return largest;
}

}  // namespace

bellamy::result<advice> advise(const application_history& of, const advice_request& wanted) {
    auto known = learn_application(of, [&](std::span<const run> runs) { return learn(runs, of.name); });
    if (!known) return known.error();
    auto size = wanted.size ? *wanted.size : forecast_size(of.runs);
    auto context = context_of_next(of, wanted);
    auto next = predict_next(of, *known, context, size);
    if (!next) return next.error();
    std::vector<double> waits_s;
    if (wanted.from == deadline_start::submission) waits_s = usual_waits(of.runs, of.facts);
    advice made{.basis = next->basis,
                .model = std::move(known->model),
                .runtimes = after_waits(next->from_first_executor, waits_s),
                .like = std::move(context),
                .size = std::move(size),
                .without_replay = std::move(next->without_replay),
                .from = wanted.from,
                .least_saving = wanted.least_saving,
                .waits_s = std::move(waits_s),
                .latest = std::move(known->latest)};
    const int present = present_scale_out(of);
    made.heap_mb = learn_heap(of, made.like, made.size);
    auto sizes = sizes_to_try(of);
    made.without_memory = largest_without_memory(of, sizes, made.heap_mb);
    auto chosen = choose_size(made.runtimes, std::move(sizes), present, wanted, made.without_memory);
    if (!chosen) return chosen.error();
    made.wanted = chosen->wanted;
    made.scale_outs = std::move(chosen->scale_outs);
    made.rows = std::move(chosen->rows);
    made.choice = chosen->choice;
    made.present = chosen->present;
    const bool any_succeeded = !of.runs[of.last_complete()].censored;
    if (any_succeeded && made.choice.meets_limit()) made.proposal = made.choice.candidate;
    if (any_succeeded && !made.proposal) made.feasible_deadline = shortest_deadline(made);
    made.nearest = nearest_runs(of, made.like, made.size, made.proposal ? made.proposal->scale_out : present);
    made.warnings = warnings_of(of, made);
    if (!any_succeeded)
        withhold(made, "no run succeeded: how long they took are lower bounds only, and the next may take far longer");
    return made;
}

void withhold(advice& made, const std::string& why) {
    if (!made.stopped.empty()) return;
    made.stopped = why;
    made.proposal.reset();
    made.warnings.insert(made.warnings.begin(), "proposals stop: " + why);
}

spark_size proposed_size(const application_history& of, const advice& made) {
    const auto reference = of.last_complete();
    const auto& last = of.facts[reference].size;
    if (!made.proposal) return last;
    return size_of(made.proposal->scale_out, of.runs[reference].context.unit, last);
}

}  // namespace tools
