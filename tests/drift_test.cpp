#include <bellamy/drift.hpp>

#include <bellamy/cold_start.hpp>

#include "support/compare.hpp"
#include "support/made_up_blend.hpp"

#include <bellamy/detail/base/random.hpp>

using namespace bellamy;
using support::check_refused;

namespace {

std::vector<run> new_runs(double factor) {
    std::vector<run> runs;
    detail::random_generator random(3);
    for (const int x : {2, 4, 6, 8, 10, 12, 4, 8}) {
        runs.push_back(support::made_up_run(55, x));
        runs.back().runtime_s *= factor * (0.98 + 0.04 * random.uniform());
    }
    return runs;
}

// It has seen three runs of the context: without any, a slower context is a new context and no drift.
const model& acquainted() {
    static const auto subject = *support::made_up_blend().condition(
        std::vector{support::made_up_run(55, 2), support::made_up_run(55, 4), support::made_up_run(55, 8)});
    return subject;
}

}  // namespace

TEST_CASE("runs like the history's show no drift") {
    const auto found = measure_drift(acquainted(), new_runs(1));
    REQUIRE(found);
    CHECK(found->runs == 8);
    CHECK(std::abs(found->mean_deviate) < 1.5);
    CHECK(found->probability > 0.01);
}

TEST_CASE("runs that take a third longer than predicted show drift and its direction") {
    const auto slower = measure_drift(acquainted(), new_runs(1.33));
    REQUIRE(slower);
    CHECK(slower->probability < 0.01);
    CHECK(slower->mean_deviate > 0);
    const auto faster = measure_drift(acquainted(), new_runs(0.7));
    REQUIRE(faster);
    CHECK(faster->probability < 0.01);
    CHECK(faster->mean_deviate < 0);
}

TEST_CASE("drift's factor makes older runs tell of contexts that have not run since") {
    std::vector<run> history;
    std::vector<run> recent;
    for (std::uint64_t size = 20; size <= 100; size += 5)
        for (const int x : {2, 4, 8}) history.push_back(support::made_up_run(size, x));
    for (const std::uint64_t size : {23U, 41U, 67U, 88U}) {  // each run is a context of its own
        recent.push_back(support::made_up_run(size, 4));
        recent.back().runtime_s *= 1.4;
    }
    const auto fitted = support::blend_of(history);
    const auto found = measure_drift(fitted, recent);
    CHECK(found->factor == doctest::Approx(1.4).epsilon(0.03));
    for (auto& run : history) run.runtime_s *= found->factor;
    history.insert(history.end(), recent.begin(), recent.end());
    const double truth_s = 1.4 * support::made_up_run(55, 8).runtime_s;
    const auto learned = support::blend_of(history);
    CHECK(learned.bind(support::made_up_context(55))->at(8).median_s == doctest::Approx(truth_s).epsilon(0.03));
    CHECK(measure_drift(fitted, {})->factor == 1);
}

TEST_CASE("after drift the general model is right once it is conditioned on the runs since, observed before or not") {
    auto old_runs = new_runs(1);
    auto recent = new_runs(1.4);
    for (auto& run : old_runs) run.timestamp_s = 1000;
    for (auto& run : recent) run.timestamp_s = 2000;
    const auto before = *acquainted().condition(old_runs);
    const auto after = *before.general().condition(recent);
    const double truth_s = 1.4 * support::made_up_run(55, 6).runtime_s;
    CHECK(after.bind(support::made_up_context(55))->at(6).median_s == doctest::Approx(truth_s).epsilon(0.05));
    const auto observed = before.condition(recent)->general(2000);
    CHECK(observed.bind(support::made_up_context(55))->at(6).median_s ==
          after.bind(support::made_up_context(55))->at(6).median_s);
}

TEST_CASE("an observed run in milliseconds is named by its position, and hardly counts") {
    const auto& general = support::made_up_blend();
    std::vector runs{support::made_up_run(55, 4), support::made_up_run(55, 8), support::made_up_run(35, 4)};
    for (auto& run : runs) run.timestamp_s = 1000;
    const auto clean = *general.condition(runs);
    CHECK(improbable_runs(clean)->empty());
    auto wrong = support::made_up_run(35, 8);
    const double right_s = wrong.runtime_s;
    wrong.runtime_s *= 1000;
    const auto conditioned = *clean.condition({wrong});
    const auto named = improbable_runs(conditioned);
    REQUIRE(named);
    REQUIRE(named->size() == 1);
    CHECK(named->front().run == 3);
    CHECK(named->front().found_s == wrong.runtime_s);
    CHECK(named->front().expected_s == doctest::Approx(right_s).epsilon(0.1));
    CHECK(conditioned.bind(wrong.context)->at(8).median_s ==
          doctest::Approx(clean.bind(wrong.context)->at(8).median_s).epsilon(0.1));
    // A bound of a killed run may be as low as one likes.
    auto killed = support::made_up_run(35, 8);
    killed.runtime_s /= 1000;
    killed.censored = true;
    CHECK(improbable_runs(*clean.condition({killed}))->empty());
    // One in other units is beyond what any run takes, and counts as little as one that ended.
    killed.runtime_s *= 1e6;
    const auto bounded = *clean.condition({killed});
    CHECK(improbable_runs(bounded)->size() == 1);
    CHECK(bounded.bind(killed.context)->at(8).median_s ==
          doctest::Approx(clean.bind(killed.context)->at(8).median_s).epsilon(0.1));
    check_refused(improbable_runs(support::random_model()), errc::not_conditionable);
}

