// Data centres with free slots, power curves and prices, and the links over which they may talk.
#ifndef BELLAMY_PLACEMENT_NETWORK_HPP
#define BELLAMY_PLACEMENT_NETWORK_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/error.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace bellamy::inline BELLAMY_ABI::placement {

/// One site. Its cost rate at u taken slots, in currency per hour, is
/// price_per_kwh * pue * (switch_on_kw [u > 0] + idle u + dynamic slots (u / slots)^exponent).
struct data_centre {
    int slots = 0;
    /// Slots that others hold.
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

/// Two data centres that may talk to each other, and what one unit of traffic rate between them costs per hour.
struct link {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    double traffic_price = 0;
};

/// Largest convex function below a cost rate on [0, slots]: a straight line from 0 to `touch`, the cost rate from there on.
/// Both are 0 where the cost rate is convex already.
struct cost_envelope {
    double slope = 0;
    double touch = 0;
};

/// Immutable value: cost tables, slot prices and sorted neighbours. Safe to share between threads; nothing allocates but
/// `make`. Loads are numbers of taken slots, in the order of the data centres; data centres are counted from 0.
class network {
public:
    static constexpr std::size_t most_data_centres = std::size_t{1} << 20U;
    static constexpr int most_slots = 1'000'000;
    /// Of all data centres together, because every slot has an entry in the tables.
    static constexpr std::int64_t most_slots_together = std::int64_t{1} << 26U;

    /// Errors: invalid_data_centre, invalid_price, invalid_link (to itself, out of range, given twice).
    [[nodiscard]] static result<network> make(std::span<const data_centre> data_centres, std::span<const link> links);

    [[nodiscard]] std::size_t size() const noexcept { return data_centres_.size(); }
    [[nodiscard]] const data_centre& operator[](std::size_t dc) const noexcept { return data_centres_[dc]; }
    [[nodiscard]] std::span<const data_centre> data_centres() const noexcept { return data_centres_; }
    [[nodiscard]] std::span<const link> links() const noexcept { return links_; }
    /// The load that others hold, the start of every plan.
    [[nodiscard]] std::span<const int> load() const noexcept { return load_; }

    /// The data centres that this one may talk to, ascending, itself included.
    [[nodiscard]] std::span<const std::uint32_t> neighbours(std::size_t dc) const noexcept {
        return std::span(neighbours_).subspan(first_neighbour_[dc], first_neighbour_[dc + 1] - first_neighbour_[dc]);
    }
    [[nodiscard]] bool may_talk(std::size_t a, std::size_t b) const noexcept { return position(a, b) != nowhere; }
    /// 0 inside a data centre. Precondition: the two may talk.
    [[nodiscard]] double traffic_price(std::size_t a, std::size_t b) const noexcept {
        const std::size_t at = has_traffic_ ? position(a, b) : nowhere;
        return at == nowhere ? 0 : traffic_prices_[at];
    }
    /// Whether any link has a price.
    [[nodiscard]] bool has_traffic_prices() const noexcept { return has_traffic_; }

    /// Cost rates at the loads 0 .. slots.
    [[nodiscard]] std::span<const double> costs(std::size_t dc) const noexcept {
        return std::span(costs_).subspan(first_cost_[dc], first_cost_[dc + 1] - first_cost_[dc]);
    }
    [[nodiscard]] double cost(std::size_t dc, int load) const noexcept {
        return costs_[first_cost_[dc] + static_cast<std::size_t>(load)];
    }
    /// What one more slot costs. Precondition: load < slots.
    [[nodiscard]] double step(std::size_t dc, int load) const noexcept { return cost(dc, load + 1) - cost(dc, load); }
    /// Price of one more slot for somebody who wants that many: where the data centre is switched on for them, the least
    /// mean price of as many as they may take, so that the first slot does not bear the switch-on alone. Precondition: load
    /// < slots, wanted >= 1.
    [[nodiscard]] double price(std::size_t dc, int load, int wanted) const noexcept {
        const auto& site = data_centres_[dc];
        if (load > 0 || site.switch_on_kw <= 0) return step(dc, load);
        return opening_prices_[first_cost_[dc] + static_cast<std::size_t>((std::min)(wanted, site.slots))];
    }
    /// The number of slots that reaches the least mean price, to 1e-12. Precondition: as for price, at load 0.
    [[nodiscard]] int opening_slots(std::size_t dc, int wanted) const noexcept {
        const double least = price(dc, 0, wanted);
        int slots = 1;
        while (cost(dc, slots) / slots > least + 1e-12) ++slots;
        return slots;
    }

