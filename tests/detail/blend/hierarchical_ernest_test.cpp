#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/processes.hpp>

#include <doctest/doctest.h>

#include "support/compare.hpp"
#include "support/naive_algebra.hpp"

using namespace bellamy::detail;

namespace {

constexpr double memory_slope = -1;

// The same model by its definition: a normal distribution of all log-runtimes at once, every one of them a row
// phi(n) x (1, features, pressure) of the shared coefficients.
class naive_ernest {
public:
    naive_ernest(const hierarchical_ernest_parameters& parameters, const history_data& history)
        : parameters_(parameters), history_(history) {
        std::vector<double> seen;
        for (const auto& each : history.points)
            if (std::find(seen.begin(), seen.end(), each.scale_out) == seen.end()) seen.push_back(each.scale_out);
        lowest_ = *std::min_element(seen.begin(), seen.end());
        highest_ = *std::max_element(seen.begin(), seen.end());
        if (highest_ < 4 * lowest_) {
            const double middle = std::sqrt(lowest_ * highest_);
            lowest_ = middle / 2;
            highest_ = middle * 2;
            seen = {lowest_, middle, highest_};
        }
        const auto own = moments(seen);
        for (std::size_t k = 0; k < 3; ++k) {
            centre_[k] = own.mean[k];
            scale_[k] = std::array{0.1435, 0.6119, 0.3416}[k] / own.deviation[k];
        }
        std::vector<double> pressures;
        for (const auto& each : history.points) {
            const double w = history.contexts[each.context].pressure + memory_slope * std::log(each.scale_out);
            if (std::isfinite(w)) pressures.push_back(w);
        }
        for (const double w : pressures) pressure_mean_ += w / static_cast<double>(pressures.size());
        double variance = 0;
        for (const double w : pressures)
            variance += (w - pressure_mean_) * (w - pressure_mean_) / static_cast<double>(pressures.size());
        const double of_half_and_double = std::log(2.0) * std::sqrt(2.0 / 3);
        pressure_deviation_ = std::sqrt(variance) > of_half_and_double ? std::sqrt(variance) : 0;
    }

    struct subject {
        std::vector<double> features{};
        double pressure = 0;
        std::size_t context = no_context;
        double scale_out = 0;
    };
    [[nodiscard]] subject point(std::size_t i) const {
        const auto& from = history_.points[i];
        const auto& own = history_.contexts[from.context];
        return {.features = own.features, .pressure = own.pressure, .context = from.context, .scale_out = from.scale_out};
    }

    [[nodiscard]] double covariance(const subject& a, const subject& b) const {
        constexpr std::array<double, 4> prior{0.3, 0.5, 0.2, 0.2};
        const auto phi = terms(a.scale_out);
        const auto psi = terms(b.scale_out);
        const auto x = inputs(a);
        const auto y = inputs(b);
        double sum = 0;
        for (std::size_t p = 0; p < 4; ++p)
            for (std::size_t j = 0; j < x.size(); ++j)
                sum += phi[p] * x[j] * psi[p] * y[j] * (p == 0 && j == 0 ? 100 : prior[p] * prior[p]);
        if (a.context != b.context) return sum;
        for (std::size_t p = 0; p < 4; ++p)
            for (std::size_t r = 0; r < 4; ++r) sum += phi[p] * parameters_.covariance[p * 4 + r] * psi[r];
        return sum + (a.scale_out == b.scale_out ? parameters_.nugget_variance : 0);
    }

    // Covariance of the points of all contexts but one, with their noise.
    [[nodiscard]] matrix covariance_of(const std::vector<std::size_t>& points) const {
        matrix made(points.size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t j = 0; j < points.size(); ++j) made(i, j) = covariance(point(points[i]), point(points[j]));
            made(i, i) += history_.points[points[i]].variance + least_variance;
        }
        return made;
    }
    [[nodiscard]] std::vector<std::size_t> points_without(std::size_t context) const {
        std::vector<std::size_t> made;
        for (std::size_t i = 0; i < history_.points.size(); ++i)
            if (history_.points[i].context != context) made.push_back(i);
        return made;
    }

