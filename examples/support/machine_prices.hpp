// Prices by machine type, and what an application would cost on each type, with executors of which size.
#ifndef BELLAMY_EXAMPLES_MACHINE_PRICES_HPP
#define BELLAMY_EXAMPLES_MACHINE_PRICES_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advised.hpp"
#include "arguments.hpp"

namespace tools {

/// A machine type as `--machine` names it. The price is of an hour of a unit of scale-out on it.
struct priced_machine {
    std::string name{};
    double price_per_hour = 0;
    /// Of an executor, where the type is new and has others than the present one.
    std::optional<std::uint64_t> cores{};
    std::optional<std::uint64_t> memory_mb{};
};

/// "m5.xlarge=0.2" or "m5.xlarge=0.2,cores=4,memory=16GB"; prices are > 0. Errors: wrong usage, duplicate_machine.
[[nodiscard]] std::vector<priced_machine> to_priced_machines(const std::vector<std::string>& texts, currency& money);

/// What an hour of a unit of scale-out costs.
struct price_list {
    /// On machine types that are not listed; 0 where not known.
    double otherwise = 0;
    std::vector<priced_machine> machines{};

    [[nodiscard]] bool is_empty() const { return !(otherwise > 0) && machines.empty(); }
    /// 0 where not known.
    [[nodiscard]] double of(std::string_view machine) const;
};

/// Error: unknown_machine for a listed type without cores and memory that no run of the history had.
void require_known_machines(const team_history& history, const price_list& prices);

/// The best size of an application on a machine type, by expected money or, without its price, by expected hours.
struct machine_choice {
    std::string name{};
    std::size_t runs = 0;  // of the history that had it
    /// The machine type and the executors of the last run that succeeded.
    bool is_present = false;
    /// On the present machine type with other executors than the present ones.
    bool has_other_executors = false;
    /// No run of the application tells: taken to be as fast as the present type, core for core where cores are known.
    bool is_as_fast_as_present = false;
    /// Executors have less memory for a core than now, no log tells the heap of executors with as many cores, and no run
    /// with so few of them had as much data: never the cheaper choice.
    bool may_lack_memory = false;
    /// "2 cores, 4096 MB": of an executor. Empty where executors of one size alone are compared.
    std::string executors{};
    /// Of the runs on this type, those that succeeded with such executors; empty as `executors` is.
    std::optional<std::size_t> runs_with_executors{};
    double price_per_hour = 0;  // 0 where not known
    /// Empty where no size meets the deadline with the required probability.
    std::optional<bellamy::assessment> chosen{};
    /// What to submit with. Empty where no size meets the deadline, or the history counts cores.
    std::optional<spark_size> size{};

    [[nodiscard]] double cost() const { return chosen ? chosen->expected_cost * price_per_hour : 0; }
};

/// The types that the application's runs had and those of the list, in this order, for the deadline of the advice. Where
/// its runs tell no types apart, the present one and those of the list that have cores or memory of their own, as fast as
/// it. Where executors are counted and runs on one type had several sizes of them, each type has the best of the sizes that
/// succeeded there and those that fit there, and the present type two choices: its present executors, and the best others.
/// A price is of the executors of the latest run on a type, or of those listed; others cost in proportion to the larger of
/// their shares of cores and memory. Empty without a price, with nothing to compare, or where runs had several types and
/// the advice rests on the tasks of one.
[[nodiscard]] std::vector<machine_choice> compare_machines(const application_history& of, const advice& made,
                                                           const price_list& prices);

/// Why `compared` has no other type than the application's own although the list has one; else empty.
[[nodiscard]] std::string why_not_compared(const std::vector<machine_choice>& compared, const application_history& of,
                                           const advice& made, const price_list& prices);

/// What a run costs on the present machine type with the size proposed there, or with the present one where none is; 0 where
/// the price is not known.
[[nodiscard]] double cost_as_proposed(const std::vector<machine_choice>& all, const advice& made);

/// The cheapest of those that meet the deadline, where it is not the present one and costs less than `cost_as_proposed`; on
/// the present type, less by more than the least saving. None where a price is not known, or where proposals stop.
[[nodiscard]] const machine_choice* cheaper_machine(const std::vector<machine_choice>& all, const advice& made);

/// "based on 12 runs there", "a guess from the other types: it never ran there, try it once".
[[nodiscard]] std::string basis_of(const machine_choice& one);

/// "r5.xlarge with 6 executors", "r5.xlarge with 6 executors x 2 cores, 4096 MB" where executors are compared.
[[nodiscard]] std::string describe(const machine_choice& one, std::string_view unit);

}  // namespace tools

#endif
