#include "support/compare.hpp"
#include "support/made_up_blend.hpp"
#include "support/made_up_curve.hpp"

#include <bellamy/choose.hpp>
#include <bellamy/detail/base/random.hpp>

#include <cmath>

using namespace bellamy;
using support::check_refused;
using support::made_up_curve;

namespace {

// 600 s of shared work and 20 s of one's own: 620, 320, 220, 170, 140, 120, ... seconds. Seen at 2 to 12.
const curve falling = made_up_curve(600, 20);

// Of best mode, so with quantiles; 20 s and 220 s shared.
const curve& uncertain() {
    static const auto subject = *support::made_up_blend().bind(support::made_up_context(55));
    return subject;
}

std::vector<candidate> candidates_of(const curve& runtimes, std::initializer_list<int> scale_outs, const price& costs) {
    std::vector<candidate> all;
    for (const int x : scale_outs) all.push_back({.runtimes = &runtimes, .scale_out = x, .costs = costs});
    return all;
}

// At a scale-out of 1; `log_sd`: standard deviation of the log-runtime.
curve lognormal_curve(double median_s, double log_sd) {
    detail::quantile_row row{};
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::log(median_s) + log_sd * detail::standard_normal_quantiles[i];
    return curve(detail::blend_curve{.table = detail::knot_table(std::vector{1}, std::vector{row})},
                 {.smallest = 1, .largest = 1});
}

int chosen(const result<decision>& answer) {
    REQUIRE(answer);
    REQUIRE(answer->candidate);
    return answer->candidate->scale_out;
}

template <class Number>
concept chooses_among_braces = requires(const curve& runtimes, Number number) {
    choose(runtimes, {number, number}, 1.0);
};

std::vector<int> range(int first, int last, int step = 1) {
    std::vector<int> all;
    for (int x = first; x <= last; x += step) all.push_back(x);
    return all;
}

static_assert(chooses_among_braces<int>);
static_assert(!chooses_among_braces<long> && !chooses_among_braces<short> && !chooses_among_braces<double>);

}  // namespace

TEST_CASE("the smallest scale-out predicted under the deadline is chosen") {
    const auto answer = choose(falling, range(2, 12), 150);
    CHECK(chosen(answer) == 5);
    CHECK(answer->outcome == outcome::meets_deadline);
    CHECK(answer->feasible());
    CHECK(answer->candidate->why == verdict::chosen);
    CHECK(answer->candidate->predicted.median_s == doctest::Approx(140).epsilon(1e-5));

    CHECK(chosen(choose(falling, range(2, 12, 2), 150)) == 6);
    CHECK(chosen(choose(falling, std::vector{12, 4, 8, 6, 2}, 150)) == 6);
    CHECK(chosen(choose(falling, std::vector{6, 6}, 150)) == 6);
    // Not the fastest but the smallest, even where more nodes are slower.
    CHECK(chosen(choose(made_up_curve(600, 0, 6), range(2, 100), 1000)) == 2);
}

TEST_CASE("scale-outs in braces are these scale-outs, not a range") {
    std::array<assessment, 3> table;
    CHECK(chosen(choose(falling, {2, 4, 8}, 150.0, 0.9, table)) == 8);
    CHECK(table[0].scale_out == 2);
    CHECK(table[1].scale_out == 4);
    CHECK(table[2].scale_out == 8);
    CHECK(chosen(choose(falling, {2, 12}, 150.0)) == 12);
    CHECK(chosen(choose(falling, {12}, 150.0)) == 12);
}

TEST_CASE("a prediction equal to the deadline meets it") {
    const double exactly = falling.at(5).median_s;
    CHECK(chosen(choose(falling, range(2, 12), exactly)) == 5);
    CHECK(chosen(choose(falling, range(2, 12), std::nextafter(exactly, 0))) == 6);
}

TEST_CASE("a choice outside the scale-outs seen is called an extrapolation") {
    // 50 seconds at 20, within float precision.
    const auto above = choose(falling, range(2, 40), 50.01);
    CHECK(chosen(above) == 20);
    CHECK(above->outcome == outcome::meets_deadline_by_extrapolation);
    CHECK(above->feasible());
    CHECK(above->candidate->predicted.outside_seen_scale_outs);

    const auto below = choose(falling, range(1, 12), 700);
    CHECK(chosen(below) == 1);
    CHECK(below->outcome == outcome::meets_deadline_by_extrapolation);
}