    [[nodiscard]] expert_answer posterior(const std::vector<subject>& asked, const std::vector<std::size_t>& given) const {
        const auto inverse = support::invert(covariance_of(given)).inverse;
        expert_answer made{.mean = std::vector<double>(asked.size()), .covariance = matrix(asked.size(), asked.size())};
        for (std::size_t a = 0; a < asked.size(); ++a) {
            for (std::size_t b = 0; b < asked.size(); ++b) made.covariance(a, b) = covariance(asked[a], asked[b]);
            for (std::size_t i = 0; i < given.size(); ++i)
                for (std::size_t j = 0; j < given.size(); ++j) {
                    const double gain = covariance(asked[a], point(given[i])) * inverse(i, j);
                    made.mean[a] += gain * history_.points[given[j]].log_runtime;
                    for (std::size_t b = 0; b < asked.size(); ++b)
                        made.covariance(a, b) -= gain * covariance(point(given[j]), asked[b]);
                }
        }
        return made;
    }

    // ln of the density of all points, and of the parameters' prior: as if one context more had deviations of 1e-4 alone.
    [[nodiscard]] double penalised_likelihood() const {
        std::vector<double> log_runtimes;
        for (const auto& each : history_.points) log_runtimes.push_back(each.log_runtime);
        matrix covariance(4, 4);
        for (std::size_t k = 0; k < 16; ++k) covariance(k / 4, k % 4) = parameters_.covariance[k];
        const auto inverted = support::invert(covariance);
        double trace = 0;
        for (std::size_t k = 0; k < 4; ++k) trace += inverted.inverse(k, k);
        return support::log_normal_density(log_runtimes, covariance_of(points_without(no_context))) -
               0.5 * inverted.log_determinant - 0.5 * 1e-4 * trace;
    }

private:
    struct spread {
        std::array<double, 3> mean{};
        std::array<double, 3> deviation{};
    };
    [[nodiscard]] static std::array<double, 3> raw(double n) { return {1 / n, std::log(n), n}; }
    [[nodiscard]] static spread moments(const std::vector<double>& scale_outs) {
        spread made;
        const auto count = static_cast<double>(scale_outs.size());
        for (std::size_t k = 0; k < 3; ++k) {
            for (const double n : scale_outs) made.mean[k] += raw(n)[k] / count;
            double variance = 0;
            for (const double n : scale_outs) variance += (raw(n)[k] - made.mean[k]) * (raw(n)[k] - made.mean[k]) / count;
            made.deviation[k] = std::sqrt(variance);
        }
        return made;
    }
    [[nodiscard]] std::array<double, 4> terms(double n) const {
        n = (std::min)((std::max)(n, lowest_ / 4), 4 * highest_);
        auto r = raw(n);
        // Tangents over ln n.
        if (n < lowest_) r[0] = 1 / lowest_ - 1 / lowest_ * (std::log(n) - std::log(lowest_));
        if (n > highest_) r[2] = highest_ + highest_ * (std::log(n) - std::log(highest_));
        return {1, (r[0] - centre_[0]) * scale_[0], (r[1] - centre_[1]) * scale_[1], (r[2] - centre_[2]) * scale_[2]};
    }
    [[nodiscard]] std::vector<double> inputs(const subject& of) const {
        std::vector<double> made{1};
        made.insert(made.end(), of.features.begin(), of.features.end());
        const double w = of.pressure + memory_slope * std::log(of.scale_out);
        made.push_back(std::isfinite(w) && pressure_deviation_ > 0 ? (w - pressure_mean_) / pressure_deviation_ : 0.0);
        return made;
    }

    hierarchical_ernest_parameters parameters_;
    const history_data& history_;
    double lowest_ = 0;
    double highest_ = 0;
    std::array<double, 3> centre_{};
    std::array<double, 3> scale_{};
    double pressure_mean_ = 0;
    double pressure_deviation_ = 0;
};

// Two features, of which the first scales the work; the third context's pressure is unknown.
history_data made_up_contexts(std::size_t contexts, std::uint64_t seed) {
    random_generator random(seed);
    history_data made;
    for (std::size_t c = 0; c < contexts; ++c) {
        history_context own{.features = {random.normal(), random.normal()}, .first = made.points.size(), .count = 0};
        own.pressure = c == 2 ? std::nan("") : own.features[0];
        const double work = std::exp(own.features[0] + 0.2 * random.normal());
        for (const double x : {2, 4, 8, 12}) {
            if (random.below(4) == 0 && own.count > 0) continue;
            made.points.push_back({.context = c,
                                   .scale_out = x,
                                   .log_runtime = 3 + std::log(0.3 + work / x) + 0.05 * random.normal(),
                                   .variance = 4e-4});
            ++own.count;
        }
        made.contexts.push_back(std::move(own));
    }
    return made;
}

