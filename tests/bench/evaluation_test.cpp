#include "../../bench/support/evaluation.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <set>

#include "../support/made_up_job.hpp"

using bench::evaluate;
using bench::outcome;
using bench::record_table;
using bench::split;

namespace {

// Four contexts of 16 rows each: scale-outs 2, 4, .. 16, two runs of each, a few seconds apart.
constexpr std::size_t rows_per_context = 16;

record_table made_up_records() {
    record_table made;
    bellamy::detail::random_generator random(1);
    for (const unsigned size_gb : {10U, 20U, 30U, 40U})
        for (int x = 2; x <= 16; x += 2)
            for (int repeat = 0; repeat < 2; ++repeat) {
                made.runs.push_back(support::made_up_run(size_gb, x));
                made.runs.back().runtime_s += 3 * random.uniform();
            }
    made.contexts = bellamy::context_numbers(made.runs);
    return made;
}

// Of every mode, in two contexts; some test rows are the other run of an observed scale-out.
const std::vector<split> splits{
    {.algorithm = "made-up", .context = 1, .k = 0, .mode = "zero", .seed = 0, .train_rows = {}, .test_row = 20},
    {.algorithm = "made-up", .context = 1, .k = 1, .mode = "extrap", .seed = 1, .train_rows = {18}, .test_row = 31},
    {.algorithm = "made-up", .context = 1, .k = 2, .mode = "interp", .seed = 2, .train_rows = {16, 30}, .test_row = 23},
    {.algorithm = "made-up", .context = 1, .k = 3, .mode = "extrap", .seed = 3, .train_rows = {19, 21, 25}, .test_row = 16},
    {.algorithm = "made-up",
     .context = 3,
     .k = 6,
     .mode = "interp",
     .seed = 4,
     .train_rows = {48, 50, 52, 54, 57, 60},
     .test_row = 51}};

const std::map<std::string, record_table>& all_records() {
    static const std::map<std::string, record_table> all{{"made-up", made_up_records()}};
    return all;
}

// Small searches and few epochs: what reaches a prediction does not depend on how well it was learnt.
const bench::method_options quick{.seed = 3, .trials = 2, .epochs = 15};

// Those of this build: boosting needs a library.
std::vector<bench::method> methods_here() {
    auto all = bench::all_methods();
    std::erase_if(all, [](const auto& each) { return !each.missing.empty(); });
    return all;
}

// Those that learn from other contexts, and so can answer before the first run.
std::set<std::string> learning_methods() {
    std::set<std::string> names{"best"};
    for (const auto& each : methods_here())
        if (each.needs_history) names.insert(each.name);
    return names;
}

std::vector<outcome> predict(const split& one, const record_table& records) {
    const bench::target target{
        .algorithm = one.algorithm, .context = static_cast<std::uint32_t>(one.context), .splits = {&one}};
    return evaluate(target, records, methods_here(), quick);
}

// Method and the bits of its prediction, so that no difference is too small.
std::map<std::string, std::uint64_t> bits(const std::vector<outcome>& outcomes) {
    std::map<std::string, std::uint64_t> all;
    for (const auto& each : outcomes) all[each.method] = std::bit_cast<std::uint64_t>(each.predicted.median_s);
    return all;
}

bool is_observed(const split& one, std::size_t row) { return std::ranges::count(one.train_rows, row) > 0; }

// Every recorded fact of a run but for the question itself: where and at which scale-out.
void scramble(bellamy::run& subject, double factor) {
    subject.runtime_s = subject.runtime_s * factor + 17;
    subject.weight = 5;
    subject.timestamp_s = 1e9;
}

}  // namespace

TEST_CASE("every method that can answers every split") {
    for (const auto& each : splits)
        CHECK(bits(predict(each, all_records().at("made-up"))).size() ==
              (each.train_rows.empty() ? learning_methods().size() : methods_here().size()));
}

TEST_CASE("nothing of the test row or of the target context's other rows reaches a prediction") {
    for (const auto& each : splits) {
        auto records = all_records().at("made-up");
        const auto before = predict(each, records);
        std::size_t scrambled = 0;
        for (std::size_t i = 0; i < records.runs.size(); ++i) {
            if (records.contexts[i] != static_cast<std::uint32_t>(each.context) || is_observed(each, i)) continue;
            scramble(records.runs[i], static_cast<double>(++scrambled));
        }
        CHECK(scrambled == rows_per_context - each.train_rows.size());
        CHECK_MESSAGE(bits(predict(each, records)) == bits(before), "k = ", each.k);
        // The truth next to the prediction is that of the row; so the rows really changed.
        CHECK(predict(each, records).front().truth_s != before.front().truth_s);
    }
}

TEST_CASE("an observed row reaches the prediction of every method") {
    for (const auto& each : splits) {
        if (each.train_rows.empty()) continue;
        auto records = all_records().at("made-up");
        const auto before = bits(predict(each, records));
        for (const auto row : each.train_rows) records.runs[row].runtime_s *= 1.5;
        for (const auto& found : bits(predict(each, records)))
            CHECK_MESSAGE(found.second != before.at(found.first), found.first, ", k = ", each.k);
    }
}

