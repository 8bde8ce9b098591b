// Of a service that runs for ever: what it has on the heap does not grow with what it has done.
#include "../support/made_up_blend.hpp"
#include "../support/temporary_directory.hpp"
#include "allocation_counter.hpp"

#include <bellamy/model_store.hpp>
#include <bellamy/serialize.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace bellamy;

TEST_CASE(
    "a store has as many bytes on the heap after four times as many rounds of asking, learning, exchange and eviction") {
    const std::array<std::string, 4> names{"sort", "grep", "sgd", "kmeans"};
    const support::temporary_directory folder;
    const auto job = support::made_up_context(30);
    for (const auto& name : names) REQUIRE(save(support::made_up_blend(), folder / (name + ".bellamy")));
    // Room for one of the four as it answers, and another cold.
    const auto& one = support::made_up_blend();
    model_store store(folder / "", {.most_bytes = detail::memory_of(one) + 3 * detail::memory_when_cold(one) / 2});

    const auto do_rounds = [&](std::size_t rounds) {
        for (std::size_t round = 0; round < rounds; ++round) {
            for (const auto& name : names) {
                const auto held = store.get(name).value();
                REQUIRE(held->bind(job)->at(4).usable());
                const auto wiser = held->condition({support::made_up_run(30, 2 + static_cast<int>(round % 3))}).value();
                REQUIRE(wiser.bind(job)->at(4).usable());
            }
            const auto& learns = names.at(round % names.size());
            const auto wiser = store.get(learns).value()->condition({support::made_up_run(30, 6)}).value();
            REQUIRE(store.exchange(learns, wiser));
            REQUIRE(store.roll_back(learns));
            REQUIRE(store.refresh().refused.empty());
            REQUIRE_FALSE(store.get(support::numbered("nobody ", round)));
        }
        return support::live_bytes.load();
    };
    (void)do_rounds(names.size());
    const auto after_n = do_rounds(2 * names.size());
    const auto at_n = store.counters();
    const auto after_4n = do_rounds(6 * names.size());
    CHECK(after_4n == after_n);
    CHECK(at_n.cooled > 0);
    CHECK(at_n.evictions > 0);
    CHECK(store.counters().evictions > at_n.evictions);
}