    /// Sum over all data centres; the loads are in their order.
    [[nodiscard]] double cost_rate(std::span<const int> load) const noexcept {
        double sum = 0;
        for (std::size_t i = 0; i < size(); ++i) sum += cost(i, load[i]);
        return sum;
    }
    /// Cost rate of the load that others hold.
    [[nodiscard]] double base_cost_rate() const noexcept { return cost_rate(load_); }
    /// Free slots of all data centres together.
    [[nodiscard]] std::int64_t free_slots() const noexcept {
        std::int64_t sum = 0;
        for (const auto& site : data_centres_) sum += site.slots - site.load;
        return sum;
    }

    [[nodiscard]] cost_envelope envelope(std::size_t dc) const noexcept { return envelopes_[dc]; }
    /// Convex cost rate at any load >= 0, also between whole ones: the envelope below `touch`, linear beyond the slots.
    [[nodiscard]] double convex_cost(std::size_t dc, double load) const noexcept {
        const auto& site = data_centres_[dc];
        if (load < envelopes_[dc].touch) return envelopes_[dc].slope * load;
        if (load <= site.slots) return formula(site, load);
        return formula(site, site.slots) + convex_slope(dc, site.slots) * (load - site.slots);
    }
    /// The same at a whole load of at most the slots, by the table.
    [[nodiscard]] double convex_cost_at(std::size_t dc, int load) const noexcept {
        return load < envelopes_[dc].touch ? envelopes_[dc].slope * load : cost(dc, load);
    }
    /// Derivative of the convex cost rate.
    [[nodiscard]] double convex_slope(std::size_t dc, double load) const noexcept {
        const auto& site = data_centres_[dc];
        if (site.slots == 0) return 0;
        const auto [slope, touch] = envelopes_[dc];
        if (load < touch) return slope;
        const double share = (std::min)(load / site.slots, 1.0);
        const double above =
            site.price_per_kwh * site.pue *
            (site.idle_kw_per_slot + site.dynamic_kw_per_slot * site.exponent * std::pow(share, site.exponent - 1));
        return load >= site.slots && touch >= site.slots ? (std::max)(above, slope) : above;
    }

private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    [[nodiscard]] static double formula(const data_centre& site, double load) noexcept {
        if (!(load > 0) || site.slots == 0) return 0;
        return site.price_per_kwh * site.pue *
               (site.switch_on_kw + site.idle_kw_per_slot * load +
                site.dynamic_kw_per_slot * site.slots * std::pow(load / site.slots, site.exponent));
    }

    [[nodiscard]] static result<void> validate(const data_centre& site, std::size_t number) noexcept;
    [[nodiscard]] static result<void> validate(const link& one, std::size_t number, std::size_t data_centres) noexcept;
    void make_tables();
    [[nodiscard]] static cost_envelope make_envelope(const data_centre& site) noexcept;
    [[nodiscard]] result<void> make_neighbours();

    /// Place of b among the neighbours of a. Few neighbours are searched one by one, which is quicker than by halves.
    [[nodiscard]] std::size_t position(std::size_t a, std::size_t b) const noexcept {
        const auto others = neighbours(a);
        const auto wanted = static_cast<std::uint32_t>(b);
        if (others.size() > 16) {
            const auto found = std::lower_bound(others.begin(), others.end(), wanted);
            if (found == others.end() || *found != wanted) return nowhere;
            return first_neighbour_[a] + static_cast<std::size_t>(found - others.begin());
        }
        for (std::size_t i = 0; i < others.size(); ++i)
            if (others[i] == wanted) return first_neighbour_[a] + i;
        return nowhere;
    }

