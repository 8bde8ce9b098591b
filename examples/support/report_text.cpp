#include "report_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>
#include <set>

#include "advice_warnings.hpp"
#include "model_text.hpp"
#include "odds_text.hpp"
#include "printable.hpp"
#include "unusual_runs.hpp"

namespace tools {

namespace {

constexpr std::size_t most_name_bytes = 80;
constexpr std::size_t most_named = 5;

[[nodiscard]] std::string_view unit_of(const fleet_report& report) { return to_string(report.unit); }

[[nodiscard]] std::string odds_of(double probability, const tools::advice& advice) {
    return percent_of(probability, advice.wanted.probability);
}

[[nodiscard]] const std::string& name_of(const reported_application* one, const fleet_report& report,
                                         const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(one - report.applications.data())];
}

// The first few as sentences, and how many more there are.
template <class Sentence>
[[nodiscard]] std::vector<std::string> sentences_of(const std::vector<const reported_application*>& all,
                                                    const Sentence& sentence_of) {
    std::vector<std::string> made;
    for (std::size_t i = 0; i < std::min(all.size(), most_named); ++i) made.push_back(sentence_of(*all[i]));
    if (all.size() > most_named)
        made.push_back(fmt::format("And {} more, as their sections tell.", all.size() - most_named));
    return made;
}

// By money where prices tell it; null where no other size saves hours of what ran in the period.
[[nodiscard]] const reported_application* largest_by_size(const fleet_report& report) {
    const reported_application* most = nullptr;
    const auto saved = [](const reported_application& one) { return std::pair(one.saved_cost(), one.saved_unit_hours()); };
    for (const auto& one : report.applications)
        if (one.saved_unit_hours() > 0 && (most == nullptr || saved(one) > saved(*most))) most = &one;
    return most;
}

// The one without a price that saves most hours, where these are more than those of `by_size`; null where none does.
[[nodiscard]] const reported_application* larger_without_price(const reported_application& by_size,
                                                               const fleet_report& report) {
    const auto* most = &by_size;
    for (const auto& one : report.applications)
        if (!(one.price_per_hour > 0) && one.saved_unit_hours() > most->saved_unit_hours()) most = &one;
    return most == &by_size || !(by_size.price_per_hour > 0) ? nullptr : most;
}

// Null where no other machine type, nor executors of another size, are cheaper for what ran in the period.
[[nodiscard]] const reported_application* largest_by_machine(const fleet_report& report) {
    const reported_application* most = nullptr;
    for (const auto& one : report.applications)
        if (one.saves_by_machine() && (most == nullptr || one.saved_by_machine() > most->saved_by_machine())) most = &one;
    return most;
}

// Than any proposal of another size alone.
[[nodiscard]] bool saves_more_than_sizes(const reported_application& by_machine, const fleet_report& report) {
    return std::all_of(report.applications.begin(), report.applications.end(),
                       [&](const reported_application& one) { return by_machine.saved_by_machine() > one.saved_cost(); });
}

// How far a machine type is known, and with what probability its size is in time.
[[nodiscard]] std::string basis_of_machine(const reported_application& one) {
    const auto& other = *one.cheaper();
    const auto in_time =
        one.has_deadline ? fmt::format("in time with {}, ", odds_of(other.chosen->probability, *one.advice)) : std::string();
    return in_time + basis_of(other);
}

// What all proposals save or cost, the money only where it has the sign of the hours.
[[nodiscard]] std::string all_together(const fleet_report& report, const report_style& style) {
    const auto& sums = report.proposals;
    const double hours = sums.saved_unit_hours - sums.added_unit_hours;
    const double cost = sums.saved_cost - sums.added_cost;
    const auto text = (hours < 0) == (cost < 0) ? hours_text(std::abs(hours), std::abs(cost), report, style)
                                                : fmt::format("{:.1f} {}-hours", std::abs(hours), unit_of(report));
    return fmt::format("together all proposals {} {}", hours < 0 ? "cost" : "save", text);
}

[[nodiscard]] answered_question largest_saving(const fleet_report& report, const std::vector<std::string>& names,
                                               const report_style& style) {
    answered_question made{.question = "Where is the largest saving?"};
    const auto& sums = report.proposals;
    const auto* by_size = largest_by_size(report);
    if (by_size != nullptr) {
        made.answer.push_back(
            fmt::format("{}: {} would save {:.0f} % of a run's hours: {} in the next {} if all are as the next one.",
                        name_of(by_size, report, names), proposal_text(*by_size), 100 * by_size->advice->saving(),
                        hours_text(by_size->saved_unit_hours(), by_size->saved_cost(), report, style),
                        count(by_size->period.runs, "run")));
        made.answer.push_back(fmt::format("Its median time to the result would be {} in place of {}.",
                                          duration_text(by_size->advice->proposal->predicted.median_s),
                                          duration_text(by_size->advice->present.predicted.median_s)));
        if (const auto* unpriced = larger_without_price(*by_size, report))
            made.answer.push_back(fmt::format("{} would save more hours, at no known price: {}.",
                                              name_of(unpriced, report, names),
                                              hours_text(unpriced->saved_unit_hours(), 0, report, style)));
        made.answer.push_back(fmt::format("In all, {} would save {} in as many runs as the period has.",
                                          count(sums.saving_applications, "proposal"),
                                          hours_text(sums.saved_unit_hours, sums.saved_cost, report, style)));
    } else {
        made.answer.emplace_back("No proposal saves hours of applications that ran in the period.");
    }
    if (const auto* most = largest_by_machine(report)) {
        const bool is_largest = saves_more_than_sizes(*most, report);
        auto sentence = fmt::format(
            "{}: {}, {}, would save {} in the next {} if all are as the next one{}; {}.", name_of(most, report, names),
            most->cheaper()->has_other_executors ? "executors of another size" : "another machine type",
            describe(*most->cheaper(), unit_of(report)), money_text(most->saved_by_machine(), report, style),
            count(most->period.runs, "run"), is_largest && by_size != nullptr ? ", more than any change of size alone" : "",
            basis_of_machine(*most));
        made.answer.insert(is_largest ? made.answer.begin() : made.answer.end(), std::move(sentence));
        const auto cheaper = select(report, &reported_application::saves_by_machine);
        const bool has_executors =
            std::any_of(cheaper.begin(), cheaper.end(), [](const auto* one) { return one->cheaper()->has_other_executors; });
        if (cheaper.size() > 1)
            made.answer.push_back(fmt::format("Another machine type{} would be cheaper for {}, by {} in all.",
                                              has_executors ? " or size of executors" : "",
                                              count(cheaper.size(), "application"),
                                              money_text(report.saved_by_machines(), report, style)));
    }
    if (!report.prices.is_empty() && report.period.unpriced_runs > 0)
        made.answer.push_back(
            fmt::format("Money leaves out {} on machine types without a price.", count(report.period.unpriced_runs, "run")));
    const auto idle = std::count_if(report.applications.begin(), report.applications.end(), [](const auto& one) {
        return one.period.runs == 0 && one.changes_size() && one.advice->saving() > 0;
    });
    if (idle > 0)
        made.answer.push_back(fmt::format("{} would save hours of applications that did not run in the period.",
                                          count(static_cast<std::size_t>(idle), "proposal")));
    if (sums.costlier_applications > 0)
        made.answer.push_back(
            fmt::format("{} to meet a deadline, at {} more; {}.", count(sums.costlier_applications, "further proposal"),
                        hours_text(sums.added_unit_hours, sums.added_cost, report, style), all_together(report, style)));
    return made;
}

// Of several proposals that save, the one with the lowest odds.
void add_least_probable(std::vector<std::string>& sentences, const fleet_report& report,
                        const std::vector<std::string>& names) {
    const reported_application* least = nullptr;
    for (const auto& one : report.applications)
        if (one.saved_unit_hours() > 0 &&
            (least == nullptr || one.advice->proposal->probability < least->advice->proposal->probability))
            least = &one;
    if (report.proposals.saving_applications < 2 || least == nullptr) return;
    sentences.push_back(fmt::format(
        "Of {} that save, the least probable is that for {}: in time with {}{}.",
        count(report.proposals.saving_applications, "proposal"), name_of(least, report, names),
        odds_of(least->advice->proposal->probability, *least->advice),
        least->has_deadline ? "" : "; nobody stated its deadline, and in time is within what the size now meets"));
}

// Of odds that somebody is to act on. Nine of ten runs should be within: of ten and more, chance leaves hardly fewer than
// seven.
void add_poor_backtests(std::vector<std::string>& sentences, const fleet_report& report,
                        const std::vector<std::string>& names) {
    std::vector<const reported_application*> poor;
    for (const auto& one : report.applications) {
        if (!one.tested || !(one.has_deadline || one.changes_size() || one.saves_by_machine())) continue;
        const auto score = score_of(one.tested->tries);
        if (score.predicted >= 10 && score.within_interval < 0.7) poor.push_back(&one);
    }
    const auto rest = sentences_of(poor, [&](const reported_application& one) {
        return fmt::format(
            "{}: only {} of {} in the back-test were within their 90 % intervals: its odds cannot be relied on.",
            name_of(&one, report, names), percent(score_of(one.tested->tries).within_interval),
            count(score_of(one.tested->tries).predicted, "run"));
    });
    sentences.insert(sentences.end(), rest.begin(), rest.end());
}

[[nodiscard]] std::string warnings_text(const std::string& name, const advice& of) {
    return of.warnings.empty() ? fmt::format("No warnings of {}.", name)
                               : fmt::format("Warnings of {}: {}.", name, fmt::join(of.warnings, "; "));
}

// Of the application that another machine type, or executors of another size, save most.
[[nodiscard]] std::vector<std::string> safety_of_machine(const reported_application& one, const std::string& name) {
    const auto& advice = *one.advice;
    const auto& other = *one.cheaper();
    const auto where = other.executors.empty() ? other.name : describe(other, to_string(advice.like.unit));
    std::vector<std::string> made{fmt::format(
        "{} {} {}: the next run is in time with {} there (now {}, required {:g} %), with a median time to the result of {} "
        "(now {}); {}.",
        name, other.name.empty() ? "with" : "on", where, odds_of(other.chosen->probability, advice),
        odds_of(advice.present.probability, advice), 100 * advice.wanted.probability,
        duration_text(other.chosen->predicted.median_s), duration_text(advice.present.predicted.median_s), basis_of(other))};
    if (!one.has_deadline) made.emplace_back("Nobody stated a deadline: in time is within what the size now meets.");
    return made;
}

[[nodiscard]] answered_question safety(const fleet_report& report, const std::vector<std::string>& names) {
    answered_question made{.question = "Is it safe?"};
    const auto* by_size = largest_by_size(report);
    if (const auto* most = largest_by_machine(report); most != nullptr && saves_more_than_sizes(*most, report)) {
        made.answer = safety_of_machine(*most, name_of(most, report, names));
        if (most != by_size)  // else they are told below
            made.answer.push_back(warnings_text(name_of(most, report, names), *most->advice));
    }
    if (by_size != nullptr) {
        const auto& advice = *by_size->advice;
        const auto& name = name_of(by_size, report, names);
        made.answer.push_back(
            fmt::format("{}: the next run is in time with {} as proposed (now {}, required {:g} %), based on {}.", name,
                        odds_of(advice.proposal->probability, advice), odds_of(advice.present.probability, advice),
                        100 * advice.wanted.probability, basis_of(*by_size)));
        if (by_size->held)
            made.answer.push_back(
                fmt::format("{} meets the deadline {}.", name, describe(*by_size->held, by_size->of->size_unit)));
        if (by_size->tested && !by_size->tested->tries.empty())
            made.answer.push_back(fmt::format("Back-test of {}: {}.", name, backtest_text(*by_size->tested)));
        made.answer.push_back(warnings_text(name, advice));
    }
    const auto changes = select(report, &reported_application::changes_size);
    const auto warned = static_cast<std::size_t>(
        std::count_if(changes.begin(), changes.end(), [](const auto* one) { return !one->advice->warnings.empty(); }));
    if (warned > 0)
        made.answer.push_back(fmt::format("{} of {} to change a size {} warnings, which the sections list.", warned,
                                          count(changes.size(), "proposal"), warned == 1 ? "has" : "have"));
    add_least_probable(made.answer, report, names);
    add_poor_backtests(made.answer, report, names);
    const auto& sums = report.proposals;
    if (sums.runs > 0)
        made.answer.push_back(fmt::format(
            "Of {} with a stated deadline, were they all like the next of {} application, {:.1f} would be in time at the "
            "present sizes, {:.1f} at those proposed.",
            count(sums.runs, "run"), report.applications.size() == 1 ? "the" : "their", sums.in_time_at_present,
            sums.in_time_as_proposed));
    if (made.answer.empty())
        made.answer.emplace_back("Nothing is proposed of what ran in the period: its odds stay as they are.");
    return made;
}

[[nodiscard]] answered_question risk(const fleet_report& report, const std::vector<std::string>& names) {
    answered_question made{.question = "Which deadlines are at risk?"};
    const auto stated = static_cast<std::size_t>(std::count_if(report.applications.begin(), report.applications.end(),
                                                               [](const auto& one) { return one.has_deadline; }));
    if (stated == 0) {
        made.answer.emplace_back(
            "No deadline was stated (--deadline or --deadlines): each is taken to be what the size now meets.");
        return made;
    }
    auto risky = select(report, &reported_application::is_at_risk);
    std::stable_sort(risky.begin(), risky.end(), [](const auto* a, const auto* b) {
        return a->advice->present.probability < b->advice->present.probability;
    });
    made.answer.push_back(
        risky.empty()
            ? fmt::format("None: the present size of {} with a deadline meets it with the required probability.",
                          stated == 1 ? "the application" : fmt::format("all {} applications", stated))
            : fmt::format("{} of {} with a deadline: the present size meets it with less than the required probability{}",
                          risky.size(), count(stated, "application"),
                          risky.size() > 1 ? ". The least probable first:" : ":"));
    const auto rest = sentences_of(risky, [&](const reported_application& one) {
        const auto& advice = *one.advice;
        const auto late = late_text(one);
        const auto sized = [&](int scale_out) { return count(static_cast<std::size_t>(scale_out), unit_of(report)); };
        auto closest = proposal_text(one);
        const bool is_told = advice.stopped.empty();  // what the ledger stopped is not proposed by another name
        if (const auto& best = advice.choice.candidate; best && !advice.proposal && is_told)
            closest +=
                fmt::format(", the closest, {}, with {}{}", sized(best->scale_out), odds_of(best->probability, advice),
                            best->predicted.outside_seen_scale_outs ? ", a guess beyond all sizes that ran" : "");
        const auto instead = advice.proposal
                                 ? fmt::format("{}: {}", proposal_text(one), odds_of(advice.proposal->probability, advice))
                             : advice.feasible_deadline && is_told
                                 ? fmt::format("{}, but {} could be met with {}", closest,
                                               duration_text(std::ceil(advice.feasible_deadline->deadline_s)),
                                               sized(advice.feasible_deadline->scale_out))
                                 : closest;
        return fmt::format("{}: {} in {} now{}; {}.", name_of(&one, report, names),
                           odds_of(advice.present.probability, advice), duration_text(advice.wanted.deadline_s),
                           late.empty() ? "" : ", late " + late, instead);
    });
    made.answer.insert(made.answer.end(), rest.begin(), rest.end());
    const auto doubtful =
        sentences_of(select(report, &reported_application::has_doubtful_deadline), [&](const reported_application& one) {
            return fmt::format("{}: {}", name_of(&one, report, names), doubt_of_unit(*one.of, *one.advice));
        });
    made.answer.insert(made.answer.end(), doubtful.begin(), doubtful.end());
    return made;
}

// Of the first and the second half of the period: hours, and how far predictions were off.
void add_trends(std::vector<std::string>& sentences, const fleet_report& report) {
    if (!report.tells_starts || report.period.runs == 0) return;
    if (report.begins_within_period) return;
    sentences.push_back("Hours: " + halves_text(report));
    std::vector<timed_prediction> first;
    std::vector<timed_prediction> second;
    for (const auto& each : report.predictions())
        (each.at_s < (report.from_s + report.until_s) / 2 ? first : second).push_back(each);
    if (first.empty() || second.empty()) return;
    sentences.push_back(fmt::format("Median error of predictions: {} of {} in the first half, {} of {} in the second.",
                                    percent(median_error(first)), count(first.size(), "run"), percent(median_error(second)),
                                    count(second.size(), "run")));
}

[[nodiscard]] answered_question changes(const fleet_report& report, const std::vector<std::string>& names) {
    answered_question made{.question = "What changed?"};
    const auto changed = select(report, &reported_application::has_changed);
    const auto unusual = select(report, &reported_application::has_unusual_runs);
    const auto all = report.applications.size();
    const auto tested = select(report, &reported_application::has_tested_latest).size();
    if (!changed.empty())
        made.answer.push_back(
            fmt::format("{} runtimes that data size and scale-out do not explain.",
                        changed.size() == 1 ? "1 application has" : fmt::format("{} applications have", changed.size())));
    else if (tested > 0)
        made.answer.push_back(fmt::format("Nothing{}: data size and scale-out explain all{} runtimes{}.",
                                          unusual.empty() ? "" : " lasting", unusual.empty() ? "" : " but single",
                                          tested < all ? fmt::format(" of {}", count(tested, "application")) : ""));
    const auto without = static_cast<std::size_t>(
        std::count_if(report.applications.begin(), report.applications.end(), [](const reported_application& one) {
            const auto& runs = one.of->runs;
            const bool none_succeeded =
                std::all_of(runs.begin(), runs.end(), [](const bellamy::run& run) { return run.censored; });
            return !one.has_tested_latest() && (!one.advice || none_succeeded);
        }));
    const auto few = all - tested - without;
    if (few > 0)
        made.answer.push_back(few == all
                                  ? "Not known: too few runs to compare the latest with those before."
                                  : fmt::format("{} too few runs to compare the latest with those before.",
                                                few == 1 ? "1 application has" : fmt::format("{} applications have", few)));
    if (without > 0)
        made.answer.push_back(
            fmt::format("Not known of {} without a run that succeeded, or without advice.", count(without, "application")));
    const auto rest = sentences_of(changed, [&](const reported_application& one) {
        return fmt::format("{}: {}.", name_of(&one, report, names), describe(*one.advice->latest.change));
    });
    made.answer.insert(made.answer.end(), rest.begin(), rest.end());
    const auto exceptions = sentences_of(unusual, [&](const reported_application& one) {
        return fmt::format("{}: {}.", name_of(&one, report, names), describe(one.of->unusual.front()));
    });
    made.answer.insert(made.answer.end(), exceptions.begin(), exceptions.end());
    add_trends(made.answer, report);
    return made;
}

[[nodiscard]] answered_question past(const fleet_report& report, const std::vector<std::string>& names,
                                     const report_style& style) {
    answered_question made{.question = "What did earlier proposals bring?"};
    if (!report.past) {
        made.answer.emplace_back(
            "Not known: recommend --ledger FILE keeps a ledger of them, report --ledger FILE reads it.");
        return made;
    }
    auto text = describe(*report.past, unit_of(report));
    if (!report.prices.is_empty() && report.past->changed > 0)
        text += ", " + money_text(report.saved_cost_of_past, report, style);
    made.answer.push_back(text + ".");
    for (std::size_t i = 0; i < report.applications.size(); ++i)
        if (const auto& of = report.applications[i].past; of && !of->stopped.empty())
            made.answer.push_back(fmt::format("Proposals for {} stop: {}.", names[i], of->stopped));
    return made;
}

}  // namespace

