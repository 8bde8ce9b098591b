#include "machine_prices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

namespace tools {

namespace {

[[nodiscard]] const std::string* machine_of(const bellamy::context& of) {
    for (const auto& each : of.essential)
        if (each.role == bellamy::property_role::machine_type) return std::get_if<std::string>(&each.value);
    return nullptr;
}

// The latest run on a type that succeeded, else the latest on it, else the one that the next is taken to be like.
[[nodiscard]] std::size_t run_like_those_on(const application_history& of, std::string_view machine) {
    for (const bool must_succeed : {true, false})
        for (auto i = of.runs.size(); i-- > 0;) {
            const auto* name = machine_of(of.runs[i].context);
            if (name != nullptr && *name == machine && !(must_succeed && of.runs[i].censored)) return i;
        }
    return of.last_complete();
}

// The next run on a type: with what executors had there, or have as listed. Properties are there where runs differ in them.
[[nodiscard]] bellamy::context on_machine(bellamy::context next, const bellamy::context& there, const std::string& name,
                                          const priced_machine* listed) {
    for (std::size_t i = 0; i < next.essential.size(); ++i) {
        auto& each = next.essential[i];
        if (each.role == bellamy::property_role::machine_type) each.value = name;
        const bool is_cores = each.name == "executor_cores";
        if (!is_cores && each.name != "executor_memory_MB") continue;
        each.value = there.essential[i].value;
        if (listed == nullptr) continue;
        if (const auto& own = is_cores ? listed->cores : listed->memory_mb) each.value = *own;
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

// Sizes up to this one are not chosen: an executor's heap would outgrow its memory. 0: none.
[[nodiscard]] int largest_without(std::int64_t memory_mb, const advice& made) {
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

// The present type and those of the list that no run tells apart from it.
[[nodiscard]] std::vector<machine_choice> guess_machines(const application_history& of, const advice& made,
                                                         const price_list& prices) {
    const auto& last = of.facts[of.last_complete()];
    const bool counts_executors = made.like.unit == bellamy::scale_out_unit::executor;
    std::vector<machine_choice> all{{.name = last.machine,
                                     .runs = of.runs.size(),
                                     .is_present = true,
                                     .price_per_hour = prices.of(last.machine),
                                     .chosen = best_size_with(made, 1, 0)}};
    for (const auto& listed : prices.machines) {
        if (!can_be_guessed(listed, last.machine)) continue;
        const bool have_cores = counts_executors && listed.cores && last.size.executor_cores > 0;
        const double cores =
            have_cores ? static_cast<double>(*listed.cores) / static_cast<double>(last.size.executor_cores) : 1;
        const auto memory_mb = size_on_machine(last.size, &listed).executor_memory_mb;
        const auto memory_now_mb = static_cast<double>(last.size.executor_memory_mb);
        // With as much for each core as now, the heap fits as it does now.
        const bool has_less_per_core = static_cast<double>(memory_mb) < cores * memory_now_mb;
        const auto chosen = best_size_with(made, cores, has_less_per_core ? memory_mb : 0);
        const bool has_less = has_less_per_core && static_cast<double>(memory_mb) < memory_now_mb;
        all.push_back({.name = listed.name,
                       .is_as_fast_as_present = true,
                       .may_lack_memory = has_less && chosen && !heap_fits(made, chosen->scale_out, memory_mb),
                       .price_per_hour = listed.price_per_hour,
                       .chosen = chosen});
    }
    if (all.size() < 2) return {};
    for (auto& each : all)
        if (each.chosen && counts_executors)
            each.size = size_of(each.chosen->scale_out, made.like.unit, size_on_machine(last.size, find(prices, each.name)));
    return all;
}

[[nodiscard]] bool have_one_machine(const application_history& of) {
    return std::all_of(of.facts.begin(), of.facts.end(),
                       [&](const run_facts& each) { return each.machine == of.facts.front().machine; });
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
    const auto& like = made.like;
    const auto* present = machine_of(like);
    if (prices.is_empty()) return {};
    if (present == nullptr) return have_one_machine(of) ? guess_machines(of, made, prices) : std::vector<machine_choice>();
    if (rests_on_tasks(made)) return {};
    std::vector<machine_choice> all;
    const auto choice_of = [&](const std::string& name) -> machine_choice& {
        const auto at = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
        return at != all.end() ? *at : all.emplace_back(machine_choice{.name = name});
    };
    for (const auto& run : of.runs)
        if (const auto* name = machine_of(run.context)) ++choice_of(*name).runs;
    for (const auto& each : prices.machines) (void)choice_of(each.name);
    if (all.size() < 2) return {};
    for (auto& each : all) {
        each.is_present = each.name == *present;
        each.price_per_hour = prices.of(each.name);
        const auto* listed = find(prices, each.name);
        const auto there = run_like_those_on(of, each.name);
        const auto size_there = size_on_machine(of.facts[there].size, listed);
        const bool has_less = size_there.executor_memory_mb < of.facts[of.last_complete()].size.executor_memory_mb;
        const int without_memory =
            each.runs == 0 && has_less ? largest_without(size_there.executor_memory_mb, made) : made.without_memory;
        each.chosen = best_size_on(of, made, on_machine(like, of.runs[there].context, each.name, listed), without_memory);
        // Cores in all may be no whole executors of another type.
        if (each.chosen && like.unit == bellamy::scale_out_unit::executor)
            each.size = size_of(each.chosen->scale_out, like.unit, size_there);
    }
    return all;
}

std::string why_not_compared(const std::vector<machine_choice>& compared, const application_history& of, const advice& made,
                             const price_list& prices) {
    const auto& own = of.facts[of.last_complete()].machine;
    const bool has_other = std::any_of(prices.machines.begin(), prices.machines.end(),
                                       [&](const priced_machine& each) { return each.name != own; });
    if (!has_other || !compared.empty()) return {};
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
    if (one.may_lack_memory)
        return "a guess that is not advised: it has less memory than the present machine, and no log tells the heap";
    if (one.is_as_fast_as_present)
        return "a guess, as fast as the present machine (core for core where cores are known): it never ran there, try it "
               "once";
    return one.runs == 0 ? "a guess from the other types: it never ran there, try it once"
                         : fmt::format("based on {} there", count(one.runs, "run"));
}

const machine_choice* cheaper_machine(const std::vector<machine_choice>& all, const advice& made) {
    if (!made.stopped.empty()) return nullptr;
    double least = 0;
    for (const auto& each : all)
        if (each.is_present) least = (made.proposal ? *made.proposal : made.present).expected_cost * each.price_per_hour;
    const machine_choice* cheapest = nullptr;
    for (const auto& each : all) {
        if (each.is_present || !each.chosen || each.may_lack_memory || !(each.price_per_hour > 0) || each.cost() >= least)
            continue;
        least = each.cost();
        cheapest = &each;
    }
    return cheapest;
}

std::string describe(const machine_choice& one, std::string_view unit) {
    if (!one.chosen) return one.name + ": no size meets the deadline";
    return fmt::format("{} with {}", one.name, count(static_cast<std::size_t>(one.chosen->scale_out), unit));
}

}  // namespace tools
