// Whoever asks through C gets what whoever asks through C++ gets.
#include <bellamy/bellamy.hpp>

#include "../support/request.hpp"
#include "../support/temporary_directory.hpp"
#include "job.hpp"

using namespace bellamy;
using support::bytes_of;
using support::c_curve;
using support::c_history;
using support::c_model;
using support::into;
using support::made_up_context;
using support::made_up_history;
using support::sized;

namespace {

void check_same(const bellamy_prediction& found, const prediction& expected) {
    CHECK(found.size == sizeof(found));
    CHECK(found.median_s == expected.median_s);
    for (const double p : {0.001, 0.25, 0.5, 0.9}) CHECK(bellamy_prediction_quantile(&found, p) == expected.quantile_s(p));
    for (const double limit_s : {0.0, 35.0, std::numeric_limits<double>::infinity()})
        CHECK(bellamy_prediction_probability(&found, limit_s) == expected.probability_within(limit_s));
    CHECK(found.observed_runs == expected.observed_runs);
    CHECK(((found.flags & bellamy_flag_outside_seen_scale_outs) != 0) == expected.outside_seen_scale_outs);
    CHECK(((found.flags & bellamy_flag_unlike_any_seen_context) != 0) == expected.unlike_any_seen_context);
    CHECK(((found.flags & bellamy_flag_outside_seen_data_sizes) != 0) == expected.outside_seen_data_sizes);
    CHECK(((found.flags & bellamy_flag_contradictory_observed_runs) != 0) == expected.contradictory_observed_runs);
    CHECK(((found.flags & bellamy_flag_point) != 0) == expected.is_point);
    CHECK(((found.flags & bellamy_flag_not_usable) != 0) == !expected.usable());
}

/// A curve of the model for 30 GB on a machine.
[[nodiscard]] c_curve bound(const c_model& model, const char* machine, const bellamy_bind_options* options = nullptr) {
    c_history job;
    c_curve curve;
    auto error = sized<bellamy_error>();
    const auto code = bellamy_model_bind(model.get(), &job.add_context(30, machine), options, into(curve), &error);
    REQUIRE_MESSAGE(code == bellamy_errc_ok, error.message);
    return curve;
}

constexpr std::array<std::int32_t, 6> scale_outs{1, 2, 5, 12, 13, 100};

void check_predictions(const c_curve& found, const curve& expected) {
    std::array<bellamy_prediction, scale_outs.size()> rows{};
    rows[0].size = sizeof(rows[0]);
    REQUIRE(bellamy_curve_predict(found.get(), scale_outs.data(), rows.size(), rows.data(), nullptr) == bellamy_errc_ok);
    for (std::size_t i = 0; i < rows.size(); ++i) check_same(rows[i], expected.at(scale_outs[i]));

    std::array<float, 40> medians{};
    std::array<float, 40> expected_medians{};
    REQUIRE(bellamy_curve_medians(found.get(), 1, medians.size(), medians.data(), nullptr) == bellamy_errc_ok);
    expected.medians_s(1, expected_medians);
    CHECK(medians == expected_medians);
}

}  // namespace

TEST_CASE("best mode through C is best mode through C++") {
    const auto model = support::pretrained();
    const auto expected = pretrain(made_up_history(5)).value().model;
    CHECK(bytes_of(model) == to_bytes(expected));
    for (const char* machine : {"m5.large", "never seen"}) {
        const auto plain = expected.bind(made_up_context(30, machine)).value();
        check_predictions(bound(model, machine), plain);
        auto options = sized<bellamy_bind_options>();
        options.non_increasing = 1;
        check_predictions(bound(model, machine, &options),
                          expected.bind(made_up_context(30, machine), {.non_increasing = true}).value());
    }
}

