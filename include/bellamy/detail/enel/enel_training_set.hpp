// Runs that Enel's network learns from, those it is validated on, and which worker learns which.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_TRAINING_SET_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_TRAINING_SET_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/enel/enel_graph.hpp>

#include <algorithm>
#include <cmath>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Positions of the validation runs among `count` runs in the order of their scale-outs: round(linspace(1, count - 2,
/// 1 + ceil(0.2 count))), halves to even, each once. Fewer than three runs have none.
[[nodiscard]] inline std::vector<std::size_t> enel_validation_positions(std::size_t count) {
    std::vector<std::size_t> positions;
    if (count < 3) return positions;
    const std::size_t points = 1 + (count + 4) / 5;
    for (std::size_t i = 0; i < points; ++i) {
        const double at = 1 + static_cast<double>(i * (count - 3)) / static_cast<double>(points - 1);
        const double below = std::floor(at);
        double rounded = at - below > 0.5 ? below + 1 : below;
        if (at - below == 0.5 && std::fmod(below, 2) == 1) rounded = below + 1;
        positions.push_back(static_cast<std::size_t>(rounded));
    }
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
}

/// Runs to learn from, those to validate on, and their batches.
struct enel_training_set {
    std::vector<enel_run> runs{};  // the history of all others
    enel_scaler scaler{};
    std::vector<enel_batch> training{};
    std::vector<enel_batch> validation{};

    /// Precondition: at least one run, each with at least one job.
    [[nodiscard]] static enel_training_set of(std::vector<enel_run> all) {
        sort_stably(all, [](const enel_run& a, const enel_run& b) {
            return a.jobs.front().mean_scale_out() < b.jobs.front().mean_scale_out();
        });
        enel_training_set set;
        std::vector<enel_run> held_out;
        const auto positions = enel_validation_positions(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool validates = std::find(positions.begin(), positions.end(), i) != positions.end();
            (validates ? held_out : set.runs).push_back(std::move(all[i]));
        }
        set.scaler = enel_scaler::of(set.runs);
        for (std::size_t i = 0; i < set.runs.size(); ++i)
            set.training.push_back(batch_of(set.runs, set.runs[i], i, set.scaler));
        for (const auto& each : held_out) set.validation.push_back(batch_of(set.runs, each, set.runs.size(), set.scaler));
        return set;
    }
};

/// Deals the training runs, which stand in the order of their scale-outs, to the workers: each has one of every so many
/// neighbours, so that shares differ by one run at most. Draws nothing for one worker.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> enel_shares(std::size_t runs, std::size_t workers,
                                                                       random_generator& random) {
    std::vector<std::size_t> order(runs);
    for (std::size_t i = 0; i < runs; ++i) order[i] = i;
    if (workers == 1) return {order};
    std::vector<std::vector<std::size_t>> shares(workers);
    for (std::size_t first = 0; first < runs; first += workers) {
        const auto neighbours = std::span(order).subspan(first, (std::min)(workers, runs - first));
        random.shuffle(neighbours);
        for (std::size_t i = 0; i < neighbours.size(); ++i) shares[i].push_back(neighbours[i]);
    }
    return shares;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
