// What predictions are worth to a scheduler of several sites: energy and missed deadlines with runtimes known, predicted or
// not. With --rounds, what learning which strategy to use costs against the best fixed one.
#include <fmt/format.h>
#include <bellamy/placement/arrivals.hpp>
#include <bellamy/pretrain.hpp>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "../examples/support/program.hpp"
#include "support/placement_instances.hpp"
#include "support/records.hpp"
#include "support/splits.hpp"
#include "support/strategy_rounds.hpp"

namespace {

namespace placement = bellamy::placement;
using bellamy::detail::random_generator;

constexpr std::array<int, 6> scale_outs{2, 3, 4, 6, 8, 12};
constexpr int usual_scale_out = 6;
constexpr double probability = 0.9;

struct arguments {
    std::uint64_t seeds = 20;
    int arrivals = 100;
    double offered_load = 0.8;
    std::string c3o;
    std::string splits;
    int threads = 1;
    std::size_t rounds = 0;
    std::vector<std::size_t> sites{6, 40, 150, 1000};
    std::string json;
};

/// A size that a job may have: how long it runs then, and how long a scheduler thinks that it runs.
struct job_size {
    int scale_out = 1;
    double runtime_s = 0;
    bellamy::prediction seen{};
};

struct job {
    double arrival_s = 0;
    double deadline_s = 0;
    double work_s = 0;
    std::vector<job_size> sizes{};
};

/// Sites that are mostly switched off, so that it matters where a job goes.
[[nodiscard]] placement::network sites_of(std::uint64_t seed) {
    const placement_bench::row wanted{"arrivals", 20, 4, 8, 16, 0, 3, 1, 0, placement_bench::shapes::small, 0.1};
    return placement_bench::make_instance(wanted, seed).net;
}

/// Slots are busy for the offered share of the time where jobs work as long as they do on average.
[[nodiscard]] double gap_s(const arguments& given, const placement::network& net, double mean_slot_s) {
    return mean_slot_s / (given.offered_load * static_cast<double>(net.free_slots()));
}

/// What a scheduler knows; the jobs of a stream are the same for all.
struct scheduler {
    std::string name;
    std::function<std::vector<job>(const placement::network&, std::uint64_t seed)> jobs;
};

/// Leaves one size, which a scheduler without predictions takes always.
[[nodiscard]] std::vector<job> always(std::vector<job> jobs, int scale_out) {
    for (auto& one : jobs) {
        std::erase_if(one.sizes, [&](const job_size& each) { return each.scale_out != scale_out; });
        for (auto& each : one.sizes) each.seen = {.median_s = each.runtime_s};
    }
    return jobs;
}

/// How predictions are off: log-normally with this deviation, the same error at all scale-outs of a job.
struct made_up_error {
    double deviation = 0;
    bool by_median = false;
};

[[nodiscard]] bellamy::prediction seen_with(const made_up_error& how, double runtime_s, double error) {
    bellamy::prediction made{.median_s = runtime_s * std::exp(-how.deviation * error)};
    if (how.deviation <= 0 || how.by_median) return made;
    made.is_point = false;
    for (std::size_t i = 0; i < made.log_quantiles.size(); ++i)
        made.log_quantiles[i] = std::log(made.median_s) + how.deviation * bellamy::detail::standard_normal_quantiles[i];
    return made;
}

[[nodiscard]] std::vector<job> made_up_jobs(const arguments& given, const placement::network& net, std::uint64_t seed,
                                            const made_up_error& how) {
    random_generator random(seed + 1000);
    std::vector<job> jobs;
    constexpr double mean_work_s = 2400;
    const double gap = gap_s(given, net, 1.3 * mean_work_s);
    double now_s = 0;
    for (int i = 0; i < given.arrivals; ++i) {
        now_s -= gap * std::log(1 - random.uniform());
        job one{.arrival_s = now_s};
        one.work_s = mean_work_s * std::exp(0.5 * random.normal() - 0.125);
        const double serial_share = 0.02 + 0.08 * random.uniform();
        const double error = random.normal();
        const auto runtime_s = [&](int x) { return one.work_s * (serial_share + (1 - serial_share) / x); };
        for (const int x : scale_outs)
            one.sizes.push_back({.scale_out = x, .runtime_s = runtime_s(x), .seen = seen_with(how, runtime_s(x), error)});
        one.deadline_s = runtime_s(usual_scale_out) * (0.9 + 1.2 * random.uniform());
        jobs.push_back(one);
    }
    return jobs;
}

[[nodiscard]] std::vector<scheduler> made_up_schedulers(const arguments& given) {
    const auto seen = [&given](made_up_error how) {
        return [&given, how](const auto& net, std::uint64_t seed) { return made_up_jobs(given, net, seed, how); };
    };
    std::vector<scheduler> all{{.name = "known", .jobs = seen({})}};
    for (const double deviation : {0.1, 0.25, 0.5}) {
        all.push_back({fmt::format("predicted, deviation {}, quantile", deviation), seen({.deviation = deviation})});
        all.push_back(
            {fmt::format("predicted, deviation {}, median", deviation), seen({.deviation = deviation, .by_median = true})});
    }
    for (const int x : {usual_scale_out, 12})
        all.push_back({fmt::format("not predicted, always {} units", x), [&given, x](const auto& net, std::uint64_t seed) {
                           return always(made_up_jobs(given, net, seed, {}), x);
                       }});
    return all;
}

/// A context that the model has not seen, with what is thought of it.
struct recorded_job {
    std::vector<int> scale_outs{};
    std::vector<double> runtime_s{};  // median of the repetitions
    std::vector<bellamy::prediction> predicted{};
    std::vector<double> mean_s{};  // of the other contexts' runs

