// Many jobs by crawlers: one by one, then again one by one, then some around a data centre together.
#ifndef BELLAMY_DETAIL_PLACEMENT_CRAWL_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_CRAWL_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/placement/plan_impl.hpp>
#include <bellamy/placement/crawl.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

class crawl_planner {
public:
    crawl_planner(const network& net, std::span<const job_graph> jobs, const crawl_options& options)
        : net_(net),
          jobs_(jobs),
          options_(options),
          crawler_(net, options.seed),
          where_(jobs.size()),
          placed_(jobs.size(), false) {}

    [[nodiscard]] plan run() {
        place_all();
        return improve();
    }

    /// From a valid plan instead of none.
    [[nodiscard]] plan run(const plan& start) {
        for (std::uint32_t job = 0; job < jobs_.size(); ++job)
            if (start.places(job)) put(job, start.where[job]);
        place_all();
        return improve();
    }

private:
    [[nodiscard]] plan improve() {
        for (int pass = 0; pass < options_.passes && improve_all(); ++pass) {
        }
        if (options_.rounds > 0) replan_around();
        return as_plan();
    }

    [[nodiscard]] crawler::effort full_effort() const noexcept {
        return {.walks = options_.walks, .tries = 4 * options_.walks, .most_tries = (std::max)(4 * options_.walks, 40)};
    }

    void place_all() {
        for (std::size_t job = 0; job < jobs_.size(); ++job)
            if (!placed_[job] && crawler_.place(jobs_[job], full_effort(), options_.beta)) put(job, crawler_.where());
    }

    /// Whether any job moved.
    [[nodiscard]] bool improve_all() {
        bool changed = false;
        for (std::size_t job = 0; job < jobs_.size(); ++job) {
            if (!placed_[job]) continue;
            old_ = where_[job];
            take_out(job);
            const double cost = crawler_.added_cost(jobs_[job], old_);
            double settled_cost = 0;
            static_cast<void>(crawler_.settle(jobs_[job], old_, settled_, settled_cost));
            const bool through = crawler_.place(jobs_[job], full_effort(), options_.beta);
            const bool crawled = through && crawler_.added_rate() < settled_cost;
            const double least = crawled ? crawler_.added_rate() : settled_cost;
            if (least < cost - tolerance(cost)) {
                put(job, crawled ? crawler_.where() : settled_);
                changed = true;
            } else {
                put(job, old_);
            }
        }
        return changed;
    }

    void replan_around() {
        if (net_.size() == 0) return;
        for (std::size_t job = 0; job < jobs_.size(); ++job) {
            if (!placed_[job]) unplaced_.push_back(static_cast<std::uint32_t>(job));
        }
        if (unplaced_.size() == jobs_.size()) return;
        jobs_at_.resize(net_.size());
        for (std::size_t job = 0; job < jobs_.size(); ++job) enter(job);
        const auto most = static_cast<std::uint64_t>(options_.rounds) * jobs_.size();
        for (std::uint64_t i = 0; i < most; ++i) replan_once();
    }

    void replan_once() {
        auto& random = crawler_.random();
        const std::size_t job = random.below(jobs_.size());
        const bool has_tasks = placed_[job] && !where_[job].empty();
        const std::size_t centre = has_tasks ? where_[job][random.below(where_[job].size())] : random.below(net_.size());
        const std::size_t most = 2 + random.below(3);
        const bool banned = random.uniform() < 0.25;
        find_hit(centre, most);
        todo_.clear();
        const bool with_unplaced = !unplaced_.empty();
        if (with_unplaced) todo_.push_back(unplaced_[random.below(unplaced_.size())]);
        todo_.insert(todo_.end(), hit_.begin(), hit_.end());

        before_.resize((std::max)(before_.size(), hit_.size()));
        double base = 0;
        for (std::size_t i = hit_.size(); i > 0; --i) {
            before_[i - 1] = where_[hit_[i - 1]];
            take_out(hit_[i - 1]);
            base += crawler_.added_cost(jobs_[hit_[i - 1]], before_[i - 1]);
        }
        if (!with_unplaced || random.uniform() < 0.5) random.shuffle(std::span(todo_));
        const int load = crawler_.present()[centre];
        if (banned) crawler_.present().set(centre, net_[centre].slots);
        double sum = 0;
        double limit = base;
        if (with_unplaced) limit = infinite;
        const std::size_t done = place_todo(centre, limit, sum);
        const bool keep = done == todo_.size() && (with_unplaced || sum < base - tolerance(base));
        if (banned) crawler_.present().set(centre, load);
        if (!keep) restore(done);
        if (keep && with_unplaced) forget_placed();
    }

