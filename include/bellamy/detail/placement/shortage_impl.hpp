// Definitions of what shortage.hpp declares.
#ifndef BELLAMY_DETAIL_PLACEMENT_SHORTAGE_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_SHORTAGE_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/placement/shortage.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

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

BELLAMY_PUBLIC_INLINE shortfall why_unplaced(const network& net, std::span<const job_graph> jobs, const plan& subject,
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

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
