#include "ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "model_text.hpp"

namespace tools {

namespace {

using nlohmann::ordered_json;

[[nodiscard]] ordered_json to_json(const stated_size& size) {
    return {{"scale_out", size.scale_out},
            {"executor_cores", size.executor_cores},
            {"executor_memory_MB", size.executor_memory_mb},
            {"probability", size.probability},
            {"expected_unit_hours", size.expected_unit_hours}};
}

[[nodiscard]] stated_size size_from(const ordered_json& json) {
    stated_size size{.scale_out = json.at("scale_out").get<int>(),
                     .executor_cores = json.at("executor_cores").get<std::int64_t>(),
                     .executor_memory_mb = json.at("executor_memory_MB").get<std::int64_t>(),
                     .probability = json.at("probability").get<double>(),
                     .expected_unit_hours = json.at("expected_unit_hours").get<double>()};
    if (!(size.probability >= 0 && size.probability <= 1))
        throw tool_error("invalid_ledger", fmt::format("expected a probability from 0 to 1, found {}", size.probability));
    if (!(size.expected_unit_hours > 0))
        throw tool_error("invalid_ledger", fmt::format("expected hours > 0, found {}", size.expected_unit_hours));
    return size;
}

[[nodiscard]] std::string to_line(const ledger_entry& entry) {
    const ordered_json json{{"at_s", entry.at_s},
                            {"application", entry.application},
                            {"model", entry.model},
                            {"deadline_s", entry.deadline_s},
                            {"deadline_from", to_string(entry.from)},
                            {"present", to_json(entry.present)},
                            {"proposed", entry.proposed ? to_json(*entry.proposed) : ordered_json(nullptr)}};
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

[[nodiscard]] ledger_entry to_entry(const std::string& line) {
    const auto json = ordered_json::parse(line);
    ledger_entry entry{.at_s = json.at("at_s").get<double>(),
                       .application = json.at("application").get<std::string>(),
                       .model = json.at("model").get<std::string>(),
                       .deadline_s = json.at("deadline_s").get<double>(),
                       .from = json.at("deadline_from").get<std::string>() == to_string(deadline_start::submission)
                                   ? deadline_start::submission
                                   : deadline_start::first_executor,
                       .present = size_from(json.at("present"))};
    if (!json.at("proposed").is_null()) entry.proposed = size_from(json.at("proposed"));
    return entry;
}

[[nodiscard]] stated_size stated_of(const bellamy::assessment& row, const spark_size& size) {
    return {.scale_out = row.scale_out,
            .executor_cores = size.executor_cores,
            .executor_memory_mb = size.executor_memory_mb,
            .probability = row.probability,
            .expected_unit_hours = row.expected_cost};
}

// Whether a run was submitted so; what is not known of either does not tell them apart.
[[nodiscard]] bool is_at(const stated_size& size, const bellamy::run& run, const run_facts& facts) {
    const auto agree = [](std::int64_t a, std::int64_t b) { return a == 0 || b == 0 || a == b; };
    return run.scale_out == size.scale_out && agree(size.executor_cores, facts.size.executor_cores) &&
           agree(size.executor_memory_mb, facts.size.executor_memory_mb);
}

[[nodiscard]] std::string reason_of(const std::deque<stated_outcome>& missed) {
    double stated = 0;
    std::size_t kept = 0;
    for (const auto& run : missed) {
        stated += run.stated;
        if (run.kept) ++kept;
    }
    return fmt::format(
        "{} of the latest {} at proposed sizes were in time where {:.1f} were expected, which chance does not explain "
        "(p = {:.1g})",
        kept, count(missed.size(), "run"), stated, probability_of_as_few(missed, missed.size()));
}

}  // namespace

void ledger_sums::add(const ledger_sums& other) {
    proposals += other.proposals;
    applied += other.applied;
    changed += other.changed;
    in_time += other.in_time;
    stated_in_time += other.stated_in_time;
    unit_hours += other.unit_hours;
    unit_hours_before += other.unit_hours_before;
}

std::vector<ledger_entry> read_ledger(const std::string& path) {
    std::vector<ledger_entry> made;
    if (!std::filesystem::exists(path)) return made;
    std::ifstream file(path);
    if (!file) throw tool_error("cannot_read", fmt::format("expected a ledger at {}, found no readable file", path));
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
        try {
            made.push_back(to_entry(line));
        } catch (const nlohmann::json::exception& problem) {
            throw tool_error("invalid_ledger", fmt::format("expected a line that --ledger wrote in line {} of {}, found: {}",
                                                           number, path, problem.what()));
        } catch (const tool_error& problem) {
            throw tool_error("invalid_ledger", fmt::format("line {} of {}: {}", number, path, problem.what()));
        }
    }
    return made;
}

void append_to_ledger(const std::string& path, std::span<const ledger_entry> entries) {
    std::string lines;
    for (const auto& entry : entries) lines += to_line(entry);
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file << lines << std::flush;
    if (!file)
        throw tool_error("cannot_write", fmt::format("expected to append to the ledger at {}, found no way to", path));
}

application_ledger look_back(std::span<const ledger_entry> entries, const application_history& history) {
    std::vector<const ledger_entry*> own;
    for (const auto& entry : entries)
        if (entry.application == history.name) own.push_back(&entry);
    std::stable_sort(own.begin(), own.end(), [](const auto* a, const auto* b) { return a->at_s < b->at_s; });
    application_ledger made;
    stop_rule rule;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto& entry = *own[i];
        const double until_s = i + 1 < own.size() ? own[i + 1]->at_s : std::numeric_limits<double>::infinity();
        if (entry.proposed) ++made.sums.proposals;
        for (std::size_t r = 0; r < history.runs.size(); ++r) {
            const auto& run = history.runs[r];
            const auto& facts = history.facts[r];
            const double started_s = run.timestamp_s.value_or(0);
            if (started_s < entry.at_s || started_s >= until_s) continue;
            const double time_s = time_to_result_s(run, facts, entry.from);
            if (run.censored && time_s <= entry.deadline_s) continue;  // nobody knows whether it would have been in time
            const bool kept = !run.censored && time_s <= entry.deadline_s;
            const bool is_applied = entry.proposed && is_at(*entry.proposed, run, facts);
            if (rule.stopped() && !is_applied && is_at(entry.present, run, facts))
                rule.add({.stated = entry.present.probability, .kept = kept});
            if (!is_applied) continue;
            rule.add({.stated = entry.proposed->probability, .kept = kept});
            ++made.sums.applied;
            if (entry.proposed->scale_out != entry.present.scale_out) ++made.sums.changed;
            if (kept) ++made.sums.in_time;
            made.sums.stated_in_time += entry.proposed->probability;
            const double hours = run.scale_out * time_s / 3600;
            made.sums.unit_hours += hours;
            made.sums.unit_hours_before += hours * entry.present.expected_unit_hours / entry.proposed->expected_unit_hours;
        }
    }
    if (rule.stopped()) made.stopped = reason_of(rule.missed());
    return made;
}

