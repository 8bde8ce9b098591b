#include <bellamy/detail/blend/mixture_binding.hpp>

#include <doctest/doctest.h>

#include <map>

#include "support/compare.hpp"
#include "support/made_up_job.hpp"

using namespace bellamy;

namespace {

// Two components over three knots.
std::vector<detail::posterior_component> posterior_of_two() {
    std::vector<detail::posterior_component> posterior{{.weight = 0.7}, {.weight = 0.3}};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto x = static_cast<double>(i);
        posterior[0].mean.push_back(5 - x);
        posterior[1].mean.push_back(6 - 0.5 * x);
        posterior[0].variance.push_back(0.01 + 0.02 * x);
        posterior[1].variance.push_back(0.05);
    }
    return posterior;
}

detail::scale_out_noise noise_at(double log_scale_out, double narrow_deviation) {
    return {.log_scale_out = log_scale_out,
            .narrow_variance = narrow_deviation * narrow_deviation,
            .wide_variance = 0.09,
            .straggler_probability = 0.1,
            .straggler_delay = 0.4};
}

// A falling line, with a level and a slope that are uncertain.
detail::expert_answer falling_line(std::span<const double> log_scale_outs) {
    const std::size_t q = log_scale_outs.size();
    detail::expert_answer made{.covariance = detail::matrix(q, q)};
    for (std::size_t i = 0; i < q; ++i) {
        made.mean.push_back(6 - 0.8 * log_scale_outs[i]);
        for (std::size_t j = 0; j < q; ++j)
            made.covariance(i, j) = 0.2 + 0.1 * log_scale_outs[i] * log_scale_outs[j] + (i == j ? 1e-4 : 0);
    }
    return made;
}

}  // namespace

TEST_CASE("a new run has the noise of a usual run in each component, and one straggler of them all together") {
    const auto posterior = posterior_of_two();
    const auto noise = noise_at(0, 0.1);
    for (std::size_t knot = 0; knot < 3; ++knot) {
        CAPTURE(knot);
        const auto mixture = detail::predictive_mixture(posterior, knot, noise);
        REQUIRE(mixture.size() == 3);
        double mean = 0;
        for (std::size_t c = 0; c < 2; ++c) {
            CHECK(mixture[c].weight == doctest::Approx(0.9 * posterior[c].weight));
            CHECK(mixture[c].mean == posterior[c].mean[knot]);
            CHECK(mixture[c].sd == doctest::Approx(std::sqrt(posterior[c].variance[knot] + 0.01)));
            mean += posterior[c].weight * posterior[c].mean[knot];
        }
        double variance = 0.09;
        for (std::size_t c = 0; c < 2; ++c)
            variance += posterior[c].weight * (posterior[c].variance[knot] + std::pow(posterior[c].mean[knot] - mean, 2));
        CHECK(mixture[2].weight == doctest::Approx(0.1));
        CHECK(mixture[2].mean == doctest::Approx(mean + 0.4));
        CHECK(mixture[2].sd == doctest::Approx(std::sqrt(variance)));
    }
}

TEST_CASE("variances that are known to a factor make a new run likelier near the median and far from it") {
    // Normals whose log-variances scatter by 0.6, of mean variance 1, by their distribution function on a grid.
    std::vector<detail::normal_component> scattered;
    double sum = 0;
    for (int i = -20; i <= 20; ++i) {
        const double z = i / 5.0;
        scattered.push_back({.weight = std::exp(-0.5 * z * z), .mean = 3, .sd = std::exp(0.5 * (0.6 * z - 0.5 * 0.36))});
        sum += scattered.back().weight;
    }
    for (auto& component : scattered) component.weight /= sum;
    const auto expected = detail::quantiles_of(scattered);
    const auto normal = detail::quantiles_of(std::array{detail::normal_component{.weight = 1, .mean = 3, .sd = 1}});
    const auto row = detail::with_uncertain_variance(normal);
    CHECK(row[detail::median_index] == normal[detail::median_index]);
    CHECK(std::ranges::is_sorted(row));
    for (std::size_t k = 0; k < row.size(); ++k) {
        const double z = detail::standard_normal_quantiles[k];
        CAPTURE(z);
        // The expansion has the fourth moment alone, and stops growing in the tails.
        if (std::abs(z) < 3) CHECK(std::abs(row[k] - expected[k]) < 0.05);
        CHECK(std::abs(row[k] - 3) < 1.2 * std::abs(z) + 1e-9);
        if (z != 0) CHECK((std::abs(row[k] - 3) < std::abs(z)) == (std::abs(z) < std::sqrt(3)));
    }
}

