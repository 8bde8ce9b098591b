// Conditional gradient with gradient tracking: data centres agree on shares of jobs by messages to their neighbours.
#ifndef BELLAMY_DETAIL_PLACEMENT_AGREEMENT_HPP
#define BELLAMY_DETAIL_PLACEMENT_AGREEMENT_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/placement/bounds.hpp>

namespace bellamy::inline BELLAMY_ABI::placement::detail {

/// All data centres of a round are independent: each reads its neighbours' copies of the round before and writes its own, so
/// that any number of threads gives the same bits.
class agreement {
public:
    agreement(const problem& subject, std::span<const std::size_t> jobs_of_type)
        : problem_(subject),
          net_(subject.net),
          jobs_of_type_(jobs_of_type.begin(), jobs_of_type.end()),
          own_counts_(net_.size()) {
        list_columns();
        now_.resize(net_.size());
        next_.resize(net_.size());
        for (std::size_t i = 0; i < net_.size(); ++i) {
            copy& own = now_[i];
            own.shares.resize(columns());
            own.gradient.resize(columns());
            for (std::size_t type = 0; type < jobs_of_type_.size(); ++type)
                for (std::size_t k = first_column_[type]; k < first_column_[type + 1]; ++k)
                    own.shares[k] = static_cast<double>(jobs_of_type_[type]) /
                                    static_cast<double>(first_column_[type + 1] - first_column_[type]);
            own.slope = slope_at(i, load_of(i, own.shares));
            for (std::size_t k = 0; k < columns(); ++k) own.gradient[k] = traffic_[k] / static_cast<double>(net_.size());
            for (const auto& each : own_counts_[i]) own.gradient[each.column] += own.slope * each.tasks;
            next_[i] = own;
        }
    }

    void round(std::size_t threads) {
        ++rounds_;
        bellamy::detail::for_each_index(net_.size(), threads, [&](std::size_t i) { update(i); });
        now_.swap(next_);
    }

    [[nodiscard]] std::size_t columns() const noexcept { return traffic_.size(); }
    /// What a data centre's own copy says of its load.
    [[nodiscard]] double own_load(std::size_t dc) const noexcept { return load_of(dc, now_[dc].shares); }
    [[nodiscard]] double weight(std::size_t a, std::size_t b) const noexcept {
        if (a != b) return net_.may_talk(a, b) ? link_weight(a, b) : 0;
        double rest = 1;
        for (const auto neighbour : net_.neighbours(a))
            if (neighbour != a) rest -= link_weight(a, neighbour);
        return rest;
    }

    /// Mean of all copies.
    [[nodiscard]] std::vector<double> mean() const {
        std::vector<double> sum(columns(), 0);
        for (const auto& each : now_)
            for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += each.shares[k];
        for (double& each : sum) each /= static_cast<double>(now_.size());
        return sum;
    }
    /// Largest difference of a copy and the mean.
    [[nodiscard]] double disagreement(std::span<const double> mean) const noexcept {
        double largest = 0;
        for (const auto& each : now_)
            for (std::size_t k = 0; k < mean.size(); ++k) largest = (std::max)(largest, std::abs(each.shares[k] - mean[k]));
        return largest;
    }
    [[nodiscard]] std::vector<double> loads(std::span<const double> shares) const {
        std::vector<double> load(net_.size());
        for (std::size_t i = 0; i < load.size(); ++i) load[i] = load_of(i, shares);
        return load;
    }
    /// Convex costs, penalties and traffic: what the data centres minimise together.
    [[nodiscard]] double value(std::span<const double> shares) const noexcept {
        double sum = 0;
        for (std::size_t i = 0; i < net_.size(); ++i) {
            const double load = load_of(i, shares);
            const double over = (std::max)(0.0, load - net_[i].slots);
            sum += net_.convex_cost(i, load) + net_.convex_slope(i, net_[i].slots) / 2 * over * over;
        }
        for (std::size_t k = 0; k < shares.size(); ++k) sum += shares[k] * traffic_[k];
        return sum;
    }
    /// Lower bound at the slopes of these shares. Holds only where all strategies are listed.
    [[nodiscard]] double lower_bound(std::span<const double> shares) const {
        std::vector<double> prices(net_.size());
        for (std::size_t i = 0; i < prices.size(); ++i) prices[i] = slope_at(i, load_of(i, shares));
        return dual(problem_, jobs_of_type_, prices).value;
    }
    [[nodiscard]] std::vector<std::vector<double>> by_type(std::span<const double> shares) const {
        std::vector<std::vector<double>> split;
        for (std::size_t type = 0; type < jobs_of_type_.size(); ++type) {
            const auto own = shares.subspan(first_column_[type], first_column_[type + 1] - first_column_[type]);
            split.emplace_back(own.begin(), own.end());
        }
        return split;
    }

private:
    /// One data centre's opinion of all shares, its estimate of the mean gradient, and its own slope.
    struct copy {
        std::vector<double> shares;
        std::vector<double> gradient;
        double slope = 0;
    };
    struct own_count {
        std::size_t column = 0;
        int tasks = 0;
    };