TEST_CASE("a choice beyond the data sizes seen is called an extrapolation") {
    const auto& general = support::made_up_blend();
    const auto beyond = *general.bind(support::made_up_context(150));
    REQUIRE(beyond.at(4).outside_seen_data_sizes);
    REQUIRE_FALSE(beyond.at(4).outside_seen_scale_outs);
    REQUIRE_FALSE(beyond.at(4).unlike_any_seen_context);
    const auto answer = choose(beyond, {4}, 1e6);
    CHECK(chosen(answer) == 4);
    CHECK(answer->outcome == outcome::meets_deadline_by_extrapolation);
    CHECK(answer->feasible());
    CHECK(choose(*general.bind(support::made_up_context(55)), {4}, 1e6)->outcome == outcome::meets_deadline);
}

TEST_CASE("without a limit a cluster of too little memory is chosen only where all are such") {
    // 100 s at every scale-out, so that the smallest costs least.
    detail::quantile_row row{};
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::log(100) + 0.1 * detail::standard_normal_quantiles[i];
    const curve level(
        detail::blend_curve{.table = detail::knot_table(std::vector{1, 12}, std::vector{row, row}), .fewest_with_memory = 7},
        {.smallest = 1, .largest = 12});
    const price costs{.per_unit_and_hour = 1};
    const auto all = candidates_of(level, {4, 8, 12}, costs);
    std::array<assessment, 3> table{};
    const auto answer = choose(all, {.goal = goal::least_expected_cost}, table);
    CHECK(chosen(answer) == 8);
    CHECK(answer->outcome == outcome::meets_deadline);
    CHECK(table[0].why == verdict::unlike_any_seen);
    CHECK(table[2].why == verdict::costs_more);
    const auto few = candidates_of(level, {2, 4}, costs);
    const auto of_few = choose(few, {.goal = goal::least_expected_cost});
    CHECK(chosen(of_few) == 2);
    CHECK(of_few->outcome == outcome::meets_deadline_by_extrapolation);
    CHECK(chosen(choose(all, {.goal = goal::cheapest_within_deadline, .deadline_s = 1000})) == 4);
    CHECK(chosen(choose(all, {.goal = goal::least_expected_cost, .deadline_s = 1000, .cost_of_missing = 1})) == 4);
}

TEST_CASE("when nothing meets the deadline the fastest is the best effort") {
    const auto answer = choose(falling, std::vector{4, 12, 8}, 30);
    CHECK(chosen(answer) == 12);
    CHECK(answer->outcome == outcome::infeasible);
    CHECK_FALSE(answer->feasible());
    CHECK(answer->candidate->why == verdict::misses_deadline);
    // 600/x + 6x is lowest at 10.
    CHECK(chosen(choose(made_up_curve(600, 0, 6), range(2, 20), 1)) == 10);
}

