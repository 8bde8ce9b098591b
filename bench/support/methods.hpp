// The methods under comparison, each as two steps: learn from other contexts, then answer from the observed runs.
#ifndef BELLAMY_BENCH_METHODS_HPP
#define BELLAMY_BENCH_METHODS_HPP

#include <bellamy/bellamy.hpp>
#include <bellamy/detail/blend/blend.hpp>

#include "../../examples/support/tool_error.hpp"
#include "baselines.hpp"
#include "boosting.hpp"
#include "fit_experts.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// What is to be predicted; deliberately without a runtime.
struct question {
    const bellamy::context& context;
    int scale_out = 0;
};

/// Answers from the observed runs of the question's context; nothing where the method cannot answer.
using predictor = std::function<std::optional<bellamy::prediction>(std::span<const bellamy::run> observed,
                                                                   const question& asked, std::uint64_t seed)>;

struct method_options {
    std::uint64_t seed = 0;
    int trials = 12;
    int epochs = 2500;
    /// Cancels by returning false.
    bellamy::progress_callback progress{};
};

/// Learns from the runs of the other contexts.
using learner =
    std::function<predictor(std::span<const bellamy::run> history, const std::string& algorithm, const method_options&)>;

struct method {
    std::string name{};
    /// It cannot answer without runs of other contexts.
    bool needs_history = false;
    learner learn{};
    /// Why this build does not have it; empty where it does.
    std::string_view missing{};
};

template <class Value>
[[nodiscard]] Value require(bellamy::result<Value> answer) {
    if (!answer) throw tools::tool_error(to_string(answer.error().code()), std::string(answer.error().message()));
    return *std::move(answer);
}

/// The published network.
[[nodiscard]] inline predictor learn_network(std::span<const bellamy::run> history, const std::string& algorithm,
                                             const method_options& options) {
    const auto general =
        std::make_shared<const bellamy::model>(require(bellamy::pretrain(history, {.mode = bellamy::training_mode::paper,
                                                                                   .algorithm = algorithm,
                                                                                   .seed = options.seed,
                                                                                   .epochs = options.epochs,
                                                                                   .trials = options.trials,
                                                                                   .progress = options.progress}))
                                                   .model);
    return [general](std::span<const bellamy::run> observed, const question& asked, std::uint64_t seed) {
        const auto tuned = require(bellamy::fine_tune(*general, observed, {.seed = seed}));
        return std::optional(require(tuned.model.bind(asked.context)).at(asked.scale_out));
    };
}

// Prediction of a curve made from quantiles. `asked` is one of its scale-outs, so nothing is interpolated.
[[nodiscard]] inline bellamy::prediction at(const bellamy::detail::blend_curve& runtimes, int asked) {
    return bellamy::curve(runtimes, {.smallest = asked, .largest = asked}).at(asked);
}

// The best mode of a job without history: from the shapes that other jobs' curves have.
[[nodiscard]] inline predictor learn_shapes(const std::string& algorithm) {
    return [algorithm](std::span<const bellamy::run> observed, const question& asked, std::uint64_t) {
        const auto blank = require(bellamy::cold_start(asked.context, algorithm));
        return std::optional(require(require(blank.condition(observed)).bind(asked.context)).at(asked.scale_out));
    };
}

[[nodiscard]] inline predictor learn_best(std::span<const bellamy::run> history, const std::string& algorithm,
                                          const method_options& options) {
    if (history.empty()) return learn_shapes(algorithm);
    const auto general = std::make_shared<const bellamy::model>(
        require(
            bellamy::pretrain(history, {.mode = bellamy::training_mode::best, .algorithm = algorithm, .seed = options.seed}))
            .model);
    return [general](std::span<const bellamy::run> observed, const question& asked, std::uint64_t) {
        return std::optional(require(require(general->condition(observed)).bind(asked.context)).at(asked.scale_out));
    };
}

