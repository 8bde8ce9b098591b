#include <bellamy/cold_start.hpp>

#include "support/compare.hpp"
#include "support/made_up_job.hpp"

#include <bellamy/baseline/ernest.hpp>

using namespace bellamy;
using support::check_refused;

namespace {

const context new_job = support::made_up_context(55);

double mean_error(const curve& runtimes, std::span<const int> scale_outs) {
    double error = 0;
    for (const int x : scale_outs)
        error += support::relative_difference(runtimes.at(x).median_s, support::made_up_runtime_s(55, x));
    return error / static_cast<double>(scale_outs.size());
}

}  // namespace

TEST_CASE("without history and runs a cold start answers and says that it knows nothing") {
    const auto subject = cold_start(new_job, "new");
    REQUIRE(subject);
    CHECK(subject->kind() == model_kind::shapes);
    CHECK(subject->basis().algorithm == "new");
    const auto answer = subject->bind(new_job)->at(8);
    CHECK(answer.usable());
    CHECK(answer.unlike_any_seen_context);
    CHECK(answer.observed_runs == 0);
    CHECK(answer.outside_seen_scale_outs);
    // From a minute to an hour at the least.
    CHECK(answer.quantile_s(0.05) < 60);
    CHECK(answer.quantile_s(0.95) > 3600);
}

TEST_CASE("one run sets the level of a cold start and more runs its shape") {
    const auto blank = *cold_start(new_job);
    const auto one = *blank.condition(std::vector{support::made_up_run(55, 4)});
    CHECK(one.bind(new_job)->at(4).median_s == doctest::Approx(support::made_up_runtime_s(55, 4)).epsilon(0.05));
    CHECK(one.bind(new_job)->at(8).spread() < 0.5 * blank.bind(new_job)->at(8).spread());
    CHECK(one.basis().seen_scale_outs == scale_out_interval{.smallest = 4, .largest = 4});

    const std::vector more{support::made_up_run(55, 2), support::made_up_run(55, 4), support::made_up_run(55, 8)};
    const std::array between{3, 5, 6};
    CHECK(mean_error(*blank.condition(more)->bind(new_job), between) < 0.05);
}

TEST_CASE("runs of another data size tell a cold start the shape, and the level less surely the further the size is") {
    std::vector<run> runs;
    for (const int x : {2, 4, 6, 8, 10, 12}) runs.push_back(support::made_up_run(55, x));
    const auto wiser = *cold_start(new_job)->condition(runs);
    double spread = wiser.bind(new_job)->at(8).spread();
    for (const std::uint64_t size_gb : {60U, 110U, 550U}) {
        CAPTURE(size_gb);
        const auto runtimes = *wiser.bind(support::made_up_context(size_gb));
        const auto answer = runtimes.at(8);
        // The exponent of the size lies between 0.6 and 1.2.
        const double ratio = static_cast<double>(size_gb) / 55;
        CHECK(answer.median_s > std::pow(ratio, 0.6) * support::made_up_runtime_s(55, 8));
        CHECK(answer.median_s < std::pow(ratio, 1.2) * support::made_up_runtime_s(55, 8));
        CHECK(answer.interval_s(0.9).low_s < support::made_up_runtime_s(size_gb, 8));
        CHECK(answer.interval_s(0.9).high_s > support::made_up_runtime_s(size_gb, 8));
        CHECK(runtimes.at(2).median_s / runtimes.at(12).median_s ==
              doctest::Approx(support::made_up_runtime_s(55, 2) / support::made_up_runtime_s(55, 12)).epsilon(0.1));
        CHECK(answer.spread() > spread);
        CHECK(answer.observed_runs == 0);
        CHECK(answer.unlike_any_seen_context == (size_gb > 110));  // beyond a factor of two
        CHECK(answer.outside_seen_data_sizes);
        spread = answer.spread();
    }
}

