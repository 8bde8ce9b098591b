#include "support/compare.hpp"
#include "support/made_up_blend.hpp"
#include "support/made_up_curve.hpp"

using namespace bellamy;

namespace {

prediction surely_uncertain() { return support::made_up_blend().bind(support::made_up_context(55))->at(5); }

}  // namespace

TEST_CASE("quantiles increase with their probability and the median is the one of a half") {
    const auto answer = surely_uncertain();
    double before_s = 0;
    for (int percent = 1; percent < 100; ++percent) {
        const double quantile_s = answer.quantile_s(percent / 100.0);
        CHECK(quantile_s > before_s);
        before_s = quantile_s;
    }
    CHECK(answer.quantile_s(0.5) == doctest::Approx(answer.median_s).epsilon(1e-12));
}

TEST_CASE("the probability of a limit is the inverse of the quantile") {
    const auto answer = surely_uncertain();
    // The normal quantile is approximated to 1e-9.
    for (const double p : {0.01, 0.1, 0.25, 0.5, 0.8, 0.9, 0.99})
        CHECK(answer.probability_within(answer.quantile_s(p)) == doctest::Approx(p).epsilon(1e-6));
    CHECK(answer.probability_within(0) == 0);
    CHECK(answer.probability_within(-1) == 0);
    CHECK(answer.probability_within(std::nan("")) == 0);
    CHECK(answer.probability_within(1e9) == doctest::Approx(1));
}

TEST_CASE("a runtime that has probability of its own is reached in full, and not at all just below it") {
    auto answer = surely_uncertain();
    const auto probability_of = [&](std::size_t from, std::size_t to, double share) {
        auto flat = answer;
        // Between these fixed probabilities the quantiles are one runtime.
        for (std::size_t i = from; i <= to; ++i) flat.log_quantiles[i] = flat.log_quantiles[from];
        return flat.probability_within(share * std::exp(flat.log_quantiles[from]));
    };
    const auto deviate = [](std::size_t i) { return detail::standard_normal_quantiles[i]; };
    const std::size_t last = answer.log_quantiles.size() - 1;
    for (const double rounding : {1 - 1e-15, 1.0, 1 + 1e-15}) {
        CHECK(probability_of(0, 2, rounding) == doctest::Approx(detail::normal_cdf(deviate(2))));
        CHECK(probability_of(3, 5, rounding) == doctest::Approx(detail::normal_cdf(deviate(5))));
        CHECK(probability_of(last - 1, last, rounding) == doctest::Approx(detail::normal_cdf(deviate(last))));
    }
    CHECK(probability_of(0, 2, 1 - 1e-6) == 0);
    // Straight lines lead there, along which a millionth is next to nothing.
    CHECK(probability_of(3, 5, 1 - 1e-6) == doctest::Approx(detail::normal_cdf(deviate(3))).epsilon(1e-3));
}

TEST_CASE("an interval lies between its quantiles and the spread is that of the 50 % one") {
    const auto answer = surely_uncertain();
    const auto wide = answer.interval_s(0.9);
    CHECK(wide.low_s == doctest::Approx(answer.quantile_s(0.05)));
    CHECK(wide.high_s == doctest::Approx(answer.quantile_s(0.95)));
    const auto half = answer.interval_s(0.5);
    CHECK(answer.spread() == doctest::Approx((half.high_s - half.low_s) / answer.median_s));
    CHECK(answer.spread() > 0);
}

TEST_CASE("a probability that is none gives no quantile") {
    for (const double p : {0.0, 1.0, -0.1, 1.1, std::nan("")}) {
        CHECK(std::isnan(surely_uncertain().quantile_s(p)));
        CHECK(std::isnan(support::made_up_curve(100, 10).at(4).quantile_s(p)));
    }
}

TEST_CASE("a point is taken for certain") {
    const auto answer = support::made_up_curve(100, 10).at(4);
    CHECK(answer.is_point);
    CHECK(answer.quantile_s(0.01) == answer.median_s);
    CHECK(answer.quantile_s(0.99) == answer.median_s);
    CHECK(answer.spread() == 0);
    CHECK(answer.probability_within(answer.median_s) == 1);
    CHECK(answer.probability_within(std::nextafter(answer.median_s, 0)) == 0);
    // What is no runtime keeps no deadline.
    CHECK(support::made_up_curve(0, -5).at(4).probability_within(100) == 0);
}

TEST_CASE("a prediction says what it rests on") {
    const auto& general = support::made_up_blend();
    const auto job = support::made_up_context(55);
    const auto cold = general.bind(job)->at(4);
    CHECK(cold.observed_runs == 0);
    CHECK_FALSE(cold.outside_seen_scale_outs);
    CHECK_FALSE(cold.unlike_any_seen_context);
    CHECK_FALSE(cold.contradictory_observed_runs);
    CHECK(general.bind(job)->at(13).outside_seen_scale_outs);
    CHECK(general.bind(job)->at(1).outside_seen_scale_outs);
    CHECK_FALSE(cold.outside_seen_data_sizes);
    for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{150}}) {
        const auto beyond = general.bind(support::made_up_context(size))->at(4);
        CHECK(beyond.outside_seen_data_sizes);
        CHECK_FALSE(beyond.outside_seen_scale_outs);
    }
    CHECK(general.bind(support::made_up_context(55, "a new machine"))->at(4).unlike_any_seen_context);
    CHECK(general.bind(support::made_up_context(5000))->at(4).unlike_any_seen_context);

    auto slow = support::made_up_run(55, 4);
    auto fast = slow;
    slow.runtime_s *= 2.1;
    const auto wiser = *general.condition(std::vector{slow, fast});
    CHECK(wiser.bind(job)->at(4).observed_runs == 2);
    CHECK(wiser.bind(job)->at(4).contradictory_observed_runs);
    CHECK(wiser.bind(support::made_up_context(56))->at(4).observed_runs == 0);
    slow.scale_out = 2;
    CHECK_FALSE(general.condition(std::vector{slow, fast})->bind(job)->at(4).contradictory_observed_runs);
}
