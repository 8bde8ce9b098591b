// Histories of fits, and options of fits that need not be good.
#ifndef BELLAMY_TESTS_SUPPORT_SAMPLE_FITS_HPP
#define BELLAMY_TESTS_SUPPORT_SAMPLE_FITS_HPP

#include <bellamy/detail/blend/processes.hpp>

#include "made_up_job.hpp"

namespace support {

/// So many sizes at three scale-outs, on two machines, with noise, so that no two contexts are alike.
[[nodiscard]] inline std::vector<bellamy::run> rough_history(std::uint64_t sizes) {
    bellamy::detail::random_generator random(4);
    std::vector<bellamy::run> history;
    for (std::uint64_t size = 1; size <= sizes; ++size)
        for (const int x : {2, 4, 8}) {
            history.push_back(made_up_run(10 * size, x));
            history.back().runtime_s *= std::exp(0.1 * random.normal());
        }
    return on_two_machines(std::move(history));
}

/// Features and points of such a history.
struct rough_points {
    bellamy::detail::feature_map features{};
    bellamy::detail::history_data history{};

    explicit rough_points(std::uint64_t sizes = 6) {
        const auto runs = rough_history(sizes);
        const auto summary = bellamy::detail::summarise(bellamy::detail::group_runs(runs), {});
        features = summary.features;
        history = summary.sample.history();
    }

    [[nodiscard]] bellamy::detail::detrended_sample detrended() const {
        return bellamy::detail::detrend(features, bellamy::detail::history_sample(history), history.contexts.size());
    }
};

/// For tests that do not care how good a fit is.
inline const bellamy::detail::blend_options quick_fit{
    .process_iterations = {1, 1}, .fold_iterations = 1, .robust_iterations = 1};

}  // namespace support

#endif
