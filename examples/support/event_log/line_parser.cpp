#include "line_parser.hpp"

#include <algorithm>
#include <array>

#include "json.hpp"
#include "lines.hpp"

namespace tools::event_log {

bool tells_out_of_memory(std::string_view reason) {
    constexpr std::array<std::string_view, 9> words{"OutOfMemory",
                                                    "OOM",
                                                    "exit code 137",
                                                    "exit code: 137",  // Kubernetes
                                                    "Exit status: 137",
                                                    "Exit code is 137",      // YARN
                                                    "exited with code 137",  // a standalone worker
                                                    "exceeding memory limits",
                                                    "exceeding physical memory"};
    // By request, or to make room: the exit code tells nothing then.
    constexpr std::array<std::string_view, 3> others{"killed by the ApplicationMaster", "killed by the ResourceManager",
                                                     "preempted"};
    const auto has = [&](auto each) { return reason.find(each) != reason.npos; };
    return std::any_of(words.begin(), words.end(), has) && std::none_of(others.begin(), others.end(), has);
}

namespace {

static_assert(line_splitter::padding >= simdjson::SIMDJSON_PADDING);

using json::value;

// Times outside of 2001 to 2286 are no times: Spark is younger, and a clock that was not set yet begins at 1970.
[[nodiscard]] std::optional<milliseconds> to_time(std::optional<std::int64_t> stated) {
    if (stated && *stated >= 1'000'000'000'000 && *stated < 10'000'000'000'000) return stated;
    return std::nullopt;
}

/// Everything that any line may state; a line fills what it has.
struct statement {
    std::string_view type{};
    std::optional<milliseconds> latest{};
    std::optional<milliseconds> at{};  // Timestamp, Completion Time, Submission Time: one of them in any event
    std::optional<std::string> version{};
    application_started application{};
    executor_changed executor{};
    job_started job{};
    job_ended ended_job{};
    stage_info stage{};
    task_ended task{};
    properties environment{};
    std::optional<std::int64_t> exit_code{};
    delivered_part part{};
    sql_execution sql{};
    std::vector<file_scan> scans{};
    std::vector<driver_count> driver_counts{};
    std::int64_t profile = 0;
    std::int64_t executor_memory_mb = 0;

    std::optional<milliseconds> time(value& from) {
        const auto stated = to_time(json::integer(from));
        if (stated && (!latest || *stated > *latest)) latest = stated;
        return stated;
    }
};

[[nodiscard]] std::string to_text(value& from) { return std::string(json::text(from).value_or("")); }
[[nodiscard]] std::int64_t to_number(value& from) { return json::integer(from).value_or(0); }

// What is no number that can be counted counts nothing.
void read_number(value& from, std::int64_t& into) {
    if (const auto stated = json::integer(from)) into = *stated;
}

// Numbers of RDDs that no other one of the stage's graph comes before.
struct rdd_sources {
    std::int64_t all = 0;
    std::int64_t made_by_program = 0;
};

void read_rdd(value& from, stage_info& stage, rdd_sources& sources) {
    bool has_parents = false;
    bool is_made = false;
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "Number of Partitions") {
            stage.partitions = saturated_sum(stage.partitions, to_number(content));
        } else if (key == "Name") {
            is_made = json::text(content) == "ParallelCollectionRDD";
        } else if (key == "Parent IDs") {
            json::elements_of(content, [&](value& id) {
                has_parents = true;
                json::pass(id);
            });
        } else {
            json::pass(content);
        }
    });
    if (has_parents) return;
    ++sources.all;
    if (is_made) ++sources.made_by_program;
}

void read_stage_info(value& from, statement& into) {
    auto& stage = into.stage;
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "Stage ID") {
            read_number(content, stage.id);
        } else if (key == "Stage Attempt ID") {
            read_number(content, stage.attempt);
        } else if (key == "Stage Name") {
            stage.name = to_text(content);
        } else if (key == "Number of Tasks") {
            read_number(content, stage.tasks);
        } else if (key == "Parent IDs") {
            json::elements_of(content, [&](value& id) {
                if (const auto stated = json::integer(id)) stage.parents.push_back(*stated);
            });
        } else if (key == "RDD Info") {
            rdd_sources sources;
            json::elements_of(content, [&](value& rdd) { read_rdd(rdd, stage, sources); });
            stage.makes_rows = sources.all > 0 && sources.made_by_program == sources.all;
        } else if (key == "Submission Time") {
            stage.submitted = into.time(content);
        } else if (key == "Completion Time") {
            stage.completed = into.time(content);
        } else if (key == "Failure Reason") {
            if (const auto reason = json::text(content)) stage.failure = *reason;
        } else {
            json::pass(content);
        }
    });
}

