// Reads the structured arguments of the example programs; what is not spelled right is wrong usage.
#ifndef BELLAMY_EXAMPLES_ARGUMENTS_HPP
#define BELLAMY_EXAMPLES_ARGUMENTS_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/price.hpp>
#include <bellamy/run.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parse.hpp"
#include "start_time.hpp"
#include "units.hpp"

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

/// "4=310" or "4=5m10s": 310 seconds at scale-out 4. Whether that makes sense is for the library to say.
[[nodiscard]] inline measured_runtime to_measured_runtime(std::string_view option, const std::string& text) {
    constexpr std::string_view form = "SCALE_OUT=TIME such as 4=310 or 4=5m10s";
    const auto [scale_out, runtime_s] = name_and_value(option, text, form);
    const auto x = parse_number<int>(scale_out);
    const auto seconds = parse_seconds(runtime_s);
    if (!x || !seconds) throw wrong_usage(option, form, text);
    return {.scale_out = *x, .runtime_s = *seconds};
}

/// The names of an enumeration, as in `to_enumerator`.
template <auto Last>
[[nodiscard]] std::string enumerator_names(std::string_view between = ", ") {
    std::string all;
    for (int i = 0; i <= static_cast<int>(Last); ++i)
        all += fmt::format("{}{}", i == 0 ? "" : between, to_string(static_cast<decltype(Last)>(i)));
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

/// "2,4,8" as its items, of which none is empty: that would be a slip that nobody notices.
[[nodiscard]] inline std::vector<std::string> to_items(std::string_view option, const std::string& text) {
    auto items = split(text, ',');
    for (const auto& each : items)
        if (each.empty()) throw wrong_usage(option, "items separated by single commas, such as A,B", text);
    return items;
}

/// An option of scale-outs, as a list or one by one.
inline CLI::Option* add_scale_outs(CLI::App& app, std::vector<int>& scale_outs, const std::string& description) {
    static constexpr std::string_view name = "--scale-outs";
    const auto take = [&scale_outs](const std::vector<std::string>& texts) {
        for (const auto& text : texts)
            for (const auto& item : to_items(name, text)) {
                const auto number = parse_number<int>(item);
                if (!number || !bellamy::validate_scale_out(*number))
                    throw wrong_usage(name, fmt::format("scale-outs from 1 to {}", bellamy::largest_scale_out), item);
                scale_outs.push_back(*number);
            }
    };
    return app.add_option_function<std::vector<std::string>>(std::string(name), take, description)->type_name("INT");
}

/// For options that are natural numbers: CLI11 alone would take -1 for the largest there is.
[[nodiscard]] inline CLI::Validator is_natural() {
    const auto check = [](const std::string& text) {
        return parse_number<std::uint64_t>(text) ? "" : fmt::format("expected a natural number, found \"{}\"", text);
    };
    return {check, "", ""};
}

namespace detail {

// CLI11 would write out the largest number there is.
template <class Allowed>
[[nodiscard]] CLI::Validator is_number(std::string expected, Allowed allowed) {
    const auto check = [expected = std::move(expected), allowed](const std::string& text) {
        const auto number = parse_number<double>(text);
        return number && std::isfinite(*number) && allowed(*number)
                   ? ""
                   : fmt::format("expected {}, found \"{}\"", expected, text);
    };
    return {check, "", ""};
}

}  // namespace detail

/// For options that take one of these names.
[[nodiscard]] inline CLI::Validator is_one_of(std::vector<std::string> names) {
    const auto all = fmt::format("{{{}}}", fmt::join(names, ","));
    const auto check = [names = std::move(names)](const std::string& text) {
        return std::find(names.begin(), names.end(), text) != names.end()
                   ? ""
                   : fmt::format("expected one of {}, found \"{}\"", fmt::join(names, ", "), text);
    };
    return {check, all, ""};  // as shells complete it
}

/// For options that take a name of an enumeration, as in `to_enumerator`.
template <auto Last>
[[nodiscard]] CLI::Validator is_enumerator() {
    return is_one_of(split(enumerator_names<Last>(","), ','));
}

/// For options that are whole numbers from `least` to `most`.
[[nodiscard]] inline CLI::Validator is_whole(int least, int most) {
    const auto check = [least, most](const std::string& text) {
        const auto number = parse_number<int>(text);
        return number && *number >= least && *number <= most
                   ? ""
                   : fmt::format("expected a whole number from {} to {}, found \"{}\"", least, most, text);
    };
    return {check, "", ""};
}

/// For options that are numbers from `least` to `most`.
[[nodiscard]] inline CLI::Validator is_between(double least, double most) {
    return detail::is_number(fmt::format("a number from {} to {}", least, most),
                             [least, most](double number) { return number >= least && number <= most; });
}

/// For options that are finite numbers > 0.
[[nodiscard]] inline CLI::Validator is_positive() {
    return detail::is_number("a number > 0", [](double number) { return number > 0; });
}

/// For options that are finite numbers >= 0: prices, delays.
[[nodiscard]] inline CLI::Validator is_not_negative() {
    return detail::is_number("a number >= 0", [](double number) { return number >= 0; });
}

namespace detail {

// Rewrites what has a unit as a plain number; what is one stays as it was given.
template <class Parse>
[[nodiscard]] CLI::Validator in_plain_numbers(std::string expected, Parse parse) {
    const auto rewrite = [expected = std::move(expected), parse](std::string& text) {
        if (text.empty() || parse_number<double>(text)) return std::string();
        const auto number = parse(text);
        if (!number) return fmt::format("expected {}, found \"{}\"", expected, text);
        text = fmt::format("{}", *number);
        return std::string();
    };
    return {rewrite, "", ""};
}

}  // namespace detail

/// An option of seconds takes times with units, too.
inline CLI::Option* as_time(CLI::Option* option) {
    return option->transform(detail::in_plain_numbers("a length of time such as 90 (seconds), 10m or 1h30m", parse_seconds))
        ->type_name("TIME");
}

/// An option of a probability, neither impossible nor certain, takes percent, too.
inline CLI::Option* as_probability(CLI::Option* option) {
    const std::string expected = "a probability between 0 and 1 such as 0.9 or 90%";
    return option->transform(detail::in_plain_numbers(expected, parse_probability))
        ->check(detail::is_number(expected, [](double number) { return number > 0 && number < 1; }));
}

/// An option of a share of a whole, `most` at most, takes percent, too.
inline CLI::Option* as_share(CLI::Option* option, double most = 1) {
    const auto expected = fmt::format("a share from 0 to {} such as 0.05 or 5%", most);
    return option->transform(detail::in_plain_numbers(expected, parse_probability))
        ->check(detail::is_number(expected, [most](double number) { return number >= 0 && number <= most; }));
}

/// An option of days takes other lengths of time, too.
inline CLI::Option* as_days(CLI::Option* option, double least, double most) {
    const auto days = [](std::string_view text) -> std::optional<double> {
        if (text.ends_with('w')) {
            const auto weeks = parse_number<double>(text.substr(0, text.size() - 1));
            return weeks ? std::optional(7 * *weeks) : std::nullopt;
        }
        const auto seconds = parse_seconds(text);
        return seconds ? std::optional(*seconds / 86400) : std::nullopt;
    };
    const auto expected = fmt::format("{} to {} days such as 30, 30d or 4w", least, most);
    return option->transform(detail::in_plain_numbers(expected, days))
        ->check(detail::is_number(expected, [least, most](double number) { return number >= least && number <= most; }))
        ->type_name("DAYS");
}

/// An option of a moment, in seconds since 1970, takes dates, too.
inline CLI::Option* as_moment(CLI::Option* option) {
    const auto rewrite = [](std::string& text) {
        const auto seconds = parse_start(text);
        if (!seconds)
            return fmt::format(
                "expected seconds since 1970, or a date such as 2026-01-31 or 2026-01-31T22:15Z, found \"{}\"", text);
        text = fmt::format("{}", *seconds);
        return std::string();
    };
    return option->transform(CLI::Validator(rewrite, "", ""))->type_name("TIME");
}

/// An option of whole megabytes takes sizes with units, too, and rounds them up.
inline CLI::Option* as_size(CLI::Option* option) {
    const auto whole_megabytes = [](std::string_view text) -> std::optional<std::uint64_t> {
        const auto megabytes = parse_megabytes(text);
        if (!megabytes || *megabytes > 1e15) return std::nullopt;
        return static_cast<std::uint64_t>(std::ceil(*megabytes));
    };
    return option->transform(detail::in_plain_numbers("a size such as 500 (MB), 32GB or 1.5TB", whole_megabytes))
        ->type_name("SIZE");
}

/// The one currency that all amounts of a command are in.
class currency {
public:
    /// The amount of "0.4" or "$0.40/h"; empty where the text is none. Error: wrong usage for a second currency.
    [[nodiscard]] std::optional<double> take(std::string_view text, bool rate) {
        const auto amount = parse_money(text, rate);
        if (!amount) return std::nullopt;
        if (name_.empty()) name_ = amount->currency;
        if (!amount->currency.empty() && amount->currency != name_)
            throw CLI::ValidationError(
                fmt::format("expected amounts in one currency, found {} beside {}", amount->currency, name_));
        return amount->amount;
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    std::string name_{};
};

/// An option of an amount of money, or of a price per hour, takes currencies, too; `all` must outlive the parsing.
inline CLI::Option* as_money(CLI::Option* option, currency& all, bool rate = false) {
    const auto take = [&all, rate](std::string_view text) { return all.take(text, rate); };
    return option
        ->transform(
            detail::in_plain_numbers(rate ? "a price per hour such as 0.4 or $0.40/h" : "an amount such as 12 or $12", take))
        ->type_name(rate ? "PRICE" : "AMOUNT");
}

inline void add_seed(CLI::App& app, std::uint64_t& seed) {
    app.add_option("--seed", seed, "Seed of everything random")->capture_default_str()->check(is_natural());
}

/// What is paid for beside the run: `--start-up` and `--billing`.
inline void add_paid_times(CLI::App& app, bellamy::price& costs) {
    as_time(app.add_option("--start-up", costs.start_up_s, "Time until the job begins; paid for and waited for")
                ->capture_default_str()
                ->check(is_not_negative()));
    as_time(app.add_option("--billing", costs.billing_granularity_s, "Length of a period that is paid in full once started")
                ->capture_default_str()
                ->check(is_not_negative()));
}

}  // namespace tools

#endif
