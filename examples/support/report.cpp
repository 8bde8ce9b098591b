#include "report.hpp"

#include <fmt/format.h>
#include <bellamy/detail/base/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "advice_warnings.hpp"
#include "backtest_walk.hpp"
#include "model_text.hpp"

namespace tools {

namespace {

constexpr double seconds_of_day = 86400;

[[nodiscard]] double day_of(double at_s) { return std::floor(at_s / seconds_of_day); }

void set_period(fleet_report& made, const team_history& history, const report_request& wanted) {
    std::size_t runs = 0;
    double first_s = std::numeric_limits<double>::infinity();
    for (const auto& application : history.applications) {
        for (const auto& run : application.runs) {
            ++runs;
            if (!has_start(run)) {
                ++made.runs_without_start;
            } else {
                first_s = std::min(first_s, *run.timestamp_s);
                made.until_s = std::max(made.until_s, *run.timestamp_s + run.runtime_s);
            }
        }
    }
    made.tells_starts = made.runs_without_start < runs;
    if (!made.tells_starts) made.runs_without_start = 0;
    made.until_s = wanted.until_s.value_or(made.until_s);
    made.from_s = made.until_s - wanted.days * seconds_of_day;
    made.begins_within_period = first_s > made.from_s + wanted.days * seconds_of_day / 10;
    // A period that ends at midnight has nothing of the day that begins then.
    const double end_of_days = std::max(day_of(made.from_s) + 1, std::ceil(made.until_s / seconds_of_day));
    if (made.tells_starts) made.days_of_period.assign(static_cast<std::size_t>(end_of_days - day_of(made.from_s)), {});
}

[[nodiscard]] bool is_in_period(const bellamy::run& run, const fleet_report& of) {
    return !of.tells_starts || (has_start(run) && *run.timestamp_s >= of.from_s && *run.timestamp_s <= of.until_s);
}

void add_older_attempts(period_sums& sums, const std::string& application, const team_history& history,
                        const fleet_report& all) {
    for (const auto& each : history.older_attempts) {
        if (each.application != application || !is_in_period(each.run, all)) continue;
        const double hours = each.run.scale_out * time_to_result_s(each.run, each.facts, all.deadlines_from) / 3600;
        ++sums.older_attempts;
        sums.older_attempt_unit_hours += hours;
        sums.older_attempt_cost += hours * all.prices.of(each.facts.machine);
    }
}

[[nodiscard]] period_sums sum_up(const application_history& of, deadline_start from, fleet_report& all) {
    period_sums made;
    for (std::size_t i = 0; i < of.runs.size(); ++i) {
        const auto& run = of.runs[i];
        if (!is_in_period(run, all)) continue;
        const double start_s = run.timestamp_s.value_or(0);
        const double hours = run.scale_out * time_to_result_s(run, of.facts[i], from) / 3600;
        const double cost = hours * all.prices.of(of.facts[i].machine);
        ++made.runs;
        made.unit_hours += hours;
        made.cost += cost;
        if (!(all.prices.of(of.facts[i].machine) > 0)) ++made.unpriced_runs;
        if (run.censored) {
            ++made.unsuccessful_runs;
            made.unsuccessful_unit_hours += hours;
            made.unsuccessful_cost += cost;
        }
        if (!all.tells_starts) continue;
        const auto day_number = static_cast<std::size_t>(day_of(start_s) - day_of(all.from_s));
        auto& day = all.days_of_period[std::min(day_number, all.days_of_period.size() - 1)];
        auto& half = start_s < (all.from_s + all.until_s) / 2 ? all.halves.first : all.halves.second;
        for (auto* sums : {&day, &half}) {
            ++sums->runs;
            sums->unit_hours += hours;
        }
    }
    return made;
}

[[nodiscard]] late_runs count_late(const application_history& of, const advice& made) {
    constexpr std::size_t latest = 20;
    late_runs counted;
    for (auto i = of.runs.size(); i-- > 0 && counted.runs < latest;) {
        const auto& run = of.runs[i];
        const bool is_late = time_to_result_s(run, of.facts[i], made.from) > made.wanted.deadline_s;
        if (run.scale_out != made.present.scale_out || (run.censored && !is_late)) continue;
        ++counted.runs;
        if (is_late) ++counted.late;
    }
    return counted;
}

[[nodiscard]] reported_application report_on(const application_history& of, const report_request& wanted) {
    const auto asked = request_for(of.name, wanted.advice, wanted.deadlines);
    reported_application made{{.of = &of, .advice = advise(of, asked), .has_deadline = asked.deadline_s > 0}};
    if (wanted.ledger) look_back_at(*wanted.ledger, made);
    if (made.advice && made.has_deadline) made.latest_late = count_late(of, *made.advice);
    made.price_per_hour = wanted.prices.of(of.facts[of.last_complete()].machine);
    if (made.advice) {
        made.held = sizes_held(of, *made.advice);
        made.machines = compare_machines(of, *made.advice, wanted.prices);
        made.why_no_machines = why_not_compared(made.machines, of, *made.advice, wanted.prices);
    }
    if (wanted.backtests) made.tested = walk(of, asked, {}, [] {});
    return made;
}

[[nodiscard]] std::vector<reported_application> report_on_all(const team_history& history, const report_request& wanted,
                                                              const std::function<void(std::size_t)>& on_advice) {
    const auto& all = history.applications;
    std::vector<std::optional<reported_application>> made(all.size());
    std::size_t done = 0;
    std::exception_ptr problem;
    std::mutex mutex;
    bellamy::detail::for_each_index(all.size(), wanted.threads, [&](std::size_t i) {
        try {
            made[i] = report_on(all[i], wanted);
            const std::lock_guard lock(mutex);
            on_advice(++done);
        } catch (...) {  // no thread of the pool may end by it
            const std::lock_guard lock(mutex);
            problem = std::current_exception();
        }
    });
    if (problem) std::rethrow_exception(problem);
    std::vector<reported_application> reported;
    reported.reserve(made.size());
    for (auto& each : made) reported.push_back(*std::move(each));
    return reported;
}

void add(proposal_sums& sums, const reported_application& one) {
    if (!one.advice) return;
    const auto& advice = *one.advice;
    const auto runs = static_cast<double>(one.period.runs);
    if (one.has_deadline) {
        sums.runs += one.period.runs;
        sums.in_time_at_present += runs * advice.present.probability;
        sums.in_time_as_proposed += runs * (advice.proposal ? advice.proposal->probability : advice.present.probability);
    }
    if (!advice.changes_size()) return;
    const double saved = one.saved_unit_hours();
    if (advice.saving() > 0) {
        ++sums.saving_applications;
        sums.saved_unit_hours += saved;
        sums.saved_cost += one.saved_cost();
    } else {
        ++sums.costlier_applications;
        sums.added_unit_hours -= saved;
        sums.added_cost -= one.saved_cost();
    }
}

}  // namespace

void period_sums::add(const period_sums& other) {
    runs += other.runs;
    unsuccessful_runs += other.unsuccessful_runs;
    unit_hours += other.unit_hours;
    unsuccessful_unit_hours += other.unsuccessful_unit_hours;
    cost += other.cost;
    unpriced_runs += other.unpriced_runs;
    unsuccessful_cost += other.unsuccessful_cost;
    older_attempts += other.older_attempts;
    older_attempt_unit_hours += other.older_attempt_unit_hours;
    older_attempt_cost += other.older_attempt_cost;
}

double reported_application::saved_unit_hours() const {
    if (!changes_size()) return 0;
    return static_cast<double>(period.runs) * advice->saved_unit_hours();
}

double reported_application::saved_by_machine() const {
    const auto* other = cheaper();
    if (other == nullptr) return 0;
    return static_cast<double>(period.runs) * (cost_as_proposed(machines, *advice) - other->cost());
}

double reported_application::largest_saved_cost() const {
    return saves_by_machine() ? std::max(saved_cost(), saved_by_machine()) : saved_cost();
}

bool reported_application::is_at_risk() const {
    return has_deadline && advice && advice->present.probability < advice->wanted.probability;
}

bool reported_application::has_doubtful_deadline() const {
    return has_deadline && advice && !doubt_of_unit(*of, *advice).empty();
}

double fleet_report::saved_by_machines() const {
    return std::accumulate(applications.begin(), applications.end(), 0.0,
                           [](double sum, const reported_application& one) { return sum + one.saved_by_machine(); });
}

std::vector<timed_prediction> fleet_report::predictions() const {
    std::vector<timed_prediction> made;
    for (const auto& one : applications) {
        if (!one.tested) continue;
        for (const auto& each : one.tested->tries) {
            const auto& run = one.of->runs[each.run];
            const double start_s = run.timestamp_s.value_or(0);
            if (has_start(run) && start_s >= from_s && start_s <= until_s) made.push_back({start_s, &each});
        }
    }
    return made;
}

fleet_report make_report(const team_history& history, const report_request& wanted,
                         const std::function<void(std::size_t done)>& on_advice) {
    require_known_machines(history, wanted.prices);
    fleet_report made{.left_out = history.skipped,
                      .unit = history.applications.front().runs.front().context.unit,
                      .prices = wanted.prices,
                      .deadlines_from = wanted.advice.from};
    set_period(made, history, wanted);
    made.applications = report_on_all(history, wanted, on_advice);
    if (wanted.ledger) made.past.emplace();
    for (auto& one : made.applications) {
        one.period = sum_up(*one.of, wanted.advice.from, made);
        add_older_attempts(one.period, one.of->name, history, made);
        made.period.add(one.period);
        add(made.proposals, one);
        if (!one.past) continue;
        made.past->add(one.past->sums);
        made.saved_cost_of_past += one.past->sums.saved() * one.price_per_hour;
    }
    std::stable_sort(made.applications.begin(), made.applications.end(), [](const auto& a, const auto& b) {
        return std::pair(a.largest_saved_cost(), a.saved_unit_hours()) >
               std::pair(b.largest_saved_cost(), b.saved_unit_hours());
    });
    return made;
}

std::vector<const reported_application*> select(const fleet_report& report, bool (reported_application::*holds)() const) {
    std::vector<const reported_application*> made;
    for (const auto& one : report.applications)
        if ((one.*holds)()) made.push_back(&one);
    std::stable_sort(made.begin(), made.end(),
                     [](const auto* a, const auto* b) { return a->period.unit_hours > b->period.unit_hours; });
    return made;
}

}  // namespace tools