TEST_CASE("a network through C is the network through C++, and so is its fine-tuning") {
    for (const auto mode : {training_mode::paper}) {
        c_history history;
        support::fill(history, 3);
        auto options = sized<bellamy_pretrain_options>();
        REQUIRE(bellamy_default_pretrain_options(&options, nullptr) == bellamy_errc_ok);
        options.mode = static_cast<std::int32_t>(mode);
        options.algorithm = "made-up";
        options.date = "today";
        options.seed = 3;
        options.epochs = 20;
        options.dropout = 0.1;
        options.validation_share = 0.1;
        auto report = sized<bellamy_training_report>();
        c_model model;
        REQUIRE(bellamy_pretrain(history.runs.data(), history.runs.size(), &options, &report, into(model), nullptr) ==
                bellamy_errc_ok);
        const auto expected = pretrain(made_up_history(3), {.mode = mode,
                                                            .algorithm = "made-up",
                                                            .date = "today",
                                                            .seed = 3,
                                                            .epochs = 20,
                                                            .configuration = {.dropout = 0.1},
                                                            .validation_share = 0.1})
                                  .value();
        CHECK(bytes_of(model) == to_bytes(expected.model));
        CHECK(report.epochs == expected.report.epochs);
        CHECK(report.best_epoch == expected.report.best_epoch);
        CHECK(report.error_before_s == expected.report.error_before_s);
        CHECK(report.error_after_s == expected.report.error_after_s);
        CHECK(report.dropout == 0.1);
        CHECK(report.stopped == bellamy_stop_all_epochs_done);
        check_predictions(bound(model, "m5.large"), expected.model.bind(made_up_context(30)).value());

        c_history observed;
        observed.add_runs(70);
        auto tuning = sized<bellamy_fine_tune_options>();
        REQUIRE(bellamy_default_fine_tune_options(&tuning, nullptr) == bellamy_errc_ok);
        tuning.strategy = bellamy_strategy_partial_reset;
        tuning.epochs = 30;
        c_model tuned;
        REQUIRE(bellamy_model_fine_tune(model.get(), observed.runs.data(), observed.runs.size(), &tuning, &report,
                                        into(tuned), nullptr) == bellamy_errc_ok);
        std::vector<run> same;
        for (const int scale_out : {2, 4, 6, 8, 10, 12}) same.push_back(support::made_up_run(70, scale_out));
        const auto as_expected =
            fine_tune(expected.model, same, {.strategy = reuse_strategy::partial_reset, .epochs = 30}).value();
        CHECK(bytes_of(tuned) == to_bytes(as_expected.model));
        CHECK(report.error_after_s == as_expected.report.error_after_s);
    }
}

TEST_CASE("the report counts the runs that are lower bounds") {
    c_history history;
    support::fill(history, 2);
    for (auto& run : history.runs) run.censored = 1;
    auto report = sized<bellamy_training_report>();
    c_model model;
    REQUIRE(bellamy_pretrain(history.runs.data(), history.runs.size(), nullptr, &report, into(model), nullptr) ==
            bellamy_errc_ok);
    CHECK(report.censored_runs == history.runs.size());
}

TEST_CASE("the defaults of C are those of C++") {
    c_history history;
    support::fill(history, 2);
    auto options = sized<bellamy_pretrain_options>();
    auto tuning = sized<bellamy_fine_tune_options>();
    REQUIRE(bellamy_default_pretrain_options(&options, nullptr) == bellamy_errc_ok);
    REQUIRE(bellamy_default_fine_tune_options(&tuning, nullptr) == bellamy_errc_ok);
    const pretrain_options expected;
    CHECK(options.algorithm == nullptr);
    CHECK(options.date == nullptr);
    CHECK(options.seed == expected.seed);
    CHECK(options.mode == bellamy_mode_best);
    CHECK(options.epochs == expected.epochs);
    CHECK(options.batch_size == expected.batch_size);
    CHECK(options.trials == expected.trials);
    CHECK(options.threads == expected.threads);
    CHECK(options.dropout == expected.configuration.dropout);
    CHECK(options.learning_rate == expected.configuration.learning_rate);
    CHECK(options.weight_decay == expected.configuration.weight_decay);
    CHECK(options.time_budget_s == expected.time_budget_s);
    CHECK(options.target_noise_s == expected.target_noise_s);
    CHECK(options.validation_share == expected.validation_share);
    CHECK(tuning.strategy == bellamy_strategy_partial_unfreeze);
    CHECK(tuning.epochs == fine_tune_options{}.epochs);
    CHECK(tuning.early_stopping == 1);
    CHECK(tuning.target_noise_s == fine_tune_options{}.target_noise_s);
}

