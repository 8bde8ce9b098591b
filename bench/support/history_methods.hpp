// The methods of bench/histories, and running them over its cases.
#ifndef BELLAMY_BENCH_HISTORY_METHODS_HPP
#define BELLAMY_BENCH_HISTORY_METHODS_HPP

#include <bellamy/detail/base/parallel.hpp>

#include <mutex>

#include "growth_lines.hpp"
#include "methods.hpp"

namespace bench {

[[nodiscard]] inline std::vector<bellamy::run> joined(std::span<const bellamy::run> history,
                                                      std::span<const bellamy::run> observed) {
    std::vector<bellamy::run> all(history.begin(), history.end());
    all.insert(all.end(), observed.begin(), observed.end());
    return all;
}

/// A line through history and observed runs alike. `Fit` makes something that gives seconds for a context and a scale-out.
template <class Fit>
[[nodiscard]] learner line(Fit fit) {
    return [fit](std::span<const bellamy::run> history, const std::string&, const method_options&) -> predictor {
        const auto kept = std::make_shared<const std::vector<bellamy::run>>(history.begin(), history.end());
        const auto alone = fit(*kept);
        return [fit, kept, alone](std::span<const bellamy::run> observed, const question& asked, std::uint64_t) {
            const auto fitted = observed.empty() ? alone : fit(joined(*kept, observed));
            return std::optional(bellamy::prediction{.median_s = fitted(asked.context, asked.scale_out)});
        };
    };
}

/// Best mode, pre-trained and learned as runs arrive, size-aware Ernest, log-linear, work over units, and boosting.
[[nodiscard]] inline std::vector<method> history_methods() {
    const auto law = [](growth_columns columns) {
        return line([columns](const std::vector<bellamy::run>& runs) { return fitted_law(columns, runs); });
    };
    return {{.name = "best", .learn = learn_best},
            {.name = "arriving", .learn = learn_arriving},
            {.name = "ernest", .learn = law(ernest_columns)},
            {.name = "log-linear", .learn = line([](const std::vector<bellamy::run>& runs) { return log_linear(runs); })},
            {.name = "work", .learn = law(work_columns)},
            {.name = "boosting", .learn = learn_boosting, .missing = boosting_missing}};
}

/// Every method's answers to cases of one history, and those of the true law's form where it is known.
[[nodiscard]] inline std::vector<history_outcome> answer(std::span<const history_case> cases,
                                                         std::span<const method> methods, const method_options& options) {
    std::vector<history_outcome> outcomes;
    const auto ask = [&](const std::string& name, const predictor& predict) {
        for (const auto& each : cases)
            for (const auto& test : each.tests)
                outcomes.push_back(
                    {.part = each.part,
                     .group = each.group,
                     .method = name,
                     .median_s = test.median_s,
                     .runtime_s = test.of.runtime_s,
                     .predicted = *predict(each.observed, {.context = test.of.context, .scale_out = test.of.scale_out},
                                           options.seed)});
    };
    const auto& history = *cases.front().history;
    for (const auto& each : methods) ask(each.name, each.learn(history, "", options));
    if (const auto columns = cases.front().truth; columns != nullptr)
        ask("true form", line([columns](const std::vector<bellamy::run>& runs) { return fitted_law(columns, runs); })(
                             history, "", options));
    return outcomes;
}

/// The same for all cases, those of one history together, on several threads; `done(finished, total)` is called after each.
template <class Done>
[[nodiscard]] std::vector<history_outcome> answer_all(std::span<const history_case> cases, std::span<const method> methods,
                                                      const method_options& options, std::size_t threads, const Done& done) {
    std::vector<std::span<const history_case>> groups;
    for (std::size_t first = 0; first < cases.size();) {
        std::size_t last = first;
        while (last < cases.size() && cases[last].history == cases[first].history) ++last;
        groups.push_back(cases.subspan(first, last - first));
        first = last;
    }
    std::vector<std::vector<history_outcome>> parts(groups.size());
    std::mutex guard;
    std::size_t finished = 0;
    bellamy::detail::for_each_index(groups.size(), threads, [&](std::size_t i) {
        parts[i] = answer(groups[i], methods, options);
        const std::lock_guard lock(guard);
        done(++finished, groups.size());
    });
    std::vector<history_outcome> all;
    for (auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace bench

#endif
