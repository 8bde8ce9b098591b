// Definitions of crawl.hpp: plans by crawlers, improved job by job, then by replanning jobs around a data centre.
#ifndef BELLAMY_DETAIL_PLACEMENT_CRAWL_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_CRAWL_IMPL_HPP

#include <bellamy/detail/placement/plan_impl.hpp>
#include <bellamy/placement/crawl.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {
namespace detail {

/// Large-neighbourhood search: some jobs around a data centre are taken out and placed anew together.
class crawl_planner {
public:
    crawl_planner(const network& net, std::span<const job_graph> jobs, const crawl_options& options)
        : net_(net),
          jobs_(jobs),
          options_(options),
          crawler_(net, options.seed),
          where_(jobs.size()),
          placed_(jobs.size(), false) {}

    /// Starts from a valid plan where one is given.
    plan run(const plan* start = nullptr) {
        for (std::uint32_t job = 0; start != nullptr && job < jobs_.size(); ++job)
            if (start->places(job)) put(job, start->where[job]);
        place_all();
        for (int pass = 0; pass < options_.passes && improve_all(); ++pass) {
        }
        if (options_.rounds > 0) replan_around();
        return as_plan();
    }

private:
    // Walks until so many placed the job; more tries than that where capacity is scarce.
    crawler::effort full_effort() const noexcept {
        return {.walks = options_.walks, .tries = 4 * options_.walks, .most_tries = (std::max)(4 * options_.walks, 40)};
    }

    void place_all() {
        for (size_t job = 0; job < jobs_.size(); ++job)
            if (!placed_[job] && crawler_.place(jobs_[job], full_effort(), options_.beta)) put(job, crawler_.where());
    }

    /// Whether any job moved.
    bool improve_all() {
        bool changed = false;
        for (size_t job = 0; job < jobs_.size(); ++job) {
            if (!placed_[job]) continue;
            old_ = where_[job];
            take(job);
            const double cost = crawler_.added_cost(jobs_[job], old_);
            // The old placement fits: its slots have just been freed.
            const double improved_cost = crawler_.improve(jobs_[job], old_, improved_);
            const bool crawled =
                crawler_.place(jobs_[job], full_effort(), options_.beta) && crawler_.added_rate() < improved_cost;
            const double least = crawled ? crawler_.added_rate() : improved_cost;
            if (least < cost - tolerance(cost)) {
                put(job, crawled ? crawler_.where() : improved_);
                changed = true;
            } else {
                put(job, old_);
            }
        }
        return changed;
    }

    void replan_around() {
        if (net_.size() == 0) return;
        for (std::uint32_t job = 0; job < jobs_.size(); ++job)
            if (!placed_[job]) unplaced_.push_back(job);
        if (unplaced_.size() == jobs_.size()) return;
        jobs_at_.resize(net_.size());
        for (size_t job = 0; job < jobs_.size(); ++job) index(job);
        const auto most = static_cast<std::uint64_t>(options_.rounds) * jobs_.size();
        for (std::uint64_t i = 0; i < most; ++i) replan_once();
    }

    void replan_once() {
        auto& random = crawler_.random();
        const size_t job = random.below(jobs_.size());
        const bool has_tasks = placed_[job] && !where_[job].empty();
        const size_t centre = has_tasks ? where_[job][random.below(where_[job].size())] : random.below(net_.size());
        const size_t most = 2 + random.below(3);
        // Closing the centre for the moment moves its jobs away.
        const bool closed = random.uniform() < 0.25;
        collect_around(centre, most);
        todo_.clear();
        const bool with_unplaced = !unplaced_.empty();
        if (with_unplaced) todo_.push_back(unplaced_[random.below(unplaced_.size())]);
        append(todo_, removed_);

        old_of_removed_.resize((std::max)(old_of_removed_.size(), removed_.size()));
        double base = 0;
        for (size_t i = removed_.size(); i > 0; --i) {
            old_of_removed_[i - 1] = where_[removed_[i - 1]];
            take(removed_[i - 1]);
            base += crawler_.added_cost(jobs_[removed_[i - 1]], old_of_removed_[i - 1]);
        }
        if (!with_unplaced || random.uniform() < 0.5) random.shuffle(std::span(todo_));
        const int load = crawler_.present()[centre];
        if (closed) crawler_.present().set(centre, net_[centre].slots);
        double most_cost = base;
        if (with_unplaced) most_cost = infinite;
        const auto [replaced, cost] = place_todo(centre, most_cost);
        const bool keep = replaced == todo_.size() && (with_unplaced || cost < base - tolerance(base));
        if (closed) crawler_.present().set(centre, load);
        if (!keep) restore(replaced);
        if (keep) std::erase_if(unplaced_, [&](std::uint32_t unplaced) { return placed_[unplaced]; });
    }

    /// Jobs in a data centre, then in its neighbours, ascending in each.
    void collect_around(size_t centre, size_t most) {
        removed_.clear();
        const auto add = [&](size_t dc) {
            for (const auto job : jobs_at_[dc])
                if (removed_.size() < most && !contains(removed_, job)) removed_.push_back(job);
        };
        add(centre);
        for (const auto neighbour : net_.neighbours(centre))
            if (neighbour != centre) add(neighbour);
    }

    struct partial_plan {
        size_t jobs = 0;
        double added_cost = 0;
    };

