// What must hold for any history and any request, tried on random ones with fixed seeds.
#include "../support/made_up_blend.hpp"
#include "../support/networks.hpp"
#include "../support/numbered.hpp"

#include <bellamy/batch.hpp>
#include <bellamy/choose.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <numeric>

using namespace bellamy;

namespace {

using generator = detail::random_generator;

/// Four to nine contexts of a job with random sizes, machines, serial parts and noise.
[[nodiscard]] std::vector<run> random_history(generator& random) {
    std::vector<run> history;
    const double fixed_s = 5 + 50 * random.uniform();
    const double per_gb_s = 1 + 9 * random.uniform();
    const auto contexts = 4 + random.below(6);
    for (std::size_t c = 0; c < contexts; ++c) {
        const auto size = 5 + random.below(200);
        const auto job = support::made_up_context(size, support::numbered("m", random.below(3)));
        for (const int x : {2, 4, 8, 12})
            for (auto repeats = 1 + random.below(2); repeats > 0; --repeats)
                history.push_back(
                    {.context = job,
                     .scale_out = x,
                     .runtime_s = (fixed_s + per_gb_s * static_cast<double>(size) / x) * std::exp(0.05 * random.normal())});
    }
    return history;
}

[[nodiscard]] context random_job(generator& random) {
    return support::made_up_context(5 + random.below(200), support::numbered("m", random.below(4)));
}

/// Best-mode curves of random jobs, half of them observed once or twice, a third of them told not to increase.
[[nodiscard]] std::vector<curve> random_curves(std::size_t count, std::uint64_t seed) {
    generator random(seed);
    std::vector<curve> curves;
    while (curves.size() < count) {
        const auto subject = support::blend_of(random_history(random));
        for (int i = 0; i < 4 && curves.size() < count; ++i) {
            const auto job = random_job(random);
            std::vector<run> observed(random.below(3));
            for (auto& each : observed)
                each = {.context = job,
                        .scale_out = static_cast<int>(1 + random.below(16)),
                        .runtime_s = 20 + 400 * random.uniform(),
                        .censored = random.below(5) == 0};
            curves.push_back(*subject.condition(observed)->bind(job, {.non_increasing = i % 3 == 0}));
        }
    }
    return curves;
}

}  // namespace

TEST_CASE("the order of a batch does not matter, to the last bit") {
    generator random(1);
    const detail::prepared_network network(support::random_network<float>(2, 3));
    std::vector<context> jobs;
    for (int i = 0; i < 50; ++i) jobs.push_back(random_job(random));
    std::vector<question> questions;
    for (int i = 0; i < 83; ++i)
        questions.push_back(
            {.context = &jobs[random.below(jobs.size())], .scale_out = static_cast<int>(1 + random.below(99))});
    std::vector<float> answers(questions.size());
    detail::predict_batch(network, questions, answers);
    std::vector<std::size_t> order(questions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int repeat = 0; repeat < 5; ++repeat) {
        random.shuffle(std::span(order));
        std::vector<question> shuffled;
        for (const auto i : order) shuffled.push_back(questions[i]);
        std::vector<float> again(questions.size());
        detail::predict_batch(network, shuffled, again);
        for (std::size_t k = 0; k < order.size(); ++k)
            CHECK(std::bit_cast<std::uint32_t>(again[k]) == std::bit_cast<std::uint32_t>(answers[order[k]]));
    }
}

TEST_CASE("the order of observed runs does not matter") {
    generator random(2);
    const auto subject = support::blend_of(random_history(random));
    const auto job = random_job(random);
    std::vector<run> observed;
    for (const int x : {2, 3, 8, 8, 12})
        observed.push_back({.context = job, .scale_out = x, .runtime_s = 50 + 200 * random.uniform()});
    const auto before = *subject.condition(observed)->bind(job);
    for (int repeat = 0; repeat < 5; ++repeat) {
        random.shuffle(std::span(observed));
        const auto after = *subject.condition(observed)->bind(job);
        // The same sums in another order, and runs are taken in one after the other where some may be stragglers: the
        // approximation stops at a millionth.
        for (int x = 1; x <= 24; ++x) CHECK(after.at(x).median_s == doctest::Approx(before.at(x).median_s).epsilon(1e-5));
    }
}

TEST_CASE("seconds of another length give predictions of that length") {
    for (const std::uint64_t seed : {3U, 4U}) {
        generator random(seed);
        const auto history = random_history(random);
        const auto job = random_job(random);
        const run seen{.context = job, .scale_out = 4, .runtime_s = 77};
        const auto in_seconds = support::blend_of(history);
        for (const double unit : {1e-3, 60.0}) {
            auto converted = history;
            for (auto& each : converted) each.runtime_s *= unit;
            const auto in_units = support::blend_of(converted);
            auto converted_seen = seen;
            converted_seen.runtime_s *= unit;
            const auto plain = *in_seconds.bind(job);
            const auto plain_converted = *in_units.bind(job);
            const auto wiser = *in_seconds.condition(std::vector{seen})->bind(job);
            const auto wiser_converted = *in_units.condition(std::vector{converted_seen})->bind(job);
            // Everything is learned from differences of log-runtimes; what is not the same is where the search for
            // hyper-parameters stops, because its numbers are rounded differently.
            for (const int x : {1, 2, 5, 8, 12, 30}) {
                CAPTURE(unit);
                CAPTURE(x);
                for (const double p : {0.5, 0.9}) {
                    CHECK(plain_converted.at(x).quantile_s(p) ==
                          doctest::Approx(unit * plain.at(x).quantile_s(p)).epsilon(0.01));
                    CHECK(wiser_converted.at(x).quantile_s(p) ==
                          doctest::Approx(unit * wiser.at(x).quantile_s(p)).epsilon(0.01));
                }
            }
        }
    }
}