    void list_columns() {
        first_column_.push_back(0);
        for (const auto& type : problem_.types) {
            for (std::size_t k = 0; k < type.size(); ++k) {
                for (const auto& each : type.list.counts(k))
                    own_counts_[each.data_centre].push_back({.column = traffic_.size(), .tasks = each.tasks});
                traffic_.push_back(type.list.traffic(k));
            }
            first_column_.push_back(traffic_.size());
        }
    }
    /// Metropolis weights.
    [[nodiscard]] double link_weight(std::size_t a, std::size_t b) const noexcept {
        return 1.0 / static_cast<double>((std::max)(net_.neighbours(a).size(), net_.neighbours(b).size()));
    }
    [[nodiscard]] double load_of(std::size_t dc, std::span<const double> shares) const noexcept {
        double load = net_[dc].load;
        for (const auto& each : own_counts_[dc]) load += each.tasks * shares[each.column];
        return load;
    }
    /// Of the convex cost and a quadratic penalty beyond the slots.
    [[nodiscard]] double slope_at(std::size_t dc, double load) const noexcept {
        const double over = (std::max)(0.0, load - net_[dc].slots);
        return net_.convex_slope(dc, load) + net_.convex_slope(dc, net_[dc].slots) * over;
    }

    void update(std::size_t dc) noexcept {
        copy& own = next_[dc];
        std::fill(own.shares.begin(), own.shares.end(), 0);
        std::fill(own.gradient.begin(), own.gradient.end(), 0);
        for (const auto neighbour : net_.neighbours(dc)) {
            const double share = weight(dc, neighbour);
            const copy& other = now_[neighbour];
            for (std::size_t k = 0; k < columns(); ++k) {
                own.shares[k] += share * other.shares[k];
                own.gradient[k] += share * other.gradient[k];
            }
        }
        const double step = 2.0 / (rounds_ + 2);
        for (std::size_t type = 0; type < jobs_of_type_.size(); ++type) {
            const std::size_t first = first_column_[type];
            const std::size_t count = first_column_[type + 1] - first;
            const std::size_t best = first_least(std::span(own.gradient).subspan(first, count));
            for (std::size_t k = 0; k < count; ++k) {
                const double target = k == best ? static_cast<double>(jobs_of_type_[type]) : 0;
                own.shares[first + k] += step * (target - own.shares[first + k]);
            }
        }
        own.slope = slope_at(dc, load_of(dc, own.shares));
        for (const auto& each : own_counts_[dc]) own.gradient[each.column] += (own.slope - now_[dc].slope) * each.tasks;
    }

    const problem& problem_;
    const network& net_;
    std::vector<std::size_t> jobs_of_type_;
    std::vector<std::size_t> first_column_;
    std::vector<double> traffic_;
    std::vector<std::vector<own_count>> own_counts_;
    std::vector<copy> now_;
    std::vector<copy> next_;
    int rounds_ = 0;
};

}  // namespace bellamy::inline BELLAMY_ABI::placement::detail

#endif
