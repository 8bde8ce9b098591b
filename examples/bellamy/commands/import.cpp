// From the event logs that Spark left behind to traces, a table of runs and a report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <bellamy/detail/base/message.hpp>

#include "../../support/arguments.hpp"
#include "../../support/event_log/history_server.hpp"
#include "../../support/event_log/import_with_bar.hpp"
#include "../../support/history.hpp"
#include "../../support/json_record.hpp"
#include "../../support/log_outputs.hpp"
#include "../../support/marked_runs.hpp"
#include "../../support/model_text.hpp"
#include "../../support/name_rules.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/output_file.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../../support/pseudonyms.hpp"
#include "../../support/split_names.hpp"
#include "../../support/start_time.hpp"
#include "../../support/trace_file.hpp"
#include "../command.hpp"

namespace {

using namespace tools::event_log;

struct import_options {
    std::vector<std::string> logs;
    std::string traces;
    std::string table;
    std::string report;
    std::string history_server;
    std::string since;
    std::uint64_t largest_zip_mb = 16384;
    std::string redact;
    std::vector<std::string> name_rules;
    bool json = false;
    unsigned threads = tools::all_processors();
};

// A year alone would be a number of seconds.
[[nodiscard]] CLI::Validator is_date() {
    const auto check = [](const std::string& text) {
        return text.find('-') != text.npos && tools::parse_start(text)
                   ? std::string()
                   : fmt::format("expected a date such as 2026-01-31 or 2026-01-31T22:15, found \"{}\"", text);
    };
    return {check, "", ""};
}

void declare_import(CLI::App& app, import_options& given) {
    app.add_option("LOGS", given.logs,
                   "Spark event logs and Flink's archives: files, rolling folders (eventlog_v2_*) and folders with such "
                   "below them, or saved answers of Spark's /api/v1")
        ->required();
    app.add_option("--traces", given.traces, "Trace file to write, one run a line; compressed where it ends in .zst");
    app.add_option("--table", given.table, "Table of runs to write, separated by tabs");
    app.add_option("--report", given.report, "JSON file to write: the facts of every log or why it was skipped");
    auto* const server =
        app.add_option("--history-server", given.history_server,
                       "Address of Spark's history server: LOGS is a folder, which gets the zips that it lacks")
            ->type_name("URL");
    app.add_option("--since", given.since, "Applications of the server that started then or later, such as 2026-01-31")
        ->check(is_date())
        ->type_name("DATE")
        ->needs(server);
    tools::as_size(app.add_option("--largest-zip", given.largest_zip_mb, "Zips of the server beyond it are not fetched")
                       ->capture_default_str()
                       ->check(tools::is_whole(1, 1 << 30))
                       ->needs(server));
    app.add_option("--redact", given.redact,
                   "File of pseudonyms: texts of --traces and --table that may be private (names, ids of runs, arguments, "
                   "paths) are replaced, the same by the same; new ones are added to it");
    tools::add_name_rules(app, given.name_rules);
    app.add_flag("--json", given.json, "Print what was read as one line of JSON");
    app.add_option("--threads", given.threads, "Logs that are read at the same time")
        ->capture_default_str()
        ->check(tools::is_whole(1, 1024));
    app.footer(
        "Exit code: 0 if every log was taken (of several attempts the newest); 3 if some\n"
        "were skipped or not fetched, the report says why; 1 if none was taken or an\n"
        "output cannot be written; 2 for wrong usage.");
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

void write_traces(const std::vector<imported_log>& all, const std::string& path, std::optional<tools::pseudonyms>& names) {
    std::vector<const imported_log*> runs;
    for (const auto& each : all)
        if (each.skipped.empty()) runs.push_back(&each);
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto* a, const auto* b) { return a->started_at_ms < b->started_at_ms; });
    tools::trace_writer writer(path);
    for (const auto* each : runs) {
        const auto line = unpack_trace(each->packed_trace);
        writer.add_line(names ? tools::redacted_trace(line, *names) : line);
    }
    writer.close();
}

