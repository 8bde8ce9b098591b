// Definitions of consensus.hpp: distributed conditional gradient with gradient tracking, one agent for each data centre.
#ifndef BELLAMY_DETAIL_PLACEMENT_CONSENSUS_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_CONSENSUS_IMPL_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/placement/enumerated_plans_impl.hpp>
#include <bellamy/placement/consensus.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

namespace detail {

/// The decision variables: number of jobs per strategy, types of jobs one after the other.
struct variables {
    std::vector<size_t> jobs_of_type;
    std::vector<size_t> first_of_type{0};
    std::vector<double> traffic;

    size_t size() const noexcept { return traffic.size(); }
};

/// The agent of one data centre: knows its costs, its tasks in each strategy, and the messages of its neighbours.
class agent {
public:
    /// Tasks of a strategy in this data centre.
    struct local_count {
        size_t variable = 0;
        int tasks = 0;
    };
    struct weighted_neighbour {
        size_t data_centre = 0;
        double weight = 0;  // in averages of messages
    };
    /// Copy of all variables, and estimate of the mean gradient.
    struct message {
        std::vector<double> values;
        std::vector<double> gradient;
    };

    agent(const network& net, size_t dc, std::vector<local_count> counts, std::vector<weighted_neighbour> neighbours)
        : net_(net), dc_(dc), counts_(std::move(counts)), neighbours_(std::move(neighbours)) {}

    /// Starts with equal values of all strategies of a type.
    void start(const variables& all) {
        current_.values.resize(all.size());
        current_.gradient.resize(all.size());
        for (size_t type = 0; type < all.jobs_of_type.size(); ++type)
            for (size_t k = all.first_of_type[type]; k < all.first_of_type[type + 1]; ++k)
                current_.values[k] = static_cast<double>(all.jobs_of_type[type]) /
                                     static_cast<double>(all.first_of_type[type + 1] - all.first_of_type[type]);
        slope_ = slope_at(load_of(current_.values));
        for (size_t k = 0; k < all.size(); ++k) current_.gradient[k] = all.traffic[k] / count_of(net_);
        for (const auto& count : counts_) current_.gradient[count.variable] += slope_ * count.tasks;
        next_ = current_;
    }
    /// One round from the messages of the neighbours, itself among them; `publish` makes the result the new message.
    void update(const variables& all, const auto& message_of, double step) {
        next_.values.assign(all.size(), 0);
        next_.gradient.assign(all.size(), 0);
        for (const auto& neighbour : neighbours_) {
            const message& received = message_of(neighbour.data_centre);
            for (size_t k = 0; k < all.size(); ++k) {
                next_.values[k] += neighbour.weight * received.values[k];
                next_.gradient[k] += neighbour.weight * received.gradient[k];
            }
        }
        for (size_t type = 0; type < all.jobs_of_type.size(); ++type) {
            const size_t first = all.first_of_type[type];
            const size_t count = all.first_of_type[type + 1] - first;
            const size_t best = first_least(std::span(next_.gradient).subspan(first, count));
            for (size_t k = 0; k < count; ++k) {
                const double target = k == best ? static_cast<double>(all.jobs_of_type[type]) : 0;
                next_.values[first + k] += step * (target - next_.values[first + k]);
            }
        }
        const double slope = slope_at(load_of(next_.values));
        for (const auto& count : counts_) next_.gradient[count.variable] += (slope - slope_) * count.tasks;
        slope_ = slope;
    }
    void publish() noexcept { std::swap(current_, next_); }

    const message& current() const noexcept { return current_; }
    double load_of(std::span<const double> values) const noexcept {
        double load = net_[dc_].load;
        for (const auto& count : counts_) load += count.tasks * values[count.variable];
        return load;
    }
    /// Derivative of the convex cost rate and of a quadratic penalty beyond the slots.
    double slope_at(double load) const noexcept {
        const double over = (std::max)(0.0, load - net_[dc_].slots);
        return net_.convex_slope(dc_, load) + net_.convex_slope(dc_, net_[dc_].slots) * over;
    }

private:
    const network& net_;  // read for this data centre only
    size_t dc_;
    std::vector<local_count> counts_;
    std::vector<weighted_neighbour> neighbours_;
    double slope_ = 0;
    message current_;
    message next_;
};

/// Rounds of all agents. Within a round they are independent, as each reads the messages of the round before: any number of
/// threads gives the same bits.
class consensus {
public:
    consensus(const problem& instance, std::span<const size_t> jobs_of_type)
        : net_(instance.net), variables_{.jobs_of_type = {jobs_of_type.begin(), jobs_of_type.end()}, .traffic = {}} {
        std::vector<std::vector<agent::local_count>> counts(net_.size());
        for (const auto& type : instance.types) {
            for (size_t k = 0; k < type.size(); ++k) {
                for (const auto& count : type.list.counts(k))
                    counts[count.data_centre].push_back({.variable = variables_.size(), .tasks = count.tasks});
                variables_.traffic.push_back(type.list.traffic(k));
            }
            variables_.first_of_type.push_back(variables_.size());
        }
        for (size_t i = 0; i < net_.size(); ++i) {
            std::vector<agent::weighted_neighbour> neighbours;
            for (const auto dc : net_.neighbours(i)) neighbours.push_back({.data_centre = dc, .weight = weight(i, dc)});
            agents_.emplace_back(net_, i, std::move(counts[i]), std::move(neighbours)).start(variables_);
        }
    }

