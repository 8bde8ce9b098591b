// Applications stage by stage: traces as dictionaries, forecasts, rescaling.
#ifndef BELLAMY_PYTHON_APPLICATIONS_HPP
#define BELLAMY_PYTHON_APPLICATIONS_HPP

#include <cmath>

#include "decisions.hpp"

namespace python {

/// Traces in the form of a line of `bellamy import --traces`, and what they point to.
class traces {
public:
    explicit traces(const std::vector<nb::dict>& runs) {
        for (const auto& each : runs) all_.push_back(to_trace(each));
    }
    traces(const traces&) = delete;
    traces& operator=(const traces&) = delete;

    [[nodiscard]] const std::vector<bellamy_application_trace>& all() const noexcept { return all_; }

private:
    template <class Value>
    [[nodiscard]] static Value value_or(const nb::dict& from, const char* name, Value otherwise) {
        if (!from.contains(name)) return otherwise;
        const nb::object found(from[name]);
        if (found.is_none()) return otherwise;
        Value made{};
        if (nb::try_cast(found, made)) return made;
        refuse(name, found);
    }
    [[noreturn]] static void refuse(const char* name, const nb::object& found) {
        throw refusal{bellamy_errc_invalid_trace, "expected another type of value as " + std::string(name) +
                                                      " of a trace, found " + nb::cast<std::string>(nb::repr(found))};
    }
    [[nodiscard]] const char* text_or_null(const nb::dict& from, const char* name) {
        const auto found = value_or(from, name, nb::str());
        return nb::len(found) == 0 ? nullptr : texts_.keep(found);
    }
    template <class Name>
    [[nodiscard]] static int32_t enumerator(const nb::dict& from, const char* field, int32_t count, const Name& name_of) {
        const auto found = value_or(from, field, std::string(name_of(0)));
        for (int32_t i = 0; i < count; ++i)
            if (found == name_of(i)) return i;
        refuse(field, nb::object(from[field]));
    }
    [[nodiscard]] static int32_t outcome_of(const nb::dict& from) {
        constexpr std::array<const char*, 4> names{"succeeded", "failed", "killed", "unfinished"};
        return enumerator(from, "outcome", 4, [&](int32_t i) { return names[static_cast<size_t>(i)]; });
    }
    template <class Kept>
    [[nodiscard]] static const auto* keep(std::deque<Kept>& where, Kept&& made) {
        return where.emplace_back(std::move(made)).data();
    }

    [[nodiscard]] bellamy_application_trace to_trace(const nb::dict& from) {
        auto made = sized<bellamy_application_trace>();
        made.application = text_or_null(from, "application");
        made.run = text_or_null(from, "run");
        std::vector<bellamy_property> properties;
        for (const auto& [name, value] : value_or(from, "properties", nb::dict())) {
            properties.push_back(property_of(texts_, name, value));
            properties.back().role = std::string_view(properties.back().name) == "data_size_MB"   ? bellamy_role_data_size
                                     : std::string_view(properties.back().name) == "machine_type" ? bellamy_role_machine_type
                                                                                                  : bellamy_role_none;
        }
        made.property_count = properties.size();
        made.properties = keep(properties_, std::move(properties));
        std::vector<bellamy_scale_out_step> steps;
        for (const auto& [at_s, scale_out] : value_or(from, "scale_out", std::vector<std::tuple<double, int32_t>>()))
            steps.push_back({sizeof(bellamy_scale_out_step), at_s, scale_out});
        made.step_count = steps.size();
        made.steps = keep(steps_, std::move(steps));
        std::vector<bellamy_job_trace> jobs;
        for (const auto& each : value_or(from, "jobs", std::vector<nb::dict>())) jobs.push_back(to_job(each));
        made.job_count = jobs.size();
        made.jobs = keep(jobs_, std::move(jobs));
        made.runtime_s = value_or(from, "runtime_s", 0.0);
        made.unit = enumerator(from, "unit", 4, bellamy_unit_name);
        made.outcome = outcome_of(from);
        return made;
    }
    [[nodiscard]] bellamy_job_trace to_job(const nb::dict& from) {
        std::vector<bellamy_stage_trace> stages;
        for (const auto& each : value_or(from, "stages", std::vector<nb::dict>())) stages.push_back(to_stage(each));
        const size_t count = stages.size();
        auto made = bellamy_job_of(value_or(from, "id", int64_t{0}), value_or(from, "submitted_s", std::nan("")),
                                   value_or(from, "completed_s", std::nan("")), keep(stages_, std::move(stages)), count);
        made.outcome = outcome_of(from);
        return made;
    }
    [[nodiscard]] bellamy_stage_trace to_stage(const nb::dict& from) {
        auto made = bellamy_stage_of(value_or(from, "id", int64_t{0}), value_or(from, "submitted_s", std::nan("")),
                                     value_or(from, "completed_s", std::nan("")));
        made.name = text_or_null(from, "name");
        made.attempt = value_or(from, "attempt", int64_t{0});
        made.tasks = value_or(from, "tasks", int64_t{-1});
        made.first_wave = value_or(from, "first_wave", int64_t{-1});
        auto parents = value_or(from, "parents", std::vector<int64_t>());
        made.parent_count = parents.size();
        made.parents = keep(parents_, std::move(parents));
        auto task_s = value_or(from, "task_s", std::vector<double>());
        made.task_count = task_s.size();
        made.task_s = keep(task_s_, std::move(task_s));
        const auto unknown = std::tuple<int32_t, int32_t>(-1, -1);
        std::tie(made.start_scale_out, made.end_scale_out) = value_or(from, "scale_out", unknown);
        made.outcome = outcome_of(from);
        return made;
    }

