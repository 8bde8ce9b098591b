// Functions of bellamy/c/prediction.h, choose.h and explore.h, and what the handles of a curve and a prior point to.
#ifndef BELLAMY_DETAIL_C_PREDICTION_FUNCTIONS_HPP
#define BELLAMY_DETAIL_C_PREDICTION_FUNCTIONS_HPP

#include <bellamy/batch.hpp>
#include <bellamy/choose.hpp>
#include <bellamy/detail/c/model_functions.hpp>
#include <bellamy/detail/context/checks.hpp>
#include <bellamy/explore.hpp>

#include <deque>

struct bellamy_curve : bellamy::detail::c::shared<bellamy::curve> {
    static constexpr std::string_view what = "a curve";
    using shared::shared;
};
struct bellamy_exploration_prior : bellamy::detail::c::shared<bellamy::exploration_prior> {
    using shared::shared;
};

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail::c {

inline result<void> predict(const curve& runtimes, const std::int32_t* scale_outs, size_t count,
                            bellamy_prediction* rows) noexcept {
    const auto table = array_of(rows, count);
    if (!table) return table.error();
    if (count > 0 && scale_outs == nullptr) return null_pointer("scale-outs");
    const int largest = runtimes.largest_valid_scale_out();
    for (size_t i = 0; i < count; ++i)
        if (scale_outs[i] < 1 || scale_outs[i] > largest) return check_scale_out(scale_outs[i], largest);
    for (size_t i = 0; i < count; ++i) write_prediction(runtimes.at(scale_outs[i]), table->row_at(i));
    return {};
}

inline result<void> write_medians(const curve& runtimes, int first, size_t count, float* runtime_s) noexcept {
    if (count > 0 && runtime_s == nullptr) return null_pointer("a place for the medians");
    if (count > most_rows) return fail(invalid_argument, "expected at most ", most_rows, " medians, found ", count);
    runtimes.medians_s(first, {runtime_s, count});
    return {};
}

/// Contexts that rows point to: a deque, so that these do not move. Rows in a row about one context share its conversion.
class converted_contexts {
public:
    result<const context*> operator()(const bellamy_context* from) {
        if (converted_.empty() || from != last_) {
            auto converted = to_context(from);
            if (!converted) return converted.error();
            converted_.push_back(*std::move(converted));
            last_ = from;
        }
        return &converted_.back();
    }

private:
    std::deque<context> converted_{};
    const bellamy_context* last_ = nullptr;
};

inline result<void> predict(const model& predictor, const bellamy_question* questions, size_t count,
                            bellamy_prediction* rows) {
    const auto table = array_of(rows, count);
    if (!table) return table.error();
    converted_contexts contexts;
    const auto converted = to_values(questions, count, "question", [&](const bellamy_question& row) -> result<question> {
        const auto subject = contexts(row.context);
        if (!subject) return subject.error();
        return question{.context = *subject, .scale_out = row.scale_out};
    });
    if (!converted) return converted.error();
    std::vector<prediction> predicted(count);
    if (auto done = bellamy::predict(predictor, *converted, predicted); !done) return done;
    for (size_t i = 0; i < count; ++i) write_prediction(predicted[i], table->row_at(i));
    return {};
}

inline result<price> to_price(const bellamy_price* pointer) noexcept {
    if (pointer == nullptr) return price{};
    const auto row = read(pointer);
    if (!row) return row.error();
    return price{.per_unit_and_hour = row->per_unit_and_hour,
                 .start_up_s = row->start_up_s,
                 .billing_granularity_s = row->billing_granularity_s,
                 .interruptions_per_hour = row->interruptions_per_hour,
                 .rerun_share = row->rerun_share};
}

inline result<candidate> to_candidate(const bellamy_candidate& row) noexcept {
    if (auto valid = check_handle(row.curve); !valid) return valid.error();
    const auto costs = to_price(row.price);
    if (!costs) return costs.error();
    return candidate{.runtimes = &row.curve->value, .scale_out = row.scale_out, .costs = *costs};
}

inline result<request> to_request(const bellamy_request* pointer) noexcept {
    const auto row = read(pointer);
    if (!row) return row.error();
    const auto aim = enumerator("a goal", row->goal, goal::least_expected_cost);
    if (!aim) return aim.error();
    return request{.goal = *aim,
                   .deadline_s = row->deadline_s,
                   .budget = row->budget,
                   .probability = row->probability,
                   .cost_of_missing = row->cost_of_missing};
}

/// Fields that a row of the table, the decision and an exploration have in common.
template <class Row>
Row from_assessment(const assessment& assessed, double probability) noexcept {
    Row row{};
    row.candidate = static_cast<decltype(row.candidate)>(assessed.candidate);
    row.median_s = assessed.predicted.median_s;
    row.quantile_s = assessed.predicted.quantile_s(probability);
    row.probability = assessed.probability;
    row.expected_cost = assessed.expected_cost;
    row.flags = flags_of(assessed.predicted);
    row.observed_runs = assessed.predicted.observed_runs;
    row.scale_out = assessed.scale_out;
    return row;
}

inline result<void> choose(const bellamy_candidate* candidates, size_t count, const bellamy_request* request,
                           bellamy_decision* decision, bellamy_assessment* rows, size_t capacity) {
    const auto size = validated_size(decision);
    if (!size) return size.error();
    const auto limits = to_request(request);
    if (!limits) return limits.error();
    const auto converted = to_values(candidates, count, "candidate", to_candidate);
    if (!converted) return converted.error();
    const auto table_rows = table_for(count, rows, capacity);
    if (!table_rows) return table_rows.error();
    std::vector<assessment> table(table_rows->size());
    const auto chosen = bellamy::choose(*converted, *limits, table);
    if (!chosen) return chosen.error();

    bellamy_decision row{};
    row.candidate = -1;
    if (chosen->candidate) row = from_assessment<bellamy_decision>(*chosen->candidate, limits->probability);
    row.outcome = number_of(chosen->outcome);
    write(row, *size, decision);
    for (size_t i = 0; i < table.size(); ++i) {
        auto assessed = from_assessment<bellamy_assessment>(table[i], limits->probability);
        assessed.verdict = number_of(table[i].why);
        table_rows->write_at(i, assessed);
    }
    return {};
}

inline result<exploration_prior> learn_exploration(const bellamy_other_job* jobs, size_t count) {
    const auto converted =
        to_values(jobs, count, "job", [](const bellamy_other_job& job) { return to_runs(job.runs, job.run_count); });
    if (!converted) return converted.error();
    return bellamy::learn_exploration(std::vector<std::span<const run>>(converted->begin(), converted->end()));
}

inline bellamy_proposed_trial from_trial(const proposed_trial& trial, double probability) noexcept {
    bellamy_proposed_trial row{};
    row.candidate = trial.candidate;
    row.median_s = trial.predicted.median_s;
    row.quantile_s = trial.predicted.quantile_s(probability);
    row.probability = trial.probability;
    row.expected_cost = trial.expected_cost;
    row.expected_gain = trial.expected_gain.value_or(not_a_number);
    return row;
}

inline result<void> explore(std::span<const trial_candidate> candidates, std::span<const run> runs,
                            const exploration_request& wanted, const bellamy_exploration_prior* known,
                            bellamy_exploration* answer, bellamy_proposed_trial* next) {
    const auto size = validated_size(answer);
    if (!size) return size.error();
    const auto table = array_of(next, wanted.trials);
    if (!table) return table.error();
    const auto found = bellamy::explore(candidates, runs, wanted, known == nullptr ? exploration_prior() : known->value);
    if (!found) return found.error();
    const double probability = wanted.wanted.probability;
    auto row = from_assessment<bellamy_exploration>(found->best, probability);
    row.proposed = found->next.size();
    row.best_run = found->best_run ? static_cast<std::int64_t>(*found->best_run) : -1;
    row.limit = number_of(found->best.why);
    row.verdict = number_of(found->verdict);
    write(row, *size, answer);
    for (size_t i = 0; i < found->next.size(); ++i) table->write_at(i, from_trial(found->next[i], probability));
    return {};
}

inline result<void> explore(const bellamy_trial_candidate* candidates, size_t count, const bellamy_run* runs,
                            size_t run_count, const bellamy_exploration_request* request,
                            const bellamy_exploration_prior* known, bellamy_exploration* answer,
                            bellamy_proposed_trial* next, size_t trials) {
    const auto given = read(request);
    if (!given) return given.error();
    const auto wanted = to_request(given->wanted);
    if (!wanted) return wanted.error();
    converted_contexts contexts;
    const auto to_trial = [&](const bellamy_trial_candidate& row) -> result<trial_candidate> {
        const auto where = contexts(row.context);
        if (!where) return where.error();
        const auto costs = to_price(row.price);
        if (!costs) return costs.error();
        return trial_candidate{.context = *where, .scale_out = row.scale_out, .costs = *costs};
    };
    const auto tried = to_values(candidates, count, "candidate", to_trial);
    if (!tried) return tried.error();
    const auto observed = to_runs(runs, run_count);
    if (!observed) return observed.error();
    return explore(
        *tried, *observed,
        {.wanted = *wanted, .runs_to_come = given->runs_to_come, .least_gain = given->least_gain, .trials = trials}, known,
        answer, next);
}

extern "C" {

BELLAMY_C_API int32_t bellamy_model_bind(const bellamy_model* model, const bellamy_context* context,
                                         const bellamy_bind_options* options, bellamy_curve** result,
                                         bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, model, [&](const auto& predictor) -> bellamy::result<bellamy::curve> {
        const auto target = to_context(context);
        if (!target) return target.error();
        bellamy::bind_options converted;
        if (options != nullptr) {
            const auto row = read(options);
            if (!row) return row.error();
            converted.non_increasing = row->non_increasing != 0;
        }
        return predictor.bind(*target, converted);
    });
}

BELLAMY_C_API bellamy_curve* bellamy_curve_retain(const bellamy_curve* curve) BELLAMY_C_NOEXCEPT { return retain(curve); }

BELLAMY_C_API void bellamy_curve_release(bellamy_curve** curve) BELLAMY_C_NOEXCEPT { release(curve); }

BELLAMY_C_API int32_t bellamy_curve_describe(const bellamy_curve* curve, bellamy_curve_description* description,
                                             bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, curve, [&](const auto& runtimes) {
        bellamy_curve_description row{};
        row.observed_runs = runtimes.observed_runs();
        row.smallest_seen_scale_out = runtimes.seen_scale_outs().smallest;
        row.largest_seen_scale_out = runtimes.seen_scale_outs().largest;
        row.largest_valid_scale_out = runtimes.largest_valid_scale_out();
        return store(row, description);
    });
}

