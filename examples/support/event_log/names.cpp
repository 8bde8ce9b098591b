#include "names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "../tool_error.hpp"

namespace tools::event_log {

namespace {

constexpr std::size_t longest_name = 512;  // std::regex recurses for every character
constexpr char removed = '\x01';

[[nodiscard]] std::string cut(std::string_view text) {
    auto size = (std::min)(text.size(), longest_name);
    while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    return std::string(text.substr(0, size));
}

// Each one between characters that are neither letters nor digits.
const std::vector<std::regex>& patterns() {
    static const auto made = [] {
        const std::string date = "(?:19|20)[0-9]{2}([-_./])(?:0?[1-9]|1[0-2])\\2(?:3[01]|[12][0-9]|0?[1-9])";
        const std::string time =
            "(?:[T _-]+[0-2]?[0-9][-:_.h]?[0-5][0-9](?:[-:_.m]?[0-5][0-9](?:[.,][0-9]+)?)?"
            "(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?";
        const std::array<std::string, 13> all{
            "[0-9]{7}-[0-9]{15}-oozie-[a-z]{1,4}-[WCB]",  // workflows, coordinators and bundles of Oozie
            "[sj]-(?=[A-Z]*[0-9])[0-9A-Z]{11,14}",        // steps and clusters of EMR
            "jr_[0-9a-f]{64}",                            // runs of Glue jobs
            "(?:application|job|attempt|appattempt|task)_[0-9]{10,}(?:_[0-9]+)+",
            "(?:app-[0-9]{14}-[0-9]{4,}|local-[0-9]{10,}|spark-[0-9a-f]{32})",
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            date + time,
            "(?:19|20)[0-9]{2}([-_/])(?:0[1-9]|1[0-2])",                                         // a month
            "(?:3[01]|[12][0-9]|0?[1-9])([-_./])(?:0?[1-9]|1[0-2])\\2(?:19|20)[0-9]{2}" + time,  // the day first
            "(?:19|20)[0-9]{6}" + time,
            "[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?",
            "(?:attempt|retry|try|run|rerun)[ _#:-]*[0-9]+",
            "(?:[0-9]{8,}|(?=[0-9a-f]*[0-9])[0-9a-f]{8,})"};
        std::vector<std::regex> compiled;
        for (const auto& each : all)
            compiled.emplace_back("(^|[^A-Za-z0-9])(?:" + each + ")(?![A-Za-z0-9])",
                                  std::regex::ECMAScript | std::regex::icase | std::regex::optimize);
        return compiled;
    }();
    return made;
}

// Random letters and digits, as against a word, a number or a size: "x9k2m4qz", not "version2", "100users" or "sf1000gb".
[[nodiscard]] bool is_random(std::string_view word) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t changes = 0;
    for (std::size_t i = 1; i < word.size(); ++i)
        if (is_digit(word[i]) != is_digit(word[i - 1])) ++changes;
    if (changes < 2) return false;
    const auto first_digit = word.find_first_of("0123456789");
    const auto behind = word.find_first_not_of("0123456789", first_digit);
    const bool is_size = changes == 2 && first_digit >= 1 && first_digit <= 3 && word.size() - behind <= 2;
    return !is_size;
}

constexpr std::string_view of_kubernetes = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::string_view of_airflow = "abcdefghijklmnopqrstuvwxyz0123456789";

// Where the '-' before an end of so many of these characters is; npos where the name has no such end.
[[nodiscard]] std::size_t end_of(std::string_view name, std::size_t least, std::size_t most, std::string_view alphabet) {
    const auto dash = name.rfind('-');
    if (dash == name.npos || dash == 0) return name.npos;
    const auto end = name.substr(dash + 1);
    const bool fits = end.size() >= least && end.size() <= most && end.find_first_not_of(alphabet) == end.npos;
    return fits ? dash : name.npos;
}

// The random end that Airflow ('-' and 8 letters and digits) or Kubernetes (5 of those that spell no words) gives a name.
void take_random_end(std::string& name) {
    const auto take = [&](std::size_t least, std::size_t most, std::string_view alphabet) {
        const auto dash = end_of(name, least, most, alphabet);
        const bool found = dash != name.npos && is_random(std::string_view(name).substr(dash + 1));
        if (found) name.resize(dash);
        return found;
    };
    if (take(8, 8, of_airflow)) return;
    if (take(5, 5, of_kubernetes)) (void)take(8, 10, of_kubernetes);  // of a pod, and of its replica set
}

// Livy numbers what it is given no name for.
[[nodiscard]] std::string without_livy_number(const std::string& name) {
    static const std::regex numbered("(^|[^A-Za-z0-9])(livy-(?:batch|session))-[0-9]+(?:-[0-9A-Za-z]{8})?(?![A-Za-z0-9])");
    return std::regex_replace(name, numbered, "$1$2");
}

// One in a hundred steps and clusters of EMR has no digit in its number: capitals tell it from a word then.
[[nodiscard]] std::string without_capitals_of_emr(const std::string& name) {
    static const std::regex numbered("(^|[^A-Za-z0-9])[sj]-[A-Z]{13}(?![A-Za-z0-9])");
    return std::regex_replace(name, numbered, std::string("$1") + removed);
}

[[nodiscard]] bool is_separator(char c) { return std::string_view(" _-.:#,;|/@").find(c) != std::string_view::npos; }

// One separator stays where something was taken from between two words.
[[nodiscard]] std::string close_gaps(const std::string& text) {
    std::string closed;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != removed) {
            closed += text[i];
            continue;
        }
        std::string before;
        while (!closed.empty() && is_separator(closed.back())) {
            before.insert(before.begin(), closed.back());
            closed.pop_back();
        }
        std::string behind;
        while (i + 1 < text.size() && (text[i + 1] == removed || is_separator(text[i + 1])))
            if (text[++i] != removed) behind += text[i];
        const bool at_end = closed.empty() || i + 1 == text.size();
        if (!closed.empty() && i + 1 < text.size() &&
            std::string_view("([{").find(closed.back()) != std::string_view::npos &&
            std::string_view(")]}").find(text[i + 1]) != std::string_view::npos) {
            closed.pop_back();  // empty brackets
            ++i;
            while (!closed.empty() && is_separator(closed.back()) && i + 1 == text.size()) closed.pop_back();
            continue;
        }
        if (!at_end) closed += before.empty() ? behind.substr(0, 1) : before.substr(before.size() - 1);
    }
    return closed;
}

