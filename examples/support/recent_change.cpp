#include "recent_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mixed_curve.hpp"

namespace tools {

namespace {

constexpr double significant = 0.01;
constexpr double doubtful = 0.05;
const double much = std::log(1.25);  // by a single run

// A step of `recent` runs and how probable runs like these were without one.
[[nodiscard]] std::optional<recent_change> step_before(std::span<const bellamy::run> runs, std::size_t recent,
                                                       const learner& learning) {
    auto before = learning(runs.first(runs.size() - recent));
    if (!before) return std::nullopt;
    const auto test = bellamy::measure_drift(*before, runs.last(recent));
    if (!test || test->runs == 0) return std::nullopt;
    return recent_change{.before = *std::move(before), .test = *test, .runs = recent};
}

// Sets the factor, from runs that succeeded.
void measure_factor(recent_change& of, std::span<const bellamy::run> since) {
    std::vector<double> log_factors;
    double variance = 0;  // that a prediction states
    for (const auto& run : since) {
        const auto bound = of.before.bind(run.context);
        if (run.censored || !bound) continue;
        const auto predicted = bound->at(run.scale_out);
        if (!predicted.usable() || predicted.is_point) continue;
        log_factors.push_back(std::log(run.runtime_s / predicted.median_s));
        const double sd = 0.5 * std::log(predicted.quantile_s(0.8413) / predicted.quantile_s(0.1587));
        variance += sd * sd;
    }
    if (log_factors.empty()) return;
    const auto count = static_cast<double>(log_factors.size());
    for (const double each : log_factors) of.log_factor += each / count;
    of.log_factor_error = std::sqrt(variance) / count;
    of.stays = 1 - std::pow(0.5, count);
}

}  // namespace

latest_fit fit_latest(std::span<const bellamy::run> runs, const learner& learning) {
    const auto most = std::min<std::size_t>({10, runs.size() / 2, runs.size() < 3 ? 0 : runs.size() - 3});
    const auto quarter = std::clamp<std::size_t>(runs.size() / 4, 3, 10);
    latest_fit made;
    std::optional<recent_change> likeliest;
    double places = 0;
    std::vector<std::size_t> tried;
    const auto try_step = [&](std::size_t recent) {
        if (recent == 0 || recent > most || std::find(tried.begin(), tried.end(), recent) != tried.end()) return;
        tried.push_back(recent);
        auto step = step_before(runs, recent, learning);
        if (!step) return;
        ++places;
        if (recent == quarter) made.test = step->test;
        if (!likeliest || step->test.probability < likeliest->test.probability) likeliest = std::move(step);
    };
    try_step(1);
    const auto last_run = likeliest;
    try_step(quarter);
    if (!likeliest || likeliest->test.probability > doubtful) return made;
    const double of_first_places = places * likeliest->test.probability;
    for (const std::size_t recent : {2U, 3U, 4U, 5U, 7U}) try_step(recent);
    likeliest->test.probability = std::min(of_first_places, places * likeliest->test.probability);
    const bool is_certain = likeliest->test.probability < significant;
    if (!is_certain) likeliest = last_run;
    if (!likeliest || likeliest->test.probability > doubtful) return made;
    measure_factor(*likeliest, runs.last(likeliest->runs));
    if (likeliest->stays > 0 && (is_certain || std::abs(likeliest->log_factor) >= much)) made.change = std::move(likeliest);
    return made;
}

bellamy::curve after_change(const bellamy::curve& before, const recent_change& change) {
    // Three cases have the mean and the variance of the factor.
    const double apart = std::sqrt(1.5) * change.log_factor_error;
    const double share = change.stays / 3;
    const std::array<possible_runtime, 4> cases{{{.runtimes = &before, .share = 1 - change.stays},
                                                 {&before, share, change.log_factor - apart},
                                                 {&before, share, change.log_factor},
                                                 {&before, share, change.log_factor + apart}}};
    return mixed_curve(cases);
}

std::string describe(const recent_change& change) {
    return fmt::format("the last {} took {:.2f} times what the runs before {} let expect (p = {:.2g})",
                       change.runs == 1 ? "run" : fmt::format("{} runs", change.runs), std::exp(change.log_factor),
                       change.runs == 1 ? "it" : "them", change.test.probability);
}

}  // namespace tools
