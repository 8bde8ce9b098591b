// The native methods of io.github.bellamy.Native, which checks every argument before it gets here: handles are open, arrays
// are there and have the right sizes.
#include <bellamy/choose.hpp>
#include <bellamy/cold_start.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>
#include <bellamy/shared_model.hpp>

#include <memory>

#include "environment.hpp"
#include "wire.hpp"

namespace {

using namespace jni;

using shared_handle = std::unique_ptr<bellamy::shared_model>;
using model_handle = std::shared_ptr<const bellamy::model>;

const bellamy::model& model_of(jlong handle) { return *from_handle<model_handle>(handle); }

jlong own(bellamy::model made) { return to_handle<model_handle>(std::make_shared<const bellamy::model>(std::move(made))); }

jbyteArray version(JNIEnv* env, jclass natives) {
    return guarded(env, natives, [&] { return to_array(env, std::as_bytes(std::span(std::string_view(BELLAMY_VERSION)))); });
}

// So that Java's enumerations can be compared with ours: the name of a value, "unknown" where there is none.
jbyteArray name_of(JNIEnv* env, jclass natives, jint enumeration, jint value) {
    return guarded(env, natives, [&] {
        const auto name = [&](auto last) -> std::string_view {
            using type = decltype(last);
            return value < 0 || value > static_cast<int>(last) ? "unknown" : to_string(static_cast<type>(value));
        };
        std::string_view found = "unknown";
        switch (enumeration) {
            case 0: found = to_string(static_cast<bellamy::errc>(value)); break;
            case 1: found = name(bellamy::property_kind::unknown); break;
            case 2: found = name(bellamy::property_role::machine_type); break;
            case 3: found = name(bellamy::scale_out_unit::core); break;
            case 4: found = name(bellamy::verdict::slower); break;
            case 5: found = name(bellamy::outcome::infeasible); break;
            case 6: found = name(bellamy::model_kind::shapes); break;
            default: break;
        }
        return to_array(env, std::as_bytes(std::span(found)));
    });
}

jlong model_from_bytes(JNIEnv* env, jclass natives, jbyteArray bytes) {
    return guarded(env, natives, [&] {
        const auto read = to_bytes(env, bytes);
        return own(bellamy::from_bytes(std::span(read)).value());
    });
}

jlong model_load(JNIEnv* env, jclass natives, jbyteArray path) {
    return guarded(env, natives, [&] { return own(bellamy::load(to_text(env, path)).value()); });
}

jbyteArray model_to_bytes(JNIEnv* env, jclass natives, jlong model) {
    return guarded(env, natives, [&] { return to_array(env, bellamy::to_bytes(model_of(model))); });
}

void model_save(JNIEnv* env, jclass natives, jlong model, jbyteArray path) {
    guarded(env, natives, [&] { bellamy::save(model_of(model), to_text(env, path)).value(); });
}

jlong model_pretrain(JNIEnv* env, jclass natives, jbyteArray runs, jbyteArray algorithm, jlong seed) {
    return guarded(env, natives, [&] {
        const auto bytes = to_bytes(env, runs);
        const auto history = wire_reader(bytes).runs();
        const bellamy::pretrain_options options{.algorithm = to_text(env, algorithm),
                                                .seed = static_cast<std::uint64_t>(seed)};
        return own(std::move(bellamy::pretrain(history, options).value().model));
    });
}

jlong model_cold_start(JNIEnv* env, jclass natives, jbyteArray example, jbyteArray algorithm) {
    return guarded(env, natives, [&] {
        const auto bytes = to_bytes(env, example);
        return own(bellamy::cold_start(wire_reader(bytes).context(), to_text(env, algorithm)).value());
    });
}

jlong model_condition(JNIEnv* env, jclass natives, jlong model, jbyteArray runs) {
    return guarded(env, natives, [&] {
        const auto bytes = to_bytes(env, runs);
        return own(model_of(model).condition(wire_reader(bytes).runs()).value());
    });
}

// The schema, what the model was made from, and what answers inside it.
jbyteArray model_describe(JNIEnv* env, jclass natives, jlong model) {
    return guarded(env, natives, [&] {
        const auto& subject = model_of(model);
        const auto& basis = subject.basis();
        wire_writer out;
        out.schema(subject.schema());
        out.text(basis.algorithm);
        for (const auto number :
             {basis.runs, basis.contexts, basis.observed_runs, static_cast<std::uint32_t>(basis.seen_scale_outs.smallest),
              static_cast<std::uint32_t>(basis.seen_scale_outs.largest)})
            out.natural(number, 4);
        out.text(to_string(subject.kind()));
        return to_array(env, out.bytes());
    });
}

jlong model_bind(JNIEnv* env, jclass natives, jlong model, jbyteArray context, jboolean non_increasing) {
    return guarded(env, natives, [&] {
        const auto bytes = to_bytes(env, context);
        const bellamy::bind_options options{.non_increasing = non_increasing != JNI_FALSE};
        return to_handle(model_of(model).bind(wire_reader(bytes).context(), options).value());
    });
}

// One quantile each of many contexts; errors tell which of them is wrong.
void model_quantiles(JNIEnv* env, jclass natives, jlong model, jbyteArray contexts, jintArray scale_outs,
                     jdouble probability, jdoubleArray runtime_s) {
    guarded(env, natives, [&] {
        const auto bytes = to_bytes(env, contexts);
        const auto asked = to_ints(env, scale_outs);
        std::vector<double> found;
        wire_reader reader(bytes);
        for (const int x : asked) {
            const auto bound = model_of(model).bind(reader.context());
            if (!bound)
                throw bellamy::failure(
                    bellamy::detail::fail(bound.error().code(), "context ", found.size(), ": ", bound.error().message()));
            found.push_back(bound->at(x).quantile_s(probability));
        }
        fill(env, runtime_s, found);
    });
}

constexpr std::size_t prediction_numbers = 3 + std::tuple_size_v<bellamy::detail::quantile_row>;

void write_prediction(const bellamy::prediction& from, std::span<double, prediction_numbers> to) {
    const unsigned flags = (from.outside_seen_scale_outs ? 1U : 0U) | (from.unlike_any_seen_context ? 2U : 0U) |
                           (from.contradictory_observed_runs ? 4U : 0U) | (from.is_point ? 8U : 0U);
    to[0] = from.median_s;
    to[1] = from.observed_runs;
    to[2] = flags;
    std::copy(from.log_quantiles.begin(), from.log_quantiles.end(), to.begin() + 3);
}

// The part that quantiles and probabilities are computed from.
bellamy::prediction read_prediction(JNIEnv* env, jdoubleArray from) {
    std::array<double, prediction_numbers> numbers{};
    env->GetDoubleArrayRegion(from, 0, static_cast<jsize>(numbers.size()), numbers.data());
    leave_if_pending(env);
    bellamy::prediction made{.median_s = numbers[0], .is_point = (static_cast<unsigned>(numbers[2]) & 8U) != 0};
    std::copy(numbers.begin() + 3, numbers.end(), made.log_quantiles.begin());
    return made;
}

jdouble prediction_quantile(JNIEnv* env, jclass natives, jdoubleArray prediction, jdouble probability) {
    return guarded(env, natives, [&] { return read_prediction(env, prediction).quantile_s(probability); });
}

jdouble prediction_probability(JNIEnv* env, jclass natives, jdoubleArray prediction, jdouble limit_s) {
    return guarded(env, natives, [&] { return read_prediction(env, prediction).probability_within(limit_s); });
}

void curve_at(JNIEnv* env, jclass natives, jlong curve, jint scale_out, jdoubleArray prediction) {
    guarded(env, natives, [&] {
        std::array<double, prediction_numbers> numbers{};
        write_prediction(from_handle<bellamy::curve>(curve).at(scale_out), numbers);
        fill(env, prediction, numbers);
    });
}

jdouble curve_quantile(JNIEnv*, jclass, jlong curve, jint scale_out, jdouble probability) noexcept {
    const auto found = from_handle<bellamy::curve>(curve).at(scale_out);
    return probability == 0.5 ? found.median_s : found.quantile_s(probability);
}

void curve_quantiles(JNIEnv* env, jclass natives, jlong curve, jintArray scale_outs, jdouble probability,
                     jdoubleArray runtime_s) {
    guarded(env, natives, [&] {
        std::vector<double> found;
        for (const int x : to_ints(env, scale_outs))
            found.push_back(from_handle<bellamy::curve>(curve).at(x).quantile_s(probability));
        fill(env, runtime_s, found);
    });
}

void curve_medians(JNIEnv* env, jclass natives, jlong curve, jint first, jobject direct, jint position, jint count) {
    guarded(env, natives, [&] {
        auto* const numbers = static_cast<float*>(env->GetDirectBufferAddress(direct));
        if (numbers == nullptr) throw std::invalid_argument("expected a direct buffer that native code can reach");
        from_handle<bellamy::curve>(curve).medians_s(first, {numbers + position, static_cast<std::size_t>(count)});
    });
}

constexpr std::size_t price_numbers = 5;
constexpr std::size_t assessment_numbers = 3 + prediction_numbers;

// Leaves in `answer` the outcome, the number of the candidate or -1, and a row per candidate.
void choose(JNIEnv* env, jclass natives, jlongArray curves, jintArray scale_outs, jdoubleArray prices, jint goal,
            jdouble deadline_s, jdouble budget, jdouble probability, jdoubleArray answer) {
    guarded(env, natives, [&] {
        const auto asked = to_ints(env, scale_outs);
        const auto costs = to_doubles(env, prices);
        std::vector<jlong> handles(asked.size());
        env->GetLongArrayRegion(curves, 0, static_cast<jsize>(handles.size()), handles.data());
        leave_if_pending(env);
        std::vector<bellamy::candidate> candidates;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const double* price = costs.data() + i * price_numbers;
            candidates.push_back({.runtimes = &from_handle<bellamy::curve>(handles[i]),
                                  .scale_out = asked[i],
                                  .costs = {.per_unit_and_hour = price[0],
                                            .start_up_s = price[1],
                                            .billing_granularity_s = price[2],
                                            .interruptions_per_hour = price[3],
                                            .rerun_share = price[4]}});
        }
        std::vector<bellamy::assessment> table(candidates.size());
        const auto chosen = bellamy::choose(candidates,
                                            {.goal = static_cast<bellamy::goal>(goal),
                                             .deadline_s = deadline_s,
                                             .budget = budget,
                                             .probability = probability},
                                            table)
                                .value();
        std::vector<double> numbers{static_cast<double>(chosen.outcome),
                                    chosen.candidate ? static_cast<double>(chosen.candidate->candidate) : -1.0};
        for (const auto& row : table) {
            numbers.insert(numbers.end(), {row.probability, row.expected_cost, static_cast<double>(row.why)});
            std::array<double, prediction_numbers> prediction{};
            write_prediction(row.predicted, prediction);
            numbers.insert(numbers.end(), prediction.begin(), prediction.end());
        }
        fill(env, answer, numbers);
    });
}

