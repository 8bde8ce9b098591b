// What a model was trained on: numbers of runs and contexts, ranges of scale-outs and runtimes.
#ifndef BELLAMY_TRAINING_BASIS_HPP
#define BELLAMY_TRAINING_BASIS_HPP

#include <bellamy/curve.hpp>
#include <bellamy/run.hpp>

#include <algorithm>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Plain data; filled by training and conditioning.
struct training_basis {
    std::string algorithm{};
    std::uint32_t runs = 0;
    std::uint32_t contexts = 0;
    /// Runs that the model was fine-tuned or conditioned on.
    std::uint32_t observed_runs = 0;
    scale_out_interval seen_scale_outs{};
    double shortest_runtime_s = 0;
    double longest_runtime_s = 0;
    /// When it was pre-trained, in the caller's words.
    std::string date{};

    bool operator==(const training_basis&) const = default;
};

namespace detail {

/// Widens the observed ranges of scale-outs and runtimes by those of more runs.
inline void widen(training_basis& basis, std::span<const bellamy::run> runs) noexcept {
    auto& x = basis.seen_scale_outs;
    bool first = basis.runs == 0 && basis.observed_runs == 0;
    for (const auto& run : runs) {
        x.smallest = first ? run.scale_out : (std::min)(x.smallest, run.scale_out);
        x.largest = first ? run.scale_out : (std::max)(x.largest, run.scale_out);
        basis.shortest_runtime_s = first ? run.runtime_s : (std::min)(basis.shortest_runtime_s, run.runtime_s);
        basis.longest_runtime_s = first ? run.runtime_s : (std::max)(basis.longest_runtime_s, run.runtime_s);
        first = false;
    }
}

/// The basis of a general model that is conditioned on these runs.
[[nodiscard]] inline training_basis conditioned_basis(training_basis general, std::span<const bellamy::run> runs) noexcept {
    if (runs.empty()) return general;
    widen(general, runs);
    general.observed_runs = static_cast<std::uint32_t>(runs.size());
    return general;
}

}  // namespace detail

}}  // namespace bellamy::BELLAMY_ABI

#endif