std::vector<std::string> short_names(const fleet_report& report) {
    std::vector<std::string> names;
    std::set<std::string> taken;
    names.reserve(report.applications.size());
    for (const auto& one : report.applications) {
        const auto name = shortened(printable(one.of->name), most_name_bytes);
        auto unique = name;
        for (int number = 2; !taken.insert(unique).second; ++number) unique = fmt::format("{} ({})", name, number);
        names.push_back(std::move(unique));
    }
    return names;
}

std::string duration_text(double seconds) {
    if (seconds < 120) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
    if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

std::string time_text(double since_epoch_s) {
    return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(since_epoch_s)));
}

std::string money_text(double cost, const fleet_report& report, const report_style& style) {
    return report.prices.is_empty() ? "-" : to_text(money{.amount = cost, .currency = style.currency});
}

std::string hours_text(double unit_hours, double cost, const fleet_report& report, const report_style& style) {
    auto text = fmt::format("{:.{}f} {}-hours", unit_hours, std::abs(unit_hours) < 10 ? 2 : 1, unit_of(report));
    if (report.prices.is_empty()) return text;
    const bool is_priced = cost != 0 || unit_hours == 0;  // prices are above 0
    return text + (is_priced ? " (" + money_text(cost, report, style) + ")" : " (no price)");
}

