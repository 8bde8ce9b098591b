// A lower bound on a plan's cost by the Lagrangian dual of the slot constraints; a convex relaxation to start plans from.
#ifndef BELLAMY_DETAIL_PLACEMENT_RELAXATION_HPP
#define BELLAMY_DETAIL_PLACEMENT_RELAXATION_HPP

#include <bellamy/detail/placement/problem.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement::detail {

/// Value of the Lagrangian dual at prices per slot, a lower bound, and a supergradient there: slots that jobs would take at
/// these prices minus slots that data centres would offer.
struct dual_point {
    double value = 0;
    std::vector<int> supergradient;
};

/// Lagrangian dual of the slot constraints: every data centre and every type of job minimises its own part.
inline dual_point dual(const problem& instance, std::span<const size_t> jobs_of_type, std::span<const double> prices) {
    const auto& net = instance.net;
    dual_point point{.value = 0, .supergradient = std::vector<int>(net.size())};
    for (size_t i = 0; i < net.size(); ++i) {
        const auto costs = net.costs(i);
        const auto reduced_cost = [&](size_t u) { return costs[u] - prices[i] * static_cast<double>(u); };
        auto best = static_cast<size_t>(net[i].load);
        for (size_t u = best + 1; u < costs.size(); ++u)
            if (reduced_cost(u) < reduced_cost(best)) best = u;
        point.value += reduced_cost(best) + prices[i] * net[i].load;
        point.supergradient[i] = net[i].load - static_cast<int>(best);
    }
    for (size_t t = 0; t < instance.types.size(); ++t) {
        if (jobs_of_type[t] == 0) continue;
        const auto [strategy, cost] = instance.types[t].cheapest_at(prices);
        point.value += static_cast<double>(jobs_of_type[t]) * cost;
        if (strategy == none) continue;
        for (const auto& count : instance.types[t].list.counts(strategy))
            point.supergradient[count.data_centre] += static_cast<int>(jobs_of_type[t]) * count.tasks;
    }
    return point;
}

/// Supergradient ascent of the dual with Polyak steps towards the cost of the best known plan.
class dual_ascent {
public:
    /// Starts from the marginal costs at the present load.
    dual_ascent(const problem& instance, std::vector<size_t> jobs_of_type, double upper)
        : dual_ascent(instance, std::move(jobs_of_type), upper, std::vector<double>(instance.net.size())) {
        for (size_t i = 0; i < prices_.size(); ++i) prices_[i] = instance.net.convex_slope(i, instance.net[i].load);
    }
    dual_ascent(const problem& instance, std::vector<size_t> jobs_of_type, double upper, std::vector<double> prices)
        : problem_(instance), jobs_of_type_(std::move(jobs_of_type)), upper_(upper), prices_(std::move(prices)) {}

    std::span<const double> prices() const noexcept { return prices_; }
    double best() const noexcept { return best_; }
    /// Value of the dual in the last round.
    double value() const noexcept { return value_; }

    /// One round; false once the bound cannot rise.
    bool step() {
        auto point = dual(problem_, jobs_of_type_, prices_);
        value_ = point.value;
        if (value_ > best_ + 1e-12 * (1 + std::abs(best_)) || std::isinf(best_)) {
            best_ = value_;
            best_prices_ = prices_;
            rounds_without_gain_ = 0;
        } else if (++rounds_without_gain_ == 10) {
            rounds_without_gain_ = 0;
            step_ /= 2;
            prices_ = best_prices_;
            point = dual(problem_, jobs_of_type_, prices_);
        }
        double squared_norm = 0;
        for (const int slots : point.supergradient) squared_norm += static_cast<double>(slots) * slots;
        if (!(squared_norm > 0) || upper_ - point.value <= tolerance(upper_)) return false;
        for (size_t i = 0; i < prices_.size(); ++i)
            prices_[i] += step_ * (upper_ - point.value) / squared_norm * point.supergradient[i];
        return true;
    }
    void run(int rounds = 300) {
        for (int round = 0; round < rounds && step(); ++round) {
        }
    }

private:
    const problem& problem_;
    std::vector<size_t> jobs_of_type_;
    double upper_;
    std::vector<double> prices_;
    std::vector<double> best_prices_;
    double best_ = -infinite;
    double value_ = 0;
    double step_ = 1;
    int rounds_without_gain_ = 0;
};

/// Minimises the sum of the convex costs of the loads u and of the traffic over fractional jobs x >= 0, each type's jobs
/// spread over its strategies, subject to u <= slots: method of multipliers for the slots around a pairwise conditional
/// gradient (Frank-Wolfe).
class relaxation_solver {
public:
    relaxation_solver(const problem& instance, std::span<const size_t> jobs_of_type)
        : problem_(instance),
          net_(instance.net),
          jobs_of_type_(jobs_of_type),
          fractions_(instance.types.size()),
          load_(instance.net.load().begin(), instance.net.load().end()),
          multiplier_(net_.size(), 0),
          penalty_(net_.size()),
          prices_(net_.size()),
          change_(net_.size()) {
        for (size_t i = 0; i < net_.size(); ++i) {
            prices_[i] = net_.convex_slope(i, net_[i].load);
            // A penalty of 0 would never push jobs out of a full data centre.
            penalty_[i] = (std::max)(net_.convex_slope(i, net_[i].slots), 1e-6);
        }
        for (size_t type = 0; type < fractions_.size(); ++type) {
            fractions_[type].assign(instance.types[type].size(), 0);
            if (jobs_of_type_[type] == 0 || fractions_[type].empty()) continue;
            shift(type, instance.types[type].cheapest_at(prices_).strategy, static_cast<double>(jobs_of_type_[type]));
        }
    }

