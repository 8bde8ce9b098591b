// Jobs that arrive at several sites and end, hour by hour, placed by a strategy that is chosen anew every hour.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_DAYS_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_DAYS_HPP

#include <bellamy/detail/base/random.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement_arrivals.hpp"
#include "placement_strategies.hpp"

namespace tools {

/// The bill of an hour: power at the price of each site, which rises with the share of its slots that is taken.
class power_market {
public:
    /// Until all slots are taken, a price rises by the factor 1 + reaction.
    power_market(const bellamy::placement::network& net, const hourly_prices& prices, double reaction)
        : prices_(prices), reaction_(reaction), at_price_one_(with(net, net.load(), [](std::size_t) { return 1.0; })) {}

    /// The network as strategies see it at the start of an hour: prices of the present load.
    [[nodiscard]] bellamy::placement::network posted(int hour, std::span<const int> load) const {
        return with(at_price_one_, load, [&](std::size_t site) { return prices_.at(hour, site) * rise(site, load[site]); });
    }
    /// Currency per hour at a load, of one site.
    [[nodiscard]] double cost_rate(int hour, std::size_t site, int load) const noexcept {
        return prices_.at(hour, site) * reacting_power(site, load);
    }
    /// The same of all sites.
    [[nodiscard]] double cost_rate(int hour, std::span<const int> load) const noexcept {
        double sum = 0;
        for (std::size_t i = 0; i < load.size(); ++i) sum += cost_rate(hour, i, load[i]);
        return sum;
    }
    [[nodiscard]] const bellamy::placement::network& at_price_one() const noexcept { return at_price_one_; }

private:
    [[nodiscard]] static bellamy::placement::network with(const bellamy::placement::network& net, std::span<const int> load,
                                                          const auto& price_of) {
        std::vector<bellamy::placement::data_centre> sites(net.data_centres().begin(), net.data_centres().end());
        for (std::size_t i = 0; i < sites.size(); ++i) {
            sites[i].load = load[i];
            sites[i].price_per_kwh = price_of(i);
        }
        return bellamy::placement::network::make(sites, net.links()).value();
    }
    [[nodiscard]] double rise(std::size_t site, int load) const noexcept {
        const int slots = at_price_one_[site].slots;
        return slots == 0 ? 1 : 1 + reaction_ * load / slots;
    }
    [[nodiscard]] double reacting_power(std::size_t site, int load) const noexcept {
        return at_price_one_.cost(site, load) * rise(site, load);
    }

    const hourly_prices& prices_;
    double reaction_;
    bellamy::placement::network at_price_one_;
};

/// Cost of a plan to a learner, from 0 to 1: the share of its bill above a lower bound of any plan's, where a job that is
/// left out counts as if its share were avoidable. Every price is at least the posted one.
[[nodiscard]] inline double avoidable_share(const bellamy::placement::network& posted,
                                            std::span<const bellamy::placement::job_graph> graphs,
                                            const bellamy::placement::plan& plan, double bill) {
    std::uint64_t tasks = 0;
    std::uint64_t placed = 0;
    for (std::uint32_t job = 0; job < graphs.size(); ++job) {
        tasks += graphs[job].tasks();
        if (plan.places(job)) placed += graphs[job].tasks();
    }
    if (placed == 0) return tasks > 0 ? 1 : 0;
    const double least = bellamy::placement::pooled_bound(posted, placed) - posted.base_cost_rate();
    // Rounding can lead beyond the bounds.
    const double unavoidable = bill > 0 ? std::clamp(least / bill, 0.0, 1.0) : 1;
    return 1 - unavoidable * static_cast<double>(placed) / static_cast<double>(tasks);
}

struct strategy_totals {
    int hours = 0;  // in which it was chosen
    int jobs = 0;
    double cost = 0;   // of the jobs that it placed, until they end
    int failures = 0;  // hours in which crawlers had to place the jobs that it could not
    std::string why_failed{};
};

struct hour_record {
    int hour = 0;
    std::optional<std::size_t> strategy{};  // none where no job arrived
    std::size_t arrived = 0;
    std::size_t running = 0;
    double cost = 0;
    std::vector<double> probabilities{};  // before the choice
};

/// What a walk through all hours cost.
struct days_walked {
    double cost = 0;  // that the jobs add
    std::size_t jobs = 0;
    std::size_t left_out = 0;  // jobs without room
    std::size_t rounds = 0;    // hours in which jobs arrived
    std::vector<strategy_totals> strategies = std::vector<strategy_totals>(placement_strategy_names.size());
    std::vector<hour_record> hours{};
    /// Of the avoidable shares in the hours as they went, against the best strategy; none for a rule that sees one share
    /// only.
    std::optional<double> expected_regret{};
    std::optional<double> regret_bound{};

