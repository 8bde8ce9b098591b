// A made-up regression that a network of 6-32-16-1 values learns, alone, synchronously or with delayed averaging.
#ifndef BELLAMY_BENCH_REGRESSION_HPP
#define BELLAMY_BENCH_REGRESSION_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/network/training/adam.hpp>
#include <bellamy/detail/network/training/delayed_averaging.hpp>
#include <bellamy/detail/network/training/delayed_averaging_threads.hpp>
#include <bellamy/detail/network/training/layers.hpp>

#include <cmath>
#include <deque>
#include <numbers>
#include <numeric>
#include <vector>

namespace bench {

/// Rows whose targets have noise of variance 1: half the squared error of the truth is 0.5.
struct regression_rows {
    bellamy::detail::columns<float, 6> inputs{};
    std::vector<float> targets{};

    /// With `rough`, the truth bends so much that the network has to learn until the end.
    [[nodiscard]] static regression_rows draw(std::size_t count, std::uint64_t seed, bool rough = false) {
        bellamy::detail::random_generator random(seed);
        regression_rows rows;
        rows.inputs.resize(count);
        const float bend = rough ? 2 : 1;
        for (std::size_t i = 0; i < count; ++i) {
            const auto x = rows.inputs[i];
            for (float& each : x) each = static_cast<float>(random.normal());
            rows.targets.push_back(std::sin(bend * x[0]) + bend * x[1] * x[2] / 2 + std::abs(x[3]) - x[4] / 2 +
                                   static_cast<float>(random.normal()));
        }
        return rows;
    }
};

/// Forward and backward of the network, for batches of up to `most` rows.
class regression_network {
public:
    explicit regression_network(std::size_t most)
        : input_(most),
          first_values_(most),
          first_gradient_(most),
          second_values_(most),
          second_gradient_(most),
          output_(most) {}

    [[nodiscard]] static std::size_t parameter_count() { return 7 * 32 + 33 * 16 + 17; }

    [[nodiscard]] static std::vector<float> start(std::uint64_t seed) {
        bellamy::detail::random_generator random(seed);
        std::vector<float> parameters;
        for (const auto& [in, out] : {std::pair{6, 32}, {32, 16}, {16, 1}}) {
            for (int i = 0; i < in * out; ++i)
                parameters.push_back(static_cast<float>(random.normal() / std::sqrt(static_cast<double>(in))));
            parameters.insert(parameters.end(), static_cast<std::size_t>(out), 0.0F);
        }
        return parameters;
    }

    /// Half the mean squared error of these rows; with a gradient, its derivative is written there.
    float loss(const float* at, float* gradient, const regression_rows& rows, std::span<const std::uint32_t> chosen) {
        const std::size_t count = chosen.size();
        for (std::size_t i = 0; i < count; ++i) bellamy::detail::copy_to(input_[i], rows.inputs[chosen[i]]);
        const auto x = input_.piece(0, count);
        const auto h = first_values_.piece(0, count);
        const auto g = second_values_.piece(0, count);
        const auto y = output_.piece(0, count);
        const std::size_t second_at = first().parameter_count();
        const std::size_t third_at = second_at + second().parameter_count();
        first().forward(at, x, h);
        bellamy::detail::selu_forward<float>(h);
        second().forward(at + second_at, h, g);
        bellamy::detail::selu_forward<float>(g);
        third().forward(at + third_at, g, y);
        float squares = 0;
        for (std::size_t i = 0; i < count; ++i) {
            y[i] -= rows.targets[chosen[i]];
            squares += y[i] * y[i];
        }
        const float result = squares / (2 * static_cast<float>(count));
        if (gradient == nullptr) return result;

        bellamy::detail::divide(y, static_cast<float>(count));
        const auto dg = second_gradient_.piece(0, count);
        const auto dh = first_gradient_.piece(0, count);
        third().backward_parameters(gradient + third_at, g, y);
        third().backward_input(at + third_at, y, dg);
        bellamy::detail::selu_backward<float>(g, dg);
        second().backward_parameters(gradient + second_at, h, dg);
        second().backward_input(at + second_at, dg, dh);
        bellamy::detail::selu_backward<float>(h, dh);
        first().backward_parameters(gradient, x, dh);
        return result;
    }

