// Prints what became of past proposals, by application and of all together.
#ifndef BELLAMY_EXAMPLES_LEDGER_TEXT_HPP
#define BELLAMY_EXAMPLES_LEDGER_TEXT_HPP

#include <fmt/format.h>

#include <string>
#include <vector>

#include "advised.hpp"
#include "printable.hpp"
#include "units.hpp"

namespace tools {

[[nodiscard]] inline ledger_sums sums_of(const std::vector<advised>& all) {
    ledger_sums together;
    for (const auto& one : all)
        if (one.past) together.add(one.past->sums);
    return together;
}

/// The sums in words; with a price of an hour of a unit above 0 in money, too.
[[nodiscard]] inline std::string worth_of(const ledger_sums& sums, bellamy::scale_out_unit unit,
                                          const money& price_per_hour) {
    auto text = describe(sums, to_string(unit));
    if (price_per_hour.amount > 0 && sums.changed > 0)
        text += ", " + to_text({sums.saved() * price_per_hour.amount, price_per_hour.currency});
    return text;
}

/// Precondition: all have what became of their proposals, and there is an application.
inline void print_ledger(const std::vector<advised>& all, const money& price_per_hour) {
    fmt::print("\n");
    for (const auto& one : all)
        if (one.past->sums.proposals > 0)
            fmt::print("past of {}: {}\n", printable(one.of->name),
                       worth_of(one.past->sums, last_complete(one).context.unit, price_per_hour));
    fmt::print("past of all: {}\n", worth_of(sums_of(all), last_complete(all.front()).context.unit, price_per_hour));
}

}  // namespace tools

#endif
