#include <bellamy/placement/crawl.hpp>

#include "support/compare.hpp"
#include "support/golden_placement.hpp"
#include "support/placement_instances.hpp"
#include "support/placement_peers.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;
using placement_bench::make_instance;
using support::check_refused;
using support::close;
using support::json;

namespace {

using placement_of = std::vector<std::uint32_t>;

[[nodiscard]] placement_of copy(std::span<const std::uint32_t> where) { return {where.begin(), where.end()}; }

[[nodiscard]] std::string hash_of(const plan& subject) {
    std::uint64_t hash = 14695981039346656037U;
    const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211U; };
    for (std::uint32_t job = 0; job < subject.where.size(); ++job) {
        if (!subject.places(job)) add(999999);
        for (const auto dc : subject.where[job]) add(dc);
    }
    std::string text(16, '0');
    for (std::size_t i = 0; i < 16; ++i) text[15 - i] = "0123456789abcdef"[(hash >> (4 * i)) & 15U];
    return text;
}

void check_golden(const placement::network& net, const std::vector<job_graph>& jobs, const plan& found,
                  const json& expected) {
    CHECK(check(net, jobs, found).has_value());
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        const auto& where = expected.at("where").at(job);
        CHECK(found.where[job] == (where.is_null() ? placement_of{} : where.get<placement_of>()));
        CHECK(found.places(static_cast<std::uint32_t>(job)) != where.is_null());
    }
    CHECK(close(found.cost_rate, expected.at("cost")));
}

}  // namespace

TEST_CASE("random numbers are the golden ones") {
    const auto& expected = support::golden_placement().at("random");
    bellamy::detail::random_generator random(expected.at("seed"));
    for (const auto& bits : expected.at("bits")) CHECK(random.bits() == std::stoull(bits.get<std::string>(), nullptr, 16));
    for (const auto& each : expected.at("uniform")) CHECK(random.uniform() == each.get<double>());
    for (const auto& each : expected.at("below_10")) CHECK(random.below(10) == each.get<std::size_t>());
}

TEST_CASE("walks, settling, scouts and crawls are the golden ones") {
    support::for_each_golden_instance(
        [](const json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            if (!instance.contains("crawl")) return;
            CAPTURE(instance.at("name").get<std::string>());
            for (const auto& each : instance.at("crawl").at("walks")) {
                CAPTURE(each.dump());
                const auto& job = jobs.at(each.at("job"));
                placement::detail::walker walker(net);
                placement::detail::placement_search search(net);
                placement::detail::present_load load(net);
                bellamy::detail::random_generator random(each.at("seed"));
                const bool through = walker.walk(job, load, random, {});
                REQUIRE(through != each.at("walk").is_null());
                if (through) {
                    CHECK(copy(walker.where()) == each.at("walk").get<placement_of>());
                    auto settled = copy(walker.where());
                    CHECK(close(search.improve(job, settled, load), each.at("added")));
                    CHECK(settled == each.at("settled").get<placement_of>());
                }
                const auto scouts = each.at("scout").get<placement_of>();
                for (std::uint32_t from = 0; from < scouts.size(); ++from)
                    CHECK(load.better_start(from, static_cast<int>(job.tasks())) == scouts[from]);
                crawler whole(net, each.at("crawl_seed"));
                REQUIRE(whole.place(job, {}) != each.at("crawl").is_null());
                if (each.at("crawl").is_null()) continue;
                CHECK(copy(whole.where()) == each.at("crawl").at("where").get<placement_of>());
                CHECK(close(whole.added_rate(), each.at("crawl").at("added")));
            }
        });
}

