// What bench/histories asks and how it counts, and the program itself on a few draws.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "../../bench/support/far_methods.hpp"
#include "../../bench/support/grid_decisions.hpp"
#include "../../bench/support/growth_laws.hpp"
#include "../../bench/support/growth_lines.hpp"
#include "../../bench/support/hardened_records.hpp"
#include "../../bench/support/noise_scores.hpp"
#include "../../bench/support/trace_splits.hpp"
#include "../examples/support/run_program.hpp"

using support::check_refused;
using support::check_succeeds;
using support::check_wrong_usage;
using support::run_program;
using support::temporary_directory;

namespace {

using words = std::vector<std::string>;

bellamy::run run_of(double size, int x, double runtime_s) {
    return {.context = {.essential = {bellamy::quantity("size", size).with_role(bellamy::property_role::data_size)}},
            .scale_out = x,
            .runtime_s = runtime_s};
}

// 30 s and 2 s for each MB of a unit's share.
std::vector<bellamy::run> overhead_runs() {
    std::vector<bellamy::run> runs;
    for (const double size : {100.0, 170.0, 240.0, 400.0})
        for (const int x : {2, 4, 8}) runs.push_back(run_of(size, x, 30 + 2 * size / x));
    return runs;
}

}  // namespace

TEST_CASE("lines through exact runs of their own law give it back, also beyond the runs") {
    const auto runs = overhead_runs();
    const auto asked = run_of(1000, 16, 0);
    CHECK(bench::fitted_law(bench::ernest_columns, runs)(asked.context, 16) == doctest::Approx(155).epsilon(1e-6));
    CHECK(bench::fitted_law(bench::overhead_columns, runs)(asked.context, 16) == doctest::Approx(155).epsilon(1e-6));
    std::vector<bellamy::run> powers;
    for (const auto& each : runs)
        powers.push_back(run_of(bench::data_size_of(each.context), each.scale_out,
                                3 * std::pow(bench::data_size_of(each.context), 0.8) / std::sqrt(each.scale_out)));
    CHECK(bench::log_linear(powers)(asked.context, 16) == doctest::Approx(3 * std::pow(1000, 0.8) / 4).epsilon(1e-6));
}

TEST_CASE("scores are relative to the truth in percent, and a point covers nothing") {
    bellamy::prediction normal{.median_s = 100, .is_point = false};
    for (std::size_t i = 0; i < normal.log_quantiles.size(); ++i)
        normal.log_quantiles[i] = std::log(100) + 0.1 * bellamy::detail::standard_normal_quantiles[i];
    const bench::history_outcome near{.median_s = 100, .runtime_s = 105, .predicted = normal};
    const bench::history_outcome far{.median_s = 80, .runtime_s = 80, .predicted = normal};
    const auto score = bench::score_of({&near, &far});
    CHECK(score.mean == doctest::Approx(12.5));  // 0 % and 25 %
    CHECK(score.median == doctest::Approx(12.5));
    CHECK(score.covered_50 == doctest::Approx(50));  // 93.5 to 107 s
    CHECK(score.covered_90 == doctest::Approx(50));  // 84.8 to 118 s
    bellamy::prediction point{.median_s = 100};
    const bench::history_outcome early{.median_s = 50, .runtime_s = 50, .predicted = point};
    const auto of_point = bench::score_of({&early});
    CHECK(of_point.is_point);
    CHECK(of_point.pinball == doctest::Approx(50));  // (1 - p) times 100 % on average
}

TEST_CASE("trace splits leave out what they are named after") {
    std::vector<bellamy::run> runs;
    for (int i = 0; i < 12; ++i) runs.push_back(run_of(100 + 10 * i, i % 3 + 2, 50 + i));
    const auto cases = bench::splits_of_traces(runs, "job");
    REQUIRE(cases.size() == 5);  // three scale-outs, size, big
    for (const auto& each : cases) CHECK(each.history->size() + each.tests.size() == 12);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(cases[i].group == "job scale");
        for (const auto& test : cases[i].tests) CHECK(test.of.scale_out == static_cast<int>(i) + 2);
        for (const auto& known : *cases[i].history) CHECK(known.scale_out != static_cast<int>(i) + 2);
    }
    REQUIRE(cases[3].tests.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(bench::data_size_of(cases[3].tests[i].of.context) == doctest::Approx(120 + 40.0 * static_cast<double>(i)));
    REQUIRE(cases[4].tests.size() == 3);  // above 182.5
    for (const auto& test : cases[4].tests) CHECK(bench::data_size_of(test.of.context) > 182.5);
}

