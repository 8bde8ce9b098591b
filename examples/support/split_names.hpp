// Names of one run each that differ in one place alone: most likely one application, whose runs no rule joins yet.
#ifndef BELLAMY_EXAMPLES_SPLIT_NAMES_HPP
#define BELLAMY_EXAMPLES_SPLIT_NAMES_HPP

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "printable.hpp"

namespace tools {

/// What several names have in common, and the rule of `--name` that leaves only that of them.
struct split_names {
    std::size_t names = 0;
    std::string common{};  // "begin with \"orders\""
    std::string rule{};
};

namespace detail {

inline constexpr std::string_view name_separators = "-_. /";

// What the rule leaves of a name, in words; empty where that is nothing or the whole name.
struct name_pattern {
    std::string (*kept)(std::string_view name);
    std::string_view rule;
};

[[nodiscard]] inline std::string quoted_name(std::string_view verb, std::string_view part) {
    return fmt::format("{} \"{}\"", verb, printable(std::string(part)));
}

[[nodiscard]] inline std::string kept_beginning(std::string_view name) {
    const auto end = name.find_last_of(name_separators);
    return end == name.npos || end == 0 ? std::string() : quoted_name("begin with", name.substr(0, end));
}

[[nodiscard]] inline std::string kept_before_digits(std::string_view name) {
    const auto last = name.find_last_not_of("0123456789");
    return last == name.npos || last + 1 == name.size() ? std::string()
                                                        : quoted_name("begin with", name.substr(0, last + 1));
}

[[nodiscard]] inline std::string kept_end(std::string_view name) {
    const auto first = name.find_first_of(name_separators);
    return first == name.npos || first + 1 == name.size() ? std::string() : quoted_name("end with", name.substr(first + 1));
}

[[nodiscard]] inline std::string kept_sides(std::string_view name) {
    const auto first = name.find_first_of(name_separators);
    const auto last = name.find_last_of(name_separators);
    if (first == last || first == 0 || last + 1 == name.size()) return {};
    return quoted_name("begin with", name.substr(0, first)) + quoted_name(" and end with", name.substr(last + 1));
}

inline constexpr std::array<name_pattern, 4> name_patterns{
    {{kept_beginning, "s|[-_. /][^-_. /]*$||"},
     {kept_before_digits, "s|[0-9]+$||"},
     {kept_end, "s|^[^-_. /]*[-_. /]||"},
     {kept_sides, "s|^([^-_. /]*)[-_. /].*[-_. /]([^-_. /]*)$|$1-$2|"}}};

}  // namespace detail

/// Of how many runs each application has. Three names are needed, and each is told once.
[[nodiscard]] inline std::vector<split_names> find_split_names(std::map<std::string, std::size_t> runs_of_application) {
    std::erase_if(runs_of_application, [](const auto& each) { return each.second != 1; });
    std::vector<split_names> found;
    for (const auto& pattern : detail::name_patterns) {
        std::map<std::string, std::size_t> alike;
        for (const auto& [name, runs] : runs_of_application)
            if (const auto common = pattern.kept(name); !common.empty()) ++alike[common];
        std::erase_if(alike, [](const auto& each) { return each.second < 3; });
        for (const auto& [common, names] : alike)
            found.push_back({.names = names, .common = common, .rule = std::string(pattern.rule)});
        std::erase_if(runs_of_application, [&](const auto& each) { return alike.contains(pattern.kept(each.first)); });
    }
    return found;
}

[[nodiscard]] inline std::string describe(const split_names& of) {
    return fmt::format(
        "{} that {} have one run each; one application by --name clean --name '{}', which is applied to all names", of.names,
        of.common, of.rule);
}

}  // namespace tools

#endif
