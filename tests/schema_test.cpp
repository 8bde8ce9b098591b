#include "support/compare.hpp"
#include "support/made_up_job.hpp"
#include "support/numbered.hpp"

using namespace bellamy;
using support::check_refused;

namespace {

run run_with(std::vector<property> essential, std::vector<property> optional = {},
             scale_out_unit unit = scale_out_unit::node) {
    return {.context = {.essential = std::move(essential), .optional = std::move(optional), .unit = unit},
            .scale_out = 2,
            .runtime_s = 10};
}

}  // namespace

TEST_CASE("the schema of a history has its essential properties in order and all of its optional ones") {
    const std::vector history{
        run_with({text("machine", "a"), natural("size", 1)}, {natural("memory", 1).per_scale_out_unit()}),
        run_with({text("machine", "b"), natural("size", 2)}, {text("zone", "x"), natural("memory", 2).per_scale_out_unit()}),
        run_with({text("machine", "c"), natural("size", 3)})};
    const auto shared = schema_of(history);
    REQUIRE(shared);
    CHECK(shared->essential == std::vector{define(text("machine", "")), define(natural("size", 0))});
    CHECK(shared->optional == std::vector{define(natural("memory", 0).per_scale_out_unit()), define(text("zone", ""))});
    for (const auto& each : history) CHECK(shared->check(each.context).has_value());
}

TEST_CASE("runs that disagree have no schema") {
    const auto usual = run_with({text("machine", "a"), natural("size", 1)}, {natural("memory", 1)});
    struct row {
        const char* what;
        run other;
        errc code;
        std::vector<std::string> words;
    };
    const row table[] = {
        {"fewer essential properties",
         run_with({text("machine", "a")}),
         errc::essential_count_mismatch,
         {"2", "1", "size is missing"}},
        {"more essential properties",
         run_with({text("machine", "a"), natural("size", 1), text("colour", "red")}),
         errc::essential_count_mismatch,
         {"2", "3", "colour is none of them"}},
        {"another order",
         run_with({natural("size", 1), text("machine", "a")}),
         errc::property_mismatch,
         {"machine", "size"}},
        {"another kind",
         run_with({text("machine", "a"), quantity("size", 1)}),
         errc::property_mismatch,
         {"natural number", "quantity"}},
        {"another role",
         run_with({text("machine", "a"), natural("size", 1).with_role(property_role::data_size)}),
         errc::property_mismatch,
         {"none", "data_size"}},
        {"one that scales",
         run_with({text("machine", "a"), natural("size", 1).per_scale_out_unit()}),
         errc::property_mismatch,
         {"scaling"}},
        {"another unit",
         run_with(usual.context.essential, {}, scale_out_unit::executor),
         errc::unit_mismatch,
         {"node", "executor"}},
        {"an optional property of another kind",
         run_with(usual.context.essential, {text("memory", "1")}),
         errc::property_mismatch,
         {"memory", "text"}},
        {"a bad runtime", {.context = usual.context, .scale_out = 1, .runtime_s = 0}, errc::invalid_runtime, {"0"}},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        check_refused(schema_of(std::vector{usual, each.other}), each.code, each.words);
        // `check` finds the same, except for what is not a matter of the context.
        if (each.code != errc::invalid_runtime)
            check_refused(schema_of(std::vector{usual})->check(each.other.context), each.code, each.words);
    }
    check_refused(schema_of({}), errc::empty_history);
}

TEST_CASE("an optional property that the schema does not have is refused") {
    const auto known = schema_of(std::vector{run_with({text("machine", "a")}, {natural("memory", 1)})});
    check_refused(known->check(run_with({text("machine", "a")}, {natural("disks", 1)}).context), errc::unknown_property,
                  {"disks"});
    CHECK(known->check(run_with({text("machine", "z")}).context).has_value());
}

TEST_CASE("more optional properties than a model can have are refused") {
    std::vector<run> history;
    for (std::size_t i = 0; i <= most_properties; ++i)
        history.push_back(run_with({text("machine", "a")}, {natural(support::numbered("p", i), 1)}));
    check_refused(schema_of(history), errc::too_many_properties, {"32", "33"});
}

TEST_CASE("contexts are counted in order of first appearance whatever lies between") {
    std::vector<run> history;
    for (const std::uint64_t size : {10U, 10U, 20U, 10U, 30U, 20U}) history.push_back(support::made_up_run(size, 2));
    history.push_back(history[0]);
    history.back().context.optional.clear();
    CHECK(context_numbers(history) == std::vector<std::uint32_t>{0, 0, 1, 0, 2, 1, 3});
}