TEST_CASE("crawled plans of the golden instances are the golden ones") {
    support::for_each_golden_instance([](const json& instance, const placement::network& net,
                                         const std::vector<job_graph>& jobs) {
        if (!instance.contains("crawl")) return;
        CAPTURE(instance.at("name").get<std::string>());
        const auto& expected = instance.at("crawl");
        const std::uint64_t seed = expected.at("plan").at("seed");
        check_golden(net, jobs, crawl(net, jobs, {.seed = seed}).value(), expected.at("plan"));
        check_golden(net, jobs, crawl(net, jobs, {.seed = seed, .rounds = 0}).value(), expected.at("plan_without_rounds"));
    });
}

TEST_CASE("generated instances are those of the golden file") {
    for (const auto& each : support::golden_placement().at("generator")) {
        CAPTURE(each.at("row").get<std::string>());
        const auto made = make_instance(each.at("row").get<std::string>(), each.at("seed"));
        CHECK(made.net.links().size() == each.at("links").get<std::size_t>());
        std::int64_t slots = 0;
        double prices = 0;
        double switch_on = 0;
        for (const auto& site : made.net.data_centres()) {
            slots += site.slots;
            prices += site.price_per_kwh;
            switch_on += site.switch_on_kw;
        }
        CHECK(slots == each.at("slots_sum").get<std::int64_t>());
        CHECK(close(prices, each.at("price_sum")));
        CHECK(close(switch_on, each.at("switch_on_sum")));
        std::size_t edges = 0;
        std::uint64_t tasks = 0;
        for (const auto& job : made.jobs) edges += job.edges().size(), tasks += job.tasks();
        CHECK(made.jobs.size() == each.at("jobs").get<std::size_t>());
        CHECK(edges == each.at("job_edges").get<std::size_t>());
        CHECK(close(made.net.base_cost_rate(), each.at("base_cost")));
        CHECK(close(pooled_bound(made.net, tasks), each.at("pooled_bound")));
    }
}

TEST_CASE("crawled plans of generated instances have the golden hashes") {
    for (const auto& each : support::golden_placement().at("plans")) {
        const std::string row = each.at("row");
        const std::uint64_t seed = each.at("seed");
        CAPTURE(row);
        CAPTURE(seed);
        const auto made = make_instance(row, seed);
        const auto found =
            crawl(made.net, made.jobs,
                  {.seed = seed, .walks = each.at("walks"), .passes = each.at("passes"), .rounds = each.at("rounds")})
                .value();
        CHECK(check(made.net, made.jobs, found).has_value());
        CHECK(found.unplaced.size() == each.at("unplaced").get<std::size_t>());
        CHECK(hash_of(found) == each.at("hash").get<std::string>());
        CHECK(close(found.cost_rate, each.at("cost")));
        CHECK(close(found.lower_bound, each.at("pooled_bound")));
    }
}

TEST_CASE("crawlers answer degenerate networks and jobs as the golden file says") {
    for (const auto& each : support::golden_placement().at("degenerate")) {
        CAPTURE(each.at("name").get<std::string>());
        const auto net = support::network_of(each.at("network"));
        const auto jobs = support::jobs_of(each);
        check_golden(net, jobs, crawl(net, jobs).value(), each.at("crawl"));
    }
}

TEST_CASE("a crawler asks only data centres near to where it has been") {
    // A line whose prices fall to its end: a crawler that looked all along it would go there.
    constexpr std::uint32_t size = 60;
    const auto walked = [](std::uint64_t seed, double factor, const auto& has_factor) {
        std::vector<data_centre> sites(size, {.slots = 3, .price_per_kwh = 1, .idle_kw_per_slot = 1});
        for (std::uint32_t i = 0; i < size; ++i) {
            sites[i].price_per_kwh = (2 - 0.01 * i) * (has_factor(i) ? factor : 1);
        }
        std::vector<placement::link> links;
        for (std::uint32_t i = 1; i < size; ++i) links.push_back({.a = i - 1, .b = i});
        const auto net = placement::network::make(sites, links).value();
        const auto job = job_graph::path(3).value();
        placement::detail::walker walker(net);
        placement::detail::present_load load(net);
        bellamy::detail::random_generator random(seed);
        REQUIRE(walker.walk(job, load, random, {.starts = 1}));
        return copy(walker.where());
    };
    int changed_by_near = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        const auto as_it_is = walked(seed, 1, [](std::uint32_t) { return false; });
        const auto distance = [&](std::uint32_t i) {
            std::uint32_t least = size;
            for (const auto dc : as_it_is) least = std::min(least, i > dc ? i - dc : dc - i);
            return least;
        };
        // Four hops to a start, its neighbours, and as many more for the other tasks.
        for (const double factor : {0.02, 50.0})
            CHECK(walked(seed, factor, [&](std::uint32_t i) { return distance(i) > 12; }) == as_it_is);
        changed_by_near += walked(seed, 50, [&](std::uint32_t i) { return distance(i) == 0; }) != as_it_is ? 1 : 0;
    }
    CHECK(changed_by_near > 15);
}