TEST_CASE("where no deadline is met, the decision tells the soonest that could be, start-up included") {
    const auto runtimes = support::made_up_blend().bind(support::made_up_context(55)).value();
    const price costs{.per_unit_and_hour = 1, .start_up_s = 30};
    const std::array candidates{candidate{.runtimes = &runtimes, .scale_out = 2, .costs = costs},
                                candidate{.runtimes = &runtimes, .scale_out = 8, .costs = costs},
                                candidate{.runtimes = &runtimes, .scale_out = 4, .costs = costs}};
    request wanted{.deadline_s = 31, .probability = 0.95};
    const auto refused = choose(candidates, wanted).value();
    REQUIRE(refused.outcome == outcome::infeasible);
    CHECK(refused.attainable_deadline_s == doctest::Approx(30 + runtimes.at(8).quantile_s(0.95)));
    wanted.deadline_s = refused.attainable_deadline_s;
    CHECK(choose(candidates, wanted)->feasible());
    CHECK(std::isnan(choose(candidates, wanted)->attainable_deadline_s));
    wanted.deadline_s = 0.9999 * refused.attainable_deadline_s;
    CHECK_FALSE(choose(candidates, wanted)->feasible());
    // A misspelled machine type tells no deadline, unless there is nothing else.
    const auto unknown = support::made_up_blend().bind(support::made_up_context(10, "m5.lage")).value();
    REQUIRE(unknown.at(8).unlike_any_seen_context);
    const auto soonest_s = [&](std::initializer_list<const curve*> curves) {
        std::vector<candidate> all;
        for (const auto* each : curves) all.push_back({.runtimes = each, .scale_out = 8, .costs = costs});
        return choose(all, {.deadline_s = 31, .probability = 0.95})->attainable_deadline_s;
    };
    CHECK(soonest_s({&unknown, &runtimes}) == soonest_s({&runtimes}));
    // It alone meets the deadline.
    const std::array unlike{candidate{.runtimes = &unknown, .scale_out = 8, .costs = costs},
                            candidate{.runtimes = &runtimes, .scale_out = 2, .costs = costs}};
    REQUIRE(unknown.at(8).quantile_s(0.95) < runtimes.at(2).quantile_s(0.95));
    const double between_s = 30 + 0.5 * (unknown.at(8).quantile_s(0.95) + runtimes.at(2).quantile_s(0.95));
    const auto looked_at = choose(unlike, {.deadline_s = between_s, .probability = 0.95}).value();
    REQUIRE(looked_at.outcome == outcome::meets_deadline_unlike_any_seen);
    CHECK(looked_at.attainable_deadline_s == doctest::Approx(30 + runtimes.at(2).quantile_s(0.95)));
    CHECK(soonest_s({&unknown}) == doctest::Approx(30 + unknown.at(8).quantile_s(0.95)));
    CHECK(soonest_s({&unknown}) != doctest::Approx(soonest_s({&runtimes})));

    // Missing has a price: no deadline is refused.
    const auto costs_least =
        choose(candidates, {.goal = goal::least_expected_cost, .deadline_s = 31, .probability = 0.95, .cost_of_missing = 1})
            .value();
    CHECK(std::isnan(costs_least.attainable_deadline_s));
    const auto too_dear = choose(candidates, {.goal = goal::fastest_within_budget, .budget = 1e-6}).value();
    REQUIRE(too_dear.outcome == outcome::infeasible);
    CHECK(std::isnan(too_dear.attainable_deadline_s));
}

TEST_CASE("of equally fast best efforts the first listed is returned") {
    CHECK(chosen(choose(made_up_curve(0, 50), std::vector{7, 3, 5}, 10)) == 7);
}

TEST_CASE("without a usable prediction there is no candidate") {
    for (const auto& useless : {made_up_curve(0, -5), made_up_curve(1e38F, 0, 3e38F)}) {
        std::array<assessment, 3> table{};
        const auto answer = choose(useless, std::vector{2, 3, 4}, 1000, 0.9, table);
        REQUIRE(answer);
        CHECK(answer->outcome == outcome::infeasible);
        CHECK_FALSE(answer->candidate.has_value());
        for (const auto& row : table) CHECK(row.why == verdict::not_usable);
    }
}

TEST_CASE("an unusable prediction is never chosen though it is below the deadline") {
    // 60/x - 10: negative beyond 6.
    CHECK(chosen(choose(made_up_curve(60, -10), std::vector{8, 10, 5, 12}, 100)) == 5);
}

TEST_CASE("the table has one row per candidate in their order and says why") {
    struct row {
        int scale_out;
        double seconds;
        verdict why;
    };
    const row expected[] = {{12, 70, verdict::larger_than_needed},
                            {2, 320, verdict::misses_deadline},
                            {6, 120, verdict::chosen},
                            {20, 50, verdict::larger_than_needed}};
    std::array<assessment, 5> table{};  // one more than needed
    table[4].scale_out = -7;
    REQUIRE(choose(falling, std::vector{12, 2, 6, 20}, 150, 0.9, table));
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        CHECK(table[i].scale_out == expected[i].scale_out);
        CHECK(table[i].predicted.median_s == doctest::Approx(expected[i].seconds).epsilon(1e-5));
        CHECK(table[i].predicted.outside_seen_scale_outs == (expected[i].scale_out > 12));
        CHECK(table[i].why == expected[i].why);
    }
    CHECK(table[4].scale_out == -7);

    REQUIRE(choose(falling, range(2, 12, 5), 1, 0.9, table));
    CHECK(table[0].scale_out == 2);
    CHECK(table[1].scale_out == 7);
    CHECK(table[2].scale_out == 12);
    CHECK(table[2].why == verdict::misses_deadline);
}

