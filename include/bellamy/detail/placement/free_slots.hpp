// Present load, and the cheapest free slots around each data centre: where crawlers start.
#ifndef BELLAMY_DETAIL_PLACEMENT_FREE_SLOTS_HPP
#define BELLAMY_DETAIL_PLACEMENT_FREE_SLOTS_HPP

#include <bellamy/placement/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement::detail {

/// The most neighbours that a data centre has.
inline size_t most_neighbours(const network& net) noexcept {
    size_t most = 0;
    for (size_t i = 0; i < net.size(); ++i) most = (std::max)(most, net.neighbours(i).size());
    return most;
}

/// Taken slots per data centre. The capacity of each neighbourhood is cached, because it is queried more often than the
/// loads in it change. Queries allocate nothing.
class present_load {
public:
    explicit present_load(const network& net) : net_(&net), load_(net.load().begin(), net.load().end()), cache_(net.size()) {
        offers_.reserve(most_neighbours(net));
    }

    std::span<const int> all() const noexcept { return load_; }
    int operator[](size_t dc) const noexcept { return load_[dc]; }

    void set(size_t dc, int load) noexcept {
        load_[dc] = load;
        for (const auto neighbour : net_->neighbours(dc)) cache_[neighbour].wanted = 0;
    }
    void add(size_t dc, int tasks) noexcept { set(dc, load_[dc] + tasks); }

    /// Free slots of a data centre and its neighbours together, compared with a wanted number of slots.
    struct capacity {
        /// Wanted slots beyond the free ones.
        int missing = 0;
        /// Sum over the cheapest free slots, at most as many as wanted.
        double price = 0;

        /// The less, the better.
        bool operator<(const capacity& other) const noexcept {
            return std::pair(missing, price) < std::pair(other.missing, other.price);
        }
    };

    capacity capacity_around(size_t dc, int wanted) {
        auto& cached = cache_[dc];
        if (cached.wanted != wanted) cached = {.wanted = wanted, .value = measure(dc, wanted)};
        return cached.value;
    }

    /// Steepest descent over data centres: up to four hops, each to the neighbour with the best capacity around it.
    std::uint32_t better_start(std::uint32_t start, int wanted) {
        constexpr int most_hops = 4;
        std::uint32_t best_dc = start;
        capacity best = capacity_around(start, wanted);
        for (int hop = 0; hop < most_hops; ++hop) {
            const std::uint32_t current = best_dc;
            for (const auto neighbour : net_->neighbours(current))
                if (const capacity around = capacity_around(neighbour, wanted); around < best)
                    best = around, best_dc = neighbour;
            if (best_dc == current) break;
        }
        return best_dc;
    }

private:
    struct cached_capacity {
        int wanted = 0;  // 0: not valid
        capacity value{};
    };

    /// Free slots of one data centre, the cheapest first.
    struct offer {
        std::uint32_t dc = 0;
        int load = 0;
        int last_load = 0;      // after which nothing is offered
        int opening_slots = 0;  // slots that share the switch-on cost
        double opening_price = 0;
        double price = 0;  // of the next slot
    };

    /// Merges the offers of the neighbourhood in the order of their prices.
    capacity measure(size_t dc, int wanted) {
        offers_.clear();
        for (const auto neighbour : net_->neighbours(dc)) {
            const auto& site = (*net_)[neighbour];
            offer slots{
                .dc = neighbour, .load = load_[neighbour], .last_load = (std::min)(site.slots, load_[neighbour] + wanted)};
            if (slots.load >= slots.last_load) continue;
            if (slots.load == 0 && site.switch_on_kw > 0) {
                slots.opening_slots = net_->opening_slots(neighbour, wanted);
                slots.opening_price = net_->price(neighbour, 0, wanted);
            }
            slots.price = next_price(slots);
            offers_.push_back(slots);
        }
        capacity sum{.missing = wanted};
        while (sum.missing > 0 && !offers_.empty()) {
            const auto cheapest = std::min_element(offers_.begin(), offers_.end(),
                                                   [](const offer& a, const offer& b) { return a.price < b.price; });
            sum.price += cheapest->price;
            --sum.missing;
            if (++cheapest->load < cheapest->last_load) {
                cheapest->price = next_price(*cheapest);
            } else {
                *cheapest = offers_.back();
                offers_.pop_back();
            }
        }
        return sum;
    }
    // The first slots of an empty data centre share the switch-on cost at one price.
    double next_price(const offer& slots) const noexcept {
        return slots.load < slots.opening_slots ? slots.opening_price : net_->step(slots.dc, slots.load);
    }

    const network* net_;
    std::vector<int> load_;
    std::vector<cached_capacity> cache_;
    std::vector<offer> offers_;
};

}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
