#include "job_archive.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "../tool_error.hpp"

namespace tools::flink {

namespace {

using simdjson::dom::element;

// Times beyond are nobody's, and their differences stay far from the limits of integers.
constexpr std::int64_t largest_number = 1'000'000'000'000'000;

const std::string jobs_path = "/jobs/";

// Empty of what is no number, or one below 0, which Flink writes for what is not known.
[[nodiscard]] std::optional<std::int64_t> number(element from, std::string_view key) noexcept {
    std::int64_t made = 0;
    if (from[key].get(made) != simdjson::SUCCESS || made < 0 || made > largest_number) return std::nullopt;
    return made;
}

// Of what did not happen Flink writes 0 or less.
[[nodiscard]] std::optional<milliseconds> moment(element from, std::string_view key) noexcept {
    const auto made = number(from, key);
    return made && *made > 0 ? made : std::nullopt;
}

[[nodiscard]] std::string text(element from, std::string_view key) {
    std::string_view made;
    return from[key].get(made) == simdjson::SUCCESS ? std::string(made) : std::string();
}

template <class Use>
void each_of(element from, std::string_view key, const Use& use) {
    simdjson::dom::array all;
    if (from[key].get(all) != simdjson::SUCCESS) return;
    for (const element each : all) use(each);
}

// The answers by their paths; a path that is there twice counts as the first.
class parts {
public:
    explicit parts(std::string_view archive) {
        simdjson::dom::parser parser;
        const auto whole = parsed(parser, archive, "the archive");
        if (const auto id = text(whole, "jid"); !id.empty()) {
            take_answer(whole, id, archive);
            return;
        }
        simdjson::dom::array all;
        if (whole["archive"].get(all) != simdjson::SUCCESS)
            throw tool_error("damaged_archive", "expected a field archive with a list, found another value");
        for (const element each : all) by_path_.try_emplace(text(each, "path"), text(each, "json"));
    }

    // Calls `use` with the answer, where there is one.
    template <class Use>
    void with(const std::string& path, const Use& use) const {
        const auto found = by_path_.find(path);
        if (found == by_path_.end()) return;
        simdjson::dom::parser parser;
        use(parsed(parser, found->second, path));
    }

    // The only job. Error: no_job.
    [[nodiscard]] std::string job() const {
        std::vector<std::string> ids;
        for (const auto& [path, json] : by_path_)
            if (path.starts_with(jobs_path) && path.find('/', jobs_path.size()) == path.npos && path != "/jobs/overview")
                ids.push_back(path.substr(jobs_path.size()));
        if (ids.size() == 1) return ids.front();
        throw tool_error("no_job", fmt::format("expected an archive of one job of Flink, found one of {}", ids.size()));
    }

private:
    void take_answer(element whole, const std::string& id, std::string_view answer) {
        simdjson::dom::array vertices;
        if (whole["vertices"].get(vertices) != simdjson::SUCCESS)
            throw tool_error("no_job",
                             "expected an archive of Flink or its answer to /jobs/ID, found an answer of Flink's REST "
                             "interface without vertices");
        by_path_.emplace(jobs_path + id, answer);
    }

    [[nodiscard]] static element parsed(simdjson::dom::parser& by, std::string_view json, std::string_view what) {
        element made;
        const auto problem = by.parse(json.data(), json.size()).get(made);
        if (problem != simdjson::SUCCESS)
            throw tool_error("damaged_archive",
                             fmt::format("expected JSON as {} of Flink, found text that is cut or damaged: {}", what,
                                         simdjson::error_message(problem)));
        return made;
    }

    std::map<std::string, std::string> by_path_{};
};

[[nodiscard]] std::optional<std::int64_t> complete_amount(element metrics, const std::string& name) {
    bool is_complete = false;
    if (metrics[name + "-complete"].get(is_complete) != simdjson::SUCCESS || !is_complete) return std::nullopt;
    return number(metrics, name);
}

[[nodiscard]] job_vertex vertex_of(element from) {
    job_vertex made{.id = text(from, "id"),
                    .name = text(from, "name"),
                    .state = text(from, "status"),
                    .parallelism = (std::min<std::int64_t>)(number(from, "parallelism").value_or(0), 1'000'000),
                    .slot_sharing_group = text(from, "slotSharingGroupId"),
                    .started_at = moment(from, "start-time"),
                    .ended_at = moment(from, "end-time")};
    if (element metrics; from["metrics"].get(metrics) == simdjson::SUCCESS)
        made.counted = {.read_bytes = complete_amount(metrics, "read-bytes"),
                        .read_records = complete_amount(metrics, "read-records"),
                        .written_bytes = complete_amount(metrics, "write-bytes")};
    return made;
}

void take_plan(element plan, archived_job& to) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < to.vertices.size(); ++i) places.try_emplace(to.vertices[i].id, i);
    each_of(plan, "nodes", [&](element node) {
        const auto reader = places.find(text(node, "id"));
        each_of(node, "inputs", [&](element input) {
            const auto source = places.find(text(input, "id"));
            if (source == places.end()) return;
            to.vertices[source->second].has_reader = true;
            if (reader == places.end() || reader->second == source->second) return;
            auto& inputs = to.vertices[reader->second].inputs;
            if (std::find(inputs.begin(), inputs.end(), source->second) == inputs.end()) inputs.push_back(source->second);
        });
    });
}

