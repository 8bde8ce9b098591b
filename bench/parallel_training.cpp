// Training by several workers: final loss and steps per second, synchronous, local and delayed; what stragglers
// cost; how right the models are; and from when on it pays.
#include <fmt/format.h>
#include <bellamy/pretrain.hpp>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <map>
#include <thread>

#include "../examples/support/program.hpp"
#include "support/records.hpp"
#include "support/regression.hpp"
#include "support/splits.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

[[nodiscard]] double seconds_since(clock_type::time_point began) {
    return std::chrono::duration<double>(clock_type::now() - began).count();
}

struct arguments {
    std::string c3o;
    std::string splits;
    std::size_t threads = 2;
    int epochs = 500;
    std::uint64_t seeds = 1;
    bool losses = false;
    bool stragglers = false;
    bool speed = false;
};

struct scheme {
    std::string name;
    bellamy::parallel_options options;
};

[[nodiscard]] std::vector<scheme> schemes() {
    std::vector<scheme> all;
    for (const auto& [period, delay] : {std::pair{4, 0}, {4, 1}, {4, 2}, {4, 3}, {8, 4}, {16, 8}, {32, 16}})
        all.push_back({fmt::format("{} P={} d={}", delay == 0 ? "local" : "delayed", period, delay),
                       {.period = period, .delay = delay, .slow_momentum = 0}});
    for (const auto& [period, delay] : {std::pair{8, 4}, {16, 8}, {32, 16}})
        all.push_back({fmt::format("delayed P={} d={}, slow momentum 0.5", period, delay),
                       {.period = period, .delay = delay, .slow_momentum = 0.5}});
    return all;
}

// Mean final loss over three seeds; the same samples for all.
void print_losses(std::size_t threads) {
    for (const bool rough : {false, true}) {
        const auto rows = bench::regression_rows::draw(10000, 5, rough);
        fmt::print("\nfinal loss, {} truth, 10,000 rows, 25 epochs, 3 seeds; in brackets the loss relative to synchronous\n",
                   rough ? "rough" : "smooth");
        std::map<std::size_t, double> synchronous;
        const auto line = [&](const std::string& name, auto loss) {
            fmt::print("{:<46}", name);
            for (const std::size_t workers : {1U, 2U, 4U, 8U}) {
                double sum = 0;
                for (const std::uint64_t seed : {1U, 2U, 3U})
                    sum += loss(bench::regression_plan{.workers = workers, .seed = seed}) / 3;
                auto& reference = synchronous.try_emplace(workers, sum).first->second;
                fmt::print("  {:.4f} ({:.3f})", sum, sum / reference);
            }
            fmt::print("\n");
        };
        fmt::print("{:<46}  W=1             W=2             W=4             W=8\n", "");
        line("synchronous", [&](const auto& plan) { return bench::synchronous_loss(rows, plan); });
        for (const auto& each : schemes())
            line(each.name, [&](const auto& plan) {
                auto options = each.options;
                options.workers = static_cast<int>(plan.workers);
                return plan.workers == 1 ? bench::synchronous_loss(rows, plan)
                                         : bench::averaged_loss(rows, plan, options, threads);
            });
    }
}

// A worker that sleeps instead of computing, so that many fit on few cores.
struct sleeping_training {
    clock_type::duration step_time{};
    int steps = 0;
    int done = 0;
    clock_type::time_point ended{};  // before the last average, which training waits for once
    bool step() {
        std::this_thread::sleep_for(step_time);
        ended = clock_type::now();
        return ++done == steps;
    }
    [[nodiscard]] std::size_t state_size() const { return 1; }
    void write_state(std::span<float> snapshot) const { snapshot[0] = 0; }
    void merge_state(std::span<const float>, std::span<const float>) const {}
    void take_epoch(std::span<const float>) const {}
    [[nodiscard]] bool stopped() const { return false; }
};

