// The past runs of many applications, from whatever a team has: event logs, or traces or a table that were made of them.
#ifndef BELLAMY_EXAMPLES_HISTORY_HPP
#define BELLAMY_EXAMPLES_HISTORY_HPP

#include <bellamy/model.hpp>
#include <bellamy/trace.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "event_log/names.hpp"
#include "named_paths.hpp"
#include "run_table.hpp"
#include "spark_size.hpp"
#include "trace_file.hpp"

namespace tools {

/// What is known of a run beside what runtimes are learned from.
struct run_facts {
    std::string id{};
    /// Of the table.
    std::size_t line = 0;
    spark_size size{};
    std::int64_t spilled_mb = 0;
    /// Largest JVM heap in use of one executor; 0 where the log does not tell.
    std::int64_t peak_heap_mb = 0;
    bool out_of_memory = false;
    /// How it ended: succeeded, failed, killed or unfinished.
    std::string outcome{};
    /// From the start of the application to its first executor; empty where it was not recorded.
    std::optional<double> wait_s{};
    std::vector<std::string> flags{};
    /// Bytes of the files that it read, each location once; 0 where not known.
    std::int64_t source_mb = 0;
    /// What bounds the gain of more executors; 0 where not known, see `event_log::run_row`.
    double longest_task_s = 0;
    double task_core_s = 0;
    std::int64_t largest_stage_tasks = 0;
    /// Machine type; empty where not known.
    std::string machine{};
};

/// A run that took many times longer or shorter than the others explain.
struct unusual_run {
    std::string id{};      // empty where it has none
    std::size_t line = 0;  // of the table
    double runtime_s = 0;
    double expected_s = 0;
    bool is_left_out = false;
    /// Of a table that a person wrote, whose units may be wrong.
    bool is_written_by_hand = false;
};

/// The runs of one application in the order of their starts.
struct application_history {
    std::string name{};
    std::vector<bellamy::run> runs{};
    std::vector<run_facts> facts{};  // of the runs
    /// What was taken as their scale-out, runtime and properties.
    table_layout layout{};
    /// What data sizes count: MB, records, or "MB shuffled".
    std::string size_unit = "MB";
    /// The latest run that succeeded, times from its first executor, in the units of the runs; empty where the history is a
    /// table, which keeps no tasks.
    std::optional<bellamy::application_trace> latest{};
    /// Runs that did not succeed and whose data size, what they had read, was replaced by the one forecast before them.
    std::size_t forecast_sizes = 0;
    std::vector<unusual_run> unusual{};

    /// The run that the next is taken to be like: the last that succeeded, or the last where none did.
    [[nodiscard]] std::size_t last_complete() const;
};

/// Where the last run that succeeded stands, or the last run where none did. Precondition: a run.
[[nodiscard]] inline std::size_t last_complete_of(std::span<const bellamy::run> runs) noexcept {
    for (auto i = runs.size(); i-- > 0;)
        if (!runs[i].censored) return i;
    return runs.size() - 1;
}

/// An attempt that did not succeed at a run that was made anew: no run of its own, but it took hours.
struct older_attempt {
    std::string application{};
    bellamy::run run{};
    run_facts facts{};
};

/// What a team has, by the names of the applications.
struct team_history {
    std::string path{};
    std::vector<application_history> applications{};  // not empty
    /// Logs, traces and rows that are no runs, and why.
    std::vector<std::string> skipped{};
    /// Tables of runs in a folder of which logs or traces were read.
    std::vector<std::string> tables_beside{};
    /// Columns of a table that nothing is learned from.
    std::vector<std::string> unused_columns{};
    /// Which applications are likely one: of a table by the default rule of names, and those of one run each that differ in
    /// one place alone. Empty where none are, or a rule was given.
    std::vector<std::string> names{};
    /// Of a table; of those in event logs `skipped` tells alone.
    std::vector<older_attempt> older_attempts{};

    /// The application of that name, or the only one where the name is empty. Error: unknown_application, which lists them.
    [[nodiscard]] const application_history& application(const std::string& name) const;
};

[[nodiscard]] inline unsigned all_processors() { return std::max(1U, std::thread::hardware_concurrency()); }

/// Of an event log, a folder of such, of trace files or of a table that `bellamy import` wrote. A run that is there twice
/// (the same application, name, attempt and start) counts once, which `skipped` tells. Properties that differ between
/// applications only say nothing within one: each application keeps those that tell its own runs apart, and the data size.
/// Errors: unknown_layout, no_runs, and those of `read_table`, `find_logs` and `read_runs`, the latter for all bad rows of a
/// table at once unless they are to be skipped. Runs that nothing is advised on (`why_not_advised`) are left out,
/// which `skipped` tells by kind. What a run that did not succeed had read is no data size: it counts as the size forecast
/// from the runs before it where that is more. `naming` makes applications of the full names of logs and traces, and of
/// those of a table where it was given. `threads` threads read logs, and look for unusual runs, an application each.
[[nodiscard]] team_history read_history(const std::string& path, bool skip_invalid = false,
                                        const event_log::name_rule& naming = {}, unsigned threads = all_processors());

/// The name that the application gave itself, which the importer writes beside the one by a rule.
[[nodiscard]] std::string full_name(const trace_line& of);

/// Why nothing is advised on a run, by what the importer wrote beside its trace; empty where it may be.
[[nodiscard]] std::string_view why_left_out(const trace_line& run);

/// No output stands where a log or a trace file of the history's folder does. Errors: output_is_input, and those of
/// `find_logs`.
void require_history_stays(const std::string& path, const std::vector<named_path>& outputs);

/// Says on standard error what was skipped: the first few, and how many more.
void tell_skipped(const team_history& of);

/// What is known of an application after these runs: a blend where they are of two contexts and more, else a cold start that
/// is conditioned on them. Precondition: not empty.
[[nodiscard]] bellamy::result<bellamy::model> learn(std::span<const bellamy::run> runs, const std::string& name);

/// In place of `learn`, for callers that remember models.
using learner = std::function<bellamy::result<bellamy::model>(std::span<const bellamy::run> runs)>;

}  // namespace tools

#endif
