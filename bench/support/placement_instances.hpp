// Networks and jobs to place, made from a seed.
#ifndef BELLAMY_BENCH_SUPPORT_PLACEMENT_INSTANCES_HPP
#define BELLAMY_BENCH_SUPPORT_PLACEMENT_INSTANCES_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/placement/job_graph.hpp>
#include <bellamy/placement/network.hpp>

#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace placement_bench {

using bellamy::detail::random_generator;
namespace placement = bellamy::placement;

enum class shapes { small, random8, random20 };

/// How the instances of one row of a table are made. Topologies bring their own links.
struct row {
    std::string_view name;
    std::size_t data_centres = 0;
    double degree = 0;
    int least_slots = 0;
    int most_slots = 0;
    double load_share = 0;
    double switch_on = 0;
    double empty_share = 0;
    double traffic = 0;
    shapes jobs = shapes::small;
    /// Share of the free slots that the jobs fill; 0 where their number is given.
    double fill = 0;
    std::size_t job_count = 0;
    std::string_view topology{};
};

inline constexpr std::array<row, 23> rows{{
    {"small", 6, 3.2, 6, 10, 0.2, 0, 0, 0, shapes::small, 0.5},
    {"small-tight", 6, 2.2, 4, 8, 0.2, 0, 0, 0, shapes::small, 0.9},
    {"small-switch", 6, 2.6, 6, 10, 0.2, 1.5, 0.7, 0, shapes::small, 0.5},
    {"small-traffic", 6, 2.6, 6, 10, 0.2, 0, 0, 0.3, shapes::small, 0.6},
    {"Abilene", 11, 0, 6, 10, 0.2, 0, 0, 0, shapes::small, 0.6, 0, "Abilene"},
    {"Abilene-switch", 11, 0, 6, 10, 0.2, 1.5, 0.7, 0, shapes::small, 0.6, 0, "Abilene"},
    {"medium30", 30, 4, 8, 16, 0.3, 0, 0, 0, shapes::random8, 0.5},
    {"medium30-tight", 30, 3, 8, 16, 0.3, 0, 0, 0, shapes::random8, 0.9},
    {"medium30-switch", 30, 4, 8, 16, 0.3, 3, 0.7, 0, shapes::random8, 0.5},
    {"medium100", 100, 4, 8, 16, 0.3, 0, 0, 0, shapes::random8, 0.5},
    {"medium100-tight", 100, 3, 8, 16, 0.3, 0, 0, 0, shapes::random8, 0.9},
    {"medium100-switch", 100, 4, 8, 16, 0.3, 3, 0.7, 0, shapes::random8, 0.5},
    {"large", 1000, 6, 8, 24, 0.3, 0, 0, 0, shapes::random20, 0, 200},
    {"large-tight", 1000, 6, 8, 24, 0.8, 0, 0, 0, shapes::random20, 0, 200},
    {"large-switch", 1000, 6, 8, 24, 0.3, 4, 0.6, 0, shapes::random20, 0, 200},
    {"Geant2012", 40, 0, 8, 16, 0.3, 0, 0, 0, shapes::random8, 0.5, 0, "Geant2012"},
    {"Geant2012-tight", 40, 0, 8, 16, 0.3, 0, 0, 0, shapes::random8, 0.85, 0, "Geant2012"},
    {"Cogentco", 197, 0, 8, 24, 0.3, 0, 0, 0, shapes::random20, 0, 50, "Cogentco"},
    {"Kdl", 754, 0, 8, 24, 0.3, 0, 0, 0, shapes::random20, 0, 150, "Kdl"},
    {"growth1000", 1000, 6, 8, 24, 0.3, 0, 0, 0, shapes::random20, 0, 200},
    {"growth2000", 2000, 6, 8, 24, 0.3, 0, 0, 0, shapes::random20, 0, 400},
    {"growth5000", 5000, 6, 8, 24, 0.3, 0, 0, 0, shapes::random20, 0, 1000},
    {"growth10000", 10000, 6, 8, 24, 0.3, 0, 0, 0, shapes::random20, 0, 2000},
}};

[[nodiscard]] inline std::optional<row> find_row(std::string_view name) {
    for (const auto& each : rows)
        if (each.name == name) return each;
    return std::nullopt;
}

/// Abilene, from the Internet Topology Zoo (Knight et al. 2011), CC BY 4.0; nodes in the order of its file.
inline constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 14> abilene_links{
    {{0, 1}, {0, 2}, {1, 10}, {2, 9}, {3, 4}, {3, 6}, {4, 5}, {4, 6}, {5, 8}, {6, 7}, {7, 8}, {7, 10}, {8, 9}, {9, 10}}};

struct instance {
    placement::network net;
    std::vector<placement::job_graph> jobs;
};

