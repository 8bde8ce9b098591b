// A data centre among those that agree on shares of jobs by messages to their neighbours.
#ifndef BELLAMY_DETAIL_PLACEMENT_PARTICIPANT_HPP
#define BELLAMY_DETAIL_PLACEMENT_PARTICIPANT_HPP

#include <bellamy/detail/placement/problem.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// The columns that all data centres speak of: the strategies of each type of job, one after the other.
struct shared_columns {
    std::vector<std::size_t> jobs_of_type;
    std::vector<std::size_t> first_of_type{0};
    std::vector<double> traffic;

    [[nodiscard]] std::size_t size() const noexcept { return traffic.size(); }
};

/// One data centre: it knows its own costs, its own tasks in each column, and what its neighbours tell.
class participant {
public:
    struct own_count {
        std::size_t column = 0;
        int tasks = 0;
    };
    struct neighbour {
        std::size_t data_centre = 0;
        double weight = 0;  // of what it tells
    };
    /// Opinion of all shares, and estimate of the mean gradient: what neighbours are told.
    struct message {
        std::vector<double> shares;
        std::vector<double> gradient;
    };

    participant(const network& net, std::size_t own, std::vector<own_count> counts, std::vector<neighbour> neighbours)
        : net_(net), own_(own), counts_(std::move(counts)), neighbours_(std::move(neighbours)) {}

    /// Every strategy of a type has the same share.
    void start(const shared_columns& columns) {
        now_.shares.resize(columns.size());
        now_.gradient.resize(columns.size());
        for (std::size_t type = 0; type < columns.jobs_of_type.size(); ++type)
            for (std::size_t k = columns.first_of_type[type]; k < columns.first_of_type[type + 1]; ++k)
                now_.shares[k] = static_cast<double>(columns.jobs_of_type[type]) /
                                 static_cast<double>(columns.first_of_type[type + 1] - columns.first_of_type[type]);
        slope_ = slope_at(load_of(now_.shares));
        for (std::size_t k = 0; k < columns.size(); ++k)
            now_.gradient[k] = columns.traffic[k] / static_cast<double>(net_.size());
        for (const auto& each : counts_) now_.gradient[each.column] += slope_ * each.tasks;
        next_ = now_;
    }
    /// A round from what `told_by(data centre)` gives of each neighbour, itself among them; told to others by `publish`.
    template <class Told>
    void update(const shared_columns& columns, const Told& told_by, double step) {
        std::fill(next_.shares.begin(), next_.shares.end(), 0);
        std::fill(next_.gradient.begin(), next_.gradient.end(), 0);
        for (const auto& each : neighbours_) {
            const message& told = told_by(each.data_centre);
            for (std::size_t k = 0; k < columns.size(); ++k) {
                next_.shares[k] += each.weight * told.shares[k];
                next_.gradient[k] += each.weight * told.gradient[k];
            }
        }
        for (std::size_t type = 0; type < columns.jobs_of_type.size(); ++type) {
            const std::size_t first = columns.first_of_type[type];
            const std::size_t count = columns.first_of_type[type + 1] - first;
            const std::size_t best = first_least(std::span(next_.gradient).subspan(first, count));
            for (std::size_t k = 0; k < count; ++k) {
                const double target = k == best ? static_cast<double>(columns.jobs_of_type[type]) : 0;
                next_.shares[first + k] += step * (target - next_.shares[first + k]);
            }
        }
        const double slope = slope_at(load_of(next_.shares));
        for (const auto& each : counts_) next_.gradient[each.column] += (slope - slope_) * each.tasks;
        slope_ = slope;
    }
    void publish() noexcept { std::swap(now_, next_); }

    [[nodiscard]] const message& told() const noexcept { return now_; }
    [[nodiscard]] double load_of(std::span<const double> shares) const noexcept {
        double load = net_[own_].load;
        for (const auto& each : counts_) load += each.tasks * shares[each.column];
        return load;
    }
    /// Of the convex cost and a quadratic penalty beyond the slots.
    [[nodiscard]] double slope_at(double load) const noexcept {
        const double over = (std::max)(0.0, load - net_[own_].slots);
        return net_.convex_slope(own_, load) + net_.convex_slope(own_, net_[own_].slots) * over;
    }
    [[nodiscard]] double cost_at(double load) const noexcept {
        const double over = (std::max)(0.0, load - net_[own_].slots);
        return net_.convex_cost(own_, load) + net_.convex_slope(own_, net_[own_].slots) / 2 * over * over;
    }

private:
    const network& net_;  // asked for this data centre only
    std::size_t own_;
    std::vector<own_count> counts_;
    std::vector<neighbour> neighbours_;
    double slope_ = 0;
    message now_;
    message next_;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