// Holds an average back: what a network and a straggler would take.
class slow_averager {
public:
    slow_averager(bellamy::detail::thread_averaging<float>::handle real, clock_type::duration late)
        : real_(real), late_(late) {}
    void begin(std::span<const float> snapshot) {
        begun_.push_back(clock_type::now());
        real_.begin(snapshot);
    }
    [[nodiscard]] bool arrived() { return real_.arrived(); }
    [[nodiscard]] std::span<const float> finish() {
        const auto average = real_.finish();
        std::this_thread::sleep_until(begun_.front() + late_);
        begun_.pop_front();
        return average;
    }

private:
    bellamy::detail::thread_averaging<float>::handle real_;
    clock_type::duration late_;
    std::deque<clock_type::time_point> begun_{};
};

[[nodiscard]] double steps_per_second(std::size_t workers, const bellamy::parallel_options& options, double step_s,
                                      double late_s, int steps) {
    const auto ticks = [](double s) {
        return std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(s));
    };
    std::deque<sleeping_training> trainings(workers, {ticks(step_s), steps});
    std::vector<bellamy::detail::delayed_worker<float, sleeping_training>> all;
    for (auto& each : trainings) all.emplace_back(each, options);
    bellamy::detail::thread_averaging<float> averaging(workers, 1);
    const auto began = clock_type::now();
    bellamy::detail::for_each_index(workers, workers, [&](std::size_t i) {
        slow_averager averager({averaging, i}, ticks(late_s));
        (void)all[i].advance(averager, 1, true);
    });
    auto ended = began;
    for (const auto& each : trainings) ended = (std::max)(ended, each.ended);
    return steps / std::chrono::duration<double>(ended - began).count();
}

void print_stragglers() {
    constexpr double step_s = 10e-3;
    constexpr int steps = 64;
    fmt::print(
        "\nsteps per second and worker, SIMULATED: a step sleeps c = 10 ms, an average takes m + s; in brackets what is\n"
        "left of the throughput, then what c + max(0, m + s - d c) / P leaves\n");
    for (const std::size_t workers : {2U, 4U, 8U}) {
        fmt::print("W = {}\n", workers);
        const double alone = steps_per_second(workers, {.period = 1000000, .delay = 0}, step_s, 0, steps);
        for (const auto& [name, options] :
             {scheme{"synchronous", {.period = 1, .delay = 0}}, scheme{"local P=4", {.period = 4, .delay = 0}},
              scheme{"delayed P=4 d=2", {.period = 4, .delay = 2}}, scheme{"delayed P=4 d=3", {.period = 4, .delay = 3}},
              scheme{"delayed P=16 d=8", {.period = 16, .delay = 8}}}) {
            fmt::print("  {:<18}", name);
            for (const double late : {1.0, 3.0, 6.0}) {
                const double found = steps_per_second(workers, options, step_s, late * step_s, steps);
                const double expected = 1 / (1 + (std::max)(0.0, late - options.delay) / options.period);
                fmt::print("  m+s = {:g} c: {:3.0f} ({:3.0f} %, {:3.0f} %)", late, found, 100 * found / alone,
                           100 * expected);
            }
            fmt::print("\n");
        }
    }
}

// Real threads and the published network.
void print_speed(const std::vector<bellamy::run>& runs, std::size_t threads) {
    fmt::print("\nthe published network, {} runs, batches of 64 in all, 200 epochs, {} threads\n", runs.size(), threads);
    for (const int workers : {1, 2, 4, 8}) {
        const bellamy::pretrain_options options{.mode = bellamy::training_mode::paper,
                                                .epochs = 200,
                                                .batch_size = 64 / workers,
                                                .parallel = {.workers = workers},
                                                .threads = static_cast<int>(threads)};
        const auto began = clock_type::now();
        const auto cpu_began = std::clock();
        const auto made = bellamy::pretrain(runs, options).value();
        const double seconds = seconds_since(began);
        const double cpu_s = static_cast<double>(std::clock() - cpu_began) / CLOCKS_PER_SEC;
        const double passes = 200 * .8 * static_cast<double>(runs.size());
        fmt::print(
            "W = {}: {:.2f} s, {:.0f} runs and {:.0f} steps of 64 per second, {:.2f} us of CPU time a run; validation error "
            "{:.2f} s\n",
            workers, seconds, passes / seconds, passes / seconds / 64, 1e6 * cpu_s / passes, made.report.error_after_s);
    }
}

