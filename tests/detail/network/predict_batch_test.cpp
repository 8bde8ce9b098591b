#include <bellamy/detail/network/predict_batch.hpp>

#include "support/compare.hpp"
#include "support/networks.hpp"

using namespace bellamy;

namespace {

// Against the network in float, which is as far from the truth as the kernels may be: twice two parts in a million of the
// usual size of these answers, which is 1.
constexpr double batch_tolerance = 4e-6;

[[nodiscard]] context context_number(std::uint64_t i) {
    context result{.essential = {text("machine", "m" + std::to_string(i % 3) + ".large"), natural("size_gb", 10 + i)}};
    if (i % 2 == 0) result.optional.push_back(natural("memory_gb", 8 + i).per_scale_out_unit());
    if (i % 5 == 0) result.optional.push_back(quantity("rate", 1.5).per_scale_out_unit());
    return result;
}

}  // namespace

TEST_CASE("a batch answers each question as the network does") {
    const auto source = support::random_network<float>(2, 3);
    const detail::prepared_network prepared(source);
    std::vector<context> contexts;
    for (std::uint64_t i = 0; i < 50; ++i) contexts.push_back(context_number(i));
    for (const std::size_t count : {0U, 1U, 16U, 17U, 50U}) {
        std::vector<question> questions;
        for (std::size_t i = 0; i < count; ++i)
            questions.push_back({.context = &contexts[i], .scale_out = 1 + static_cast<int>(i % 12)});
        std::vector<float> found(count);
        detail::predict_batch(prepared, questions, found);
        for (std::size_t i = 0; i < count; ++i) {
            CAPTURE(i);
            const auto expected = support::predict(source, contexts[i], questions[i].scale_out);
            CHECK(static_cast<double>(std::abs(found[i] - expected)) <=
                  batch_tolerance * (std::max)(1.0, static_cast<double>(std::abs(expected))));
        }
    }
}

TEST_CASE("distinct properties are numbered by value at the scale-out and kind, not by name") {
    detail::distinct_properties<float, 40> number_of;
    CHECK(number_of(natural("size", 8), 3) == 0);
    CHECK(number_of(natural("memory", 4).per_scale_out_unit(), 2) == 0);
    CHECK(number_of(natural("memory", 4).per_scale_out_unit(), 3) == 1);
    CHECK(number_of(text("size", "8"), 3) == 2);
    CHECK(number_of(quantity("size", 8), 3) == 3);
    CHECK(number_of(quantity("rate", 2).per_scale_out_unit(), 4) == 3);
    CHECK(number_of(unknown("size"), 3) == 4);
    CHECK(number_of(unknown("memory"), 1) == 4);
    CHECK(number_of(text("size", ""), 3) == 5);
    REQUIRE(number_of.encoded().size() == 6);
    std::array<float, 40> expected{};
    encode(natural("memory", 12), 1, std::span(expected));
    CHECK(number_of.encoded()[1] == expected);
}
