#include "recent_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mixed_curve.hpp"
#include "next_size.hpp"

namespace tools {

namespace {

constexpr std::size_t fewest_before = 3;
constexpr double significant = 0.01;
constexpr double doubtful = 0.05;
const double much = std::log(1.25);  // by a single run

// The runs, and where in them those stand that tell how long runs take: they succeeded, or were killed after more time than
// any that did. Of the latter, that time is a lower bound, and counts as theirs. Where none succeeded, none tells.
struct telling_runs {
    std::span<const bellamy::run> all{};
    std::vector<std::size_t> at{};
    double longest_success_s = 0;

    [[nodiscard]] const bellamy::run& operator[](std::size_t i) const { return all[at[i]]; }
    [[nodiscard]] std::size_t size() const { return at.size(); }
    // Those from the last but so many that tell on.
    [[nodiscard]] std::vector<bellamy::run> since(std::size_t recent) const {
        std::vector<bellamy::run> made(all.begin() + static_cast<std::ptrdiff_t>(at[size() - recent]), all.end());
        for (auto& each : made) each.censored = each.censored && each.runtime_s <= longest_success_s;
        return made;
    }
};

[[nodiscard]] telling_runs find_telling(std::span<const bellamy::run> runs) {
    telling_runs made{.all = runs};
    for (const auto& each : runs)
        if (!each.censored) made.longest_success_s = std::max(made.longest_success_s, each.runtime_s);
    if (made.longest_success_s == 0) return made;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (!runs[i].censored || runs[i].runtime_s > made.longest_success_s) made.at.push_back(i);
    return made;
}

// A step before the last so many runs that tell, and how probable runs like these were without one.
[[nodiscard]] std::optional<recent_change> step_before(const telling_runs& runs, std::size_t recent,
                                                       const learner& learning) {
    const auto begin = runs.at[runs.size() - recent];
    auto before = learning(runs.all.first(begin));
    if (!before) return std::nullopt;
    const auto test = bellamy::measure_drift(*before, runs.since(recent));
    if (!test || test->runs == 0) return std::nullopt;
    return recent_change{.before = *std::move(before), .test = *test, .runs = runs.all.size() - begin};
}

// The latest runs whose sizes are all above, or all below, those of the runs before: a change of runtimes since then could
// be taken for the effect of the size.
[[nodiscard]] std::size_t runs_beyond_earlier_sizes(const telling_runs& runs) {
    const auto n = runs.size();
    std::vector<int> least_since(n, runs[n - 1].scale_out);
    auto most_since = least_since;
    for (std::size_t i = n - 1; i-- > 0;) {
        least_since[i] = std::min(least_since[i + 1], runs[i].scale_out);
        most_since[i] = std::max(most_since[i + 1], runs[i].scale_out);
    }
    int least_before = runs[0].scale_out;
    int most_before = least_before;
    for (std::size_t begin = 1; begin < n; ++begin) {
        if (most_before < least_since[begin] || least_before > most_since[begin]) return n - begin;
        least_before = std::min(least_before, runs[begin].scale_out);
        most_before = std::max(most_before, runs[begin].scale_out);
    }
    return 0;
}

// The latest runs at the present size.
[[nodiscard]] std::size_t runs_at_present_size(const telling_runs& runs) {
    std::size_t recent = 1;
    while (recent < runs.size() && runs[runs.size() - 1 - recent].scale_out == runs[runs.size() - 1].scale_out) ++recent;
    return recent;
}

// ln runtime less its least-squares fit by ln scale-out and ln data size, one after the other.
[[nodiscard]] std::vector<double> residuals_of(const telling_runs& runs) {
    std::vector<double> made;
    for (std::size_t i = 0; i < runs.size(); ++i) made.push_back(std::log(runs[i].runtime_s));
    const auto take_out = [&](const auto& value_of) {
        double mean_x = 0;
        double mean_y = 0;
        for (std::size_t i = 0; i < made.size(); ++i) {
            mean_x += value_of(runs[i]) / static_cast<double>(made.size());
            mean_y += made[i] / static_cast<double>(made.size());
        }
        double products = 0;
        double squares = 1e-9;
        for (std::size_t i = 0; i < made.size(); ++i) {
            products += (value_of(runs[i]) - mean_x) * (made[i] - mean_y);
            squares += (value_of(runs[i]) - mean_x) * (value_of(runs[i]) - mean_x);
        }
        for (std::size_t i = 0; i < made.size(); ++i) made[i] -= mean_y + products / squares * (value_of(runs[i]) - mean_x);
    };
    take_out([](const bellamy::run& of) { return std::log(data_size(of).value_or(0) + 1); });
    take_out([](const bellamy::run& of) { return std::log(of.scale_out); });
    return made;
}

struct moments {
    double count = 0;
    double sum = 0;
    double squares = 0;