TEST_CASE("conditioning through C is conditioning through C++, and the runs can be read back") {
    const auto model = support::pretrained();
    c_history observed;
    observed.add_runs(30);
    observed.runs[1].censored = 1;
    observed.runs[2].weight = 0.5;
    observed.runs[3].timestamp_s = 1.6e9;
    c_model wiser;
    REQUIRE(bellamy_model_condition(model.get(), observed.runs.data(), 4, into(wiser), nullptr) == bellamy_errc_ok);

    std::vector<run> same;
    for (const int scale_out : {2, 4, 6, 8}) same.push_back(support::made_up_run(30, scale_out));
    same[1].censored = true;
    same[2].weight = 0.5;
    same[3].timestamp_s = 1.6e9;
    const auto expected = pretrain(made_up_history(5)).value().model.condition(same).value();
    CHECK(bytes_of(wiser) == to_bytes(expected));
    auto drifted = sized<bellamy_drift>();
    REQUIRE(bellamy_model_drift(model.get(), observed.runs.data(), 4, &drifted, nullptr) == bellamy_errc_ok);
    const auto in_cpp = measure_drift(pretrain(made_up_history(5)).value().model, same).value();
    CHECK(drifted.runs == 3);  // one was killed
    CHECK(drifted.mean_deviate == in_cpp.mean_deviate);
    CHECK(drifted.mean_square_deviate == in_cpp.mean_square_deviate);
    CHECK(drifted.probability == in_cpp.probability);
    CHECK(drifted.factor == in_cpp.factor);
    check_predictions(bound(wiser, "m5.large"), expected.bind(made_up_context(30)).value());

    auto told = sized<bellamy_model_description>();
    REQUIRE(bellamy_model_describe(wiser.get(), &told, nullptr) == bellamy_errc_ok);
    REQUIRE(told.stored_runs == 4);
    for (std::size_t i = 0; i < told.stored_runs; ++i) {
        auto found = sized<bellamy_run>();
        std::array<bellamy_property, 3> rows{};
        rows[0].size = sizeof(rows[0]);
        std::size_t count = 0;
        REQUIRE(bellamy_model_observed_run(wiser.get(), i, &found, rows.data(), rows.size(), &count, nullptr) ==
                bellamy_errc_ok);
        REQUIRE(count == 3);
        CHECK(found.context == nullptr);
        CHECK(found.scale_out == observed.runs[i].scale_out);
        CHECK(found.runtime_s == observed.runs[i].runtime_s);
        CHECK(found.censored == observed.runs[i].censored);
        CHECK(found.weight == observed.runs[i].weight);
        CHECK(found.timestamp_s == observed.runs[i].timestamp_s);
        CHECK(std::string(rows[0].text) == "m5.large");
        CHECK(rows[1].natural == 30);
        CHECK(std::string(rows[2].name) == "memory_gb");
        CHECK(rows[2].scales_with_scale_out == 1);
        CHECK(rows[2].size == sizeof(rows[2]));

        // What is told can be said again.
        const auto context = bellamy_context_of(rows.data(), 2, &rows[2], 1);
        found.context = &context;
        c_model again;
        CHECK(bellamy_model_condition(model.get(), &found, 1, into(again), nullptr) == bellamy_errc_ok);
    }
}

