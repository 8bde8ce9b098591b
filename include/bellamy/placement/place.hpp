// One call for any size: picks the method by the size and the time budget; why a plan leaves a job out.
#ifndef BELLAMY_PLACEMENT_PLACE_HPP
#define BELLAMY_PLACEMENT_PLACE_HPP

#include <bellamy/placement/crawl.hpp>
#include <bellamy/placement/enumerated_plans.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// How a plan was found.
enum class method : std::uint8_t {
    exact = 0,         // the optimum
    local_search = 1,  // over all strategies
    crawlers = 2,
};

[[nodiscard]] constexpr std::string_view to_string(method how) noexcept {
    return bellamy::detail::name_at(how, {"exact", "local search", "crawlers"});
}

struct place_options {
    std::uint64_t seed = 1;
    /// Approximate duration. No clock is read, so that the same call gives the same plan everywhere: methods are picked by
    /// step counts, at the duration of a step on a core of 3 GHz.
    double budget_s = 1;
};

struct placed {
    placement::plan plan;
    placement::method how = method::crawlers;
};

/// Places all jobs for the least cost rate. Small networks exactly or by local search over all strategies, larger ones by
/// crawlers; the better plan where both are quick. The lower bound holds for every plan of the jobs placed.
/// Error: invalid_option for a budget that is not positive and finite.
result<placed> place(const network& net, std::span<const job_graph> jobs, const place_options& options = {});

/// The resource that is short, the first of these that is.
enum class shortage : std::uint8_t {
    none = 0,                  // the job is placed
    slots = 1,                 // of all data centres, even without the other jobs
    connected_slots = 2,       // of connected data centres for connected tasks, even without the other jobs
    slots_left = 3,            // besides the jobs that are placed
    connected_slots_left = 4,  // the same
    links = 5,                 // slots suffice, but the search found no placement with a link for every edge
};

[[nodiscard]] constexpr std::string_view to_string(shortage what) noexcept {
    return bellamy::detail::name_at(what, {"none", "free slots", "free slots in connected data centres", "slots left",
                                           "slots left in connected data centres", "links"});
}

struct shortfall {
    shortage what = shortage::none;
    /// Slots; 0 for links.
    std::int64_t needed = 0;
    std::int64_t available = 0;
};

/// The resource that kept a plan from placing a job. Allocates. Preconditions: `check` accepts the plan, and it is about
/// this job.
[[nodiscard]] shortfall why_unplaced(const network& net, std::span<const job_graph> jobs, const plan& solution,
                                     std::uint32_t job);

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/place_impl.hpp>  // IWYU pragma: export
#endif

#endif
