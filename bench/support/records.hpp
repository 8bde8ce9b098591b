// The recorded runs that splits speak of: tables of the C3O experiments, and curves of the Bell data set.
#ifndef BELLAMY_BENCH_RECORDS_HPP
#define BELLAMY_BENCH_RECORDS_HPP

#include <bellamy/detail/base/random.hpp>

#include "../../examples/support/c3o_table.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The runs of one algorithm in the order of its table, and each run's context number.
struct record_table {
    std::vector<bellamy::run> runs{};
    /// Empty where all the runs are of one context, whatever number a split gives it.
    std::vector<std::uint32_t> contexts{};

    [[nodiscard]] bool has(std::size_t row, std::uint32_t context) const noexcept {
        return row < runs.size() && (contexts.empty() || contexts[row] == context);
    }

    /// The runs of all other contexts.
    [[nodiscard]] std::vector<bellamy::run> history_of(std::uint32_t context) const {
        std::vector<bellamy::run> history;
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (!has(i, context)) history.push_back(runs[i]);
        return history;
    }

    /// The runs of so many other contexts, chosen at random; of all where there are no more.
    [[nodiscard]] std::vector<bellamy::run> some_history_of(std::uint32_t context, std::size_t most,
                                                            std::uint64_t seed) const {
        auto others = contexts;
        std::ranges::sort(others);
        others.erase(std::unique(others.begin(), others.end()), others.end());
        std::erase(others, context);
        bellamy::detail::random_generator random(seed);
        random.shuffle(std::span(others));
        others.resize((std::min)(others.size(), most));
        std::vector<bellamy::run> history;
        for (std::size_t i = 0; i < contexts.size(); ++i)
            if (std::ranges::find(others, contexts[i]) != others.end()) history.push_back(runs[i]);
        return history;
    }
};

/// Where the tables are.
struct data_directories {
    std::string c3o{};   // <algorithm>.tsv
    std::string bell{};  // <name>.csv for the algorithm bell:<name>
};

/// A curve of the Bell data set: columns Nodes and Runtime, in milliseconds. Nothing else is known of its one context.
/// Errors: unknown_column, and those of `tools::read_runs`.
[[nodiscard]] inline record_table read_bell_records(const tools::table& from) {
    const auto nothing_known = [](const tools::table_row&, int) { return bellamy::context{}; };
    record_table table{.runs = tools::read_runs(from, "Nodes", "Runtime", nothing_known)};
    for (auto& each : table.runs) each.runtime_s /= 1000;
    return table;
}

/// Errors: those of `tools::read_table`, `tools::read_c3o_runs` and `read_bell_records`.
[[nodiscard]] inline record_table read_records(const data_directories& from, const std::string& algorithm) {
    constexpr std::string_view bell = "bell:";
    if (algorithm.starts_with(bell))
        return read_bell_records(tools::read_table(from.bell + "/" + algorithm.substr(bell.size()) + ".csv"));
    record_table table{.runs = tools::read_c3o_runs(tools::read_table(from.c3o + "/" + algorithm + ".tsv"), algorithm)};
    table.contexts = bellamy::context_numbers(table.runs);
    return table;
}

}  // namespace bench

#endif
