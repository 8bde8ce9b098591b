// Definitions of network.hpp: checks data centres and links, and builds tables of costs and neighbours.
#ifndef BELLAMY_DETAIL_PLACEMENT_NETWORK_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_NETWORK_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/placement/network.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

BELLAMY_PUBLIC_INLINE result<void> network::validate(const data_centre& site, size_t number) noexcept {
    using detail::fail;
    // Small enough that no sum or product of costs overflows.
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

BELLAMY_PUBLIC_INLINE result<void> network::validate(const link& connection, size_t number, size_t data_centres) noexcept {
    using detail::fail;
    if (connection.a >= data_centres || connection.b >= data_centres)
        return fail(errc::invalid_link, "expected link ", number, " between data centres 0 to ", data_centres,
                    " (excluded), found ", connection.a, " and ", connection.b);
    if (connection.a == connection.b)
        return fail(errc::invalid_link, "expected link ", number, " between two data centres, found ", connection.a,
                    " twice");
    if (!(connection.traffic_price >= 0 && connection.traffic_price <= 1e100))
        return fail(errc::invalid_price, "expected a traffic price from 0 to 1e100 of link ", number, ", found ",
                    connection.traffic_price);
    return {};
}

BELLAMY_PUBLIC_INLINE cost_envelope network::make_envelope(const data_centre& site) noexcept {
    if (site.switch_on_kw <= 0 || site.load > 0 || site.slots == 0) return {};
    const double slots = site.slots;
    const double curvature = site.dynamic_kw_per_slot * (site.exponent - 1);
    double touch = slots;
    if (curvature > 0)
        touch = (std::min)(slots, slots * std::pow(site.switch_on_kw / (curvature * slots), 1 / site.exponent));
    // A touching point that rounds to 0 means that the switch-on cost is negligible.
    return touch > 0 ? cost_envelope{.slope = formula(site, touch) / touch, .touch = touch} : cost_envelope{};
}

BELLAMY_PUBLIC_INLINE void network::make_tables() {
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
    for (size_t i = 0; i < size(); ++i)
        for (int q = 1; q <= data_centres_[i].slots; ++q) {
            const size_t entry = first_cost_[i] + static_cast<size_t>(q);
            const double mean = costs_[entry] / q;
            opening_prices_[entry] = q == 1 ? mean : (std::min)(opening_prices_[entry - 1], mean);
        }
}

BELLAMY_PUBLIC_INLINE result<void> network::make_neighbours() {
    if (const auto twice = detail::sort_edges(links_); twice != links_.end())
        return detail::fail(errc::invalid_link, "expected every link once, found ", twice->a, "-", twice->b, " twice");

    neighbour_offsets_.assign(size() + 1, 0);
    for (const auto& [a, b, price] : links_) ++neighbour_offsets_[a + 1], ++neighbour_offsets_[b + 1];
    for (size_t i = 0; i < size(); ++i) neighbour_offsets_[i + 1] += neighbour_offsets_[i] + 1;
    neighbours_.resize(neighbour_offsets_.back());
    traffic_prices_.assign(neighbours_.size(), 0);
    auto next = neighbour_offsets_;
    const auto add = [&](std::uint32_t dc, std::uint32_t neighbour, double price) {
        traffic_prices_[next[dc]] = price;
        neighbours_[next[dc]++] = neighbour;
    };
    // Lower neighbours, itself, upper neighbours: the links are ascending, so every list is, too.
    for (const auto& [a, b, price] : links_) add(b, a, price);
    for (std::uint32_t i = 0; i < size(); ++i) add(i, i, 0);
    for (const auto& [a, b, price] : links_) add(a, b, price);
    has_traffic_ = detail::any_of(links_, [](const auto& connection) { return connection.traffic_price > 0; });
    return {};
}

BELLAMY_PUBLIC_INLINE result<network> network::make(std::span<const data_centre> data_centres, std::span<const link> links) {
    using detail::fail;
    if (data_centres.size() > most_data_centres)
        return fail(errc::invalid_data_centre, "expected at most 1,048,576 data centres, found ", data_centres.size());
    std::int64_t slots = 0;
    for (size_t i = 0; i < data_centres.size(); ++i) {
        if (auto valid = validate(data_centres[i], i); !valid) return valid.error();
        slots += data_centres[i].slots;
    }
    if (slots > most_slots_together)
        return fail(errc::invalid_data_centre, "expected at most ", most_slots_together, " slots together, found ", slots);
    for (size_t i = 0; i < links.size(); ++i)
        if (auto valid = validate(links[i], i, data_centres.size()); !valid) return valid.error();

    network net;
    net.data_centres_.assign(data_centres.begin(), data_centres.end());
    net.links_.assign(links.begin(), links.end());
    net.make_tables();
    if (auto valid = net.make_neighbours(); !valid) return valid.error();
    return net;
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
