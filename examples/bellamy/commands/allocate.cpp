// Chooses the cluster on which a job meets its deadline or its budget, and shows why.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/choose.hpp>
#include <bellamy/cold_start.hpp>
#include <bellamy/fine_tune.hpp>
#include <bellamy/models/grep.hpp>
#include <bellamy/models/kmeans.hpp>
#include <bellamy/models/sgd.hpp>
#include <bellamy/models/sort.hpp>
#include <bellamy/serialize.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../support/answer.hpp"
#include "../../support/answer_plot.hpp"
#include "../../support/answer_record.hpp"
#include "../../support/answer_text.hpp"
#include "../../support/arguments.hpp"
#include "../../support/json_record.hpp"
#include "../../support/machines.hpp"
#include "../../support/model_text.hpp"
#include "../../support/named_paths.hpp"
#include "../../support/parse.hpp"
#include "../../support/program.hpp"
#include "../../support/spark_size.hpp"
#include "../command.hpp"

namespace {

struct arguments {
    std::optional<std::string> model;
    std::string embedded = "sort";
    bool cold_start = false;
    std::string unit = "node";
    std::vector<std::string> properties;
    std::vector<std::string> unknown;
    std::vector<std::string> observed;
    std::vector<std::string> killed;
    std::vector<std::string> measured;
    std::optional<std::string> goal;
    std::optional<double> deadline_s;
    std::optional<double> budget;
    double probability = bellamy::request{}.probability;
    std::optional<double> cost_of_missing;
    std::optional<double> price;
    std::vector<std::string> machines;
    bellamy::price costs;
    std::optional<std::string> range;
    std::vector<int> scale_outs;
    std::uint64_t seed = 0;
    std::string strategy = "partial_unfreeze";
    const CLI::Option* of_paper_mode = nullptr;
    bool non_increasing = false;
    tools::currency currency;
    std::string format = "text";
    std::string plot;
};

// What can be asked for, as it is spelled on the command line, with the option that it needs.
struct spelled_goal {
    std::string_view name;
    bellamy::goal goal;
    std::string_view limit;
};
constexpr std::array<spelled_goal, 4> goals{{{"smallest", bellamy::goal::smallest_within_deadline, "--deadline"},
                                             {"cheapest", bellamy::goal::cheapest_within_deadline, "--deadline"},
                                             {"fastest", bellamy::goal::fastest_within_budget, "--budget"},
                                             {"least-cost", bellamy::goal::least_expected_cost, ""}}};

void declare_job(CLI::App& app, arguments& given) {
    auto* model = app.add_option("--model", given.model, "Model file, as written by bellamy pretrain");
    auto* embedded = app.add_option("--embedded", given.embedded, "Model that this program carries")
                         ->capture_default_str()
                         ->check(tools::is_one_of({"grep", "kmeans", "sgd", "sort"}))
                         ->excludes(model);
    auto* cold_start =
        app.add_flag("--cold-start", given.cold_start,
                     "Without a model: from curves of other jobs and the runs of --observe; any properties, or "
                     "none")
            ->excludes(model)
            ->excludes(embedded);
    app.add_option("--unit", given.unit, "What the scale-out counts: node, executor, slot or core")
        ->capture_default_str()
        ->check(tools::is_enumerator<bellamy::scale_out_unit::core>())
        ->needs(cold_start);
    tools::add_repeatable(app, "--property", given.properties,
                          "Property of the job, as NAME=VALUE; what scales is given per unit of scale-out; repeatable");
    tools::add_repeatable(app, "--unknown", given.unknown, "Property whose value is not known yet; repeatable");
    tools::add_repeatable(app, "--observe", given.observed,
                          "Run of this job so far, as [MACHINE:]SCALE_OUT=TIME such as 4=310 or 4=5m10s; repeatable");
    tools::add_repeatable(app, "--observe-killed", given.killed,
                          "Run of this job that was killed or failed after so long: a lower bound; repeatable");
    tools::add_repeatable(app, "--measured", given.measured,
                          "Known runtime to compare a prediction with, as [MACHINE:]SCALE_OUT=TIME; repeatable");
    auto* range =
        app.add_option("--range", given.range,
                       "Scale-outs to choose from, as FIRST:LAST or FIRST:LAST:STEP; by default those seen in training");
    tools::add_scale_outs(app, given.scale_outs, "Scale-outs to choose from, as a list 2,4,8")->excludes(range);
    app.add_flag("--non-increasing", given.non_increasing,
                 "Never predict that more units take longer, up to where the data show that they do");
    tools::add_seed(app, given.seed);
    given.of_paper_mode =
        app.add_option("--strategy", given.strategy,
                       "How a network of paper mode is reused: partial_unfreeze, full_unfreeze, partial_reset, "
                       "full_reset or local")
            ->capture_default_str()
            ->check(tools::is_enumerator<bellamy::reuse_strategy::local>());
}

void declare_request(CLI::App& app, arguments& given) {
    app.add_option("--goal", given.goal,
                   "smallest or cheapest (within --deadline), fastest (within --budget) or least-cost; by default cheapest "
                   "where there are prices, else smallest")
        ->check(tools::is_one_of({"smallest", "cheapest", "fastest", "least-cost"}));
    tools::as_time(app.add_option("--deadline", given.deadline_s, "Time from submission to the result, with --start-up")
                       ->check(tools::is_positive()));
    tools::as_money(app.add_option("--budget", given.budget, "What the run may cost, in the currency of the prices")
                        ->check(tools::is_positive()),
                    given.currency);
    tools::as_probability(
        app.add_option("--probability", given.probability, "With which the deadline or the budget must be met")
            ->capture_default_str());
    tools::as_money(app.add_option("--cost-of-missing", given.cost_of_missing,
                                   "What a missed deadline costs: part of the expected cost of the goal least-cost, which "
                                   "it makes the default")
                        ->check(tools::is_positive()),
                    given.currency);
    auto* price =
        tools::as_money(app.add_option("--price", given.price, "Of one unit of scale-out and hour, in any currency")
                            ->check(tools::is_not_negative()),
                        given.currency, true);
    tools::add_repeatable(app, "--machine", given.machines,
                          "Kind of machine to choose from, as NAME=PRICE[,PROPERTY=VALUE]...: its name as the property with "
                          "the role machine_type (or else called so), its price, and what else differs there; repeatable")
        ->excludes(price);
    tools::add_paid_times(app, given.costs);
    auto* interruptions = app.add_option("--interruptions", given.costs.interruptions_per_hour,
                                         "Of the whole cluster, per hour (spot machines)")
                              ->capture_default_str()
                              ->check(tools::is_not_negative());
    tools::as_share(app.add_option("--rerun-share", given.costs.rerun_share,
                                   "Share of the work that one interruption makes necessary again")
                        ->capture_default_str()
                        ->needs(interruptions));
    auto* format = app.add_option("--format", given.format,
                                  "text; json: everything in one line; or the choice as options of spark-submit "
                                  "(spark-submit), a properties file for it (spark-conf) or a merge patch for the "
                                  "Kubernetes operator (spark-application)")
                       ->capture_default_str()
                       ->check(tools::is_one_of({"text", "json", "spark-submit", "spark-conf", "spark-application"}));
    app.add_flag_callback(
           "--json", [&given] { given.format = "json"; }, "The same as --format json")
        ->excludes(format);
    app.add_option("--plot", given.plot, "SVG file to draw the curves into, with their 50 % and 90 % bands; needs gnuplot");
}

// For properties that no model gives a kind: a natural number where it is spelled as one, else text.
[[nodiscard]] bellamy::model start_cold(const arguments& given, const tools::property_values& properties) {
    bellamy::context example{.unit = tools::to_enumerator<bellamy::scale_out_unit::core>("--unit", given.unit)};
    for (const auto& [name, value] : properties) {
        const auto number = tools::parse_number<std::uint64_t>(value.value_or(""));
        example.essential.push_back(number ? bellamy::natural(name, *number) : bellamy::text(name, value.value_or("")));
    }
    if (!given.machines.empty())
        example.essential.push_back(bellamy::text("machine_type", "").with_role(bellamy::property_role::machine_type));
    return bellamy::cold_start(example, "job").value();
}

[[nodiscard]] bellamy::model load_model(const arguments& given, const tools::property_values& properties) {
    if (given.cold_start) return start_cold(given, properties);
    if (given.model) return tools::loaded(bellamy::load(*given.model), *given.model);
    const std::map<std::string_view, std::span<const unsigned char>> carried{{"grep", bellamy_models::grep},
                                                                             {"kmeans", bellamy_models::kmeans},
                                                                             {"sgd", bellamy_models::sgd},
                                                                             {"sort", bellamy_models::sort}};
    return bellamy::from_bytes(carried.at(given.embedded)).value();
}

[[nodiscard]] std::vector<int> scale_outs_between(int first, int last, int step = 1) {
    std::vector<int> all;
    for (std::int64_t x = first; x <= last; x += step) all.push_back(static_cast<int>(x));
    return all;
}

[[nodiscard]] std::vector<int> to_range(const std::string& text) {
    std::vector<std::optional<int>> parts;
    for (const auto& part : tools::split(text, ':')) parts.push_back(tools::parse_number<int>(part));
    const bool numbers = std::all_of(parts.begin(), parts.end(), [](const auto& each) { return each.has_value(); });
    if (!numbers || parts.size() < 2 || parts.size() > 3)
        throw tools::wrong_usage("--range", "FIRST:LAST or FIRST:LAST:STEP such as 2:12", text);
    const int first = *parts[0];
    const int last = *parts[1];
    const int step = parts.size() == 3 ? *parts[2] : 1;
    // Before anything is made of it, so that a slip of the pen does not become a list of millions.
    if (step < 1 || last < first || !bellamy::validate_scale_out(first) || !bellamy::validate_scale_out(last))
        throw tools::wrong_usage("--range",
                                 fmt::format("1 <= FIRST <= LAST <= {} and STEP >= 1", bellamy::largest_scale_out), text);
    return scale_outs_between(first, last, step);
}

// A cold start has seen nothing but what is observed.
[[nodiscard]] bellamy::scale_out_interval seen_by(const bellamy::model& general, const arguments& given) {
    if (general.kind() != bellamy::model_kind::shapes || general.basis().runs > 0) return general.basis().seen_scale_outs;
    bellamy::scale_out_interval range{1, 8};
    for (const auto* list : {&given.observed, &given.killed})
        for (const auto& each : *list)
            range.largest = std::max(
                range.largest, 2 * tools::to_measured_runtime("--observe", each.substr(each.rfind(':') + 1)).scale_out);
    range.largest = std::min(range.largest, 1000);
    return range;
}

// In their order.
[[nodiscard]] std::vector<int> each_once(const std::vector<int>& scale_outs) {
    std::vector<int> all;
    for (const int x : scale_outs)
        if (std::find(all.begin(), all.end(), x) == all.end()) all.push_back(x);
    return all;
}

[[nodiscard]] std::vector<int> candidates(const arguments& given, const bellamy::scale_out_interval& seen) {
    if (!given.scale_outs.empty()) return each_once(given.scale_outs);
    return given.range ? to_range(*given.range) : scale_outs_between(seen.smallest, seen.largest);
}

// Where a budget alone was given, the goal that it is for.
[[nodiscard]] std::string_view goal_of_budget(const arguments& given) {
    return given.budget && !given.deadline_s ? "; --budget is the limit of --goal fastest" : "";
}

// What CLI11 cannot check by itself: which goal needs and allows which limit.
[[nodiscard]] spelled_goal to_goal(const arguments& given) {
    const bool priced = given.price || !given.machines.empty();
    const auto name = given.goal.value_or(given.cost_of_missing ? "least-cost" : priced ? "cheapest" : "smallest");
    auto wanted = *std::find_if(goals.begin(), goals.end(), [&](const auto& each) { return each.name == name; });
    if (given.cost_of_missing && wanted.goal != bellamy::goal::least_expected_cost)
        throw CLI::ValidationError(fmt::format("--cost-of-missing has no meaning for the goal {}", name));
    if (given.cost_of_missing) wanted.limit = "--deadline";
    for (const auto& [limit, is_given] : {std::pair<std::string_view, bool>{"--deadline", given.deadline_s.has_value()},
                                          std::pair<std::string_view, bool>{"--budget", given.budget.has_value()}}) {
        if (wanted.limit == limit && !is_given)
            throw CLI::ValidationError(fmt::format("{} is required for the goal {}{}", limit, name, goal_of_budget(given)));
        if (wanted.limit != limit && is_given)
            throw CLI::ValidationError(fmt::format("{} has no meaning for the goal {}", limit, name));
    }
    if (wanted.goal != bellamy::goal::smallest_within_deadline && !priced)
        throw CLI::ValidationError(fmt::format("--price or --machine is required for the goal {}", name));
    return wanted;
}

void add_runs(const arguments& given, const std::vector<int>& scale_outs, std::vector<tools::machine>& machines) {
    for (const auto& each : given.observed) {
        const auto [on, runtime] = tools::to_runtime_on("--observe", each, machines);
        on->observed.push_back({.context = on->job, .scale_out = runtime.scale_out, .runtime_s = runtime.runtime_s});
    }
    for (const auto& each : given.killed) {
        const auto [on, runtime] = tools::to_runtime_on("--observe-killed", each, machines);
        on->observed.push_back(
            {.context = on->job, .scale_out = runtime.scale_out, .runtime_s = runtime.runtime_s, .censored = true});
    }
    for (const auto& each : given.measured) {
        const auto [on, runtime] = tools::to_runtime_on("--measured", each, machines);
        if (!(runtime.runtime_s > 0) || !std::isfinite(runtime.runtime_s))
            throw tools::tool_error(
                "invalid_runtime",
                fmt::format("expected a finite measured runtime > 0 seconds, found {}", runtime.runtime_s));
        if (std::find(scale_outs.begin(), scale_outs.end(), runtime.scale_out) == scale_outs.end())
            throw tools::tool_error(
                "invalid_scale_out",
                fmt::format("expected a measured runtime of a candidate, found scale-out {}", runtime.scale_out));
        if (!on->measured.emplace(runtime.scale_out, runtime.runtime_s).second)
            throw tools::wrong_usage("--measured", "every scale-out once", each);
    }
}

[[nodiscard]] CLI::ValidationError job_not_described(const bellamy::model& general, const std::string& embedded) {
    std::vector<std::string> names;
    for (const auto& each : general.schema().essential) names.push_back(each.name);
    return CLI::ValidationError(
        fmt::format("expected --model, --cold-start or, for the embedded model {}, --property {}=VALUE and so on for {}",
                    embedded, names.front(), fmt::join(std::span(names).subspan(1), ", ")));
}

// All of the work: the model meets the runs, every machine gets its curve, and one candidate is chosen.
[[nodiscard]] tools::answer find_answer(arguments& given) {
    const auto goal = to_goal(given);
    const auto strategy = tools::to_enumerator<bellamy::reuse_strategy::local>("--strategy", given.strategy);
    auto costs = given.costs;
    costs.per_unit_and_hour = given.price.value_or(0);
    auto properties = tools::to_property_values("--property", given.properties);
    for (const auto& name : given.unknown)
        if (!properties.emplace(name, std::nullopt).second)
            throw tools::tool_error("duplicate_property",
                                    fmt::format("expected {} to be either known or unknown, found it twice", name));
    const auto general = load_model(given, properties);
    if (!given.model && !given.cold_start && properties.empty()) throw job_not_described(general, given.embedded);
    if (given.of_paper_mode->count() > 0 && general.kind() != bellamy::model_kind::network)
        throw tools::wrong_usage("--strategy", "a network of paper mode", to_string(general.kind()));
    auto machines = tools::to_machines(general.schema(), properties, given.machines, costs, given.currency);
    auto scale_outs = candidates(given, seen_by(general, given));
    add_runs(given, scale_outs, machines);

    std::vector<bellamy::run> observed;
    for (const auto& each : machines) observed.insert(observed.end(), each.observed.begin(), each.observed.end());
    auto tuned = bellamy::fine_tune(general, observed, {.strategy = strategy, .seed = given.seed}).value();

    tools::answer all{.model = std::move(tuned.model),
                      .tuning = tuned.report,
                      .wanted = {.goal = goal.goal,
                                 .deadline_s = given.deadline_s.value_or(0),
                                 .budget = given.budget.value_or(0),
                                 .probability = given.probability,
                                 .cost_of_missing = given.cost_of_missing.value_or(0)},
                      .goal = std::string(goal.name),
                      .priced = given.price || !given.machines.empty(),
                      .machines = std::move(machines),
                      .scale_outs = std::move(scale_outs)};
    for (const auto& each : all.machines)
        all.curves.push_back(all.model.bind(each.job, {.non_increasing = given.non_increasing}).value());
    std::vector<bellamy::candidate> choices;
    for (std::size_t i = 0; i < all.machines.size(); ++i)
        for (const int x : all.scale_outs)
            choices.push_back({.runtimes = &all.curves[i], .scale_out = x, .costs = all.machines[i].costs});
    all.table.resize(choices.size());
    all.choice = bellamy::choose(choices, all.wanted, all.table).value();
    return all;
}

// Cores and memory as the job's properties tell them: under the names that `bellamy import` gives, or by their roles.
[[nodiscard]] tools::spark_size submitted(const tools::answer& all) {
    tools::spark_size before{.executors = 1};
    const auto& row = *all.choice.candidate;
    const auto& job = all.machines[all.machine_of(row)].job;
    for (const auto* list : {&job.essential, &job.optional})
        for (const auto& each : *list) {
            const auto* number = each.value.natural();
            if (number == nullptr) continue;
            const auto value = static_cast<std::int64_t>(*number);
            if (each.name == "executor_cores") before.executor_cores = value;
            if (each.name == "executor_memory_MB") before.executor_memory_mb = value;
        }
    return tools::size_of(row.scale_out, all.model.schema().unit, before);
}

void print_submission(const tools::answer& all, const std::string& format) {
    if (!all.choice.candidate)
        throw tools::tool_error("no_choice", "expected a candidate with a usable prediction, found none");
    const auto size = submitted(all);
    if (format == "spark-submit") {
        fmt::print("{}\n", to_spark_submit(size));
    } else if (format == "spark-conf") {
        fmt::print("{}", to_spark_conf(size));
    } else {
        fmt::print("{}", to_spark_application(size));
    }
}

[[nodiscard]] int allocate(arguments& given) {
    tools::require_outputs({{"--plot", given.plot}}, {{"--model", given.model.value_or("")}});
    const auto all = find_answer(given);
    if (given.format == "json") {
        tools::print_record("allocate", tools::to_json(all));
    } else if (given.format != "text") {
        print_submission(all, given.format);
    } else {
        tools::print_basis(all, given.strategy);
        tools::print_table(all);
        tools::print_curve(all);
        tools::print_choice(all);
        tools::print_what_contradicts(all);
    }
    if (!given.plot.empty()) tools::write_plot(all, given.plot);
    return all.choice.meets_limit() ? 0 : tools::infeasible;
}

}  // namespace

tools::command_body tools::declare_allocate(CLI::App& app) {
    app.description("Chooses the cluster on which a job meets its deadline or budget, and shows why.");
    const auto given = std::make_shared<arguments>();
    declare_job(app, *given);
    declare_request(app, *given);
    app.footer(
        "Exit code: 0; 4 where no candidate meets the limit with the probability\n"
        "required (the best effort is printed); 1 for bad input, 2 for wrong usage.");
    set_essential(app, {"--model", "--cold-start", "--property", "--observe", "--deadline", "--budget", "--probability",
                        "--price", "--range", "--format"});
    return [given] { return allocate(*given); };
}
