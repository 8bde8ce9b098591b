// What predictions are worth to a scheduler of several sites: energy and missed deadlines with runtimes known, predicted or
// not.
#include <fmt/format.h>
#include <bellamy/placement/arrivals.hpp>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../examples/support/program.hpp"
#include "support/placement_instances.hpp"

namespace {

namespace placement = bellamy::placement;
using bellamy::detail::random_generator;

constexpr std::array<int, 6> scale_outs{2, 3, 4, 6, 8, 12};
constexpr double probability = 0.9;

struct arguments {
    std::uint64_t seeds = 20;
    int arrivals = 100;
    double offered_load = 0.8;
};

/// A job with its true runtimes, the same prediction error at all scale-outs, and a deadline that most scale-outs keep.
struct job {
    double arrival_s = 0;
    double work_s = 0;
    double serial_share = 0;
    double error = 0;  // standard normal; predictions are off by exp(-deviation * error)
    double deadline_s = 0;

    [[nodiscard]] double runtime_s(int scale_out) const noexcept {
        return work_s * (serial_share + (1 - serial_share) / scale_out);
    }
};

/// Sites that are mostly switched off, so that it matters where a job goes.
[[nodiscard]] placement::network sites_of(std::uint64_t seed) {
    const placement_bench::row wanted{"arrivals", 20, 4, 8, 16, 0, 3, 1, 0, placement_bench::shapes::small, 0.1};
    return placement_bench::make_instance(wanted, seed).net;
}

[[nodiscard]] std::vector<job> jobs_of(const arguments& given, const placement::network& net, std::uint64_t seed) {
    random_generator random(seed + 1000);
    std::vector<job> jobs;
    constexpr double mean_work_s = 2400;
    // A unit of scale-out works about as long as the work takes: slots are busy for the offered share of the time.
    const double gap_s = mean_work_s * 1.3 / (given.offered_load * static_cast<double>(net.free_slots()));
    double now_s = 0;
    for (int i = 0; i < given.arrivals; ++i) {
        now_s -= gap_s * std::log(1 - random.uniform());
        job one{.arrival_s = now_s};
        one.work_s = mean_work_s * std::exp(0.5 * random.normal() - 0.125);
        one.serial_share = 0.02 + 0.08 * random.uniform();
        one.error = random.normal();
        one.deadline_s = one.runtime_s(6) * (0.9 + 1.2 * random.uniform());
        jobs.push_back(one);
    }
    return jobs;
}

/// How a scheduler sees a job: runtimes with a log-normal error of this deviation, known where it is 0; with `fixed`, always
/// that many units.
struct scheduler {
    std::string name;
    double deviation = 0;
    bool by_median = false;
    int fixed = 0;
};

[[nodiscard]] bellamy::prediction seen_by(const scheduler& who, const job& one, int scale_out) {
    bellamy::prediction made{.median_s = one.runtime_s(scale_out) * std::exp(-who.deviation * one.error)};
    if (who.deviation <= 0 || who.by_median) return made;
    made.is_point = false;
    for (std::size_t i = 0; i < made.log_quantiles.size(); ++i)
        made.log_quantiles[i] = std::log(made.median_s) + who.deviation * bellamy::detail::quantile_deviates[i];
    return made;
}

struct totals {
    double cost = 0;
    double work_s = 0;
    int missed = 0;
    int rejected = 0;
    int jobs = 0;
};

void simulate(const arguments& given, const scheduler& who, std::uint64_t seed, totals& sum) {
    const auto net = sites_of(seed);
    placement::data_centre_state state(net, {.seed = seed, .limits = {.strategies = 0}});
    std::multimap<double, placement::data_centre_state::ticket> ends;
    const auto depart_until = [&](double now_s) {
        for (; !ends.empty() && ends.begin()->first <= now_s; ends.erase(ends.begin()))
            state.depart(ends.begin()->second, ends.begin()->first).value();
    };
    double last_s = 0;
    for (const auto& one : jobs_of(given, net, seed)) {
        depart_until(one.arrival_s);
        std::vector<placement::variant> variants;
        for (const int x : scale_outs)
            if (who.fixed == 0 || who.fixed == x)
                variants.push_back({.scale_out = x,
                                    .graph = placement::job_graph::star(static_cast<std::uint32_t>(x)).value(),
                                    .runtime = seen_by(who, one, x)});
        const auto answer =
            state.place(variants, {.deadline_s = one.deadline_s, .probability = probability}, one.arrival_s).value();
        ++sum.jobs;
        if (!answer.accepted) {
            ++sum.rejected;
            continue;
        }
        const double runtime_s = one.runtime_s(answer.decision.chosen->scale_out);
        // A deadline that is met to the rounding of a double is met.
        if (runtime_s > one.deadline_s * (1 + 1e-9)) ++sum.missed;
        sum.work_s += one.work_s;
        ends.emplace(one.arrival_s + runtime_s, *answer.accepted);
        last_s = std::max(last_s, one.arrival_s + runtime_s);
    }
    depart_until(last_s);
    sum.cost += state.cost_so_far(last_s);
}

void run(const arguments& given) {
    std::vector<scheduler> all{{.name = "runtimes known"}};
    for (const double deviation : {0.1, 0.25, 0.5}) {
        all.push_back({.name = fmt::format("predicted, deviation {}, quantile", deviation), .deviation = deviation});
        all.push_back(
            {.name = fmt::format("predicted, deviation {}, median", deviation), .deviation = deviation, .by_median = true});
    }
    for (const int x : {6, 12}) all.push_back({.name = fmt::format("not predicted, always {} units", x), .fixed = x});
    fmt::print(
        "| runtimes | cost per work, of that with runtimes known | deadlines missed | rejected |\n|---|---|---|---|\n");
    double known = 0;
    for (const auto& who : all) {
        totals sum;
        for (std::uint64_t seed = 0; seed < given.seeds; ++seed) simulate(given, who, seed, sum);
        const double cost = sum.cost / sum.work_s;
        if (&who == &all.front()) known = cost;
        const auto share = [&](int count) { return 100.0 * count / sum.jobs; };
        fmt::print("| {} | {:.2f} | {:.1f} % | {:.1f} % |\n", who.name, cost / known, share(sum.missed),
                   share(sum.rejected));
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Simulates arrivals of jobs at several sites, with runtimes known, predicted or not.",
                 "placement_arrivals");
    arguments given;
    app.add_option("--seeds", given.seeds, "Networks and streams of jobs")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000));
    app.add_option("--arrivals", given.arrivals, "Jobs of a stream")->capture_default_str()->check(CLI::Range(1, 1'000'000));
    app.add_option("--load", given.offered_load, "Work offered, as a share of the slots")
        ->capture_default_str()
        ->check(CLI::Range(0.01, 10.0));
    return tools::run_program(app, argc, argv, [&] { run(given); });
}
