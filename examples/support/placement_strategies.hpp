// Strategies between which a scheduler of several sites may choose anew every hour, and the learners that choose.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_STRATEGIES_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_STRATEGIES_HPP

#include <bellamy/placement/consensus.hpp>
#include <bellamy/placement/selection.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace tools {

/// How the jobs of an hour are placed together.
enum class placement_strategy : std::uint8_t {
    analytical = 0,   // local search over all strategies of a job; for small networks
    distributed = 1,  // the data centres agree by messages
    crawlers = 2,     // at any size
};

inline constexpr std::array<std::string_view, 3> placement_strategy_names{"analytical", "distributed", "crawlers"};

/// The plan of a strategy beside the load of the network. Crawlers never fail; a job without room is left out of the plan.
/// Error of the others: too_many_strategies.
[[nodiscard]] inline bellamy::result<bellamy::placement::plan> suggest(placement_strategy strategy,
                                                                       const bellamy::placement::network& net,
                                                                       std::span<const bellamy::placement::job_graph> jobs,
                                                                       std::uint64_t seed) {
    namespace placement = bellamy::placement;
    // Some milliseconds of enumeration.
    constexpr placement::strategy_limits limits{.strategies = 10'000, .steps = 1'000'000};
    constexpr std::size_t most_enumerated_sites = 12;
    switch (strategy) {
        case placement_strategy::analytical: return placement::place_by_local_search(net, jobs, limits);
        case placement_strategy::distributed:
            return placement::place_by_consensus(
                net, jobs, {.rounds = 50, .crawled_plans = net.size() > most_enumerated_sites ? 4 : 0, .seed = seed},
                limits);
        case placement_strategy::crawlers: break;
    }
    return placement::crawl(net, jobs, {.seed = seed, .rounds = 2});
}

/// Rules that learn from costs which strategy to choose.
enum class learning_rule : std::uint8_t {
    hedge = 0,            // knows afterwards what every strategy would have cost
    regret_matching = 1,  // the same; made for prices that react to the choices
    exp3 = 2,             // knows the cost of the chosen strategy only
};

inline constexpr std::array<std::string_view, 3> learning_rule_names{"hedge", "regret-matching", "exp3"};

/// One rule of selection.hpp. Costs lie in [0, 1].
class strategy_learner {
public:
    /// Only Exp3 must know how many rounds there will be.
    strategy_learner(learning_rule rule, std::size_t choices, std::uint64_t rounds)
        : learner_(make(rule, choices, rounds)) {}

    [[nodiscard]] std::span<const double> probabilities() const {
        return std::visit([](const auto& learner) { return learner.probabilities(); }, learner_);
    }
    [[nodiscard]] std::size_t choose(bellamy::detail::random_generator& random) const {
        return std::visit([&](const auto& learner) { return learner.choose(random); }, learner_);
    }
    [[nodiscard]] bool sees_all_costs() const noexcept {
        return !std::holds_alternative<bellamy::placement::exp3>(learner_);
    }
    /// The costs of a round. Exp3 reads that of the chosen strategy.
    void update(std::size_t chosen, std::span<const double> costs) {
        if (auto* bandit = std::get_if<bellamy::placement::exp3>(&learner_)) bandit->update(chosen, costs[chosen]).value();
        if (auto* full = std::get_if<bellamy::placement::hedge>(&learner_)) full->update(costs).value();
        if (auto* full = std::get_if<bellamy::placement::regret_matching>(&learner_)) full->update(costs).value();
    }
    /// No sequence of costs gives more expected regret.
    [[nodiscard]] double regret_bound() const {
        return std::visit([](const auto& learner) { return learner.regret_bound(); }, learner_);
    }

private:
    using any_learner =
        std::variant<bellamy::placement::hedge, bellamy::placement::regret_matching, bellamy::placement::exp3>;

    [[nodiscard]] static any_learner make(learning_rule rule, std::size_t choices, std::uint64_t rounds) {
        switch (rule) {
            case learning_rule::regret_matching: return bellamy::placement::regret_matching::make(choices).value();
            case learning_rule::exp3: return bellamy::placement::exp3::make(choices, rounds).value();
            case learning_rule::hedge: break;
        }
        return bellamy::placement::hedge::make(choices).value();
    }

    any_learner learner_;
};

}  // namespace tools

#endif
