#include <bellamy/detail/blend/gaussian_process.hpp>

#include <doctest/doctest.h>

#include "support/compare.hpp"
#include "support/naive_algebra.hpp"

using namespace bellamy::detail;

namespace {

// One log-runtime that the process speaks about.
struct process_point {
    std::vector<double> features{};
    double pressure = 0;
    std::size_t context = no_context;
    double t = 0;
    double anomaly = 0;
    double pressure_shift = 0;
};

double naive_matern(double distance) {
    const double r = std::sqrt(5.0) * std::abs(distance);
    return (1 + r + r * r / 3) * std::exp(-r);
}

// The covariance as the formula in the header has it, term by term.
double naive_covariance(const gaussian_process_parameters& p, const process_point& a, const process_point& b, double slope) {
    const bool same = a.context == b.context;
    double level = 0;
    double joint = 0;
    double linear = 0;
    for (std::size_t f = 0; f < a.features.size(); ++f) {
        level += std::pow((a.features[f] - b.features[f]) / p.level_lengths[f], 2);
        joint += std::pow((a.features[f] - b.features[f]) / p.joint_lengths[f], 2);
        linear += a.features[f] * b.features[f] / p.level_lengths[f] / p.level_lengths[f];
    }
    const auto square = [&](std::size_t k) { return p.amplitude[k] * p.amplitude[k]; };
    double sum = square(0) + square(1) * std::exp(-level / 2) + square(7) * linear;
    sum += square(2) * naive_matern((a.t - b.t) / p.shape_length);
    sum += square(3) * std::exp(-joint / 2) * naive_matern((a.t - b.t) / p.joint_length);
    const auto work = [&](const process_point& of) { return of.pressure + slope * of.t; };
    const auto pressure = [&](const process_point& of) {
        double w = (p.pressure_from_direction ? 0 : of.pressure) + slope * of.t + of.pressure_shift;
        for (std::size_t f = 0; f < p.pressure_direction.size(); ++f) w += p.pressure_direction[f] * of.features[f];
        return w;
    };
    // Of one context what is unknown is the same, and only the scale-out moves.
    const double shrunk = slope * (a.t - b.t);
    const double apart = same ? shrunk : pressure(a) - pressure(b);
    if (std::isfinite(apart))
        sum += square(4) * std::pow(std::exp(-joint / 2), 0.25) * naive_matern(apart / p.pressure_length);
    const double work_apart = same ? shrunk : work(a) - work(b);
    if (std::isfinite(work_apart)) sum += square(8) * std::exp(-0.5 * std::pow(work_apart / 3, 2));
    if (!same) return sum;
    sum += square(5) + square(6) * naive_matern((a.t - b.t) / p.own_length);
    sum += a.anomaly * ((2 + naive_matern((a.t - b.t) / 0.5)) / 3 + (a.t == b.t ? 0.3 : 0));
    return sum + (a.t == b.t ? p.nugget * p.nugget : 0);
}

expert_answer naive_posterior_of(const gaussian_process_parameters& p, const history_data& history,
                                 const std::vector<process_point>& asked, double slope) {
    std::vector<process_point> seen;
    for (const auto& each : history.points) {
        const auto& own = history.contexts[each.context];
        seen.push_back({.features = own.features,
                        .pressure = own.pressure,
                        .context = each.context,
                        .t = std::log(each.scale_out),
                        .anomaly = own.anomaly_variance});
    }
    const std::size_t n = seen.size();
    matrix covariance(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) covariance(i, j) = naive_covariance(p, seen[i], seen[j], slope);
        covariance(i, i) += history.points[i].variance + least_variance;
    }
    const auto inverse = support::invert(covariance).inverse;
    expert_answer made{.mean = std::vector<double>(asked.size(), p.mean), .covariance = matrix(asked.size(), asked.size())};
    for (std::size_t a = 0; a < asked.size(); ++a) {
        for (std::size_t b = 0; b < asked.size(); ++b) {
            auto unshifted = asked[b];
            unshifted.pressure_shift = asked[a].pressure_shift;
            made.covariance(a, b) = naive_covariance(p, asked[a], unshifted, slope);
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                const double gain = naive_covariance(p, asked[a], seen[i], slope) * inverse(i, j);
                made.mean[a] += gain * (history.points[j].log_runtime - p.mean);
                for (std::size_t b = 0; b < asked.size(); ++b)
                    made.covariance(a, b) -= gain * naive_covariance(p, seen[j], asked[b], slope);
            }
    }
    return made;
}

// Two features; the third context's pressure is unknown, and the second is anomalous.
history_data mixed_history(random_generator& random) {
    history_data made;
    for (std::size_t c = 0; c < 5; ++c) {
        history_context own{.features = {random.normal(), random.normal()}, .first = made.points.size(), .count = 3 + c % 2};
        own.pressure = c == 2 ? std::nan("") : random.normal();
        own.anomaly_variance = c == 1 ? 0.05 : 0;
        for (std::size_t i = 0; i < own.count; ++i)
            made.points.push_back({.context = c,
                                   .scale_out = std::array{2.0, 4.0, 7.0, 12.0}[i],
                                   .log_runtime = 5 + random.normal(),
                                   .variance = 0.01 * random.uniform()});
        made.contexts.push_back(std::move(own));
    }
    return made;
}

