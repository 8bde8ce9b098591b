// A history grouped: distinct contexts, their configurations (context, scale-out) with median log-runtimes, contradictory
// runs.
#ifndef BELLAMY_DETAIL_CONTEXT_HISTORY_HPP
#define BELLAMY_DETAIL_CONTEXT_HISTORY_HPP

#include <bellamy/detail/context/identity.hpp>
#include <bellamy/detail/maths/empirical.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Median predictions are clamped to this factor (a logarithm: ln 100) beyond the range of all observed runtimes.
inline constexpr double most_beyond_seen = 4.605170185988091;

/// Runs of one context at one scale-out.
struct configuration {
    size_t context = 0;
    int scale_out = 0;
    std::vector<double> log_runtimes{};
    std::vector<double> weights{};
    std::vector<bool> censored{};
    /// Indices in the history.
    std::vector<size_t> runs{};

    void add(const run& each, size_t number) {
        log_runtimes.push_back(std::log(each.runtime_s));
        weights.push_back(each.weight);
        censored.push_back(each.censored);
        runs.push_back(number);
    }
};

/// Median log-runtime of one configuration, with right-censored runs.
struct configuration_median {
    double value = 0;
    /// Sum of weights of the runs that are not censored.
    double repetitions = 0;
    /// Weighted sum of squared deviations of those runs from the median.
    double squares = 0;
    /// The survival curve stays above one half: `value` is a guess above the largest lower bound.
    bool only_censored = false;
};

/// Log-runtime added to the largest lower bound where there is no median, and the variance of that guess.
inline constexpr double beyond_bound = 0.25;
inline constexpr double beyond_bound_variance = 0.15;

/// Weighted median of right-censored log-runtimes: where the Kaplan-Meier estimate (1958) of survival falls to one half.
inline configuration_median median_of(const configuration& runs) {
    auto order = first_indices(runs.log_runtimes.size());
    // At equal runtimes an end precedes a censoring.
    sort_stably(order, [&](size_t a, size_t b) {
        if (runs.log_runtimes[a] != runs.log_runtimes[b]) return runs.log_runtimes[a] < runs.log_runtimes[b];
        return !runs.censored[a] && runs.censored[b];
    });
    double at_risk = sum_of(runs.weights);
    std::optional<double> median_value;
    std::optional<double> half;  // the runtime at which exactly half of the runs have ended
    double survival = 1;
    for (const size_t i : order) {
        const double w = runs.weights[i];
        if (!runs.censored[i] && at_risk > 0) {
            survival *= (std::max)(1 - w / at_risk, 0.0);
            if (half) {
                median_value = 0.5 * (*half + runs.log_runtimes[i]);
            } else if (survival < 0.5 - 1e-9) {
                median_value = runs.log_runtimes[i];
            } else if (survival <= 0.5 + 1e-9) {
                half = runs.log_runtimes[i];
            }
        }
        if (median_value) break;
        at_risk -= w;
    }
    if (!median_value) median_value = half;
    configuration_median median{.only_censored = !median_value};
    median.value = median_value ? *median_value : runs.log_runtimes[order.back()] + beyond_bound;
    for (size_t i = 0; i < runs.log_runtimes.size(); ++i) {
        if (runs.censored[i]) continue;
        const double d = runs.log_runtimes[i] - median.value;
        median.repetitions += runs.weights[i];
        median.squares += runs.weights[i] * d * d;
    }
    return median;
}

/// One context of a history: its features, and its range `first`, `count` of the points.
struct history_context {
    std::vector<double> features{};
    double pressure = 0;  // NaN where unknown
    /// Extra variance of an anomalous context, which neither its features nor the other contexts explain; 0 for nearly all.
    double anomaly_variance = 0;
    size_t first = 0;
    size_t count = 0;
};

/// Median log-runtime of one context at one scale-out, and the variance of its run noise.
struct history_point {
    size_t context = 0;
    double scale_out = 0;
    double log_runtime = 0;
    double variance = 0;
    /// Sum of the weights of its runs; not stored.
    double repetitions = 1;
    /// Where its runs stand in the view; not stored.
    size_t configuration = 0;
};

