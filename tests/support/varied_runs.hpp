// Runs that differ in all that matters to a loss.
#ifndef BELLAMY_TESTS_SUPPORT_VARIED_RUNS_HPP
#define BELLAMY_TESTS_SUPPORT_VARIED_RUNS_HPP

#include <bellamy/run.hpp>

#include <numeric>
#include <vector>

namespace support {

/// In the number of optional properties, in weight, and in whether they were killed, above or below the prediction.
[[nodiscard]] inline std::vector<bellamy::run> varied_runs() {
    const auto made = [](std::vector<bellamy::property> optional, int scale_out, double runtime_s) {
        return bellamy::run{.context = {.essential = {bellamy::text("machine", "m5.large"), bellamy::natural("size", 77)},
                                        .optional = std::move(optional)},
                            .scale_out = scale_out,
                            .runtime_s = runtime_s};
    };
    const auto memory = bellamy::natural("memory", 8).per_scale_out_unit();
    const auto zone = bellamy::text("zone", "a-1");
    const auto rate = bellamy::quantity("rate", 1.5);
    std::vector runs{made({}, 2, 0.3),
                     made({memory}, 4, 50),
                     made({memory, zone, rate}, 12, 0.8),
                     made({zone, rate}, 7, 9),
                     made({zone}, 3, 100),
                     made({memory, rate}, 5, 1e-3),
                     made({}, 8, 2),
                     made({rate, zone, memory}, 6, 0.5)};
    runs[1].context.essential[0] = bellamy::text("machine", "c4.xlarge");
    runs[2].weight = 2;
    runs[3].weight = 0.25;
    runs[4].censored = true;  // killed far above any prediction made here
    runs[5].censored = true;  // killed at once: a positive prediction is no error
    return runs;
}

/// The numbers from 0.
[[nodiscard]] inline std::vector<std::uint32_t> all_of(std::size_t count) {
    std::vector<std::uint32_t> runs(count);
    std::iota(runs.begin(), runs.end(), 0U);
    return runs;
}

}  // namespace support

#endif
