// An application with its advice and what became of past ones, and the words in which all outputs say it.
#ifndef BELLAMY_EXAMPLES_ADVISED_HPP
#define BELLAMY_EXAMPLES_ADVISED_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "advice.hpp"
#include "ledger.hpp"
#include "model_text.hpp"
#include "printable.hpp"
#include "units.hpp"

namespace tools {

struct advised {
    const application_history* of = nullptr;
    bellamy::result<tools::advice> advice;
    /// Whether somebody stated the deadline; where nobody did, it is what the present size keeps.
    bool has_deadline = false;
    /// Empty where no ledger is kept.
    std::optional<application_ledger> past{};
};

[[nodiscard]] inline const bellamy::run& last_complete(const advised& one) { return one.of->runs[one.of->last_complete()]; }

/// " on m5.xlarge": the machines of the last run that succeeded, which the next is taken to have; empty where none is named.
[[nodiscard]] inline std::string machines_of(const advised& one) {
    for (const auto& each : last_complete(one).context.essential)
        if (each.role == bellamy::property_role::machine_type)
            if (const auto* name = each.value.text()) return " on " + printable(*name);
    return {};
}

/// What became of the proposals of a ledger; where they came to nothing, no more are made.
inline void look_back_at(std::span<const ledger_entry> entries, advised& one) {
    one.past = look_back(entries, *one.of);
    const auto& runs = one.of->runs;
    const bool tells_starts =  // traces without a start have 0
        std::any_of(runs.begin(), runs.end(), [](const bellamy::run& run) { return run.timestamp_s.value_or(0) > 0; });
    if (one.advice && !tells_starts)
        one.advice->warnings.emplace_back(
            "the ledger matches no run: no start times are known, so none is known to be later "
            "than a proposal");
    if (one.advice && !one.past->stopped.empty()) withhold(*one.advice, one.past->stopped);
}

/// What the proposal changes: "as it is", "saves 12 %", "meets the deadline, 12 % more hours"; with a price of an hour above
/// 0 what that is in money, too.
[[nodiscard]] inline std::string gain_of(const advice& made, const money& price_per_hour = {}) {
    if (!made.stopped.empty()) return "stopped";
    if (!made.proposal) return "no size meets it";
    if (!made.changes_size()) return "as it is";
    const auto percent = std::lround(100 * made.saving());
    std::string text = made.present.probability < made.wanted.probability ? "meets the deadline" : "";
    if (text.empty() || percent > 0) text += fmt::format("{}saves {} %", text.empty() ? "" : ", ", percent);
    if (percent < 0) text += fmt::format(", {} % more hours", -percent);
    if (price_per_hour.amount > 0 && percent != 0) {
        const double amount = std::abs(made.saved_unit_hours()) * price_per_hour.amount;
        text += fmt::format(", {} a run", to_text({amount, price_per_hour.currency}));
    }
    return text;
}

/// What the odds rest on: "9 runs like the next, 3 with other settings, 1 that did not succeed". Precondition: there is an
/// advice.
[[nodiscard]] inline std::string basis_of(const advised& one) {
    const auto& runs = one.of->runs;
    const auto succeeded = static_cast<std::size_t>(
        std::count_if(runs.begin(), runs.end(), [](const bellamy::run& run) { return !run.censored; }));
    const auto bounds =
        succeeded < runs.size() ? fmt::format(", {} that did not succeed", runs.size() - succeeded) : std::string();
    switch (one.advice->basis) {
        case advice_basis::replay: return fmt::format("the tasks of run {}", one.of->latest ? one.of->latest->run : "?");
        case advice_basis::task_bounds:
            return fmt::format("the longest task and the sum of tasks of {} like the next{}", count(succeeded, "run"),
                               bounds);
        case advice_basis::cold_start:
            return fmt::format("{} like the next{}, and how other jobs scale", count(succeeded, "run"), bounds);
        case advice_basis::history: break;
    }
    const auto alike = runs_like(one.advice->like, *one.of);
    return fmt::format("{} like the next{}{}", count(alike, "run"),
                       succeeded > alike ? fmt::format(", {} with other settings", succeeded - alike) : "", bounds);
}

/// How the latest runs fit those before them: "+97 % (p 0.0002)", "last run +97 % (p 0.01)", "unclear (p 0.001)" where no
/// factor explains them, as with an outlier.
[[nodiscard]] inline std::string drift_of(const advice& made) {
    const auto& [test, change] = made.latest;
    if (change)
        return fmt::format("{}{:+.0f} % (p {:.2g})", change->runs == 1 ? "last run " : "",
                           100 * std::expm1(change->log_factor), change->test.probability);
    return test ? fmt::format("{} (p {:.2g})", test->probability < 0.01 ? "unclear" : "none", test->probability) : "-";
}

}  // namespace tools

#endif
