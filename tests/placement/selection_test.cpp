#include <bellamy/placement/selection.hpp>

#include <bellamy/placement/enumerated_plans.hpp>

#include "support/compare.hpp"
#include "support/golden_placement.hpp"
#include "support/placement_instances.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using support::check_refused;
using support::close;
using support::json;
using support::largest_difference;
using support::numbers_of;

namespace {

[[nodiscard]] const json& golden_selection() { return support::golden_placement().at("selection"); }

[[nodiscard]] std::vector<std::vector<double>> golden_costs() {
    return golden_selection().at("costs").get<std::vector<std::vector<double>>>();
}

/// Costs that are drawn anew, drift, go against whoever was likely, or are a data centre's next slot beside others' load.
enum class nature { independent, drifting, adversarial, network };

/// Of the k-th data centre of an instance, or one that follows from its number, at a load that others leave; in [0, 1].
[[nodiscard]] double slot_cost(std::size_t k, bellamy::detail::random_generator& random) {
    static const auto made = placement_bench::make_instance("small", 3);
    static const double most = [] {
        double price = 0;
        for (std::size_t i = 0; i < made.net.size(); ++i)
            price = std::max(price, made.net.price(i, made.net[i].slots - 1, 1));
        return price;
    }();
    const std::size_t dc = k % made.net.size();
    const auto free = static_cast<std::uint64_t>(made.net[dc].slots - made.net[dc].load);
    return made.net.price(dc, made.net[dc].load + static_cast<int>(random.below(free)), 1) / most;
}

void next_costs(nature kind, std::uint64_t round, std::span<const double> probabilities,
                bellamy::detail::random_generator& random, std::vector<double>& costs) {
    const auto likeliest =
        static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
    for (std::size_t k = 0; k < costs.size(); ++k) {
        const auto phase = static_cast<double>(round) / 50 + static_cast<double>(k);
        if (kind == nature::independent) costs[k] = 0.2 + 0.6 * random.uniform() + (k == 0 ? -0.1 : 0.1);
        if (kind == nature::drifting) costs[k] = 0.5 + 0.4 * std::sin(phase) + 0.1 * (random.uniform() - 0.5);
        if (kind == nature::adversarial) costs[k] = k == likeliest ? 1 : 0.5 * random.uniform();
        if (kind == nature::network) costs[k] = slot_cost(k, random);
    }
}

/// Regret of a rule that sees all costs, over so many rounds.
template <class Rule>
[[nodiscard]] double regret_over(Rule& rule, nature kind, std::uint64_t rounds, std::uint64_t seed) {
    bellamy::detail::random_generator random(seed);
    std::vector<double> costs(rule.probabilities().size());
    for (std::uint64_t round = 0; round < rounds; ++round) {
        next_costs(kind, round, rule.probabilities(), random, costs);
        REQUIRE(rule.update(costs).has_value());
    }
    return rule.regret();
}

}  // namespace

TEST_CASE("Hedge follows the golden trace, with and without a horizon") {
    const auto& expected = golden_selection().at("hedge");
    auto known = hedge::make(3, expected.at("horizon")).value();
    CHECK(close(known.regret_bound(), expected.at("bound")));
    const auto& doubling = golden_selection().at("hedge_doubling");
    auto unknown = hedge::make(3).value();
    const auto costs = golden_costs();
    for (std::size_t round = 0; round < costs.size(); ++round) {
        CHECK(largest_difference(known.probabilities(), numbers_of(expected.at("probabilities").at(round))) <= 1e-12);
        CHECK(largest_difference(unknown.probabilities(), numbers_of(doubling.at("probabilities").at(round))) <= 1e-12);
        REQUIRE(known.update(costs[round]).has_value());
        REQUIRE(unknown.update(costs[round]).has_value());
    }
    CHECK(close(known.regret(), expected.at("regret")));
    CHECK(close(unknown.regret(), doubling.at("regret")));
    CHECK(close(unknown.regret_bound(), doubling.at("bound")));
}

TEST_CASE("EXP3 follows the golden trace") {
    const auto& expected = golden_selection().at("exp3");
    auto rule = exp3::make(3, expected.at("horizon")).value();
    const auto costs = golden_costs();
    for (std::size_t round = 0; round < costs.size(); ++round) {
        CHECK(largest_difference(rule.probabilities(), numbers_of(expected.at("probabilities").at(round))) <= 1e-12);
        const std::size_t chosen = expected.at("choices").at(round);
        REQUIRE(rule.update(chosen, costs[round][chosen]).has_value());
    }
}

TEST_CASE("regret matching follows the golden trace") {
    const auto& expected = golden_selection().at("regret_matching");
    auto rule = regret_matching::make(3).value();
    const auto costs = golden_costs();
    for (std::size_t round = 0; round < costs.size(); ++round) {
        CHECK(largest_difference(rule.probabilities(), numbers_of(expected.at("probabilities").at(round))) <= 1e-12);
        REQUIRE(rule.update(costs[round]).has_value());
    }
    CHECK(close(rule.regret(), expected.at("regret")));
    CHECK(close(rule.regret_bound(), expected.at("bound")));
}