TEST_CASE("a request with a defect is refused by name") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double deadline_s : {0.0, -1.0, infinity, std::nan("")})
        check_refused(choose(falling, range(2, 12), deadline_s), errc::invalid_deadline, {"deadline > 0"});
    check_refused(choose(falling, std::span<const int>{}, 100), errc::empty_candidates);
    check_refused(choose(falling, range(0, 4), 100), errc::invalid_scale_out, {"from 1 to", "found 0"});
    check_refused(choose(falling, std::vector{2, -3}, 100), errc::invalid_scale_out, {"found -3"});
    check_refused(choose(falling, std::vector{2, largest_scale_out + 1}, 100), errc::invalid_scale_out, {"1000001"});
    check_refused(choose(falling, {(std::numeric_limits<int>::max)()}, 100), errc::invalid_scale_out);
    std::array<assessment, 2> small{};
    check_refused(choose(falling, std::vector{2, 3, 4}, 100, 0.9, small), errc::buffer_too_small, {"3", "2"});
}

TEST_CASE("a deadline is met with the probability asked for") {
    const auto list = candidates_of(uncertain(), {2, 3, 4, 6, 8, 12}, {.per_unit_and_hour = 1});
    // Just above the median at 4: likely enough for a half, not for 0.99.
    const double deadline_s = uncertain().at(4).median_s * 1.001;
    const auto likely = choose(list, {.deadline_s = deadline_s, .probability = 0.5});
    CHECK(chosen(likely) == 4);
    CHECK(likely->candidate->probability > 0.5);
    const auto sure = choose(list, {.deadline_s = deadline_s, .probability = 0.99});
    CHECK(chosen(sure) > 4);
    CHECK(sure->candidate->probability >= 0.99);
}

TEST_CASE("the smallest scale-out for a deadline can be asked for with a probability, which is 0.9 unless said") {
    const double deadline_s = uncertain().at(4).median_s * 1.001;
    CHECK(chosen(choose(uncertain(), range(2, 12), deadline_s, 0.5)) == 4);
    const auto usual = choose(uncertain(), range(2, 12), deadline_s);
    CHECK(chosen(usual) > 4);
    CHECK(usual->candidate->probability >= 0.9);
    CHECK(chosen(choose(uncertain(), range(2, 12), deadline_s, 0.9)) == chosen(usual));
    CHECK(chosen(choose(uncertain(), std::vector{4, 12, 8}, deadline_s, 0.5)) == 4);
}

TEST_CASE("the cheapest candidate that meets the deadline is chosen, whatever its machine type") {
    // The same job on machines twice as fast, for one and a half of the price per hour.
    const auto slow = made_up_curve(600, 20);
    const auto fast = made_up_curve(300, 10);
    std::vector<candidate> list = candidates_of(slow, {2, 4, 8}, {.per_unit_and_hour = 1});
    for (const auto& each : candidates_of(fast, {2, 4, 8}, {.per_unit_and_hour = 1.5})) list.push_back(each);
    std::array<assessment, 6> table{};
    const auto answer = choose(list, {.deadline_s = 200}, table);
    REQUIRE(answer);
    CHECK(answer->candidate->candidate == 3);  // two fast ones: 160 s at 3 per hour
    CHECK(answer->candidate->expected_cost == doctest::Approx(160 * 3 / 3600.0).epsilon(1e-4));
    CHECK(table[0].why == verdict::misses_deadline);
    CHECK(table[2].why == verdict::costs_more);
    CHECK(table[3].why == verdict::chosen);
    CHECK(table[4].why == verdict::costs_more);
}

