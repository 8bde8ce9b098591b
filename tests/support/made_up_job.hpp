// A made-up job: 20 s of its own, and 4 s per gigabyte shared by the nodes.
#ifndef BELLAMY_TESTS_SUPPORT_MADE_UP_JOB_HPP
#define BELLAMY_TESTS_SUPPORT_MADE_UP_JOB_HPP

#include <bellamy/model.hpp>

#include "networks.hpp"

namespace support {

[[nodiscard]] inline bellamy::context made_up_context(std::uint64_t size_gb, std::string machine = "m5.large") {
    return {.essential = {bellamy::text("machine", std::move(machine)).with_role(bellamy::property_role::machine_type),
                          bellamy::natural("size_gb", size_gb).with_role(bellamy::property_role::data_size)},
            .optional = {
                bellamy::natural("memory_gb", 8).with_role(bellamy::property_role::memory_per_node).per_scale_out_unit()}};
}

[[nodiscard]] inline double made_up_runtime_s(std::uint64_t size_gb, int scale_out) {
    return 20 + 4 * static_cast<double>(size_gb) / scale_out;
}

[[nodiscard]] inline bellamy::run made_up_run(std::uint64_t size_gb, int scale_out) {
    return {.context = made_up_context(size_gb), .scale_out = scale_out, .runtime_s = made_up_runtime_s(size_gb, scale_out)};
}

/// `repeats` runs of `contexts` sizes at six scale-outs each.
[[nodiscard]] inline std::vector<bellamy::run> made_up_history(std::uint64_t contexts, int repeats = 1) {
    std::vector<bellamy::run> history;
    for (std::uint64_t i = 1; i <= contexts; ++i)
        for (const int scale_out : {2, 4, 6, 8, 10, 12})
            for (int repeat = 0; repeat < repeats; ++repeat) history.push_back(made_up_run(10 * i, scale_out));
    return history;
}

/// The same runs with every other size on a machine of another name, which makes no difference.
[[nodiscard]] inline std::vector<bellamy::run> on_two_machines(std::vector<bellamy::run> history) {
    for (auto& each : history)
        if (const auto size_gb = *each.context.essential[1].value.natural(); size_gb % 20 == 0)
            each.context = made_up_context(size_gb, "m5.xlarge");
    return history;
}

/// A model of the made-up job with random parameters, for tests that do not care what it predicts.
[[nodiscard]] inline bellamy::model random_model(std::uint64_t seed = 1) {
    const std::vector<bellamy::run> history{made_up_run(10, 2), made_up_run(20, 12)};
    return {*bellamy::schema_of(history),
            {.algorithm = "made-up", .runs = 2, .contexts = 2, .seen_scale_outs = {.smallest = 2, .largest = 12}},
            random_network<float>(2, seed)};
}

}  // namespace support

#endif