// Mean and median relative error without observed runs, every context left out in turn, as the splits say.
void print_quality(const arguments& given) {
    std::vector<bench::split> splits;
    for (auto& each : bench::read_splits(given.splits))
        if (each.k == 0) splits.push_back(std::move(each));
    std::map<std::string, bench::record_table> records;
    for (const auto& each : splits)
        if (!records.contains(each.algorithm))
            records.emplace(each.algorithm, bench::read_records({.c3o = given.c3o}, each.algorithm));
    std::map<std::pair<std::string, std::uint32_t>, std::vector<const bench::split*>> targets;
    for (const auto& each : splits) targets[{each.algorithm, static_cast<std::uint32_t>(each.context)}].push_back(&each);
    fmt::print(
        "\nrelative error of the published network at k = 0 in %, mean +- standard error / median, {} epochs, {} contexts, "
        "{} seeds\n",
        given.epochs, targets.size(), given.seeds);
    for (const auto& [name, batch, parallel] :
         {std::tuple{"W=1", 64, bellamy::parallel_options{}},
          std::tuple{"W=2 P=4 d=2", 32, bellamy::parallel_options{.workers = 2}},
          std::tuple{"W=4 P=4 d=2", 16, bellamy::parallel_options{.workers = 4}},
          std::tuple{"W=4 P=16 d=8", 16, bellamy::parallel_options{.workers = 4, .period = 16, .delay = 8}},
          std::tuple{"the same, no slow momentum", 16,
                     bellamy::parallel_options{.workers = 4, .period = 16, .delay = 8, .slow_momentum = 0}}}) {
        std::vector<double> errors;
        for (std::uint64_t i = 0; i < given.seeds * targets.size(); ++i) {
            const auto& [target, asked_for] = *std::next(targets.begin(), static_cast<std::ptrdiff_t>(i % targets.size()));
            const auto& table = records.at(target.first);
            const auto made =
                bellamy::pretrain(table.history_of(target.second), {.mode = bellamy::training_mode::paper,
                                                                    .seed = i / targets.size(),
                                                                    .epochs = given.epochs,
                                                                    .batch_size = batch,
                                                                    .parallel = parallel,
                                                                    .threads = static_cast<int>(given.threads)})
                    .value();
            for (const auto* each : asked_for) {
                const auto& asked = table.runs[each->test_row];
                const double found_s = made.model.bind(asked.context).value().at(asked.scale_out).median_s;
                errors.push_back(std::abs(found_s - asked.runtime_s) / asked.runtime_s);
            }
        }
        std::ranges::sort(errors);
        const auto count = static_cast<double>(errors.size());
        const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / count;
        const double squares = std::accumulate(errors.begin(), errors.end(), 0.0,
                                               [&](double sum, double each) { return sum + (each - mean) * (each - mean); });
        fmt::print("{:<28} {:.1f} +- {:.1f} / {:.1f}\n", name, 100 * mean, 100 * std::sqrt(squares) / count,
                   100 * errors[errors.size() / 2]);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Training by several workers that average their parameters with a delay.", "parallel_training");
    arguments given;
    app.add_flag("--losses", given.losses, "Final losses of a made-up regression");
    app.add_flag("--stragglers", given.stragglers, "Throughput with simulated averaging times");
    auto* c3o = app.add_option("--c3o", given.c3o, "Folder with C3O's tables, for speed and quality");
    app.add_flag("--speed", given.speed, "Throughput of the published network")->needs(c3o);
    app.add_option("--splits", given.splits, "Splits, for quality")->needs(c3o);
    app.add_option("--epochs", given.epochs, "Of quality")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--seeds", given.seeds, "Of quality")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--threads", given.threads, "Threads for all workers")->capture_default_str()->check(CLI::Range(1, 64));
    return tools::run_program(app, argc, argv, [&] {
        if (given.losses) print_losses(given.threads);
        if (given.stragglers) print_stragglers();
        if (given.speed) print_speed(bench::read_records({.c3o = given.c3o}, "sort").runs, given.threads);
        if (!given.splits.empty()) print_quality(given);
    });
}
