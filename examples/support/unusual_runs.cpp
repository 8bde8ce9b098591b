#include "unusual_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace tools {

namespace {

constexpr double many_times = 5;

[[nodiscard]] bool is_far(double runtime_s, double expected_s) {
    return runtime_s > many_times * expected_s || runtime_s * many_times < expected_s;
}

[[nodiscard]] double median_runtime_s(const application_history& of) {
    std::vector<double> runtimes_s;
    for (const auto& each : of.runs)
        if (!each.censored) runtimes_s.push_back(each.runtime_s);
    const auto middle = runtimes_s.begin() + static_cast<std::ptrdiff_t>(runtimes_s.size() / 2);
    std::nth_element(runtimes_s.begin(), middle, runtimes_s.end());
    return *middle;
}

// What the model expects, where the run lies far outside of it.
[[nodiscard]] std::optional<double> expected_instead_s(const bellamy::model& model, const bellamy::run& of) {
    const auto curve = model.bind(of.context);
    if (!curve) return std::nullopt;
    const auto predicted = curve->at(of.scale_out);
    constexpr double improbable = 0.001;
    const bool is_unusual =
        predicted.usable() && is_far(of.runtime_s, predicted.median_s) &&
        (of.runtime_s < predicted.quantile_s(improbable) || of.runtime_s > predicted.quantile_s(1 - improbable));
    return is_unusual ? std::optional(predicted.median_s) : std::nullopt;
}

[[nodiscard]] std::string describe(const run_facts& run, double runtime_s, double expected_s) {
    const double times = runtime_s / expected_s;
    return fmt::format("{} took {:.0f} s, where about {:.0f} s are expected, {} that: if this is another unit, correct it",
                       run.id.empty() ? fmt::format("the run in line {}", run.line) : fmt::format("run {}", run.id),
                       runtime_s, expected_s,
                       times > 1 ? fmt::format("{:.0f} times", times) : fmt::format("1/{:.0f} of", 1 / times));
}

}  // namespace

std::vector<std::string> unusual_runs(const application_history& of) {
    const auto succeeded = std::count_if(of.runs.begin(), of.runs.end(), [](const auto& each) { return !each.censored; });
    constexpr int fewest = 4;
    if (succeeded < fewest) return {};
    const double usual_s = median_runtime_s(of);
    const auto may_be_unusual = [&](const bellamy::run& each) { return !each.censored && is_far(each.runtime_s, usual_s); };
    // Most applications have none, and need no model for that.
    if (std::none_of(of.runs.begin(), of.runs.end(), may_be_unusual)) return {};
    const auto model = learn(of.runs, of.name);
    if (!model) return {};
    std::vector<std::string> made;
    for (std::size_t i = 0; i < of.runs.size(); ++i)
        if (may_be_unusual(of.runs[i]))
            if (const auto expected_s = expected_instead_s(*model, of.runs[i]))
                made.push_back(describe(of.facts[i], of.runs[i].runtime_s, *expected_s));
    return made;
}

}  // namespace tools
