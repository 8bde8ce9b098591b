#include <bellamy/detail/base/lazy.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using bellamy::detail::lazy;

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
