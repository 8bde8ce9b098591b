// The native methods of io.github.bellamy.Native, which checks every argument before it gets here: handles are open, arrays
// are there and have the right sizes.
#include <bellamy/c.h>

#include <limits>

#include "environment.hpp"
#include "wire.hpp"

namespace {

using namespace jni;

const bellamy_model* model_of(jlong handle) noexcept { return from_handle<bellamy_model>(handle); }
const bellamy_curve* curve_of(jlong handle) noexcept { return from_handle<bellamy_curve>(handle); }

/// Calls a function whose last parameters are the place for a new handle and the error.
template <class Handle, class... Parameters, class... Arguments>
jlong make(int32_t (*function)(Parameters...), Arguments... arguments) {
    Handle* made = nullptr;
    call(function, arguments..., &made);
    return to_handle(made);
}

/// Most fit, so that they are written once; the second time is with the size that the first one told.
template <class Handle>
std::vector<std::byte> bytes_of(int32_t (*to_bytes)(const Handle*, void*, std::size_t, std::size_t*, bellamy_error*),
                                const Handle* of) {
    std::vector<std::byte> bytes(std::size_t{1} << 16U);
    std::size_t size = 0;
    if (to_bytes(of, bytes.data(), bytes.size(), &size, nullptr) != bellamy_errc_ok) {
        bytes.resize(size);
        call(to_bytes, of, bytes.data(), bytes.size(), &size);
    }
    bytes.resize(size);
    return bytes;
}

template <class Handle>
jlong from_bytes(int32_t (*read)(const void*, std::size_t, Handle**, bellamy_error*), const std::vector<std::byte>& bytes) {
    const std::byte none{};  // an empty array has no place
    return make<Handle>(read, bytes.empty() ? &none : bytes.data(), bytes.size());
}

jbyteArray version(JNIEnv* env, jclass natives) {
    return guarded(env, natives, [&] { return to_array(env, bellamy_version()); });
}

// So that Java's enumerations can be compared with the library's.
jbyteArray name_of(JNIEnv* env, jclass natives, jint enumeration, jint value) {
    return guarded(env, natives, [&] {
        constexpr std::array names{bellamy_code_name,
                                   bellamy_kind_name,
                                   bellamy_role_name,
                                   bellamy_unit_name,
                                   bellamy_verdict_name,
                                   bellamy_outcome_name,
                                   bellamy_model_kind_name,
                                   bellamy_rescale_verdict_name,
                                   bellamy_rescale_outcome_name,
                                   bellamy_exploration_verdict_name};
        return to_array(env, names.at(static_cast<std::size_t>(enumeration))(value));
    });
}

jlong model_from_bytes(JNIEnv* env, jclass natives, jbyteArray bytes) {
    return guarded(env, natives, [&] { return from_bytes(bellamy_model_from_bytes, to_bytes(env, bytes)); });
}

jlong model_load(JNIEnv* env, jclass natives, jbyteArray path) {
    return guarded(env, natives, [&] { return make<bellamy_model>(bellamy_model_load, to_text(env, path).c_str()); });
}

jbyteArray model_to_bytes(JNIEnv* env, jclass natives, jlong model) {
    return guarded(env, natives, [&] { return to_array(env, bytes_of(bellamy_model_to_bytes, model_of(model))); });
}

void model_save(JNIEnv* env, jclass natives, jlong model, jbyteArray path) {
    guarded(env, natives, [&] { call(bellamy_model_save, model_of(model), to_text(env, path).c_str()); });
}

jlong model_pretrain(JNIEnv* env, jclass natives, jbyteArray runs, jbyteArray algorithm, jlong seed) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, runs));
        const auto history = reader.runs();
        const auto name = to_text(env, algorithm);
        auto options = sized<bellamy_pretrain_options>();
        call(bellamy_default_pretrain_options, &options);
        options.algorithm = name.c_str();
        options.seed = static_cast<std::uint64_t>(seed);
        return make<bellamy_model>(bellamy_pretrain, history.data(), history.size(), &options, nullptr);
    });
}

jlong model_cold_start(JNIEnv* env, jclass natives, jbyteArray example, jbyteArray algorithm) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, example));
        return make<bellamy_model>(bellamy_cold_start, reader.context(), to_text(env, algorithm).c_str());
    });
}

