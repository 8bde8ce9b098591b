// Instances of the golden file of placement.
#ifndef BELLAMY_TESTS_SUPPORT_GOLDEN_PLACEMENT_HPP
#define BELLAMY_TESTS_SUPPORT_GOLDEN_PLACEMENT_HPP

#include <bellamy/placement/job_graph.hpp>
#include <bellamy/placement/network.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace support {

using json = nlohmann::json;

/// To a part of 1 + the expected number.
[[nodiscard]] inline bool close(double found, double expected, double part = 1e-9) {
    return std::abs(found - expected) <= part * (1 + std::abs(expected));
}

/// Read once, because it is large.
[[nodiscard]] inline const json& golden_placement() {
    static const json file = [] {
        std::ifstream in(BELLAMY_GOLDEN_DIR "/placement.json");
        if (!in) throw std::runtime_error("cannot read golden file placement.json");
        return json::parse(in);
    }();
    return file;
}

[[nodiscard]] inline std::vector<double> numbers_of(const json& list) { return list.get<std::vector<double>>(); }

[[nodiscard]] inline bellamy::placement::network network_of(const json& description) {
    std::vector<bellamy::placement::data_centre> sites;
    for (const auto& each : description.at("data_centres"))
        sites.push_back({.slots = each.at("slots"),
                         .load = each.at("load"),
                         .price_per_kwh = each.at("price"),
                         .pue = each.at("pue"),
                         .idle_kw_per_slot = each.at("idle"),
                         .dynamic_kw_per_slot = each.at("dynamic"),
                         .exponent = each.at("exponent"),
                         .switch_on_kw = each.at("switch_on")});
    std::vector<bellamy::placement::link> links;
    for (const auto& each : description.at("links"))
        links.push_back({.a = each.at(0), .b = each.at(1), .traffic_price = each.size() > 2 ? each.at(2).get<double>() : 0});
    return bellamy::placement::network::make(sites, links).value();
}

[[nodiscard]] inline bellamy::placement::job_graph job_of(const json& description) {
    std::vector<bellamy::placement::task_edge> edges;
    for (const auto& each : description.at("edges"))
        edges.push_back({.a = each.at(0), .b = each.at(1), .traffic = each.size() > 2 ? each.at(2).get<double>() : 0});
    return bellamy::placement::job_graph::make(description.at("tasks"), edges).value();
}

[[nodiscard]] inline std::vector<bellamy::placement::job_graph> jobs_of(const json& instance) {
    std::vector<bellamy::placement::job_graph> jobs;
    for (const auto& each : instance.at("jobs")) jobs.push_back(job_of(each));
    return jobs;
}

/// Calls with the instance, its network and its jobs.
template <class Call>
void for_each_golden_instance(const Call& call) {
    for (const auto& instance : golden_placement().at("instances"))
        call(instance, network_of(instance.at("network")), jobs_of(instance));
}

}  // namespace support

#endif