TEST_CASE("traces are read with their size and nothing else, and a broken line is named") {
    const std::string good = R"({"runtime_s":12.5,"properties":{"data_size_MB":70.5,"partitions":8},"scale_out":[[0.0,3]]})";
    const auto runs = bench::runs_of_traces(good + "\n" + good + "\n", "x.jsonl");
    REQUIRE(runs.size() == 2);
    CHECK(runs[1].scale_out == 3);
    CHECK(runs[1].runtime_s == 12.5);
    CHECK(runs[1].context.essential.size() == 1);
    CHECK(bench::data_size_of(runs[1].context) == 70.5);
    std::string message;
    try {
        (void)bench::runs_of_traces(good + "\n{\"runtime_s\":1}\n", "x.jsonl");
    } catch (const tools::tool_error& refused) {
        message = refused.what();
    }
    CHECK_MESSAGE(message.find("line 2") != std::string::npos, message);
}

TEST_CASE("made-up questions lie inside what was seen, or beyond it in the direction they name") {
    for (const auto& law : bench::growth_laws)
        for (const auto laid_out : {bench::layout::one_scale_out, bench::layout::grid}) {
            const auto cases = bench::made_up_history(law, {.laid_out = laid_out, .contexts = 10, .seed = 5});
            REQUIRE(cases.size() == 3);
            double most = 0;
            int last = 0;
            std::set<double> sizes;
            for (const auto& each : *cases[0].history) {
                most = (std::max)(most, bench::data_size_of(each.context));
                last = (std::max)(last, each.scale_out);
                sizes.insert(bench::data_size_of(each.context));
            }
            CHECK(sizes.size() == 10);
            CHECK(cases[0].history->size() == (laid_out == bench::layout::grid ? 50 : 10));
            for (const auto& test : cases[0].tests) {
                CHECK(test.of.scale_out <= last);
                CHECK(bench::data_size_of(test.of.context) <= most);
            }
            for (const auto& test : cases[1].tests) CHECK(test.of.scale_out > last);
            for (const auto& test : cases[2].tests) CHECK(bench::data_size_of(test.of.context) > most);
        }
}

TEST_CASE("a law fitted to a history of its own form without noise is the truth") {
    for (const auto& law : bench::growth_laws) {
        const auto cases = bench::made_up_history(
            law, {.laid_out = bench::layout::grid, .contexts = 30, .noise = 0, .straggler = 0, .seed = 2});
        for (const auto& each : cases) {
            const bench::fitted_law fitted(each.truth, *each.history);
            for (const auto& test : each.tests)
                CHECK(fitted(test.of.context, test.of.scale_out) == doctest::Approx(test.median_s).epsilon(1e-6));
        }
    }
}

TEST_CASE("hardened records never show the target, and leave out machines and larger sizes") {
    bench::record_table records;
    for (const std::string machine : {"a", "b", "b", "b"})
        for (const double size : {10.0, 20.0, 30.0, 40.0})
            for (const int x : {2, 4, 8}) {
                auto one = run_of(size + static_cast<double>(records.runs.size() / 12), x, 100 / x + size);
                one.context.essential.push_back(
                    bellamy::text("machine", machine).with_role(bellamy::property_role::machine_type));
                records.runs.push_back(std::move(one));
            }
    records.contexts = bellamy::context_numbers(records.runs);
    std::vector<bench::history_case> cases;
    bench::add_thinned(records, "job", 5, 2, 3, cases);
    REQUIRE(cases.size() == 3);  // k = 0, 1, 2
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(cases[k].observed.size() == k);
        CHECK(cases[k].tests.size() == 3 - k);
        CHECK(cases[k].history->size() == 10);
        for (const auto& known : *cases[k].history) CHECK(known.context != cases[k].tests.front().of.context);
    }
    cases.clear();
    bench::add_unseen_machines(records, "job", 3, cases);
    REQUIRE(cases.size() == 12);  // the four contexts of "a"
    for (const auto& each : cases) {
        CHECK(*each.tests.front().of.context.essential[1].value.text() == "a");
        for (const auto& known : *each.history) CHECK(*known.context.essential[1].value.text() == "b");
    }
    cases.clear();
    bench::add_larger_sizes(records, "job", 3, cases);
    REQUIRE_FALSE(cases.empty());
    for (const auto& each : cases)
        for (const auto& known : *each.history)
            CHECK(bench::data_size_of(known.context) < bench::data_size_of(each.tests.front().of.context));
}