// A job that was restarted has the time of its last restart as that at which it ran: it was created just before the first.
void take_times(element job, archived_job& to) {
    element times;
    const bool has_times = job["timestamps"].get(times) == simdjson::SUCCESS;
    const auto start = moment(job, "start-time");
    if (!start) throw tool_error("no_start", "expected a job of Flink with a start-time, found none");
    to.started_at = *start;
    to.ended_at = moment(job, "end-time");
    to.told_at = moment(job, "now");
    const auto last_restart = has_times ? moment(times, "RESTARTING") : std::nullopt;
    to.was_restarted = last_restart.has_value();
    const auto running = has_times ? moment(times, last_restart ? "CREATED" : "RUNNING") : std::nullopt;
    to.running_at = (std::max)(*start, running.value_or(*start));
    if (to.ended_at && *to.ended_at < to.running_at)
        throw tool_error("clock_backwards", "expected an end after the start of the job, found one before");
}

void take_job(element job, archived_job& to) {
    to.name = text(job, "name");
    to.state = text(job, "state");
    element plan;
    const bool has_plan = job["plan"].get(plan) == simdjson::SUCCESS;
    auto type = text(job, "job-type");
    if (type.empty() && has_plan) type = text(plan, "type");
    if (type != "BATCH" && type != "STREAMING")
        throw tool_error("no_job_type", fmt::format("expected BATCH or STREAMING as job-type or type of the plan, found {}",
                                                    type.empty() ? "none" : type));
    to.is_streaming = type == "STREAMING";
    take_times(job, to);
    each_of(job, "vertices", [&](element each) { to.vertices.push_back(vertex_of(each)); });
    if (has_plan) take_plan(plan, to);
}

void take_subtasks(element vertex, job_vertex& to, archived_job& of) {
    each_of(vertex, "subtasks", [&](element subtask) {
        if (number(subtask, "attempt").value_or(0) > 0) of.was_restarted = true;
        to.subtasks_ms = (std::min)(largest_number, to.subtasks_ms + number(subtask, "duration").value_or(0));
        const auto manager = text(subtask, "taskmanager-id");
        if (!manager.empty() && manager != "(unassigned)") of.task_managers.insert(manager);
    });
}

// Flink states no order of the keys.
[[nodiscard]] std::string program_arguments_of(element configuration) {
    std::map<std::string, std::string> by_key;
    simdjson::dom::object user;
    if (configuration["execution-config"]["user-config"].get(user) != simdjson::SUCCESS) return {};
    for (const auto field : user) {
        std::string_view value;
        if (field.value.get(value) == simdjson::SUCCESS) by_key.emplace(field.key, value);
    }
    std::string made;
    for (const auto& [key, value] : by_key) made += (made.empty() ? "" : " ") + key + "=" + value;
    return made;
}

void take_settings(element settings, archived_job& to) {
    std::map<std::string, std::string> by_key;
    simdjson::dom::array all;
    if (settings.get(all) != simdjson::SUCCESS) return;
    for (const element each : all) by_key.emplace(text(each, "key"), text(each, "value"));
    const auto slots = by_key.contains("taskmanager.numberOfTaskSlots") ? by_key.at("taskmanager.numberOfTaskSlots") : "1";
    std::from_chars(slots.data(), slots.data() + slots.size(), to.slots_per_task_manager);
    to.slots_per_task_manager = std::clamp<std::int64_t>(to.slots_per_task_manager, 0, 1'000'000);
    for (const char* size : {"taskmanager.memory.process.size", "taskmanager.memory.flink.size"})
        if (to.task_manager_memory.empty() && by_key.contains(size)) to.task_manager_memory = by_key.at(size);
    std::erase(to.task_manager_memory, ' ');
}

// By the name of its own jar: "/opt/flink/lib/flink-dist-1.20.1.jar" is 1.20.1.
[[nodiscard]] std::string version_of(element environment) {
    std::string made;
    each_of(environment, "classpath", [&](element each) {
        std::string_view path;
        if (!made.empty() || each.get(path) != simdjson::SUCCESS || !path.ends_with(".jar")) return;
        path.remove_prefix(path.rfind('/') + 1);
        path.remove_suffix(4);
        for (const std::string_view jar : {"flink-dist-", "flink-runtime-"})
            if (path.starts_with(jar) && path.size() > jar.size() && path[jar.size()] >= '0' && path[jar.size()] <= '9')
                made = path.substr(jar.size());
    });
    return made;
}

[[nodiscard]] std::string failure_of(element exceptions) {
    auto made = text(exceptions, "root-exception");
    if (made.empty())
        if (element history; exceptions["exceptionHistory"].get(history) == simdjson::SUCCESS)
            each_of(history, "entries", [&](element each) {
                if (made.empty()) made = text(each, "stacktrace");
            });
    return made.substr(0, made.find('\n'));
}

}  // namespace

bool begins_as_archive(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const auto skip_blanks = [&] { text.remove_prefix((std::min)(text.find_first_not_of(blanks), text.size())); };
    skip_blanks();
    if (!text.starts_with('{')) return false;
    text.remove_prefix(1);
    skip_blanks();
    return text.starts_with("\"archive\"") || text.starts_with("\"jid\"");
}

archived_job read_archive(std::string_view text) {
    const parts all(text);
    archived_job archived{.id = all.job()};
    const auto path = jobs_path + archived.id;
    all.with(path, [&](element job) { take_job(job, archived); });
    for (auto& each : archived.vertices)
        all.with(path + "/vertices/" + each.id, [&](element vertex) { take_subtasks(vertex, each, archived); });
    all.with(path + "/config", [&](element configuration) { archived.arguments = program_arguments_of(configuration); });
    all.with(path + "/jobmanager/config", [&](element settings) { take_settings(settings, archived); });
    all.with(path + "/jobmanager/environment", [&](element environment) { archived.version = version_of(environment); });
    all.with(path + "/exceptions", [&](element exceptions) { archived.failure = failure_of(exceptions); });
    return archived;
}

}  // namespace tools::flink
