// How good plans are and what they take: ours beside random walks, first fit and greedy choice, on instances made from
// seeds.
#include <fmt/format.h>
#include <bellamy/placement/consensus.hpp>
#include <bellamy/placement/place.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../examples/support/program.hpp"
#include "support/heap.hpp"
#include "support/placement_instances.hpp"
#include "support/placement_peers.hpp"

namespace {

using placement_bench::instance;
using placement_bench::row;
namespace placement = bellamy::placement;

struct arguments {
    std::vector<std::string> rows;
    std::vector<std::string> methods;
    std::uint64_t instances = 30;
    double budget_s = 1;
    int threads = 1;
    std::string topologies;
    std::string out;
};

struct contender {
    std::string name;
    std::function<placement::plan(const instance&, std::uint64_t seed)> plan;
};

[[nodiscard]] placement::plan crawled(const instance& given, std::uint64_t seed, int walks, int passes, int rounds) {
    return placement::crawl(given.net, given.jobs, {.seed = seed, .walks = walks, .passes = passes, .rounds = rounds})
        .value();
}

[[nodiscard]] std::vector<contender> all_contenders(const arguments& given) {
    const auto consensus = [&given](int plans) {
        return [&given, plans](const instance& made, std::uint64_t seed) {
            return placement::place_by_consensus(
                       made.net, made.jobs, {.rounds = 100, .threads = given.threads, .crawled_plans = plans, .seed = seed})
                .value();
        };
    };
    return {
        {"random",
         [](const instance& made, std::uint64_t seed) { return placement_bench::random_walks(made.net, made.jobs, seed); }},
        {"first-fit",
         [](const instance& made, std::uint64_t) { return placement_bench::first_fit(made.net, false).place(made.jobs); }},
        {"first-fit-price",
         [](const instance& made, std::uint64_t) { return placement_bench::first_fit(made.net, true).place(made.jobs); }},
        {"greedy",
         [](const instance& made, std::uint64_t) { return placement::place_greedily(made.net, made.jobs).value(); }},
        {"small",
         [](const instance& made, std::uint64_t) { return placement::place_by_local_search(made.net, made.jobs).value(); }},
        {"exact", [](const instance& made, std::uint64_t) { return placement::place_exactly(made.net, made.jobs).value(); }},
        {"consensus", consensus(0)},
        {"consensus-columns", consensus(20)},
        {"crawl-1-0-0", [](const instance& made, std::uint64_t seed) { return crawled(made, seed, 1, 0, 0); }},
        {"crawl-3-1-0", [](const instance& made, std::uint64_t seed) { return crawled(made, seed, 3, 1, 0); }},
        {"crawl-5-2-0", [](const instance& made, std::uint64_t seed) { return crawled(made, seed, 5, 2, 0); }},
        {"crawl-5-2-10", [](const instance& made, std::uint64_t seed) { return crawled(made, seed, 5, 2, 10); }},
        {"place", [&given](const instance& made, std::uint64_t seed) {
             return placement::place(made.net, made.jobs, {.seed = seed, .budget_s = given.budget_s}).value().plan;
         }}};
}

/// Links of a topology in the file of golden numbers.
[[nodiscard]] placement_bench::link_ends links_of(const std::string& file, const std::string& name) {
    std::ifstream in(file);
    if (!in) throw tools::tool_error("cannot_read", fmt::format("expected a file that can be read at {}, found none", file));
    const auto flat = nlohmann::json::parse(in).at("topologies").at(name).at("links").get<std::vector<std::uint32_t>>();
    placement_bench::link_ends links;
    for (std::size_t i = 0; i + 1 < flat.size(); i += 2) links.emplace_back(flat[i], flat[i + 1]);
    return links;
}

[[nodiscard]] instance make(const row& wanted, std::uint64_t seed, const arguments& given) {
    if (wanted.topology.empty() || wanted.topology == "Abilene") return placement_bench::make_instance(wanted.name, seed);
    return placement_bench::make_instance(wanted, seed, links_of(given.topologies, std::string(wanted.topology)));
}

/// What a plan took.
struct spent {
    double seconds = 0;
    double heap_mb = 0;
};

/// In the format of bellamy place.
void write_instance(const instance& made, const std::filesystem::path& folder, const std::string& name,
                    const placement::plan& ours, const spent& took) {
    nlohmann::json sites{{"data_centres", nlohmann::json::array()}, {"links", nlohmann::json::array()}};
    for (const auto& each : made.net.data_centres())
        sites["data_centres"].push_back({{"slots", each.slots},
                                         {"load", each.load},
                                         {"price", each.price_per_kwh},
                                         {"pue", each.pue},
                                         {"idle", each.idle_kw_per_slot},
                                         {"dynamic", each.dynamic_kw_per_slot},
                                         {"exponent", each.exponent},
                                         {"switch_on", each.switch_on_kw}});
    for (const auto& each : made.net.links()) sites["links"].push_back({each.a, each.b, each.traffic_price});
    auto jobs = nlohmann::json::array();
    for (const auto& job : made.jobs) {
        auto edges = nlohmann::json::array();
        for (const auto& each : job.edges()) edges.push_back({each.a, each.b, each.traffic});
        jobs.push_back({{"tasks", job.tasks()}, {"edges", edges}});
    }
    std::filesystem::create_directories(folder);
    std::ofstream(folder / (name + ".json")) << nlohmann::json{{"sites", sites},
                                                               {"jobs", jobs},
                                                               {"ours",
                                                                {{"cost_rate", ours.cost_rate},
                                                                 {"added_rate", ours.added_rate},
                                                                 {"unplaced", ours.unplaced.size()},
                                                                 {"lower_bound", ours.lower_bound},
                                                                 {"seconds", took.seconds},
                                                                 {"heap_mb", took.heap_mb}}}};
}

struct score {
    double ratio_sum = 0;
    double ratio_most = 0;
    double seconds = 0;
    double heap_mb = 0;  // the most of any plan
    std::size_t unplaced = 0;
    std::size_t instances_unplaced = 0;
    std::uint64_t count = 0;
};

/// Added cost over what it must be at least: the optimum on the rows of six data centres, else the best bound that any of
/// the plans that place as many jobs proves.
[[nodiscard]] double reference(const instance& made, const placement::plan& found) {
    if (made.net.size() <= 6) {
        if (const auto best = placement::place_exactly(made.net, made.jobs);
            best && best->unplaced.size() == found.unplaced.size())
            return best->added_rate;
    }
    std::uint64_t tasks = 0;
    for (std::uint32_t job = 0; job < made.jobs.size(); ++job)
        if (found.places(job)) tasks += made.jobs[job].tasks();
    return placement::pooled_bound(made.net, tasks) - made.net.base_cost_rate();
}

[[nodiscard]] score measure(const row& wanted, const contender& who, const arguments& given) {
    score sum;
    for (std::uint64_t seed = 0; seed < given.instances; ++seed) {
        const auto made = make(wanted, seed, given);
        const bench::heap_watch heap;
        const auto begin = std::chrono::steady_clock::now();
        const auto found = who.plan(made, seed);
        const spent took{.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                         .heap_mb = heap.most_mb()};
        sum.seconds += took.seconds;
        sum.heap_mb = std::max(sum.heap_mb, took.heap_mb);
        static_cast<void>(placement::check(made.net, made.jobs, found).value());
        const double ratio = found.added_rate / reference(made, found);
        sum.ratio_sum += ratio;
        sum.ratio_most = std::max(sum.ratio_most, ratio);
        sum.unplaced += found.unplaced.size();
        if (!found.unplaced.empty()) ++sum.instances_unplaced;
        ++sum.count;
        if (!given.out.empty()) write_instance(made, given.out, fmt::format("{}-{}", wanted.name, seed), found, took);
    }
    return sum;
}

[[nodiscard]] row find(const std::string& name) {
    const auto found = placement_bench::find_row(name);
    if (!found)
        throw tools::tool_error("invalid_option", fmt::format("expected a row of the table of instances, found {}", name));
    return *found;
}

void run(const arguments& given) {
    const auto contenders = all_contenders(given);
    fmt::print(
        "| row | method | added cost / bound: mean | max | unplaced: instances | jobs | ms per plan "
        "| heap, MB |\n|---|---|---|---|---|---|---|---|\n");
    for (const auto& name : given.rows) {
        const auto wanted = find(name);
        if (!wanted.topology.empty() && wanted.topology != "Abilene" && given.topologies.empty()) {
            fmt::print("| {} | skipped: --topologies names no file | | | | | | |\n", name);
            continue;
        }
        for (const auto& method : given.methods) {
            const auto who = std::find_if(contenders.begin(), contenders.end(),
                                          [&](const contender& each) { return each.name == method; });
            if (who == contenders.end())
                throw tools::tool_error("invalid_option", fmt::format("expected a method, found {}", method));
            const auto sum = measure(wanted, *who, given);
            fmt::print("| {} | {} | {:.4f} | {:.4f} | {} | {} | {:.3g} | {:.2f} |\n", name, method,
                       sum.ratio_sum / static_cast<double>(sum.count), sum.ratio_most, sum.instances_unplaced, sum.unplaced,
                       1e3 * sum.seconds / static_cast<double>(sum.count), sum.heap_mb);
            std::fflush(stdout);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Compares ways to place jobs over data centres.", "placement");
    arguments given{.rows = {"small", "medium30", "large"},
                    .methods = {"random", "first-fit-price", "crawl-5-2-0"},
                    .topologies = {},
                    .out = {}};
    app.add_option("--rows", given.rows, "Rows of the table of instances, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--methods", given.methods,
                   "random, first-fit, first-fit-price, greedy, small, exact, consensus, consensus-columns, crawl-1-0-0, "
                   "crawl-3-1-0, "
                   "crawl-5-2-0, crawl-5-2-10, place")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--instances", given.instances, "Per row; seeds from 0")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--budget", given.budget_s, "Of place, in seconds")->capture_default_str();
    app.add_option("--threads", given.threads, "Of consensus")->capture_default_str();
    app.add_option("--topologies", given.topologies,
                   "File with the links of Geant2012, Cogentco and Kdl: tests/golden/placement.json");
    app.add_option("--out", given.out, "Folder for the instances with the costs of the last method, for placement_peers.py");
    return tools::run_program(app, argc, argv, [&] { run(given); });
}
