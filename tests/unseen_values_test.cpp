#include <bellamy/choose.hpp>
#include <bellamy/cold_start.hpp>
#include <bellamy/detail/base/random.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/unseen_values.hpp>

#include <doctest/doctest.h>

#include <array>

#include "support/made_up_job.hpp"

using namespace bellamy;
using support::made_up_context;

namespace {

// Machines differ by their speed, which no property tells.
constexpr std::array<std::pair<const char*, double>, 4> machines{{{"a", 1.0}, {"b", 1.4}, {"c", 0.7}, {"d", 1.2}}};

const model& of_machines() {
    static const model learned = [] {
        std::vector<run> history;
        detail::random_generator random(3);
        for (const auto& [name, speed] : machines)
            for (std::uint64_t size = 20; size <= 100; size += 20)
                for (const int x : {2, 4, 8})
                    history.push_back(
                        {.context = made_up_context(size, name),
                         .scale_out = x,
                         .runtime_s = speed * support::made_up_runtime_s(size, x) * std::exp(0.03 * random.normal())});
        return pretrain(history).value().model;
    }();
    return learned;
}

double log_width(const context& subject, double probability) {
    const auto band = of_machines().bind(subject).value().at(4).interval_s(probability);
    return std::log(band.high_s / band.low_s);
}

}  // namespace

TEST_CASE("a text that the history has not is named with those it has") {
    const auto found = unseen_values(of_machines(), made_up_context(50, "typing error"));
    REQUIRE(found);
    REQUIRE(found->size() == 1);
    CHECK(found->front().property == "machine");
    CHECK(found->front().value == "typing error");
    CHECK(found->front().known == std::vector<std::string>{"a", "b", "c", "d"});
    CHECK(unseen_values(of_machines(), made_up_context(50, "a"))->empty());
    CHECK(unseen_values(support::random_model(), made_up_context(50, "e"))->empty());
    CHECK(unseen_values(of_machines(), {}).error().code() == errc::essential_count_mismatch);
}

TEST_CASE("the band of a text never seen is as wide as runtimes differ between those seen") {
    // Speeds from 0.7 to 1.4: a factor of two.
    CHECK(log_width(made_up_context(60, "a"), 0.9) < 0.5);
    CHECK(log_width(made_up_context(60, "new"), 0.9) > std::log(2));
    // The middle half of a normal distribution is 1.35 of its deviations wide, and that of the speeds' logarithms is 0.30.
    CHECK(log_width(made_up_context(60, "new"), 0.5) > 1.35 * 0.3);
    CHECK(log_width(made_up_context(60, "new"), 0.5) < 2 * 1.35 * 0.3);
    const auto predicted = of_machines().bind(made_up_context(60, "new")).value().at(4);
    for (const auto& [name, speed] : machines) {
        const double truth_s = speed * support::made_up_runtime_s(60, 4);
        CHECK(predicted.quantile_s(0.03) < truth_s);
        CHECK(predicted.quantile_s(0.97) > truth_s);
    }
}

TEST_CASE("one run of a text never seen tells its level") {
    const auto subject = made_up_context(60, "new");
    const double speed = 1.7;
    const std::vector<run> observed{
        {.context = subject, .scale_out = 8, .runtime_s = speed * support::made_up_runtime_s(60, 8)}};
    const auto predicted = of_machines().condition(observed).value().bind(subject).value().at(4);
    CHECK(predicted.median_s == doctest::Approx(speed * support::made_up_runtime_s(60, 4)).epsilon(0.1));
}

TEST_CASE("a cheaper machine that no run had is not chosen while a known one meets the limit") {
    const auto known = of_machines().bind(made_up_context(60, "a")).value();
    const auto strange = of_machines().bind(made_up_context(60, "A")).value();
    const std::vector<candidate> candidates{{.runtimes = &strange, .scale_out = 8, .costs = {.per_unit_and_hour = 1}},
                                            {.runtimes = &known, .scale_out = 8, .costs = {.per_unit_and_hour = 2}}};
    for (const auto goal : {goal::cheapest_within_deadline, goal::smallest_within_deadline}) {
        std::array<assessment, 2> table;
        const auto answer = choose(candidates, {.goal = goal, .deadline_s = 1000}, table).value();
        CHECK(answer.feasible());
        CHECK(answer.candidate->candidate == 1);
        CHECK(table[0].why == verdict::unlike_any_seen);
        CHECK(table[1].why == verdict::chosen);
    }
    // Without a limit the cost decides.
    const auto cheapest = choose(candidates, {.goal = goal::least_expected_cost});
    CHECK(cheapest->candidate->candidate == 0);
    CHECK_FALSE(cheapest->feasible());
    // Where all are strange, each row says why it is not the choice.
    std::array<assessment, 2> rows;
    REQUIRE(choose(strange, {4, 8}, 1000, 0.5, rows));
    CHECK(rows[0].why == verdict::chosen);
    CHECK(rows[1].why == verdict::larger_than_needed);
    // Where no known one does, it is the choice, and the outcome says so.
    const auto alone = choose(std::span(candidates).first(1), {.goal = goal::cheapest_within_deadline, .deadline_s = 1000});
    CHECK(alone->outcome == outcome::meets_deadline_unlike_any_seen);
}

TEST_CASE("a choice for a text never seen says so in its outcome") {
    const auto known = of_machines().bind(made_up_context(60, "a")).value();
    const auto strange = of_machines().bind(made_up_context(60, "new")).value();
    CHECK(choose(known, {2, 3, 4, 5, 6, 7, 8}, 200).value().outcome == outcome::meets_deadline);
    const auto answer = choose(strange, {2, 3, 4, 5, 6, 7, 8}, 500).value();
    CHECK(answer.outcome == outcome::meets_deadline_unlike_any_seen);
    CHECK(answer.meets_limit());
    CHECK_FALSE(answer.feasible());  // a slip of the pen would be started
    CHECK(choose(known, {2, 3, 4, 5, 6, 7, 8}, 200).value().feasible());
    const auto cheapest = [](const curve& runtimes, double deadline_s, double probability) {
        const std::vector<candidate> one{{.runtimes = &runtimes, .scale_out = 4, .costs = {.per_unit_and_hour = 1}}};
        return choose(one, {.goal = goal::least_expected_cost,
                            .deadline_s = deadline_s,
                            .probability = probability,
                            .cost_of_missing = 1})
            .value();
    };
    const double median_s = strange.at(4).median_s;
    const auto unlikely = cheapest(strange, median_s, 0.99);
    CHECK(unlikely.outcome == outcome::costs_least_unlike_any_seen);
    CHECK(unlikely.meets_limit());
    CHECK_FALSE(unlikely.feasible());
    CHECK(cheapest(strange, median_s * 100, 0.9).outcome == outcome::meets_deadline_unlike_any_seen);
    CHECK(cheapest(known, known.at(4).median_s, 0.99).outcome == outcome::costs_least);
    CHECK(cheapest(known, known.at(4).median_s, 0.99).feasible());
    // A run of it is better than what others tell.
    const std::vector<run> observed{{.context = made_up_context(60, "new"), .scale_out = 4, .runtime_s = 100}};
    const auto known_now = of_machines().condition(observed).value().bind(made_up_context(60, "new")).value();
    CHECK(choose(known_now, {2, 3, 4, 5, 6, 7, 8}, 500).value().outcome == outcome::meets_deadline);
}
