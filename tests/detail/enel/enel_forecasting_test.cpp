#include "support/enel_golden.hpp"

#include <bellamy/detail/enel/enel_forecasting.hpp>

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
        batch = detail::enel_batch_builder::build(chosen);
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
        const auto at = std::find_if(support::enel_blocks.begin(), support::enel_blocks.end(),
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
