// The traces, graphs and parameters of golden/enel.json.
#ifndef BELLAMY_TESTS_SUPPORT_ENEL_GOLDEN_HPP
#define BELLAMY_TESTS_SUPPORT_ENEL_GOLDEN_HPP

#include "golden.hpp"

#include <bellamy/detail/enel/enel_graph.hpp>

namespace support {

/// A matrix of weights or a vector of biases within the parameters.
struct enel_block {
    std::string_view name;
    std::size_t outputs = 0;
    std::size_t inputs = 0;  // 0: a bias, or the attention vector
    std::size_t first = 0;   // offset of its first weight

    [[nodiscard]] constexpr std::size_t size() const noexcept { return outputs * (inputs == 0 ? 1 : inputs); }
};

/// All blocks in the order of their offsets.
inline constexpr auto enel_blocks = [] {
    using layout = bellamy::detail::enel_layout;
    constexpr std::size_t wide = bellamy::detail::enel_widths.encoding;
    constexpr std::size_t hidden = bellamy::detail::enel_widths.encoder_hidden;
    using overhead = layout::overhead_layers;
    using runtime = layout::runtime_layers;
    using combine = layout::combine_layers;
    std::array blocks{
        enel_block{"encoder.0.weight", hidden, wide},
        enel_block{"encoder.1.weight", layout::code, hidden},
        enel_block{"decoder.0.weight", hidden, layout::code},
        enel_block{"decoder.1.weight", wide, hidden},
        enel_block{"overhead.0.weight", overhead::hidden, overhead::inputs},
        enel_block{"overhead.0.bias", overhead::hidden},
        enel_block{"overhead.1.weight", 1, overhead::hidden},
        enel_block{"overhead.1.bias", 1},
        enel_block{"runtime.0.weight", runtime::hidden, runtime::inputs},
        enel_block{"runtime.0.bias", runtime::hidden},
        enel_block{"runtime.1.weight", 1, runtime::hidden},
        enel_block{"runtime.1.bias", 1},
        enel_block{"metrics.source.weight", layout::node, layout::node},
        enel_block{"metrics.source.bias", layout::node},
        enel_block{"metrics.target.weight", layout::node, layout::node},
        enel_block{"metrics.target.bias", layout::node},
        enel_block{"metrics.attention", layout::node},
        enel_block{"metrics.combine.0.weight", combine::hidden, combine::inputs},
        enel_block{"metrics.combine.0.bias", combine::hidden},
        enel_block{"metrics.combine.1.weight", combine::outputs, combine::hidden},
        enel_block{"metrics.combine.1.bias", combine::outputs},
        enel_block{"metrics.bias", bellamy::detail::enel_metrics_count},
    };
    std::size_t first = 0;
    for (auto& block : blocks) {
        block.first = first;
        first += block.size();
    }
    return blocks;
}();
static_assert(enel_blocks.back().first == bellamy::detail::enel_layout::bias);

[[nodiscard]] inline const json& enel_golden() {
    static const json file = golden("enel.json");
    return file;
}

template <class Value>
void read_optional(const json& object, const char* name, std::optional<Value>& to) {
    if (object.contains(name)) to = object.at(name).get<Value>();
}

[[nodiscard]] inline bellamy::stage_trace stage_of(const json& stage) {
    bellamy::stage_trace result{.id = stage.at("id"), .attempt = stage.at("attempt"), .name = stage.at("name")};
    result.parents = stage.at("parents").get<std::vector<std::int64_t>>();
    read_optional(stage, "tasks", result.tasks);
    read_optional(stage, "partitions", result.partitions);
    read_optional(stage, "submitted_s", result.submitted_s);
    read_optional(stage, "completed_s", result.completed_s);
    result.failure = stage.value("failure", "");
    if (stage.value("outcome", "succeeded") == "failed") result.outcome = bellamy::trace_outcome::failed;
    result.scale_out = {stage.at("scale_out").at(0), stage.at("scale_out").at(1)};
    read_optional(stage, "rescaling_share", result.rescaling_share);
    if (!stage.contains("metrics")) return result;
    auto& metrics = result.metrics.emplace();
    const auto& from = stage.at("metrics");
    read_optional(from, "cpu_s", metrics.cpu_s);
    read_optional(from, "run_s", metrics.run_s);
    read_optional(from, "gc_s", metrics.gc_s);
    read_optional(from, "input_bytes", metrics.input_bytes);
    read_optional(from, "output_bytes", metrics.output_bytes);
    read_optional(from, "shuffle_read_bytes", metrics.shuffle_read_bytes);
    read_optional(from, "shuffle_write_bytes", metrics.shuffle_write_bytes);
    read_optional(from, "disk_spilled_bytes", metrics.disk_spilled_bytes);
    read_optional(from, "peak_execution_memory_bytes", metrics.peak_execution_memory_bytes);
    return result;
}

[[nodiscard]] inline std::vector<bellamy::scale_out_step> steps_of(const json& steps) {
    std::vector<bellamy::scale_out_step> result;
    for (const auto& each : steps) result.push_back({.at_s = each.at(0), .scale_out = each.at(1)});
    return result;
}

[[nodiscard]] inline bellamy::application_trace trace_of(const json& run) {
    bellamy::application_trace result{
        .application = run.at("application"), .run = run.at("run"), .attempt = run.at("attempt")};
    result.unit = bellamy::scale_out_unit::executor;
    result.runtime_s = run.at("runtime_s");
    for (const auto& [name, value] : run.at("properties").items())
        result.properties.push_back(bellamy::natural(name, value.get<std::uint64_t>()));
    result.scale_out = steps_of(run.at("scale_out"));
    for (const auto& job : run.at("jobs")) {
        auto& to = result.jobs.emplace_back();
        to.id = job.at("id");
        read_optional(job, "submitted_s", to.submitted_s);
        read_optional(job, "completed_s", to.completed_s);
        for (const auto& stage : job.at("stages")) to.stages.push_back(stage_of(stage));
    }
    return result;
}

[[nodiscard]] inline bellamy::detail::enel_run enel_run_of(const json& run) {
    auto read = bellamy::detail::enel_reader::read(trace_of(run));
    if (!read) throw std::runtime_error("a golden trace is refused");
    return std::move(*read);
}

/// The golden history and the run, with the scaler of the eight training runs.
struct enel_world {
    std::vector<bellamy::detail::enel_run> history;
    bellamy::detail::enel_run now;
    bellamy::detail::enel_scaler scaler;

