// Defines the functions of bellamy/c/prediction.h and bellamy/c/choose.h, and what a curve's handle points to.
#ifndef BELLAMY_DETAIL_C_PREDICTION_FUNCTIONS_HPP
#define BELLAMY_DETAIL_C_PREDICTION_FUNCTIONS_HPP

#include <bellamy/batch.hpp>
#include <bellamy/choose.hpp>
#include <bellamy/detail/c/model_functions.hpp>
#include <bellamy/detail/context/checks.hpp>

#include <deque>

struct bellamy_curve : bellamy::detail::c::shared<bellamy::curve> {
    static constexpr std::string_view what = "a curve";
    using shared::shared;
};

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail { namespace c {

[[nodiscard]] inline result<void> predict(const curve& runtimes, const std::int32_t* scale_outs, std::size_t count,
                                          bellamy_prediction* rows) noexcept {
    const auto room = array_of(rows, count);
    if (!room) return room.error();
    if (count > 0 && scale_outs == nullptr) return null_pointer("scale-outs");
    const int largest = runtimes.largest_valid_scale_out();
    for (std::size_t i = 0; i < count; ++i)
        if (scale_outs[i] < 1 || scale_outs[i] > largest) return check_scale_out(scale_outs[i], largest);
    for (std::size_t i = 0; i < count; ++i) write_prediction(runtimes.at(scale_outs[i]), room->row_at(i));
    return {};
}

[[nodiscard]] inline result<void> write_medians(const curve& runtimes, int first, std::size_t count,
                                                float* runtime_s) noexcept {
    if (count > 0 && runtime_s == nullptr) return null_pointer("a place for the medians");
    if (count > most_rows) return fail(invalid_argument, "expected at most ", most_rows, " medians, found ", count);
    runtimes.medians_s(first, {runtime_s, count});
    return {};
}

/// Questions and the contexts that they point to, which must not move.
struct converted_questions {
    std::deque<context> contexts;
    std::vector<question> questions;

    /// A context that its predecessor has too is converted once. Errors name the question.
    [[nodiscard]] result<void> add_all(strided<const bellamy_question> asked) {
        const bellamy_context* last = nullptr;
        questions.reserve(asked.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const auto next = asked.read_at(i);
            if (!next) return in_question(i, next.error());
            if (contexts.empty() || next->context != last) {
                auto converted = to_context(next->context);
                if (!converted) return in_question(i, converted.error());
                contexts.push_back(*std::move(converted));
                last = next->context;
            }
            questions.push_back({.context = &contexts.back(), .scale_out = next->scale_out});
        }
        return {};
    }
};

[[nodiscard]] inline result<void> predict(const model& subject, const bellamy_question* questions, std::size_t count,
                                          bellamy_prediction* rows) {
    const auto room = array_of(rows, count);
    if (!room) return room.error();
    const auto asked = array_of(questions, count);
    if (!asked) return asked.error();
    converted_questions converted;
    if (auto done = converted.add_all(*asked); !done) return done;
    std::vector<prediction> answers(count);
    if (auto done = bellamy::predict(subject, converted.questions, answers); !done) return done;
    for (std::size_t i = 0; i < count; ++i) write_prediction(answers[i], room->row_at(i));
    return {};
}

[[nodiscard]] inline result<price> to_price(const bellamy_price* from) noexcept {
    if (from == nullptr) return price{};
    const auto given = read(from);
    if (!given) return given.error();
    return price{.per_unit_and_hour = given->per_unit_and_hour,
                 .start_up_s = given->start_up_s,
                 .billing_granularity_s = given->billing_granularity_s,
                 .interruptions_per_hour = given->interruptions_per_hour,
                 .rerun_share = given->rerun_share};
}

[[nodiscard]] inline result<candidate> to_candidate(const bellamy_candidate& from) noexcept {
    if (auto valid = check_handle(from.curve); !valid) return valid.error();
    const auto costs = to_price(from.price);
    if (!costs) return costs.error();
    return candidate{.runtimes = &from.curve->value, .scale_out = from.scale_out, .costs = *costs};
}

[[nodiscard]] inline result<request> to_request(const bellamy_request* from) noexcept {
    const auto given = read(from);
    if (!given) return given.error();
    const auto wanted = enumerator("a goal", given->goal, goal::least_expected_cost);
    if (!wanted) return wanted.error();
    return request{.goal = *wanted,
                   .deadline_s = given->deadline_s,
                   .budget = given->budget,
                   .probability = given->probability,
                   .cost_of_missing = given->cost_of_missing};
}

/// What the rows of the table and the decision have in common.
template <class Row>
[[nodiscard]] Row from_assessment(const assessment& subject, double probability) noexcept {
    Row row{};
    row.candidate = static_cast<decltype(row.candidate)>(subject.candidate);
    row.median_s = subject.predicted.median_s;
    row.quantile_s = subject.predicted.quantile_s(probability);
    row.probability = subject.probability;
    row.expected_cost = subject.expected_cost;
    row.flags = flags_of(subject.predicted);
    row.observed_runs = subject.predicted.observed_runs;
    row.scale_out = subject.scale_out;
    return row;
}

[[nodiscard]] inline result<void> choose(const bellamy_candidate* candidates, std::size_t count,
                                         const bellamy_request* request, bellamy_decision* decision,
                                         bellamy_assessment* rows, std::size_t capacity) {
    const auto size = size_of(decision);
    if (!size) return size.error();
    const auto wanted = to_request(request);
    if (!wanted) return wanted.error();
    const auto given = to_values(candidates, count, "candidate", to_candidate);
    if (!given) return given.error();
    const auto room = table_for(count, rows, capacity);
    if (!room) return room.error();
    std::vector<assessment> table(room->size());
    const auto chosen = bellamy::choose(*given, *wanted, table);
    if (!chosen) return chosen.error();

    bellamy_decision told{};
    told.candidate = -1;
    if (chosen->candidate) told = from_assessment<bellamy_decision>(*chosen->candidate, wanted->probability);
    told.outcome = static_cast<std::int32_t>(chosen->outcome);
    write(told, *size, decision);
    for (std::size_t i = 0; i < table.size(); ++i) {
        auto row = from_assessment<bellamy_assessment>(table[i], wanted->probability);
        row.verdict = static_cast<std::int32_t>(table[i].why);
        room->write_at(i, row);
    }
    return {};
}

}}}}  // namespace bellamy::BELLAMY_ABI::detail::c

