// What the border refuses, how it says so, and that it leaves nothing behind.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <thread>

#include "../support/temporary_directory.hpp"
#include "job.hpp"

using support::bytes_of;
using support::c_curve;
using support::c_history;
using support::c_model;
using support::check_code;
using support::into;
using support::sized;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A valid value of every argument, to be broken one by one.
struct arguments {
    c_model model = support::pretrained();
    c_curve curve;
    c_history history;
    const bellamy_context* context = &history.add_context(30);
    std::int32_t scale_out = 4;
    bellamy_prediction row = sized<bellamy_prediction>();
    bellamy_question question{sizeof(bellamy_question), context, 4};
    bellamy_price price{sizeof(bellamy_price), 1, 0, 0, 0, 0};
    bellamy_candidate candidate{};
    bellamy_request request{sizeof(bellamy_request), 100, 0, 0.9, 0, bellamy_goal_cheapest_within_deadline};
    bellamy_decision decision = sized<bellamy_decision>();
    bellamy_error error = sized<bellamy_error>();
    std::size_t count = 0;

    arguments() {
        support::fill(history, 3);
        REQUIRE(bellamy_model_bind(model.get(), context, nullptr, into(curve), nullptr) == bellamy_errc_ok);
        candidate = {sizeof(candidate), curve.get(), &price, 4};
    }

    int32_t predict() { return bellamy_curve_predict(curve.get(), &scale_out, 1, &row, &error); }
    int32_t ask() { return bellamy_model_predict(model.get(), &question, 1, &row, &error); }
    int32_t choose() { return bellamy_choose(&candidate, 1, &request, &decision, nullptr, 0, &error); }
    int32_t condition(const bellamy_run& observed) {
        c_model made;
        return bellamy_model_condition(model.get(), &observed, 1, into(made), &error);
    }
    int32_t bind(const bellamy_context* subject) {
        c_curve made;
        return bellamy_model_bind(model.get(), subject, nullptr, into(made), &error);
    }
};

}  // namespace

