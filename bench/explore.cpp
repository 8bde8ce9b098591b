// In how many runs the cheapest cluster of a job is found: the library's rule beside CherryPick's, extra trees and fixed
// orders.
#include <bellamy/detail/base/parallel.hpp>

#include <CLI/CLI.hpp>
#include <atomic>
#include <ctime>
#include <nlohmann/json.hpp>

#include "../examples/support/arguments.hpp"
#include "../examples/support/child_program.hpp"
#include "../examples/support/output_file.hpp"
#include "../examples/support/program.hpp"
#include "support/progress.hpp"
#include "support/search_rules.hpp"

namespace {

struct arguments {
    std::string grid{};
    std::string json{};
    std::string plot{};
    int starts = 20;
    int threads = 1;
    double runs_to_come = 100;
    bool only_chosen_on = false;
    bench::cherrypick_settings cherrypick{};
    bench::tree_search_settings trees{};
};

// The applications that choices were made on.
constexpr std::array chosen_on{"wordcount", "terasort", "lr", "kmeans"};

[[nodiscard]] bool is_chosen_on(const std::string& application) {
    return std::ranges::any_of(chosen_on, [&](const auto* name) { return application.starts_with(name); });
}

struct named_course {
    std::string method{};
    std::string application{};
    std::string limit{};
    bench::search_course course{};
    std::size_t search = 0;

