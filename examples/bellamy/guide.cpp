#include "guide.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/version.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../support/event_log/codec.hpp"
#include "../support/flink/job_archive.hpp"
#include "../support/history_layout.hpp"
#include "../support/parse.hpp"
#include "../support/printable.hpp"
#include "command.hpp"

namespace tools {

namespace {

namespace fs = std::filesystem;

// In the order in which a folder is said to have them.
enum class content { event_logs, traces, history_table, model, other_table, nothing };

[[nodiscard]] std::string first_bytes(const fs::path& path, std::size_t count) {
    std::string bytes(count, '\0');
    std::ifstream file(path, std::ios::binary);
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

// Of the first line of a table.
[[nodiscard]] std::vector<std::string> columns_of(const fs::path& path) {
    auto line = first_bytes(path, 4096);
    line.erase(std::min(line.size(), line.find_first_of("\r\n")));
    if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // byte-order mark
    return split(line, detail::delimiter_of(line));
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
    if (bytes.starts_with("bellamy\x1a")) return content::model;
    if (name.ends_with(".csv") || name.ends_with(".tsv")) {
        return is_history({.columns = columns_of(path)}) ? content::history_table : content::other_table;
    }
    const auto codec = event_log::codec_of(bytes);
    const bool is_compressed = codec != event_log::codec::plain && codec != event_log::codec::other &&
                               name.find(".tar") == std::string::npos && name.find(".csv") == std::string::npos;
    const bool is_log = is_compressed || bytes.find("\"Event\"") != std::string::npos || is_named_as_log(name);
    return is_log || flink::begins_as_archive(bytes) ? content::event_logs : content::nothing;
}

struct finding {
    content what = content::nothing;
    std::string path{};
};

// Looks at the entries of a folder, a thousand at most, and not below them.
[[nodiscard]] finding find_in(const fs::path& folder) {
    std::error_code unknown;
    finding best;
    int looked = 0;
    for (fs::directory_iterator entry(folder, unknown), end; !unknown && entry != end && looked < 1000;
         entry.increment(unknown), ++looked) {
        const auto what = content_of(entry->path());
        if (what == content::event_logs) return {what, folder.string()};
        const auto path = entry->path().lexically_normal().string();
        if (std::pair(what, path) < std::pair(best.what, best.path)) best = {what, path};
    }
    return best;
}

// In the folder itself, else in those beside its files.
[[nodiscard]] finding find_from(const fs::path& path) {
    std::error_code unknown;
    if (!fs::is_directory(path, unknown) || content_of(path) != content::nothing) return {content_of(path), path.string()};
    auto content_here = find_in(path);
    std::vector<fs::path> folders;
    for (fs::directory_iterator entry(path, unknown), end; !unknown && entry != end; entry.increment(unknown))
        if (entry->is_directory(unknown) && !entry->path().filename().string().starts_with('.'))
            folders.push_back(entry->path().lexically_normal());
    std::sort(folders.begin(), folders.end());
    for (std::size_t i = 0; content_here.what == content::nothing && i < std::min<std::size_t>(folders.size(), 100); ++i)
        content_here = find_in(folders[i]);
    return content_here;
}

// What the columns of a history are, by what this table calls them where that can be told.
[[nodiscard]] std::string names_to_give(const table& from) {
    auto renamings = renamings_of(from);
    for (const auto& missing : missing_columns(from))
        if (!is_renamed_to(renamings, missing)) renamings.push_back({.column = "COLUMN", .known = missing});
    return list_of(renamings);
}

// As a shell reads it.
[[nodiscard]] std::string quoted(const std::string& path) {
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

std::string next_steps(const std::string& path) {
    const auto history = find_from(path);
    const auto name = quoted(printable(history.path));
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
    return "No event logs, history or model found here. Next:\n"
           "  bellamy recommend FOLDER --deadline 30m                # FOLDER of logs\n"
           "  bellamy pretrain --help                                # from a table of runs\n";
}

}  // namespace tools
