// The present load, and how much room it leaves around each data centre: where crawlers start.
#ifndef BELLAMY_DETAIL_PLACEMENT_ROOM_HPP
#define BELLAMY_DETAIL_PLACEMENT_ROOM_HPP

#include <bellamy/detail/placement/tolerance.hpp>
#include <bellamy/placement/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// Loads that change, with a memory of rooms: a room is asked for more often than the loads around it change.
class present_load {
public:
    explicit present_load(const network& net) : net_(&net), load_(net.load().begin(), net.load().end()), rooms_(net.size()) {
        std::size_t most = 0;
        for (std::size_t i = 0; i < net.size(); ++i) most = (std::max)(most, net.neighbours(i).size());
        offers_.reserve(most);
    }

    [[nodiscard]] std::span<const int> all() const noexcept { return load_; }
    [[nodiscard]] int operator[](std::size_t dc) const noexcept { return load_[dc]; }

    void set(std::size_t dc, int load) noexcept {
        load_[dc] = load;
        for (const auto neighbour : net_->neighbours(dc)) rooms_[neighbour].wanted = 0;
    }
    void add(std::size_t dc, int tasks) noexcept { set(dc, load_[dc] + tasks); }

    /// How many of the wanted slots a data centre and its neighbours lack, and what the cheapest of them cost together.
    struct room {
        int missing = 0;
        double price = 0;

        [[nodiscard]] bool less_than(const room& other) const noexcept {
            return missing != other.missing ? missing < other.missing : price < other.price;
        }
    };

    [[nodiscard]] room room_at(std::size_t dc, int wanted) {
        auto& known = rooms_[dc];
        if (known.wanted != wanted) known = {.wanted = wanted, .found = measure(dc, wanted)};
        return known.found;
    }

    /// Up to four steps, each to the neighbour with the most room for its price.
    [[nodiscard]] std::uint32_t scout(std::uint32_t start, int wanted) {
        constexpr int most_steps = 4;
        std::uint32_t at = start;
        room best = room_at(at, wanted);
        for (int step = 0; step < most_steps; ++step) {
            const std::uint32_t from = at;
            for (const auto neighbour : net_->neighbours(from))
                if (const room other = room_at(neighbour, wanted); other.less_than(best)) best = other, at = neighbour;
            if (at == from) break;
        }
        return at;
    }

private:
    struct known_room {
        int wanted = 0;  // 0: not known
        room found{};
    };

    /// Free slots of one data centre, the cheapest first.
    struct offer {
        std::uint32_t dc = 0;
        int taken = 0;
        int last = 0;     // the load after which nothing is offered
        int opening = 0;  // slots that share the switch-on
        double opening_price = 0;
        double price = 0;  // of the next slot
    };

    /// Merges the neighbours' slots by price.
    [[nodiscard]] room measure(std::size_t dc, int wanted) {
        offers_.clear();
        for (const auto neighbour : net_->neighbours(dc)) {
            offer one{.dc = neighbour,
                      .taken = load_[neighbour],
                      .last = (std::min)(net_->operator[](neighbour).slots, load_[neighbour] + wanted)};
            if (one.taken >= one.last) continue;
            if (one.taken == 0 && net_->operator[](neighbour).switch_on_kw > 0) {
                one.opening = net_->opening_slots(neighbour, wanted);
                one.opening_price = net_->price(neighbour, 0, wanted);
            }
            one.price = price_of(one);
            offers_.push_back(one);
        }
        room found{.missing = wanted};
        while (found.missing > 0 && !offers_.empty()) {
            auto cheapest = offers_.begin();
            for (auto each = cheapest + 1; each != offers_.end(); ++each)
                if (each->price < cheapest->price) cheapest = each;
            found.price += cheapest->price;
            --found.missing;
            if (++cheapest->taken < cheapest->last) {
                cheapest->price = price_of(*cheapest);
            } else {
                *cheapest = offers_.back();
                offers_.pop_back();
            }
        }
        return found;
    }
    [[nodiscard]] double price_of(const offer& one) const noexcept {
        return one.taken < one.opening ? one.opening_price : net_->step(one.dc, one.taken);
    }

    const network* net_;
    std::vector<int> load_;
    std::vector<known_room> rooms_;
    std::vector<offer> offers_;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
