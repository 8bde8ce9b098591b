#include "support/compare.hpp"
#include "support/made_up_blend.hpp"
#include "support/made_up_job.hpp"

using namespace bellamy;
using support::check_refused;

TEST_CASE("a model binds only contexts that fit its schema") {
    const auto subject = support::random_model();
    CHECK(subject.bind(support::made_up_context(10, "a machine it has never seen")).has_value());

    struct row {
        const char* what;
        void (*spoil)(context&);
        errc code;
        std::vector<std::string> words;
    };
    const row table[] = {
        {"fewer essential properties",
         [](context& c) { c.essential.pop_back(); },
         errc::essential_count_mismatch,
         {"2", "1"}},
        {"more essential properties",
         [](context& c) { c.essential.push_back(text("z", "")); },
         errc::essential_count_mismatch,
         {"2", "3"}},
        {"another unit", [](context& c) { c.unit = scale_out_unit::slot; }, errc::unit_mismatch, {"node", "slot"}},
        {"another name", [](context& c) { c.essential[1].name = "bytes"; }, errc::property_mismatch, {"size_gb", "bytes"}},
        {"another kind",
         [](context& c) { c.essential[1].value = 1.5; },
         errc::property_mismatch,
         {"natural number", "quantity"}},
        {"one that no longer scales",
         [](context& c) { c.optional[0].scales_with_scale_out = false; },
         errc::property_mismatch,
         {"scaling"}},
        {"an unknown optional property",
         [](context& c) { c.optional.push_back(text("zone", "a")); },
         errc::unknown_property,
         {"zone"}},
        {"over 39 bits",
         [](context& c) { c.essential[1].value = largest_natural + 1; },
         errc::number_too_large,
         {"size_gb"}},
        {"not UTF-8", [](context& c) { c.essential[0].value = std::string("\xFF"); }, errc::invalid_text, {"machine"}},
    };
    for (const auto& each : table) {
        CAPTURE(each.what);
        auto context = support::made_up_context(10);
        each.spoil(context);
        check_refused(subject.bind(context), each.code, each.words);
    }
}

TEST_CASE("a copied model predicts the same") {
    const auto subject = support::random_model();
    const model copy = subject;
    CHECK(copy.schema() == subject.schema());
    CHECK(copy.basis() == subject.basis());
    CHECK(copy.parameters().parameters() == subject.parameters().parameters());
}

TEST_CASE("what a temporary model tells does not dangle") {
    static_assert(std::is_same_v<decltype(std::declval<model>().schema()), schema>);
    static_assert(std::is_same_v<decltype(std::declval<model>().basis()), training_basis>);
    const auto& properties = support::random_model().schema();
    CHECK(properties == support::random_model(2).schema());
    const auto& basis = support::random_model().basis();
    CHECK(basis.algorithm == "made-up");
}

TEST_CASE("conditioning returns a wiser model and leaves the other as it was") {
    const auto& general = support::made_up_blend();
    const auto job = support::made_up_context(55);
    auto slow = support::made_up_run(55, 4);
    slow.runtime_s *= 2;
    const double before_s = general.bind(job)->at(4).median_s;
    const auto wiser = general.condition(std::vector{slow});
    REQUIRE(wiser);
    CHECK(general.bind(job)->at(4).median_s == before_s);
    CHECK(wiser->bind(job)->at(4).median_s > before_s);
    CHECK(wiser->bind(job)->at(12).median_s > general.bind(job)->at(12).median_s);
    CHECK(wiser->basis().observed_runs == 1);
    CHECK(wiser->observed().size() == 1);
    // Other contexts do not learn from it.
    const auto other = support::made_up_context(56);
    CHECK(wiser->bind(other)->at(4).median_s == general.bind(other)->at(4).median_s);
    // In two steps or in one, the same.
    const auto faster = support::made_up_run(55, 8);
    const auto at_once = general.condition(std::vector{slow, faster});
    const auto in_steps = wiser->condition(std::vector{faster});
    CHECK(in_steps->bind(job)->at(5).median_s == at_once->bind(job)->at(5).median_s);
    const auto in_braces = general.condition({slow, faster});
    CHECK(in_braces->bind(job)->at(5).median_s == at_once->bind(job)->at(5).median_s);
    CHECK(general.condition({slow})->bind(job)->at(5).median_s == wiser->bind(job)->at(5).median_s);
    CHECK(general.condition({{.context = job, .scale_out = 4, .runtime_s = slow.runtime_s}})->observed().size() == 1);
}

TEST_CASE("conditioning on nothing changes nothing and on what does not fit is refused by name") {
    const auto& general = support::made_up_blend();
    const auto job = support::made_up_context(55);
    CHECK(general.condition({})->bind(job)->at(4).median_s == general.bind(job)->at(4).median_s);
    auto broken = support::made_up_run(55, 4);
    broken.runtime_s = std::nan("");
    check_refused(general.condition(std::vector{support::made_up_run(55, 4), broken}), errc::invalid_runtime, {"run 1"});
    auto foreign = support::made_up_run(55, 4);
    foreign.context.essential.pop_back();
    check_refused(general.condition(std::vector{foreign}), errc::essential_count_mismatch, {"run 0"});
    check_refused(support::random_model().condition({}), errc::not_conditionable, {"network"});
}