std::string older_attempts_text(const period_sums& sums, const fleet_report& report, const report_style& style) {
    if (sums.older_attempts == 0) return {};
    return fmt::format("{} that {} made anew took {}, which are not in the hours above",
                       count(sums.older_attempts, "attempt"), sums.older_attempts == 1 ? "was" : "were",
                       hours_text(sums.older_attempt_unit_hours, sums.older_attempt_cost, report, style));
}

std::string proposal_text(const reported_application& one) {
    if (!one.advice) return "no advice";
    const auto& advice = *one.advice;
    const auto unit = to_string(last_complete(one).context.unit);
    if (!advice.stopped.empty()) return "none: proposals are stopped";
    if (!advice.proposal) return "none: no size meets the deadline";
    if (!advice.changes_size())
        return fmt::format("stays at {}", count(static_cast<std::size_t>(advice.present.scale_out), unit));
    return fmt::format("{} -> {}", advice.present.scale_out,
                       count(static_cast<std::size_t>(advice.proposal->scale_out), unit));
}

std::string late_text(const reported_application& one) {
    if (!one.latest_late || one.latest_late->runs == 0) return {};
    const auto [runs, late] = *one.latest_late;
    return fmt::format("{} of the last {} at the size now, where its odds state {:.1f}", late, runs,
                       static_cast<double>(runs) * (1 - one.advice->present.probability));
}