hierarchical_ernest_parameters random_parameters(random_generator& random) {
    hierarchical_ernest_parameters made{.nugget_variance = 1e-4 + 1e-3 * random.uniform()};
    const auto covariance = support::random_covariance(ernest_term_count, 0.01, random);
    for (std::size_t k = 0; k < made.covariance.size(); ++k) made.covariance[k] = 0.05 * covariance.values()[k];
    return made;
}

void check_same_answer(const expert_answer& found, const expert_answer& expected) {
    CHECK(support::largest_difference(found.mean, expected.mean) < 1e-6);
    CHECK(support::largest_difference(found.covariance.values(), expected.covariance.values()) < 1e-6);
}

const std::vector<double> asked_log_scale_outs{std::log(0.1), std::log(2), std::log(3), std::log(12), std::log(100)};

std::vector<naive_ernest::subject> asked_of(const naive_ernest::subject& context) {
    std::vector<naive_ernest::subject> made;
    for (const double t : asked_log_scale_outs) {
        made.push_back(context);
        made.back().scale_out = std::exp(t);
    }
    return made;
}

}  // namespace

TEST_CASE("hierarchical Ernest answers with the posterior of the normal distribution that it stands for") {
    random_generator random(1);
    for (int round = 0; round < 5; ++round) {
        CAPTURE(round);
        const auto history = made_up_contexts(6, 10 + static_cast<std::uint64_t>(round));
        const auto parameters = random_parameters(random);
        const hierarchical_ernest found(parameters, history, memory_slope);
        REQUIRE(found.usable());
        const naive_ernest expected(parameters, history);
        for (const double pressure : {0.4, std::nan("")}) {
            CAPTURE(pressure);
            const naive_ernest::subject other{.features = {random.normal(), random.normal()}, .pressure = pressure};
            check_same_answer(found(history, {.features = other.features,
                                              .pressure = pressure,
                                              .pressure_slope = memory_slope,
                                              .log_scale_outs = asked_log_scale_outs}),
                              expected.posterior(asked_of(other), expected.points_without(no_context)));
        }
        for (std::size_t c = 0; c < history.contexts.size(); ++c) {
            CAPTURE(c);
            const auto& own = history.contexts[c];
            const naive_ernest::subject same{.features = own.features, .pressure = own.pressure, .context = c};
            const expert_question question{.features = own.features,
                                           .pressure = own.pressure,
                                           .pressure_slope = memory_slope,
                                           .log_scale_outs = asked_log_scale_outs,
                                           .known_context = c};
            check_same_answer(found(history, question),
                              expected.posterior(asked_of(same), expected.points_without(no_context)));
            check_same_answer(found.without(history, c, question),
                              expected.posterior(asked_of(same), expected.points_without(c)));
        }
    }
}

TEST_CASE("a history of one scale-out, of one pressure or of none has its answers too") {
    random_generator random(2);
    const auto parameters = random_parameters(random);
    for (const double pressure : {0.0, std::nan("")}) {
        CAPTURE(pressure);
        history_data history;
        for (std::size_t c = 0; c < 3; ++c) {
            history.contexts.push_back(
                {.features = {random.normal()}, .pressure = pressure, .first = history.points.size(), .count = 1});
            history.points.push_back({.context = c, .scale_out = 6, .log_runtime = 4 + random.normal(), .variance = 1e-3});
        }
        const hierarchical_ernest found(parameters, history, memory_slope);
        const naive_ernest expected(parameters, history);
        const naive_ernest::subject other{.features = {0.3}, .pressure = pressure};
        const expert_question question{.features = other.features,
                                       .pressure = pressure,
                                       .pressure_slope = memory_slope,
                                       .log_scale_outs = asked_log_scale_outs};
        check_same_answer(found(history, question),
                          expected.posterior(asked_of(other), expected.points_without(no_context)));
    }
    const history_data empty;
    const hierarchical_ernest prior(parameters, empty, memory_slope);
    REQUIRE(prior.usable());
    const auto answer = prior(empty, {.log_scale_outs = asked_log_scale_outs});
    for (std::size_t i = 0; i < answer.mean.size(); ++i) {
        CHECK(answer.mean[i] == 0);
        CHECK(answer.covariance(i, i) > 100);
    }
}

