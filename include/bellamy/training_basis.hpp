// What a model was made from, so that an answer can say what it rests on.
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

    friend bool operator==(const training_basis&, const training_basis&) = default;
};

namespace detail {

/// Widens what was seen by the scale-outs and runtimes of more runs; they are all that was seen where nothing was before.
inline void widen(training_basis& basis, std::span<const run> runs) noexcept {
    auto& x = basis.seen_scale_outs;
    bool first = basis.runs == 0 && basis.observed_runs == 0;
    for (const auto& each : runs) {
        x.smallest = first ? each.scale_out : (std::min)(x.smallest, each.scale_out);
        x.largest = first ? each.scale_out : (std::max)(x.largest, each.scale_out);
        basis.shortest_runtime_s = first ? each.runtime_s : (std::min)(basis.shortest_runtime_s, each.runtime_s);
        basis.longest_runtime_s = first ? each.runtime_s : (std::max)(basis.longest_runtime_s, each.runtime_s);
        first = false;
    }
}

}  // namespace detail

}}  // namespace bellamy::BELLAMY_ABI

#endif
