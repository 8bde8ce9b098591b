// Plans for networks of any size by crawlers, which query only data centres next to those they have visited.
#ifndef BELLAMY_PLACEMENT_CRAWL_HPP
#define BELLAMY_PLACEMENT_CRAWL_HPP

#include <bellamy/detail/placement/local_search.hpp>
#include <bellamy/detail/placement/walk.hpp>
#include <bellamy/placement/plan.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

struct crawl_options {
    std::uint64_t seed = 1;
    /// Successful random walks per job, of which the cheapest placement counts.
    int walks = 5;
    /// Sweeps in which every job is placed anew where that is cheaper.
    int passes = 2;
    /// Rounds of replanning per job: some jobs around a data centre are placed anew together.
    int rounds = 10;
    /// Exponent of the preference for cheap data centres.
    double beta = 16;
};

/// Error: invalid_option.
result<void> validate(const crawl_options& options) noexcept;

/// Places single jobs beside a load. The network must outlive it. Not to be shared between threads. Placing allocates
/// nothing once the largest job has been placed; the same seed and calls give the same placements.
class crawler {
public:
    explicit crawler(const network& net, std::uint64_t seed = 1) : load_(net), walker_(net), search_(net), random_(seed) {}

    /// Places jobs beside this load, not the network's. Precondition: from 0 to the slots of each data centre.
    crawler(const network& net, std::span<const int> load, std::uint64_t seed) : crawler(net, seed) {
        for (size_t i = 0; i < load.size(); ++i) load_.set(i, load[i]);
    }

    /// Taken slots per data centre.
    [[nodiscard]] std::span<const int> load() const noexcept { return load_.all(); }

    struct effort {
        /// Successful walks, of which the cheapest placement counts.
        int walks = 5;
        int tries = 20;
        /// Limit of tries as long as none has succeeded.
        int most_tries = 40;
    };

    /// The cheapest of some walks, each improved by local search; false where none succeeded. Read the placement by `where`
    /// and `added_rate`.
    [[nodiscard]] bool place(const job_graph& job, const effort& wanted, double beta = 16,
                             std::span<const std::uint32_t> preferred_starts = {}) {
        int successes = 0;
        for (int t = 0; successes < wanted.walks; ++t) {
            if (t >= wanted.tries && (successes > 0 || t >= wanted.most_tries)) break;
            const bool prefers_free_slots = successes == 0 && t % 3 == 2;
            if (!walker_.walk(
                    job, load_, random_,
                    {.beta = beta, .preferred_starts = preferred_starts, .prefers_free_slots = prefers_free_slots}))
                continue;
            candidate_.assign(walker_.where().begin(), walker_.where().end());
            const double added = search_.improve(job, candidate_, load_);
            if (successes++ > 0 && !(added < added_)) continue;
            added_ = added;
            where_.swap(candidate_);
        }
        return successes > 0;
    }

    [[nodiscard]] std::span<const std::uint32_t> where() const noexcept { return where_; }
    [[nodiscard]] double added_rate() const noexcept { return added_; }

    void take_slots(std::span<const std::uint32_t> where) noexcept {
        for (const auto dc : where) load_.add(dc, 1);
    }
    void free_slots(std::span<const std::uint32_t> where) noexcept {
        for (const auto dc : where) load_.add(dc, -1);
    }

    /// Improves a placement by local search and returns its added cost; infinite where it does not fit beside the load.
    [[nodiscard]] double improve(const job_graph& job, std::span<const std::uint32_t> start,
                                 std::vector<std::uint32_t>& improved) {
        if (!search_.fits(start, load_)) return detail::infinite;
        improved.assign(start.begin(), start.end());
        return search_.improve(job, improved, load_);
    }
    [[nodiscard]] double added_cost(const job_graph& job, std::span<const std::uint32_t> where) {
        return search_.added_cost(job, where, load_);
    }
    [[nodiscard]] detail::present_load& present() noexcept { return load_; }
    [[nodiscard]] detail::random_generator& random() noexcept { return random_; }

private:
    detail::present_load load_;
    detail::walker walker_;
    detail::placement_search search_;
    detail::random_generator random_;
    std::vector<std::uint32_t> where_;
    std::vector<std::uint32_t> candidate_;
    double added_ = 0;
};

/// Places jobs one by one beside the present load, then improves the plan job by job, then by jobs around a data centre
/// together. Never leaves more jobs unplaced, nor a higher cost, than fewer passes or rounds of the same seed. The
/// lower bound is the pooled one of the tasks placed. Error: invalid_option.
result<plan> crawl(const network& net, std::span<const job_graph> jobs, const crawl_options& options = {});

/// Starts from a plan: places its unplaced jobs where they fit, and improves it. Never leaves
/// more jobs unplaced and, where it places the same, costs no more. Errors: invalid_option, those of check.
result<plan> improve(const network& net, std::span<const job_graph> jobs, const plan& start,
                     const crawl_options& options = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/crawl_impl.hpp>  // IWYU pragma: export
#endif

#endif
