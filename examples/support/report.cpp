#include "report.hpp"

#include <fmt/format.h>
#include <bellamy/detail/base/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <utility>

#include "model_text.hpp"

namespace tools {

namespace {

constexpr double seconds_of_day = 86400;

// Histories write 0 for a start that is not known.
[[nodiscard]] bool has_start(const bellamy::run& run) { return run.timestamp_s.value_or(0) > 0; }

void require_a_deadline_applies(const team_history& history, const deadline_file& deadlines) {
    const auto beside = deadlines.names_beside(history);
    const bool applies = std::any_of(history.applications.begin(), history.applications.end(),
                                     [&](const auto& each) { return deadlines.find(each.name) != nullptr; });
    if (applies || beside.empty()) return;
    throw tool_error("no_deadline_applies",
                     fmt::format("expected a deadline for one of the {} of {}, found deadlines of others only, such as {}",
                                 count(history.applications.size(), "application"), history.path, beside.front()));
}

void set_period(fleet_report& made, const team_history& history, const report_request& wanted) {
    std::size_t runs = 0;
    for (const auto& application : history.applications) {
        for (const auto& run : application.runs) {
            ++runs;
            if (!has_start(run)) {
                ++made.runs_without_start;
            } else {
                made.until_s = std::max(made.until_s, *run.timestamp_s + run.runtime_s);
            }
        }
    }
    made.tells_starts = made.runs_without_start < runs;
    if (!made.tells_starts) made.runs_without_start = 0;
    made.until_s = wanted.until_s.value_or(made.until_s);
    made.from_s = made.until_s - wanted.days * seconds_of_day;
    if (made.tells_starts) made.unit_hours_by_day.assign(static_cast<std::size_t>(std::ceil(wanted.days)), 0.0);
}

[[nodiscard]] period_sums sum_up(const application_history& of, deadline_start from, fleet_report& all) {
    period_sums made;
    for (std::size_t i = 0; i < of.runs.size(); ++i) {
        const auto& run = of.runs[i];
        const double start_s = run.timestamp_s.value_or(0);
        if (all.tells_starts && (start_s <= 0 || start_s < all.from_s || start_s > all.until_s)) continue;
        const double hours = run.scale_out * time_to_result_s(run, of.facts[i], from) / 3600;
        ++made.runs;
        made.unit_hours += hours;
        if (run.censored) {
            ++made.unsuccessful_runs;
            made.unsuccessful_unit_hours += hours;
        }
        if (!all.tells_starts) continue;
        const auto day = static_cast<std::size_t>((start_s - all.from_s) / seconds_of_day);
        all.unit_hours_by_day[std::min(day, all.unit_hours_by_day.size() - 1)] += hours;
    }
    return made;
}

[[nodiscard]] reported_application report_on(const application_history& of, const report_request& wanted) {
    const auto asked = request_for(of.name, wanted.advice, wanted.deadlines);
    reported_application made{{.of = &of, .advice = advise(of, asked)}, asked.deadline_s > 0};
    if (wanted.ledger) look_back_at(*wanted.ledger, made);
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
    sums.runs += one.period.runs;
    sums.in_time_at_present += runs * advice.present.probability;
    sums.in_time_as_proposed += runs * (advice.proposal ? advice.proposal->probability : advice.present.probability);
    if (!advice.changes_size()) return;
    const double saved = one.saved_unit_hours();
    if (advice.saving() > 0) {
        ++sums.saving_applications;
        sums.saved_unit_hours += saved;
    } else {
        ++sums.costlier_applications;
        sums.added_unit_hours -= saved;
    }
}

}  // namespace

void period_sums::add(const period_sums& other) {
    runs += other.runs;
    unsuccessful_runs += other.unsuccessful_runs;
    unit_hours += other.unit_hours;
    unsuccessful_unit_hours += other.unsuccessful_unit_hours;
}

double reported_application::saved_unit_hours() const {
    if (!changes_size()) return 0;
    return static_cast<double>(period.runs) * advice->saved_unit_hours();
}

bool reported_application::is_at_risk() const {
    return has_deadline && advice && advice->present.probability < advice->wanted.probability;
}

fleet_report make_report(const team_history& history, const report_request& wanted,
                         const std::function<void(std::size_t done)>& on_advice) {
    require_a_deadline_applies(history, wanted.deadlines);
    fleet_report made{.unit = history.applications.front().runs.front().context.unit,
                      .price_per_hour = wanted.price_per_hour,
                      .deadlines_from = wanted.advice.from};
    set_period(made, history, wanted);
    made.applications = report_on_all(history, wanted, on_advice);
    if (wanted.ledger) made.past.emplace();
    for (auto& one : made.applications) {
        one.period = sum_up(*one.of, wanted.advice.from, made);
        made.period.add(one.period);
        add(made.proposals, one);
        if (one.past) made.past->add(one.past->sums);
    }
    std::stable_sort(made.applications.begin(), made.applications.end(),
                     [](const auto& a, const auto& b) { return a.saved_unit_hours() > b.saved_unit_hours(); });
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
