// Test cases of bench/stages: training runs, test runs, and the part of a test run that a method may see.
#ifndef BELLAMY_BENCH_STAGE_CASES_HPP
#define BELLAMY_BENCH_STAGE_CASES_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/trace/trace_metrics.hpp>

#include "../../examples/support/tool_error.hpp"
#include "../../examples/support/trace_file.hpp"
#include "history_case.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace bench {

/// Training and test runs of one application, as pointers into the traces that were read.
struct stage_case {
    std::string application{};
    std::string part{};
    std::vector<const bellamy::application_trace*> train{};
    std::vector<const bellamy::application_trace*> test{};
};

/// What may be known of a run when the rest of it is predicted: its jobs 0 .. `after_job`, and the scale-out it is to have.
/// Before the start `after_job` is -1.
[[nodiscard]] inline bellamy::application_trace known_part(const bellamy::application_trace& run, int after_job) {
    bellamy::application_trace known = run;
    known.outcome = bellamy::trace_outcome::unfinished;
    known.failure.clear();
    known.jobs.resize(static_cast<std::size_t>(after_job + 1));
    known.runtime_s = after_job < 0 ? 0 : known.jobs.back().completed_s.value_or(0);
    const int settled = bellamy::detail::settled_scale_out(run.scale_out);
    std::erase_if(known.scale_out, [&](const auto& step) { return step.at_s > known.runtime_s; });
    if (settled > 0 && (after_job < 0 || bellamy::detail::settled_scale_out(known.scale_out) == 0))
        known.scale_out = {{.at_s = 0, .scale_out = settled}};
    return known;
}

/// The scale-out that the rest of the run is asked about; 0 where it is not known.
[[nodiscard]] inline int asked_scale_out(const bellamy::application_trace& known) noexcept {
    if (known.scale_out.empty()) return 0;
    return known.jobs.empty() ? bellamy::detail::settled_scale_out(known.scale_out) : known.scale_out.back().scale_out;
}

/// Properties as a context.
[[nodiscard]] inline bellamy::context context_of(const bellamy::application_trace& trace) {
    return {.essential = trace.properties, .unit = trace.unit};
}

/// By application, each run once: that of a file which holds runs of another one too is known by when it started.
[[nodiscard]] inline std::map<std::string, std::vector<const tools::trace_line*>> by_application(
    std::span<const tools::trace_line> lines) {
    std::map<std::string, std::vector<const tools::trace_line*>> applications;
    std::set<std::tuple<std::string, double, double>> seen;
    for (const auto& each : lines) {
        const auto& trace = each.trace;
        if (trace.started_at_s && !seen.emplace(trace.application, *trace.started_at_s, std::round(trace.runtime_s)).second)
            continue;
        applications[trace.application].push_back(&each);
    }
    return applications;
}

/// Files to learn from and files to predict.
[[nodiscard]] inline std::vector<stage_case> given_cases(std::span<const tools::trace_line> train,
                                                         std::span<const tools::trace_line> test) {
    std::vector<stage_case> cases;
    const auto known = by_application(train);
    for (const auto& [name, lines] : by_application(test)) {
        stage_case made{.application = name, .part = "given"};
        if (const auto found = known.find(name); found != known.end())
            for (const auto* each : found->second) made.train.push_back(&each->trace);
        for (const auto* each : lines) made.test.push_back(&each->trace);
        cases.push_back(std::move(made));
    }
    return cases;
}

namespace detail {

template <class IsTest>
[[nodiscard]] stage_case split(const std::string& application, std::string part,
                               std::span<const tools::trace_line* const> lines, const IsTest& is_test) {
    stage_case made{.application = application, .part = std::move(part)};
    for (std::size_t i = 0; i < lines.size(); ++i) (is_test(i) ? made.test : made.train).push_back(&lines[i]->trace);
    return made;
}

[[nodiscard]] inline double run_number_of(const tools::trace_line& line) {
    const auto* number = line.find_beside("run_number");
    const auto* natural = number == nullptr ? nullptr : number->value.natural();
    return natural == nullptr ? 0 : static_cast<double>(*natural);
}

}  // namespace detail

namespace detail {

/// Learns from one to four runs, drawn six times, and predicts eight others.
[[nodiscard]] inline std::vector<stage_case> few_cases(const std::string& application,
                                                       std::vector<const tools::trace_line*> runs) {
    constexpr std::size_t draws = 6;
    constexpr std::size_t tested = 8;
    std::vector<stage_case> cases;
    bellamy::detail::random_generator random(7);
    for (std::size_t known = 1; known <= 4; ++known)
        for (std::size_t draw = 0; draw < draws; ++draw) {
            random.shuffle(std::span(runs));
            const auto chosen = std::span(runs).first((std::min)(runs.size(), known + tested));
            cases.push_back(
                split(application, fmt::format("few {}", known), chosen, [&](std::size_t i) { return i >= known; }));
        }
    return cases;
}

}  // namespace detail

/// Splits of one set of runs by how the unseen ones differ. *scale*: each scale-out in turn; *size*: of the runs by data
/// size, positions 2, 6, 10, ... from 0; *big*: data sizes above the 0.75 quantile; *late*: run numbers 36 to 45 after 1
/// to 35; *few*: eight runs after one to four others. Error: cannot_split.
[[nodiscard]] inline std::vector<stage_case> split_cases(std::span<const tools::trace_line> lines, const std::string& kind) {
    std::vector<stage_case> cases;
    auto applications = by_application(lines);
    for (auto& application : applications) {
        const std::string& name = application.first;
        auto& runs = application.second;
        const auto size_of = [](const tools::trace_line* each) { return data_size_of(context_of(each->trace)); };
        if (kind == "size" || kind == "big") {
            std::erase_if(runs, [&](const auto* each) { return !(size_of(each) > 0); });
            std::ranges::stable_sort(runs, {}, size_of);
        }
        if (kind == "late")
            std::erase_if(runs, [&](const auto* each) {
                const double number = detail::run_number_of(*each);
                return number < 1 || number > 45;
            });
        if (runs.empty())
            throw tools::tool_error("cannot_split",
                                    "expected runs of " + name + " with what a split by " + kind + " looks at, found none");
        if (kind == "scale") {
            std::set<int> scale_outs;
            for (const auto* each : runs)
                if (const auto x = bellamy::detail::constant_scale_out(each->trace)) scale_outs.insert(*x);
            for (const int x : scale_outs)
                if (scale_outs.size() > 1)
                    cases.push_back(detail::split(name, kind, runs, [&](std::size_t i) {
                        return bellamy::detail::constant_scale_out(runs[i]->trace) == x;
                    }));
        } else if (kind == "few") {
            for (auto& each : detail::few_cases(name, runs)) cases.push_back(std::move(each));
        } else if (kind == "size") {
            cases.push_back(detail::split(name, kind, runs, [](std::size_t i) { return i % 4 == 2; }));
        } else if (kind == "big") {
            const double place = 0.75 * static_cast<double>(runs.size() - 1);
            const auto below = static_cast<std::size_t>(place);
            const double next = size_of(runs[(std::min)(below + 1, runs.size() - 1)]);
            const double limit = size_of(runs[below]) + (place - std::floor(place)) * (next - size_of(runs[below]));
            cases.push_back(detail::split(name, kind, runs, [&](std::size_t i) { return size_of(runs[i]) > limit; }));
        } else {
            cases.push_back(
                detail::split(name, kind, runs, [&](std::size_t i) { return detail::run_number_of(*runs[i]) > 35; }));
        }
    }
    return cases;
}

}  // namespace bench

#endif