TEST_CASE("a run in milliseconds is named by its number, in a history and among observed runs") {
    const auto named = [](const c_model& model) {
        std::array<bellamy_improbable_run, 2> rows{};
        rows[0].size = sizeof(rows[0]);
        std::size_t count = 0;
        auto error = sized<bellamy_error>();
        const auto code = bellamy_model_improbable_runs(model.get(), rows.data(), rows.size(), &count, &error);
        REQUIRE_MESSAGE(code == bellamy_errc_ok, error.message);
        return std::pair(count, rows[0]);
    };
    CHECK(named(support::pretrained()).first == 0);
    c_history history;
    support::fill(history, 5);
    const auto right_s = history.runs[7].runtime_s;
    history.runs[7].runtime_s *= 1000;
    c_model model;
    REQUIRE(bellamy_pretrain(history.runs.data(), history.runs.size(), nullptr, nullptr, into(model), nullptr) ==
            bellamy_errc_ok);
    const auto [in_history, first] = named(model);
    REQUIRE(in_history == 1);
    CHECK(first.size == sizeof(first));
    CHECK(first.run == 7);
    CHECK(first.found_s == doctest::Approx(1000 * right_s));
    CHECK(first.expected_s == doctest::Approx(right_s).epsilon(0.1));
    // A model's bytes have no history.
    const auto bytes = bytes_of(model);
    c_model read;
    REQUIRE(bellamy_model_from_bytes(bytes.data(), bytes.size(), into(read), nullptr) == bellamy_errc_ok);
    CHECK(named(read).first == 0);

    c_history observed;
    observed.add_runs(35);
    const auto expected_s = observed.runs[2].runtime_s;
    observed.runs[2].runtime_s *= 1000;
    c_model wiser;
    REQUIRE(bellamy_model_condition(model.get(), observed.runs.data(), 4, into(wiser), nullptr) == bellamy_errc_ok);
    const auto [of_observed, second] = named(wiser);
    REQUIRE(of_observed == 1);
    CHECK(second.run == 2);
    CHECK(second.found_s == 1000 * expected_s);
    CHECK(second.expected_s == doctest::Approx(expected_s).epsilon(0.1));
    std::size_t count = 0;
    CHECK(bellamy_model_improbable_runs(wiser.get(), nullptr, 0, &count, nullptr) == bellamy_errc_ok);
    CHECK(count == 1);
}

TEST_CASE("learning through C is learning through C++") {
    const auto model = support::pretrained();
    c_history history;
    support::fill(history, 6);
    c_model wiser;
    REQUIRE(bellamy_model_learn(model.get(), history.runs.data(), history.runs.size(), into(wiser), nullptr) ==
            bellamy_errc_ok);
    CHECK(bytes_of(wiser) == to_bytes(learn(pretrain(made_up_history(5)).value().model, made_up_history(6)).value()));
    auto error = sized<bellamy_error>();
    CHECK(bellamy_model_learn(model.get(), nullptr, 0, into(wiser), &error) == bellamy_errc_empty_history);
    CHECK(bellamy_model_learn(nullptr, nullptr, 0, into(wiser), &error) == bellamy_errc_invalid_argument);
}

TEST_CASE("fine-tuning a model of best mode conditions it") {
    const auto model = support::pretrained();
    c_history observed;
    observed.add_runs(30);
    auto report = sized<bellamy_training_report>();
    c_model wiser;
    c_model tuned;
    REQUIRE(bellamy_model_condition(model.get(), observed.runs.data(), 3, into(wiser), nullptr) == bellamy_errc_ok);
    REQUIRE(bellamy_model_fine_tune(model.get(), observed.runs.data(), 3, nullptr, &report, into(tuned), nullptr) ==
            bellamy_errc_ok);
    CHECK(bytes_of(tuned) == bytes_of(wiser));
    CHECK(report.stopped == bellamy_stop_closed_form);
}

