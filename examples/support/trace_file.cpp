#include "trace_file.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <simdjson.h>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "output_file.hpp"
#include "printable.hpp"
#include "tool_error.hpp"

namespace tools {

namespace {

using bellamy::application_trace;
using bellamy::job_trace;
using bellamy::property;
using bellamy::stage_metrics;
using bellamy::stage_trace;
namespace json = simdjson::ondemand;

struct close_file {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, close_file>;

struct free_zstd {
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
    void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};

// Hands out the bytes of a file, decompressed where it begins as zstd's frames do.
class byte_source {
public:
    explicit byte_source(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
        if (std::filesystem::is_directory(path)) refuse("a directory");
        if (!file_) refuse(std::error_code(errno, std::generic_category()).message());
        packed_.resize(ZSTD_DStreamInSize());
        fill();
        constexpr std::string_view magic = "\x28\xB5\x2F\xFD";
        if (std::string_view(packed_.data(), in_.size).starts_with(magic)) zstd_.reset(ZSTD_createDCtx());
        room_.resize(ZSTD_DStreamOutSize());
    }

    /// The next bytes; none at the end.
    [[nodiscard]] std::string_view next() {
        if (!zstd_) {
            if (in_.pos == in_.size) fill();
            in_.pos = in_.size;
            return {packed_.data(), in_.size};
        }
        ZSTD_outBuffer out{room_.data(), room_.size(), 0};
        while (out.pos == 0) {
            if (in_.pos == in_.size) fill();
            const bool ended = in_.size == 0;
            if (ended && left_ == 0) return {};
            left_ = ZSTD_decompressStream(zstd_.get(), &out, &in_);
            if (ZSTD_isError(left_) != 0U) refuse(ZSTD_getErrorName(left_));
            if (ended && out.pos == 0) refuse("compressed data that end within a frame");
        }
        return {room_.data(), out.pos};
    }

private:
    [[noreturn]] void refuse(const std::string& found) const {
        throw tool_error("cannot_read", fmt::format("expected a readable trace file at {}, found: {}", path_, found));
    }
    void fill() {
        in_ = {packed_.data(), std::fread(packed_.data(), 1, packed_.size(), file_.get()), 0};
        if (std::ferror(file_.get()) != 0) refuse(std::error_code(errno, std::generic_category()).message());
    }

    std::string path_;
    file_handle file_;
    std::string packed_{};
    ZSTD_inBuffer in_{};
    std::unique_ptr<ZSTD_DCtx, free_zstd> zstd_{};
    std::size_t left_ = 0;
    std::string room_{};
};

// Calls `use` for every line that is not empty.
template <class Use>
void for_each_line(const std::string& path, const Use& use) {
    byte_source source(path);
    std::string line;
    std::size_t number = 1;
    const auto finish = [&] {
        if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // byte-order mark
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (!line.empty()) use(line, number);
        line.clear();
        ++number;
    };
    for (auto bytes = source.next(); !bytes.empty(); bytes = source.next()) {
        for (auto end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
            line.append(bytes.substr(0, end));
            bytes.remove_prefix(end + 1);
            finish();
        }
        line.append(bytes);
    }
    finish();
}

// Reads one line. What is not of the expected type throws simdjson_error; `where_` tells at which field.
class line_reader {
public:
    [[nodiscard]] trace_line read(json::object run) {
        trace_line made;
        each_field(run, [&](std::string_view key, json::value value) { read_run_field(made, key, value); });
        if (!has_format_) refuse("expected a field format, found none");
        return made;
    }
    [[nodiscard]] const std::string& where() const noexcept { return where_; }

private:
    [[noreturn]] static void refuse(const std::string& sentence) { throw tool_error("invalid_trace", sentence); }

    template <class Use>
    void each_field(json::object object, const Use& use) {
        for (auto field : object) {
            const std::string key(std::string_view(field.unescaped_key()));
            where_ = key;
            use(key, json::value(field.value()));
        }
    }

