// Who decides in bench/rescaling: nobody after the start, the published rules, and the library's decision.
#ifndef BELLAMY_BENCH_RESCALING_POLICIES_HPP
#define BELLAMY_BENCH_RESCALING_POLICIES_HPP

#include <bellamy/application.hpp>
#include <bellamy/enel.hpp>
#include <bellamy/rescale.hpp>

#include "ellis.hpp"
#include "rescaling_world.hpp"

#include <memory>

namespace bench {

/// What a policy sees of a run.
struct rescaling_view {
    const bellamy::application_trace& so_far;
    double elapsed_s = 0;
    /// Of the run, or what a margin makes of it.
    double target_s = 0;
    int scale_out = 1;
    double mean_delay_s = 0;
    /// What a missed target costs.
    double penalty_executor_s = 0;
};

/// Decides for one run. Positions in the scale-outs of the application.
class rescaling_policy {
public:
    rescaling_policy() = default;
    rescaling_policy(const rescaling_policy&) = delete;
    rescaling_policy& operator=(const rescaling_policy&) = delete;
    virtual ~rescaling_policy() = default;

    /// Before the start; `so_far` has no jobs and no scale-out.
    [[nodiscard]] virtual int first(const rescaling_view& now) = 0;
    /// Whenever a job has ended and another is to come: the scale-out of the next one.
    [[nodiscard]] virtual int next(const rescaling_view& now) = 0;
};

/// What the policies learned from past runs of an application. For one thread.
struct learned_application {
    std::vector<int> scale_outs{};
    bellamy::scale_out_interval seen{};
    /// Of best mode's decision, in shares of the expected cost of the rest as it is.
    double cost_of_change = 0;
    std::optional<bellamy::application_model> best{};
    std::optional<ellis_model> ellis{};
    std::optional<bellamy::enel_model> enel{};
    /// Best mode's forecast of the last properties asked about: the policies decide for one run after the other.
    mutable std::optional<std::pair<std::vector<bellamy::property>, bellamy::forecast>> bound{};

    [[nodiscard]] bellamy::forecast predict(const bellamy::application_trace& so_far) const {
        if (!bound || bound->first != so_far.properties)
            bound.emplace(so_far.properties, best->bind(so_far.properties).value());
        return so_far.jobs.empty() ? bound->second : bound->second.observe(so_far).value();
    }
};

namespace detail {

// The library's decision about the rest, at a price of 1 per executor and hour. `penalty_executor_s`: what it takes a missed
// target to cost; 0 where the probability decides.
[[nodiscard]] inline int decide(const bellamy::forecast& rest, const learned_application& from, const rescaling_view& now,
                                double probability, double delay_s, double penalty_executor_s = 0) {
    const double rest_s = now.so_far.jobs.empty() ? 0 : rest.remaining(now.scale_out).median_s;
    const bellamy::rescale_request wanted{.deadline_s = now.target_s,
                                          .elapsed_s = now.elapsed_s,
                                          .probability = probability,
                                          .scale_out = now.scale_out,
                                          .cost_of_change = from.cost_of_change * rest_s * now.scale_out / 3600,
                                          .cost_of_missing = penalty_executor_s / 3600};
    const auto decision = bellamy::rescale(rest, from.scale_outs, {.per_unit_and_hour = 1, .start_up_s = delay_s}, wanted);
    return decision.value().scale_out;
}

}  // namespace detail

/// The cheapest scale-out that best mode's forecast is sure enough of, and never another.
class static_policy final : public rescaling_policy {
public:
    static_policy(const learned_application& from, double probability) : from_(from), probability_(probability) {}
    [[nodiscard]] int first(const rescaling_view& now) override {
        return detail::decide(from_.predict(now.so_far), from_, now, probability_, 0);
    }
    [[nodiscard]] int next(const rescaling_view& now) override { return now.scale_out; }

private:
    const learned_application& from_;
    double probability_;
};

/// The library's decision whenever a job has ended: by a probability or, where `penalty_share` is above 0, by the least
/// expected cost, a missed target taken to cost so many times what it does.
class best_policy final : public rescaling_policy {
public:
    best_policy(const learned_application& from, double probability, double penalty_share = 0)
        : from_(from), probability_(probability), penalty_share_(penalty_share) {}
    [[nodiscard]] int first(const rescaling_view& now) override { return decide(now, 0); }
    [[nodiscard]] int next(const rescaling_view& now) override { return decide(now, now.mean_delay_s); }

private:
    [[nodiscard]] int decide(const rescaling_view& now, double delay_s) const {
        return detail::decide(from_.predict(now.so_far), from_, now, probability_, delay_s,
                              penalty_share_ * now.penalty_executor_s);
    }