// In old logs numbers of accumulables are texts.
[[nodiscard]] std::optional<std::int64_t> read_update(value& from) {
    if (json::detail::take(from.type()) == json::json_type::number) return json::integer(from);
    const auto spelled = json::text(from);
    std::int64_t number = 0;
    if (!spelled) return std::nullopt;
    const auto [stop, status] = std::from_chars(spelled->data(), spelled->data() + spelled->size(), number);
    if (status != std::errc() || stop != spelled->data() + spelled->size()) return std::nullopt;
    return number;
}

void read_peak(value& from, std::optional<std::int64_t>& peak) {
    json::elements_of(from, [&](value& accumulable) {
        bool is_peak = false;
        std::optional<std::int64_t> update;
        json::fields_of(accumulable, [&](std::string_view key, value& content) {
            if (key == "Name") {
                const auto name = json::text(content);
                is_peak = name && (*name == "internal.metrics.peakExecutionMemory" || *name == "peakExecutionMemory");
            } else if (key == "Update") {
                update = read_update(content);
            } else {
                json::pass(content);
            }
        });
        if (is_peak && update) peak = *update;
    });
}

void read_task_info(value& from, statement& into, std::optional<std::int64_t>& peak) {
    auto& task = into.task.info;
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "Task ID") {
            read_number(content, task.id);
        } else if (key == "Index") {
            read_number(content, task.index);
        } else if (key == "Partition ID") {
            task.partition = json::integer(content);
        } else if (key == "Launch Time") {
            task.launched = into.time(content);
        } else if (key == "Finish Time") {
            task.finished = into.time(content);
        } else if (key == "Getting Result Time") {
            (void)into.time(content);
        } else if (key == "Executor ID") {
            task.executor = to_text(content);
        } else if (key == "Speculative") {
            task.speculative = json::is_true(content);
        } else if (key == "Accumulables") {
            read_peak(content, peak);
        } else {
            json::pass(content);
        }
    });
}

// Sums the numbers of an object whose keys are among the two.
[[nodiscard]] std::int64_t sum_of(value& from, std::string_view one, std::string_view other = "") {
    std::int64_t sum = 0;
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == one || (!other.empty() && key == other)) {
            sum = saturated_sum(sum, to_number(content));
        } else {
            json::pass(content);
        }
    });
    return sum;
}

void read_input(value& from, task_metrics& into) {
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "Bytes Read") {
            read_number(content, into.input_bytes);
        } else if (key == "Records Read") {
            read_number(content, into.input_records);
        } else {
            json::pass(content);
        }
    });
}

void read_task_metrics(value& from, std::optional<task_metrics>& into, std::optional<std::int64_t>& peak) {
    if (json::detail::take(from.type()) != json::json_type::object) return json::pass(from);
    auto& metrics = into.emplace();
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "Executor Run Time") {
            read_number(content, metrics.run_ms);
        } else if (key == "Executor CPU Time") {
            metrics.cpu_ns = json::integer(content);
        } else if (key == "JVM GC Time") {
            read_number(content, metrics.gc_ms);
        } else if (key == "Peak Execution Memory") {
            peak = json::integer(content);
        } else if (key == "Memory Bytes Spilled") {
            read_number(content, metrics.memory_spilled_bytes);
        } else if (key == "Disk Bytes Spilled") {
            read_number(content, metrics.disk_spilled_bytes);
        } else if (key == "Shuffle Read Metrics") {
            metrics.shuffle_read_bytes = sum_of(content, "Remote Bytes Read", "Local Bytes Read");
        } else if (key == "Shuffle Write Metrics") {
            metrics.shuffle_write_bytes = sum_of(content, "Shuffle Bytes Written");
        } else if (key == "Input Metrics") {
            read_input(content, metrics);
        } else if (key == "Output Metrics") {
            metrics.output_bytes = sum_of(content, "Bytes Written");
        } else {
            json::pass(content);
        }
    });
}

void read_end_reason(value& from, task_ended& task) {
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "Reason") {
            task.reason = to_text(content);
        } else if (key == "Class Name" || key == "Description" || key == "Loss Reason") {
            if (const auto told = json::text(content); told && tells_out_of_memory(*told)) task.out_of_memory = true;
        } else {
            json::pass(content);
        }
    });
}

