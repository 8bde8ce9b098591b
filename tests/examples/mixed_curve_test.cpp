// Mixtures of curves.
#include "../../examples/support/mixed_curve.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

namespace {

bellamy::curve log_normal(double median_s, double sd) {
    bellamy::prediction made{.is_point = false};
    for (std::size_t q = 0; q < made.log_quantiles.size(); ++q)
        made.log_quantiles[q] = std::log(median_s) + sd * bellamy::detail::standard_normal_quantiles[q];
    made.median_s = median_s;
    return bellamy::curve([made](int) noexcept { return made; }, {.smallest = 1, .largest = 8}, 0);
}

}  // namespace

TEST_CASE("the quantiles of a mixture have the mean probability of its cases, however far apart these are") {
    for (const double sd : {0.02, 0.3}) {
        const auto runtimes = log_normal(31, sd);
        for (const auto& waits_s : {std::array{7.7, 41.0, 237.0, 318.0}, {0.0, 0.0, 0.0, 3000.0}, {5.0, 5.1, 5.2, 5.3}}) {
            std::vector<tools::possible_runtime> cases;
            std::vector<bellamy::curve> alone;
            for (const double wait_s : waits_s) {
                cases.push_back({.runtimes = &runtimes, .share = 0.25, .delay_s = wait_s});
                const tools::possible_runtime certain{.runtimes = &runtimes, .delay_s = wait_s};
                alone.push_back(tools::mixed_curve({&certain, 1}));
            }
            const auto mixture = tools::mixed_curve(cases).at(4);
            for (std::size_t q = 0; q < mixture.log_quantiles.size(); ++q) {
                double probability = 0;
                for (const auto& each : alone)
                    probability += each.at(4).probability_within(std::exp(mixture.log_quantiles[q])) / 4;
                const double z = bellamy::detail::standard_normal_quantiles[q];
                // Quantiles are found to 1e-6 of a runtime's logarithm, over which a narrow case gains 1e-6 / sd of a
                // deviation.
                CHECK(probability == doctest::Approx(bellamy::detail::normal_cdf(z)).epsilon(1e-4));
            }
        }
    }
}

TEST_CASE("a mixture is outside the data sizes seen, and unlike any seen context, where cases of most of the share are") {
    const auto with_flags = [](bool is_outside, bool is_unlike) {
        auto made = log_normal(31, 0.1).at(4);
        made.outside_seen_data_sizes = is_outside;
        made.unlike_any_seen_context = is_unlike;
        return bellamy::curve([made](int) noexcept { return made; }, {.smallest = 1, .largest = 8}, 0);
    };
    const auto known = with_flags(false, false);
    const auto larger = with_flags(true, false);
    const auto unlike = with_flags(true, true);
    const auto mixed = [&](double share_known, double share_larger) {
        const std::array<tools::possible_runtime, 3> cases{
            {{&known, share_known}, {&larger, share_larger}, {&unlike, 1 - share_known - share_larger}}};
        return tools::mixed_curve(cases).at(4);
    };
    CHECK(mixed(0.4, 0.3).outside_seen_data_sizes);
    CHECK_FALSE(mixed(0.4, 0.3).unlike_any_seen_context);
    CHECK_FALSE(mixed(0.6, 0.2).outside_seen_data_sizes);
    CHECK(mixed(0.3, 0.1).unlike_any_seen_context);
}

TEST_CASE("the bounds of a curve hold at every scale-out, however large") {
    const auto falling = bellamy::curve(
        [](int scale_out) noexcept {
            bellamy::prediction made{.is_point = false};
            made.log_quantiles.fill(std::log(30000.0 / scale_out));
            made.median_s = 30000.0 / scale_out;
            return made;
        },
        {.smallest = 75, .largest = 300}, 0);
    const tools::possible_runtime bounded{.runtimes = &falling, .least_s = 20, .last_gain = 300};
    const auto curve = tools::mixed_curve({&bounded, 1});
    CHECK(curve.at(300).median_s == doctest::Approx(100).epsilon(0.02));
    CHECK(curve.at(600).median_s == doctest::Approx(curve.at(300).median_s));
    const tools::possible_runtime floored{.runtimes = &falling, .least_s = 20};
    CHECK(tools::mixed_curve({&floored, 1}).at(100000).median_s == doctest::Approx(20));
}
