// How accurate best mode is on histories as they are: sizes that hardly repeat, few contexts, questions beyond what was
// seen.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <mutex>

#include "../examples/support/arguments.hpp"
#include "../examples/support/output_file.hpp"
#include "../examples/support/program.hpp"
#include "support/far_methods.hpp"
#include "support/grid_decisions.hpp"
#include "support/growth_laws.hpp"
#include "support/hardened_records.hpp"
#include "support/history_methods.hpp"
#include "support/noise_scores.hpp"
#include "support/progress.hpp"
#include "support/trace_splits.hpp"

namespace {

struct arguments {
    std::vector<std::string> parts{"traces", "c3o", "made-up"};
    std::string traces{};
    std::string data{};
    std::string grids{};
    std::string only{};
    std::vector<std::string> methods{};
    int draws = 8;
    bool in_cores = false;
    std::string json{};
    int threads = 1;
    bench::method_options options{};
    bench::noise_options noise{};

    [[nodiscard]] bool has(std::string_view part) const { return std::ranges::find(parts, part) != parts.end(); }
};

constexpr std::array<const char*, 3> applications{"connectedcomponents", "linearregression", "logisticregression"};
constexpr std::array<const char*, 4> algorithms{"grep", "kmeans", "sgd", "sort"};
constexpr std::array<std::size_t, 6> thinned_contexts{2, 3, 4, 5, 7, 10};
constexpr std::array<std::size_t, 3> thinned_scale_outs{1, 2, 6};
constexpr std::array<std::size_t, 5> made_up_contexts{3, 10, 30, 100, 300};

void add_traces(const arguments& given, std::vector<bench::history_case>& cases) {
    if (given.traces.empty()) throw CLI::ValidationError("expected --traces for the part traces");
    for (const auto* name : applications) {
        const auto path = given.traces + "/" + name + ".jsonl.zst";
        for (auto& each : bench::splits_of_traces(bench::runs_of_traces(bench::read_zstd(path), path), name))
            cases.push_back(std::move(each));
    }
}

void add_records(const arguments& given, std::vector<bench::history_case>& cases) {
    if (given.data.empty()) throw CLI::ValidationError("expected --data for the part c3o");
    for (const std::string name : algorithms) {
        const auto records = bench::read_records({.c3o = given.data}, name);
        for (const auto contexts : thinned_contexts)
            for (const auto scale_outs : thinned_scale_outs)
                for (int draw = 0; draw < given.draws; ++draw)
                    bench::add_thinned(records, name, contexts, scale_outs,
                                       given.options.seed + static_cast<std::uint64_t>(draw), cases);
        bench::add_unseen_machines(records, name, given.options.seed, cases);
        bench::add_larger_sizes(records, name, given.options.seed, cases);
    }
}

void add_made_up(const arguments& given, std::vector<bench::history_case>& cases) {
    for (const auto& law : bench::growth_laws)
        for (const auto laid_out : {bench::layout::one_scale_out, bench::layout::grid})
            for (const auto contexts : made_up_contexts)
                for (int draw = 0; draw < given.draws; ++draw)
                    for (auto& each :
                         bench::made_up_history(law, {.laid_out = laid_out,
                                                     .contexts = contexts,
                                                     .seed = given.options.seed + static_cast<std::uint64_t>(draw)}))
                        cases.push_back(std::move(each));
    for (const std::size_t machines : {std::size_t{2}, std::size_t{3}, std::size_t{6}})
        for (int draw = 0; draw < 3 * given.draws; ++draw)
            bench::add_made_up_machines(machines, given.options.seed + static_cast<std::uint64_t>(draw), cases);
}

[[nodiscard]] std::set<std::string> grid_paths(const std::string& directory) {
    std::set<std::string> paths;
    std::error_code unreadable;
    for (const auto& file : std::filesystem::directory_iterator(directory, unreadable))
        if (file.path().extension() == ".tsv") paths.insert(file.path().string());
    if (paths.empty()) throw tools::tool_error("cannot_read", "expected a directory with <grid>.tsv, found " + directory);
    return paths;
}
[[nodiscard]] std::set<std::string> grid_paths(const arguments& given) {
    if (given.data.empty()) throw CLI::ValidationError("expected --data for the part grids");
    return grid_paths(given.data);
}

void add_grids(const arguments& given, std::vector<bench::history_case>& cases) {
    for (const auto& path : grid_paths(given))
        for (auto& [application, runs] : bench::read_grid(tools::read_table(path))) {
            if (given.in_cores) std::ranges::transform(runs, runs.begin(), bench::counted_in_cores);
            for (auto& split : bench::grid_splits(application, std::move(runs), given.options.seed, given.draws)())
                cases.push_back(std::move(split));
        }
}

// Of each source that was named, and of made-up laws.
void add_far(const arguments& given, std::vector<bench::history_case>& cases) {
    const auto add_recorded = [&](const std::string& source, std::vector<bellamy::run> runs) {
        bench::far_splits("far", source, given.options.seed).add_recorded(std::move(runs), given.draws, cases);
    };
    for (const std::string name : applications)
        if (!given.traces.empty()) {
            const auto path = given.traces + "/" + name + ".jsonl.zst";
            add_recorded("traces", bench::runs_of_traces(bench::read_zstd(path), path));
        }
    for (const std::string name : algorithms)
        if (!given.data.empty()) add_recorded("c3o", bench::read_records({.c3o = given.data}, name).runs);
    if (!given.grids.empty())
        for (const auto& path : grid_paths(given.grids))
            for (auto& [application, runs] : bench::read_grid(tools::read_table(path)))
                add_recorded("grids", std::move(runs));
    const auto add_laws = [&](const auto& laws) {
        for (const auto& law : laws)
            bench::far_splits(bench::is_chosen_on(law.name) ? "far-set" : "far", "made-up", given.options.seed)
                .add_made_up(law, given.draws, cases);
    };
    add_laws(bench::growth_laws);
    add_laws(bench::further_laws);
}

[[nodiscard]] std::vector<bench::history_case> cases_of(const arguments& given) {
    std::vector<bench::history_case> cases;
    for (const auto& part : given.parts) {
        if (part == "traces") {
            add_traces(given, cases);
        } else if (part == "c3o") {
            add_records(given, cases);
        } else if (part == "grids") {
            add_grids(given, cases);
        } else if (part == "far") {
            add_far(given, cases);
        } else if (part == "made-up") {
            add_made_up(given, cases);
        }
    }
    std::erase_if(cases, [&](const auto& each) { return each.group.find(given.only) == std::string::npos; });
    if (cases.empty())
        throw tools::tool_error("no_cases", "expected groups that contain \"" + given.only + "\", found none");
    return cases;
}

// "every n" where n is the group's last word: what is asked, over all groups of a part.
[[nodiscard]] std::string pooled_group(const std::string& group) { return "every " + group.substr(group.rfind(' ') + 1); }

using score_table = std::map<std::pair<std::string, std::string>, std::map<std::string, bench::history_score>>;

[[nodiscard]] score_table scores_of(const std::vector<bench::history_outcome>& outcomes) {
    std::map<std::pair<std::string, std::string>, std::map<std::string, std::vector<const bench::history_outcome*>>>
        by_group;
    for (const auto& each : outcomes) {
        by_group[{each.part, each.group}][each.method].push_back(&each);
        by_group[{each.part, pooled_group(each.group)}][each.method].push_back(&each);
    }
    score_table scores;
    for (const auto& [group, by_method] : by_group)
        for (const auto& [method, own] : by_method) scores[group][method] = bench::score_of(own);
    return scores;
}

void print(const score_table& scores) {
    fmt::print(
        "relative error in %, pinball loss over the quantiles 5, 25, 50, 75, 95 % in % of the truth, truths inside the "
        "50 % and 90 % interval in %, median ratio of the 95 to the 5 % quantile\n");
    fmt::print("{:<8} {:<32} {:<11} {:>6} {:>8} {:>8} {:>8} {:>6} {:>6} {:>6}\n", "part", "group", "method", "tests", "mean",
               "median", "pinball", "50 %", "90 %", "width");
    for (const auto& [group, by_method] : scores)
        for (const auto& [method, score] : by_method) {
            fmt::print("{:<8} {:<32} {:<11} {:>6} {:>8.2f} {:>8.2f} {:>8.2f}", group.first, group.second, method,
                       score.tests, score.mean, score.median, score.pinball);
            if (!score.is_point) fmt::print(" {:>6.1f} {:>6.1f} {:>6.2f}", score.covered_50, score.covered_90, score.width);
            fmt::print("\n");
        }
}

[[nodiscard]] nlohmann::ordered_json to_json(const score_table& scores) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& [group, by_method] : scores)
        for (const auto& [method, score] : by_method) {
            nlohmann::ordered_json row{{"part", group.first},     {"group", group.second}, {"method", method},
                                       {"tests", score.tests},    {"mean", score.mean},    {"median", score.median},
                                       {"pinball", score.pinball}};
            if (!score.is_point) {
                row["covered_50"] = score.covered_50;
                row["covered_90"] = score.covered_90;
                row["width"] = score.width;
            }
            rows.push_back(std::move(row));
        }
    return rows;
}