TEST_CASE("a model is described as it is") {
    const auto model = support::pretrained();
    auto told = sized<bellamy_model_description>();
    REQUIRE(bellamy_model_describe(model.get(), &told, nullptr) == bellamy_errc_ok);
    CHECK(std::string(told.algorithm).empty());
    CHECK(told.runs == 30);
    CHECK(told.contexts == 5);
    CHECK(told.observed_runs == 0);
    CHECK(std::string(told.date).empty());
    std::array<char, 17> id{};
    REQUIRE(bellamy_model_id(model.get(), id.data(), id.size(), nullptr) == bellamy_errc_ok);
    CHECK(std::string(id.data()) == model_id(from_bytes(bytes_of(model)).value()));
    CHECK(told.shortest_runtime_s == support::made_up_runtime_s(10, 12));
    CHECK(told.longest_runtime_s == support::made_up_runtime_s(50, 2));
    CHECK(told.smallest_seen_scale_out == 2);
    CHECK(told.largest_seen_scale_out == 12);
    CHECK(told.unit == bellamy_unit_node);
    CHECK(told.kind == bellamy_model_kind_blend);
    REQUIRE(told.essential_count == 2);
    REQUIRE(told.optional_count == 1);

    std::size_t count = 0;
    REQUIRE(bellamy_model_properties(model.get(), nullptr, 0, &count, nullptr) == bellamy_errc_ok);
    REQUIRE(count == 3);
    std::array<bellamy_property_definition, 3> rows{};
    rows[0].size = sizeof(rows[0]);
    REQUIRE(bellamy_model_properties(model.get(), rows.data(), rows.size(), &count, nullptr) == bellamy_errc_ok);
    CHECK(std::string(rows[0].name) == "machine");
    CHECK(rows[0].kind == bellamy_kind_text);
    CHECK(rows[0].role == bellamy_role_machine_type);
    CHECK(rows[0].is_essential == 1);
    CHECK(std::string(rows[2].name) == "memory_gb");
    CHECK(rows[2].kind == bellamy_kind_natural);
    CHECK(rows[2].scales_with_scale_out == 1);
    CHECK(rows[2].is_essential == 0);

    const auto curve = bound(model, "m5.large");
    auto seen = sized<bellamy_curve_description>();
    REQUIRE(bellamy_curve_describe(curve.get(), &seen, nullptr) == bellamy_errc_ok);
    CHECK(seen.observed_runs == 0);
    CHECK(seen.smallest_seen_scale_out == 2);
    CHECK(seen.largest_seen_scale_out == 12);
    CHECK(seen.largest_valid_scale_out == largest_scale_out);
}

TEST_CASE("a batch is answered as curves would answer it") {
    const auto best = support::pretrained();
    c_model network;
    c_history history;
    support::fill(history, 3);
    auto options = sized<bellamy_pretrain_options>();
    REQUIRE(bellamy_default_pretrain_options(&options, nullptr) == bellamy_errc_ok);
    options.mode = bellamy_mode_paper;
    options.epochs = 50;
    REQUIRE(bellamy_pretrain(history.runs.data(), history.runs.size(), &options, nullptr, into(network), nullptr) ==
            bellamy_errc_ok);

    c_history jobs;
    std::vector<bellamy_question> questions;
    for (int i = 0; i < 40; ++i) {
        // Every other question has its predecessor's context.
        const auto& context = i % 2 == 0 ? jobs.add_context(10 + static_cast<std::uint64_t>(i)) : *questions.back().context;
        questions.push_back({.size = sizeof(bellamy_question), .context = &context, .scale_out = 1 + i % 20});
    }
    std::vector<bellamy_prediction> rows(questions.size());
    rows[0].size = sizeof(rows[0]);
    for (const auto* model : std::array<const c_model*, 2>{&best, &network}) {
        REQUIRE(bellamy_model_predict(model->get(), questions.data(), questions.size(), rows.data(), nullptr) ==
                bellamy_errc_ok);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            c_curve curve;
            REQUIRE(bellamy_model_bind(model->get(), questions[i].context, nullptr, into(curve), nullptr) ==
                    bellamy_errc_ok);
            auto row = sized<bellamy_prediction>();
            REQUIRE(bellamy_curve_predict(curve.get(), &questions[i].scale_out, 1, &row, nullptr) == bellamy_errc_ok);
            // The network's batches add in another order: a few units in the last place of a float.
            const double tolerance = model == &network ? 1e-5 : 0;
            CHECK(std::abs(rows[i].median_s - row.median_s) <= tolerance * std::abs(row.median_s));
            CHECK(std::ranges::equal(rows[i].log_quantiles, row.log_quantiles));
            CHECK(rows[i].flags == row.flags);
            CHECK(rows[i].observed_runs == row.observed_runs);
        }
    }
}

