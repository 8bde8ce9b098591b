#include <bellamy/rescale.hpp>

#include "support/compare.hpp"

#include <doctest/doctest.h>

using namespace bellamy;

namespace {

[[nodiscard]] prediction sure(double median_s) { return {.median_s = median_s}; }

// A log-normal distribution.
[[nodiscard]] prediction spread_out(double median_s, double deviation) {
    prediction result{.median_s = median_s, .is_point = false};
    constexpr std::array deviates{-4.0, -3.0,  -2.326, -1.645, -1.282, -0.95, -0.674, -0.33, 0.0,
                                  0.33, 0.674, 0.95,   1.282,  1.645,  2.326, 3.0,    4.0};
    for (std::size_t i = 0; i < deviates.size(); ++i) result.log_quantiles[i] = std::log(median_s) + deviation * deviates[i];
    return result;
}

[[nodiscard]] rescale_candidate priced(int scale_out, const prediction& rest, double start_up_s = 0) {
    return {.scale_out = scale_out, .rest = rest, .costs = {.per_unit_and_hour = 3600, .start_up_s = start_up_s}};
}

// Ten jobs that share 100 seconds of work.
struct shared_work {
    std::size_t finished = 0;
    [[nodiscard]] std::size_t jobs() const noexcept { return 10; }
    [[nodiscard]] std::size_t finished_jobs() const noexcept { return finished; }
    [[nodiscard]] prediction remaining(int scale_out) const noexcept {
        return {.median_s = 10.0 * static_cast<double>(10 - finished) / scale_out};
    }
};
static_assert(predicts_remaining_time<shared_work>);
static_assert(!predicts_remaining_time<curve>);

[[nodiscard]] errc code_of(std::span<const rescale_candidate> candidates, const rescale_request& wanted) {
    const auto answer = rescale(candidates, wanted);
    return answer ? errc::ok : answer.error().code();
}

}  // namespace

TEST_CASE("a running application goes to the cheapest scale-out that keeps the deadline, and the table says why") {
    const std::vector list{priced(2, sure(100)), priced(4, sure(55)), priced(8, sure(40))};
    std::vector<rescale_assessment> table(3);
    const auto up = rescale(list, {.deadline_s = 100, .elapsed_s = 30, .scale_out = 2}, table);
    REQUIRE(up);
    CHECK(up->outcome == rescale_outcome::meets_deadline);
    CHECK(up->scale_out == 4);
    CHECK(up->changes);
    CHECK(table[0].why == rescale_verdict::misses_deadline);
    CHECK(table[1].why == rescale_verdict::chosen);
    CHECK(table[1].expected_cost == doctest::Approx(220));
    CHECK(table[2].why == rescale_verdict::costs_more);
    const auto down = rescale(list, {.deadline_s = 200, .elapsed_s = 30, .scale_out = 8}, table);
    CHECK(down->scale_out == 2);
}

TEST_CASE("a change that saves less than it costs is not made") {
    const std::vector list{priced(2, sure(100)), priced(4, sure(55))};
    std::vector<rescale_assessment> table(2);
    const rescale_request wanted{.deadline_s = 200, .scale_out = 4, .cost_of_change = 21};
    const auto stay = rescale(list, wanted, table);
    CHECK_FALSE(stay->changes);
    CHECK(stay->scale_out == 4);
    CHECK(table[0].why == rescale_verdict::not_worth_the_change);
    auto cheaper = wanted;
    cheaper.cost_of_change = 19;
    CHECK(rescale(list, cheaper)->scale_out == 2);
    // But one that keeps the deadline is, whatever it costs.
    CHECK(rescale(list, {.deadline_s = 60, .scale_out = 2, .cost_of_change = 1e6})->scale_out == 4);
}

