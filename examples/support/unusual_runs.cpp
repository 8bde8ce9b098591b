#include "unusual_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

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

// What the model expects, where the run lies far outside of it.
[[nodiscard]] std::optional<double> expected_instead_s(const bellamy::model& model, const bellamy::run& of) {
    const auto curve = model.bind(of.context);
    if (!curve) return std::nullopt;
    const auto predicted = curve->at(of.scale_out);
    constexpr double improbable = 0.001;
    const bool is_unusual =
        predicted.usable() && is_off_by(many_times, of.runtime_s, predicted.median_s) &&
        (of.runtime_s < predicted.quantile_s(improbable) || of.runtime_s > predicted.quantile_s(1 - improbable));
    return is_unusual ? std::optional(predicted.median_s) : std::nullopt;
}

[[nodiscard]] std::string describe(const run_facts& run, double runtime_s, double expected_s) {
    const double times = runtime_s / expected_s;
    return fmt::format("{} took {:.0f} s, where about {:.0f} s are expected, {} that",
                       run.id.empty() ? fmt::format("the run in line {}", run.line) : fmt::format("run {}", run.id),
                       runtime_s, expected_s,
                       times > 1 ? fmt::format("{:.0f} times", times) : fmt::format("1/{:.0f} of", 1 / times));
}

// Runs that may be unusual, by the median alone: most applications have none, and need no model for that.
[[nodiscard]] std::vector<std::size_t> far_from_median(const application_history& of) {
    const double usual_s = median_runtime_s(of);
    std::vector<std::size_t> made;
    for (std::size_t i = 0; i < of.runs.size(); ++i)
        if (!of.runs[i].censored && is_off_by(many_times, of.runs[i].runtime_s, usual_s)) made.push_back(i);
    return made;
}

template <class Each>
void erase_places(std::vector<Each>& from, const std::vector<std::size_t>& places) {
    for (auto place = places.rbegin(); place != places.rend(); ++place)
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(*place));
}

}  // namespace

void take_out_unusual_runs(application_history& of, bool is_written_by_hand) {
    const auto succeeded = std::count_if(of.runs.begin(), of.runs.end(), [](const auto& each) { return !each.censored; });
    constexpr int fewest = 4;
    if (succeeded < fewest) return;
    const auto far = far_from_median(of);
    if (far.empty() || 4 * far.size() > static_cast<std::size_t>(succeeded)) return;
    auto others = of.runs;
    erase_places(others, far);
    const auto model = learn(others, of.name);
    if (!model) return;
    std::vector<std::size_t> left_out;
    for (const auto i : far) {
        const double runtime_s = of.runs[i].runtime_s;
        const auto expected_s = expected_instead_s(*model, of.runs[i]);
        if (!expected_s) continue;
        const bool is_left_out = is_written_by_hand && is_off_by(no_scatter, runtime_s, *expected_s);
        if (is_left_out) left_out.push_back(i);
        of.unusual.push_back((is_left_out ? "left out: " : "") + describe(of.facts[i], runtime_s, *expected_s) +
                             (is_written_by_hand ? ": if this is another unit, correct it"
                                                 : ": an exception, or what sets it apart is not recorded"));
    }
    if (left_out.empty()) return;
    if (std::find(left_out.begin(), left_out.end(), of.last_complete()) != left_out.end()) of.latest.reset();
    erase_places(of.runs, left_out);
    erase_places(of.facts, left_out);
}

}  // namespace tools
