// Of a service that runs for ever: what it has on the heap does not grow with what it has done.
#include "../support/made_up_blend.hpp"
#include "../support/sample_fits.hpp"
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

TEST_CASE("the bytes that a store counts are those that its models take on the heap, from few runs to a thousand") {
    constexpr std::size_t models = 6;
    const auto of_contexts = [](std::uint64_t contexts) {
        const auto history = support::on_two_machines(support::made_up_history(contexts));
        return detail::model_access::make(
            schema_of(history).value(), {.algorithm = "made-up", .runs = 1},
            detail::blend_kind{.blend = detail::shared(detail::fit_blend(history, support::quick_fit))});
    };
    for (const std::uint64_t contexts : {2U, 10U, 40U, 170U}) {
        CAPTURE(contexts);
        const support::temporary_directory folder;
        const auto one = of_contexts(contexts);
        for (std::size_t i = 0; i < models; ++i) REQUIRE(save(one, folder / (std::to_string(i) + ".bellamy")));
        // With all factors, and with those of two models.
        const auto few = 2 * detail::memory_of(one) + (models - 1) * detail::memory_when_cold(one);
        for (const std::size_t most_bytes : {std::size_t{1} << 30U, few}) {
            CAPTURE(most_bytes);
            const auto before = support::live_bytes.load();
            model_store store(folder / "", {.most_bytes = most_bytes});
            for (std::size_t i = 0; i < models; ++i)
                CHECK(store.get(std::to_string(i)).value()->bind(support::made_up_context(30))->at(4).usable());
            const auto taken = static_cast<double>(support::live_bytes.load() - before);
            CHECK(static_cast<double>(store.counters().bytes) == doctest::Approx(taken).epsilon(0.1));
        }
    }
}
