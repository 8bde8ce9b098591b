// What every example program does with its command line, its errors and its exit code.
#ifndef BELLAMY_EXAMPLES_PROGRAM_HPP
#define BELLAMY_EXAMPLES_PROGRAM_HPP

#include <fmt/format.h>
#include <bellamy/detail/base/nearest_name.hpp>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "help_text.hpp"
#include "printable.hpp"
#include "tool_error.hpp"
#include "units.hpp"

namespace tools {

/// The exit code of an answer that keeps no limit, so that a script does not submit it unawares.
inline constexpr int infeasible = 4;

/// Says of an option that a program does not know which other one has it; empty where none has.
using owner_of_option = std::function<std::string(const std::string& option)>;

// Messages quote file names and cells, which may hold line ends and other control characters.
inline void report(const std::string& program, const std::string& message) {
    fmt::print(stderr, "{}: {}\n", program, printable(message));
}

inline int report_wrong_usage(const std::string& program, const std::string& problem) {
    report(program, fmt::format("{} (see {} --help)", problem, program));
    return 2;
}

/// Error: cannot_write where standard output is full.
inline void flush_output() {
    if (std::fflush(stdout) != 0) throw tool_error("cannot_write", "expected room on standard output, found none");
}

namespace detail {

// A variable of a shell that is not set would otherwise make its option one that was not given, or the number 0.
inline void require_values(const CLI::App& app) {
    for (const auto* option : app.get_options())
        for (const auto& value : option->results())
            if (value.empty() && option->get_expected_min() > 0)
                throw CLI::ValidationError(option->get_name(), "expected a value, found \"\"");
}

// The library and readers of options call an option so that is out of its range.
[[nodiscard]] inline bool is_wrong_usage(const std::exception& problem) {
    return std::string_view(problem.what()).starts_with("invalid_option: ");
}

// An option of several values takes all that follows it, a file too that was meant for the program itself.
[[nodiscard]] inline std::string missing_argument(const CLI::App& app, const CLI::RequiredError& problem) {
    for (const auto* option : app.get_options())
        if (!option->get_positional() && option->get_expected_max() > 1 && option->count() > 1)
            return fmt::format("{}; put it before {}, which takes all values that follow", problem.what(),
                               option->get_name());
    return problem.what();
}

[[nodiscard]] inline std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* option : app.get_options())
        if (!option->get_positional()) names.push_back(option->get_name());
    return names;
}

// "--deadline 10 minutes" is a value and a word too many.
[[nodiscard]] inline std::string unexpected_word(const CLI::App& app, const CLI::ExtrasError& problem) {
    for (const auto& word : app.remaining())
        if (is_unit(word))
            return fmt::format("expected a number and its unit as one word, such as 10m or 32GB, found \"{}\" by itself",
                               word);
    return problem.what();
}

/// What to say of the first option that the program does not have; empty where it has all that were given.
[[nodiscard]] inline std::string unknown_option(const CLI::App& app, const owner_of_option& owner) {
    for (const auto& word : app.remaining()) {
        const auto name = word.substr(0, word.find('='));
        if (name.size() < 2 || !name.starts_with('-') || name == "--") continue;
        if (auto sentence = owner ? owner(name) : std::string(); !sentence.empty()) return sentence;
        const auto known = bellamy::detail::nearest_name(name, option_names(app));
        return fmt::format("unknown option {}{}", name, known.empty() ? "" : fmt::format("; did you mean {}?", known));
    }
    return {};
}

}  // namespace detail

/// Parses the command line and runs `body`. Returns the exit code: that of `body` where it has one, else 0; 1 for bad input,
/// 2 for wrong usage, such as an option without a value or out of its range; both with one line on standard error.
template <class Body>
[[nodiscard]] int run_program(CLI::App& app, int argc, const char* const* argv, const Body& body,
                              const owner_of_option& owner = {}) {
    app.set_help_flag("-h,--help", "Print the options used most");
    app.set_help_all_flag("--help-all", "Print all options");
    const auto wrong_usage = [&](const std::string& problem) {
        const auto unknown = detail::unknown_option(app, owner);
        return report_wrong_usage(app.get_name(), unknown.empty() ? problem : unknown);
    };
    try {
        app.parse(argc, argv);
        detail::require_values(app);
        int code = 0;
        if constexpr (std::is_void_v<std::invoke_result_t<const Body&>>) {
            body();
        } else {
            code = body();
        }
        flush_output();
        return code;
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}", help_text(app, false));
        return 0;
    } catch (const CLI::CallForAllHelp&) {
        fmt::print("{}", help_text(app, true));
        return 0;
    } catch (const CLI::RequiredError& problem) {
        return wrong_usage(detail::missing_argument(app, problem));
    } catch (const CLI::ExtrasError& problem) {
        return wrong_usage(detail::unexpected_word(app, problem));
    } catch (const CLI::ParseError& problem) {
        return wrong_usage(problem.what());
    } catch (const std::exception& problem) {
        if (detail::is_wrong_usage(problem)) return wrong_usage(problem.what());
        report(app.get_name(), problem.what());
        return 1;
    }
}

}  // namespace tools

#endif
