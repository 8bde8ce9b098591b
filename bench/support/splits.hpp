// The fixed splits of an evaluation: which runs are observed, and which one is to be predicted.
#ifndef BELLAMY_BENCH_SPLITS_HPP
#define BELLAMY_BENCH_SPLITS_HPP

#include "../../examples/support/parse.hpp"
#include "../../examples/support/table.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace bench {

struct split {
    std::string algorithm{};
    int context = 0;
    int k = 0;
    std::string mode{};  // zero, interp or extrap
    int seed = 0;
    std::vector<std::size_t> train_rows{};
    std::size_t test_row = 0;
};

/// The numbers in "4;17;9".
[[nodiscard]] inline std::vector<std::size_t> to_rows(std::string_view cell, const std::string& where) {
    std::vector<std::size_t> rows;
    while (!cell.empty()) {
        const auto end = (std::min)(cell.find(';'), cell.size());
        rows.push_back(static_cast<std::size_t>(tools::to_natural(cell.substr(0, end), where)));
        cell.remove_prefix((std::min)(end + 1, cell.size()));
    }
    return rows;
}

/// Columns algorithm, context, k, mode, seed, train_rows (0-based rows separated by ';'), test_row.
/// Errors: those of `tools::read_table`, unknown_column, not_a_number.
[[nodiscard]] inline std::vector<split> read_splits(const std::string& path) {
    const auto from = tools::read_table(path);
    std::vector<split> splits;
    const auto number = [&](const tools::table_row& row, std::string_view name) {
        const auto column = from.column(name);
        return tools::to_whole(row.cells[column], from.where(row, column));
    };
    for (const auto& row : from.rows) {
        const auto rows = from.column("train_rows");
        splits.push_back({.algorithm = row.cells[from.column("algorithm")],
                          .context = number(row, "context"),
                          .k = number(row, "k"),
                          .mode = row.cells[from.column("mode")],
                          .seed = number(row, "seed"),
                          .train_rows = to_rows(row.cells[rows], from.where(row, rows)),
                          .test_row = static_cast<std::size_t>(number(row, "test_row"))});
    }
    return splits;
}

}  // namespace bench

#endif