    void add(double value) {
        ++count;
        sum += value;
        squares += value * value;
    }
    [[nodiscard]] double mean() const { return sum / count; }
    [[nodiscard]] double squared_deviations() const { return std::max(0.0, squares - count * mean() * mean()); }
};

// Student's t of the difference of two means, without its sign.
[[nodiscard]] double student_t(const moments& one, const moments& other) {
    const double deviations = one.squared_deviations() + other.squared_deviations();
    const double variance = std::max(1e-9, deviations / (one.count + other.count - 2));
    return std::abs(one.mean() - other.mean()) / std::sqrt(variance * (1 / one.count + 1 / other.count));
}

// The number of latest runs whose residuals differ most from those of the others; 0 where none differs clearly.
[[nodiscard]] std::size_t runs_that_differ(const telling_runs& runs) {
    const auto residuals = residuals_of(runs);
    double largest_t = 3;
    std::size_t found = 0;
    for (std::size_t recent = 1; recent + fewest_before <= residuals.size(); ++recent) {
        moments before;
        moments after;
        for (std::size_t i = 0; i < residuals.size(); ++i)
            (i + recent < residuals.size() ? before : after).add(residuals[i]);
        const double t = student_t(before, after);
        if (t <= largest_t) continue;
        largest_t = t;
        found = recent;
    }
    return found;
}

// ln(runtime / predicted median) of a run, and the standard deviation that the prediction states.
struct log_ratio {
    const bellamy::run* of = nullptr;
    double value = 0;
    double sd = 0;
    bool was_killed = false;
};

// Of the runs since; `as_recorded`: the same ones.
[[nodiscard]] std::vector<log_ratio> log_ratios(const bellamy::model& before, std::span<const bellamy::run> since,
                                                std::span<const bellamy::run> as_recorded) {
    std::vector<log_ratio> made;
    for (std::size_t i = 0; i < since.size(); ++i) {
        const auto& run = since[i];
        const auto bound = before.bind(run.context);
        if (run.censored || !bound) continue;
        const auto predicted = bound->at(run.scale_out);
        if (!predicted.usable() || predicted.is_point) continue;
        // These quantiles lie 0.91 standard deviations from the median: tails are heavier than a normal's.
        const double sd = std::log(predicted.quantile_s(0.8413) / predicted.quantile_s(0.1587)) / 1.82;
        made.push_back({.of = &run,
                        .value = std::log(run.runtime_s / predicted.median_s),
                        .sd = sd,
                        .was_killed = as_recorded[i].censored});
    }
    return made;
}

// Without outliers, which are far from the median: one run ten times as fast is no change of the runs beside it. Killed runs
// are none: any of them may have taken longer.
void remove_outliers(std::vector<log_ratio>& ratios) {
    if (ratios.empty()) return;
    auto sorted = ratios;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    const double median = 0.5 * (sorted[(sorted.size() - 1) / 2].value + sorted[sorted.size() / 2].value);
    std::erase_if(ratios, [&](const auto& each) {
        return !each.was_killed && std::abs(each.value - median) > std::max(much, 4 * each.sd);
    });
}

// Sets the factor of a step that is the likeliest of so many places, and how probable runs like these were without one, by
// those that are no outliers. Whether that makes it a change: not where half of the runs are outliers.
[[nodiscard]] bool counts(recent_change& step, const telling_runs& runs, std::size_t places) {
    const auto first = std::lower_bound(runs.at.begin(), runs.at.end(), runs.all.size() - step.runs);
    const auto since = runs.since(static_cast<std::size_t>(runs.at.end() - first));
    auto ratios = log_ratios(step.before, since, runs.all.last(since.size()));
    const auto all = ratios.size();
    remove_outliers(ratios);
    if (2 * ratios.size() <= all) return false;
    if (ratios.size() < all) {
        std::vector<bellamy::run> others;
        for (const auto& each : ratios) others.push_back(*each.of);
        const auto test = bellamy::measure_drift(step.before, others);
        if (!test) return false;
        step.test = *test;
        step.test.probability = std::min(1.0, static_cast<double>(places) * test->probability);
    }
    const auto count = static_cast<double>(ratios.size());
    double variance = 0;
    for (const auto& each : ratios) {
        step.log_factor += each.value / count;
        variance += each.sd * each.sd;
    }
    step.log_factor_error = std::sqrt(variance) / count;
    step.stays = 1 - std::pow(0.5, count);
    return step.test.probability <= doubtful && (step.test.probability < significant || std::abs(step.log_factor) >= much);
}

}  // namespace

latest_fit fit_latest(std::span<const bellamy::run> all, const learner& learning) {
    constexpr std::array<std::size_t, 6> places_of_doubt{2, 3, 4, 5, 7, 10};
    const auto runs = find_telling(all);
    latest_fit made;
    if (runs.size() < fewest_before) return made;
    const auto latest_quarter = std::clamp<std::size_t>(runs.size() / 4, 3, 10);
    const auto quarter = 2 * latest_quarter <= runs.size() ? latest_quarter : 0;
    std::optional<recent_change> likeliest;
    std::vector<std::size_t> tried;
    const auto try_step = [&](std::size_t recent) {
        const bool was_tried = std::find(tried.begin(), tried.end(), recent) != tried.end();
        if (recent == 0 || recent + fewest_before > runs.size() || was_tried) return;
        tried.push_back(recent);
        auto step = step_before(runs, recent, learning);
        if (!step) return;
        if (recent == quarter) made.test = step->test;
        if (!likeliest || step->test.probability < likeliest->test.probability) likeliest = std::move(step);
    };
    // Of as many places as were tried, one may look like a step by chance.
    double probability = 1;
    const auto correct = [&](std::size_t places) {
        if (likeliest) probability = std::min(probability, static_cast<double>(places) * likeliest->test.probability);
    };
    try_step(1);
    auto last_run = likeliest;
    for (const auto recent : {quarter, runs_beyond_earlier_sizes(runs), runs_at_present_size(runs)}) try_step(recent);
    correct(tried.size());
    try_step(runs_that_differ(runs));
    if (likeliest && likeliest->test.probability <= doubtful) {
        for (const auto recent : places_of_doubt) try_step(recent);
        correct(tried.size());
    }
    if (!likeliest) return made;
    likeliest->test.probability = probability;
    if (probability <= doubtful && counts(*likeliest, runs, tried.size())) {
        made.change = std::move(likeliest);
    } else if (last_run && last_run->test.probability <= doubtful) {
        last_run->test.probability = std::max(last_run->test.probability, significant);  // not corrected: never certain
        if (counts(*last_run, runs, 1)) made.change = std::move(last_run);
    }
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
    return fmt::format("the last {} took {:.2f} times what the runs before {} predict (p = {:.2g})",
                       change.runs == 1 ? "run" : fmt::format("{} runs", change.runs), std::exp(change.log_factor),
                       change.runs == 1 ? "it" : "them", change.test.probability);
}

}  // namespace tools