    /// False where some data centre stays above its slots: the relaxation is infeasible.
    bool run() {
        constexpr int most_rounds = 60;
        std::vector<double> excess_before(net_.size(), infinite);
        // Limit of all rounds together, so that an infeasible relaxation ends, too.
        int steps_left = 10'000;
        for (int round = 0; round < most_rounds && steps_left > 0; ++round) {
            minimise(steps_left);
            bool converged = true;
            for (size_t i = 0; i < net_.size(); ++i) {
                const double over = load_[i] - net_[i].slots;
                multiplier_[i] = (std::max)(0.0, multiplier_[i] + penalty_[i] * over);
                const double excess = (std::max)(0.0, over);
                if (excess > 1e-9 || multiplier_[i] * std::abs(over) > 1e-9 * (1 + value())) converged = false;
                if (excess > excess_before[i] / 2 && excess > 1e-9) penalty_[i] *= 4;
                excess_before[i] = excess;
            }
            if (converged) return true;
        }
        return false;
    }

    double value() const noexcept {
        double sum = 0;
        for (size_t i = 0; i < net_.size(); ++i) sum += net_.convex_cost(i, load_[i]);
        for (size_t type = 0; type < fractions_.size(); ++type)
            for (size_t k = 0; k < fractions_[type].size(); ++k)
                sum += fractions_[type][k] * problem_.types[type].list.traffic(k);
        return sum;
    }
    /// Price of a slot in each data centre at the present load.
    std::span<const double> prices() noexcept {
        update_prices();
        return prices_;
    }
    const std::vector<double>& load() const noexcept { return load_; }
    const std::vector<std::vector<double>>& fractions() const noexcept { return fractions_; }

private:
    double price_at(size_t dc, double load) const noexcept {
        return net_.convex_slope(dc, load) + (std::max)(0.0, multiplier_[dc] + penalty_[dc] * (load - net_[dc].slots));
    }
    void update_prices() noexcept {
        for (size_t i = 0; i < net_.size(); ++i) prices_[i] = price_at(i, load_[i]);
    }
    void shift(size_t type, size_t k, double mass) noexcept {
        fractions_[type][k] += mass;
        for (const auto& count : problem_.types[type].list.counts(k)) load_[count.data_centre] += mass * count.tasks;
    }

    /// Conditional gradient steps until the duality gap of the penalised problem is rounding error.
    void minimise(int& steps_left) {
        while (steps_left-- > 0) {
            double gap = 0;
            for (size_t type = 0; type < fractions_.size(); ++type)
                if (jobs_of_type_[type] > 0 && !fractions_[type].empty()) gap += improve(type);
            if (gap <= 1e-9 * (1 + std::abs(value()))) return;
        }
    }

    /// Moves mass (a fractional number of jobs) from the dearest used strategy to the cheapest one; returns the duality gap.
    double improve(size_t type) {
        update_prices();
        const auto& list = problem_.types[type].list;
        size_t cheapest = none;
        size_t dearest = none;
        double least = infinite;
        double most = -infinite;
        double sum = 0;
        for (size_t k = 0; k < list.size(); ++k) {
            const double cost = problem_.types[type].cost_at(prices_, k);
            if (cost < least) least = cost, cheapest = k;
            if (!(fractions_[type][k] > 0)) continue;
            sum += fractions_[type][k] * cost;
            if (cost > most) most = cost, dearest = k;
        }
        const double gap = sum - least * static_cast<double>(jobs_of_type_[type]);
        if (cheapest == dearest || !(most > least)) return gap;
        const double mass = line_search(type, dearest, cheapest);
        const bool all = mass >= fractions_[type][dearest];
        shift(type, cheapest, mass);
        shift(type, dearest, -mass);
        if (all) fractions_[type][dearest] = 0;
        return gap;
    }

    /// Bisection for the mass whose move minimises the penalised cost, at most all of it.
    double line_search(size_t type, size_t dearest, size_t cheapest) {
        const auto& list = problem_.types[type].list;
        changed_.clear();
        const auto add = [&](size_t k, double sign) {
            for (const auto& count : list.counts(k)) {
                if (!contains(changed_, count.data_centre)) {
                    changed_.push_back(count.data_centre);
                    change_[count.data_centre] = 0;
                }
                change_[count.data_centre] += sign * count.tasks;
            }
        };
        add(cheapest, 1);
        add(dearest, -1);
        const double traffic = list.traffic(cheapest) - list.traffic(dearest);
        const auto derivative = [&](double mass) {
            double sum = traffic;
            for (const auto dc : changed_) sum += change_[dc] * price_at(dc, load_[dc] + mass * change_[dc]);
            return sum;
        };
        double low = 0;
        double high = fractions_[type][dearest];
        if (derivative(high) <= 0) return high;
        for (int i = 0; i < 60 && high - low > 1e-15 * high; ++i) {
            const double middle = (low + high) / 2;
            (derivative(middle) < 0 ? low : high) = middle;
        }
        return low;
    }

    const problem& problem_;
    const network& net_;
    std::span<const size_t> jobs_of_type_;
    std::vector<std::vector<double>> fractions_;
    std::vector<double> load_;
    std::vector<double> multiplier_;
    std::vector<double> penalty_;
    std::vector<double> prices_;
    std::vector<double> change_;          // of the load per unit of mass moved
    std::vector<std::uint32_t> changed_;  // data centres with a change
};

}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
