#include "support/compare.hpp"
#include "support/golden.hpp"
#include "support/made_up_job.hpp"

#include <bellamy/detail/network/training/fine_tuning.hpp>

using namespace bellamy;
using detail::fine_tuning;
using detail::make_training_set;
using detail::unfreeze_epoch;
using namespace bellamy::detail;

namespace {

constexpr int no_epoch = (std::numeric_limits<int>::max)();

template <class Scalar>
void follow_golden_traces(double tolerance) {
    const auto file = support::golden("fine_tune.json");
    for (const auto& one : file.at("cases")) {
        std::vector<run> observed;
        for (std::size_t i = 0; i < one.at("scale_outs").size(); ++i)
            observed.push_back({.context = support::golden_context(one.at("context")),
                                .scale_out = one.at("scale_outs")[i].get<int>(),
                                .runtime_s = one.at("runtime_seconds")[i].get<double>()});
        const auto& unfreeze = one.at("unfreeze_scale_out_after_epoch");
        REQUIRE(unfreeze_epoch(observed.size()) == (unfreeze.is_null() ? no_epoch : unfreeze.get<int>()));

        const auto set = make_training_set<Scalar, dimensions{}>(observed);
        fine_tuning<Scalar, dimensions{}> tuning(support::golden_network<Scalar>(file), set, unfreeze_epoch(set.size()), 0.0,
                                                 0);
        detail::fine_tuning_epoch last;
        for (const auto& expected : one.at("trace")) {
            while (tuning.epoch() < expected.at("after_epoch").get<int>()) last = tuning.run_epoch();
            CAPTURE(tuning.epoch());
            CHECK(std::abs(last.loss - expected.at("loss_before_step").get<double>()) <= tolerance);
            CHECK(std::abs(last.error_s - expected.at("mae_before_step").get<double>()) <= tolerance);
            const auto reached = tuning.current_network();
            std::vector<double> predicted;
            for (const auto& each : observed)
                predicted.push_back(static_cast<double>(support::predict(reached, each.context, each.scale_out)));
            CHECK(support::largest_difference(predicted, support::numbers(expected.at("prediction"))) <= tolerance);
            CHECK(support::largest_difference(reached.head_bias, support::numbers(expected.at("head_bias"))) <= tolerance);
        }
    }
}

std::vector<float> scale_out_parameters(const network<>& source) {
    auto all = source.parameters();
    all.resize(detail::parameter_layout<dimensions{}>::encoder);
    return all;
}

}  // namespace

TEST_CASE("fine-tuning follows the golden traces") {
    follow_golden_traces<double>(1e-8);  // demanded of double
    // Up to 300 steps of float, each rounding predictions up to 90 s at 4e-6 s, which later steps amplify.
    follow_golden_traces<float>(5e-2);
}

TEST_CASE("the scale-out network is frozen until its epoch") {
    const std::vector observed{support::made_up_run(50, 4), support::made_up_run(50, 8)};
    const auto set = make_training_set<float, dimensions{}>(observed);
    const auto start = support::random_network<float>(2, 8);
    fine_tuning<float, dimensions{}> tuning(start, set, unfreeze_epoch(set.size()), 0.25, 1);
    while (tuning.epoch() < 30) (void)tuning.run_epoch();
    CHECK(scale_out_parameters(tuning.current_network()) == scale_out_parameters(start));
    (void)tuning.run_epoch();
    CHECK(scale_out_parameters(tuning.current_network()) != scale_out_parameters(start));
    CHECK(tuning.current_network().encoder.layers.first.weights == start.encoder.layers.first.weights);
}

TEST_CASE("the best epoch is the first of the lowest error and nothing below the target counts as better") {
    const std::vector observed{support::made_up_run(50, 4), support::made_up_run(50, 8)};
    const auto set = make_training_set<float, dimensions{}>(observed);
    fine_tuning<float, dimensions{}> tuning(support::random_network<float>(2, 8), set, 0, 0.0, 1);
    double lowest = std::numeric_limits<double>::infinity();
    int first = 0;
    network<> best(2);
    for (int epoch = 1; epoch <= 400; ++epoch) {
        const double counted = (std::max)(tuning.run_epoch().error_s, detail::target_error_s);
        if (counted < lowest) {
            lowest = counted;
            first = epoch;
            best = tuning.current_network();
        }
    }
    REQUIRE(lowest == detail::target_error_s);  // so that the rule was put to the test
    REQUIRE(first < 400);
    CHECK(tuning.best_epoch() == first);
    CHECK(tuning.best_error_s() == lowest);
    tuning.restore_best();
    CHECK(tuning.current_network().parameters() == best.parameters());
}

TEST_CASE("a run killed below its prediction has no pull") {
    auto start = support::random_network<float>(2, 8);
    start.runtime.head_second.bias[0] = 30;
    auto killed = support::made_up_run(50, 4);
    const double predicted = static_cast<double>(support::predict(start, killed.context, killed.scale_out));
    REQUIRE(predicted > 20);
    killed.censored = true;
    struct row {
        double runtime_s, error_s;
    };
    for (const auto& [runtime_s, error_s] : {row{predicted / 2, 0}, row{predicted + 10, 10}}) {
        killed.runtime_s = runtime_s;
        const auto set = make_training_set<float, dimensions{}>(std::span(&killed, 1));
        fine_tuning<float, dimensions{}> tuning(start, set, 0, 0.0, 1);
        const auto epoch = tuning.run_epoch();
        CHECK(epoch.error_s == doctest::Approx(error_s).epsilon(1e-5));
        CHECK((epoch.loss == 0) == (error_s == 0));
    }
}

TEST_CASE("an epoch of fine-tuning allocates nothing") {
    const auto observed = support::made_up_history(1);
    const auto set = make_training_set<float, dimensions{}>(observed);
    fine_tuning<float, dimensions{}> tuning(support::random_network<float>(2, 8), set, 1, 0.25, 1);
    Eigen::internal::set_is_malloc_allowed(false);  // from here on, Eigen ends the program where it allocates
    for (int epoch = 0; epoch < 3; ++epoch) (void)tuning.run_epoch();
    Eigen::internal::set_is_malloc_allowed(true);
    CHECK(tuning.epoch() == 3);
}

TEST_CASE("the learning rate of fine-tuning follows the golden schedule") {
    const auto expected = support::numbers(support::golden("cyclic_learning_rate.json").at("learning_rate"));
    std::vector<double> found;
    for (int epoch = 0; epoch < static_cast<int>(expected.size()); ++epoch) found.push_back(cyclic_learning_rate(epoch));
    CHECK(support::largest_difference(found, expected) <= 1e-12);  // demanded of double
}

TEST_CASE("the scale-out network joins after 7.5 times 2 to the number of runs") {
    constexpr int never = (std::numeric_limits<int>::max)();
    CHECK(unfreeze_epoch(0) == never);
    CHECK(unfreeze_epoch(1) == never);
    CHECK(unfreeze_epoch(2) == 30);
    CHECK(unfreeze_epoch(3) == 60);
    CHECK(unfreeze_epoch(8) == 1920);
    CHECK(unfreeze_epoch(9) == 3840);  // beyond the 2500 epochs of the paper
    CHECK(unfreeze_epoch(1000) == never);
}