[[nodiscard]] std::vector<bench::noise_row> measure_noise(const arguments& given) {
    auto cells = bench::all_noise_cells();
    std::erase_if(cells, [&](const auto& cell) { return bench::name_of(cell).find(given.only) == std::string::npos; });
    if (cells.empty()) throw tools::tool_error("no_cases", "expected cells that contain \"" + given.only + "\", found none");
    auto options = given.noise;
    options.draws = given.draws;
    options.seed = given.options.seed;
    std::vector<bench::noise_row> rows(cells.size());
    std::mutex guard;
    std::size_t finished = 0;
    bellamy::detail::for_each_index(cells.size(), static_cast<std::size_t>(given.threads), [&](std::size_t i) {
        rows[i] = bench::measure(cells[i], options);
        const std::lock_guard lock(guard);
        bench::show_progress(++finished, cells.size());
    });
    return rows;
}

void print(const std::vector<bench::noise_row>& rows, bool with_drift) {
    fmt::print(
        "noise: median error in %, pinball loss and an oracle's in % of the truth, truths inside the 50 % and 90 % interval "
        "in %, decisions at 0.9 stated and kept in %, Student's t of the errors with more runs observed (positive: "
        "worse)\n");
    fmt::print("{:<18} {:>4} {:>6} {:>7} {:>8} {:>7} {:>6} {:>6} {:>7} {:>6} {:>6}\n", "cell", "k", "tests", "median",
               "pinball", "oracle", "50 %", "90 %", "stated", "kept", "t");
    for (const auto& row : rows) {
        for (std::size_t k = 0; k < row.scores.size(); ++k) {
            const auto& score = row.scores[k];
            fmt::print("{:<18} {:>4} {:>6} {:>7.2f} {:>8.2f} {:>7.2f} {:>6.1f} {:>6.1f} {:>7.1f} {:>6.1f} {:>6.1f}\n",
                       bench::name_of(row.cell), bench::noise_observed[k], score.answers.tests, score.answers.median,
                       score.answers.pinball, score.oracle_pinball, score.answers.covered_50, score.answers.covered_90,
                       score.stated, score.kept, row.worse_t[k]);
        }
        if (with_drift)
            fmt::print("{:<18} drift below 0.01 in %: unobserved {:.2f}, observed {:.2f}, slowed {:.1f}\n",
                       bench::name_of(row.cell), row.drift.unobserved, row.drift.observed, row.drift.slowed);
    }
}

