// What size the next run of an application should have, and all that speaks for and against it.
#ifndef BELLAMY_EXAMPLES_ADVICE_HPP
#define BELLAMY_EXAMPLES_ADVICE_HPP

#include <bellamy/choose.hpp>
#include <bellamy/drift.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "history.hpp"
#include "next_size.hpp"

namespace tools {

struct advice_request {
    /// From the first executor to the result; 0: what the present size keeps with the probability.
    double deadline_s = 0;
    double probability = 0.9;
    /// Of the data; where empty, it is forecast from past sizes.
    std::optional<next_size> size{};
};

/// The size with the least expected hours, of those worth a try that keep a deadline.
struct size_choice {
    bellamy::request wanted{};
    std::vector<int> scale_outs{};
    std::vector<bellamy::assessment> rows{};  // of the scale-outs; costs are hours of units of scale-out
    bellamy::decision choice{};
};

/// Of these sizes. A deadline of 0 is what the present size keeps with the probability.
/// Errors: those of `bellamy::choose`.
[[nodiscard]] bellamy::result<size_choice> choose_size(const bellamy::curve& runtimes, std::vector<int> scale_outs,
                                                       int present, double deadline_s, double probability);

/// What an advice rests on: runs of several contexts, one run whose tasks are scheduled again, or a cold start.
enum class advice_basis { history, replay, cold_start };

[[nodiscard]] constexpr std::string_view to_string(advice_basis basis) {
    if (basis == advice_basis::history) return "history";
    return basis == advice_basis::replay ? "replay" : "cold start";
}

/// The next run is taken to be like the last in all but its scale-out and its data size.
struct advice {
    advice_basis basis = advice_basis::history;
    bellamy::model model;
    bellamy::curve runtimes;
    bellamy::request wanted{};
    next_size size{};
    /// Why tasks that are known are not scheduled again; empty where they are, or there are none.
    std::string without_replay{};
    std::vector<int> scale_outs{};
    std::vector<bellamy::assessment> rows{};  // of the scale-outs; costs are hours of units of scale-out
    bellamy::decision choice{};
    bellamy::assessment present{};
    /// The runs nearest to the proposed one, nearest first: same context, then data size, then scale-out.
    std::vector<std::size_t> nearest{};
    /// Of the latest runs from those before them; empty where there are too few.
    std::optional<bellamy::drift> recent{};
    /// Largest heap of an executor in MB over scale-outs, as a distribution; empty where no log tells.
    std::optional<bellamy::curve> heap_mb{};
    std::vector<std::string> warnings{};

    /// Share of the present unit hours that the proposed size saves; negative where it takes more.
    [[nodiscard]] double saving() const {
        return choice.candidate && present.expected_cost > 0 ? 1 - choice.candidate->expected_cost / present.expected_cost
                                                             : 0;
    }
    [[nodiscard]] double probability_gained() const {
        return choice.candidate ? choice.candidate->probability - present.probability : 0;
    }
};

/// Error: those of learning, binding and choosing. Precondition: the history is not empty.
[[nodiscard]] bellamy::result<advice> advise(const application_history& of, const advice_request& wanted);

/// How many runs are like the last in all but their scale-out and their data size.
[[nodiscard]] std::size_t runs_like_the_last(const application_history& of);

/// "last 5 runs took 1.2 standard deviations more than predicted from those before (p = 0.01)".
[[nodiscard]] std::string describe(const bellamy::drift& recent);

/// The proposed size in Spark's words; that of the last run where no prediction was usable.
[[nodiscard]] spark_size proposed_size(const application_history& of, const advice& made);

}  // namespace tools

#endif
