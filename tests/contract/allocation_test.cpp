#include "../support/made_up_job.hpp"
#include "../support/model_bytes.hpp"
#include "allocation_counter.hpp"

#include <bellamy/choose.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using support::allocations;
using support::largest_allocation;

TEST_CASE("asking a curve and choosing allocate nothing whether they answer or refuse") {
    auto context = support::made_up_context(10);
    const auto source = support::random_model();
    const auto runtimes = *source.bind(context);
    const std::vector<int> list{12, 2, 6};
    std::vector<assessment> table(3);
    int answered = 0;

    const std::size_t before = allocations;
    for (int x = -1; x <= 64; ++x) answered += runtimes.at(x).usable() ? 1 : 0;
    const curve copy = runtimes;
    answered += copy.at(largest_scale_out).usable() ? 1 : 0;
    for (const double deadline_s : {1000.0, 1e-9, -1.0}) {
        answered += choose(runtimes, list, deadline_s, table).has_value() ? 1 : 0;
        answered += choose(runtimes, {.first = 1, .last = 1000}, deadline_s).has_value() ? 1 : 0;
        answered += choose(runtimes, list, deadline_s, std::span(table).first(1)).has_value() ? 1 : 0;
        answered += choose(runtimes, std::span<const int>{}, deadline_s).has_value() ? 1 : 0;
        answered += choose(runtimes, {.first = 0, .last = 4}, deadline_s).has_value() ? 1 : 0;
    }
    const std::size_t after = allocations;
    CHECK(after == before);
    CHECK(answered > 0);

    // The counter counts: binding is allowed to allocate, and does.
    (void)source.bind(context).has_value();
    CHECK(allocations > after);
}

TEST_CASE("making and passing on an error allocates nothing") {
    const auto context = support::made_up_context(10);
    const std::string name(1000, 'x');
    const std::size_t before = allocations;
    const result<int> refused = detail::fail(errc::invalid_text, "expected less, found ", name, " and ", 1.5);
    const result<void> passed_on = refused.error();
    CHECK(allocations == before);
    CHECK_FALSE(passed_on.has_value());
}

TEST_CASE("sizes in a model file that lie make no large allocation") {
    const auto sections = support::sections_of(support::random_model());
    const auto clean = to_bytes(support::random_model());
    std::vector<support::bytes> lying;
    for (const std::size_t offset : {std::size_t{12}, std::size_t{16}, std::size_t{32}}) {
        auto one = clean;
        support::overwrite(one, offset, 0xFFFFFFFFU);
        lying.push_back(support::with_checksum(one));
    }
    struct row {
        const char* section;
        std::size_t offset;
    };
    // Numbers of properties, lengths of texts, number of essential codes.
    for (const auto& [name, offset] : {row{"SCHM", 1}, row{"SCHM", 5}, row{"BASE", 0}, row{"NETW", 24}}) {
        auto copy = sections;
        support::overwrite(support::named(copy, name).content, offset, 0x7FFFFFFFU);
        lying.push_back(support::assembled(copy));
    }
    for (const auto& one : lying) {
        largest_allocation = 0;
        const bool accepted = from_bytes(one).has_value();
        const std::size_t largest = largest_allocation;
        CHECK_FALSE(accepted);
        CHECK(largest <= 2 * clean.size());
    }
}
