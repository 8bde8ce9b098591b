#include "guide.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/version.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../support/event_log/codec.hpp"
#include "../support/event_log/lines.hpp"
#include "../support/event_log/zip_archive.hpp"
#include "../support/flink/job_archive.hpp"
#include "../support/history_layout.hpp"
#include "../support/printable.hpp"
#include "../support/table.hpp"
#include "../support/tool_error.hpp"
#include "command.hpp"

namespace tools {

namespace {

namespace fs = std::filesystem;

// In the order in which a folder is said to have them.
enum class content { event_logs, traces, history_table, model, application, other_table, nothing };

[[nodiscard]] tool_error cannot_read(const fs::path& path, const std::string& why) {
    return {"cannot_read", fmt::format("expected a file or folder that can be read at {}, found: {}", path.string(), why)};
}

[[nodiscard]] std::string first_bytes(const fs::path& path, std::size_t count) {
    std::string bytes(count, '\0');
    std::ifstream file(path, std::ios::binary);
    if (!file) throw cannot_read(path, std::generic_category().message(errno));
    file.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
    return bytes;
}

// Names that Spark gives to its event logs: of an application's number, or of what Kubernetes drew.
[[nodiscard]] bool is_named_as_log(const std::string& name) {
    constexpr std::array<std::string_view, 5> begins{"app-", "application_", "local-", "spark-", "eventlog_v2_"};
    return std::any_of(begins.begin(), begins.end(), [&](auto begin) {
        return name.starts_with(begin) && std::any_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    });
}

[[nodiscard]] bool is_compressed(std::string_view bytes) {
    const auto codec = event_log::codec_of(bytes);
    return codec != event_log::codec::plain && codec != event_log::codec::other;
}

// Of these first bytes, by which a log is told: a compressed one tells nothing before its first block is there.
[[nodiscard]] std::size_t bytes_to_tell(std::string_view bytes) {
    return is_compressed(bytes) ? std::size_t{1} << 18U : std::size_t{256};
}

// The first text of a compressed file; what is damaged has none.
[[nodiscard]] std::string first_text(std::string_view bytes) {
    std::string text;
    event_log::line_splitter lines(
        [&](std::string_view line) {
            if (text.empty()) text = line.substr(0, 256);
        },
        [] {});
    event_log::decoder decoder(event_log::codec_of(bytes), lines);
    for (std::size_t at = 0; at < bytes.size() && text.empty() && !lines.within_line(); at += 4096)
        if (!decoder.push(bytes.substr(at, 4096))) break;
    lines.finish();
    return text;
}

[[nodiscard]] bool is_log(const std::string& name, std::string_view bytes) {
    constexpr std::string_view field = "\"Event\"";
    if (is_named_as_log(name)) return true;
    if (!is_compressed(bytes)) return bytes.find(field) != std::string_view::npos || flink::begins_as_archive(bytes);
    if (name.find(".tar") != std::string::npos || name.find(".csv") != std::string::npos) return false;
    // Where it cannot be looked into, the import says why.
    return !event_log::is_readable(event_log::codec_of(bytes)) || first_text(bytes).find(field) != std::string::npos;
}

// By its first files: a log has its rolling parts, and nothing else.
[[nodiscard]] bool has_log(const fs::path& zip) {
    const auto members = event_log::zip_members(zip.string());
    const auto end = members.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(members.size(), 10));
    return std::any_of(members.begin(), end, [&](const event_log::zip_member& each) {
        std::string bytes;
        if (each.problem.empty())
            (void)event_log::read_zip_member(zip.string(), each, [&](std::span<const char> more) {
                bytes.append(more.data(), more.size());
                return bytes.size() < bytes_to_tell(bytes);
            });
        return is_log(fs::path(each.name).filename().string(), std::string_view(bytes).substr(0, bytes_to_tell(bytes)));
    });
}

// As `read_table` finds them. Errors: empty_table, misplaced_quote.
[[nodiscard]] std::vector<std::string> columns_of(const fs::path& path) {
    auto line = first_bytes(path, 1U << 16U);
    if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // byte-order mark
    bool is_quoted = false;
    const auto end = std::find_if(line.begin(), line.end(), [&](char c) {
        if (c == '"') is_quoted = !is_quoted;
        return !is_quoted && (c == '\r' || c == '\n');
    });
    line.erase(end, line.end());
    const auto rows = detail::parse_rows(line, detail::delimiter_of(line), path.string());
    if (rows.empty())
        throw tool_error("empty_table",
                         fmt::format("expected column names in {}, found none in its first line", path.string()));
    return rows.front().cells;
}

[[nodiscard]] content content_of_table(const fs::path& path) {
    const table named{.columns = columns_of(path)};
    return is_history(named) && renamings_of(named).empty() ? content::history_table : content::other_table;
}

[[nodiscard]] content content_of(const fs::path& path) {
    std::error_code unknown;
    const auto name = path.filename().string();
    if (fs::is_directory(path, unknown)) return name.starts_with("eventlog_v2_") ? content::event_logs : content::nothing;
    if (!fs::is_regular_file(path, unknown)) return content::nothing;
    const auto bytes = first_bytes(path, 256);
    if (name.ends_with(".jsonl.zst")) return content::traces;
    // A ledger of proposals has no format.
    if (name.ends_with(".jsonl")) return bytes.find("\"format\"") != std::string::npos ? content::traces : content::nothing;
    // Its first section, behind the header.
    if (bytes.starts_with("bellamy\x1a")) return bytes.find("APPL") == 24 ? content::application : content::model;
    if (name.ends_with(".csv") || name.ends_with(".tsv")) return content_of_table(path);
    const bool has_logs = event_log::is_zip(bytes) ? name.ends_with(".zip") && has_log(path)
                                                   : is_log(name, first_bytes(path, bytes_to_tell(bytes)));
    return has_logs ? content::event_logs : content::nothing;
}

struct finding {
    content what = content::nothing;
    std::string path{};
    bool is_of_part = false;  // more is there than was looked at
};

// Of a file or folder that nobody named, where what cannot be read is none of what is looked for.
[[nodiscard]] content content_if_readable(const fs::path& path) {
    try {
        std::error_code unknown;
        // Of those without a size some have no end, as in /proc.
        if (fs::is_regular_file(path, unknown) && fs::file_size(path, unknown) == 0) return content::nothing;
        return content_of(path);
    } catch (const tool_error&) {
        return content::nothing;
    }
}

constexpr std::size_t most_entries = 1000;  // of a folder, and of a search with all of a level

[[nodiscard]] std::vector<fs::path> entries_of(const fs::path& folder, std::error_code& problem) {
    std::vector<fs::path> entries;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end && entries.size() < most_entries;
         entry.increment(problem))
        entries.push_back(entry->path().lexically_normal());
    std::sort(entries.begin(), entries.end());
    return entries;
}