[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<bench::noise_row>& rows) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& row : rows)
        for (std::size_t k = 0; k < row.scores.size(); ++k) {
            const auto& score = row.scores[k];
            list.push_back({{"part", "noise"},
                            {"group", fmt::format("{} k={}", bench::name_of(row.cell), bench::noise_observed[k])},
                            {"method", "best"},
                            {"tests", score.answers.tests},
                            {"median", score.answers.median},
                            {"pinball", score.answers.pinball},
                            {"oracle_pinball", score.oracle_pinball},
                            {"covered_50", score.answers.covered_50},
                            {"covered_90", score.answers.covered_90},
                            {"stated", score.stated},
                            {"kept", score.kept},
                            {"worse_t", row.worse_t[k]},
                            {"drift_unobserved", row.drift.unobserved},
                            {"drift_observed", row.drift.observed},
                            {"drift_slowed", row.drift.slowed}});
        }
    return list;
}

// Grids have methods of their own, since others know one kind of machine only.
[[nodiscard]] std::vector<bench::method> methods_of(const std::vector<std::string>& names, std::string_view part) {
    auto methods = part == "grids"           ? bench::grid_methods()
                   : part.starts_with("far") ? bench::far_methods()
                                             : bench::history_methods();
    std::erase_if(methods, [&](const bench::method& each) {
        if (!names.empty() && std::ranges::find(names, each.name) == names.end()) return true;
        if (!each.missing.empty()) fmt::print(stderr, "histories: {} skipped: {}\n", each.name, each.missing);
        return !each.missing.empty();
    });
    return methods;
}

// After some runs of one application and size: which of all its configurations to take.
[[nodiscard]] std::vector<bench::grid_decision_row> decide(const arguments& given) {
    const auto methods = methods_of(given.methods, "grids");
    bench::grid_choices choices;
    for (const auto& path : grid_paths(given)) {
        const auto table = tools::read_table(path);
        const auto prices = bench::read_node_prices(table);
        for (const auto& [application, runs] : bench::read_grid(table))
            for (const auto& split : bench::grid_splits(application, runs, given.options.seed, given.draws)()) {
                const bool few = split.group.find(" thin") != std::string::npos;
                if (!few || split.group.find(given.only) == std::string::npos) continue;
                std::vector<bench::priced_run> of_size;
                for (const auto& run : runs)
                    if (bench::data_size_of(run.context) == bench::data_size_of(split.history->front().context))
                        of_size.push_back(
                            {.run = run, .price_per_s = prices.at(bench::machine_of(run.context)) * run.scale_out / 3600});
                bench::add_choices(split, of_size, methods, given.options, choices);
            }
    }
    return bench::rows_of(choices);
}