TEST_CASE("start-up counts against the deadline and is paid for") {
    const auto list = candidates_of(falling, {4}, {.per_unit_and_hour = 3600, .start_up_s = 30});
    CHECK(choose(list, {.deadline_s = 201})->feasible());
    CHECK_FALSE(choose(list, {.deadline_s = 199})->feasible());
    CHECK(choose(list, {.deadline_s = 201})->candidate->expected_cost == doctest::Approx(4 * 200).epsilon(1e-5));
}

TEST_CASE("the fastest candidate within the budget is chosen") {
    const auto list = candidates_of(falling, {2, 4, 8, 12}, {.per_unit_and_hour = 3600});  // 640, 680, 760, 840
    CHECK(chosen(choose(list, {.goal = goal::fastest_within_budget, .budget = 700})) == 4);
    CHECK(chosen(choose(list, {.goal = goal::fastest_within_budget, .budget = 1e6})) == 12);
    const auto poor = choose(list, {.goal = goal::fastest_within_budget, .budget = 10});
    CHECK_FALSE(poor->feasible());
    CHECK(poor->candidate->why == verdict::exceeds_budget);
    std::array<assessment, 4> table{};
    REQUIRE(choose(list, {.goal = goal::fastest_within_budget, .budget = 700}, table));
    CHECK(table[0].why == verdict::slower);
    CHECK(table[3].why == verdict::exceeds_budget);
    // Paid in periods: of 700, what 8 units can take is no full period of 100 s.
    const auto periods = candidates_of(falling, {8}, {.per_unit_and_hour = 3600, .billing_granularity_s = 100});
    CHECK_FALSE(choose(periods, {.goal = goal::fastest_within_budget, .budget = 799})->feasible());
    CHECK(choose(periods, {.goal = goal::fastest_within_budget, .budget = 800})->feasible());
}

TEST_CASE("a started second that is paid in full is more than the budget may hold") {
    const auto runtimes = made_up_curve(601, 20);  // 170.25 s at 4
    const request wanted{.goal = goal::fastest_within_budget, .budget = 4 * 170.9};
    CHECK(choose(candidates_of(runtimes, {4}, {.per_unit_and_hour = 3600}), wanted)->feasible());
    const price by_second{.per_unit_and_hour = 3600, .billing_granularity_s = 1};
    CHECK_FALSE(choose(candidates_of(runtimes, {4}, by_second), wanted)->feasible());
}

TEST_CASE("the expected cost is the mean over what the run may take, not the cost of the median") {
    // Of runs that scatter by a fifth, so that the mean is clearly above the median.
    auto history = support::noisy_history();
    for (std::size_t i = 0; i < history.size(); ++i)
        history[i].runtime_s *= std::exp(0.15 * (static_cast<double>((i * 7) % 5) - 2));
    const auto scattered = *support::blend_of(history).bind(support::made_up_context(55));
    const auto answer =
        choose(candidates_of(scattered, {4}, {.per_unit_and_hour = 3600}), {.goal = goal::least_expected_cost});
    REQUIRE(answer);
    double mean_s = 0;
    constexpr int parts = 4096;
    for (int i = 0; i < parts; ++i) mean_s += scattered.at(4).quantile_s((i + 0.5) / parts) / parts;
    REQUIRE(mean_s > 1.02 * scattered.at(4).median_s);
    // Sixteen slices in place of thousands see less of the long tail: half a percent here.
    CHECK(answer->candidate->expected_cost == doctest::Approx(4 * mean_s).epsilon(0.008));
}