jlong model_condition(JNIEnv* env, jclass natives, jlong model, jbyteArray runs) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, runs));
        const auto observed = reader.runs();
        return make<bellamy_model>(bellamy_model_condition, model_of(model), observed.data(), observed.size());
    });
}

jlong model_learn(JNIEnv* env, jclass natives, jlong model, jbyteArray history) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, history));
        const auto runs = reader.runs();
        return make<bellamy_model>(bellamy_model_learn, model_of(model), runs.data(), runs.size());
    });
}

void model_drift(JNIEnv* env, jclass natives, jlong model, jbyteArray runs, jdoubleArray numbers) {
    guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, runs));
        const auto recent = reader.runs();
        auto found = sized<bellamy_drift>();
        call(bellamy_model_drift, model_of(model), recent.data(), recent.size(), &found);
        const std::array told{static_cast<double>(found.runs), found.mean_deviate, found.mean_square_deviate,
                              found.probability, found.factor};
        env->SetDoubleArrayRegion(numbers, 0, static_cast<jsize>(told.size()), told.data());
    });
}

jbyteArray model_improbable_runs(JNIEnv* env, jclass natives, jlong model) {
    return guarded(env, natives, [&] {
        auto about = sized<bellamy_model_description>();
        call(bellamy_model_describe, model_of(model), &about);
        std::size_t count = about.stored_runs;  // room for all: to ask for their number first costs as much
        if (count == 0) call(bellamy_model_improbable_runs, model_of(model), nullptr, std::size_t{0}, &count);
        std::vector<bellamy_improbable_run> list(count, sized<bellamy_improbable_run>());
        call(bellamy_model_improbable_runs, model_of(model), list.data(), list.size(), &count);
        wire_writer out;
        for (const auto& each : std::span(list).first(count)) {
            out.natural(each.run, 4);
            out.real(each.found_s);
            out.real(each.expected_s);
        }
        return to_array(env, out.bytes());
    });
}

// The schema, what the model was made from, and what answers inside it.
jbyteArray model_describe(JNIEnv* env, jclass natives, jlong model) {
    return guarded(env, natives, [&] {
        auto about = sized<bellamy_model_description>();
        call(bellamy_model_describe, model_of(model), &about);
        std::vector<bellamy_property_definition> list(about.essential_count + about.optional_count + 1,
                                                      sized<bellamy_property_definition>());
        std::size_t count = 0;
        call(bellamy_model_properties, model_of(model), list.data(), list.size(), &count);
        const auto all = std::span<const bellamy_property_definition>(list).first(count);
        wire_writer out;
        out.definitions(all.first(about.essential_count));
        out.definitions(all.subspan(about.essential_count));
        out.natural(static_cast<std::uint64_t>(about.unit), 1);
        out.text(about.algorithm);
        for (const auto number :
             {about.runs, about.contexts, about.observed_runs, static_cast<std::uint32_t>(about.smallest_seen_scale_out),
              static_cast<std::uint32_t>(about.largest_seen_scale_out)})
            out.natural(number, 4);
        out.text(bellamy_model_kind_name(about.kind));
        return to_array(env, out.bytes());
    });
}

jlong model_bind(JNIEnv* env, jclass natives, jlong model, jbyteArray context, jboolean non_increasing) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, context));
        auto options = sized<bellamy_bind_options>();
        options.non_increasing = non_increasing;
        return make<bellamy_curve>(bellamy_model_bind, model_of(model), reader.context(), &options);
    });
}

// One quantile each of many contexts; errors tell which of them is wrong.
void model_quantiles(JNIEnv* env, jclass natives, jlong model, jbyteArray contexts, jintArray scale_outs,
                     jdouble probability, jdoubleArray runtime_s) {
    guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, contexts));
        std::vector<bellamy_question> questions;
        for (const int x : to_ints(env, scale_outs))
            questions.push_back({.size = sizeof(bellamy_question), .context = reader.context(), .scale_out = x});
        std::vector<bellamy_prediction> rows(questions.size(), sized<bellamy_prediction>());
        call(bellamy_model_predict, model_of(model), questions.data(), questions.size(), rows.data());
        std::vector<double> found;
        for (const auto& each : rows) found.push_back(bellamy_prediction_quantile(&each, probability));
        fill(env, runtime_s, found);
    });
}

jlong model_retain(JNIEnv*, jclass, jlong model) noexcept { return to_handle(bellamy_model_retain(model_of(model))); }