/// The summarised history that the blend is fitted to; points of one context are contiguous.
struct history_data {
    std::vector<history_context> contexts{};
    std::vector<history_point> points{};

    size_t features() const noexcept { return contexts.empty() ? 0 : contexts.front().features.size(); }
    std::span<const history_point> points_of(const history_context& context) const noexcept {
        return std::span(points).subspan(context.first, context.count);
    }
    /// Number of points of the first `count` contexts.
    size_t points_of_first(size_t count) const noexcept {
        return count == 0 ? 0 : contexts[count - 1].first + contexts[count - 1].count;
    }
    std::vector<double> log_scale_outs_of(const history_context& context) const {
        std::vector<double> log_scale_outs;
        for (const auto& point : points_of(context)) log_scale_outs.push_back(std::log(point.scale_out));
        return log_scale_outs;
    }
};

/// The contexts of `all` with these indices, in this order.
inline history_data select_contexts(const history_data& all, std::span<const size_t> indices) {
    history_data selected;
    for (const size_t c : indices) {
        const size_t first = selected.points.size();
        append(selected.points, all.points_of(all.contexts[c]));
        for (auto& point : std::span(selected.points).subspan(first)) point.context = selected.contexts.size();
        selected.contexts.push_back(all.contexts[c]);
        selected.contexts.back().first = first;
    }
    return selected;
}

/// The first `count` contexts.
inline history_data leading_contexts(const history_data& all, size_t count) {
    return select_contexts(all, first_indices(count));
}

/// Runs of a history, grouped.
struct history_view {
    std::vector<const context*> contexts{};
    /// By context in order of first appearance, then by scale-out; see `with_far_runs_apart`.
    std::vector<configuration> configurations{};
};

/// A run that takes so many times (a logarithm: ln 10) as long as it should, or so small a part, is a wrong record rather
/// than a straggler.
inline constexpr double improbable_log_ratio = 2.302585092994046;

/// The same where log-runtimes scatter by this standard deviation: six of them at least.
inline double improbable_distance(double sd) noexcept { return (std::max)(improbable_log_ratio, 6 * sd); }

/// Log-runtimes of the runs that ended, ascending.
inline std::vector<double> ended_log_runtimes(const configuration& runs) {
    std::vector<double> ended;
    for (size_t i = 0; i < runs.runs.size(); ++i)
        if (!runs.censored[i]) ended.push_back(runs.log_runtimes[i]);
    sort(ended);
    return ended;
}

/// Makes runs that are improbably far from every other one that ended of their configuration configurations of their own:
/// which of two is wrong, only other configurations can tell. What is far, those tell, too: a multiple of the standard
/// deviation of their repeated runs.
inline std::vector<configuration> with_far_runs_apart(std::vector<configuration> all, std::span<const run> history) {
    constexpr size_t many = 1000;  // of so many deviations those of one configuration change little
    std::vector<std::vector<double>> ended_runs;
    std::vector<std::vector<double>> deviations(all.size());
    std::vector<double> pooled;
    for (size_t c = 0; c < all.size(); ++c) {
        const auto& ended = ended_runs.emplace_back(ended_log_runtimes(all[c]));
        if (ended.size() < 2) continue;
        const double middle = median_of(ended);
        for (const double log_runtime : ended) deviations[c].push_back(log_runtime - middle);
        append(pooled, deviations[c]);
    }
    const auto sd_of_others = [&, pooled_sd = robust_sd(pooled)](size_t judged) {
        if (pooled.size() > many) return pooled_sd;
        std::vector<double> others;
        for (size_t c = 0; c < all.size(); ++c)
            if (c != judged) append(others, deviations[c]);
        return robust_sd(others);
    };
    std::vector<configuration> separated;
    for (size_t c = 0; c < all.size(); ++c) {
        auto& judged = all[c];
        const auto& ended = ended_runs[c];
        if (ended.size() < 2 || ended.back() - ended.front() <= improbable_log_ratio) {
            separated.push_back(std::move(judged));
            continue;
        }
        const double least_gap = improbable_distance(sd_of_others(c));
        configuration others{.context = judged.context, .scale_out = judged.scale_out};
        for (const size_t number : judged.runs) {
            const auto& run = history[number];
            const double log_runtime = std::log(run.runtime_s);
            size_t position = 0;
            while (position < ended.size() && ended[position] < log_runtime) ++position;
            const bool apart = !run.censored && (position == 0 || log_runtime - ended[position - 1] > least_gap) &&
                               (position + 1 == ended.size() || ended[position + 1] - log_runtime > least_gap);
            if (apart) separated.push_back({.context = judged.context, .scale_out = judged.scale_out});
            (apart ? separated.back() : others).add(run, number);
        }
        if (!others.runs.empty()) separated.push_back(std::move(others));
    }
    return separated;
}

