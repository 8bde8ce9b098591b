#include "machine_prices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/detail/context/features.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <tuple>

#include "executor_sizes.hpp"

namespace tools {

namespace {

[[nodiscard]] bool tells_machine(const bellamy::context& of) {
    return std::any_of(of.essential.begin(), of.essential.end(),
                       [](const auto& each) { return each.role == bellamy::property_role::machine_type; });
}

// The latest run on a type that succeeded, else the latest on it, else the one that the next is taken to be like.
[[nodiscard]] std::size_t run_like_those_on(const application_history& of, std::string_view machine) {
    for (const bool must_succeed : {true, false})
        for (auto i = of.runs.size(); i-- > 0;)
            if (of.facts[i].machine == machine && !(must_succeed && of.runs[i].censored)) return i;
    return of.last_complete();
}

// The next run on a type with such executors. Properties are there where runs differ in them.
[[nodiscard]] bellamy::context on_machine(bellamy::context next, const std::string& name, const spark_size& executors) {
    for (auto& each : next.essential) {
        if (each.role == bellamy::property_role::machine_type) each.value = name;
        if (each.name == "executor_cores") each.value = static_cast<std::uint64_t>(executors.executor_cores);
        if (each.name == "executor_memory_MB") each.value = static_cast<std::uint64_t>(executors.executor_memory_mb);
    }
    return next;
}

[[nodiscard]] spark_size size_on_machine(spark_size there, const priced_machine* listed) {
    if (listed != nullptr && listed->cores) there.executor_cores = static_cast<std::int64_t>(*listed->cores);
    if (listed != nullptr && listed->memory_mb) there.executor_memory_mb = static_cast<std::int64_t>(*listed->memory_mb);
    return there;
}

[[nodiscard]] const priced_machine* find(const price_list& prices, std::string_view name) {
    const auto at =
        std::find_if(prices.machines.begin(), prices.machines.end(), [&](const auto& each) { return each.name == name; });
    return at == prices.machines.end() ? nullptr : &*at;
}

// Whether an executor's heap (90 %) fits into so much memory; empty where no log tells, or the memory is not known.
[[nodiscard]] std::optional<bool> heap_fits(const advice& made, int scale_out, std::int64_t memory_mb) {
    if (!made.heap_mb || memory_mb <= 0) return std::nullopt;
    const auto heap = made.heap_mb->at(scale_out);
    return heap.usable() ? std::optional(heap.quantile_s(0.9) <= static_cast<double>(memory_mb)) : std::nullopt;
}

// The largest size at which an executor's heap would outgrow so much memory; 0: at none.
[[nodiscard]] int largest_outgrown(std::int64_t memory_mb, const advice& made) {
    int largest = 0;
    for (const int x : made.scale_outs)
        if (!heap_fits(made, x, memory_mb).value_or(true)) largest = std::max(largest, x);
    return largest;
}

[[nodiscard]] std::optional<bellamy::assessment> best_size_on(const application_history& of, const advice& made,
                                                              const bellamy::context& context, int without_memory) {
    const auto next = predict_next(of, {.model = made.model, .latest = made.latest}, context, made.size);
    if (!next) return std::nullopt;
    const advice_request wanted{
        .deadline_s = made.wanted.deadline_s, .from = made.from, .probability = made.wanted.probability, .least_saving = 0};
    const auto decided = choose_size(after_waits(next->from_first_executor, made.waits_s), made.scale_outs,
                                     made.present.scale_out, wanted, without_memory);
    if (!decided || !decided->choice.meets_limit() || decided->choice.candidate->scale_out <= without_memory)
        return std::nullopt;
    return decided->choice.candidate;
}

[[nodiscard]] bool rests_on_tasks(const advice& made) {
    return made.basis == advice_basis::replay || made.basis == advice_basis::task_bounds;
}

// Another type that has cores or memory of its own.
[[nodiscard]] bool can_be_guessed(const priced_machine& listed, std::string_view present) {
    return (listed.cores || listed.memory_mb) && listed.name != present;
}

// Of the sizes that meet the deadline the one of least hours, beyond those that ran only where none of these does, were
// each `cores` times as fast. None whose heap is known to outgrow this memory; 0 where that is not known. So many executors
// of the other type have at least the cores of the size that was predicted.
[[nodiscard]] std::optional<bellamy::assessment> best_size_with(const advice& made, double cores, std::int64_t memory_mb) {
    std::optional<bellamy::assessment> best;
    for (const bool is_beyond : {false, true}) {
        for (const auto& row : made.rows) {
            const bool is_untried = row.predicted.outside_seen_scale_outs && row.scale_out > made.present.scale_out;
            if (is_untried != is_beyond || row.scale_out <= made.without_memory || !row.predicted.usable() ||
                row.probability < made.wanted.probability)
                continue;
            auto there = row;
            const double units = std::ceil(row.scale_out / cores);
            if (units > bellamy::largest_scale_out) continue;
            there.scale_out = static_cast<int>(units);
            if (!heap_fits(made, there.scale_out, memory_mb).value_or(true)) continue;
            there.expected_cost *= units / row.scale_out;
            if (!best || there.expected_cost < best->expected_cost) best = there;
        }
        if (best) break;
    }
    return best;
}

[[nodiscard]] bool have_one_machine(const application_history& of) {
    return std::all_of(of.facts.begin(), of.facts.end(),
                       [&](const run_facts& each) { return each.machine == of.facts.front().machine; });
}

// What all choices for an application share.
struct comparison {
    const application_history& of;
    const advice& made;
    const price_list& prices;
    const run_facts& last;  // that succeeded
    bool tells_machines = false;
    std::vector<spark_size> executors{};  // those to compare; the present ones first