    const learned_application& from_;
    double probability_;
    double penalty_share_;
};

/// Ellis's curves and rule. What is decided when a job ends takes effect after the next one.
class ellis_policy final : public rescaling_policy {
public:
    explicit ellis_policy(const learned_application& from) : from_(from) {}
    [[nodiscard]] int first(const rescaling_view& now) override {
        std::vector<double> totals;
        for (const int x : from_.scale_outs) {
            totals.push_back(0);
            for (std::size_t job = 0; job < from_.ellis->jobs(); ++job) totals.back() += from_.ellis->job_s(job, x);
        }
        const int chosen = ellis_first_scale_out(from_.scale_outs, totals, now.target_s).value();
        pending_ = chosen > 0 ? chosen : from_.scale_outs.back();
        return pending_;
    }
    [[nodiscard]] int next(const rescaling_view& now) override {
        const int takes_effect = pending_;
        std::vector<double> room(from_.scale_outs.size() * from_.ellis->jobs());
        const auto times = from_.ellis->times(now.so_far.jobs.size(), from_.scale_outs, room);
        if (times)
            pending_ = ellis_rule(*times, {.scale_out = takes_effect, .elapsed_s = now.elapsed_s, .target_s = now.target_s})
                           .value();
        return takes_effect;
    }

private:
    const learned_application& from_;
    int pending_ = 1;
};

namespace detail {

// Enel's rule asked when a job has ended: the answer for the next one.
[[nodiscard]] inline int enel_answer(const job_times& times, const rescaling_view& now) {
    std::vector<int> chosen(times.jobs);
    const auto count =
        enel_rule(times, {.scale_out = now.scale_out, .elapsed_s = now.elapsed_s, .target_s = now.target_s}, chosen).value();
    return count > 0 ? chosen.front() : now.scale_out;
}

[[nodiscard]] inline int enel_first(const learned_application& from, std::span<const double> totals, double target_s) {
    const int chosen =
        enel_first_scale_out(from.scale_outs, totals, from.seen.smallest, from.seen.largest, target_s).value();
    return chosen > 0 ? chosen : from.scale_outs.back();
}

}  // namespace detail

/// Enel's rule on the medians of best mode's forecast: the jobs to come in proportion, their sum that of the rest.
class enel_on_best_policy final : public rescaling_policy {
public:
    explicit enel_on_best_policy(const learned_application& from) : from_(from) {}
    [[nodiscard]] int first(const rescaling_view& now) override {
        const auto whole = from_.predict(now.so_far);
        std::vector<double> totals;
        for (const int x : from_.scale_outs) totals.push_back(whole.run(x).median_s);
        return detail::enel_first(from_, totals, now.target_s);
    }
    [[nodiscard]] int next(const rescaling_view& now) override {
        const auto rest = from_.predict(now.so_far);
        if (rest.finished_jobs() >= rest.jobs()) return now.scale_out;
        std::vector<double> time_s;
        for (const int x : from_.scale_outs) {
            double sum_s = 0;
            for (std::size_t job = rest.finished_jobs(); job < rest.jobs(); ++job) sum_s += rest.job(job, x).median_s;
            const double rest_s = rest.remaining(x).median_s;
            for (std::size_t job = rest.finished_jobs(); job < rest.jobs(); ++job)
                time_s.push_back(rest.job(job, x).median_s * rest_s / sum_s);
        }
        return detail::enel_answer(
            {.scale_outs = from_.scale_outs, .jobs = rest.jobs() - rest.finished_jobs(), .time_s = time_s}, now);
    }

private:
    const learned_application& from_;
};

/// As published: the network, fine-tuned after each job. The run waits for the answer, so that it takes effect at once.
class enel_policy final : public rescaling_policy {
public:
    explicit enel_policy(const learned_application& from) : from_(from) {}
    [[nodiscard]] int first(const rescaling_view& now) override {
        const auto whole = from_.enel->forecast(now.so_far, from_.scale_outs, {.scale_out = now.scale_out}).value();
        std::vector<double> totals;
        for (std::size_t k = 0; k < from_.scale_outs.size(); ++k) totals.push_back(whole.rest_s(k));
        return detail::enel_first(from_, totals, now.target_s);
    }
    [[nodiscard]] int next(const rescaling_view& now) override {
        const auto rest = from_.enel->forecast(now.so_far, from_.scale_outs, {.scale_out = now.scale_out}).value();
        if (rest.jobs() == 0) return now.scale_out;
        const auto time_s = enel_times_s(rest);
        return detail::enel_answer({.scale_outs = from_.scale_outs, .jobs = rest.jobs(), .time_s = time_s}, now);
    }

private:
    const learned_application& from_;
};

/// The name under which a policy is asked for and reported.
enum class rescaling_rule : std::uint8_t { fixed, ellis, enel_on_best, enel, best, least_cost, oracle };
inline constexpr std::array<std::string_view, 7> rescaling_rule_names{"static", "ellis",      "enel-best", "enel",
                                                                      "best",   "least-cost", "oracle"};
[[nodiscard]] inline std::string_view to_string(rescaling_rule rule) noexcept {
    return rescaling_rule_names[static_cast<std::size_t>(rule)];
}

/// `setting` is the probability of `fixed` and `best` and what `least_cost` multiplies the cost of a missed target by; of
/// the published rules it is not looked at.
[[nodiscard]] inline std::unique_ptr<rescaling_policy> make_policy(rescaling_rule rule, const learned_application& from,
                                                                   double setting) {
    switch (rule) {
        case rescaling_rule::fixed: return std::make_unique<static_policy>(from, setting);
        case rescaling_rule::ellis: return std::make_unique<ellis_policy>(from);
        case rescaling_rule::enel_on_best: return std::make_unique<enel_on_best_policy>(from);
        case rescaling_rule::enel: return std::make_unique<enel_policy>(from);
        case rescaling_rule::best: return std::make_unique<best_policy>(from, setting);
        case rescaling_rule::least_cost:
            return std::make_unique<best_policy>(from, bellamy::rescale_request{}.probability, setting);
        case rescaling_rule::oracle: break;
    }
    return nullptr;
}

}  // namespace bench

#endif
