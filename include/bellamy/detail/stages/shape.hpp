// The shape of a run: which stages, by name and parents, stand at which position of which job. Runs of one application that
// differ in it did different work, and their stages are not the same stages.
#ifndef BELLAMY_DETAIL_STAGES_SHAPE_HPP
#define BELLAMY_DETAIL_STAGES_SHAPE_HPP

#include <bellamy/detail/stages/job_graph.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// What of a stage tells shapes apart. Before a run starts its stages' names are not known: two of one source line may swap
/// their places, and a name may hold what differs between runs.
enum class shape_detail : std::uint8_t { parents, parents_and_names };

/// Hash (FNV-1a) of the parents, and names, of a job's stages by position, the same on every machine.
[[nodiscard]] inline std::uint64_t shape_of(const job_trace& job, shape_detail looked_at = shape_detail::parents_and_names) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add_byte = [&](std::uint64_t byte) { hash = (hash ^ (byte & 255U)) * 0x100000001b3U; };
    const auto add_number = [&](std::uint64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8) add_byte(number >> shift);
    };
    const auto stages = last_attempts(job);
    const auto parents = graph_of(stages);
    add_number(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (looked_at == shape_detail::parents_and_names) {
            add_number(stages[i]->name.size());
            for (const char c : stages[i]->name) add_byte(static_cast<unsigned char>(c));
        }
        add_number(parents[i].size());
        for (const auto parent : parents[i]) add_number(parent);
    }
    return hash;
}

/// That of every job, in the order of the jobs: two runs are of one shape where these are equal, and a run so far is of a
/// shape that its jobs begin.
[[nodiscard]] inline std::vector<std::uint64_t> shape_of(const application_trace& trace,
                                                         shape_detail looked_at = shape_detail::parents_and_names) {
    std::vector<std::uint64_t> shapes;
    shapes.reserve(trace.jobs.size());
    for (const auto& each : trace.jobs) shapes.push_back(shape_of(each, looked_at));
    return shapes;
}

/// Whether a run of the shape `whole` can have begun with these jobs.
[[nodiscard]] inline bool begins_with(std::span<const std::uint64_t> whole, std::span<const std::uint64_t> jobs) noexcept {
    return jobs.size() <= whole.size() && std::equal(jobs.begin(), jobs.end(), whole.begin());
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
