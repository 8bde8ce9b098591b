// Runs methods over splits. A prediction sees the runs of other contexts and the split's observed runs, nothing else.
#ifndef BELLAMY_BENCH_EVALUATION_HPP
#define BELLAMY_BENCH_EVALUATION_HPP

#include "../../examples/support/c3o_table.hpp"
#include "methods.hpp"
#include "splits.hpp"

#include <bellamy/detail/parallel.hpp>

#include <map>
#include <mutex>

namespace bench {

/// The runs of one algorithm in the order of its table, and each run's context number.
struct record_table {
    std::vector<bellamy::run> runs{};
    std::vector<std::uint32_t> contexts{};
};

/// DIR/<algorithm>.tsv. Errors: those of `tools::read_table` and `tools::read_c3o_runs`.
[[nodiscard]] inline record_table read_records(const std::string& directory, const std::string& algorithm) {
    record_table table{.runs = tools::read_c3o_runs(tools::read_table(directory + "/" + algorithm + ".tsv"), algorithm)};
    table.contexts = bellamy::context_numbers(table.runs);
    return table;
}

/// One prediction next to the truth.
struct outcome {
    const split* of = nullptr;
    std::string method{};
    double truth_s = 0;
    bellamy::prediction predicted{};
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
            if (row >= table.runs.size() || table.contexts[row] != context)
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

/// The predictions of every method for one target context.
[[nodiscard]] inline std::vector<outcome> evaluate(const target& subject, const record_table& records,
                                                   std::span<const method> methods, const method_options& options) {
    std::vector<bellamy::run> history;
    for (std::size_t i = 0; i < records.runs.size(); ++i)
        if (records.contexts[i] != subject.context) history.push_back(records.runs[i]);

    std::vector<outcome> outcomes;
    for (const auto& each : methods) {
        const auto predict = each.learn(history, subject.algorithm, options);
        for (const auto* one : subject.splits) {
            std::vector<bellamy::run> observed;
            for (const auto row : one->train_rows) observed.push_back(records.runs[row]);
            const auto& tested = records.runs[one->test_row];
            const auto predicted = predict(observed, {.context = tested.context, .scale_out = tested.scale_out},
                                           options.seed + static_cast<unsigned>(one->seed));
            if (!predicted) continue;
            outcomes.push_back({.of = one, .method = each.name, .truth_s = tested.runtime_s, .predicted = *predicted});
        }
    }
    return outcomes;
}

/// The same for all target contexts, on several threads; `done(finished, total)` is called after each.
template <class Done>
[[nodiscard]] std::vector<outcome> evaluate_all(std::span<const target> targets,
                                                const std::map<std::string, record_table>& records,
                                                std::span<const method> methods, const method_options& options,
                                                std::size_t threads, const Done& done) {
    std::vector<std::vector<outcome>> parts(targets.size());
    std::mutex guard;
    std::size_t finished = 0;
    bellamy::detail::for_each_index(targets.size(), threads, [&](std::size_t i) {
        parts[i] = evaluate(targets[i], records.at(targets[i].algorithm), methods, options);
        const std::lock_guard lock(guard);
        done(++finished, targets.size());
    });
    std::vector<outcome> all;
    for (auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace bench

#endif
