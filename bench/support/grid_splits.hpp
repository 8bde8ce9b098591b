// Runs over a grid of machine types and cluster sizes, and what users ask of a few of them.
#ifndef BELLAMY_BENCH_GRID_SPLITS_HPP
#define BELLAMY_BENCH_GRID_SPLITS_HPP

#include <bellamy/detail/base/random.hpp>

#include "../../examples/support/parse.hpp"
#include "../../examples/support/table.hpp"
#include "history_case.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace bench {

/// The number of the property with this role; NaN where the context has none.
[[nodiscard]] inline double number_with_role(const bellamy::context& of, bellamy::property_role role) noexcept {
    for (const auto& each : of.essential)
        if (each.role == role) return each.value.number();
    return std::numeric_limits<double>::quiet_NaN();
}

/// Cores of the whole cluster.
[[nodiscard]] inline double total_cores(const bellamy::context& of, int scale_out) noexcept {
    const bool counts_cores = of.unit == bellamy::scale_out_unit::core;
    return scale_out * (counts_cores ? 1 : number_with_role(of, bellamy::property_role::cores_per_node));
}

/// The same run with its scale-out counted in cores, each with its part of the node's memory.
[[nodiscard]] inline bellamy::run counted_in_cores(bellamy::run of) {
    const double cores = number_with_role(of.context, bellamy::property_role::cores_per_node);
    of.scale_out = static_cast<int>(total_cores(of.context, of.scale_out));
    of.context.unit = bellamy::scale_out_unit::core;
    for (auto& each : of.context.essential)
        if (each.role == bellamy::property_role::memory_per_node) each.value = each.value.number() / cores;
    return of;
}

[[nodiscard]] inline std::string machine_of(const bellamy::context& of) {
    for (const auto& each : of.essential)
        if (each.role == bellamy::property_role::machine_type) return *each.value.text();
    return {};
}

/// Runs by application. Killed runs are right-censored. Errors: unknown_column, and those of the cells' numbers.
[[nodiscard]] inline std::map<std::string, std::vector<bellamy::run>> read_grid(const tools::table& from) {
    const auto application = from.column("application");
    const auto machine = from.column("machine_type");
    const auto cores = from.column("cores_per_node");
    const auto memory = from.column("memory_mb_per_node");
    const auto size = from.column("data_size_MB");
    const auto nodes = from.column("nodes");
    const auto seconds = from.column("seconds");
    const auto outcome = from.column("outcome");
    std::map<std::string, std::vector<bellamy::run>> applications;
    for (const auto& row : from.rows) {
        const auto number = [&](std::size_t column) { return tools::to_real(row.cells[column], from.where(row, column)); };
        const auto natural = [&](const char* name, std::size_t column, bellamy::property_role role) {
            return bellamy::natural(name, static_cast<std::uint64_t>(number(column))).with_role(role);
        };
        applications[row.cells[application]].push_back(
            {.context = {.essential = {bellamy::text("machine_type", row.cells[machine])
                                           .with_role(bellamy::property_role::machine_type),
                                       natural("cores", cores, bellamy::property_role::cores_per_node),
                                       natural("memory_mb", memory, bellamy::property_role::memory_per_node),
                                       natural("data_size_MB", size, bellamy::property_role::data_size)}},
             .scale_out = static_cast<int>(number(nodes)),
             .runtime_s = number(seconds),
             .censored = row.cells[outcome] != "succeeded"});
    }
    return applications;
}

/// The splits of one application's runs.
class grid_splits {
    template <class Value>
    [[nodiscard]] static auto values_of(std::span<const bellamy::run> runs, const Value& value) {
        std::set<decltype(value(runs.front()))> values;
        for (const auto& run : runs) values.insert(value(run));
        return values;
    }

public:
    grid_splits(std::string application, std::vector<bellamy::run> runs, std::uint64_t seed, int draws)
        : application_(std::move(application)), runs_(std::move(runs)), seed_(seed), draws_(draws) {}

