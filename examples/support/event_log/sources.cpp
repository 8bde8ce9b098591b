#include "sources.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "../tool_error.hpp"

namespace tools::event_log {

namespace {

namespace fs = std::filesystem;

// The number of a rolling part: "events_12_app-1.zstd" is 12.
[[nodiscard]] std::optional<std::uint64_t> part_number(std::string_view name) {
    constexpr std::string_view prefix = "events_";
    if (!name.starts_with(prefix)) return std::nullopt;
    std::uint64_t number = 0;
    const auto [stop, status] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (status != std::errc() || stop == name.data() + name.size() || *stop != '_') return std::nullopt;
    return number;
}

[[nodiscard]] bool is_bookkeeping(std::string_view name) {
    return name.starts_with('.') || name.starts_with("_SUCCESS") || name.starts_with("appstatus_") || name.ends_with(".crc");
}

// As Spark names its logs: a prefix, an id, and no other ends than those of codecs and of a run that goes on.
[[nodiscard]] bool is_named_as_log(std::string_view name) {
    constexpr std::array<std::string_view, 4> prefixes{"app-", "application_", "local-", "spark-"};
    constexpr std::array<std::string_view, 7> ends{"gz", "inprogress", "lz4", "lzf", "snappy", "zst", "zstd"};
    if (std::none_of(prefixes.begin(), prefixes.end(), [&](auto each) { return name.starts_with(each); })) return false;
    for (auto dot = name.find('.'); dot != name.npos; dot = name.find('.')) {
        name.remove_prefix(dot + 1);
        if (std::find(ends.begin(), ends.end(), name.substr(0, name.find('.'))) == ends.end()) return false;
    }
    return true;
}

[[nodiscard]] std::int64_t size_of(const fs::path& file) {
    std::error_code problem;
    const auto size = fs::file_size(file, problem);
    return problem ? 0 : static_cast<std::int64_t>(size);
}

[[nodiscard]] std::vector<fs::path> entries_of(const fs::path& folder, std::string& problem) {
    std::vector<fs::path> found;
    std::error_code why;
    for (fs::directory_iterator at(folder, why), end; !why && at != end; at.increment(why)) found.push_back(at->path());
    if (why) problem = "cannot_read: expected a folder that can be read, found: " + why.message();
    std::sort(found.begin(), found.end());
    return found;
}

// Spark's own rule: a compacted part stands for all parts up to its number.
[[nodiscard]] log_source rolling_log(const fs::path& folder, std::string name) {
    log_source made{.name = std::move(name)};
    std::map<std::uint64_t, fs::path> parts;
    std::optional<std::uint64_t> newest_compacted;
    for (const auto& each : entries_of(folder, made.problem)) {
        const auto file = each.filename().string();
        const auto number = part_number(file);
        if (!number) continue;
        const bool is_compacted = file.ends_with(".compact");
        if (is_compacted) newest_compacted = (std::max)(*number, newest_compacted.value_or(*number));
        if (is_compacted || !parts.contains(*number) || !parts.at(*number).string().ends_with(".compact"))
            parts.insert_or_assign(*number, each);
    }
    auto expected = newest_compacted.value_or(1);
    for (const auto& [number, path] : parts) {
        if (newest_compacted && number < *newest_compacted) continue;
        if (number != expected && made.gap.empty())
            made.gap = fmt::format("parts are missing: expected events_{}, found events_{}", expected, number);
        expected = number + 1;
        made.parts.push_back(path.string());
        made.bytes += size_of(path);
    }
    if (made.parts.empty() && made.problem.empty())
        made.problem = "no_events: expected parts named events_<number>_<id> in a rolling log, found none";
    return made;
}

class finder {
public:
    void search(const fs::path& path, const std::string& name, bool was_named) {
        std::error_code problem;
        if (fs::is_directory(path, problem)) {
            if (!visit(path)) return;
            if (path.filename().string().starts_with("eventlog_v2_")) {
                found_.push_back(rolling_log(path, name));
                return;
            }
            std::string unreadable;
            for (const auto& each : entries_of(path, unreadable)) {
                const auto file = each.filename().string();
                if (!is_bookkeeping(file)) search(each, name.empty() ? file : name + "/" + file, false);
            }
            if (!unreadable.empty()) found_.push_back({.name = name.empty() ? path.string() : name, .problem = unreadable});
            return;
        }
        if (!was_named && !fs::is_regular_file(path, problem)) return;  // sockets, pipes, dead links
        if (!visit(path)) return;
        found_.push_back({.name = name,
                          .parts = {path.string()},
                          .bytes = size_of(path),
                          .is_claimed = was_named || is_named_as_log(path.filename().string())});
    }

    std::vector<log_source> found() && { return std::move(found_); }

private:
    bool visit(const fs::path& path) {
        std::error_code problem;
        const auto whole = fs::weakly_canonical(path, problem);
        return visited_.insert(problem ? path.string() : whole.string()).second;
    }

    std::vector<log_source> found_{};
    std::set<std::string> visited_{};
};

}  // namespace

std::vector<log_source> find_logs(const std::vector<std::string>& paths) {
    finder all;
    for (const auto& each : paths) {
        auto path = fs::path(each);
        if (!path.has_filename()) path = path.parent_path();  // "logs/"
        std::error_code problem;
        if (!fs::exists(path, problem))
            throw tool_error(
                "cannot_read",
                fmt::format("expected a file or folder at {}, found: {}", each,
                            (problem ? problem : std::make_error_code(std::errc::no_such_file_or_directory)).message()));
        const bool is_rolling = path.filename().string().starts_with("eventlog_v2_");
        const bool is_folder = fs::is_directory(path, problem) && !is_rolling;
        all.search(path, is_folder ? "" : path.filename().string(), true);
    }
    return std::move(all).found();
}

}  // namespace tools::event_log
