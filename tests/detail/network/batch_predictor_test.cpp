#include <bellamy/detail/network/batch_predictor.hpp>

#include "contract/allocation_counter.hpp"
#include "support/compare.hpp"
#include "support/networks.hpp"

using namespace bellamy;
using detail::batch_predictor;
using detail::code_cache;

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

TEST_CASE("a batch answers each question as the network does with and without a cache of codes") {
    const auto source = support::random_network<float>(2, 3);
    const batch_predictor subject(source);
    std::vector<context> contexts;
    for (std::uint64_t i = 0; i < 50; ++i) contexts.push_back(context_number(i));
    for (const std::size_t count : {0U, 1U, 16U, 17U, 50U}) {
        std::vector<question> questions;
        for (std::size_t i = 0; i < count; ++i)
            questions.push_back({.context = &contexts[i], .scale_out = 1 + static_cast<int>(i % 12)});
        std::vector<float> found(count);
        subject.predict(questions, found);
        for (std::size_t i = 0; i < count; ++i) {
            CAPTURE(i);
            const auto expected = support::predict(source, contexts[i], questions[i].scale_out);
            CHECK(static_cast<double>(std::abs(found[i] - expected)) <=
                  batch_tolerance * (std::max)(1.0, static_cast<double>(std::abs(expected))));
        }
        // One entry, so that values take each other's place, and room for all.
        for (const std::size_t entries : {1U, 1000U}) {
            code_cache seen(entries);
            for (int again = 0; again < 2; ++again) {
                std::vector<float> cached(count);
                subject.predict(questions, cached, seen);
                CHECK(cached == found);
            }
        }
    }
}

TEST_CASE("a cache of codes starts afresh for another network") {
    const batch_predictor one(support::random_network<float>(2, 1));
    const batch_predictor other(support::random_network<float>(2, 2));
    const auto job = context_number(4);
    const std::vector<question> questions{{.context = &job, .scale_out = 3}};
    std::vector<float> expected(1);
    std::vector<float> found(1);
    code_cache seen(64);
    for (const auto* each : {&one, &other, &one}) {
        each->predict(questions, expected);
        each->predict(questions, found, seen);
        CHECK(found == expected);
    }
}

TEST_CASE("a question of a batch that is not valid gets NaN and disturbs no other") {
    const batch_predictor subject(support::random_network<float>(2, 1));
    const auto job = context_number(4);
    auto too_few = job;
    too_few.essential.pop_back();
    auto too_large = job;
    too_large.optional[0].value = largest_natural;
    const std::vector<question> questions{{.context = &job, .scale_out = 3},       {.context = nullptr, .scale_out = 3},
                                          {.context = &too_few, .scale_out = 3},   {.context = &job, .scale_out = 0},
                                          {.context = &too_large, .scale_out = 2}, {.context = &job, .scale_out = 3},
                                          {.context = &job, .scale_out = 1000001}};
    std::vector<float> found(questions.size());
    subject.predict(questions, found);
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::isnan(found[i]) == (i != 0 && i != 5));
    CHECK(found[0] == found[5]);
}

TEST_CASE("predicting a batch allocates nothing") {
    const batch_predictor subject(support::random_network<float>(2, 1));
    const auto job = context_number(0);
    const std::vector<question> questions(40, {.context = &job, .scale_out = 3});
    std::vector<float> found(questions.size());
    code_cache seen(16);
    const std::size_t before = support::allocations;
    subject.predict(questions, found);
    subject.predict(questions, found, seen);
    CHECK(support::allocations == before);
    CHECK(code_cache(5).capacity() == 8);
    CHECK(support::allocations > before);
}
