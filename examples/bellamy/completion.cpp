#include "completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "../support/tool_error.hpp"
#include "command.hpp"

namespace tools {

namespace {

struct known_option {
    std::string name;
    std::string description;
    std::vector<std::string> values;  // those that are allowed; empty where any may be
};

// CLI11 tells allowed values as "TEXT:{a,b}".
[[nodiscard]] std::vector<std::string> allowed_values(const CLI::Option& option) {
    const auto type = option.get_type_name();
    const auto begin = type.find(":{");
    const auto end = type.rfind('}');
    if (begin == type.npos || end == type.npos) return {};
    return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

[[nodiscard]] std::vector<known_option> options_of(const command& one) {
    CLI::App app;
    const auto body = one.declare(app);
    std::vector<known_option> options{{"--help", "Print the options used most", {}},
                                      {"--help-all", "Print all options", {}}};
    for (const auto* option : app.get_options())
        if (!option->get_positional() && option->get_name() != "--help")
            options.push_back({option->get_name(), option->get_description(), allowed_values(*option)});
    return options;
}

[[nodiscard]] std::string names_of(const std::vector<known_option>& options) {
    std::vector<std::string> names;
    for (const auto& option : options) names.push_back(option.name);
    return fmt::format("{}", fmt::join(names, " "));
}

[[nodiscard]] std::string bash_script() {
    std::vector<std::string> names;
    std::string cases;
    for (const auto& each : commands) {
        names.emplace_back(each.name);
        const auto options = options_of(each);
        for (const auto& option : options)
            if (!option.values.empty())
                cases += fmt::format("        \"{} {}\") words=\"{}\" ;;\n", each.name, option.name,
                                     fmt::join(option.values, " "));
        cases += fmt::format("        \"{} \"*) [[ $word != -* ]] || words=\"{}\" ;;\n", each.name, names_of(options));
    }
    return fmt::format(
        "# Completion of bellamy in bash: source <(bellamy completion bash)\n"
        "# Where it offers no words, bash offers files.\n"
        "_bellamy() {{\n"
        "    local word=${{COMP_WORDS[COMP_CWORD]}} words=\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        words=\"{0} completion help --help --version\"\n"
        "    else\n"
        "        case \"${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}}\" in\n"
        "{1}"
        "        \"completion \"*) words=\"bash zsh\" ;;\n"
        "        \"help \"*) words=\"{0} completion\" ;;\n"
        "        esac\n"
        "    fi\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "}}\n"
        "complete -o default -F _bellamy bellamy\n",
        fmt::join(names, " "), cases);
}

// For a list of _describe: 'name:description' in single quotes.
[[nodiscard]] std::string zsh_item(const std::string& name, std::string description) {
    std::string text;
    for (const char c : description) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return fmt::format("'{}:{}'", name, text);
}

[[nodiscard]] std::string zsh_script() {
    std::vector<std::string> names;
    std::string cases;
    for (const auto& each : commands) {
        names.push_back(zsh_item(std::string(each.name), std::string(each.purpose)));
        std::vector<std::string> items;
        for (const auto& option : options_of(each)) {
            items.push_back(zsh_item(option.name, option.description));
            if (!option.values.empty())
                cases +=
                    fmt::format("        '{} {}') values=({}) ;;\n", each.name, option.name, fmt::join(option.values, " "));
        }
        cases += fmt::format("        '{} '*) options=({}) ;;\n", each.name, fmt::join(items, " "));
    }
    return fmt::format(
        "#compdef bellamy\n"
        "# Completion of bellamy in zsh: source <(bellamy completion zsh)\n"
        "_bellamy() {{\n"
        "    local -a commands options values\n"
        "    commands=({} 'completion:Print the completion script for bash or zsh')\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "        _files\n"
        "        return\n"
        "    fi\n"
        "    case \"$words[2] $words[CURRENT-1]\" in\n"
        "{}"
        "        'completion '*) values=(bash zsh) ;;\n"
        "        'help '*) _describe command commands; return ;;\n"
        "    esac\n"
        "    if (( $#values )); then\n"
        "        compadd -- $values\n"
        "    elif [[ $PREFIX == -* ]]; then\n"
        "        _describe -o option options\n"
        "    else\n"
        "        _files\n"
        "    fi\n"
        "}}\n"
        "compdef _bellamy bellamy\n",
        fmt::join(names, " "), cases);
}

}  // namespace

std::string completion_script(const std::string& shell) {
    if (shell == "bash") return bash_script();
    if (shell == "zsh") return zsh_script();
    throw tool_error("invalid_option", fmt::format("expected completion bash or completion zsh, found \"{}\"", shell));
}

}  // namespace tools