    texts texts_;
    std::deque<std::vector<bellamy_property>> properties_;
    std::deque<std::vector<bellamy_scale_out_step>> steps_;
    std::deque<std::vector<bellamy_job_trace>> jobs_;
    std::deque<std::vector<bellamy_stage_trace>> stages_;
    std::deque<std::vector<int64_t>> parents_;
    std::deque<std::vector<double>> task_s_;
    std::vector<bellamy_application_trace> all_;
};

[[nodiscard]] inline application learn(const std::vector<nb::dict>& history, uint64_t seed, int threads) {
    const traces runs(history);
    auto options = sized<bellamy_application_options>();
    options.seed = seed;
    options.threads = threads;
    application made;
    call_without_lock(bellamy_application_pretrain, runs.all().data(), runs.all().size(), &options, made.out());
    return made;
}

[[nodiscard]] inline forecast forecast_of(const application& of, const nb::dict& properties) {
    texts kept;
    std::vector<bellamy_property> known;
    for (const auto& [name, value] : properties) known.push_back(property_of(kept, name, value));
    forecast made;
    call_without_lock(bellamy_application_bind, of.get(), known.data(), known.size(), made.out());
    return made;
}

[[nodiscard]] inline forecast observe(const forecast& before, const nb::dict& so_far) {
    const traces run({so_far});
    forecast made;
    call_without_lock(bellamy_forecast_observe, before.get(), run.all().data(), made.out());
    return made;
}

[[nodiscard]] inline std::vector<size_t> stage_counts(const forecast& of) {
    size_t count = 0;
    call(bellamy_forecast_stage_counts, of.get(), nullptr, size_t{0}, &count);
    std::vector<size_t> made(count);
    if (count > 0) call(bellamy_forecast_stage_counts, of.get(), made.data(), count, &count);
    return made;
}

[[nodiscard]] inline nb::dict to_dict(const bellamy_rescale_assessment& row) {
    nb::dict made;
    made["scale_out"] = row.scale_out;
    made["median_s"] = row.median_s;
    made["quantile_s"] = row.quantile_s;
    made["probability"] = row.probability;
    made["expected_cost"] = row.expected_cost;
    made["verdict"] = bellamy_rescale_verdict_name(row.verdict);
    made["flags"] = row.flags;
    return made;
}

/// The decision, and a row for each scale-out.
[[nodiscard]] inline nb::tuple rescale(const forecast& of, const std::vector<int32_t>& scale_outs, const price& paid,
                                       double deadline_s, double elapsed_s, int32_t scale_out, double probability,
                                       double cost_of_change, double cost_of_missing) {
    const auto per_unit = to_price(paid);
    auto request = sized<bellamy_rescale_request>();
    request.deadline_s = deadline_s;
    request.elapsed_s = elapsed_s;
    request.probability = probability;
    request.cost_of_change = cost_of_change;
    request.cost_of_missing = cost_of_missing;
    request.scale_out = scale_out;
    auto decision = sized<bellamy_rescale_decision>();
    std::vector<bellamy_rescale_assessment> rows(scale_outs.size(), sized<bellamy_rescale_assessment>());
    call(bellamy_forecast_rescale, of.get(), scale_outs.data(), scale_outs.size(), &per_unit, &request, &decision,
         rows.data(), rows.size());
    nb::dict made;
    made["scale_out"] = decision.scale_out;
    made["changes"] = decision.changes != 0;
    made["probability"] = decision.probability;
    made["expected_cost"] = decision.expected_cost;
    made["outcome"] = decision.outcome;
    made["reason"] = bellamy_rescale_outcome_name(decision.outcome);
    return nb::make_tuple(made, to_list(rows, [](const auto& row) { return to_dict(row); }));
}

}  // namespace python

#endif
