#include "sources.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "../tool_error.hpp"
#include "delivered_parts.hpp"
#include "saved_answers.hpp"

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

// Whose part it is: "events_12_app-1.zstd" is of "app-1", as ids have no dots. Empty of what is no part.
[[nodiscard]] std::string run_of_part(std::string_view name) {
    if (!part_number(name)) return {};
    name.remove_prefix(name.find('_', name.find('_') + 1) + 1);
    return std::string(name.substr(0, name.find('.')));
}

[[nodiscard]] bool is_bookkeeping(std::string_view name) {
    return name.starts_with('.') || name.starts_with("_SUCCESS") || name.starts_with("appstatus_") ||
           name.ends_with(".crc") || name == "application-summary";
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

// Spark's own rule: a compacted part stands for all parts up to its number. Spark numbers parts from 1, EMR from 0.
// The places among these names of the parts that count, in their order.
[[nodiscard]] std::vector<std::size_t> order_parts(const std::vector<std::string>& names, std::string& gap) {
    std::map<std::uint64_t, std::size_t> parts;
    std::optional<std::uint64_t> newest_compacted;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto number = part_number(names[i]);
        if (!number) continue;
        const bool is_compacted = names[i].ends_with(".compact");
        if (is_compacted) newest_compacted = (std::max)(*number, newest_compacted.value_or(*number));
        if (is_compacted || !parts.contains(*number) || !names[parts.at(*number)].ends_with(".compact"))
            parts.insert_or_assign(*number, i);
    }
    std::vector<std::size_t> order;
    auto expected = newest_compacted.value_or(parts.contains(0) ? 0 : 1);
    for (const auto& [number, place] : parts) {
        if (newest_compacted && number < *newest_compacted) continue;
        if (number != expected && gap.empty())
            gap = fmt::format("parts are missing: expected events_{}, found events_{}", expected, number);
        expected = number + 1;
        order.push_back(place);
    }
    return order;
}

[[nodiscard]] log_source rolling_log(const std::vector<fs::path>& entries, std::string name, std::string problem = {}) {
    log_source made{.name = std::move(name), .problem = std::move(problem)};
    std::vector<std::string> names;
    for (const auto& each : entries) names.push_back(each.filename().string());
    for (const auto place : order_parts(names, made.gap)) {
        made.parts.push_back(entries[place].string());
        made.bytes += size_of(entries[place]);
    }
    if (made.parts.empty() && made.problem.empty())
        made.problem = "no_events: expected parts named events_<number>_<id> in a rolling log, found none";
    return made;
}

[[nodiscard]] std::string first_bytes_of(const fs::path& file) {
    std::string bytes(std::size_t{1} << 14U, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>((std::max<std::streamsize>)(0, in.gcount())));
    return bytes;
}

[[nodiscard]] std::string first_bytes_of(const fs::path& archive, const zip_member& member) {
    constexpr std::size_t enough = std::size_t{1} << 14U;
    std::string bytes;
    (void)read_zip_member(archive.string(), member, [&](std::span<const char> more) {
        bytes.append(more.data(), more.size());
        return bytes.size() < enough;
    });
    bytes.resize((std::min)(bytes.size(), enough));
    return bytes;
}

// A file of an archive that is no part of a rolling log.
[[nodiscard]] log_source log_in_zip(const fs::path& archive, const std::string& name, const zip_member& member) {
    log_source made{.name = name + "/" + member.name,
                    .parts = {archive.string()},
                    .bytes = member.packed_bytes,
                    .is_claimed = is_named_as_log(fs::path(member.name).filename().string()),
                    .problem = member.problem,
                    .members = {member}};
    if (!made.problem.empty()) return made;
    const auto bytes = first_bytes_of(archive, member);
    made.label = label_of(bytes);
    if (is_zip(bytes) && member.name.ends_with(".zip"))
        made.problem = "nested_archive: expected logs in a zip archive, found another zip archive: unpack the outer one";
    return made;
}

// The logs of an archive: those of single files, and those of rolling folders.
[[nodiscard]] std::vector<log_source> logs_in_zip(const fs::path& archive, const std::string& name) {
    std::vector<log_source> made;
    std::map<std::string, std::vector<zip_member>> rolled;
    for (auto& each : zip_members(archive.string())) {
        const auto inside = fs::path(each.name);
        const auto file = inside.filename().string();
        if (is_bookkeeping(file)) continue;
        if (const auto run = run_of_part(file); !run.empty()) {
            rolled[(inside.parent_path() / run).string()].push_back(std::move(each));
            continue;
        }
        made.push_back(log_in_zip(archive, name, each));
    }
    for (const auto& [run, members] : rolled) {
        log_source log{.name = name + "/" + run, .is_claimed = true};
        std::vector<std::string> names;
        for (const auto& each : members) names.push_back(fs::path(each.name).filename().string());
        for (const auto place : order_parts(names, log.gap)) {
            log.parts.push_back(archive.string());
            log.bytes += members[place].packed_bytes;
            log.members.push_back(members[place]);
            if (log.problem.empty()) log.problem = members[place].problem;
        }
        made.push_back(std::move(log));
    }
    return made;
}

