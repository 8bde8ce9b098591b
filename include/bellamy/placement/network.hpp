// Network of data centres: their slots, power curves and prices, and the links over which tasks may communicate.
#ifndef BELLAMY_PLACEMENT_NETWORK_HPP
#define BELLAMY_PLACEMENT_NETWORK_HPP

#include <bellamy/detail/base/sort.hpp>
#include <bellamy/error.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {
namespace detail {
using namespace bellamy::detail;  // NOLINT(google-build-using-namespace): its helpers are those of placement too
}

/// One site. Its cost rate at u taken slots, in currency per hour, is
/// price_per_kwh * pue * (switch_on_kw [u > 0] + idle u + dynamic slots (u / slots)^exponent).
struct data_centre {
    int slots = 0;
    /// Slots taken by others.
    int load = 0;
    double price_per_kwh = 0;
    /// Power usage effectiveness: facility power over the power of the servers, at least 1.
    double pue = 1;
    double idle_kw_per_slot = 0;
    double dynamic_kw_per_slot = 0;
    double exponent = 2;
    /// Drawn as soon as one slot is taken.
    double switch_on_kw = 0;
};

/// Two data centres that may communicate, and the hourly price of one unit of traffic rate between them.
struct link {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    double traffic_price = 0;
};

/// Convex envelope of a cost rate on [0, slots]: a straight line from 0 to the load `touch`, the cost rate from there on.
/// Both are 0 where the cost rate is convex already.
struct cost_envelope {
    double slope = 0;
    double touch = 0;
};

/// Immutable value: cost tables, slot prices and sorted neighbours. Safe to share between threads; nothing allocates but
/// `make`. Loads are numbers of taken slots, in the order of the data centres; data centres are counted from 0.
class network {
public:
    static constexpr size_t most_data_centres = size_t{1} << 20U;
    static constexpr int most_slots = 1'000'000;
    /// Sum over all data centres, because every slot has an entry in the tables.
    static constexpr std::int64_t most_slots_together = std::int64_t{1} << 26U;

    /// Errors: invalid_data_centre, invalid_price, invalid_link (to itself, out of range, given twice).
    static result<network> make(std::span<const data_centre> data_centres, std::span<const link> links);

    [[nodiscard]] size_t size() const noexcept { return data_centres_.size(); }
    [[nodiscard]] const data_centre& operator[](size_t dc) const noexcept { return data_centres_[dc]; }
    [[nodiscard]] std::span<const data_centre> data_centres() const noexcept { return data_centres_; }
    [[nodiscard]] std::span<const link> links() const noexcept { return links_; }
    /// The load of others, the start of every plan.
    [[nodiscard]] std::span<const int> load() const noexcept { return load_; }

    /// Data centres linked to this one, ascending, itself included.
    [[nodiscard]] std::span<const std::uint32_t> neighbours(size_t dc) const noexcept {
        return detail::slice_of(neighbours_, neighbour_offsets_, dc);
    }
    /// Whether they are linked, or the same data centre.
    [[nodiscard]] bool may_talk(size_t a, size_t b) const noexcept { return position(a, b) != nowhere; }
    /// 0 inside a data centre. Precondition: the two may talk.
    [[nodiscard]] double traffic_price(size_t a, size_t b) const noexcept {
        const size_t index = has_traffic_ ? position(a, b) : nowhere;
        return index == nowhere ? 0 : traffic_prices_[index];
    }
    /// Whether any link has a price.
    [[nodiscard]] bool has_traffic_prices() const noexcept { return has_traffic_; }

    /// Cost rates at the loads 0 .. slots.
    [[nodiscard]] std::span<const double> costs(size_t dc) const noexcept {
        return detail::slice_of(costs_, first_cost_, dc);
    }
    [[nodiscard]] double cost(size_t dc, int load) const noexcept {
        return costs_[first_cost_[dc] + static_cast<size_t>(load)];
    }
    /// Marginal cost rate of one more slot. Precondition: load < slots.
    [[nodiscard]] double step(size_t dc, int load) const noexcept { return cost(dc, load + 1) - cost(dc, load); }
    /// Price of one more slot for a job that wants `wanted` of them. In an empty data centre with a switch-on cost, the
    /// least mean price of at most that many slots, so that the first one does not bear the switch-on alone. Precondition:
    /// load < slots, wanted >= 1.
    [[nodiscard]] double price(size_t dc, int load, int wanted) const noexcept {
        const auto& site = data_centres_[dc];
        if (load > 0 || site.switch_on_kw <= 0) return step(dc, load);
        return opening_prices_[first_cost_[dc] + static_cast<size_t>((std::min)(wanted, site.slots))];
    }
    /// Number of slots with the least mean price, to 1e-12. Precondition: as for price, at load 0.
    [[nodiscard]] int opening_slots(size_t dc, int wanted) const noexcept {
        const double least = price(dc, 0, wanted);
        int slots = 1;
        while (cost(dc, slots) / slots > least + 1e-12) ++slots;
        return slots;
    }

