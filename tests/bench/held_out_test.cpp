#include "../../bench/support/held_out.hpp"

#include <doctest/doctest.h>

using bench::held_out;
using bench::record_table;

namespace {

// Context 1, three runs at 2, 4 and 8 nodes; context 0 would change everything if it were counted.
record_table records_to_hold_out() {
    record_table made;
    const auto add = [&](std::uint32_t context, int scale_out, std::initializer_list<double> runtimes) {
        for (const double each : runtimes) {
            made.runs.push_back({.scale_out = scale_out, .runtime_s = each});
            made.contexts.push_back(context);
        }
    };
    add(0, 2, {1, 1, 1});
    add(1, 8, {50, 60, 64});
    add(1, 2, {90, 100, 130});
    add(1, 4, {70, 80, 81});
    return made;
}

const record_table records = records_to_hold_out();
// 3600 per node and hour: one per node and second.
const held_out subject(records, 1, {.per_unit_and_hour = 3600});

}  // namespace

TEST_CASE("configurations are the context's scale-outs with the median of their runs") {
    REQUIRE(subject.configurations().size() == 3);
    CHECK(subject.configurations()[0].scale_out == 2);
    CHECK(subject.configurations()[0].median_s == 100);
    CHECK(subject.configurations()[1].rows == std::vector<std::size_t>{9, 10, 11});
    CHECK(subject.configurations()[2].median_s == 60);
    CHECK(subject.best_median_s() == 60);
}

TEST_CASE("the oracle takes the cheapest configuration whose median keeps the deadline") {
    CHECK(subject.oracle_cost(60) == doctest::Approx(8 * 60));
    CHECK(subject.oracle_cost(79.9) == doctest::Approx(8 * 60));
    CHECK(subject.oracle_cost(80) == doctest::Approx(4 * 80));
    CHECK(subject.oracle_cost(100) == doctest::Approx(2 * 100));
}

TEST_CASE("the hit rate counts the runs that were not observed") {
    CHECK(subject.hit_rate(0, 100, {}) == doctest::Approx(2.0 / 3));
    CHECK(subject.hit_rate(0, 90, {}) == doctest::Approx(1.0 / 3));
    const std::vector<std::size_t> slow{8};
    CHECK(subject.hit_rate(0, 100, slow) == 1);
    CHECK(subject.hit_rate(1, 80, slow) == doctest::Approx(2.0 / 3));  // a run of another configuration changes nothing
    const std::vector<std::size_t> all{6, 7, 8};
    CHECK(subject.hit_rate(0, 100, all) == doctest::Approx(2.0 / 3));
}

TEST_CASE("a miss costs its own run and one of the oracle's choice") {
    // Deadline 80: the oracle takes 4 nodes for 320.
    const auto same = subject.choose(1, 80, {});
    CHECK(same.hit == doctest::Approx(2.0 / 3));
    CHECK(same.regret == doctest::Approx((4 * (70 + 80 + 81) + 320) / 3.0 / 320 - 1));
    const auto larger = subject.choose(2, 80, {});
    CHECK(larger.hit == 1);
    CHECK(larger.regret == doctest::Approx(8 * (50 + 60 + 64) / 3.0 / 320 - 1));
    const auto missed = subject.choose(0, 80, {});
    CHECK(missed.hit == 0);
    CHECK(missed.regret == doctest::Approx(2 * (90 + 100 + 130) / 3.0 / 320));  // the rerun is what the oracle pays
    // The observed run, the only miss, is neither counted nor paid.
    const std::vector<std::size_t> observed{11};
    CHECK(subject.choose(1, 80, observed).regret == doctest::Approx(4 * (70 + 80) / 2.0 / 320 - 1));
}

TEST_CASE("prices scale costs, not regret") {
    const held_out dear(records, 1, {.per_unit_and_hour = 7200});
    CHECK(dear.oracle_cost(80) == doctest::Approx(640));
    CHECK(dear.choose(0, 80, {}).regret == doctest::Approx(subject.choose(0, 80, {}).regret));
}