TEST_CASE("a null pointer is refused wherever something is needed") {
    arguments a;
    const auto refused = [&](int32_t code, const char* what) {
        check_code(code, a.error, bellamy_errc_invalid_argument, {what, "found a null"});
    };
    c_model made;
    c_curve curve;
    auto description = sized<bellamy_model_description>();
    auto of_curve = sized<bellamy_curve_description>();
    auto run = sized<bellamy_run>();
    const auto* runs = a.history.runs.data();

    refused(bellamy_model_load(nullptr, into(made), &a.error), "a path");
    refused(bellamy_model_load("x", nullptr, &a.error), "a place for the handle");
    refused(bellamy_model_from_bytes(nullptr, 8, into(made), &a.error), "bytes");
    refused(bellamy_model_from_bytes("x", 1, nullptr, &a.error), "a place");
    refused(bellamy_model_save(nullptr, "x", &a.error), "a model");
    refused(bellamy_model_save(a.model.get(), nullptr, &a.error), "a path");
    refused(bellamy_model_to_bytes(nullptr, nullptr, 0, &a.count, &a.error), "a model");
    refused(bellamy_model_to_bytes(a.model.get(), nullptr, 0, nullptr, &a.error), "a place for the number");
    refused(bellamy_model_to_bytes(a.model.get(), nullptr, 1 << 20, &a.count, &a.error), "a buffer");
    refused(bellamy_model_describe(nullptr, &description, &a.error), "a model");
    refused(bellamy_model_describe(a.model.get(), nullptr, &a.error), "bellamy_model_description");
    refused(bellamy_model_properties(nullptr, nullptr, 0, &a.count, &a.error), "a model");
    refused(bellamy_model_properties(a.model.get(), nullptr, 0, nullptr, &a.error), "a place for the number");
    refused(bellamy_model_properties(a.model.get(), nullptr, 9, &a.count, &a.error), "bellamy_property_definition");
    refused(bellamy_model_observed_run(nullptr, 0, &run, nullptr, 0, &a.count, &a.error), "a model");
    refused(bellamy_model_condition(nullptr, runs, 1, into(made), &a.error), "a model");
    refused(bellamy_model_condition(a.model.get(), nullptr, 1, into(made), &a.error), "bellamy_run");
    refused(bellamy_model_condition(a.model.get(), runs, 1, nullptr, &a.error), "a place");
    auto drift = sized<bellamy_drift>();
    refused(bellamy_model_drift(nullptr, runs, 1, &drift, &a.error), "a model");
    refused(bellamy_model_drift(a.model.get(), nullptr, 1, &drift, &a.error), "bellamy_run");
    refused(bellamy_model_drift(a.model.get(), runs, 1, nullptr, &a.error), "bellamy_drift");
    refused(bellamy_model_improbable_runs(nullptr, nullptr, 0, &a.count, &a.error), "a model");
    refused(bellamy_model_improbable_runs(a.model.get(), nullptr, 0, nullptr, &a.error), "a place for the number");
    refused(bellamy_cold_start(nullptr, "", into(made), &a.error), "bellamy_context");
    refused(bellamy_cold_start(a.context, "", nullptr, &a.error), "a place");
    refused(bellamy_model_bind(nullptr, a.context, nullptr, into(curve), &a.error), "a model");
    refused(bellamy_model_bind(a.model.get(), nullptr, nullptr, into(curve), &a.error), "bellamy_context");
    refused(bellamy_model_bind(a.model.get(), a.context, nullptr, nullptr, &a.error), "a place");
    char id[17];
    refused(bellamy_model_id(nullptr, id, sizeof(id), &a.error), "a model");
    refused(bellamy_model_id(a.model.get(), nullptr, sizeof(id), &a.error), "a buffer");
    check_code(bellamy_model_id(a.model.get(), id, 16, &a.error), a.error, bellamy_errc_buffer_too_small, {"17", "16"});
    float median = 0;
    refused(bellamy_curve_medians(nullptr, 1, 1, &median, &a.error), "a curve");
    refused(bellamy_curve_medians(a.curve.get(), 1, 1, nullptr, &a.error), "a place for the medians");
    check_code(bellamy_curve_medians(a.curve.get(), 1, static_cast<std::size_t>(-1), &median, &a.error), a.error,
               bellamy_errc_invalid_argument, {"at most 4294967295 medians"});
    refused(bellamy_curve_describe(nullptr, &of_curve, &a.error), "a curve");
    refused(bellamy_curve_describe(a.curve.get(), nullptr, &a.error), "bellamy_curve_description");
    refused(bellamy_curve_predict(nullptr, &a.scale_out, 1, &a.row, &a.error), "a curve");
    refused(bellamy_curve_predict(a.curve.get(), nullptr, 1, &a.row, &a.error), "scale-outs");
    refused(bellamy_curve_predict(a.curve.get(), &a.scale_out, 1, nullptr, &a.error), "bellamy_prediction");
    refused(bellamy_model_predict(nullptr, &a.question, 1, &a.row, &a.error), "a model");
    refused(bellamy_model_predict(a.model.get(), nullptr, 1, &a.row, &a.error), "bellamy_question");
    refused(bellamy_model_predict(a.model.get(), &a.question, 1, nullptr, &a.error), "bellamy_prediction");
    refused(bellamy_choose(nullptr, 1, &a.request, &a.decision, nullptr, 0, &a.error), "bellamy_candidate");
    refused(bellamy_choose(&a.candidate, 1, nullptr, &a.decision, nullptr, 0, &a.error), "bellamy_request");
    refused(bellamy_choose(&a.candidate, 1, &a.request, nullptr, nullptr, 0, &a.error), "bellamy_decision");
    refused(bellamy_default_pretrain_options(nullptr, &a.error), "bellamy_pretrain_options");
    refused(bellamy_default_fine_tune_options(nullptr, &a.error), "bellamy_fine_tune_options");
    refused(bellamy_pretrain(nullptr, 1, nullptr, nullptr, into(made), &a.error), "bellamy_run");
    refused(bellamy_pretrain(runs, 18, nullptr, nullptr, nullptr, &a.error), "a place");
    refused(bellamy_model_fine_tune(nullptr, runs, 1, nullptr, nullptr, into(made), &a.error), "a model");
    refused(bellamy_model_fine_tune(a.model.get(), nullptr, 1, nullptr, nullptr, into(made), &a.error), "bellamy_run");
    refused(bellamy_model_fine_tune(a.model.get(), runs, 1, nullptr, nullptr, nullptr, &a.error), "a place");

    auto unnamed = bellamy_natural(nullptr, 1);
    auto context = bellamy_context_of(&unnamed, 1, nullptr, 0);
    refused(a.bind(&context), "essential property 0: expected a name");
    unnamed = bellamy_text("machine", nullptr);
    refused(a.bind(&context), "essential property 0: expected a text");
    context = bellamy_context_of(nullptr, 2, nullptr, 0);
    refused(a.bind(&context), "bellamy_property");
    refused(a.condition(bellamy_run_of(nullptr, 4, 30)), "run 0: expected bellamy_context");
    a.question.context = nullptr;
    refused(a.ask(), "question 0: expected bellamy_context");
    a.candidate.curve = nullptr;
    refused(a.choose(), "candidate 0: expected a curve");

    bellamy_model_release(nullptr);
    bellamy_curve_release(nullptr);
    CHECK(bellamy_model_retain(nullptr) == nullptr);
    CHECK(bellamy_curve_retain(nullptr) == nullptr);
}