TEST_CASE("after a cold start, a data size between those observed is no extrapolation, and another machine is unlike any") {
    std::vector<run> runs;
    for (const std::uint64_t size_gb : {10U, 25U, 40U, 55U}) runs.push_back(support::made_up_run(size_gb, 4));
    const auto conditioned = *cold_start(new_job)->condition(runs);
    for (const std::uint64_t size_gb : {12U, 33U, 54U}) {
        CAPTURE(size_gb);
        const auto answer = conditioned.bind(support::made_up_context(size_gb))->at(4);
        CHECK_FALSE(answer.unlike_any_seen_context);
        CHECK_FALSE(answer.outside_seen_data_sizes);
    }
    CHECK(conditioned.bind(support::made_up_context(8))->at(4).outside_seen_data_sizes);
    // Between sizes far from it, too; a killed run is no end of the range.
    auto far_apart = std::vector{support::made_up_run(10, 4), support::made_up_run(1000, 4)};
    const auto between = cold_start(new_job)->condition(far_apart)->bind(support::made_up_context(100))->at(4);
    CHECK_FALSE(between.unlike_any_seen_context);
    CHECK_FALSE(between.outside_seen_data_sizes);
    far_apart[1].censored = true;
    CHECK(cold_start(new_job)->condition(far_apart)->bind(support::made_up_context(100))->at(4).unlike_any_seen_context);
    CHECK(conditioned.bind(support::made_up_context(33, "never seen"))->at(4).unlike_any_seen_context);
    // Its own run is one like it; a killed one of another size is none.
    auto other = std::vector{support::made_up_run(500, 4)};
    CHECK_FALSE(cold_start(new_job)->condition(other)->bind(other[0].context)->at(4).unlike_any_seen_context);
    other[0].censored = true;
    CHECK(cold_start(new_job)->condition(other)->bind(support::made_up_context(450))->at(4).unlike_any_seen_context);
}

TEST_CASE("one run of a new data size sets its level, the runs of the other size its shape") {
    std::vector<run> runs;
    for (const int x : {2, 4, 6, 8, 10, 12}) runs.push_back(support::made_up_run(55, x));
    runs.push_back(support::made_up_run(110, 8));
    const auto runtimes = *cold_start(new_job)->condition(runs)->bind(support::made_up_context(110));
    const auto alone = *cold_start(new_job)->condition(std::span(runs).last(1))->bind(support::made_up_context(110));
    CHECK(runtimes.at(8).median_s == doctest::Approx(support::made_up_runtime_s(110, 8)).epsilon(0.05));
    CHECK(!runtimes.at(8).outside_seen_data_sizes);
    for (const int x : {2, 12}) {
        // Of the smaller size more is fixed: from 8 nodes to 2 it grows by a sixth less.
        CHECK(support::relative_difference(runtimes.at(x).median_s, support::made_up_runtime_s(110, x)) < 0.17);
        CHECK(runtimes.at(x).spread() < 0.7 * alone.at(x).spread());
    }
}

TEST_CASE("a run of other values sets a cold start's level with more doubt than one of another size, and gives way to it") {
    const auto blank = *cold_start(new_job);
    auto elsewhere = support::made_up_run(110, 4);
    elsewhere.context = support::made_up_context(110, "m5.xlarge");
    const auto of_size = blank.condition(std::vector{support::made_up_run(110, 4)})->bind(new_job)->at(4);
    const auto of_values = blank.condition(std::vector{elsewhere})->bind(new_job)->at(4);
    CHECK(of_values.median_s == doctest::Approx(of_size.median_s).epsilon(0.05));
    CHECK(of_values.spread() > 1.2 * of_size.spread());
    CHECK(of_values.spread() < 0.3 * blank.bind(new_job)->at(4).spread());
    const auto both = blank.condition(std::vector{elsewhere, support::made_up_run(110, 4)})->bind(new_job)->at(4);
    CHECK(both.log_quantiles == of_size.log_quantiles);
}

TEST_CASE("a context with an unknown value, its size even, is predicted by the runs of a cold start") {
    const auto observed = support::made_up_run(55, 4);
    for (const size_t unknown_property : {size_t{0}, size_t{1}}) {
        auto asked = observed.context;
        asked.essential[unknown_property] = unknown(asked.essential[unknown_property].name);
        const auto answer = cold_start(new_job)->condition(std::array{observed})->bind(asked)->at(4);
        CHECK(answer.median_s == doctest::Approx(observed.runtime_s).epsilon(0.1));
        CHECK(answer.quantile_s(0.9) < 4 * observed.runtime_s);
    }
}

TEST_CASE("a cold start answers after a run as short or as long as a double holds") {
    for (const double runtime_s : {std::numeric_limits<double>::denorm_min(), (std::numeric_limits<double>::max)()}) {
        auto extreme = support::made_up_run(30, 4);
        extreme.runtime_s = runtime_s;
        const auto wiser = *cold_start(support::made_up_context(30))->condition(std::vector{extreme});
        for (const int x : {1, 4, 1000}) {
            const auto answer = wiser.bind(support::made_up_context(30))->at(x);
            CHECK(answer.usable());
            CHECK(answer.quantile_s(0.1) <= answer.quantile_s(0.9));
        }
    }
}

