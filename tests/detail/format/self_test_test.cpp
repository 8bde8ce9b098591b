#include <bellamy/detail/format/self_test.hpp>

#include "support/compare.hpp"
#include "support/made_up_blend.hpp"
#include "support/model_bytes.hpp"

using namespace bellamy;
using support::assembled;
using support::check_refused;
using support::named;
using support::sections_of;

namespace {

model conditioned_model() { return *support::made_up_blend().condition(std::vector{support::made_up_run(30, 4)}); }

std::vector<support::section> with_self_test(const model& subject,
                                             const std::vector<detail::self_test_question>& questions) {
    auto sections = sections_of(subject);
    named(sections, "SELF").content = detail::content_of(questions).take();
    return sections;
}

}  // namespace

TEST_CASE("a model that answers otherwise than when it was saved is refused") {
    for (const auto& subject : {support::random_model(), conditioned_model()}) {
        const auto questions = detail::make_self_test(subject);
        CHECK(questions.size() == (subject.observed().empty() ? 2 : 3));
        for (std::size_t q = 0; q < questions.size(); ++q) {
            for (std::size_t a = 0; a < 2; ++a) {
                for (const bool median : {true, false}) {
                    auto other = questions;
                    auto& answer = other[q].answers[a];
                    (median ? answer.median_s : answer.quantile_s) *= 1.002;
                    check_refused(from_bytes(assembled(with_self_test(subject, other))), errc::self_test_failed,
                                  {"scale-out " + std::to_string(answer.scale_out), "learn it again"});
                }
            }
        }
    }
}

TEST_CASE("parameters that are not those of the saved model fail its self-test") {
    auto sections = sections_of(support::random_model(1));
    auto others = sections_of(support::random_model(2));
    named(sections, "NETW") = named(others, "NETW");
    check_refused(from_bytes(assembled(sections)), errc::self_test_failed);
}

TEST_CASE("rounding, which differs between machines, passes the self-test") {
    for (const auto& subject : {support::random_model(), conditioned_model()}) {
        auto questions = detail::make_self_test(subject);
        for (auto& each : questions)
            for (auto& answer : each.answers) answer.median_s *= 1 + 1e-6;
        CHECK(from_bytes(assembled(with_self_test(subject, questions))).has_value());
    }
}

TEST_CASE("a self-test asks best mode about contexts like those it has seen") {
    const auto subject = conditioned_model();
    const auto questions = detail::make_self_test(subject);
    REQUIRE(questions.size() == 3);
    for (const auto& each : questions) {
        const auto asked = detail::target_of(each, subject);
        REQUIRE(asked);
        CHECK_FALSE(subject.bind(*asked)->at(4).unlike_any_seen_context);
        CHECK(each.answers[0].scale_out == 2);
        CHECK(each.answers[1].scale_out == 12);
        CHECK(each.answers[0].quantile_s > each.answers[0].median_s);
    }
    CHECK(detail::target_of(questions[2], subject) == support::made_up_context(30));
    CHECK(detail::target_of(questions[0], subject) != detail::target_of(questions[1], subject));
}

TEST_CASE("a self-test asks about texts of numbers with as many numbers, also where some are the same everywhere") {
    auto history = support::noisy_history();
    for (auto& each : history) {
        const auto size = *each.context.essential[1].value.natural();
        each.context.optional.push_back(text("rows", "100 " + std::to_string(1000 * size)));
        each.context.optional.push_back(text("iterations", "25"));
    }
    const auto subject = support::blend_of(history);
    const auto questions = detail::make_self_test(subject);
    REQUIRE(questions.size() == 2);
    for (const auto& each : questions)
        CHECK_FALSE(subject.bind(*detail::target_of(each, subject))->at(4).unlike_any_seen_context);
}

TEST_CASE("a self-test that does not belong to the model, or is missing, is refused") {
    const auto subject = conditioned_model();
    const auto good = detail::make_self_test(subject);
    auto beyond = good;
    beyond[2].observed_run = 2;
    auto fewer = good;
    fewer[0].values.pop_back();
    auto other_kind = good;
    other_kind[0].values[0] = std::uint64_t{1};
    auto many = std::vector(17, good[0]);
    for (const auto& questions : {beyond, fewer, other_kind, many})
        check_refused(from_bytes(assembled(with_self_test(subject, questions))), errc::invalid_model, {"SELF"});
    auto none = sections_of(subject);
    std::erase_if(none, [](const auto& each) { return each.name == "SELF"; });
    check_refused(from_bytes(assembled(none)), errc::invalid_model, {"self-test"});
}

TEST_CASE("a model that gives no numbers passes its self-test by giving none") {
    const model blind(support::random_model().schema(), {.seen_scale_outs = {.smallest = 1, .largest = 4}}, [] {
        auto network = support::random_model().parameters();
        network.runtime.head_second.bias[0] = std::numeric_limits<float>::quiet_NaN();
        return network;
    }());
    const auto questions = detail::make_self_test(blind);
    REQUIRE(questions.size() == 2);
    CHECK(std::isnan(questions[0].answers[0].median_s));
    CHECK(detail::run_self_test(blind, questions).has_value());
    CHECK_FALSE(detail::run_self_test(support::random_model(), questions).has_value());
}