TEST_CASE("regrets stay below their bounds on independent, drifting, adversarial and network costs") {
    for (const auto kind : {nature::independent, nature::drifting, nature::adversarial, nature::network})
        for (const std::size_t choices : {2U, 8U, 32U})
            for (const std::uint64_t rounds : {100U, 1000U, 10000U}) {
                CAPTURE(choices);
                CAPTURE(rounds);
                auto known = hedge::make(choices, rounds).value();
                const double of_known = regret_over(known, kind, rounds, 1);
                CHECK(of_known <= known.regret_bound());
                auto unknown = hedge::make(choices).value();
                const double of_unknown = regret_over(unknown, kind, rounds, 2);
                CHECK(of_unknown <= unknown.regret_bound());
                auto matching = regret_matching::make(choices).value();
                const double of_matching = regret_over(matching, kind, rounds, 3);
                CHECK(of_matching <= matching.regret_bound());
            }
}

TEST_CASE("the mean regret of EXP3 over 30 seeds stays below its bound") {
    for (const auto kind : {nature::independent, nature::drifting, nature::adversarial, nature::network})
        for (const std::size_t choices : {2U, 8U, 32U})
            for (const std::uint64_t rounds : {100U, 1000U, 10000U}) {
                CAPTURE(choices);
                CAPTURE(rounds);
                double sum = 0;
                double bound = 0;
                for (std::uint64_t seed = 0; seed < 30; ++seed) {
                    auto rule = exp3::make(choices, rounds).value();
                    bound = rule.regret_bound();
                    placement::detail::regret_account account(choices);
                    bellamy::detail::random_generator random(seed);
                    std::vector<double> costs(choices);
                    for (std::uint64_t round = 0; round < rounds; ++round) {
                        next_costs(kind, round, rule.probabilities(), random, costs);
                        account.add(rule.probabilities(), costs);
                        const std::size_t chosen = rule.choose(random);
                        REQUIRE(rule.update(chosen, costs[chosen]).has_value());
                    }
                    sum += account.regret() / 30;
                }
                CHECK(sum <= bound);
            }
}

TEST_CASE("at the price of the own added cost, joint choices cost what the golden game says and its equilibria are those") {
    const auto& game = golden_selection().at("game");
    const auto net = support::network_of(game.at("network"));
    const auto jobs = support::jobs_of(game);
    const auto list = enumerate(net, jobs[0]).value();
    REQUIRE(list.size() == 3);
    // Bills of both jobs, and the total, for every joint choice.
    const auto bill = [&](std::size_t first, std::size_t second) {
        std::vector<int> both(net.load().begin(), net.load().end());
        std::vector<int> without_first = both;
        std::vector<int> without_second = both;
        for (const auto& each : list.counts(first))
            both[each.data_centre] += each.tasks, without_second[each.data_centre] += each.tasks;
        for (const auto& each : list.counts(second))
            both[each.data_centre] += each.tasks, without_first[each.data_centre] += each.tasks;
        const double total = net.cost_rate(both);
        return std::array<double, 3>{total - net.cost_rate(without_first), total - net.cost_rate(without_second), total};
    };
    std::vector<std::vector<std::size_t>> equilibria;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
            const auto own = bill(a, b);
            for (std::size_t i = 0; i < 3; ++i) CHECK(close(own[i], game.at("cost_first_second_total").at(a).at(b).at(i)));
            bool stable = true;
            for (std::size_t k = 0; k < 3; ++k)
                stable = stable && bill(k, b)[0] >= own[0] - 1e-9 && bill(a, k)[1] >= own[1] - 1e-9;
            if (stable) equilibria.push_back({a, b});
        }
    CHECK(equilibria == game.at("pure_equilibria").get<std::vector<std::vector<std::size_t>>>());
}

TEST_CASE("best responses at the price of the own added cost end in plans that no single move improves") {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const auto made = placement_bench::make_instance("small", seed);
        const auto subject = placement::detail::enumerate_all(made.net, made.jobs, {}).value();
        auto chosen = placement::detail::greedy(subject, placement::detail::largest_first(subject));
        REQUIRE(chosen.unplaced() == 0);
        auto costs = subject.costs();
        std::vector<double> values;
        for (int changes = 0, quiet = 0; quiet < static_cast<int>(made.jobs.size());) {
            REQUIRE(changes < 100);
            const auto job = static_cast<std::size_t>(quiet + changes) % made.jobs.size();
            const std::size_t old = chosen.take(job);
            costs.fill(chosen.load());
            costs.write_costs(subject.type_of(job), 0, values);
            const std::size_t best = placement::detail::first_least(values);
            const bool moves = placement::detail::better(values[best], values[old]);
            chosen.put(job, moves ? best : old);
            quiet = moves ? 0 : quiet + 1;
            changes += moves ? 1 : 0;
        }
        const double cost = chosen.cost();
        placement::detail::assignment_search(subject, chosen).run(false);
        CHECK(close(chosen.cost(), cost));
    }
}

