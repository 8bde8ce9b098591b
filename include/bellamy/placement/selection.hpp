// Repeated choice among suggested strategies whose prices are learned while choosing, with bounds on the regret.
#ifndef BELLAMY_PLACEMENT_SELECTION_HPP
#define BELLAMY_PLACEMENT_SELECTION_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/random.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {

/// The first choice whose probabilities, summed up to it, exceed a uniform number.
[[nodiscard]] inline std::size_t draw(std::span<const double> probabilities, double uniform) noexcept {
    for (std::size_t k = 0; k + 1 < probabilities.size(); ++k)
        if ((uniform -= probabilities[k]) < 0) return k;
    return probabilities.size() - 1;
}

[[nodiscard]] inline result<void> validate_choices(std::size_t choices, std::uint64_t horizon) noexcept {
    using bellamy::detail::fail;
    if (choices == 0) return fail(errc::empty_candidates, "expected at least one strategy to choose, found none");
    if (choices > 100'000'000) return fail(errc::invalid_option, "expected at most 100,000,000 strategies, found ", choices);
    if (horizon > (std::uint64_t{1} << 53U))
        return fail(errc::invalid_option, "expected at most 2^53 rounds, found ", horizon);
    return {};
}

/// Costs are parts of a known upper bound; none is clipped.
[[nodiscard]] inline result<void> validate_cost(double cost, std::size_t k) noexcept {
    if (cost >= 0 && cost <= 1) return {};
    return bellamy::detail::fail(errc::invalid_option, "expected a cost from 0 to 1 of strategy ", k, ", found ", cost);
}

[[nodiscard]] inline result<void> validate_costs(std::span<const double> costs, std::size_t choices) noexcept {
    if (costs.size() != choices)
        return bellamy::detail::fail(errc::invalid_option, "expected costs of ", choices, " strategies, found ",
                                     costs.size());
    for (std::size_t k = 0; k < choices; ++k)
        if (auto valid = validate_cost(costs[k], k); !valid) return valid.error();
    return {};
}

/// exp(w) / sum exp(w), without overflow.
inline void softmax(std::span<const double> weights, double factor, std::span<double> probabilities) noexcept {
    double most = factor * weights[0];
    for (const double each : weights) most = (std::max)(most, factor * each);
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) sum += probabilities[k] = std::exp(factor * weights[k] - most);
    for (double& each : probabilities) each /= sum;
}

/// Costs so far of the own choices in expectation, and of each fixed choice.
class regret_account {
public:
    explicit regret_account(std::size_t choices) : of_choice_(choices, 0) {}

    void add(std::span<const double> probabilities, std::span<const double> costs) noexcept {
        for (std::size_t k = 0; k < costs.size(); ++k) {
            own_ += probabilities[k] * costs[k];
            of_choice_[k] += costs[k];
        }
    }
    [[nodiscard]] double regret() const noexcept { return own_ - *std::min_element(of_choice_.begin(), of_choice_.end()); }

private:
    double own_ = 0;
    std::vector<double> of_choice_;
};

}  // namespace detail

/// Published prices: every strategy's cost is seen. Multiplicative weights; the expected regret stays below `regret_bound`
/// whatever the costs. Costs lie in [0, 1]. After `make`, nothing allocates. Not to be shared between threads.
class hedge {
public:
    /// Without a horizon, epochs of 1, 2, 4, ... rounds, each starting anew. Errors: empty_candidates, invalid_option.
    [[nodiscard]] static result<hedge> make(std::size_t choices, std::uint64_t horizon = 0) {
        if (auto valid = detail::validate_choices(choices, horizon); !valid) return valid.error();
        return hedge(choices, horizon);
    }

    [[nodiscard]] std::span<const double> probabilities() const noexcept { return probabilities_; }
    [[nodiscard]] double learning_rate() const noexcept { return eta_; }
    [[nodiscard]] std::size_t choose(bellamy::detail::random_generator& random) const noexcept {
        return detail::draw(probabilities_, random.uniform());
    }

    /// One round: the costs of all strategies. Nothing changes on error: invalid_option.
    [[nodiscard]] result<void> update(std::span<const double> costs) noexcept {
        if (auto valid = detail::validate_costs(costs, probabilities_.size()); !valid) return valid;
        account_.add(probabilities_, costs);
        for (std::size_t k = 0; k < costs.size(); ++k) costs_[k] += costs[k];
        ++rounds_;
        if (horizon_ == 0 && ++rounds_of_epoch_ == epoch_) start_epoch(2 * epoch_);
        detail::softmax(costs_, -eta_, probabilities_);
        return {};
    }

    /// So far, in expectation, against the best fixed strategy.
    [[nodiscard]] double regret() const noexcept { return account_.regret(); }
    /// Of the expected regret at the horizon or, without one, so far.
    [[nodiscard]] double regret_bound() const noexcept {
        const double log_choices = std::log(static_cast<double>(probabilities_.size()));
        if (horizon_ > 0) return std::sqrt(static_cast<double>(horizon_) * log_choices / 2);
        const double root = std::sqrt(2.0);
        return root / (root - 1) * std::sqrt(static_cast<double>(rounds_) * log_choices / 2);
    }

private:
    hedge(std::size_t choices, std::uint64_t horizon)
        : probabilities_(choices, 1.0 / static_cast<double>(choices)),
          costs_(choices, 0),
          account_(choices),
          horizon_(horizon) {
        start_epoch(horizon > 0 ? horizon : 1);
    }
    void start_epoch(std::uint64_t length) noexcept {
        epoch_ = length;
        rounds_of_epoch_ = 0;
        eta_ = std::sqrt(8 * std::log(static_cast<double>(probabilities_.size())) / static_cast<double>(length));
        std::fill(costs_.begin(), costs_.end(), 0);
    }