void model_free(JNIEnv*, jclass, jlong model) noexcept {
    auto* last = from_handle<bellamy_model>(model);
    bellamy_model_release(&last);
}

constexpr std::size_t prediction_numbers = 3 + std::size(bellamy_prediction{}.log_quantiles);

void write_prediction(const bellamy_prediction& from, std::span<double, prediction_numbers> to) {
    to[0] = from.median_s;
    to[1] = from.observed_runs;
    to[2] = from.flags;
    std::copy(std::begin(from.log_quantiles), std::end(from.log_quantiles), to.begin() + 3);
}

bellamy_prediction read_prediction(JNIEnv* env, jdoubleArray from) {
    std::array<double, prediction_numbers> numbers{};
    env->GetDoubleArrayRegion(from, 0, static_cast<jsize>(numbers.size()), numbers.data());
    leave_if_pending(env);
    bellamy_prediction made;
    made.size = sizeof(made);
    made.median_s = numbers[0];
    made.observed_runs = static_cast<std::uint32_t>(numbers[1]);
    made.flags = static_cast<std::uint32_t>(numbers[2]);
    std::copy(numbers.begin() + 3, numbers.end(), std::begin(made.log_quantiles));
    return made;
}

jdouble prediction_quantile(JNIEnv* env, jclass natives, jdoubleArray prediction, jdouble probability) {
    return guarded(env, natives, [&] {
        const auto known = read_prediction(env, prediction);
        return bellamy_prediction_quantile(&known, probability);
    });
}

jdouble prediction_probability(JNIEnv* env, jclass natives, jdoubleArray prediction, jdouble limit_s) {
    return guarded(env, natives, [&] {
        const auto known = read_prediction(env, prediction);
        return bellamy_prediction_probability(&known, limit_s);
    });
}

/// For Java, a scale-out that is not valid is a question without an answer.
bellamy_prediction predict_or_nan(const bellamy_curve* curve, jint scale_out) noexcept {
    bellamy_prediction row;  // filled by the call
    row.size = sizeof(row);
    if (bellamy_curve_predict(curve, &scale_out, 1, &row, nullptr) == bellamy_errc_ok) return row;
    row.median_s = std::numeric_limits<double>::quiet_NaN();
    row.flags = bellamy_flag_point;
    return row;
}

void curve_at(JNIEnv* env, jclass natives, jlong curve, jint scale_out, jdoubleArray prediction) {
    guarded(env, natives, [&] {
        std::array<double, prediction_numbers> numbers{};
        write_prediction(predict_or_nan(curve_of(curve), scale_out), numbers);
        fill(env, prediction, numbers);
    });
}

double quantile_at(const bellamy_curve* curve, jint scale_out, jdouble probability) noexcept {
    const auto found = predict_or_nan(curve, scale_out);
    return probability == 0.5 ? found.median_s : bellamy_prediction_quantile(&found, probability);
}

jdouble curve_quantile(JNIEnv*, jclass, jlong curve, jint scale_out, jdouble probability) noexcept {
    return quantile_at(curve_of(curve), scale_out, probability);
}

void curve_quantiles(JNIEnv* env, jclass natives, jlong curve, jintArray scale_outs, jdouble probability,
                     jdoubleArray runtime_s) {
    guarded(env, natives, [&] {
        std::vector<double> found;
        for (const int x : to_ints(env, scale_outs)) found.push_back(quantile_at(curve_of(curve), x, probability));
        fill(env, runtime_s, found);
    });
}

void curve_medians(JNIEnv* env, jclass natives, jlong curve, jint first, jobject direct, jint position, jint count) {
    guarded(env, natives, [&] {
        auto* const numbers = static_cast<float*>(env->GetDirectBufferAddress(direct));
        if (numbers == nullptr) throw std::invalid_argument("expected a direct buffer that native code can reach");
        call(bellamy_curve_medians, curve_of(curve), first, static_cast<std::size_t>(count), numbers + position);
    });
}

void curve_free(JNIEnv*, jclass, jlong curve) noexcept {
    auto* last = from_handle<bellamy_curve>(curve);
    bellamy_curve_release(&last);
}

constexpr std::size_t price_numbers = 5;

