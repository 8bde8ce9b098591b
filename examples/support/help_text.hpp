// The help of a command on a terminal of 80 columns: what is used most, or all of it.
#ifndef BELLAMY_EXAMPLES_HELP_TEXT_HPP
#define BELLAMY_EXAMPLES_HELP_TEXT_HPP

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

/// The group of the options that `--help` shows; `--help-all` shows the others too.
inline constexpr const char* essential_group = "essential";

/// Names of options of `app`, in the order in which its help shows them.
inline void set_essential(CLI::App& app, std::initializer_list<const char*> names) {
    int number = 10;  // groups sort as the names stand
    for (const char* name : names) app.get_option(name)->group(fmt::format("{}{}", essential_group, number++));
}

namespace detail {

/// Lines of at most `width` characters, broken at blanks.
[[nodiscard]] inline std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find(' ', begin), text.size());
        const auto word = text.substr(begin, end - begin);
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
        if (!word.empty()) lines.back() += (lines.back().empty() ? "" : " ") + std::string(word);
        begin = end + 1;
    }
    return lines;
}

/// "--deadline TIME"; CLI11 appends the values that are allowed behind a colon.
[[nodiscard]] inline std::string spelled(const CLI::Option& option) {
    if (option.get_positional()) return option.get_name();
    auto name = option.get_name(false, true);
    auto type = option.get_type_name();
    type = type.substr(0, type.find(':'));
    if (type == "FLOAT") type = "NUMBER";
    if (type == "UINT" || type == "INT") type = "N";
    return option.get_expected_min() == 0 || type.empty() ? name : name + " " + type;
}

[[nodiscard]] inline std::string described(const CLI::Option& option) {
    const auto& usual = option.get_default_str();
    const bool shows = !usual.empty() && option.get_expected_min() > 0;
    return option.get_description() + (shows ? fmt::format(" [{}]", usual) : "");
}

}  // namespace detail

/// Purpose, usage, options (those of the essential group, or all) and the footer.
[[nodiscard]] inline std::string help_text(const CLI::App& app, bool all) {
    constexpr std::size_t width = 80;
    constexpr std::size_t column = 26;
    const auto options = app.get_options();
    const auto is_essential = [](const CLI::Option* option) { return option->get_group().starts_with(essential_group); };
    if (std::none_of(options.begin(), options.end(), is_essential)) all = true;

    std::string usage = "Usage: " + app.get_name();
    for (const auto* option : options) {
        if (option->get_positional()) {
            const auto name = option->get_name() + (option->get_expected_max() > 1 ? "..." : "");
            usage += option->get_required() ? " " + name : " [" + name + "]";
        }
    }
    std::string text;
    for (const auto& line : detail::wrapped(app.get_description(), width)) text += line + "\n";
    text += "\n" + usage + " [OPTION]...\n\n";

    std::vector<const CLI::Option*> shown;
    for (const auto* option : options)
        if (is_essential(option)) shown.push_back(option);
    std::sort(shown.begin(), shown.end(), [](const auto* a, const auto* b) { return a->get_group() < b->get_group(); });
    for (const auto* option : options)
        if (all && !is_essential(option)) shown.push_back(option);
    for (const auto* option : shown) {
        const auto name = "  " + detail::spelled(*option);
        const bool fits = name.size() + 2 <= column;
        text += fits ? fmt::format("{:<{}}", name, column) : name + "\n" + std::string(column, ' ');
        const auto lines = detail::wrapped(detail::described(*option), width - column);
        for (std::size_t i = 0; i < lines.size(); ++i) text += (i > 0 ? std::string(column, ' ') : "") + lines[i] + "\n";
    }
    if (shown.size() < options.size()) text += fmt::format("\nAll options: {} --help-all\n", app.get_name());
    if (all && !app.get_footer().empty()) text += "\n" + app.get_footer() + "\n";
    return text;
}

}  // namespace tools

#endif
