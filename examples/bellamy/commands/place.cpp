// Places jobs over sites so that they add the least cost of power and traffic, and says how far that is from a proved bound;
// or walks through days of arriving jobs with a strategy that is learned.
#include <fmt/format.h>
#include <bellamy/placement/choose_variants.hpp>
#include <bellamy/placement/place.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../../support/arguments.hpp"
#include "../../support/json_record.hpp"
#include "../../support/made_up_days.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/placement_days_answer.hpp"
#include "../../support/placement_defaults.hpp"
#include "../../support/placement_files.hpp"
#include "../../support/placement_plot.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../../support/progress_bar.hpp"
#include "../command.hpp"

namespace {

namespace placement = bellamy::placement;

struct place_options {
    std::optional<std::string> sites;
    std::optional<std::string> jobs;
    std::uint64_t seed = placement::place_options{}.seed;
    double budget_s = placement::place_options{}.budget_s;
    bool json = false;
    bool print_sites = false;
    bool print_jobs = false;
    bool print_arrivals = false;
    bool print_prices = false;
    std::string arrivals;
    std::string prices;
    double reaction = 0;
    std::string rule = "regret-matching";  // measured best, also where prices do not react
    std::string plot;
};

[[nodiscard]] tools::sites sites_of(const place_options& given) {
    if (!given.sites) return tools::read_sites("the embedded sites", tools::default_sites);
    return tools::read_sites(*given.sites, tools::read_json_text(*given.sites));
}

// Sizes are chosen job by job, each beside those before it; then all jobs are placed together.
struct answer {
    tools::sites where;
    std::vector<tools::placeable_job> jobs;
    std::vector<std::vector<placement::variant_assessment>> tables;
    std::vector<std::optional<placement::variant_decision>> decisions;
    std::vector<std::uint32_t> graph_of_job;  // of those that are placed
    std::vector<placement::job_graph> graphs;
    placement::placed solution;
};

// An error names the job by its number in the file, as those of reading it do.
[[nodiscard]] placement::variant_decision decide(const answer& all, std::size_t job, const std::vector<int>& load,
                                                 std::vector<placement::variant_assessment>& table,
                                                 const place_options& given) {
    const auto& each = all.jobs[job];
    auto decided = placement::choose_variant(all.where.net, load, each.variants, each.wanted, table, {.seed = given.seed});
    if (decided) return *std::move(decided);
    throw tools::tool_error(
        to_string(decided.error().code()),
        fmt::format("job {} of {}: {}", job, given.jobs.value_or("the embedded jobs"), decided.error().message()));
}

// A job without a usable variant is placed nowhere.
[[nodiscard]] answer find_answer(const place_options& given) {
    answer all{.where = sites_of(given),
               .jobs = given.jobs ? tools::read_jobs(*given.jobs, tools::read_json_text(*given.jobs))
                                  : tools::read_jobs("the embedded jobs", tools::default_jobs),
               .tables = {},
               .decisions = {},
               .graph_of_job = {},
               .graphs = {},
               .solution = {}};
    const auto& net = all.where.net;
    std::vector<int> load(net.load().begin(), net.load().end());
    for (std::size_t job = 0; job < all.jobs.size(); ++job) {
        auto& each = all.jobs[job];
        auto& table = all.tables.emplace_back(each.variants.size());
        auto& decision = all.decisions.emplace_back();
        if (!each.variants.empty()) {
            decision = decide(all, job, load, table, given);
            if (!decision->chosen) continue;
            for (const auto dc : decision->where) ++load[dc];
            each.graph = each.variants[decision->chosen->variant].graph;
        }
        all.graph_of_job.push_back(static_cast<std::uint32_t>(job));
        all.graphs.push_back(each.graph);
    }
    all.solution = placement::place(net, all.graphs, {.seed = given.seed, .budget_s = given.budget_s}).value();
    return all;
}

// Per job of the file, what the plan of the placed ones says.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> where_of_jobs(const answer& all) {
    std::vector<std::vector<std::uint32_t>> where(all.jobs.size());
    for (std::size_t i = 0; i < all.graph_of_job.size(); ++i) where[all.graph_of_job[i]] = all.solution.plan.where[i];
    return where;
}
[[nodiscard]] std::vector<std::uint32_t> unplaced_jobs(const answer& all) {
    std::vector<bool> placed(all.jobs.size(), false);
    for (std::uint32_t i = 0; i < all.graph_of_job.size(); ++i) placed[all.graph_of_job[i]] = all.solution.plan.places(i);
    std::vector<std::uint32_t> unplaced;
    for (std::uint32_t job = 0; job < placed.size(); ++job)
        if (!placed[job]) unplaced.push_back(job);
    return unplaced;
}

