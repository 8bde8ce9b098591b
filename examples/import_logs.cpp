// From the event logs that Spark left behind to traces, a table of runs and a report.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <bellamy/detail/base/message.hpp>

#include "support/arguments.hpp"
#include "support/event_log/import.hpp"
#include "support/log_outputs.hpp"
#include "support/named_paths.hpp"
#include "support/output_file.hpp"
#include "support/program.hpp"
#include "support/trace_file.hpp"

namespace {

using namespace tools::event_log;

struct arguments {
    std::vector<std::string> logs;
    std::string traces;
    std::string table;
    std::string report;
    std::vector<std::string> name_rules;
    unsigned threads = std::max(1U, std::thread::hardware_concurrency());
};

void declare(CLI::App& app, arguments& given) {
    app.add_option("logs", given.logs, "Event logs: files, rolling folders (eventlog_v2_*) and folders with such below them")
        ->required();
    app.add_option("--traces", given.traces, "Trace file to write, one run a line; compressed where it ends in .zst");
    app.add_option("--table", given.table, "Table of runs to write, separated by tabs");
    app.add_option("--report", given.report, "JSON file to write: the facts of every log or why it was skipped");
    tools::add_repeatable(
        app, "--name", given.name_rules,
        "How names of applications lose what differs from run to run: clean (dates, times, ids and attempt "
        "numbers go; the default), exact, or s/REGEX/TEXT/; repeatable, applied in order; a name of which nothing would be "
        "left stays");
    app.add_option("--threads", given.threads, "Logs that are read at the same time")
        ->capture_default_str()
        ->check(CLI::Range(1U, 1024U));
    app.footer(
        "Exit code: 0 if every log was taken (of several attempts the newest); 3 if some were skipped, which the report\n"
        "tells why; 1 if none was taken or an output cannot be written; 2 for wrong usage.");
}

// One line on a terminal; silent elsewhere.
class import_bar {
public:
    explicit import_bar(std::int64_t bytes) : bytes_(std::max<std::int64_t>(1, bytes)) {}

    void draw(std::int64_t bytes, std::size_t logs, std::size_t all) {
        const auto now = std::chrono::steady_clock::now();
        if (!on_terminal_ || now - drawn_at_ < std::chrono::milliseconds(100)) return;
        drawn_at_ = now;
        constexpr int width = 24;
        const double share = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(bytes_));
        const int filled = static_cast<int>(width * share);
        const auto elapsed = std::chrono::duration<double>(now - began_).count();
        const auto left = share > 0 ? static_cast<long long>(elapsed / share - elapsed + 0.5) : 0;
        const auto line = fmt::format("[{:#<{}}{:.<{}}] {}/{} logs  {:.0f} of {:.0f} MB  {}:{:02} left", "", filled, "",
                                      width - filled, logs, all, static_cast<double>(bytes) / 1e6,
                                      static_cast<double>(bytes_) / 1e6, left / 60, left % 60);
        fmt::print(stderr, "\r{:<78}", line);
        std::fflush(stderr);
        drawn_ = true;
    }
    void finish() const {
        if (drawn_) fmt::print(stderr, "\r{:<78}\r", "");
    }

private:
    std::int64_t bytes_;
    bool on_terminal_ = isatty(STDERR_FILENO) == 1;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point drawn_at_ = began_;
};

[[nodiscard]] std::vector<imported_log> import_with_bar(const std::vector<log_source>& sources, const name_rule& rule,
                                                        unsigned threads) {
    import_bar bar(std::accumulate(sources.begin(), sources.end(), std::int64_t{0},
                                   [](std::int64_t sum, const log_source& each) { return sum + each.bytes; }));
    auto all = import_all(sources, rule, threads,
                          [&](std::int64_t bytes, std::size_t logs) { bar.draw(bytes, logs, sources.size()); });
    bar.finish();
    return all;
}

[[nodiscard]] std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

[[nodiscard]] std::string report_of(const std::vector<imported_log>& all) {
    std::string text = "{";
    for (const auto& each : all) {
        auto facts = each.facts.empty() ? std::string("{}") : each.facts;
        facts.pop_back();
        const auto add = [&](const std::string& field) { facts += (facts.size() > 1 ? "," : "") + field; };
        add(fmt::format("\"taken\":{}", each.skipped.empty()));
        if (!each.skipped.empty()) add("\"skipped\":" + quoted(each.skipped));
        if (!each.notes.empty()) {
            std::vector<std::string> notes;
            for (const auto& note : each.notes) notes.push_back(quoted(note));
            add(fmt::format("\"notes\":[{}]", fmt::join(notes, ",")));
        }
        text += fmt::format("{}\n{}:{}}}", text.size() > 1 ? "," : "", quoted(each.name), facts);
    }
    return text + "\n}\n";
}

