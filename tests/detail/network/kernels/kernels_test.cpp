// Built once for every set of instructions, and once more with -ffast-math.
#include "contract/allocation_counter.hpp"
#include "support/networks.hpp"

#include <bellamy/detail/network/kernels/dispatch.hpp>

#include "../bench/support/encoded_batch.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <typeinfo>

using namespace bellamy;
using detail::prepared_network;
namespace simd = detail::simd;

namespace {

// What the kernels promise: two parts in a million of the answer or, where answers happen to lie near zero, of their usual
// size.
constexpr double tolerance = 2e-6;

[[nodiscard]] network<double> in_double(const network<float>& source) {
    network<double> result(source.essential_count());
    const auto parameters = source.parameters();
    result.set_parameters(std::vector<double>(parameters.begin(), parameters.end()));
    std::copy_n(source.runtime.scaler.minimum.begin(), 3, result.runtime.scaler.minimum.begin());
    std::copy_n(source.runtime.scaler.span.begin(), 3, result.runtime.scaler.span.begin());
    return result;
}

void check_close(const std::vector<float>& found, const std::vector<double>& expected) {
    REQUIRE(found.size() == expected.size());
    double usual = 0;
    for (const double each : expected) usual += std::abs(each) / static_cast<double>(expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(static_cast<double>(found[i]) - expected[i]) <= tolerance * (std::max)(std::abs(expected[i]), usual));
    }
}

/// A network, and a start of its head as any context might bring it.
struct subject {
    network<float> source;
    network<double> reference = in_double(source);
    prepared_network prepared{source};
    detail::head_sums start{};
    network<double>::start reference_start{};

    explicit subject(std::uint64_t seed, network<float> parameters) : source(std::move(parameters)) {
        detail::random_generator random(seed);
        for (std::size_t o = 0; o < start.values.size(); ++o) {
            reference_start[o] = random.normal();
            start.values[o] = static_cast<float>(reference_start[o] * detail::log2_e);
        }
    }
    explicit subject(std::uint64_t seed) : subject(seed, support::random_network<float>(5, seed)) {}

    [[nodiscard]] std::vector<double> expected(const std::vector<float>& scale_outs) const {
        std::vector<double> result;
        for (const float x : scale_outs) result.push_back(reference.runtime(reference_start, static_cast<double>(x)));
        return result;
    }
};

[[nodiscard]] std::vector<float> counting_from(int first, std::size_t count) {
    std::vector<float> result(count);
    std::iota(result.begin(), result.end(), static_cast<float>(first));
    return result;
}

}  // namespace

TEST_CASE("the instructions are those asked for") {
    CHECK(simd::widest == BELLAMY_EXPECTED_WIDTH);
    CHECK(std::string(typeid(simd::vector).name()).find(BELLAMY_EXPECTED_ISA) != std::string::npos);
}

TEST_CASE("a curve of any length is what the network says in double and nothing else is written") {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const subject one(seed);
        for (std::size_t count = 0; count <= 70; ++count) {
            CAPTURE(count);
            const auto scale_outs = counting_from(1, count);
            std::vector<float> found(count + 1, -7.0F);
            simd::predict_curve(one.prepared.runtime, one.start, scale_outs.data(), found.data(), count);
            CHECK(found.back() == -7.0F);
            found.pop_back();
            check_close(found, one.expected(scale_outs));
        }
    }
}

TEST_CASE("scale-outs far from those of a narrow history keep their digits") {
    auto narrow = support::random_network<float>(5, 4);
    narrow.runtime.scaler = min_max_scaler<float>::of(std::vector{100, 104});
    const subject one(4, narrow);
    const auto scale_outs = counting_from(96, 12);
    std::vector<float> found(scale_outs.size());
    simd::predict_curve(one.prepared.runtime, one.start, scale_outs.data(), found.data(), found.size());
    check_close(found, one.expected(scale_outs));
}

TEST_CASE("a single prediction is what the network says in double") {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const subject one(seed);
        const auto scale_outs = counting_from(1, 40);
        std::vector<float> found;
        for (const float x : scale_outs) found.push_back(simd::predict_one(one.prepared.runtime, one.start, x));
        check_close(found, one.expected(scale_outs));
    }
}