void print(const std::vector<bench::grid_decision_row>& rows) {
    fmt::print(
        "decisions at 0.9 among all machine types and sizes, in %: probability stated, in time, cost over the cheapest in "
        "time, and that at the share in time of best mode\n");
    fmt::print("{:<24} {:<11} {:>9} {:>7} {:>6} {:>8} {:>8}\n", "known", "method", "decisions", "stated", "kept", "regret",
               "at equal");
    for (const auto& row : rows)
        fmt::print("{:<24} {:<11} {:>9} {:>7.1f} {:>6.1f} {:>8.1f} {:>8}\n", row.question, row.method, row.decisions,
                   row.stated, row.kept, row.regret, row.equal_regret ? fmt::format("{:.1f}", *row.equal_regret) : "-");
}

[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<bench::grid_decision_row>& rows) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& row : rows) {
        nlohmann::ordered_json decision{{"part", "grids"},        {"decision", row.question}, {"method", row.method},
                                        {"tests", row.decisions}, {"stated", row.stated},     {"kept", row.kept},
                                        {"regret", row.regret}};
        if (row.equal_regret) decision["equal_regret"] = *row.equal_regret;
        list.push_back(std::move(decision));
    }
    return list;
}

[[nodiscard]] std::vector<bench::history_outcome> answers_of(const arguments& given,
                                                             std::vector<bench::history_case> cases) {
    std::vector<bench::history_outcome> outcomes;
    for (auto first = cases.begin(); first != cases.end();) {
        const auto last = std::find_if(first, cases.end(), [&](const auto& each) { return each.part != first->part; });
        const auto answers = bench::answer_all(std::span(first, last), methods_of(given.methods, first->part), given.options,
                                               static_cast<std::size_t>(given.threads), bench::show_progress);
        outcomes.insert(outcomes.end(), answers.begin(), answers.end());
        first = last;
    }
    return outcomes;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures how accurate best mode is on scarce and uneven histories, beside lines drawn by hand.",
                 "histories");
    arguments given;
    std::vector<std::string> names;
    for (const auto& methods : {bench::history_methods(), bench::grid_methods()})
        for (const auto& method : methods)
            if (std::ranges::find(names, method.name) == names.end()) names.push_back(method.name);
    app.add_option("--part", given.parts, "traces, c3o, made-up, noise, grids, far")
        ->delimiter(',')
        ->check(CLI::IsMember({"traces", "c3o", "made-up", "noise", "grids", "far"}))
        ->capture_default_str();
    app.add_option("--traces", given.traces, "Directory with <application>.jsonl.zst");
    app.add_option("--data", given.data, "Directory with <algorithm>.tsv of the C3O experiments, or with <grid>.tsv");
    app.add_option("--grids", given.grids, "Directory with <grid>.tsv, of which the part far asks too");
    app.add_flag("--in-cores", given.in_cores, "The part grids counts scale-outs in cores, and leaves out decisions");
    app.add_option("--only", given.only, "Only groups whose name contains this");
    app.add_option("--method", given.methods, "Only these methods (the true form is always there)")
        ->delimiter(',')
        ->check(CLI::IsMember(names));
    app.add_option("--draws", given.draws, "Histories of each kind")->check(CLI::Range(1, 10000))->capture_default_str();
    std::vector<std::string> laws;
    for (const auto& law : bench::growth_laws) laws.emplace_back(law.name);
    app.add_option("--laws", given.noise.laws, "Laws of the part noise; its choices were made on the other ones")
        ->delimiter(',')
        ->check(CLI::IsMember(laws))
        ->capture_default_str();
    app.add_option("--batches", given.noise.batches, "Batches of runs that drift is measured in, of each history of noise")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    app.add_option("--json", given.json, "Where the table goes as JSON");
    tools::add_seed(app, given.options.seed);
    app.add_option("--threads", given.threads, "Histories at a time")->check(CLI::Range(1, 1024))->capture_default_str();
    return tools::run_program(app, argc, argv, [&] {
        if (!given.json.empty()) tools::require_writable(given.json);
        auto rows = nlohmann::ordered_json::array();
        if (given.parts != std::vector<std::string>{"noise"}) {
            const auto scores = scores_of(answers_of(given, cases_of(given)));
            print(scores);
            rows = to_json(scores);
        }
        if (given.has("grids") && !given.in_cores) {
            const auto decisions = decide(given);
            print(decisions);
            for (auto& row : to_json(decisions)) rows.push_back(std::move(row));
        }
        if (given.has("noise")) {
            const auto noise = measure_noise(given);
            print(noise, given.noise.batches > 0);
            for (auto& row : to_json(noise)) rows.push_back(std::move(row));
        }
        if (!given.json.empty()) tools::write_file(given.json, rows.dump(1) + "\n");
    });
}
