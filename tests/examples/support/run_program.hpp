// Runs a program to its end and keeps its exit code and what it wrote.
#ifndef BELLAMY_TESTS_EXAMPLES_RUN_PROGRAM_HPP
#define BELLAMY_TESTS_EXAMPLES_RUN_PROGRAM_HPP

#include "../../support/temporary_directory.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace support {

struct finished_program {
    std::string command{};
    int exit_code = -1;  // minus the signal where one ended it
    std::string out{};
    std::string err{};
};

/// The first word is the program's path. Its standard output goes to `out_path` where that is given.
[[nodiscard]] inline finished_program run_program(std::vector<std::string> words, const std::string& out_path = {}) {
    const temporary_directory written;
    const auto out = out_path.empty() ? written / "out" : out_path;
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, (written / "err").c_str(), O_WRONLY | O_CREAT, 0600);
    pid_t child = 0;
    const int failed = posix_spawn(&child, arguments.front(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    REQUIRE_MESSAGE(failed == 0, "cannot run ", words.front());

    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    std::string command;
    for (const auto& word : words) command += word + ' ';
    return {.command = command,
            .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
            .out = out_path.empty() ? read_text(out) : std::string(),
            .err = read_text(written / "err")};
}

/// The same words after others.
[[nodiscard]] inline std::vector<std::string> operator+(std::vector<std::string> words,
                                                        const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Exit code 0 and nothing on standard error. Returns what was written.
inline std::string check_succeeds(const std::vector<std::string>& words) {
    const auto finished = run_program(words);
    CAPTURE(finished.command);
    CHECK(finished.exit_code == 0);
    CHECK(finished.err == "");
    return finished.out;
}

/// The exit code, and one line on standard error that contains the given words.
inline void check_fails(const finished_program& finished, int exit_code, const std::vector<std::string>& words) {
    CAPTURE(finished.command);
    CAPTURE(finished.err);
    CHECK(finished.exit_code == exit_code);
    CHECK(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
    CHECK(finished.err.ends_with('\n'));
    for (const auto& word : words) CHECK_MESSAGE(finished.err.find(word) != std::string::npos, "no \"", word, "\"");
}

/// Bad input: exit code 1, and the line names the code and says what was expected and found.
inline void check_refused(const finished_program& finished, const std::string& code, std::vector<std::string> words = {}) {
    check_fails(finished, 1, std::move(words) + std::vector<std::string>{": " + code + ": ", "expected ", "found"});
}

/// Wrong usage: exit code 2, and the line says where help is.
inline void check_wrong_usage(const finished_program& finished, const std::vector<std::string>& words = {}) {
    check_fails(finished, 2, words + std::vector<std::string>{"--help"});
}

}  // namespace support

#endif
