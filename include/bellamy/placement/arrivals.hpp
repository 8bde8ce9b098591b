// Placement over time: jobs that arrive and depart, and their accumulated cost.
#ifndef BELLAMY_PLACEMENT_ARRIVALS_HPP
#define BELLAMY_PLACEMENT_ARRIVALS_HPP

#include <bellamy/placement/choose_variants.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

/// The network must outlive it. Times are seconds on any clock that never goes back; of a departure and an arrival at the
/// same time, report the departure first. Not to be shared between threads.
class data_centre_state {
public:
    using ticket = std::uint64_t;

    /// Without a ticket the job did not fit, or no variant was usable: see the decision.
    struct arrival {
        std::optional<ticket> accepted{};
        variant_decision decision{};
    };
    /// Refers to the network.
    explicit data_centre_state(const network& net, const variant_options& options = {})
        : net_(&net), options_(options), load_(net.load().begin(), net.load().end()), base_rate_(net.base_cost_rate()) {}
    explicit data_centre_state(network&& net, const variant_options& options = {}) = delete;

    /// Taken slots per data centre, those of others included.
    [[nodiscard]] std::span<const int> load() const noexcept { return load_; }
    [[nodiscard]] size_t running() const noexcept { return running_.size(); }
    /// Currency per hour that the running jobs add.
    [[nodiscard]] double added_rate() const noexcept {
        double traffic = 0;
        for (const auto& job : running_) traffic += job.traffic;
        return net_->cost_rate(load_) - base_rate_ + traffic;
    }
    /// Added cost of all jobs so far. Precondition: now_s is not before the last event.
    [[nodiscard]] double cost_so_far(double now_s) const noexcept {
        return running_.empty() ? cost_ : cost_ + added_rate() * (now_s - last_s_) / 3600;
    }

    /// Chooses a variant and its placement and takes the slots; also of the best effort where none meets the deadline.
    /// Errors: those of choose_variant, invalid_option for a time before the last event.
    result<arrival> place(std::span<const variant> variants, const request& wanted, double now_s,
                          std::span<variant_assessment> table = {});

    /// The same for a job of fixed size. No ticket where it does not fit. Error: invalid_option for a time before the last
    /// event.
    result<std::optional<ticket>> place(const job_graph& job, double now_s);

    /// Frees the slots of a finished job. Allocates nothing. Error: invalid_option for a ticket that does not run, or
    /// a time before the last event.
    result<void> depart(ticket job, double now_s) noexcept;

    /// The data centre of each task of a running job; empty for others.
    [[nodiscard]] std::span<const std::uint32_t> where(ticket job) const noexcept {
        const auto entry = find(job);
        if (entry == running_.end()) return {};
        return entry->where;
    }

private:
    struct running_job {
        ticket number = 0;
        std::vector<std::uint32_t> where;
        double traffic = 0;  // currency per hour
    };

    result<void> advance_allowed(double now_s) const noexcept;
    void advance(double now_s) noexcept {
        cost_ = cost_so_far(now_s);
        last_s_ = now_s;
    }
    [[nodiscard]] std::vector<running_job>::const_iterator find(ticket job) const noexcept {
        const auto entry =
            std::lower_bound(running_.begin(), running_.end(), job,
                             [](const running_job& running, ticket wanted) { return running.number < wanted; });
        return entry != running_.end() && entry->number == job ? entry : running_.end();
    }
    [[nodiscard]] ticket start(const job_graph& job, const std::vector<std::uint32_t>& where, double now_s);

    const network* net_;
    variant_options options_;
    std::vector<int> load_;
    double base_rate_;
    std::vector<running_job> running_;  // ascending by ticket
    ticket next_ = 1;
    double cost_ = 0;
    double last_s_ = -(std::numeric_limits<double>::max)();
};

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/arrivals_impl.hpp>  // IWYU pragma: export
#endif

#endif
