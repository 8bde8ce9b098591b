// Runs of a grid with what their clusters cost, and limits that are asked for.
#ifndef BELLAMY_BENCH_PRICED_GRID_HPP
#define BELLAMY_BENCH_PRICED_GRID_HPP

#include "grid_splits.hpp"

namespace bench {

/// A run of a grid, with what its cluster costs.
struct priced_run {
    bellamy::run run{};
    double price_per_s = 0;

    [[nodiscard]] double cost() const noexcept { return price_per_s * run.runtime_s; }
    [[nodiscard]] bool is_among(std::span<const bellamy::run> known) const {
        return std::ranges::any_of(known, [&](const bellamy::run& other) {
            return other.context == run.context && other.scale_out == run.scale_out;
        });
    }
    [[nodiscard]] double ended_after_s() const noexcept {
        return run.censored ? std::numeric_limits<double>::infinity() : run.runtime_s;
    }
    [[nodiscard]] bool ends_within(double limit_s) const noexcept { return !run.censored && run.runtime_s <= limit_s; }
};

/// Price of a node for an hour by machine type. Errors: unknown_column, and those of the cells' numbers.
[[nodiscard]] inline std::map<std::string, double> read_node_prices(const tools::table& from) {
    const auto machine = from.column("machine_type");
    const auto price = from.column("price_per_node_hour");
    std::map<std::string, double> prices;
    for (const auto& row : from.rows) prices[row.cells[machine]] = tools::to_real(row.cells[price], from.where(row, price));
    return prices;
}

/// Limits that are asked for: over the fastest run, the median of all runs, and none.
enum class grid_limit { near_fastest, median, none };
inline constexpr std::array all_grid_limits{grid_limit::near_fastest, grid_limit::median, grid_limit::none};
inline constexpr std::array<const char*, all_grid_limits.size()> grid_limit_names{"1.2 x fastest", "median", "no limit"};

[[nodiscard]] inline double limit_of(grid_limit limit, std::span<const priced_run> runs) {
    if (limit == grid_limit::none) return std::numeric_limits<double>::infinity();
    std::vector<double> runtimes;
    for (const auto& priced : runs) runtimes.push_back(priced.ended_after_s());
    std::ranges::sort(runtimes);
    return limit == grid_limit::near_fastest ? 1.2 * runtimes.front() : runtimes[runtimes.size() / 2];
}

}  // namespace bench

#endif
