// The option --name of all commands that read runs: how names of applications lose what differs from run to run.
#ifndef BELLAMY_EXAMPLES_NAME_RULES_HPP
#define BELLAMY_EXAMPLES_NAME_RULES_HPP

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "event_log/names.hpp"

namespace tools {

/// Declares --name.
inline void add_name_rules(CLI::App& app, std::vector<std::string>& rules) {
    add_repeatable(app, "--name", rules,
                   "How names of applications lose what differs from run to run: clean (dates, times, ids and attempt "
                   "numbers go; the default), exact, or s/REGEX/TEXT/; repeatable, applied in order; a name of which "
                   "nothing would be left stays");
}

/// Error: invalid_option.
[[nodiscard]] inline event_log::name_rule to_name_rule(const std::vector<std::string>& rules) {
    event_log::name_rule naming;
    for (const auto& rule : rules) naming.add(rule);
    return naming;
}

}  // namespace tools

#endif