std::vector<bellamy_price> to_prices(const std::vector<double>& numbers) {
    std::vector<bellamy_price> made;
    for (std::size_t i = 0; i < numbers.size(); i += price_numbers)
        made.push_back({.size = sizeof(bellamy_price),
                        .per_unit_and_hour = numbers[i],
                        .start_up_s = numbers[i + 1],
                        .billing_granularity_s = numbers[i + 2],
                        .interruptions_per_hour = numbers[i + 3],
                        .rerun_share = numbers[i + 4]});
    return made;
}

// Leaves in `answer` the outcome, the number of the candidate or -1, and a row per candidate.
void choose(JNIEnv* env, jclass natives, jlongArray curves, jintArray scale_outs, jdoubleArray prices, jint goal,
            jdouble deadline_s, jdouble budget, jdouble probability, jdouble cost_of_missing, jdoubleArray answer) {
    guarded(env, natives, [&] {
        const auto asked = to_ints(env, scale_outs);
        const auto costs = to_prices(to_doubles(env, prices));
        std::vector<jlong> handles(asked.size());
        env->GetLongArrayRegion(curves, 0, static_cast<jsize>(handles.size()), handles.data());
        leave_if_pending(env);
        std::vector<bellamy_candidate> candidates;
        for (std::size_t i = 0; i < asked.size(); ++i)
            candidates.push_back({.size = sizeof(bellamy_candidate),
                                  .curve = curve_of(handles[i]),
                                  .price = &costs[i],
                                  .scale_out = asked[i]});
        const bellamy_request request{.size = sizeof(bellamy_request),
                                      .deadline_s = deadline_s,
                                      .budget = budget,
                                      .probability = probability,
                                      .cost_of_missing = cost_of_missing,
                                      .goal = goal};
        auto decision = sized<bellamy_decision>();
        std::vector<bellamy_assessment> table(candidates.size(), sized<bellamy_assessment>());
        call(bellamy_choose, candidates.data(), candidates.size(), &request, &decision, table.data(), table.size());
        std::vector<double> numbers{static_cast<double>(decision.outcome), static_cast<double>(decision.candidate)};
        for (const auto& row : table) {
            numbers.insert(numbers.end(), {row.probability, row.expected_cost, static_cast<double>(row.verdict)});
            std::array<double, prediction_numbers> prediction{};
            write_prediction(predict_or_nan(candidates[row.candidate].curve, row.scale_out), prediction);
            numbers.insert(numbers.end(), prediction.begin(), prediction.end());
        }
        fill(env, answer, numbers);
    });
}

jlong exploration_prior_learn(JNIEnv* env, jclass natives, jbyteArray jobs) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, jobs));
        const auto runs = reader.jobs_runs();
        std::vector<bellamy_other_job> others;
        for (const auto& each : runs)
            others.push_back({.size = sizeof(bellamy_other_job), .runs = each.data(), .run_count = each.size()});
        return make<bellamy_exploration_prior>(bellamy_learn_exploration, others.data(), others.size());
    });
}

void exploration_prior_free(JNIEnv*, jclass, jlong prior) noexcept {
    auto* last = from_handle<bellamy_exploration_prior>(prior);
    bellamy_exploration_prior_release(&last);
}

