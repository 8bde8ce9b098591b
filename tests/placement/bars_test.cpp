// Means over the thirty instances of a row: how far from the optimum or the bound plans may be.
#include <bellamy/placement/consensus.hpp>
#include <bellamy/placement/place.hpp>

#include "support/placement_instances.hpp"
#include "support/placement_peers.hpp"
#include "support/plan_judge.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace bellamy;
using namespace bellamy::placement;
using placement_bench::instance;
using placement_bench::make_instance;

namespace {

constexpr std::uint64_t seeds_per_row = 30;

/// Added cost over the optimum's or, where that is out of reach, over the pooled bound's: mean and largest.
struct ratios {
    double mean = 0;
    double largest = 0;

    void add(double ratio) {
        mean += ratio / static_cast<double>(seeds_per_row);
        largest = std::max(largest, ratio);
    }
};

[[nodiscard]] double bound_on_added(const instance& made) {
    std::uint64_t tasks = 0;
    for (const auto& job : made.jobs) tasks += job.tasks();
    return pooled_bound(made.net, tasks) - made.net.base_cost_rate();
}

void check_all_placed(const instance& made, const plan& found) {
    CHECK(support::fault_of(made.net, made.jobs, found) == "");
    CHECK(found.unplaced.empty());
}

/// A peer leaves jobs out, or costs more.
void check_below_peers(const instance& made, const plan& ours, std::uint64_t seed) {
    for (const auto& peer : {placement_bench::random_walks(made.net, made.jobs, seed),
                             placement_bench::first_fit(made.net, false).place(made.jobs),
                             placement_bench::first_fit(made.net, true).place(made.jobs)}) {
        CHECK(support::fault_of(made.net, made.jobs, peer) == "");
        CHECK((!peer.unplaced.empty() || ours.cost_rate < peer.cost_rate));
    }
}

}  // namespace

TEST_CASE("on few data centres local search finds the optimum, consensus and crawlers come near it, and bounds are below") {
    struct bar {
        const char* row;
        double small, consensus, crawled;
    };
    for (const auto& each : {bar{"small", 1.0005, 1.002, 1.003}, bar{"small-tight", 1.0005, 1.002, 1.003},
                             bar{"small-switch", 1.0005, 1.002, 1.008}, bar{"small-traffic", 1.001, 1.005, 1.03},
                             bar{"Abilene", 1.0005, 1.002, 1.003}, bar{"Abilene-switch", 1.0005, 1.002, 1.003}}) {
        CAPTURE(each.row);
        ratios small, consensus, crawled, peers[3];
        for (std::uint64_t seed = 0; seed < seeds_per_row; ++seed) {
            CAPTURE(seed);
            const auto made = make_instance(each.row, seed);
            const auto found = place_by_local_search(made.net, made.jobs).value();
            const auto agreed = place_by_consensus(made.net, made.jobs, {.rounds = 100}).value();
            const auto walked = crawl(made.net, made.jobs, {.seed = seed}).value();
            double least = bound_on_added(made);
            if (made.net.size() <= 6) {
                const auto best = place_exactly(made.net, made.jobs).value();
                check_all_placed(made, best);
                CHECK(best.added_rate >= least - 1e-9);
                for (const auto* other : {&found, &agreed, &walked}) CHECK(other->lower_bound <= best.cost_rate + 1e-9);
                least = best.added_rate;
            }
            small.add(found.added_rate / least);
            consensus.add(agreed.added_rate / least);
            crawled.add(walked.added_rate / least);
            for (const auto* other : {&found, &agreed, &walked}) {
                check_all_placed(made, *other);
                CHECK(other->added_rate >= least - 1e-9);
            }
            peers[0].add(placement_bench::random_walks(made.net, made.jobs, seed).added_rate / least);
            peers[1].add(placement_bench::first_fit(made.net, false).place(made.jobs).added_rate / least);
            peers[2].add(placement_bench::first_fit(made.net, true).place(made.jobs).added_rate / least);
        }
        CHECK(small.mean <= each.small);
        CHECK(small.largest <= 1.01);
        CHECK(consensus.mean <= each.consensus);
        CHECK(crawled.mean <= each.crawled);
        for (const auto& peer : peers) CHECK(crawled.mean < peer.mean);
    }
}

TEST_CASE("on 30 and 100 data centres crawlers place all jobs within 0.8 % of the bound, below all who do not search") {
    for (const char* row : {"medium30", "medium30-tight", "medium30-switch", "medium100-tight"}) {
        CAPTURE(row);
        ratios crawled;
        for (std::uint64_t seed = 0; seed < seeds_per_row; ++seed) {
            CAPTURE(seed);
            const auto made = make_instance(row, seed);
            const auto found = crawl(made.net, made.jobs, {.seed = seed}).value();
            check_all_placed(made, found);
            CHECK(found.lower_bound <= found.cost_rate);
            crawled.add(found.added_rate / bound_on_added(made));
            check_below_peers(made, found, seed);
        }
        CHECK(crawled.mean <= 1.008);
    }
}

TEST_CASE("on 1,000 data centres crawlers place all jobs within a few per cent of the bound, below all who do not search") {
    struct bar {
        const char* row;
        double crawled;
    };
    for (const auto& each : {bar{"large", 1.01}, bar{"large-tight", 1.04}, bar{"large-switch", 1.015}}) {
        CAPTURE(each.row);
        const auto made = make_instance(each.row, 1);
        const auto found = crawl(made.net, made.jobs, {.seed = 1, .walks = 5, .passes = 2, .rounds = 0}).value();
        check_all_placed(made, found);
        CHECK(found.added_rate <= each.crawled * bound_on_added(made));
        check_below_peers(made, found, 1);
    }
}