extern "C" {

int32_t bellamy_model_bind(const bellamy_model* model, const bellamy_context* context, const bellamy_bind_options* options,
                           bellamy_curve** made, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, made, [&]() -> bellamy::result<bellamy::curve> {
        if (auto valid = check_handle(model); !valid) return valid.error();
        const auto subject = to_context(context);
        if (!subject) return subject.error();
        bellamy::bind_options wanted;
        if (options != nullptr) {
            const auto given = read(options);
            if (!given) return given.error();
            wanted.non_increasing = given->non_increasing != 0;
        }
        return model->value.bind(*subject, wanted);
    });
}

bellamy_curve* bellamy_curve_retain(const bellamy_curve* curve) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::retain(curve);
}

void bellamy_curve_release(bellamy_curve** curve) BELLAMY_C_NOEXCEPT { bellamy::detail::c::release(curve); }

int32_t bellamy_curve_describe(const bellamy_curve* curve, bellamy_curve_description* description,
                               bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, curve, [&](const bellamy::curve& runtimes) -> bellamy::result<void> {
        const auto size = size_of(description);
        if (!size) return size.error();
        bellamy_curve_description told{};
        told.observed_runs = runtimes.observed_runs();
        told.smallest_seen_scale_out = runtimes.seen_scale_outs().smallest;
        told.largest_seen_scale_out = runtimes.seen_scale_outs().largest;
        told.largest_valid_scale_out = runtimes.largest_valid_scale_out();
        write(told, *size, description);
        return {};
    });
}

double bellamy_prediction_quantile(const bellamy_prediction* prediction, double p) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    if (!has_size(prediction)) return std::numeric_limits<double>::quiet_NaN();
    return to_distribution(*prediction).quantile_s(p);
}

double bellamy_prediction_probability(const bellamy_prediction* prediction, double limit_s) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    if (!has_size(prediction)) return std::numeric_limits<double>::quiet_NaN();
    return to_distribution(*prediction).probability_within(limit_s);
}

int32_t bellamy_curve_predict(const bellamy_curve* curve, const int32_t* scale_outs, size_t count, bellamy_prediction* rows,
                              bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, curve, [&](const auto& runtimes) { return predict(runtimes, scale_outs, count, rows); });
}

int32_t bellamy_curve_medians(const bellamy_curve* curve, int32_t first, size_t count, float* runtime_s,
                              bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, curve, [&](const auto& runtimes) { return write_medians(runtimes, first, count, runtime_s); });
}

int32_t bellamy_model_predict(const bellamy_model* model, const bellamy_question* questions, size_t count,
                              bellamy_prediction* rows, bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, model, [&](const auto& subject) { return predict(subject, questions, count, rows); });
}

int32_t bellamy_choose(const bellamy_candidate* candidates, size_t count, const bellamy_request* request,
                       bellamy_decision* decision, bellamy_assessment* rows, size_t capacity,
                       bellamy_error* error) BELLAMY_C_NOEXCEPT {
    using namespace bellamy::detail::c;
    return guarded(error, [&] { return choose(candidates, count, request, decision, rows, capacity); });
}

const char* bellamy_verdict_name(int32_t verdict) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::name_of_enumerator(verdict, bellamy::verdict::slower);
}

const char* bellamy_outcome_name(int32_t outcome) BELLAMY_C_NOEXCEPT {
    return bellamy::detail::c::name_of_enumerator(outcome, bellamy::outcome::costs_least);
}

}  // extern "C"

#endif
