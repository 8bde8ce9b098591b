// Reads the structured arguments of the example programs; what is not spelled right is wrong usage.
#ifndef BELLAMY_EXAMPLES_ARGUMENTS_HPP
#define BELLAMY_EXAMPLES_ARGUMENTS_HPP

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parse.hpp"

namespace tools {

[[nodiscard]] inline CLI::ParseError wrong_usage(std::string_view option, std::string_view expected,
                                                 std::string_view found) {
    return CLI::ValidationError(std::string(option), fmt::format("expected {}, found \"{}\"", expected, found));
}

/// "job_args=k=3" as "job_args" and "k=3"; `form` tells in an error how the option is spelled.
[[nodiscard]] inline std::pair<std::string, std::string> name_and_value(std::string_view option, const std::string& text,
                                                                        std::string_view form = "NAME=VALUE") {
    const auto at = text.find('=');
    if (at == std::string::npos || at == 0) throw wrong_usage(option, form, text);
    return {text.substr(0, at), text.substr(at + 1)};
}

struct measured_runtime {
    int scale_out = 0;
    double runtime_s = 0;
};

/// "4=310": 310 seconds at scale-out 4. Whether that makes sense is for the library to say.
[[nodiscard]] inline measured_runtime to_measured_runtime(std::string_view option, const std::string& text) {
    constexpr std::string_view form = "SCALE_OUT=SECONDS such as 4=310";
    const auto [scale_out, runtime_s] = name_and_value(option, text, form);
    const auto x = parse_number<int>(scale_out);
    const auto seconds = parse_number<double>(runtime_s);
    if (!x || !seconds) throw wrong_usage(option, form, text);
    return {.scale_out = *x, .runtime_s = *seconds};
}

/// The names of an enumeration, as in `to_enumerator`.
template <auto Last>
[[nodiscard]] std::string enumerator_names() {
    std::string all;
    for (int i = 0; i <= static_cast<int>(Last); ++i)
        all += fmt::format("{}{}", i == 0 ? "" : ", ", to_string(static_cast<decltype(Last)>(i)));
    return all;
}

/// The enumerator of that name; `Last` is the last of them, they count from 0 and have a `to_string`.
template <auto Last>
[[nodiscard]] auto to_enumerator(std::string_view option, std::string_view name) {
    using enumeration = decltype(Last);
    for (int i = 0; i <= static_cast<int>(Last); ++i)
        if (to_string(static_cast<enumeration>(i)) == name) return static_cast<enumeration>(i);
    throw wrong_usage(option, "one of " + enumerator_names<Last>(), name);
}

/// An option that takes one value each time it is given.
inline CLI::Option* add_repeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                                   const std::string& description) {
    return app.add_option(name, values, description)->allow_extra_args(false);
}

/// For options that are natural numbers: CLI11 alone would take -1 for the largest there is.
[[nodiscard]] inline CLI::Validator is_natural() {
    const auto check = [](const std::string& text) {
        return parse_number<std::uint64_t>(text) ? "" : fmt::format("expected a natural number, found \"{}\"", text);
    };
    return {check, "", ""};
}

/// For options that are numbers above zero: CLI11 would write out the largest there is.
[[nodiscard]] inline CLI::Validator is_positive() {
    const auto check = [](const std::string& text) {
        const auto number = parse_number<double>(text);
        return number && *number > 0 && std::isfinite(*number) ? ""
                                                               : fmt::format("expected a number > 0, found \"{}\"", text);
    };
    return {check, "", ""};
}

inline void add_seed(CLI::App& app, std::uint64_t& seed) {
    app.add_option("--seed", seed, "Seed of everything random")->capture_default_str()->check(is_natural());
}

}  // namespace tools

#endif
