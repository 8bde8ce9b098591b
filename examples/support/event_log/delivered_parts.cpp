#include "delivered_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
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

[[nodiscard]] std::string file_of(const log_source& part) {
    return fs::path(part.members.empty() ? part.parts.front() : part.members.front().name).filename().string();
}

// Whether two files have one number, but for that which is still written to.
[[nodiscard]] bool have_one_number(const std::vector<log_source>& parts) {
    std::set<std::int64_t> numbers;
    return !std::all_of(parts.begin(), parts.end(), [&](const log_source& part) {
        return file_of(part) == "eventlog" || numbers.insert(part.label->number).second;
    });
}

// By their numbers; of one number that which was closed comes first.
[[nodiscard]] log_source joined(std::vector<log_source>& parts) {
    std::stable_sort(parts.begin(), parts.end(), [](const log_source& a, const log_source& b) {
        const auto place = [](const log_source& part) { return std::pair(part.label->number, file_of(part) == "eventlog"); };
        return place(a) < place(b);
    });
    log_source log = parts.front();
    log.parts.clear();
    log.members.clear();
    log.bytes = 0;
    std::int64_t expected = 0;
    for (const auto& part : parts) {
        const auto number = part.label->number;
        if (number == expected - 1) {
            log.notes.push_back(fmt::format("part {} is there twice: {} is left out", number, part.name));
            continue;
        }
        if (number != expected && log.gap.empty())
            log.gap = fmt::format("parts are missing: expected rollover {}, found {}", expected, number);
        expected = number + 1;
        log.parts.push_back(part.parts.front());
        log.members.insert(log.members.end(), part.members.begin(), part.members.end());
        log.bytes += part.bytes;
    }
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
    return part_label{.context = context.dump(), .number = number.get<std::int64_t>()};
}

void join_parts(std::vector<log_source>& all) {
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    std::vector<std::vector<log_source>> groups;  // in the order of their first files
    for (auto& source : all) {
        auto place = groups.size();
        if (source.label) {
            const auto folder = fs::path(source.parts.front()).parent_path().string();
            place = places.try_emplace({folder, source.label->context}, place).first->second;
        }
        if (place == groups.size()) groups.emplace_back();
        groups[place].push_back(std::move(source));
    }
    all.clear();
    for (auto& group : groups) {
        if (group.front().label && !have_one_number(group)) {
            all.push_back(joined(group));
        } else {
            all.insert(all.end(), std::make_move_iterator(group.begin()), std::make_move_iterator(group.end()));
        }
    }
}

}  // namespace tools::event_log
