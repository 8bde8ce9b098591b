#include <bellamy/batch.hpp>
#include <bellamy/cold_start.hpp>

#include <doctest/doctest.h>

#include <deque>

#include "support/compare.hpp"
#include "support/made_up_job.hpp"
#include "support/networks.hpp"

using namespace bellamy;

namespace {

// Against the network in float, which is as far from the truth as the kernels may be: twice two parts in a million of the
// usual size of these answers, which is 1.
constexpr double batch_tolerance = 4e-6;

struct batch {
    std::deque<context> contexts;
    std::vector<question> questions;

    void ask(std::uint64_t size_gb, int scale_out) {
        contexts.push_back(support::made_up_context(size_gb));
        questions.push_back({.context = &contexts.back(), .scale_out = scale_out});
    }
    void ask_again(int scale_out) { questions.push_back({.context = &contexts.back(), .scale_out = scale_out}); }
};

[[nodiscard]] model conditioned() {
    const std::vector runs{support::made_up_run(10, 2), support::made_up_run(20, 8)};
    return cold_start(support::made_up_context(10), "made-up").value().condition(runs).value();
}

[[nodiscard]] context context_number(std::uint64_t i) {
    context result{.essential = {text("machine", "m" + std::to_string(i % 3) + ".large"), natural("size_gb", 10 + i)}};
    if (i % 2 == 0) result.optional.push_back(natural("memory_gb", 8 + i).per_scale_out_unit());
    if (i % 5 == 0) result.optional.push_back(quantity("rate", 1.5).per_scale_out_unit());
    return result;
}

}  // namespace

TEST_CASE("a model of any kind answers a batch as the curves of its contexts do") {
    batch asked;
    for (int i = 0; i < 40; ++i) {
        asked.ask(10 + 10 * static_cast<std::uint64_t>(i % 3), 1 + i % 20);
        asked.ask_again(2 + i % 20);
    }
    std::vector<prediction> answers(asked.questions.size());
    for (const auto& subject : {support::random_model(), conditioned()}) {
        REQUIRE(predict(subject, asked.questions, answers).has_value());
        // Two kernels of the network round in different places: twice two parts in a million of the usual size, which is 1.
        const double tolerance = subject.kind() == model_kind::network ? 4e-6 : 0;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            CAPTURE(i);
            const auto expected = subject.bind(*asked.questions[i].context)->at(asked.questions[i].scale_out);
            CHECK(std::abs(answers[i].median_s - expected.median_s) <=
                  tolerance * (std::max)(1.0, std::abs(expected.median_s)));
            CHECK(answers[i].log_quantiles == expected.log_quantiles);
            CHECK(answers[i].is_point == expected.is_point);
            CHECK(answers[i].observed_runs == expected.observed_runs);
            CHECK(answers[i].outside_seen_scale_outs == expected.outside_seen_scale_outs);
            CHECK(answers[i].unlike_any_seen_context == expected.unlike_any_seen_context);
        }
    }
    CHECK(predict(conditioned(), {}, {}).has_value());
}

TEST_CASE("many contexts have the curves that each has alone, in their order") {
    std::vector<context> contexts;
    for (const std::uint64_t size_gb : {30U, 10U, 30U, 20U, 10U}) contexts.push_back(support::made_up_context(size_gb));
    for (const auto& subject : {support::random_model(), conditioned()}) {
        const auto curves = bind_each(subject, contexts);
        REQUIRE(curves.has_value());
        REQUIRE(curves->size() == contexts.size());
        for (std::size_t i = 0; i < contexts.size(); ++i) {
            CAPTURE(i);
            const auto alone = subject.bind(contexts[i]).value();
            CHECK((*curves)[i].at(6).median_s == alone.at(6).median_s);
            CHECK((*curves)[i].at(6).log_quantiles == alone.at(6).log_quantiles);
            CHECK((*curves)[i].observed_runs() == alone.observed_runs());
        }
    }
    CHECK(bind_each(conditioned(), {}).value().empty());
}

TEST_CASE("a context that cannot be bound is named by its number") {
    std::vector<context> contexts(3, support::made_up_context(10));
    contexts.back().essential.pop_back();
    const auto found = bind_each(conditioned(), contexts);
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().code() == errc::essential_count_mismatch);
    CHECK(std::string(found.error().message()).find("context 2: expected 2 essential properties") != std::string::npos);
}

TEST_CASE("a question that cannot be answered is named by its number, whatever the model") {
    for (const auto& subject : {support::random_model(), conditioned()}) {
        const auto refused = [&](const batch& asked, errc code, std::string_view words) {
            std::vector<prediction> answers(asked.questions.size());
            const auto found = predict(subject, asked.questions, answers);
            REQUIRE_FALSE(found.has_value());
            CHECK(found.error().code() == code);
            CHECK(std::string(found.error().message()).find(words) != std::string::npos);
        };
        batch wrong_scale_out;
        wrong_scale_out.ask(10, 4);
        wrong_scale_out.ask_again(0);
        refused(wrong_scale_out, errc::invalid_scale_out, "question 1: expected");
        batch wrong_context;
        wrong_context.ask(10, 4);
        wrong_context.ask(10, 4);
        wrong_context.contexts.back().essential.pop_back();
        refused(wrong_context, errc::essential_count_mismatch, "question 1: expected 2 essential properties");
        batch no_context;
        no_context.ask(10, 4);
        no_context.questions.emplace_back();
        refused(no_context, errc::invalid_option, "question 1: expected a context");
        std::array<prediction, 1> too_few{};
        support::check_refused(predict(subject, wrong_scale_out.questions, too_few), errc::buffer_too_small, {"2", "1"});
    }
}

TEST_CASE("a network's batch refuses a scale-out at which a number that scales does not fit") {
    batch asked;
    asked.ask(10, 4);
    asked.contexts.back().optional[0].value = largest_natural / 4;
    asked.ask_again(5);
    std::vector<prediction> answers(2);
    const auto found = predict(support::random_model(), asked.questions, answers);
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().code() == errc::invalid_scale_out);
    CHECK(std::string(found.error().message()).find("question 1: expected a scale-out from 1 to 4") != std::string::npos);
}

TEST_CASE("a batch answers each question as the network does") {
    const auto source = support::random_network<float>(2, 3);
    const detail::prepared_network prepared(source);
    std::vector<context> contexts;
    for (std::uint64_t i = 0; i < 50; ++i) contexts.push_back(context_number(i));
    for (const std::size_t count : {0U, 1U, 16U, 17U, 50U}) {
        std::vector<question> questions;
        for (std::size_t i = 0; i < count; ++i)
            questions.push_back({.context = &contexts[i], .scale_out = 1 + static_cast<int>(i % 12)});
        std::vector<float> found(count);
        detail::predict_batch(prepared, questions, found);
        for (std::size_t i = 0; i < count; ++i) {
            CAPTURE(i);
            const auto expected = support::predict(source, contexts[i], questions[i].scale_out);
            CHECK(static_cast<double>(std::abs(found[i] - expected)) <=
                  batch_tolerance * (std::max)(1.0, static_cast<double>(std::abs(expected))));
        }
    }
}