TEST_CASE("a conditioned model gives its general one, and leaves behind runs before a time or of an unknown one") {
    const auto& general = support::made_up_blend();
    const auto job = support::made_up_context(55);
    std::vector runs(3, support::made_up_run(55, 16));
    runs[0].timestamp_s = 99;
    runs[1].timestamp_s = 100;
    const auto conditioned = *general.condition(runs);
    REQUIRE(conditioned.basis().seen_scale_outs.largest == 16);
    CHECK(conditioned.general().basis() == general.basis());
    CHECK(conditioned.general().observed().empty());
    CHECK(conditioned.general().bind(job)->at(16).median_s == general.bind(job)->at(16).median_s);
    const auto since = conditioned.general(100);
    REQUIRE(since.observed().size() == 1);
    CHECK(since.observed()[0].timestamp_s == 100);
    CHECK(since.basis() == general.condition({runs[1]})->basis());
    CHECK(since.general().basis() == general.basis());
    CHECK(support::random_model().general().basis() == support::random_model().basis());
}

TEST_CASE("a value that is not known widens the answer instead of breaking it") {
    auto blank = support::made_up_context(55);
    blank.essential[1] = unknown("size_gb");
    const auto& general = support::made_up_blend();
    const auto answer = general.bind(blank);
    REQUIRE(answer);
    // Between the smallest and the largest size of the history.
    const auto at_four = answer->at(4);
    CHECK(at_four.median_s > support::made_up_runtime_s(10, 4));
    CHECK(at_four.median_s < support::made_up_runtime_s(100, 4));
    CHECK(at_four.spread() > 3 * general.bind(support::made_up_context(55))->at(4).spread());
    CHECK(at_four.quantile_s(0.02) < 1.1 * support::made_up_runtime_s(10, 4));
    CHECK(at_four.quantile_s(0.98) > 0.9 * support::made_up_runtime_s(100, 4));
    // A run tells which of the history's sizes it may be.
    run first{.context = blank, .scale_out = 4, .runtime_s = support::made_up_runtime_s(80, 4)};
    const auto wiser = general.condition(std::vector{first})->bind(blank)->at(8);
    CHECK(wiser.median_s == doctest::Approx(support::made_up_runtime_s(80, 8)).epsilon(0.08));
    CHECK(wiser.spread() < at_four.spread());

    // Left out is not known either, but what is not known in the history's contexts is nothing to miss.
    auto shorter = support::made_up_context(55);
    shorter.optional.clear();
    CHECK(general.bind(shorter)->at(4).median_s ==
          doctest::Approx(general.bind(support::made_up_context(55))->at(4).median_s).epsilon(0.05));
    CHECK_FALSE(general.bind(shorter)->at(4).unlike_any_seen_context);

    auto nothing = blank;
    nothing.essential[0] = unknown("machine");
    nothing.optional[0] = unknown("memory_gb");
    CHECK(general.bind(nothing)->at(4).usable());
    // The published network reads zeros.
    CHECK(std::isfinite(support::random_model().bind(nothing)->at(4).median_s));
    check_refused(general.bind({.essential = {blank.essential[0], unknown("size")}}), errc::property_mismatch, {"size_gb"});
}

TEST_CASE("a guarded curve does not increase up to the turning point that the data support") {
    // A zig-zag: 6 is slower than 4 and 8.
    auto history = support::noisy_history();
    for (auto& each : history)
        if (each.scale_out == 6) each.runtime_s *= 1.6;
    const auto subject = support::blend_of(history);
    const auto job = support::made_up_context(55);
    const auto plain = *subject.bind(job);
    const auto guarded = *subject.bind(job, {.non_increasing = true});
    REQUIRE(plain.at(6).median_s > plain.at(4).median_s);
    for (int x = 2; x < 40; ++x) {
        CAPTURE(x);
        CHECK(guarded.at(x + 1).median_s <= guarded.at(x).median_s * (1 + 1e-12));
        CHECK(guarded.at(x).quantile_s(0.9) > guarded.at(x).median_s);
    }
    CHECK(guarded.at(12).median_s == doctest::Approx(plain.at(12).median_s).epsilon(0.05));

    // Slower from 8 on, and seen to be: the turning point stays.
    auto turning = support::noisy_history();
    for (auto& each : turning)
        if (each.scale_out >= 10) each.runtime_s *= 2;
    const auto turned = *support::blend_of(turning).bind(job, {.non_increasing = true});
    CHECK(turned.at(12).median_s > 1.3 * turned.at(8).median_s);
    check_refused(support::random_model().bind(job, {.non_increasing = true}), errc::invalid_option);
}
