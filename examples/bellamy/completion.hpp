// Completion of commands, options and their values in a shell.
#ifndef BELLAMY_EXAMPLES_COMPLETION_HPP
#define BELLAMY_EXAMPLES_COMPLETION_HPP

#include <string>

namespace tools {

/// A script for the shell to source. Error: invalid_option for another shell than bash and zsh.
[[nodiscard]] std::string completion_script(const std::string& shell);

}  // namespace tools

#endif
