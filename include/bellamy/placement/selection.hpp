// Online choice among strategies whose costs are learned by use: Hedge, Exp3 and regret matching, with regret bounds.
#ifndef BELLAMY_PLACEMENT_SELECTION_HPP
#define BELLAMY_PLACEMENT_SELECTION_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/base/sort.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {
using namespace bellamy::detail;  // NOLINT(google-build-using-namespace): its helpers are those of placement too

/// Probabilities of the strategies; uniform at first.
class mixed_strategy {
public:
    [[nodiscard]] std::span<const double> probabilities() const noexcept { return probabilities_; }
    /// Draws a strategy by inversion of the cumulative probabilities.
    [[nodiscard]] size_t choose(random_generator& random) const noexcept { return random.index(probabilities_, 1); }

protected:
    explicit mixed_strategy(size_t choices) : probabilities_(choices, 1.0 / static_cast<double>(choices)) {}

    std::vector<double> probabilities_;
};

inline result<void> validate_choices(size_t choices, std::uint64_t horizon) noexcept {
    if (choices == 0) return fail(errc::empty_candidates, "expected at least one strategy to choose, found none");
    if (choices > 100'000'000) return fail(errc::invalid_option, "expected at most 100,000,000 strategies, found ", choices);
    if (horizon > (std::uint64_t{1} << 53U))
        return fail(errc::invalid_option, "expected at most 2^53 rounds, found ", horizon);
    return {};
}

/// Costs are scaled by a known upper bound; none is clipped.
inline result<void> validate_cost(double cost, size_t k) noexcept {
    if (cost >= 0 && cost <= 1) return {};
    return fail(errc::invalid_option, "expected a cost from 0 to 1 of strategy ", k, ", found ", cost);
}

inline result<void> validate_costs(std::span<const double> costs, size_t choices) noexcept {
    if (costs.size() != choices)
        return fail(errc::invalid_option, "expected costs of ", choices, " strategies, found ", costs.size());
    for (size_t k = 0; k < choices; ++k)
        if (auto valid = validate_cost(costs[k], k); !valid) return valid;
    return {};
}

/// exp(factor w) / sum exp(factor w), without overflow.
inline void softmax(std::span<const double> weights, double factor, std::span<double> probabilities) noexcept {
    double largest = factor * weights[0];
    for (const double weight : weights) largest = (std::max)(largest, factor * weight);
    double sum = 0;
    for (size_t k = 0; k < weights.size(); ++k) sum += probabilities[k] = std::exp(factor * weights[k] - largest);
    for (double& probability : probabilities) probability /= sum;
}

/// Regret so far: expected cost of the choices minus the cost of the best fixed choice.
class regret_account {
public:
    explicit regret_account(size_t choices) : fixed_costs_(choices, 0) {}

    void add(std::span<const double> probabilities, std::span<const double> costs) noexcept {
        for (size_t k = 0; k < costs.size(); ++k) {
            expected_cost_ += probabilities[k] * costs[k];
            fixed_costs_[k] += costs[k];
        }
    }
    [[nodiscard]] double regret() const noexcept {
        return expected_cost_ - *std::min_element(fixed_costs_.begin(), fixed_costs_.end());
    }

private:
    double expected_cost_ = 0;
    std::vector<double> fixed_costs_;
};

}  // namespace detail

/// Hedge (multiplicative weights) for full information, where the cost of every strategy is known after a round. The
/// expected regret stays below `regret_bound` for any costs. Costs lie in [0, 1]. After `make`, nothing allocates. Not to be
/// shared between threads.
class hedge : public detail::mixed_strategy {
public:
    /// Without a horizon, epochs of 1, 2, 4, ... rounds, each starting anew. Errors: empty_candidates, invalid_option.
    static result<hedge> make(size_t choices, std::uint64_t horizon = 0) {
        if (auto valid = detail::validate_choices(choices, horizon); !valid) return valid.error();
        return hedge(choices, horizon);
    }

    /// One round: the costs of all strategies. Nothing changes on error: invalid_option.
    result<void> update(std::span<const double> costs) noexcept {
        if (auto valid = detail::validate_costs(costs, probabilities_.size()); !valid) return valid;
        account_.add(probabilities_, costs);
        for (size_t k = 0; k < costs.size(); ++k) costs_[k] += costs[k];
        ++rounds_;
        if (horizon_ == 0 && ++rounds_of_epoch_ == epoch_) start_epoch(2 * epoch_);
        detail::softmax(costs_, -eta_, probabilities_);
        return {};
    }