namespace {

// Three machine types of 2, 4 and 8 cores, two sizes, five numbers of nodes: 1 s for each MB and core, and one run killed.
std::string grid_table() {
    std::string text =
        "application\tmachine_type\tcores_per_node\tmemory_mb_per_node\tdata_size_MB\tnodes\tseconds\toutcome\n";
    for (const int cores : {2, 4, 8})
        for (const int size : {1000, 2000})
            for (const int nodes : {2, 4, 6, 8, 10})
                text += fmt::format("job\tm{}\t{}\t{}\t{}\t{}\t{}\t{}\n", cores, cores, 4000 * cores, size, nodes,
                                    static_cast<double>(size) / (cores * nodes),
                                    cores == 2 && size == 2000 && nodes == 2 ? "killed" : "succeeded");
    return text;
}

std::vector<bench::history_case> grid_cases(const std::string& path, const std::string& name) {
    auto applications = bench::read_grid(tools::read_table(path));
    auto cases = bench::grid_splits("job", applications.at("job"), 1, 2)();
    std::erase_if(cases, [&](const bench::history_case& each) { return each.group != "job " + name; });
    return cases;
}

}  // namespace

TEST_CASE("a run counted in cores has the memory and the cores of the same cluster in nodes") {
    const temporary_directory place;
    support::write_text(place / "grid.tsv", grid_table());
    const auto applications = bench::read_grid(tools::read_table(place / "grid.tsv"));
    for (const auto& run : applications.at("job")) {
        const auto counted = bench::counted_in_cores(run);
        const auto memory_mb = [](const bellamy::run& of) {
            return of.scale_out * bench::number_with_role(of.context, bellamy::property_role::memory_per_node);
        };
        CHECK(counted.context.unit == bellamy::scale_out_unit::core);
        CHECK(counted.scale_out == bench::total_cores(run.context, run.scale_out));
        CHECK(bench::total_cores(counted.context, counted.scale_out) == counted.scale_out);
        CHECK(memory_mb(counted) == doctest::Approx(memory_mb(run)));
        CHECK(counted.runtime_s == run.runtime_s);
    }
}

TEST_CASE("splits of a grid hide what they say, and ask nothing of killed runs") {
    const temporary_directory place;
    support::write_text(place / "grid.tsv", grid_table());
    const auto of = [&](const char* name) { return grid_cases(place / "grid.tsv", name); };
    for (const auto& split : of("thin5")) {
        CHECK(split.history->size() == 5);
        for (const auto& known : *split.history)
            CHECK(bench::data_size_of(known.context) == bench::data_size_of(split.history->front().context));
    }
    REQUIRE(of("machine1").size() == 6);
    for (const auto& split : of("machine1")) {
        CHECK(split.observed.size() == 1);
        for (const auto& test : split.tests) {
            CHECK(test.of.context == split.observed.front().context);
            CHECK_FALSE(test.of.censored);
        }
        for (const auto& known : *split.history)
            CHECK(bench::machine_of(known.context) != bench::machine_of(split.observed.front().context));
    }
    CHECK(of("nodes").size() == 5);
    const auto larger_clusters = of("cores");
    REQUIRE(larger_clusters.size() == 1);
    for (const auto& known : *larger_clusters.front().history)
        CHECK(bench::total_cores(known.context, known.scale_out) <= 48);
    for (const auto& test : larger_clusters.front().tests)
        CHECK(bench::total_cores(test.of.context, test.of.scale_out) > 48);
    for (const auto& split : of("size0"))
        for (const auto& known : *split.history) CHECK(bench::data_size_of(known.context) == 1000);
    const auto one_anywhere = of("anywhere");
    REQUIRE(one_anywhere.size() == 2);
    CHECK(one_anywhere.front().history->size() == 16);
    CHECK(one_anywhere.front().tests.size() == 13);
}