std::string backtest_text(const backtested& of) {
    const auto errors = score_of(of.tries);
    return fmt::format("median error {} of {} (Ernest {}, the last run {}); {} within their 90 % intervals",
                       percent(errors.error), count(errors.predicted, "run"), percent(errors.ernest),
                       percent(errors.last_run), percent(errors.within_interval));
}

double median_error(const std::vector<timed_prediction>& of) {
    std::vector<double> errors;
    for (const auto& each : of)
        errors.push_back(std::abs(each.run->predicted.median_s - each.run->measured_s) / each.run->measured_s);
    return detail::median(errors);
}

std::string halves_text(const fleet_report& report) {
    const auto& [before, after] = report.halves;
    return fmt::format("{:.1f} {}-hours of {} in the first half of the period, {:.1f} of {} in the second.",
                       before.unit_hours, unit_of(report), count(before.runs, "run"), after.unit_hours,
                       count(after.runs, "run"));
}

std::string period_text(const fleet_report& report) {
    const auto runs = count(report.period.runs, "run");
    if (!report.tells_starts) return fmt::format("All {}: the history has no start times.", runs);
    auto text =
        fmt::format("{} to {}, {:g} days: {}", time_text(report.from_s), time_text(report.until_s), report.days(), runs);
    if (report.runs_without_start > 0)
        text += fmt::format("; {} without a start time not counted", count(report.runs_without_start, "run"));
    return text + ".";
}

std::string prices_text(const fleet_report& report, const report_style& style) {
    if (report.prices.is_empty()) return {};
    std::vector<std::string> prices;
    for (const auto& each : report.prices.machines)
        prices.push_back(fmt::format("{} {}", printable(each.name), money_text(each.price_per_hour, report, style)));
    if (report.prices.otherwise > 0)
        prices.push_back((prices.empty() ? "" : "on other machine types ") +
                         money_text(report.prices.otherwise, report, style));
    return fmt::format("Price per {} and hour{}: {}.", unit_of(report),
                       report.unit == bellamy::scale_out_unit::executor ? ", whatever cores it has" : "",
                       fmt::join(prices, ", "));
}

std::vector<answered_question> answers_of(const fleet_report& report, const std::vector<std::string>& names,
                                          const report_style& style) {
    return {largest_saving(report, names, style), safety(report, names), risk(report, names), changes(report, names),
            past(report, names, style)};
}

}  // namespace tools
