// What every example program does with its command line, its errors and its exit code.
#ifndef BELLAMY_EXAMPLES_PROGRAM_HPP
#define BELLAMY_EXAMPLES_PROGRAM_HPP

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "printable.hpp"
#include "tool_error.hpp"

namespace tools {

namespace detail {

// Messages quote file names and cells, which may hold line ends and other control characters.
inline void report(const std::string& program, const std::string& message) {
    fmt::print(stderr, "{}: {}\n", program, printable(message));
}

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

inline int report_wrong_usage(const std::string& program, const std::string& problem) {
    report(program, fmt::format("{} (see {} --help)", problem, program));
    return 2;
}

// An option of several values takes all that follows it, a file too that was meant for the program itself.
[[nodiscard]] inline std::string missing_argument(const CLI::App& app, const CLI::RequiredError& problem) {
    for (const auto* option : app.get_options())
        if (!option->get_positional() && option->get_expected_max() > 1 && option->count() > 1)
            return fmt::format("{}; put it before {}, which takes all values that follow", problem.what(),
                               option->get_name());
    return problem.what();
}

}  // namespace detail

/// The exit code of an answer that keeps no limit, so that a script does not submit it unawares.
inline constexpr int infeasible = 4;

/// Parses the command line and runs `body`. Returns the exit code: that of `body` where it has one, else 0; 1 for bad input,
/// 2 for wrong usage, such as an option without a value or out of its range; both with one line on standard error.
template <class Body>
[[nodiscard]] int run_program(CLI::App& app, int argc, char** argv, const Body& body) {
    try {
        app.parse(argc, argv);
        detail::require_values(app);
        int code = 0;
        if constexpr (std::is_void_v<std::invoke_result_t<const Body&>>) {
            body();
        } else {
            code = body();
        }
        if (std::fflush(stdout) != 0) throw tool_error("cannot_write", "expected room on standard output, found none");
        return code;
    } catch (const CLI::RequiredError& problem) {
        return detail::report_wrong_usage(app.get_name(), detail::missing_argument(app, problem));
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) return app.exit(problem);  // --help
        return detail::report_wrong_usage(app.get_name(), problem.what());
    } catch (const std::exception& problem) {
        if (detail::is_wrong_usage(problem)) return detail::report_wrong_usage(app.get_name(), problem.what());
        detail::report(app.get_name(), problem.what());
        return 1;
    }
}

}  // namespace tools

#endif
