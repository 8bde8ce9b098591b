#include <bellamy/placement/consensus.hpp>

#include "support/compare.hpp"
#include "support/golden_placement.hpp"
#include "support/placement_instances.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using placement_bench::make_instance;
using support::check_refused;
using support::close;
using support::json;
using support::largest_difference;
using support::numbers_of;

namespace {

// Loads of the data centres, each by its own copy of the variables or all by the same values.
[[nodiscard]] std::vector<double> loads_of(const placement::detail::consensus& all) {
    std::vector<double> loads;
    for (const auto& agent : all.agents()) loads.push_back(agent.load_of(agent.current().values));
    return loads;
}
[[nodiscard]] std::vector<double> loads_of(const placement::detail::consensus& all, const std::vector<double>& values) {
    std::vector<double> loads;
    for (const auto& agent : all.agents()) loads.push_back(agent.load_of(values));
    return loads;
}

// Largest difference of a copy from the mean.
[[nodiscard]] double disagreement_of(const placement::detail::consensus& all, const std::vector<double>& mean) {
    double largest = 0;
    for (const auto& agent : all.agents()) largest = std::max(largest, largest_difference(agent.current().values, mean));
    return largest;
}

// Convex costs, a quadratic penalty beyond the slots, and traffic.
[[nodiscard]] double objective(const placement::detail::problem& instance, const std::vector<double>& loads,
                               const std::vector<double>& values) {
    double sum = 0;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        const int slots = instance.net[i].slots;
        const double over = std::max(0.0, loads[i] - slots);
        sum += instance.net.convex_cost(i, loads[i]) + instance.net.convex_slope(i, slots) / 2 * over * over;
    }
    std::size_t variable = 0;
    for (const auto& type : instance.types)
        for (std::size_t k = 0; k < type.size(); ++k) sum += values[variable++] * type.list.traffic(k);
    return sum;
}

}  // namespace

TEST_CASE("rounds of consensus are the golden ones") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            if (!instance.contains("consensus")) return;
            CAPTURE(instance.at("name").get<std::string>());
            const auto& expected = instance.at("consensus");
            const auto subject = placement::detail::enumerate_all(net, jobs, {}).value();
            const auto counts = placement::detail::jobs_per_type(subject);
            placement::detail::consensus all(subject, counts);
            for (std::size_t a = 0; a < net.size(); ++a)
                for (std::size_t b = 0; b < net.size(); ++b)
                    if (!expected.at("weights").is_null())
                        CHECK(close(all.weight(a, b), expected.at("weights").at(a).at(b)));
            for (const auto& round : expected.at("rounds")) {
                all.round(1);
                const auto mean = all.mean();
                CHECK(largest_difference(loads_of(all), numbers_of(round.at("own_load"))) <= 1e-9);
                CHECK(largest_difference(loads_of(all, mean), numbers_of(round.at("mean_load"))) <= 1e-9);
                CHECK(close(disagreement_of(all, mean), round.at("disagreement")));
            }
            const auto after = placement::detail::run_rounds(subject, counts, {.rounds = 200});
            const auto mean = after.mean();
            const auto loads = loads_of(after, mean);
            const auto& last = expected.at("after_200");
            CHECK(close(objective(subject, loads, mean), last.at("value"), 1e-3));
            CHECK(largest_difference(loads, numbers_of(last.at("mean_load"))) <= 1e-3);
            CHECK(close(disagreement_of(after, mean), last.at("disagreement"), 1e-3));
        });
}

TEST_CASE("consensus gives the same bits for any number of threads") {
    const auto made = make_instance("small-switch", 3);
    const auto subject = placement::detail::enumerate_all(made.net, made.jobs, {}).value();
    const auto counts = placement::detail::jobs_per_type(subject);
    const auto alone = placement::detail::run_rounds(subject, counts, {.rounds = 60, .threads = 1});
    for (const int threads : {2, 3, 8}) {
        const auto together = placement::detail::run_rounds(subject, counts, {.rounds = 60, .threads = threads});
        CHECK(together.mean() == alone.mean());
        CHECK(loads_of(together) == loads_of(alone));
    }
}

