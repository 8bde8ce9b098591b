// Why a plan leaves a job out: what it needs and what there is of it.
#ifndef BELLAMY_PLACEMENT_SHORTAGE_HPP
#define BELLAMY_PLACEMENT_SHORTAGE_HPP

#include <bellamy/placement/plan.hpp>

namespace bellamy::inline BELLAMY_ABI::placement {

/// What is short, the first of these that is.
enum class shortage : std::uint8_t {
    none = 0,                  // the job is placed
    slots = 1,                 // in all data centres together, even without the other jobs
    connected_slots = 2,       // in data centres that links connect, for tasks that edges connect; without the other jobs
    slots_left = 3,            // beside the jobs that are placed
    connected_slots_left = 4,  // the same
    links = 5,                 // slots suffice, but no placement was found that has a link for every edge
};

[[nodiscard]] constexpr std::string_view to_string(shortage what) noexcept {
    constexpr std::array<std::string_view, 6> names{
        "none", "free slots", "free slots in connected data centres", "slots left", "slots left in connected data centres",
        "links"};
    return names[static_cast<std::size_t>(what)];
}

struct shortfall {
    shortage what = shortage::none;
    /// Slots; 0 for links.
    std::int64_t needed = 0;
    std::int64_t found = 0;
};

namespace detail {

/// The largest sum of counts over a connected component of what has a count; `neighbours(i, visit)` visits those of i.
template <class Counts, class Neighbours>
[[nodiscard]] std::int64_t largest_component(std::size_t size, const Counts& count, const Neighbours& neighbours) {
    std::vector<bool> seen(size, false);
    std::vector<std::uint32_t> to_visit;
    std::int64_t largest = 0;
    for (std::uint32_t first = 0; first < size; ++first) {
        if (seen[first] || count(first) == 0) continue;
        std::int64_t sum = 0;
        seen[first] = true;
        to_visit.assign(1, first);
        while (!to_visit.empty()) {
            const auto at = to_visit.back();
            to_visit.pop_back();
            sum += count(at);
            neighbours(at, [&](std::uint32_t next) {
                if (seen[next] || count(next) == 0) return;
                seen[next] = true;
                to_visit.push_back(next);
            });
        }
        largest = (std::max)(largest, sum);
    }
    return largest;
}

/// Free slots beside a load: of all data centres, and of the most that links connect through data centres with free slots.
[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> free_slots(const network& net, std::span<const int> load) {
    const auto count = [&](std::size_t dc) { return net[dc].slots - load[dc]; };
    std::int64_t all = 0;
    for (std::size_t dc = 0; dc < net.size(); ++dc) all += count(dc);
    return {all, largest_component(net.size(), count, [&](std::uint32_t dc, const auto& visit) {
                for (const auto other : net.neighbours(dc)) visit(other);
            })};
}

}  // namespace detail

/// What kept a plan from placing a job. Allocates. Preconditions: `check` accepts the plan, and it is about this job.
[[nodiscard]] inline shortfall why_unplaced(const network& net, std::span<const job_graph> jobs, const plan& subject,
                                            std::uint32_t job) {
    if (subject.places(job)) return {};
    const auto& graph = jobs[job];
    const std::int64_t tasks = graph.tasks();
    const auto connected = detail::largest_component(
        graph.tasks(), [](std::uint32_t) { return 1; },
        [&](std::uint32_t task, const auto& visit) {
            for (const auto& each : graph.neighbours(task)) visit(each.task);
        });
    const auto [free, together] = detail::free_slots(net, net.load());
    const auto [left, left_together] = detail::free_slots(net, subject.load);
    if (free < tasks) return {shortage::slots, tasks, free};
    if (together < connected) return {shortage::connected_slots, connected, together};
    if (left < tasks) return {shortage::slots_left, tasks, left};
    if (left_together < connected) return {shortage::connected_slots_left, connected, left_together};
    return {shortage::links, 0, 0};
}

}  // namespace bellamy::inline BELLAMY_ABI::placement

#endif