TEST_CASE("lines over cores through exact runs give them back on another machine and of another size") {
    const temporary_directory place;
    support::write_text(place / "grid.tsv", grid_table());
    const auto split = grid_cases(place / "grid.tsv", "machine0").front();
    const auto known = bench::ended_runs(*split.history);
    for (const auto& test : split.tests) {
        const auto exact = doctest::Approx(test.of.runtime_s).epsilon(0.01);
        CHECK(bench::ernest_over_cores(known)(test.of.context, test.of.scale_out) == exact);
        CHECK(bench::nearest_scaled(known)(test.of.context, test.of.scale_out) == exact);
        CHECK(bench::log_linear_with_machines(known)(test.of.context, test.of.scale_out) == exact);
    }
}

TEST_CASE("histories prints its table and writes the same as JSON, with any number of threads") {
    const temporary_directory place;
    const auto command = [&](const std::string& threads) {
        return words{BELLAMY_HISTORIES, "--part",      "made-up",   "--only", "overhead one 3", "--draws",      "2",
                     "--method",        "best,ernest", "--threads", threads,  "--json",         place / threads};
    };
    const auto printed = check_succeeds(command("1"));
    CHECK(check_succeeds(command("2")) == printed);
    CHECK(support::read_text(place / "1") == support::read_text(place / "2"));
    std::set<std::string> methods;
    for (const auto& row : nlohmann::json::parse(support::read_text(place / "1"))) {
        methods.insert(row.at("method").get<std::string>());
        CHECK(row.at("mean").get<double>() >= 0);
        CHECK(row.contains("covered_90") == (row.at("method") == "best"));
        CHECK(printed.find(row.at("group").get<std::string>()) != std::string::npos);
    }
    CHECK(methods == std::set<std::string>{"best", "ernest", "true form"});
}

TEST_CASE("far questions lie as many doublings beyond their history as they are named after, in one direction") {
    std::vector<bellamy::run> runs;
    for (int i = 0; i < 16; ++i)
        for (const int x : {2, 4, 8, 32}) runs.push_back(run_of(100 * std::exp2(0.5 * i), x, 30));
    std::vector<bench::history_case> cases;
    bench::far_splits splits("far", "job", 1);
    splits.add_recorded(runs, 2, cases);
    splits.add_made_up(bench::further_laws[0], 1, cases);
    std::set<std::string> groups;
    for (const auto& each : cases) {
        groups.insert(each.group);
        double largest = 0;
        int last = 0;
        for (const auto& known : *each.history) {
            largest = (std::max)(largest, bench::data_size_of(known.context));
            last = (std::max)(last, known.scale_out);
        }
        for (const auto& test : each.tests) {
            const double size = std::log2(bench::data_size_of(test.of.context) / largest);
            const double scale_out = std::log2(static_cast<double>(test.of.scale_out) / last);
            const auto& name = each.group;
            if (name.find("inside") != std::string::npos) CHECK((size <= 0 && scale_out <= 0));
            if (name.find("size") != std::string::npos) CHECK((size > 0 && scale_out <= 0));
            if (name.find("scale-out") != std::string::npos) CHECK((size <= 0 && scale_out > 0));
            const double doublings = (std::max)(size, scale_out);
            if (name.ends_with("<=2")) CHECK((doublings > 1 && doublings <= 2));
            if (name.ends_with(">3")) CHECK(doublings > 3);
        }
    }
    for (const auto* name : {"job inside", "job size<=1", "job size>3", "job scale-out<=2", "job scale-out>3"})
        CHECK_MESSAGE(groups.contains(name), name);
}

