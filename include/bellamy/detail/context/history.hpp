// A history grouped: distinct contexts, their configurations (context, scale-out) with median log-runtimes, contradictory
// runs.
#ifndef BELLAMY_DETAIL_CONTEXT_HISTORY_HPP
#define BELLAMY_DETAIL_CONTEXT_HISTORY_HPP

#include <bellamy/detail/base/sort_stably.hpp>
#include <bellamy/detail/context/identity.hpp>
#include <bellamy/run.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Answers stay within this factor (as a logarithm: 100) of all runtimes seen, of the history and of the target.
inline constexpr double most_beyond_seen = 4.605170185988091;

/// Runs of one context at one scale-out.
struct configuration {
    std::size_t context = 0;
    int scale_out = 0;
    std::vector<double> log_runtimes{};
    std::vector<double> weights{};
    std::vector<bool> censored{};
    /// Their numbers in the history.
    std::vector<std::size_t> runs{};
};

/// Median log-runtime of one configuration.
struct configuration_median {
    double value = 0;
    /// Sum of weights of the runs that are not censored.
    double repetitions = 0;
    /// Weighted sum of squared deviations of those runs from the median.
    double squares = 0;
    /// More than half of the runs are censored: `value` is a guess above the largest bound.
    bool only_bounded = false;
};

/// Added to the largest bound where there are bounds alone, and the variance of that guess.
inline constexpr double beyond_bound = 0.25;
inline constexpr double beyond_bound_variance = 0.15;