TEST_CASE("experts that disagree are pooled until a run is observed; one expert's alternatives are not") {
    const auto rows = [](detail::expert_kind other, std::span<const run> observed) {
        const detail::mixture_binding binding(std::array{4, 8}, observed);
        const auto at = binding.log_scale_outs();
        auto answer = falling_line(at);
        for (double& covariance : answer.covariance.values()) covariance *= 0.01;
        auto longer = answer;
        for (double& mean : longer.mean) mean += 1;
        const double half = std::log(0.5);
        const std::vector<detail::prior_component> priors{
            {.prediction = &answer, .log_weight = half, .expert = detail::expert_kind::process_over_trend},
            {.prediction = &longer, .log_weight = half, .expert = other}};
        const detail::run_noise noise{.by_scale_out = {noise_at(std::log(4), 0.1)}};
        return binding.quantiles(priors, detail::deviation_kernel(at), noise, 20, 1, {.lowest = 3, .highest = 6}).rows;
    };
    const auto apart = rows(detail::expert_kind::hierarchical_ernest, {});
    const auto alternatives = rows(detail::expert_kind::process_over_trend, {});
    // At the first knot, one node: 1/4 between the means, and the covariance of the line and the noise around each.
    const double within = 0.01 * (0.2 + 1e-4) + 0.01;
    const double factor = std::sqrt(1 - 2.0 / 3 * 0.25 / (0.25 + within));
    for (std::size_t k = 0; k < apart[0].size(); ++k) {
        CAPTURE(k);
        const double median = alternatives[0][detail::median_index];
        CHECK(apart[0][k] - median == doctest::Approx((alternatives[0][k] - median) * factor));
    }
    const std::array one{support::made_up_run(30, 4)};
    CHECK(rows(detail::expert_kind::hierarchical_ernest, one) == rows(detail::expert_kind::process_over_trend, one));
}

TEST_CASE("where asked for, the surer of two experts weighs more until a run is observed, and less so far beyond") {
    const auto medians = [](double sd, bool by_precision, std::span<const run> observed) {
        const detail::mixture_binding binding(std::array{4, 16}, observed);
        const auto at = binding.log_scale_outs();
        auto sure = falling_line(at);
        for (double& covariance : sure.covariance.values()) covariance = 0.01;
        auto unsure = sure;
        for (double& covariance : unsure.covariance.values()) covariance = sd * sd;
        for (double& mean : unsure.mean) mean += 0.1;
        const std::vector<detail::prior_component> priors{
            {.prediction = &sure, .expert = detail::expert_kind::process_over_trend},
            {.prediction = &unsure, .expert = detail::expert_kind::hierarchical_ernest}};
        const auto rows = binding
                              .quantiles(priors, detail::deviation_kernel(at), {.by_scale_out = {noise_at(0, 0.1)}}, 20, 1,
                                         {.lowest = 3, .highest = 6}, by_precision)
                              .rows;
        std::map<int, double> beside_the_sure;
        for (std::size_t i = 0; i < rows.size(); ++i)
            beside_the_sure[binding.knots()[i]] = rows[i][detail::median_index] - sure.mean[i];
        return beside_the_sure;
    };
    // As sure as each other, they weigh the same.
    CHECK(medians(0.1, true, {}).at(8) == doctest::Approx(medians(0.1, false, {}).at(8)));
    auto as_they_are = medians(0.4, false, {});
    auto by_precision = medians(0.4, true, {});
    CHECK(by_precision.at(8) < 0.8 * as_they_are.at(8));
    const auto share_kept = [&](int x) { return by_precision.at(x) / as_they_are.at(x); };
    CHECK(share_kept(16) == doctest::Approx(share_kept(8)).epsilon(1e-6));
    CHECK(share_kept(64) > share_kept(16) + 0.05);
    const std::array one{support::made_up_run(30, 8)};
    CHECK(medians(0.4, true, one) == medians(0.4, false, one));
}