TEST_CASE("histories asks far questions of made-up laws, and keeps those that choices were made on apart") {
    const temporary_directory place;
    check_succeeds({BELLAMY_HISTORIES, "--part", "far", "--only", "size<=1", "--draws", "1", "--method", "ernest", "--json",
                    place / "far.json"});
    std::set<std::string> parts;
    for (const auto& row : nlohmann::json::parse(support::read_text(place / "far.json"))) {
        parts.insert(row.at("part").get<std::string>());
        CHECK(row.at("method") == "ernest");
    }
    CHECK(parts == std::set<std::string>{"far", "far-set"});
}

TEST_CASE("the oracle of noisy runs holds what it says, whatever the shape of the noise") {
    CHECK(bench::student_cdf(2.353) == doctest::Approx(0.95).epsilon(1e-3));  // a table's value
    bellamy::detail::random_generator random(1);
    for (const auto shape : {bench::noise_shape::normal, bench::noise_shape::heavy_tailed, bench::noise_shape::growing}) {
        const bench::noise_law noise{.shape = shape, .scatter = 0.2};
        const auto exact = bench::true_distribution(100, noise, 12);
        double squares = 0;
        int inside = 0;
        constexpr int count = 20'000;
        for (int i = 0; i < count; ++i) {
            const double deviation = noise.noise_at(random.normal(), 12);
            const auto interval = exact.interval_s(0.9);
            const double runtime_s = 100 * std::exp(deviation);
            if (runtime_s > interval.low_s && runtime_s < interval.high_s) ++inside;
            squares += deviation * deviation / count;
        }
        CHECK(static_cast<double>(inside) / count == doctest::Approx(0.9).epsilon(0.01));
        const double expected = shape == bench::noise_shape::growing ? std::sqrt(2.0) * 0.2 : 0.2;
        CHECK(std::sqrt(squares) == doctest::Approx(expected).epsilon(0.1));
    }
}

TEST_CASE(
    "targets of a noisy history are the same however many of their runs are observed, and errors are compared in pairs") {
    const auto drawn = bench::draw_noise_history(bench::growth_laws[0], {.noise = {.scatter = 0.1}, .runs = 2}, 4, 3);
    CHECK(drawn.runs.size() == 120);
    CHECK(drawn.runs[0].context == drawn.runs[1].context);
    CHECK(drawn.runs[0].scale_out == drawn.runs[1].scale_out);
    REQUIRE(drawn.targets.size() == 3);
    for (const auto& target : drawn.targets)
        for (const auto& run : target.observed) CHECK(run.context == target.context);
    CHECK(bench::paired_t(std::array{1.1, 2.1, 3.2}, std::array{1.0, 2.0, 3.0}) == doctest::Approx(4));
    CHECK(bench::paired_t(std::array{1.0, 2.0, 3.0}, std::array{1.1, 2.1, 3.2}) == doctest::Approx(-4));
}

TEST_CASE("every cell and law of the noise part draws batches of its own for drift") {
    const auto first = [](double scatter, const bench::growth_law& law) {
        const bench::noise_cell cell{.noise = {.scatter = scatter}};
        return bench::draw_noise_history(law, cell, bench::batch_seed(cell, law), 1).targets[0].observed[0].context;
    };
    CHECK(first(0.1, bench::growth_laws[0]) == first(0.1, bench::growth_laws[0]));
    CHECK(first(0.1, bench::growth_laws[0]) != first(0.2, bench::growth_laws[0]));
    CHECK(first(0.1, bench::growth_laws[0]) != first(0.1, bench::growth_laws[1]));
}

TEST_CASE("histories shows the noise part with an oracle and drift's alarms") {
    const temporary_directory place;
    const auto out = check_succeeds({BELLAMY_HISTORIES, "--part", "noise", "--only", "normal 0.06 x 1", "--draws", "1",
                                     "--laws", "overhead", "--batches", "2", "--json", place / "noise.json"});
    const auto rows = nlohmann::json::parse(support::read_text(place / "noise.json"));
    REQUIRE(rows.size() == 4);
    for (const auto& row : rows) {
        CHECK(row.at("tests") == 100);
        CHECK(row.at("pinball") >= row.at("oracle_pinball"));
        CHECK(out.find("normal 0.06 x 1") != std::string::npos);
    }
    CHECK(out.find("drift below 0.01") != std::string::npos);
}

