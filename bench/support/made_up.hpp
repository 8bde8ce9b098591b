// A network and contexts of the published data's shape, for programs that only care how long an answer takes.
#ifndef BELLAMY_BENCH_SUPPORT_MADE_UP_HPP
#define BELLAMY_BENCH_SUPPORT_MADE_UP_HPP

#include <bellamy/detail/network/parameters.hpp>
#include <bellamy/network.hpp>

#include <string>
#include <vector>

namespace bench {

using namespace bellamy;

[[nodiscard]] inline context context_number(int number, bool scaling = true) {
    const std::vector<std::string> machines{"c4.2xlarge", "m4.2xlarge", "r4.2xlarge"};
    const auto size = static_cast<std::uint64_t>(9000 + 977 * (number / 3));
    context result{
        .essential = {text("machine_type", machines[static_cast<std::size_t>(number % 3)]), text("job_args", "25"),
                      natural("data_size_MB", size), text("data_characteristics", "100 " + std::to_string(size * 10)),
                      text("environment", "public cloud aws emr")},
        .optional = {text("job_type", "sort-spark"), natural("memory", static_cast<std::uint64_t>(15000 * (1 + number % 3))),
                     natural("slots", 8)}};
    for (std::size_t i = 1; i < result.optional.size(); ++i) result.optional[i].scales_with_scale_out = scaling;
    return result;
}

[[nodiscard]] inline network<> made_up_network() {
    bellamy::detail::random_generator random(1);
    auto result = bellamy::detail::random_network<float, dimensions{}>(5, random);
    result.runtime.scaler = min_max_scaler<float>::of(std::vector{2, 4, 6, 8, 10, 12});
    return result;
}

/// Properties of different contexts, encoded.
[[nodiscard]] inline std::vector<float> encoded_contexts(std::size_t count) {
    std::vector<float> encoded(count * 8 * 40);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto job = context_number(static_cast<int>(i), false);
        for (const auto* list : {&job.essential, &job.optional}) {
            for (const auto& each : *list) {
                encode(each, 1, std::span<float, 40>(encoded.data() + at, 40));
                at += 40;
            }
        }
    }
    return encoded;
}

}  // namespace bench

#endif
