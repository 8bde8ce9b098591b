#include "delivered_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "codec.hpp"
#include "lines.hpp"

namespace tools::event_log {

namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::string first_line_of(std::string_view bytes) {
    const auto kind = codec_of(bytes);
    if (!is_readable(kind)) return {};
    std::string first;
    bool found = false;
    line_splitter lines(
        [&](std::string_view line) {
            if (!std::exchange(found, true)) first = line;
        },
        [] {});
    decoder text(kind, lines);
    (void)text.push({bytes.data(), bytes.size()});
    return first;
}

// By their numbers; a name that comes later in the alphabet is that of a part that was closed.
[[nodiscard]] log_source joined(std::vector<log_source>& parts) {
    std::stable_sort(parts.begin(), parts.end(), [](const log_source& a, const log_source& b) {
        return std::pair(a.label->number, b.name) < std::pair(b.label->number, a.name);
    });
    log_source made = parts.front();
    made.parts.clear();
    made.bytes = 0;
    std::int64_t expected = 0;
    for (const auto& each : parts) {
        const auto number = each.label->number;
        if (number == expected - 1) {
            made.notes.push_back(fmt::format("part {} is there twice: {} is left out", number, each.name));
            continue;
        }
        if (number != expected && made.gap.empty())
            made.gap = fmt::format("parts are missing: expected rollover {}, found {}", expected, number);
        expected = number + 1;
        made.parts.push_back(each.parts.front());
        made.bytes += each.bytes;
    }
    if (const auto folder = fs::path(made.name).parent_path().string(); parts.size() > 1 && !folder.empty())
        made.name = folder;
    made.is_claimed = true;
    return made;
}

}  // namespace

std::optional<part_label> label_of(std::string_view first_bytes) {
    constexpr std::string_view event = "DBCEventLoggingListenerMetadata";
    const bool is_packed = codec_of(first_bytes) != codec::plain;
    if (!is_packed && first_bytes.substr(0, 256).find(event) == first_bytes.npos) return std::nullopt;
    const auto line = first_line_of(first_bytes);
    if (line.find(event) == line.npos) return std::nullopt;
    const auto fields = nlohmann::json::parse(line, nullptr, false);
    if (!fields.is_object() || fields.value("Event", nlohmann::json()) != event) return std::nullopt;
    const auto number = fields.value("Rollover Number", nlohmann::json());
    const auto context = fields.value("SparkContext Id", nlohmann::json());
    if (!number.is_number_integer() || number < 0 || number > 1'000'000'000 || context.is_null()) return std::nullopt;
    return part_label{.context = context.dump(), .number = number.get<std::int64_t>()};
}

void join_parts(std::vector<log_source>& all) {
    std::map<std::pair<std::string, std::string>, std::vector<log_source>> groups;
    std::vector<log_source> kept;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (auto& each : all) {
        if (!each.label) {
            kept.push_back(std::move(each));
            continue;
        }
        const std::pair key(fs::path(each.parts.front()).parent_path().string(), each.label->context);
        if (places.try_emplace(key, kept.size()).second) kept.emplace_back();
        groups[key].push_back(std::move(each));
    }
    for (auto& [key, parts] : groups) kept[places.at(key)] = joined(parts);
    all = std::move(kept);
}

}  // namespace tools::event_log