// Leaves in `answer` the verdict and the best candidate, and a row for each trial.
void explore(JNIEnv* env, jclass natives, jbyteArray contexts, jintArray scale_outs, jdoubleArray prices, jbyteArray runs,
             jlong prior, jint goal, jdoubleArray wanted, jint trials, jdoubleArray answer) {
    guarded(env, natives, [&] {
        wire_reader where(to_bytes(env, contexts));
        const auto asked = to_ints(env, scale_outs);
        const auto costs = to_prices(to_doubles(env, prices));
        std::vector<bellamy_trial_candidate> candidates;
        for (std::size_t i = 0; i < asked.size(); ++i)
            candidates.push_back({.size = sizeof(bellamy_trial_candidate),
                                  .context = where.context(),
                                  .price = &costs[i],
                                  .scale_out = asked[i]});
        wire_reader reader(to_bytes(env, runs));
        const auto observed = reader.runs();
        const auto numbers_wanted = to_doubles(env, wanted);
        const bellamy_request limits{.size = sizeof(limits),
                                     .deadline_s = numbers_wanted.at(0),
                                     .budget = numbers_wanted.at(1),
                                     .probability = numbers_wanted.at(2),
                                     .cost_of_missing = numbers_wanted.at(3),
                                     .goal = goal};
        const bellamy_exploration_request request{.size = sizeof(request),
                                                  .wanted = &limits,
                                                  .runs_to_come = numbers_wanted.at(4),
                                                  .least_gain = numbers_wanted.at(5)};
        auto found = sized<bellamy_exploration>();
        std::vector<bellamy_proposed_trial> next(static_cast<std::size_t>(trials), sized<bellamy_proposed_trial>());
        call(bellamy_explore, candidates.data(), candidates.size(), observed.data(), observed.size(), &request,
             from_handle<bellamy_exploration_prior>(prior), &found, next.data(), next.size());
        std::vector<double> numbers{static_cast<double>(found.verdict),
                                    static_cast<double>(found.best_run),
                                    static_cast<double>(found.candidate),
                                    found.median_s,
                                    found.quantile_s,
                                    found.probability,
                                    found.expected_cost,
                                    static_cast<double>(found.limit),
                                    static_cast<double>(found.observed_runs),
                                    static_cast<double>(found.proposed)};
        for (std::size_t i = 0; i < found.proposed; ++i)
            numbers.insert(numbers.end(), {static_cast<double>(next[i].candidate), next[i].median_s, next[i].quantile_s,
                                           next[i].probability, next[i].expected_cost, next[i].expected_gain});
        fill(env, answer, numbers);
    });
}

const bellamy_application* application_of(jlong handle) noexcept { return from_handle<bellamy_application>(handle); }
const bellamy_forecast* forecast_of(jlong handle) noexcept { return from_handle<bellamy_forecast>(handle); }

jlong application_pretrain(JNIEnv* env, jclass natives, jbyteArray traces, jlong seed, jint threads) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, traces));
        const auto history = reader.traces();
        const bellamy_application_options options{
            .size = sizeof(options), .seed = static_cast<std::uint64_t>(seed), .threads = threads};
        return make<bellamy_application>(bellamy_application_pretrain, history.data(), history.size(), &options);
    });
}

jlong application_load(JNIEnv* env, jclass natives, jbyteArray path) {
    return guarded(env, natives,
                   [&] { return make<bellamy_application>(bellamy_application_load, to_text(env, path).c_str()); });
}

jlong application_from_bytes(JNIEnv* env, jclass natives, jbyteArray bytes) {
    return guarded(env, natives, [&] { return from_bytes(bellamy_application_from_bytes, to_bytes(env, bytes)); });
}

jbyteArray application_to_bytes(JNIEnv* env, jclass natives, jlong application) {
    return guarded(env, natives,
                   [&] { return to_array(env, bytes_of(bellamy_application_to_bytes, application_of(application))); });
}

void application_save(JNIEnv* env, jclass natives, jlong application, jbyteArray path) {
    guarded(env, natives, [&] { call(bellamy_application_save, application_of(application), to_text(env, path).c_str()); });
}

// Its name, and the scale-outs seen.
jbyteArray application_describe(JNIEnv* env, jclass natives, jlong application) {
    return guarded(env, natives, [&] {
        auto about = sized<bellamy_application_description>();
        call(bellamy_application_describe, application_of(application), &about);
        wire_writer out;
        out.text(about.application);
        for (const auto number : {about.smallest_seen_scale_out, about.largest_seen_scale_out})
            out.natural(static_cast<std::uint64_t>(number), 4);
        return to_array(env, out.bytes());
    });
}

jlong application_bind(JNIEnv* env, jclass natives, jlong application, jbyteArray properties) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, properties));
        const auto known = reader.properties();
        return make<bellamy_forecast>(bellamy_application_bind, application_of(application), known.data(), known.size());
    });
}

void application_free(JNIEnv*, jclass, jlong application) noexcept {
    auto* last = from_handle<bellamy_application>(application);
    bellamy_application_release(&last);
}

jlong forecast_observe(JNIEnv* env, jclass natives, jlong forecast, jbyteArray trace) {
    return guarded(env, natives, [&] {
        wire_reader reader(to_bytes(env, trace));
        const auto so_far = reader.trace();
        return make<bellamy_forecast>(bellamy_forecast_observe, forecast_of(forecast), &so_far);
    });
}

