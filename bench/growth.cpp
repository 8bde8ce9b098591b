// How best mode grows: time, memory and error against runs, contexts, properties, scale-outs and threads that predict; and
// what it costs that a large history is represented by a part of it. The runs are made up, so that the truth is
// known.
#include <fmt/format.h>
#include <bellamy/bellamy.hpp>
#include <bellamy/detail/blend/blend_fit.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../examples/support/child_program.hpp"
#include "../examples/support/made_up_workload.hpp"
#include "../examples/support/output_file.hpp"
#include "support/clock.hpp"
#include "support/heap.hpp"
#include "support/workload.hpp"

namespace {

using namespace bellamy;
using bench::keep;
using bench::median;
using bench::now_ns;

struct history_shape {
    int contexts = 67;
    int scale_outs = 5;
    int repetitions = 3;
    /// Numbers that the runtime has nothing to do with, besides the five properties that it depends on.
    int further_properties = 0;

    [[nodiscard]] int runs() const noexcept { return contexts * scale_outs * repetitions; }
};

/// A job's context and the truth about it.
struct made_up_job {
    workload::data_set data;
    workload::machine_type machine;
    bellamy::context context;

    [[nodiscard]] double usual_runtime_s(int scale_out) const { return workload::usual_runtime_s(data, machine, scale_out); }
};

[[nodiscard]] std::vector<made_up_job> made_up_jobs(int count, int further_properties, workload::generator& random) {
    const auto data = random.data_sets(count);
    const auto machines = workload::machine_types();
    std::vector<made_up_job> jobs;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const auto& machine = machines[i % machines.size()];
        jobs.push_back({data[i], machine, workload::context_of(data[i], machine)});
        for (int p = 0; p < further_properties; ++p)
            jobs.back().context.optional.push_back(
                natural("further_" + std::to_string(p), static_cast<std::uint64_t>(random.uniform(1, 1000))));
    }
    return jobs;
}

/// Scale-outs 2, 4, 6, ...
[[nodiscard]] std::vector<run> made_up_history(const history_shape& shape, workload::generator& random) {
    std::vector<run> history;
    for (const auto& job : made_up_jobs(shape.contexts, shape.further_properties, random))
        for (int x = 2; x <= 2 * shape.scale_outs; x += 2)
            for (int r = 0; r < shape.repetitions; ++r)
                history.push_back(
                    {.context = job.context, .scale_out = x, .runtime_s = random.luck() * job.usual_runtime_s(x)});
    return history;
}

/// Contexts that the history does not have, each with two runs that may be observed.
struct question_set {
    std::vector<made_up_job> jobs{};
    std::vector<std::vector<run>> observed{};
};

[[nodiscard]] question_set made_up_questions(const history_shape& shape, workload::generator& random) {
    question_set asked{.jobs = made_up_jobs(200, shape.further_properties, random)};
    for (const auto& job : asked.jobs) {
        std::vector<run> seen;
        for (const int x : {4, 8})
            seen.push_back({.context = job.context, .scale_out = x, .runtime_s = random.luck() * job.usual_runtime_s(x)});
        asked.observed.push_back(std::move(seen));
    }
    return asked;
}

/// Mean of |median - truth| / truth over the questions, in percent, at scale-outs 2, 6 and 10.
template <class Bind>
[[nodiscard]] double mean_error(const question_set& asked, const Bind& median_of) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < asked.jobs.size(); ++i) {
        const auto runtime_of = median_of(i);
        for (const int x : {2, 6, 10}) {
            const double truth = asked.jobs[i].usual_runtime_s(x);
            sum += std::abs(runtime_of(x) - truth) / truth;
            count += 1;
        }
    }
    return 100 * sum / count;
}

struct cost {
    double fit_ms = 0;
    double heap_mb = 0;
    double file_kb = 0;
    double condition_us = 0;
    double quantile_ns = 0;
    expert_report used{};
    double error_without_runs = 0;
    double error_with_two_runs = 0;
};

