#include "backtest_walk.hpp"

#include <fmt/format.h>
#include <bellamy/baseline/ernest.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>

#include "next_size.hpp"
#include "walking_models.hpp"

namespace tools {

namespace {

[[nodiscard]] bool had_ended(const bellamy::run& past, const bellamy::run& next) {
    return !past.timestamp_s || !next.timestamp_s || *past.timestamp_s + past.runtime_s <= *next.timestamp_s;
}

// The run's context but for its size, which is not known before it.
[[nodiscard]] bellamy::context with_middle_size(const bellamy::context& subject, const next_size& size) {
    const auto middle_mb = size.middle_mb();
    return middle_mb ? with_size(subject, static_cast<std::uint64_t>(*middle_mb)) : subject;
}

// The next run at a size that was alike, whose time shows what the size takes. Runs before the decision tell nothing, it was
// made by them.
[[nodiscard]] std::optional<std::size_t> recorded_at(int scale_out, std::span<const bellamy::run> all, std::size_t number) {
    const auto& like = all[number];
    const auto size = data_size(like);
    for (std::size_t later = number + 1; later < all.size(); ++later) {
        const auto& each = all[later];
        if (each.censored || each.scale_out != scale_out) continue;
        const auto its_size = data_size(each);
        if (size && its_size && std::abs(std::log((*its_size + 1) / (*size + 1))) > std::log(1.1)) continue;
        if (!are_alike_but_for_size(each.context, like.context)) continue;
        return later;
    }
    return std::nullopt;
}

// At which anything ran: nobody can judge another.
[[nodiscard]] std::vector<int> sizes_of(const std::vector<bellamy::run>& runs) {
    std::set<int> sizes;
    for (const auto& each : runs) sizes.insert(each.scale_out);
    return {sizes.begin(), sizes.end()};
}

// The runs that had ended before another began. Their tasks are not known: only those of the very last run are kept.
[[nodiscard]] application_history before(const application_history& history, std::size_t number) {
    application_history past{.name = history.name, .layout = history.layout, .size_unit = history.size_unit};
    for (std::size_t i = 0; i < number; ++i) {
        if (!had_ended(history.runs[i], history.runs[number])) continue;
        past.runs.push_back(history.runs[i]);
        past.facts.push_back(history.facts[i]);
    }
    return past;
}

[[nodiscard]] std::optional<proposed_run> propose(const bellamy::curve& to_result, const application_history& past,
                                                  const application_history& history, std::size_t number,
                                                  const advice_request& wanted) {
    const auto decided = choose_size(to_result, sizes_of(history.runs), past.runs[past.last_complete()].scale_out, wanted);
    if (!decided || !decided->choice.meets_limit()) return std::nullopt;
    proposed_run proposed{.scale_out = decided->choice.candidate->scale_out,
                          .deadline_s = decided->wanted.deadline_s,
                          .stated = decided->choice.candidate->probability};
    const bool is_same = proposed.scale_out == history.runs[number].scale_out;
    const auto shown = is_same ? std::optional(number) : recorded_at(proposed.scale_out, history.runs, number);
    if (!shown) return proposed;
    proposed.time_s = time_to_result_s(history.runs[*shown], history.facts[*shown], wanted.from);
    const auto size = data_size(history.runs[number]);
    const auto size_shown = data_size(history.runs[*shown]);
    if (size && size_shown) proposed.log_size_ratio = std::log((*size_shown + 1) / (*size + 1));
    return proposed;
}

[[nodiscard]] std::optional<double> predicted_by_ernest(const std::vector<bellamy::run>& ended, int scale_out) {
    const auto curve = bellamy::baseline::ernest(ended);
    return curve ? std::optional(curve->at(scale_out).median_s) : std::nullopt;
}

// As recommend would, had it been asked before the run.
[[nodiscard]] std::optional<tried> predict(walking_models& models, const walking_peer& peer, const application_history& past,
                                           const application_history& history, std::size_t number,
                                           const advice_request& wanted) {
    const auto& run = history.runs[number];
    const auto known = learn_application(past, [&](std::span<const bellamy::run> runs) { return models.of_first(runs); });
    if (!known) return std::nullopt;
    const auto size = forecast_size(past.runs);
    const auto next = predict_next(past, *known, run.context, size);
    if (!next) return std::nullopt;
    tried outcome{.run = number,
                  .measured_s = run.runtime_s,
                  .to_result_s = time_to_result_s(run, history.facts[number], wanted.from),
                  .scale_out = run.scale_out,
                  .predicted = next->from_first_executor.at(run.scale_out),
                  .last_run_s = past.runs[past.last_complete()].runtime_s};
    if (!outcome.predicted.usable()) return std::nullopt;
    std::vector<double> waits_s;
    if (wanted.from == deadline_start::submission) waits_s = usual_waits(past.runs, past.facts);
    const auto to_result = after_waits(next->from_first_executor, waits_s);
    outcome.predicted_to_result = to_result.at(run.scale_out);
    outcome.proposal = propose(to_result, past, history, number, wanted);
    if (const auto size_known = predict_next(past, *known, run.context, {}))
        outcome.size_known = size_known->from_first_executor.at(run.scale_out);
    std::vector<bellamy::run> ended;
    for (const auto& earlier : past.runs)
        if (!earlier.censored) ended.push_back(earlier);
    outcome.ernest_s = predicted_by_ernest(ended, run.scale_out);
    if (peer) outcome.boosting_s = peer(ended, with_middle_size(run.context, size), run.scale_out);
    return outcome;
}

// Histories write 0 for a start that is not known.
[[nodiscard]] bool tells_starts(const std::vector<bellamy::run>& runs) {
    return std::any_of(runs.begin(), runs.end(), [](const auto& each) { return each.timestamp_s.value_or(0) > 0; });
}

[[nodiscard]] std::string why_none_of(const std::vector<bellamy::run>& runs, const backtested& result) {
    if (!result.tries.empty() || runs.size() == 1) return {};
    if (result.refused > 0) return fmt::format("the model refused all {} questions", result.refused);
    if (std::all_of(runs.begin(), runs.end(), [](const auto& each) { return each.censored; })) return "no run succeeded";
    if (!tells_starts(runs)) return "its runs have no start times, so that none is known to have ended before another";
    return "no run that succeeded began after another that succeeded had ended";
}

}  // namespace

backtested walk(const application_history& history, const advice_request& wanted, const walking_peer& peer,
                const std::function<void()>& after_run) {
    backtested result{.application = history.name,
                      .runs = history.runs.size(),
                      .deadline_s = wanted.deadline_s,
                      .probability = wanted.probability};
    walking_models models(history.name);
    for (std::size_t i = 0; i < history.runs.size(); ++i) {
        after_run();
        const auto past = before(history, i);
        if (history.runs[i].censored || past.runs.empty() || past.runs[past.last_complete()].censored) continue;
        if (const auto one = predict(models, peer, past, history, i, wanted)) {
            result.tries.push_back(*one);
        } else {
            ++result.refused;
        }
    }
    result.stopped_after = stopped_after(result.tries);
    result.why_none = why_none_of(history.runs, result);
    return result;
}

}  // namespace tools
