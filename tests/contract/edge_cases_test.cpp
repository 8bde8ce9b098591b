// What best mode does at the edges of what can happen: it answers with a positive, finite median and ordered quantiles.
#include "../support/made_up_blend.hpp"

#include <doctest/doctest.h>

using namespace bellamy;

namespace {

run one_run(std::string name, int scale_out, double runtime_s) {
    return {.context = {.essential = {text("name", std::move(name))}}, .scale_out = scale_out, .runtime_s = runtime_s};
}

void check_answers(const model& subject, const context& job) {
    const auto runtimes = subject.bind(job);
    REQUIRE(runtimes);
    for (const int x : {1, 2, 8, 1000, 100'000, largest_scale_out}) {
        CAPTURE(x);
        const auto answer = runtimes->at(x);
        CHECK(answer.usable());
        CHECK(answer.quantile_s(0.01) <= answer.median_s);
        CHECK(answer.median_s <= answer.quantile_s(0.99));
        CHECK(std::isfinite(answer.quantile_s(0.999)));
        CHECK(answer.quantile_s(0.001) > 0);
    }
}

}  // namespace

TEST_CASE("runs that are all alike are predicted as they are, and nearly for certain") {
    std::vector<run> history;
    for (const char* name : {"a", "b", "c", "d"})
        for (const int x : {2, 4, 8})
            for (int repeat = 0; repeat < 5; ++repeat) history.push_back(one_run(name, x, 100));
    const auto subject = support::blend_of(history);
    check_answers(subject, history[0].context);
    const auto answer = subject.bind(history[0].context)->at(4);
    CHECK(answer.median_s == doctest::Approx(100).epsilon(0.01));
    CHECK(answer.spread() < 0.1);
}

TEST_CASE("one distinct scale-out gives answers there and wide ones elsewhere") {
    std::vector<run> history;
    for (int i = 0; i < 6; ++i) history.push_back(one_run(std::to_string(i), 4, 90 + i));
    const auto subject = support::blend_of(history);
    check_answers(subject, one_run("new", 1, 1).context);
    const auto runtimes = *subject.bind(one_run("2", 1, 1).context);
    CHECK(runtimes.at(4).median_s == doctest::Approx(92).epsilon(0.05));
    CHECK(runtimes.at(16).spread() > runtimes.at(4).spread());
}

TEST_CASE("runtimes of a millisecond and of thirty days live in one history") {
    std::vector<run> history;
    for (const int x : {1, 10, 1000, 100'000}) {
        history.push_back(one_run("quick", x, 1e-3));
        history.push_back(one_run("slow", x, 30 * 86400.0));
        history.push_back(one_run("usual", x, 60));
    }
    const auto subject = support::blend_of(history);
    for (const char* name : {"quick", "slow", "usual", "new"}) check_answers(subject, one_run(name, 1, 1).context);
    CHECK(subject.bind(one_run("quick", 1, 1).context)->at(10).median_s < 0.1);
    CHECK(subject.bind(one_run("slow", 1, 1).context)->at(10).median_s > 86400);
}

TEST_CASE("two runs of one configuration far apart are flagged, and the likelier one counts more") {
    auto fast = support::made_up_run(55, 4);
    auto slow = fast;
    slow.runtime_s *= 20;
    const auto torn = *support::made_up_blend().condition(std::vector{fast, slow});
    check_answers(torn, fast.context);
    CHECK(torn.bind(fast.context)->at(4).contradictory_observed_runs);
    CHECK(torn.bind(fast.context)->at(4).median_s == doctest::Approx(fast.runtime_s).epsilon(0.1));
}

TEST_CASE("ten thousand contexts are learned from, if not from every one of them") {
    std::vector<run> history;
    for (std::uint64_t size = 1; size <= 10'000; ++size)
        for (const int x : {2, 8}) history.push_back(support::made_up_run(size, x));
    const auto subject = support::blend_of(history);
    check_answers(subject, support::made_up_context(5000));
    CHECK(subject.bind(support::made_up_context(5000))->at(4).median_s ==
          doctest::Approx(support::made_up_runtime_s(5000, 4)).epsilon(0.2));
}

TEST_CASE("an empty text and a text of a megabyte are texts") {
    std::vector<run> history;
    for (const auto& name : {std::string(), std::string(1'000'000, 'x'), std::string("short")})
        for (const int x : {2, 4, 8}) history.push_back(one_run(name, x, 100.0 / x + static_cast<double>(name.size() % 7)));
    const auto subject = support::blend_of(history);
    for (const auto& each : history) check_answers(subject, each.context);
    check_answers(subject, one_run(std::string(1'000'000, 'y'), 1, 1).context);
}

TEST_CASE("subnormal and huge values are values") {
    std::vector<run> history;
    const double least = std::numeric_limits<double>::denorm_min();
    const double most = (std::numeric_limits<double>::max)();
    for (const double value : {least, 1e-300, 1.0, 1e300, most})
        for (const int x : {2, 4}) {
            history.push_back({.context = {.essential = {quantity("q", value)}}, .scale_out = x, .runtime_s = 10.0 * x});
        }
    const auto subject = support::blend_of(history);
    for (const auto& each : history) check_answers(subject, each.context);

    auto extreme = support::made_up_history(3);
    extreme[0].runtime_s = least;
    extreme[7].runtime_s = most;
    check_answers(support::blend_of(extreme), extreme[0].context);
    const auto shaken = *support::made_up_blend().condition(
        std::vector{run{.context = extreme[0].context, .scale_out = 2, .runtime_s = least},
                    run{.context = extreme[0].context, .scale_out = 2, .runtime_s = most}});
    check_answers(shaken, extreme[0].context);
}

TEST_CASE("contexts that are nearly the same make a covariance that can still be factorised") {
    std::vector<run> history;
    for (int i = 0; i < 30; ++i)
        for (const int x : {2, 4, 8})
            history.push_back({.context = {.essential = {quantity("q", 1 + 1e-13 * i)}},
                               .scale_out = x,
                               .runtime_s = 100.0 / x + 1e-9 * i});
    const auto subject = support::blend_of(history);
    check_answers(subject, history[0].context);
    CHECK(subject.bind(history[0].context)->at(4).median_s == doctest::Approx(25).epsilon(0.01));
}

TEST_CASE("hundreds of observed runs of one context are taken in") {
    std::vector<run> observed;
    for (int i = 0; i < 400; ++i) {
        observed.push_back(support::made_up_run(55, 1 + i % 50));
        observed.back().runtime_s *= 1.5 + 0.01 * (i % 3);
        observed.back().censored = i % 17 == 0;
    }
    const auto wiser = *support::made_up_blend().condition(observed);
    check_answers(wiser, observed[0].context);
    CHECK(wiser.bind(observed[0].context)->at(4).median_s ==
          doctest::Approx(1.51 * support::made_up_runtime_s(55, 4)).epsilon(0.05));
}