[[nodiscard]] bool is_folder_to_search(const fs::path& path) {
    std::error_code unknown;
    return fs::is_directory(path, unknown) && !path.filename().string().starts_with('.');
}

// Among these entries of a folder.
[[nodiscard]] finding find_among(const std::vector<fs::path>& entries, const fs::path& folder) {
    finding best;
    for (const auto& each : entries) {
        const auto what = content_if_readable(each);
        if (what == content::event_logs) return {what, folder.string()};
        if (std::pair(what, each.string()) < std::pair(best.what, best.path)) best = {what, each.string()};
    }
    return best;
}

// What a folder holds, or logs in one below it: as archives of Flink, deliveries of Databricks and folders of days lie.
// Where there are more than `most_entries`, a few of each further level.
[[nodiscard]] finding find_below(const fs::path& top) {
    constexpr std::size_t few_entries = 200;
    constexpr int most_levels = 6;
    finding of_top;
    bool leaves_out = false;
    std::vector<fs::path> folders{top};
    std::size_t looked = 0;
    std::size_t most = most_entries;
    for (int level = 0; level < most_levels && !folders.empty(); ++level) {
        std::vector<fs::path> next;
        for (const auto& folder : folders) {
            leaves_out = leaves_out || looked >= most;
            if (looked >= most) break;
            std::error_code unreadable;
            const auto entries = entries_of(folder, unreadable);
            leaves_out = leaves_out || entries.size() == most_entries;
            looked += entries.size();
            const auto here = find_among(entries, folder);
            if (here.what == content::event_logs) return {here.what, top.string()};
            if (level == 0) of_top = here;
            std::copy_if(entries.begin(), entries.end(), std::back_inserter(next), is_folder_to_search);
        }
        folders = std::move(next);
        most = std::max(most_entries, looked + few_entries);
    }
    of_top.is_of_part = leaves_out || !folders.empty();
    return of_top;
}

// In the folder itself, else in those beside its files; where several of them have logs, the folder is that of all.
// Error: cannot_read.
[[nodiscard]] finding find_from(const fs::path& path) {
    std::error_code problem;
    const auto whole = content_of(path);
    if (!fs::is_directory(path, problem) || whole != content::nothing) return {whole, path.string()};
    auto entries = entries_of(path, problem);
    if (problem) throw cannot_read(path, problem.message());
    auto best = find_among(entries, path);
    bool leaves_out = entries.size() == most_entries;
    // Of a folder with a log all is read.
    best.is_of_part = leaves_out && best.what != content::event_logs;
    if (best.what != content::nothing) return best;
    std::erase_if(entries, [](const fs::path& each) { return !is_folder_to_search(each); });
    constexpr std::size_t most_folders = 100;
    leaves_out = leaves_out || entries.size() > most_folders;
    entries.resize(std::min(entries.size(), most_folders));
    for (const auto& folder : entries) {
        const auto below = find_below(folder);
        if (below.what == content::event_logs && best.what == content::event_logs)
            return {content::event_logs, path.string()};
        leaves_out = leaves_out || below.is_of_part;
        if (below.what < best.what) best = below;
    }
    best.is_of_part = leaves_out;
    return best;
}

