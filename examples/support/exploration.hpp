// A search among kinds of executors and their numbers: what may be tried, what has run, and what is known of other
// applications.
#ifndef BELLAMY_EXAMPLES_EXPLORATION_HPP
#define BELLAMY_EXAMPLES_EXPLORATION_HPP

#include <fmt/format.h>
#include <bellamy/explore.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "history.hpp"
#include "next_size.hpp"
#include "tool_error.hpp"

namespace tools {

/// A kind of executor, or of machine: what it costs and has.
struct executor_kind {
    std::string name{};
    double price_per_hour = 0;
    std::uint64_t cores = 0;
    std::uint64_t memory_mb = 0;
};

/// "m4.xlarge=0.2,cores=4,memory=16GB". Error: wrong usage.
[[nodiscard]] inline executor_kind to_executor_kind(const std::string& text, currency& money) {
    constexpr std::string_view form = "NAME=PRICE,cores=COUNT,memory=SIZE such as m4.xlarge=0.2,cores=4,memory=16GB";
    auto words = split(text, ',');
    const auto [name, price] = name_and_value("--machine", words.front(), form);
    const auto per_hour = money.take(price, true);
    if (!per_hour || *per_hour < 0 || words.size() != 3) throw wrong_usage("--machine", form, text);
    executor_kind made{.name = name, .price_per_hour = *per_hour};
    for (std::size_t i = 1; i < words.size(); ++i) {
        const auto [property, value] = name_and_value("--machine", words[i], form);
        const bool is_memory = property == "memory";
        const auto number = parse_number<std::uint64_t>(is_memory ? with_unit_of("executor_memory_MB", value) : value);
        if ((!is_memory && property != "cores") || !number || *number == 0) throw wrong_usage("--machine", form, text);
        (is_memory ? made.memory_mb : made.cores) = *number;
    }
    if (made.cores == 0 || made.memory_mb == 0) throw wrong_usage("--machine", form, text);
    return made;
}

/// All kinds; no two have one name, or the same cores and memory: a run does not tell which of them it had.
[[nodiscard]] inline std::vector<executor_kind> to_executor_kinds(const std::vector<std::string>& texts, currency& money) {
    std::vector<executor_kind> kinds;
    for (const auto& text : texts) {
        auto made = to_executor_kind(text, money);
        for (const auto& other : kinds)
            if (other.name == made.name || (other.cores == made.cores && other.memory_mb == made.memory_mb))
                throw tool_error("duplicate_machine",
                                 fmt::format("expected every machine once, with other cores or memory, found {} and {}",
                                             other.name, made.name));
        kinds.push_back(std::move(made));
    }
    return kinds;
}

/// Where a run was, in the properties that a search compares. Without a size the data are those of every other run.
[[nodiscard]] inline bellamy::context to_search_context(const std::string& kind, std::uint64_t cores,
                                                        std::uint64_t memory_mb, std::optional<double> size_mb) {
    bellamy::context made{
        .essential = {bellamy::text("machine_type", kind).with_role(bellamy::property_role::machine_type),
                      bellamy::natural("executor_cores", cores).with_role(bellamy::property_role::cores_per_node),
                      bellamy::natural("executor_memory_MB", memory_mb).with_role(bellamy::property_role::memory_per_node)},
        .unit = bellamy::scale_out_unit::executor};
    if (size_mb)
        made.essential.push_back(bellamy::quantity("data_size", *size_mb).with_role(bellamy::property_role::data_size));
    return made;
}

/// A search, ready to be asked.
struct cluster_exploration {
    std::vector<executor_kind> kinds{};
    std::vector<int> scale_outs{};
    /// One for each kind; the candidates refer to them.
    std::vector<bellamy::context> contexts{};
    std::vector<bellamy::trial_candidate> candidates{};
    /// Of the application so far.
    std::vector<bellamy::run> runs{};
    std::optional<double> size_mb{};
    bellamy::exploration_prior known{};
    /// Other applications that it was learned from.
    std::size_t other_applications = 0;