// Of a job of the file that is not placed: one without a usable variant that fits never came to be planned.
[[nodiscard]] std::string why_unplaced(const answer& all, std::uint32_t job) {
    const auto at = std::find(all.graph_of_job.begin(), all.graph_of_job.end(), job);
    if (at == all.graph_of_job.end()) return "no variant is usable and fits";
    const auto lacking = placement::why_unplaced(all.where.net, all.graphs, all.solution.plan,
                                                 static_cast<std::uint32_t>(at - all.graph_of_job.begin()));
    if (lacking.what == placement::shortage::links) return "no placement was found that has a link for every edge";
    return fmt::format("needs {} {}, found {}", lacking.needed, to_string(lacking.what), lacking.available);
}

[[nodiscard]] nlohmann::ordered_json as_json(const placement::variant_assessment& row) {
    nlohmann::ordered_json record{{"scale_out", row.scale_out},
                                  {"probability", row.probability},
                                  {"expected_s", row.expected_s},
                                  {"fits", row.fits},
                                  {"why", to_string(row.why)}};
    record["expected_cost"] = row.fits ? nlohmann::ordered_json(row.expected_cost) : nlohmann::ordered_json();
    return record;
}

void print_json(const answer& all) {
    const auto& plan = all.solution.plan;
    nlohmann::ordered_json record{
        {"where", where_of_jobs(all)},          {"unplaced", unplaced_jobs(all)}, {"load", plan.load},
        {"cost_rate", plan.cost_rate},          {"added_rate", plan.added_rate},  {"lower_bound", plan.lower_bound},
        {"method", to_string(all.solution.how)}};
    record["why_unplaced"] = nlohmann::ordered_json::object();
    for (const auto job : unplaced_jobs(all)) record["why_unplaced"][std::to_string(job)] = why_unplaced(all, job);
    record["variants"] = nlohmann::ordered_json::object();
    for (std::size_t job = 0; job < all.jobs.size(); ++job) {
        if (!all.decisions[job]) continue;
        auto& variant = record["variants"][std::to_string(job)] = {{"outcome", to_string(all.decisions[job]->outcome)}};
        const auto& chosen = all.decisions[job]->chosen;
        variant["chosen"] = chosen ? nlohmann::ordered_json(chosen->variant) : nlohmann::ordered_json(nullptr);
        for (const auto& row : all.tables[job]) variant["table"].push_back(as_json(row));
    }
    tools::print_record("place", std::move(record));
}

void print_variants(const answer& all) {
    for (std::size_t job = 0; job < all.jobs.size(); ++job) {
        if (!all.decisions[job]) continue;
        fmt::print("{}: {} ({:g} s, {:g} % required)\n", tools::printable(all.jobs[job].name),
                   to_string(all.decisions[job]->outcome), all.jobs[job].wanted.deadline_s,
                   100 * all.jobs[job].wanted.probability);
        for (const auto& row : all.tables[job]) {
            const auto cost = row.fits ? fmt::format("{:.4f}", row.expected_cost) : std::string("no room");
            fmt::print("  scale-out {:4}  in time {:5.1f} %  expected {:8.1f} s  cost {:>8}  {}\n", row.scale_out,
                       100 * row.probability, row.expected_s, cost, to_string(row.why));
        }
    }
}