TEST_CASE("the intervals of a cold start are as wide as its runs scatter, the less and the more") {
    for (const double scatter : {0.03, 0.2}) {
        CAPTURE(scatter);
        std::vector<run> runs;
        for (const double deviate : {-1.6, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.6})  // about normal
            for (const int x : {4, 8}) {
                runs.push_back(support::made_up_run(55, x));
                runs.back().runtime_s *= std::exp(scatter * (x == 4 ? deviate : -deviate));
            }
        const auto answer = cold_start(new_job)->condition(runs)->bind(new_job)->at(8);
        const double deviation = std::log(answer.quantile_s(0.95) / answer.quantile_s(0.05)) / (2 * 1.645);
        CHECK(deviation > 0.8 * scatter);
        CHECK(deviation < 1.6 * scatter);  // a mixture of noises, and stragglers
    }
}

TEST_CASE("with one run a cold start beats Ernest") {
    const std::vector first{support::made_up_run(55, 4)};
    const std::array others{2, 6, 8, 12};
    const auto ernest = baseline::ernest(first);
    REQUIRE(ernest);
    CHECK(mean_error(*cold_start(new_job)->condition(first)->bind(new_job), others) < mean_error(*ernest, others));
}

TEST_CASE("shapes can be learned from other jobs") {
    // Jobs that hardly get faster.
    std::vector<run> flat;
    for (std::uint64_t size = 1; size <= 8; ++size)
        for (const int x : {2, 4, 8, 12})
            flat.push_back({.context = support::made_up_context(size), .scale_out = x, .runtime_s = 100 + 3.0 / x});
    const std::array<std::span<const run>, 1> others{flat};
    const auto learned = cold_start(new_job, {}, others);
    REQUIRE(learned);
    const std::vector first{support::made_up_run(55, 2)};
    const auto usual_s = cold_start(new_job)->condition(first)->bind(new_job)->at(12).median_s;
    const auto learned_s = learned->condition(first)->bind(new_job)->at(12).median_s;
    CHECK(learned_s > usual_s);
}

TEST_CASE("a cold start needs an example of known values and jobs with runs") {
    auto blank = new_job;
    blank.essential[1] = unknown("size_gb");
    check_refused(cold_start(blank), errc::unknown_value, {"size_gb"});
    check_refused(cold_start(new_job, "caf\xE9"), errc::invalid_text, {"algorithm"});
    check_refused(cold_start(new_job, std::string(longest_name_bytes + 1, 'x')), errc::invalid_text, {"65536", "65537"});
    const std::vector<run> some{support::made_up_run(55, 2)};
    const std::array<std::span<const run>, 2> others{some, {}};
    check_refused(cold_start(new_job, {}, others), errc::empty_history, {"job 1"});
}

namespace {

// 50 s, and 4000 s shared by all cores; the scale-out counts units of so many.
run run_on(std::uint64_t cores, int scale_out, scale_out_unit unit = scale_out_unit::node) {
    return {.context = {.essential = {natural("cores", cores).with_role(property_role::cores_per_node)}, .unit = unit},
            .scale_out = scale_out,
            .runtime_s = 50 + 4000.0 / (static_cast<double>(cores) * scale_out)};
}

double answer_s(const run& observed, const run& asked) {
    return cold_start(observed.context)->condition(std::array{observed})->bind(asked.context)->at(asked.scale_out).median_s;
}

}  // namespace

TEST_CASE("a cold start counts cores: sixteen nodes of two, four of eight and thirty-two cores scale alike") {
    const double of_two = answer_s(run_on(2, 16), run_on(2, 64));
    const double of_eight = answer_s(run_on(8, 4), run_on(8, 16));
    auto in_cores = run_on(1, 32, scale_out_unit::core);
    auto asked_in_cores = run_on(1, 128, scale_out_unit::core);
    CHECK(of_two == doctest::Approx(of_eight).epsilon(0.03));
    CHECK(answer_s(in_cores, asked_in_cores) == doctest::Approx(of_eight).epsilon(0.03));
    // A small cluster is shortened more by as many more units.
    CHECK(answer_s(run_on(1, 4), run_on(1, 16)) / run_on(1, 4).runtime_s < of_eight / run_on(8, 4).runtime_s);
}

TEST_CASE("a run on another machine sets a cold start's level by its slots, with doubt of the machine") {
    const auto observed = run_on(2, 16);
    const auto other = cold_start(observed.context)->condition(std::array{observed})->bind(run_on(8, 4).context)->at(4);
    CHECK(other.median_s == doctest::Approx(observed.runtime_s).epsilon(0.1));
    CHECK(other.observed_runs == 0);
    const auto same = cold_start(observed.context)->condition(std::array{observed})->bind(observed.context)->at(16);
    CHECK(other.spread() > same.spread());
    CHECK(other.spread() < 3);
}