TEST_CASE("the cost that is stated for the cheapest of many uncertain curves is not far too low") {
    detail::random_generator random(11);
    constexpr int questions = 400;
    constexpr int count = 30;
    double log_stated = 0;
    double log_naive = 0;
    double log_true = 0;
    for (int question = 0; question < questions; ++question) {
        // Costs that differ by a fifth, each estimated with an error of as much.
        std::vector<double> true_s(count);
        std::vector<curve> curves;
        std::vector<candidate> all;
        for (double& runtime_s : true_s) {
            runtime_s = 100 * std::exp(0.2 * random.normal());
            curves.push_back(lognormal_curve(runtime_s * std::exp(0.2 * random.normal()), 0.2));
        }
        for (const auto& runtimes : curves) all.push_back({.runtimes = &runtimes, .costs = {.per_unit_and_hour = 3600}});
        const auto best = choose(all, {.goal = goal::least_expected_cost})->candidate.value();
        const auto alone = choose(std::span(all).subspan(best.candidate, 1), {.goal = goal::least_expected_cost});
        log_stated += std::log(best.expected_cost) / questions;
        log_naive += std::log(alone->candidate->expected_cost) / questions;
        log_true += std::log(true_s[best.candidate]) / questions;
    }
    // Half of how far the least of thirty estimates lies below their mean is its error; two thirds of that are corrected,
    // since the estimates differ by twice the variance that the costs have.
    CHECK(log_naive - log_true < -0.2);
    CHECK(log_stated - log_true > -0.1);
    CHECK(log_stated - log_true < 0);
}

TEST_CASE("of curves that cost about as much, the surer one is chosen") {
    const std::vector curves{lognormal_curve(100, 0.02), lognormal_curve(93, 0.4), lognormal_curve(140, 0.1),
                             lognormal_curve(160, 0.1)};
    std::vector<candidate> all;
    for (const auto& runtimes : curves) all.push_back({.runtimes = &runtimes, .costs = {.per_unit_and_hour = 1}});
    std::vector<assessment> table(all.size());
    const auto answer = choose(all, {.goal = goal::cheapest_within_deadline, .deadline_s = 1000, .probability = 0.9}, table);
    CHECK(answer->candidate->candidate == 0);
    CHECK(table[1].expected_cost > table[0].expected_cost);
    // One that is clearly cheaper is chosen although it is less sure.
    const auto cheap = lognormal_curve(60, 0.2);
    all[1].runtimes = &cheap;
    CHECK(choose(all, {.goal = goal::least_expected_cost})->candidate->candidate == 1);
}

TEST_CASE("comparing several curves lowers no cost, and changes none that is sure or that decides nothing") {
    // Cheap ones that are late, one that is sure, one that is not, one without a prediction, and a point.
    const std::vector curves{lognormal_curve(50, 0.1),  lognormal_curve(55, 0.1),           lognormal_curve(100, 0.02),
                             lognormal_curve(112, 0.4), lognormal_curve(std::nan(""), 0.1), falling};
    std::vector<candidate> all;
    for (const auto& runtimes : curves) all.push_back({.runtimes = &runtimes, .costs = {.per_unit_and_hour = 3600}});
    for (std::size_t i : {0U, 1U}) all[i].costs.start_up_s = 500;
    for (std::size_t i : {0U, 1U}) all[i].costs.per_unit_and_hour = 360;
    std::vector<assessment> table(all.size());
    const auto costs_of = [&](const request& wanted) {
        REQUIRE(choose(all, wanted, table));
        std::vector<double> costs;
        for (const auto& row : table) costs.push_back(row.expected_cost);
        return costs;
    };
    const auto alone = [&](std::size_t i) {
        return choose(std::span(all).subspan(i, 1), {.goal = goal::least_expected_cost})->candidate->expected_cost;
    };
    const request in_time{.goal = goal::cheapest_within_deadline, .deadline_s = 300, .probability = 0.8};
    CHECK(choose(all, in_time)->candidate->candidate == 2);
    const auto compared = costs_of(in_time);
    for (const std::size_t i : {0U, 1U, 2U, 3U, 5U}) CHECK(compared[i] >= alone(i));
    CHECK(compared[5] == alone(5));
    // What a miss costs comes on top; a budget and a scale-out decide by no cost.
    const request missing{.goal = goal::least_expected_cost, .deadline_s = 300, .cost_of_missing = 1e6};
    const auto with_missing = costs_of(missing);
    for (const std::size_t i : {0U, 1U, 2U, 3U})
        CHECK(with_missing[i] == doctest::Approx(compared[i] + 1e6 * (1 - table[i].probability)));
    const auto in_budget = costs_of({.goal = goal::fastest_within_budget, .budget = 100, .probability = 0.5});
    const auto smallest = costs_of({.goal = goal::smallest_within_deadline, .deadline_s = 300});
    for (const std::size_t i : {0U, 1U, 2U, 3U}) {
        CHECK(in_budget[i] == alone(i));
        CHECK(smallest[i] == alone(i));
    }
}