[[nodiscard]] cost measure(const history_shape& shape) {
    workload::generator random(1);
    const auto history = made_up_history(shape, random);
    const auto asked = made_up_questions(shape, random);
    cost found;
    const bench::heap_watch heap;
    const double begin = now_ns();
    const auto fitted = pretrain(history).value();
    found.fit_ms = (now_ns() - begin) / 1e6;
    found.heap_mb = heap.most_mb();
    found.file_kb = static_cast<double>(to_bytes(fitted.model).size()) / 1e3;
    found.used = fitted.report.experts;

    std::vector<double> condition_us;
    std::vector<curve> curves;
    for (const auto& seen : asked.observed) {
        const double from = now_ns();
        curves.push_back(fitted.model.condition(seen).value().bind(seen.front().context).value());
        condition_us.push_back((now_ns() - from) / 1e3);
    }
    found.condition_us = median(condition_us);
    std::vector<double> quantile_ns;
    for (const auto& each : curves) {
        const double from = now_ns();
        for (int x = 1; x <= 100; ++x) {
            double runtime_s = each.at(x).quantile_s(0.9);
            keep(runtime_s);
        }
        quantile_ns.push_back((now_ns() - from) / 100);
    }
    found.quantile_ns = median(quantile_ns);
    found.error_without_runs = mean_error(asked, [&](std::size_t i) {
        return [bound = fitted.model.bind(asked.jobs[i].context).value()](int x) { return bound.at(x).median_s; };
    });
    found.error_with_two_runs =
        mean_error(asked, [&](std::size_t i) { return [&, i](int x) { return curves[i].at(x).median_s; }; });
    return found;
}

struct labelled_shape {
    std::string_view what;
    int number;
    history_shape shape;
};

