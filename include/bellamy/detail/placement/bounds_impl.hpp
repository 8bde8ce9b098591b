// Lower bounds on the cost of any plan: pooled slots, and Lagrangian duals at prices of slots.
#ifndef BELLAMY_DETAIL_PLACEMENT_BOUNDS_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_BOUNDS_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/placement/problem.hpp>
#include <bellamy/placement/bounds.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// Appends the slopes of the lower convex hull of a cost table from the present load on, one per free slot, ascending.
inline void append_hull_slopes(const network& net, std::size_t dc, std::vector<double>& slopes) {
    const auto costs = net.costs(dc).subspan(static_cast<std::size_t>(net[dc].load));
    const std::size_t first = slopes.size();
    for (std::size_t u = 1; u < costs.size(); ++u) slopes.push_back(costs[u] - costs[u - 1]);
    if (net.envelope(dc).touch <= 0) return;
    // A switch-on makes the first step the only one that is too steep: it is spread over the slots up to the least mean.
    const std::size_t free = slopes.size() - first;
    std::size_t least = 1;
    for (std::size_t q = 2; q <= free; ++q)
        if (costs[q] / static_cast<double>(q) < costs[least] / static_cast<double>(least)) least = q;
    for (std::size_t q = 0; q < least; ++q) slopes[first + q] = costs[least] / static_cast<double>(least);
}

/// Lower bound at prices of the data centres' slots, and how many more slots jobs than data centres would choose at them.
struct dual_value {
    double value = 0;
    std::vector<int> supergradient;
};

/// Lagrangian dual: every data centre and every job solves its own part. `jobs_of_type` says how many are to be placed.
[[nodiscard]] inline dual_value dual(const problem& subject, std::span<const std::size_t> jobs_of_type,
                                     std::span<const double> prices) {
    const auto& net = subject.net;
    dual_value found{.value = 0, .supergradient = std::vector<int>(net.size())};
    for (std::size_t i = 0; i < net.size(); ++i) {
        const auto costs = net.costs(i);
        auto best = static_cast<std::size_t>(net[i].load);
        for (std::size_t u = best + 1; u < costs.size(); ++u)
            if (costs[u] - prices[i] * static_cast<double>(u) < costs[best] - prices[i] * static_cast<double>(best))
                best = u;
        found.value += costs[best] - prices[i] * static_cast<double>(best) + prices[i] * net[i].load;
        found.supergradient[i] = net[i].load - static_cast<int>(best);
    }
    for (std::size_t type = 0; type < subject.types.size(); ++type) {
        if (jobs_of_type[type] == 0) continue;
        const auto& list = subject.types[type].list;
        double least = infinite;
        std::size_t best = none;
        for (std::size_t k = 0; k < list.size(); ++k) {
            double sum = list.traffic(k);
            for (const auto& each : list.counts(k)) sum += prices[each.data_centre] * each.tasks;
            if (sum < least) best = k, least = sum;
        }
        found.value += static_cast<double>(jobs_of_type[type]) * least;
        if (best == none) continue;
        for (const auto& each : list.counts(best))
            found.supergradient[each.data_centre] += static_cast<int>(jobs_of_type[type]) * each.tasks;
    }
    return found;
}

/// Subgradient ascent of the dual with Polyak's steps towards the cost of the best known plan.
class dual_ascent {
public:
    /// From the slopes at the present load.
    dual_ascent(const problem& subject, std::vector<std::size_t> jobs_of_type, double upper)
        : dual_ascent(subject, std::move(jobs_of_type), upper, std::vector<double>(subject.net.size())) {
        for (std::size_t i = 0; i < prices_.size(); ++i) prices_[i] = subject.net.convex_slope(i, subject.net[i].load);
    }
    dual_ascent(const problem& subject, std::vector<std::size_t> jobs_of_type, double upper, std::vector<double> prices)
        : problem_(subject), jobs_of_type_(std::move(jobs_of_type)), upper_(upper), prices_(std::move(prices)) {}

    [[nodiscard]] std::span<const double> prices() const noexcept { return prices_; }
    [[nodiscard]] double best() const noexcept { return best_; }
    /// Of the round before.
    [[nodiscard]] double value() const noexcept { return value_; }

    /// One round; false where nothing is left to gain.
    [[nodiscard]] bool step() {
        auto found = dual(problem_, jobs_of_type_, prices_);
        value_ = found.value;
        if (value_ > best_ + 1e-12 * (1 + std::abs(best_)) || std::isinf(best_)) {
            best_ = value_;
            best_prices_ = prices_;
            rounds_without_gain_ = 0;
        } else if (++rounds_without_gain_ == 10) {
            rounds_without_gain_ = 0;
            theta_ /= 2;
            prices_ = best_prices_;
            found = dual(problem_, jobs_of_type_, prices_);
        }
        double length = 0;
        for (const int each : found.supergradient) length += static_cast<double>(each) * each;
        if (!(length > 0) || upper_ - found.value <= tolerance(upper_)) return false;
        for (std::size_t i = 0; i < prices_.size(); ++i)
            prices_[i] += theta_ * (upper_ - found.value) / length * found.supergradient[i];
        return true;
    }
    void run(int rounds = 300) {
        for (int round = 0; round < rounds && step();) ++round;
    }

private:
    const problem& problem_;
    std::vector<std::size_t> jobs_of_type_;
    double upper_;
    std::vector<double> prices_;
    std::vector<double> best_prices_;
    double best_ = -infinite;
    double value_ = 0;
    double theta_ = 1;
    int rounds_without_gain_ = 0;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

BELLAMY_PUBLIC_INLINE double pooled_bound(const network& net, std::uint64_t tasks) {
    std::vector<double> slopes;
    slopes.reserve(static_cast<std::size_t>(net.free_slots()));
    for (std::size_t i = 0; i < net.size(); ++i) detail::append_hull_slopes(net, i, slopes);
    if (tasks > slopes.size()) return detail::infinite;
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(tasks);
    std::nth_element(slopes.begin(), middle, slopes.end());
    double sum = net.base_cost_rate();
    for (auto each = slopes.begin(); each != middle; ++each) sum += *each;
    return sum;
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