TEST_CASE("candidates of one curve cost what the curve says") {
    const auto list = candidates_of(uncertain(), {2, 4, 8}, {.per_unit_and_hour = 1});
    std::vector<assessment> table(list.size());
    REQUIRE(choose(list, {.goal = goal::least_expected_cost}, table));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto alone = choose(std::span(list).subspan(i, 1), {.goal = goal::least_expected_cost});
        CHECK(table[i].expected_cost == alone->candidate->expected_cost);
    }
}

TEST_CASE("the least expected cost needs neither deadline nor budget") {
    const auto list = candidates_of(falling, {12, 4, 2, 8}, {.per_unit_and_hour = 1});
    const auto answer = choose(list, {.goal = goal::least_expected_cost});
    CHECK(chosen(answer) == 2);
    CHECK(answer->candidate->probability == 1);  // of keeping no limit
    CHECK(answer->feasible());
}

TEST_CASE("where missing has a cost, the least expected cost decides, and the probability only names the outcome") {
    const auto all = candidates_of(uncertain(), {2, 3, 4, 6, 8, 12}, {.per_unit_and_hour = 1});
    std::vector<assessment> table(all.size());
    const auto by_cost = [&](double cost) {
        return choose(all,
                      {.goal = goal::least_expected_cost, .deadline_s = uncertain().at(4).median_s, .cost_of_missing = cost},
                      table);
    };
    const auto cheap = by_cost(1e-6);
    const auto usual = choose(all, {.goal = goal::least_expected_cost});
    CHECK(chosen(cheap) == chosen(usual));
    CHECK(cheap->outcome == outcome::costs_least);
    CHECK(cheap->feasible());
    double least = std::numeric_limits<double>::infinity();
    const auto fair = by_cost(0.05);
    for (const auto& row : table) least = std::min(least, row.expected_cost);
    CHECK(fair->candidate->expected_cost == least);
    const auto dear = by_cost(1e6);
    CHECK(chosen(dear) > chosen(fair));
    CHECK(dear->outcome == outcome::meets_deadline);
    const auto& row = table[2];
    const double without =
        choose(candidates_of(uncertain(), {4}, {.per_unit_and_hour = 1}), {.goal = goal::least_expected_cost})
            ->candidate->expected_cost;
    CHECK(row.probability == doctest::Approx(0.5).epsilon(1e-6));
    CHECK(row.expected_cost == doctest::Approx(without + 1e6 * (1 - row.probability)));
}

TEST_CASE("the expected cost counts the billing periods that the run may begin, each as likely as it is") {
    // In periods of ten minutes, what may take longer than one costs more than one on average.
    const auto runtimes = uncertain();
    const double median_s = runtimes.at(4).median_s;
    const auto list = candidates_of(runtimes, {4}, {.per_unit_and_hour = 3600, .billing_granularity_s = median_s * 1.0001});
    const auto answer = choose(list, {.goal = goal::least_expected_cost});
    const double one_period = 4 * median_s;
    CHECK(answer->candidate->expected_cost > 1.3 * one_period);
    CHECK(answer->candidate->expected_cost < 1.7 * one_period);
}

TEST_CASE("when nothing is likely enough the likeliest is the best effort, with its probability") {
    const auto list = candidates_of(uncertain(), {2, 4, 8}, {.per_unit_and_hour = 0});
    const double deadline_s = uncertain().at(8).quantile_s(0.3);
    const auto answer = choose(list, {.deadline_s = deadline_s, .probability = 0.9});
    CHECK_FALSE(answer->feasible());
    CHECK(chosen(answer) == 8);
    CHECK(answer->candidate->probability == doctest::Approx(0.3).epsilon(1e-4));
}