TEST_CASE("expectation maximisation never lowers the likelihood, and ends where no parameter raises it") {
    const auto history = made_up_contexts(8, 3);
    const auto likelihood = [&](const hierarchical_ernest_parameters& parameters) {
        return naive_ernest(parameters, history).penalised_likelihood();
    };
    auto at = start_of_hierarchical_ernest();
    double last = likelihood(at);
    for (int round = 0; round < 15; ++round) {
        at = fit_hierarchical_ernest(history, memory_slope, at, 1);
        const double now = likelihood(at);
        CHECK(now >= last - 1e-6);
        last = now;
    }
    const auto found = fit_hierarchical_ernest(history, memory_slope, start_of_hierarchical_ernest(), 5000);
    const double best = likelihood(found);
    CHECK(best > last);
    for (std::size_t p = 0; p < ernest_term_count; ++p)
        for (std::size_t r = 0; r <= p; ++r)
            for (const double factor : {0.9, 1.1}) {
                CAPTURE(p);
                CAPTURE(r);
                auto other = found;
                other.covariance[p * ernest_term_count + r] *= factor;
                if (r != p) other.covariance[r * ernest_term_count + p] *= factor;
                CHECK(likelihood(other) < best + 1e-4);
            }
    for (const double factor : {0.8, 1.25}) {
        auto other = found;
        other.nugget_variance *= factor;
        CHECK(likelihood(other) < best + 1e-4);
    }
}

TEST_CASE("a fit goes on from where it starts, for as many rounds as asked") {
    const auto history = made_up_contexts(5, 4);
    const auto start = start_of_hierarchical_ernest();
    for (std::size_t p = 0; p < ernest_term_count; ++p)
        for (std::size_t r = 0; r < ernest_term_count; ++r)
            CHECK((start.covariance[p * ernest_term_count + r] > 0) == (p == r));
    CHECK(start.covariance[0] == doctest::Approx(0.04));
    CHECK(start.covariance[5] == doctest::Approx(0.09));
    CHECK(start.covariance[10] == doctest::Approx(0.01));
    CHECK(start.covariance[15] == doctest::Approx(0.01));
    CHECK(start.nugget_variance == 1e-4);
    CHECK(fit_hierarchical_ernest(history, memory_slope, start, 0).covariance == start.covariance);
    const auto two = fit_hierarchical_ernest(history, memory_slope, start, 2);
    const auto one = fit_hierarchical_ernest(history, memory_slope, start, 1);
    CHECK(fit_hierarchical_ernest(history, memory_slope, one, 1).covariance == two.covariance);
    CHECK(one.covariance != two.covariance);
}

TEST_CASE("scale-outs near one another say as much of one far away as a single one does, whether or not memory is known") {
    for (const double pressure : {0.0, std::nan("")}) {
        CAPTURE(pressure);
        const auto answer_after = [&](std::array<double, 3> scale_outs) {
            history_data history;
            for (std::size_t c = 0; c < 3; ++c) {
                history.contexts.push_back({.features = {}, .pressure = pressure, .first = c, .count = 1});
                history.points.push_back({.context = c, .scale_out = scale_outs[c], .log_runtime = 4, .variance = 1e-3});
            }
            return hierarchical_ernest(start_of_hierarchical_ernest(), history, memory_slope)(
                history, {.pressure = pressure, .pressure_slope = memory_slope, .log_scale_outs = asked_log_scale_outs});
        };
        const auto of_near = answer_after({6, 6.1, 6.2});
        const auto of_one = answer_after({6.1, 6.1, 6.1});
        for (std::size_t i = 0; i < asked_log_scale_outs.size(); ++i) {
            CAPTURE(i);
            // The rest of the difference is what near scale-outs do say of the slope.
            CHECK(std::sqrt(of_near.covariance(i, i)) == doctest::Approx(std::sqrt(of_one.covariance(i, i))).epsilon(0.1));
        }
    }
}