// The finished jobs, the run factor's quantiles, and the stages of every job expected.
jbyteArray forecast_describe(JNIEnv* env, jclass natives, jlong forecast) {
    return guarded(env, natives, [&] {
        auto about = sized<bellamy_forecast_description>();
        call(bellamy_forecast_describe, forecast_of(forecast), &about);
        std::vector<std::size_t> stages(about.jobs);
        std::size_t count = 0;
        call(bellamy_forecast_stage_counts, forecast_of(forecast), stages.data(), stages.size(), &count);
        wire_writer out;
        out.natural(about.finished_jobs, 4);
        for (const double each : {about.run_factor_p05, about.run_factor, about.run_factor_p95}) out.real(each);
        out.natural(count, 4);
        for (const std::size_t each : stages) out.natural(each, 4);
        return to_array(env, out.bytes());
    });
}

// A part by its number in Java's Forecast: the run, what remains of it, a job, a stage.
void forecast_at(JNIEnv* env, jclass natives, jlong forecast, jint part, jint job, jint stage, jint scale_out,
                 jdoubleArray prediction) {
    guarded(env, natives, [&] {
        const auto* const of = forecast_of(forecast);
        const std::int32_t asked = scale_out;
        auto row = sized<bellamy_prediction>();
        switch (part) {
            case 0: call(bellamy_forecast_run, of, &asked, std::size_t{1}, &row); break;
            case 1: call(bellamy_forecast_remaining, of, &asked, std::size_t{1}, &row); break;
            case 2: call(bellamy_forecast_job, of, static_cast<std::size_t>(job), &asked, std::size_t{1}, &row); break;
            default:
                call(bellamy_forecast_stage, of, static_cast<std::size_t>(job), static_cast<std::size_t>(stage), &asked,
                     std::size_t{1}, &row);
        }
        std::array<double, prediction_numbers> numbers{};
        write_prediction(row, numbers);
        fill(env, prediction, numbers);
    });
}

// Leaves in `answer` the decision, and a row for each scale-out.
void forecast_rescale(JNIEnv* env, jclass natives, jlong forecast, jintArray scale_outs, jdoubleArray price,
                      jdoubleArray wanted, jint scale_out, jdoubleArray answer) {
    guarded(env, natives, [&] {
        const auto asked = to_ints(env, scale_outs);
        const auto costs = to_prices(to_doubles(env, price));
        const auto numbers_wanted = to_doubles(env, wanted);
        const bellamy_rescale_request request{.size = sizeof(request),
                                              .deadline_s = numbers_wanted.at(0),
                                              .elapsed_s = numbers_wanted.at(1),
                                              .probability = numbers_wanted.at(2),
                                              .cost_of_change = numbers_wanted.at(3),
                                              .cost_of_missing = numbers_wanted.at(4),
                                              .scale_out = scale_out};
        auto decision = sized<bellamy_rescale_decision>();
        std::vector<bellamy_rescale_assessment> table(asked.size(), sized<bellamy_rescale_assessment>());
        call(bellamy_forecast_rescale, forecast_of(forecast), asked.data(), asked.size(), &costs.at(0), &request, &decision,
             table.data(), table.size());
        std::vector<double> numbers{static_cast<double>(decision.outcome), static_cast<double>(decision.scale_out),
                                    static_cast<double>(decision.changes), decision.probability, decision.expected_cost};
        for (const auto& row : table)
            numbers.insert(numbers.end(),
                           {static_cast<double>(row.scale_out), row.median_s, row.quantile_s, row.probability,
                            row.expected_cost, static_cast<double>(row.flags), static_cast<double>(row.verdict)});
        fill(env, answer, numbers);
    });
}

void forecast_free(JNIEnv*, jclass, jlong forecast) noexcept {
    auto* last = from_handle<bellamy_forecast>(forecast);
    bellamy_forecast_release(&last);
}

