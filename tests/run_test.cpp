#include "support/compare.hpp"
#include "support/made_up_job.hpp"
#include "support/numbered.hpp"

using namespace bellamy;
using support::check_refused;

namespace {

// What is not UTF-8: Latin-1, a surrogate, an overlong slash.
const std::string latin1 = "caf\xE9";

run good_run() { return support::made_up_run(10, 4); }

std::vector<property> many(std::size_t count, bool scaling = false) {
    std::vector<property> list;
    for (std::size_t i = 0; i < count; ++i) {
        list.push_back(natural(support::numbered("p", i), i));
        list.back().scales_with_scale_out = scaling;
    }
    return list;
}

template <class Value>
concept makes_a_natural = requires(Value value) {
    natural("size", value);
};
template <class Value>
concept makes_a_quantity = requires(Value value) {
    quantity("size", value);
};
template <class Value>
concept makes_a_text = requires(Value value) {
    text("machine", value);
};

static_assert(!std::is_constructible_v<property_value, bool> && !std::is_constructible_v<property_value, char> &&
              !std::is_constructible_v<property_value, std::nullptr_t>);

// What would be truncated, taken for the number of its code, or be read from address 0, does not compile.
static_assert(makes_a_natural<int> && makes_a_natural<std::uint64_t> && makes_a_natural<unsigned short>);
static_assert(!makes_a_natural<double> && !makes_a_natural<float> && !makes_a_natural<long double>);
static_assert(!makes_a_natural<bool> && !makes_a_natural<char> && !makes_a_natural<char32_t>);
static_assert(makes_a_quantity<double> && makes_a_quantity<int> && makes_a_quantity<std::int8_t>);
static_assert(!makes_a_quantity<bool> && !makes_a_quantity<char> && !makes_a_quantity<wchar_t>);
static_assert(makes_a_text<const char*> && makes_a_text<std::string> && !makes_a_text<std::nullptr_t>);

}  // namespace

TEST_CASE("properties know their kind and carry role and scaling") {
    CHECK(text("a", "b").kind() == property_kind::text);
    CHECK(natural("a", 1).kind() == property_kind::natural);
    CHECK(quantity("a", 0.5).kind() == property_kind::quantity);
    const auto memory = natural("memory", 8).with_role(property_role::memory_per_node).per_scale_out_unit();
    CHECK(memory.role == property_role::memory_per_node);
    CHECK(memory.scales_with_scale_out);
    CHECK(memory == memory);
    CHECK_FALSE(memory == natural("memory", 8));
}

TEST_CASE("a value is read as its own kind alone, and equals what has the same kind and value") {
    const property_value words("m5.large");
    const property_value whole(15);
    const property_value real(15.0);
    const property_value open(std::nullopt);
    CHECK(*words.text() == "m5.large");
    CHECK(*whole.natural() == 15);
    CHECK(*real.quantity() == 15);
    CHECK(open.kind() == property_kind::unknown);
    CHECK(property_value().kind() == property_kind::text);
    CHECK(property_value(-1).kind() == property_kind::quantity);  // which `validate` refuses
    for (const auto& each : {words, whole, real, open}) {
        CHECK((each.text() != nullptr) == (each.kind() == property_kind::text));
        CHECK((each.natural() != nullptr) == (each.kind() == property_kind::natural));
        CHECK((each.quantity() != nullptr) == (each.kind() == property_kind::quantity));
    }
    CHECK(whole.number() == 15);
    CHECK(real.number() == 15);
    CHECK(std::isnan(words.number()));
    CHECK(std::isnan(open.number()));
    CHECK(whole == property_value(std::uint64_t{15}));
    CHECK(property_value(-1) == property_value(-1.0));
    CHECK(whole != property_value(16));
    CHECK(whole != real);
    CHECK(words != property_value("m5.xlarge"));
    CHECK(open == property_value(std::nullopt));
    CHECK(open != property_value());
}

TEST_CASE("what is valid at the border is accepted") {
    auto subject = good_run();
    CHECK(validate(subject).has_value());
    subject.scale_out = 1;
    subject.runtime_s = std::numeric_limits<double>::denorm_min();
    subject.weight = 1e-9;
    CHECK(validate(subject).has_value());
    subject.scale_out = largest_scale_out;
    CHECK(validate(subject).has_value());
    subject.context.essential = {natural("largest", largest_natural), text("empty", ""), text("umlaut", "\xC3\xBC")};
    CHECK(validate(subject).has_value());
    subject.context = {.essential = many(most_properties), .optional = {}};
    CHECK(validate(subject).has_value());
    subject.context = {.essential = many(most_scaling_properties, true), .optional = {}};
    CHECK(validate(subject).has_value());
    CHECK(validate(context{}).has_value());
}