    [[nodiscard]] static std::string text(json::value value) { return std::string(std::string_view(value.get_string())); }
    [[nodiscard]] static double real(json::value value) { return value.get_double(); }
    [[nodiscard]] static std::int64_t whole(json::value value) { return value.get_int64(); }
    [[nodiscard]] static int units(json::value value) {
        const std::int64_t read = whole(value);
        if (read < 0 || read > bellamy::largest_scale_out)
            refuse(fmt::format("expected a scale-out from 0 to {}, found {}", bellamy::largest_scale_out, read));
        return static_cast<int>(read);
    }

    template <auto Last>
    [[nodiscard]] static auto enumerator(json::value value) {
        const auto name = text(value);
        std::string all;
        for (int i = 0; i <= static_cast<int>(Last); ++i) {
            const auto each = static_cast<decltype(Last)>(i);
            if (to_string(each) == name) return each;
            all += fmt::format("{}{}", i == 0 ? "" : ", ", to_string(each));
        }
        refuse(fmt::format("expected one of {}, found \"{}\"", all, name));
    }
    [[nodiscard]] static bellamy::trace_outcome outcome(json::value value) {
        return enumerator<bellamy::trace_outcome::unfinished>(value);
    }

    void read_run_field(trace_line& made, std::string_view key, json::value value) {
        auto& trace = made.trace;
        if (key == "format") {
            if (const auto format = whole(value); format != 1) refuse(fmt::format("expected format 1, found {}", format));
            has_format_ = true;
        } else if (key == "Event" && !has_format_) {
            refuse("expected a trace, found an event log of Spark; read it with bellamy import first");
        } else if (key == "system") {
            trace.system = text(value);
        } else if (key == "application") {
            trace.application = text(value);
        } else if (key == "run") {
            trace.run = text(value);
        } else if (key == "attempt") {
            trace.attempt = whole(value);
        } else if (key == "unit") {
            trace.unit = enumerator<bellamy::scale_out_unit::core>(value);
        } else if (key == "slots_per_unit") {
            trace.slots_per_unit = real(value);
        } else if (key == "started_at_s") {
            trace.started_at_s = real(value);
        } else if (key == "runtime_s") {
            trace.runtime_s = real(value);
        } else if (key == "outcome") {
            trace.outcome = outcome(value);
        } else if (key == "failure") {
            trace.failure = text(value);
        } else if (key == "properties") {
            each_field(value.get_object(), [&](std::string_view name, json::value each) {
                trace.properties.push_back(to_property(name, each));
            });
        } else if (key == "scale_out") {
            for (json::value step : value.get_array()) trace.scale_out.push_back(to_step(step));
        } else if (key == "jobs") {
            for (json::value job : value.get_array()) trace.jobs.push_back(to_job(job));
        } else if (key == "stages" || key == "task_s") {
            refuse(fmt::format("expected {} within a job, found it beside the jobs", key));
        } else if (const json::json_type type = value.type();
                   type != json::json_type::array && type != json::json_type::object && type != json::json_type::null) {
            made.beside.push_back(to_property(key, value));
        }
    }

    // Numbers that are not negative are numbers; others are told apart as texts.
    [[nodiscard]] static property to_property(std::string_view name, json::value value) {
        property read{.name = std::string(name)};
        switch (value.type()) {
            case json::json_type::string: read.value = text(value); break;
            case json::json_type::boolean: read.value = std::string(value.get_bool() ? "true" : "false"); break;
            case json::json_type::null: read.value = std::nullopt; break;
            case json::json_type::number: set_number(read, real(value)); break;
            default: refuse(fmt::format("expected text or a number in property {}, found something else", name));
        }
        if (name == "data_size_MB") read.role = bellamy::property_role::data_size;
        if (name == "machine_type") read.role = bellamy::property_role::machine_type;
        return read;
    }
    static void set_number(property& read, double number) {
        if (number >= 0 && number <= static_cast<double>(bellamy::largest_natural) && number == std::floor(number)) {
            read.value = static_cast<std::uint64_t>(number);
        } else if (number > 0) {
            read.value = number;
        } else {
            read.value = fmt::format("{}", number);
        }
    }