TEST_CASE(
    "several killed runs beyond all that is expected are a job that takes longer, and runs that agree are none improbable") {
    const auto& general = support::made_up_blend();
    auto killed = support::made_up_run(55, 4);
    const double usual_s = general.bind(killed.context)->at(4).median_s;
    killed.runtime_s *= 20;
    killed.censored = true;
    const auto conditioned = *general.condition(std::vector(3, killed));
    CHECK(conditioned.bind(killed.context)->at(4).median_s > 5 * usual_s);
    auto slower = support::made_up_run(55, 4);
    slower.runtime_s *= 4;
    CHECK(improbable_runs(*general.condition(std::vector(2, slower)))->empty());
}

TEST_CASE(
    "observed runs are improbable by the rule of pretrain, whatever the factor, but not those of a context that is slow") {
    const auto& general = support::made_up_blend();
    CHECK(improbable_runs(*general.condition(new_runs(1)))->empty());
    CHECK(improbable_runs(*general.condition(new_runs(4)))->empty());
    for (const double factor : {0.2, 0.5, 2.0, 3.0, 5.0, 8.0}) {
        CAPTURE(factor);
        auto runs = new_runs(1);
        const double right_s = runs[3].runtime_s;
        runs[3].runtime_s *= factor;
        const auto named = improbable_runs(*general.condition(runs));
        REQUIRE(named);
        REQUIRE(named->size() == 1);
        CHECK(named->front().run == 3);
        CHECK(named->front().expected_s == doctest::Approx(right_s).epsilon(0.1));
    }
    auto runs = new_runs(1);
    runs[3].runtime_s *= 1.04;
    CHECK(improbable_runs(*general.condition(runs))->empty());
}

TEST_CASE("runs in braces drift as in a vector") {
    const auto slow = support::made_up_run(55, 4);
    const auto later = support::made_up_run(55, 8);
    CHECK(measure_drift(acquainted(), {slow, later})->probability ==
          measure_drift(acquainted(), std::vector{slow, later})->probability);
    CHECK(measure_drift(acquainted(), {slow})->runs == 1);
}

TEST_CASE("drift is reported and changes nothing") {
    const auto& subject = acquainted();
    const auto before_s = subject.bind(support::made_up_context(55))->at(4).median_s;
    REQUIRE(measure_drift(subject, new_runs(3)));
    CHECK(subject.bind(support::made_up_context(55))->at(4).median_s == before_s);
    CHECK(subject.observed().size() == 3);
}

TEST_CASE("among observed runs of its context a slowdown is seen at a scatter of a tenth, and none where there is none") {
    detail::random_generator random(5);
    const auto scattered = [&](double factor) {
        auto runs = new_runs(factor);
        for (auto& run : runs) run.runtime_s *= std::exp(0.1 * random.normal());
        return runs;
    };
    const auto observed = *support::made_up_blend().condition(scattered(1));
    CHECK(measure_drift(observed, scattered(1))->probability > 0.01);
    CHECK(measure_drift(observed, scattered(1.4))->probability < 0.01);
    CHECK(measure_drift(observed, scattered(0.7))->probability < 0.01);
}