gaussian_process_parameters random_process(random_generator& random, bool with_direction) {
    const auto length = [&] { return 0.5 + random.uniform(); };
    gaussian_process_parameters made{.mean = 4.5, .nugget = 0.05};
    for (double& each : made.amplitude) each = 0.2 + 0.5 * random.uniform();
    made.shape_length = length();
    made.joint_length = length();
    made.own_length = length();
    made.pressure_length = length();
    made.level_lengths = {length(), length()};
    made.joint_lengths = {length(), length()};
    if (with_direction) made.pressure_direction = {0.5 * random.normal(), 0.5 * random.normal()};
    return made;
}

const std::vector<double> asked_times{std::log(1), std::log(4), std::log(5), std::log(20)};

void check_process(const gaussian_process_parameters& parameters, const history_data& history, double slope,
                   const process_point& subject) {
    const gaussian_process process(parameters, history, slope);
    REQUIRE(process.usable());
    CHECK(process.jitter() == 0);
    std::vector<process_point> asked;
    for (const double t : asked_times) {
        asked.push_back(subject);
        asked.back().t = t;
    }
    const auto expected = naive_posterior_of(parameters, history, asked, slope);
    const auto found = process(history, {.features = subject.features,
                                         .pressure = subject.pressure,
                                         .pressure_slope = slope,
                                         .log_scale_outs = asked_times,
                                         .known_context = subject.context,
                                         .pressure_shift = subject.pressure_shift});
    CHECK(support::largest_difference(found.mean, expected.mean) < 1e-9);
    CHECK(support::largest_difference(found.covariance.values(), expected.covariance.values()) < 1e-9);
}

}  // namespace

TEST_CASE("a process answers with the posterior of the normal distribution that its formula stands for") {
    random_generator random(1);
    for (int round = 0; round < 12; ++round) {
        CAPTURE(round);
        const auto history = mixed_history(random);
        const auto parameters = random_process(random, round % 2 == 0);
        const double slope = round % 3 == 0 ? 0 : -1;
        for (const double pressure : {0.3, std::nan("")})
            check_process(parameters, history, slope,
                          {.features = {random.normal(), random.normal()}, .pressure = pressure});
    }
}

TEST_CASE("asked about a context of the history a process knows it again, anomalous or not") {
    random_generator random(2);
    const auto history = mixed_history(random);
    const auto parameters = random_process(random, true);
    for (std::size_t c = 0; c < history.contexts.size(); ++c) {
        CAPTURE(c);
        const auto& own = history.contexts[c];
        check_process(parameters, history, -1,
                      {.features = own.features, .pressure = own.pressure, .context = c, .anomaly = own.anomaly_variance});
    }
}

TEST_CASE("a shift of the pressure moves the context asked about against all of the history") {
    random_generator random(3);
    const auto history = mixed_history(random);
    check_process(random_process(random, true), history, -1,
                  {.features = {0.3, -0.4}, .pressure = 0.2, .pressure_shift = 0.7});
}

TEST_CASE("several questions at once have the bits of each alone, and only the covariances that are asked for") {
    random_generator random(8);
    const auto history = mixed_history(random);
    const auto parameters = random_process(random, true);
    const gaussian_process process(parameters, history, -1);
    const std::vector<double> others{std::log(2), std::log(3), std::log(12)};
    const std::vector<double> features{0.3, -0.4};
    const std::vector<std::size_t> second{1};
    const expert_question whole{
        .features = features, .pressure = 0.2, .pressure_slope = -1, .log_scale_outs = asked_times, .pressure_shift = 0.7};
    auto part = whole;
    part.log_scale_outs = others;
    part.with_all = &second;
    const std::vector<expert_question> questions{whole, part, whole};
    const auto together = process(history, questions);
    REQUIRE(together.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto alone = process(history, questions[i]);
        CHECK(together[i].mean == alone.mean);
        CHECK(std::ranges::equal(together[i].covariance.values(), alone.covariance.values()));
    }
    part.with_all = nullptr;
    const auto all = process(history, part).covariance;
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(together[1].covariance(i, i) == doctest::Approx(all(i, i)).epsilon(1e-12));
        CHECK(together[1].covariance(1, i) == doctest::Approx(all(1, i)).epsilon(1e-12));
    }
}

TEST_CASE("where no size or memory is named the pressure comes from the direction alone") {
    random_generator random(4);
    auto history = mixed_history(random);
    for (auto& each : history.contexts) each.pressure = std::nan("");
    auto parameters = random_process(random, true);
    parameters.pressure_from_direction = true;
    check_process(parameters, history, -1, {.features = {0.3, -0.4}, .pressure = std::nan("")});
    CHECK(parameters.pressure_at(std::nan(""), std::vector<double>{1, 2}) ==
          doctest::Approx(parameters.pressure_direction[0] + 2 * parameters.pressure_direction[1]));
}

TEST_CASE("terms of no amplitude are left out") {
    random_generator random(5);
    const auto history = mixed_history(random);
    for (std::size_t term = 0; term < 9; ++term) {
        CAPTURE(term);
        auto parameters = random_process(random, true);
        parameters.amplitude[term] = 0;
        check_process(parameters, history, -1, {.features = {0.3, -0.4}, .pressure = 0.2});
    }
}

TEST_CASE("a process whose covariance is none is not usable, one that is singular is by its jitter") {
    random_generator random(6);
    auto history = mixed_history(random);
    auto parameters = random_process(random, false);
    // The same point twice, with next to no noise, at an amplitude that drowns it.
    for (auto& each : history.points) each.variance = 0;
    history.points[1] = history.points[0];
    parameters.amplitude[0] = 1e6;
    const gaussian_process jittered(parameters, history, -1);
    CHECK(jittered.usable());
    CHECK(jittered.jitter() > 0);
    parameters.amplitude[0] = std::nan("");
    CHECK_FALSE(gaussian_process(parameters, history, -1).usable());
}
