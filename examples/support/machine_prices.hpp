// Prices by machine type, and what an application would cost on each type.
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
    bool is_present = false;
    /// No run of the application tells: taken to be as fast as the present type, core for core where cores are known.
    bool is_as_fast_as_present = false;
    /// Executors have less memory there (per core, where they have fewer), and no log tells the heap: never the cheaper
    /// type.
    bool may_lack_memory = false;
    double price_per_hour = 0;  // 0 where not known
    /// Empty where no size meets the deadline with the required probability.
    std::optional<bellamy::assessment> chosen{};
    /// What to submit with: each executor as in the latest run on this type, or as listed. Empty where no size meets the
    /// deadline, or the history counts cores.
    std::optional<spark_size> size{};

    [[nodiscard]] double cost() const { return chosen ? chosen->expected_cost * price_per_hour : 0; }
};

/// The types that the application's runs had and those of the list, in this order, for the deadline of the advice. Where
/// its runs tell no types apart, the present one and those of the list that have cores or memory of their own, as fast as
/// it. Empty without a price, without such types, or where runs had several types and the advice rests on the tasks of one.
[[nodiscard]] std::vector<machine_choice> compare_machines(const application_history& of, const advice& made,
                                                           const price_list& prices);

/// Why `compared` is empty although the list has another type than the application's own; else empty.
[[nodiscard]] std::string why_not_compared(const std::vector<machine_choice>& compared, const application_history& of,
                                           const advice& made, const price_list& prices);

/// The cheapest of those that meet the deadline, where it is another type than the present one and costs less than the size
/// proposed there, or than the present size where none is; none where a price is not known, or where proposals stop.
[[nodiscard]] const machine_choice* cheaper_machine(const std::vector<machine_choice>& all, const advice& made);

/// "based on 12 runs there", "a guess from the other types: it never ran there, try it once".
[[nodiscard]] std::string basis_of(const machine_choice& one);

/// "r5.xlarge with 6 executors".
[[nodiscard]] std::string describe(const machine_choice& one, std::string_view unit);

}  // namespace tools

#endif
