#include "support/compare.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>
#include <bellamy/encoding.hpp>
#include "support/murmur3.hpp"

using namespace bellamy;
using support::golden;
using support::largest_difference;
using support::numbers;
using namespace bellamy::detail;

namespace {

// Tolerances: 1e-12 is demanded of double. In float, the golden number is rounded once: half a unit in the last place of a
// number up to 1.
constexpr double double_tolerance = 1e-12;
constexpr double float_tolerance = 6e-8;

template <class Scalar = double, std::size_t Size = 40>
std::array<Scalar, Size> encoded_text(std::string_view value) {
    std::array<Scalar, Size> out{};
    encode_text(value, std::span(out));
    return out;
}

// The prototype, from which some golden numbers come, drops capitals.
std::string without_capitals(std::string words) {
    std::erase_if(words, [](char c) { return c >= 'A' && c <= 'Z'; });
    return words;
}

template <class Scalar = double, std::size_t Size = 40>
std::array<Scalar, Size> encoded_natural(std::uint64_t value) {
    std::array<Scalar, Size> out{};
    encode_natural(value, std::span(out));
    return out;
}

std::array<double, 40> encoded(const property& subject, int scale_out = 1) {
    std::array<double, 40> out{};
    encode(subject, scale_out, std::span(out));
    return out;
}

}  // namespace

TEST_CASE("text is encoded as the golden file says, capitals as small letters") {
    const auto file = golden("encodings.json");
    for (const auto& one : file.at("texts")) {
        const auto value = one.at("value").get<std::string>();
        CAPTURE(value);
        const auto expected = numbers(one.at("paper"));
        CHECK(largest_difference(encoded_text(without_capitals(value)), expected) <= double_tolerance);
        CHECK(largest_difference(encoded_text<float>(without_capitals(value)), expected) <= float_tolerance);
    }
    for (const auto& one : file.at("lowercased")) {
        const auto value = one.at("value").get<std::string>();
        CAPTURE(value);
        const auto expected = numbers(one.at("encoding"));
        CHECK(largest_difference(encoded_text(value), expected) <= double_tolerance);
        CHECK(largest_difference(encoded_text<float>(value), expected) <= float_tolerance);
        CHECK(encoded(text("name", value)) == encoded_text(value));
    }
}

TEST_CASE("natural numbers are encoded as the golden file says") {
    const auto file = golden("encodings.json");
    for (const auto& one : file.at("numbers")) {
        const auto value = one.at("value").get<std::uint64_t>();
        CAPTURE(value);
        CHECK(largest_difference(encoded_natural(value), numbers(one.at("encoding"))) == 0);
        CHECK(largest_difference(encoded_natural<float>(value), numbers(one.at("encoding"))) == 0);
    }
}

TEST_CASE("every property value of the C3O jobs is encoded as the prototype does") {
    for (const auto& row : support::golden_table("c3o_encodings.csv")) {
        const auto& name = row.at("property");
        const auto& value = row.at("value");
        CAPTURE(name);
        CAPTURE(value);
        std::vector<double> expected;
        for (std::size_t i = 0; i < 40; ++i) expected.push_back(std::stod(row.at(support::numbered("e", i))));
        const bool is_number = name == "data_size_MB" || name == "memory" || name == "slots";
        const auto subject = is_number ? natural(name, std::stoull(value)) : text(name, value);
        CHECK(largest_difference(encoded(subject), expected) <= double_tolerance);
    }
}

TEST_CASE("only ASCII capitals count as letters") {
    CHECK(encoded_text("Berlin") == encoded_text("bERLIN"));
    CHECK(encoded_text("\xE2\x84\xAA") == encoded_text(""));  // U+212A, whose Unicode lower case is 'k'
    CHECK(encoded_text("a b") == encoded_text("ab"));
}

TEST_CASE("text has length 1 or, without letters, length 0 in any number of dimensions") {
    const auto length = [](const auto& code) {
        double squares = 0;
        for (const double each : code) squares += each * each;
        return squares;
    };
    CHECK(length(encoded_text<double, 12>("m5.large")) == doctest::Approx(1));
    CHECK(length(encoded_text<double, 64>("m5.large")) == doctest::Approx(1));
    CHECK(length(encoded_text<double, 12>("\xC3\xBC !")) == 0);
}

TEST_CASE("a quantity is encoded as the text of its shortest decimal") {
    struct row {
        double value;
        const char* same;
    };
    for (const auto& each : {row{0.1, "0.1"}, row{2, "2"}, row{1e-9, "1e-09"}, row{2.5e30, "2.5e+30"}}) {
        CAPTURE(each.same);
        CHECK(encoded(quantity("q", each.value)) == encoded_text(each.same));
    }
}

TEST_CASE("a property that scales is encoded at value times scale-out") {
    CHECK(encoded(natural("memory", 8).per_scale_out_unit(), 12) == encoded(natural("memory", 96)));
    CHECK(encoded(quantity("rate", 1.5).per_scale_out_unit(), 4) == encoded(quantity("rate", 6)));
    CHECK(encoded(natural("memory", 8), 12) == encoded(natural("memory", 8)));
}

TEST_CASE("scale-outs become the golden features") {
    const auto file = golden("scale_out.json");
    const auto scaler = min_max_scaler<double>::of(file.at("fit_on").get<std::vector<int>>());
    CHECK(largest_difference(scaler.minimum, numbers(file.at("minimum"))) <= double_tolerance);
    CHECK(largest_difference(scaler.span, numbers(file.at("span"))) <= double_tolerance);
    const auto float_scaler = min_max_scaler<float>::of(file.at("fit_on").get<std::vector<int>>());
    for (std::size_t i = 0; i < file.at("queries").size(); ++i) {
        const auto x = file.at("queries")[i].get<double>();
        CAPTURE(x);
        CHECK(largest_difference(scale_out_features(x), numbers(file.at("raw")[i])) <= double_tolerance);
        CHECK(largest_difference(scaler(x), numbers(file.at("scaled")[i])) <= double_tolerance);
        // Up to 5.8 beyond the span, from features that are rounded before they are subtracted.
        CHECK(largest_difference(float_scaler(static_cast<float>(x)), numbers(file.at("scaled")[i])) <= 2e-6);
    }
}

TEST_CASE("a feature that never changes is divided by 1") {
    const auto scaler = min_max_scaler<double>::of(std::vector{4, 4});
    CHECK(scaler.span == std::array{1.0, 1.0, 1.0});
    CHECK(scaler(4) == std::array{0.0, 0.0, 0.0});
    CHECK(scaler(6)[2] == 2);
}

TEST_CASE("the oracle gives the hashes of the reference implementation") {
    const auto file = support::golden("murmur3.json");
    for (const auto& one : file.at("cases")) {
        const auto bytes = one.at("utf8").get<std::string>();
        CAPTURE(bytes);
        CHECK(static_cast<std::int32_t>(support::murmur3(bytes)) == one.at("signed").get<std::int32_t>());
    }
}

TEST_CASE("the hash of a packed gram is that of its bytes") {
    for (const std::string gram : {"a", "ab", "abc", " c4", "\xC2\xB5"}) {
        std::uint32_t packed = 0;
        for (std::size_t i = 0; i < gram.size(); ++i)
            packed |= static_cast<std::uint32_t>(static_cast<unsigned char>(gram[i])) << (8 * i);
        CHECK(murmur3_gram(packed, static_cast<std::uint32_t>(gram.size())) == support::murmur3(gram));
    }
}