TEST_CASE("choosing through C is choosing through C++, for every goal") {
    const auto model = support::pretrained();
    const auto slow = bound(model, "m5.large");
    const auto fast = bound(model, "never seen");
    const auto expected_model = pretrain(made_up_history(5)).value().model;
    const auto expected_slow = expected_model.bind(made_up_context(30)).value();
    const auto expected_fast = expected_model.bind(made_up_context(30, "never seen")).value();

    auto costs = sized<bellamy_price>();
    costs.per_unit_and_hour = 0.4;
    costs.start_up_s = 5;
    costs.billing_granularity_s = 60;
    costs.interruptions_per_hour = 0.1;
    costs.rerun_share = 0.5;
    const auto free_machines = sized<bellamy_price>();
    std::vector<bellamy_candidate> candidates;
    std::vector<candidate> expected_candidates;
    for (int x = 2; x <= 12; x += 2) {
        candidates.push_back({.size = sizeof(bellamy_candidate), .curve = slow.get(), .price = &costs, .scale_out = x});
        candidates.push_back(
            {.size = sizeof(bellamy_candidate), .curve = fast.get(), .price = &free_machines, .scale_out = x});
        expected_candidates.push_back({.runtimes = &expected_slow,
                                       .scale_out = x,
                                       .costs = {.per_unit_and_hour = 0.4,
                                                 .start_up_s = 5,
                                                 .billing_granularity_s = 60,
                                                 .interruptions_per_hour = 0.1,
                                                 .rerun_share = 0.5}});
        expected_candidates.push_back(
            {.runtimes = &expected_fast, .scale_out = x, .costs = {.per_unit_and_hour = 0, .rerun_share = 0}});
    }
    std::vector<int> verdicts;
    for (const auto wanted_goal : {goal::smallest_within_deadline, goal::cheapest_within_deadline,
                                   goal::fastest_within_budget, goal::least_expected_cost}) {
        for (const auto& [limit, cost_of_missing] : {std::pair(0.001, 0.0), {50.0, 0.0}, {50.0, 3.0}}) {
            auto wanted = support::request_for(wanted_goal, limit);
            if (wanted_goal == goal::least_expected_cost && cost_of_missing > 0) {
                wanted.deadline_s = limit;
                wanted.cost_of_missing = cost_of_missing;
            }
            auto request = sized<bellamy_request>();
            request.goal = static_cast<std::int32_t>(wanted.goal);
            request.deadline_s = wanted.deadline_s;
            request.budget = wanted.budget;
            request.probability = wanted.probability;
            request.cost_of_missing = wanted.cost_of_missing;
            auto decided = sized<bellamy_decision>();
            std::vector<bellamy_assessment> rows(candidates.size());
            rows[0].size = sizeof(rows[0]);
            REQUIRE(bellamy_choose(candidates.data(), candidates.size(), &request, &decided, rows.data(), rows.size(),
                                   nullptr) == bellamy_errc_ok);
            std::vector<assessment> table(expected_candidates.size());
            const auto expected = choose(expected_candidates, wanted, table).value();
            CHECK(decided.outcome == static_cast<int>(expected.outcome));
            REQUIRE(expected.candidate.has_value());
            CHECK(decided.candidate == static_cast<std::int64_t>(expected.candidate->candidate));
            CHECK(decided.scale_out == expected.candidate->scale_out);
            CHECK(decided.probability == expected.candidate->probability);
            CHECK(decided.expected_cost == expected.candidate->expected_cost);
            CHECK(decided.median_s == expected.candidate->predicted.median_s);
            CHECK(decided.quantile_s == expected.candidate->predicted.quantile_s(0.9));
            for (std::size_t i = 0; i < rows.size(); ++i) {
                CHECK(rows[i].candidate == i);
                CHECK(rows[i].scale_out == table[i].scale_out);
                CHECK(rows[i].median_s == table[i].predicted.median_s);
                CHECK(rows[i].probability == table[i].probability);
                CHECK(rows[i].expected_cost == table[i].expected_cost);
                CHECK(rows[i].verdict == static_cast<int>(table[i].why));
                CHECK(std::string(bellamy_verdict_name(rows[i].verdict)) == to_string(table[i].why));
                verdicts.push_back(rows[i].verdict);
            }
            // Without a table the answer is the same.
            auto short_answer = sized<bellamy_decision>();
            REQUIRE(bellamy_choose(candidates.data(), candidates.size(), &request, &short_answer, nullptr, 0, nullptr) ==
                    bellamy_errc_ok);
            CHECK(short_answer.candidate == decided.candidate);
        }
    }
    // The goals and limits above lead to different reasons.
    for (const int each : {bellamy_verdict_chosen, bellamy_verdict_misses_deadline, bellamy_verdict_costs_more,
                           bellamy_verdict_larger_than_needed, bellamy_verdict_exceeds_budget, bellamy_verdict_slower})
        CHECK(std::ranges::count(verdicts, each) > 0);
}

