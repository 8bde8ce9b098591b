// Proposed sizes as those who submit spell them, on standard output or in a file for each application.
#ifndef BELLAMY_EXAMPLES_ADVICE_FILES_HPP
#define BELLAMY_EXAMPLES_ADVICE_FILES_HPP

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "advised.hpp"
#include "output_file.hpp"
#include "printable.hpp"
#include "tool_error.hpp"

namespace tools {

namespace detail {

// What dynamic allocation does stays where the size does; nothing is set where nothing is proposed, or where the application
// is of the other system.
[[nodiscard]] inline std::string configuration_of(const advised& one, const std::string& format) {
    const bool is_patch = format == "spark-application";
    const std::string nothing = is_patch ? "{}\n" : "";
    std::string text = is_patch ? "---\n" : "";
    text += fmt::format("# {}: {}\n", printable(one.of->name), gain_of(*one.advice));
    for (const auto& each : one.advice->warnings) text += fmt::format("# warning: {}\n", printable(each));
    const auto size = proposed_size(*one.of, *one.advice);
    if (!one.advice->proposal || (size.is_dynamic && !one.advice->changes_size())) return text + nothing;
    if (size.is_flink != format.starts_with("flink-"))
        return text +
               fmt::format("# nothing is set: it runs on {0}, see --format {1}\n", size.is_flink ? "Flink" : "Spark",
                           size.is_flink ? "flink-run and flink-conf" : "spark-submit and spark-conf") +
               nothing;
    text += caution_of(size);
    if (const auto machines = machines_of(one); !machines.empty())
        text += fmt::format("# the size{}: past runs had other machine types, too\n", machines);
    if (size.is_flink) return text + (format == "flink-run" ? to_flink_run(size) + "\n" : to_flink_conf(size));
    if (is_patch) return text + to_spark_application(size);
    return text + (format == "spark-submit" ? to_spark_submit(size) + "\n" : to_spark_conf(size));
}

}  // namespace detail

/// Where there is no advice, standard error says why.
inline void print_configuration(const advised& one, const std::string& format) {
    if (one.advice) {
        fmt::print("{}", detail::configuration_of(one, format));
    } else {
        fmt::print(stderr, "{}: no advice: {}\n", printable(one.of->name), one.advice.error().message());
    }
}

/// A file for each application, named after it, in a folder that need not exist; it replaces that of an earlier day. Error:
/// cannot_write.
inline void write_configurations(const std::vector<advised>& all, const std::string& format, const std::string& folder) {
    std::error_code why;
    std::filesystem::create_directories(folder, why);
    if (why) throw tool_error("cannot_write", fmt::format("expected a folder at {}, found: {}", folder, why.message()));
    const bool is_line = format == "spark-submit" || format == "flink-run";
    const bool is_yaml = format == "spark-application" || format == "flink-conf";
    const std::string ending = is_line ? "args" : is_yaml ? "yaml" : "conf";
    std::map<std::string, int> names;
    for (const auto& one : all) {
        const auto name = to_kubernetes_name(one.of->name);
        const int number = ++names[name];
        const auto path = fmt::format("{}/{}{}.{}", folder, name, number == 1 ? "" : fmt::format("-{}", number), ending);
        if (!one.advice) {
            print_configuration(one, format);
            write_file(path, fmt::format("# no advice: {}\n{}", printable(std::string(one.advice.error().message())),
                                         format == "spark-application" ? "{}\n" : ""));
            continue;
        }
        write_file(path, detail::configuration_of(one, format));
        fmt::print("{}: {}\n", path, gain_of(*one.advice));
    }
}

}  // namespace tools

#endif
