#include "delivered_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
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
    bool is_first = true;
    line_splitter lines(
        [&](std::string_view line) {
            if (std::exchange(is_first, false)) first = line;
        },
        [] {});
    decoder text(kind, lines);
    (void)text.push({bytes.data(), bytes.size()});
    return first;
}

// The name of a file without the ending of a codec.
[[nodiscard]] std::string file_of(const log_source& part) {
    auto name = fs::path(part.members.empty() ? part.parts.front() : part.members.front().name).filename().string();
    for (const std::string_view ending : {".gz", ".zst", ".zstd", ".lz4", ".snappy"})
        if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
    return name;
}

// The part that is still written to, or was when the cluster ended.
[[nodiscard]] bool is_newest(const log_source& part) { return file_of(part) == "eventlog"; }

// "eventlog-2025-01-31--09-00": a part that was closed, behind which there is another one.
[[nodiscard]] bool is_closed(const log_source& part) {
    static const std::regex dated("eventlog-[0-9]{4}-[0-9]{2}-[0-9]{2}--[0-9]{2}-[0-9]{2}");
    return std::regex_match(file_of(part), dated);
}

// By their numbers; of one number that which was closed comes first. A part that is there twice is there once then.
void put_in_order(std::vector<log_source>& parts) {
    std::stable_sort(parts.begin(), parts.end(), [](const log_source& a, const log_source& b) {
        return std::pair(a.label->number, is_newest(a)) < std::pair(b.label->number, is_newest(b));
    });
    std::vector<log_source> kept;
    for (auto& part : parts) {
        const auto is_copy = [&](const log_source& other) {
            return other.label->number == part.label->number &&
                   (is_newest(part) || other.label->line == part.label->line || file_of(other) == file_of(part));
        };
        const auto same = std::find_if(kept.begin(), kept.end(), is_copy);
        if (same == kept.end()) {
            kept.push_back(std::move(part));
        } else {
            same->notes.push_back(fmt::format("part {} is there twice: {} is left out", part.label->number, part.name));
        }
    }
    parts = std::move(kept);
}

[[nodiscard]] bool have_one_number(const std::vector<log_source>& parts) {
    std::set<std::int64_t> numbers;
    return !std::all_of(parts.begin(), parts.end(),
                        [&](const log_source& part) { return numbers.insert(part.label->number).second; });
}

// Of parts in their order.
[[nodiscard]] log_source joined(const std::vector<log_source>& parts) {
    log_source log = parts.front();
    log.parts.clear();
    log.members.clear();
    log.notes.clear();
    log.bytes = 0;
    std::int64_t expected = 0;
    for (const auto& part : parts) {
        const auto number = part.label->number;
        if (number != expected && log.gap.empty())
            log.gap = fmt::format("parts are missing: expected rollover {}, found {}", expected, number);
        expected = number + 1;
        log.parts.push_back(part.parts.front());
        log.members.insert(log.members.end(), part.members.begin(), part.members.end());
        log.notes.insert(log.notes.end(), part.notes.begin(), part.notes.end());
        log.bytes += part.bytes;
    }
    if (log.gap.empty() && std::all_of(parts.begin(), parts.end(), is_closed))
        log.gap = "parts are missing: expected eventlog, the newest part, found none";
    if (const auto folder = fs::path(log.name).parent_path().string(); parts.size() > 1 && !folder.empty())
        log.name = folder;
    log.is_claimed = true;
    return log;
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
    return part_label{.context = context.dump(), .number = number.get<std::int64_t>(), .line = line};
}

void join_parts(std::vector<log_source>& all) {
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    std::vector<std::vector<log_source>> groups;  // in the order of their first files
    for (auto& source : all) {
        auto place = groups.size();
        if (source.label) {
            const auto file = fs::path(source.parts.front());
            const auto folder = source.members.empty() ? file.parent_path().string() : file.string();
            place = places.try_emplace({folder, source.label->context}, place).first->second;
        }
        if (place == groups.size()) groups.emplace_back();
        groups[place].push_back(std::move(source));
    }
    all.clear();
    for (auto& group : groups) {
        if (group.front().label) put_in_order(group);
        if (group.front().label && !have_one_number(group)) {
            all.push_back(joined(group));
            continue;
        }
        const bool are_first = std::all_of(group.begin(), group.end(),
                                           [](const log_source& part) { return !part.label || part.label->number == 0; });
        for (auto& each : group) {
            if (!are_first && each.gap.empty())
                each.gap = fmt::format("parts of one number: expected one of each number in the context {}, found several",
                                       each.label->context);
            all.push_back(std::move(each));
        }
    }
}

}  // namespace tools::event_log