TEST_CASE("a closed handle is refused, and its other owners keep theirs") {
    arguments a;
    auto* first = a.model.release();
    auto* second = bellamy_model_retain(first);
    CHECK(second == first);
    bellamy_model_release(&first);
    CHECK(first == nullptr);
    auto told = sized<bellamy_model_description>();
    check_code(bellamy_model_describe(first, &told, &a.error), a.error, bellamy_errc_invalid_argument,
               {"null handle", "closed"});
    bellamy_model_release(&first);
    CHECK(bellamy_model_describe(second, &told, &a.error) == bellamy_errc_ok);
    bellamy_model_release(&second);

    // A curve needs no model behind it.
    auto* curve = bellamy_curve_retain(a.curve.get());
    a.curve.reset();
    CHECK(bellamy_curve_predict(curve, &a.scale_out, 1, &a.row, &a.error) == bellamy_errc_ok);
    bellamy_curve_release(&curve);
    CHECK(curve == nullptr);
}

TEST_CASE("a call that fails keeps the live handle that its variable holds") {
    arguments a;
    bellamy_model* model = a.model.get();
    bellamy_curve* curve = a.curve.get();
    auto broken = *a.context;
    broken.unit = 9;
    auto bad_run = a.history.runs[0];
    bad_run.scale_out = 0;
    CHECK(bellamy_model_load("/does/not/exist", &model, &a.error) == bellamy_errc_cannot_read);
    CHECK(bellamy_model_load(nullptr, &model, &a.error) == bellamy_errc_invalid_argument);
    CHECK(bellamy_model_from_bytes("none", 4, &model, &a.error) == bellamy_errc_not_a_model);
    CHECK(bellamy_model_condition(model, &bad_run, 1, &model, &a.error) == bellamy_errc_invalid_scale_out);
    CHECK(bellamy_cold_start(&broken, "x", &model, &a.error) == bellamy_errc_invalid_argument);
    CHECK(bellamy_pretrain(&bad_run, 1, nullptr, nullptr, &model, &a.error) == bellamy_errc_invalid_scale_out);
    CHECK(bellamy_model_fine_tune(model, &bad_run, 1, nullptr, nullptr, &model, &a.error) != bellamy_errc_ok);
    CHECK(bellamy_model_bind(model, &broken, nullptr, &curve, &a.error) == bellamy_errc_invalid_argument);
    CHECK(model == a.model.get());
    CHECK(curve == a.curve.get());
    CHECK(a.predict() == bellamy_errc_ok);
    CHECK(a.bind(a.context) == bellamy_errc_ok);
}

TEST_CASE("a context is made from values by name, and fits a model with roles") {
    arguments a;
    const std::array values{bellamy_natural("memory_gb", 8), bellamy_natural("size_gb", 30),
                            bellamy_text("machine", "m5.large")};
    std::array<bellamy_property, 3> rows{};
    rows[0].size = sizeof(rows[0]);
    auto context = sized<bellamy_context>();
    const auto ask = [&](const auto& given, std::size_t capacity) {
        return bellamy_model_context(a.model.get(), given.data(), given.size(), rows.data(), capacity, &context, &a.error);
    };
    REQUIRE_MESSAGE(ask(values, rows.size()) == bellamy_errc_ok, a.error.message);
    CHECK(context.essential_count == 2);
    CHECK(context.optional_count == 1);
    CHECK(std::string(context.essential[0].text) == "m5.large");
    CHECK(context.essential[1].role == bellamy_role_data_size);
    CHECK(context.optional[0].scales_with_scale_out == 1);
    CHECK(a.bind(&context) == bellamy_errc_ok);
    // By hand and without roles, the same properties do not fit.
    const std::array bare{values[2], values[1]};
    const auto by_hand = bellamy_context_of(bare.data(), bare.size(), nullptr, 0);
    CHECK(a.bind(&by_hand) == bellamy_errc_property_mismatch);

    // In place, with a value that is not known.
    auto in_place = values;
    in_place[1] = bellamy_unknown("size_gb");
    CHECK(bellamy_model_context(a.model.get(), in_place.data(), 3, in_place.data(), 3, &context, &a.error) ==
          bellamy_errc_ok);
    CHECK(context.essential == in_place.data());
    CHECK(a.bind(&context) == bellamy_errc_ok);

    // What is refused is named, and writes nothing.
    context.unit = 7;
    const auto refused = [&](const auto& given, std::size_t capacity, int32_t code, const std::vector<std::string>& words) {
        check_code(ask(given, capacity), a.error, code, words);
        CHECK(context.unit == 7);
    };
    refused(std::array{values[0], values[2]}, 3, bellamy_errc_essential_count_mismatch, {"size_gb"});
    refused(std::array{values[1], values[2], bellamy_natural("disks", 2)}, 3, bellamy_errc_unknown_property, {"disks"});
    refused(values, 2, bellamy_errc_buffer_too_small, {"3", "2"});
    refused(std::array{values[1], values[2], bellamy_natural(nullptr, 2)}, 3, bellamy_errc_invalid_argument, {"value 2"});
    check_code(bellamy_model_context(a.model.get(), values.data(), 3, nullptr, 3, &context, &a.error), a.error,
               bellamy_errc_invalid_argument, {"null"});
    check_code(bellamy_model_context(a.model.get(), values.data(), 3, rows.data(), 3, nullptr, &a.error), a.error,
               bellamy_errc_invalid_argument, {"bellamy_context"});
    check_code(bellamy_model_context(nullptr, values.data(), 3, rows.data(), 3, &context, &a.error), a.error,
               bellamy_errc_invalid_argument, {"model"});
}

