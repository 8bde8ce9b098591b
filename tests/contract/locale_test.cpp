// Nothing that the library reads or writes depends on the locale.
#include "../support/made_up_job.hpp"

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/base/decimal.hpp>
#include <bellamy/serialize.hpp>

#include <doctest/doctest.h>

#include <clocale>
#include <locale>
#include <sstream>

using namespace bellamy;

namespace {

/// "1.234,5", as many write it.
class decimal_comma : public std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

/// Everything that turns numbers into text or text into numbers.
std::string texts_of_numbers() {
    std::string all(detail::fail(errc::invalid_option, "expected ", 1234.5, ", found ", 1'000'000).message());
    std::array<double, 40> encoded{};
    encode_quantity(1234.5, std::span(encoded));
    for (const double each : encoded) all += std::to_string(std::bit_cast<std::uint64_t>(each)) + ' ';
    all += std::to_string(std::bit_cast<std::uint64_t>(*detail::decimal_of("1234.5")));
    all += *to_header(support::random_model(), "job");
    // Texts with numbers are read as numbers by best mode.
    auto job = support::made_up_context(30);
    job.essential.push_back(text("arguments", "0.25 1e-3"));
    const auto cold = *cold_start(job)->condition(std::vector{run{.context = job, .scale_out = 4, .runtime_s = 1234.5}});
    all += std::to_string(std::bit_cast<std::uint64_t>(cold.bind(job)->at(7).median_s));
    all += *to_header(cold, "cold");
    return all;
}

}  // namespace

TEST_CASE("a global C++ locale with a decimal comma and grouped digits changes nothing") {
    const auto before = texts_of_numbers();
    const std::locale old = std::locale::global(std::locale(std::locale::classic(), new decimal_comma));
    std::ostringstream stream;
    stream << 1234.5;
    const bool in_effect = stream.str() == "1.234,5";
    const auto after = texts_of_numbers();
    std::locale::global(old);
    CHECK(in_effect);
    CHECK(after == before);
}

TEST_CASE("a C locale with a decimal comma changes nothing") {
    const auto before = texts_of_numbers();
    const std::string old = std::setlocale(LC_ALL, nullptr);
    const char* found = nullptr;
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"})
        if (found == nullptr) found = std::setlocale(LC_ALL, name);
    if (found == nullptr) {
        MESSAGE("skipped: no German or French locale is installed (Debian: apt-get install locales-all)");
        return;
    }
    const std::string comma = std::localeconv()->decimal_point;
    const auto after = texts_of_numbers();
    std::setlocale(LC_ALL, old.c_str());
    CHECK(comma == ",");
    CHECK(after == before);
}
