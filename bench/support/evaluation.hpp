// Runs methods over splits. A prediction sees the runs of other contexts and the split's observed runs, nothing else.
#ifndef BELLAMY_BENCH_EVALUATION_HPP
#define BELLAMY_BENCH_EVALUATION_HPP

#include "methods.hpp"
#include "records.hpp"
#include "splits.hpp"

#include <bellamy/detail/base/parallel.hpp>

#include <map>
#include <mutex>

namespace bench {

/// One prediction next to the truth.
struct outcome {
    const split* of = nullptr;
    std::string method{};
    double truth_s = 0;
    bellamy::prediction predicted{};
    /// Which of the thinned histories it rests on.
    std::size_t draw = 0;
};

/// Only so many other contexts as history (0: all of them), chosen at random as often as there are draws.
struct thinning {
    std::size_t contexts = 0;
    std::size_t draws = 1;
};

/// All splits of one target context.
struct target {
    std::string algorithm{};
    std::uint32_t context = 0;
    std::vector<const split*> splits{};
};

/// Splits by target context. Error: wrong_split where a row does not exist or belongs to another context.
[[nodiscard]] inline std::vector<target> group(std::span<const split> splits,
                                               const std::map<std::string, record_table>& records) {
    std::map<std::pair<std::string, std::uint32_t>, target> targets;
    for (const auto& each : splits) {
        const auto& table = records.at(each.algorithm);
        const auto context = static_cast<std::uint32_t>(each.context);
        auto rows = each.train_rows;
        rows.push_back(each.test_row);
        for (const auto row : rows)
            if (!table.has(row, context))
                throw tools::tool_error("wrong_split", fmt::format("expected rows of context {} of {}, found row {}",
                                                                   each.context, each.algorithm, row));
        auto& found = targets[{each.algorithm, context}];
        found.algorithm = each.algorithm;
        found.context = context;
        found.splits.push_back(&each);
    }
    std::vector<target> all;
    for (auto& [key, value] : targets) all.push_back(std::move(value));
    return all;
}

/// The predictions of every method for one target context, where the method can answer.
[[nodiscard]] inline std::vector<outcome> evaluate(const target& subject, const record_table& records,
                                                   std::span<const method> methods, const method_options& options,
                                                   const thinning& thinned = {}, std::size_t draw = 0) {
    const auto history = thinned.contexts > 0
                             ? records.some_history_of(subject.context, thinned.contexts, options.seed + draw)
                             : records.history_of(subject.context);
    std::vector<outcome> outcomes;
    for (const auto& each : methods) {
        if (each.needs_history && history.empty()) continue;
        const auto predict = each.learn(history, subject.algorithm, options);
        for (const auto* one : subject.splits) {
            std::vector<bellamy::run> observed;
            for (const auto row : one->train_rows) observed.push_back(records.runs[row]);
            const auto& tested = records.runs[one->test_row];
            const auto predicted = predict(observed, {.context = tested.context, .scale_out = tested.scale_out},
                                           options.seed + static_cast<unsigned>(one->seed));
            if (!predicted) continue;
            outcomes.push_back(
                {.of = one, .method = each.name, .truth_s = tested.runtime_s, .predicted = *predicted, .draw = draw});
        }
    }
    return outcomes;
}

/// The same for all target contexts and draws, on several threads; `done(finished, total)` is called after each.
template <class Done>
[[nodiscard]] std::vector<outcome> evaluate_all(std::span<const target> targets,
                                                const std::map<std::string, record_table>& records,
                                                std::span<const method> methods, const method_options& options,
                                                std::size_t threads, const Done& done, const thinning& thinned = {}) {
    std::vector<std::vector<outcome>> parts(targets.size() * thinned.draws);
    std::mutex guard;
    std::size_t finished = 0;
    bellamy::detail::for_each_index(parts.size(), threads, [&](std::size_t i) {
        const auto& subject = targets[i % targets.size()];
        parts[i] = evaluate(subject, records.at(subject.algorithm), methods, options, thinned, i / targets.size());
        const std::lock_guard lock(guard);
        done(++finished, parts.size());
    });
    std::vector<outcome> all;
    for (auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace bench

#endif