void write_traces(const std::vector<imported_log>& all, const std::string& path) {
    std::vector<const imported_log*> runs;
    for (const auto& each : all)
        if (each.skipped.empty()) runs.push_back(&each);
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto* a, const auto* b) { return a->started_at_ms < b->started_at_ms; });
    tools::trace_writer writer(path);
    for (const auto* each : runs) writer.add_line(unpack_trace(each->packed_trace));
    writer.close();
}

// Bytes that are not UTF-8 as \xFF: replaced by one and the same character, two names could become one.
[[nodiscard]] std::string escaped(std::string_view name) {
    std::string made;
    while (!name.empty()) {
        const auto length = bellamy::detail::first_character(name);
        if (length > 0) {
            made += name.substr(0, length);
        } else {
            made += fmt::format("\\x{:02X}", static_cast<unsigned char>(name[0]));
        }
        name.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return made;
}

// The same name may stand in two folders that were asked for.
void tell_names_apart(std::vector<log_source>& sources) {
    std::map<std::string, int> times;
    for (auto& each : sources) {
        each.name = escaped(each.name);
        ++times[each.name];
    }
    for (auto& each : sources)
        if (times[each.name] > 1 && !each.parts.empty()) each.name = escaped(each.parts.front());
}

struct tally {
    std::size_t taken = 0;
    std::size_t skipped = 0;
    std::size_t superseded = 0;
    std::size_t no_logs = 0;
    std::map<std::string, std::size_t> runs_of_application{};
    double text_mb = 0;
};

[[nodiscard]] tally count(const std::vector<imported_log>& all) {
    tally made;
    for (const auto& each : all) {
        made.text_mb += static_cast<double>(each.text_bytes) / 1e6;
        if (each.skipped.empty()) {
            ++made.taken;
            if (each.row) ++made.runs_of_application[each.row->application];
        } else if (each.is_superseded) {
            ++made.superseded;
        } else {
            ++(each.is_log ? made.skipped : made.no_logs);
        }
    }
    return made;
}

void print_skipped(const std::vector<imported_log>& all) {
    constexpr std::size_t most = 20;
    std::size_t printed = 0;
    std::size_t others = 0;
    for (const auto& each : all) {
        if (each.skipped.empty() || (!each.is_log && !each.is_superseded)) continue;
        if (printed++ < most) {
            fmt::print("skipped       {}: {}\n", each.name, each.skipped);
        } else {
            ++others;
        }
    }
    if (others > 0) fmt::print("skipped       {} others, see --report\n", others);
}

[[nodiscard]] int run(const arguments& given) {
    name_rule rule;
    for (const auto& each : given.name_rules) rule.add(each);
    const std::vector<tools::named_path> outputs{
        {"--traces", given.traces}, {"--table", given.table}, {"--report", given.report}};
    tools::require_outputs(outputs, tools::each_as("the log", given.logs));

    const auto began = std::chrono::steady_clock::now();
    auto sources = find_logs(given.logs);
    tools::require_no_log_at(outputs, sources);
    tell_names_apart(sources);
    auto all = import_with_bar(sources, rule, given.threads);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

    if (!given.report.empty()) tools::write_file(given.report, report_of(all));
    const auto found = count(all);
    print_skipped(all);
    fmt::print("read          {} logs, {:.1f} MB of events in {:.2f} s\n", all.size() - found.no_logs, found.text_mb,
               seconds);
    if (found.no_logs > 0) fmt::print("passed over   {} other files\n", found.no_logs);
    if (found.taken == 0) throw tools::tool_error("no_runs", "expected at least one event log that can be read, found none");
    fmt::print("taken         {} runs of {} applications, {} older attempts or duplicates left out, {} logs skipped\n",
               found.taken, found.runs_of_application.size(), found.superseded, found.skipped);
    if (!given.traces.empty()) write_traces(all, given.traces);
    if (!given.table.empty()) tools::write_file(given.table, table_of(all));
    // Traces keep the tasks that a table does not.
    const auto& history = given.traces.empty() ? given.table : given.traces;
    if (!history.empty())
        fmt::print("next          backtest {0} --html PAGE.html; recommend {0} --deadline SECONDS\n", history);
    return found.skipped == 0 ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Imports Spark's event logs: what ran, on how much, for how long.", "import_logs");
    arguments given;
    declare(app, given);
    int skipped = 0;
    const int failed = tools::run_program(app, argc, argv, [&] { skipped = run(given); });
    return failed != 0 ? failed : skipped;
}