// A part of a rolling log beside other files, which may be called so too.
[[nodiscard]] bool is_part(const fs::path& file) {
    constexpr std::array<std::string_view, 5> codecs{".lz4", ".lzf", ".snappy", ".zst", ".zstd"};
    const auto name = file.filename().string();
    if (run_of_part(name).empty()) return false;
    return std::any_of(codecs.begin(), codecs.end(), [&](auto end) { return name.ends_with(end); }) ||
           first_bytes_of(file).starts_with(R"({"Event":)");
}

// The answers of /api/v1 in a folder, which are about one application; none, where they only tell of applications.
[[nodiscard]] std::optional<log_source> saved_answers(const std::vector<fs::path>& entries, const std::string& name) {
    log_source made{.name = name, .is_claimed = true, .has_answers = true};
    std::map<answer_kind, fs::path> seen;
    for (const auto& each : entries) {
        std::error_code problem;
        if (!fs::is_regular_file(each, problem) || is_bookkeeping(each.filename().string())) continue;
        const auto kind = kind_of_answer(first_bytes_of(each));
        if (kind == answer_kind::none) continue;
        const auto [other, is_new] = seen.emplace(kind, each);
        if (!is_new && kind != answer_kind::executors && made.problem.empty())  // /executors is a part of /allexecutors
            made.problem = fmt::format(
                "two_answers: expected a folder for each application, with one answer of each kind, found {} "
                "and {}",
                other->second.filename().string(), each.filename().string());
        made.parts.push_back(each.string());
        made.bytes += size_of(each);
    }
    const bool has_runs =
        seen.contains(answer_kind::stages) || seen.contains(answer_kind::jobs) || seen.contains(answer_kind::executors);
    return has_runs ? std::optional(std::move(made)) : std::nullopt;
}

class finder {
public:
    void search(const fs::path& path, const std::string& name, bool was_named) {
        std::error_code problem;
        if (fs::is_directory(path, problem)) {
            if (!visit(path)) return;
            std::string unreadable;
            const auto entries = entries_of(path, unreadable);
            if (path.filename().string().starts_with("eventlog_v2_")) {
                found_.push_back(rolling_log(entries, name, unreadable));
                return;
            }
            auto answers = saved_answers(entries, name.empty() ? path.filename().string() : name);
            std::map<std::string, std::vector<fs::path>> rolled;  // parts that were copied without their folder
            for (const auto& each : entries) {
                const auto file = each.filename().string();
                if (answers &&
                    std::find(answers->parts.begin(), answers->parts.end(), each.string()) != answers->parts.end())
                    continue;
                if (is_part(each)) {
                    if (visit(each)) rolled[run_of_part(file)].push_back(each);
                } else if (!is_bookkeeping(file)) {
                    search(each, name.empty() ? file : name + "/" + file, false);
                }
            }
            if (answers) found_.push_back(std::move(*answers));
            for (const auto& [run, parts] : rolled)
                found_.push_back(rolling_log(parts, name.empty() ? run : name + "/" + run));
            if (!unreadable.empty()) found_.push_back({.name = name.empty() ? path.string() : name, .problem = unreadable});
            return;
        }
        if (!was_named && !fs::is_regular_file(path, problem)) return;  // sockets, pipes, dead links
        if (!visit(path)) return;
        const bool is_file = fs::is_regular_file(path, problem);  // a pipe gives its bytes once
        const auto bytes = is_file ? first_bytes_of(path) : std::string();
        log_source made{.name = name,
                        .parts = {path.string()},
                        .bytes = size_of(path),
                        .is_claimed = was_named || is_named_as_log(path.filename().string()),
                        .label = label_of(bytes)};
        if (is_zip(bytes) && take_zip(path, made)) return;
        found_.push_back(std::move(made));
    }

    std::vector<log_source> found() && { return std::move(found_); }

private:
    // Whether the archive has logs; else what it is, or why it cannot be read, is said of the archive itself.
    bool take_zip(const fs::path& path, log_source& archive) {
        try {
            auto inside = logs_in_zip(path, archive.name);
            found_.insert(found_.end(), std::make_move_iterator(inside.begin()), std::make_move_iterator(inside.end()));
            return !inside.empty();
        } catch (const tool_error& problem) {
            archive.problem = problem.what();
            return false;
        }
    }

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
    auto found = std::move(all).found();
    join_parts(found);
    return found;
}

}  // namespace tools::event_log