TEST_CASE("an expert's weight is divided by its standard deviation of a new run, its components' shares stay") {
    auto components = posterior_of_two();
    components.push_back(components[0]);
    components[1].expert = detail::expert_kind::hierarchical_ernest;
    detail::weigh_by_precision(components, {0.4, 0.4, 0.2}, 2, 0.02, 1);
    // At the last knot, variances of 0.05 and noise of 0.02 each.
    CHECK(components[0].weight == doctest::Approx(0.4));
    detail::weigh_by_precision(components, {0.4, 0.4, 0.2}, 0, 0.02, 1);
    const double sure = 1 / std::sqrt(0.01 + 0.02);
    const double unsure = 1 / std::sqrt(0.05 + 0.02);
    CHECK(components[1].weight == doctest::Approx(0.4 * unsure / (0.6 * sure + 0.4 * unsure)));
    CHECK(components[0].weight == doctest::Approx(2 * components[2].weight));
    CHECK(components[0].weight + components[1].weight + components[2].weight == doctest::Approx(1));
}

TEST_CASE("intervals have the widths in standard deviations by which drift and a recent change take theirs from them") {
    const auto row = detail::with_uncertain_variance(
        detail::quantiles_of(std::array{detail::normal_component{.weight = 1, .mean = 5, .sd = 0.1}}));
    const auto width = [&](double z) { return (detail::quantile_at(row, z) - detail::quantile_at(row, -z)) / 0.1; };
    CHECK(width(0.674) == doctest::Approx(1.1935).epsilon(1e-3));  // improbable_runs
    CHECK(width(1) == doctest::Approx(1.82).epsilon(5e-3));        // measure_factor
}

TEST_CASE("heavier tails keep the median and the order of a skewed row, and its ends within the bounds") {
    const auto row = detail::quantiles_of(std::array{detail::normal_component{.weight = 0.96, .mean = 5, .sd = 0.05},
                                                     detail::normal_component{.weight = 0.04, .mean = 5.4, .sd = 0.3}});
    const auto heavier = detail::with_uncertain_variance(row);
    CHECK(heavier[detail::median_index] == row[detail::median_index]);
    CHECK(std::ranges::is_sorted(heavier));
    CHECK(heavier.back() > row.back());
    const detail::log_range bounds{.lowest = 4.9, .highest = 5.1};
    const auto limited = detail::with_limited_median(heavier, bounds);
    CHECK(std::ranges::is_sorted(limited));
    CHECK(limited.back() <= limited[detail::median_index] + std::log(100) + 1e-9);
}

TEST_CASE("a median that is limited leaves the quantiles beyond the limit where they are predicted") {
    const auto row = detail::quantiles_of(std::array{detail::normal_component{.weight = 1, .mean = 7, .sd = 0.1}});
    const auto limited = detail::with_limited_median(row, {.lowest = 0, .highest = 5});
    CHECK(limited[detail::median_index] == 5);
    for (std::size_t k = 0; k < row.size(); ++k) {
        CAPTURE(k);
        if (k < detail::median_index) CHECK(limited[k] == doctest::Approx(row[k] - 2));
        if (k > detail::median_index) CHECK(limited[k] == row[k]);
    }
    const auto raised = detail::with_limited_median(row, {.lowest = 9, .highest = 20});
    CHECK(raised[detail::median_index] == 9);
    CHECK(raised.front() == row.front());
    CHECK(raised.back() == doctest::Approx(row.back() + 2));
}

