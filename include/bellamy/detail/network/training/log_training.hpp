// Runs as training in log mode sees them.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_LOG_TRAINING_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_LOG_TRAINING_HPP

#include <bellamy/detail/context/features_fit.hpp>
#include <bellamy/detail/network/log_network.hpp>
#include <bellamy/detail/network/training/training_set.hpp>

#include <algorithm>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Fine-tuning in log mode is content with a mean error of 1 %.
inline constexpr double log_target_error = 0.01 * log_target::unit;

/// Features and target of a history, and no parameters yet. Precondition: `schema_of(history)` succeeds.
[[nodiscard]] inline log_network prepare_log_network(std::span<const run> history) {
    log_network made{.parameters = network<>(0), .features = make_feature_map(group_runs(history))};
    const auto [shortest, longest] = std::minmax_element(
        history.begin(), history.end(), [](const run& a, const run& b) { return a.runtime_s < b.runtime_s; });
    made.target = {.lowest_log_runtime = std::log(shortest->runtime_s), .highest_log_runtime = std::log(longest->runtime_s)};
    return made;
}

/// The history's runs with log-runtimes for targets and numbers beside the codes.
[[nodiscard]] inline training_set<float, dimensions{}> make_log_training_set(std::span<const run> history,
                                                                             const log_network& shape) {
    auto set = make_training_set<float, dimensions{}>(history);
    const number_slots slots(shape.features);
    set.numbers.resize(static_cast<Eigen::Index>(slots.slots() * number_slots::per_slot),
                       static_cast<Eigen::Index>(history.size()));
    for (std::size_t i = 0; i < history.size(); ++i) {
        auto numbers = slots.of(history[i].context);
        if (!numbers.empty()) numbers.front() += slots.pressure_at(history[i].scale_out);
        for (std::size_t k = 0; k < numbers.size(); ++k)
            set.numbers(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = static_cast<float>(numbers[k]);
        set.runtimes_s[i] = static_cast<float>(shape.target.of_runtime(history[i].runtime_s));
    }
    return set;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