    /// Places jobs in order until one does not fit or their added cost reaches the limit.
    partial_plan place_todo(size_t centre, double limit) {
        partial_plan placed;
        while (placed.jobs < todo_.size()) {
            const auto job = todo_[placed.jobs];
            const bool through = crawler_.place(jobs_[job], {.walks = 2, .tries = 4, .most_tries = 4}, options_.beta,
                                                net_.neighbours(centre));
            const auto removed = std::find(removed_.begin(), removed_.end(), job);
            double improved_cost = infinite;
            if (removed != removed_.end())
                improved_cost = crawler_.improve(
                    jobs_[job], old_of_removed_[static_cast<size_t>(removed - removed_.begin())], improved_);
            if (!through && std::isinf(improved_cost)) break;
            const bool uses_improved = !through || improved_cost <= crawler_.added_rate();
            placed.added_cost += uses_improved ? improved_cost : crawler_.added_rate();
            put(job, uses_improved ? improved_ : crawler_.where());
            ++placed.jobs;
            if (placed.added_cost >= limit) break;
        }
        return placed;
    }

    void restore(size_t replaced) {
        for (size_t i = 0; i < replaced; ++i) take(todo_[i]);
        for (size_t i = 0; i < removed_.size(); ++i) put(removed_[i], old_of_removed_[i]);
    }

    void put(size_t job, task_places where) {
        where_[job].assign(where.begin(), where.end());
        placed_[job] = true;
        crawler_.take_slots(where_[job]);
        index(job);
    }
    void take(size_t job) {
        crawler_.free_slots(where_[job]);
        placed_[job] = false;
        if (!jobs_at_.empty())
            for (const auto dc : where_[job]) std::erase(jobs_at_[dc], job);
        where_[job].clear();
    }
    /// Adds a placed job to the lists of its data centres, once these are kept.
    void index(size_t job) {
        if (jobs_at_.empty()) return;
        for (const auto dc : where_[job]) {
            auto& jobs = jobs_at_[dc];
            const auto entry = std::lower_bound(jobs.begin(), jobs.end(), job);
            if (entry == jobs.end() || *entry != job) jobs.insert(entry, static_cast<std::uint32_t>(job));
        }
    }

    plan as_plan() {
        plan solution;
        std::uint64_t tasks = 0;
        double traffic = 0;
        for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
            if (!placed_[job]) {
                solution.unplaced.push_back(job);
                continue;
            }
            tasks += jobs_[job].tasks();
            for (const auto& edge : jobs_[job].edges())
                traffic += edge.traffic * net_.traffic_price(where_[job][edge.a], where_[job][edge.b]);
        }
        solution.where = std::move(where_);
        solution.load.assign(crawler_.load().begin(), crawler_.load().end());
        solution.cost_rate = net_.cost_rate(solution.load) + traffic;
        solution.added_rate = solution.cost_rate - net_.base_cost_rate();
        solution.lower_bound = (std::min)(pooled_bound(net_, tasks), solution.cost_rate);
        return solution;
    }

    const network& net_;
    std::span<const job_graph> jobs_;
    const crawl_options& options_;
    crawler crawler_;
    std::vector<std::vector<std::uint32_t>> where_;
    std::vector<bool> placed_;
    std::vector<std::uint32_t> unplaced_;
    std::vector<std::vector<std::uint32_t>> jobs_at_;  // ascending, per data centre
    std::vector<std::uint32_t> removed_;               // jobs taken out to be placed anew
    std::vector<std::vector<std::uint32_t>> old_of_removed_;
    std::vector<std::uint32_t> todo_;  // removed jobs and at most one unplaced job, in the order of placing
    std::vector<std::uint32_t> old_;
    std::vector<std::uint32_t> improved_;
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<void> validate(const crawl_options& options) noexcept {
    using detail::fail;
    constexpr int most = 1'000'000;
    if (options.walks < 1 || options.walks > most)
        return fail(errc::invalid_option, "expected 1 to ", most, " walks, found ", options.walks);
    if (options.passes < 0 || options.passes > most)
        return fail(errc::invalid_option, "expected 0 to ", most, " passes, found ", options.passes);
    if (options.rounds < 0 || options.rounds > most)
        return fail(errc::invalid_option, "expected 0 to ", most, " rounds, found ", options.rounds);
    if (!(options.beta >= 0 && options.beta <= 1e6))
        return fail(errc::invalid_option, "expected a beta from 0 to 1e6, found ", options.beta);
    return {};
}

BELLAMY_PUBLIC_INLINE result<plan> crawl(const network& net, std::span<const job_graph> jobs, const crawl_options& options) {
    if (auto valid = validate(options); !valid) return valid.error();
    return detail::crawl_planner(net, jobs, options).run();
}

BELLAMY_PUBLIC_INLINE result<plan> improve(const network& net, std::span<const job_graph> jobs, const plan& start,
                                           const crawl_options& options) {
    if (auto valid = validate(options); !valid) return valid.error();
    if (auto valid = check(net, jobs, start); !valid) return valid.error();
    auto improved = detail::crawl_planner(net, jobs, options).run(&start);
    if (improved.unplaced == start.unplaced)
        improved.lower_bound = (std::max)(improved.lower_bound, (std::min)(start.lower_bound, improved.cost_rate));
    return improved;
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