// Bytes that are not UTF-8 as \xFF: replaced by one and the same character, two names could become one.
[[nodiscard]] std::string escaped(std::string_view name) {
    std::string made;
    while (!name.empty()) {
        const auto length = bellamy::detail::first_character_bytes(name);
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
    std::map<std::string, std::size_t> joined{};        // runs whose names end at random, by application
    std::map<std::string, std::size_t> without_row{};   // by why
    std::map<std::string, std::size_t> left_out{};      // of advice, by why
    std::map<std::string, std::size_t> lower_bounds{};  // runs that would have taken longer, by outcome
    std::map<std::string, std::size_t> repaired{};      // runs by what stands in the place of missing events
    std::size_t logs_with_bad_lines = 0;
    std::int64_t bad_lines = 0;
    double text_mb = 0;
};

[[nodiscard]] std::string_view why_left_out(const imported_log& log) {
    if (!log.row) return {};
    for (const auto& flag : log.row->flags)
        if (const auto why = tools::why_not_advised(flag); !why.empty()) return why;
    return {};
}

[[nodiscard]] tally count(const std::vector<imported_log>& all) {
    tally made;
    for (const auto& each : all) {
        made.text_mb += static_cast<double>(each.text_bytes) / 0x1p20;
        if (each.skipped.empty()) {
            ++made.taken;
            if (each.row) ++made.runs_of_application[each.row->application];
            if (!each.joined_from.empty()) ++made.joined[each.row->application];
            if (!each.without_row.empty()) ++made.without_row[each.without_row];
            if (each.bad_lines > 0) ++made.logs_with_bad_lines;
            made.bad_lines += each.bad_lines;
            for (const auto& what : each.repaired) ++made.repaired[what];
            if (const auto why = why_left_out(each); !why.empty()) {
                ++made.left_out[std::string(why)];
            } else if (each.row && each.row->outcome != bellamy::trace_outcome::succeeded) {
                ++made.lower_bounds[std::string(bellamy::to_string(each.row->outcome))];
            }
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

void print_read(const std::vector<imported_log>& all, const tally& counts, double seconds,
                const std::optional<fetched_logs>& fetched) {
    print_skipped(all);
    const auto missed = fetched ? fetched->missed.size() : 0;
    if (fetched)
        fmt::print("fetched       {}, {} there already, {} not fetched\n", tools::count(fetched->fetched, "application"),
                   fetched->present, missed);
    fmt::print("read          {}, {:.1f} MB of events in {:.2f} s\n",
               tools::count(all.size() - counts.no_logs - missed, "log"), counts.text_mb, seconds);
    if (counts.no_logs > 0) fmt::print("passed over   {} other files\n", counts.no_logs);
    if (counts.bad_lines > 0)
        fmt::print("bad lines     {} that are cut, unreadable or no events, in {}\n", counts.bad_lines,
                   tools::count(counts.logs_with_bad_lines, "log"));
}

void print_names(const tally& counts) {
    for (const auto& [application, runs] : counts.joined)
        fmt::print("names         {} that end at random are of \"{}\", as others that end so\n", runs,
                   tools::printable(application));
    for (const auto& each : tools::find_split_names(counts.runs_of_application))
        fmt::print("names         {}\n", tools::describe(each));
}

void print_taken(const tally& counts, const import_options& given) {
    fmt::print("taken         {} of {}, {} left out, {} skipped\n", tools::count(counts.taken, "run"),
               tools::count(counts.runs_of_application.size(), "application"),
               tools::count(counts.superseded, "duplicate or older attempt"), tools::count(counts.skipped, "log"));
    for (const auto& [why, runs] : counts.without_row)
        fmt::print("no row        {} in the table: {}\n", tools::count(runs, "run"), why);
    for (const auto& [why, runs] : counts.left_out) fmt::print("not advised   on {}: {}\n", tools::count(runs, "run"), why);
    for (const auto& [outcome, runs] : counts.lower_bounds)
        fmt::print("lower bound   {} {}: how long {} is a lower bound\n", tools::count(runs, "run"), outcome,
                   runs == 1 ? "it took" : "they took");
    for (const auto& [what, runs] : counts.repaired) fmt::print("repaired      {}: {}\n", tools::count(runs, "run"), what);
    print_names(counts);
    // Traces keep the tasks that a table does not.
    const auto& history = given.traces.empty() ? given.table : given.traces;
    if (!history.empty())
        fmt::print(
            "next          bellamy recommend {0} --deadline 30m\n"
            "              bellamy backtest {0} --html page.html\n",
            history);
}

// What the history server has, into the folder.
[[nodiscard]] std::optional<fetched_logs> fetch(const import_options& given) {
    if (given.history_server.empty()) return {};
    if (given.logs.size() != 1)
        throw tools::wrong_usage("LOGS", "one folder, which gets what is fetched from --history-server",
                                 fmt::format("{}", fmt::join(given.logs, " ")));
    tools::progress_bar bar("asking the history server");
    const history_server server{.address = given.history_server,
                                .since_s = tools::parse_start(given.since),
                                .largest_zip = static_cast<std::int64_t>(given.largest_zip_mb << 20U)};
    return fetch_logs(server, given.logs.front(), [&](std::size_t done, std::size_t of) {
        bar.advance(static_cast<double>(done) / static_cast<double>(of),
                    fmt::format("{}/{} applications fetched", done, of));
    });
}

void print_import_json(const std::vector<imported_log>& all, const tally& counts, double seconds,
                       const std::optional<fetched_logs>& fetched) {
    auto skipped = nlohmann::ordered_json::array();
    for (const auto& log : all)
        if (log.is_log && !log.skipped.empty() && !log.is_superseded)
            skipped.push_back({{"log", log.name}, {"reason", log.skipped}});
    auto names = nlohmann::ordered_json::array();
    for (const auto& each : tools::find_split_names(counts.runs_of_application))
        names.push_back({{"names", each.names}, {"that", each.common}, {"rule", each.rule}});
    const auto missed = fetched ? fetched->missed.size() : 0;
    nlohmann::ordered_json record{{"logs", all.size() - counts.no_logs - missed},
                                  {"megabytes", counts.text_mb},
                                  {"seconds", seconds},
                                  {"runs", counts.taken},
                                  {"applications", counts.runs_of_application.size()},
                                  {"superseded", counts.superseded},
                                  {"other_files", counts.no_logs},
                                  {"bad_lines", counts.bad_lines},
                                  {"without_row", counts.without_row},
                                  {"not_advised", counts.left_out},
                                  {"lower_bounds", counts.lower_bounds},
                                  {"repaired", counts.repaired},
                                  {"split_names", std::move(names)},
                                  {"skipped", std::move(skipped)}};
    if (fetched)
        record["history_server"] = {{"fetched", fetched->fetched}, {"present", fetched->present}, {"missed", missed}};
    tools::print_record("import", std::move(record));
}

[[nodiscard]] int run_import(const import_options& given) {
    const auto rule = tools::to_name_rule(given.name_rules);
    if (!given.redact.empty() && !given.report.empty())
        throw CLI::ValidationError("--report tells names, paths and reasons as they are: it cannot go with --redact");
    const std::vector<tools::named_path> outputs{
        {"--traces", given.traces}, {"--table", given.table}, {"--report", given.report}, {"--redact", given.redact}};
    tools::require_outputs(outputs, tools::each_as("the log", given.logs));

    const auto fetched = fetch(given);
    const auto began = std::chrono::steady_clock::now();
    auto sources = find_logs(given.logs);
    if (fetched) sources.insert(sources.end(), fetched->missed.begin(), fetched->missed.end());
    tools::require_no_log_at(outputs, sources);
    tell_names_apart(sources);
    auto all = import_with_bar(sources, rule, given.threads);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

    if (!given.report.empty()) tools::write_file(given.report, report_of(all));
    const auto counts = count(all);
    if (!given.json) print_read(all, counts, seconds, fetched);
    if (counts.taken == 0)
        throw tools::tool_error("no_runs",
                                "expected at least one event log or archive of Flink that can be read, found none");
    std::optional<tools::pseudonyms> names;
    if (!given.redact.empty()) names.emplace(given.redact);
    if (!given.traces.empty()) write_traces(all, given.traces, names);
    if (names) {
        for (auto& each : all)
            if (each.row) tools::redact(*each.row, *names);
        names->keep();
    }
    if (!given.table.empty()) tools::write_file(given.table, table_of(all));
    if (given.json) {
        print_import_json(all, counts, seconds, fetched);
    } else {
        print_taken(counts, given);
    }
    return counts.skipped == 0 ? 0 : 3;
}

}  // namespace

tools::command_body tools::declare_import(CLI::App& app) {
    app.description(
        "Reads Spark event logs, of a history server too, and Flink's archives of batch jobs: what ran, on how much, for "
        "how long.");
    const auto given = std::make_shared<import_options>();
    declare_import(app, *given);
    set_essential(app, {"LOGS", "--history-server", "--since", "--traces", "--table", "--report"});
    return [given] { return run_import(*given); };
}