TEST_CASE("answers stay within a factor of a hundred of what was seen, and seconds stay numbers") {
    detail::log_range seen;
    for (const double each : {4.0, 2.0, 3.0}) seen.include(each);
    CHECK(seen.lowest == 2);
    CHECK(seen.highest == 4);
    const auto usual = detail::median_bounds(seen);
    CHECK(std::exp(usual.lowest - 2) == doctest::Approx(0.01));
    CHECK(std::exp(usual.highest - 4) == doctest::Approx(100));
    for (const double far : {-900.0, 900.0}) {
        const auto bounds = detail::median_bounds({.lowest = far, .highest = far});
        CHECK(bounds.lowest == std::copysign(700.0, far));
        CHECK(bounds.highest == std::copysign(700.0, far));
    }
    const auto all = detail::median_bounds({.lowest = -900, .highest = 900});
    CHECK(all.lowest == -700);
    CHECK(all.highest == 700);
}

TEST_CASE("a binding has knots at the seen and at the observed scale-outs") {
    auto killed = support::made_up_run(30, 9);
    killed.censored = true;
    const std::vector<run> observed{support::made_up_run(30, 4), killed, support::made_up_run(30, 4)};
    const detail::mixture_binding binding(std::array{2, 16}, observed);
    CHECK(std::ranges::equal(binding.observed_scale_outs(), std::array{4, 9, 4}));
    const auto knots = binding.knots();
    for (const int x : {2, 4, 9, 16}) CHECK(std::ranges::find(knots, x) != knots.end());
    REQUIRE(binding.log_scale_outs().size() == knots.size());
    for (std::size_t i = 0; i < knots.size(); ++i) CHECK(binding.log_scale_outs()[i] == std::log(knots[i]));
}

TEST_CASE("bound quantiles are those of the prior given the runs, with the noise of the nearest scale-out") {
    auto killed = support::made_up_run(30, 9);
    killed.censored = true;
    const std::vector<run> observed{support::made_up_run(30, 4), support::made_up_run(30, 8), killed};
    const detail::mixture_binding binding(std::array{2, 16}, observed);
    const auto at = binding.log_scale_outs();
    const auto answer = falling_line(at);
    const std::vector<detail::prior_component> priors{{.prediction = &answer, .log_weight = std::log(0.7)},
                                                      {.prediction = &answer, .scale = 2, .log_weight = std::log(0.3)}};
    const auto kernel = detail::deviation_kernel(at);
    // Noise changes at the geometric mean of 2 and 16.
    const detail::run_noise noise{.by_scale_out = {noise_at(std::log(2), 0.02), noise_at(std::log(16), 0.2)}};
    const auto rows = binding.quantiles(priors, kernel, noise, 20, 1, {.lowest = 3, .highest = 6}).rows;
    REQUIRE(rows.size() == at.size());

    std::vector<detail::observation> seen;
    for (const auto& each : observed) {
        const auto& here = noise.by_scale_out[each.scale_out < 5 ? 0 : 1];
        const auto knot = std::ranges::find(binding.knots(), each.scale_out) - binding.knots().begin();
        seen.push_back({.knot = static_cast<std::size_t>(knot),
                        .log_runtime = std::log(each.runtime_s),
                        .narrow_variance = here.narrow_variance,
                        .wide_variance = here.wide_variance,
                        .straggler_probability = here.straggler_probability,
                        .straggler_delay = here.straggler_delay,
                        .censored = each.censored});
    }
    const auto posterior =
        detail::condition_with_noise(priors, kernel, seen, detail::moments_of(priors, kernel, seen), 20, 1);
    for (std::size_t i = 0; i < at.size(); ++i) {
        CAPTURE(binding.knots()[i]);
        if (binding.knots()[i] > 4 * 16) continue;  // the last knot's width is limited
        const auto mixture = detail::predictive_mixture(
            posterior, i, noise.by_scale_out[binding.knots()[i] * binding.knots()[i] < 32 ? 0 : 1]);
        CHECK(support::largest_difference(rows[i], detail::with_uncertain_variance(detail::quantiles_of(mixture))) < 1e-12);
    }
}

