// The program `bellamy`: finds the command that is meant and runs it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/detail/base/nearest_name.hpp>
#include <bellamy/version.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../support/program.hpp"
#include "../support/tool_error.hpp"
#include "command.hpp"
#include "completion.hpp"
#include "guide.hpp"

namespace {

[[nodiscard]] const tools::command* find_command(std::string_view name) {
    const auto named =
        std::find_if(tools::commands.begin(), tools::commands.end(), [&](const auto& each) { return each.name == name; });
    return named == tools::commands.end() ? nullptr : &*named;
}

[[nodiscard]] bool has_option(const tools::command& command, const std::string& option) {
    CLI::App app;
    const auto body = command.declare(app);
    return app.get_option_no_throw(option) != nullptr;
}

// An option of other commands than `besides`, as a sentence; empty where none has it.
[[nodiscard]] std::string owners_of(const std::string& option, std::string_view besides = {}) {
    std::vector<std::string> owners;
    for (const auto& command : tools::commands)
        if (command.name != besides && has_option(command, option))
            owners.push_back(fmt::format("bellamy {}", command.name));
    if (owners.empty()) return {};
    return fmt::format("{} is an option of {}{}", option, fmt::join(owners, ", "),
                       besides.empty() ? "" : fmt::format(", not of bellamy {}", besides));
}

[[nodiscard]] int run_command(const tools::command& command, int argc, const char* const* argv) {
    CLI::App app("", fmt::format("bellamy {}", command.name));
    const auto body = command.declare(app);
    return tools::run_program(app, argc, argv, body,
                              [&](const std::string& option) { return owners_of(option, command.name); });
}

// What to type in place of a word that is no command: names that programs had before they were commands, too.
[[nodiscard]] std::string instead_of(std::string word) {
    if (word.starts_with("bellamy-")) word.erase(0, 8);
    std::replace(word.begin(), word.end(), '-', '_');
    if (word == "import_logs") return "its new name is bellamy import";
    if (find_command(word) != nullptr) return fmt::format("its new name is bellamy {}", word);
    if (word == "pretrain_mpi" || word == "pretrain_enel_mpi") return word + " is a program of its own, for mpirun";
    std::vector<std::string> names{"completion", "help"};
    for (const auto& command : tools::commands) names.emplace_back(command.name);
    const auto known = bellamy::detail::nearest_name(word, names);
    return known.empty() ? "" : fmt::format("did you mean bellamy {}?", known);
}

[[nodiscard]] int refuse(const std::string& word) {
    // No command has a dot: "history.csv" is meant as a file.
    if (!word.starts_with('-') && word.find_first_of("/.") != std::string::npos)
        throw tools::tool_error("cannot_read",
                                fmt::format("expected a command, or a file or folder, found nothing at {}", word));
    if (word.starts_with('-')) {
        const auto owners = owners_of(word.substr(0, word.find('=')));
        const auto known = bellamy::detail::nearest_name(word, {"--help", "--help-all", "--version"});
        const auto meant = known.empty() ? "" : fmt::format("; did you mean {}?", known);
        return tools::report_wrong_usage("bellamy",
                                         owners.empty() ? fmt::format("unknown option {}{}", word, meant) : owners);
    }
    const auto instead = instead_of(word);
    return tools::report_wrong_usage("bellamy",
                                     fmt::format("unknown command \"{}\"{}{}", word, instead.empty() ? "" : "; ", instead));
}

[[nodiscard]] bool exists(const std::string& path) {
    std::error_code unknown;
    return std::filesystem::exists(path, unknown);
}

void print_help_of_completion() {
    fmt::print(
        "bellamy completion bash|zsh: a script for the shell to source, such as\n"
        "  source <(bellamy completion bash)\n");
}

// Of the words behind "help": options that ask for help may stand among them.
[[nodiscard]] int run_help(std::vector<std::string> words, const char* program) {
    const bool all = std::erase(words, "--help-all") > 0;
    std::erase(words, "--help");
    std::erase(words, "-h");
    if (words.empty() || words[0] == "help") {
        fmt::print("{}", tools::program_help());
        return 0;
    }
    if (words[0] == "completion") {
        print_help_of_completion();
        return 0;
    }
    const auto* command = find_command(words[0]);
    if (command == nullptr) return refuse(words[0]);
    const std::vector<const char*> help{program, all ? "--help-all" : "--help"};
    return run_command(*command, 2, help.data());
}

[[nodiscard]] int run(int argc, const char* const* argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (words.empty()) {
        fmt::print("{}\n{}", tools::program_help(), tools::next_steps(".").text);
        return 0;
    }
    const auto& first = words.front();
    if (const auto* command = find_command(first)) return run_command(*command, argc - 1, argv + 1);
    if (first == "help") return run_help({words.begin() + 1, words.end()}, argv[0]);
    if (first == "-h" || first == "--help" || first == "--help-all") {
        fmt::print("{}", tools::program_help());
    } else if (first == "--version" || first == "-V" || first == "version") {
        fmt::print("bellamy {}\n", BELLAMY_VERSION);
    } else if (first == "completion" && words.size() == 2 && (words[1] == "--help" || words[1] == "-h")) {
        print_help_of_completion();
    } else if (first == "completion") {
        fmt::print("{}", tools::completion_script(words.size() == 2 ? words[1] : ""));
    } else if (words.size() == 1 && exists(first) && instead_of(first).find("new name") == std::string::npos) {
        const auto next = tools::next_steps(first);
        fmt::print(next.has_input ? stdout : stderr, "{}", next.text);
        return next.has_input ? 0 : 1;
    } else {
        return refuse(first);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int code = run(argc, argv);
        tools::flush_output();
        return code;
    } catch (const std::exception& problem) {
        if (std::string_view(problem.what()).starts_with("invalid_option: "))
            return tools::report_wrong_usage("bellamy", problem.what());
        tools::report("bellamy", problem.what());
        return 1;
    }
}
