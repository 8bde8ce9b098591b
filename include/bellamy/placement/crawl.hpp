// Plans for networks of any size by crawlers, which know only the data centres next to where they have been.
#ifndef BELLAMY_PLACEMENT_CRAWL_HPP
#define BELLAMY_PLACEMENT_CRAWL_HPP

#include <bellamy/detail/placement/settle.hpp>
#include <bellamy/detail/placement/walk.hpp>
#include <bellamy/placement/bounds.hpp>
#include <bellamy/placement/plan.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

struct crawl_options {
    std::uint64_t seed = 1;
    /// Crawlers per job, of which the cheapest placement counts.
    int walks = 5;
    /// How often every job is placed anew, where that is cheaper.
    int passes = 2;
    /// How often, per job, some jobs around a data centre are placed anew together.
    int rounds = 10;
    /// How strongly crawlers prefer cheap data centres.
    double beta = 16;
};

/// Error: invalid_option.
[[nodiscard]] result<void> validate(const crawl_options& options) noexcept;

/// Places single jobs beside a load that it keeps. The network must outlive it. Not to be shared between threads. Placing
/// allocates nothing once the largest job has been placed; the same seed and calls give the same placements.
class crawler {
public:
    explicit crawler(const network& net, std::uint64_t seed = 1) : load_(net), walker_(net), settler_(net), random_(seed) {}

    /// Beside this load instead of the network's own. Precondition: from 0 to the slots of each data centre.
    crawler(const network& net, std::span<const int> load, std::uint64_t seed) : crawler(net, seed) {
        for (std::size_t i = 0; i < load.size(); ++i) load_.set(i, load[i]);
    }

    /// Taken slots per data centre.
    [[nodiscard]] std::span<const int> load() const noexcept { return load_.all(); }

    struct effort {
        int walks = 5;
        int tries = 20;
        /// Tries in all while none got through.
        int most_tries = 40;
    };

    /// The cheapest of some walks, each settled; false where none got through. `where` and `added_rate` tell what was found.
    [[nodiscard]] bool place(const job_graph& job, const effort& wanted, double beta = 16,
                             std::span<const std::uint32_t> around = {}) {
        int through = 0;
        for (int t = 0; through < wanted.walks; ++t) {
            if (t >= wanted.tries && (through > 0 || t >= wanted.most_tries)) break;
            const bool roomy = through == 0 && t % 3 == 2;
            if (!walker_.walk(job, load_, random_, {.beta = beta, .around = around, .roomy = roomy})) continue;
            settled_.assign(walker_.where().begin(), walker_.where().end());
            const double added = settler_.settle(job, settled_, load_);
            if (through++ > 0 && !(added < added_)) continue;
            added_ = added;
            where_.swap(settled_);
        }
        return through > 0;
    }

    [[nodiscard]] std::span<const std::uint32_t> where() const noexcept { return where_; }
    [[nodiscard]] double added_rate() const noexcept { return added_; }

    /// Takes the slots of a placement, or gives them back.
    void take(std::span<const std::uint32_t> where) noexcept {
        for (const auto dc : where) load_.add(dc, 1);
    }
    void give_back(std::span<const std::uint32_t> where) noexcept {
        for (const auto dc : where) load_.add(dc, -1);
    }

    /// Offers a placement instead of the one found: whether it fits. It is settled first; `improved` gets what comes out.
    [[nodiscard]] bool settle(const job_graph& job, std::span<const std::uint32_t> offered,
                              std::vector<std::uint32_t>& improved, double& added) {
        if (!settler_.fits(offered, load_)) return false;
        improved.assign(offered.begin(), offered.end());
        added = settler_.settle(job, improved, load_);
        return true;
    }
    [[nodiscard]] double added_cost(const job_graph& job, std::span<const std::uint32_t> where) {
        return settler_.added_cost(job, where, load_);
    }
    [[nodiscard]] detail::present_load& present() noexcept { return load_; }
    [[nodiscard]] detail::random_generator& random() noexcept { return random_; }

private:
    detail::present_load load_;
    detail::walker walker_;
    detail::settler settler_;
    detail::random_generator random_;
    std::vector<std::uint32_t> where_;
    std::vector<std::uint32_t> settled_;
    double added_ = 0;
};

/// Places jobs one by one beside the present load, then improves the plan: jobs one by one, then some jobs around a data
/// centre together. Never leaves more jobs unplaced, nor a higher cost, than fewer passes or rounds of the same seed. The
/// lower bound is the pooled one of the tasks placed. Error: invalid_option.
[[nodiscard]] result<plan> crawl(const network& net, std::span<const job_graph> jobs, const crawl_options& options = {});

/// The same from a plan instead of none: places what that leaves out, where there is room, and improves it. Never leaves
/// more jobs unplaced and, where it places the same, costs no more. Errors: invalid_option, those of check.
[[nodiscard]] result<plan> improve(const network& net, std::span<const job_graph> jobs, const plan& start,
                                   const crawl_options& options = {});

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/crawl_impl.hpp>  // IWYU pragma: export
#endif

#endif
