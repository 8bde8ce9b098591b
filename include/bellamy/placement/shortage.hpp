// Why a plan leaves a job out: what it needs and what there is of it.
#ifndef BELLAMY_PLACEMENT_SHORTAGE_HPP
#define BELLAMY_PLACEMENT_SHORTAGE_HPP

#include <bellamy/placement/plan.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

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

/// What kept a plan from placing a job. Allocates. Preconditions: `check` accepts the plan, and it is about this job.
[[nodiscard]] shortfall why_unplaced(const network& net, std::span<const job_graph> jobs, const plan& subject,
                                     std::uint32_t job);

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/shortage_impl.hpp>  // IWYU pragma: export
#endif

#endif
