#include <bellamy/curve.hpp>
#include <bellamy/detail/blend/blend_fit.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using namespace bellamy::detail;

namespace {

struct machine {
    const char* name;
    std::uint64_t cores;
    double memory_mb;
};
constexpr machine small_machine{"c.large", 2, 4000};
constexpr machine large_machine{"m.xlarge", 4, 16000};
constexpr machine largest_machine{"r.2xlarge", 8, 64000};

context context_of(const machine& of, double size_mb = 10'000) {
    return {.essential = {quantity("size", size_mb).with_role(property_role::data_size),
                          text("machine", of.name).with_role(property_role::machine_type),
                          natural("cores", of.cores).with_role(property_role::cores_per_node),
                          quantity("memory", of.memory_mb).with_role(property_role::memory_per_node)}};
}

// All of it is work.
double runtime_s(const machine& of, int scale_out) { return 40 + 8000.0 / (static_cast<double>(of.cores) * scale_out); }

std::vector<run> runs_of(std::initializer_list<std::pair<machine, int>> clusters) {
    std::vector<run> runs;
    for (const auto& [of, x] : clusters)
        runs.push_back({.context = context_of(of), .scale_out = x, .runtime_s = runtime_s(of, x)});
    return runs;
}

std::vector<run> few_runs() {
    return runs_of({{small_machine, 4}, {small_machine, 24}, {large_machine, 8}, {large_machine, 30}, {largest_machine, 5}});
}

bool takes_part(const std::vector<run>& history) {
    const auto summary = summarise(group_runs(history), {});
    return cluster_regression::is_for(summary.features, summary.sample.history());
}

double median_s(const fitted_blend& blend, const machine& of, int x) {
    return curve(blend.bind(context_of(of), {}), {.smallest = x, .largest = x}).at(x).median_s;
}

}  // namespace