template <class Function>
JNINativeMethod method(const char* name, const char* signature, Function* function) {
    return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

// The class that loads this library, which is the one with the native methods: the first on the stack that is not the JDK's.
// No name of ours is spelled here or exported, so that a build may rename the package.
jclass loading_class(JNIEnv* env) {
    jclass throwable = env->FindClass("java/lang/Throwable");
    if (throwable == nullptr) return nullptr;
    const jmethodID make = env->GetMethodID(throwable, "<init>", "()V");
    const jmethodID trace = env->GetMethodID(throwable, "getStackTrace", "()[Ljava/lang/StackTraceElement;");
    jclass element = env->FindClass("java/lang/StackTraceElement");
    if (element == nullptr) return nullptr;
    const jmethodID class_name = env->GetMethodID(element, "getClassName", "()Ljava/lang/String;");
    jobject here = env->NewObject(throwable, make);
    if (here == nullptr) return nullptr;
    const auto frames = static_cast<jobjectArray>(env->CallObjectMethod(here, trace));
    if (frames == nullptr || env->ExceptionCheck() != JNI_FALSE) return nullptr;
    for (jsize i = 0; i < env->GetArrayLength(frames); ++i) {
        jobject frame = env->GetObjectArrayElement(frames, i);
        const auto name = static_cast<jstring>(env->CallObjectMethod(frame, class_name));
        if (env->ExceptionCheck() != JNI_FALSE || name == nullptr) return nullptr;
        const char* const utf = env->GetStringUTFChars(name, nullptr);
        if (utf == nullptr) return nullptr;
        std::string found = utf;
        env->ReleaseStringUTFChars(name, utf);
        env->DeleteLocalRef(name);
        env->DeleteLocalRef(frame);
        if (found.starts_with("java.") || found.starts_with("jdk.")) continue;
        for (auto& each : found)
            if (each == '.') each = '/';
        return env->FindClass(found.c_str());
    }
    return nullptr;
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* machine, void* /*reserved*/) {
    JNIEnv* env = nullptr;
    if (machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
    jclass natives = loading_class(env);
    if (natives == nullptr) return JNI_ERR;
    const std::array methods{
        method("version", "()[B", version),
        method("nameOf", "(II)[B", name_of),
        method("modelFromBytes", "([B)J", model_from_bytes),
        method("modelLoad", "([B)J", model_load),
        method("modelToBytes", "(J)[B", model_to_bytes),
        method("modelSave", "(J[B)V", model_save),
        method("modelPretrain", "([B[BJ)J", model_pretrain),
        method("modelColdStart", "([B[B)J", model_cold_start),
        method("modelCondition", "(J[B)J", model_condition),
        method("modelLearn", "(J[B)J", model_learn),
        method("modelDrift", "(J[B[D)V", model_drift),
        method("modelImprobableRuns", "(J)[B", model_improbable_runs),
        method("modelDescribe", "(J)[B", model_describe),
        method("modelBind", "(J[BZ)J", model_bind),
        method("modelQuantiles", "(J[B[ID[D)V", model_quantiles),
        method("modelRetain", "(J)J", model_retain),
        method("modelFree", "(J)V", model_free),
        method("predictionQuantile", "([DD)D", prediction_quantile),
        method("predictionProbability", "([DD)D", prediction_probability),
        method("curveAt", "(JI[D)V", curve_at),
        method("curveQuantile", "(JID)D", curve_quantile),
        method("curveQuantiles", "(J[ID[D)V", curve_quantiles),
        method("curveMedians", "(JILjava/nio/FloatBuffer;II)V", curve_medians),
        method("curveFree", "(J)V", curve_free),
        method("choose", "([J[I[DIDDDD[D)V", choose),
        method("explorationPriorLearn", "([B)J", exploration_prior_learn),
        method("explorationPriorFree", "(J)V", exploration_prior_free),
        method("explore", "([B[I[D[BJI[DI[D)V", explore),
        method("applicationPretrain", "([BJI)J", application_pretrain),
        method("applicationLoad", "([B)J", application_load),
        method("applicationFromBytes", "([B)J", application_from_bytes),
        method("applicationToBytes", "(J)[B", application_to_bytes),
        method("applicationSave", "(J[B)V", application_save),
        method("applicationDescribe", "(J)[B", application_describe),
        method("applicationBind", "(J[B)J", application_bind),
        method("applicationFree", "(J)V", application_free),
        method("forecastObserve", "(J[B)J", forecast_observe),
        method("forecastDescribe", "(J)[B", forecast_describe),
        method("forecastAt", "(JIIII[D)V", forecast_at),
        method("forecastRescale", "(J[I[D[DI[D)V", forecast_rescale),
        method("forecastFree", "(J)V", forecast_free),
    };
    if (env->RegisterNatives(natives, methods.data(), static_cast<jint>(methods.size())) != JNI_OK) return JNI_ERR;
    return JNI_VERSION_1_8;
}