TEST_CASE("where missing has a cost, the least expected cost decides, and the probability only names the outcome") {
    // In time with probability 0.5, 0.84 and 1.
    const std::vector list{priced(2, spread_out(100, 0.2)), priced(4, spread_out(82, 0.2)), priced(8, sure(60))};
    std::vector<rescale_assessment> table(3);
    const auto decide = [&](double cost, int present = 2) {
        return rescale(list, {.deadline_s = 100, .scale_out = present, .cost_of_missing = cost}, table).value();
    };
    const auto cheap = decide(10);
    CHECK(cheap.scale_out == 2);
    CHECK(cheap.outcome == rescale_outcome::costs_least);
    CHECK(table[1].why == rescale_verdict::costs_more);
    const auto without = rescale(list, {.deadline_s = 100}, table).value();
    CHECK(without.scale_out == 8);
    const double alone = table[1].expected_cost;
    CHECK(decide(700).scale_out == 4);
    CHECK(table[1].expected_cost == doctest::Approx(alone + 700 * (1 - table[1].probability)));
    const auto dear = decide(10'000);
    CHECK(dear.scale_out == 8);
    CHECK(dear.outcome == rescale_outcome::meets_deadline);
    // The deadline has passed: to miss it costs the same everywhere.
    const auto late = rescale(list, {.deadline_s = 100, .elapsed_s = 100, .scale_out = 8, .cost_of_missing = 1e6}).value();
    CHECK(late.scale_out == 2);
    CHECK(late.outcome == rescale_outcome::deadline_passed);
    // A change must still be worth it.
    CHECK(rescale(list, {.deadline_s = 100, .scale_out = 2, .cost_of_change = 500, .cost_of_missing = 1000})->scale_out ==
          2);
}

TEST_CASE("the delay of a change counts for the time and the cost of every scale-out but the present one") {
    const std::vector list{priced(2, sure(100), 50), priced(4, sure(55), 50)};
    std::vector<rescale_assessment> table(2);
    CHECK(rescale(list, {.deadline_s = 100, .scale_out = 2}, table)->scale_out == 2);
    CHECK(table[0].expected_cost == doctest::Approx(200));
    CHECK(table[1].expected_cost == doctest::Approx(420));
    CHECK(table[1].why == rescale_verdict::misses_deadline);
}

TEST_CASE("the probability of the deadline decides, not the median") {
    const std::vector list{priced(2, spread_out(90, 0.3)), priced(4, spread_out(60, 0.3))};
    CHECK(rescale(list, {.deadline_s = 100, .probability = 0.5, .scale_out = 2})->scale_out == 2);
    CHECK(rescale(list, {.deadline_s = 100, .probability = 0.9, .scale_out = 2})->scale_out == 4);
}

TEST_CASE("a forecast is asked at every scale-out, and says how many jobs are to come") {
    const std::vector scale_outs{1, 2, 4};
    const price costs{.per_unit_and_hour = 1};
    std::vector<rescale_assessment> table(3);
    const auto go = rescale(shared_work{.finished = 5}, scale_outs, costs, {.deadline_s = 90, .elapsed_s = 60}, table);
    REQUIRE(go);
    CHECK(go->scale_out == 2);
    CHECK(table[0].why == rescale_verdict::misses_deadline);
    CHECK(table[2].rest.median_s == 12.5);
    const auto done = rescale(shared_work{.finished = 10}, scale_outs, costs, {.deadline_s = 90});
    CHECK(done->outcome == rescale_outcome::nothing_to_come);
    const std::vector wrong{1, 0};
    CHECK(rescale(shared_work{}, wrong, costs, {.deadline_s = 90}).error().code() == errc::invalid_scale_out);
}

TEST_CASE("where no scale-out keeps the deadline the likeliest is the effort, and once it has passed the fastest") {
    const std::vector list{priced(2, spread_out(200, 0.3)), priced(4, spread_out(120, 0.3))};
    const auto late = rescale(list, {.deadline_s = 100, .scale_out = 2});
    CHECK(late->outcome == rescale_outcome::misses_deadline);
    CHECK(late->scale_out == 4);
    CHECK(late->candidate->probability > 0);
    const auto passed = rescale(list, {.deadline_s = 100, .elapsed_s = 100, .scale_out = 2});
    CHECK(passed->outcome == rescale_outcome::deadline_passed);
    CHECK(passed->scale_out == 4);
    CHECK(passed->candidate->probability == 0);
}

TEST_CASE("where no scale-out keeps the deadline, a little more probability is not worth every price") {
    std::vector list{priced(2, spread_out(100, 0.3)), priced(4, spread_out(99, 0.3)), priced(8, spread_out(98, 0.3))};
    std::vector<rescale_assessment> table(3);
    const auto late = rescale(list, {.deadline_s = 100, .scale_out = 4}, table);
    CHECK(late->outcome == rescale_outcome::misses_deadline);
    CHECK(late->scale_out == 2);
    CHECK(table[0].why == rescale_verdict::chosen);
    CHECK(table[2].why == rescale_verdict::misses_deadline);
    CHECK(table[2].probability > late->candidate->probability);
    // A change that costs more than it saves is not made.
    CHECK(rescale(list, {.deadline_s = 100, .scale_out = 4, .cost_of_change = 300})->scale_out == 4);
    // At no price the likeliest.
    auto free = list;
    for (auto& each : free) each.costs.per_unit_and_hour = 0;
    CHECK(rescale(free, {.deadline_s = 100, .scale_out = 1})->scale_out == 8);
    // Less than four fifths of the odds are too few.
    list[2] = priced(8, spread_out(93, 0.3));
    CHECK(rescale(list, {.deadline_s = 100, .scale_out = 4})->scale_out == 8);
    // Hopeless: the fastest, whatever it costs.
    for (auto& each : list) each.costs.start_up_s = 200;
    CHECK(rescale(list, {.deadline_s = 100, .scale_out = 1})->scale_out == 8);
}

TEST_CASE("without a job to come or a usable prediction a running application stays, and it is said why") {
    const std::vector list{priced(4, sure(10))};
    const auto nothing = rescale(list, {.deadline_s = 100, .scale_out = 2, .jobs_to_come = 0});
    CHECK(nothing->outcome == rescale_outcome::nothing_to_come);
    CHECK_FALSE(nothing->changes);
    CHECK(nothing->scale_out == 2);
    CHECK(rescale({}, {.deadline_s = 100, .jobs_to_come = 0})->outcome == rescale_outcome::nothing_to_come);
    const std::vector bad{priced(4, sure(std::nan(""))), priced(8, sure(-3))};
    std::vector<rescale_assessment> table(2);
    const auto none = rescale(bad, {.deadline_s = 100, .scale_out = 2}, table);
    CHECK(none->outcome == rescale_outcome::no_usable_prediction);
    CHECK(none->scale_out == 2);
    CHECK_FALSE(none->candidate);
    CHECK(table[0].why == rescale_verdict::not_usable);
    // One candidate is a choice too, and so is one beside which staying is not predicted.
    CHECK(rescale(list, {.deadline_s = 100, .scale_out = 2})->scale_out == 4);
}

TEST_CASE("a question about a running application with a defect is refused by name") {
    const std::vector list{priced(4, sure(10))};
    const double nan = std::nan("");
    CHECK(code_of(list, {.deadline_s = 0}) == errc::invalid_deadline);
    CHECK(code_of(list, {.deadline_s = nan}) == errc::invalid_deadline);
    CHECK(code_of(list, {.deadline_s = 1, .elapsed_s = nan}) == errc::invalid_runtime);
    CHECK(code_of(list, {.deadline_s = 1, .elapsed_s = -1}) == errc::invalid_runtime);
    CHECK(code_of(list, {.deadline_s = 1, .probability = 1}) == errc::invalid_probability);
    CHECK(code_of(list, {.deadline_s = 1, .scale_out = 0}) == errc::invalid_scale_out);
    CHECK(code_of(list, {.deadline_s = 1, .cost_of_change = -1}) == errc::invalid_price);
    CHECK(code_of(list, {.deadline_s = 1, .cost_of_missing = -1}) == errc::invalid_price);
    CHECK(code_of(list, {.deadline_s = 1, .cost_of_missing = nan}) == errc::invalid_price);
    CHECK(code_of({}, {.deadline_s = 1}) == errc::empty_candidates);
    CHECK(code_of(std::vector{priced(0, sure(1))}, {.deadline_s = 1}) == errc::invalid_scale_out);
    CHECK(code_of(std::vector{priced(1, sure(1), nan)}, {.deadline_s = 1}) == errc::invalid_price);
    std::vector<rescale_assessment> table(1);
    std::vector two{priced(4, sure(10)), priced(8, sure(10))};
    two[1].costs = {.start_up_s = 5};
    support::check_refused(rescale(two, {.deadline_s = 1}), errc::invalid_price, {"found none"});
    CHECK(rescale(two, {.deadline_s = 1}, table).error().code() == errc::buffer_too_small);
}
