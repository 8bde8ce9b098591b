// Answers about runs of known noise: errors, coverage, pinball loss beside an oracle's, decisions stated and kept.
#ifndef BELLAMY_BENCH_NOISE_SCORES_HPP
#define BELLAMY_BENCH_NOISE_SCORES_HPP

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/context/identity.hpp>
#include <bellamy/drift.hpp>
#include <bellamy/pretrain.hpp>

#include "methods.hpp"
#include "noise_cases.hpp"

namespace bench {

/// A deadline was to be met with probability 0.9: what the answer stated for the cheapest scale-out that meets it, and the
/// true probability.
struct noise_decision {
    double stated = 0;
    double kept = 0;
};

/// What one cell gave with so many runs observed.
struct noise_outcomes {
    std::vector<history_outcome> answers{};
    std::vector<history_outcome> oracle{};
    std::vector<noise_decision> decisions{};
    /// Mean error of the medians of each target, relative: the targets are the same however many runs are observed.
    std::vector<double> errors{};
};

/// By the number of observed runs, in the order of `noise_observed`.
using outcomes_by_observed = std::array<noise_outcomes, noise_observed.size()>;

inline constexpr double decision_confidence = 0.9;

/// The decision by a curve; nothing where no scale-out meets the deadline with confidence.
[[nodiscard]] inline std::optional<noise_decision> decide(const bellamy::curve& runtimes, const noise_target& target,
                                                          double deadline_s) {
    std::optional<noise_decision> decision;
    double least_cost = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < made_up_scale_outs.size(); ++i) {
        const int scale_out = made_up_scale_outs[i];
        const auto predicted = runtimes.at(scale_out);
        const double stated = predicted.probability_within(deadline_s);
        const double cost = scale_out * predicted.median_s;
        if (stated < decision_confidence || cost >= least_cost) continue;
        least_cost = cost;
        decision = {.stated = stated,
                    .kept = true_distribution(target.median_s[i], target.noise, scale_out).probability_within(deadline_s)};
    }
    return decision;
}

/// Asks of one target with 0, 2, 8 and 30 runs observed.
inline void ask_target(const bellamy::model& general, const noise_target& target, double deadline_s,
                       outcomes_by_observed& outcomes) {
    for (std::size_t k = 0; k < noise_observed.size(); ++k) {
        const auto observed = std::span(target.observed).first(noise_observed[k]);
        const auto runtimes = require(require(general.condition(observed)).bind(target.context));
        double error = 0;
        for (std::size_t i = 0; i < target.tests.size(); ++i) {
            const auto& run = target.tests[i];
            const double median_s = target.median_s[i];
            const auto predicted = runtimes.at(run.scale_out);
            error += std::abs(predicted.median_s - median_s) / median_s / static_cast<double>(target.tests.size());
            outcomes[k].answers.push_back({.median_s = median_s, .runtime_s = run.runtime_s, .predicted = predicted});
            outcomes[k].oracle.push_back({.median_s = median_s,
                                          .runtime_s = run.runtime_s,
                                          .predicted = true_distribution(median_s, target.noise, run.scale_out)});
        }
        outcomes[k].errors.push_back(error);
        if (const auto decision = decide(runtimes, target, deadline_s)) outcomes[k].decisions.push_back(*decision);
    }
}

/// Where there is no history, a cold start.
[[nodiscard]] inline bellamy::model learn(const noise_history& history) {
    if (history.runs.empty()) return require(bellamy::cold_start(history.targets.front().context));
    return require(bellamy::pretrain(history.runs)).model;
}

/// Learns one history and asks of all its targets. Deadlines lie up to 60 % above the median of a scale-out drawn.
inline void ask_noise_history(const growth_law& law, const noise_cell& cell, std::uint64_t seed,
                              outcomes_by_observed& outcomes) {
    const auto history = draw_noise_history(law, cell, seed);
    const auto general = learn(history);
    bellamy::detail::random_generator random(seed + 1);
    for (const auto& target : history.targets) {
        const double median_s = target.median_s[random.below(target.median_s.size())];
        ask_target(general, target, median_s * (1 + 0.6 * random.uniform()), outcomes);
    }
}

/// One row of the table; all but the number of answers in %.
struct noise_score {
    history_score answers{};
    double oracle_pinball = 0;
    double stated = 0;
    double kept = 0;
    std::size_t decisions = 0;
};

[[nodiscard]] inline noise_score score_of(const noise_outcomes& outcomes) {
    const auto pointers = [](const std::vector<history_outcome>& all) {
        std::vector<const history_outcome*> addresses;
        addresses.reserve(all.size());
        for (const auto& outcome : all) addresses.push_back(&outcome);
        return addresses;
    };
    noise_score score{.answers = score_of(pointers(outcomes.answers)),
                      .oracle_pinball = score_of(pointers(outcomes.oracle)).pinball,
                      .decisions = outcomes.decisions.size()};
    for (const auto& decision : outcomes.decisions) {
        score.stated += 100 * decision.stated / static_cast<double>(score.decisions);
        score.kept += 100 * decision.kept / static_cast<double>(score.decisions);
    }
    return score;
}

