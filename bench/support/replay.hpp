// Replays decisions on recorded runs: every rule is asked about every held-out context, deadline and set of observed runs.
#ifndef BELLAMY_BENCH_REPLAY_HPP
#define BELLAMY_BENCH_REPLAY_HPP

#include "decision_rules.hpp"
#include "decision_scores.hpp"
#include "evaluation.hpp"
#include "prices.hpp"

#include <map>
#include <set>

namespace bench {

struct replay_options {
    method_options training{};
    price_table prices = usual_prices();
    /// Deadlines as multiples of the least median runtime of the context.
    std::vector<double> multiples{1, 1.1, 1.25, 1.5, 2, 3};
    /// Most observed runs.
    int most_observed = 3;
    /// Asked of a rule that states probabilities, in place of its usual setting.
    double probability = 0.9;
};

/// One question: some runs of a context are observed, and a deadline is to be kept.
struct decision_question {
    std::string algorithm{};
    std::uint32_t context = 0;
    std::vector<std::size_t> observed{};
    double multiple = 0;
    double deadline_s = 0;
    /// Some configuration keeps the deadline in at least the share of its runs that is asked for.
    bool possible = false;
};

/// The answer of one rule at its usual setting, and what it led to.
struct decision_row {
    decision_question asked{};
    int scale_out = 0;
    rule_answer answer{};
    consequence led_to{};
};

/// Everything that one rule did.
struct rule_record {
    std::vector<decision_row> usual{};
    /// Consequences of every setting of the sweep, question by question in the order of `usual`.
    std::vector<std::vector<consequence>> sweep{};
    /// Of every configuration and question, where the rule states probabilities; `observed_runs` of each beside it.
    std::vector<stated_and_realised> statements{};
    std::vector<std::size_t> observed_runs{};

    void append(rule_record more) {
        usual.insert(usual.end(), more.usual.begin(), more.usual.end());
        sweep.resize((std::max)(sweep.size(), more.sweep.size()));
        for (std::size_t i = 0; i < more.sweep.size(); ++i)
            sweep[i].insert(sweep[i].end(), more.sweep[i].begin(), more.sweep[i].end());
        statements.insert(statements.end(), more.statements.begin(), more.statements.end());
        observed_runs.insert(observed_runs.end(), more.observed_runs.begin(), more.observed_runs.end());
    }
};

/// The distinct sets of at most so many observed runs that the splits of a context have.
[[nodiscard]] inline std::set<std::vector<std::size_t>> observed_sets(const target& subject, int most) {
    std::set<std::vector<std::size_t>> sets;
    for (const auto* each : subject.splits)
        if (each->k <= most) sets.insert(each->train_rows);
    return sets;
}

/// What every rule did for one held-out context; in the order of the rules.
[[nodiscard]] inline std::vector<rule_record> replay(const target& subject, const record_table& records,
                                                     std::span<const rule> rules, const replay_options& options) {
    const auto history = records.history_of(subject.context);
    const auto first = std::ranges::find(records.contexts, subject.context) - records.contexts.begin();
    const held_out known(records, subject.context,
                         price_of(records.runs[static_cast<std::size_t>(first)].context, options.prices));
    std::vector<rule_record> made;
    for (const auto& each : rules) {
        auto& record = made.emplace_back();
        record.sweep.resize(each.settings.size());
        const auto prepare = each.learn(history, subject.algorithm, options.training);
        for (const auto& observed : observed_sets(subject, options.most_observed)) {
            std::vector<bellamy::run> runs;
            for (const auto row : observed) runs.push_back(records.runs[row]);
            const auto prepared = prepare(runs, known);
            if (!prepared) continue;
            for (const double multiple : options.multiples) {
                const double deadline_s = multiple * known.best_median_s();
                decision_question asked{.algorithm = subject.algorithm,
                                        .context = subject.context,
                                        .observed = observed,
                                        .multiple = multiple,
                                        .deadline_s = deadline_s};
                for (std::size_t i = 0; i < known.configurations().size(); ++i) {
                    const double hit = known.hit_rate(i, deadline_s, observed);
                    if (hit >= options.probability) asked.possible = true;
                    if (!prepared->state) continue;
                    record.statements.push_back({.stated = prepared->state(i, deadline_s), .realised = hit});
                    record.observed_runs.push_back(observed.size());
                }
                const auto usual = prepared->decide(deadline_s, prepared->state ? options.probability : each.usual_setting);
                record.usual.push_back({.asked = asked,
                                        .scale_out = known.configurations()[usual.choice].scale_out,
                                        .answer = usual,
                                        .led_to = known.choose(usual.choice, deadline_s, observed)});
                for (std::size_t s = 0; s < each.settings.size(); ++s)
                    record.sweep[s].push_back(
                        known.choose(prepared->decide(deadline_s, each.settings[s]).choice, deadline_s, observed));
            }
        }
    }
    return made;
}

/// The same for all target contexts, on several threads; `done(finished, total)` is called after each.
template <class Done>
[[nodiscard]] std::vector<rule_record> replay_all(std::span<const target> targets,
                                                  const std::map<std::string, record_table>& records,
                                                  std::span<const rule> rules, const replay_options& options,
                                                  std::size_t threads, const Done& done) {
    std::vector<std::vector<rule_record>> parts(targets.size());
    std::mutex guard;
    std::size_t finished = 0;
    bellamy::detail::for_each_index(targets.size(), threads, [&](std::size_t i) {
        parts[i] = replay(targets[i], records.at(targets[i].algorithm), rules, options);
        const std::lock_guard lock(guard);
        done(++finished, targets.size());
    });
    std::vector<rule_record> all(rules.size());
    for (auto& part : parts)
        for (std::size_t r = 0; r < rules.size(); ++r) all[r].append(std::move(part[r]));
    return all;
}

/// Mean hit rate and regret of every setting, over the questions for which `wanted(question)` holds.
template <class Wanted>
[[nodiscard]] std::vector<sweep_point> sweep_of(const rule_record& record, const Wanted& wanted) {
    std::vector<sweep_point> points;
    for (const auto& consequences : record.sweep) {
        sweep_point point;
        double count = 0;
        for (std::size_t i = 0; i < consequences.size(); ++i) {
            if (!wanted(record.usual[i].asked)) continue;
            point.hit += consequences[i].hit;
            point.regret += consequences[i].regret;
            ++count;
        }
        if (count > 0) points.push_back({.hit = point.hit / count, .regret = point.regret / count});
    }
    return points;
}

}  // namespace bench

#endif
