// Paired comparison of two sets of predictions of the same splits.
#ifndef BELLAMY_BENCH_COMPARISON_HPP
#define BELLAMY_BENCH_COMPARISON_HPP

#include "../../examples/support/parse.hpp"
#include "../../examples/support/table.hpp"
#include "summary.hpp"

#include <cmath>
#include <map>
#include <optional>

namespace bench {

/// The columns that identify a split, and the draw of its history where there is one, as one text.
[[nodiscard]] inline std::string split_key(const tools::table& from, const tools::table_row& row) {
    std::string key;
    for (const auto* name : {"algorithm", "context", "k", "mode", "seed", "test_row"})
        key += row.cells[from.column(name)] + ",";
    if (const auto draw = from.find("draw")) key += row.cells[*draw];
    return key;
}

struct paired_values {
    values_by_context difference{};  // of relative errors: ours minus theirs
    std::vector<double> ours{};
    std::vector<double> theirs{};
    std::size_t closer = 0;
};

/// Our predictions of one method against one column of another table, over the splits of one cell that both have.
[[nodiscard]] inline paired_values pair_up(const tools::table& ours, const std::string& method, const tools::table& theirs,
                                           const std::string& column, const cell& where) {
    const auto real = [](const tools::table& from, const tools::table_row& row, std::string_view name) {
        const auto at = from.column(name);
        return tools::to_real(row.cells[at], from.where(row, at));
    };
    std::map<std::string, double> predicted;
    for (const auto& row : theirs.rows)
        if (!row.cells[theirs.column(column)].empty()) predicted[split_key(theirs, row)] = real(theirs, row, column);

    paired_values pairs;
    for (const auto& row : ours.rows) {
        if (row.cells[ours.column("method")] != method) continue;
        const auto k = static_cast<int>(real(ours, row, "k"));
        const auto at = predicted.find(split_key(ours, row));
        if (at == predicted.end() || !where.contains(k, row.cells[ours.column("mode")])) continue;
        const double truth = real(ours, row, "truth_s");
        const double our_error = std::abs(real(ours, row, "predicted_s") - truth) / truth;
        const double their_error = std::abs(at->second - truth) / truth;
        const auto context = row.cells[ours.column("algorithm")] + " " + row.cells[ours.column("context")];
        pairs.difference[context].push_back(our_error - their_error);
        pairs.ours.push_back(our_error);
        pairs.theirs.push_back(their_error);
        if (our_error < their_error) ++pairs.closer;
    }
    return pairs;
}

}  // namespace bench

#endif
