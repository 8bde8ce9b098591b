#include "../support/made_up_application.hpp"
#include "../support/made_up_blend.hpp"
#include "../support/model_bytes.hpp"
#include "../support/request.hpp"
#include "allocation_counter.hpp"

#include <bellamy/batch.hpp>
#include <bellamy/choose.hpp>
#include <bellamy/detail/enel/enel_forecasting.hpp>
#include <bellamy/rescale.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using support::allocations;
using support::largest_allocation;

TEST_CASE("asking a curve and choosing allocate nothing whether they answer or refuse") {
    auto context = support::made_up_context(10);
    const auto source = support::random_model();
    const auto runtimes = *source.bind(context);
    const std::vector<int> list{12, 2, 6};
    std::vector<assessment> table(3);
    int answered = 0;

    const std::size_t before = allocations;
    for (int x = -1; x <= 64; ++x) answered += runtimes.at(x).usable() ? 1 : 0;
    const curve copy = runtimes;
    answered += copy.at(largest_scale_out).usable() ? 1 : 0;
    for (const double deadline_s : {1000.0, 1e-9, -1.0}) {
        answered += choose(runtimes, list, deadline_s, 0.9, table).has_value() ? 1 : 0;
        answered += choose(runtimes, {1, 1000}, deadline_s).has_value() ? 1 : 0;
        answered += choose(runtimes, list, deadline_s, 0.9, std::span(table).first(1)).has_value() ? 1 : 0;
        answered += choose(runtimes, std::span<const int>{}, deadline_s).has_value() ? 1 : 0;
        answered += choose(runtimes, {0, 4}, deadline_s).has_value() ? 1 : 0;
    }
    const std::size_t after = allocations;
    CHECK(after == before);
    CHECK(answered > 0);

    // The counter counts: binding is allowed to allocate, and does.
    (void)source.bind(context).has_value();
    CHECK(allocations > after);
}

TEST_CASE("quantiles, probabilities, guarded curves and priced choices of best mode allocate nothing") {
    const auto context = support::made_up_context(55);
    const auto wiser = *support::made_up_blend().condition(std::vector{support::made_up_run(55, 4)});
    const auto plain = *wiser.bind(context);
    const auto guarded = *wiser.bind(context, {.non_increasing = true});
    std::vector<candidate> candidates;
    for (const auto* each : {&plain, &guarded})
        for (int x = 1; x <= 64; ++x)
            candidates.push_back({.runtimes = each, .scale_out = x, .costs = {.per_unit_and_hour = 1, .start_up_s = 9}});
    std::vector<assessment> table(candidates.size());
    double sum = 0;
    int answered = 0;

    const std::size_t before = allocations;
    for (const auto& each : candidates) {
        const auto answer = each.runtimes->at(each.scale_out);
        sum += answer.quantile_s(0.9) + answer.probability_within(100) + answer.spread() + answer.interval_s(0.5).low_s;
    }
    for (const auto wanted : {goal::smallest_within_deadline, goal::cheapest_within_deadline, goal::fastest_within_budget,
                              goal::least_expected_cost})
        for (const double limit : {1e-9, 100.0, 1e6})
            answered += choose(candidates, support::request_for(wanted, limit), table).has_value() ? 1 : 0;
    CHECK(allocations == before);
    CHECK(answered == 12);
    CHECK(std::isfinite(sum));
}

TEST_CASE("forecasts answer and decide to rescale without allocating, before a run and while it runs") {
    const auto run = support::made_up_trace(20, 1000, 4);
    const auto before_start = support::learned_from(support::etl_history({500, 1000}))->bind(run.properties).value();
    const auto while_running = before_start.observe(support::first_jobs(run, 1)).value();
    const std::vector<int> scale_outs{1, 2, 4, 8, 16};
    std::vector<rescale_assessment> table(scale_outs.size());
    double sum = 0;
    int decided = 0;

    const std::size_t before = allocations;
    for (const auto* each : {&before_start, &while_running}) {
        for (const int x : {0, 1, 4, 9, largest_scale_out}) {
            sum += each->run(x).quantile_s(0.9) + each->remaining(x).probability_within(10);
            for (std::size_t job = 0; job < each->jobs(); ++job) {
                sum += each->job(job, x).spread();
                for (std::size_t i = 0; i < each->stages(job); ++i) sum += each->stage(job, i, x).median_s;
            }
        }
        for (const double deadline_s : {-1.0, 1.0, 1000.0})
            decided += rescale(*each, scale_outs, {.per_unit_and_hour = 1}, {.deadline_s = deadline_s}, table) ? 1 : 0;
    }
    const std::size_t after = allocations;
    CHECK(after == before);
    CHECK(std::isfinite(sum));
    CHECK(decided == 4);

    // The counter counts: conditioning is allowed to allocate, and does.
    (void)before_start.observe(support::first_jobs(run, 2)).has_value();
    CHECK(allocations > after);
}

