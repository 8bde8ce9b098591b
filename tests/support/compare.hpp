// Comparisons that report by how much they failed.
#ifndef BELLAMY_TESTS_SUPPORT_COMPARE_HPP
#define BELLAMY_TESTS_SUPPORT_COMPARE_HPP

#include <bellamy/error.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace support {

/// Largest absolute difference of two lists of numbers; infinite where their sizes differ or a difference is no number.
template <class One, class Other>
[[nodiscard]] double largest_difference(const One& one, const Other& other) {
    double largest = std::size(one) == std::size(other) ? 0 : std::numeric_limits<double>::infinity();
    auto at = std::begin(other);
    for (auto each = std::begin(one); each != std::end(one) && at != std::end(other); ++each, ++at) {
        const double difference = std::abs(static_cast<double>(*each) - static_cast<double>(*at));
        if (!(difference <= largest))
            largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }
    return largest;
}

/// Difference of two numbers, as a part of the expected one.
[[nodiscard]] inline double relative_difference(double found, double expected) {
    return std::abs(found - expected) / std::abs(expected);
}

/// An error of this code, whose message says what was expected and found and contains the given words.
template <class Value>
void check_refused(const bellamy::result<Value>& answer, bellamy::errc code, const std::vector<std::string>& words = {}) {
    REQUIRE_FALSE(answer.has_value());
    const std::string message(answer.error().message());
    CHECK(to_string(answer.error().code()) == to_string(code));
    CHECK_MESSAGE(message.find("expected ") != std::string::npos, message);
    CHECK_MESSAGE(message.find("found ") != std::string::npos, message);
    for (const auto& word : words) CHECK_MESSAGE(message.find(word) != std::string::npos, message, " has no ", word);
}

}  // namespace support

#endif