    /// Money spent, and the extra cost of all runs to come.
    [[nodiscard]] double total(double runs_to_come) const noexcept {
        return course.spent_at_stop() + runs_to_come * course.regret;
    }
};

// What is known of all other applications, by application.
using priors = std::map<std::string, bellamy::exploration_prior>;

[[nodiscard]] priors learn_priors(const std::map<std::string, std::vector<bellamy::run>>& applications) {
    priors learned;
    for (const auto& [name, runs] : applications) {
        std::vector<std::span<const bellamy::run>> others;
        for (const auto& [other, its_runs] : applications)
            if (other != name) others.emplace_back(its_runs);
        learned.emplace(name, bellamy::learn_exploration(others).value());
    }
    return learned;
}

// All rules on one search from one start, the same configuration where a rule does not choose it.
void add_courses(const bench::cluster_search& search, std::uint64_t start, const arguments& given, const priors& known,
                 std::vector<named_course>& courses) {
    const auto order = bench::random_order(search, start);
    const std::size_t given_first = order.front();
    const auto add = [&](const char* method, const bench::search_rule& rule, std::optional<std::size_t> first = {}) {
        courses.push_back({.method = method,
                           .application = search.application,
                           .limit = search.limit_name,
                           .course = bench::follow(search, rule, first)});
    };
    const bellamy::exploration_prior nothing;
    const auto& others = known.at(search.application);
    add("explore, others known", bench::by_explore(search, others, given.runs_to_come));
    add("the same, random first", bench::by_explore(search, others, given.runs_to_come), given_first);
    add("explore, nothing known", bench::by_explore(search, nothing, given.runs_to_come));
    add("nothing known, random first", bench::by_explore(search, nothing, given.runs_to_come), given_first);
    add("CherryPick", bench::cherrypick(search, given.cherrypick, start));
    add("extra trees", bench::by_extra_trees(search, given.trees, start));
    add("random", bench::in_order(search, order, 10));
    auto by_price = bench::by_price(search);
    add("smallest first", bench::in_order(search, by_price, 10));
    std::ranges::reverse(by_price);
    add("largest first", bench::in_order(search, by_price, 10));
}

[[nodiscard]] std::vector<named_course> search_all(const arguments& given) {
    const auto table = tools::read_table(given.grid);
    const auto known = learn_priors(bench::read_grid(table));
    auto searches = bench::searches_of(table);
    if (given.only_chosen_on) std::erase_if(searches, [](const auto& each) { return !is_chosen_on(each.application); });
    std::vector<std::vector<named_course>> by_search(searches.size());
    std::atomic<std::size_t> finished = 0;
    bellamy::detail::for_each_index(searches.size(), static_cast<std::size_t>(given.threads), [&](std::size_t i) {
        for (int start = 0; start < given.starts; ++start)
            add_courses(searches[i], static_cast<std::uint64_t>(start), given, known, by_search[i]);
        bench::show_progress(++finished, searches.size());
    });
    std::vector<named_course> all;
    for (std::size_t i = 0; i < by_search.size(); ++i)
        for (auto& each : by_search[i]) {
            each.search = i;
            all.push_back(std::move(each));
        }
    return all;
}

// Adds the mean of the totals less those of a peer from the same starts, and what it may be by chance: its 5 % and 95 %
// quantile when searches are drawn with replacement, whose starts are alike. Null for the peer itself.
void add_difference(const std::string& name, const std::vector<const named_course*>& courses,
                    const std::vector<const named_course*>& peers, double runs_to_come, nlohmann::ordered_json& row) {
    if (courses.front()->method == peers.front()->method) {
        for (const auto* part : {"", "_low", "_high"}) row[name + part] = nullptr;
        return;
    }
    bench::values_by_context by_search;
    for (std::size_t i = 0; i < courses.size(); ++i)
        by_search[std::to_string(courses[i]->search)].push_back(courses[i]->total(runs_to_come) -
                                                                peers[i]->total(runs_to_come));
    const auto [low, high] = bench::bootstrap_mean(by_search);
    row[name] = bench::mean_of(bench::all_values(by_search));
    row[name + "_low"] = low;
    row[name + "_high"] = high;
}

// Over searches and starts. Money in runs of the cheapest configuration, shares in %.
[[nodiscard]] nlohmann::ordered_json row_of(const std::string& group, const std::string& method,
                                            const std::vector<const named_course*>& named, double runs_to_come) {
    std::vector<const bench::search_course*> courses;
    for (const auto* each : named) courses.push_back(&each->course);
    const auto over = [&](const auto& value) {
        std::vector<double> values;
        for (const auto* each : courses) values.push_back(static_cast<double>(value(*each)));
        return values;
    };
    const auto mean = [&](const auto& value) { return bench::mean_of(over(value)); };
    const auto median = [&](const auto& value) { return bench::median_of(over(value)); };
    using course = bench::search_course;
    // Nothing in time for that money.
    const auto as_percent = [](double share) {
        return std::isfinite(share) ? nlohmann::ordered_json(100 * share) : nlohmann::ordered_json(nullptr);
    };
    std::vector<double> totals;
    for (const auto* each : named) totals.push_back(each->total(runs_to_come));
    return {{"group", group},
            {"method", method},
            {"searches", courses.size()},
            {"runs_to_10", median([](const course& each) { return each.trials_until(0.1); })},
            {"mean_runs_to_10", mean([](const course& each) { return each.trials_until(0.1); })},
            {"runs_to_5", median([](const course& each) { return each.trials_until(0.05); })},
            {"mean_runs_to_5", mean([](const course& each) { return each.trials_until(0.05); })},
            {"money_to_10", median([](const course& each) { return each.spent_until(0.1); })},
            {"money_to_5", median([](const course& each) { return each.spent_until(0.05); })},
            {"regret_after_5", as_percent(median([](const course& each) { return each.regret_after(5); }))},
            {"regret_after_10", as_percent(median([](const course& each) { return each.regret_after(10); }))},
            {"regret_after_20", as_percent(median([](const course& each) { return each.regret_after(20); }))},
            {"runs_at_stop", mean([](const course& each) { return each.trials; })},
            {"money_at_stop", mean([](const course& each) { return each.spent_at_stop(); })},
            {"regret_at_stop", 100 * mean([](const course& each) { return each.regret; })},
            {"total_at_stop", bench::mean_of(totals)},
            {"stated", 100 * mean([](const course& each) { return each.stated; })},
            {"kept", 100 * mean([](const course& each) { return each.kept ? 1.0 : 0.0; })}};
}

[[nodiscard]] nlohmann::ordered_json rows_of(const std::vector<named_course>& all, double runs_to_come) {
    std::map<std::string, std::map<std::string, std::vector<const named_course*>>> groups;
    std::vector<std::string> methods;
    for (const auto& each : all) {
        if (std::ranges::find(methods, each.method) == methods.end()) methods.push_back(each.method);
        for (const auto& group :
             {std::string("all"), std::string(is_chosen_on(each.application) ? "chosen on" : "not chosen on"),
              "limit " + each.limit, each.application})
            groups[group][each.method].push_back(&each);
    }
    auto rows = nlohmann::ordered_json::array();
    for (const auto& [group, by_method] : groups)
        for (const auto& method : methods) {
            auto row = row_of(group, method, by_method.at(method), runs_to_come);
            add_difference("less_cherrypick", by_method.at(method), by_method.at("CherryPick"), runs_to_come, row);
            add_difference("less_trees", by_method.at(method), by_method.at("extra trees"), runs_to_come, row);
            rows.push_back(std::move(row));
        }
    return rows;
}

// Medians over all searches of the best cost so far over the cheapest, after each run; what is not in time yet counts as the
// most that is shown.
[[nodiscard]] std::string gnuplot_script(const std::vector<named_course>& all) {
    constexpr std::size_t most_runs = 20;
    constexpr double most_percent = 200;
    constexpr std::array shown{"explore, others known", "explore, nothing known", "CherryPick", "random"};
    std::string data;
    for (std::size_t runs = 1; runs <= most_runs; ++runs) {
        data += fmt::format("{}", runs);
        for (const std::string method : shown) {
            std::vector<double> percents;
            for (const auto& each : all) {
                if (each.method != method) continue;
                const auto& regrets = each.course.regrets;
                percents.push_back((std::min)(100 * regrets[(std::min)(runs, regrets.size()) - 1], most_percent));
            }
            data += fmt::format(" {}", bench::median_of(std::move(percents)));
        }
        data += '\n';
    }
    std::string lines;
    for (std::size_t i = 0; i < shown.size(); ++i)
        lines += fmt::format("{}$regrets using 1:{} with linespoints title '{}'", i == 0 ? "" : ", ", i + 2, shown[i]);
    return fmt::format(
        "set terminal svg size 720,420\nset xlabel 'runs'\nset ylabel 'best cost in time over the cheapest, %'\n"
        "set xrange [1:{}]\nset yrange [0:{}]\n$regrets << EOD\n{}EOD\nplot {}\n",
        most_runs, most_percent, data, lines);
}

// Milliseconds of CPU time of a proposal among so many candidates after so many runs of them: the median of 21 calls.
[[nodiscard]] double time_of_proposal_ms(std::size_t candidates, std::size_t runs) {
    std::vector<bellamy::context> contexts;
    for (std::uint64_t i = 0; i < (candidates + 9) / 10; ++i)
        contexts.push_back(
            {.essential = {
                 bellamy::text("machine_type", fmt::format("m{}", i)).with_role(bellamy::property_role::machine_type),
                 bellamy::natural("cores", 2U << (i % 5)).with_role(bellamy::property_role::cores_per_node),
                 bellamy::natural("memory_mb", (2U << (i % 5)) * 1000 * (1 + i % 7))
                     .with_role(bellamy::property_role::memory_per_node)}});
    std::vector<bellamy::trial_candidate> list;
    for (std::size_t i = 0; i < candidates; ++i)
        list.push_back({.context = &contexts[i / 10],
                        .scale_out = static_cast<int>(2 * (1 + i % 10)),
                        .costs = {.per_unit_and_hour = 0.1 * static_cast<double>(1 + i / 50)}});
    std::vector<bellamy::run> tried;
    for (std::size_t i = 0; i < runs; ++i) {
        const auto& one = list[i * candidates / runs];
        tried.push_back({.context = *one.context, .scale_out = one.scale_out, .runtime_s = 100 + 2000.0 / one.scale_out});
    }
    std::vector<double> times_ms;
    for (int call = 0; call < 21; ++call) {
        const std::clock_t begin = std::clock();
        (void)bellamy::explore(list, tried, {.wanted = {.goal = bellamy::goal::least_expected_cost}}).value();
        times_ms.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return bench::median_of(std::move(times_ms));
}

[[nodiscard]] nlohmann::ordered_json speed_rows() {
    auto rows = nlohmann::ordered_json::array();
    for (const std::size_t candidates : {69U, 500U})
        for (const std::size_t runs : {5U, 20U})
            rows.push_back({{"candidates", candidates}, {"runs", runs}, {"ms", time_of_proposal_ms(candidates, runs)}});
    return rows;
}

void print(const nlohmann::ordered_json& rows) {
    fmt::print(
        "median runs until within 10 and 5 % of the cheapest in time, with means; at the stop: runs, money in runs of "
        "the cheapest, regret in %, money and regret of all runs to come; odds stated and kept in %\n");
    fmt::print("{:<22} {:<28} {:>5} {:>6} {:>5} {:>6} {:>6} {:>6} {:>7} {:>7} {:>7} {:>6} {:>6}\n", "group", "method",
               "10 %", "mean", "5 %", "mean", "money", "runs", "money", "regret", "total", "stated", "kept");
    for (const auto& row : rows)
        fmt::print(
            "{:<22} {:<28} {:>5} {:>6.1f} {:>5} {:>6.1f} {:>6.1f} {:>6.1f} {:>7.1f} {:>7.1f} {:>7.1f} {:>6.1f} {:>6.1f}\n",
            row["group"].get<std::string>(), row["method"].get<std::string>(), row["runs_to_10"].get<double>(),
            row["mean_runs_to_10"].get<double>(), row["runs_to_5"].get<double>(), row["mean_runs_to_5"].get<double>(),
            row["money_to_10"].get<double>(), row["runs_at_stop"].get<double>(), row["money_at_stop"].get<double>(),
            row["regret_at_stop"].get<double>(), row["total_at_stop"].get<double>(), row["stated"].get<double>(),
            row["kept"].get<double>());
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Measures in how many runs the cheapest cluster of a job is found.", "explore");
    arguments given;
    app.add_option("--grid", given.grid, "Table with the runs of applications over machine types and cluster sizes")
        ->required();
    app.add_option("--starts", given.starts, "Searches from different starts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--runs-to-come", given.runs_to_come, "Runs that a choice is made for")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--chosen-on", given.only_chosen_on, "Only the applications that choices are made on");
    app.add_option("--cherrypick-length", given.cherrypick.length, "Length of CherryPick's kernel")->capture_default_str();
    app.add_option("--cherrypick-noise", given.cherrypick.noise, "Noise of CherryPick's process")->capture_default_str();
    app.add_option("--trees-split", given.trees.trees.least_to_split, "Runs that a node of an extra tree is split from")
        ->capture_default_str();
    app.add_option("--trees-noise", given.trees.noise, "Noise of the extra trees")->capture_default_str();
    app.add_option("--trees-least-gain", given.trees.optimisation.least_gain, "Gain below which extra trees stop")
        ->capture_default_str();
    app.add_option("--trees-least-trials", given.trees.optimisation.least_trials, "Runs that extra trees make at least")
        ->capture_default_str();
    app.add_option("--json", given.json, "Where the table goes as JSON");
    app.add_option("--plot", given.plot, "SVG file to draw medians over the runs into; needs gnuplot");
    app.add_option("--threads", given.threads, "Searches at a time")->check(CLI::Range(1, 1024))->capture_default_str();
    return tools::run_program(app, argc, argv, [&] {
        if (!given.json.empty()) tools::require_writable(given.json);
        if (!given.plot.empty()) tools::require_writable(given.plot);
        const auto courses = search_all(given);
        const auto rows = rows_of(courses, given.runs_to_come);
        if (!given.plot.empty())
            tools::write_file(given.plot,
                              tools::run_on("gnuplot", gnuplot_script(courses), "Debian: apt-get install gnuplot-nox"));
        print(rows);
        const auto speed = speed_rows();
        for (const auto& row : speed)
            fmt::print("a proposal among {} candidates after {} runs takes {:.2f} ms\n",
                       row["candidates"].get<std::size_t>(), row["runs"].get<std::size_t>(), row["ms"].get<double>());
        if (!given.json.empty())
            tools::write_file(given.json, nlohmann::ordered_json{{"searches", rows}, {"speed", speed}}.dump(1) + "\n");
    });
}
