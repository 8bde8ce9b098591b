#include "unusual_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "next_size.hpp"

namespace tools {

namespace {

constexpr double many_times = 5;
constexpr double no_scatter = 20;

[[nodiscard]] bool is_off_by(double factor, double runtime_s, double expected_s) {
    return runtime_s > factor * expected_s || runtime_s * factor < expected_s;
}

[[nodiscard]] double median_runtime_s(const application_history& of) {
    std::vector<double> runtimes_s;
    for (const auto& each : of.runs)
        if (!each.censored) runtimes_s.push_back(each.runtime_s);
    const auto middle = runtimes_s.begin() + static_cast<std::ptrdiff_t>(runtimes_s.size() / 2);
    std::nth_element(runtimes_s.begin(), middle, runtimes_s.end());
    return *middle;
}

// Places of runs that may be unusual, by the median alone: most applications have none, and need no model for that.
[[nodiscard]] std::vector<std::size_t> far_from_median(const application_history& of) {
    const double usual_s = median_runtime_s(of);
    std::vector<std::size_t> made;
    for (std::size_t i = 0; i < of.runs.size(); ++i)
        if (!of.runs[i].censored && is_off_by(many_times, of.runs[i].runtime_s, usual_s)) made.push_back(i);
    return made;
}

[[nodiscard]] std::vector<bellamy::run> runs_without(const std::vector<bellamy::run>& all,
                                                     const std::vector<std::size_t>& places) {
    std::vector<bellamy::run> made;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!std::binary_search(places.begin(), places.end(), i)) made.push_back(all[i]);
    return made;
}

// What is predicted of the run, where it lies far outside of that.
[[nodiscard]] std::optional<bellamy::prediction> predicted_instead(const bellamy::model& model, const bellamy::run& of) {
    const auto curve = model.bind(of.context);
    if (!curve) return std::nullopt;
    auto predicted = curve->at(of.scale_out);
    constexpr double improbable = 0.001;
    const bool is_unusual =
        predicted.usable() && is_off_by(many_times, of.runtime_s, predicted.median_s) &&
        (of.runtime_s < predicted.quantile_s(improbable) || of.runtime_s > predicted.quantile_s(1 - improbable));
    return is_unusual ? std::optional(std::move(predicted)) : std::nullopt;
}

// Within twice and half of what the others had.
template <class Value>
[[nodiscard]] bool is_near(const std::vector<bellamy::run>& others, const bellamy::run& of, const Value& value_of) {
    const std::optional<double> value = value_of(of);
    std::vector<double> seen;
    for (const auto& each : others)
        if (const std::optional<double> other = value_of(each)) seen.push_back(*other);
    if (!value || seen.empty()) return !value && seen.empty();
    const auto [least, most] = std::minmax_element(seen.begin(), seen.end());
    return *value >= *least / 2 && *value <= *most * 2;
}

[[nodiscard]] std::string short_number(double number) { return fmt::format("{:.{}f}", number, number < 10 ? 1 : 0); }

[[nodiscard]] bool is_like_others(const std::vector<bellamy::run>& others, const bellamy::run& of,
                                  const bellamy::prediction& predicted) {
    return (predicted.observed_runs > 0 || !predicted.unlike_any_seen_context) && is_near(others, of, data_size) &&
           is_near(others, of, [](const bellamy::run& run) { return std::optional<double>(run.scale_out); });
}

}  // namespace

std::string describe(const unusual_run& run) {
    const double times = run.runtime_s / run.expected_s;
    const auto subject = !run.id.empty() ? "run " + run.id
                         : run.line > 0  ? fmt::format("the run in line {}", run.line)
                                         : std::string("a run");
    return fmt::format("{}{} took {} s, where about {} s are expected, {} that: {}", run.is_left_out ? "left out: " : "",
                       subject, short_number(run.runtime_s), short_number(run.expected_s),
                       times > 1 ? fmt::format("{:.0f} times", times) : fmt::format("1/{:.0f} of", 1 / times),
                       run.is_written_by_hand ? "if this is another unit, correct it"
                                              : "an exception, or what sets it apart is not recorded");
}

void take_out_unusual_runs(application_history& of, bool is_written_by_hand) {
    const auto succeeded = std::count_if(of.runs.begin(), of.runs.end(), [](const auto& each) { return !each.censored; });
    constexpr int fewest = 4;
    if (succeeded < fewest) return;
    const auto far = far_from_median(of);
    if (far.empty() || 4 * far.size() > static_cast<std::size_t>(succeeded)) return;
    const auto others = runs_without(of.runs, far);
    const auto model = learn(others, of.name);
    if (!model) return;
    for (const auto i : far) {
        const auto predicted = predicted_instead(*model, of.runs[i]);
        if (!predicted) continue;
        const double runtime_s = of.runs[i].runtime_s;
        const bool is_left_out = is_written_by_hand && far.size() == 1 && is_like_others(others, of.runs[i], *predicted) &&
                                 is_off_by(no_scatter, runtime_s, predicted->median_s);
        of.unusual.push_back({.id = of.facts[i].id,
                              .line = of.facts[i].line,
                              .runtime_s = runtime_s,
                              .expected_s = predicted->median_s,
                              .is_left_out = is_left_out,
                              .is_written_by_hand = is_written_by_hand});
    }
    if (of.unusual.empty() || !of.unusual.front().is_left_out) return;
    const auto place = static_cast<std::ptrdiff_t>(far.front());
    of.runs.erase(of.runs.begin() + place);
    of.facts.erase(of.facts.begin() + place);
}

}  // namespace tools