    [[nodiscard]] bool better_than(const days_walked& other) const noexcept {
        return left_out != other.left_out ? left_out < other.left_out : cost < other.cost;
    }
    [[nodiscard]] bool failed() const noexcept {
        return std::ranges::any_of(strategies, [](const auto& each) { return each.failures > 0; });
    }
};

/// One walk: the state of the sites, and the strategy of every hour, learned or fixed.
class day_walker {
public:
    day_walker(const power_market& market, std::span<const arriving_job> jobs, std::uint64_t seed)
        : market_(market),
          net_(market.at_price_one()),
          jobs_(jobs),
          seed_(seed),
          random_(seed),
          load_(net_.load().begin(), net_.load().end()) {
        for (std::size_t begin = 0; begin < jobs_.size(); begin = end_of_hour(begin)) ++walked_.rounds;
        walked_.jobs = jobs_.size();
    }

    /// With the same strategy in every hour.
    [[nodiscard]] days_walked always(std::size_t strategy) && {
        walk([&](const arrivals& now) { return round{.chosen = strategy, .suggested = suggestion(strategy, now)}; });
        return std::move(walked_);
    }

    /// With the strategy that a rule chooses. `progress` gets the share that is done.
    [[nodiscard]] days_walked learned(learning_rule rule, const auto& progress) && {
        constexpr std::size_t choices = placement_strategy_names.size();
        strategy_learner learner(rule, choices, walked_.rounds);
        std::vector<double> of_fixed(choices, 0);
        double expected = 0;
        walk([&](const arrivals& now) {
            progress(static_cast<double>(next_) / static_cast<double>(jobs_.size()));
            const std::size_t chosen = learner.choose(random_);
            round played{.chosen = chosen, .suggested = suggestion(chosen, now)};
            played.probabilities.assign(learner.probabilities().begin(), learner.probabilities().end());
            std::vector<double> costs(choices, 0);
            costs[chosen] = played.suggested.cost;
            for (std::size_t k = 0; learner.sees_all_costs() && k < choices; ++k) {
                if (k != chosen) costs[k] = suggestion(k, now).cost;
                of_fixed[k] += costs[k];
                expected += played.probabilities[k] * costs[k];
            }
            learner.update(chosen, costs);
            return played;
        });
        if (learner.sees_all_costs()) walked_.expected_regret = expected - *std::ranges::min_element(of_fixed);
        walked_.regret_bound = learner.regret_bound();
        return std::move(walked_);
    }

private:
    struct suggested_plan {
        bellamy::placement::plan plan{};
        double cost = 0;  // as the learner sees it
        std::string why_failed{};
    };
    struct arrivals {
        int hour = 0;
        std::span<const bellamy::placement::job_graph> graphs{};
        const bellamy::placement::network& posted;  // with the prices that strategies see
    };
    struct round {
        std::size_t chosen = 0;
        suggested_plan suggested{};
        std::vector<double> probabilities{};
    };
    struct running_job {
        int ends_h = 0;
        std::size_t strategy = 0;
        std::vector<std::uint32_t> where{};
        double traffic = 0;  // currency per hour
    };

    [[nodiscard]] std::size_t end_of_hour(std::size_t begin) const noexcept {
        std::size_t end = begin;
        while (end < jobs_.size() && jobs_[end].arrives_h == jobs_[begin].arrives_h) ++end;
        return end;
    }

    [[nodiscard]] double traffic_of(const bellamy::placement::job_graph& job, std::span<const std::uint32_t> where) const {
        double traffic = 0;
        for (const auto& edge : job.edges()) traffic += edge.traffic * net_.traffic_price(where[edge.a], where[edge.b]);
        return traffic;
    }

    /// The plan of a strategy and its bill. One that fails costs 1, and crawlers place its jobs.
    [[nodiscard]] suggested_plan suggestion(std::size_t strategy, const arrivals& now) const {
        const auto seed = seed_ + static_cast<std::uint64_t>(now.hour);
        auto made = suggest(static_cast<placement_strategy>(strategy), now.posted, now.graphs, seed);
        if (!made)
            return {.plan = suggest(placement_strategy::crawlers, now.posted, now.graphs, seed).value(),
                    .cost = 1,
                    .why_failed = fmt::format("{}: {}", to_string(made.error().code()), made.error().message())};
        const double cost = avoidable_share(now.posted, now.graphs, *made, bill(now, *made));
        return {.plan = *std::move(made), .cost = cost};
    }

