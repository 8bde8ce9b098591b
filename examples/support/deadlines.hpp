// Deadlines: whence they count, and a file of them by application.
#ifndef BELLAMY_EXAMPLES_DEADLINES_HPP
#define BELLAMY_EXAMPLES_DEADLINES_HPP

#include <fmt/format.h>
#include <bellamy/detail/base/nearest_name.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice.hpp"
#include "arguments.hpp"
#include "event_log/names.hpp"
#include "model_text.hpp"
#include "printable.hpp"
#include "table.hpp"
#include "units.hpp"

namespace tools {

/// A deadline of one application, and with what probability it must be met where that is stated.
struct own_deadline {
    double deadline_s = 0;
    std::optional<double> probability{};
};

class deadline_file {
public:
    /// Error: application_given_twice, with the line.
    void add(const std::string& application, const own_deadline& deadline, const std::string& where) {
        if (!by_application_.emplace(application, deadline).second)
            throw tool_error("application_given_twice",
                             fmt::format("expected one deadline for {}, found another in {}", application, where));
    }

    /// Null where the file has none.
    [[nodiscard]] const own_deadline* find(const std::string& application) const {
        const auto found = by_application_.find(application);
        return found == by_application_.end() ? nullptr : &found->second;
    }

    /// Applications that the history has no runs of.
    [[nodiscard]] std::vector<std::string> names_beside(const team_history& history) const {
        std::vector<std::string> names;
        for (const auto& entry : by_application_)
            if (std::none_of(history.applications.begin(), history.applications.end(),
                             [&](const auto& application) { return application.name == entry.first; }))
                names.push_back(entry.first);
        return names;
    }

private:
    std::map<std::string, own_deadline> by_application_{};
};

/// A table with the columns application, deadline (a time such as 600, 10m or 2h) and, if need be, probability.
/// Errors: those of `read_table`, unknown_column, not_a_time, not_a_number, application_given_twice.
[[nodiscard]] inline deadline_file read_deadlines(const std::string& path) {
    const auto read = read_table(path);
    for (const char* column : {"application", "deadline"})
        if (!read.find(column))
            throw tool_error("unknown_column", fmt::format("expected columns application and deadline in {}, found {}", path,
                                                           fmt::join(read.columns, ", ")));
    const auto application = read.column("application");
    const auto deadline = read.column("deadline");
    const auto probability = read.find("probability");
    deadline_file made;
    for (const auto& row : read.rows) {
        const auto where = read.where(row, deadline);
        const auto deadline_s = parse_seconds(row.cells[deadline]);
        if (!deadline_s || !(*deadline_s > 0))
            throw tool_error("not_a_time", fmt::format("expected a time > 0 such as 600, 10m or 2h in {}, found \"{}\"",
                                                       where, row.cells[deadline]));
        own_deadline own{.deadline_s = *deadline_s};
        if (probability && !row.cells[*probability].empty()) {
            const auto& text = row.cells[*probability];
            own.probability = parse_probability(text);
            if (!own.probability || !(*own.probability > 0 && *own.probability < 1))
                throw tool_error("not_a_number",
                                 fmt::format("expected a probability between 0 and 1 such as 0.9 or 90% in {}, found \"{}\"",
                                             read.where(row, *probability), text));
        }
        made.add(row.cells[application], own, where);
    }
    return made;
}

/// The request for all applications, with the deadline that a file states for this one.
[[nodiscard]] inline advice_request request_for(const std::string& application, advice_request wanted,
                                                const deadline_file& deadlines) {
    if (const auto* stated = deadlines.find(application)) {
        wanted.deadline_s = stated->deadline_s;
        wanted.probability = stated->probability.value_or(wanted.probability);
    }
    return wanted;
}

namespace detail {

/// "; did you mean daily?", where the history calls an application so, without dates and ids or with other letters.
[[nodiscard]] inline std::string application_meant(const std::string& name, const team_history& history) {
    std::vector<std::string> known;
    for (const auto& each : history.applications) known.push_back(each.name);
    const auto cleaned = event_log::clean_name(name);
    const bool is_cleaned = std::find(known.begin(), known.end(), cleaned) != known.end();
    const auto meant = is_cleaned ? cleaned : bellamy::detail::nearest_name(name, known);
    return meant.empty() ? "" : fmt::format("; did you mean {}?", printable(meant));
}

}  // namespace detail

/// Tells on standard error which applications of the file have no run in the history, but for those left out of advice.
/// Error: no_deadline_applies where that are all, or the file has none.
inline void require_a_deadline_applies(const team_history& history, const deadline_file& deadlines,
                                       const std::string& path) {
    const auto beside = deadlines.names_beside(history);
    const bool applies = std::any_of(history.applications.begin(), history.applications.end(),
                                     [&](const auto& each) { return deadlines.find(each.name) != nullptr; });
    if (!applies && beside.empty() && !path.empty())
        throw tool_error("no_deadline_applies",
                         fmt::format("expected a deadline for one of the {} of {}, found no row in {}",
                                     count(history.applications.size(), "application"), history.path, path));
    if (!applies && !beside.empty())
        throw tool_error(
            "no_deadline_applies",
            fmt::format("expected a deadline for one of the {} of {}, found deadlines of others only, such as {}{}",
                        count(history.applications.size(), "application"), history.path, beside.front(),
                        detail::application_meant(beside.front(), history)));
    for (const auto& name : beside)
        fmt::print(stderr, "{}: {} has no run in {} that is advised on{}\n", path, printable(name), history.path,
                   detail::application_meant(name, history));
}

/// Adds the option --deadline-from, which `to_deadline_start` understands.
inline void add_deadline_start(CLI::App& app, std::string& start) {
    app.add_option("--deadline-from", start,
                   "Whence deadlines count: submission, with the waits for the first executor that past runs had, or "
                   "first-executor")
        ->capture_default_str()
        ->check(is_one_of({"submission", "first-executor"}));
}

/// Adds --deadlines.
inline void add_deadlines(CLI::App& app, std::string& deadlines) {
    app.add_option("--deadlines", deadlines,
                   "Table of deadlines of applications: columns application, deadline and, if need be, probability; others "
                   "have --deadline");
}

/// Adds --deadline, --deadlines, --deadline-from, --probability and --least-saving.
inline void add_deadline_options(CLI::App& app, advice_request& wanted, std::string& deadlines, std::string& start) {
    as_time(app.add_option("--deadline", wanted.deadline_s,
                           "Time from submission to the result; by default what the size now meets with --probability")
                ->check(is_positive()));
    add_deadlines(app, deadlines);
    add_deadline_start(app, start);
    as_probability(
        app.add_option("--probability", wanted.probability, "With which the deadline must be met")->capture_default_str());
    as_share(app.add_option("--least-saving", wanted.least_saving,
                            "Share of the present hours that a change must save to be proposed where the size now meets the "
                            "deadline")
                 ->capture_default_str(),
             0.99);
}

[[nodiscard]] inline deadline_start to_deadline_start(std::string_view name) {
    return name == "submission" ? deadline_start::submission : deadline_start::first_executor;
}

}  // namespace tools

#endif
