// The convex relaxation: shares of jobs instead of whole ones, convex costs instead of switch-ons.
#ifndef BELLAMY_DETAIL_PLACEMENT_RELAXATION_HPP
#define BELLAMY_DETAIL_PLACEMENT_RELAXATION_HPP

#include <bellamy/detail/placement/problem.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// Minimises sum_i ct_i(u_i) + t x over x >= 0 that spreads the jobs of each type over its strategies, u <= slots, by the
/// method of multipliers for the slots around a pairwise conditional gradient.
class relaxation_solver {
public:
    relaxation_solver(const problem& subject, std::span<const std::size_t> jobs_of_type)
        : problem_(subject),
          net_(subject.net),
          jobs_of_type_(jobs_of_type),
          shares_(subject.types.size()),
          load_(subject.net.load().begin(), subject.net.load().end()),
          multiplier_(net_.size(), 0),
          stiffness_(net_.size()),
          prices_(net_.size()),
          change_(net_.size()) {
        for (std::size_t i = 0; i < net_.size(); ++i) {
            prices_[i] = net_.convex_slope(i, net_[i].load);
            // A price of 0 at full load would never push anything out.
            stiffness_[i] = (std::max)(net_.convex_slope(i, net_[i].slots), 1e-6);
        }
        for (std::size_t type = 0; type < shares_.size(); ++type) {
            shares_[type].assign(subject.types[type].size(), 0);
            if (jobs_of_type_[type] == 0 || shares_[type].empty()) continue;
            shift(type, cheapest(type).first, static_cast<double>(jobs_of_type_[type]));
        }
    }

    /// False where the slots stay overfull: there is no placement of all shares.
    [[nodiscard]] bool run() {
        constexpr int most_rounds = 60;
        std::vector<double> excess_before(net_.size(), infinite);
        // Of all rounds together, so that shares that cannot fit end too.
        int steps_left = 10'000;
        for (int round = 0; round < most_rounds && steps_left > 0; ++round) {
            minimise(steps_left);
            bool settled = true;
            for (std::size_t i = 0; i < net_.size(); ++i) {
                const double over = load_[i] - net_[i].slots;
                multiplier_[i] = (std::max)(0.0, multiplier_[i] + stiffness_[i] * over);
                const double excess = (std::max)(0.0, over);
                if (excess > 1e-9 || multiplier_[i] * std::abs(over) > 1e-9 * (1 + value())) settled = false;
                if (excess > excess_before[i] / 2 && excess > 1e-9) stiffness_[i] *= 4;
                excess_before[i] = excess;
            }
            if (settled) return true;
        }
        return false;
    }

    [[nodiscard]] double value() const noexcept {
        double sum = 0;
        for (std::size_t i = 0; i < net_.size(); ++i) sum += net_.convex_cost(i, load_[i]);
        for (std::size_t type = 0; type < shares_.size(); ++type)
            for (std::size_t k = 0; k < shares_[type].size(); ++k)
                sum += shares_[type][k] * problem_.types[type].list.traffic(k);
        return sum;
    }
    /// Of the convex costs: a certified lower bound, whatever the state of the solver.
    [[nodiscard]] double dual() {
        update_prices();
        double sum = 0;
        for (std::size_t i = 0; i < net_.size(); ++i) sum += least_of_data_centre(i) + prices_[i] * net_[i].load;
        for (std::size_t type = 0; type < shares_.size(); ++type)
            if (jobs_of_type_[type] > 0) sum += static_cast<double>(jobs_of_type_[type]) * cheapest(type).second;
        return sum;
    }
    /// Of a slot in each data centre, as it stands.
    [[nodiscard]] std::span<const double> prices() noexcept {
        update_prices();
        return prices_;
    }
    [[nodiscard]] const std::vector<double>& load() const noexcept { return load_; }
    [[nodiscard]] const std::vector<std::vector<double>>& shares() const noexcept { return shares_; }

private:
    [[nodiscard]] double price_at(std::size_t dc, double load) const noexcept {
        return net_.convex_slope(dc, load) + (std::max)(0.0, multiplier_[dc] + stiffness_[dc] * (load - net_[dc].slots));
    }
    void update_prices() noexcept {
        for (std::size_t i = 0; i < net_.size(); ++i) prices_[i] = price_at(i, load_[i]);
    }
    [[nodiscard]] double cost_of(std::size_t type, std::size_t k) const noexcept {
        const auto& list = problem_.types[type].list;
        double sum = list.traffic(k);
        for (const auto& each : list.counts(k)) sum += prices_[each.data_centre] * each.tasks;
        return sum;
    }
    [[nodiscard]] std::pair<std::size_t, double> cheapest(std::size_t type) const noexcept {
        std::pair<std::size_t, double> best{none, infinite};
        for (std::size_t k = 0; k < problem_.types[type].size(); ++k)
            if (const double cost = cost_of(type, k); cost < best.second) best = {k, cost};
        return best;
    }
    /// min over load <= u <= slots of ct(u) - p u: where the slope reaches the price.
    [[nodiscard]] double least_of_data_centre(std::size_t dc) const noexcept {
        double low = net_[dc].load;
        double high = net_[dc].slots;
        if (net_.convex_slope(dc, low) < prices_[dc])
            for (int i = 0; i < 60; ++i) {
                const double middle = (low + high) / 2;
                (net_.convex_slope(dc, middle) < prices_[dc] ? low : high) = middle;
            }
        return (std::min)(net_.convex_cost(dc, low) - prices_[dc] * low, net_.convex_cost(dc, high) - prices_[dc] * high);
    }