// A job of ten tasks in two sites reads "Denver 6, Houston 4".
[[nodiscard]] std::string sites_of(const answer& all, const std::vector<std::uint32_t>& where) {
    std::map<std::uint32_t, int> counts;
    for (const auto dc : where) ++counts[dc];
    std::string text;
    for (const auto& [dc, tasks] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", tools::printable(all.where.names[dc]), tasks);
    return text;
}

// "; variant 2 of 3, scale-out 6": no row of the table is called chosen where all miss the deadline.
[[nodiscard]] std::string variant_of(const answer& all, std::size_t job) {
    const auto& decision = all.decisions[job];
    if (!decision || !decision->chosen) return {};
    return fmt::format("; variant {} of {}, scale-out {}{}", decision->chosen->variant + 1, all.tables[job].size(),
                       decision->chosen->scale_out, decision->feasible() ? "" : ", the best effort");
}

void print_plan(const answer& all) {
    const auto& plan = all.solution.plan;
    const auto where = where_of_jobs(all);
    const auto unplaced = unplaced_jobs(all);
    for (std::size_t job = 0; job < all.jobs.size(); ++job) {
        const bool placed = !std::binary_search(unplaced.begin(), unplaced.end(), static_cast<std::uint32_t>(job));
        fmt::print("{:12}  {}\n", tools::printable(all.jobs[job].name),
                   placed ? sites_of(all, where[job]) + variant_of(all, job)
                          : "no room: " + why_unplaced(all, static_cast<std::uint32_t>(job)));
    }
    fmt::print("\n{:16} {:>6} {:>6} {:>6}\n", "site", "slots", "before", "after");
    for (std::size_t i = 0; i < plan.load.size(); ++i)
        fmt::print("{:16} {:6} {:6} {:6}\n", tools::printable(all.where.names[i]), all.where.net[i].slots,
                   all.where.net[i].load, plan.load[i]);
    fmt::print("\ncost per hour {:.4f}, of which the jobs add {:.4f}; no plan adds less than {:.4f} (by {})\n",
               plan.cost_rate, plan.added_rate, plan.lower_bound - (plan.cost_rate - plan.added_rate),
               to_string(all.solution.how));
}

[[nodiscard]] tools::learning_rule rule_of(const place_options& given) {
    const auto at = std::find(tools::learning_rule_names.begin(), tools::learning_rule_names.end(), given.rule);
    return static_cast<tools::learning_rule>(at - tools::learning_rule_names.begin());
}

[[nodiscard]] tools::days_compared walk_days(const place_options& given) {
    const auto where = sites_of(given);
    const auto jobs = tools::read_arrivals(given.arrivals);
    const int last_h =
        std::max_element(jobs.begin(), jobs.end(), [](const auto& x, const auto& y) { return x.ends_h < y.ends_h; })->ends_h;
    tools::hourly_prices prices{.sites = where.net.size()};
    if (given.prices.empty())
        for (const auto& site : where.net.data_centres()) prices.prices.push_back(site.price_per_kwh);
    else
        prices = tools::read_prices(given.prices, where.names, last_h);
    const tools::power_market market(where.net, prices, given.reaction);
    tools::progress_bar bar("placing");
    return tools::compare_days(market, jobs, rule_of(given), given.seed, [&](double done) { bar.advance(done, "placing"); });
}

int place_days(const place_options& given) {
    tools::require_outputs(
        {{"--plot", given.plot}},
        {{"--sites", given.sites.value_or("")}, {"--arrivals", given.arrivals}, {"--prices", given.prices}});
    const auto all = walk_days(given);
    given.json ? tools::print_days_json(all) : tools::print_days(all);
    if (!given.plot.empty()) tools::write_days_plot(all, given.plot);
    return 0;
}

int place(const place_options& given) {
    if (given.print_sites || given.print_jobs) {
        fmt::print("{}\n", given.print_sites ? tools::default_sites : tools::default_jobs);
        return 0;
    }
    if (given.print_arrivals) {
        fmt::print("{}", tools::made_up_arrivals(72, given.seed));
        return 0;
    }
    if (given.print_prices) {
        const auto where = sites_of(given);
        fmt::print("{}", tools::made_up_prices(where.names, where.net));
        return 0;
    }
    if (!given.arrivals.empty()) return place_days(given);
    std::vector<tools::named_path> inputs{{"--sites", given.sites.value_or("")}, {"--jobs", given.jobs.value_or("")}};
    tools::require_outputs({{"--plot", given.plot}}, inputs);
    const auto all = [&] {
        tools::progress_bar bar("searching");
        return find_answer(given);
    }();
    for (const auto& each : all.jobs) inputs.push_back({"the model of " + each.name, each.model_file});
    tools::require_outputs({{"--plot", given.plot}}, inputs);
    if (given.json) {
        print_json(all);
    } else {
        print_variants(all);
        print_plan(all);
    }
    if (!given.plot.empty()) tools::write_placement_plot(all.where, all.solution.plan, given.plot);
    return 0;
}

}  // namespace