    /// Sum over all data centres; the loads are in their order.
    [[nodiscard]] double cost_rate(std::span<const int> load) const noexcept {
        double sum = 0;
        for (size_t i = 0; i < size(); ++i) sum += cost(i, load[i]);
        return sum;
    }
    /// Cost rate of the load of others.
    [[nodiscard]] double base_cost_rate() const noexcept { return cost_rate(load_); }
    /// Free slots of all data centres together.
    [[nodiscard]] std::int64_t free_slots() const noexcept {
        std::int64_t sum = 0;
        for (const auto& site : data_centres_) sum += site.slots - site.load;
        return sum;
    }

    [[nodiscard]] cost_envelope envelope(size_t dc) const noexcept { return envelopes_[dc]; }
    /// Convex cost rate at any real load >= 0: the envelope below `touch`, linear beyond the slots.
    [[nodiscard]] double convex_cost(size_t dc, double load) const noexcept {
        const auto& site = data_centres_[dc];
        if (load < envelopes_[dc].touch) return envelopes_[dc].slope * load;
        if (load <= site.slots) return formula(site, load);
        return formula(site, site.slots) + convex_slope(dc, site.slots) * (load - site.slots);
    }
    /// The same at an integer load of at most the slots, from the table.
    [[nodiscard]] double convex_cost_at(size_t dc, int load) const noexcept {
        return load < envelopes_[dc].touch ? envelopes_[dc].slope * load : cost(dc, load);
    }
    /// Derivative of the convex cost rate.
    [[nodiscard]] double convex_slope(size_t dc, double load) const noexcept {
        const auto& site = data_centres_[dc];
        if (site.slots == 0) return 0;
        const auto [slope, touch] = envelopes_[dc];
        if (load < touch) return slope;
        const double utilisation = (std::min)(load / site.slots, 1.0);
        const double slope_above =
            site.price_per_kwh * site.pue *
            (site.idle_kw_per_slot + site.dynamic_kw_per_slot * site.exponent * std::pow(utilisation, site.exponent - 1));
        return load >= site.slots && touch >= site.slots ? (std::max)(slope_above, slope) : slope_above;
    }

private:
    static constexpr size_t nowhere = static_cast<size_t>(-1);

    [[nodiscard]] static double formula(const data_centre& site, double load) noexcept {
        if (!(load > 0) || site.slots == 0) return 0;
        return site.price_per_kwh * site.pue *
               (site.switch_on_kw + site.idle_kw_per_slot * load +
                site.dynamic_kw_per_slot * site.slots * std::pow(load / site.slots, site.exponent));
    }

    static result<void> validate(const data_centre& site, size_t number) noexcept;
    static result<void> validate(const link& connection, size_t number, size_t data_centres) noexcept;
    void make_tables();
    [[nodiscard]] static cost_envelope make_envelope(const data_centre& site) noexcept;
    result<void> make_neighbours();

    /// Index of b in the table of neighbours of a. A linear search is faster than a binary one for few neighbours.
    [[nodiscard]] size_t position(size_t a, size_t b) const noexcept {
        const auto list = neighbours(a);
        const auto wanted = static_cast<std::uint32_t>(b);
        const auto entry = list.size() > 16 ? std::lower_bound(list.begin(), list.end(), wanted)
                                            : std::find(list.begin(), list.end(), wanted);
        if (entry == list.end() || *entry != wanted) return nowhere;
        return neighbour_offsets_[a] + static_cast<size_t>(entry - list.begin());
    }

    std::vector<data_centre> data_centres_;
    std::vector<link> links_;  // a < b, ascending
    std::vector<int> load_;
    std::vector<size_t> first_cost_{0};
    std::vector<double> costs_;
    std::vector<double> opening_prices_;  // least c(q) / q up to q slots; empty where nothing is switched on
    std::vector<cost_envelope> envelopes_;
    std::vector<size_t> neighbour_offsets_{0};
    std::vector<std::uint32_t> neighbours_;
    std::vector<double> traffic_prices_;
    bool has_traffic_ = false;
};

}}}  // namespace bellamy::BELLAMY_ABI::placement

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/placement/network_impl.hpp>  // IWYU pragma: export
#endif

#endif
