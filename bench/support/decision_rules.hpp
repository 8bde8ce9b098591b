// The rules under comparison: from a history and the observed runs to one of a context's measured configurations.
#ifndef BELLAMY_BENCH_DECISION_RULES_HPP
#define BELLAMY_BENCH_DECISION_RULES_HPP

#include <bellamy/choose.hpp>

#include "held_out.hpp"
#include "methods.hpp"

namespace bench {

/// What a rule answers; where it says that nothing keeps the deadline, its best effort.
struct rule_answer {
    std::size_t choice = 0;
    bool feasible = false;
    /// Of keeping the deadline; NaN where the rule states none.
    double stated = std::numeric_limits<double>::quiet_NaN();
};

/// Chooses for a deadline and a setting of the rule's margin.
using decider = std::function<rule_answer(double deadline_s, double setting)>;

/// The probability that each configuration keeps a deadline; only of a rule that states probabilities.
using stater = std::function<double(std::size_t choice, double deadline_s)>;

struct prepared_rule {
    decider decide{};
    stater state{};
};

/// Reads the observed runs of a target; nothing where the rule cannot work with them.
using rule_preparation =
    std::function<std::optional<prepared_rule>(std::span<const bellamy::run> observed, const held_out& target)>;

struct rule {
    std::string name{};
    /// As its authors would have it for a probability of 0.9.
    double usual_setting = 0;
    /// For the sweep, from daring to careful.
    std::vector<double> settings{};
    std::function<rule_preparation(std::span<const bellamy::run> history, const std::string& algorithm,
                                   const method_options& options)>
        learn{};
    /// Why this build does not have it; empty where it does.
    std::string_view missing{};
};

namespace rules {

/// The measured configurations of a target with their runtimes under one model. It owns the curve that they point to.
class configurations_under {
public:
    configurations_under(const bellamy::curve& runtimes, const held_out& target)
        : runtimes_(std::make_shared<const bellamy::curve>(runtimes)) {
        for (const auto& each : target.configurations())
            candidates_.push_back({.runtimes = runtimes_.get(), .scale_out = each.scale_out, .costs = target.costs()});
    }

    /// The cheapest that keeps the deadline with a probability, else the likeliest to.
    [[nodiscard]] rule_answer cheapest(double deadline_s, double probability) const {
        const auto found = require(bellamy::choose(
            candidates_,
            {.goal = bellamy::goal::cheapest_within_deadline, .deadline_s = deadline_s, .probability = probability}));
        // Without any usable prediction, as with the largest.
        if (!found.candidate) return {.choice = candidates_.size() - 1};
        return {
            .choice = found.candidate->candidate, .feasible = found.meets_limit(), .stated = found.candidate->probability};
    }