    [[nodiscard]] double usual_runtime_s() const {
        const auto at = std::ranges::find(scale_outs, usual_scale_out);
        return runtime_s[static_cast<std::size_t>(at - scale_outs.begin())];
    }
};

/// By scale-out, the runtimes of some runs.
[[nodiscard]] std::map<int, std::vector<double>> by_scale_out(const std::vector<bellamy::run>& runs) {
    std::map<int, std::vector<double>> all;
    for (const auto& each : runs) all[each.scale_out].push_back(each.runtime_s);
    for (auto& [x, runtimes_s] : all) std::ranges::sort(runtimes_s);
    return all;
}

/// Every context of the splits in turn: best mode learns all others of its algorithm, and no run of this one.
[[nodiscard]] std::vector<recorded_job> recorded_jobs(const arguments& given) {
    std::set<std::pair<std::string, std::uint32_t>> targets;
    for (const auto& each : bench::read_splits(given.splits))
        if (each.k == 0) targets.emplace(each.algorithm, static_cast<std::uint32_t>(each.context));
    std::map<std::string, bench::record_table> tables;
    std::vector<recorded_job> all;
    for (const auto& [algorithm, context] : targets) {
        if (!tables.contains(algorithm)) tables.emplace(algorithm, bench::read_records({.c3o = given.c3o}, algorithm));
        const auto& table = tables.at(algorithm);
        const auto history = table.history_of(context);
        std::vector<bellamy::run> own;
        for (std::size_t i = 0; i < table.runs.size(); ++i)
            if (table.has(i, context)) own.push_back(table.runs[i]);
        const auto others = by_scale_out(history);
        const auto general = bellamy::pretrain(history, {.threads = given.threads}).value().model;
        auto& made = all.emplace_back();
        for (const auto& [x, runtimes_s] : by_scale_out(own)) {
            const auto seen = others.find(x);
            if (seen == others.end()) continue;
            const auto one =
                std::ranges::find_if(own, [scale_out = x](const auto& each) { return each.scale_out == scale_out; });
            made.scale_outs.push_back(x);
            made.runtime_s.push_back(runtimes_s[runtimes_s.size() / 2]);
            made.predicted.push_back(general.bind(one->context).value().at(x));
            made.mean_s.push_back(std::accumulate(seen->second.begin(), seen->second.end(), 0.0) /
                                  static_cast<double>(seen->second.size()));
        }
        if (std::ranges::find(made.scale_outs, usual_scale_out) == made.scale_outs.end()) all.pop_back();
    }
    return all;
}

/// A stream of recorded jobs; `seen(job, i)` is what is thought of its i-th scale-out.
template <class Seen>
[[nodiscard]] std::vector<job> stream_of(const arguments& given, const std::vector<recorded_job>& recorded,
                                         const placement::network& net, std::uint64_t seed, const Seen& seen) {
    double mean_slot_s = 0;
    for (const auto& each : recorded)
        mean_slot_s += usual_scale_out * each.usual_runtime_s() / static_cast<double>(recorded.size());
    random_generator random(seed + 1000);
    std::vector<job> jobs;
    const double gap = gap_s(given, net, mean_slot_s);
    double now_s = 0;
    for (int i = 0; i < given.arrivals; ++i) {
        now_s -= gap * std::log(1 - random.uniform());
        const auto& from = recorded[random.below(recorded.size())];
        job one{.arrival_s = now_s,
                .deadline_s = from.usual_runtime_s() * (0.9 + 1.2 * random.uniform()),
                .work_s = usual_scale_out * from.usual_runtime_s()};
        for (std::size_t k = 0; k < from.scale_outs.size(); ++k)
            one.sizes.push_back({.scale_out = from.scale_outs[k], .runtime_s = from.runtime_s[k], .seen = seen(from, k)});
        jobs.push_back(std::move(one));
    }
    return jobs;
}

[[nodiscard]] std::vector<scheduler> recorded_schedulers(const arguments& given, const std::vector<recorded_job>& recorded) {
    const auto seeing = [&](auto seen) {
        return [&given, &recorded, seen](const auto& net, std::uint64_t seed) {
            return stream_of(given, recorded, net, seed, seen);
        };
    };
    const auto known = [](const recorded_job& of, std::size_t k) {
        return bellamy::prediction{.median_s = of.runtime_s[k]};
    };
    const auto fixed = [&, known](int x) {
        return [&given, &recorded, known, x](const auto& net, std::uint64_t seed) {
            return always(stream_of(given, recorded, net, seed, known), x);
        };
    };
    return {{"known", seeing(known)},
            {"bellamy, quantile", seeing([](const recorded_job& of, std::size_t k) { return of.predicted[k]; })},
            {"bellamy, median", seeing([](const recorded_job& of, std::size_t k) {
                 return bellamy::prediction{.median_s = of.predicted[k].median_s};
             })},
            {"mean of other contexts",
             seeing([](const recorded_job& of, std::size_t k) { return bellamy::prediction{.median_s = of.mean_s[k]}; })},
            {"not predicted, always 6 units", fixed(usual_scale_out)},
            {"not predicted, always 12 units", fixed(12)}};
}

struct totals {
    double cost = 0;
    double work_s = 0;
    int missed = 0;
    int rejected = 0;
    int jobs = 0;
};

void simulate(const scheduler& who, std::uint64_t seed, totals& sum) {
    const auto net = sites_of(seed);
    placement::data_centre_state state(net, {.seed = seed, .limits = {.strategies = 0}});
    std::multimap<double, placement::data_centre_state::ticket> ends;
    const auto depart_until = [&](double now_s) {
        for (; !ends.empty() && ends.begin()->first <= now_s; ends.erase(ends.begin()))
            state.depart(ends.begin()->second, ends.begin()->first).value();
    };
    double last_s = 0;
    for (const auto& one : who.jobs(net, seed)) {
        ++sum.jobs;
        if (one.sizes.empty()) {
            ++sum.rejected;
            continue;
        }
        depart_until(one.arrival_s);
        std::vector<placement::variant> variants;
        for (const auto& each : one.sizes)
            variants.push_back({.scale_out = each.scale_out,
                                .graph = placement::job_graph::star(static_cast<std::uint32_t>(each.scale_out)).value(),
                                .runtime = each.seen});
        const auto answer =
            state.place(variants, {.deadline_s = one.deadline_s, .probability = probability}, one.arrival_s).value();
        if (!answer.accepted) {
            ++sum.rejected;
            continue;
        }
        const double runtime_s = one.sizes[answer.decision.chosen->variant].runtime_s;
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
    const auto recorded = given.c3o.empty() ? std::vector<recorded_job>{} : recorded_jobs(given);
    const auto all = given.c3o.empty() ? made_up_schedulers(given) : recorded_schedulers(given, recorded);
    if (!recorded.empty()) fmt::print("{} recorded contexts\n\n", recorded.size());
    fmt::print(
        "| runtimes | cost per work, of that with runtimes known | deadlines missed | rejected |\n|---|---|---|---|\n");
    double known = 0;
    for (const auto& who : all) {
        totals sum;
        for (std::uint64_t seed = 0; seed < given.seeds; ++seed) simulate(who, seed, sum);
        const double cost = sum.cost / sum.work_s;
        if (&who == &all.front()) known = cost;
        const auto share = [&](int count) { return 100.0 * count / sum.jobs; };
        fmt::print("| {} | {:.2f} | {:.1f} % | {:.1f} % |\n", who.name, cost / known, share(sum.missed),
                   share(sum.rejected));
    }
}

/// The rules that are compared, by name; without the fixed suggestions.
[[nodiscard]] std::map<std::string, std::unique_ptr<bench::choice_rule>> choice_rules(std::size_t choices,
                                                                                      std::size_t rounds) {
    std::map<std::string, std::unique_ptr<bench::choice_rule>> rules;
    for (std::size_t i = 0; i < tools::learning_rule_names.size(); ++i)
        rules.emplace(tools::learning_rule_names[i],
                      std::make_unique<bench::learning_choice>(static_cast<tools::learning_rule>(i), choices, rounds));
    rules.emplace("uniform",
                  std::make_unique<bench::fixed_choice>(std::vector<double>(choices, 1.0 / static_cast<double>(choices))));
    rules.emplace("follow the leader", std::make_unique<bench::leader_choice>(choices));
    return rules;
}

/// The suggestion that costs least where it is chosen always.
[[nodiscard]] std::pair<std::string, bench::played_rounds> best_fixed(const bench::suggested_rounds& all,
                                                                      bench::price_kind kind) {
    std::pair<std::string, bench::played_rounds> best;
    for (std::size_t k = 0; k < all.names.size(); ++k) {
        std::vector<double> probabilities(all.names.size(), 0);
        probabilities[k] = 1;
        bench::fixed_choice rule(std::move(probabilities));
        const auto played = bench::play(all, kind, rule, {});
        if (best.first.empty() || played.mean_cost < best.second.mean_cost) best = {all.names[k], played};
    }
    return best;
}

void compare_choices(const arguments& given) {
    const std::vector<std::size_t> counted{given.rounds / 10, given.rounds / 5, given.rounds / 2, given.rounds};
    const std::vector<std::pair<std::string, bench::price_kind>> kinds{{"fixed", bench::price_kind::fixed},
                                                                       {"adaptive", bench::price_kind::adaptive},
                                                                       {"turning", bench::price_kind::turning}};
    auto rows = nlohmann::ordered_json::array();
    for (const std::size_t sites : given.sites) {
        const auto all = bench::make_rounds(sites, given.rounds, 0);
        fmt::print("{} sites: {:.2f} ms for all suggestions of a round; failed:", sites, all.suggesting_ms);
        for (std::size_t k = 0; k < all.names.size(); ++k)
            if (all.failures[k] > 0) fmt::print(" {} {}", all.names[k], all.failures[k]);
        fmt::print("\n\n| prices | rule | avoidable, % | regret after {} rounds | over root | stated | noticed | us |\n",
                   fmt::join(counted, ", "));
        fmt::print("|---|---|---|---|---|---|---|---|\n");
        for (const auto& [prices, kind] : kinds) {
            const auto add = [&, &kind_name = prices](const std::string& name, const bench::played_rounds& played) {
                std::vector<double> over_root;
                for (std::size_t i = 0; i < played.regrets.size(); ++i)
                    over_root.push_back(played.regrets[i] / std::sqrt(static_cast<double>(counted[i])));
                fmt::print("| {} | {} | {:.2f} | {:.1f} | {:.3f} | {:.2f} | {} | {:.2f} |\n", kind_name, name,
                           100 * played.mean_cost, fmt::join(played.regrets, ", "), fmt::join(over_root, ", "),
                           played.stated_constant, played.noticed_after, played.choosing_us);
                rows.push_back({{"sites", sites},
                                {"suggesting_ms", all.suggesting_ms},
                                {"prices", kind_name},
                                {"rule", name},
                                {"avoidable", 100 * played.mean_cost},
                                {"avoidable_after_turn", 100 * played.cost_after_turn},
                                {"regrets", played.regrets},
                                {"stated", played.stated_constant},
                                {"noticed_after", played.noticed_after},
                                {"choosing_us", played.choosing_us}});
            };
            for (const auto& [name, rule] : choice_rules(all.names.size(), given.rounds))
                add(name, bench::play(all, kind, *rule, counted));
            const auto best = best_fixed(all, kind);
            add("always " + best.first, best.second);
        }
        fmt::print("\n");
    }
    if (!given.json.empty()) std::ofstream(given.json) << rows.dump(1) << '\n';
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
    auto* c3o = app.add_option("--c3o", given.c3o, "Folder with C3O's tables: recorded jobs instead of made-up ones");
    auto* splits = app.add_option("--splits", given.splits, "Which contexts arrive; models learn the others");
    c3o->needs(splits);
    splits->needs(c3o);
    app.add_option("--rounds", given.rounds, "Rounds in which a rule chooses among suggestions; 0 for predictions")
        ->check(CLI::Range(10, 1'000'000));
    app.add_option("--sites", given.sites, "Sizes of the networks of these rounds")->delimiter(',')->capture_default_str();
    app.add_option("--json", given.json, "File for the figures of the rounds");
    app.add_option("--threads", given.threads, "That learn")->capture_default_str()->check(CLI::Range(1, 64));
    return tools::run_program(app, argc, argv, [&] { given.rounds > 0 ? compare_choices(given) : run(given); });
}