using link_ends = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A random tree and random links more, ascending.
[[nodiscard]] inline link_ends random_links(const row& wanted, random_generator& random) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> links;
    const auto n = wanted.data_centres;
    const auto pair_of = [](std::size_t a, std::size_t b) {
        return std::pair(static_cast<std::uint32_t>((std::min)(a, b)), static_cast<std::uint32_t>((std::max)(a, b)));
    };
    for (std::size_t i = 1; i < n; ++i) links.insert(pair_of(random.below(i), i));
    const auto by_degree = static_cast<std::size_t>(std::floor(static_cast<double>(n) * wanted.degree / 2 + 0.5));
    const std::size_t most = (std::max)(n - 1, by_degree);
    for (std::size_t tries = 0; links.size() < most && tries < 20 * most; ++tries) {
        const std::size_t a = random.below(n);
        const std::size_t b = random.below(n);
        if (a != b) links.insert(pair_of(a, b));
    }
    return {links.begin(), links.end()};
}

/// Of every number a draw is taken, whether it counts or not, so that rows differ in what they say only.
[[nodiscard]] inline placement::data_centre random_data_centre(const row& wanted, random_generator& random) {
    placement::data_centre site;
    site.slots = wanted.least_slots +
                 static_cast<int>(random.below(static_cast<std::size_t>(wanted.most_slots - wanted.least_slots) + 1));
    site.price_per_kwh = 0.5 + random.uniform();
    site.pue = 1.1 + 0.7 * random.uniform();
    site.idle_kw_per_slot = 0.2 + 0.3 * random.uniform();
    site.dynamic_kw_per_slot = 0.5 + random.uniform();
    site.exponent = 2 + random.uniform();
    site.load = (std::min)(site.slots, static_cast<int>(std::floor(2 * wanted.load_share * site.slots * random.uniform())));
    if (random.uniform() < wanted.empty_share) site.load = 0;
    site.switch_on_kw = 2 * wanted.switch_on * random.uniform();
    return site;
}

[[nodiscard]] inline placement::job_graph graph(std::uint32_t tasks, const link_ends& edges, double traffic) {
    std::vector<placement::task_edge> made;
    for (const auto& [a, b] : edges) made.push_back({.a = a, .b = b, .traffic = traffic});
    return placement::job_graph::make(tasks, made).value();
}

[[nodiscard]] inline placement::job_graph small_job(random_generator& random, double traffic) {
    switch (random.below(5)) {
        case 0: return graph(4, {{0, 1}, {1, 2}, {2, 3}}, traffic);
        case 1: return graph(4, {{0, 1}, {0, 2}, {0, 3}}, traffic);
        case 2: return graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}}, traffic);
        case 3: return graph(3, {{0, 1}, {1, 2}, {0, 2}}, traffic);
        default: return graph(6, {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}}, traffic);
    }
}

/// A path, a cycle, a random tree, or a random tree with some edges more.
[[nodiscard]] inline placement::job_graph random_job(std::uint32_t tasks, random_generator& random, double traffic) {
    const std::size_t shape = random.below(4);
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t v = 1; v < tasks; ++v)
        edges.insert({shape < 2 ? v - 1 : static_cast<std::uint32_t>(random.below(v)), v});
    if (shape == 1) edges.insert({0, tasks - 1});
    for (std::uint32_t i = 0; shape == 3 && i < tasks / 4; ++i) {
        const auto a = static_cast<std::uint32_t>(random.below(tasks));
        const auto b = static_cast<std::uint32_t>(random.below(tasks));
        if (a != b) edges.insert({(std::min)(a, b), (std::max)(a, b)});
    }
    return graph(tasks, {edges.begin(), edges.end()}, traffic);
}

[[nodiscard]] inline placement::job_graph job_of(const row& wanted, random_generator& random) {
    const double traffic = wanted.traffic > 0 ? 1 : 0;
    if (wanted.jobs == shapes::small) return small_job(random, traffic);
    return random_job(wanted.jobs == shapes::random8 ? 8 : 20, random, traffic);
}

/// `topology` are the links of rows that name one.
[[nodiscard]] inline instance make_instance(const row& wanted, std::uint64_t seed, const link_ends& topology = {}) {
    random_generator random(seed);
    const auto ends = topology.empty() ? random_links(wanted, random) : topology;
    std::vector<placement::data_centre> sites;
    for (std::size_t i = 0; i < wanted.data_centres; ++i) sites.push_back(random_data_centre(wanted, random));
    std::vector<placement::link> links;
    for (const auto& [a, b] : ends)
        links.push_back({.a = a, .b = b, .traffic_price = wanted.traffic > 0 ? 2 * wanted.traffic * random.uniform() : 0});
    instance made{.net = placement::network::make(sites, links).value(), .jobs = {}};

    const double most = wanted.fill * static_cast<double>(made.net.free_slots());
    double tasks = 0;
    for (;;) {
        if (wanted.job_count > 0 && made.jobs.size() == wanted.job_count) return made;
        auto job = job_of(wanted, random);
        tasks += job.tasks();
        if (wanted.job_count == 0 && tasks > most) return made;
        made.jobs.push_back(std::move(job));
    }
}

/// The instance of a row by name; Abilene's rows included.
[[nodiscard]] inline instance make_instance(std::string_view name, std::uint64_t seed) {
    const auto wanted = find_row(name).value();
    if (wanted.topology.empty()) return make_instance(wanted, seed);
    return make_instance(wanted, seed, {abilene_links.begin(), abilene_links.end()});
}

}  // namespace placement_bench

#endif