    [[nodiscard]] double probability(std::size_t choice, double deadline_s) const {
        return runtimes_->at(candidates_[choice].scale_out).probability_within(deadline_s);
    }

private:
    std::shared_ptr<const bellamy::curve> runtimes_;
    std::vector<bellamy::candidate> candidates_{};
};

/// The cheapest with its point prediction, times the margin, within the deadline.
[[nodiscard]] inline prepared_rule by_point(const bellamy::curve& runtimes, const held_out& target) {
    return {.decide = [known = configurations_under(runtimes, target)](double deadline_s, double margin) {
        auto answer = known.cheapest(deadline_s / margin, 0.5);
        answer.stated = std::numeric_limits<double>::quiet_NaN();
        return answer;
    }};
}

[[nodiscard]] inline rule_preparation learn_best(std::span<const bellamy::run> history, const std::string& algorithm,
                                                 const method_options& options) {
    const auto general = std::make_shared<const bellamy::model>(
        require(
            bellamy::pretrain(history, {.mode = bellamy::training_mode::best, .algorithm = algorithm, .seed = options.seed}))
            .model);
    return [general](std::span<const bellamy::run> observed, const held_out& target) {
        const auto runtimes = require(require(general->condition(observed)).bind(target.context()));
        const configurations_under known(runtimes, target);
        return std::optional(prepared_rule{
            .decide = [known](double deadline_s, double probability) { return known.cheapest(deadline_s, probability); },
            .state = [known](std::size_t choice, double deadline_s) { return known.probability(choice, deadline_s); }});
    };
}

[[nodiscard]] inline rule_preparation learn_paper(std::span<const bellamy::run> history, const std::string& algorithm,
                                                  const method_options& options) {
    const auto general =
        std::make_shared<const bellamy::model>(require(bellamy::pretrain(history, {.mode = bellamy::training_mode::paper,
                                                                                   .algorithm = algorithm,
                                                                                   .seed = options.seed,
                                                                                   .epochs = options.epochs,
                                                                                   .trials = options.trials}))
                                                   .model);
    return [general, seed = options.seed](std::span<const bellamy::run> observed, const held_out& target) {
        const auto tuned = require(bellamy::fine_tune(*general, observed, {.seed = seed}));
        return std::optional(by_point(require(tuned.model.bind(target.context())), target));
    };
}

[[nodiscard]] inline rule_preparation learn_ernest(std::span<const bellamy::run>, const std::string&,
                                                   const method_options&) {
    return [](std::span<const bellamy::run> observed, const held_out& target) -> std::optional<prepared_rule> {
        if (observed.empty()) return std::nullopt;
        return by_point(require(bellamy::baseline::ernest(observed)), target);
    };
}

/// Mean and standard deviation of truth minus prediction, in seconds.
struct residuals {
    double mean_s = 0;
    double deviation_s = 0;
};

/// Of boosting on contexts that it has not seen: five folds over the contexts of a history.
[[nodiscard]] inline residuals residuals_of_boosting(std::span<const bellamy::run> history, std::uint64_t seed) {
    constexpr std::size_t folds = 5;
    const auto contexts = bellamy::context_numbers(history);
    double sum = 0;
    double squares = 0;
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<bellamy::run> rest;
        for (std::size_t i = 0; i < history.size(); ++i)
            if (contexts[i] % folds != fold) rest.push_back(history[i]);
        if (rest.size() == history.size() || rest.empty()) continue;
        const boosting training(rest, seed);
        const auto trees = training.with({});
        for (std::size_t i = 0; i < history.size(); ++i) {
            if (contexts[i] % folds != fold) continue;
            const double off_s = history[i].runtime_s - trees(history[i].context, history[i].scale_out);
            sum += off_s;
            squares += off_s * off_s;
        }
    }
    const auto count = static_cast<double>(history.size());
    return {.mean_s = sum / count, .deviation_s = std::sqrt(squares / count - sum / count * sum / count)};
}

/// The smallest scale-out with prediction + mean + z deviations of the residuals within the deadline (Will et al. 2021).
[[nodiscard]] inline rule_answer smallest_within(std::span<const double> predicted_s, const residuals& errors,
                                                 double deadline_s, double z) {
    rule_answer answer;
    for (std::size_t i = 0; i < predicted_s.size(); ++i) {
        if (predicted_s[i] + errors.mean_s + z * errors.deviation_s <= deadline_s) return {.choice = i, .feasible = true};
        if (predicted_s[i] < predicted_s[answer.choice]) answer.choice = i;
    }
    return answer;
}

[[nodiscard]] inline rule_preparation learn_c3o(std::span<const bellamy::run> history, const std::string&,
                                                const method_options& options) {
    const auto training = std::make_shared<const boosting>(history, options.seed);
    const auto errors = residuals_of_boosting(history, options.seed);
    return [training, errors](std::span<const bellamy::run> observed, const held_out& target) {
        const auto trees = training->with(observed);
        std::vector<double> predicted_s;
        for (const auto& each : target.configurations()) predicted_s.push_back(trees(target.context(), each.scale_out));
        return std::optional(prepared_rule{.decide = [predicted_s, errors](double deadline_s, double z) {
            return smallest_within(predicted_s, errors, deadline_s, z);
        }});
    };
}

[[nodiscard]] inline rule_preparation learn_largest(std::span<const bellamy::run>, const std::string&,
                                                    const method_options&) {
    return [](std::span<const bellamy::run>, const held_out& target) {
        return std::optional(prepared_rule{.decide = [last = target.configurations().size() - 1](double, double) {
            return rule_answer{.choice = last, .feasible = true};
        }});
    };
}

}  // namespace rules

[[nodiscard]] inline std::vector<rule> all_rules() {
    const std::vector<double> margins{0.4,  0.5, 0.6, 0.7, 0.75, 0.8,  0.85, 0.9, 0.95, 0.97, 1, 1.03, 1.06, 1.1,
                                      1.15, 1.2, 1.3, 1.4, 1.5,  1.75, 2,    2.5, 3,    4,    6, 10,   30,   100};
    return {{.name = "best",
             .usual_setting = 0.9,
             .settings = {0.001, 0.01, 0.03, 0.1,  0.2,  0.3,  0.4,  0.5,  0.6,   0.7,   0.75,
                          0.8,   0.85, 0.9,  0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 0.9999},
             .learn = rules::learn_best},
            {.name = "paper", .usual_setting = 1, .settings = margins, .learn = rules::learn_paper},
            {.name = "ernest", .usual_setting = 1, .settings = margins, .learn = rules::learn_ernest},
            {.name = "c3o",
             .usual_setting = 1.2815515655446004,  // the 90 % quantile of a normal distribution
             .settings = {-3,  -2,  -1.5, -1,  -0.7, -0.5, -0.35, -0.2, -0.1, -0.05, 0, 0.05, 0.1,
                          0.2, 0.3, 0.4,  0.5, 0.7,  1,    1.3,   1.6,  2,    2.5,   3, 4,    6},
             .learn = rules::learn_c3o,
             .missing = boosting_missing},
            {.name = "largest", .usual_setting = 0, .settings = {0}, .learn = rules::learn_largest}};
}

/// Error: unknown_rule.
[[nodiscard]] inline std::vector<rule> find_rules(std::span<const std::string> names) {
    std::vector<rule> found;
    for (const auto& name : names) {
        const auto all = all_rules();
        const auto at = std::ranges::find(all, name, &rule::name);
        if (at == all.end()) {
            std::string known;
            for (const auto& each : all) known += (known.empty() ? "" : ", ") + each.name;
            throw tools::tool_error("unknown_rule", "expected one of " + known + ", found " + name);
        }
        found.push_back(*at);
    }
    return found;
}

}  // namespace bench

#endif
