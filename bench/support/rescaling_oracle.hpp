// The cheapest plan of scale-outs for a simulated run, by somebody who knows all of it beforehand.
#ifndef BELLAMY_BENCH_RESCALING_ORACLE_HPP
#define BELLAMY_BENCH_RESCALING_ORACLE_HPP

#include "rescaling_world.hpp"

#include <array>
#include <limits>

namespace bench {

/// Executor-seconds, and a penalty where the target is missed.
struct rescaling_cost {
    double penalty = 0;

    [[nodiscard]] double operator()(double executor_s, double runtime_s, double target_s) const noexcept {
        return executor_s + (runtime_s > target_s ? penalty : 0);
    }
};

/// Positions of the scale-outs by job. Exact: the cheapest plan that keeps the target is a constrained shortest path,
/// searched forwards with bounds from Lagrange multipliers; it is taken unless missing the target costs less.
class rescaling_oracle {
public:
    explicit rescaling_oracle(const drawn_run& drawn)
        : drawn_(drawn), width_(drawn.scale_outs().size()), limit_s_(drawn.target_s * (1 - rounding)) {}

    [[nodiscard]] std::vector<std::size_t> plan(const rescaling_cost& cost) {
        const auto cheapest = best_path({.multiplier = 0});
        if (cheapest.time_s <= limit_s_) return cheapest.plan;
        auto in_time = best_path(fastest);
        if (in_time.time_s > limit_s_) return cheapest.plan;
        find_multipliers(in_time);
        search(in_time);
        const double missed = cost(cheapest.executor_s, cheapest.time_s, drawn_.target_s);
        return missed < in_time.executor_s ? cheapest.plan : in_time.plan;
    }

private:
    struct path {
        std::vector<std::size_t> plan{};
        double time_s = 0;
        double executor_s = 0;
    };
    struct label {
        double time_s = 0;
        double executor_s = 0;
        std::size_t before = 0;  // position of the label that it continues
    };
    /// What a path is measured by: price x executor-seconds + multiplier x seconds.
    struct measure {
        double price = 1;
        double multiplier = 0;
    };
    /// By job and scale-out: the least measure of all that follows the job.
    struct bound {
        measure by{};
        std::vector<std::vector<double>> rest{};
    };
    static constexpr measure fastest{.price = 0, .multiplier = 1};
    static constexpr double rounding = 1e-12;  // sums in another order

    [[nodiscard]] double step_s(std::size_t job, std::size_t from, std::size_t to) const {
        const double delay_s = job > 0 && from != to ? drawn_.delay_s[job] : 0;
        const double last_s = job + 1 == drawn_.jobs() ? drawn_.gap_s[job + 1] : 0;
        return delay_s + drawn_.gap_s[job] + drawn_.job_s[job][to] + last_s;
    }
    [[nodiscard]] double units(std::size_t at) const { return drawn_.scale_outs()[at]; }

    [[nodiscard]] double measured(const measure& by, std::size_t job, std::size_t from, std::size_t to) const {
        return step_s(job, from, to) * (by.price * units(to) + by.multiplier);
    }

    [[nodiscard]] bound bound_of(const measure& by) const {
        bound made{.by = by, .rest = std::vector(drawn_.jobs(), std::vector<double>(width_, 0.0))};
        for (std::size_t job = drawn_.jobs() - 1; job > 0; --job)
            for (std::size_t from = 0; from < width_; ++from) {
                double least = std::numeric_limits<double>::infinity();
                for (std::size_t to = 0; to < width_; ++to)
                    least = (std::min)(least, measured(by, job, from, to) + made.rest[job][to]);
                made.rest[job - 1][from] = least;
            }
        return made;
    }