    std::vector<data_centre> data_centres_;
    std::vector<link> links_;  // a < b, ascending
    std::vector<int> load_;
    std::vector<std::size_t> first_cost_{0};
    std::vector<double> costs_;
    std::vector<double> opening_prices_;  // least c(q) / q up to q slots; empty where nothing is switched on
    std::vector<cost_envelope> envelopes_;
    std::vector<std::size_t> first_neighbour_{0};
    std::vector<std::uint32_t> neighbours_;
    std::vector<double> traffic_prices_;
    bool has_traffic_ = false;
};

inline result<void> network::validate(const data_centre& site, std::size_t number) noexcept {
    using bellamy::detail::fail;
    // So large that no sum or product of costs leaves the range of a double.
    constexpr double most = 1e100;
    const auto wrong = [](double value, double least) { return !(value >= least && value <= most); };
    const auto refuse = [&](errc code, std::string_view what, auto value) {
        return fail(code, "expected ", what, " of data centre ", number, ", found ", value);
    };
    if (site.slots < 0 || site.slots > most_slots)
        return refuse(errc::invalid_data_centre, "0 to 1,000,000 slots", site.slots);
    if (site.load < 0 || site.load > site.slots)
        return refuse(errc::invalid_data_centre, "a load from 0 to the slots", site.load);
    if (wrong(site.price_per_kwh, 0))
        return refuse(errc::invalid_price, "a price from 0 to 1e100 per kWh", site.price_per_kwh);
    if (wrong(site.pue, 1)) return refuse(errc::invalid_data_centre, "a PUE from 1 to 1e100", site.pue);
    if (wrong(site.idle_kw_per_slot, 0))
        return refuse(errc::invalid_data_centre, "an idle power from 0 to 1e100 kW", site.idle_kw_per_slot);
    if (wrong(site.dynamic_kw_per_slot, 0))
        return refuse(errc::invalid_data_centre, "a dynamic power from 0 to 1e100 kW", site.dynamic_kw_per_slot);
    if (!(site.exponent >= 1 && site.exponent <= 1000))
        return refuse(errc::invalid_data_centre, "an exponent from 1 to 1000", site.exponent);
    if (wrong(site.switch_on_kw, 0))
        return refuse(errc::invalid_data_centre, "a switch-on power from 0 to 1e100 kW", site.switch_on_kw);
    if (const double full = formula(site, site.slots); !(full <= most))
        return refuse(errc::invalid_data_centre, "a cost rate of at most 1e100 with all slots taken", full);
    return {};
}

inline result<void> network::validate(const link& one, std::size_t number, std::size_t data_centres) noexcept {
    using bellamy::detail::fail;
    if (one.a >= data_centres || one.b >= data_centres)
        return fail(errc::invalid_link, "expected link ", number, " between data centres 0 to ", data_centres,
                    " (excluded), found ", one.a, " and ", one.b);
    if (one.a == one.b)
        return fail(errc::invalid_link, "expected link ", number, " between two data centres, found ", one.a, " twice");
    if (!(one.traffic_price >= 0 && one.traffic_price <= 1e100))
        return fail(errc::invalid_price, "expected a traffic price from 0 to 1e100 of link ", number, ", found ",
                    one.traffic_price);
    return {};
}

inline cost_envelope network::make_envelope(const data_centre& site) noexcept {
    if (site.switch_on_kw <= 0 || site.load > 0 || site.slots == 0) return {};
    const double slots = site.slots;
    const double curvature = site.dynamic_kw_per_slot * (site.exponent - 1);
    double touch = slots;
    if (curvature > 0)
        touch = (std::min)(slots, slots * std::pow(site.switch_on_kw / (curvature * slots), 1 / site.exponent));
    // A touching point that rounds to 0 belongs to a switch-on that is no part of the cost.
    return touch > 0 ? cost_envelope{.slope = formula(site, touch) / touch, .touch = touch} : cost_envelope{};
}

inline void network::make_tables() {
    bool any_switch_on = false;
    for (const auto& site : data_centres_) {
        load_.push_back(site.load);
        any_switch_on = any_switch_on || site.switch_on_kw > 0;
        for (int u = 0; u <= site.slots; ++u) costs_.push_back(formula(site, u));
        first_cost_.push_back(costs_.size());
        envelopes_.push_back(make_envelope(site));
    }
    if (!any_switch_on) return;
    opening_prices_.assign(costs_.size(), 0);
    for (std::size_t i = 0; i < size(); ++i)
        for (int q = 1; q <= data_centres_[i].slots; ++q) {
            const std::size_t at = first_cost_[i] + static_cast<std::size_t>(q);
            const double mean = costs_[at] / q;
            opening_prices_[at] = q == 1 ? mean : (std::min)(opening_prices_[at - 1], mean);
        }
}

inline result<void> network::make_neighbours() {
    for (auto& each : links_)
        if (each.a > each.b) std::swap(each.a, each.b);
    const auto before = [](const link& x, const link& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; };
    std::sort(links_.begin(), links_.end(), before);
    for (std::size_t i = 1; i < links_.size(); ++i)
        if (!before(links_[i - 1], links_[i]))
            return bellamy::detail::fail(errc::invalid_link, "expected every link once, found ", links_[i].a, "-",
                                         links_[i].b, " twice");

    first_neighbour_.assign(size() + 1, 0);
    for (const auto& each : links_) ++first_neighbour_[each.a + 1], ++first_neighbour_[each.b + 1];
    for (std::size_t i = 0; i < size(); ++i) first_neighbour_[i + 1] += first_neighbour_[i] + 1;
    neighbours_.resize(first_neighbour_.back());
    traffic_prices_.assign(neighbours_.size(), 0);
    auto next = first_neighbour_;
    const auto add = [&](std::uint32_t from, std::uint32_t to, double price) {
        traffic_prices_[next[from]] = price;
        neighbours_[next[from]++] = to;
    };
    // Partners below, itself, partners above: links are in ascending order, so that each list is, too.
    for (const auto& each : links_) add(each.b, each.a, each.traffic_price);
    for (std::uint32_t i = 0; i < size(); ++i) add(i, i, 0);
    for (const auto& each : links_) add(each.a, each.b, each.traffic_price);
    has_traffic_ = std::any_of(links_.begin(), links_.end(), [](const link& each) { return each.traffic_price > 0; });
    return {};
}

inline result<network> network::make(std::span<const data_centre> data_centres, std::span<const link> links) {
    using bellamy::detail::fail;
    if (data_centres.size() > most_data_centres)
        return fail(errc::invalid_data_centre, "expected at most 1,048,576 data centres, found ", data_centres.size());
    std::int64_t slots = 0;
    for (std::size_t i = 0; i < data_centres.size(); ++i) {
        if (auto valid = validate(data_centres[i], i); !valid) return valid.error();
        slots += data_centres[i].slots;
    }
    if (slots > most_slots_together)
        return fail(errc::invalid_data_centre, "expected at most ", most_slots_together, " slots together, found ", slots);
    for (std::size_t i = 0; i < links.size(); ++i)
        if (auto valid = validate(links[i], i, data_centres.size()); !valid) return valid.error();

    network made;
    made.data_centres_.assign(data_centres.begin(), data_centres.end());
    made.links_.assign(links.begin(), links.end());
    made.make_tables();
    if (auto valid = made.make_neighbours(); !valid) return valid.error();
    return made;
}

}  // namespace bellamy::inline BELLAMY_ABI::placement

#endif