/// Groups runs by context and scale-out; skips those of weight 0. The contexts pointed to are the history's.
inline history_view group_runs(std::span<const run> history) {
    history_view view;
    context_numbering number_of;
    std::vector<std::vector<configuration>> by_context;
    for (const auto& run : history) {
        if (!(run.weight > 0)) continue;
        const size_t number = number_of(run.context);
        if (number == view.contexts.size()) {
            view.contexts.push_back(&run.context);
            by_context.emplace_back();
        }
        auto& sorted = by_context[number];
        auto position =
            std::lower_bound(sorted.begin(), sorted.end(), run.scale_out,
                             [](const configuration& runs, int scale_out) { return runs.scale_out < scale_out; });
        if (position == sorted.end() || position->scale_out != run.scale_out)
            position = sorted.insert(position, {.context = number, .scale_out = run.scale_out});
        position->add(run, static_cast<size_t>(&run - history.data()));
    }
    for (auto& configurations : by_context)
        for (auto& configuration : configurations) view.configurations.push_back(std::move(configuration));
    // Of two contexts none tells which is wrong.
    if (view.contexts.size() > 2) view.configurations = with_far_runs_apart(std::move(view.configurations), history);
    return view;
}

/// Two runs of one configuration contradict each other where one took more than this many times as long as the other.
inline constexpr double contradiction_ratio = 2;

/// Number of configurations (context, scale-out) with runs that contradict each other; right-censored runs do not count.
/// `context_of(index)` is the number of a run's context.
std::uint32_t count_contradictions_of(std::span<const run> history, const auto& context_of) {
    std::vector<size_t> ended;
    for (size_t i = 0; i < history.size(); ++i)
        if (!history[i].censored) ended.push_back(i);
    sort(ended, [&](size_t a, size_t b) {
        if (context_of(a) != context_of(b)) return context_of(a) < context_of(b);
        if (history[a].scale_out != history[b].scale_out) return history[a].scale_out < history[b].scale_out;
        return history[a].runtime_s < history[b].runtime_s;
    });
    std::uint32_t count = 0;
    for (size_t first = 0, last = 0; first < ended.size(); first = last) {
        const auto& shortest = history[ended[first]];
        while (last < ended.size() && context_of(ended[last]) == context_of(ended[first]) &&
               history[ended[last]].scale_out == shortest.scale_out)
            ++last;
        if (history[ended[last - 1]].runtime_s > contradiction_ratio * shortest.runtime_s) ++count;
    }
    return count;
}
inline std::uint32_t count_contradictions(std::span<const run> history, std::span<const std::uint32_t> contexts) {
    return count_contradictions_of(history, [&](size_t i) { return contexts[i]; });
}

/// Number of runs of which a lower bound alone is known.
inline std::uint32_t count_censored(std::span<const run> history) {
    return static_cast<std::uint32_t>(count_if(history, [](const run& each) { return each.censored; }));
}

/// Whether runs, all of one context, contradict each other at any scale-out.
inline bool contradict_each_other(std::span<const run> runs) {
    return count_contradictions_of(runs, [](size_t) { return std::uint32_t{0}; }) > 0;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
