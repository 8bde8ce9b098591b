// What learning, binding and deciding cost for applications stage by stage, and how that grows with runs and with stages.
#include <bellamy/application_file.hpp>
#include <bellamy/detail/base/random.hpp>
#include <bellamy/rescale.hpp>

#include "../examples/support/arguments.hpp"
#include "../examples/support/program.hpp"
#include "support/clock.hpp"
#include "support/published_rules.hpp"
#include "support/summary.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

namespace {

using bellamy::application_trace;

struct arguments {
    std::vector<std::string> cases{};
    int threads = 1;
    int rounds = 7;
    bool only_enel = false;
};

/// Chains of up to eight stages a job, whose times follow the data over the scale-out; without task durations.
[[nodiscard]] application_trace made_up_run(int number, int stages, int jobs) {
    bellamy::detail::random_generator random(static_cast<std::uint64_t>(number));
    const int x = 4 << number % 4;
    const auto size_mb = static_cast<std::uint64_t>(1000 * (1 + number % 7));
    application_trace made{.application = "made up", .run = std::to_string(number), .scale_out = {{0, x}}};
    made.properties = {bellamy::natural("data_size_MB", size_mb).with_role(bellamy::property_role::data_size)};
    double now_s = 1;
    int id = 0;
    for (int job = 0; job < jobs; ++job) {
        bellamy::job_trace one{.id = job, .submitted_s = now_s};
        const int until = static_cast<int>(static_cast<std::int64_t>(stages) * (job + 1) / jobs);
        for (bool first = true; id < until; ++id, first = false) {
            bellamy::stage_trace stage{.id = id, .name = "stage", .tasks = 64};
            if (!first) stage.parents = {id - 1};
            stage.submitted_s = now_s;
            now_s += (20 + 0.5 * static_cast<double>(size_mb) / x) * std::exp(0.05 * random.normal());
            stage.completed_s = now_s;
            stage.metrics = bellamy::stage_metrics{.cpu_s = 8, .run_s = 10, .gc_s = 1};
            one.stages.push_back(std::move(stage));
        }
        one.completed_s = now_s;
        now_s += 0.2;
        made.jobs.push_back(std::move(one));
    }
    made.runtime_s = now_s;
    return made;
}

[[nodiscard]] std::vector<application_trace> made_up_history(int runs, int stages, int jobs) {
    std::vector<application_trace> history;
    for (int i = 0; i < runs; ++i) history.push_back(made_up_run(i, stages, jobs));
    return history;
}

/// The first half of the jobs of a run that none was learned from.
[[nodiscard]] application_trace half_done(int stages, int jobs) {
    auto run = made_up_run(1001, stages, jobs);
    run.jobs.resize((run.jobs.size() + 1) / 2);
    run.outcome = bellamy::trace_outcome::unfinished;
    run.runtime_s = *run.jobs.back().completed_s;
    return run;
}

template <class Work>
[[nodiscard]] double median_ms(int rounds, const Work& work) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const double begin = bench::now_ns();
        auto made = work();
        bench::keep(made);
        times.push_back((bench::now_ns() - begin) / 1e6);
    }
    return bench::median_of(std::move(times));
}

constexpr int candidate_count = 33;

[[nodiscard]] std::vector<int> candidates() {
    std::vector<int> all(candidate_count);
    for (int i = 0; i < candidate_count; ++i) all[static_cast<std::size_t>(i)] = 4 + i;
    return all;
}

/// Runs and stages of a text such as 50x200. Error: wrong_usage.
[[nodiscard]] std::pair<int, int> case_of(const std::string& text) {
    int runs = 0;
    int stages = 0;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, runs);
    const bool two = first.ptr != end && *first.ptr == 'x' && std::from_chars(first.ptr + 1, end, stages).ptr == end;
    if (!two || runs < 2 || runs > 100'000 || stages < 1 || stages > 100'000)
        throw tools::wrong_usage("--cases", "runs (2 or more) and stages such as 50x200", text);
    return {runs, stages};
}

