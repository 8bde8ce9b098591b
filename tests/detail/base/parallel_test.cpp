#include <bellamy/detail/base/parallel.hpp>

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <stdexcept>

using namespace bellamy::detail;

TEST_CASE("a pool keeps its threads between calls") {
    thread_pool pool;
    std::mutex guard;
    std::set<std::thread::id> seen;
    for (int call = 0; call < 200; ++call) {
        for_each_index(
            8, 4,
            [&](std::size_t) {
                const std::lock_guard lock(guard);
                seen.insert(std::this_thread::get_id());
            },
            pool);
    }
    CHECK(pool.size() == 3);  // and the calling thread
    CHECK(seen.size() <= 4);
}

TEST_CASE("as many threads as were asked for work at the same time") {
    thread_pool pool;
    for (int call = 0; call < 3; ++call) {
        std::atomic<int> here = 0;
        // Ends only if all four meet.
        for_each_index(
            4, 4,
            [&](std::size_t) {
                ++here;
                while (here < 4) std::this_thread::yield();
            },
            pool);
        CHECK(here == 4);
    }
}

TEST_CASE("every index is called once, also from within a call") {
    thread_pool pool;
    for (const std::size_t threads : {0U, 1U, 2U, 5U}) {
        std::array<std::atomic<int>, 6 * 7> calls{};
        for_each_index(
            6, threads,
            [&](std::size_t i) {
                for_each_index(
                    7, threads, [&](std::size_t k) { ++calls[7 * i + k]; }, pool);
            },
            pool);
        for (const auto& each : calls) CHECK(each == 1);
    }
    for_each_index(
        0, 4, [](std::size_t) { FAIL("of nothing, nothing is called"); }, pool);
}

TEST_CASE("an exception of a call is thrown where the calls were asked for, and the pool goes on") {
    thread_pool pool;
    for (int round = 0; round < 3; ++round) {
        CHECK_THROWS_AS(for_each_index(
                            100, 4,
                            [](std::size_t i) {
                                if (i == 50) throw std::runtime_error("spoilt");
                            },
                            pool),
                        std::runtime_error);
        std::atomic<int> calls = 0;
        for_each_index(
            100, 4, [&](std::size_t) { ++calls; }, pool);
        CHECK(calls == 100);
    }
}
