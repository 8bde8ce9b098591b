// Judges a plan by the model alone: formulas and lists of data centres, links and edges, no table or search of the library.
#ifndef BELLAMY_TESTS_SUPPORT_PLAN_JUDGE_HPP
#define BELLAMY_TESTS_SUPPORT_PLAN_JUDGE_HPP

#include <bellamy/placement/plan.hpp>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// What is wrong with a plan; empty where nothing is.
[[nodiscard]] inline std::string fault_of(const bellamy::placement::network& net,
                                          const std::vector<bellamy::placement::job_graph>& jobs,
                                          const bellamy::placement::plan& subject) {
    const auto sites = net.data_centres();
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> price;  // of traffic, either way round
    for (std::uint32_t i = 0; i < sites.size(); ++i) price[{i, i}] = 0;
    for (const auto& each : net.links()) price[{each.a, each.b}] = price[{each.b, each.a}] = each.traffic_price;

    if (subject.where.size() != jobs.size()) return "a job is missing";
    std::vector<int> load;
    for (const auto& each : sites) load.push_back(each.load);
    double traffic = 0;
    std::vector<std::uint32_t> unplaced;
    for (std::uint32_t job = 0; job < jobs.size(); ++job) {
        const auto& where = subject.where[job];
        if (where.size() != jobs[job].tasks()) {
            if (!where.empty()) return "a job is placed in part";
            unplaced.push_back(job);
            continue;
        }
        for (const auto dc : where) {
            if (dc >= load.size()) return "a task is nowhere";
            ++load[dc];
        }
        for (const auto& edge : jobs[job].edges()) {
            const auto link = price.find({where[edge.a], where[edge.b]});
            if (link == price.end()) return "tasks that talk have no link";
            traffic += edge.traffic * link->second;
        }
    }
    if (subject.unplaced != unplaced) return "the unplaced jobs are others";
    if (subject.load != load) return "loads are others";

    double cost = traffic;
    double cost_before = 0;
    for (std::size_t i = 0; i < sites.size(); ++i) {
        const auto& site = sites[i];
        if (load[i] > site.slots) return "more slots are taken than there are";
        const auto rate = [&](int taken) {
            if (taken == 0) return 0.0;
            const double share = static_cast<double>(taken) / site.slots;
            return site.price_per_kwh * site.pue *
                   (site.switch_on_kw + site.idle_kw_per_slot * taken +
                    site.dynamic_kw_per_slot * site.slots * std::pow(share, site.exponent));
        };
        cost += rate(load[i]);
        cost_before += rate(site.load);
    }
    const double tolerance = 1e-9 * (1 + cost);
    if (!(std::abs(subject.cost_rate - cost) <= tolerance)) return "the cost is another";
    if (!(std::abs(subject.added_rate - (cost - cost_before)) <= tolerance)) return "the added cost is another";
    if (!(subject.lower_bound <= cost + tolerance)) return "the bound is above the cost";
    return {};
}

}  // namespace support

#endif