[[nodiscard]] std::vector<labelled_shape> all_shapes() {
    std::vector<labelled_shape> all;
    for (const int runs : {100, 300, 1000, 3000, 10'000, 30'000, 100'000})
        all.push_back({"runs", runs, {.contexts = (runs + 14) / 15}});
    for (const int contexts : {10, 30, 100, 300}) all.push_back({"contexts", contexts, {contexts, 5, 600 / contexts}});
    for (const int further : {0, 9, 27}) all.push_back({"properties", 5 + further, {.further_properties = further}});
    for (const int scale_outs : {5, 10, 20, 40, 100}) all.push_back({"scale-outs", scale_outs, {67, scale_outs, 1}});
    return all;
}

void print_growth(std::string& plot_data) {
    fmt::print(
        "| what grows | runs | points kept (contexts fitted to) | fit, ms | heap, MB | file, kB | condition, us | "
        "quantile, ns | error in %, no run observed | two runs |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (const auto& [what, number, shape] : all_shapes()) {
        const auto found = measure(shape);
        fmt::print("| {}: {} | {} | {} ({}) | {:.0f} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.1f} | {:.1f} |\n", what,
                   number, shape.runs(), found.used.points, found.used.fitted_contexts, found.fit_ms, found.heap_mb,
                   found.file_kb, found.condition_us, found.quantile_ns, found.error_without_runs,
                   found.error_with_two_runs);
        std::fflush(stdout);
        if (what == "runs")
            plot_data += fmt::format("{} {} {} {}\n", shape.runs(), found.fit_ms, found.condition_us / 1e3, found.heap_mb);
    }
}

/// What it costs to fit, to condition and to keep less than the whole history.
void print_chosen_part() {
    workload::generator random(1);
    const history_shape shape{.contexts = 400, .repetitions = 1};
    const auto history = made_up_history(shape, random);
    const auto asked = made_up_questions(shape, random);
    const auto all = history.size();
    struct limits {
        std::size_t fitted_points;
        std::size_t kept_points;
    };
    fmt::print(
        "\n| of {} points: fitted to | kept | fit, s | condition, us | error in %, no run | two runs "
        "|\n|---|---|---|---|---|---|\n",
        all);
    for (const auto& [fitted, kept] : {limits{90, 256}, limits{180, 256}, limits{180, 512}, limits{180, 1000},
                                       limits{180, all}, limits{360, 512}, limits{360, all}, limits{720, all}}) {
        const double begin = now_ns();
        const auto made =
            detail::fit_blend(history, {.fitted_points = fitted, .process_points = kept, .kept_points = kept, .seed = 0});
        const double fit_s = (now_ns() - begin) / 1e9;
        std::vector<double> condition_us;
        const auto error = [&](bool observing) {
            return mean_error(asked, [&](std::size_t i) {
                const double from = now_ns();
                const auto bound = made.bind(asked.jobs[i].context, observing ? asked.observed[i] : std::vector<run>());
                condition_us.push_back((now_ns() - from) / 1e3);
                const curve runtime(bound, {.smallest = 2, .largest = 10});
                return [runtime](int x) { return runtime.at(x).median_s; };
            });
        };
        const double without = error(false);
        const double with = error(true);
        fmt::print("| {} | {} | {:.1f} | {:.0f} | {:.2f} | {:.2f} |\n", fitted, kept, fit_s, median(condition_us), without,
                   with);
        std::fflush(stdout);
    }
}

/// Threads that condition and bind one shared model, and ask each curve for 100 quantiles.
void print_threads() {
    workload::generator random(1);
    const history_shape shape;
    const auto general = pretrain(made_up_history(shape, random)).value().model;
    const auto asked = made_up_questions(shape, random);
    fmt::print("\n| threads, on {} cores | contexts conditioned and asked per second | CPU us each |\n|---|---|---|\n",
               std::thread::hardware_concurrency());
    for (const int threads : {1, 2, 4, 8}) {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < 10 * asked.jobs.size(); i = next++) {
                const auto& seen = asked.observed[i % asked.observed.size()];
                const auto bound = general.condition(seen).value().bind(seen.front().context).value();
                for (int x = 1; x <= 100; ++x) {
                    double runtime_s = bound.at(x).quantile_s(0.9);
                    keep(runtime_s);
                }
            }
        };
        const auto begin = std::chrono::steady_clock::now();
        const auto begin_cpu = std::clock();
        {
            std::vector<std::jthread> all;
            for (int t = 0; t < threads; ++t) all.emplace_back(work);
        }
        const std::chrono::duration<double> passed_s = std::chrono::steady_clock::now() - begin;
        const double cpu_us = 1e6 * static_cast<double>(std::clock() - begin_cpu) / CLOCKS_PER_SEC;
        const auto contexts = 10 * static_cast<double>(asked.jobs.size());
        fmt::print("| {} | {:.0f} | {:.0f} |\n", threads, contexts / passed_s.count(), cpu_us / contexts);
    }
}

[[nodiscard]] std::string gnuplot_script(const std::string& data) {
    return "set terminal svg size 720,480\nset logscale xy\nset xlabel 'runs in the history'\nset key left top\n"
           "$costs << EOD\n" +
           data +
           "EOD\n"
           "plot $costs using 1:2 with linespoints title 'fit, ms', $costs using 1:3 with linespoints "
           "title 'condition on two runs, ms', $costs using 1:4 with linespoints title 'heap while fitting, MB'\n";
}

}  // namespace

int main(int count, char** values) {
    const bool plots = count == 3 && std::string_view(values[1]) == "--plot";
    if (count != 1 && !plots) {
        fmt::print(stderr, "usage: growth [--plot FILE.svg]\n");
        return 2;
    }
    try {
        if (plots) tools::require_writable(values[2]);
        std::string plot_data;
        print_growth(plot_data);
        print_threads();
        print_chosen_part();
        if (plots)
            tools::write_file(values[2],
                              tools::run_on("gnuplot", gnuplot_script(plot_data), "Debian: apt-get install gnuplot-nox"));
    } catch (const std::exception& error) {
        fmt::print(stderr, "growth: {}\n", error.what());
        return 1;
    }
    return 0;
}
