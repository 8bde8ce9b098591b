#include "to_trace.hpp"

#include <bellamy/limits.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <set>
#include <utility>

#include "facts.hpp"
#include "not_batch.hpp"

namespace tools::event_log {

namespace {

using bellamy::trace_outcome;

[[nodiscard]] trace_outcome outcome_of_reason(std::string_view reason) {
    std::string small(reason);
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool cancelled = small.find("cancelled") != small.npos || small.find("canceled") != small.npos;
    return cancelled ? trace_outcome::killed : trace_outcome::failed;
}

[[nodiscard]] int to_units(std::int64_t count) {
    return static_cast<int>(std::clamp<std::int64_t>(count, 0, bellamy::largest_scale_out));
}

[[nodiscard]] std::optional<double> as_metric(std::int64_t sum) {
    return static_cast<double>((std::max<std::int64_t>)(0, sum));
}

[[nodiscard]] double rounded(double value, double steps) { return std::round(value * steps) / steps; }

// Makes the parts of one trace, all with the same start and steps.
class trace_maker {
public:
    trace_maker(const application_log& log, milliseconds start) : log_(log), start_(start), steps_(log.executors().steps) {}

    [[nodiscard]] double since_start(milliseconds at) const { return to_seconds((std::max<milliseconds>)(0, at - start_)); }

    [[nodiscard]] std::vector<bellamy::scale_out_step> steps() const {
        std::vector<bellamy::scale_out_step> made{{0.0, 0}};
        for (const auto& each : steps_) {
            const bellamy::scale_out_step step{since_start(each.at), units_of(each)};
            if (step.at_s <= 0) made.pop_back();
            made.push_back(step);
        }
        return made;
    }

    [[nodiscard]] bellamy::job_trace job(const job_record& record) const {
        std::vector<const stage_attempt*> attempts;
        for (const auto place : record.stages) attempts.push_back(&log_.stages()[place]);
        std::sort(attempts.begin(), attempts.end(), [](const auto* a, const auto* b) {
            return std::pair(a->info().id, a->info().attempt) < std::pair(b->info().id, b->info().attempt);
        });
        std::set<std::int64_t> ids;
        for (const auto* each : attempts) ids.insert(each->info().id);

        bellamy::job_trace made{.id = record.id};
        for (const auto* each : attempts)
            if (each->info().id >= 0 && each->info().attempt >= 0) made.stages.push_back(stage(*each, ids));
        set_times(made, record);
        made.outcome = !record.ended      ? trace_outcome::unfinished
                       : record.succeeded ? trace_outcome::succeeded
                                          : outcome_of_reason(record.reason);
        return made;
    }

private:
    [[nodiscard]] int units_of(const executor_step& step) const {
        return to_units(log_.knows_cores() ? step.cores : step.executors);
    }

    // The last step at or before that time.
    [[nodiscard]] int units_at(milliseconds at) const {
        const auto behind = std::upper_bound(steps_.begin(), steps_.end(), at,
                                             [](milliseconds time, const executor_step& step) { return time < step.at; });
        return behind == steps_.begin() ? 0 : units_of(*std::prev(behind));
    }

    [[nodiscard]] double rescaling_share(milliseconds from, milliseconds to) const {
        std::optional<milliseconds> first;
        milliseconds last = 0;
        for (const auto& each : steps_) {
            if (each.at < from || each.at > to) continue;
            if (!first) first = each.at;
            last = each.at;
        }
        if (!first || to <= from) return 0;
        return rounded(static_cast<double>(last - *first) / static_cast<double>(to - from), 1e4);
    }

    // Before Spark 1.5 jobs do not state their times: those of their stages stand in.
    static void set_times_by_stages(bellamy::job_trace& made, bool ended) {
        for (const auto& each : made.stages) {
            if (each.submitted_s && !made.submitted_s) made.submitted_s = each.submitted_s;
            if (each.submitted_s) made.submitted_s = (std::min)(*made.submitted_s, *each.submitted_s);
            if (ended && each.completed_s) made.completed_s = (std::max)(made.completed_s.value_or(0), *each.completed_s);
        }
    }