TEST_CASE("histories refuses bad input and wrong usage with one line") {
    const temporary_directory place;
    check_wrong_usage(run_program({BELLAMY_HISTORIES, "--part", "traces"}), {"--traces"});
    check_wrong_usage(run_program({BELLAMY_HISTORIES, "--part", "c3o"}), {"--data"});
    check_wrong_usage(run_program({BELLAMY_HISTORIES, "--part", "grids"}), {"--data"});
    check_refused(run_program({BELLAMY_HISTORIES, "--part", "grids", "--data", place / ""}), "cannot_read", {"<grid>.tsv"});
    check_refused(run_program({BELLAMY_HISTORIES, "--part", "far", "--grids", place / ""}), "cannot_read", {"<grid>.tsv"});
    check_wrong_usage(run_program({BELLAMY_HISTORIES, "--part", "elsewhere"}), {"--part"});
    check_wrong_usage(run_program({BELLAMY_HISTORIES, "--method", "oracle"}), {"--method"});
    check_refused(run_program({BELLAMY_HISTORIES, "--part", "made-up", "--only", "nowhere"}), "no_cases", {"nowhere"});
    check_refused(run_program({BELLAMY_HISTORIES, "--part", "traces", "--traces", place / ""}), "cannot_read",
                  {"connectedcomponents"});
}

TEST_CASE("who knows the runtimes chooses the cheapest run in time, and a killed run is never in time") {
    const auto on = [](double runtime_s, double price_per_s, bool killed = false) {
        bench::priced_run priced{.price_per_s = price_per_s};
        priced.run = {.context = {}, .scale_out = 1, .runtime_s = runtime_s, .censored = killed};
        return priced;
    };
    const std::vector runs{on(10, 5), on(11, 3), on(30, 0.5), on(40, 0.1, true)};
    const std::vector<bench::expected_run> known{{.runtime_s = 10}, {.runtime_s = 11}, {.runtime_s = 30}, {.runtime_s = 1}};
    const auto choose = [&](bench::grid_limit limit, std::size_t caution) {
        return bench::choose_run(std::span(runs).first(3), std::span(known).first(3), bench::limit_of(limit, runs), caution);
    };
    const auto fast = choose(bench::grid_limit::near_fastest, bench::usual_factor);
    CHECK(fast.kept);
    CHECK(fast.regret == 0);
    CHECK(choose(bench::grid_limit::median, bench::usual_factor).regret == 0);
    CHECK(choose(bench::grid_limit::none, 0).regret == 0);
    // With more caution than the limit allows the fastest is taken.
    CHECK(choose(bench::grid_limit::near_fastest, bench::caution_factors.size() - 1).regret ==
          doctest::Approx(50.0 / 33 - 1));
    const auto misled = bench::choose_run(runs, known, 12, bench::usual_factor);
    CHECK_FALSE(misled.kept);
    CHECK(misled.regret == doctest::Approx(4.0 / 33 - 1));
    // In time with a probability of 0.5, 0.75 and 0.9.
    std::vector<bench::expected_run> sure(3);
    for (std::size_t i = 0; i < sure.size(); ++i) {
        bellamy::prediction within{.is_point = false};
        for (std::size_t k = 0; k < within.log_quantiles.size(); ++k)
            within.log_quantiles[k] =
                std::log(12) + bellamy::detail::standard_normal_quantiles[k] - std::array{0.0, 0.674, 1.282}[i];
        within.median_s = std::exp(within.log_quantiles[bellamy::detail::median_index]);
        sure[i] = {.runtime_s = 10, .predicted = within};
    }
    const auto surest = bench::choose_run(std::span(runs).first(3), sure, 12, bench::usual_probability);
    CHECK(surest.stated == doctest::Approx(bellamy::detail::normal_cdf(1.282)));
    CHECK_FALSE(surest.kept);
}