void read_job_result(value& from, job_ended& job) {
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "Result") {
            job.succeeded = json::text(content) == "JobSucceeded";
        } else if (key == "Exception") {
            json::fields_of(content, [&](std::string_view name, value& each) {
                if (name == "Message") {
                    job.reason = to_text(each);
                } else {
                    json::pass(each);
                }
            });
        } else {
            json::pass(content);
        }
    });
}

// Streams set these properties for the jobs of each batch: those of structured streaming and of DStreams.
[[nodiscard]] bool is_of_stream(value& from) {
    bool found = false;
    json::fields_of(from, [&](std::string_view key, value& content) {
        found = found || key == "sql.streaming.queryId" || key == "spark.streaming.internal.batchTime";
        json::pass(content);
    });
    return found;
}

// The memory of executors among the requests of a resource profile, whose amount is in MB.
[[nodiscard]] std::int64_t memory_of_profile(value& from) {
    std::int64_t memory_mb = 0;
    json::fields_of(from, [&](std::string_view name, value& request) {
        if (name == "memory") {
            memory_mb = sum_of(request, "Amount");
        } else {
            json::pass(request);
        }
    });
    return memory_mb;
}

void read_properties(value& from, properties& into) {
    json::fields_of(from, [&](std::string_view key, value& content) {
        std::string name(key);  // before the text, which a malformed value may not be
        if (const auto told = json::text(content)) into.emplace_back(std::move(name), *told);
    });
}

// The metric of a scan that counts the bytes of its files: "size of files read", or "size of files read (dynamic)" or so.
void read_metric(value& from, std::int64_t& files_accumulator) {
    std::int64_t accumulator = 0;
    bool counts_files = false;
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "name") {
            counts_files = json::text(content).value_or("") == "size of files read";
        } else if (key == "accumulatorId") {
            accumulator = to_number(content);
        } else {
            json::pass(content);
        }
    });
    if (counts_files) files_accumulator = accumulator;
}

// Scans of files at and below a node of a plan. Deep plans are those of thousands of unions; what lies deeper counts
// nothing.
void read_plan(value& from, std::vector<file_scan>& into, int depth = 0) {
    constexpr int deepest_plan = 200;
    if (depth > deepest_plan) return json::pass(from);
    file_scan scan;
    json::fields_of(from, [&](std::string_view key, value& content) {
        if (key == "children") {
            json::elements_of(content, [&](value& child) { read_plan(child, into, depth + 1); });
        } else if (key == "metadata") {
            json::fields_of(content, [&](std::string_view name, value& text) {
                if (name == "Location") {
                    scan.location = to_text(text);
                } else {
                    json::pass(text);
                }
            });
        } else if (key == "metrics") {
            json::elements_of(content, [&](value& metric) { read_metric(metric, scan.accumulator); });
        } else {
            json::pass(content);
        }
    });
    if (!scan.location.empty() && scan.accumulator > 0) into.push_back(std::move(scan));
}

// Pairs of an accumulator and its value.
void read_driver_counts(value& from, std::vector<driver_count>& into) {
    json::elements_of(from, [&](value& pair) {
        driver_count made;
        int place = 0;
        json::elements_of(pair, [&](value& number) { (place++ == 0 ? made.accumulator : made.value) = to_number(number); });
        if (made.value > 0) into.push_back(made);
    });
}

constexpr std::string_view sql_events = "org.apache.spark.sql.execution.ui.SparkListenerSQL";
constexpr std::string_view driver_counts = "org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates";

// Fields of events that are not of jobs, stages, tasks or executors; true where the field is one of them.
bool read_rare_field(std::string_view key, value& content, statement& into) {
    const auto type = into.type;
    if (type == "SparkListenerApplicationEnd" && key == "ExitCode") {
        into.exit_code = json::integer(content);
    } else if (key == "Rollover Number") {
        into.part.number = json::integer(content);
    } else if (key == "SparkContext Id") {
        into.part.context = json::integer(content);
    } else if (type.starts_with(sql_events) && key == "executionId") {
        into.sql.id = to_number(content);
    } else if (type.starts_with(sql_events) && key == "sparkPlanInfo") {
        read_plan(content, into.scans);
    } else if (type == driver_counts && key == "accumUpdates") {
        read_driver_counts(content, into.driver_counts);
    } else if (type.starts_with(sql_events) && key == "errorMessage") {
        into.sql.failure = to_text(content);
    } else if (type == "SparkListenerResourceProfileAdded" && key == "Resource Profile Id") {
        into.profile = to_number(content);
    } else if (type == "SparkListenerResourceProfileAdded" && key == "Executor Resource Requests") {
        into.executor_memory_mb = memory_of_profile(content);
    } else if (type == "SparkListenerJobStart" && key == "Properties") {
        into.job.is_streaming = is_of_stream(content);
    } else {
        return false;
    }
    return true;
}