ledger_entry to_entry(const application_history& of, const advice& made, double now_s) {
    const auto& last = of.facts[of.last_complete()];
    ledger_entry entry{.at_s = now_s,
                       .application = of.name,
                       .model = fmt::format("{}, {}{}{}", to_string(made.basis), count(of.runs.size(), "run"),
                                            last.id.empty() ? "" : ", the last ", last.id),
                       .deadline_s = made.wanted.deadline_s,
                       .from = made.from,
                       .present = stated_of(made.present, last.size)};
    if (made.proposal) entry.proposed = stated_of(*made.proposal, proposed_size(of, made));
    return entry;
}

std::string describe(const ledger_sums& sums, std::string_view unit) {
    if (sums.applied == 0) return fmt::format("{}, no run of their sizes since", count(sums.proposals, "proposal"));
    const auto text = fmt::format("{} applied, of {}: {} in time, {:.1f} expected; ", count(sums.applied, "run"),
                                  count(sums.proposals, "proposal"), sums.in_time, sums.stated_in_time);
    if (sums.changed == 0) return text + "all at the size before, which saves nothing";
    return text +
           fmt::format("{} at another size than before: {:.3g} {}-hours saved ({:.1f} % of the hours of all these runs)",
                       sums.changed, sums.saved(), unit, 100 * sums.saved() / sums.unit_hours_before);
}

}  // namespace tools
