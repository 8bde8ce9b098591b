// What every command prints with --json: one line, as examples/bellamy/schema.json describes it.
#ifndef BELLAMY_EXAMPLES_JSON_RECORD_HPP
#define BELLAMY_EXAMPLES_JSON_RECORD_HPP

#include <fmt/format.h>
#include <bellamy/version.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace tools {

/// The record of a command as a line: its name and the version in front of the rest. Numbers that are not finite become
/// null.
[[nodiscard]] inline std::string record_text(std::string_view command, nlohmann::ordered_json rest) {
    nlohmann::ordered_json record{{"command", command}, {"version", BELLAMY_VERSION}};
    record.update(std::move(rest));
    return record.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Prints that line.
inline void print_record(std::string_view command, nlohmann::ordered_json rest) {
    fmt::print("{}", record_text(command, std::move(rest)));
}

}  // namespace tools

#endif