/// The same by `learn` as runs arrive: pre-trained on half of the history, with three, four and five fifths of it learned.
[[nodiscard]] inline predictor learn_arriving(std::span<const bellamy::run> history, const std::string& algorithm,
                                              const method_options& options) {
    const auto half = bellamy::pretrain(history.first(history.size() / 2), {.algorithm = algorithm, .seed = options.seed});
    if (!half) return learn_best(history, algorithm, options);
    auto now = half->model;
    for (const std::size_t fifths : {3U, 4U, 5U})
        now = require(bellamy::learn(now, history.first(history.size() * fifths / 5)));
    return [now](std::span<const bellamy::run> observed, const question& asked, std::uint64_t) {
        return std::optional(require(require(now.condition(observed)).bind(asked.context)).at(asked.scale_out));
    };
}

/// Some of the best mode's experts, by themselves.
[[nodiscard]] inline learner experts(bellamy::detail::by_expert<bool> taking_part) {
    return [taking_part](std::span<const bellamy::run> history, const std::string&,
                         const method_options& options) -> predictor {
        const auto blend =
            std::make_shared<const bellamy::detail::fitted_blend>(fit_experts(history, taking_part, options.seed));
        return [blend](std::span<const bellamy::run> observed, const question& asked, std::uint64_t) {
            return std::optional(at(blend->bind(asked.context, observed), asked.scale_out));
        };
    };
}

/// Trained anew for every set of observed runs: that is all it can do with them.
[[nodiscard]] inline predictor learn_boosting(std::span<const bellamy::run> history, const std::string&,
                                              const method_options& options) {
    const auto training = std::make_shared<const boosting>(history, options.seed);
    return [training](std::span<const bellamy::run> observed, const question& asked, std::uint64_t) {
        const auto runtime_s = training->with(observed)(asked.context, asked.scale_out);
        return std::optional(
            bellamy::prediction{.median_s = runtime_s, .observed_runs = static_cast<std::uint32_t>(observed.size())});
    };
}

[[nodiscard]] inline predictor learn_local(std::span<const bellamy::run>, const std::string&, const method_options&) {
    return [](std::span<const bellamy::run> observed, const question& asked,
              std::uint64_t seed) -> std::optional<bellamy::prediction> {
        if (observed.empty()) return std::nullopt;
        const bellamy::network<> nothing_learned(observed.front().context.essential.size());
        const bellamy::model general(require(bellamy::schema_of(observed)), {}, nothing_learned);
        const auto tuned =
            require(bellamy::fine_tune(general, observed, {.strategy = bellamy::reuse_strategy::local, .seed = seed}));
        return require(tuned.model.bind(asked.context)).at(asked.scale_out);
    };
}

/// A method that needs nothing but the observed runs.
template <class Fit>
[[nodiscard]] learner baseline(Fit fit) {
    return [fit](std::span<const bellamy::run>, const std::string&, const method_options&) -> predictor {
        return [fit](std::span<const bellamy::run> observed, const question& asked,
                     std::uint64_t) -> std::optional<bellamy::prediction> {
            if (observed.empty()) return std::nullopt;
            return require(fit(observed)).at(asked.scale_out);
        };
    };
}

[[nodiscard]] inline std::vector<method> all_methods() {
    return {{.name = "best", .learn = learn_best},
            {.name = "gp", .needs_history = true, .learn = experts({true, true, false})},
            {.name = "eb", .needs_history = true, .learn = experts({false, false, true})},
            {.name = "boosting", .needs_history = true, .learn = learn_boosting, .missing = boosting_missing},
            {.name = "paper", .needs_history = true, .learn = learn_network},
            {.name = "local", .learn = learn_local},
            {.name = "ernest", .learn = baseline(bellamy::baseline::ernest)},
            {.name = "bell", .learn = baseline(bench::bell)},
            {.name = "nearest", .learn = baseline(bench::nearest)}};
}

/// Error: unknown_method.
[[nodiscard]] inline std::vector<method> find_methods(std::span<const std::string> names) {
    std::vector<method> found;
    for (const auto& name : names) {
        const auto all = all_methods();
        const auto at = std::ranges::find(all, name, &method::name);
        if (at == all.end()) {
            std::string known;
            for (const auto& each : all) known += (known.empty() ? "" : ", ") + each.name;
            throw tools::tool_error("unknown_method", "expected one of " + known + ", found " + name);
        }
        found.push_back(*at);
    }
    return found;
}

}  // namespace bench

#endif
