// Jobs that come and go: the present load, what it has cost so far, and moves of running jobs that pay.
#ifndef BELLAMY_PLACEMENT_ARRIVALS_HPP
#define BELLAMY_PLACEMENT_ARRIVALS_HPP

#include <bellamy/placement/choose_variants.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// The network must outlive it. Times are seconds on any clock that never goes back; of a departure and an arrival at the
/// same time, the departure is to be told first. Not to be shared between threads.
class data_centre_state {
public:
    using ticket = std::uint64_t;

    /// What became of an arrival. Without a ticket there was no room, or no usable variant: see the decision.
    struct arrival {
        std::optional<ticket> accepted{};
        variant_decision decision{};
    };
    /// A running job that moves.
    struct relocation {
        ticket job = 0;
        std::vector<std::uint32_t> where;
        /// What that saves over the rest of its expected run, the restart not yet subtracted.
        double saved = 0;
    };

    /// Refers to the network.
    explicit data_centre_state(const network& net, const variant_options& options = {})
        : net_(&net), options_(options), load_(net.load().begin(), net.load().end()), base_rate_(net.base_cost_rate()) {}
    explicit data_centre_state(network&& net, const variant_options& options = {}) = delete;

    /// Taken slots per data centre, those of others included.
    [[nodiscard]] std::span<const int> load() const noexcept { return load_; }
    [[nodiscard]] std::size_t running() const noexcept { return running_.size(); }
    /// Currency per hour that the running jobs add.
    [[nodiscard]] double added_rate() const noexcept {
        double traffic = 0;
        for (const auto& each : running_) traffic += each.traffic;
        return net_->cost_rate(load_) - base_rate_ + traffic;
    }
    /// What all jobs have added so far. Precondition: now_s is not before the last event.
    [[nodiscard]] double cost_so_far(double now_s) const noexcept {
        return running_.empty() ? cost_ : cost_ + added_rate() * (now_s - last_s_) / 3600;
    }

    /// Chooses a variant and its place and takes the slots; the best effort too, where none keeps the deadline. Errors:
    /// those of choose, invalid_option for a time before the last event.
    [[nodiscard]] result<arrival> place(std::span<const variant> variants, const request& wanted, double now_s,
                                        std::span<variant_assessment> table = {});

    /// The same for a job without a choice of size, that runs for so long in expectation. No ticket where there is no room.
    /// Error: invalid_option for a time before the last event, invalid_runtime.
    [[nodiscard]] result<std::optional<ticket>> place(const job_graph& job, double expected_s, double now_s);

    /// Frees the slots of a job that has ended. Allocates nothing. Error: invalid_option for a ticket that does not run, or
    /// a time before the last event.
    [[nodiscard]] result<void> depart(ticket job, double now_s) noexcept;

    /// The data centre of each task of a running job; empty for others.
    [[nodiscard]] std::span<const std::uint32_t> where(ticket job) const noexcept {
        const std::size_t at = find(job);
        return at == running_.size() ? std::span<const std::uint32_t>{} : std::span<const std::uint32_t>(running_[at].where);
    }

    /// Moves running jobs, at most so many: each time the one that saves most over the rest of its expected run, as long as
    /// that is more than a restart costs. Error: invalid_option.
    [[nodiscard]] result<std::vector<relocation>> rebalance(double now_s, int most_moves, double restart_cost);

private:
    struct running_job {
        ticket number = 0;
        job_graph graph;
        std::vector<std::uint32_t> where;
        double traffic = 0;  // currency per hour
        double expected_end_s = 0;
    };

    [[nodiscard]] result<void> advance_allowed(double now_s) const noexcept;
    void advance(double now_s) noexcept {
        cost_ = cost_so_far(now_s);
        last_s_ = now_s;
    }
    [[nodiscard]] std::size_t find(ticket job) const noexcept {
        const auto at = std::lower_bound(running_.begin(), running_.end(), job,
                                         [](const running_job& each, ticket wanted) { return each.number < wanted; });
        return at != running_.end() && at->number == job ? static_cast<std::size_t>(at - running_.begin()) : running_.size();
    }
    [[nodiscard]] double traffic_of(const job_graph& job, std::span<const std::uint32_t> where) const noexcept {
        double sum = 0;
        for (const auto& edge : job.edges()) sum += edge.traffic * net_->traffic_price(where[edge.a], where[edge.b]);
        return sum;
    }
    [[nodiscard]] ticket start(const job_graph& job, const std::vector<std::uint32_t>& where, double now_s,
                               double expected_end_s);

    void consider_move(std::size_t at, double now_s, double restart_cost, relocation& best);

    const network* net_;
    variant_options options_;
    std::vector<int> load_;
    double base_rate_;
    std::vector<running_job> running_;  // by ticket
    ticket next_ = 1;
    double cost_ = 0;
    double last_s_ = -(std::numeric_limits<double>::max)();
};

/// What the jobs of a plan that start together add until the last has ended, in currency: after each end, its slots are
/// free. `durations_s` are those of the jobs. Errors: those of check, invalid_runtime, buffer_too_small.
[[nodiscard]] result<double> cost_of_batch(const network& net, std::span<const job_graph> jobs, const plan& subject,
                                           std::span<const double> durations_s);

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/arrivals_impl.hpp>  // IWYU pragma: export
#endif

#endif