    [[nodiscard]] static bellamy::scale_out_step to_step(json::value value) {
        bellamy::scale_out_step made;
        std::size_t count = 0;
        for (json::value each : value.get_array()) {
            if (count == 0) made.at_s = real(each);
            if (count == 1) made.scale_out = units(each);
            ++count;
        }
        if (count != 2) refuse(fmt::format("expected steps [seconds, scale-out], found one of {} numbers", count));
        return made;
    }

    [[nodiscard]] static bellamy::scale_out_range_seen to_range(json::value value) {
        std::vector<int> both;
        for (json::value each : value.get_array()) both.push_back(units(each));
        if (both.size() != 2) refuse(fmt::format("expected two scale-outs of a stage, found {}", both.size()));
        return {.at_start = both[0], .at_end = both[1]};
    }

    [[nodiscard]] job_trace to_job(json::value value) {
        job_trace made;
        each_field(value.get_object(), [&](std::string_view key, json::value each) {
            if (key == "id") {
                made.id = whole(each);
            } else if (key == "submitted_s") {
                made.submitted_s = real(each);
            } else if (key == "completed_s") {
                made.completed_s = real(each);
            } else if (key == "outcome") {
                made.outcome = outcome(each);
            } else if (key == "failure") {
                made.failure = text(each);
            } else if (key == "stages") {
                for (json::value stage : each.get_array()) made.stages.push_back(to_stage(stage));
            } else if (key == "task_s") {
                refuse(fmt::format("expected tasks within a stage, found some in job {}", made.id));
            }
        });
        return made;
    }

    [[nodiscard]] stage_trace to_stage(json::value value) {
        stage_trace made;
        each_field(value.get_object(), [&](std::string_view key, json::value each) { read_stage_field(made, key, each); });
        return made;
    }

    void read_stage_field(stage_trace& made, std::string_view key, json::value value) {
        if (key == "id") {
            made.id = whole(value);
        } else if (key == "attempt") {
            made.attempt = whole(value);
        } else if (key == "name") {
            made.name = text(value);
        } else if (key == "parents") {
            for (json::value each : value.get_array()) made.parents.push_back(whole(each));
        } else if (key == "tasks") {
            made.tasks = whole(value);
        } else if (key == "partitions") {
            made.partitions = whole(value);
        } else if (key == "submitted_s") {
            made.submitted_s = real(value);
        } else if (key == "completed_s") {
            made.completed_s = real(value);
        } else if (key == "outcome") {
            made.outcome = outcome(value);
        } else if (key == "failure") {
            made.failure = text(value);
        } else if (key == "scale_out") {
            made.scale_out = to_range(value);
        } else if (key == "rescaling_share") {
            made.rescaling_share = real(value);
        } else if (key == "metrics") {
            made.metrics = to_metrics(value);
        } else if (key == "task_s") {
            for (json::value each : value.get_array()) made.task_s.push_back(real(each));
        } else if (key == "first_wave") {
            made.first_wave = whole(value);
        }
    }

    [[nodiscard]] stage_metrics to_metrics(json::value value);

