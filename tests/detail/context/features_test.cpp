#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/context/features.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace bellamy;
using detail::numbers_of;

namespace {

double only_number_of(const std::string& text) {
    const auto numbers = numbers_of(text);
    REQUIRE(numbers.size() == 1);
    return numbers.front();
}

// Correctly rounded in the C locale, which is the one that a program starts in.
double by_c_library(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

std::string digits(detail::random_generator& random, std::size_t count) {
    std::string made;
    for (std::size_t i = 0; i < count; ++i) made += static_cast<char>('0' + random.below(10));
    return made;
}

}  // namespace

TEST_CASE("numbers in a text are those that the C library reads, to the last bit, up to 15 digits and powers of 22") {
    detail::random_generator random(3);
    for (int round = 0; round < 20'000; ++round) {
        const std::size_t before = 1 + random.below(8);
        const std::size_t after = random.below(8);
        std::string text = (random.below(2) == 0 ? "-" : "") + digits(random, before) + "." + digits(random, after);
        // Digits after the point lower the power.
        const int power = static_cast<int>(random.below(37)) - 15;
        text += "e" + std::to_string(power);
        CAPTURE(text);
        CHECK(only_number_of(text) == by_c_library(text));
    }
    for (const std::string text : {"0.1", "1e22", "1e-22", "123456789012345", "1500000000000000000000", "0", "-0.0", ".5",
                                   "5.", "1E+5", "000001", "100.000", "0.000001234", "0e999"}) {
        CAPTURE(text);
        CHECK(only_number_of(text) == by_c_library(text));
    }
}

TEST_CASE("longer numbers and powers are right to 1e-14") {
    detail::random_generator random(4);
    for (int round = 0; round < 20'000; ++round) {
        const auto text = "1" + digits(random, 1 + random.below(30)) + "." + digits(random, random.below(30)) + "e" +
                          std::to_string(static_cast<int>(random.below(500)) - 250);
        CAPTURE(text);
        const double expected = by_c_library(text);
        // What decimal_of promises.
        CHECK(std::abs(only_number_of(text) - expected) <= 1e-14 * expected);
    }
}

TEST_CASE("a text with anything but numbers that a double holds has no numbers") {
    for (const std::string text : {"",
                                   " ",
                                   "words",
                                   "1 words",
                                   "+1",
                                   "--1",
                                   "1,5",
                                   "1e",
                                   "1e+",
                                   "e5",
                                   ".",
                                   "-",
                                   "1.2.3",
                                   "0x10",
                                   "inf",
                                   "-infinity",
                                   "nan",
                                   "1e400",
                                   "-1e99999999999999999999",
                                   "1e-400",
                                   "1_000",
                                   "12 13a"}) {
        CAPTURE(text);
        CHECK(numbers_of(text).empty());
    }
}

TEST_CASE("blanks and tabs part the numbers of a text") {
    CHECK(numbers_of("  25\t0.001  -3 ") == std::vector<double>{25, 0.001, -3});
}
