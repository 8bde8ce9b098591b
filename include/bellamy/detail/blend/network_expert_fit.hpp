// Fits the network's expert: by a training that is given, on all contexts and without each fold of them.
#ifndef BELLAMY_DETAIL_BLEND_NETWORK_EXPERT_FIT_HPP
#define BELLAMY_DETAIL_BLEND_NETWORK_EXPERT_FIT_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/network_expert.hpp>

#include <functional>
#include <optional>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Trains a network in log mode on some runs; nothing where that fails.
using network_trainer = std::function<std::optional<log_network>(std::span<const run>)>;

struct fitted_network_expert {
    network_expert expert{};
    /// About every context's own points, by a network that has not seen the context.
    std::vector<expert_answer> left_out{};
};

/// `history` holds runs of `data`'s contexts, whose number `context_of` tells. Costs one training more than there are folds.
[[nodiscard]] inline std::optional<fitted_network_expert> fit_network_expert(std::span<const run> history,
                                                                             const history_data& data,
                                                                             std::span<const std::size_t> context_of,
                                                                             const network_trainer& train, std::size_t folds,
                                                                             std::uint64_t seed) {
    const auto trained = train(history);
    if (!trained) return std::nullopt;
    fitted_network_expert made{.expert = {.network = *trained, .deviation = 1}};
    const std::size_t contexts = data.contexts.size();
    made.left_out.resize(contexts);
    std::vector<std::size_t> fold_of(contexts);
    for (std::size_t c = 0; c < contexts; ++c) fold_of[c] = c % folds;
    random_generator random(seed);
    random.shuffle(std::span(fold_of));
    std::vector<const context*> subjects(contexts, nullptr);
    for (std::size_t i = 0; i < history.size(); ++i) subjects[context_of[i]] = &history[i].context;

    double squares = 0;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<run> others;
        for (std::size_t i = 0; i < history.size(); ++i)
            if (fold_of[context_of[i]] != fold) others.push_back(history[i]);
        const auto network = train(others);
        if (!network) return std::nullopt;
        const network_expert blind{.network = *network, .deviation = 1};
        const prepared_network prepared(blind.network.parameters);
        for (std::size_t c = 0; c < contexts; ++c) {
            if (fold_of[c] != fold) continue;
            const auto points = std::span(data.points).subspan(data.contexts[c].first, data.contexts[c].count);
            std::vector<double> times;
            for (const auto& each : points) times.push_back(std::log(each.scale_out));
            made.left_out[c] = answer_of(blind, prepared, *subjects[c], times);
            for (std::size_t i = 0; i < points.size(); ++i) {
                const double off = points[i].log_runtime - made.left_out[c].mean[i];
                squares += off * off;
            }
        }
    }
    const double variance = (std::max)(squares / static_cast<double>(data.points.size()), 1e-4);
    made.expert.deviation = std::sqrt(variance);
    for (auto& each : made.left_out)
        for (std::size_t i = 0; i < each.mean.size(); ++i)
            for (std::size_t j = 0; j < each.mean.size(); ++j) each.covariance(i, j) *= variance;
    return made;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
