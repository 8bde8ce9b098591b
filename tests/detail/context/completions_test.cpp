#include <bellamy/detail/context/features.hpp>
#include <bellamy/detail/context/features_fit.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "support/made_up_job.hpp"

using namespace bellamy;

namespace {

// The features of a history's contexts, as the experts get them.
struct learned_features {
    std::vector<run> history{};
    detail::feature_map map{};
    detail::history_data data{};

    explicit learned_features(std::vector<run> of) : history(std::move(of)) {
        const auto view = detail::group_runs(history);
        map = detail::make_feature_map(view);
        for (const auto* each : view.contexts) {
            const auto features = map(*each);
            data.contexts.push_back({.features = features.values, .pressure = features.pressure});
        }
    }
    [[nodiscard]] std::vector<detail::completion> complete(const context& subject) const {
        return detail::context_completions(map, data.contexts)(subject);
    }
};

std::vector<run> machines_and_sizes() {
    std::vector<run> made;
    for (const auto& [size, machine] : {std::pair<std::uint64_t, const char*>{10, "m"}, {20, "m"}, {40, "c"}, {80, "m"}})
        made.push_back({.context = support::made_up_context(size, machine), .scale_out = 4, .runtime_s = 1});
    return made;
}

double probabilities_of(const std::vector<detail::completion>& ways) {
    return std::accumulate(ways.begin(), ways.end(), 0.0,
                           [](double sum, const auto& each) { return sum + each.probability; });
}

}  // namespace

TEST_CASE("a context of which everything is known is its only completion") {
    const learned_features learned(machines_and_sizes());
    const auto subject = support::made_up_context(30, "c");
    const auto ways = learned.complete(subject);
    REQUIRE(ways.size() == 1);
    CHECK(ways[0].probability == 1);
    CHECK(ways[0].features.values == learned.map(subject).values);
    CHECK(ways[0].features.pressure == learned.map(subject).pressure);
}

TEST_CASE("what is not known is what the history's contexts had there, each as often as they had it") {
    const learned_features learned(machines_and_sizes());
    auto subject = support::made_up_context(30);
    subject.essential[0] = unknown("machine");
    const auto ways = learned.complete(subject);
    REQUIRE(ways.size() == 2);
    CHECK(probabilities_of(ways) == doctest::Approx(1));
    for (const auto* machine : {"m", "c"}) {
        const auto expected = learned.map(support::made_up_context(30, machine));
        const auto found = std::find_if(ways.begin(), ways.end(),
                                        [&](const auto& each) { return each.features.values == expected.values; });
        REQUIRE(found != ways.end());
        CHECK(found->probability == doctest::Approx(*machine == 'm' ? 0.75 : 0.25));
        CHECK(found->features.pressure == doctest::Approx(expected.pressure));
    }
}

TEST_CASE("an unknown size makes the pressure unknown, and an absent property is as unknown as one said to be") {
    const learned_features learned(machines_and_sizes());
    auto said = support::made_up_context(30);
    said.essential[1] = unknown("size_gb");
    auto absent = said;
    absent.essential.pop_back();
    for (const auto& subject : {said, absent}) {
        const auto ways = learned.complete(subject);
        REQUIRE(ways.size() == 4);
        CHECK(probabilities_of(ways) == doctest::Approx(1));
        std::vector<double> pressures;
        for (const auto& each : ways) pressures.push_back(each.features.pressure);
        std::sort(pressures.begin(), pressures.end());
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(pressures[i] == doctest::Approx(std::log(10.0 * std::pow(2.0, static_cast<double>(i)) / 8)));
    }
}

TEST_CASE("an unknown memory, the same for all contexts of the history, gives the pressures that they had") {
    const learned_features learned(machines_and_sizes());
    auto subject = support::made_up_context(40);
    subject.optional[0] = unknown("memory_gb");
    const auto ways = learned.complete(subject);
    REQUIRE(ways.size() == 1);
    CHECK(ways[0].features.pressure == doctest::Approx(std::log(40.0 / 8)));
}

TEST_CASE("many completions are thinned evenly along the unknown number, with both ends kept") {
    std::vector<run> history;
    for (std::uint64_t size = 1; size <= 30; ++size)
        history.push_back({.context = support::made_up_context(size), .scale_out = 4, .runtime_s = 1});
    const learned_features learned(history);
    auto subject = support::made_up_context(5);
    subject.essential[1] = unknown("size_gb");
    const auto ways = learned.complete(subject);
    REQUIRE(ways.size() == detail::most_completions);
    CHECK(probabilities_of(ways) == doctest::Approx(1));
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const double size = static_cast<double>(1 + i * 29 / 7);
        CHECK(ways[i].features.pressure == doctest::Approx(std::log(size / 8)));
        CHECK(ways[i].probability == doctest::Approx(1.0 / 8));
    }
}

TEST_CASE("unknown cores are imputed with the memory of a core that went with them") {
    std::vector<run> history;
    for (const std::uint64_t cores : {2U, 4U, 8U})
        history.push_back(
            {.context = {.essential = {natural("cores", cores).with_role(property_role::cores_per_node),
                                       natural("memory", cores * cores).with_role(property_role::memory_per_node),
                                       natural("size", 100).with_role(property_role::data_size)}},
             .scale_out = 4,
             .runtime_s = 1});
    const learned_features learned(history);
    auto target = history[1].context;
    target.essential[0] = unknown("cores");
    const auto completions = learned.complete(target);
    REQUIRE(completions.size() == 3);
    CHECK(probabilities_of(completions) == doctest::Approx(1));
    for (const double relative_cores : {1.0, 2.0, 4.0}) {
        const bool imputed = std::any_of(completions.begin(), completions.end(), [&](const auto& completion) {
            // Memory of a core equals the cores, so that the pressure of a slot is 100 / cores.
            return completion.features.relative_cores == doctest::Approx(relative_cores) &&
                   completion.features.pressure == doctest::Approx(std::log(100 / (2 * relative_cores) / 2));
        });
        CHECK_MESSAGE(imputed, relative_cores);
    }
    target.essential[0] = history[1].context.essential[0];
    REQUIRE(learned.complete(target).size() == 1);
    CHECK(learned.complete(target).front().features.pressure == doctest::Approx(std::log(100.0 / 16 * 2)));
}

TEST_CASE("an unknown memory of nodes of as many cores is that of their nodes, whether or not it is counted by core") {
    for (const char* second_algorithm : {"sort", "grep"}) {
        CAPTURE(second_algorithm);
        std::vector<run> history;
        for (const std::uint64_t memory : {16U, 64U})
            history.push_back({.context = {.essential = {natural("cores", 8).with_role(property_role::cores_per_node),
                                                         natural("memory", memory).with_role(property_role::memory_per_node),
                                                         natural("size", 100).with_role(property_role::data_size),
                                                         text("algorithm", memory == 16 ? "sort" : second_algorithm)}},
                               .scale_out = 4,
                               .runtime_s = 1});
        const learned_features learned(history);
        auto target = history[0].context;
        target.essential[1] = unknown("memory");
        const auto ways = learned.complete(target);
        REQUIRE(ways.size() == 2);
        for (const double memory : {16.0, 64.0})
            CHECK(std::ranges::any_of(
                ways, [&](const auto& way) { return way.features.pressure == doctest::Approx(std::log(100.0 / memory)); }));
    }
}