/// The median, where censored runs count as longer than their bound (Kaplan, Meier 1958).
[[nodiscard]] inline configuration_median median_of(const configuration& runs) {
    std::vector<std::size_t> order(runs.log_runtimes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    // At equal runtimes an event precedes a censoring.
    sort_stably(order, [&](std::size_t a, std::size_t b) {
        if (runs.log_runtimes[a] != runs.log_runtimes[b]) return runs.log_runtimes[a] < runs.log_runtimes[b];
        return !runs.censored[a] && runs.censored[b];
    });
    double at_risk = 0;
    for (const double w : runs.weights) at_risk += w;
    std::optional<double> found;
    std::optional<double> half;  // the runtime at which exactly half of the runs have ended
    double alive = 1;
    for (const std::size_t i : order) {
        const double w = runs.weights[i];
        if (!runs.censored[i] && at_risk > 0) {
            alive *= (std::max)(1 - w / at_risk, 0.0);
            if (half) {
                found = 0.5 * (*half + runs.log_runtimes[i]);
            } else if (alive < 0.5 - 1e-9) {
                found = runs.log_runtimes[i];
            } else if (alive <= 0.5 + 1e-9) {
                half = runs.log_runtimes[i];
            }
        }
        if (found) break;
        at_risk -= w;
    }
    if (!found) found = half;
    configuration_median median{.only_bounded = !found};
    median.value = found ? *found : runs.log_runtimes[order.back()] + beyond_bound;
    for (std::size_t i = 0; i < runs.log_runtimes.size(); ++i) {
        if (runs.censored[i]) continue;
        const double d = runs.log_runtimes[i] - median.value;
        median.repetitions += runs.weights[i];
        median.squares += runs.weights[i] * d * d;
    }
    return median;
}

/// One context of a history: its features, and the range of its points.
struct history_context {
    std::vector<double> features{};
    double pressure = 0;  // NaN where unknown
    /// Variance of what neither its features nor the other contexts explain; 0 for nearly all.
    double anomaly_variance = 0;
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Median log-runtime of one context at one scale-out, and the variance of its run noise.
struct history_point {
    std::size_t context = 0;
    double scale_out = 0;
    double log_runtime = 0;
    double variance = 0;
    /// Runs behind it, by weight; not stored.
    double repetitions = 1;
};

/// What the experts are conditioned on; points of one context are contiguous.
struct history_data {
    std::vector<history_context> contexts{};
    std::vector<history_point> points{};

    [[nodiscard]] std::size_t features() const noexcept { return contexts.empty() ? 0 : contexts.front().features.size(); }
    [[nodiscard]] std::span<const history_point> points_of(const history_context& own) const noexcept {
        return std::span(points).subspan(own.first, own.count);
    }
    [[nodiscard]] std::size_t points_of_first(std::size_t count) const noexcept {
        return count == 0 ? 0 : contexts[count - 1].first + contexts[count - 1].count;
    }
    [[nodiscard]] std::vector<double> log_scale_outs_of(const history_context& own) const {
        std::vector<double> made;
        for (const auto& each : points_of(own)) made.push_back(std::log(each.scale_out));
        return made;
    }
};

/// The chosen contexts of `all`, in the order given.
[[nodiscard]] inline history_data select_contexts(const history_data& all, std::span<const std::size_t> chosen) {
    history_data some;
    for (const std::size_t c : chosen) {
        auto copy = all.contexts[c];
        copy.first = some.points.size();
        for (std::size_t i = 0; i < copy.count; ++i) {
            some.points.push_back(all.points[all.contexts[c].first + i]);
            some.points.back().context = some.contexts.size();
        }
        some.contexts.push_back(std::move(copy));
    }
    return some;
}

[[nodiscard]] inline history_data leading_contexts(const history_data& all, std::size_t count) {
    std::vector<std::size_t> first(count);
    for (std::size_t i = 0; i < count; ++i) first[i] = i;
    return select_contexts(all, first);
}

struct history_view {
    std::vector<const context*> contexts{};
    /// By context in order of first appearance, then by scale-out.
    std::vector<configuration> configurations{};
};

/// Groups runs; those of weight 0 do not exist. The contexts pointed to are the history's.
[[nodiscard]] inline history_view group_runs(std::span<const run> history) {
    history_view view;
    context_numbering number_of;
    std::vector<std::vector<configuration>> by_context;
    for (const auto& run : history) {
        if (!(run.weight > 0)) continue;
        const std::size_t number = number_of(run.context);
        if (number == view.contexts.size()) {
            view.contexts.push_back(&run.context);
            by_context.emplace_back();
        }
        auto& sorted = by_context[number];
        auto at = std::lower_bound(sorted.begin(), sorted.end(), run.scale_out,
                                   [](const configuration& each, int scale_out) { return each.scale_out < scale_out; });
        if (at == sorted.end() || at->scale_out != run.scale_out)
            at = sorted.insert(at, {.context = number, .scale_out = run.scale_out});
        at->log_runtimes.push_back(std::log(run.runtime_s));
        at->weights.push_back(run.weight);
        at->censored.push_back(run.censored);
        at->runs.push_back(static_cast<std::size_t>(&run - history.data()));
    }
    for (auto& configurations : by_context)
        for (auto& configuration : configurations) view.configurations.push_back(std::move(configuration));
    return view;
}

/// Two runs of one configuration contradict each other where one took more than this many times as long as the other.
inline constexpr double most_usual_ratio = 2;

/// How many configurations (context, scale-out) of a history have runs that contradict each other; censored ones do not
/// count. `context_of(index)` numbers the runs' contexts.
template <class Number>
[[nodiscard]] std::uint32_t count_contradictions_of(std::span<const run> history, const Number& context_of) {
    struct ended_run {
        std::uint32_t context;
        int scale_out;
        double runtime_s;
    };
    std::vector<ended_run> ended;
    for (std::size_t i = 0; i < history.size(); ++i)
        if (!history[i].censored)
            ended.push_back(
                {.context = context_of(i), .scale_out = history[i].scale_out, .runtime_s = history[i].runtime_s});
    std::sort(ended.begin(), ended.end(), [](const ended_run& a, const ended_run& b) {
        if (a.context != b.context) return a.context < b.context;
        return a.scale_out != b.scale_out ? a.scale_out < b.scale_out : a.runtime_s < b.runtime_s;
    });
    std::uint32_t count = 0;
    for (std::size_t first = 0, last = 0; first < ended.size(); first = last) {
        while (last < ended.size() && ended[last].context == ended[first].context &&
               ended[last].scale_out == ended[first].scale_out)
            ++last;
        if (ended[last - 1].runtime_s > most_usual_ratio * ended[first].runtime_s) ++count;
    }
    return count;
}
[[nodiscard]] inline std::uint32_t count_contradictions(std::span<const run> history,
                                                        std::span<const std::uint32_t> contexts) {
    return count_contradictions_of(history, [&](std::size_t i) { return contexts[i]; });
}

/// Whether runs of one context contradict each other at any scale-out.
[[nodiscard]] inline bool contradict_each_other(std::span<const run> of_one_context) {
    return count_contradictions_of(of_one_context, [](std::size_t) { return std::uint32_t{0}; }) > 0;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
