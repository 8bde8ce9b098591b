#include <bellamy/detail/base/shared.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using bellamy::detail::lazy;
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

TEST_CASE("a lazy value is made when it is first asked for, and not again") {
    const lazy<int> subject;
    int made = 0;
    const auto make = [&] { return 40 + ++made; };
    CHECK(made == 0);
    const int& first = subject.get(make);
    CHECK(first == 41);
    CHECK(&subject.get(make) == &first);
    CHECK(made == 1);
}

TEST_CASE("threads that ask for a lazy value at once get the same one, and the others are destroyed") {
    static std::atomic<int> alive = 0;
    struct counted {
        counted() noexcept { ++alive; }
        counted(counted&&) noexcept { ++alive; }
        ~counted() { --alive; }
    };
    for (int round = 0; round < 20; ++round) {
        const lazy<counted> subject;
        std::atomic<int> waiting = 4;
        std::vector<const counted*> got(4);
        std::vector<std::thread> threads;
        threads.reserve(got.size());
        for (auto& each : got)
            threads.emplace_back([&] {
                --waiting;
                while (waiting > 0) std::this_thread::yield();
                each = &subject.get([] { return counted(); });
            });
        for (auto& each : threads) each.join();
        for (const auto* each : got) CHECK(each == got.front());
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
}

TEST_CASE("a lazy value moves with its owner") {
    lazy<int> first;
    const int* const made = &first.get([] { return 7; });
    const lazy<int> second(std::move(first));
    CHECK(&second.get([] { return 8; }) == made);
}