TEST_CASE("the regression takes part for few runs on clusters that differ in machines and data sizes") {
    CHECK(takes_part(few_runs()));
    auto other_sizes = few_runs();
    other_sizes.front().context = context_of(small_machine, 40'000);
    CHECK(takes_part(other_sizes));
}

TEST_CASE("the regression takes no part where something else differs, cores are unknown or alike, or runs are many") {
    auto with_argument = few_runs();
    for (std::size_t i = 0; i < with_argument.size(); ++i)
        with_argument[i].context.essential.push_back(text("argument", i % 2 == 0 ? "sql" : "graph"));
    CHECK(!takes_part(with_argument));

    auto without_cores = few_runs();
    for (auto& run : without_cores)
        std::erase_if(run.context.essential,
                      [](const auto& each) { return each.name == "cores" || each.name == "machine"; });
    CHECK(!takes_part(without_cores));

    CHECK(!takes_part(runs_of({{small_machine, 4}, {small_machine, 8}, {small_machine, 24}})));

    std::vector<run> many;
    for (int x = 1; x <= 40; ++x)
        for (const auto& of : {small_machine, large_machine}) many.push_back(runs_of({{of, x}}).front());
    CHECK(!takes_part(many));
}

TEST_CASE(
    "counted in cores, with the cores of their machines or each a unit of one core, clusters are what they are in nodes") {
    const auto answers_of = [](std::vector<run> history, const context& target, std::size_t cores_per_unit) {
        const auto summary = summarise(group_runs(history), {});
        REQUIRE(cluster_regression::is_for(summary.features, summary.sample.history()));
        const cluster_regression regression(summary.features, summary.sample.history());
        // What experts see are slots in units of the smallest machine's cores.
        const std::array<double, 1> at{std::log(24.0 / static_cast<double>(cores_per_unit))};
        std::vector<std::array<double, 3>> answers;
        for (const auto& [probability, answer] : regression(summary.features(target), at, {}))
            answers.push_back({probability, answer.mean[0], answer.covariance(0, 0)});
        return answers;
    };
    const auto in_cores = [](run counted) {
        const auto cores = *counted.context.essential[2].value.natural();
        counted.scale_out *= static_cast<int>(cores);
        counted.context.unit = scale_out_unit::core;
        auto& memory = counted.context.essential[3].value;
        memory = *memory.quantity() / static_cast<double>(cores);
        return counted;
    };
    const auto asked = runs_of({{{"n.xlarge", 4, 16000}, 6}}).front();
    auto by_cores = few_runs();
    for (auto& run : by_cores) run = in_cores(run);
    const auto expected = answers_of(few_runs(), asked.context, 2);
    const auto counted = answers_of(by_cores, in_cores(asked).context, 1);
    REQUIRE(counted.size() == expected.size());
    for (std::size_t i = 0; i < counted.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) CHECK(counted[i][k] == doctest::Approx(expected[i][k]));

    auto of_one_core = by_cores;
    for (auto& run : of_one_core) {
        run.context.unit = scale_out_unit::node;
        run.context.essential[2].value = std::uint64_t{1};
    }
    CHECK(takes_part(of_one_core));
}

TEST_CASE("five runs on three machine types predict others better with the regression than without") {
    const auto history = few_runs();
    const auto with = fit_blend(history);
    const auto without = fit_blend(history, {.experts = {true, true, true, false}});
    CHECK(with.data().report.usable[expert_kind::cluster_regression]);
    CHECK(!without.data().report.usable[expert_kind::cluster_regression]);
    // Five contexts against a prior worth six, of which the regression has six elevenths.
    double weight = 0;
    for (const auto& component : with.data().components)
        if (component.expert == expert_kind::cluster_regression) weight += component.weight;
    CHECK(weight > 6 * 6.0 / 11 / (5 + 6));
    double error = 0;
    double error_without = 0;
    for (const auto& of : {small_machine, large_machine, largest_machine})
        for (const int x : {6, 12, 20}) {
            error += std::abs(std::log(median_s(with, of, x) / runtime_s(of, x))) / 9;
            error_without += std::abs(std::log(median_s(without, of, x) / runtime_s(of, x))) / 9;
        }
    CAPTURE(error);
    CHECK(error < 0.12);
    CHECK(error < error_without);
}

TEST_CASE("the regression is less sure of a machine that the history does not have, and of more cores than it has") {
    const auto summary = summarise(group_runs(few_runs()), {});
    const cluster_regression regression(summary.features, summary.sample.history());
    const std::array<double, 1> log_slots{std::log(20.0)};
    const auto variance_of = [&](const machine& of) {
        double sum = 0;
        for (const auto& [probability, answer] : regression(summary.features(context_of(of)), log_slots, {}))
            sum += probability * answer.covariance(0, 0);
        return sum;
    };
    const double unseen_name = variance_of({"n.xlarge", 4, 16000});
    CHECK(unseen_name > variance_of(large_machine));
    CHECK(variance_of({"n.16xlarge", 64, 256'000}) > unseen_name + 0.001);
}

TEST_CASE("where the history has one size, the regression leaves the growth with it to others but knows of the memory") {
    const auto summary = summarise(group_runs(few_runs()), {});
    const cluster_regression regression(summary.features, summary.sample.history());
    const std::array<double, 1> at{std::log(8.0)};
    const auto mean_at = [&](double size_mb) {
        double sum = 0;
        for (const auto& [probability, answer] : regression(summary.features(context_of(large_machine, size_mb)), at, {}))
            sum += probability * answer.mean[0];
        return sum;
    };
    // Ten times the data may not fit into the memory that data of this size fitted into.
    CHECK(mean_at(100'000) > mean_at(10'000) + 0.05);
    CHECK(mean_at(100'000) < mean_at(10'000) + 1);
}

TEST_CASE("a killed run that the others contradict moves its neighbours less than an ended one known as little") {
    auto runs = few_runs();
    runs.push_back({.context = context_of(large_machine),
                    .scale_out = 4,
                    .runtime_s = 8 * runtime_s(large_machine, 4),
                    .censored = true});
    const auto summary = summarise(group_runs(runs), {});
    const std::array<double, 1> log_scale_out{std::log(6.0)};
    const auto mean_given = [&](const history_data& history) {
        const cluster_regression regression(summary.features, history);
        double sum = 0;
        for (const auto& [probability, answer] : regression(summary.features(context_of(large_machine)), log_scale_out, {}))
            sum += probability * answer.mean[0];
        return sum;
    };
    auto history = summary.sample.history();
    const double killed = mean_given(history);
    for (auto& point : history.points) point.variance = (std::min)(point.variance, 0.99 * beyond_bound_variance);
    CHECK(killed < mean_given(history) - 0.1);
}
