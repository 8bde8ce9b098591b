#include <bellamy/detail/base/shared.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using bellamy::detail::shared;

namespace {

struct watched {
    int* alive;
    explicit watched(int& count) : alive(&count) { ++*alive; }
    watched(const watched& other) : alive(other.alive) { ++*alive; }
    watched(watched&& other) noexcept : alive(other.alive) { ++*alive; }
    ~watched() { --*alive; }
};

}  // namespace

TEST_CASE("a shared value lives as long as its last owner") {
    int alive = 0;
    {
        shared<watched> first{watched(alive)};
        CHECK(alive == 1);
        {
            const auto second = first;
            CHECK(&*second == &*first);
            shared<watched> other{watched(alive)};
            CHECK(alive == 2);
            other = first;
            CHECK(alive == 1);
            first = std::move(other);
            CHECK(alive == 1);
        }
        const auto& same = first;
        first = same;
        CHECK(alive == 1);
        CHECK(first->alive == &alive);
    }
    CHECK(alive == 0);
}

TEST_CASE("threads may copy and destroy their own owners of one value") {
    int alive = 0;
    {
        const shared<watched> value{watched(alive)};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([mine = value] {
                for (int k = 0; k < 1000; ++k) const auto copy = mine;
            });
        for (auto& each : threads) each.join();
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
}