    [[nodiscard]] const executor_kind& kind_of(std::size_t candidate) const { return kinds[candidate / scale_outs.size()]; }
};

namespace detail {

// Sizes that differ by less count as the same, so that a run of a candidate is known as one.
inline constexpr double same_size_ratio = 1.1;

[[nodiscard]] inline std::optional<double> known_size(const bellamy::run& of) {
    const auto size = data_size(of);
    return size && *size > 0 ? size : std::nullopt;
}

[[nodiscard]] inline bellamy::run to_search_run(const application_history& of, std::size_t number,
                                                const std::vector<executor_kind>& kinds, std::optional<double> size_mb) {
    const auto& run = of.runs[number];
    const auto& size = of.facts[number].size;
    const auto cores = static_cast<std::uint64_t>(size.executor_cores);
    const auto memory = static_cast<std::uint64_t>(size.executor_memory_mb);
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const auto& each) { return each.cores == cores && each.memory_mb == memory; });
    auto its_size = known_size(run);
    if (!its_size || !size_mb || std::abs(std::log(*its_size / *size_mb)) < std::log(same_size_ratio)) its_size = size_mb;
    return {.context = to_search_context(kind == kinds.end() ? "" : kind->name, cores, memory, its_size),
            .scale_out = static_cast<int>(size.executors),
            .runtime_s = run.runtime_s,
            .censored = run.censored};
}

[[nodiscard]] inline bool tells_size(const spark_size& size) noexcept {
    return size.executors > 0 && size.executor_cores > 0 && size.executor_memory_mb > 0;
}

}  // namespace detail

/// The runs of the application so far. Error: unknown_value where one does not tell its executors.
inline void add_own_runs(const application_history& of, cluster_exploration& search) {
    if (!search.size_mb && !of.runs.empty()) search.size_mb = detail::known_size(of.runs.back());
    for (std::size_t i = 0; i < of.runs.size(); ++i) {
        if (!detail::tells_size(of.facts[i].size))
            throw tool_error("unknown_value",
                             fmt::format("expected executors, their cores and memory of every run of {} (columns executors, "
                                         "executor_cores and executor_memory_MB of a table), found {} of run {}",
                                         of.name, describe(of.facts[i].size), i + 1));
        search.runs.push_back(detail::to_search_run(of, i, search.kinds, search.size_mb));
    }
}

/// Learns from the other applications; of those whose runs do not tell their executors, nothing.
inline void learn_others(const team_history& history, const application_history* own, cluster_exploration& search) {
    std::vector<std::vector<bellamy::run>> others;
    for (const auto& each : history.applications) {
        if (&each == own) continue;
        std::vector<bellamy::run> runs;
        for (std::size_t i = 0; i < each.runs.size(); ++i)
            if (detail::tells_size(each.facts[i].size))
                runs.push_back(detail::to_search_run(each, i, search.kinds, std::nullopt));
        // A size counts where all of its runs have one.
        if (std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.context.essential.size() < 4; }))
            for (auto& run : runs) run.context.essential.resize(3);
        if (!runs.empty()) others.push_back(std::move(runs));
    }
    search.other_applications = others.size();
    const std::vector<std::span<const bellamy::run>> spans(others.begin(), others.end());
    if (!spans.empty()) search.known = bellamy::learn_exploration(spans).value();
}

/// Every kind at every scale-out.
inline void add_candidates(const bellamy::price& costs, cluster_exploration& search) {
    for (const auto& kind : search.kinds)
        search.contexts.push_back(to_search_context(kind.name, kind.cores, kind.memory_mb, search.size_mb));
    for (std::size_t i = 0; i < search.kinds.size(); ++i)
        for (const int x : search.scale_outs) {
            auto its_costs = costs;
            its_costs.per_unit_and_hour = search.kinds[i].price_per_hour;
            search.candidates.push_back({.context = &search.contexts[i], .scale_out = x, .costs = its_costs});
        }
}

}  // namespace tools

#endif
