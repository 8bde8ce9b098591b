#include <bellamy/shared_model.hpp>

#include "support/compare.hpp"
#include "support/made_up_blend.hpp"

#include <atomic>
#include <thread>

using namespace bellamy;
using support::check_refused;

TEST_CASE("a snapshot stays as it is while the shared model learns") {
    shared_model subject(support::made_up_blend());
    const auto before = subject.snapshot();
    auto slow = support::made_up_run(55, 4);
    slow.runtime_s *= 2;
    CHECK(subject.update([&](const model& now) { return now.condition(std::vector{slow}); }).has_value());
    CHECK(before->observed().empty());
    CHECK(subject.snapshot()->observed().size() == 1);
    subject.replace(support::made_up_blend());
    CHECK(subject.snapshot()->observed().empty());
}

TEST_CASE("what cannot be learned leaves the shared model as it was") {
    shared_model subject(support::made_up_blend());
    const auto before = subject.snapshot();
    auto broken = support::made_up_run(55, 4);
    broken.runtime_s = 0;
    check_refused(subject.update([&](const model& now) { return now.condition(std::vector{broken}); }),
                  errc::invalid_runtime);
    CHECK(subject.snapshot() == before);
}

TEST_CASE("eight threads predict from snapshots while others condition and swap, and nothing learned is lost") {
    shared_model subject(support::made_up_blend());
    std::atomic<bool> done = false;
    std::atomic<int> wrong = 0;
    std::atomic<int> asked = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < 8; ++i)
        readers.emplace_back([&, i] {
            const auto job = support::made_up_context(static_cast<std::uint64_t>(50 + i));
            do {
                const auto now = subject.snapshot();
                const auto runtimes = now->bind(job);
                for (int x = 1; runtimes && x <= 64; ++x)
                    if (!runtimes->at(x).usable() || !(runtimes->at(x).quantile_s(0.9) > 0)) ++wrong;
                if (!runtimes) ++wrong;
                ++asked;
            } while (!done);
        });
    std::vector<std::thread> learners;
    for (int i = 0; i < 2; ++i)
        learners.emplace_back([&, i] {
            for (int repeat = 0; repeat < 10; ++repeat) {
                const std::vector one{support::made_up_run(static_cast<std::uint64_t>(50 + i), 2 + repeat % 5)};
                if (!subject.update([&](const model& now) { return now.condition(one); })) ++wrong;
            }
        });
    for (auto& each : learners) each.join();
    done = true;
    for (auto& each : readers) each.join();
    CHECK(wrong == 0);
    CHECK(asked >= 8);
    CHECK(subject.snapshot()->observed().size() == 20);
}
