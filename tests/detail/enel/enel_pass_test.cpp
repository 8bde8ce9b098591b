#include "support/enel_golden.hpp"

#include <bellamy/detail/enel/enel_pass.hpp>
#include <bellamy/detail/network/training/adam.hpp>

#include <doctest/doctest.h>

#include <numeric>

using namespace bellamy;
using support::enel_golden;
using support::json;

namespace {

constexpr double enel_tolerance = 1e-10;

struct golden_enel_batch {
    support::enel_world world;
    detail::enel_batch batch;
    std::vector<double> parameters = support::enel_parameters(enel_golden().at("parameters"));
    detail::random_generator random{1};

    golden_enel_batch() : batch(detail::enel_batch_builder::build(world.graphs())) {}
};

void check_forward_numbers(std::span<const double> found, const json& expected) {
    REQUIRE(found.size() >= expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(found[i] - expected[i].get<double>()) <= enel_tolerance);
    }
}

template <class Columns>
void check_forward_columns(const Columns& found, const json& expected) {
    REQUIRE(found.size() >= expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        check_forward_numbers(found[i], expected[i]);
    }
}

void check_forward_pass(detail::enel_pass& pass, const json& golden) {
    check_forward_numbers(pass.metrics().attention(), golden.at("attention"));
    check_forward_columns(pass.metrics().completed(), golden.at("used_metrics"));
    check_forward_numbers(pass.times().stage_s(), golden.at("stage_s"));
    check_forward_numbers(pass.times().job_s(), golden.at("job_s"));
    if (golden.contains("predicted_metrics"))
        check_forward_columns(pass.metrics().predicted(), golden.at("predicted_metrics"));
    if (golden.contains("overhead")) check_forward_numbers(pass.times().overhead_s(), golden.at("overhead"));
    if (golden.contains("accumulated_s")) check_forward_numbers(pass.times().accumulated_s(), golden.at("accumulated_s"));
}

void check_enel_losses(const detail::enel_losses& found, double times, double metrics, double reconstruction) {
    CHECK(std::abs(found.times - times) <= enel_tolerance);
    CHECK(std::abs(found.metrics - metrics) <= enel_tolerance);
    CHECK(std::abs(found.reconstruction - reconstruction) <= enel_tolerance);
}

// Only the summaries of the history keep their metrics: all others are to be imputed.
[[nodiscard]] detail::enel_batch without_observed_metrics(detail::enel_batch batch) {
    for (std::size_t graph = 0; graph < batch.graphs(); ++graph) {
        if (batch.previous_in_batch[graph] != 0) detail::fill_zeros(batch.metrics[batch.first_row[graph]]);
        for (const auto row : batch.order_of(graph)) detail::fill_zeros(batch.metrics[row]);
    }
    return batch;
}

void check_golden_forward(const char* entry, const detail::enel_batch& batch) {
    CAPTURE(entry);
    golden_enel_batch golden;
    const auto& expected = enel_golden().at(entry);
    detail::enel_joint_pass joint(detail::enel_capacity::covering({&golden.batch, 1}), 0);
    auto losses = joint.forward(golden.parameters.data(), batch, {}, golden.random);
    losses.metrics = detail::compare_metrics(golden.batch, joint.pass().metrics());
    check_forward_pass(joint.pass(), expected);
    check_enel_losses(losses, expected.at("loss_times"), expected.at("loss_metrics"), expected.at("loss_reconstruction"));
}

// Relative to the largest entry of each block.
void check_enel_blocks(std::span<const double> found, const json& expected, double tolerance) {
    for (const auto& block : support::enel_blocks) {
        const std::string name(block.name);
        if (!expected.contains(name)) continue;
        CAPTURE(name);
        const auto golden = support::flat_block(expected.at(name));
        REQUIRE(golden.size() == block.size());
        double largest = 0;
        for (const double each : golden) largest = (std::max)(largest, std::abs(each));
        double error = 0;
        for (std::size_t i = 0; i < golden.size(); ++i)
            error = (std::max)(error, std::abs(found[block.first + i] - golden[i]));
        CHECK(error <= tolerance * largest);
    }
}

}  // namespace

TEST_CASE("contexts of Enel's rows are the golden means of codes") {
    golden_enel_batch golden;
    CHECK(detail::enel_layout::size == enel_golden().at("parameter_count").get<std::size_t>());
    detail::enel_pass pass(detail::enel_capacity::covering({&golden.batch, 1}));
    detail::encode_all(golden.parameters.data(), golden.batch, pass.codes());
    pass.forward(golden.parameters.data(), golden.batch);
    check_forward_columns(pass.contexts(), enel_golden().at("z"));
    check_forward_pass(pass, enel_golden().at("teacher_forced"));
}

TEST_CASE("Enel's forward pass and losses are the golden ones, with metrics as observed and with none of the batch") {
    const golden_enel_batch golden;
    check_golden_forward("teacher_forced", golden.batch);
    check_golden_forward("propagated", without_observed_metrics(golden.batch));
}

