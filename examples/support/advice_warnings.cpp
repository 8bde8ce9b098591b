#include "advice_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model_text.hpp"
#include "odds_text.hpp"
#include "unusual_runs.hpp"

namespace tools {

namespace {

using bellamy::run;
using sentences = std::vector<std::string>;

// A run with as much memory in all, and no more data, that was short of it tells that the proposed one will be.
template <class Short>
[[nodiscard]] const run_facts* precedent(const application_history& of, const advice& made, const Short& is_short) {
    const int scale_out = made.proposal->scale_out;
    const auto asked = made.size.middle_mb();
    const auto memory = of.facts[of.last_complete()].size.executor_memory_mb;
    for (auto i = of.runs.size(); i-- > 0;) {
        const auto size = data_size(of.runs[i]);
        const bool had_as_much = of.runs[i].scale_out >= scale_out && of.facts[i].size.executor_memory_mb >= memory;
        const bool had_no_more_data = !asked || !size || *size <= *asked;
        if (had_as_much && had_no_more_data && is_short(of.facts[i])) return &of.facts[i];
    }
    return nullptr;
}

[[nodiscard]] std::string ending_of(const run_facts& run) {
    if (run.outcome == "unfinished") return "has not ended";
    return run.outcome == "killed" ? "was killed" : run.outcome;
}

void warn_of_incomplete_runs(const application_history& of, sentences& all) {
    const auto last = of.runs.size() - 1;
    const auto complete = of.last_complete();
    if (complete != last && !of.runs[complete].censored) {
        const auto& ended = of.facts[last];
        const auto& kept = of.facts[complete];
        all.push_back(fmt::format("the last run{} {} after {:.0f} s: its size and its data are left out{}",
                                  ended.id.empty() ? "" : fmt::format(", {},", ended.id), ending_of(ended),
                                  of.runs[last].runtime_s,
                                  kept.id.empty() ? "" : fmt::format(", the last that succeeded is {}", kept.id)));
    }
    const auto failed = static_cast<std::size_t>(
        std::count_if(of.runs.begin(), of.runs.end(), [](const run& each) { return each.censored; }));
    const bool is_said_elsewhere = failed == of.runs.size() && of.forecast_sizes == 0;  // that none succeeded
    if (failed == 0 || is_said_elsewhere) return;
    all.push_back(fmt::format("{} did not succeed: {}{}", count(failed, "run"),
                              failed == 1 ? "its time is a lower bound" : "their times are lower bounds",
                              of.forecast_sizes == 0
                                  ? ""
                                  : fmt::format(",{} at the data size forecast, which is larger than what was read",
                                                of.forecast_sizes < failed ? fmt::format(" {}", of.forecast_sizes) : "")));
}

void warn_of_new_arguments(const application_history& of, const advice& made, sentences& all) {
    const auto arguments_of = [](const bellamy::context& context) -> const bellamy::property* {
        for (const auto& each : context.essential)
            if (each.name == "arguments") return &each;
        return nullptr;
    };
    const auto* next = arguments_of(made.like);
    if (next == nullptr) return;
    const bool ran = std::any_of(of.runs.begin(), of.runs.end(), [&](const run& each) {
        const auto* past = arguments_of(each.context);
        return past != nullptr && past->value == next->value;
    });
    if (!ran)
        all.emplace_back("no run had these arguments: what is said of them is a guess by what other arguments changed");
}

[[nodiscard]] std::size_t runs_with(const application_history& of, std::string_view flag, bool succeeded_alone = false) {
    std::size_t runs = 0;
    for (std::size_t i = 0; i < of.runs.size(); ++i) {
        const auto& flags = of.facts[i].flags;
        const bool has_flag = std::find(flags.begin(), flags.end(), flag) != flags.end();
        if (has_flag && !(succeeded_alone && of.runs[i].censored)) ++runs;
    }
    return runs;
}

void warn_of_unusual_runs(const application_history& of, sentences& all) {
    constexpr std::size_t most_told = 3;
    const auto told = (std::min)(most_told, of.unusual.size());
    for (std::size_t i = 0; i < told; ++i) all.push_back(describe(of.unusual[i]));
    if (const auto more = of.unusual.size() - told; more > 0)
        all.push_back(fmt::format("{} took many times longer or shorter than expected, too", count(more, "run")));
}

void warn_of_replay(const application_history& of, const advice& made, sentences& all) {
    if (!made.without_replay.empty()) {
        all.push_back(made.without_replay);
    } else if (made.basis == advice_basis::replay) {
        const auto had = size_with_tasks(of);
        const auto next = made.size.middle_mb().value_or(0);
        if (had && std::abs(std::log((*had + 1) / (next + 1))) > 0.1)
            all.push_back(fmt::format("the run whose tasks are used had {0:.0f} {2}, the next may have {1:.0f} {2}", *had,
                                      next, of.size_unit));
    }
}

// What bounds other sizes, tasks or runs at them, may be unknown.
void warn_of_one_size(const application_history& of, const advice& made, sentences& all) {
    if (made.basis == advice_basis::replay || made.basis == advice_basis::task_bounds) return;
    const auto& first = of.runs.front();
    const bool is_one_size =
        std::all_of(of.runs.begin(), of.runs.end(), [&](const run& other) { return other.scale_out == first.scale_out; });
    const bool knows_tasks =
        std::any_of(of.facts.begin(), of.facts.end(), [](const run_facts& run) { return run.longest_task_s > 0; });
    if (is_one_size)
        all.push_back(
            fmt::format("every run had {}{}, and {}, which may not gain from more: other sizes are a guess by what other "
                        "jobs gained",
                        count(static_cast<std::size_t>(first.scale_out), to_string(first.context.unit)),
                        runs_with(of, "rescaled") > 0 ? " on average" : "",
                        knows_tasks ? "their longest task alone bounds other sizes" : "nothing is known of their tasks"));
}

void warn_of_one_run(const application_history& of, const advice& made, sentences& all) {
    const auto succeeded = std::count_if(of.runs.begin(), of.runs.end(), [](const run& each) { return !each.censored; });
    if (made.changes_size() && succeeded == 1)
        all.emplace_back("one run alone succeeded, and it may have been an exception: two more at this size would tell");
}

// Lower bounds alone tell little of a size.
void warn_of_failed_size(const application_history& of, const advice& made, sentences& all) {
    if (!made.proposal) return;
    const int scale_out = made.proposal->scale_out;
    const auto ran =
        std::count_if(of.runs.begin(), of.runs.end(), [&](const run& each) { return each.scale_out == scale_out; });
    const auto succeeded = std::count_if(of.runs.begin(), of.runs.end(),
                                         [&](const run& each) { return each.scale_out == scale_out && !each.censored; });
    if (ran > 0 && succeeded == 0)
        all.push_back(fmt::format("{} with {}, the proposed size, and none succeeded",
                                  ran == 1 ? std::string("one run began") : fmt::format("{} runs began", ran),
                                  count(static_cast<std::size_t>(scale_out), to_string(of.runs.front().context.unit))));
}

// The next run is taken to be like the newest ones.
void warn_of_order(const application_history& of, sentences& all) {
    const auto starts = std::count_if(of.runs.begin(), of.runs.end(), [](const run& each) {
        return each.timestamp_s.value_or(0) > 0;  // traces without a start have 0
    });
    const auto unknown = of.runs.size() - static_cast<std::size_t>(starts);
    if (unknown == 0 || of.runs.size() == 1) return;
    if (starts == 0)
        all.push_back(
            fmt::format("no start times are known: the runs are taken in the order in which they stand, the last, "
                        "of {:.0f} s, as the newest",
                        of.runs.back().runtime_s));
    else
        all.push_back(fmt::format("{} {} no start time: taken as older than all others", count(unknown, "run"),
                                  unknown == 1 ? "has" : "have"));
}

void warn_of_size(const application_history& of, const advice& made, sentences& all) {
    const auto next_mb = made.size.middle_mb();
    std::vector<double> seen_mb;
    for (const auto& each : of.runs)
        if (const auto size = data_size(each)) seen_mb.push_back(*size);
    if (!next_mb || seen_mb.empty()) return;
    const auto [least, most] = std::minmax_element(seen_mb.begin(), seen_mb.end());
    if (*next_mb < *least / 2 || *next_mb > *most * 2)
        all.push_back(
            fmt::format("the next run is taken to have {:.0f} {}, the runs had {:.0f} to {:.0f}: far from all that "
                        "was seen",
                        *next_mb, of.size_unit, *least, *most));
}

void warn_of_change(const advice& made, sentences& all) {
    if (!made.latest.change) return;
    const auto& change = *made.latest.change;
    all.push_back(
        fmt::format("drift: {}; the application or its data changed. This is taken to last with probability {:.0f} %{}",
                    describe(change), 100 * change.stays,
                    change.runs < 3 ? ": it may have been an accident, which the next runs will show" : ""));
}

void warn_of_deadline(const application_history& of, const advice& made, sentences& all) {
    if (of.runs[of.last_complete()].censored) return;  // nothing is proposed
    if (!made.choice.candidate) {
        all.emplace_back("no size has a usable prediction");
        return;
    }
    if (!made.proposal) {
        const auto& closest = *made.choice.candidate;
        const auto sized = [&](int scale_out) {
            return count(static_cast<std::size_t>(scale_out), to_string(of.runs.front().context.unit));
        };
        auto text = fmt::format(
            "no size meets the deadline with the {:g} % required, and none is proposed: the closest, {}, meets it with {}",
            100 * made.wanted.probability, sized(closest.scale_out),
            percent_of(closest.probability, made.wanted.probability));
        if (made.feasible_deadline)
            text += fmt::format("; a deadline of {:.0f} s or longer could be met, with {}",
                                std::ceil(made.feasible_deadline->deadline_s), sized(made.feasible_deadline->scale_out));
        all.push_back(std::move(text));
    } else if (made.proposal->predicted.outside_seen_scale_outs) {
        const auto [smallest, largest] = std::minmax_element(
            of.runs.begin(), of.runs.end(), [](const run& a, const run& b) { return a.scale_out < b.scale_out; });
        all.push_back(fmt::format(
            "{} never ran: the runs had {}",
            count(static_cast<std::size_t>(made.proposal->scale_out), to_string(of.runs.front().context.unit)),
            smallest->scale_out == largest->scale_out ? fmt::format("{}", smallest->scale_out)
                                                      : fmt::format("{} to {}", smallest->scale_out, largest->scale_out)));
    }
    const bool tells_waits = std::any_of(of.facts.begin(), of.facts.end(), [](const auto& run) { return run.wait_s; });
    if (made.from == deadline_start::submission && !tells_waits)
        all.emplace_back("no wait for the first executor is recorded: none is counted towards the deadline");
}

// Caching and memory may explain it, and so may chance.
void warn_of_gain_beyond_proportion(const application_history& of, const advice& made, sentences& all) {
    if (!made.changes_size() || made.proposal->scale_out <= made.present.scale_out) return;
    const double more = static_cast<double>(made.proposal->scale_out) / made.present.scale_out;
    const double faster = made.present.predicted.median_s / made.proposal->predicted.median_s;
    if (faster <= 1.05 * more) return;
    const auto ran = std::count_if(of.runs.begin(), of.runs.end(), [&](const run& each) {
        return !each.censored && each.scale_out == made.proposal->scale_out;
    });
    all.push_back(fmt::format(
        "{:.1f} times the {}s are predicted to be {:.1f} times as fast: more than in proportion, which is rare; {}", more,
        to_string(of.runs.front().context.unit), faster,
        ran == 0 ? std::string("run it once before you rely on it")
                 : fmt::format("{} with as many succeeded", count(static_cast<std::size_t>(ran), "run"))));
}

void warn_of_memory(const application_history& of, const advice& made, sentences& all) {
    const auto memory = static_cast<double>(of.facts[of.last_complete()].size.executor_memory_mb);
    if (made.without_memory > 0)
        all.push_back(
            fmt::format("{} {} not proposed: an executor's heap may need {:.0f} MB there (90 %), and has {:.0f} MB",
                        count(static_cast<std::size_t>(made.without_memory), to_string(of.runs.front().context.unit)),
                        made.without_memory == 1 ? "is" : "or fewer are",
                        made.heap_mb->at(made.without_memory).quantile_s(0.9), memory));
    if (!made.proposal) return;
    if (const auto* found = precedent(of, made, [](const run_facts& each) { return each.out_of_memory; }))
        all.push_back(fmt::format("run {} ran out of memory with {} and no more data", found->id, describe(found->size)));
    if (const auto* found = precedent(of, made, [](const run_facts& each) { return each.spilled_mb > 0; }))
        all.push_back(fmt::format("will spill: run {} spilled {} MB with {} and no more data", found->id, found->spilled_mb,
                                  describe(found->size)));
    if (!made.heap_mb || memory <= 0) return;
    const auto heap = made.heap_mb->at(made.proposal->scale_out);
    if (heap.usable() && heap.quantile_s(0.9) > memory)
        all.push_back(
            fmt::format("an executor's heap may need {:.0f} MB (90 %), and has {:.0f} MB", heap.quantile_s(0.9), memory));
}

// With a number of executors that did not change.
[[nodiscard]] bool ran_as_such(const application_history& of, int scale_out) {
    for (std::size_t i = 0; i < of.runs.size(); ++i) {
        const auto& flags = of.facts[i].flags;
        if (of.runs[i].scale_out == scale_out && std::find(flags.begin(), flags.end(), "rescaled") == flags.end())
            return true;
    }
    return false;
}

void warn_of_flags(const application_history& of, const advice& made, sentences& all) {
    if (const auto runs = runs_with(of, "rescaled"); runs > 0)
        all.push_back(fmt::format("{} of {} had executors that came or went: their sizes are averages, at which nothing ran",
                                  runs, count(of.runs.size(), "run")));
    if (of.facts[of.last_complete()].size.is_dynamic && made.proposal)
        all.push_back(made.changes_size()
                          ? fmt::format("executors came by dynamic allocation: the proposal replaces its limits by one "
                                        "number (minExecutors and maxExecutors){}",
                                        ran_as_such(of, made.proposal->scale_out) ? "" : ", a size that never ran as such")
                          : "executors came by dynamic allocation, which stays as it is: the size now is an average");
    if (const auto runs = runs_with(of, "failed_jobs", true); runs > 0)
        all.push_back(fmt::format("{} of {} succeeded in spite of failed jobs: their times count as they are", runs,
                                  count(of.runs.size(), "run")));
    if (const auto runs = runs_with(of, "retried_stages"); runs > 0)
        all.push_back(
            fmt::format("{} of {} ran stages again: the time this took counts", runs, count(of.runs.size(), "run")));
}

}  // namespace

std::string doubt_of_unit(const application_history& of, const advice& made) {
    double shortest_s = std::numeric_limits<double>::infinity();
    double longest_s = 0;
    for (const auto& each : of.runs) {
        if (each.censored) continue;
        shortest_s = (std::min)(shortest_s, each.runtime_s);
        longest_s = (std::max)(longest_s, each.runtime_s);
    }
    constexpr double unlikely = 20;
    const double deadline_s = made.wanted.deadline_s;
    if (longest_s <= 0 || (deadline_s <= unlikely * longest_s && deadline_s >= shortest_s / unlikely)) return {};
    return fmt::format("the deadline of {:g} s is far from all runtimes, {:g} to {:g} s: are all in seconds?", deadline_s,
                       shortest_s, longest_s);
}

std::vector<std::string> warnings_of(const application_history& of, const advice& made) {
    sentences all;
    warn_of_incomplete_runs(of, all);
    warn_of_new_arguments(of, made, all);
    warn_of_unusual_runs(of, all);
    warn_of_order(of, all);
    warn_of_size(of, made, all);
    if (auto doubt = doubt_of_unit(of, made); !doubt.empty()) all.push_back(std::move(doubt));
    warn_of_replay(of, made, all);
    warn_of_one_size(of, made, all);
    warn_of_one_run(of, made, all);
    warn_of_failed_size(of, made, all);
    warn_of_change(made, all);
    warn_of_deadline(of, made, all);
    warn_of_gain_beyond_proportion(of, made, all);
    warn_of_memory(of, made, all);
    warn_of_flags(of, made, all);
    return all;
}

}  // namespace tools