TEST_CASE("making and passing on an error allocates nothing") {
    const auto context = support::made_up_context(10);
    const std::string name(1000, 'x');
    const std::size_t before = allocations;
    const result<int> refused = detail::fail(errc::invalid_text, "expected less, found ", name, " and ", 1.5);
    const result<void> passed_on = refused.error();
    CHECK(allocations == before);
    CHECK_FALSE(passed_on.has_value());
}

TEST_CASE("sizes in a model file that lie make no large allocation") {
    const auto sections = support::sections_of(support::random_model());
    const auto clean = to_bytes(support::random_model());
    std::vector<support::bytes> lying;
    for (const std::size_t offset : {std::size_t{12}, std::size_t{16}, std::size_t{32}}) {
        auto one = clean;
        support::overwrite(one, offset, 0xFFFFFFFFU);
        lying.push_back(support::with_checksum(one));
    }
    struct row {
        const char* section;
        std::size_t offset;
    };
    // Numbers of properties, lengths of texts, number of essential codes.
    for (const auto& [name, offset] : {row{"SCHM", 1}, row{"SCHM", 5}, row{"BASE", 0}, row{"NETW", 24}}) {
        auto copy = sections;
        support::overwrite(support::named(copy, name).content, offset, 0x7FFFFFFFU);
        lying.push_back(support::assembled(copy));
    }
    for (const auto& one : lying) {
        largest_allocation = 0;
        const bool accepted = from_bytes(one).has_value();
        const std::size_t largest = largest_allocation;
        CHECK_FALSE(accepted);
        CHECK(largest <= 2 * clean.size());
    }
}

TEST_CASE("equal contexts are bound once, wherever they stand among many") {
    const auto subject = support::made_up_blend();
    std::vector<context> contexts;
    for (int i = 0; i < 12; ++i) contexts.push_back(support::made_up_context(10 + 10 * static_cast<std::uint64_t>(i % 2)));
    std::vector<question> questions;
    for (const auto& each : contexts) questions.push_back({.context = &each, .scale_out = 4});
    std::vector<prediction> answers(questions.size());
    const auto allocations_of = [](const auto& work) {
        const std::size_t before = allocations;
        CHECK(work().has_value());
        return allocations - before;
    };
    const auto binding = allocations_of([&] { return subject.bind(contexts.front()); });
    // Besides the two bindings, a few for each of the twelve: its identity, and its place.
    const auto most = 2 * binding + 8 * contexts.size();
    REQUIRE(most < 3 * binding);
    CHECK(allocations_of([&] { return predict(subject, questions, answers); }) <= most);
    CHECK(allocations_of([&] { return bind_each(subject, contexts); }) <= most);
}

TEST_CASE("Enel's passes and the epochs of its fine-tuning allocate nothing once they are made") {
    detail::random_generator random(6);
    const auto parameters = detail::random_enel_parameters(random);
    detail::enel_node node{.rescaling_share = 0.5, .rescales = true, .time_s = 3, .context = {detail::enel_encoding{}}};
    node.metrics.fill(0.5);
    node.context[0].fill(0.1);
    const detail::enel_job_graph graph{
        .history = node, .stages = {node, node, node}, .parents = {{}, {}, {0, 1}}, .time_s = 5};
    const auto batch = detail::enel_batch_builder::build(std::vector(3, graph));
    detail::enel_pass pass(detail::enel_capacity::covering({&batch, 1}));
    detail::enel_fine_tuning tuning(parameters, batch, {}, {}, 1);
    std::vector<double> gradient(parameters.size());
    std::vector<double> codes_gradient(batch.encodings.size() * detail::enel_layout::code);

    const std::size_t before = allocations;
    detail::encode_all(parameters.data(), batch, pass.codes());
    pass.forward(parameters.data(), batch);
    const double loss = detail::compare_times(batch, pass.times()).loss + detail::compare_metrics(batch, pass.metrics());
    pass.backward(parameters.data(), gradient.data(), batch, {}, codes_gradient);
    const double error_s = tuning.run_epoch().error_s;
    const std::size_t after = allocations;
    CHECK(after == before);
    CHECK(loss > 0);
    CHECK(error_s > 0);
}