    [[nodiscard]] path follow(const bound& of) const {
        path made;
        std::size_t from = 0;
        for (std::size_t job = 0; job < drawn_.jobs(); ++job) {
            std::size_t chosen = 0;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t to = 0; to < width_; ++to) {
                const double sum = measured(of.by, job, from, to) + of.rest[job][to];
                if (sum < least) {
                    least = sum;
                    chosen = to;
                }
            }
            made.time_s += step_s(job, from, chosen);
            made.executor_s += step_s(job, from, chosen) * units(chosen);
            made.plan.push_back(from = chosen);
        }
        return made;
    }
    [[nodiscard]] path best_path(const measure& by) const { return follow(bound_of(by)); }

    // Bisects for the multiplier whose path just keeps the target; keeps the best path in time.
    void find_multipliers(path& in_time) {
        double low = 0;
        double high = 1;
        while (high < 1e9 && best_path({.multiplier = high}).time_s > limit_s_) high *= 4;
        for (int i = 0; i < 24; ++i) {
            const double middle = (low + high) / 2;
            const auto tried = best_path({.multiplier = middle});
            if (tried.time_s > limit_s_) {
                low = middle;
            } else {
                high = middle;
                if (tried.executor_s < in_time.executor_s) in_time = tried;
            }
        }
        for (const double multiplier : {0.0, low / 2, low, high, 2 * high, 8 * high})
            bounds_.push_back(bound_of({.multiplier = multiplier}));
        time_bound_ = bound_of(fastest);
    }

    [[nodiscard]] bool hopeless(const label& one, std::size_t job, std::size_t at, double incumbent) const {
        const double left_s = limit_s_ - one.time_s;
        if (time_bound_.rest[job][at] > left_s + rounding * limit_s_) return true;
        return std::ranges::any_of(bounds_, [&](const bound& each) {
            return one.executor_s + each.rest[job][at] - each.by.multiplier * left_s >= incumbent;
        });
    }

    // Labels of one job and scale-out of which none is both faster and cheaper than another.
    static void keep_best(std::vector<label>& labels) {
        std::ranges::sort(labels, [](const label& a, const label& b) {
            return std::pair(a.time_s, a.executor_s) < std::pair(b.time_s, b.executor_s);
        });
        std::vector<label> kept;
        for (const auto& each : labels)
            if (kept.empty() || each.executor_s < kept.back().executor_s) kept.push_back(each);
        labels = std::move(kept);
    }

    void search(path& best) const {
        // The position of a label among those of its job: first those of the first scale-out.
        std::vector<std::vector<std::pair<std::size_t, label>>> jobs;
        for (std::size_t job = 0; job < drawn_.jobs(); ++job) {
            std::vector<std::vector<label>> next(width_);
            const auto extend = [&](std::size_t from, const label& before, std::size_t number) {
                for (std::size_t to = 0; to < width_; ++to) {
                    const double time_s = step_s(job, from, to);
                    const label one{before.time_s + time_s, before.executor_s + time_s * units(to), number};
                    if (!hopeless(one, job, to, best.executor_s)) next[to].push_back(one);
                }
            };
            if (job == 0) {
                extend(0, {}, 0);
            } else {
                for (std::size_t i = 0; i < jobs.back().size(); ++i) extend(jobs.back()[i].first, jobs.back()[i].second, i);
            }
            auto& all = jobs.emplace_back();
            for (std::size_t at = 0; at < width_; ++at) {
                keep_best(next[at]);
                for (const auto& each : next[at]) all.emplace_back(at, each);
            }
        }
        const std::pair<std::size_t, label>* last = nullptr;
        for (const auto& each : jobs.back())
            if (each.second.time_s <= limit_s_ && each.second.executor_s < best.executor_s &&
                (last == nullptr || each.second.executor_s < last->second.executor_s))
                last = &each;
        if (last == nullptr) return;
        best.time_s = last->second.time_s;
        best.executor_s = last->second.executor_s;
        for (std::size_t job = drawn_.jobs(); job-- > 0;) {
            best.plan[job] = last->first;
            if (job > 0) last = &jobs[job - 1][last->second.before];
        }
    }

    const drawn_run& drawn_;
    std::size_t width_;
    double limit_s_;
    std::vector<bound> bounds_{};
    bound time_bound_{};
};

}  // namespace bench

#endif