TEST_CASE("an error says what happened last, and one of the wrong size is not touched") {
    arguments a;
    a.scale_out = 0;
    CHECK(a.predict() == bellamy_errc_invalid_scale_out);
    CHECK(std::strlen(a.error.message) > 0);
    a.scale_out = 4;
    CHECK(a.predict() == bellamy_errc_ok);
    CHECK(a.error.code == bellamy_errc_ok);
    CHECK(std::strlen(a.error.message) == 0);

    for (const std::size_t size : {std::size_t{0}, sizeof(bellamy_error) - 1, std::size_t{4097}, ~std::size_t{0}}) {
        bellamy_error other{};
        other.size = size;
        other.code = 77;
        CHECK(bellamy_curve_predict(a.curve.get(), &a.scale_out, 1, &a.row, &other) == bellamy_errc_invalid_argument);
        CHECK(other.code == 77);
    }
    a.scale_out = 0;
    CHECK(bellamy_curve_predict(a.curve.get(), &a.scale_out, 1, &a.row, nullptr) == bellamy_errc_invalid_scale_out);
}

TEST_CASE("a struct of the wrong size is refused, which names it") {
    arguments a;
    const auto refused = [&](int32_t code, const std::string& name) {
        check_code(code, a.error, bellamy_errc_invalid_argument, {name + ".size", "sizeof"});
    };
    // As it is where the size was forgotten.
    a.row.size = 0;
    refused(a.predict(), "bellamy_prediction");
    refused(a.ask(), "bellamy_prediction");
    a.row.size = sizeof(a.row);
    a.request.size = 8;
    refused(a.choose(), "bellamy_request");
    a.request.size = sizeof(a.request);
    a.decision.size = 1000000;
    refused(a.choose(), "bellamy_decision");
    a.decision.size = sizeof(a.decision);
    bellamy_price price{};
    a.candidate.price = &price;
    refused(a.choose(), "candidate 0: expected bellamy_price");
    a.candidate.size = 0;
    refused(a.choose(), "bellamy_candidate");
    a.question.size = 0;
    refused(a.ask(), "bellamy_question");
    const bellamy_bind_options options{};
    c_curve curve;
    refused(bellamy_model_bind(a.model.get(), a.context, &options, into(curve), &a.error), "bellamy_bind_options");
    bellamy_pretrain_options training{};
    refused(bellamy_default_pretrain_options(&training, &a.error), "bellamy_pretrain_options");
    bellamy_fine_tune_options tuning{};
    refused(bellamy_default_fine_tune_options(&tuning, &a.error), "bellamy_fine_tune_options");
    c_model made;
    const auto* runs = a.history.runs.data();
    refused(bellamy_pretrain(runs, 18, &training, nullptr, into(made), &a.error), "bellamy_pretrain_options");
    refused(bellamy_model_fine_tune(a.model.get(), runs, 1, &tuning, nullptr, into(made), &a.error),
            "bellamy_fine_tune_options");
    bellamy_training_report report{};
    refused(bellamy_pretrain(runs, 18, nullptr, &report, into(made), &a.error), "bellamy_training_report");
    bellamy_model_description model{};
    refused(bellamy_model_describe(a.model.get(), &model, &a.error), "bellamy_model_description");
    bellamy_curve_description of_curve{};
    refused(bellamy_curve_describe(a.curve.get(), &of_curve, &a.error), "bellamy_curve_description");
    bellamy_property_definition rows[3] = {};
    refused(bellamy_model_properties(a.model.get(), rows, 3, &a.count, &a.error), "bellamy_property_definition");

    auto broken = *a.context;
    broken.size = 0;
    refused(a.bind(&broken), "bellamy_context");
    a.history.runs[1].size = 0;
    refused(bellamy_model_condition(a.model.get(), runs, 2, into(made), &a.error), "run 1: expected bellamy_run");
    auto property = bellamy_natural("size_gb", 1);
    property.size = 0;
    broken = bellamy_context_of(&property, 1, nullptr, 0);
    refused(a.bind(&broken), "bellamy_property");
}