    enel_world() : now(enel_run_of(enel_golden().at("now"))) {
        for (const auto& run : enel_golden().at("history")) history.push_back(enel_run_of(run));
        scaler = bellamy::detail::enel_scaler::fit(std::span(history).first(8));
    }

    [[nodiscard]] bellamy::detail::enel_grapher grapher() const {
        return {history, now, history.size(), now.jobs.size(), scaler};
    }

    /// The golden graphs: jobs 1, 2 and 3, the last without its data size.
    [[nodiscard]] std::vector<bellamy::detail::enel_job_graph> graphs() const {
        std::vector<bellamy::detail::enel_job_graph> result;
        for (std::size_t job = 1; job < 4; ++job) result.push_back(grapher().graph(job, true, job > 1));
        result.back().optional.clear();
        return result;
    }
};

/// Weights of a golden block, which are [out][in], as they stand in the flat parameters: input by input.
[[nodiscard]] inline std::vector<double> flat_block(const json& block) {
    if (!block.front().is_array()) return numbers(block);
    const auto rows = block.get<std::vector<std::vector<double>>>();
    std::vector<double> flat;
    for (std::size_t in = 0; in < rows.front().size(); ++in)
        for (const auto& row : rows) flat.push_back(row[in]);
    return flat;
}

[[nodiscard]] inline std::vector<double> enel_parameters(const json& blocks) {
    std::vector<double> flat(bellamy::detail::enel_layout::size);
    for (const auto& block : enel_blocks) {
        const auto values = flat_block(blocks.at(std::string(block.name)));
        if (values.size() != block.size()) throw std::runtime_error("a golden block has another size");
        std::copy(values.begin(), values.end(), flat.begin() + static_cast<std::ptrdiff_t>(block.first));
    }
    return flat;
}

}  // namespace support

#endif