BELLAMY_C_API double bellamy_prediction_quantile(const bellamy_prediction* prediction, double p) BELLAMY_C_NOEXCEPT {
    if (!validated_size(prediction)) return not_a_number;
    return to_distribution(*prediction).quantile_s(p);
}

BELLAMY_C_API double bellamy_prediction_probability(const bellamy_prediction* prediction,
                                                    double limit_s) BELLAMY_C_NOEXCEPT {
    if (!validated_size(prediction)) return not_a_number;
    return to_distribution(*prediction).probability_within(limit_s);
}

BELLAMY_C_API int32_t bellamy_curve_predict(const bellamy_curve* curve, const int32_t* scale_outs, size_t count,
                                            bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, curve, [&](const auto& runtimes) { return predict(runtimes, scale_outs, count, rows); });
}

BELLAMY_C_API int32_t bellamy_curve_medians(const bellamy_curve* curve, int32_t first, size_t count, float* runtime_s,
                                            bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, curve, write_medians, first, count, runtime_s);
}

BELLAMY_C_API int32_t bellamy_model_predict(const bellamy_model* model, const bellamy_question* questions, size_t count,
                                            bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, model, [&](const auto& predictor) { return predict(predictor, questions, count, rows); });
}

BELLAMY_C_API int32_t bellamy_choose(const bellamy_candidate* candidates, size_t count, const bellamy_request* request,
                                     bellamy_decision* decision, bellamy_assessment* rows, size_t capacity,
                                     bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, [&] { return choose(candidates, count, request, decision, rows, capacity); });
}

