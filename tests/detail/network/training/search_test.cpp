// The search of pre-training over configurations.
#include "support/made_up_job.hpp"

#include <bellamy/detail/network/training/search.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace bellamy;
using support::made_up_history;

namespace {

trained search(const pretrain_options& options) {
    auto found = pretrain(made_up_history(3, 2), options);
    REQUIRE(found);
    return *std::move(found);
}

// The slowest learner first, so that others overtake it.
std::vector<detail::pretraining_configuration> four_configurations() {
    const auto all = detail::search_space({});
    return {all[8], all[4], all[0], all[26]};
}

using default_search = detail::pretraining_search<float, dimensions{}>;

// Ten epochs of a search among them, with the losses that pre-training keeps to itself.
default_search::outcome search_within(const progress_callback& progress) {
    static const auto history = made_up_history(3, 2);
    static const auto set = detail::make_training_set<float, dimensions{}>(history);
    static const auto scaler = min_max_scaler<float>::of(set.scale_outs);
    static const auto split = [] {
        detail::random_generator random(1);
        return detail::stratified_holdout(context_numbers(history), set.scale_outs, 0.2, random);
    }();
    return default_search(set, split, scaler).run(four_configurations(), 10, 7, 1, 0, progress);
}

}  // namespace

TEST_CASE("a search finds the same model with any number of threads") {
    const auto bytes = [](int threads) {
        return to_bytes(
            search({.mode = training_mode::paper, .seed = 2, .epochs = 20, .trials = 5, .threads = threads}).model);
    };
    const auto alone = bytes(1);
    CHECK(bytes(3) == alone);
    CHECK(bytes(16) == alone);
    // Another seed draws other configurations, so that the above could fail.
    CHECK(to_bytes(search({.mode = training_mode::paper, .seed = 3, .epochs = 20, .trials = 5}).model) != alone);
}

TEST_CASE("after two and four fifths of the epochs the worse half of the trials stops") {
    struct row {
        int trials, epochs, expected;
    };
    for (const auto& each : {row{1, 10, 10},                     //
                             row{2, 10, 2 * 4 + 1 * 4 + 1 * 2},  //
                             row{4, 10, 4 * 4 + 2 * 4 + 1 * 2}, row{5, 10, 5 * 4 + 3 * 4 + 2 * 2},
                             row{12, 5, 12 * 2 + 6 * 2 + 3 * 1}, row{27, 1, 7 * 1}}) {
        CAPTURE(each.trials);
        int calls = 0;
        std::map<int, int> epochs_of;
        training_progress last;
        pretrain_options options{.mode = training_mode::paper, .epochs = each.epochs, .trials = each.trials};
        options.progress = [&](const training_progress& now) {
            ++calls;
            CHECK(now.trials == each.trials);
            CHECK(now.epochs == each.epochs);
            CHECK(now.epoch == ++epochs_of[now.trial]);
            CHECK(now.share_done >= last.share_done);
            last = now;
            return true;
        };
        const auto report = search(options).report;
        CHECK(report.epochs == each.expected);
        CHECK(calls == each.expected);
        CHECK(report.stopped == stop_reason::all_epochs_done);
        CHECK(last.share_done == 1);  // a whole number divided by itself
        CHECK(last.seconds_left == 0);
    }
}

TEST_CASE("the better half goes on, and the best checkpoint of all trials wins") {
    std::map<int, int> epochs_of;
    double best = std::numeric_limits<double>::infinity();
    int winner = 0;
    int leader_at_first_rung = 0;
    const auto found = search_within([&](const training_progress& now) {
        if (now.epoch == 5 && leader_at_first_rung == 0) leader_at_first_rung = winner;
        epochs_of[now.trial] = now.epoch;
        if (now.best_loss < best) winner = now.trial;
        best = now.best_loss;
        return true;
    });
    CHECK(epochs_of[leader_at_first_rung] >= 8);
    std::multiset<int> epochs;
    for (const auto& [trial, count] : epochs_of) epochs.insert(count);
    CHECK(epochs == std::multiset{4, 4, 8, 10});
    REQUIRE(found.best);
    CHECK(found.best->validated().best_loss == best);
    const auto tuned = found.configuration.tuned;
    const auto expected = four_configurations().at(static_cast<std::size_t>(winner - 1)).tuned;
    CHECK(tuned.dropout == expected.dropout);
    CHECK(tuned.learning_rate == expected.learning_rate);
    CHECK(tuned.weight_decay == expected.weight_decay);
}

TEST_CASE("a cancelled search returns the best so far") {
    for (int calls_allowed = 1; calls_allowed <= 25; ++calls_allowed) {  // whichever trial leads by then; 26 would be all
        CAPTURE(calls_allowed);
        int calls = 0;
        double best = 0;
        const auto found = search_within([&](const training_progress& now) {
            best = now.best_loss;
            return ++calls < calls_allowed;
        });
        CHECK(calls == calls_allowed);
        CHECK(found.epochs == calls_allowed);
        CHECK(found.stopped == stop_reason::cancelled);
        REQUIRE(found.best);
        CHECK(found.best->validated().best_loss == best);
    }
}

TEST_CASE("a search on several threads is cancelled too") {
    pretrain_options options{.mode = training_mode::paper, .epochs = 1000, .trials = 6, .threads = 3};
    options.progress = [](const training_progress& now) { return now.epoch < 3; };
    const auto report = search(options).report;
    CHECK(report.stopped == stop_reason::cancelled);
    CHECK(report.epochs <= 3 * 3 + 2);  // no more trials began, and each thread finishes at most the epoch it is in
}

TEST_CASE("a spent time budget stops the search with a model") {
    for (const int trials : {1, 4}) {
        const auto found = search({.mode = training_mode::paper, .epochs = 1000, .trials = trials, .time_budget_s = 1e-9});
        CHECK(found.report.stopped == stop_reason::time_budget_spent);
        CHECK(found.report.epochs == 1);  // any epoch takes longer than that
        CHECK(found.model.bind(support::made_up_context(10)).has_value());
    }
    CHECK(search({.mode = training_mode::paper, .epochs = 3, .trials = 4, .time_budget_s = 1e9}).report.stopped ==
          stop_reason::all_epochs_done);
}

TEST_CASE("the search space is that of the paper and no configuration is tried twice") {
    const auto all = detail::search_space({.target_noise_s = 0.5, .batch_size = 32});
    CHECK(all.size() == 27);
    std::set<std::array<double, 3>> distinct;
    for (const auto& each : all) {
        CHECK(each.target_noise_s == 0.5);
        CHECK(each.batch_size == 32);
        distinct.insert({each.tuned.dropout, each.tuned.learning_rate, each.tuned.weight_decay});
    }
    CHECK(distinct.size() == 27);
    CHECK(distinct.contains({0.2, 0.1, 0.0001}));
    CHECK(distinct.contains({0.05, 0.001, 0.01}));

    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        detail::random_generator random(seed);
        std::set<std::array<double, 3>> drawn;
        for (const auto& each : detail::configurations_of({.trials = 12}, random))
            drawn.insert({each.tuned.dropout, each.tuned.learning_rate, each.tuned.weight_decay});
        CHECK(drawn.size() == 12);
    }
}