    [[nodiscard]] double bill(const arrivals& now, const bellamy::placement::plan& plan) const {
        double bill = market_.cost_rate(now.hour, plan.load) - market_.cost_rate(now.hour, load_);
        for (std::uint32_t job = 0; job < now.graphs.size(); ++job)
            if (plan.places(job)) bill += traffic_of(now.graphs[job], plan.where[job]);
        return bill;
    }

    void walk(const auto& choose) {
        const int last_h = std::ranges::max(jobs_, {}, &arriving_job::ends_h).ends_h;
        for (int hour = jobs_.front().arrives_h; hour < last_h; ++hour) {
            free_slots(hour);
            hour_record record{.hour = hour};
            if (next_ < jobs_.size() && jobs_[next_].arrives_h == hour) place_arrivals(record, choose);
            record.running = running_.size();
            record.cost = charge(hour);
            walked_.cost += record.cost;
            walked_.hours.push_back(std::move(record));
        }
    }

    void free_slots(int hour) {
        std::erase_if(running_, [&](const running_job& job) {
            if (job.ends_h > hour) return false;
            for (const auto site : job.where) --load_[site];
            return true;
        });
    }

    void place_arrivals(hour_record& record, const auto& choose) {
        const std::size_t end = end_of_hour(next_);
        std::vector<bellamy::placement::job_graph> graphs;
        for (std::size_t i = next_; i < end; ++i) graphs.push_back(jobs_[i].graph);
        const auto posted = market_.posted(record.hour, load_);
        round now = choose(arrivals{.hour = record.hour, .graphs = graphs, .posted = posted});
        auto& totals = walked_.strategies[now.chosen];
        ++totals.hours;
        if (!now.suggested.why_failed.empty() && totals.failures++ == 0) totals.why_failed = now.suggested.why_failed;
        for (std::uint32_t job = 0; job < graphs.size(); ++job) {
            if (!now.suggested.plan.places(job)) {
                ++walked_.left_out;
                continue;
            }
            const auto& where = now.suggested.plan.where[job];
            for (const auto site : where) ++load_[site];
            running_.push_back({.ends_h = jobs_[next_ + job].ends_h,
                                .strategy = now.chosen,
                                .where = where,
                                .traffic = traffic_of(graphs[job], where)});
            ++totals.jobs;
        }
        record.strategy = now.chosen;
        record.arrived = graphs.size();
        record.probabilities = std::move(now.probabilities);
        next_ = end;
    }

    /// What the running jobs add to an hour. The power of each site is divided among them by their slots.
    [[nodiscard]] double charge(int hour) {
        std::vector<double> per_slot(load_.size(), 0);
        for (std::size_t i = 0; i < load_.size(); ++i)
            if (const int own = load_[i] - net_[i].load; own > 0)
                per_slot[i] = (market_.cost_rate(hour, i, load_[i]) - market_.cost_rate(hour, i, net_[i].load)) / own;
        double cost = 0;
        for (const auto& job : running_) {
            double of_job = job.traffic;
            for (const auto site : job.where) of_job += per_slot[site];
            walked_.strategies[job.strategy].cost += of_job;
            cost += of_job;
        }
        return cost;
    }

    const power_market& market_;
    const bellamy::placement::network& net_;
    std::span<const arriving_job> jobs_;
    std::uint64_t seed_;
    bellamy::detail::random_generator random_;
    std::vector<int> load_;
    std::vector<running_job> running_{};
    std::size_t next_ = 0;  // the first job that has not arrived
    days_walked walked_{};
};

/// A walk in which a rule chooses the strategy, and one with each strategy alone.
struct days_compared {
    learning_rule rule = learning_rule::hedge;
    days_walked learned{};
    std::vector<days_walked> always{};

    /// The best fixed strategy in hindsight: the fewest jobs left out, then the least cost. One that failed is none.
    [[nodiscard]] std::size_t best() const {
        std::size_t best = always.size() - 1;  // crawlers, which never fail
        for (std::size_t k = 0; k < always.size(); ++k)
            if (!always[k].failed() && always[k].better_than(always[best])) best = k;
        return best;
    }
    [[nodiscard]] double regret() const { return learned.cost - always[best()].cost; }
};

[[nodiscard]] inline days_compared compare_days(const power_market& market, std::span<const arriving_job> jobs,
                                                learning_rule rule, std::uint64_t seed, const auto& progress) {
    days_compared all{.rule = rule};
    all.learned = day_walker(market, jobs, seed).learned(rule, progress);
    for (std::size_t k = 0; k < placement_strategy_names.size(); ++k)
        all.always.push_back(day_walker(market, jobs, seed).always(k));
    return all;
}

}  // namespace tools

#endif
