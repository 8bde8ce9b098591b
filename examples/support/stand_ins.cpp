#include "stand_ins.hpp"

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

[[nodiscard]] by_name read_stand_ins(const std::string& path) {
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) return {};
    const auto refuse = [&](std::string_view why) {
        return tool_error(
            "invalid_stand_ins",
            fmt::format("expected what --redact wrote, names with a stand-in for each, in {}, found: {}", path, why));
    };
    by_name made;
    try {
        made = nlohmann::json::parse(detail::read_file(path)).get<by_name>();
    } catch (const nlohmann::json::exception& problem) {
        throw refuse(problem.what());
    }
    std::set<std::string> taken;
    for (const auto& [name, stand_in] : made)
        if (!taken.insert(stand_in).second) throw refuse(stand_in + " twice");
    return made;
}

}  // namespace

void replace_names(team_history& of, const std::string& path) {
    auto known = read_stand_ins(path);
    std::set<std::string> taken;
    for (const auto& [name, stand_in] : known) taken.insert(stand_in);
    for (auto& application : of.applications) {
        auto& stand_in = known[application.name];
        for (auto number = taken.size() + 1; stand_in.empty(); ++number)
            if (auto candidate = fmt::format("application-{}", number); taken.insert(candidate).second)
                stand_in = std::move(candidate);
        application.name = stand_in;
    }
    const nlohmann::json file = known;
    write_file(path, file.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void number_runs(team_history& of) {
    for (auto& application : of.applications) {
        for (std::size_t i = 0; i < application.facts.size(); ++i) {
            auto& id = application.facts[i].id;
            auto number = fmt::format("number {}", i + 1);
            if (application.latest && application.latest->run == id) application.latest->run = number;
            id = std::move(number);
        }
    }
}

}  // namespace tools