TEST_CASE("a cold start through C is one through C++") {
    c_history job;
    const auto& context = job.add_context(30);
    c_model model;
    REQUIRE(bellamy_cold_start(&context, "new", into(model), nullptr) == bellamy_errc_ok);
    CHECK(bytes_of(model) == to_bytes(cold_start(made_up_context(30), "new").value()));
    REQUIRE(bellamy_cold_start(&context, nullptr, into(model), nullptr) == bellamy_errc_ok);
    CHECK(bytes_of(model) == to_bytes(cold_start(made_up_context(30)).value()));
}

TEST_CASE("files and bytes go both ways between C and C++") {
    const support::temporary_directory directory;
    const auto model = support::pretrained();
    REQUIRE(bellamy_model_save(model.get(), (directory / "c").c_str(), nullptr) == bellamy_errc_ok);
    const auto loaded = load(directory / "c").value();
    CHECK(to_bytes(loaded) == bytes_of(model));

    REQUIRE(save(loaded, directory / "cpp").has_value());
    c_model again;
    REQUIRE(bellamy_model_load((directory / "cpp").c_str(), into(again), nullptr) == bellamy_errc_ok);
    CHECK(bytes_of(again) == bytes_of(model));
    const auto bytes = to_bytes(loaded);
    REQUIRE(bellamy_model_from_bytes(bytes.data(), bytes.size(), into(again), nullptr) == bellamy_errc_ok);
    CHECK(bytes_of(again) == bytes);
}

TEST_CASE("every code and enumerator has the name that it has in C++, and none else has one") {
    for (int code = 0; code < 256; ++code) {
        const std::string name = bellamy_code_name(code);
        if (code >= bellamy_errc_invalid_argument && code <= bellamy_errc_unexpected) {
            CHECK(name != "unknown");
        } else {
            CHECK(name == to_string(static_cast<errc>(code)));
        }
    }
    CHECK(std::string(bellamy_code_name(-1)) == "unknown");
    CHECK(std::string(bellamy_code_name(256)) == "unknown");
    const auto check_names = [](auto name_of, auto last) {
        const int end = static_cast<int>(last) + 1;
        for (int i = 0; i < end; ++i) CHECK(std::string(name_of(i)) == to_string(static_cast<decltype(last)>(i)));
        CHECK(std::string(name_of(-1)) == "unknown");
        CHECK(std::string(name_of(end)) == "unknown");
    };
    check_names(bellamy_kind_name, property_kind::unknown);
    check_names(bellamy_role_name, property_role::machine_type);
    check_names(bellamy_unit_name, scale_out_unit::core);
    check_names(bellamy_model_kind_name, model_kind::shapes);
    check_names(bellamy_verdict_name, verdict::unlike_any_seen);
    check_names(bellamy_outcome_name, outcome::costs_least_unlike_any_seen);
    check_names(bellamy_exploration_verdict_name, exploration_verdict::hopeless);
    CHECK(bellamy_abi_version() == BELLAMY_C_ABI_VERSION);
    CHECK(std::string(bellamy_version()) == BELLAMY_VERSION);
}

TEST_CASE("a callback hears of the training, and can cancel it") {
    c_history history;
    support::fill(history, 2);
    auto options = sized<bellamy_pretrain_options>();
    REQUIRE(bellamy_default_pretrain_options(&options, nullptr) == bellamy_errc_ok);
    options.mode = bellamy_mode_paper;
    int epochs_heard = 0;
    options.progress_user_data = &epochs_heard;
    options.progress = [](const bellamy_training_progress* now, void* heard) {
        CHECK(now->size == sizeof(*now));
        *static_cast<int*>(heard) = now->epoch;
        return now->epoch < 3 ? 1 : 0;
    };
    auto report = sized<bellamy_training_report>();
    c_model model;
    REQUIRE(bellamy_pretrain(history.runs.data(), history.runs.size(), &options, &report, into(model), nullptr) ==
            bellamy_errc_ok);
    CHECK(epochs_heard == 3);
    CHECK(report.stopped == bellamy_stop_cancelled);
    CHECK(model != nullptr);
}