TEST_CASE("a context with a defect is refused by name") {
    struct row {
        const char* what;
        std::vector<property> essential, optional;
        errc code;
        std::vector<std::string> words;
    };
    const double infinity = std::numeric_limits<double>::infinity();
    auto scaling_text = text("zone", "a");
    scaling_text.scales_with_scale_out = true;
    const row table[] = {
        {"empty name", {text("", "a")}, {}, errc::invalid_text, {"name"}},
        {"name that is not UTF-8", {text(latin1, "a")}, {}, errc::invalid_text, {"name"}},
        {"text that is not UTF-8", {}, {text("drink", latin1)}, errc::invalid_text, {"drink"}},
        {"text that scales", {scaling_text}, {}, errc::invalid_text, {"zone"}},
        {"over 39 bits",
         {natural("size", largest_natural + 1)},
         {},
         errc::number_too_large,
         {"size", "549755813888", "in a larger unit"}},
        {"quantity 0", {quantity("q", 0.0)}, {}, errc::invalid_quantity, {"q", "found 0"}},
        {"negative quantity", {quantity("q", -1.5)}, {}, errc::invalid_quantity, {"-1.5"}},
        {"infinite quantity", {quantity("q", infinity)}, {}, errc::invalid_quantity, {"inf"}},
        {"quantity that is no number", {quantity("q", std::nan(""))}, {}, errc::invalid_quantity, {"nan"}},
        {"size with its unit",
         {text("size", "15.3 GB").with_role(property_role::data_size)},
         {},
         errc::property_mismatch,
         {"size", "number", "15.3 GB"}},
        {"name twice", {text("a", "1"), text("a", "2")}, {}, errc::duplicate_property, {"a twice"}},
        {"name in both lists", {text("a", "1")}, {text("a", "1")}, errc::duplicate_property, {"a twice"}},
        {"role twice",
         {natural("a", 1).with_role(property_role::data_size)},
         {natural("b", 1).with_role(property_role::data_size)},
         errc::duplicate_property,
         {"data_size", "a", "b"}},
        {"too many", {}, many(most_properties + 1), errc::too_many_properties, {"32", "33"}},
        {"too many that scale", many(most_scaling_properties + 1, true), {}, errc::too_many_properties, {"8", "9"}},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        check_refused(validate(context{.essential = each.essential, .optional = each.optional}), each.code, each.words);
    }
}

TEST_CASE("a role or a unit that is none is refused by name") {
    context subject{.essential = {natural("size", 1).with_role(static_cast<property_role>(5))}};
    check_refused(validate(subject), errc::invalid_option, {"role", "size", "found 5"});
    subject.essential.clear();
    subject.unit = static_cast<scale_out_unit>(4);
    check_refused(validate(subject), errc::invalid_option, {"unit", "found 4"});
}

TEST_CASE("a timestamp that is no time is refused") {
    run subject{.context = {.essential = {natural("size", 1)}}, .scale_out = 1, .runtime_s = 1, .timestamp_s = 0.0};
    CHECK(validate(subject));
    subject.timestamp_s = std::nan("");
    check_refused(validate(subject), errc::invalid_quantity, {"timestamp", "nan"});
}

TEST_CASE("a run with a defect is refused by name") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double runtime_s : {0.0, -1.0, infinity, -infinity, std::nan("")}) {
        auto bad = good_run();
        bad.runtime_s = runtime_s;
        check_refused(validate(bad), errc::invalid_runtime, {"runtime > 0"});
    }
    for (const int scale_out : {0, -1, largest_scale_out + 1}) {
        auto bad = good_run();
        bad.scale_out = scale_out;
        check_refused(validate(bad), errc::invalid_scale_out, {"from 1 to 1000000", std::to_string(scale_out)});
        check_refused(validate_scale_out(scale_out), errc::invalid_scale_out);
    }
    for (const double weight : {0.0, -1.0, infinity, std::nan("")}) {
        auto bad = good_run();
        bad.weight = weight;
        check_refused(validate(bad), errc::invalid_weight, {"weight > 0"});
    }
    auto bad = good_run();
    bad.context.essential[0] = text("machine", latin1);
    check_refused(validate(bad), errc::invalid_text, {"machine"});
}

TEST_CASE("a number that outgrows 39 bits only at the run's scale-out is refused") {
    auto subject = good_run();
    subject.context.optional = {natural("memory", largest_natural / 4).per_scale_out_unit()};
    subject.scale_out = 4;
    CHECK(validate(subject).has_value());
    subject.scale_out = 5;
    check_refused(validate(subject), errc::number_too_large, {"memory", "times 5", "in a larger unit"});
}

TEST_CASE("a quantity that outgrows double only at the run's scale-out is refused") {
    auto subject = good_run();
    subject.context.optional = {quantity("rate", 1e308).per_scale_out_unit()};
    subject.scale_out = 100;
    check_refused(validate(subject), errc::invalid_quantity, {"rate"});
}

TEST_CASE("the message of an error is UTF-8 whatever was handed in") {
    std::string umlauts;
    for (int i = 0; i < 200; ++i) umlauts += "\xC3\xBC";
    for (const auto& name : {latin1, umlauts, "a" + umlauts}) {
        const auto refused = validate(context{.essential = {quantity(name, -1)}});
        REQUIRE_FALSE(refused);
        CHECK(detail::is_utf8(refused.error().message()));
    }
}
