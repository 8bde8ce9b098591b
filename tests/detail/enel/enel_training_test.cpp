#include "support/enel_golden.hpp"

#include <bellamy/detail/enel/enel_search.hpp>

#include <doctest/doctest.h>

using namespace bellamy;
using support::enel_golden;

namespace {

// Some of the golden graphs as a batch, and the golden parameters.
struct golden_fine_tuning {
    support::enel_world world;
    detail::enel_batch batch;
    std::vector<double> parameters = support::enel_parameters(enel_golden().at("parameters"));
    detail::enel_rates rates;

    explicit golden_fine_tuning(const support::json& graphs) {
        const auto all = world.graphs();
        std::vector<detail::enel_job_graph> chosen;
        for (const std::size_t i : graphs) chosen.push_back(all.at(i));
        batch = detail::enel_batch_maker::make(chosen);
        rates = {.learning_rate = enel_golden().at("fine_tune").at("rate"),
                 .weight_decay = enel_golden().at("fine_tune").at("weight_decay")};
    }
    [[nodiscard]] detail::enel_fine_tuning start(const detail::enel_noise& noise = detail::enel_noise::none()) const {
        return {parameters, batch, rates, noise, 1};
    }
};

[[nodiscard]] double largest_change(std::span<const double> before, std::span<const double> after, std::size_t first,
                                    std::size_t last) {
    double most = 0;
    for (std::size_t i = first; i < last; ++i) most = (std::max)(most, std::abs(after[i] - before[i]));
    return most;
}

[[nodiscard]] detail::enel_training_set golden_training_set() {
    auto runs = support::enel_world().history;
    runs.resize(8);
    return detail::enel_training_set::of(std::move(runs));
}

}  // namespace

TEST_CASE("Enel's fine-tuning goes through the golden losses and ends at the golden parameters") {
    const auto& golden = enel_golden().at("fine_tune");
    const golden_fine_tuning subject(golden.at("graphs"));
    auto tuning = subject.start();
    for (const auto& epoch : golden.at("epochs")) {
        const auto found = tuning.run_epoch();
        CHECK(std::abs(found.loss - epoch.at("loss").get<double>()) <= 1e-10);
        CHECK(std::abs(found.error_s - epoch.at("mean_absolute_error_s").get<double>()) <= 1e-10);
    }
    for (const auto& [name, block] : golden.at("parameters").items()) {
        const auto expected = support::flat_block(block);
        const auto at = std::find_if(detail::enel_blocks.begin(), detail::enel_blocks.end(),
                                     [&, wanted = std::string_view(name)](const auto& each) { return each.name == wanted; });
        double largest = 0;
        double error = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            largest = (std::max)(largest, std::abs(expected[i]));
            error = (std::max)(error, std::abs(tuning.parameters()[at->first + i] - expected[i]));
        }
        CHECK(error <= 1e-9 * largest);
    }
}

TEST_CASE("fine-tuning moves overhead and runtime alone, and without a stage that rescales the runtime alone") {
    using layout = detail::enel_layout;
    const auto changed = [](const golden_fine_tuning& subject, std::size_t first, std::size_t last) {
        auto tuning = subject.start({});
        tuning.run_epoch();
        return largest_change(subject.parameters, tuning.parameters(), first, last) > 0;
    };
    const golden_fine_tuning rescaled(enel_golden().at("fine_tune").at("graphs"));
    CHECK_FALSE(changed(rescaled, 0, layout::overhead));
    CHECK(changed(rescaled, layout::overhead, layout::runtime));
    CHECK(changed(rescaled, layout::runtime, layout::source));
    CHECK_FALSE(changed(rescaled, layout::source, layout::size));
    const golden_fine_tuning steady(enel_golden().at("fine_tune_without_rescaling").at("graphs"));
    CHECK_FALSE(changed(steady, layout::overhead, layout::runtime));
    CHECK(changed(steady, layout::runtime, layout::source));
}

