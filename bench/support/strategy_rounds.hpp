// Rounds in which one job is placed by one of several suggestions, under prices that are fixed or react to the choices; what
// rules that learn the choice lose against the best fixed one.
#ifndef BELLAMY_BENCH_STRATEGY_ROUNDS_HPP
#define BELLAMY_BENCH_STRATEGY_ROUNDS_HPP

#include <bellamy/placement/crawl.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "../../examples/support/placement_days.hpp"
#include "clock.hpp"
#include "placement_instances.hpp"

namespace bench {

namespace placement = bellamy::placement;

/// Tasks in a site, and what they add to its bill per hour at posted prices.
struct site_share {
    std::uint32_t site = 0;
    int tasks = 0;
    double added_rate = 0;
};

/// A placement of the round's job; empty where the strategy failed or found no room.
using suggested_shares = std::vector<site_share>;

struct placement_round {
    std::vector<suggested_shares> suggestions{};
    double least_rate = 0;  // no placement adds less
};

/// Suggestions for every round, which no choice changes: others' load moves by itself, and a job lasts one round.
struct suggested_rounds {
    std::vector<std::string> names{};
    std::vector<int> slots{};
    std::vector<placement_round> rounds{};
    std::vector<int> failures{};
    double suggesting_ms = 0;  // CPU time per round, all suggestions
};

namespace detail {

/// Prices follow the time of day, in the site's zone; each load moves by a slot in four rounds of ten.
class moving_sites {
public:
    moving_sites(const placement::network& net, std::uint64_t seed)
        : net_(net), random_(seed), sites_(net.data_centres().begin(), net.data_centres().end()) {}

    [[nodiscard]] placement::network next() {
        for (std::size_t i = 0; i < sites_.size(); ++i) {
            const double wave = std::sin(2 * std::numbers::pi * (round_ + static_cast<double>(i % 24)) / 24);
            sites_[i].price_per_kwh = net_[i].price_per_kwh * (1 + 0.4 * wave);
            const double move = random_.uniform();
            sites_[i].load = std::clamp(sites_[i].load + (move < 0.2 ? -1 : move < 0.4 ? 1 : 0), 0, sites_[i].slots);
        }
        ++round_;
        return placement::network::make(sites_, net_.links()).value();
    }

private:
    const placement::network& net_;
    bellamy::detail::random_generator random_;
    std::vector<placement::data_centre> sites_;
    double round_ = 0;
};

[[nodiscard]] inline suggested_shares shares_of(const placement::network& net, std::span<const std::uint32_t> where) {
    std::map<std::uint32_t, int> counts;
    for (const auto site : where) ++counts[site];
    suggested_shares shares;
    for (const auto& [site, tasks] : counts)
        shares.push_back({.site = site,
                          .tasks = tasks,
                          .added_rate = net.cost(site, net[site].load + tasks) - net.cost(site, net[site].load)});
    return shares;
}

[[nodiscard]] inline suggested_shares suggest(std::size_t k, const placement::network& net, const placement::job_graph& job,
                                              std::uint64_t seed) {
    if (k < tools::placement_strategy_names.size()) {
        const auto plan = tools::suggest(static_cast<tools::placement_strategy>(k), net, std::span(&job, 1), seed);
        return plan && plan->unplaced.empty() ? shares_of(net, plan->where.front()) : suggested_shares{};
    }
    // A single walk that starts at the crawler's home.
    const auto home = static_cast<std::uint32_t>((k * net.size()) / 8 % net.size());
    placement::crawler single(net, seed + k);
    const bool placed = single.place(job, {.walks = 1}, 16, std::span(&home, 1));
    return placed ? shares_of(net, single.where()) : suggested_shares{};
}

}  // namespace detail

/// Eight suggestions a round: those of the three strategies, and of five crawlers that start at different sites.
[[nodiscard]] inline suggested_rounds make_rounds(std::size_t sites, std::size_t count, std::uint64_t seed) {
    const placement_bench::row wanted{"rounds", sites, 4, 8, 16, 0.3, 1, 0.3, 0, placement_bench::shapes::small, 0.01};
    const auto made = placement_bench::make_instance(wanted, seed);
    suggested_rounds all;
    all.names.assign(tools::placement_strategy_names.begin(), tools::placement_strategy_names.end());
    for (int i = 1; i <= 5; ++i) all.names.push_back("crawler " + std::to_string(i));
    for (const auto& site : made.net.data_centres()) all.slots.push_back(site.slots);
    all.failures.assign(all.names.size(), 0);
    detail::moving_sites moving(made.net, seed);
    bellamy::detail::random_generator random(seed + 1);
    const double begin_ns = now_ns();
    for (std::size_t round = 0; round < count; ++round) {
        const auto net = moving.next();
        const auto job = placement_bench::small_job(random, 0);
        auto& now = all.rounds.emplace_back();
        now.least_rate = placement::pooled_bound(net, job.tasks()) - net.base_cost_rate();
        for (std::size_t k = 0; k < all.names.size(); ++k) {
            now.suggestions.push_back(detail::suggest(k, net, job, seed + round));
            if (now.suggestions.back().empty()) ++all.failures[k];
        }
    }
    all.suggesting_ms = (now_ns() - begin_ns) / 1e6 / static_cast<double>(count);
    return all;
}

/// How sites set their prices.
enum class price_kind { fixed, adaptive, turning };

/// Costs of the suggestions of a round to a rule that chooses with these probabilities, as `tools::avoidable_share`.
class suggestion_market {
public:
    suggestion_market(const suggested_rounds& all, price_kind kind) : all_(all), kind_(kind), rise_(all.slots.size(), 0) {}