TEST_CASE("bad options of crawlers are refused") {
    const auto made = make_instance("small", 0);
    const auto with = [&](const crawl_options& options) { return crawl(made.net, made.jobs, options); };
    check_refused(with({.walks = 0}), errc::invalid_option, {"walks", "found 0"});
    check_refused(with({.passes = -1}), errc::invalid_option, {"passes"});
    check_refused(with({.rounds = -1}), errc::invalid_option, {"rounds"});
    check_refused(with({.beta = -1}), errc::invalid_option, {"beta"});
    check_refused(with({.beta = std::numeric_limits<double>::quiet_NaN()}), errc::invalid_option);
}

TEST_CASE("passes and rounds of crawlers never worsen a plan") {
    for (const char* row : {"small-tight", "small-switch", "small-traffic", "medium30-tight"})
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            CAPTURE(row);
            CAPTURE(seed);
            const auto made = make_instance(row, seed);
            const auto first = crawl(made.net, made.jobs, {.seed = seed, .walks = 2, .passes = 0, .rounds = 0}).value();
            const auto second = crawl(made.net, made.jobs, {.seed = seed, .walks = 2, .passes = 2, .rounds = 0}).value();
            const auto third = crawl(made.net, made.jobs, {.seed = seed, .walks = 2, .passes = 2, .rounds = 2}).value();
            for (const auto& each : {first, second, third}) CHECK(check(made.net, made.jobs, each).has_value());
            CHECK(second.unplaced == first.unplaced);
            CHECK(second.cost_rate <= first.cost_rate + 1e-9);
            CHECK(third.unplaced.size() <= second.unplaced.size());
            if (third.unplaced.size() == second.unplaced.size()) CHECK(third.cost_rate <= second.cost_rate + 1e-9);
        }
}

TEST_CASE("crawlers improve a plan that is given, place what it leaves out, and refuse one that is none") {
    for (const char* row : {"small-switch", "medium30-tight"}) {
        const auto made = make_instance(row, 2);
        const auto walked = placement_bench::random_walks(made.net, made.jobs, 1);
        const auto better = improve(made.net, made.jobs, walked, {.rounds = 2}).value();
        CHECK(check(made.net, made.jobs, better).has_value());
        CHECK(better.unplaced.size() <= walked.unplaced.size());
        CHECK(better.added_rate < 0.95 * walked.added_rate);
        // Nothing to do: the plan stays.
        CHECK(improve(made.net, made.jobs, better, {.passes = 0, .rounds = 0}).value().where == better.where);
    }
    const auto made = make_instance("small", 0);
    const plan nothing = crawl(made.net, {}, {}).value();
    check_refused(improve(made.net, made.jobs, nothing), errc::invalid_job_graph);
    auto empty = nothing;
    empty.where.resize(made.jobs.size());
    for (std::uint32_t job = 0; job < made.jobs.size(); ++job) empty.unplaced.push_back(job);
    CHECK(improve(made.net, made.jobs, empty).value().unplaced.empty());
    check_refused(improve(made.net, made.jobs, empty, {.walks = 0}), errc::invalid_option);
}