    std::string where_{};
    bool has_format_ = false;
};

// Every metric by its name in the format.
template <class Metrics>
[[nodiscard]] auto named(Metrics& metrics) {
    return std::array{std::pair{"cpu_s", &metrics.cpu_s},
                      std::pair{"run_s", &metrics.run_s},
                      std::pair{"gc_s", &metrics.gc_s},
                      std::pair{"input_bytes", &metrics.input_bytes},
                      std::pair{"output_bytes", &metrics.output_bytes},
                      std::pair{"shuffle_read_bytes", &metrics.shuffle_read_bytes},
                      std::pair{"shuffle_write_bytes", &metrics.shuffle_write_bytes},
                      std::pair{"memory_spilled_bytes", &metrics.memory_spilled_bytes},
                      std::pair{"disk_spilled_bytes", &metrics.disk_spilled_bytes},
                      std::pair{"peak_execution_memory_bytes", &metrics.peak_execution_memory_bytes}};
}

stage_metrics line_reader::to_metrics(json::value value) {
    stage_metrics made;
    each_field(value.get_object(), [&](std::string_view key, json::value each) {
        for (const auto& [name, number] : named(made))
            if (key == name) *number = real(each);
    });
    return made;
}

using nlohmann::ordered_json;

template <class Value>
void put(ordered_json& into, const char* name, const std::optional<Value>& value) {
    if (value) into[name] = *value;
}
void put_text(ordered_json& into, const char* name, const std::string& words) {
    if (!words.empty()) into[name] = words;
}
void put_end(ordered_json& into, bellamy::trace_outcome outcome, const std::string& failure) {
    if (outcome != bellamy::trace_outcome::succeeded) into["outcome"] = to_string(outcome);
    put_text(into, "failure", failure);
}

[[nodiscard]] ordered_json to_json(const property& each) {
    if (const auto* words = each.value.text()) return *words;
    if (const auto* natural = each.value.natural()) return *natural;
    if (const auto* real = each.value.quantity()) return *real;
    return nullptr;
}

[[nodiscard]] ordered_json to_json(const stage_trace& stage) {
    ordered_json made{{"id", stage.id}, {"attempt", stage.attempt}};
    put_text(made, "name", stage.name);
    made["parents"] = stage.parents;
    put(made, "tasks", stage.tasks);
    put(made, "partitions", stage.partitions);
    put(made, "submitted_s", stage.submitted_s);
    put(made, "completed_s", stage.completed_s);
    put_end(made, stage.outcome, stage.failure);
    if (stage.scale_out) made["scale_out"] = {stage.scale_out->at_start, stage.scale_out->at_end};
    put(made, "rescaling_share", stage.rescaling_share);
    if (stage.metrics) {
        auto& metrics = made["metrics"] = ordered_json::object();
        for (const auto& [name, number] : named(*stage.metrics)) put(metrics, name, *number);
    }
    if (!stage.task_s.empty() || stage.first_wave) made["task_s"] = stage.task_s;
    put(made, "first_wave", stage.first_wave);
    return made;
}

[[nodiscard]] ordered_json to_json(const job_trace& job) {
    ordered_json made{{"id", job.id}};
    put(made, "submitted_s", job.submitted_s);
    put(made, "completed_s", job.completed_s);
    put_end(made, job.outcome, job.failure);
    if (!job.stages.empty()) {
        auto& stages = made["stages"] = ordered_json::array();
        for (const auto& each : job.stages) stages.push_back(to_json(each));
    }
    return made;
}

[[nodiscard]] ordered_json to_json(const application_trace& trace, std::span<const property> beside) {
    ordered_json made{{"format", 1}};
    put_text(made, "system", trace.system);
    made["application"] = trace.application;
    put_text(made, "run", trace.run);
    if (trace.attempt != 1) made["attempt"] = trace.attempt;
    made["unit"] = to_string(trace.unit);
    put(made, "slots_per_unit", trace.slots_per_unit);
    put(made, "started_at_s", trace.started_at_s);
    made["runtime_s"] = trace.runtime_s;
    made["outcome"] = to_string(trace.outcome);
    put_text(made, "failure", trace.failure);
    for (const auto& each : beside) made[each.name] = to_json(each);
    auto& properties = made["properties"] = ordered_json::object();
    for (const auto& each : trace.properties) properties[each.name] = to_json(each);
    if (!trace.scale_out.empty()) {
        auto& steps = made["scale_out"] = ordered_json::array();
        for (const auto& each : trace.scale_out) steps.push_back({each.at_s, each.scale_out});
    }
    auto& jobs = made["jobs"] = ordered_json::array();
    for (const auto& each : trace.jobs) jobs.push_back(to_json(each));
    return made;
}

struct unreadable_line {
    std::string code;
    std::string sentence;
};

[[nodiscard]] tool_error in_line(const std::string& path, std::size_t number, std::string_view code,
                                 std::string_view sentence) {
    return {code, fmt::format("{}, line {}: {}", path, number, sentence)};
}

// What a tool_error says after its code.
[[nodiscard]] std::string_view sentence_of(std::string_view what) { return what.substr(what.find(": ") + 2); }

// Throws unreadable_line.
[[nodiscard]] trace_line read_one(json::parser& parser, std::string& line) {
    if (const auto first = line.find_first_not_of(" \t"); first == line.npos || line[first] != '{')
        throw unreadable_line{
            "invalid_trace", fmt::format("expected one JSON object of the trace format, found \"{}\"", shortened(line, 60))};
    line_reader reader;
    trace_line made;
    try {
        line.reserve(line.size() + simdjson::SIMDJSON_PADDING);
        json::document document = parser.iterate(line.data(), line.size(), line.capacity());
        made = reader.read(document.get_object());
        const char* rest = nullptr;
        if (document.current_location().get(rest) == simdjson::SUCCESS)
            throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
    } catch (const simdjson::simdjson_error& problem) {
        throw unreadable_line{"invalid_trace",
                              fmt::format("expected one JSON object of the trace format, found at field \"{}\": {}",
                                          reader.where(), problem.what())};
    } catch (const tool_error& problem) {
        throw unreadable_line{"invalid_trace", std::string(sentence_of(problem.what()))};
    }
    if (auto valid = validate(made.trace); !valid)
        throw unreadable_line{std::string(to_string(valid.error().code())), std::string(valid.error().message())};
    return made;
}

}  // namespace

const property* trace_line::find_beside(std::string_view name) const noexcept {
    for (const auto& each : beside)
        if (each.name == name) return &each;
    return nullptr;
}

void for_each_trace(const std::string& path, const std::function<void(trace_line&&)>& use) {
    json::parser parser;
    for_each_line(path, [&](std::string& line, std::size_t number) {
        try {
            auto made = read_one(parser, line);
            made.number = number;
            use(std::move(made));
        } catch (const unreadable_line& problem) {
            throw in_line(path, number, problem.code, problem.sentence);
        }
    });
}

trace_line from_line(std::string line) {
    json::parser parser;
    try {
        return read_one(parser, line);
    } catch (const unreadable_line& problem) {
        throw tool_error(problem.code, problem.sentence);
    }
}

std::vector<trace_line> read_traces(const std::string& path) {
    std::vector<trace_line> all;
    for_each_trace(path, [&](trace_line&& one) { all.push_back(std::move(one)); });
    return all;
}

std::string to_line(const application_trace& trace, std::span<const property> beside) {
    if (auto valid = validate(trace); !valid) throw tool_error(to_string(valid.error().code()), valid.error().message());
    return to_json(trace, beside).dump();
}

struct trace_writer::state {
    std::string path{};
    output_file file{path};
    std::unique_ptr<ZSTD_CCtx, free_zstd> zstd{};
    std::string room{};
};

trace_writer::trace_writer(const std::string& path) : state_(new state{.path = path}) {
    if (!path.ends_with(".zst")) return;
    state_->zstd.reset(ZSTD_createCCtx());
    state_->room.resize(ZSTD_CStreamOutSize());
    ZSTD_CCtx_setParameter(state_->zstd.get(), ZSTD_c_compressionLevel, 9);
    ZSTD_CCtx_setParameter(state_->zstd.get(), ZSTD_c_checksumFlag, 1);
}

trace_writer::~trace_writer() = default;

void trace_writer::write_packed(std::string_view bytes, bool last) {
    if (!state_->zstd) return state_->file.write(bytes);
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 1;
    while (last ? left != 0 : in.pos < in.size) {
        ZSTD_outBuffer out{state_->room.data(), state_->room.size(), 0};
        left = ZSTD_compressStream2(state_->zstd.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) != 0U)
            detail::refuse_to_write(state_->path, std::make_error_code(std::errc::not_enough_memory));
        state_->file.write({state_->room.data(), out.pos});
    }
}

void trace_writer::add(const application_trace& trace, std::span<const property> beside) {
    add_line(to_line(trace, beside));
}

void trace_writer::add_line(std::string_view line) {
    write_packed(line, false);
    write_packed("\n", false);
}

void trace_writer::close() {
    write_packed({}, true);
    state_->file.close();
}

}  // namespace tools