TEST_CASE("structs of a newer header work as long as what it adds is zero") {
    struct newer_run {
        bellamy_run known;
        double added;
    };
    struct newer_prediction {
        bellamy_prediction known;
        double added;
    };
    arguments a;
    std::vector<newer_run> runs;
    for (auto each : a.history.runs) {
        each.size = sizeof(newer_run);
        runs.push_back({each, 0});
    }
    c_model from_newer;
    c_model from_ours;
    REQUIRE(bellamy_pretrain(&runs[0].known, runs.size(), nullptr, nullptr, into(from_newer), &a.error) == bellamy_errc_ok);
    REQUIRE(bellamy_pretrain(a.history.runs.data(), runs.size(), nullptr, nullptr, into(from_ours), &a.error) ==
            bellamy_errc_ok);
    CHECK(bytes_of(from_newer) == bytes_of(from_ours));
    runs[4].added = 1;
    check_code(bellamy_pretrain(&runs[0].known, runs.size(), nullptr, nullptr, into(from_newer), &a.error), a.error,
               bellamy_errc_invalid_argument, {"run 4", "zeros"});
    runs[4].added = 0;
    runs[5].known.size = sizeof(bellamy_run);
    check_code(bellamy_pretrain(&runs[0].known, runs.size(), nullptr, nullptr, into(from_newer), &a.error), a.error,
               bellamy_errc_invalid_argument, {"run 5", "as in the first"});

    constexpr std::array<std::int32_t, 3> scale_outs{2, 4, 6};
    std::array<newer_prediction, 3> newer{};
    for (auto& each : newer) each.added = 7;
    newer[0].known.size = sizeof(newer_prediction);
    std::array<bellamy_prediction, 3> ours{};
    ours[0].size = sizeof(ours[0]);
    REQUIRE(bellamy_curve_predict(a.curve.get(), scale_outs.data(), 3, &newer[0].known, &a.error) == bellamy_errc_ok);
    REQUIRE(bellamy_curve_predict(a.curve.get(), scale_outs.data(), 3, ours.data(), &a.error) == bellamy_errc_ok);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        CHECK(newer[i].known.median_s == ours[i].median_s);
        CHECK(newer[i].known.size == sizeof(newer_prediction));
        CHECK(newer[i].added == 0);
    }
}

TEST_CASE("numbers that are none, or out of range, are refused by name") {
    arguments a;
    REQUIRE(a.predict() == bellamy_errc_ok);
    for (const double p : {0.0, 1.0, -0.5, not_a_number, infinity})
        CHECK(std::isnan(bellamy_prediction_quantile(&a.row, p)));
    for (const double limit_s : {0.0, -1.0, not_a_number}) CHECK(bellamy_prediction_probability(&a.row, limit_s) == 0);
    CHECK(bellamy_prediction_probability(&a.row, infinity) == 1);
    const bellamy_prediction none{};
    for (const auto* wrong : {&none, static_cast<const bellamy_prediction*>(nullptr)}) {
        CHECK(std::isnan(bellamy_prediction_quantile(wrong, 0.5)));
        CHECK(std::isnan(bellamy_prediction_probability(wrong, 100)));
    }
    for (const std::int32_t x : {0, -1, 1'000'001, (std::numeric_limits<std::int32_t>::min)()}) {
        a.scale_out = a.question.scale_out = a.candidate.scale_out = x;
        check_code(a.predict(), a.error, bellamy_errc_invalid_scale_out, {"1 to 1000000"});
        check_code(a.ask(), a.error, bellamy_errc_invalid_scale_out, {"question 0", "1 to 1000000"});
        check_code(a.choose(), a.error, bellamy_errc_invalid_scale_out, {"1 to 1000000"});
        check_code(a.condition(bellamy_run_of(a.context, x, 30)), a.error, bellamy_errc_invalid_scale_out, {"run 0"});
    }
    a.candidate.scale_out = 4;
    for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
        check_code(a.condition(bellamy_run_of(a.context, 4, bad)), a.error, bellamy_errc_invalid_runtime, {"run 0"});
        auto run = bellamy_run_of(a.context, 4, 30);
        run.weight = bad;
        check_code(a.condition(run), a.error, bellamy_errc_invalid_weight, {"run 0"});
        a.request.deadline_s = bad;
        check_code(a.choose(), a.error, bellamy_errc_invalid_deadline, {});
    }
    a.request.deadline_s = 100;
    auto run = bellamy_run_of(a.context, 4, 30);
    run.timestamp_s = not_a_number;
    check_code(a.condition(run), a.error, bellamy_errc_invalid_argument, {"timestamp_s"});
    auto price = sized<bellamy_price>();
    price.per_unit_and_hour = not_a_number;
    a.candidate.price = &price;
    check_code(a.choose(), a.error, bellamy_errc_invalid_price, {"per unit and hour"});

    auto property = bellamy_quantity("size_gb", not_a_number);
    const auto context = bellamy_context_of(&property, 1, nullptr, 0);
    check_code(a.bind(&context), a.error, bellamy_errc_invalid_quantity, {"size_gb"});
    property = bellamy_natural("size_gb", ~std::uint64_t{0});
    check_code(a.bind(&context), a.error, bellamy_errc_number_too_large, {"size_gb"});
    property = bellamy_text("machine", "\xff");
    check_code(a.bind(&context), a.error, bellamy_errc_invalid_text, {"machine"});
}