namespace {

// Learned from runs of other contexts.
model learned_with_noise(double sd, detail::random_generator& random) {
    std::vector<run> history;
    for (std::uint64_t size = 20; size <= 100; size += 5)
        for (const int x : {2, 4, 8}) {
            history.push_back(support::made_up_run(size, x));
            history.back().runtime_s *= std::exp(sd * random.normal());
        }
    return support::blend_of(history);
}

std::vector<run> eight_runs(double sd, double factor, detail::random_generator& random) {
    std::vector<run> runs;
    for (const int x : {2, 4, 6, 8, 10, 12, 4, 8}) {
        runs.push_back(support::made_up_run(53, x));
        runs.back().runtime_s *= factor * std::exp(sd * random.normal());
    }
    return runs;
}

int alarms_of(int batches, double history_sd, double sd, double factor, std::size_t observed = 0) {
    int alarms = 0;
    for (int batch = 0; batch < batches; ++batch) {
        detail::random_generator random(static_cast<std::uint64_t>(batch));
        const auto general = learned_with_noise(history_sd, random);
        const auto fitted = *general.condition(std::span<const run>(eight_runs(sd, 1, random)).first(observed));
        alarms += measure_drift(fitted, eight_runs(sd, factor, random))->probability < 0.01 ? 1 : 0;
    }
    return alarms;
}

}  // namespace

TEST_CASE("in a context of which no or few runs were observed a slowdown is seen that is larger than its level is unsure") {
    for (const std::size_t observed : {0U, 3U}) {
        CAPTURE(observed);
        CHECK(alarms_of(10, 0.06, 0.06, 1.4, observed) >= 9);
        CHECK(alarms_of(10, 0.06, 0.06, 0.7, observed) >= 9);
        CHECK(alarms_of(10, 0.06, 0.06, 1, observed) <= 1);
    }
}

TEST_CASE("runs of a new context that scatter more than the history's, or one straggler among them, are no drift") {
    CHECK(alarms_of(10, 0.03, 0.12, 1) <= 1);
    int alarms = 0;
    int cold_alarms = 0;  // a cold start does not know the scatter, either
    const auto cold = *cold_start(support::made_up_context(53));
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        detail::random_generator random(seed);
        const auto fitted = learned_with_noise(0.03, random);
        auto recent = eight_runs(0.03, 1, random);
        recent[seed % 8].runtime_s *= 2;
        alarms += measure_drift(fitted, recent)->probability < 0.01 ? 1 : 0;
        cold_alarms += measure_drift(cold, eight_runs(0.3, 1, random))->probability < 0.01 ? 1 : 0;
    }
    CHECK(alarms <= 1);
    CHECK(cold_alarms <= 1);
}

TEST_CASE("p-values of rank sums count the choices that are as far from the mean, with ties too") {
    CHECK(detail::rank_sum_p_value(std::array{1.0, 2.0, 3.0}, std::array{4.0, 5.0, 6.0, 7.0}) == doctest::Approx(1.0 / 35));
    CHECK(detail::rank_sum_p_value(std::array{1.0, 4.0}, std::array{2.0, 3.0}) == doctest::Approx(1 - 1.0 / 6));
    // Of the ten pairs only those of the two least and of the two largest values are as far, and count half.
    CHECK(detail::rank_sum_p_value(std::array{5.0, 9.0}, std::array{1.0, 2.0, 4.0}) == doctest::Approx(1.0 / 10));
    // Ranks 1.5, 1.5, 3.5, 3.5: one pair has the least sum and one the largest.
    CHECK(detail::rank_sum_p_value(std::array{1.0, 1.0}, std::array{2.0, 2.0}) == doctest::Approx(1.0 / 6));
    CHECK(detail::has_enough_ranks(8, 6));
    CHECK_FALSE(detail::has_enough_ranks(8, 5));
    // Two of 0.01 are 0.0005 together.
    CHECK(detail::combined_p_value(std::array{0.01, 0.01}) == doctest::Approx(0.0005).epsilon(0.02));
    CHECK(detail::combined_p_value(std::array{0.3}) == 0.3);
}

TEST_CASE("without finished runs there is no drift, and what does not fit is refused") {
    CHECK(measure_drift(support::made_up_blend(), {})->probability == 1);
    auto killed = support::made_up_run(55, 4);
    killed.censored = true;
    CHECK(measure_drift(support::made_up_blend(), std::vector{killed})->runs == 0);
    auto broken = support::made_up_run(55, 4);
    broken.runtime_s = -1;
    check_refused(measure_drift(support::made_up_blend(), std::vector{killed, broken}), errc::invalid_runtime, {"run 1"});
    check_refused(measure_drift(support::random_model(), {}), errc::not_conditionable);
}

TEST_CASE("the sum of squares of normal numbers exceeds its mean nearly half of the time") {
    // Exact values of the chi-squared distribution; the approximation is good to 0.01.
    CHECK(detail::chi_squared_p_value(1, 1) == doctest::Approx(0.3173).epsilon(0.03));
    CHECK(detail::chi_squared_p_value(10, 10) == doctest::Approx(0.4405).epsilon(0.02));
    CHECK(detail::chi_squared_p_value(18.307, 10) == doctest::Approx(0.05).epsilon(0.03));
    CHECK(detail::chi_squared_p_value(0, 0) == 1);
}
