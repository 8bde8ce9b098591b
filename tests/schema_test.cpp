#include "support/compare.hpp"
#include "support/made_up_job.hpp"
#include "support/numbered.hpp"

#include <map>

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

namespace {

const schema with_names{
    .essential = {define(text("machine", "").with_role(property_role::machine_type)),
                  define(natural("size", 1).with_role(property_role::data_size)), define(quantity("rate", 1))},
    .optional = {define(natural("memory", 1).per_scale_out_unit()), define(text("zone", ""))},
    .unit = scale_out_unit::executor};

template <class Value>
concept is_a_named_value = requires(Value value) {
    named_value("name", value);
};
static_assert(is_a_named_value<int> && is_a_named_value<double> && is_a_named_value<const char*>);
template <class Name>
concept takes_braces = requires(Name name) {
    named_value(name, {});
};
static_assert(!takes_braces<std::string>);  // an empty text, or not known
static_assert(!is_a_named_value<bool> && !is_a_named_value<char> && !is_a_named_value<std::nullptr_t>);

}  // namespace

TEST_CASE("a context is made from values by name, with kinds, roles, order and unit of the schema") {
    const auto made = with_names.context({{"zone", "x"}, {"rate", 2}, {"size", 15}, {"machine", "a"}, {"memory", 8U}});
    REQUIRE(made);
    CHECK(made->essential == std::vector{text("machine", "a").with_role(property_role::machine_type),
                                         natural("size", 15).with_role(property_role::data_size), quantity("rate", 2)});
    CHECK(made->optional == std::vector{natural("memory", 8).per_scale_out_unit(), text("zone", "x")});
    CHECK(made->unit == scale_out_unit::executor);
    CHECK(with_names.check(*made).has_value());

    // From texts alone, as a table or a configuration has them, and from what is known of the job so far.
    const std::vector<named_value> spelled{{"machine", std::string("a")}, {"size", "15"}, {"rate", std::string_view("2.0")}};
    CHECK(with_names.context(spelled)->essential == made->essential);
    CHECK(with_names.context(spelled)->optional.empty());
    // A reader of JSON has doubles alone.
    CHECK(with_names.context({{"machine", "a"}, {"size", 15.0}, {"rate", 2.0}})->essential == made->essential);
    const auto open = with_names.context({{"machine", "a"}, {"size", unknown_value}, {"rate", 2.0}});
    CHECK(open->essential[1] == unknown("size").with_role(property_role::data_size));
    CHECK(with_names.check(*open).has_value());
}

TEST_CASE("a context is made from a map from names to values, of one type or of any") {
    const auto made = with_names.context({{"machine", "a"}, {"size", 15}, {"rate", 2.0}});
    const std::map<std::string, property_value> any{{"machine", "a"}, {"size", std::uint64_t{15}}, {"rate", 2.0}};
    CHECK(with_names.context(any)->essential == made->essential);
    const std::vector<std::pair<std::string, std::string>> texts{{"size", "15"}, {"machine", "a"}, {"rate", "2"}};
    CHECK(with_names.context(texts)->essential == made->essential);
    check_refused(with_names.context(std::map<std::string, int>{{"machine", 5}, {"size", 15}, {"rate", 2}}),
                  errc::property_mismatch, {"text", "machine", "natural number"});
}

TEST_CASE("values that make no context of the schema are refused by name") {
    check_refused(with_names.context({{"rate", 1}}), errc::essential_count_mismatch, {"machine, size"});
    check_refused(with_names.context({}), errc::essential_count_mismatch, {"machine, size, rate"});
    check_refused(with_names.context({{"machine", "a"}, {"sise", 1}, {"colour", "red"}, {"rate", 1}}),
                  errc::unknown_property,
                  {"found sise, colour (is sise meant to be size?)", "machine, size, rate, memory, zone"});
    const auto colour = with_names.context({{"machine", "a"}, {"size", 1}, {"colour", "red"}, {"rate", 1}});
    check_refused(colour, errc::unknown_property, {"found colour; the model has"});
    const auto with = [](named_value size, named_value rate, named_value zone) {
        return with_names.context({{"machine", "a"}, std::move(size), std::move(rate), std::move(zone)});
    };
    check_refused(with({"size", 1.5}, {"rate", 1}, {"zone", ""}), errc::property_mismatch,
                  {"natural number", "size", "1.5"});
    check_refused(with({"size", -1}, {"rate", 1}, {"zone", ""}), errc::property_mismatch, {"natural number", "size", "-1"});
    check_refused(with({"size", "1.5"}, {"rate", 1}, {"zone", ""}), errc::invalid_quantity, {"size", "\"1.5\""});
    check_refused(with({"size", "ten"}, {"rate", 1}, {"zone", ""}), errc::invalid_quantity, {"size", "\"ten\""});
    check_refused(with({"size", 1}, {"rate", "1 GB"}, {"zone", ""}), errc::invalid_quantity, {"rate", "alone", "\"1 GB\""});
    check_refused(with({"size", 1}, {"rate", -2}, {"zone", ""}), errc::invalid_quantity, {"rate", "-2"});
    check_refused(with({"size", 1}, {"rate", 1}, {"zone", 5}), errc::property_mismatch, {"text", "zone", "natural number"});
    check_refused(with({"size", 1}, {"rate", 1}, {"rate", 2}), errc::duplicate_property, {"rate"});
    check_refused(with({"size", largest_natural + 1}, {"rate", 1}, {"zone", ""}), errc::number_too_large, {"size"});
}