    /// Jobs on a data centre, then on its neighbours, ascending in each.
    void find_hit(std::size_t centre, std::size_t most) {
        hit_.clear();
        const auto add = [&](std::size_t dc) {
            for (const auto job : jobs_at_[dc])
                if (hit_.size() < most && std::find(hit_.begin(), hit_.end(), job) == hit_.end()) hit_.push_back(job);
        };
        add(centre);
        for (const auto neighbour : net_.neighbours(centre))
            if (neighbour != centre) add(neighbour);
    }

    /// How many jobs were placed, in order, before one did not fit or the cost reached the limit.
    [[nodiscard]] std::size_t place_todo(std::size_t centre, double limit, double& sum) {
        for (std::size_t i = 0; i < todo_.size(); ++i) {
            const auto job = todo_[i];
            const bool through = crawler_.place(jobs_[job], {.walks = 2, .tries = 4, .most_tries = 4}, options_.beta,
                                                net_.neighbours(centre));
            double settled_cost = infinite;
            const auto at = std::find(hit_.begin(), hit_.end(), job);
            const bool fits =
                at != hit_.end() &&
                crawler_.settle(jobs_[job], before_[static_cast<std::size_t>(at - hit_.begin())], settled_, settled_cost);
            if (!through && !fits) return i;
            const bool stays = fits && (!through || settled_cost <= crawler_.added_rate());
            sum += stays ? settled_cost : crawler_.added_rate();
            put(job, stays ? settled_ : crawler_.where());
            if (sum >= limit) return i + 1;
        }
        return todo_.size();
    }

    void restore(std::size_t done) {
        for (std::size_t i = 0; i < done; ++i) take_out(todo_[i]);
        for (std::size_t i = 0; i < hit_.size(); ++i) put(hit_[i], before_[i]);
    }

    void forget_placed() {
        unplaced_.erase(std::remove_if(unplaced_.begin(), unplaced_.end(), [&](std::uint32_t job) { return placed_[job]; }),
                        unplaced_.end());
    }

    void put(std::size_t job, std::span<const std::uint32_t> where) {
        where_[job].assign(where.begin(), where.end());
        placed_[job] = true;
        crawler_.take(where_[job]);
        enter(job);
    }
    void take_out(std::size_t job) {
        crawler_.give_back(where_[job]);
        placed_[job] = false;
        if (!jobs_at_.empty())
            for (const auto dc : where_[job]) {
                auto& jobs = jobs_at_[dc];
                const auto at = std::lower_bound(jobs.begin(), jobs.end(), static_cast<std::uint32_t>(job));
                if (at != jobs.end() && *at == job) jobs.erase(at);
            }
        where_[job].clear();
    }
    /// Notes a placed job with its data centres, once these are asked for.
    void enter(std::size_t job) {
        if (jobs_at_.empty()) return;
        for (const auto dc : where_[job]) {
            auto& jobs = jobs_at_[dc];
            const auto at = std::lower_bound(jobs.begin(), jobs.end(), static_cast<std::uint32_t>(job));
            if (at == jobs.end() || *at != job) jobs.insert(at, static_cast<std::uint32_t>(job));
        }
    }

    [[nodiscard]] plan as_plan() {
        plan made;
        std::uint64_t tasks = 0;
        double traffic = 0;
        for (std::size_t job = 0; job < jobs_.size(); ++job) {
            if (!placed_[job]) {
                made.unplaced.push_back(static_cast<std::uint32_t>(job));
                continue;
            }
            tasks += jobs_[job].tasks();
            for (const auto& edge : jobs_[job].edges())
                traffic += edge.traffic * net_.traffic_price(where_[job][edge.a], where_[job][edge.b]);
        }
        made.where = std::move(where_);
        made.load.assign(crawler_.load().begin(), crawler_.load().end());
        made.cost_rate = net_.cost_rate(made.load) + traffic;
        made.added_rate = made.cost_rate - net_.base_cost_rate();
        made.lower_bound = (std::min)(pooled_bound(net_, tasks), made.cost_rate);
        return made;
    }

    const network& net_;
    std::span<const job_graph> jobs_;
    const crawl_options& options_;
    crawler crawler_;
    std::vector<std::vector<std::uint32_t>> where_;
    std::vector<bool> placed_;
    std::vector<std::uint32_t> unplaced_;
    std::vector<std::vector<std::uint32_t>> jobs_at_;  // ascending, per data centre
    std::vector<std::uint32_t> hit_;
    std::vector<std::uint32_t> todo_;
    std::vector<std::vector<std::uint32_t>> before_;
    std::vector<std::uint32_t> old_;
    std::vector<std::uint32_t> settled_;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

BELLAMY_PUBLIC_INLINE result<void> validate(const crawl_options& options) noexcept {
    using bellamy::detail::fail;
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
    auto made = detail::crawl_planner(net, jobs, options).run(start);
    if (made.unplaced == start.unplaced)
        made.lower_bound = (std::max)(made.lower_bound, (std::min)(start.lower_bound, made.cost_rate));
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
