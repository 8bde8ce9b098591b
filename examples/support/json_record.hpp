// What every command prints with --json: one line, as examples/bellamy/schema.json describes it.
#ifndef BELLAMY_EXAMPLES_JSON_RECORD_HPP
#define BELLAMY_EXAMPLES_JSON_RECORD_HPP

#include <fmt/format.h>
#include <bellamy/version.hpp>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tools {

/// The record of a command: its name and the version in front of the rest. Numbers that are not finite become null.
inline void print_record(std::string_view command, nlohmann::ordered_json rest) {
    nlohmann::ordered_json record{{"command", command}, {"version", BELLAMY_VERSION}};
    record.update(std::move(rest));
    fmt::print("{}\n", record.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace tools

#endif