jlong shared_create(JNIEnv* env, jclass natives, jlong model) {
    return guarded(env, natives, [&] { return to_handle(std::make_unique<bellamy::shared_model>(model_of(model))); });
}

jlong shared_snapshot(JNIEnv* env, jclass natives, jlong shared) {
    return guarded(env, natives, [&] { return to_handle(from_handle<shared_handle>(shared)->snapshot()); });
}

void shared_condition(JNIEnv* env, jclass natives, jlong shared, jbyteArray runs) {
    guarded(env, natives, [&] {
        const auto bytes = to_bytes(env, runs);
        const auto observed = wire_reader(bytes).runs();
        from_handle<shared_handle>(shared)
            ->update([&](const bellamy::model& current) { return current.condition(observed); })
            .value();
    });
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
        method("modelDescribe", "(J)[B", model_describe),
        method("modelBind", "(J[BZ)J", model_bind),
        method("modelQuantiles", "(J[B[ID[D)V", model_quantiles),
        method("modelFree", "(J)V", destroy<model_handle>),
        method("predictionQuantile", "([DD)D", prediction_quantile),
        method("predictionProbability", "([DD)D", prediction_probability),
        method("curveAt", "(JI[D)V", curve_at),
        method("curveQuantile", "(JID)D", curve_quantile),
        method("curveQuantiles", "(J[ID[D)V", curve_quantiles),
        method("curveMedians", "(JILjava/nio/FloatBuffer;II)V", curve_medians),
        method("curveFree", "(J)V", destroy<bellamy::curve>),
        method("choose", "([J[I[DIDDD[D)V", choose),
        method("sharedCreate", "(J)J", shared_create),
        method("sharedSnapshot", "(J)J", shared_snapshot),
        method("sharedCondition", "(J[B)V", shared_condition),
        method("sharedFree", "(J)V", destroy<shared_handle>),
    };
    if (env->RegisterNatives(natives, methods.data(), static_cast<jint>(methods.size())) != JNI_OK) return JNI_ERR;
    return JNI_VERSION_1_8;
}