// Fields of the type's own; true where the field is one of them.
bool read_own_field(std::string_view key, value& content, statement& into, std::optional<std::int64_t>& accumulated_peak,
                    std::optional<std::int64_t>& peak) {
    const auto type = into.type;
    if (type == "SparkListenerTaskStart" || type == "SparkListenerTaskEnd") {
        if (key == "Stage ID") {
            read_number(content, into.task.info.stage);
        } else if (key == "Stage Attempt ID") {
            read_number(content, into.task.info.stage_attempt);
        } else if (key == "Task Info") {
            read_task_info(content, into, accumulated_peak);
        } else if (key == "Task End Reason") {
            read_end_reason(content, into.task);
        } else if (key == "Task Metrics") {
            read_task_metrics(content, into.task.metrics, peak);
        } else if (key == "Task Executor Metrics") {
            into.task.executor_heap_bytes = sum_of(content, "JVMHeapMemory");
        } else {
            return false;
        }
        return true;
    }
    if (key == "Stage Info") {
        read_stage_info(content, into);
    } else if (key == "Job ID") {
        into.job.id = into.ended_job.id = to_number(content);
    } else if (key == "Stage IDs") {
        json::elements_of(content, [&](value& id) {
            if (const auto stated = json::integer(id)) into.job.stages.push_back(*stated);
        });
    } else if (key == "Job Result") {
        read_job_result(content, into.ended_job);
    } else if (key == "Executor ID") {
        into.executor.id = to_text(content);
    } else if (key == "Executor Info") {
        json::fields_of(content, [&](std::string_view name, value& each) {
            if (name == "Total Cores") {
                read_number(each, into.executor.cores);
            } else if (name == "Resource Profile Id") {
                read_number(each, into.executor.profile);
            } else if (name == "Registration Time" || name == "Removal Time") {
                (void)into.time(each);
            } else {
                json::pass(each);
            }
        });
    } else if (key == "Block Manager ID") {
        json::fields_of(content, [&](std::string_view name, value& each) {
            if (name == "Executor ID") {
                into.executor.id = to_text(each);
            } else {
                json::pass(each);
            }
        });
    } else if (key == "App Name") {
        if (const auto told = json::text(content)) into.application.name = *told;
    } else if (key == "App ID") {
        if (const auto told = json::text(content)) into.application.id = *told;
    } else if (key == "App Attempt ID") {
        if (json::detail::take(content.type()) == json::json_type::number) {
            if (const auto number = json::integer(content)) into.application.attempt = std::to_string(*number);
        } else if (const auto told = json::text(content)) {
            into.application.attempt = *told;
        }
    } else if (key == "Spark Version") {
        into.version = to_text(content);
    } else if (type == "SparkListenerEnvironmentUpdate" && (key == "Spark Properties" || key == "System Properties")) {
        read_properties(content, into.environment);
    } else {
        return read_rare_field(key, content, into);
    }
    return true;
}

void read_statement(json::object from, statement& into) {
    std::optional<std::int64_t> accumulated_peak;
    std::optional<std::int64_t> peak;
    json::each_field(from, [&](std::string_view key, value& content) {
        if (key == "Timestamp" || key == "Completion Time" || key == "Submission Time" || key == "time") {
            into.at = into.time(content);
        } else if (!read_own_field(key, content, into, accumulated_peak, peak)) {
            json::pass(content);
        }
    });
    if (into.task.metrics) into.task.metrics->peak_execution_memory_bytes = peak ? *peak : accumulated_peak.value_or(0);
}

// The events of Spark that tell no more than that such work is done.
[[nodiscard]] std::optional<session> session_of(std::string_view type) {
    if (type.starts_with("org.apache.spark.sql.streaming.StreamingQueryListener$Query")) return session::streaming;
    if (type.starts_with("org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServer"))
        return session::thrift_server;
    if (type.starts_with("org.apache.spark.sql.connect.service.SparkListenerConnect")) return session::connect;
    return std::nullopt;
}