// What the columns of a history are, by what this table calls them where that can be told.
[[nodiscard]] std::string names_to_give(const table& from) {
    auto renamings = renamings_of(from);
    for (const auto& missing : missing_columns(from))
        if (!is_renamed_to(renamings, missing))
            renamings.push_back(
                {.column = "COLUMN", .known = missing, .conversion = detail::conversion_to(missing, "COLUMN")});
    return list_of(renamings);
}

// As a shell reads it.
[[nodiscard]] std::string quoted_path(const std::string& path) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("./_-+=:@").find(c) != std::string_view::npos;
    };
    if (!path.empty() && std::all_of(path.begin(), path.end(), is_plain)) return path;
    std::string text = "'";
    for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::string program_help() {
    std::string text = fmt::format(
        "bellamy {}: how long Spark and Flink jobs take, and on what size to run them\n\n"
        "Usage: bellamy COMMAND [OPTION]...\n\n",
        BELLAMY_VERSION);
    for (const auto& each : commands) text += fmt::format("  {:<11} {}\n", each.name, each.purpose);
    text +=
        "  completion  Print the completion script for bash or zsh\n\n"
        "  bellamy COMMAND --help       The options of a command used most\n"
        "  bellamy COMMAND --help-all   All of them\n"
        "  bellamy PATH                 What to do with these logs or this history\n"
        "  bellamy --version\n\n"
        "Times: 90 (seconds), 10m, 2h, 1h30m. Sizes: 500 (MB), 32GB (of 1024 MB), 1.5TB.\n"
        "Prices: 0.4, $0.40/h. Exit codes: 0 done, 1 bad input, 2 wrong usage, 3 some\n"
        "logs skipped, 4 no proposal that holds. In the sources: examples/README.md\n";
    return text;
}

namespace {

[[nodiscard]] std::string steps_with(const finding& history) {
    const auto shown = printable(history.path);
    if (history.what != content::nothing && shown != history.path)
        return fmt::format(
            "Something to read is at {}, whose name has characters that are not\n"
            "shown as they are, so that no command with it could be copied. Rename it, and next:\n"
            "  bellamy PATH                                           # its new path\n",
            shown);
    const auto name = quoted_path(shown);
    switch (history.what) {
        case content::event_logs:
            return fmt::format(
                "Logs of Spark or Flink in {0}. Next:\n"
                "  bellamy recommend {0} --deadline 30m                   # a size for each application\n"
                "  bellamy backtest {0} --html page.html                  # how far to trust it\n"
                "  bellamy report {0} --html report.html                  # what it costs, what is at risk\n"
                "  bellamy import {0} --traces history.jsonl.zst          # once, to read it faster\n",
                name);
        case content::traces:
        case content::history_table:
            return fmt::format(
                "A history of runs in {0}. Next:\n"
                "  bellamy recommend {0} --deadline 30m                   # a size for each application\n"
                "  bellamy backtest {0} --html page.html                  # how far to trust it\n"
                "  bellamy report {0} --html report.html                  # what it costs, what is at risk\n",
                name);
        case content::model:
            return fmt::format(
                "A model in {0}. Next:\n"
                "  bellamy inspect {0}                                    # what it knows\n"
                "  bellamy allocate --model {0} --deadline 10m --property NAME=VALUE\n",
                name);
        case content::application:
            return fmt::format(
                "A model of an application's stages in {0}. Next:\n"
                "  bellamy forecast RUNNING --model {0}                   # from the trace of a run that goes on\n",
                name);
        case content::other_table:
            return fmt::format(
                "A table in {0} with the columns {1}.\n"
                "If its rows are runs, rename {2}, and next:\n"
                "  bellamy recommend {0} --deadline 30m                   # a size for each application\n"
                "  or, to keep its names (see bellamy pretrain --help-all):\n"
                "  bellamy pretrain --table {0} --scale-out COLUMN --runtime COLUMN \\\n"
                "    --essential COLUMN,COLUMN --out job.bellamy\n",
                name, printable(fmt::format("{}", fmt::join(columns_of(history.path), ","))),
                printable(names_to_give({.columns = columns_of(history.path)})));
        case content::nothing: break;
    }
    return fmt::format("No event logs, history or model found {}. Next:\n",
                       history.is_of_part ? "among the first files and folders here" : "here") +
           "  bellamy recommend FOLDER --deadline 30m                # FOLDER of logs\n"
           "  bellamy pretrain --help                                # from a table of runs\n";
}

}  // namespace

steps next_steps(const std::string& path) {
    const auto history = find_from(path);
    // Where nothing is there, the steps say it themselves.
    const bool must_tell_part = history.is_of_part && history.what != content::nothing;
    return {.text = steps_with(history) + (must_tell_part ? "Only the first files and folders here were looked at.\n" : ""),
            .has_input = history.what != content::nothing};
}

}  // namespace tools