    /// Adaptive: twenty tenants choose with the same probabilities, and a site doubles its price until it is full of them.
    /// Turning: from the middle on, the sites of what was the favourite then double theirs.
    [[nodiscard]] std::vector<double> costs(std::size_t number, std::span<const double> probabilities) {
        const auto& now = all_.rounds[number];
        if (number == all_.rounds.size() / 2)
            favourite_ = static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
        set_rises(number, now, probabilities);
        std::vector<double> costs;
        for (const auto& shares : now.suggestions) {
            double bill = 0;
            for (const auto& share : shares) bill += share.added_rate * (1 + rise_[share.site]);
            costs.push_back(shares.empty() ? 1 : bill > 0 ? 1 - std::clamp(now.least_rate / bill, 0.0, 1.0) : 0);
        }
        for (const auto& shares : now.suggestions)
            for (const auto& share : shares) rise_[share.site] = 0;
        return costs;
    }
    [[nodiscard]] std::size_t favourite() const noexcept { return favourite_; }

private:
    void set_rises(std::size_t number, const placement_round& now, std::span<const double> probabilities) {
        constexpr double tenants = 20;
        if (kind_ == price_kind::adaptive)
            for (std::size_t k = 0; k < probabilities.size(); ++k)
                for (const auto& share : now.suggestions[k])
                    rise_[share.site] += tenants * probabilities[k] * share.tasks / all_.slots[share.site];
        if (kind_ == price_kind::turning && number >= all_.rounds.size() / 2)
            for (const auto& share : now.suggestions[favourite_]) rise_[share.site] = 1;
        for (const auto& shares : now.suggestions)
            for (const auto& share : shares) rise_[share.site] = std::min(rise_[share.site], 1.0);
    }