TEST_CASE("farther than four times beyond what was seen, widths grow no faster than the distance") {
    const auto widths = [](double deviation) {
        const detail::mixture_binding binding(std::array{64}, {});
        const auto at = binding.log_scale_outs();
        detail::expert_answer wedge{.mean = std::vector<double>(at.size()),
                                    .covariance = detail::matrix(at.size(), at.size())};
        for (std::size_t i = 0; i < at.size(); ++i) {
            wedge.mean[i] = at[i];
            for (std::size_t j = 0; j < at.size(); ++j)
                wedge.covariance(i, j) = std::pow(deviation * (at[i] - std::log(64)) * (at[j] - std::log(64)), 2);
            wedge.covariance(i, i) += 1e-4;
        }
        const auto rows = binding
                              .quantiles(std::vector{detail::prior_component{.prediction = &wedge}},
                                         detail::deviation_kernel(at), {}, 0, 1, {.lowest = 0, .highest = 9})
                              .rows;
        std::map<int, double> width;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            CHECK(rows[i][rows[i].size() / 2] == doctest::Approx(at[i]));
            width[binding.knots()[i]] = rows[i][10] - rows[i][6];
        }
        return width;
    };
    auto steep = widths(0.5);
    CHECK(steep.at(32) == doctest::Approx(0.25 * steep.at(16)).epsilon(0.01));
    CHECK(steep.at(4) == doctest::Approx(2 * steep.at(16)));
    CHECK(steep.at(1024) == doctest::Approx(2 * steep.at(256)));
    auto flat = widths(0);
    CHECK(flat.at(4) == doctest::Approx(flat.at(16)));
}

TEST_CASE("a median stays within a factor of 100 of the runtimes seen, its interval too or within a further one of it") {
    const auto middle_and_width = [](std::span<const run> observed, double mean, double variance) {
        const detail::mixture_binding binding(std::array{4}, observed);
        auto far = falling_line(binding.log_scale_outs());
        for (double& each : far.mean) each = mean;
        for (double& each : far.covariance.values()) each *= variance;
        const std::vector<detail::prior_component> priors{{.prediction = &far}};
        const auto rows =
            binding
                .quantiles(priors, detail::deviation_kernel(binding.log_scale_outs()), {}, 0, 1, {.lowest = 5, .highest = 5})
                .rows;
        return std::array{rows[0][rows[0].size() / 2], rows[0].back() - rows[0].front()};
    };
    const double usual_width = middle_and_width({}, 5, 1)[1];
    CHECK(usual_width > 0.1);
    CHECK(middle_and_width({}, 50, 1)[0] == doctest::Approx(5 + detail::most_beyond_seen));
    // What is predicted beyond stays beyond, as far as the interval may reach.
    CHECK(middle_and_width({}, 50, 1)[1] == doctest::Approx(0.5 * usual_width + detail::most_beyond_seen));
    CHECK(middle_and_width({}, -50, 1)[0] == doctest::Approx(5 - detail::most_beyond_seen));
    CHECK(middle_and_width({}, 5, 1e6)[1] == doctest::Approx(2 * detail::most_beyond_seen));
    auto slow = support::made_up_run(30, 400);
    slow.runtime_s = std::exp(9);
    CHECK(middle_and_width(std::array{slow}, 50, 1)[0] <= 9 + detail::most_beyond_seen + 1e-9);
}
