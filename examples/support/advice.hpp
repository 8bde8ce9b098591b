// What size the next run of an application should have, and all that speaks for and against it.
#ifndef BELLAMY_EXAMPLES_ADVICE_HPP
#define BELLAMY_EXAMPLES_ADVICE_HPP

#include <bellamy/choose.hpp>
#include <bellamy/drift.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "history.hpp"
#include "next_size.hpp"
#include "odds_text.hpp"
#include "recent_change.hpp"

namespace tools {

/// Whence a deadline counts.
enum class deadline_start { submission, first_executor };

[[nodiscard]] constexpr std::string_view to_string(deadline_start start) {
    return start == deadline_start::submission ? "submission" : "first executor";
}

/// Of a recorded run, its wait for the first executor included where the deadline counts from submission.
[[nodiscard]] inline double time_to_result_s(const bellamy::run& run, const run_facts& facts, deadline_start from) {
    return run.runtime_s + (from == deadline_start::submission ? facts.wait_s.value_or(0) : 0);
}

struct advice_request {
    /// 0: what the present size keeps with the probability.
    double deadline_s = 0;
    deadline_start from = deadline_start::submission;
    double probability = 0.9;
    /// A change that saves a smaller share of the present hours is not proposed where the present size meets the deadline.
    double least_saving = 0.05;
    /// Of the data; where empty, it is forecast from past sizes.
    std::optional<next_size> size{};
    /// Of the next run; where empty, those of the last that succeeded.
    std::optional<std::string> arguments{};
};

/// What an advice rests on: runs of several contexts, one run whose tasks are scheduled again, the longest and the sum of
/// its tasks, or a cold start.
enum class advice_basis { history, replay, task_bounds, cold_start };

[[nodiscard]] constexpr std::string_view to_string(advice_basis basis) {
    if (basis == advice_basis::history) return "history";
    if (basis == advice_basis::task_bounds) return "task bounds";
    return basis == advice_basis::replay ? "replay" : "other jobs";
}

/// What the past runs of an application tell.
struct known_application {
    bellamy::model model;  // of the runs before the latest change, of all where there is none
    /// How the latest runs fit those before them. After a change the odds are those of the runs before it, times the factor.
    latest_fit latest{};
};

/// Errors: those of learning. Precondition: the history is not empty.
[[nodiscard]] bellamy::result<known_application> learn_application(const application_history& of, const learner& learning);

/// Runtimes of the next run, and what they rest on.
struct next_run {
    advice_basis basis = advice_basis::history;
    bellamy::curve from_first_executor;
    /// Why tasks that are known are not scheduled again; empty where they are, or there are none.
    std::string without_replay{};
};

/// In this context but for its data size, which is the one given where there is none in `size`. Errors: those of binding.
[[nodiscard]] bellamy::result<next_run> predict_next(const application_history& of, const known_application& known,
                                                     const bellamy::context& context, const next_size& size);

/// The size with the least expected hours, of those worth a try that keep a deadline; the present one where it keeps it,
/// too, and the change would save less than is wanted.
struct size_choice {
    bellamy::request wanted{};
    std::vector<int> scale_outs{};
    std::vector<bellamy::assessment> rows{};  // of the scale-outs; costs are hours of units of scale-out
    bellamy::decision choice{};
    bellamy::assessment present{};
};

/// Of these sizes, ascending, which hold the present one; those up to `without_memory` are assessed and not chosen. A
/// deadline of 0 is what the present size keeps with the probability. Errors: those of `bellamy::choose`.
[[nodiscard]] bellamy::result<size_choice> choose_size(const bellamy::curve& runtimes, std::vector<int> scale_outs,
                                                       int present, const advice_request& wanted, int without_memory = 0);

/// A deadline that a size keeps with the required probability.
struct kept_deadline {
    int scale_out = 0;
    double deadline_s = 0;
};

/// The next run is taken to be like the last that succeeded in all but its scale-out, its data size, and arguments that are
/// given.
struct advice {
    advice_basis basis = advice_basis::history;
    bellamy::model model;
    bellamy::curve runtimes;
    bellamy::request wanted{};
    /// What the next run is taken to be, but for its data size.
    bellamy::context like{};
    next_size size{};
    /// Why tasks that are known are not scheduled again; empty where they are, or there are none.
    std::string without_replay{};
    std::vector<int> scale_outs{};
    std::vector<bellamy::assessment> rows{};  // of the scale-outs; costs are hours of units of scale-out
    bellamy::decision choice{};
    bellamy::assessment present{};
    /// The chosen size, or the present one where the change is not worth it; empty where no size meets the deadline.
    std::optional<bellamy::assessment> proposal{};
    /// Why proposals stop: by the ledger of past ones, or since no run succeeded; empty where they do not.
    std::string stopped{};
    /// The shortest deadline that any size keeps; where a proposal is, it is not looked for.
    std::optional<kept_deadline> feasible_deadline{};
    deadline_start from = deadline_start::submission;
    /// As it was asked for.
    double least_saving = 0;
    /// Waits for the first executor, ascending and equally probable; empty where the deadline counts from it, or none was
    /// recorded.
    std::vector<double> waits_s{};
    /// The runs nearest to the proposed one, nearest first: same context, then data size, then scale-out.
    std::vector<std::size_t> nearest{};
    /// How the latest runs fit those before them. After a change the odds are those of the runs before it, times the factor.
    latest_fit latest{};
    /// Largest heap of an executor in MB over scale-outs, as a distribution; empty where no log tells.
    std::optional<bellamy::curve> heap_mb{};
    /// Sizes up to this one, below all that ran, are not proposed: an executor's heap (90 %) would outgrow its memory. 0:
    /// none.
    int without_memory = 0;
    std::vector<std::string> warnings{};

