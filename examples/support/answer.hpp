// What allocate was asked and what it answers: what its table, its record and its picture are made from.
#ifndef BELLAMY_EXAMPLES_ANSWER_HPP
#define BELLAMY_EXAMPLES_ANSWER_HPP

#include <fmt/format.h>
#include <bellamy/choose.hpp>
#include <bellamy/training.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model_text.hpp"

namespace tools {

/// A kind of machine to run the job on.
struct machine {
    std::string name{};  // empty where the model knows nothing of machines
    bellamy::price costs{};
    bellamy::context job{};
    std::vector<bellamy::run> observed{};
    std::map<int, double> measured{};  // known runtimes in seconds by scale-out, to compare with
};

struct answer {
    bellamy::model model;  // with what was observed
    bellamy::training_report tuning{};
    bellamy::request wanted{};
    std::string goal{};  // as it is spelled on the command line
    bool priced = false;
    std::vector<machine> machines{};
    std::vector<bellamy::curve> curves{};  // of the machines
    std::vector<int> scale_outs{};
    /// The scale-outs on the first machine, then those on the second, ...
    std::vector<bellamy::assessment> table{};
    bellamy::decision choice{};
    /// Scale-outs up to this one are not chosen, for want of memory.
    int without_memory = 0;
    /// No candidate is proposed, whatever its odds.
    bool is_withheld = false;
    /// What the answer rests on where that is not the model, as replay does; else empty.
    std::string basis{};

    [[nodiscard]] std::size_t machine_of(const bellamy::assessment& row) const { return row.candidate / scale_outs.size(); }
    [[nodiscard]] bool has_deadline() const { return wanted.deadline_s > 0; }
    [[nodiscard]] bool has_limit() const { return has_deadline() || wanted.budget > 0; }
    /// Whether only medians are known, which are then taken for certain.
    [[nodiscard]] bool only_points() const {
        return std::all_of(table.begin(), table.end(), [](const auto& row) { return row.predicted.is_point; });
    }
};

/// On what an answer about a job rests.
[[nodiscard]] inline std::string rests_on(bellamy::model_kind kind, const bellamy::prediction& predicted) {
    if (predicted.observed_runs > 0) return fmt::format("the model and {}", count(predicted.observed_runs, "run"));
    if (kind == bellamy::model_kind::shapes) return "other jobs alone";
    return predicted.unlike_any_seen_context ? "the model, unlike its runs" : "the model alone";
}

/// What the user should know of a prediction before trusting it; empty where there is nothing.
[[nodiscard]] inline std::vector<std::string_view> flags_of(const bellamy::prediction& predicted) {
    std::vector<std::string_view> flags;
    if (predicted.outside_seen_scale_outs) flags.emplace_back("outside the scale-outs seen");
    if (predicted.outside_seen_data_sizes) flags.emplace_back("outside the data sizes seen");
    // A cold start has no history, but may have runs of the context itself.
    if (predicted.unlike_any_seen_context && predicted.observed_runs == 0) flags.emplace_back("no similar past run");
    if (predicted.contradictory_observed_runs) flags.emplace_back("contradictory observed runs");
    return flags;
}

}  // namespace tools

#endif