TEST_CASE("a row of another context reaches only the methods that learn from history") {
    for (const auto& each : splits) {
        auto records = all_records().at("made-up");
        const auto before = bits(predict(each, records));
        for (std::size_t i = 0; i < records.runs.size(); ++i)
            if (records.contexts[i] == 0) records.runs[i].runtime_s *= 1.5;
        for (const auto& found : bits(predict(each, records))) {
            const bool changed = found.second != before.at(found.first);
            CHECK_MESSAGE(changed == learning_methods().contains(found.first), found.first, ", k = ", each.k);
        }
    }
}

TEST_CASE("a split is answered the same alone, among others and on several threads") {
    const auto methods = methods_here();
    const auto targets = bench::group(splits, all_records());
    std::vector<std::pair<std::size_t, std::size_t>> calls;
    for (const std::size_t threads : {1U, 3U}) {
        calls.clear();
        const auto together =
            evaluate_all(targets, all_records(), methods, quick, threads,
                         [&](std::size_t finished, std::size_t total) { calls.emplace_back(finished, total); });
        CHECK(calls == std::vector<std::pair<std::size_t, std::size_t>>{{1, 2}, {2, 2}});
        for (const auto& each : splits) {
            std::vector<outcome> own;
            std::ranges::copy_if(together, std::back_inserter(own), [&](const auto& one) { return one.of == &each; });
            CHECK(bits(own) == bits(predict(each, all_records().at("made-up"))));
        }
    }
}

TEST_CASE("splits are grouped by target context") {
    const auto targets = bench::group(splits, all_records());
    REQUIRE(targets.size() == 2);
    CHECK(targets[0].context == 1);
    CHECK(targets[0].splits == std::vector<const split*>{&splits[0], &splits[1], &splits[2], &splits[3]});
    CHECK(targets[1].context == 3);
    CHECK(targets[1].splits == std::vector<const split*>{&splits[4]});
}

TEST_CASE("a split with a row of another context or of none is refused") {
    const auto refused = [](std::vector<std::size_t> train_rows, std::size_t test_row, const std::string& word) {
        const std::vector<split> wrong{
            {.algorithm = "made-up", .context = 1, .train_rows = train_rows, .test_row = test_row}};
        const auto message = "wrong_split: expected rows of context 1 of made-up, found row " + word;
        CHECK_THROWS_WITH_AS((void)bench::group(wrong, all_records()), message.c_str(), tools::tool_error);
    };
    refused({16, 15}, 17, "15");
    refused({16}, 32, "32");
    refused({16}, 64, "64");
    refused({1000}, 17, "1000");
}

TEST_CASE("a method that does not exist is refused with those that do") {
    const std::vector<std::string> names{"ernest", "oracle"};
    CHECK_THROWS_WITH_AS((void)bench::find_methods(names),
                         "unknown_method: expected one of best, gp, eb, boosting, paper, local, "
                         "ernest, bell, nearest, "
                         "found oracle",
                         tools::tool_error);
    CHECK(bench::find_methods(std::span(names).first(1)).front().name == "ernest");
}

TEST_CASE("without any history best mode and the methods of one context answer, the others stay silent") {
    record_table records;  // an algorithm with a single context
    for (const int x : {2, 4, 8, 16}) records.runs.push_back({.scale_out = x, .runtime_s = 20 + 400.0 / x});
    const auto methods_of = [&](const split& one) {
        std::set<std::string> names;
        for (const auto& each : predict(one, records)) {
            names.insert(each.method);
            CHECK(each.predicted.usable());
        }
        return names;
    };
    CHECK(methods_of({.context = 5, .k = 0, .mode = "zero", .test_row = 1}) == std::set<std::string>{"best"});
    CHECK(methods_of({.context = 5, .k = 3, .mode = "interp", .train_rows = {0, 1, 3}, .test_row = 2}) ==
          std::set<std::string>{"best", "local", "ernest", "bell", "nearest"});
}

TEST_CASE("the experts of best mode answer apart, and differ from their blend") {
    const auto outcomes = predict(splits[2], all_records().at("made-up"));
    std::map<std::string, bellamy::prediction> answers;
    for (const auto& each : outcomes) answers[each.method] = each.predicted;
    for (const auto* name : {"best", "gp", "eb"}) {
        CHECK(!answers.at(name).is_point);
        CHECK(answers.at(name).quantile_s(0.05) < answers.at(name).quantile_s(0.95));
    }
    CHECK(answers.at("gp").median_s != answers.at("eb").median_s);
    CHECK(answers.at("gp").median_s != answers.at("best").median_s);
    CHECK(answers.at("eb").median_s != answers.at("best").median_s);
}

TEST_CASE("a thinned history has whole contexts, never the target, and others in another draw") {
    const auto records = made_up_records();
    std::set<std::set<double>> drawn;
    for (std::uint64_t draw = 0; draw < 20; ++draw) {
        const auto some = records.some_history_of(1, 2, draw);
        CHECK(some.size() == 2 * rows_per_context);
        std::set<double> sizes;
        for (const auto& each : some) {
            CHECK(each.context != records.runs[rows_per_context].context);
            sizes.insert(static_cast<double>(*bellamy::detail::find_property(each.context, "size_gb")->value.natural()));
        }
        CHECK(sizes.size() == 2);
        drawn.insert(sizes);
    }
    CHECK(drawn.size() == 3);  // the pairs of three others
    CHECK(records.some_history_of(1, 9, 0).size() == 3 * rows_per_context);
}
