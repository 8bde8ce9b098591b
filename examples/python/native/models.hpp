// Models: learned, loaded, conditioned, asked.
#ifndef BELLAMY_PYTHON_MODELS_HPP
#define BELLAMY_PYTHON_MODELS_HPP

#include <exception>

#include "answers.hpp"

namespace python {

/// Python's function that is told the progress of a training: false, or an exception, cancels. Signals are looked for too.
class progress {
public:
    explicit progress(nb::object function) : function_(std::move(function)) {}

    static int32_t report(const bellamy_training_progress* now, void* self) noexcept {
        return static_cast<progress*>(self)->tell(*now) ? 1 : 0;
    }
    /// Throws what the function has thrown.
    void finish() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    [[nodiscard]] bool tell(const bellamy_training_progress& now) noexcept {
        const nb::gil_scoped_acquire locked;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (function_.is_none()) return true;
            nb::dict told;
            told["epoch"] = now.epoch;
            told["epochs"] = now.epochs;
            told["trial"] = now.trial;
            told["trials"] = now.trials;
            told["training_loss"] = now.training_loss;
            told["best_loss"] = now.best_loss;
            told["share_done"] = now.share_done;
            told["seconds_left"] = now.seconds_left;
            return !function_(told).is(nb::bool_(false));
        } catch (...) {
            thrown_ = std::current_exception();
            return false;
        }
    }

    nb::object function_;
    std::exception_ptr thrown_;
};

[[nodiscard]] inline nb::dict to_dict(const bellamy_training_report& report) {
    nb::dict made;
    made["error_before_s"] = report.error_before_s;
    made["error_after_s"] = report.error_after_s;
    made["epochs"] = report.epochs;
    made["best_epoch"] = report.best_epoch;
    made["stopped"] = report.stopped;
    made["dropout"] = report.dropout;
    made["learning_rate"] = report.learning_rate;
    made["weight_decay"] = report.weight_decay;
    made["jitter"] = report.jitter;
    made["usable_experts"] = report.usable_experts;
    made["contradictory_configurations"] = report.contradictory_configurations;
    made["fitted_contexts"] = report.fitted_contexts;
    made["censored_runs"] = report.censored_runs;
    return made;
}

/// Sets an option from a dictionary; those that are taken are removed, so that what is left has no meaning.
template <class Value>
void take(nb::dict& options, const char* name, Value& value) {
    if (options.contains(name)) value = nb::cast<Value>(nb::object(options[name]));
    PyDict_DelItemString(options.ptr(), name);
    PyErr_Clear();
}

inline void expect_empty(const nb::dict& options) {
    for (const auto& [name, value] : options) {
        static_cast<void>(value);
        throw refusal{bellamy_errc_invalid_option, "expected options that there are, found " + nb::cast<std::string>(name)};
    }
}

using learned = std::pair<model, nb::dict>;

[[nodiscard]] inline learned pretrain(const std::vector<definition>& essential, const std::vector<definition>& optional,
                                      int unit, const std::vector<nb::dict>& rows, const std::vector<outcome>& outcomes,
                                      nb::dict given, nb::object told) {
    const contexts of(essential, optional, unit, rows);
    const auto runs = runs_of(of, outcomes);
    auto options = sized<bellamy_pretrain_options>();
    call(bellamy_default_pretrain_options, &options);
    std::string algorithm;
    std::string date;
    take(given, "algorithm", algorithm);
    take(given, "date", date);
    take(given, "seed", options.seed);
    take(given, "mode", options.mode);
    take(given, "threads", options.threads);
    take(given, "trials", options.trials);
    take(given, "epochs", options.epochs);
    take(given, "batch_size", options.batch_size);
    take(given, "dropout", options.dropout);
    take(given, "learning_rate", options.learning_rate);
    take(given, "weight_decay", options.weight_decay);
    take(given, "time_budget_s", options.time_budget_s);
    take(given, "target_noise_s", options.target_noise_s);
    take(given, "validation_share", options.validation_share);
    expect_empty(given);
    options.algorithm = algorithm.c_str();
    options.date = date.c_str();
    progress teller(std::move(told));
    options.progress = &progress::report;
    options.progress_user_data = &teller;

    model made;
    auto report = sized<bellamy_training_report>();
    call_without_lock(bellamy_pretrain, runs.data(), runs.size(), &options, &report, made.out());
    teller.finish();
    return {std::move(made), to_dict(report)};
}

[[nodiscard]] inline learned fine_tune(const model& general, const std::vector<nb::dict>& rows,
                                       const std::vector<outcome>& outcomes, nb::dict given, nb::object told) {
    const contexts of(general.get(), rows);
    const auto runs = runs_of(of, outcomes);
    auto options = sized<bellamy_fine_tune_options>();
    call(bellamy_default_fine_tune_options, &options);
    take(given, "seed", options.seed);
    take(given, "target_noise_s", options.target_noise_s);
    take(given, "strategy", options.strategy);
    take(given, "epochs", options.epochs);
    take(given, "early_stopping", options.early_stopping);
    expect_empty(given);
    progress teller(std::move(told));
    options.progress = &progress::report;
    options.progress_user_data = &teller;

    model made;
    auto report = sized<bellamy_training_report>();
    call_without_lock(bellamy_model_fine_tune, general.get(), runs.data(), runs.size(), &options, &report, made.out());
    teller.finish();
    return {std::move(made), to_dict(report)};
}

