#include "support/enel_golden.hpp"

#include <bellamy/detail/enel/enel_pretraining.hpp>

#include <doctest/doctest.h>

using namespace bellamy;

namespace {

[[nodiscard]] detail::enel_training_set golden_training_set() {
    auto runs = support::enel_world().history;
    runs.resize(8);
    return detail::enel_training_set::split(std::move(runs));
}

}  // namespace

TEST_CASE("pre-training lowers the validation loss, the same with any number of threads") {
    const auto set = golden_training_set();
    CHECK(set.validation.size() == 3);
    CHECK(set.training.size() == 5);
    detail::enel_search_plan plan{.trials = 3, .epochs = 35, .seed = 4};
    const auto once = detail::enel_search(set).run(plan);
    REQUIRE_FALSE(once.parameters.empty());
    detail::enel_pretraining untrained(set, once.configuration, 1);
    untrained.run_until(1, 1);
    CHECK(once.validation_loss < 0.8 * untrained.validation().best_loss());
    plan.threads = 2;
    const auto again = detail::enel_search(set).run(plan);
    CHECK(again.parameters == once.parameters);
    CHECK(again.epochs == once.epochs);
}

TEST_CASE("several workers pre-train Enel's network, the same with any number of threads") {
    const auto set = golden_training_set();  // 5 runs: shares of 3 and 2
    detail::enel_search_plan plan{.trials = 3, .epochs = 40, .seed = 4};
    plan.parallel = {.workers = 2, .period = 2, .delay = 1};
    const auto once = detail::enel_search(set).run(plan);
    REQUIRE_FALSE(once.parameters.empty());
    detail::enel_pretraining untrained(set, once.configuration, 1);
    untrained.run_until(1, 1);
    CHECK(once.validation_loss < 0.8 * untrained.validation().best_loss());
    for (const std::size_t threads : {2U, 4U}) {
        plan.threads = threads;
        const auto again = detail::enel_search(set).run(plan);
        CHECK(again.parameters == once.parameters);
        CHECK(again.epochs == once.epochs);
    }
    plan.parallel.workers = 3;
    CHECK(detail::enel_search(set).run(plan).parameters != once.parameters);
}

TEST_CASE("with two runs nothing validates and every epoch is trained") {
    auto runs = support::enel_world().history;
    runs.resize(2);
    const auto set = detail::enel_training_set::split(std::move(runs));
    CHECK(set.validation.empty());
    const auto trained = detail::enel_search(set).run({.trials = 1, .epochs = 20});
    CHECK(trained.epochs == 20);
    CHECK(trained.best_epoch == 20);
}
