#include "import.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include "../flink/job_run.hpp"
#include "../tool_error.hpp"
#include "../trace_file.hpp"
#include "facts.hpp"
#include "not_batch.hpp"
#include "other_format.hpp"
#include "random_ends.hpp"
#include "to_trace.hpp"

namespace tools::event_log {

namespace {

struct close_file {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};

// A file of so many lines without an event is no log, however long it is.
constexpr std::int64_t hopeless_lines = 1000;

[[nodiscard]] bool is_hopeless(const log_reader& reader) noexcept {
    return reader.counts().events == 0 && reader.counts().bad_lines > hopeless_lines;
}

[[nodiscard]] std::string why_not(int error_number) {
    return fmt::format("cannot_read: expected a file that can be read, found: {}",
                       std::generic_category().message(error_number));
}

[[nodiscard]] std::string read_answers_of(const log_source& source, log_reader& reader,
                                          std::atomic<std::int64_t>& bytes_done) {
    constexpr std::int64_t most = std::int64_t{256} << 20U;
    std::vector<std::string> texts;
    bytes_done += source.bytes;
    if (source.bytes > most)
        return fmt::format("oversized_answers: expected answers of at most {} MB, found {} MB", most >> 20U,
                           source.bytes >> 20U);
    for (const auto& path : source.parts) {
        errno = 0;
        const std::unique_ptr<std::FILE, close_file> file(std::fopen(path.c_str(), "rb"));
        if (!file) return why_not(errno);
        auto& text = texts.emplace_back();
        std::array<char, 1U << 16U> block{};
        while (const auto size = std::fread(block.data(), 1, block.size(), file.get())) text.append(block.data(), size);
        if (std::ferror(file.get()) != 0) return why_not(errno);
    }
    reader.take_answers(texts);
    return {};
}

// Reads all parts. The result says why that was not possible.
[[nodiscard]] std::string read_parts(const log_source& source, log_reader& reader, std::atomic<std::int64_t>& bytes_done) {
    if (source.has_answers) return read_answers_of(source, reader, bytes_done);
    std::vector<char> block(std::size_t{1} << 18U);
    if (!source.gap.empty()) reader.miss_part();
    for (std::size_t i = 0; i < source.members.size() && !reader.unreadable(); ++i) {
        reader.begin_part();
        const bool is_whole = read_zip_member(source.parts[i], source.members[i], [&](std::span<const char> bytes) {
            return reader.push(bytes) && !is_hopeless(reader);
        });
        bytes_done += source.members[i].packed_bytes;
        if (!is_whole) reader.miss_rest();
    }
    for (const auto& path : source.parts) {
        if (!source.members.empty()) break;
        errno = 0;
        const std::unique_ptr<std::FILE, close_file> file(std::fopen(path.c_str(), "rb"));
        if (!file) return why_not(errno);
        std::setvbuf(file.get(), nullptr, _IONBF, 0);
        reader.begin_part();
        while (const auto size = std::fread(block.data(), 1, block.size(), file.get())) {
            bytes_done += static_cast<std::int64_t>(size);
            if (!reader.push({block.data(), size})) break;
            if (is_hopeless(reader)) break;
        }
        if (std::ferror(file.get()) != 0) return why_not(errno);
        if (reader.unreadable()) break;
    }
    reader.finish();
    return {};
}

// Of what is no event log, where its first bytes tell.
[[nodiscard]] std::string_view format_of(const log_source& source) {
    if (source.parts.size() != 1 || !source.members.empty() || source.has_answers || !source.problem.empty()) return {};
    std::array<char, 1024> bytes{};
    const std::unique_ptr<std::FILE, close_file> file(std::fopen(source.parts.front().c_str(), "rb"));
    return file ? other_format_of({bytes.data(), std::fread(bytes.data(), 1, bytes.size(), file.get())})
                : std::string_view();
}

[[nodiscard]] std::string described(const application_started& application) {
    const auto at = application.at ? fmt::format("{:.3f}", to_seconds(*application.at)) : std::string("an unknown time");
    return fmt::format("{} that started at {}", application.id.value_or("one without an id"), at);
}

[[nodiscard]] bool is_packed(const log_source& source, const log_reader& read) {
    const auto& codecs = read.counts().codecs;
    return !source.members.empty() ||
           std::any_of(codecs.begin(), codecs.end(), [](codec kind) { return kind != codec::plain; });
}

// Where it is a history or a table of runs; else empty.
[[nodiscard]] std::string_view hint_on_runs(const log_source& source, const log_reader& read) {
    if (!read.looks_like_runs()) return {};
    return is_packed(source, read) ? "; if it is a history or a table of runs, unpack it: bellamy recommend reads .jsonl, "
                                     ".jsonl.zst and plain tables"
                                   : "; a history or a table of runs needs no import: bellamy recommend reads it";
}

// Why the log is no run; empty where it may be one.
[[nodiscard]] std::string reason_against(const log_source& source, const log_reader& read) {
    const auto& counts = read.counts();
    if (const auto kind = read.unreadable()) {
        constexpr std::string_view expected = "unreadable_codec: expected plain, gzip, zstd, lz4 or snappy, found";
        if (*kind == codec::other) return fmt::format("{} another format", expected);
        if (*kind == codec::lzf) return fmt::format("{} lzf, which ImportLogs reads, the importer as a Spark job", expected);
        return fmt::format("{} {} and this program built without it (Debian: apt-get install {}, and build it again)",
                           expected, to_string(*kind), packages_for(*kind));
    }
    if (counts.bytes == 0 && !counts.damaged) return "empty_log: expected events, found an empty file";
    if (counts.events == 0 && counts.damaged)
        return "no_event_log: expected lines that are JSON objects with an Event, found compressed data that are cut or "
               "damaged before the first";
    if (counts.events == 0)
        return fmt::format("no_event_log: expected lines that are JSON objects with an Event, found none in {} lines{}",
                           counts.bad_lines, hint_on_runs(source, read));
    if (!read.log().application().at)
        return "no_start: expected SparkListenerApplicationStart with a time, found none" +
               (source.gap.empty() ? std::string() : "; " + source.gap);
    if (const auto& other = read.log().other_application())
        return fmt::format("two_applications: expected the events of one application, found {} and {}",
                           described(read.log().application()), described(*other));
    const auto ended_at = read.log().ended_at();
    if (ended_at && *ended_at < *read.log().application().at)
        return "clock_backwards: expected an end after the start of the application, found one before";
    return {};
}

// How the run ended, where that is not just by its end event.
void note_ends(const application_log& log, const bellamy::application_trace& trace, std::vector<std::string>& to) {
    const bool is_lower_bound = trace.outcome != bellamy::trace_outcome::succeeded;
    if (!log.has_end())
        to.emplace_back(trace.outcome == bellamy::trace_outcome::unfinished
                            ? "no end: still running, killed or cut off"
                            : "no end event, as Databricks writes none: the end is that of the last job or SQL execution");
    if (log.has_end() && is_lower_bound)
        to.push_back(fmt::format("{}: how long it took is a lower bound{}", to_string(trace.outcome),
                                 trace.failure.empty() ? "" : "; " + trace.failure));
}

void note_lost(const application_log& log, std::vector<std::string>& to) {
    const auto& lost = log.lost();
    const std::pair<std::int64_t, const char*> kinds[] = {
        {lost.job_starts, "starts of jobs"},
        {lost.jobs_of_stages, "jobs of stages"},
        {lost.stage_starts, "starts of stages"},
        {lost.stage_ends, "ends of stages"},
        {lost.task_ends, "ends of tasks"},
        {lost.executors, "executors of unknown size, or that ran tasks behind their removal"}};
    for (const auto& [count, what] : kinds)
        if (count > 0) to.push_back(fmt::format("events were lost: {} {}", count, what));
    const auto& repaired = log.repaired();
    if (repaired.executors > 0)
        to.push_back(fmt::format("{} executors were never added: taken from their first tasks", repaired.executors));
    if (repaired.removals > 0)
        to.push_back(fmt::format("{} executors were never removed: taken from their block managers", repaired.removals));
    if (repaired.job_ends > 0)
        to.push_back(fmt::format("{} jobs have no end: taken from their last stages", repaired.job_ends));
}

// By kinds, without how many of each, so that runs of one kind are counted together.
[[nodiscard]] std::vector<std::string> repairs_of(const application_log& log, const bellamy::application_trace& trace) {
    std::vector<std::string> made;
    if (!log.has_end() && trace.outcome != bellamy::trace_outcome::unfinished)
        made.emplace_back("without an end event, as of Databricks: the end is that of the last job or SQL execution");
    if (log.repaired().executors > 0) made.emplace_back("executors that were never added come with their first tasks");
    if (log.repaired().removals > 0) made.emplace_back("executors that were never removed go with their block managers");
    if (log.repaired().job_ends > 0) made.emplace_back("jobs without an end end with their last stages");
    return made;
}

[[nodiscard]] std::vector<std::string> notes_on(const log_source& source, const log_reader& read,
                                                const bellamy::application_trace& trace) {
    std::vector<std::string> made;
    made = source.notes;
    if (!source.gap.empty()) made.push_back(source.gap);
    if (source.has_answers)
        made.emplace_back("saved answers: single tasks, SQL executions and which stage waits for which are not told");
    if (!read.missing_answers().empty()) made.push_back(read.missing_answers());
    const auto& counts = read.counts();
    if (counts.cut_line) made.emplace_back("the last line is cut");
    if (counts.damaged) made.emplace_back("compressed data are cut or damaged: what decodes was taken");
    if (const auto other = counts.bad_lines - (counts.cut_line ? 1 : 0); other > 0)
        made.push_back(fmt::format("{} lines are no events", other));
    note_ends(read.log(), trace, made);
    if (!counts.is_incomplete()) note_lost(read.log(), made);
    if (const auto& amount = read.log().read(); amount.bytes > 0 && amount.lacks_bytes(0.1))
        made.push_back(fmt::format("tasks that counted no bytes read {} records, others {}: bytes {} those of a part",
                                   amount.records_without_bytes, amount.records_with_bytes,
                                   amount.tells_sources ? "are" : "may be"));
    if (const auto found = why_not_batch(read.log())) made.push_back("no batch job: " + found->evidence);
    if (const auto times = read.log().negative_durations(); times > 0)
        made.push_back(fmt::format("the clock ran backwards within {} tasks or stages", times));
    if (const auto& clock = read.log().clock(); clock.was_set())
        made.push_back(
            clock.has_jumped()
                ? fmt::format("the driver's clock was set: {} s pass between two events", to_seconds(clock.jump))
                : fmt::format("the driver's clock was set: a task took {} s less or {} s more than its executor says",
                              to_seconds(clock.shortfall), to_seconds(clock.excess)));
    if (read.log().has_mixed_executors()) made.emplace_back("executors of several sizes");
    if (read.log().durations_left_out())
        made.push_back(fmt::format("durations of single tasks left out beyond {}", application_log::most_durations));
    return made;
}

[[nodiscard]] std::string packed(const std::string& line) {
    std::string made(ZSTD_compressBound(line.size()), '\0');
    const auto size = ZSTD_compress(made.data(), made.size(), line.data(), line.size(), 1);
    if (ZSTD_isError(size) != 0U) throw std::bad_alloc();
    made.resize(size);
    made.shrink_to_fit();
    return made;
}

// The trace with what stands beside it, and the row. Refusals of the trace become the reason.
void take_trace(const bellamy::application_trace& trace, const std::string& name, row_or_reason row, imported_log& made) {
    made.run = trace.run;
    made.attempt = trace.attempt;
    std::vector<bellamy::property> beside;
    if (!name.empty() && name != trace.application) beside.push_back(bellamy::text("name", name));
    if (row.reason.empty()) {
        const auto facts = facts_beside(row.row);
        beside.insert(beside.end(), facts.begin(), facts.end());
    }
    made.packed_trace = packed(tools::to_line(trace, beside));
    if (row.reason.empty()) {
        row.row.name = name;
        made.row = std::move(row.row);
    } else {
        made.without_row = row.reason;
        made.notes.push_back("no row in the table: " + row.reason);
    }
}

void take_run(const log_source& source, const log_reader& read, const name_rule& rule, imported_log& made) {
    const auto trace = to_trace(read.log(), rule);
    made.notes = notes_on(source, read, trace);
    made.repaired = repairs_of(read.log(), trace);
    made.started_at_ms = *read.log().application().at;
    made.ended = read.log().has_end();
    const auto job = databricks_job(read.log());
    take_trace(trace, job.empty() ? read.log().application().name.value_or("") : job, to_row(read, trace), made);
}

// The facts of the report, of a job of Flink.
[[nodiscard]] nlohmann::ordered_json facts_of_archive(const flink::archived_job& job, const read_counts& counts) {
    auto facts = file_facts_of(counts);
    facts["flink_version"] = job.version;
    facts["app_name"] = job.name;
    facts["app_id"] = job.id;
    facts["state"] = job.state;
    facts["streaming"] = job.is_streaming;
    facts["started_at_ms"] = job.started_at;
    facts["vertices"] = job.vertices.size();
    facts["parallelism"] = flink::parallelism_of(job);
    facts["slots"] = flink::slots_of(job);
    facts["task_managers"] = job.task_managers.size();
    return facts;
}

[[nodiscard]] nlohmann::ordered_json take_job(const log_reader& read, const name_rule& rule, imported_log& made) {
    const auto job = flink::read_archive(read.flink_archive());
    const auto trace = flink::to_trace(job, rule);
    made.notes = flink::notes_on(job);
    made.started_at_ms = job.started_at;
    made.ended = job.ended_at.has_value();
    take_trace(trace, job.name, to_row(trace, facts_beside(flink::facts_of_row(job))), made);
    return facts_of_archive(job, read.counts());
}

[[nodiscard]] std::string text_of(const nlohmann::ordered_json& facts) {
    return facts.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void join(std::vector<imported_log>& all) {
    std::vector<run_row*> rows;
    for (auto& each : all)
        if (each.row) rows.push_back(&*each.row);
    const auto joined = join_random_ends(rows);
    for (auto& each : all) {
        if (!each.row || each.row->name.empty() || each.row->application == clean_name(each.row->name)) continue;
        each.joined_from = clean_name(each.row->name);
        if (!joined.contains(each.joined_from)) each.joined_from.clear();
        if (!each.joined_from.empty())
            each.notes.push_back(
                fmt::format("its name ends at random as those of others: taken as {}", each.row->application));
    }
}

}  // namespace

imported_log import_log(const log_source& source, const name_rule& rule, std::atomic<std::int64_t>& bytes_done) {
    imported_log made{.name = source.name, .skipped = source.problem};
    try {
        log_reader reader;
        if (made.skipped.empty()) made.skipped = read_parts(source, reader, bytes_done);
        const bool was_read = made.skipped.empty();
        if (was_read && !reader.flink_archive().empty()) {
            made.is_log = true;
            made.text_bytes = reader.counts().text_bytes;
            made.facts = text_of(file_facts_of(reader.counts()));
            made.facts = text_of(take_job(reader, rule, made));
            return made;
        }
        if (was_read) made.skipped = reason_against(source, reader);
        made.text_bytes = reader.counts().text_bytes;
        made.events = reader.counts().events;
        made.bad_lines = reader.counts().bad_lines;
        made.is_packed_runs = made.events == 0 && reader.looks_like_runs() && is_packed(source, reader);
        made.is_log = !was_read || source.is_claimed || source.parts.size() != 1 || reader.looks_like_log();
        if (made.skipped.empty()) {
            take_run(source, reader, rule, made);
        }
        if (const auto format = made.events == 0 ? format_of(source) : std::string_view(); !format.empty()) {
            made.skipped = fmt::format(
                "other_format: expected an event log of Spark or an archive of a job of Flink, found {}", format);
            made.is_log = true;
        }
        const auto facts = was_read && made.events > 0 ? facts_of(reader) : file_facts_of(reader.counts());
        made.facts = text_of(facts);
    } catch (const tool_error& problem) {
        made.skipped = problem.what();
        made.is_log = true;
    } catch (const std::bad_alloc&) {
        made.skipped = "out_of_memory: expected memory for the longest line and the largest stage, found none";
        made.is_log = true;
    }
    return made;
}

void supersede(std::vector<imported_log>& all) {
    std::map<std::string, std::vector<std::size_t>> by_run;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].skipped.empty() && !all[i].run.empty()) by_run[all[i].run].push_back(i);
    for (auto& [run, places] : by_run) {
        std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
            const auto key = [&](const imported_log& log) {
                return std::tuple(log.attempt, log.started_at_ms, log.ended, log.events);
            };
            return key(all[a]) > key(all[b]);
        });
        const auto* kept = &all[places.front()];
        for (std::size_t i = 1; i < places.size(); ++i) {
            auto& log = all[places[i]];
            const bool is_older = log.attempt != kept->attempt;
            if (!is_older && log.started_at_ms != kept->started_at_ms) {  // two applications with one id
                kept = &log;
                continue;
            }
            log.is_superseded = true;
            log.skipped = is_older ? fmt::format("older_attempt: attempt {} of {} is in {}", kept->attempt, run, kept->name)
                                   : fmt::format("duplicate_run: {} is in {}, too", run, kept->name);
            log.packed_trace.clear();
            log.row.reset();
        }
    }
}

