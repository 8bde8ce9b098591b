// What training and answering cost, on made-up runs of the published data's shape.
#include <benchmark/benchmark.h>
#include <bellamy/bellamy.hpp>

#include <string>
#include <vector>

namespace {

using namespace bellamy;

[[nodiscard]] context context_number(int number) {
    const std::vector<std::string> machines{"c4.2xlarge", "m4.2xlarge", "r4.2xlarge"};
    const auto size = static_cast<std::uint64_t>(9000 + 977 * (number / 3));
    return {.essential = {text("machine_type", machines[static_cast<std::size_t>(number % 3)]), text("job_args", "25"),
                          natural("data_size_MB", size), text("data_characteristics", "100 " + std::to_string(size * 10)),
                          text("environment", "public cloud aws emr")},
            .optional = {text("job_type", "sort-spark"),
                         natural("memory", static_cast<std::uint64_t>(15000 * (1 + number % 3))).per_scale_out_unit(),
                         natural("slots", 8).per_scale_out_unit()}};
}

/// Runs of `contexts` contexts at six scale-outs, `repetitions` each.
[[nodiscard]] std::vector<run> made_up_history(int contexts, int repetitions) {
    std::vector<run> history;
    for (int c = 0; c < contexts; ++c)
        for (int x = 2; x <= 12; x += 2)
            for (int r = 0; r < repetitions; ++r)
                history.push_back(
                    {.context = context_number(c), .scale_out = x, .runtime_s = 40 + (900.0 + 31 * c) / x + 3 * x + r});
    return history;
}

void pretrain_780x2500(benchmark::State& state) {
    const auto history = made_up_history(26, 5);
    for (auto _ : state) benchmark::DoNotOptimize(pretrain(history, {.epochs = 2500}));
}
BENCHMARK(pretrain_780x2500)->Unit(benchmark::kMillisecond);

// The epoch of performance.md: 200 samples that train, none that validate but they.
template <class Scalar>
void pretrain_epoch_200(benchmark::State& state) {
    auto history = made_up_history(7, 5);
    history.resize(200, history.back());
    const auto set = detail::make_training_set<Scalar, dimensions{}>(history);
    detail::random_generator random(1);
    const auto split = detail::stratified_holdout(context_numbers(history), set.scale_outs, 0, random);
    const auto scaler = min_max_scaler<Scalar>::of(set.scale_outs);
    detail::pretraining<Scalar, dimensions{}> training(set, split, scaler, {.tuned = {.dropout = 0.1}}, 1);
    for (auto _ : state) training.run_epoch();
}
BENCHMARK(pretrain_epoch_200<float>)->Unit(benchmark::kMicrosecond);
BENCHMARK(pretrain_epoch_200<double>)->Unit(benchmark::kMicrosecond);

[[nodiscard]] const model& general_model() {
    static const model general = pretrain(made_up_history(26, 5), {.epochs = 20}).value().model;
    return general;
}

[[nodiscard]] std::vector<run> observed_runs(int count) {
    std::vector<run> observed;
    for (int i = 0; i < count; ++i)
        observed.push_back({.context = context_number(40), .scale_out = 2 + 2 * i, .runtime_s = 60 + 1500.0 / (2 + 2 * i)});
    return observed;
}

void fine_tune_5x2500(benchmark::State& state) {
    const auto observed = observed_runs(5);
    for (auto _ : state) benchmark::DoNotOptimize(fine_tune(general_model(), observed, {.early_stopping = false}));
}
BENCHMARK(fine_tune_5x2500)->Unit(benchmark::kMicrosecond);

void bind_context(benchmark::State& state) {
    const auto job = context_number(40);
    for (auto _ : state) benchmark::DoNotOptimize(general_model().bind(job));
}
BENCHMARK(bind_context);

void predict_known_context(benchmark::State& state) {
    const auto runtimes = general_model().bind(context_number(40)).value();
    int x = 2;
    for (auto _ : state) {
        benchmark::DoNotOptimize(runtimes.at(x));
        x = x % 12 + 1;
    }
}
BENCHMARK(predict_known_context);

void load_from_bytes(benchmark::State& state) {
    const auto bytes = to_bytes(general_model());
    for (auto _ : state) benchmark::DoNotOptimize(from_bytes(std::span(bytes)));
}
BENCHMARK(load_from_bytes);

}  // namespace

BENCHMARK_MAIN();