// What is not of jobs, stages, tasks or executors; false where the event is of another kind.
bool tell_rare(statement& made, listener& to) {
    const auto type = made.type;
    if (type == "SparkListenerApplicationStart") {
        to.on_application_start(std::move(made.application));
    } else if (type == "SparkListenerApplicationEnd") {
        to.on_application_end({.at = made.at, .exit_code = made.exit_code});
    } else if (type == "SparkListenerLogStart") {
        if (made.version) to.on_version(std::move(*made.version));
    } else if (type == "SparkListenerEnvironmentUpdate") {
        to.on_properties(std::move(made.environment));
    } else if (type == "SparkListenerResourceProfileAdded") {
        if (made.profile == 0 && made.executor_memory_mb > 0) to.on_executor_memory(made.executor_memory_mb);
    } else if (type == "DBCEventLoggingListenerMetadata") {
        made.part.version = std::move(made.version);
        to.on_delivered_part(std::move(made.part));
        return false;  // its time is that of the file
    } else if (type.starts_with(sql_events)) {
        const auto name = type.substr(sql_events.size());
        made.sql.ended = name == "ExecutionEnd";
        made.sql.at = made.at;
        if (name == "ExecutionStart" || made.sql.ended) to.on_sql_execution(std::move(made.sql));
        if (name == "AdaptiveExecutionUpdate") to.on_adaptive_update();
        for (auto& scan : made.scans) to.on_file_scan(std::move(scan));
    } else if (type == driver_counts) {
        for (const auto& count : made.driver_counts) to.on_driver_count(count);
    } else if (const auto kind = session_of(type)) {
        to.on_session(*kind);
    } else {
        return false;
    }
    return true;
}

// False for an event that is none of Spark's: what it states is believed of nothing, its times least of all.
bool tell_event(statement& made, listener& to) {
    const auto type = made.type;
    if (type == "SparkListenerTaskStart") {
        to.on_task_start(std::move(made.task.info));
    } else if (type == "SparkListenerTaskEnd") {
        to.on_task_end(std::move(made.task));
    } else if (type == "SparkListenerStageSubmitted") {
        to.on_stage_submitted(std::move(made.stage));
    } else if (type == "SparkListenerStageCompleted") {
        to.on_stage_completed(std::move(made.stage));
    } else if (type == "SparkListenerJobStart") {
        to.on_job_start(std::move(made.job));
    } else if (type == "SparkListenerJobEnd") {
        to.on_job_end(std::move(made.ended_job));
    } else if (type == "SparkListenerExecutorAdded") {
        to.on_executor_added(std::move(made.executor));
    } else if (type == "SparkListenerExecutorRemoved") {
        to.on_executor_removed(std::move(made.executor));
    } else if (type == "SparkListenerBlockManagerAdded") {
        to.on_block_manager_added(std::move(made.executor));
    } else if (type == "SparkListenerBlockManagerRemoved") {
        to.on_block_manager_removed(std::move(made.executor));
    } else {
        return tell_rare(made, to);
    }
    return true;
}

void tell(statement& made, listener& to) {
    made.application.at = made.executor.at = made.job.at = made.ended_job.at = made.at;
    const auto latest = made.latest;
    if (tell_event(made, to) && latest) to.on_time(*latest);
}

}  // namespace

struct line_parser::state {
    simdjson::ondemand::parser parser{};
    std::string type{};
};

line_parser::line_parser() : state_(std::make_unique<state>()) {}
line_parser::~line_parser() = default;

line_kind line_parser::parse(std::string_view line, listener& to) {
    if (line.find_first_not_of(" \t\r\n\v\f") == line.npos) return line_kind::blank;
    try {
        auto document =
            json::detail::take(state_->parser.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING));
        auto object = json::detail::take(document.get_object());
        auto type = json::detail::take(object.find_field_unordered("Event"));
        const auto name = json::text(type);
        state_->type = name.value_or("");
        document.rewind();
        statement made{.type = state_->type};
        read_statement(json::detail::take(document.get_object()), made);
        if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return line_kind::malformed;
        tell(made, to);
        return line_kind::event;
    } catch (const json::malformed&) {
        return line_kind::malformed;
    } catch (const simdjson::simdjson_error&) {
        return line_kind::malformed;
    }
}

}  // namespace tools::event_log
