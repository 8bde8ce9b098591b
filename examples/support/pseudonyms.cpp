#include "pseudonyms.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "output_file.hpp"
#include "table.hpp"

namespace tools {

namespace {

using by_name = std::map<std::string, std::string>;

[[nodiscard]] by_name read_pseudonyms(const std::string& path) {
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) return {};
    const auto refuse = [&](std::string_view why) {
        return tool_error(
            "invalid_pseudonyms",
            fmt::format("expected what --redact wrote, names with a pseudonym for each, in {}, found: {}", path, why));
    };
    by_name made;
    try {
        made = nlohmann::json::parse(detail::read_file(path)).get<by_name>();
    } catch (const nlohmann::json::exception& problem) {
        throw refuse(problem.what());
    }
    std::set<std::string> taken;
    for (const auto& [name, pseudonym] : made)
        if (!taken.insert(pseudonym).second) throw refuse(pseudonym + " twice");
    return made;
}

}  // namespace

pseudonyms::pseudonyms(std::string path) : path_(std::move(path)), by_text_(read_pseudonyms(path_)) {
    for (const auto& [text, pseudonym] : by_text_) {
        taken_.insert(pseudonym);
        ++count_[pseudonym.substr(0, pseudonym.rfind('-'))];
    }
}

std::string pseudonyms::of(std::string_view kind, const std::string& text) {
    if (text.empty()) return {};
    auto& pseudonym = by_text_[kind == "application" ? text : fmt::format("{}={}", kind, text)];
    if (!pseudonym.empty()) return pseudonym;
    auto& number = count_[std::string(kind)];
    do {
        pseudonym = fmt::format("{}-{}", kind, ++number);
    } while (!taken_.insert(pseudonym).second);
    return pseudonym;
}

void pseudonyms::keep() const {
    const nlohmann::json file = by_text_;
    output_file key(path_);
    key.make_private();
    key.write(file.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    key.close();
}

void replace_names(team_history& of, const std::string& path) {
    pseudonyms names(path);
    for (auto& application : of.applications) application.name = names.of("application", application.name);
    names.keep();
}

void redact(event_log::run_row& row, pseudonyms& names) {
    row.application = names.of("application", row.application);
    row.name = names.of("application", row.name);
    row.run = names.of("run", row.run);
    row.arguments = names.of("arguments", row.arguments);
}

namespace {

[[nodiscard]] std::string_view kind_of(std::string_view key) {
    if (key == "application" || key == "run" || key == "arguments") return key;
    return key == "name" ? "name" : "text";
}

void redact_below(nlohmann::ordered_json& value, std::string_view key, pseudonyms& names) {
    static const std::set<std::string, std::less<>> kept{"system",
                                                         "unit",
                                                         "outcome",
                                                         "master",
                                                         "data_measure",
                                                         "flags",
                                                         "machine_type",
                                                         "driver_machine_type",
                                                         "spark.executor.memory",
                                                         "spark.executor.cores",
                                                         "spark.dynamicAllocation.enabled"};
    if (kept.contains(key)) return;
    if (value.is_string()) value = names.of(kind_of(key), value.get<std::string>());
    if (value.is_object())
        for (auto& [inner, each] : value.items()) redact_below(each, inner, names);
    if (value.is_array())
        for (auto& each : value) redact_below(each, key, names);
}

}  // namespace

std::string redacted_trace(const std::string& line, pseudonyms& names) {
    auto trace = nlohmann::ordered_json::parse(line);
    // In full, where a rule made another of it; those of stages are called so, too.
    if (const auto name = trace.find("name"); name != trace.end() && name->is_string())
        *name = names.of("application", name->get<std::string>());
    for (auto& [key, each] : trace.items())
        if (key != "name") redact_below(each, key, names);
    return trace.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void number_runs(team_history& of) {
    for (auto& application : of.applications) {
        std::map<std::string, std::string> numbers;
        for (std::size_t i = 0; i < application.facts.size(); ++i) {
            auto& id = application.facts[i].id;
            auto number = fmt::format("number {}", i + 1);
            if (application.latest && application.latest->run == id) application.latest->run = number;
            numbers.insert_or_assign(id, number);
            id = std::move(number);
        }
        for (auto& each : application.unusual) {
            const auto known = numbers.find(each.id);
            each.id = known == numbers.end() ? std::string() : known->second;
        }
    }
}

}  // namespace tools
