// The methods under comparison, each as two steps: learn from other contexts, then answer from the observed runs.
#ifndef BELLAMY_BENCH_METHODS_HPP
#define BELLAMY_BENCH_METHODS_HPP

#include <bellamy/baseline/bell.hpp>
#include <bellamy/baseline/nearest.hpp>
#include <bellamy/bellamy.hpp>

#include "../../examples/support/tool_error.hpp"

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
    bool needs_history = false;
    learner learn{};
};

template <class Value>
[[nodiscard]] Value require(bellamy::result<Value> answer) {
    if (!answer) throw tools::tool_error(to_string(answer.error().code()), std::string(answer.error().message()));
    return *std::move(answer);
}

/// The published network, or the same in log mode.
template <bellamy::training_mode Mode>
[[nodiscard]] predictor learn_network(std::span<const bellamy::run> history, const std::string& algorithm,
                                      const method_options& options) {
    const auto general =
        std::make_shared<const bellamy::model>(require(bellamy::pretrain(history, {.mode = Mode,
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

[[nodiscard]] inline predictor learn_best(std::span<const bellamy::run> history, const std::string& algorithm,
                                          const method_options& options) {
    const auto general = std::make_shared<const bellamy::model>(
        require(
            bellamy::pretrain(history, {.mode = bellamy::training_mode::best, .algorithm = algorithm, .seed = options.seed}))
            .model);
    return [general](std::span<const bellamy::run> observed, const question& asked, std::uint64_t) {
        return std::optional(require(require(general->condition(observed)).bind(asked.context)).at(asked.scale_out));
    };
}

[[nodiscard]] inline predictor learn_local(std::span<const bellamy::run>, const std::string&, const method_options&) {
    return [](std::span<const bellamy::run> observed, const question& asked,
              std::uint64_t seed) -> std::optional<bellamy::prediction> {
        if (observed.empty()) return std::nullopt;
        const auto tuned = require(bellamy::fit_local(observed, {.seed = seed}));
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
    return {{.name = "best", .needs_history = true, .learn = learn_best},
            {.name = "paper", .needs_history = true, .learn = learn_network<bellamy::training_mode::paper>},
            {.name = "network-log", .needs_history = true, .learn = learn_network<bellamy::training_mode::network_log>},
            {.name = "local", .learn = learn_local},
            {.name = "ernest", .learn = baseline(bellamy::baseline::ernest)},
            {.name = "bell", .learn = baseline(bellamy::baseline::bell)},
            {.name = "nearest", .learn = baseline(bellamy::baseline::nearest)}};
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
