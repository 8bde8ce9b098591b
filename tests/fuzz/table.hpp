// Any bytes as the table of runs that the example tools read.
#ifndef BELLAMY_TESTS_FUZZ_TABLE_HPP
#define BELLAMY_TESTS_FUZZ_TABLE_HPP

#include "../../examples/support/c3o_table.hpp"
#include "input.hpp"

namespace fuzz {

inline void require_valid(const std::vector<bellamy::run>& runs, std::size_t rows) {
    require(runs.size() == rows, "every row is a run");
    for (const auto& each : runs) require(bellamy::validate(each).has_value(), "what was read is valid");
}

inline void try_table(bytes all) {
    const std::string contents(all.begin(), all.end());
    tools::table read;
    try {
        read = tools::parse_table(contents, "made-up.tsv");
    } catch (const tools::tool_error&) {
        return;
    }
    for (const auto& row : read.rows) {
        require(row.cells.size() == read.columns.size(), "every row has as many cells as there are columns");
        require(row.line >= 1 && row.line <= 1 + tools::detail::count_lines(contents), "a row lies within the file");
    }
    for (const char* algorithm : {"grep", "kmeans"}) {
        try {
            require_valid(tools::read_c3o_runs(read, algorithm), read.rows.size());
        } catch (const tools::tool_error&) {
        }
    }
    (void)tools::unused_c3o_columns(read);
    if (read.columns.size() < 3) return;

    // The columns in their order: scale-out, runtime, then properties of each kind in turn.
    tools::table_layout layout{.scale_out = read.columns[0], .runtime_s = read.columns[1]};
    for (std::size_t i = 2; i < read.columns.size(); ++i) {
        const auto& name = read.columns[i];
        (i % 2 == 0 ? layout.essential : layout.optional).push_back(name);
        if (i % 3 == 0) layout.natural.push_back(name);
        if (i % 3 == 1) layout.quantity.push_back(name);
        if (i % 5 == 3) layout.scaling.push_back(name);
    }
    layout.roles[read.columns[2]] = bellamy::property_role::machine_type;
    try {
        require_valid(tools::read_runs(read, layout), read.rows.size());
    } catch (const tools::tool_error&) {
    }
}

}  // namespace fuzz

#endif