TEST_CASE("integers that stand for no enumerator are refused") {
    arguments a;
    for (const std::int32_t none : {-1, 99}) {
        auto property = bellamy_natural("size_gb", 1);
        auto context = bellamy_context_of(&property, 1, nullptr, 0);
        context.unit = none;
        check_code(a.bind(&context), a.error, bellamy_errc_invalid_argument, {"a unit from 0 to 3"});
        context.unit = bellamy_unit_node;
        property.kind = none;
        check_code(a.bind(&context), a.error, bellamy_errc_invalid_argument, {"property 0", "a kind from 0 to 3"});
        property.kind = bellamy_kind_natural;
        property.role = none;
        check_code(a.bind(&context), a.error, bellamy_errc_invalid_argument, {"property 0", "a role from 0 to 4"});
        a.request.goal = none;
        check_code(a.choose(), a.error, bellamy_errc_invalid_argument, {"a goal from 0 to 3"});
        c_model made;
        auto options = sized<bellamy_pretrain_options>();
        options.mode = none;
        check_code(bellamy_pretrain(a.history.runs.data(), 18, &options, nullptr, into(made), &a.error), a.error,
                   bellamy_errc_invalid_argument, {"a mode from 0 to 1"});
        auto tuning = sized<bellamy_fine_tune_options>();
        tuning.strategy = none;
        check_code(bellamy_model_fine_tune(a.model.get(), a.history.runs.data(), 1, &tuning, nullptr, into(made), &a.error),
                   a.error, bellamy_errc_invalid_argument, {"a strategy from 0 to 4"});
    }
}

TEST_CASE("wrong lengths are refused: too little room, nothing at all, absurdly much") {
    arguments a;
    bellamy_property_definition definitions[3] = {};
    definitions[0].size = sizeof(definitions[0]);
    check_code(bellamy_model_properties(a.model.get(), definitions, 2, &a.count, &a.error), a.error,
               bellamy_errc_buffer_too_small, {"room for 3", "found 2"});
    CHECK(a.count == 3);

    const auto bytes = bytes_of(a.model);
    std::vector<unsigned char> buffer(bytes.size() - 1, 7);
    check_code(bellamy_model_to_bytes(a.model.get(), buffer.data(), buffer.size(), &a.count, &a.error), a.error,
               bellamy_errc_buffer_too_small, {"bytes"});
    CHECK(a.count == bytes.size());
    CHECK(buffer[0] == 7);

    bellamy_assessment row = sized<bellamy_assessment>();
    const bellamy_candidate two[] = {a.candidate, a.candidate};
    check_code(bellamy_choose(two, 2, &a.request, &a.decision, &row, 1, &a.error), a.error, bellamy_errc_buffer_too_small,
               {"room for 2", "found 1"});
    check_code(bellamy_choose(two, 2, &a.request, &a.decision, &row, 0, &a.error), a.error, bellamy_errc_buffer_too_small,
               {"room for 2", "found 0"});
    check_code(bellamy_choose(nullptr, 0, &a.request, &a.decision, nullptr, 0, &a.error), a.error,
               bellamy_errc_empty_candidates, {});

    c_model made;
    check_code(bellamy_pretrain(nullptr, 0, nullptr, nullptr, into(made), &a.error), a.error, bellamy_errc_empty_history,
               {});
    check_code(bellamy_pretrain(a.history.runs.data(), 6, nullptr, nullptr, into(made), &a.error), a.error,
               bellamy_errc_single_context, {});
    CHECK(bellamy_model_condition(a.model.get(), nullptr, 0, into(made), &a.error) == bellamy_errc_ok);
    CHECK(bellamy_curve_predict(a.curve.get(), nullptr, 0, nullptr, &a.error) == bellamy_errc_ok);
    CHECK(bellamy_model_predict(a.model.get(), nullptr, 0, nullptr, &a.error) == bellamy_errc_ok);

    const auto absurd = static_cast<std::size_t>(-1);
    check_code(bellamy_pretrain(a.history.runs.data(), absurd, nullptr, nullptr, into(made), &a.error), a.error,
               bellamy_errc_invalid_argument, {"at most 4294967295 rows of bellamy_run"});
    check_code(bellamy_curve_predict(a.curve.get(), &a.scale_out, absurd, &a.row, &a.error), a.error,
               bellamy_errc_invalid_argument, {"bellamy_prediction"});
    auto many = *a.context;
    many.optional_count = 1000;
    check_code(a.bind(&many), a.error, bellamy_errc_too_many_properties, {"32", "1000"});

    auto run = sized<bellamy_run>();
    check_code(bellamy_model_observed_run(a.model.get(), 0, &run, nullptr, 0, &a.count, &a.error), a.error,
               bellamy_errc_invalid_argument, {"0 stored runs"});
}

