// What one decision costs while a run waits for it.
#ifndef BELLAMY_BENCH_RESCALING_TIMING_HPP
#define BELLAMY_BENCH_RESCALING_TIMING_HPP

#include "clock.hpp"
#include "rescaling_simulation.hpp"

namespace bench {

/// CPU milliseconds, medians.
struct decision_times {
    double bind_ms = 0;  // once for a run
    double best_ms = 0;  // conditioned on the finished jobs, and decided
    double enel_ms = 0;  // fine-tuned, forecast, and Enel's rule
    std::size_t done = 0;
    std::size_t to_come = 0;
};

/// After half of the jobs, over 33 candidates from the least scale-out on.
[[nodiscard]] inline decision_times time_decisions(const recorded_application& of, const rescaling_options& options) {
    constexpr int rounds = 15;
    bellamy::detail::random_generator random(options.seed);
    const auto history = simulated_history(of, of.runs(), options.history, options.noise, random);
    auto learned = learn_application(of, history, options);
    const int least = of.scale_outs().front();
    learned.scale_outs.clear();
    for (int x = least; x < least + 33; ++x) learned.scale_outs.push_back(x);

    const auto drawn = draw_run(of, *of.runs().front(), options.noise, random);
    simulated_run run(drawn);
    for (std::size_t job = 0; job < drawn.jobs() / 2; ++job) run.run_job(of.scale_outs().size() / 2);
    const rescaling_view now{.so_far = run.trace(),
                             .elapsed_s = run.elapsed_s(),
                             .target_s = drawn.target_s,
                             .scale_out = of.scale_outs()[of.scale_outs().size() / 2],
                             .mean_delay_s = options.noise.longest_delay_s};
    const auto median_ms = [](const auto& work) {
        std::vector<double> times;
        for (int i = 0; i < rounds; ++i) {
            const double begin = now_ns();
            auto made = work();
            keep(made);
            times.push_back((now_ns() - begin) / 1e6);
        }
        return median_of(std::move(times));
    };
    decision_times made{.done = run.trace().jobs.size(), .to_come = drawn.jobs() - run.trace().jobs.size()};
    made.bind_ms = median_ms([&] { return learned.best->bind(run.trace().properties); });
    best_policy best(learned, bellamy::rescale_request{}.probability);
    static_cast<void>(best.next(now));  // binds
    made.best_ms = median_ms([&] { return best.next(now); });
    enel_policy enel(learned);
    made.enel_ms = median_ms([&] { return enel.next(now); });
    return made;
}

}  // namespace bench

#endif