    void set_times(bellamy::job_trace& made, const job_record& record) const {
        bellamy::job_trace by_stages{.stages = {}};
        if (!record.submitted || (record.ended && !record.completed)) {
            by_stages.stages = made.stages;
            set_times_by_stages(by_stages, record.ended);
        }
        made.submitted_s = record.submitted ? std::optional(since_start(*record.submitted)) : by_stages.submitted_s;
        made.completed_s = record.completed ? std::optional(since_start(*record.completed)) : by_stages.completed_s;
        if (made.submitted_s && made.completed_s) made.completed_s = (std::max)(*made.submitted_s, *made.completed_s);
    }

    void set_times(bellamy::stage_trace& made, const stage_attempt& attempt) const {
        const auto& info = attempt.info();
        const auto submitted = info.submitted ? info.submitted : attempt.first_launch();
        if (submitted) made.submitted_s = since_start(*submitted);
        if (!attempt.is_complete() || !info.completed) return;
        const auto completed = (std::max)(*info.completed, submitted.value_or(*info.completed));
        made.completed_s = since_start(completed);
        if (!submitted) return;
        made.scale_out = {units_at(*submitted), units_at(completed)};
        made.rescaling_share = rescaling_share(*submitted, completed);
    }

    [[nodiscard]] bellamy::stage_trace stage(const stage_attempt& attempt, const std::set<std::int64_t>& of_job) const {
        const auto& info = attempt.info();
        bellamy::stage_trace made{.id = info.id, .attempt = info.attempt, .name = info.name};
        for (const auto parent : info.parents)  // Spark numbers parents first: what does not is no graph
            if (parent < info.id && of_job.contains(parent)) made.parents.push_back(parent);
        if (info.tasks >= 0) made.tasks = info.tasks;
        if (info.partitions >= 0) made.partitions = info.partitions;
        set_times(made, attempt);
        if (!attempt.is_complete()) made.outcome = trace_outcome::unfinished;
        if (info.failure) {
            made.outcome = outcome_of_reason(*info.failure);
            made.failure = *info.failure;
        }
        made.metrics = metrics(attempt.metrics());
        if (!attempt.tells_tasks()) made.metrics->peak_execution_memory_bytes.reset();
        for (const auto each : attempt.task_ms()) made.task_s.push_back(to_seconds(each));
        if (made.tasks) made.tasks = (std::max)(*made.tasks, static_cast<std::int64_t>(made.task_s.size()));
        made.first_wave = attempt.first_wave();
        return made;
    }

    [[nodiscard]] static bellamy::stage_metrics metrics(const task_metrics& sums) {
        bellamy::stage_metrics stage;
        if (sums.cpu_ns) stage.cpu_s = (std::max)(0.0, rounded(static_cast<double>(*sums.cpu_ns) / 1e9, 1e3));
        stage.run_s = to_seconds((std::max<std::int64_t>)(0, sums.run_ms));
        stage.gc_s = to_seconds((std::max<std::int64_t>)(0, sums.gc_ms));
        stage.input_bytes = as_metric(sums.input_bytes);
        stage.output_bytes = as_metric(sums.output_bytes);
        stage.shuffle_read_bytes = as_metric(sums.shuffle_read_bytes);
        stage.shuffle_write_bytes = as_metric(sums.shuffle_write_bytes);
        stage.memory_spilled_bytes = as_metric(sums.memory_spilled_bytes);
        stage.disk_spilled_bytes = as_metric(sums.disk_spilled_bytes);
        stage.peak_execution_memory_bytes = as_metric(sums.peak_execution_memory_bytes);
        return stage;
    }

