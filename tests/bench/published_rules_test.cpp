#include "support/golden.hpp"

#include "../../bench/support/published_rules.hpp"

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bench;

namespace {

struct golden_rule {
    std::vector<int> scale_outs;
    std::size_t jobs = 0;
    std::vector<double> time_s;
    rule_request now;

    explicit golden_rule(const support::json& entry)
        : scale_outs(entry.at("scale_outs").get<std::vector<int>>()),
          now{.scale_out = entry.at("now"), .elapsed_s = entry.at("elapsed_s"), .target_s = entry.at("target_s")} {
        for (const auto& row : entry.at("predicted_s")) {
            jobs = row.size();
            for (const double predicted_s : row) time_s.push_back(predicted_s);
        }
    }
    [[nodiscard]] job_times times() const { return {.scale_outs = scale_outs, .jobs = jobs, .time_s = time_s}; }
};

}  // namespace

TEST_CASE("Enel's rule decides as the golden numbers do") {
    const auto golden = support::golden("enel.json").at("decisions").at("enel");
    for (const auto& entry : golden) {
        CAPTURE(entry.at("name").get<std::string>());
        const golden_rule rule(entry);
        std::vector<int> chosen(rule.jobs);
        const auto count = enel_rule(rule.times(), rule.now, chosen);
        REQUIRE(count);
        chosen.resize(*count);
        if (entry.at("chosen").is_null()) {
            CHECK(chosen.empty());
        } else {
            CHECK(chosen == entry.at("chosen").get<std::vector<int>>());
        }
    }
}

TEST_CASE("Ellis's rule decides as the golden numbers do") {
    const auto golden = support::golden("enel.json").at("decisions").at("ellis");
    for (const auto& entry : golden) {
        CAPTURE(entry.at("name").get<std::string>());
        const golden_rule rule(entry);
        const auto chosen = ellis_rule(rule.times(), rule.now);
        REQUIRE(chosen);
        CHECK(*chosen == entry.at("chosen").get<int>());
    }
}

TEST_CASE("Enel's first scale-out is the golden one") {
    const auto golden = support::golden("enel.json").at("decisions").at("initial");
    for (const auto& entry : golden) {
        CAPTURE(entry.at("name").get<std::string>());
        const auto scale_outs = entry.at("scale_outs").get<std::vector<int>>();
        const auto totals = support::numbers(entry.at("total_s"));
        const auto chosen =
            enel_first_scale_out(scale_outs, totals, entry.at("seen")[0], entry.at("seen")[1], entry.at("target_s"));
        REQUIRE(chosen);
        CHECK(*chosen == entry.at("chosen").get<int>());
    }
}

TEST_CASE("Ellis's first scale-outs halve the range until there are three earlier runs") {
    CHECK(*ellis_first_scale_out(4, 36, 0, false) == 36);
    CHECK(*ellis_first_scale_out(4, 36, 1, false) == 20);
    CHECK(*ellis_first_scale_out(4, 36, 2, true) == 12);
    CHECK(*ellis_first_scale_out(4, 36, 2, false) == 28);
    CHECK(ellis_first_scale_out(4, 36, 3, true).error().code() == errc::invalid_option);
    CHECK(ellis_first_scale_out(9, 4, 0, true).error().code() == errc::invalid_scale_out);
    const std::vector scale_outs{4, 8, 16};
    CHECK(*ellis_first_scale_out(scale_outs, std::vector{90.0, 50.0, 30.0}, 60) == 8);
    CHECK(*ellis_first_scale_out(scale_outs, std::vector{90.0, 70.0, 70.0}, 60) == 8);
    CHECK(*ellis_first_scale_out(scale_outs, std::vector(3, std::nan("")), 60) == 0);
}

TEST_CASE("the published rules leave out scale-outs without a usable time") {
    const std::vector scale_outs{4, 6, 8};
    const double nan = std::nan("");
    const std::vector time_s{-5.0, 10.0, nan, 10.0, 10.0, 10.0};
    std::vector<int> chosen(2);
    const job_times times{.scale_outs = scale_outs, .jobs = 2, .time_s = time_s};
    REQUIRE(*enel_rule(times, {.scale_out = 8, .elapsed_s = 0, .target_s = 100}, chosen) == 2);
    CHECK(chosen == std::vector{8, 8});
    // Of the next job Ellis looks at the present scale-out alone.
    CHECK(*ellis_rule(times, {.scale_out = 8, .elapsed_s = 0, .target_s = 100}) == 4);
    CHECK(*ellis_rule(times, {.scale_out = 6, .elapsed_s = 0, .target_s = 100}) == 6);
    const std::vector none(6, nan);
    CHECK(*enel_rule({.scale_outs = scale_outs, .jobs = 2, .time_s = none}, {8, 0, 100}, chosen) == 0);
    CHECK(*ellis_rule({.scale_outs = scale_outs, .jobs = 2, .time_s = none}, {8, 0, 100}) == 8);
}

TEST_CASE("the published rules refuse by name what is no question") {
    const std::vector scale_outs{4, 6};
    const std::vector time_s(4, 10.0);
    const job_times times{.scale_outs = scale_outs, .jobs = 2, .time_s = time_s};
    std::vector<int> chosen(2);
    const auto code = [&](const job_times& refused, const rule_request& request) {
        const auto enel = enel_rule(refused, request, chosen);
        const auto ellis = ellis_rule(refused, request);
        REQUIRE_FALSE(enel);
        REQUIRE_FALSE(ellis);
        CHECK(enel.error().code() == ellis.error().code());
        return ellis.error().code();
    };
    CHECK(code({}, {4, 0, 10}) == errc::empty_candidates);
    CHECK(code(times, {4, 0, 0}) == errc::invalid_deadline);
    CHECK(code(times, {4, 0, std::nan("")}) == errc::invalid_deadline);
    CHECK(code(times, {4, -1, 10}) == errc::invalid_runtime);
    CHECK(code(times, {0, 0, 10}) == errc::invalid_scale_out);
    const std::vector falling{6, 4};
    CHECK(code({.scale_outs = falling, .jobs = 2, .time_s = time_s}, {4, 0, 10}) == errc::invalid_scale_out);
    CHECK(code({.scale_outs = scale_outs, .jobs = 3, .time_s = time_s}, {4, 0, 10}) == errc::buffer_too_small);
    CHECK(enel_rule(times, {4, 0, 10}, std::span(chosen).first(1)).error().code() == errc::buffer_too_small);
    CHECK(ellis_rule(times, {5, 0, 10}).error().code() == errc::invalid_scale_out);
}