    [[nodiscard]] std::vector<history_case> operator()() const {
        std::vector<history_case> cases;
        for (const double size : sizes())
            for (const std::size_t count : {std::size_t{5}, std::size_t{10}, std::size_t{15}}) add_thin(size, count, cases);
        for (const auto& machine : values_of(runs_, [](const auto& run) { return machine_of(run.context); }))
            add_by_context([&](const bellamy::run& run) { return machine_of(run.context) == machine; }, "machine", 2, cases);
        for (const int nodes : values_of(runs_, [](const auto& run) { return run.scale_out; }))
            add(select([&](const auto& run) { return run.scale_out != nodes; }),
                select([&](const auto& run) { return run.scale_out == nodes; }), "nodes", cases);
        const auto is_large = [](const auto& run) { return total_cores(run.context, run.scale_out) > most_cores; };
        add(select([&](const auto& run) { return !is_large(run); }), select(is_large), "cores", cases);
        const double smallest = *sizes().begin();
        const auto is_larger = [&](const bellamy::run& run) { return data_size_of(run.context) > smallest; };
        add_by_context(is_larger, "size", 1, cases);
        add_anywhere(is_larger, cases);
        return cases;
    }

private:
    using run_list = std::vector<bellamy::run>;
    static constexpr double most_cores = 48;

    template <class Predicate>
    [[nodiscard]] run_list select(const Predicate& wanted) const {
        run_list selected;
        std::ranges::copy_if(runs_, std::back_inserter(selected), wanted);
        return selected;
    }
    [[nodiscard]] std::set<double> sizes() const {
        return values_of(runs_, [](const bellamy::run& run) { return data_size_of(run.context); });
    }

    // Killed runs are asked nothing.
    void add(const std::shared_ptr<const run_list>& history, std::span<const bellamy::run> observed,
             std::span<const bellamy::run> rest, const std::string& name, std::vector<history_case>& cases) const {
        history_case split{.part = "grids",
                           .group = application_ + " " + name,
                           .history = history,
                           .observed = {observed.begin(), observed.end()}};
        for (const auto& run : rest)
            if (!run.censored) split.tests.push_back({.of = run, .median_s = run.runtime_s});
        if (!split.tests.empty()) cases.push_back(std::move(split));
    }
    void add(run_list history, std::span<const bellamy::run> rest, const std::string& name,
             std::vector<history_case>& cases) const {
        add(std::make_shared<const run_list>(std::move(history)), {}, rest, name, cases);
    }

    // Of the runs of one size so many at random; the others are asked.
    void add_thin(double size, std::size_t count, std::vector<history_case>& cases) const {
        for (int draw = 0; draw < draws_; ++draw) {
            auto runs = select([&](const auto& run) { return data_size_of(run.context) == size; });
            bellamy::detail::random_generator random(seed_ + static_cast<std::uint64_t>(draw));
            random.shuffle(std::span(runs));
            const auto rest = runs.begin() + static_cast<std::ptrdiff_t>((std::min)(count, runs.size()));
            add(run_list(runs.begin(), rest), std::span(rest, runs.end()), fmt::format("thin{}", count), cases);
        }
    }

    // Every context for which `is_target` holds is asked, with none and up to `most` runs of it observed.
    template <class Predicate>
    void add_by_context(const Predicate& is_target, const std::string& name, std::size_t most,
                        std::vector<history_case>& cases) const {
        const auto history = std::make_shared<const run_list>(select([&](const auto& run) { return !is_target(run); }));
        bellamy::detail::random_generator random(seed_);
        auto targets = select([&](const auto& run) { return is_target(run) && !run.censored; });
        while (!targets.empty()) {
            const auto context = targets.front().context;
            const auto others = std::stable_partition(targets.begin(), targets.end(),
                                                      [&](const auto& run) { return run.context == context; });
            run_list own(targets.begin(), others);
            random.shuffle(std::span(own));
            for (std::size_t k = 0; k <= most && k < own.size(); ++k)
                add(history, std::span(own).first(k), std::span(own).subspan(k), fmt::format("{}{}", name, k), cases);
            targets.erase(targets.begin(), others);
        }
    }

    // One run for which `is_target` holds is learned with the others, the rest is asked.
    template <class Predicate>
    void add_anywhere(const Predicate& is_target, std::vector<history_case>& cases) const {
        for (int draw = 0; draw < draws_; ++draw) {
            auto targets = select([&](const auto& run) { return is_target(run) && !run.censored; });
            bellamy::detail::random_generator random(seed_ + static_cast<std::uint64_t>(draw));
            random.shuffle(std::span(targets));
            if (targets.empty()) return;
            auto history = select([&](const auto& run) { return !is_target(run); });
            history.push_back(targets.front());
            add(std::move(history), std::span(targets).subspan(1), "anywhere", cases);
        }
    }

    std::string application_;
    run_list runs_;
    std::uint64_t seed_;
    int draws_;
};

}  // namespace bench

#endif