    const application_log& log_;
    milliseconds start_;
    std::vector<executor_step> steps_;
};

// As the log spells it, so that equal settings are equal contexts.
void add_property(bellamy::application_trace& to, const char* name, std::string value,
                  bellamy::property_role role = bellamy::property_role::none) {
    if (!value.empty()) to.properties.push_back(bellamy::text(name, std::move(value)).with_role(role));
}

// A number is one, as in a trace file.
[[nodiscard]] bellamy::property stated_property(const std::string& name, const std::string& spelled) {
    bellamy::property parsed = bellamy::text(name, spelled);
    double number = 0;
    const auto* end = spelled.data() + spelled.size();
    const auto [stop, status] = std::from_chars(spelled.data(), end, number);
    const bool is_digit = !spelled.empty() && spelled.front() >= '0' && spelled.front() <= '9';
    if (status == std::errc() && stop == end && is_digit && number > 0) parsed = bellamy::quantity(name, number);
    if (status == std::errc() && stop == end && is_digit && number <= static_cast<double>(bellamy::largest_natural) &&
        number == std::floor(number))
        parsed = bellamy::natural(name, static_cast<std::uint64_t>(number));
    const auto role = name == "data_size_MB"   ? bellamy::property_role::data_size
                      : name == "machine_type" ? bellamy::property_role::machine_type
                                               : bellamy::property_role::none;
    return std::move(parsed).with_role(role);
}

// 0 where it does not begin with one.
[[nodiscard]] std::int64_t count_of(std::string_view spelled) {
    std::int64_t count = 0;
    std::from_chars(spelled.data(), spelled.data() + spelled.size(), count);
    return (std::max<std::int64_t>)(0, count);
}

// Settings that are hidden or cannot be read say nothing of an executor: whoever reads the trace would refuse them.
void add_properties(const application_log& log, bellamy::application_trace& to) {
    if (to_megabytes(log.property("spark.executor.memory")))
        add_property(to, "spark.executor.memory", log.property("spark.executor.memory"));
    if (count_of(log.property("spark.executor.cores")) > 0)
        add_property(to, "spark.executor.cores", log.property("spark.executor.cores"));
    add_property(to, "spark.dynamicAllocation.enabled", log.property("spark.dynamicAllocation.enabled"));
    add_property(to, "arguments", clean_name(arguments_of(log.property("sun.java.command"))));
    const auto first_of = [&](std::initializer_list<const char*> names) {
        for (const char* name : names)
            if (auto stated = log.property(name); !stated.empty()) return stated;
        return std::string();
    };
    add_property(to, "machine_type",
                 first_of({"spark.databricks.workerNodeTypeId", "spark.databricks.clusterUsageTags.clusterNodeType",
                           "spark.kubernetes.executor.node.selector.node.kubernetes.io/instance-type",
                           "spark.kubernetes.node.selector.node.kubernetes.io/instance-type",
                           "spark.kubernetes.executor.node.selector.beta.kubernetes.io/instance-type",
                           "spark.kubernetes.node.selector.beta.kubernetes.io/instance-type",
                           "spark.dataproc.executor.compute.tier"}),
                 bellamy::property_role::machine_type);
    add_property(to, "driver_machine_type",
                 first_of({"spark.databricks.driverNodeTypeId", "spark.databricks.clusterUsageTags.driverNodeType",
                           "spark.dataproc.driver.compute.tier"}));
    add_property(to, "cluster", clean_name(log.property("spark.databricks.clusterUsageTags.clusterName")));
    if (log.is_of_databricks()) add_property(to, "job", databricks_job_id(log));
    for (const auto& stated : log.stated_properties()) {
        std::erase_if(to.properties, [&](const auto& other) { return other.name == stated.first; });
        to.properties.push_back(stated_property(stated.first, stated.second));
    }
}

// An expression of somebody else's log is not run: `s/REGEX/TEXT/` is for the importer's own option.
[[nodiscard]] std::string application_of(const application_log& log, const name_rule& rule, const std::string& otherwise) {
    const auto stated = log.property("spark.bellamy.name");
    const auto job = databricks_job(log);
    const auto& name = log.application().name;
    const auto full = !stated.empty() ? stated : !job.empty() ? job : name.value_or("");
    if (full.empty()) return otherwise;
    const bool is_exact = !stated.empty() || log.property("spark.bellamy.name.rule") == "exact";
    return is_exact && !rule.is_given() ? full : rule(full);
}

// Where it is another than one for a core.
[[nodiscard]] std::optional<double> slots_per_unit(const application_log& log) {
    const auto cpus = log.task_cpus();
    std::int64_t cores = 0;
    if (!log.knows_cores()) {
        const auto slots = count_of(log.property("spark.executor.cores")) / cpus;
        return slots > 0 ? std::optional(static_cast<double>(slots)) : std::nullopt;
    }
    for (const auto& step : log.executors().steps)
        if (step.executors > 0) cores = (std::max)(cores, step.cores / step.executors);
    if (cpus == 1 || cores < cpus) return std::nullopt;
    return static_cast<double>(cores / cpus) / static_cast<double>(cores);
}

// Seconds from the start to that time.
[[nodiscard]] double since(const application_log& log, milliseconds at) {
    return to_seconds((std::max<milliseconds>)(0, at - log.application().at.value()));
}

// When the application ended: by its end event, or where Databricks wrote none by the last job or SQL execution, if nothing
// was left running.
[[nodiscard]] std::optional<milliseconds> end_of(const application_log& log) {
    if (log.has_end()) return log.ended_at() ? log.ended_at() : log.last_time();
    if (!log.is_of_databricks() || log.is_something_running() || log.jobs().empty()) return std::nullopt;
    std::optional<milliseconds> last;
    for (const auto& each : log.jobs())
        if (each.completed && (!last || *last < *each.completed)) last = each.completed;
    if (const auto& sql = log.last_sql_execution(); sql && sql->at && (!last || *last < *sql->at)) last = sql->at;
    return last;
}

// A lower bound where the driver failed, or a job or an SQL execution has no end; else that of the job or SQL execution that
// ended last.
void set_outcome(const application_log& log, bellamy::application_trace& made) {
    if (!end_of(log)) {
        made.outcome = trace_outcome::unfinished;
        return;
    }
    if (log.exit_code().value_or(0) != 0) {
        made.outcome = trace_outcome::failed;
        made.failure = "exit code " + std::to_string(*log.exit_code());
        return;
    }
    for (const auto& each : log.jobs()) {
        if (each.ended) continue;
        made.outcome = trace_outcome::unfinished;
        made.failure = "job " + std::to_string(each.id) + " has no end";
        return;
    }
    if (const auto& running = log.running_sql(); !running.empty()) {
        made.outcome = trace_outcome::unfinished;
        made.failure = "SQL execution " + std::to_string(*running.begin()) + " has no end";
        return;
    }
    const bellamy::job_trace* last = nullptr;
    for (const auto& each : made.jobs)
        if (each.outcome != trace_outcome::unfinished &&
            (last == nullptr || each.completed_s.value_or(0) >= last->completed_s.value_or(0)))
            last = &each;
    if (last != nullptr) made.outcome = last->outcome;
    const auto& sql = log.last_sql_execution();
    if (sql && !sql->failure.empty() && (last == nullptr || since(log, *sql->at) >= last->completed_s.value_or(0))) {
        made.outcome = outcome_of_reason(sql->failure);
        made.failure = sql->failure;
        return;
    }
    if (made.outcome == trace_outcome::succeeded) return;
    for (const auto& each : log.jobs())
        if (each.id == last->id) made.failure = each.reason;
}

}  // namespace

std::optional<std::int64_t> to_megabytes(std::string_view spelled) {
    double number = 0;
    const auto [stop, status] = std::from_chars(spelled.data(), spelled.data() + spelled.size(), number);
    if (status != std::errc() || !(number >= 0 && number < 1e12)) return std::nullopt;
    std::string unit(stop, spelled.data() + spelled.size());
    std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::tolower(c); });
    if (unit.size() > 1 && unit.back() == 'b') unit.pop_back();
    constexpr std::string_view units = "bkmgtp";
    const auto power = unit.empty() ? 2 : unit.size() == 1 ? units.find(unit[0]) : units.npos;
    if (power == units.npos) return std::nullopt;
    const auto megabytes = number * std::pow(1024.0, static_cast<double>(power) - 2);
    return megabytes < 1e15 ? std::optional(static_cast<std::int64_t>(std::llround(megabytes))) : std::nullopt;
}