[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = (std::min)(text.find(' ', at), text.size());
        if (end > at) words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

[[nodiscard]] std::string joined_words(const std::vector<std::string_view>& words) {
    std::string made;
    for (const auto& each : words) made.append(made.empty() ? "" : " ").append(each);
    return made;
}

// The command has lost its quotes, so that values of options may be several words: the program is known by its file.
[[nodiscard]] bool is_program(std::string_view word) {
    constexpr std::array<std::string_view, 8> ends{".jar", ".py",         ".R",           ".r",
                                                   ".egg", "spark-shell", "sparkr-shell", "spark-internal"};
    return word.find('=') == word.npos &&
           std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return word.ends_with(end); });
}

}  // namespace

std::string clean_name(std::string_view name) {
    const auto original = cut(name);
    auto text = original;
    std::erase(text, removed);
    text = without_livy_number(text);
    take_random_end(text);
    text = without_capitals_of_emr(text);
    for (const auto& each : patterns()) text = std::regex_replace(text, each, std::string("$1") + removed);
    text = close_gaps(text);
    take_random_end(text);  // of a workflow of Argo, whose pods end in a number behind it
    return text.find_first_not_of(" _-.:") == text.npos ? original : text;
}

std::optional<name_before_end> before_random_end(std::string_view name) {
    const auto number = end_of(name, 8, 20, "0123456789");
    name = name.substr(0, number);
    for (const bool is_pod : {false, true}) {
        const auto dash = is_pod ? end_of(name, 5, 5, of_kubernetes) : end_of(name, 8, 8, of_airflow);
        if (dash != name.npos)
            return name_before_end{
                .name = name.substr(0, dash), .of_pod = is_pod, .is_certain = is_random(name.substr(dash + 1))};
    }
    return std::nullopt;
}

std::string arguments_of(std::string_view java_command) {
    const auto words = words_of(java_command);
    if (words.empty()) return {};
    if (words.front().find("ApplicationMaster") != std::string_view::npos) {
        std::vector<std::string_view> found;
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
            if (words[i] == "--arg") found.push_back(words[++i]);
        return joined_words(found);
    }
    if (!words.front().ends_with("SparkSubmit")) return {};
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i].starts_with("--")) {
            ++i;
        } else if (is_program(words[i])) {
            return joined_words({words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()});
        }
    }
    return {};
}

std::string main_class_of(std::string_view java_command) {
    const auto words = words_of(java_command);
    if (words.empty()) return {};
    const auto launcher = words.front();
    if (launcher.ends_with("DriverWrapper")) return words.size() > 3 ? std::string(words[3]) : std::string();
    if (!launcher.ends_with("SparkSubmit") && launcher.find("ApplicationMaster") == launcher.npos)
        return std::string(launcher);
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "--class" && i + 1 < words.size()) return std::string(words[i + 1]);
        if (is_program(words[i])) return std::string(words[i]);
        const bool is_flag = words[i] == "--verbose" || words[i] == "--supervise";
        const bool has_value =
            !is_flag && words[i].starts_with("--") && i + 1 < words.size() && !words[i + 1].starts_with("--");
        if (has_value) ++i;
    }
    return {};
}

void name_rule::add(const std::string& rule) {
    is_default_ = false;
    if (rule == "clean") return steps_.push_back({.clean = true});
    if (rule == "exact") return;
    const auto refuse = [&](std::string_view found) {
        throw tool_error("invalid_option", fmt::format("expected clean, exact or s/REGEX/TEXT/ in --name, found {}", found));
    };
    if (rule.size() < 4 || rule[0] != 's') refuse(rule);
    const auto middle = rule.find(rule[1], 2);
    if (middle == rule.npos || middle + 1 >= rule.size() || rule.find(rule[1], middle + 1) != rule.size() - 1) refuse(rule);
    try {
        steps_.push_back(
            {.what = std::regex(rule.substr(2, middle - 2)), .by = rule.substr(middle + 1, rule.size() - middle - 2)});
    } catch (const std::regex_error& problem) {
        refuse(fmt::format("{}: {}", rule, problem.what()));
    }
}

std::string name_rule::operator()(std::string_view name) const {
    if (is_default_) return clean_name(name);
    auto text = cut(name);
    for (const auto& each : steps_) text = each.clean ? clean_name(text) : std::regex_replace(text, each.what, each.by);
    return text.empty() ? cut(name) : text;
}

}  // namespace tools::event_log
