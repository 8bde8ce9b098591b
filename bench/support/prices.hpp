// What an hour of a machine costs, by its type.
#ifndef BELLAMY_BENCH_PRICES_HPP
#define BELLAMY_BENCH_PRICES_HPP

#include <bellamy/price.hpp>
#include <bellamy/run.hpp>

#include <map>
#include <string>

#include "../../examples/support/parse.hpp"
#include "../../examples/support/table.hpp"

namespace bench {

/// Price per machine and hour.
using price_table = std::map<std::string, double, std::less<>>;

/// Amazon EC2, on demand, Linux, us-east-1, in US dollars (aws.amazon.com/ec2/pricing/on-demand), without EMR's surcharge:
/// the machine types of the C3O experiments.
[[nodiscard]] inline price_table usual_prices() {
    return {{"c4.2xlarge", 0.398}, {"m4.2xlarge", 0.4}, {"r4.2xlarge", 0.532}, {"r4.xlarge", 0.266}};
}

/// Columns machine_type and price_per_hour.
/// Errors: those of `tools::read_table`, unknown_column, not_a_number, invalid_price, duplicate_machine_type.
[[nodiscard]] inline price_table read_prices(const std::string& path) {
    const auto from = tools::read_table(path);
    const auto type = from.column("machine_type");
    const auto hourly = from.column("price_per_hour");
    price_table prices;
    for (const auto& row : from.rows) {
        const auto where = from.where(row, hourly);
        const double value = tools::to_real(row.cells[hourly], where);
        if (const auto valid = bellamy::validate(bellamy::price{.per_unit_and_hour = value}); !valid)
            throw tools::tool_error("invalid_price", fmt::format("{}: {}", where, valid.error().message()));
        if (!prices.try_emplace(row.cells[type], value).second)
            throw tools::tool_error(
                "duplicate_machine_type",
                fmt::format("expected every machine type of {} once, found {} twice", path, row.cells[type]));
    }
    return prices;
}

/// The price of a context's machines. Error: unknown_machine_type.
[[nodiscard]] inline bellamy::price price_of(const bellamy::context& subject, const price_table& prices) {
    std::string type;
    for (const auto* list : {&subject.essential, &subject.optional})
        for (const auto& each : *list)
            if (each.role == bellamy::property_role::machine_type) type = *each.value.text();
    const auto found = prices.find(type);
    if (found == prices.end())
        throw tools::tool_error("unknown_machine_type",
                                fmt::format("expected a price for machine type \"{}\", found none", type));
    return {.per_unit_and_hour = found->second};
}

}  // namespace bench

#endif
