// One call for any size: picks the method by what can be listed and what the caller will wait, and says what it can prove.
#ifndef BELLAMY_PLACEMENT_PLACE_HPP
#define BELLAMY_PLACEMENT_PLACE_HPP

#include <bellamy/placement/crawl.hpp>
#include <bellamy/placement/small.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// How a plan was found.
enum class method : std::uint8_t {
    exact = 0,         // the optimum
    local_search = 1,  // over all strategies, listed
    crawlers = 2,
};

[[nodiscard]] constexpr std::string_view to_string(method how) noexcept {
    constexpr std::array<std::string_view, 3> names{"exact", "local search", "crawlers"};
    return names[static_cast<std::size_t>(how)];
}

struct place_options {
    std::uint64_t seed = 1;
    /// About how long it may take. Nothing looks at a clock, so that the same call gives the same plan everywhere: methods
    /// are picked by steps counted beforehand, at what a step takes on a core of 3 GHz.
    double budget_s = 1;
};

struct placed {
    placement::plan plan;
    placement::method how = method::crawlers;
};

/// Places all jobs for the least cost rate. Small networks exactly or by local search over all strategies, larger ones by
/// crawlers; the better plan where both are quick. The lower bound holds for every plan of the jobs placed.
/// Error: invalid_option for a budget that is not positive and finite.
[[nodiscard]] result<placed> place(const network& net, std::span<const job_graph> jobs, const place_options& options = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/place_impl.hpp>  // IWYU pragma: export
#endif

#endif
