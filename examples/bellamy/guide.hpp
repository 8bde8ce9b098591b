// What the program says where no command was given: its help, and what to do with the files at hand.
#ifndef BELLAMY_EXAMPLES_GUIDE_HPP
#define BELLAMY_EXAMPLES_GUIDE_HPP

#include <string>

namespace tools {

/// All commands, units and exit codes, on one screen.
[[nodiscard]] std::string program_help();

/// The next commands to type.
struct steps {
    std::string text{};
    bool has_input = false;  // event logs, a history or models
};

/// For a folder or a file: for event logs, histories or models found there, else the first steps.
[[nodiscard]] steps next_steps(const std::string& path);

}  // namespace tools

#endif