    [[nodiscard]] double saved_unit_hours() const { return proposal ? present.expected_cost - proposal->expected_cost : 0; }
    /// Share of the present unit hours that the proposed size saves; negative where it takes more.
    [[nodiscard]] double saving() const {
        return present.expected_cost > 0 ? saved_unit_hours() / present.expected_cost : 0;
    }
    [[nodiscard]] double probability_gained() const { return proposal ? proposal->probability - present.probability : 0; }
    [[nodiscard]] std::string_view verdict_on(const bellamy::assessment& row) const {
        return verdict_on_size(row, !stopped.empty(), without_memory);
    }
    [[nodiscard]] bool changes_size() const { return proposal && proposal->scale_out != present.scale_out; }
};

/// Errors: those of learning, binding and choosing; unknown_property for arguments of an application whose runs all had the
/// same ones, which therefore tell nothing. Precondition: the history is not empty.
[[nodiscard]] bellamy::result<advice> advise(const application_history& of, const advice_request& wanted);

/// The data size of the run whose tasks are scheduled again, or of the last that succeeded.
[[nodiscard]] std::optional<double> size_with_tasks(const application_history& of);

/// How many runs succeeded and are like the next in all but their scale-out and their data size.
[[nodiscard]] std::size_t runs_like(const bellamy::context& next, const application_history& of);

/// The latest twenty waits for the first executor of runs that succeeded, ascending; empty where none was recorded.
[[nodiscard]] std::vector<double> usual_waits(std::span<const bellamy::run> runs, std::span<const run_facts> facts);

/// The runtimes after these waits, ascending and equally probable; where there are none, the runtimes. Waits are joined to
/// at most six cases, of which one is the largest where it is far from the others.
[[nodiscard]] bellamy::curve after_waits(const bellamy::curve& runtimes, std::span<const double> waits_s);

/// Takes the proposal back, and says why in front of all warnings.
void withhold(advice& made, const std::string& why);

/// The proposed size in the words of Spark or Flink; that of the last run that succeeded where nothing is proposed.
[[nodiscard]] spark_size proposed_size(const application_history& of, const advice& made);

}  // namespace tools

#endif
