#include "../../bench/support/baselines.hpp"
#include "../support/compare.hpp"
#include "../support/golden.hpp"
#include "observed_runs.hpp"

#include <bellamy/baseline/ernest.hpp>
#include <bellamy/choose.hpp>

#include <numeric>
#include <set>

using namespace bellamy;
using support::check_refused;
using support::largest_difference;
using support::medians;
using support::observed_runs;

namespace {

struct named_baseline {
    std::string_view name;
    result<curve> (*fit)(std::span<const run>);
};

constexpr std::array baselines{named_baseline{"ernest", baseline::ernest}, named_baseline{"bell", bench::bell},
                               named_baseline{"nearest", bench::nearest}};

std::vector<run> at_distinct_scale_outs(int count) {
    support::points measured;
    for (int x = count; x >= 1; --x) measured.emplace_back(x, 100 + 10.0 / x);
    return observed_runs(measured);
}

}  // namespace

TEST_CASE("Ernest agrees with an independent implementation") {
    // Relative to runtimes of hundreds of seconds, over columns whose condition costs about four digits.
    constexpr double tolerance_s = 1e-9;
    const auto golden = support::golden("ernest.json");
    for (const auto& each : golden.at("cases")) {
        const auto scale_outs = each.at("scale_outs").get<std::vector<int>>();
        const auto runtimes_s = support::numbers(each.at("runtime_seconds"));
        const auto weights = support::numbers(each.at("weights"));
        CAPTURE(each.dump());
        std::vector<run> runs;
        for (std::size_t i = 0; i < scale_outs.size(); ++i)
            runs.push_back({.context = {}, .scale_out = scale_outs[i], .runtime_s = runtimes_s[i]});
        const auto fitted = baseline::ernest(runs);
        REQUIRE(fitted);

        std::vector<double> expected_fit;
        double squares = 0;
        for (std::size_t i = 0; i < scale_outs.size(); ++i) {
            const auto terms = detail::terms_at(scale_outs[i]);
            expected_fit.push_back(std::inner_product(terms.begin(), terms.end(), weights.begin(), 0.0));
            const double residual = fitted->at(scale_outs[i]).median_s - runtimes_s[i];
            squares += residual * residual;
        }
        CHECK(largest_difference(medians(*fitted, scale_outs), expected_fit) <= tolerance_s);
        CHECK(std::abs(std::sqrt(squares) - each.at("residual_norm").get<double>()) <= tolerance_s);

        // Elsewhere, the prediction is unique only where there are as many scale-outs as weights.
        if (std::set(scale_outs.begin(), scale_outs.end()).size() < weights.size()) continue;
        const auto queries = each.at("queries").get<std::vector<int>>();
        CHECK(largest_difference(medians(*fitted, queries), support::numbers(each.at("prediction"))) <= tolerance_s);
    }
}

TEST_CASE("every run counts, also of a scale-out that was run before") {
    const support::points measured{{2, 900}, {2, 880}, {2, 500}, {4, 300}, {6, 310}, {8, 290}, {8, 90}, {12, 175}};
    const auto fitted = baseline::ernest(observed_runs(measured));
    REQUIRE(fitted);

    // One row per run, nothing averaged.
    std::vector<std::array<double, 4>> rows;
    std::vector<double> right;
    for (const auto& [x, runtime_s] : measured) {
        rows.push_back(detail::terms_at(x));
        right.push_back(runtime_s);
    }
    const detail::ernest_curve expected{.weights = detail::non_negative_least_squares<4>(rows, right).solve()};
    for (const int x : {1, 2, 5, 8, 20})  // the same sums in another order
        CHECK(support::relative_difference(fitted->at(x).median_s, expected(x)) <= 1e-12);

    // With one run of each mean the fit is another one, so that the above could fail.
    const auto means = baseline::ernest(observed_runs({{2, 760}, {4, 300}, {6, 310}, {8, 190}, {12, 175}}));
    CHECK(support::relative_difference(means->at(2).median_s, fitted->at(2).median_s) > 1e-3);
}

TEST_CASE("Ernest never predicts below zero however the runs fall") {
    detail::random_generator random(5);
    for (int i = 0; i < 200; ++i) {
        support::points measured;
        for (std::size_t k = 1 + random.below(7); k > 0; --k)
            measured.emplace_back(1 + static_cast<int>(random.below(16)), 1 + 500 * std::abs(random.normal()));
        const auto fitted = baseline::ernest(observed_runs(measured));
        REQUIRE(fitted);
        for (const int x : {1, 2, 7, 16, 1000, largest_scale_out}) CHECK(fitted->at(x).median_s >= 0);
    }
}

TEST_CASE("runs with a defect are refused by every baseline") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    struct row {
        std::vector<run> runs;
        errc code;
        std::vector<std::string> words;
    };
    const std::vector<row> table{
        {{}, errc::empty_history, {"at least one"}},
        {observed_runs({{4, 100}, {8, 0}}), errc::invalid_runtime, {"0"}},
        {observed_runs({{4, 100}, {8, -3}}), errc::invalid_runtime, {"-3"}},
        {observed_runs({{4, nan}}), errc::invalid_runtime, {"nan"}},
        {observed_runs({{4, infinity}}), errc::invalid_runtime, {"inf"}},
        {observed_runs({{0, 100}}), errc::invalid_scale_out, {"0"}},
        {at_distinct_scale_outs(65), errc::too_many_scale_outs, {"64"}},
    };
    for (const auto& each : baselines) {
        CAPTURE(each.name);
        for (const auto& wrong : table) check_refused(each.fit(wrong.runs), wrong.code, wrong.words);
        CHECK(each.fit(at_distinct_scale_outs(64)));
    }
}

TEST_CASE("the curve of a baseline says which scale-outs were observed") {
    const auto runs = observed_runs({{9, 100}, {4, 150}, {6, 120}, {4, 152}});
    for (const auto& each : baselines) {
        CAPTURE(each.name);
        const auto fitted = each.fit(runs);
        REQUIRE(fitted);
        CHECK(fitted->seen_scale_outs() == scale_out_interval{.smallest = 4, .largest = 9});
        for (const int x : {4, 5, 9}) CHECK_FALSE(fitted->at(x).outside_seen_scale_outs);
        for (const int x : {1, 3, 10, largest_scale_out}) CHECK(fitted->at(x).outside_seen_scale_outs);
        CHECK(fitted->largest_valid_scale_out() == largest_scale_out);
        CHECK(std::isnan(fitted->at(0).median_s));
    }
}

TEST_CASE("the curve of a baseline can be chosen from") {
    // 40 s and 800 s shared.
    const auto fitted = baseline::ernest(observed_runs({{2, 440}, {4, 240}, {8, 140}, {16, 90}}));
    const auto answer = choose(*fitted, {2, 4, 6, 7, 8, 12, 16}, 150.0);
    REQUIRE(answer);
    CHECK(answer->candidate->scale_out == 8);  // 800 / 7 + 40 = 154 s
}
