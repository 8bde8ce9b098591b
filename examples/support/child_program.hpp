// Runs another program on some input and keeps what it prints.
#ifndef BELLAMY_EXAMPLES_CHILD_PROGRAM_HPP
#define BELLAMY_EXAMPLES_CHILD_PROGRAM_HPP

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "tool_error.hpp"

namespace tools {

namespace detail {

// A file without a name, which is gone when it is closed.
using nameless_file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[nodiscard]] inline nameless_file make_nameless_file() {
    nameless_file made(std::tmpfile(), &std::fclose);
    if (!made)
        throw tool_error("cannot_write", fmt::format("expected room for a temporary file, found: {}",
                                                     std::generic_category().message(errno)));
    return made;
}

[[nodiscard]] inline std::string read_from_start(std::FILE* file) {
    std::rewind(file);
    std::string contents;
    std::string block(1U << 16U, '\0');
    while (const auto size = std::fread(block.data(), 1, block.size(), file)) contents.append(block, 0, size);
    return contents;
}

}  // namespace detail

/// What the program of that name, found on the PATH, writes to its standard output when it reads `input`. `package` tells
/// in an error where to get it. Errors: missing_program, program_failed, cannot_write.
[[nodiscard]] inline std::string run_on(const std::string& program, std::string_view input, std::string_view package) {
    const auto in = detail::make_nameless_file();
    const auto out = detail::make_nameless_file();
    const auto err = detail::make_nameless_file();
    if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() || std::fflush(in.get()) != 0)
        throw tool_error("cannot_write", fmt::format("expected room for the input of {}, found none", program));
    std::rewind(in.get());

    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fileno(in.get()), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(out.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(err.get()), STDERR_FILENO);
    std::string name = program;
    char* const words[] = {name.data(), nullptr};
    pid_t child = 0;
    const int failed = posix_spawnp(&child, program.c_str(), &files, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0)
        throw tool_error("missing_program", fmt::format("expected the program {} on the PATH ({}), found: {}", program,
                                                        package, std::generic_category().message(failed)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw tool_error("program_failed",
                         fmt::format("expected {} to succeed, found: {}", program, detail::read_from_start(err.get())));
    return detail::read_from_start(out.get());
}

}  // namespace tools

#endif
