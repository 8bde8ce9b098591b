// From a table of runs to a decision, drift, and learning anew: a report over log files that runs again and again.
#include <fmt/format.h>
#include <bellamy/choose.hpp>
#include <bellamy/drift.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>
#include <bellamy/shared_model.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace bellamy;

context report(const std::string& machine, std::uint64_t size_mb) {
    return {.essential = {text("machine_type", machine).with_role(property_role::machine_type),
                          natural("data_size_mb", size_mb).with_role(property_role::data_size)}};
}

// Stands in for the cluster: a fixed part, a part that the nodes share, and a scatter of up to 4 %.
run measured(const std::string& machine, std::uint64_t size_mb, int nodes, double slowdown = 1) {
    const auto size = static_cast<double>(size_mb);
    const double scatter = 1 + 0.04 * std::sin(size + 7 * nodes);
    const double work_s = (machine == "large" ? 0.09 : 0.17) * size;
    const double runtime_s = slowdown * scatter * (30 + 2 * nodes + work_s / nodes);
    return {.context = report(machine, size_mb), .scale_out = nodes, .runtime_s = runtime_s};
}

int main() {
    std::vector<run> table;
    for (const char* machine : {"large", "small"})
        for (const std::uint64_t size_mb : {5000U, 9000U, 14000U, 22000U})
            for (const int nodes : {2, 4, 8, 12}) table.push_back(measured(machine, size_mb, nodes));

    const trained learned = pretrain(table, {.algorithm = "report"}).value();
    fmt::print("learned from {} runs of {} contexts, {} of them contradictory\n", learned.model.basis().runs,
               learned.model.basis().contexts, learned.report.contradictory_configurations);

    save(learned.model, "report.bellamy").value();
    shared_model shared(load("report.bellamy").value());

    const std::vector<run> observed{measured("large", 17000, 4)};
    shared.update([&](const model& now) { return now.condition(observed); }).value();
    const auto snapshot = shared.snapshot();
    const curve large = snapshot->bind(report("large", 17000)).value();
    const curve small = snapshot->bind(report("small", 17000)).value();

    std::vector<candidate> candidates;
    for (const int nodes : {4, 8, 12}) {
        candidates.push_back(
            {.runtimes = &large, .scale_out = nodes, .costs = {.per_unit_and_hour = 0.4, .start_up_s = 60}});
        candidates.push_back(
            {.runtimes = &small, .scale_out = nodes, .costs = {.per_unit_and_hour = 0.2, .start_up_s = 60}});
    }
    std::vector<assessment> rows(candidates.size());
    const request wanted{.goal = goal::cheapest_within_deadline, .deadline_s = 400, .probability = 0.9};
    const decision answer = choose(candidates, wanted, rows).value();
    for (const assessment& row : rows)
        fmt::print("{} x {:<2} {:4.0f} s, in time {:5.1f} %, cost {:.3f}: {}\n", row.candidate % 2 == 0 ? "large" : "small",
                   row.scale_out, row.predicted.median_s, 100 * row.probability, row.expected_cost, to_string(row.why));
    if (!answer.meets_limit()) fmt::print("no cluster is likely enough; the candidate is the likeliest\n");

    std::vector<run> recent;
    for (const int nodes : {4, 6, 8, 10, 12}) recent.push_back(measured("large", 17000, nodes, 1.5));
    const drift found = measure_drift(*snapshot, recent).value();
    fmt::print("{} runs, on average {:+.1f} standard deviations off, probability {:.4f}\n", found.runs, found.mean_deviate,
               found.probability);

    if (found.probability < 0.01) {
        for (const char* machine : {"large", "small"})
            for (const std::uint64_t size_mb : {9000U, 22000U})
                for (const int nodes : {2, 6, 12}) recent.push_back(measured(machine, size_mb, nodes, 1.5));
        shared
            .update([&](const model&) -> result<model> {
                auto anew = pretrain(recent, {.algorithm = "report"});
                if (!anew) return anew.error();
                return anew->model;
            })
            .value();
    }
    const curve after = shared.snapshot()->bind(report("large", 17000)).value();
    fmt::print("8 nodes: {:.0f} s before, {:.0f} s now\n", large.at(8).median_s, after.at(8).median_s);
}
