// Conditional gradient with gradient tracking: data centres agree on shares of jobs by messages to their neighbours.
#ifndef BELLAMY_DETAIL_PLACEMENT_AGREEMENT_HPP
#define BELLAMY_DETAIL_PLACEMENT_AGREEMENT_HPP

#include <bellamy/detail/base/parallel.hpp>
#include <bellamy/detail/placement/bounds_impl.hpp>
#include <bellamy/detail/placement/participant.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// The rounds of all data centres. Those of a round are independent: each reads what its neighbours told in the round before
/// and writes its own, so that any number of threads gives the same bits.
class agreement {
public:
    agreement(const problem& subject, std::span<const std::size_t> jobs_of_type)
        : problem_(subject),
          net_(subject.net),
          columns_{.jobs_of_type = {jobs_of_type.begin(), jobs_of_type.end()}, .traffic = {}} {
        std::vector<std::vector<participant::own_count>> counts(net_.size());
        for (const auto& type : problem_.types) {
            for (std::size_t k = 0; k < type.size(); ++k) {
                for (const auto& each : type.list.counts(k))
                    counts[each.data_centre].push_back({.column = columns(), .tasks = each.tasks});
                columns_.traffic.push_back(type.list.traffic(k));
            }
            columns_.first_of_type.push_back(columns());
        }
        for (std::size_t i = 0; i < net_.size(); ++i) {
            std::vector<participant::neighbour> neighbours;
            for (const auto each : net_.neighbours(i))
                neighbours.push_back({.data_centre = each, .weight = weight(i, each)});
            sites_.emplace_back(net_, i, std::move(counts[i]), std::move(neighbours)).start(columns_);
        }
    }

    void round(std::size_t threads) {
        ++rounds_;
        const auto told_by = [&](std::size_t dc) -> const participant::message& { return sites_[dc].told(); };
        bellamy::detail::for_each_index(sites_.size(), threads,
                                        [&](std::size_t i) { sites_[i].update(columns_, told_by, 2.0 / (rounds_ + 2)); });
        for (auto& each : sites_) each.publish();
    }

    [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }
    /// What a data centre's own copy says of its load.
    [[nodiscard]] double own_load(std::size_t dc) const noexcept { return sites_[dc].load_of(sites_[dc].told().shares); }
    /// Metropolis weights.
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
        for (const auto& each : sites_)
            for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += each.told().shares[k];
        for (double& each : sum) each /= static_cast<double>(sites_.size());
        return sum;
    }
    /// Largest difference of a copy and the mean.
    [[nodiscard]] double disagreement(std::span<const double> mean) const noexcept {
        double largest = 0;
        for (const auto& each : sites_)
            for (std::size_t k = 0; k < mean.size(); ++k)
                largest = (std::max)(largest, std::abs(each.told().shares[k] - mean[k]));
        return largest;
    }
    [[nodiscard]] std::vector<double> loads(std::span<const double> shares) const {
        std::vector<double> load;
        for (const auto& each : sites_) load.push_back(each.load_of(shares));
        return load;
    }
    /// Convex costs, penalties and traffic: what the data centres minimise together.
    [[nodiscard]] double value(std::span<const double> shares) const noexcept {
        double sum = 0;
        for (const auto& each : sites_) sum += each.cost_at(each.load_of(shares));
        for (std::size_t k = 0; k < shares.size(); ++k) sum += shares[k] * columns_.traffic[k];
        return sum;
    }
    /// Lower bound at the slopes of these shares. Holds only where all strategies are listed.
    [[nodiscard]] double lower_bound(std::span<const double> shares) const {
        std::vector<double> prices;
        for (const auto& each : sites_) prices.push_back(each.slope_at(each.load_of(shares)));
        return dual(problem_, columns_.jobs_of_type, prices).value;
    }
    [[nodiscard]] std::vector<std::vector<double>> by_type(std::span<const double> shares) const {
        std::vector<std::vector<double>> split;
        const auto& first = columns_.first_of_type;
        for (std::size_t type = 0; type + 1 < first.size(); ++type) {
            const auto own = shares.subspan(first[type], first[type + 1] - first[type]);
            split.emplace_back(own.begin(), own.end());
        }
        return split;
    }

private:
    [[nodiscard]] double link_weight(std::size_t a, std::size_t b) const noexcept {
        return 1.0 / static_cast<double>((std::max)(net_.neighbours(a).size(), net_.neighbours(b).size()));
    }

    const problem& problem_;
    const network& net_;
    shared_columns columns_;
    std::vector<participant> sites_;
    int rounds_ = 0;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