    const suggested_rounds& all_;
    price_kind kind_;
    std::vector<double> rise_;  // of the sites of this round's suggestions
    std::size_t favourite_ = 0;
};

/// A rule that sets the probabilities of the next round from the costs of those before.
class choice_rule {
public:
    choice_rule() = default;
    choice_rule(const choice_rule&) = delete;
    choice_rule& operator=(const choice_rule&) = delete;
    virtual ~choice_rule() = default;
    [[nodiscard]] virtual std::span<const double> probabilities() const = 0;
    virtual void update(std::span<const double> costs) = 0;
    /// Of the regret, over the square root of the rounds; 0 where nothing is promised.
    [[nodiscard]] virtual double stated_constant(std::size_t) const { return 0; }
};

class learning_choice : public choice_rule {
public:
    learning_choice(tools::learning_rule rule, std::size_t choices, std::size_t rounds) : learner_(rule, choices, rounds) {}
    [[nodiscard]] std::span<const double> probabilities() const override { return learner_.probabilities(); }
    void update(std::span<const double> costs) override { learner_.update(learner_.choose(random_), costs); }
    [[nodiscard]] double stated_constant(std::size_t rounds) const override {
        return learner_.regret_bound() / std::sqrt(static_cast<double>(rounds));
    }

private:
    tools::strategy_learner learner_;
    bellamy::detail::random_generator random_{1};
};

/// The same probabilities always: of one suggestion, or of all.
class fixed_choice : public choice_rule {
public:
    explicit fixed_choice(std::vector<double> probabilities) : probabilities_(std::move(probabilities)) {}
    [[nodiscard]] std::span<const double> probabilities() const override { return probabilities_; }
    void update(std::span<const double>) override {}

private:
    std::vector<double> probabilities_;
};

/// What has cost the least so far.
class leader_choice : public choice_rule {
public:
    explicit leader_choice(std::size_t choices) : costs_(choices, 0), probabilities_(choices, 0) { probabilities_[0] = 1; }
    [[nodiscard]] std::span<const double> probabilities() const override { return probabilities_; }
    void update(std::span<const double> costs) override {
        for (std::size_t k = 0; k < costs.size(); ++k) costs_[k] += costs[k];
        std::ranges::fill(probabilities_, 0.0);
        probabilities_[static_cast<std::size_t>(std::ranges::min_element(costs_) - costs_.begin())] = 1;
    }

private:
    std::vector<double> costs_;
    std::vector<double> probabilities_;
};

struct played_rounds {
    double mean_cost = 0;           // expected
    double cost_after_turn = 0;     // mean of the second half
    std::vector<double> regrets{};  // expected, after so many rounds
    double stated_constant = 0;
    std::size_t noticed_after = 0;  // rounds after the middle until another suggestion is likelier than the favourite then
    double choosing_us = 0;         // CPU time of a choice
};

/// Regret is against the best fixed suggestion at the prices as they were.
[[nodiscard]] inline played_rounds play(const suggested_rounds& all, price_kind kind, choice_rule& rule,
                                        std::span<const std::size_t> counted) {
    suggestion_market market(all, kind);
    played_rounds played;
    std::vector<double> of_fixed(all.names.size(), 0);
    double expected = 0;
    double learning_ns = 0;
    const std::size_t rounds = all.rounds.size();
    for (std::size_t round = 0; round < rounds; ++round) {
        const auto costs = market.costs(round, rule.probabilities());
        double cost = 0;
        for (std::size_t k = 0; k < costs.size(); ++k) {
            cost += rule.probabilities()[k] * costs[k];
            of_fixed[k] += costs[k];
        }
        expected += cost;
        if (round >= rounds / 2) played.cost_after_turn += cost / static_cast<double>(rounds - rounds / 2);
        const double begin_ns = now_ns();
        rule.update(costs);
        learning_ns += now_ns() - begin_ns;
        const auto likeliest = std::ranges::max_element(rule.probabilities()) - rule.probabilities().begin();
        if (round >= rounds / 2 && played.noticed_after == 0 && static_cast<std::size_t>(likeliest) != market.favourite())
            played.noticed_after = round + 1 - rounds / 2;
        if (std::ranges::find(counted, round + 1) != counted.end())
            played.regrets.push_back(expected - *std::ranges::min_element(of_fixed));
    }
    played.mean_cost = expected / static_cast<double>(rounds);
    played.stated_constant = rule.stated_constant(rounds);
    played.choosing_us = learning_ns / 1000 / static_cast<double>(rounds);
    return played;
}

}  // namespace bench

#endif