    [[nodiscard]] bool counts_executors() const { return made.like.unit == bellamy::scale_out_unit::executor; }
    [[nodiscard]] bool compares_executors() const { return executors.size() > 1; }

    // Of an executor, as a multiple of the present ones; 1 where the runs do not tell.
    [[nodiscard]] double times_cores(const spark_size& these) const {
        if (!counts_executors() || these.executor_cores <= 0 || last.size.executor_cores <= 0) return 1;
        return static_cast<double>(these.executor_cores) / static_cast<double>(last.size.executor_cores);
    }

    // With as much for each core as now, the heap fits as it does now. A memory of 0 is not known.
    [[nodiscard]] bool have_less_per_core(const spark_size& these) const {
        return these.executor_memory_mb > 0 && last.size.executor_memory_mb > 0 &&
               static_cast<double>(these.executor_memory_mb) <
                   times_cores(these) * static_cast<double>(last.size.executor_memory_mb);
    }

    // Runs on a type speak for themselves where all had executors of one size.
    [[nodiscard]] bool is_known(const machine_choice& type) const { return type.runs > 0 && !compares_executors(); }

    // The heap is known of executors that run as many tasks at once as now.
    [[nodiscard]] bool tells_heap_of(const spark_size& these) const {
        return made.heap_mb && these.executor_cores == last.size.executor_cores;
    }
};

// Of a type, those that succeeded with such executors.
[[nodiscard]] std::size_t runs_on(const application_history& of, std::string_view machine, const spark_size& executors) {
    std::size_t runs = 0;
    for (std::size_t i = 0; i < of.runs.size(); ++i)
        if (!of.runs[i].censored && of.facts[i].machine == machine && have_equal_executors(of.facts[i].size, executors))
            ++runs;
    return runs;
}

// Runs of an application all have the property, or none has.
[[nodiscard]] bool have_equal_arguments(const bellamy::context& one, const bellamy::context& other) {
    const auto* first = bellamy::detail::find_property(one, "arguments");
    const auto* second = bellamy::detail::find_property(other, "arguments");
    return first == nullptr || second == nullptr || *first == *second;
}

// The least number of such executors that succeeded, whatever the machine, with the arguments of the next run and about as
// much data. None where the amount is not known.
[[nodiscard]] std::optional<int> least_that_succeeded(const comparison& all, const spark_size& executors) {
    constexpr double as_much = 1 / 1.1;
    const auto next = all.made.size.middle_mb();
    std::optional<int> least;
    if (!next) return least;
    for (std::size_t i = 0; i < all.of.runs.size(); ++i) {
        const auto& run = all.of.runs[i];
        const auto& facts = all.of.facts[i];
        if (run.censored || facts.out_of_memory || !have_equal_executors(facts.size, executors) ||
            !have_equal_arguments(run.context, all.made.like) || data_size(run).value_or(0) < as_much * *next)
            continue;
        least = std::min(least.value_or(run.scale_out), run.scale_out);
    }
    return least;
}

// Sizes up to this one are not chosen with such executors: their heap would outgrow their memory, and no run with as few of
// them had so much data.
[[nodiscard]] int largest_without(const comparison& all, const machine_choice& type, const spark_size& executors) {
    if (all.is_known(type) || !all.have_less_per_core(executors)) return all.made.without_memory;
    const int outgrown = largest_outgrown(executors.executor_memory_mb, all.made);
    if (!all.compares_executors()) return outgrown;
    const auto proven = least_that_succeeded(all, executors);
    if (!all.tells_heap_of(executors)) return proven ? *proven - 1 : all.made.without_memory;
    return proven ? std::min(outgrown, *proven - 1) : outgrown;
}

// Whether nothing tells that the memory of so many such executors suffices.
[[nodiscard]] bool may_lack_memory(const comparison& all, const machine_choice& one, const spark_size& executors) {
    const bool have_less = all.have_less_per_core(executors) &&
                           (all.compares_executors() || executors.executor_memory_mb < all.last.size.executor_memory_mb);
    if (all.is_known(one) || !have_less || !one.chosen) return false;
    const bool tells_heap = !all.compares_executors() || all.tells_heap_of(executors);
    if (tells_heap && heap_fits(all.made, one.chosen->scale_out, executors.executor_memory_mb).value_or(false)) return false;
    const auto proven = least_that_succeeded(all, executors);
    return !proven || one.chosen->scale_out < *proven;
}

// The best number of such executors on the type that `one` tells, whose price is of an executor like `priced`.
[[nodiscard]] machine_choice choose_on(const comparison& all, machine_choice one, const spark_size& executors,
                                       const spark_size& priced) {
    const auto& made = all.made;
    const auto context = on_machine(made.like, one.name, executors);
    const double times_cores = all.times_cores(executors);
    // Where nothing was learned of what these change, they are taken to be as fast as the present ones, core for core.
    const bool is_told =
        all.tells_machines || (all.compares_executors() && context != made.like &&
                               (times_cores == 1 || bellamy::detail::find_property(context, "executor_cores") != nullptr));
    one.chosen =
        is_told ? best_size_on(all.of, made, context, largest_without(all, one, executors))
                : best_size_with(made, times_cores, all.have_less_per_core(executors) ? executors.executor_memory_mb : 0);
    one.price_per_hour = all.prices.of(one.name) * share_of(executors, priced);
    one.may_lack_memory = may_lack_memory(all, one, executors);
    one.is_as_fast_as_present = !is_told && !one.is_present && one.runs == 0;
    // Cores in all may be no whole executors of another type.
    if (one.chosen && all.counts_executors()) one.size = size_of(one.chosen->scale_out, made.like.unit, executors);
    if (all.compares_executors()) {
        one.executors = describe_executor(executors);
        one.runs_with_executors = runs_on(all.of, one.name, executors);
    }
    return one;
}

// Of several sizes of executors the one with which a run costs least; those that may lack memory last.
[[nodiscard]] machine_choice best_on(const comparison& all, const machine_choice& type,
                                     std::span<const spark_size> executors, const spark_size& priced) {
    std::optional<machine_choice> best;
    std::tuple<bool, bool, double> best_rank;
    for (const auto& each : executors) {
        auto one = choose_on(all, type, each, priced);
        const double cost = one.chosen ? one.chosen->expected_cost * share_of(each, priced) : 0;
        const std::tuple rank(!one.chosen, one.may_lack_memory, cost);
        if (best && !(rank < best_rank)) continue;
        best = std::move(one);
        best_rank = rank;
    }
    return *std::move(best);
}

// Types of the runs, in the order of these, and those of the list that can be compared with them.
[[nodiscard]] std::vector<machine_choice> types_of(const comparison& all) {
    std::vector<machine_choice> types;
    const auto type_of = [&](const std::string& name) -> machine_choice& {
        const auto at = std::find_if(types.begin(), types.end(), [&](const auto& each) { return each.name == name; });
        return at != types.end() ? *at : types.emplace_back(machine_choice{.name = name});
    };
    for (const auto& each : all.of.facts) ++type_of(each.machine).runs;
    for (const auto& listed : all.prices.machines)
        if (all.tells_machines || can_be_guessed(listed, all.last.machine)) (void)type_of(listed.name);
    for (auto& each : types) each.is_present = each.name == all.last.machine;
    return types;
}

// The executors that the price of a type is of.
[[nodiscard]] spark_size priced_on(const comparison& all, const machine_choice& type) {
    if (type.is_present) return all.last.size;
    return size_on_machine(all.of.facts[run_like_those_on(all.of, type.name)].size, find(all.prices, type.name));
}

// The executors to try on a type: these, all others that succeeded there, and those that fit where one of these does.
[[nodiscard]] std::vector<spark_size> executors_on(const comparison& all, std::string_view machine,
                                                   const spark_size& priced) {
    std::vector<spark_size> made{priced};
    if (!all.compares_executors()) return made;
    const auto add = [&](const spark_size& executors) {
        if (std::any_of(made.begin(), made.end(), [&](const auto& each) { return have_equal_executors(each, executors); }))
            return;
        auto other = priced;
        other.executor_cores = executors.executor_cores;
        other.executor_memory_mb = executors.executor_memory_mb;
        made.push_back(other);
    };
    for (const auto& each : all.executors)
        if (runs_on(all.of, machine, each) > 0) add(each);
    for (const auto& each : all.executors)
        if (std::any_of(made.begin(), made.end(), [&](const auto& room) { return fits_into(each, room); })) add(each);
    return made;
}

}  // namespace

std::vector<priced_machine> to_priced_machines(const std::vector<std::string>& texts, currency& money) {
    constexpr std::string_view form =
        "NAME=PRICE with a price > 0, and of a new machine its cores and memory, such as m5.xlarge=0.2,cores=4,memory=16GB";
    std::vector<priced_machine> all;
    for (const auto& text : texts) {
        const auto words = split(text, ',');
        const auto [name, price] = name_and_value("--machine", words.front(), form);
        const auto per_hour = money.take(price, true);
        if (!per_hour || !(*per_hour > 0)) throw wrong_usage("--machine", form, text);
        priced_machine made{.name = name, .price_per_hour = *per_hour};
        for (std::size_t i = 1; i < words.size(); ++i) {
            const auto [property, value] = name_and_value("--machine", words[i], form);
            const bool is_memory = property == "memory";
            auto& to = is_memory ? made.memory_mb : made.cores;
            const auto number = parse_number<std::uint64_t>(is_memory ? with_unit_of("executor_memory_MB", value) : value);
            if ((!is_memory && property != "cores") || !number || *number == 0 || to)
                throw wrong_usage("--machine", form, text);
            to = number;
        }
        if (std::any_of(all.begin(), all.end(), [&](const auto& other) { return other.name == made.name; }))
            throw tool_error("duplicate_machine", fmt::format("expected every machine once, found {} twice", made.name));
        all.push_back(std::move(made));
    }
    return all;
}

double price_list::of(std::string_view machine) const {
    const auto* listed = find(*this, machine);
    return listed != nullptr ? listed->price_per_hour : otherwise;
}

void require_known_machines(const team_history& history, const price_list& prices) {
    std::set<std::string> known;
    for (const auto& application : history.applications)
        for (const auto& facts : application.facts)
            if (!facts.machine.empty()) known.insert(facts.machine);
    for (const auto& each : prices.machines)
        if (!known.contains(each.name) && (!each.cores || !each.memory_mb))
            throw tool_error(
                "unknown_machine",
                fmt::format("expected one of the machine types of {}, {}, or a new one with its cores and memory (such as "
                            "{}=0.2,cores=4,memory=16GB), found {}",
                            history.path, known.empty() ? "which has none" : fmt::format("{}", fmt::join(known, ", ")),
                            each.name, each.name));
}

std::vector<machine_choice> compare_machines(const application_history& of, const advice& made, const price_list& prices) {
    if (prices.is_empty()) return {};
    comparison all{.of = of,
                   .made = made,
                   .prices = prices,
                   .last = of.facts[of.last_complete()],
                   .tells_machines = tells_machine(made.like)};
    if (all.tells_machines ? rests_on_tasks(made) : !have_one_machine(of)) return {};
    // Tasks of a run tell nothing of other executors, and cores in all are no executors.
    if (all.counts_executors() && !rests_on_tasks(made)) all.executors = executor_sizes_of(of);
    std::vector<machine_choice> choices;
    for (const auto& type : types_of(all)) {
        const auto priced = priced_on(all, type);
        const auto executors = executors_on(all, type.name, priced);
        if (!type.is_present) {
            choices.push_back(best_on(all, type, executors, priced));
            continue;
        }
        choices.push_back(choose_on(all, type, priced, priced));
        if (executors.size() < 2) continue;
        auto others = type;
        others.is_present = false;
        others.has_other_executors = true;
        choices.push_back(best_on(all, others, std::span(executors).subspan(1), priced));
    }
    return choices.size() < 2 ? std::vector<machine_choice>() : choices;
}

std::string why_not_compared(const std::vector<machine_choice>& compared, const application_history& of, const advice& made,
                             const price_list& prices) {
    const auto& own = of.facts[of.last_complete()].machine;
    const bool has_other = std::any_of(prices.machines.begin(), prices.machines.end(),
                                       [&](const priced_machine& each) { return each.name != own; });
    const bool is_compared =
        std::any_of(compared.begin(), compared.end(), [&](const auto& each) { return each.name != own; });
    if (!has_other || is_compared) return {};
    constexpr std::string_view what = "machine types are not compared: ";
    if (!have_one_machine(of))
        return fmt::format("{}{}", what,
                           rests_on_tasks(made) ? "the odds rest on the tasks of one run, which are those of one type"
                                                : "what is learned of these runs does not tell their types apart");
    return fmt::format(
        "{}{}, and none of the others given has cores or memory to guess from (such as NAME=0.2,cores=4,memory=16GB)", what,
        own.empty() ? "no run tells its type" : "all runs were on " + own);
}

std::string basis_of(const machine_choice& one) {
    if (one.may_lack_memory && one.runs > 0)
        return "not advised: its executors have less memory for a core than the present ones, no run with so few of them "
               "had so much data, and no log tells their heap";
    if (one.may_lack_memory)
        return "a guess that is not advised: it has less memory than the present machine, and no log tells the heap there";
    if (one.is_as_fast_as_present)
        return "a guess, as fast as the present machine (core for core where cores are known): it never ran there, try it "
               "once";
    if (one.runs == 0) return "a guess from the other types: it never ran there, try it once";
    auto text = fmt::format("based on {} there", count(one.runs, "run"));
    if (one.runs_with_executors == std::size_t{0}) return text + ", none with such executors: try it once";
    if (one.runs_with_executors) text += fmt::format(", {} with such executors", *one.runs_with_executors);
    return text;
}

double cost_as_proposed(const std::vector<machine_choice>& all, const advice& made) {
    const auto present = std::find_if(all.begin(), all.end(), [](const auto& each) { return each.is_present; });
    if (present == all.end()) return 0;
    return (made.proposal ? *made.proposal : made.present).expected_cost * present->price_per_hour;
}

const machine_choice* cheaper_machine(const std::vector<machine_choice>& all, const advice& made) {
    if (!made.stopped.empty()) return nullptr;
    const double now = cost_as_proposed(all, made);
    const machine_choice* cheapest = nullptr;
    for (const auto& each : all) {
        if (each.is_present || !each.chosen || each.may_lack_memory || !(each.price_per_hour > 0)) continue;
        const double most = each.has_other_executors ? (1 - made.least_saving) * now : now;
        if (each.cost() < most && (cheapest == nullptr || each.cost() < cheapest->cost())) cheapest = &each;
    }
    return cheapest;
}

std::string describe(const machine_choice& one, std::string_view unit) {
    if (!one.chosen) return one.name + ": no size meets the deadline";
    return fmt::format("{}{}{}{}{}", one.name, one.name.empty() ? "" : " with ",
                       count(static_cast<std::size_t>(one.chosen->scale_out), unit), one.executors.empty() ? "" : " x ",
                       one.executors);
}

}  // namespace tools
