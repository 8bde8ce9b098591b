#include "support/compare.hpp"
#include "support/golden.hpp"
#include "support/networks.hpp"
#include "support/numbered.hpp"
#include "support/varied_runs.hpp"

#include <bellamy/detail/network/training/joint_pass.hpp>

using namespace bellamy;
using detail::joint_pass;
using detail::make_training_set;
using detail::random_generator;
using support::all_of;
using support::varied_runs;

namespace {

template <class Scalar>
std::vector<run> golden_runs(const support::json& file) {
    std::vector<run> runs;
    for (std::size_t i = 0; i < file.at("contexts").size(); ++i)
        runs.push_back({.context = support::golden_context(support::all_properties(file.at("contexts")[i])),
                        .scale_out = file.at("scale_outs")[i].get<int>(),
                        .runtime_s = file.at("target_seconds")[i].get<double>()});
    return runs;
}

}  // namespace

TEST_CASE_TEMPLATE("the joint loss and its gradient are the golden ones", Scalar, double, float) {
    // 1e-10 is demanded of double. In float, a loss of 31 and gradients up to 20 carry seven digits.
    const double tolerance = std::is_same_v<Scalar, double> ? 1e-10 : 2e-5;
    const auto file = support::golden("gradient.json");
    const auto subject = support::golden_network<Scalar>(file);
    const auto set = make_training_set<Scalar, dimensions{}>(golden_runs<Scalar>(file));
    const auto runs = all_of(set.size());
    const auto parameters = subject.parameters();
    random_generator random(0);
    joint_pass<Scalar, dimensions{}> pass(set, subject.runtime.scaler, set.size(), 0.0);

    const auto loss = pass.forward(parameters.data(), runs, set.runtimes_s, random);
    CHECK(std::abs(static_cast<double>(loss.runtime) - file.at("loss_runtime").get<double>()) <= tolerance);
    CHECK(std::abs(static_cast<double>(loss.essential) - file.at("loss_essential").get<double>()) <= tolerance);
    CHECK(std::abs(static_cast<double>(loss.optional) - file.at("loss_optional").get<double>()) <= tolerance);
    CHECK(std::abs(static_cast<double>(loss.total()) - file.at("loss").get<double>()) <= tolerance);

    std::vector<Scalar> gradient(parameters.size());
    pass.backward(parameters.data(), gradient.data(), runs);
    CHECK(support::largest_difference(gradient, support::flat_layers<double>(file.at("gradient"))) <= tolerance);
}

TEST_CASE_TEMPLATE("training predicts what the network predicts", Scalar, double, float) {
    // The same sums in another order: roundings of numbers around 1.
    const double tolerance = std::is_same_v<Scalar, double> ? 1e-12 : 1e-5;
    const auto history = varied_runs();
    const auto set = make_training_set<Scalar, dimensions{}>(history);
    const auto subject = support::random_network<Scalar>(2, 6);
    joint_pass<Scalar, dimensions{}> pass(set, subject.runtime.scaler, set.size(), 0.0);
    random_generator random(0);
    // Also for a part of the runs, in another order.
    for (const auto& runs : {all_of(set.size()), std::vector<std::uint32_t>{6, 2, 4}}) {
        (void)pass.forward(subject.parameters().data(), runs, std::span(set.runtimes_s).first(runs.size()), random);
        std::vector<double> expected;
        for (const auto run : runs)
            expected.push_back(static_cast<double>(support::predict(subject, history[run].context, history[run].scale_out)));
        CHECK(support::largest_difference(pass.predictions_s(runs.size()), expected) <= tolerance);
    }
}

TEST_CASE("a run of weight 2 counts as two runs") {
    auto history = varied_runs();
    history.resize(3);
    auto repeated = history;
    repeated.push_back(history[2]);
    history[2].weight = 2;
    repeated[2].weight = repeated[3].weight = 1;
    const auto runtime_loss = [](const std::vector<run>& runs) {
        const auto set = make_training_set<double, dimensions{}>(runs);
        const auto subject = support::random_network<double>(2, 6);
        joint_pass<double, dimensions{}> pass(set, subject.runtime.scaler, set.size(), 0.0);
        random_generator random(0);
        return pass.forward(subject.parameters().data(), all_of(set.size()), set.runtimes_s, random).runtime;
    };
    CHECK(runtime_loss(history) == doctest::Approx(runtime_loss(repeated)).epsilon(1e-12));
}

TEST_CASE("a batch is learned without allocating") {
    // Of the paper's size: 64 runs of 8 properties, in float as `pretrain` does.
    std::vector<run> history;
    for (int i = 0; i < 64; ++i) {
        run one{.scale_out = 2 + i % 6, .runtime_s = 100.0 + i};
        for (std::uint64_t k = 0; k < 8; ++k)
            (k < 5 ? one.context.essential : one.context.optional)
                .push_back(natural(support::numbered("p", k), k + static_cast<std::uint64_t>(i)));
        history.push_back(std::move(one));
    }
    const auto set = make_training_set<float, dimensions{}>(history);
    auto parameters = support::random_network<float>(5, 1).parameters();
    std::vector<float> gradient(parameters.size());
    const auto runs = all_of(set.size());
    joint_pass<float, dimensions{}> pass(set, min_max_scaler<float>::of(set.scale_outs), set.size(), 0.1);
    random_generator random(0);

    Eigen::internal::set_is_malloc_allowed(false);  // from here on, Eigen ends the program where it allocates
    (void)pass.forward(parameters.data(), runs, set.runtimes_s, random);
    pass.backward(parameters.data(), gradient.data(), runs);
    Eigen::internal::set_is_malloc_allowed(true);
    CHECK(std::isfinite(gradient.front()));
}