TEST_CASE("contexts that do not fit the model are refused as in C++") {
    arguments a;
    auto broken = *a.context;
    broken.unit = bellamy_unit_core;
    check_code(a.bind(&broken), a.error, bellamy_errc_unit_mismatch, {"node", "core"});
    broken.unit = bellamy_unit_node;
    broken.essential_count = 1;
    check_code(a.bind(&broken), a.error, bellamy_errc_essential_count_mismatch, {"2", "1"});
    auto other = bellamy_natural("other", 1);
    broken = *a.context;
    broken.optional = &other;
    check_code(a.bind(&broken), a.error, bellamy_errc_unknown_property, {"other"});
    const auto unknown = bellamy_unknown("memory_gb");
    broken.optional = &unknown;
    CHECK(a.bind(&broken) == bellamy_errc_ok);
}

TEST_CASE("a network refuses what only best mode can") {
    arguments a;
    c_model network;
    auto options = sized<bellamy_pretrain_options>();
    REQUIRE(bellamy_default_pretrain_options(&options, nullptr) == bellamy_errc_ok);
    options.mode = bellamy_mode_paper;
    options.epochs = 1;
    REQUIRE(bellamy_pretrain(a.history.runs.data(), 18, &options, nullptr, into(network), nullptr) == bellamy_errc_ok);
    c_model made;
    check_code(bellamy_model_condition(network.get(), a.history.runs.data(), 1, into(made), &a.error), a.error,
               bellamy_errc_not_conditionable, {"fine_tune"});
    check_code(bellamy_model_improbable_runs(network.get(), nullptr, 0, &a.count, &a.error), a.error,
               bellamy_errc_not_conditionable, {"fine_tune"});
    auto smooth = sized<bellamy_bind_options>();
    smooth.non_increasing = 1;
    c_curve curve;
    check_code(bellamy_model_bind(network.get(), a.context, &smooth, into(curve), &a.error), a.error,
               bellamy_errc_invalid_option, {});
    options.epochs = 0;
    check_code(bellamy_pretrain(a.history.runs.data(), 18, &options, nullptr, into(made), &a.error), a.error,
               bellamy_errc_invalid_option, {"epochs"});

    // A number that scales and no longer fits its 39 bits: the batch and the curve agree where that begins.
    c_history job;
    auto scaling = bellamy_natural("memory_gb", std::uint64_t{1} << 37U);
    scaling.role = bellamy_role_memory_per_node;
    scaling.scales_with_scale_out = 1;
    auto context = job.add_context(30);
    context.optional = &scaling;
    REQUIRE(bellamy_model_bind(network.get(), &context, nullptr, into(curve), &a.error) == bellamy_errc_ok);
    bellamy_question question{sizeof(question), &context, 4};
    std::int32_t x = 4;
    check_code(bellamy_model_predict(network.get(), &question, 1, &a.row, &a.error), a.error, bellamy_errc_invalid_scale_out,
               {"question 0", "1 to 3"});
    check_code(bellamy_curve_predict(curve.get(), &x, 1, &a.row, &a.error), a.error, bellamy_errc_invalid_scale_out,
               {"1 to 3"});
    x = question.scale_out = 3;
    CHECK(bellamy_model_predict(network.get(), &question, 1, &a.row, &a.error) == bellamy_errc_ok);
    CHECK(bellamy_curve_predict(curve.get(), &x, 1, &a.row, &a.error) == bellamy_errc_ok);
}