/// Learns, binds, and decides over 33 candidates when half of the jobs have ended.
void time_best(int runs, int stages, const arguments& given) {
    const int jobs = (stages + 7) / 8;
    const auto history = made_up_history(runs, stages, jobs);
    std::vector<const application_trace*> pointers;
    for (const auto& each : history) pointers.push_back(&each);
    const auto begin = std::clock();
    const auto model = bellamy::pretrain_application(pointers, {.threads = given.threads}).value();
    const double learn_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const auto now = half_done(stages, jobs);
    const double bind_ms = median_ms(given.rounds, [&] { return model.bind(now.properties).value(); });
    const auto whole = model.bind(now.properties).value();
    const auto scale_outs = candidates();
    const double decide_ms = median_ms(given.rounds, [&] {
        return bellamy::rescale(whole.observe(now).value(), scale_outs, bellamy::price{.per_unit_and_hour = 1},
                                {.deadline_s = 2 * now.runtime_s, .elapsed_s = now.runtime_s, .scale_out = 8})
            .value();
    });
    fmt::print("{:>6} {:>7} {:>6} {:>11.2f} {:>9.2f} {:>11.3f} {:>10.1f}\n", runs, stages, jobs, learn_s, bind_ms, decide_ms,
               static_cast<double>(bellamy::to_bytes(model).value().size()) / 1024);
}

/// Enel's network, fine-tuned on the finished jobs: forecast of the others at 33 candidates, and its rule.
void time_enel(int stages, int jobs, const arguments& given) {
    const auto history = made_up_history(12, stages, jobs);
    const auto model = bellamy::enel_model::pretrain(history, {.trials = 1, .epochs = 2, .threads = given.threads}).value();
    const auto now = half_done(stages, jobs);
    const auto scale_outs = candidates();
    const auto decide = [&](bool fine_tune) {
        const auto predicted = model.forecast(now, scale_outs, {.scale_out = 8, .fine_tune = fine_tune}).value();
        std::vector<int> chosen(predicted.jobs());
        const auto time_s = bench::enel_times_s(predicted);
        return bench::enel_rule({.scale_outs = scale_outs, .jobs = predicted.jobs(), .time_s = time_s},
                                {.scale_out = 8, .elapsed_s = now.runtime_s, .target_s = 2 * now.runtime_s}, chosen)
            .value();
    };
    const double all_ms = median_ms(given.rounds, [&] { return decide(true); });
    const double forecast_ms = median_ms(given.rounds, [&] { return decide(false); });
    fmt::print(
        "Enel's network, {} jobs of {} stages in all, {} of them done, {} candidates: {:.1f} ms, of which fine-tuning "
        "{:.1f} ms\n",
        jobs, stages, now.jobs.size(), candidate_count, all_ms, all_ms - forecast_ms);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Times learning, binding and deciding for made-up applications.", "stages_speed");
    arguments given{.cases = {"50x100", "50x200", "10x10", "100x10", "1000x10", "10x100", "10x1000", "10x10000"}};
    app.add_option("--cases", given.cases, "Runs to learn from x their stages, eight of them a job")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--threads", given.threads, "For learning")->check(CLI::Range(1, 1024))->capture_default_str();
    app.add_option("--rounds", given.rounds, "Of which the median counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag("--only-enel", given.only_enel, "Only the decision of Enel's network");
    return tools::run_program(app, argc, argv, [&] {
        for (const auto& each : given.cases) static_cast<void>(case_of(each));
        if (given.only_enel) return time_enel(100, 25, given);
        fmt::print("CPU time: learning of all threads, the rest medians of {} rounds\n", given.rounds);
        fmt::print("{:>6} {:>7} {:>6} {:>11} {:>9} {:>11} {:>10}\n", "runs", "stages", "jobs", "learn, s", "bind, ms",
                   "decide, ms", "file, KB");
        for (const auto& each : given.cases) {
            const auto [runs, stages] = case_of(each);
            time_best(runs, stages, given);
        }
        time_enel(100, 25, given);
    });
}