    [[nodiscard]] float loss_of_all(std::span<const float> parameters, const regression_rows& rows) {
        const bellamy::detail::aligned_vector<float> aligned(parameters.begin(), parameters.end());
        std::vector<std::uint32_t> all(rows.inputs.size());
        std::iota(all.begin(), all.end(), 0U);
        return loss(aligned.data(), nullptr, rows, all);
    }

private:
    using first = bellamy::detail::linear_layer<float, 6, 32, true>;
    using second = bellamy::detail::linear_layer<float, 32, 16, true>;
    using third = bellamy::detail::linear_layer<float, 16, 1, true>;
    bellamy::detail::columns<float, 6> input_;
    bellamy::detail::columns<float, 32> first_values_;
    bellamy::detail::columns<float, 32> first_gradient_;
    bellamy::detail::columns<float, 16> second_values_;
    bellamy::detail::columns<float, 16> second_gradient_;
    bellamy::detail::columns<float, 1> output_;
};

struct regression_plan {
    std::size_t workers = 4;
    std::size_t batch = 32;  // of a worker
    int epochs = 25;
    float step_size = 0.01F;  // falls to 0 along a cosine
    std::uint64_t seed = 1;
};

/// One worker's Adam on its share of the rows.
class regression_training {
public:
    regression_training(const regression_rows& rows, const regression_plan& plan, std::size_t worker,
                        const bellamy::parallel_options& options)
        : rows_(rows),
          plan_(plan),
          random_(plan.seed * 1000 + worker),
          network_(plan.batch),
          adam_(regression_network::parameter_count(), 0) {
        const auto start = regression_network::start(plan.seed);
        parameters_.assign(start.begin(), start.end());
        gradient_.resize(start.size());
        state_.emplace(parameters_, options);
        const std::size_t count = rows.inputs.size();
        for (std::size_t i = worker; i < count; i += plan.workers) order_.push_back(static_cast<std::uint32_t>(i));
        steps_per_epoch_ = count / plan.workers / plan.batch;
    }
    regression_training(const regression_training&) = delete;
    regression_training& operator=(const regression_training&) = delete;
    ~regression_training() = default;

    /// Leaves the gradient of the next batch.
    std::span<float> next_gradient() {
        if (step_ % steps_per_epoch_ == 0) random_.shuffle(std::span(order_));
        const auto first = step_ % steps_per_epoch_ * plan_.batch;
        (void)network_.loss(parameters_.data(), gradient_.data(), rows_, std::span(order_).subspan(first, plan_.batch));
        return gradient_;
    }
    void apply(std::span<float> gradient) {
        const double share = static_cast<double>(step_) / static_cast<double>(all_steps());
        adam_.step(parameters_, gradient,
                   plan_.step_size * static_cast<float>((1 + std::cos(std::numbers::pi * share)) / 2));
        ++step_;
    }
    [[nodiscard]] std::size_t all_steps() const { return steps_per_epoch_ * static_cast<std::size_t>(plan_.epochs); }
    [[nodiscard]] std::span<float> parameters() { return parameters_; }

    bool step() {
        apply(next_gradient());
        return step_ == all_steps();  // nothing is validated in between
    }
    [[nodiscard]] std::size_t state_size() const { return state_->size(); }
    void write_state(std::span<float> snapshot) const { state_->write(snapshot, 0); }
    void merge_state(std::span<const float> average, std::span<const float> snapshot) { state_->merge(average, snapshot); }
    void take_epoch(std::span<const float> average) {
        const auto last = state_->parameters_of(average);
        mean_.assign(last.begin(), last.end());
    }
    [[nodiscard]] bool stopped() const { return false; }
    /// Of all workers, at the end.
    [[nodiscard]] std::span<const float> mean() const { return mean_; }

private:
    const regression_rows& rows_;
    regression_plan plan_;
    bellamy::detail::random_generator random_;
    regression_network network_;
    bellamy::detail::aligned_vector<float> parameters_{};
    bellamy::detail::aligned_vector<float> gradient_{};
    bellamy::detail::adam<float> adam_;
    std::optional<bellamy::detail::averaged_state<float>> state_{};
    std::vector<std::uint32_t> order_{};
    std::size_t steps_per_epoch_ = 0;
    std::size_t step_ = 0;
    std::vector<float> mean_{};
};

/// Final loss over all rows of synchronous training: every step follows the mean gradient of all workers' batches.
[[nodiscard]] inline float synchronous_loss(const regression_rows& rows, const regression_plan& plan) {
    std::deque<regression_training> workers;
    for (std::size_t i = 0; i < plan.workers; ++i) workers.emplace_back(rows, plan, i, bellamy::parallel_options{});
    std::vector<float> gradients;
    bellamy::detail::aligned_vector<float> mean(regression_network::parameter_count());
    for (std::size_t step = 0; step < workers.front().all_steps(); ++step) {
        gradients.clear();
        for (auto& each : workers) {
            const auto own = each.next_gradient();
            gradients.insert(gradients.end(), own.begin(), own.end());
        }
        for (auto& each : workers) {
            bellamy::detail::mean_of_snapshots<float>(gradients, plan.workers, mean);
            each.apply(mean);
        }
    }
    return regression_network(rows.inputs.size()).loss_of_all(workers.front().parameters(), rows);
}

/// Final loss over all rows of the workers' mean.
[[nodiscard]] inline float averaged_loss(const regression_rows& rows, const regression_plan& plan,
                                         const bellamy::parallel_options& options, std::size_t threads) {
    using worker = bellamy::detail::delayed_worker<float, regression_training>;
    std::deque<regression_training> trainings;
    std::vector<worker> workers;
    for (std::size_t i = 0; i < plan.workers; ++i)
        workers.emplace_back(trainings.emplace_back(rows, plan, i, options), options);
    bellamy::detail::thread_averaging<float> averaging(plan.workers, trainings.front().state_size());
    (void)averaging.run(threads, [&](std::size_t i, auto& averager) { return workers[i].advance(averager, 1, false); });
    return regression_network(rows.inputs.size()).loss_of_all(trainings.front().mean(), rows);
}

}  // namespace bench

#endif