TEST_CASE("fine-tuning stops at a small error and returns the parameters after the step of the best epoch") {
    const golden_fine_tuning subject(enel_golden().at("fine_tune").at("graphs"));
    auto tuning = subject.start();
    tuning.run();
    // The golden errors are 5.10 and 4.63 s.
    CHECK(tuning.epoch() == 2);
    CHECK(tuning.best() == tuning.parameters());
    auto fast = subject;
    fast.rates.learning_rate = 3;
    auto diverging = fast.start();
    diverging.run();
    CHECK(diverging.epoch() <= detail::enel_fine_tuning::most_epochs);
    CHECK(diverging.best() != diverging.parameters());
}

TEST_CASE("Enel's validation runs are the golden ones") {
    for (const auto& each : enel_golden().at("validation_positions"))
        CHECK(detail::enel_validation_positions(each.at("runs")) == each.at("positions").get<std::vector<std::size_t>>());
}

TEST_CASE("noise leaves what is not known as it is, and a rescaling row of zeros too") {
    const support::enel_world world;
    const auto clean = detail::batch_of(world.history, world.now, world.history.size(), world.scaler);
    auto noisy = clean;
    detail::random_generator random(3);
    detail::enel_noise{}.apply(clean, noisy, random);
    for (std::size_t i = 0; i < clean.metrics.size(); ++i) {
        CHECK(std::ranges::equal(noisy.metrics[i], clean.metrics[i]) != detail::any_not_zero(clean.metrics[i]));
        CHECK(std::ranges::all_of(noisy.metrics[i], [](double each) { return each >= 0; }));
    }
    for (std::size_t i = 0; i < clean.rows(); ++i) {
        CHECK((noisy.stage_s[i] != clean.stage_s[i]) == (clean.stage_s[i] != 0));
        CHECK((noisy.rescaling_share[i] != clean.rescaling_share[i]) == (clean.rescaling_share[i] != 0));
    }
    for (std::size_t i = 0; i < clean.encodings.size(); ++i)
        CHECK_FALSE(std::ranges::equal(noisy.encodings[i], clean.encodings[i]));
}

TEST_CASE("pre-training lowers the validation loss, the same with any number of threads") {
    const auto set = golden_training_set();
    CHECK(set.validation.size() == 3);
    CHECK(set.training.size() == 5);
    detail::enel_search_plan plan{.trials = 3, .epochs = 35, .seed = 4};
    const auto once = detail::enel_search(set).run(plan);
    REQUIRE_FALSE(once.parameters.empty());
    detail::enel_pretraining untrained(set, once.configuration, plan.noise, 1);
    untrained.run_until(1, 1, [] { return true; });
    CHECK(once.validation_loss < 0.8 * untrained.best_loss());
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
    detail::enel_pretraining untrained(set, once.configuration, plan.noise, 1);
    untrained.run_until(1, 1, [] { return true; });
    CHECK(once.validation_loss < 0.8 * untrained.best_loss());
    for (const std::size_t threads : {2U, 4U}) {
        plan.threads = threads;
        const auto again = detail::enel_search(set).run(plan);
        CHECK(again.parameters == once.parameters);
        CHECK(again.epochs == once.epochs);
    }
    plan.parallel.workers = 3;
    CHECK(detail::enel_search(set).run(plan).parameters != once.parameters);
    // A time budget that is spent ends all workers.
    plan.time_budget_s = 1e-9;
    CHECK(detail::enel_search(set).run(plan).parameters.empty());
}

TEST_CASE("the runs of Enel's training are dealt to the workers, each once") {
    detail::random_generator random(1);
    const auto shares = detail::enel_shares(11, 4, random);
    std::vector<std::size_t> all;
    for (const auto& each : shares) {
        CHECK((each.size() == 2 || each.size() == 3));
        CHECK(each.size() <= shares[0].size());
        all.insert(all.end(), each.begin(), each.end());
    }
    std::ranges::sort(all);
    REQUIRE(all.size() == 11);
    for (std::size_t i = 0; i < 11; ++i) CHECK(all[i] == i);
}

TEST_CASE("with two runs nothing validates and every epoch is trained") {
    auto runs = support::enel_world().history;
    runs.resize(2);
    const auto set = detail::enel_training_set::of(std::move(runs));
    CHECK(set.validation.empty());
    const auto trained = detail::enel_search(set).run({.trials = 1, .epochs = 20});
    CHECK(trained.epochs == 20);
    CHECK(trained.best_epoch == 20);
}