bellamy::application_trace to_trace(const application_log& log, const name_rule& rule) {
    const auto start = log.application().at.value();
    const trace_maker make(log, start);
    bellamy::application_trace made;
    made.system = "spark " + log.any_version().value_or("?");
    made.run = log.application().id.value_or("");
    if (made.run.size() > bellamy::longest_name_bytes) made.run.clear();  // an id of that length is none
    made.application = application_of(log, rule, made.run.empty() ? "?" : made.run);
    if (const auto& attempt = log.application().attempt) made.attempt = (std::max<std::int64_t>)(1, count_of(*attempt));
    made.unit = log.knows_cores() ? bellamy::scale_out_unit::core : bellamy::scale_out_unit::executor;
    made.slots_per_unit = slots_per_unit(log);
    made.started_at_s = to_seconds(start);
    const auto end = end_of(log);
    made.runtime_s = make.since_start((end ? end : log.last_time()).value_or(start));
    add_properties(log, made);
    made.scale_out = make.steps();
    for (const auto& each : log.jobs())
        if (each.id >= 0) made.jobs.push_back(make.job(each));
    std::stable_sort(made.jobs.begin(), made.jobs.end(),
                     [](const auto& a, const auto& b) { return a.submitted_s.value_or(0) < b.submitted_s.value_or(0); });
    set_outcome(log, made);
    return made;
}

}  // namespace tools::event_log
