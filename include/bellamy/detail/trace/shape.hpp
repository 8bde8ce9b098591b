// The shape of a run: which stages, by name and parents, stand at which position of which job. Runs of one application that
// differ in it did different work, and their stages are not the same stages.
#ifndef BELLAMY_DETAIL_TRACE_SHAPE_HPP
#define BELLAMY_DETAIL_TRACE_SHAPE_HPP

#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/trace/job_graph.hpp>

#include <map>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

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

/// Runs by shape, the largest group first, ties in the order of appearance; at most eight, those of one run only where there
/// is no larger one.
[[nodiscard]] inline std::vector<std::vector<const application_trace*>> by_shape(
    std::span<const application_trace* const> runs) {
    std::map<std::vector<std::uint64_t>, std::size_t> numbers;
    std::vector<std::vector<const application_trace*>> groups;
    for (const auto* each : runs) {
        const auto number = numbers.try_emplace(shape_of(*each, shape_detail::parents), groups.size()).first->second;
        if (number == groups.size()) groups.emplace_back();
        groups[number].push_back(each);
    }
    sort_stably(groups, [](const auto& a, const auto& b) { return a.size() > b.size(); });
    std::size_t kept = 1;
    while (kept < groups.size() && kept < 8 && groups[kept].size() > 1) ++kept;
    groups.resize((std::min)(groups.size(), kept));
    return groups;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
