// Which machine type and cluster size is chosen after a few runs: whether it is in time, and what it costs.
#ifndef BELLAMY_BENCH_GRID_DECISIONS_HPP
#define BELLAMY_BENCH_GRID_DECISIONS_HPP

#include <bellamy/detail/decision/ranking.hpp>

#include "decision_scores.hpp"
#include "grid_methods.hpp"
#include "priced_grid.hpp"

namespace bench {

/// What a method says of a configuration: its expected runtime and, if it gives more than a number, its distribution.
struct expected_run {
    double runtime_s = 0;
    std::optional<bellamy::prediction> predicted{};

    [[nodiscard]] double probability_within(double limit_s) const noexcept {
        return std::isfinite(limit_s) ? predicted->probability_within(limit_s) : 1.0;
    }
};

/// A choice: the probability stated for it (1 where none was), whether it was in time, and its cost over that of the
/// cheapest run in time, less 1.
struct grid_choice {
    double stated = 1;
    bool kept = false;
    double regret = 0;
};

/// How cautious a rule is: probabilities to reach, and factors on a single number, in the same order.
inline constexpr std::array caution_probabilities{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
inline constexpr std::array caution_factors{0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.6};
inline constexpr std::size_t usual_probability = 4;
inline constexpr std::size_t usual_factor = 3;

/// The cheapest expected run that is within the limit with caution, else the one most probably or earliest in time.
/// Precondition: as many expectations as runs, at least one, and a run within the limit.
[[nodiscard]] inline grid_choice choose_run(std::span<const priced_run> runs, std::span<const expected_run> expected,
                                            double limit_s, std::size_t caution) {
    std::optional<std::size_t> cheapest;
    std::size_t surest = 0;
    double most_sure = -std::numeric_limits<double>::infinity();
    std::vector<double> probabilities(runs.size(), 1.0);
    // As choose compares costs of several curves.
    bellamy::detail::cost_shrinkage shrinkage;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (expected[i].predicted) shrinkage.add(runs[i].price_per_s * expected[i].runtime_s);
    const auto expected_cost = [&](std::size_t i) {
        const double cost = runs[i].price_per_s * expected[i].runtime_s;
        const auto& predicted = expected[i].predicted;
        return predicted ? shrinkage(cost, [&] { return predicted->quantile_s(0.9) / predicted->median_s; }) : cost;
    };
    const auto is_passed_over = [&](std::size_t i) {
        return !std::isfinite(limit_s) && expected[i].predicted && expected[i].predicted->outside_seen_data_sizes;
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const bool states = expected[i].predicted.has_value();
        if (states) probabilities[i] = expected[i].probability_within(limit_s);
        const bool within = states ? probabilities[i] >= caution_probabilities[caution]
                                   : expected[i].runtime_s * caution_factors[caution] <= limit_s;
        const auto position = [&](std::size_t j) { return std::pair(is_passed_over(j), expected_cost(j)); };
        if (within && (!cheapest || position(i) < position(*cheapest))) cheapest = i;
        const double sure = states ? probabilities[i] : -expected[i].runtime_s;
        if (sure > most_sure) {
            most_sure = sure;
            surest = i;
        }
    }
    double least_cost = std::numeric_limits<double>::infinity();
    for (const auto& priced : runs)
        if (priced.ends_within(limit_s)) least_cost = (std::min)(least_cost, priced.cost());
    const std::size_t chosen = cheapest.value_or(surest);
    return {.stated = probabilities[chosen],
            .kept = runs[chosen].ends_within(limit_s),
            .regret = runs[chosen].cost() / least_cost - 1};
}

/// Choices of one method at every caution.
using choices_by_caution = std::array<std::vector<grid_choice>, caution_probabilities.size()>;

/// What a method expects of the runs after it learned from some of them. Of one that it says nothing of it expects no end;
/// a method without probabilities takes what a known run took.
[[nodiscard]] inline std::vector<expected_run> expect_runs(const method& by, std::span<const bellamy::run> known,
                                                           std::span<const priced_run> runs, const method_options& options) {
    const auto answer = by.learn(known, "", options);
    std::vector<expected_run> expected;
    for (const auto& priced : runs) {
        const auto predicted = answer({}, {.context = priced.run.context, .scale_out = priced.run.scale_out}, options.seed);
        expected_run& it = expected.emplace_back();
        // As choose counts the cost: of a distribution, the expected runtime.
        it.runtime_s = predicted && std::isfinite(predicted->median_s)
                           ? bellamy::detail::expectation(*predicted, [](double runtime_s) { return runtime_s; })
                           : std::numeric_limits<double>::infinity();
        if (predicted && !predicted->is_point) {
            it.predicted = predicted;
        } else if (priced.is_among(known)) {
            it.runtime_s = priced.ended_after_s();
        }
    }
    return expected;
}

/// Nothing but the runs that are known: the cheapest of them, or the fastest.
[[nodiscard]] inline std::vector<expected_run> expect_known(std::span<const bellamy::run> known,
                                                            std::span<const priced_run> runs) {
    std::vector<expected_run> expected;
    for (const auto& priced : runs)
        expected.push_back(
            {.runtime_s = priced.is_among(known) ? priced.ended_after_s() : std::numeric_limits<double>::infinity()});
    return expected;
}

/// Choices by (question, method).
using grid_choices = std::map<std::pair<std::string, std::string>, choices_by_caution>;

/// Adds the choices of all methods after the runs of one split.
inline void add_choices(const history_case& split, std::span<const priced_run> runs, std::span<const method> methods,
                        const method_options& options, grid_choices& choices) {
    const auto add = [&](const std::string& name, const std::vector<expected_run>& expected) {
        for (std::size_t i = 0; i < all_grid_limits.size(); ++i) {
            const double limit_s = limit_of(all_grid_limits[i], runs);
            auto& of_method = choices[{fmt::format("{} runs, {}", split.history->size(), grid_limit_names[i]), name}];
            for (std::size_t caution = 0; caution < of_method.size(); ++caution)
                of_method[caution].push_back(choose_run(runs, expected, limit_s, caution));
        }
    };
    for (const auto& by : methods) add(by.name, expect_runs(by, *split.history, runs, options));
    add("known", expect_known(*split.history, runs));
}

/// Means in %; `equal_regret`: at the share that best mode keeps, where the sweep reaches it.
struct grid_decision_row {
    std::string question{};
    std::string method{};
    std::size_t decisions = 0;
    double stated = 0;
    double kept = 0;
    double regret = 0;
    std::optional<double> equal_regret{};
};

[[nodiscard]] inline std::vector<grid_decision_row> rows_of(const grid_choices& choices) {
    const auto mean = [](const std::vector<grid_choice>& of, auto value) {
        double sum = 0;
        for (const auto& choice : of) sum += 100 * value(choice) / static_cast<double>(of.size());
        return sum;
    };
    const auto kept = [](const grid_choice& choice) { return choice.kept ? 1.0 : 0.0; };
    std::vector<grid_decision_row> rows;
    for (const auto& [key, by_caution] : choices) {
        const auto& usual = by_caution[key.second == "best" ? usual_probability : usual_factor];
        grid_decision_row row{.question = key.first, .method = key.second, .decisions = usual.size()};
        row.stated = mean(usual, [](const grid_choice& choice) { return choice.stated; });
        row.kept = mean(usual, kept);
        row.regret = mean(usual, [](const grid_choice& choice) { return choice.regret; });
        std::vector<sweep_point> sweep;
        for (const auto& of_caution : by_caution)
            sweep.push_back({.hit = mean(of_caution, kept),
                             .regret = mean(of_caution, [](const grid_choice& choice) { return choice.regret; })});
        if (const auto best = choices.find({key.first, "best"}); best != choices.end())
            row.equal_regret = regret_at(sweep, mean(best->second[usual_probability], kept));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace bench

#endif