TEST_CASE("batches of any size and contexts of any shape are what the network says in double") {
    detail::random_generator random(8);
    for (const std::size_t essential : {0U, 1U, 5U}) {
        for (const std::size_t optional : {0U, 1U, 3U}) {
            const auto source = support::random_network<float>(essential, 10 + essential);
            const auto reference = in_double(source);
            const prepared_network prepared(source);
            const std::size_t rows = essential + optional;
            constexpr std::size_t most = 35;
            std::vector<float> encoded(most * rows * 40);
            for (float& each : encoded) each = static_cast<float>(0.3 * random.normal());
            std::vector<float> scale_outs;
            std::vector<double> expected;
            for (std::size_t i = 0; i < most; ++i) {
                scale_outs.push_back(static_cast<float>(1 + i % 20));
                std::vector<network<double>::code> codes;
                for (std::size_t row = 0; row < rows; ++row) {
                    std::array<double, 40> one{};
                    std::copy_n(encoded.begin() + static_cast<std::ptrdiff_t>((i * rows + row) * 40), 40, one.begin());
                    codes.push_back(reference.encoder(one));
                }
                const std::span all(codes);
                expected.push_back(reference.runtime(reference.fold(all.first(essential), all.subspan(essential)),
                                                     static_cast<double>(scale_outs.back())));
            }
            for (const std::size_t count : {0U, 1U, 15U, 16U, 17U, 35U}) {
                CAPTURE(count);
                std::vector<float> found(count + 1, -7.0F);
                bench::predict_encoded(prepared, encoded.data(), optional, scale_outs.data(), found.data(), count);
                CHECK(found.back() == -7.0F);
                found.pop_back();
                check_close(found, {expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count)});
            }
        }
    }
}

TEST_CASE("predicting allocates nothing") {
    const subject one(9);
    const auto scale_outs = counting_from(1, 50);
    const std::vector<float> encoded(20 * 8 * 40);
    std::vector<float> found(50);
    const std::size_t before = support::allocations;
    simd::predict_curve(one.prepared.runtime, one.start, scale_outs.data(), found.data(), 50);
    bench::predict_encoded(one.prepared, encoded.data(), 3, scale_outs.data(), found.data(), 20);
    CHECK(support::allocations == before);
    CHECK(prepared_network(one.source).essential_count() == 5);
    CHECK(support::allocations > before);
}

// -ffast-math lets the compiler assume that there are no such numbers.
#if !defined(__FAST_MATH__)
TEST_CASE("what is not a number or infinite stays visible") {
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const float bad : {nan, infinity, -infinity}) {
        CAPTURE(bad);
        subject one(1);
        one.start.values[3] = bad;
        one.reference_start[3] = static_cast<double>(bad);
        // Infinity may saturate on its way, as SELU does: the answer is that of the network in double.
        const auto check = [&](const std::vector<float>& found) {
            const auto expected = one.expected(counting_from(1, found.size()));
            if (!std::isnan(bad) && std::isfinite(expected[0])) return check_close(found, expected);
            for (std::size_t i = 0; i < found.size(); ++i) {
                CHECK(std::isnan(found[i]) == std::isnan(expected[i]));
                CHECK_FALSE(std::isfinite(found[i]));
            }
        };
        std::vector<float> found = counting_from(1, 40);
        simd::predict_curve(one.prepared.runtime, one.start, found.data(), found.data(), found.size());
        check(found);
        check({simd::predict_one(one.prepared.runtime, one.start, 1.0F)});
    }
    const subject one(1);
    std::vector<float> encoded(17 * 8 * 40, 0.1F);
    encoded[5 * 8 * 40 + 3 * 40 + 7] = nan;
    const auto scale_outs = counting_from(1, 17);
    std::vector<float> answers(17);
    bench::predict_encoded(one.prepared, encoded.data(), 3, scale_outs.data(), answers.data(), answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) CHECK(std::isnan(answers[i]) == (i == 5));
}

TEST_CASE("numbers as large as float holds saturate as SELU does") {
    subject one(1);
    for (std::size_t o = 0; o < one.start.values.size(); ++o) {
        one.start.values[o] = -std::numeric_limits<float>::infinity();
        one.reference_start[o] = -std::numeric_limits<double>::infinity();
    }
    const auto scale_outs = counting_from(1, 20);
    std::vector<float> found(scale_outs.size());
    simd::predict_curve(one.prepared.runtime, one.start, scale_outs.data(), found.data(), found.size());
    check_close(found, one.expected(scale_outs));
}
#endif