    std::vector<double> probabilities_;
    std::vector<double> costs_;  // of the epoch
    detail::regret_account account_;
    std::uint64_t horizon_;
    std::uint64_t epoch_ = 1;
    std::uint64_t rounds_of_epoch_ = 0;
    std::uint64_t rounds_ = 0;
    double eta_ = 0;
};

/// Only the own bill is seen: the cost of the chosen strategy. Costs lie in [0, 1]. After `make`, nothing allocates. Not to
/// be shared between threads.
class exp3 {
public:
    /// Errors: empty_candidates, invalid_option (no horizon).
    [[nodiscard]] static result<exp3> make(std::size_t choices, std::uint64_t horizon) {
        if (auto valid = detail::validate_choices(choices, horizon); !valid) return valid.error();
        if (horizon == 0)
            return bellamy::detail::fail(errc::invalid_option, "expected a horizon of at least 1 round, found 0");
        return exp3(choices, horizon);
    }

    [[nodiscard]] std::span<const double> probabilities() const noexcept { return probabilities_; }
    [[nodiscard]] double exploration() const noexcept { return gamma_; }
    [[nodiscard]] std::size_t choose(bellamy::detail::random_generator& random) const noexcept {
        return detail::draw(probabilities_, random.uniform());
    }

    /// One round: what the chosen strategy cost. Nothing changes on error: invalid_option.
    [[nodiscard]] result<void> update(std::size_t chosen, double cost) noexcept {
        if (chosen >= weights_.size())
            return bellamy::detail::fail(errc::invalid_option, "expected a strategy below ", weights_.size(), ", found ",
                                         chosen);
        if (auto valid = detail::validate_cost(cost, chosen); !valid) return valid;
        weights_[chosen] += gamma_ / static_cast<double>(weights_.size()) * (1 - cost) / probabilities_[chosen];
        mix();
        return {};
    }

    /// Of the expected regret at the horizon.
    [[nodiscard]] double regret_bound() const noexcept {
        const auto choices = static_cast<double>(weights_.size());
        return 2 * std::sqrt((std::exp(1.0) - 1) * static_cast<double>(horizon_) * choices * std::log(choices));
    }

private:
    exp3(std::size_t choices, std::uint64_t horizon) : probabilities_(choices), weights_(choices, 0), horizon_(horizon) {
        const auto count = static_cast<double>(choices);
        gamma_ = (std::min)(1.0, std::sqrt(count * std::log(count) / ((std::exp(1.0) - 1) * static_cast<double>(horizon))));
        mix();
    }
    void mix() noexcept {
        detail::softmax(weights_, 1, probabilities_);
        for (double& each : probabilities_) each = (1 - gamma_) * each + gamma_ / static_cast<double>(weights_.size());
    }

    std::vector<double> probabilities_;
    std::vector<double> weights_;
    std::uint64_t horizon_;
    double gamma_ = 1;
};

/// Prices move with everybody's load. When all choose so, their joint play tends to the coarse correlated equilibria. Costs
/// are what each strategy would have cost, the others' choices as they were; they lie in [0, 1]. After `make`, nothing
/// allocates. Not to be shared between threads.
class regret_matching {
public:
    /// Errors: empty_candidates, invalid_option.
    [[nodiscard]] static result<regret_matching> make(std::size_t choices) {
        if (auto valid = detail::validate_choices(choices, 0); !valid) return valid.error();
        return regret_matching(choices);
    }

    [[nodiscard]] std::span<const double> probabilities() const noexcept { return probabilities_; }
    /// Of not having chosen each strategy always.
    [[nodiscard]] std::span<const double> regrets() const noexcept { return regrets_; }
    [[nodiscard]] std::size_t choose(bellamy::detail::random_generator& random) const noexcept {
        return detail::draw(probabilities_, random.uniform());
    }

    /// One round. Nothing changes on error: invalid_option.
    [[nodiscard]] result<void> update(std::span<const double> costs) noexcept {
        if (auto valid = detail::validate_costs(costs, regrets_.size()); !valid) return valid;
        double own = 0;
        for (std::size_t k = 0; k < costs.size(); ++k) own += probabilities_[k] * costs[k];
        double positive = 0;
        for (std::size_t k = 0; k < costs.size(); ++k) {
            regrets_[k] += own - costs[k];
            positive += (std::max)(0.0, regrets_[k]);
        }
        ++rounds_;
        for (std::size_t k = 0; k < costs.size(); ++k)
            probabilities_[k] =
                positive > 0 ? (std::max)(0.0, regrets_[k]) / positive : 1.0 / static_cast<double>(probabilities_.size());
        return {};
    }

    /// So far, in expectation, against the best fixed strategy.
    [[nodiscard]] double regret() const noexcept { return *std::max_element(regrets_.begin(), regrets_.end()); }
    /// Of the regret so far, whatever the costs.
    [[nodiscard]] double regret_bound() const noexcept {
        return std::sqrt(static_cast<double>(rounds_) * static_cast<double>(regrets_.size()));
    }

private:
    explicit regret_matching(std::size_t choices)
        : probabilities_(choices, 1.0 / static_cast<double>(choices)), regrets_(choices, 0) {}

    std::vector<double> probabilities_;
    std::vector<double> regrets_;
    std::uint64_t rounds_ = 0;
};

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