TEST_CASE("a data centre learns of another's costs no sooner than messages come from neighbour to neighbour") {
    // In a line, of which the last data centre's power changes its price.
    const auto loads_after = [](int rounds, double last_price) {
        std::vector<data_centre> sites(5, {.slots = 4, .price_per_kwh = 1, .idle_kw_per_slot = 1, .dynamic_kw_per_slot = 1});
        sites.back().price_per_kwh = last_price;
        std::vector<placement::link> links;
        for (std::uint32_t i = 1; i < sites.size(); ++i) links.push_back({.a = i - 1, .b = i});
        const auto net = placement::network::make(sites, links).value();
        const std::vector<job_graph> jobs{job_graph::path(3).value(), job_graph::star(4).value()};
        const auto subject = placement::detail::enumerate_all(net, jobs, {}).value();
        const auto counts = placement::detail::jobs_per_type(subject);
        placement::detail::consensus all(subject, counts);
        for (int round = 0; round < rounds; ++round) all.round(1);
        return loads_of(all);
    };
    for (int rounds = 1; rounds <= 5; ++rounds) {
        CAPTURE(rounds);
        const auto alike = loads_after(rounds, 1);
        std::size_t first_to_know = alike.size();
        for (const double last_price : {0.0, 0.01, 0.3, 3.0, 50.0}) {
            const auto changed = loads_after(rounds, last_price);
            for (std::size_t dc = alike.size(); dc-- > 0;)
                if (changed[dc] != alike[dc]) first_to_know = std::min(first_to_know, dc);
        }
        CHECK(first_to_know >= static_cast<std::size_t>(std::max(0, 4 - rounds)));
        CHECK((first_to_know == 0) == (rounds >= 4));
    }
}

TEST_CASE("plans by consensus are valid and near the best of the other ways") {
    for (const char* row : {"small", "small-switch", "small-traffic"})
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            CAPTURE(row);
            CAPTURE(seed);
            const auto made = make_instance(row, seed);
            const auto found = place_by_consensus(made.net, made.jobs, {.rounds = 100}).value();
            const auto small = place_by_local_search(made.net, made.jobs).value();
            CHECK(check(made.net, made.jobs, found).has_value());
            CHECK(found.unplaced.empty());
            CHECK(found.lower_bound <= small.cost_rate + 1e-9);
            CHECK(found.added_rate <= 1.02 * small.added_rate);
        }
}

TEST_CASE("consensus over crawled strategies places all jobs of larger networks within 1 % of the bound on average") {
    for (const char* row : {"medium30", "medium30-tight", "medium30-switch"}) {
        CAPTURE(row);
        double gaps = 0;
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            const auto made = make_instance(row, seed);
            const auto found =
                place_by_consensus(made.net, made.jobs, {.rounds = 100, .crawled_plans = 20, .seed = seed}).value();
            CHECK(check(made.net, made.jobs, found).has_value());
            CHECK(found.unplaced.empty());
            gaps += found.gap() / 6;
        }
        CHECK(gaps <= 0.01);
    }
}

TEST_CASE("consensus without data centres, jobs or room is an answer") {
    const auto nowhere = placement::network::make({}, {}).value();
    const std::vector<job_graph> jobs{job_graph::path(3).value()};
    CHECK(place_by_consensus(nowhere, jobs).value().unplaced.size() == 1);
    CHECK(place_by_consensus(nowhere, {}).value().cost_rate == 0);
    const auto small = placement::network::make(std::vector<data_centre>{{.slots = 2}}, {}).value();
    CHECK(place_by_consensus(small, jobs).value().unplaced.size() == 1);
}

TEST_CASE("bad options of consensus are refused") {
    const auto made = make_instance("small", 0);
    check_refused(place_by_consensus(made.net, made.jobs, {.rounds = -1}), errc::invalid_option, {"rounds"});
    check_refused(place_by_consensus(made.net, made.jobs, {.threads = 0}), errc::invalid_option, {"threads"});
    check_refused(place_by_consensus(made.net, made.jobs, {.crawled_plans = -1}), errc::invalid_option, {"plans"});
    check_refused(place_by_consensus(made.net, made.jobs, {}, {.strategies = 1}), errc::too_many_strategies);
}