TEST_CASE("jobs that all match regrets at the price of the own added cost come near the optimum") {
    double ratios = 0;
    constexpr int instances = 5;
    for (std::uint64_t seed = 0; seed < instances; ++seed) {
        const auto made = placement_bench::make_instance("small", seed);
        const auto& net = made.net;
        const auto subject = placement::detail::enumerate_all(net, made.jobs, {}).value();
        // Over the slots while learning: linear and quadratic beyond them.
        const auto cost_at = [&](std::size_t dc, int load) {
            const int over = std::max(0, load - net[dc].slots);
            return net.convex_cost(dc, load) + net.convex_slope(dc, net[dc].slots) / 2 * over * over;
        };
        double most = 0;
        for (std::size_t i = 0; i < net.size(); ++i) most = std::max(most, cost_at(i, net[i].slots + 30));
        std::vector<regret_matching> rules;
        for (const auto& job : made.jobs)
            rules.push_back(
                regret_matching::make(subject.type_of(static_cast<std::size_t>(&job - made.jobs.data())).size()).value());
        bellamy::detail::random_generator random(seed);
        const double optimum = place_exactly(net, made.jobs).value().added_rate;
        double late = 0;
        constexpr int rounds = 1000;
        for (int round = 0; round < rounds; ++round) {
            std::vector<std::size_t> choice;
            for (const auto& rule : rules) choice.push_back(rule.choose(random));
            std::vector<int> load(net.load().begin(), net.load().end());
            for (std::size_t job = 0; job < rules.size(); ++job)
                for (const auto& each : subject.type_of(job).list.counts(choice[job])) load[each.data_centre] += each.tasks;
            double added = -net.base_cost_rate();
            for (std::size_t i = 0; i < net.size(); ++i) added += cost_at(i, load[i]);
            if (round >= rounds / 2) late += added / (rounds - rounds / 2);
            for (std::size_t job = 0; job < rules.size(); ++job) {
                const auto& list = subject.type_of(job).list;
                std::vector<int> others(load);
                for (const auto& each : list.counts(choice[job])) others[each.data_centre] -= each.tasks;
                std::vector<double> costs(list.size(), 0);
                for (std::size_t k = 0; k < costs.size(); ++k)
                    for (const auto& each : list.counts(k))
                        costs[k] += (cost_at(each.data_centre, others[each.data_centre] + each.tasks) -
                                     cost_at(each.data_centre, others[each.data_centre])) /
                                    (most * 6);
                REQUIRE(rules[job].update(costs).has_value());
            }
        }
        ratios += late / optimum / instances;
    }
    CHECK(ratios <= 1.02);
    CHECK(ratios >= 1);
}

TEST_CASE("costs outside 0 to 1, wrong numbers of them and no strategies are refused, and change nothing") {
    check_refused(hedge::make(0), errc::empty_candidates);
    check_refused(exp3::make(0, 10), errc::empty_candidates);
    check_refused(regret_matching::make(0), errc::empty_candidates);
    check_refused(exp3::make(2, 0), errc::invalid_option, {"horizon"});
    auto full = hedge::make(2, 10).value();
    auto own = exp3::make(2, 10).value();
    auto matching = regret_matching::make(2).value();
    REQUIRE(full.update(std::vector{0.2, 0.4}).has_value());
    const std::vector<double> before(full.probabilities().begin(), full.probabilities().end());
    for (const double bad : {1.5, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
        check_refused(full.update(std::vector{0.5, bad}), errc::invalid_option, {"strategy 1"});
        check_refused(matching.update(std::vector{0.5, bad}), errc::invalid_option, {"strategy 1"});
        check_refused(own.update(1, bad), errc::invalid_option);
    }
    check_refused(own.update(2, 0.5), errc::invalid_option, {"found 2"});
    check_refused(full.update(std::vector{0.5}), errc::invalid_option, {"found 1"});
    CHECK(largest_difference(full.probabilities(), before) <= 0);
}

TEST_CASE("draws have the probabilities asked for, and the same seed draws the same") {
    auto rule = hedge::make(3, 10).value();
    REQUIRE(rule.update(std::vector{0.0, 0.5, 1.0}).has_value());
    bellamy::detail::random_generator random(5);
    bellamy::detail::random_generator again(5);
    std::array<double, 3> counts{};
    for (int i = 0; i < 20000; ++i) {
        const auto k = rule.choose(random);
        CHECK(rule.choose(again) == k);
        counts[k] += 1.0 / 20000;
    }
    CHECK(largest_difference(counts, rule.probabilities()) <= 0.015);
}
