// Observed runs as the priors are conditioned on them, and the sets of them that may be stragglers.
#ifndef BELLAMY_DETAIL_BLEND_OBSERVATIONS_HPP
#define BELLAMY_DETAIL_BLEND_OBSERVATIONS_HPP

#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/blend/run_noise.hpp>

#include <cstdint>
#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// One observed run, or several merged, at one of the scale-outs that the priors speak about.
struct observation {
    std::size_t at = 0;
    double log_runtime = 0;
    double narrow_variance = 0;  // noise of a usual run
    double wide_variance = 0;    // and of a straggler
    double straggler = 0;        // probability of that
    double delay = 0;            // how much longer it takes on average
    /// The true log-runtime is larger.
    bool censored = false;
};

/// Up to this many observations all straggler masks are enumerated (2^9); beyond, runs are merged.
inline constexpr std::size_t most_exact_observations = 9;
inline constexpr std::size_t most_masks = 512;

/// Runs of one scale-out (three or more, none censored) as one observation of their median.
[[nodiscard]] inline observation median_observation(std::span<const observation> runs) {
    configuration ended;
    for (const auto& each : runs) {
        ended.log_runtimes.push_back(each.log_runtime);
        ended.weights.push_back(1);
        ended.censored.push_back(false);
    }
    const auto median = median_of(ended);
    const double r = median.repetitions;
    auto one = runs.front();
    one.log_runtime = median.value;
    one.straggler = std::pow(one.straggler, (static_cast<double>(runs.size()) + 1) / 2);  // of as many as move the median
    one.wide_variance = (one.wide_variance + median.squares) / r;
    one.narrow_variance =
        1.5 * (4 * one.narrow_variance + (std::min)(median.squares, 4 * one.narrow_variance * r)) / (4 + r) / r;
    one.wide_variance = (std::max)(one.wide_variance, 2 * one.narrow_variance);
    return one;
}

/// Where there are too many runs to mask, those of one scale-out become one observation (their median), and of its bounds
/// only the largest is kept, which implies the others.
[[nodiscard]] inline std::vector<observation> merge_observations(std::vector<observation> runs) {
    if (runs.size() <= most_exact_observations) return runs;
    sort_stably(runs, [](const auto& a, const auto& b) { return a.at < b.at; });
    std::vector<observation> merged;
    for (std::size_t first = 0; first < runs.size();) {
        std::vector<observation> ended;
        const observation* bound = nullptr;
        std::size_t last = first;
        for (; last < runs.size() && runs[last].at == runs[first].at; ++last) {
            if (!runs[last].censored) {
                ended.push_back(runs[last]);
            } else if (bound == nullptr || runs[last].log_runtime > bound->log_runtime) {
                bound = &runs[last];
            }
        }
        if (bound != nullptr) merged.push_back(*bound);
        if (ended.size() > 2) ended = {median_observation(ended)};
        merged.insert(merged.end(), ended.begin(), ended.end());
        first = last;
    }
    return merged;
}

/// All sets of stragglers among `count` runs, small sets first; of many runs only the sets up to the size that keeps them
/// within `most_masks`.
[[nodiscard]] inline std::vector<std::vector<std::uint16_t>> straggler_masks(std::size_t count) {
    std::size_t most = 0;
    for (std::size_t sets = 1, of_size = 1; most < count; ++most) {
        of_size = of_size * (count - most) / (most + 1);
        sets += of_size;
        if (sets > most_masks) break;
    }
    std::vector<std::vector<std::uint16_t>> masks{{}};
    std::size_t first = 0;
    for (std::size_t size = 1; size <= most; ++size) {
        const std::size_t last = masks.size();
        for (; first < last; ++first)
            for (std::size_t i = masks[first].empty() ? 0 : masks[first].back() + std::size_t{1}; i < count; ++i) {
                auto larger = masks[first];
                larger.push_back(static_cast<std::uint16_t>(i));
                masks.push_back(std::move(larger));
            }
    }
    return masks;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