TEST_CASE("a first job without summaries stays without metrics, and the next one sees the history alone") {
    golden_enel_batch golden;
    const std::vector graphs{golden.world.grapher().graph(0, false, false), golden.world.grapher().graph(1, true, true)};
    const auto batch = without_observed_metrics(detail::enel_batch_builder::build(graphs));
    detail::enel_pass pass(detail::enel_capacity::covering({&batch, 1}));
    detail::encode_all(golden.parameters.data(), batch, pass.codes());
    pass.forward(golden.parameters.data(), batch);
    check_forward_pass(pass, enel_golden().at("first_job_unknown"));
}

TEST_CASE("dropped edges are as if they were not there") {
    golden_enel_batch golden;
    const auto& expected = enel_golden().at("edge_dropout");
    std::vector<std::uint8_t> keep;
    for (const bool each : expected.at("keep")) keep.push_back(each ? 1 : 0);
    detail::enel_joint_pass joint(detail::enel_capacity::covering({&golden.batch, 1}), 0);
    const auto losses =
        joint.forward(golden.parameters.data(), golden.batch, {keep, expected.at("probability")}, golden.random);
    check_forward_numbers(joint.pass().metrics().attention(), expected.at("attention"));
    check_forward_columns(joint.pass().metrics().predicted(), expected.at("predicted_metrics"));
    CHECK(std::abs(losses.metrics - expected.at("loss_metrics").get<double>()) <= enel_tolerance);
}

TEST_CASE("rows of the context count as often as they occur and are computed once") {
    golden_enel_batch golden;
    const auto counts = detail::occurrences(golden.batch);
    CHECK(counts.size() == enel_golden().at("reconstruction_rows").at("distinct").get<std::size_t>());
    CHECK(std::accumulate(counts.begin(), counts.end(), 0.0) ==
          enel_golden().at("reconstruction_rows").at("with_repetition").get<double>());
}

TEST_CASE("Enel's gradient is the golden one") {
    golden_enel_batch golden;
    detail::enel_joint_pass joint(detail::enel_capacity::covering({&golden.batch, 1}), 0);
    std::vector<double> gradient(golden.parameters.size(), std::nan(""));
    (void)joint.forward(golden.parameters.data(), golden.batch, {}, golden.random);
    joint.backward(golden.parameters.data(), gradient.data(), golden.batch, {});
    check_enel_blocks(gradient, enel_golden().at("gradient"), 1e-9);
}

TEST_CASE("three steps of Adam on Enel's network end at the golden parameters, with the golden losses on the way") {
    golden_enel_batch golden;
    const auto& expected = enel_golden().at("adam");
    detail::enel_joint_pass joint(detail::enel_capacity::covering({&golden.batch, 1}), 0);
    std::vector<double> gradient(golden.parameters.size());
    detail::adam<double> adam(golden.parameters.size(), expected.at("weight_decay"));
    for (const auto& losses : expected.at("losses")) {
        const auto found = joint.forward(golden.parameters.data(), golden.batch, {}, golden.random);
        check_enel_losses(found, losses[0], losses[1], losses[2]);
        joint.backward(golden.parameters.data(), gradient.data(), golden.batch, {});
        adam.step(golden.parameters, gradient, expected.at("rate"));
    }
    check_enel_blocks(golden.parameters, expected.at("parameters"), 1e-9);
}

TEST_CASE("Enel's gradient is that of the loss by finite differences, also through filled metrics and with dropout") {
    golden_enel_batch golden;
    detail::random_generator draw(5);
    golden.parameters = detail::random_enel_parameters(draw);
    std::vector<std::uint8_t> keep(golden.batch.edges(), 1);
    keep[2] = keep[7] = 0;
    // All metrics observed, none, and those of the second graph alone.
    auto partly_observed = without_observed_metrics(golden.batch);
    for (const auto row : golden.batch.order_of(1)) detail::copy_to(partly_observed.metrics[row], golden.batch.metrics[row]);
    for (const auto& batch : {golden.batch, without_observed_metrics(golden.batch), partly_observed}) {
        detail::enel_joint_pass joint(detail::enel_capacity::covering({&batch, 1}), 0.2);
        const detail::enel_edge_dropout dropout{keep, 0.2};
        // The same draws every time, so that dropout is a fixed choice.
        const auto loss = [&] {
            detail::random_generator random(17);
            return joint.forward(golden.parameters.data(), batch, dropout, random).total();
        };
        (void)loss();
        std::vector<double> gradient(golden.parameters.size(), std::nan(""));
        joint.backward(golden.parameters.data(), gradient.data(), batch, dropout);
        double size = 0;
        for (const double each : gradient) size = (std::max)(size, std::abs(each));
        double error = 0;
        for (std::size_t i = 0; i < gradient.size(); i += 7) {
            constexpr double step = 1e-6;
            const double at = golden.parameters[i];
            golden.parameters[i] = at + step;
            const double above = loss();
            golden.parameters[i] = at - step;
            const double below = loss();
            golden.parameters[i] = at;
            const double difference = std::abs((above - below) / (2 * step) - gradient[i]);
            error = (std::max)(error, difference);
        }
        CHECK(error <= 1e-7 * size);
    }
}