    void round(size_t threads) {
        ++rounds_;
        const auto message_of = [&](size_t dc) -> const agent::message& { return agents_[dc].current(); };
        for_each_index(agents_.size(), threads,
                       [&](size_t i) { agents_[i].update(variables_, message_of, 2.0 / (rounds_ + 2)); });
        for (auto& site : agents_) site.publish();
    }

    std::span<const agent> agents() const noexcept { return agents_; }
    /// Metropolis weights of messages.
    double weight(size_t a, size_t b) const noexcept {
        if (a != b) return net_.may_talk(a, b) ? link_weight(a, b) : 0;
        double rest = 1;
        for (const auto neighbour : net_.neighbours(a))
            if (neighbour != a) rest -= link_weight(a, neighbour);
        return rest;
    }

    /// Mean of all copies.
    std::vector<double> mean() const {
        std::vector<double> mean(variables_.size(), 0);
        for (const auto& site : agents_)
            for (size_t k = 0; k < mean.size(); ++k) mean[k] += site.current().values[k];
        for (double& value : mean) value /= count_of(agents_);
        return mean;
    }
    /// The values of each type of job.
    std::vector<std::vector<double>> by_type(std::span<const double> values) const {
        std::vector<std::vector<double>> split;
        const auto& first = variables_.first_of_type;
        for (size_t type = 0; type + 1 < first.size(); ++type) {
            const auto part = slice_of(values, first, type);
            split.emplace_back(part.begin(), part.end());
        }
        return split;
    }

private:
    double link_weight(size_t a, size_t b) const noexcept {
        return 1.0 / static_cast<double>((std::max)(net_.neighbours(a).size(), net_.neighbours(b).size()));
    }

    const network& net_;
    variables variables_;
    std::vector<agent> agents_;
    int rounds_ = 0;
};

inline result<void> validate(const consensus_options& options) noexcept {
    if (options.rounds < 0 || options.rounds > 1'000'000)
        return fail(errc::invalid_option, "expected 0 to 1,000,000 rounds, found ", options.rounds);
    if (options.threads < 1 || options.threads > 1024)
        return fail(errc::invalid_option, "expected 1 to 1024 threads, found ", options.threads);
    if (options.crawled_plans < 0 || options.crawled_plans > 10'000)
        return fail(errc::invalid_option, "expected 0 to 10,000 crawled plans, found ", options.crawled_plans);
    return {};
}

/// Jobs with the strategies of crawled plans only, alternately of single walks and of improved plans.
inline result<problem> crawled_strategies(const network& net, std::span<const job_graph> jobs,
                                          const consensus_options& options) {
    std::vector<plan> plans;
    for (int i = 0; i < options.crawled_plans; ++i) {
        const auto seed = options.seed + static_cast<std::uint64_t>(i);
        const bool improves = i % 2 != 0;
        plans.push_back(
            *crawl(net, jobs, {.seed = seed, .walks = improves ? 3 : 1, .passes = improves ? 1 : 0, .rounds = 0}));
    }
    return make_problem(net, jobs, [&](size_t job) -> result<strategies> {
        strategy_table table(jobs[job].tasks());
        for (std::uint32_t equal = 0; equal < jobs.size(); ++equal) {
            if (!(jobs[equal] == jobs[job])) continue;
            for (const auto& crawled : plans)
                if (crawled.places(equal))
                    table.add(traffic_rate(net, jobs[job], crawled.where[equal]), crawled.where[equal]);
        }
        return table.finish();
    });
}

inline consensus run_rounds(const problem& instance, const std::vector<size_t>& jobs_of_type,
                            const consensus_options& options) {
    consensus agents(instance, jobs_of_type);
    for (int round = 0; round < options.rounds; ++round) agents.round(static_cast<size_t>(options.threads));
    return agents;
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<plan> place_by_consensus(const network& net, std::span<const job_graph> jobs,
                                                      const consensus_options& options, const strategy_limits& limits) {
    if (auto valid = detail::validate(options); !valid) return valid.error();
    const auto instance = options.crawled_plans > 0 ? detail::crawled_strategies(net, jobs, options)
                                                    : detail::enumerate_all(net, jobs, limits);
    if (!instance) return instance.error();
    const auto counts = detail::jobs_per_type(*instance);
    const auto agents = detail::run_rounds(*instance, counts, options);
    auto assigned = detail::rounded(*instance, agents.by_type(agents.mean()));
    detail::assignment_search(*instance, assigned).run(/*with_pairs=*/true);
    if (options.crawled_plans == 0) return detail::with_bound(*instance, assigned);
    // The dual bound does not hold for strategies that were not crawled.
    plan start = assigned.as_plan();
    const auto placed = detail::placed_per_type(*instance, assigned);
    start.lower_bound = (std::min)(start.cost_rate, pooled_bound(net, detail::tasks_of(*instance, placed)));
    // Crawlers improve the plan by strategies that are not among the crawled ones.
    return improve(net, jobs, start, {.seed = options.seed, .walks = 5, .passes = 2, .rounds = 2});
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