[[nodiscard]] inline model condition(const model& general, const std::vector<nb::dict>& rows,
                                     const std::vector<outcome>& outcomes) {
    const contexts of(general.get(), rows);
    const auto runs = runs_of(of, outcomes);
    model made;
    call_without_lock(bellamy_model_condition, general.get(), runs.data(), runs.size(), made.out());
    return made;
}

[[nodiscard]] inline model relearn(const model& general, const std::vector<nb::dict>& rows,
                                   const std::vector<outcome>& outcomes) {
    const contexts of(general.get(), rows);
    const auto runs = runs_of(of, outcomes);
    model made;
    call_without_lock(bellamy_model_learn, general.get(), runs.data(), runs.size(), made.out());
    return made;
}

[[nodiscard]] inline model cold_start(const std::vector<definition>& essential, const std::vector<definition>& optional,
                                      int unit, const nb::dict& example, const std::string& algorithm) {
    const contexts of(essential, optional, unit, {example});
    model made;
    call_without_lock(bellamy_cold_start, of.all().data(), algorithm.c_str(), made.out());
    return made;
}

[[nodiscard]] inline rows predict(const model& asked, const std::vector<nb::dict>& of,
                                  const std::vector<int32_t>& scale_outs) {
    if (of.size() != scale_outs.size())
        throw refusal{bellamy_errc_invalid_argument, "expected one scale-out for each context"};
    const contexts known(asked.get(), of);
    std::vector<bellamy_question> questions;
    questions.reserve(of.size());
    for (size_t i = 0; i < of.size(); ++i) {
        // What neighbours share is bound once.
        const bool shared = i > 0 && of[i].equal(of[i - 1]);
        const auto* context = shared ? questions[i - 1].context : &known.all()[i];
        questions.push_back({sizeof(bellamy_question), context, scale_outs[i]});
    }
    rows made(questions.size());
    call_without_lock(bellamy_model_predict, asked.get(), questions.data(), questions.size(), made.data());
    return made;
}

[[nodiscard]] inline curve bind(const model& to, const nb::dict& context, bool non_increasing) {
    const contexts of(to.get(), {context});
    auto options = sized<bellamy_bind_options>();
    options.non_increasing = non_increasing ? 1 : 0;
    curve made;
    call_without_lock(bellamy_model_bind, to.get(), of.all().data(), &options, made.out());
    return made;
}

[[nodiscard]] inline nb::dict describe(const model& told) {
    auto about = sized<bellamy_model_description>();
    call(bellamy_model_describe, told.get(), &about);
    nb::dict made;
    made["algorithm"] = about.algorithm;
    made["date"] = about.date;
    made["kind"] = bellamy_model_kind_name(about.kind);
    made["unit"] = bellamy_unit_name(about.unit);
    made["runs"] = about.runs;
    made["contexts"] = about.contexts;
    made["observed_runs"] = about.observed_runs;
    made["stored_runs"] = about.stored_runs;
    made["shortest_runtime_s"] = about.shortest_runtime_s;
    made["longest_runtime_s"] = about.longest_runtime_s;
    made["smallest_seen_scale_out"] = about.smallest_seen_scale_out;
    made["largest_seen_scale_out"] = about.largest_seen_scale_out;
    return made;
}

/// Name, kind, role, whether it scales, whether it is essential.
[[nodiscard]] inline nb::list properties_of(const model& told) {
    size_t count = 0;
    call(bellamy_model_properties, told.get(), nullptr, size_t{0}, &count);
    std::vector<bellamy_property_definition> definitions(count, sized<bellamy_property_definition>());
    call(bellamy_model_properties, told.get(), definitions.data(), count, &count);
    nb::list made;
    for (const auto& each : definitions)
        made.append(nb::make_tuple(each.name, bellamy_kind_name(each.kind), bellamy_role_name(each.role),
                                   each.scales_with_scale_out != 0, each.is_essential != 0));
    return made;
}

/// One of the stored runs: its context by name, and its outcome.
[[nodiscard]] inline nb::tuple observed_run(const model& told, size_t number) {
    auto run = sized<bellamy_run>();
    size_t count = 0;
    call(bellamy_model_observed_run, told.get(), number, &run, nullptr, size_t{0}, &count);
    std::vector<bellamy_property> properties(count, sized<bellamy_property>());
    call(bellamy_model_observed_run, told.get(), number, &run, properties.data(), count, &count);
    nb::dict context;
    for (const auto& each : properties) context[each.name] = value_of(each);
    return nb::make_tuple(context, run.scale_out, run.runtime_s, run.weight, run.timestamp_s, run.censored != 0);
}

/// Number, found and expected seconds. There is room for all stored runs, because to ask for their number first costs as
/// much as to ask for them; where none is stored, it costs nothing.
[[nodiscard]] inline nb::list improbable_runs_of(const model& told) {
    auto about = sized<bellamy_model_description>();
    call(bellamy_model_describe, told.get(), &about);
    size_t count = about.stored_runs;
    if (count == 0) call(bellamy_model_improbable_runs, told.get(), nullptr, size_t{0}, &count);
    std::vector<bellamy_improbable_run> runs(count, sized<bellamy_improbable_run>());
    call_without_lock(bellamy_model_improbable_runs, told.get(), runs.data(), runs.size(), &count);
    runs.resize(count);
    nb::list rows;
    for (const auto& each : runs) rows.append(nb::make_tuple(each.run, each.found_s, each.expected_s));
    return rows;
}

[[nodiscard]] inline std::string id_of(const model& told) {
    std::string made(17, '\0');
    call(bellamy_model_id, told.get(), made.data(), made.size());
    made.pop_back();
    return made;
}

}  // namespace python

#endif