    void shift(std::size_t type, std::size_t k, double mass) noexcept {
        shares_[type][k] += mass;
        for (const auto& each : problem_.types[type].list.counts(k)) load_[each.data_centre] += mass * each.tasks;
    }

    /// Until the duality gap of the penalised problem is rounding.
    void minimise(int& steps_left) {
        while (steps_left-- > 0) {
            double gap = 0;
            for (std::size_t type = 0; type < shares_.size(); ++type)
                if (jobs_of_type_[type] > 0 && !shares_[type].empty()) gap += improve(type);
            if (gap <= 1e-9 * (1 + std::abs(value()))) return;
        }
    }

    /// Moves mass from the dearest used strategy to the cheapest one. Returns how much dearer than that all mass is.
    double improve(std::size_t type) {
        update_prices();
        const auto& list = problem_.types[type].list;
        std::size_t to = none;
        std::size_t from = none;
        double least = infinite;
        double most = -infinite;
        double sum = 0;
        for (std::size_t k = 0; k < list.size(); ++k) {
            const double cost = cost_of(type, k);
            if (cost < least) least = cost, to = k;
            if (!(shares_[type][k] > 0)) continue;
            sum += shares_[type][k] * cost;
            if (cost > most) most = cost, from = k;
        }
        const double gap = sum - least * static_cast<double>(jobs_of_type_[type]);
        if (to == from || !(most > least)) return gap;
        const double mass = line_search(type, from, to);
        const bool all = mass >= shares_[type][from];
        shift(type, to, mass);
        shift(type, from, -mass);
        if (all) shares_[type][from] = 0;
        return gap;
    }

    /// The mass at which moving on gains nothing, at most all of it.
    [[nodiscard]] double line_search(std::size_t type, std::size_t from, std::size_t to) {
        const auto& list = problem_.types[type].list;
        changed_.clear();
        const auto add = [&](std::size_t k, double sign) {
            for (const auto& each : list.counts(k)) {
                if (std::find(changed_.begin(), changed_.end(), each.data_centre) == changed_.end()) {
                    changed_.push_back(each.data_centre);
                    change_[each.data_centre] = 0;
                }
                change_[each.data_centre] += sign * each.tasks;
            }
        };
        add(to, 1);
        add(from, -1);
        const double traffic = list.traffic(to) - list.traffic(from);
        const auto derivative = [&](double mass) {
            double sum = traffic;
            for (const auto dc : changed_) sum += change_[dc] * price_at(dc, load_[dc] + mass * change_[dc]);
            return sum;
        };
        double low = 0;
        double high = shares_[type][from];
        if (derivative(high) <= 0) return high;
        for (int i = 0; i < 60 && high - low > 1e-15 * high; ++i) {
            const double middle = (low + high) / 2;
            (derivative(middle) < 0 ? low : high) = middle;
        }
        return low;
    }

    const problem& problem_;
    const network& net_;
    std::span<const std::size_t> jobs_of_type_;
    std::vector<std::vector<double>> shares_;
    std::vector<double> load_;
    std::vector<double> multiplier_;
    std::vector<double> stiffness_;
    std::vector<double> prices_;
    std::vector<double> change_;
    std::vector<std::uint32_t> changed_;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
