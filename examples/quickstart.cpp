// How many nodes does it take to sort 15 GB within 260 seconds, nine times out of ten?
#include <bellamy/choose.hpp>
#include <bellamy/serialize.hpp>

#include <cstdio>
#include <vector>

#include "models/sort.hpp"

int main() {
    using namespace bellamy;

    // What is known of sorting in general, from hundreds of runs on other data and machines.
    const model general = from_bytes(bellamy_models::sort).value();

    // The job at hand, and its two runs so far.
    const context job{
        .essential = {text("machine_type", "m4.2xlarge").with_role(property_role::machine_type), text("job_args", ""),
                      natural("data_size_MB", 15408).with_role(property_role::data_size),
                      text("data_characteristics", "100 160000000"), text("environment", "public cloud aws emr")},
        .optional = {text("job_type", "sort-spark"),
                     natural("memory", 32000).with_role(property_role::memory_per_node).per_scale_out_unit(),
                     natural("slots", 8).with_role(property_role::cores_per_node).per_scale_out_unit()}};
    const std::vector<run> observed{{.context = job, .scale_out = 4, .runtime_s = 298},
                                    {.context = job, .scale_out = 8, .runtime_s = 226}};

    // What that makes of its runtimes, and the smallest cluster that meets the deadline.
    const curve runtimes = general.condition(observed).value().bind(job).value();
    const decision answer = choose(runtimes, scale_out_range{.first = 2, .last = 12}, 260.0, 0.9).value();

    if (answer.feasible()) {
        const prediction& predicted = answer.candidate->predicted;
        std::printf("Take %d nodes: about %.0f s, and %.0f s or less in nine of ten runs.\n", answer.candidate->scale_out,
                    predicted.median_s, predicted.quantile_s(0.9));
    } else {
        std::puts("No cluster of 2 to 12 nodes is likely enough to meet the deadline.");
    }
}