    /// Cumulative regret so far, expected over the mixed strategy, against the best fixed strategy.
    [[nodiscard]] double regret() const noexcept { return account_.regret(); }
    /// Bound of the expected regret at the horizon or, without one, so far.
    [[nodiscard]] double regret_bound() const noexcept {
        const double log_choices = std::log(detail::count_of(probabilities_));
        if (horizon_ > 0) return std::sqrt(static_cast<double>(horizon_) * log_choices / 2);
        const double root = std::sqrt(2.0);
        return root / (root - 1) * std::sqrt(static_cast<double>(rounds_) * log_choices / 2);
    }

private:
    hedge(size_t choices, std::uint64_t horizon)
        : mixed_strategy(choices), costs_(choices, 0), account_(choices), horizon_(horizon) {
        start_epoch(horizon > 0 ? horizon : 1);
    }
    void start_epoch(std::uint64_t length) noexcept {
        epoch_ = length;
        rounds_of_epoch_ = 0;
        eta_ = std::sqrt(8 * std::log(detail::count_of(probabilities_)) / static_cast<double>(length));
        costs_.assign(costs_.size(), 0);
    }

    std::vector<double> costs_;  // of the epoch
    detail::regret_account account_;
    std::uint64_t horizon_;
    std::uint64_t epoch_ = 1;
    std::uint64_t rounds_of_epoch_ = 0;
    std::uint64_t rounds_ = 0;
    double eta_ = 0;
};

/// Exp3 for bandit feedback, where only the cost of the chosen strategy is known. Costs lie in [0, 1]. After `make`, nothing
/// allocates. Not to be shared between threads.
class exp3 : public detail::mixed_strategy {
public:
    /// Errors: empty_candidates, invalid_option (no horizon).
    static result<exp3> make(size_t choices, std::uint64_t horizon) {
        if (auto valid = detail::validate_choices(choices, horizon); !valid) return valid.error();
        if (horizon == 0) return detail::fail(errc::invalid_option, "expected a horizon of at least 1 round, found 0");
        return exp3(choices, horizon);
    }

    /// One round: the cost of the chosen strategy. Nothing changes on error: invalid_option.
    result<void> update(size_t chosen, double cost) noexcept {
        if (chosen >= weights_.size())
            return detail::fail(errc::invalid_option, "expected a strategy below ", weights_.size(), ", found ", chosen);
        if (auto valid = detail::validate_cost(cost, chosen); !valid) return valid;
        weights_[chosen] += gamma_ / detail::count_of(weights_) * (1 - cost) / probabilities_[chosen];
        mix();
        return {};
    }

    /// Bound of the expected regret at the horizon.
    [[nodiscard]] double regret_bound() const noexcept {
        const auto choices = detail::count_of(weights_);
        return 2 * std::sqrt((std::exp(1.0) - 1) * static_cast<double>(horizon_) * choices * std::log(choices));
    }

private:
    exp3(size_t choices, std::uint64_t horizon) : mixed_strategy(choices), weights_(choices, 0), horizon_(horizon) {
        const auto count = static_cast<double>(choices);
        gamma_ = (std::min)(1.0, std::sqrt(count * std::log(count) / ((std::exp(1.0) - 1) * static_cast<double>(horizon))));
        mix();
    }
    void mix() noexcept {
        detail::softmax(weights_, 1, probabilities_);
        for (double& probability : probabilities_)
            probability = (1 - gamma_) * probability + gamma_ / detail::count_of(weights_);
    }

    std::vector<double> weights_;
    std::uint64_t horizon_;
    double gamma_ = 1;
};

/// Regret matching, for prices that depend on the choices of all. If all players use it, their joint play tends to the
/// coarse correlated equilibria. Costs are those that each strategy would have had, given the others' choices; they lie in
/// [0, 1]. After `make`, nothing allocates. Not to be shared between threads.
class regret_matching : public detail::mixed_strategy {
public:
    /// Errors: empty_candidates, invalid_option.
    static result<regret_matching> make(size_t choices) {
        if (auto valid = detail::validate_choices(choices, 0); !valid) return valid.error();
        return regret_matching(choices);
    }

    /// One round. Nothing changes on error: invalid_option.
    result<void> update(std::span<const double> costs) noexcept {
        if (auto valid = detail::validate_costs(costs, regrets_.size()); !valid) return valid;
        double expected = 0;
        for (size_t k = 0; k < costs.size(); ++k) expected += probabilities_[k] * costs[k];
        double positive = 0;
        for (size_t k = 0; k < costs.size(); ++k) {
            regrets_[k] += expected - costs[k];
            positive += (std::max)(0.0, regrets_[k]);
        }
        ++rounds_;
        for (size_t k = 0; k < costs.size(); ++k)
            probabilities_[k] =
                positive > 0 ? (std::max)(0.0, regrets_[k]) / positive : 1.0 / detail::count_of(probabilities_);
        return {};
    }

    /// Cumulative regret so far, expected over the mixed strategy, against the best fixed strategy.
    [[nodiscard]] double regret() const noexcept { return *std::max_element(regrets_.begin(), regrets_.end()); }
    /// Bound of the regret so far, for any costs in [0, 1].
    [[nodiscard]] double regret_bound() const noexcept {
        return std::sqrt(static_cast<double>(rounds_) * detail::count_of(regrets_));
    }

private:
    explicit regret_matching(size_t choices) : mixed_strategy(choices), regrets_(choices, 0) {}

    std::vector<double> regrets_;
    std::uint64_t rounds_ = 0;
};

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