BELLAMY_C_API const char* bellamy_verdict_name(int32_t verdict) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(verdict, verdict::unlike_any_seen);
}

BELLAMY_C_API const char* bellamy_outcome_name(int32_t outcome) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(outcome, outcome::costs_least_unlike_any_seen);
}

BELLAMY_C_API int32_t bellamy_learn_exploration(const bellamy_other_job* jobs, size_t count,
                                                bellamy_exploration_prior** result,
                                                bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, result, [&] { return learn_exploration(jobs, count); });
}

BELLAMY_C_API bellamy_exploration_prior* bellamy_exploration_prior_retain(const bellamy_exploration_prior* prior)
    BELLAMY_C_NOEXCEPT {
    return retain(prior);
}

BELLAMY_C_API void bellamy_exploration_prior_release(bellamy_exploration_prior** prior) BELLAMY_C_NOEXCEPT {
    release(prior);
}

BELLAMY_C_API int32_t bellamy_explore(const bellamy_trial_candidate* candidates, size_t count, const bellamy_run* runs,
                                      size_t run_count, const bellamy_exploration_request* request,
                                      const bellamy_exploration_prior* known, bellamy_exploration* answer,
                                      bellamy_proposed_trial* next, size_t trials, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    return guarded(error, [&] { return explore(candidates, count, runs, run_count, request, known, answer, next, trials); });
}

BELLAMY_C_API const char* bellamy_exploration_verdict_name(int32_t verdict) BELLAMY_C_NOEXCEPT {
    return name_of_enumerator(verdict, exploration_verdict::hopeless);
}

}  // extern "C"

}}}  // namespace bellamy::BELLAMY_ABI::detail::c

#endif
