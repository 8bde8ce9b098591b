#include "history.hpp"

#include <bellamy/cold_start.hpp>
#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/pretrain.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "event_log/import_with_bar.hpp"
#include "event_log/random_ends.hpp"
#include "flink/job_archive.hpp"
#include "history_layout.hpp"
#include "log_outputs.hpp"
#include "marked_runs.hpp"
#include "model_text.hpp"
#include "next_size.hpp"
#include "printable.hpp"
#include "progress_bar.hpp"
#include "split_names.hpp"
#include "trace_file.hpp"
#include "unusual_runs.hpp"

namespace tools {

namespace {

[[nodiscard]] bool is_trace_file(const std::string& path) {
    return path.ends_with(".jsonl") || path.ends_with(".jsonl.zst");
}

// The latest run that succeeded of each application: tasks are kept of no other.
class latest_runs {
public:
    void add(bellamy::application_trace&& trace) {
        if (trace.outcome != bellamy::trace_outcome::succeeded) return;
        const auto name = trace.application;
        auto& kept = by_application_[name];
        if (!kept || kept->started_at_s.value_or(0) <= trace.started_at_s.value_or(0)) kept = std::move(trace);
    }
    /// An application that became another.
    void rename(const std::string& from, const std::string& to) {
        auto moved = by_application_.extract(from);
        if (!moved || !moved.mapped()) return;
        moved.mapped()->application = to;
        add(std::move(*moved.mapped()));
    }
    [[nodiscard]] std::optional<bellamy::application_trace> take(const std::string& application) {
        const auto found = by_application_.find(application);
        return found == by_application_.end() ? std::nullopt : std::move(found->second);
    }

private:
    std::map<std::string, std::optional<bellamy::application_trace>> by_application_{};
};

struct loaded_history {
    table runs{};
    latest_runs latest{};
    std::vector<std::string> skipped{};
    std::vector<std::string> unused{};  // columns
    std::string names{};                // what the rule of names would do to a table's
};

[[nodiscard]] bool is_advised_on(const event_log::run_row& row) {
    return std::all_of(row.flags.begin(), row.flags.end(),
                       [](const std::string& flag) { return why_not_advised(flag).empty(); });
}

[[nodiscard]] loaded_history read_trace_files(const std::vector<std::string>& files, const std::string& path,
                                              const event_log::name_rule& naming) {
    std::deque<event_log::run_row> rows;
    loaded_history made;
    progress_bar bar("reading traces");
    std::size_t read = 0;
    for (const auto& file : files)
        for_each_trace(file, [&](trace_line&& line) {
            bar.advance(0, fmt::format("reading traces, {}", count(++read, "run")));
            auto name = full_name(line);
            if (naming.is_given()) line.trace.application = naming(name);
            auto row = event_log::to_row(line.trace, line.beside);
            if (!row.reason.empty()) {
                made.skipped.push_back(fmt::format("line {} of {}: {}", line.number, file, row.reason));
                return;
            }
            if (is_advised_on(row.row)) made.latest.add(std::move(line.trace));
            row.row.name = std::move(name);
            rows.push_back(std::move(row.row));
        });
    std::vector<event_log::run_row*> places;
    for (auto& each : rows) places.push_back(&each);
    for (const auto& [from, to] : event_log::join_random_ends(places)) made.latest.rename(from, to);
    const std::vector<const event_log::run_row*> joined(places.begin(), places.end());
    made.runs = parse_table(event_log::table_of(joined), path);
    return made;
}

// Of a folder that cannot be read, none: `find_logs` has told.
[[nodiscard]] std::vector<std::string> trace_files_of(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code unreadable;
    for (const auto& each : std::filesystem::directory_iterator(folder, unreadable))
        if (each.is_regular_file(unreadable) && is_trace_file(each.path().string())) files.push_back(each.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

// A log, or a folder's logs or, where it holds none, its trace files.
[[nodiscard]] loaded_history read_history_logs(const std::string& path, const event_log::name_rule& naming,
                                               unsigned threads) {
    const auto all = event_log::import_with_bar(event_log::find_logs({path}), naming, threads);
    const auto trace_files = trace_files_of(path);
    std::vector<std::string> skipped;
    for (const auto& each : all)
        if (each.is_log && !each.skipped.empty() && (!each.is_superseded || each.skipped.starts_with("older_attempt")))
            skipped.push_back(fmt::format("{}: {}", each.name, each.skipped));
    for (const auto& each : all)
        if (!each.without_row.empty()) skipped.push_back(fmt::format("{}: {}", each.name, each.without_row));
    if (std::any_of(all.begin(), all.end(), [](const auto& each) { return each.row.has_value(); })) {
        loaded_history made{.runs = parse_table(event_log::table_of(all), path), .skipped = std::move(skipped)};
        for (const auto& each : trace_files)
            made.skipped.push_back(fmt::format("{}: traces beside event logs, whose runs they may hold again", each));
        std::map<std::string, const event_log::imported_log*> latest;
        for (const auto& each : all) {
            if (!each.skipped.empty() || !each.row || !is_advised_on(*each.row) ||
                each.row->outcome != bellamy::trace_outcome::succeeded)
                continue;
            auto& kept = latest[each.row->application];
            if (kept == nullptr || kept->started_at_ms <= each.started_at_ms) kept = &each;
        }
        for (const auto& [name, log] : latest) {
            auto trace = std::move(from_line(event_log::unpack_trace(log->packed_trace)).trace);
            trace.application = name;
            made.latest.add(std::move(trace));
        }
        return made;
    }
    if (trace_files.empty() && !std::filesystem::is_directory(path) &&
        std::any_of(all.begin(), all.end(), [](const auto& each) { return each.is_packed_runs; }))
        throw tool_error(
            "packed_history",
            fmt::format("expected a history or a table of runs that is not packed at {}, found one in {}: unpack "
                        "it; of histories and tables .jsonl, .jsonl.zst and plain text are read",
                        path, path.ends_with(".zip") ? "a zip archive" : "compressed data"));
    auto made = read_trace_files(trace_files, path, naming);
    made.skipped.insert(made.skipped.begin(), skipped.begin(), skipped.end());
    return made;
}

// Empty of what cannot be read: `read_table` tells that.
[[nodiscard]] std::string first_bytes_of(const std::string& path) {
    std::string bytes(16, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes.starts_with("\xEF\xBB\xBF") ? bytes.substr(3) : bytes;
}

// A table is plain text: what is compressed can be a log only.
[[nodiscard]] bool begins_as_log(std::string_view bytes) {
    const auto kind = event_log::codec_of(bytes);
    return bytes.starts_with(R"({"Event":)") || flink::begins_as_archive(bytes) ||
           (kind != event_log::codec::plain && kind != event_log::codec::other);
}

void require_table(std::string_view bytes, const std::string& path) {
    const bool is_model = bytes.starts_with("bellamy\x1A");
    if (!is_model && !bytes.starts_with('{') && !bytes.starts_with('[')) return;
    throw tool_error(
        "unknown_layout",
        fmt::format(
            "expected event logs, archives of Flink, a trace file (.jsonl, .jsonl.zst) or a table of runs at {}, found {}",
            path, is_model ? "a model file" : "JSON"));
}

// Names that differ in a blank look the same. `bellamy import` writes names as they are.
void leave_out_unclear_names(table& from, bad_rows& bad) {
    const auto application = from.column("application");
    const bool is_written_by_hand = !from.find("data_measure");
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    std::erase_if(from.rows, [&](const table_row& row) {
        const auto& name = row.cells[application];
        const bool has_none = std::all_of(name.begin(), name.end(), is_blank);
        if (!has_none && !(is_written_by_hand && (is_blank(name.front()) || is_blank(name.back())))) return false;
        bad.add(tool_error("unclear_application",
                           fmt::format("expected the name of an application{} in {}, found \"{}\"",
                                       has_none ? "" : " without blanks around it", from.where(row, application), name)));
        return true;
    });
}

// A table has the names that were given when it was written: without a rule they stay.
void rename_applications(table& to, const event_log::name_rule& naming) {
    if (!naming.is_given()) return;
    const auto application = to.column("application");
    for (auto& row : to.rows) row.cells[application] = naming(row.cells[application]);
}

// What is longer would be cut, which joins names that are none's.
[[nodiscard]] std::string cleaned(const std::string& name) {
    constexpr std::size_t longest = 512;
    return name.size() > longest ? name : event_log::clean_name(name);
}

// Names with a date in them make an application of each run.
[[nodiscard]] std::string effect_of_cleaning(const table& of) {
    const auto application = of.column("application");
    std::set<std::string> names;
    for (const auto& row : of.rows) names.insert(row.cells[application]);
    std::map<std::string, std::set<std::string>> by_clean_name;
    for (const auto& name : names) by_clean_name[cleaned(name)].insert(name);
    if (names.size() == by_clean_name.size()) return {};
    const auto joined =
        std::find_if(by_clean_name.begin(), by_clean_name.end(), [](const auto& each) { return each.second.size() > 1; });
    return fmt::format("{} would be {} with --name clean: {}, such as {}, are {}", count(names.size(), "application"),
                       by_clean_name.size(), joined->second.size(), *joined->second.begin(), joined->first);
}

// In a table that a person wrote: a run that did not succeed may have no data size, since its size is forecast. Of the
// others all or none of an application have one: the size 0 beside others is one that is not known.
void take_unknown_sizes(table& from, bad_rows& bad) {
    const auto size = from.find("data_size_MB");
    if (!size || from.find("data_measure")) return;
    const auto application = from.column("application");
    const auto outcome = from.find("outcome");
    const auto has_size = [&](const table_row& row) {
        return !row.cells[*size].empty() && parse_number<double>(row.cells[*size]) != 0.0;
    };
    const auto succeeded = [&](const table_row& row) { return !outcome || row.cells[*outcome] == "succeeded"; };
    std::set<std::string> with_sizes;
    for (auto& row : from.rows) {
        if (succeeded(row) && has_size(row)) with_sizes.insert(row.cells[application]);
        if (!succeeded(row) && !has_size(row)) row.cells[*size] = "0";
    }
    std::erase_if(from.rows, [&](const table_row& row) {
        if (has_size(row) || !succeeded(row) || !with_sizes.contains(row.cells[application])) return false;
        bad.add(tool_error(
            "unknown_data_size",
            fmt::format("expected a data size in {}, since other runs of {} have one, found \"{}\"; give it, write 0 for "
                        "all runs of that application, or leave this run out (--skip-invalid)",
                        from.where(row, *size), row.cells[application], row.cells[*size])));
        return true;
    });
}

[[nodiscard]] loaded_history load_history(const std::string& path, bad_rows& bad, const event_log::name_rule& naming,
                                          unsigned threads) {
    if (std::filesystem::is_directory(path)) return read_history_logs(path, naming, threads);
    if (is_trace_file(path)) return read_trace_files({path}, path, naming);
    // A pipe gives its bytes once.
    if (std::filesystem::is_regular_file(path)) {
        const auto bytes = first_bytes_of(path);
        if (begins_as_log(bytes) || path.ends_with(".zip")) return read_history_logs(path, naming, threads);
        require_table(bytes, path);
    }
    const progress_bar bar("reading runs");
    loaded_history made{.runs = read_table(path, bad)};
    require_history_columns(made.runs);
    if (const auto outcome = made.runs.find("outcome"))
        for (auto& row : made.runs.rows) row.cells[*outcome] = outcome_of(row.cells[*outcome]);
    made.unused = unused_columns(made.runs);
    leave_out_unclear_names(made.runs, bad);
    if (!naming.is_given()) made.names = effect_of_cleaning(made.runs);
    rename_applications(made.runs, naming);
    take_unknown_sizes(made.runs, bad);
    leave_out_nameless_machines(made.runs, bad);
    return made;
}

[[nodiscard]] run_facts facts_of(const table& from, const table_row& row) {
    const auto number = [&](std::string_view column) -> std::int64_t {
        const auto at = from.find(column);
        if (!at || row.cells[*at].empty()) return 0;
        return static_cast<std::int64_t>(to_natural(row.cells[*at], from.where(row, *at)));
    };
    const auto text = [&](std::string_view column) {
        const auto at = from.find(column);
        return at ? row.cells[*at] : std::string();
    };
    auto flags = split(text("flags"), ',');
    std::erase(flags, "");
    std::optional<double> wait_s;
    if (const auto at = from.find("wait_s"); at && !row.cells[*at].empty())
        wait_s = to_wait(row.cells[*at], from.where(row, *at));
    const auto seconds = [&](std::string_view column) {
        const auto at = from.find(column);
        return at && !row.cells[*at].empty() ? to_real(row.cells[*at], from.where(row, *at)) : 0.0;
    };
    const bool is_flink = text("system").starts_with("flink");
    const bool out_of_memory = std::find(flags.begin(), flags.end(), "out_of_memory") != flags.end();
    return {.id = text("run"),
            .line = row.line,
            .size = {.executors = number("executors"),
                     .executor_cores = number("executor_cores"),
                     .executor_memory_mb = number("executor_memory_MB"),
                     .total_cores = is_flink ? number("cores") : 0,
                     .is_dynamic = std::find(flags.begin(), flags.end(), "dynamic_allocation") != flags.end(),
                     .is_local = text("master") == "local",
                     .is_flink = is_flink},
            .spilled_mb = number("spilled_MB"),
            .peak_heap_mb = number("peak_executor_heap_MB"),
            .out_of_memory = out_of_memory,
            .outcome = text("outcome"),
            .wait_s = wait_s,
            .flags = std::move(flags),
            .source_mb = number("source_MB"),
            .longest_task_s = seconds("longest_task_s"),
            .task_core_s = seconds("task_core_s"),
            .largest_stage_tasks = number("largest_stage_tasks"),
            .machine = text("machine_type")};
}

// Counted in executors where the history is, and without the wait for the first and what came after the last job.
[[nodiscard]] bellamy::application_trace while_it_worked(bellamy::application_trace trace, bellamy::scale_out_unit unit,
                                                         std::int64_t executor_cores) {
    if (unit == bellamy::scale_out_unit::executor && trace.unit == bellamy::scale_out_unit::core) {
        const int cores = static_cast<int>((std::max<std::int64_t>)(1, executor_cores));
        for (auto& each : trace.scale_out) each.scale_out = (each.scale_out + cores - 1) / cores;
        trace.unit = unit;
        trace.slots_per_unit = std::floor(cores * trace.slots_per_unit.value_or(1) + 1e-9);
    }
    double last_s = 0;
    for (const auto& job : trace.jobs) last_s = (std::max)(last_s, job.completed_s.value_or(trace.runtime_s));
    std::erase_if(trace.scale_out, [&](const auto& step) { return step.at_s >= last_s; });
    const auto first =
        std::find_if(trace.scale_out.begin(), trace.scale_out.end(), [](const auto& step) { return step.scale_out > 0; });
    const double wait_s = first == trace.scale_out.end() ? 0 : first->at_s;
    const auto shift = [&](std::optional<double>& at_s) {
        if (at_s) at_s = (std::max)(0.0, *at_s - wait_s);
    };
    trace.scale_out.erase(trace.scale_out.begin(), first);
    for (auto& each : trace.scale_out) each.at_s -= wait_s;
    trace.runtime_s -= wait_s;
    for (auto& job : trace.jobs) {
        shift(job.submitted_s);
        shift(job.completed_s);
        for (auto& stage : job.stages) {
            shift(stage.submitted_s);
            shift(stage.completed_s);
            stage.scale_out.reset();
        }
    }
    return trace;
}

[[nodiscard]] std::string size_unit_of(const table_layout& layout) {
    if (detail::contains(layout.essential, "records_read")) return "records";
    return detail::contains(layout.essential, "first_shuffle_MB") ? "MB shuffled" : "MB";
}

// Part of the data was read when a run failed: as the size of all it would make a lower bound of the wrong run.
void forecast_sizes_of_incomplete_runs(application_history& of) {
    for (std::size_t i = 1; i < of.runs.size(); ++i) {
        auto& incomplete = of.runs[i];
        const auto had_read = data_size(incomplete);
        if (!incomplete.censored || !had_read) continue;
        const auto expected = forecast_size(std::span(of.runs).first(i)).middle_mb();
        if (!expected || *expected <= *had_read) continue;
        incomplete.context = with_size(incomplete.context, static_cast<std::uint64_t>(*expected));
        ++of.forecast_sizes;
    }
}

// Runs of one application, by their starts.
[[nodiscard]] application_history history_of(const std::string& name, const table& own, const table_layout& layout) {
    auto runs = read_runs(own, layout);
    std::vector<std::size_t> order(runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto start = [&](std::size_t i) { return std::pair(runs[i].timestamp_s.value_or(0), i); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return start(a) < start(b); });
    application_history made{.name = name, .layout = layout, .size_unit = size_unit_of(layout)};
    for (const auto i : order) {
        made.runs.push_back(std::move(runs[i]));
        made.facts.push_back(facts_of(own, own.rows[i]));
    }
    forecast_sizes_of_incomplete_runs(made);
    return made;
}

// Leaves out the rows of a table that cannot be used, and adds them to `bad`.
void leave_out_bad_rows(table& from, const table_layout& layout, bad_rows& bad) {
    const auto good = read_runs(from, layout, bad).lines;
    const std::set<std::size_t> lines(good.begin(), good.end());
    std::erase_if(from.rows, [&](const table_row& row) {
        if (!lines.contains(row.line)) return true;
        try {
            (void)facts_of(from, row);
            return false;
        } catch (const tool_error& problem) {
            bad.add(problem);
            return true;
        }
    });
    bad.require_none();
}

// What a run is known by: its id, else a start and all that stands beside it; empty where its row does not tell.
[[nodiscard]] std::vector<std::string> identity_of(const table& from, const table_row& row) {
    const auto run = from.find("run");
    const auto start = from.find("started_at_s");
    // Of a date alone, several equal runs of a day are likely.
    const bool tells_moment = start && row.cells[*start] != "0" &&
                              (parse_number<double>(row.cells[*start]) || row.cells[*start].find(':') != std::string::npos);
    if (!run || row.cells[*run].empty()) return tells_moment ? row.cells : std::vector<std::string>();
    std::vector<std::string> made;
    for (const char* column : {"application", "run", "attempt", "started_at_s"})
        if (const auto at = from.find(column)) made.push_back(row.cells[*at]);
    return made;
}

// By their names, in their order.
[[nodiscard]] std::vector<std::string> tables_in(const std::string& folder) {
    std::vector<std::string> tables;
    std::error_code unreadable;
    for (const auto& each : std::filesystem::directory_iterator(folder, unreadable)) {
        auto path = each.path().string();
        if (path.ends_with(".csv") || path.ends_with(".tsv")) tables.push_back(std::move(path));
    }
    std::sort(tables.begin(), tables.end());
    return tables;
}

// ", such as runs/a.csv"; empty where the folder holds none.
[[nodiscard]] std::string example_of_tables_in(const std::string& folder) {
    const auto tables = tables_in(folder);
    return tables.empty() ? "" : ", such as " + tables.front();
}

// By the names of its columns; what cannot be read is none.
[[nodiscard]] bool is_table_of_runs(const std::string& path) {
    std::error_code unreadable;
    if (!std::filesystem::is_regular_file(path, unreadable)) return false;  // a pipe gives its bytes once
    std::string line(std::size_t{1} << 16U, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(std::min(static_cast<std::size_t>(file.gcount()), line.find('\n')));
    try {
        return is_history(parse_table(line, path));
    } catch (const tool_error&) {
        return false;
    }
}

[[nodiscard]] std::vector<std::string> tables_of_runs_in(const std::string& folder) {
    std::vector<std::string> tables;
    if (std::filesystem::is_directory(folder)) tables = tables_in(folder);
    std::erase_if(tables, [](const std::string& path) { return !is_table_of_runs(path); });
    return tables;
}

// Each run counts once: by the row that tells its end where there is one. Says how many rows were left out.
[[nodiscard]] std::vector<std::string> leave_out_repeated(table& from) {
    const auto outcome = from.find("outcome");
    std::map<std::vector<std::string>, std::size_t> places;
    std::vector<table_row> kept;
    std::string first;
    std::size_t contradicting = 0;
    const auto runtime = from.column("runtime_s");
    for (auto& row : from.rows) {
        const auto identity = identity_of(from, row);
        const auto [known, is_new] = places.try_emplace(identity, kept.size());
        if (is_new || identity.empty()) {
            kept.push_back(std::move(row));
            continue;
        }
        if (first.empty()) {
            const auto run = from.find("run");
            first = run && !row.cells[*run].empty() ? row.cells[*run]
                                                    : fmt::format("one of {}", row.cells[from.column("application")]);
        }
        auto& other = kept[known->second];
        if (outcome && other.cells[*outcome] == "unfinished") {
            other = std::move(row);
        } else if (other.cells[runtime] != row.cells[runtime] ||
                   (outcome && row.cells[*outcome] != "unfinished" && other.cells[*outcome] != row.cells[*outcome])) {
            ++contradicting;
        }
    }
    const auto repeated = from.rows.size() - kept.size();
    from.rows = std::move(kept);
    if (repeated == 0) return {};
    return {fmt::format("{} that {} there already, such as {} of {}: each run counts once{}", count(repeated, "run"),
                        repeated == 1 ? "is" : "are", first, from.path,
                        contradicting > 0
                            ? fmt::format(", {} with another end than the row that counts", count(contradicting, "row"))
                            : "")};
}

// Attempts at a run that did not succeed and were made anew do not count: their rows go to `older`. Says how many these are.
[[nodiscard]] std::vector<std::string> leave_out_older_attempts(table& from, table& older) {
    const auto run = from.find("run");
    const auto attempt = from.find("attempt");
    const auto outcome = from.find("outcome");
    if (!run || !attempt || !outcome) return {};
    const auto application = from.column("application");
    const auto key_of = [&](const table_row& row) { return std::pair(row.cells[application], row.cells[*run]); };
    const auto number_of = [&](const table_row& row) {
        return parse_number<std::uint64_t>(row.cells[*attempt]).value_or(0);
    };
    std::map<std::pair<std::string, std::string>, std::uint64_t> newest;
    for (const auto& row : from.rows) {
        auto& number = newest[key_of(row)];
        number = std::max(number, number_of(row));
    }
    const auto counts = [&](const table_row& row) {
        if (row.cells[*run].empty() || number_of(row) == 0 || number_of(row) == newest.at(key_of(row))) return true;
        return row.cells[*outcome].empty() || row.cells[*outcome] == "succeeded";
    };
    const auto first_older = std::stable_partition(from.rows.begin(), from.rows.end(), counts);
    older = {.path = from.path, .columns = from.columns};
    older.rows.assign(std::make_move_iterator(first_older), std::make_move_iterator(from.rows.end()));
    from.rows.erase(first_older, from.rows.end());
    (void)leave_out_repeated(older);
    const auto left_out = older.rows.size();
    if (left_out == 0) return {};
    return {fmt::format("{} that {} made anew, such as {} of {}: the newest attempt at a run counts",
                        count(left_out, "attempt"), left_out == 1 ? "was" : "were", older.rows.front().cells[*run],
                        from.path)};
}

// With what their hours are told by; the layout is that of all runs.
[[nodiscard]] std::vector<older_attempt> attempts_of(const table& from, const table_layout& layout) {
    std::vector<older_attempt> made;
    if (from.rows.empty()) return made;
    auto runs = read_runs(from, layout);
    for (std::size_t i = 0; i < runs.size(); ++i)
        made.push_back({.application = from.rows[i].cells[from.column("application")],
                        .run = std::move(runs[i]),
                        .facts = facts_of(from, from.rows[i])});
    return made;
}

}  // namespace

std::string full_name(const trace_line& of) {
    const auto* full = of.find_beside("name");
    const auto* text = full == nullptr ? nullptr : full->value.text();
    return text == nullptr ? of.trace.application : *text;
}

std::string_view why_left_out(const trace_line& run) {
    const auto* flags = run.find_beside("flags");
    const auto* text = flags == nullptr ? nullptr : flags->value.text();
    if (text == nullptr) return {};
    for (const auto& flag : split(*text, ','))
        if (const auto why = why_not_advised(flag); !why.empty()) return why;
    return {};
}

std::size_t application_history::last_complete() const { return last_complete_of(runs); }

const application_history& team_history::application(const std::string& name) const {
    if (name.empty() && applications.size() == 1) return applications.front();
    constexpr std::size_t most_named = 20;
    std::vector<std::string> known;
    for (const auto& each : applications) {
        if (each.name == name) return each;
        if (known.size() < most_named) known.push_back(fmt::format("\"{}\"", each.name));
    }
    if (applications.size() > most_named) known.push_back(fmt::format("{} more", applications.size() - most_named));
    throw tool_error("unknown_application",
                     fmt::format("expected --application with one of {} of {}, found {}", fmt::join(known, ", "), path,
                                 name.empty() ? "none" : fmt::format("\"{}\"", name)));
}

namespace {

// The first few, and how many more.
[[nodiscard]] std::string list_of_tables(const std::vector<std::string>& paths) {
    constexpr std::size_t most_named = 3;
    const auto named = std::min(paths.size(), most_named);
    auto text = fmt::format("{}", fmt::join(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    if (paths.size() > named) text += fmt::format(" and {}", count(paths.size() - named, "more table"));
    return text;
}

}  // namespace

void tell_skipped(const team_history& of) {
    constexpr std::size_t most_told = 5;
    for (std::size_t i = 0; i < of.skipped.size() && i < most_told; ++i)
        fmt::print(stderr, "skipped       {}\n", printable(of.skipped[i]));
    if (of.skipped.size() > most_told) fmt::print(stderr, "skipped       and {} more\n", of.skipped.size() - most_told);
    if (!of.tables_beside.empty())
        fmt::print(stderr,
                   "not read      {}; of this folder, logs or traces are read, a table by its own name in place of {}\n",
                   printable(list_of_tables(of.tables_beside)), printable(of.path));
    if (!of.unused_columns.empty())
        fmt::print(stderr, "not used      column {}; one that sets runs apart can be called machine_type or arguments\n",
                   printable(fmt::format("{}", fmt::join(of.unused_columns, ", "))));
    for (const auto& each : of.names) fmt::print(stderr, "names         {}\n", printable(each));
}

namespace {

// Several applications at once, since some need a model to be learned first.
void take_out_unusual_runs_of_each(std::vector<application_history>& all, bool is_written_by_hand, unsigned threads,
                                   progress_bar& bar) {
    std::atomic<std::size_t> done = 0;
    bellamy::detail::for_each_index(all.size(), threads, [&](std::size_t i) {
        take_out_unusual_runs(all[i], is_written_by_hand);
        const auto looked_at = ++done;
        bar.advance(static_cast<double>(looked_at) / static_cast<double>(all.size()),
                    fmt::format("{}/{} applications, looking for unusual runs", looked_at, all.size()));
    });
}

}  // namespace

team_history read_history(const std::string& path, bool skip_invalid, const event_log::name_rule& naming, unsigned threads) {
    bad_rows bad(skip_invalid);
    auto all = load_history(path, bad, naming, threads);
    progress_bar bar("reading runs");
    team_history found{.path = path, .skipped = std::move(all.skipped), .unused_columns = std::move(all.unused)};
    if (!all.names.empty()) found.names.push_back(std::move(all.names));
    const auto require_runs = [&] {
        if (!all.runs.rows.empty()) return;
        const auto first = found.skipped.empty() ? "" : "; skipped " + found.skipped.front();
        throw tool_error("no_runs",
                         fmt::format("expected runs in {}, found none{}{}", path, first,
                                     std::filesystem::is_directory(path)
                                         ? "; of a folder, event logs and traces are read, a table by its own name" +
                                               example_of_tables_in(path)
                                         : ""));
    };
    require_runs();
    found.tables_beside = tables_of_runs_in(path);
    if (all.runs.find("flags")) {
        const auto marked = leave_out_marked(all.runs, "flags");
        found.skipped.insert(found.skipped.begin(), marked.begin(), marked.end());
    }
    require_runs();
    const auto unit = history_layout(all.runs);
    leave_out_bad_rows(all.runs, unit, bad);
    const auto left_out = bad.problems().size();
    if (4 * left_out > left_out + all.runs.rows.size())
        found.skipped.push_back(fmt::format("{} of {} rows: what is said below rests on the others alone", left_out,
                                            left_out + all.runs.rows.size()));
    found.skipped.insert(found.skipped.end(), bad.problems().begin(), bad.problems().end());
    require_runs();
    table older;
    for (const auto& sentences : {leave_out_older_attempts(all.runs, older), leave_out_repeated(all.runs)})
        found.skipped.insert(found.skipped.begin(), sentences.begin(), sentences.end());
    found.older_attempts = attempts_of(older, unit);
    const auto name = all.runs.column("application");
    std::map<std::string, table> by_name;
    for (const auto& row : all.runs.rows) {
        auto& own = by_name[row.cells[name]];
        own.path = all.runs.path;
        own.columns = all.runs.columns;
        own.rows.push_back(row);
    }
    std::map<std::string, std::size_t> runs_of_application;  // of those that cleaning joins, which was said, of all of them
    for (const auto& [application, own] : by_name) runs_of_application[cleaned(application)] += own.rows.size();
    if (!naming.is_given())
        for (const auto& each : find_split_names(std::move(runs_of_application))) found.names.push_back(describe(each));
    for (const auto& [application, own] : by_name) {
        auto layout = history_layout(own);
        layout.scale_out = unit.scale_out;  // of one kind for all applications
        layout.unit = unit.unit;
        std::erase(layout.essential, "application");
        auto& made = found.applications.emplace_back(history_of(application, own, layout));
        if (auto latest = all.latest.take(application))
            made.latest =
                while_it_worked(*std::move(latest), unit.unit, made.facts[made.last_complete()].size.executor_cores);
    }
    take_out_unusual_runs_of_each(found.applications, !all.runs.find("data_measure"), threads, bar);
    for (const auto& made : found.applications)
        for (const auto& each : made.unusual)
            if (each.is_left_out) found.skipped.push_back(fmt::format("{}: {}", made.name, describe(each)));
    return found;
}

void require_history_stays(const std::string& path, const std::vector<named_path>& outputs) {
    if (!std::filesystem::is_directory(path)) return;
    require_outputs(outputs, each_as("the trace file", trace_files_of(path)));
    require_no_log_at(outputs, event_log::find_logs({path}));
}

bellamy::result<bellamy::model> learn(std::span<const bellamy::run> runs, const std::string& name) {
    const auto numbers = bellamy::context_numbers(runs);
    const std::set<std::uint32_t> contexts(numbers.begin(), numbers.end());
    if (contexts.size() > 1) {
        auto made = bellamy::pretrain(runs, {.algorithm = name});
        if (made) return std::move(made)->model;
    }
    auto first = bellamy::cold_start(runs.back().context, name);
    if (!first) return first.error();
    return first->condition(runs);
}

}  // namespace tools
