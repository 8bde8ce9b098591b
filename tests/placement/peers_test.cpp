#include "support/golden_placement.hpp"
#include "support/placement_instances.hpp"
#include "support/placement_peers.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::placement;

TEST_CASE("first fit, a peer of the benchmark, places as the golden file says") {
    support::for_each_golden_instance(
        [](const support::json& instance, const placement::network& net, const std::vector<job_graph>& jobs) {
            CAPTURE(instance.at("name").get<std::string>());
            const auto found = placement_bench::first_fit(net, false).place(jobs);
            const auto& expected = instance.at("first_fit");
            CHECK(check(net, jobs, found).has_value());
            CHECK(found.load == expected.at("load").get<std::vector<int>>());
            CHECK(support::close(found.cost_rate, expected.at("cost")));
            for (std::size_t job = 0; job < jobs.size(); ++job)
                if (!expected.at("where").at(job).is_null())
                    CHECK(found.where[job] == expected.at("where").at(job).get<std::vector<std::uint32_t>>());
        });
}

TEST_CASE("crawlers are below random walks and first fit, and above the bound, on medium and large networks") {
    for (const char* row : {"medium30", "medium30-tight", "medium30-switch", "medium100", "large"}) {
        CAPTURE(row);
        const auto made = placement_bench::make_instance(row, 4);
        const auto ours = crawl(made.net, made.jobs, {.seed = 4, .walks = 3, .passes = 1, .rounds = 1}).value();
        CHECK(check(made.net, made.jobs, ours).has_value());
        CHECK(ours.unplaced.empty());
        CHECK(ours.lower_bound <= ours.cost_rate);
        for (const auto& peer : {placement_bench::random_walks(made.net, made.jobs, 4),
                                 placement_bench::first_fit(made.net, false).place(made.jobs),
                                 placement_bench::first_fit(made.net, true).place(made.jobs)}) {
            CHECK(check(made.net, made.jobs, peer).has_value());
            // A peer that leaves jobs out may cost less.
            if (peer.unplaced.empty()) CHECK(ours.cost_rate < peer.cost_rate);
        }
    }
}