TEST_CASE("bytes that are no model are refused, whatever is wrong with them") {
    arguments a;
    auto bytes = bytes_of(a.model);
    c_model made;
    const auto refused = [&](std::size_t size, int32_t code) {
        check_code(bellamy_model_from_bytes(bytes.data(), size, into(made), &a.error), a.error, code, {"expected", "found"});
        CHECK(made == nullptr);
    };
    refused(0, bellamy_errc_not_a_model);
    refused(bytes.size() / 2, bellamy_errc_truncated);
    bytes[bytes.size() / 2] ^= std::byte{1};
    refused(bytes.size(), bellamy_errc_corrupted);
    bytes[0] = std::byte{0};
    refused(bytes.size(), bellamy_errc_not_a_model);

    const support::temporary_directory directory;
    check_code(bellamy_model_load((directory / "none").c_str(), into(made), &a.error), a.error, bellamy_errc_cannot_read,
               {});
    check_code(bellamy_model_save(a.model.get(), (directory / "no/such").c_str(), &a.error), a.error,
               bellamy_errc_cannot_write, {});
}

TEST_CASE("eight threads share a model and its curves") {
    arguments a;
    std::vector<bellamy_prediction> answers(8);
    std::vector<int32_t> codes(8, -1);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            threads.emplace_back([&, i, own = c_model(bellamy_model_retain(a.model.get())),
                                  shared = c_curve(bellamy_curve_retain(a.curve.get()))] {
                for (int k = 0; k < 50; ++k) {
                    c_curve curve;
                    answers[i].size = sizeof(answers[i]);
                    codes[i] = bellamy_model_bind(own.get(), a.context, nullptr, into(curve), nullptr);
                    if (codes[i] == bellamy_errc_ok)
                        codes[i] = bellamy_curve_predict(k % 2 == 0 ? curve.get() : shared.get(), &a.scale_out, 1,
                                                         &answers[i], nullptr);
                    if (codes[i] != bellamy_errc_ok) return;
                }
            });
        }
    }
    REQUIRE(a.predict() == bellamy_errc_ok);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        CHECK(codes[i] == bellamy_errc_ok);
        CHECK(answers[i].median_s == a.row.median_s);
        CHECK(std::ranges::equal(answers[i].log_quantiles, a.row.log_quantiles));
    }
}

TEST_CASE("the structs of this version of the interface stay as they are") {
    // Whoever must change these lines changes BELLAMY_C_ABI_VERSION, or only appends.
    static_assert(BELLAMY_C_ABI_VERSION == 1);
    if (sizeof(void*) != 8) return;
    CHECK(sizeof(bellamy_error) == 264);
    CHECK(offsetof(bellamy_error, message) == 12);
    CHECK(sizeof(bellamy_property) == 56);
    CHECK(offsetof(bellamy_property, scales_with_scale_out) == 48);
    CHECK(sizeof(bellamy_context) == 48);
    CHECK(offsetof(bellamy_context, unit) == 40);
    CHECK(sizeof(bellamy_run) == 48);
    CHECK(offsetof(bellamy_run, censored) == 44);
    CHECK(sizeof(bellamy_drift) == sizeof(std::size_t) + 40);
    CHECK(sizeof(bellamy_improbable_run) == 32);
    CHECK(offsetof(bellamy_improbable_run, expected_s) == 24);
    CHECK(sizeof(bellamy_model_description) == 96);
    CHECK(offsetof(bellamy_model_description, kind) == 88);
    CHECK(sizeof(bellamy_property_definition) == 32);
    CHECK(sizeof(bellamy_bind_options) == 16);
    CHECK(sizeof(bellamy_curve_description) == 24);
    CHECK(sizeof(bellamy_prediction) == 160);
    CHECK(offsetof(bellamy_prediction, flags) == 152);
    CHECK(sizeof(bellamy_question) == 24);
    CHECK(sizeof(bellamy_price) == 48);
    CHECK(sizeof(bellamy_candidate) == 32);
    CHECK(sizeof(bellamy_request) == 48);
    CHECK(sizeof(bellamy_assessment) == 64);
    CHECK(sizeof(bellamy_decision) == 64);
    CHECK(offsetof(bellamy_decision, outcome) == 60);
    CHECK(sizeof(bellamy_other_job) == 24);
    CHECK(sizeof(bellamy_trial_candidate) == 32);
    CHECK(sizeof(bellamy_exploration_request) == 32);
    CHECK(sizeof(bellamy_proposed_trial) == 56);
    CHECK(sizeof(bellamy_exploration) == 88);
    CHECK(offsetof(bellamy_exploration, verdict) == 80);
    CHECK(sizeof(bellamy_training_progress) == 56);
    CHECK(sizeof(bellamy_pretrain_options) == 120);
    CHECK(offsetof(bellamy_pretrain_options, threads) == 112);
    CHECK(sizeof(bellamy_fine_tune_options) == 56);
    CHECK(sizeof(bellamy_training_report) == 88);
}