/// Student's t of the paired differences of the targets' errors with more runs observed and with fewer; positive: worse.
[[nodiscard]] inline double paired_t(std::span<const double> more, std::span<const double> fewer) {
    const auto count = static_cast<double>(more.size());
    double mean = 0;
    for (std::size_t i = 0; i < more.size(); ++i) mean += (more[i] - fewer[i]) / count;
    double squares = 0;
    for (std::size_t i = 0; i < more.size(); ++i) squares += (more[i] - fewer[i] - mean) * (more[i] - fewer[i] - mean);
    return mean / std::sqrt((std::max)(squares, 1e-300) / (count * (count - 1)));
}

/// Of batches of eight runs of one context each, at scale-outs in turns: the share with a drift probability below 0.01.
/// `observed`: runs of the context that the model is conditioned on before; `slowdown`: of the batch.
[[nodiscard]] inline double drift_alarms(const bellamy::model& general, std::span<const noise_target> targets,
                                         std::size_t observed, double slowdown) {
    constexpr std::size_t batch = 8;
    double alarms = 0;
    for (const auto& target : targets) {
        const auto conditioned = require(general.condition(std::span(target.observed).first(observed)));
        auto runs = std::vector(target.observed.end() - batch, target.observed.end());
        for (auto& run : runs) run.runtime_s *= slowdown;
        if (require(bellamy::measure_drift(conditioned, runs)).probability < 0.01) alarms += 1;
    }
    return alarms / static_cast<double>(targets.size());
}

/// Alarms of drift in %, by runs of the context observed before, without drift and where runs take 1.4 times as long.
struct drift_score {
    double unobserved = 0;
    double observed = 0;
    double slowed = 0;
};

/// Everything about one cell.
struct noise_row {
    noise_cell cell{};
    std::array<noise_score, noise_observed.size()> scores{};
    /// See `paired_t`; of each number of observed runs and the one before.
    std::array<double, noise_observed.size()> worse_t{};
    drift_score drift{};
};

struct noise_options {
    std::vector<std::string> laws{"usl", "cliff", "contention"};
    /// Histories of each law and cell.
    int draws = 8;
    /// Batches of each history that drift is measured in; none where 0.
    std::size_t batches = 0;
    std::uint64_t seed = 0;
};

[[nodiscard]] inline std::string name_of(const noise_cell& cell) {
    return fmt::format("{} {} x {}", noise_shape_names[static_cast<std::size_t>(cell.noise.shape)], cell.noise.scatter,
                       cell.runs);
}

[[nodiscard]] inline std::vector<noise_cell> all_noise_cells() {
    std::vector<noise_cell> cells;
    for (std::size_t shape = 0; shape < noise_shape_names.size(); ++shape)
        for (const double scatter : noise_scatters)
            for (const int runs : noise_runs)
                cells.push_back({.noise = {.shape = static_cast<noise_shape>(shape), .scatter = scatter}, .runs = runs});
    return cells;
}

/// Seed of the batches of one cell and law: with the same deviates everywhere, ranks and so alarms would be the same.
/// Even, as the seeds of histories whose contexts have all runs at one scale-out.
[[nodiscard]] inline std::uint64_t batch_seed(const noise_cell& cell, const growth_law& law) {
    return 2 * bellamy::detail::hash_of_identity(name_of(cell) + std::string(law.name));
}

[[nodiscard]] inline noise_row measure(const noise_cell& cell, const noise_options& options) {
    noise_row row{.cell = cell};
    outcomes_by_observed outcomes;
    double histories = 0;
    for (const auto& law : growth_laws) {
        if (std::ranges::find(options.laws, law.name) == options.laws.end()) continue;
        for (int draw = 0; draw < options.draws; ++draw) {
            const auto seed = options.seed + 2 * static_cast<std::uint64_t>(draw);
            ask_noise_history(law, cell, seed + static_cast<std::uint64_t>(draw % 2), outcomes);
            if (options.batches == 0) continue;
            const auto history = draw_noise_history(law, cell, seed + batch_seed(cell, law), options.batches);
            const auto general = learn(history);
            constexpr std::size_t before = 8;
            row.drift.unobserved += 100 * drift_alarms(general, history.targets, 0, 1);
            row.drift.observed += 100 * drift_alarms(general, history.targets, before, 1);
            row.drift.slowed += 100 * drift_alarms(general, history.targets, before, 1.4);
            histories += 1;
        }
    }
    if (histories > 0)
        for (auto* const alarms : {&row.drift.unobserved, &row.drift.observed, &row.drift.slowed}) *alarms /= histories;
    for (std::size_t k = 0; k < outcomes.size(); ++k) {
        row.scores[k] = score_of(outcomes[k]);
        if (k > 0) row.worse_t[k] = paired_t(outcomes[k].errors, outcomes[k - 1].errors);
    }
    return row;
}

}  // namespace bench

#endif