tools::command_body tools::declare_place(CLI::App& app) {
    app.description("Places jobs over sites so that they add the least cost of power and traffic.");
    const auto given = std::make_shared<place_options>();
    app.add_option(
        "--sites", given->sites,
        "JSON file of data centres and links; default: Abilene (Internet Topology Zoo, Knight et al. 2011, CC BY 4.0) "
        "with electricity prices of 2023 (EIA)");
    auto* jobs =
        app.add_option("--jobs", given->jobs, "JSON file of jobs, each a graph or several variants with a deadline");
    auto* arrivals =
        app.add_option("--arrivals", given->arrivals,
                       "Table of jobs that arrive and end: choose a strategy anew every hour, and say what each "
                       "would have cost")
            ->excludes(jobs);
    app.add_option("--prices", given->prices, "Table of prices by hour and site; 24 hours repeat every day")
        ->needs(arrivals);
    app.add_option("--reaction", given->reaction, "Rise of a site's price until all its slots are taken: 1 doubles it")
        ->capture_default_str()
        ->check(tools::is_between(0, 1000))
        ->needs(arrivals);
    app.add_option("--rule", given->rule, "How the strategy is learned; exp3 sees the bill of the chosen one only")
        ->capture_default_str()
        ->check(
            tools::is_one_of(std::vector<std::string>(tools::learning_rule_names.begin(), tools::learning_rule_names.end())))
        ->needs(arrivals);
    app.add_option("--seed", given->seed, "Seed of everything random")->capture_default_str();
    as_time(app.add_option("--budget", given->budget_s, "About how long the search may take")->capture_default_str())
        ->excludes(arrivals);
    auto* json = app.add_flag("--json", given->json, "Print the plan and all variants as one line of JSON");
    app.add_option("--plot", given->plot,
                   "SVG file for sites, links and loads or, with --arrivals, costs over time (through gnuplot)");
    auto* sites =
        app.add_flag("--print-sites", given->print_sites, "Print the embedded sites, to start a file of your own from")
            ->excludes(json);
    auto* print_jobs =
        app.add_flag("--print-jobs", given->print_jobs, "Print the embedded jobs, to start a file of your own from")
            ->excludes(json)
            ->excludes(sites);
    auto* print_arrivals = app.add_flag("--print-arrivals", given->print_arrivals, "Print made-up arrivals of three days")
                               ->excludes(json)
                               ->excludes(sites)
                               ->excludes(print_jobs);
    app.add_flag("--print-prices", given->print_prices, "Print made-up prices of a day at the sites")
        ->excludes(json)
        ->excludes(sites)
        ->excludes(print_jobs)
        ->excludes(print_arrivals);
    app.footer(
        "Exit code: 0, also where a job has no room or no variant that meets its deadline\n"
        "(its outcome says so); 1 for bad input, 2 for wrong usage.");
    set_essential(app, {"--sites", "--jobs", "--arrivals", "--prices", "--json", "--plot", "--print-sites", "--print-jobs"});
    return [given] { return place(*given); };
}