TEST_CASE("an exact repeat of an observed run narrows the interval there") {
    generator random(5);
    for (int repeat = 0; repeat < 4; ++repeat) {
        const auto subject = support::blend_of(random_history(random));
        const auto job = random_job(random);
        const int x = static_cast<int>(2 + random.below(12));
        const run one{.context = job, .scale_out = x, .runtime_s = subject.bind(job)->at(x).median_s};
        double before = subject.bind(job)->at(x).spread();
        for (std::size_t times = 1; times <= 3; ++times) {
            CAPTURE(times);
            const double after = subject.condition(std::vector<run>(times, one))->bind(job)->at(x).spread();
            CHECK(after < before);
            before = after;
        }
    }
}

TEST_CASE("a later deadline never costs more, a surer one never less") {
    for (const auto& runtimes : random_curves(12, 6)) {
        std::vector<candidate> list;
        for (int x = 1; x <= 24; ++x)
            list.push_back({.runtimes = &runtimes,
                            .scale_out = x,
                            .costs = {.per_unit_and_hour = 0.3,
                                      .start_up_s = 40,
                                      .billing_granularity_s = x % 2 == 0 ? 60.0 : 0.0,
                                      .interruptions_per_hour = x % 3 == 0 ? 1.0 : 0.0}});
        const auto cost_of_choice = [&](double deadline_s, double probability) {
            const auto decided = choose(list, {.deadline_s = deadline_s, .probability = probability});
            REQUIRE(decided);
            return decided->meets_limit() ? decided->candidate->expected_cost : std::numeric_limits<double>::infinity();
        };
        double last = std::numeric_limits<double>::infinity();
        for (double deadline_s = 10; deadline_s < 1e5; deadline_s *= 1.3) {
            const double now = cost_of_choice(deadline_s, 0.9);
            CHECK(now <= last);
            CHECK(cost_of_choice(deadline_s, 0.99) >= now);
            last = now;
        }
        CHECK(last < std::numeric_limits<double>::infinity());
    }
}

TEST_CASE("prices in another currency change no choice, and the cost by their factor") {
    for (const auto& runtimes : random_curves(6, 7)) {
        const auto chosen_at = [&](double currency) {
            std::vector<candidate> list;
            for (int x = 1; x <= 24; ++x)
                list.push_back({.runtimes = &runtimes,
                                .scale_out = x,
                                .costs = {.per_unit_and_hour = currency * (1 + x % 3), .start_up_s = 40}});
            return *choose(list, {.deadline_s = 600});
        };
        // A power of two: nothing is rounded.
        const auto here = chosen_at(1);
        const auto there = chosen_at(4);
        REQUIRE(here.candidate.has_value() == there.candidate.has_value());
        if (!here.candidate) continue;
        CHECK(here.candidate->candidate == there.candidate->candidate);
        CHECK(4 * here.candidate->expected_cost == there.candidate->expected_cost);
    }
}

TEST_CASE("curves told not to increase do not, up to the turning point or the largest scale-out") {
    generator random(8);
    for (int repeat = 0; repeat < 4; ++repeat) {
        auto history = random_history(random);
        // More nodes than eight slow some histories down: the turning point.
        if (repeat % 2 == 0)
            for (auto& each : history)
                if (each.scale_out == 12) each.runtime_s *= 1.6;
        const auto subject = support::blend_of(history);
        for (int i = 0; i < 3; ++i) {
            const auto job = random_job(random);
            const run odd{.context = job, .scale_out = 6, .runtime_s = 20 + 500 * random.uniform()};
            const auto guarded = *subject.condition(std::vector{odd})->bind(job, {.non_increasing = true});
            int lowest = 2;
            for (int x = 2; x <= 12; ++x)
                if (guarded.at(x).median_s < guarded.at(lowest).median_s) lowest = x;
            const int to = lowest == 12 ? 100 : lowest;
            // Between knots the median follows a cubic that is monotone but for rounding.
            for (int x = 2; x <= to; ++x) CHECK(guarded.at(x).median_s <= guarded.at(x - 1).median_s * (1 + 1e-12));
        }
    }
}

TEST_CASE("quantiles are ordered, and are where the probability says they are") {
    for (const auto& runtimes : random_curves(12, 9)) {
        for (const int x : {1, 2, 3, 7, 12, 40, 1000}) {
            const auto answer = runtimes.at(x);
            double last = 0;
            for (double p = 0.01; p < 0.995; p += 0.035) {
                const double now = answer.quantile_s(p);
                CHECK(now >= last);
                // 1e-6: the inverse of the normal distribution is right to 1.2e-9, and seconds are the exponential of what
                // is compared.
                CHECK(answer.probability_within(now) >= p - 1e-6);
                CHECK(answer.probability_within(now * (1 - 1e-9)) <= p + 1e-6);
                last = now;
            }
            CHECK(answer.probability_within(last) >= answer.probability_within(last / 2));
        }
    }
}