TEST_CASE("when it is hopeless the fastest median is the best effort, and for a budget the cheapest, not the widest curve") {
    // A curve that is slow and so wide that its far tail alone keeps a deadline of a second.
    const auto wide = lognormal_curve(1600, 0.8);
    const auto narrow = lognormal_curve(400, 0.1);
    REQUIRE(wide.at(1).probability_within(1) > narrow.at(1).probability_within(1));
    const std::vector<candidate> list{{.runtimes = &wide, .scale_out = 1, .costs = {.per_unit_and_hour = 1}},
                                      {.runtimes = &narrow, .scale_out = 1, .costs = {.per_unit_and_hour = 30}}};
    const auto late = choose(list, {.deadline_s = 1, .probability = 0.9});
    CHECK_FALSE(late->feasible());
    CHECK(late->candidate->candidate == 1);
    const auto dear = choose(list, {.goal = goal::fastest_within_budget, .budget = 1e-4, .probability = 0.9});
    CHECK_FALSE(dear->feasible());
    CHECK(dear->candidate->candidate == 0);
    // Not hopeless: what is likelier counts, however slow.
    CHECK(choose(list, {.deadline_s = 250, .probability = 0.9})->candidate->candidate == 0);
}

TEST_CASE("a price that is missing is refused where a cost decides, and is not a price of 0") {
    const auto list = candidates_of(falling, {2, 4}, {.start_up_s = 5});
    for (const auto& wanted : {request{.deadline_s = 400}, request{.goal = goal::fastest_within_budget, .budget = 1},
                               request{.goal = goal::least_expected_cost}})
        check_refused(choose(list, wanted), errc::invalid_price, {"candidate 0", "expected a price", "found none"});
    const auto smallest = choose(list, {.goal = goal::smallest_within_deadline, .deadline_s = 400});
    CHECK(chosen(smallest) == 2);
    CHECK(std::isnan(smallest->candidate->expected_cost));
    const auto stated = choose(candidates_of(falling, {2, 4}, {.per_unit_and_hour = 0}), {.deadline_s = 400});
    CHECK(stated->candidate->expected_cost == 0);
}

TEST_CASE("a priced request with a defect is refused by name") {
    const auto list = candidates_of(falling, {2, 4}, {.per_unit_and_hour = 0});
    for (const double p : {0.0, 1.0, -1.0, std::nan("")})
        check_refused(choose(list, {.deadline_s = 100, .probability = p}), errc::invalid_probability, {"probability"});
    check_refused(choose(list, {.goal = static_cast<goal>(4), .deadline_s = 1}), errc::invalid_option, {"goal", "4"});
    check_refused(choose(list, {.goal = goal::fastest_within_budget, .budget = 0}), errc::invalid_budget, {"budget"});
    // What was forgotten, too.
    check_refused(choose(list, {.goal = goal::fastest_within_budget}), errc::invalid_budget, {"found 0"});
    check_refused(choose(list, {}), errc::invalid_deadline, {"deadline"});
    // And a limit that the goal does not have.
    check_refused(choose(list, {.deadline_s = 100, .budget = 5}), errc::invalid_budget, {"no budget", "5"});
    check_refused(choose(list, {.goal = goal::fastest_within_budget, .deadline_s = 100, .budget = 5}),
                  errc::invalid_deadline, {"no deadline", "100"});
    check_refused(choose(list, {.goal = goal::least_expected_cost, .deadline_s = std::nan("")}), errc::invalid_deadline, {});
    check_refused(choose(list, {.goal = goal::least_expected_cost, .deadline_s = 9}), errc::invalid_deadline,
                  {"missing it"});
    check_refused(choose(list, {.goal = goal::least_expected_cost, .cost_of_missing = 9}), errc::invalid_deadline, {"0"});
    check_refused(choose(list, {.deadline_s = 100, .cost_of_missing = 9}), errc::invalid_price, {"missing", "9"});
    for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
        check_refused(choose(list, {.goal = goal::least_expected_cost, .deadline_s = 100, .cost_of_missing = bad}),
                      errc::invalid_price, {"missing"});
    check_refused(choose(candidates_of(falling, {2}, {.per_unit_and_hour = -1}), {.deadline_s = 100}), errc::invalid_price,
                  {"price"});
    check_refused(choose(std::vector<candidate>{list[0], {}}, {.deadline_s = 100}), errc::missing_curve,
                  {"candidate 1", "curve"});
    check_refused(choose(std::span<const candidate>{}, {.deadline_s = 100}), errc::empty_candidates);
}