std::vector<imported_log> import_all(const std::vector<log_source>& sources, const name_rule& rule, unsigned threads,
                                     const std::function<void(std::int64_t, std::size_t)>& on_progress) {
    // The longest first, so that no thread is left alone with one.
    std::vector<std::size_t> order(sources.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sources[a].bytes > sources[b].bytes; });
    std::vector<imported_log> all(sources.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    std::atomic<std::int64_t> bytes_done = 0;
    const auto work = [&] {
        for (auto i = next++; i < order.size(); i = next++) {
            all[order[i]] = import_log(sources[order[i]], rule, bytes_done);
            ++done;
        }
    };
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::min<std::size_t>(threads, sources.size()); ++i) workers.emplace_back(work);
    while (done < sources.size()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (on_progress) on_progress(bytes_done, done);
    }
    for (auto& each : workers) each.join();
    supersede(all);
    join(all);
    return all;
}

std::string table_of(const std::vector<imported_log>& all) {
    std::vector<const run_row*> rows;
    for (const auto& each : all)
        if (each.row) rows.push_back(&*each.row);
    return table_of(std::move(rows));
}

std::string table_of(std::vector<const run_row*> rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const run_row* a, const run_row* b) {
        return std::pair(a->application, a->started_at_s) < std::pair(b->application, b->started_at_s);
    });
    auto text = table_header() + "\n";
    for (const auto* row : rows) text += to_line(*row) + "\n";
    return text;
}

std::string unpack_trace(const std::string& packed_line) {
    std::string made(ZSTD_getFrameContentSize(packed_line.data(), packed_line.size()), '\0');
    if (ZSTD_isError(ZSTD_decompress(made.data(), made.size(), packed_line.data(), packed_line.size())) != 0U)
        throw std::bad_alloc();
    return made;
}

}  // namespace tools::event_log
