// Definitions of what enel.hpp declares: pre-training, and the forecast of the jobs to come.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_IMPL_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_IMPL_HPP

#include <bellamy/detail/enel/enel_forecasting.hpp>
#include <bellamy/detail/enel/enel_pretraining.hpp>
#include <bellamy/enel.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

struct enel_model::state {
    detail::enel_training_set set{};
    detail::enel_trained trained{};
    enel_report report{};
};

BELLAMY_PUBLIC_INLINE const enel_report& enel_model::report() const noexcept { return state_->report; }

// `run_search(search, plan)` runs the search with all workers, or as one of them.
result<enel_model> enel_model::learn(std::span<const application_trace> runs, const enel_options& options,
                                     const auto& run_search) {
    if (options.trials < 1 || options.epochs < 1 || options.threads < 1)
        return detail::fail(errc::invalid_option, "expected trials, epochs and threads >= 1, found ", options.trials, ", ",
                            options.epochs, " and ", options.threads);
    if (auto valid = detail::validate(options.parallel); !valid) return valid.error();
    auto network = std::make_shared<state>();
    std::vector<detail::enel_run> usable;
    for (const auto& trace : runs) {
        if (auto valid = validate(trace); !valid) return valid.error();
        auto run = detail::enel_reader::read(trace);
        if (!run) return run.error();
        if (run->has_scale_outs()) usable.push_back(std::move(*run));
    }
    if (usable.empty()) return detail::fail(errc::empty_history, "expected a run with jobs and scale-outs, found none");
    network->report.unused_runs = runs.size() - usable.size();
    network->set = detail::enel_training_set::split(std::move(usable));
    network->report.training_runs = network->set.training.size();
    network->report.validation_runs = network->set.validation.size();
    if (auto valid = detail::validate_shares(options.parallel, network->report.training_runs); !valid) return valid.error();
    network->trained = run_search(detail::enel_search(network->set),
                                  detail::enel_search_plan{.trials = options.trials,
                                                           .epochs = options.epochs,
                                                           .seed = options.seed,
                                                           .threads = static_cast<size_t>(options.threads),
                                                           .parallel = options.parallel});
    if (network->trained.lost) return detail::lost_worker(options.parallel);
    if (network->trained.parameters.empty())
        return detail::fail(errc::training_diverged, "expected a trial with a finite loss, found none of ", options.trials);
    network->report.epochs = network->trained.epochs;
    network->report.best_epoch = network->trained.best_epoch;
    network->report.validation_loss = network->trained.validation_loss;
    // Only training needs the mini-batches.
    network->set.training.clear();
    network->set.validation.clear();
    return enel_model(std::move(network));
}

BELLAMY_PUBLIC_INLINE result<enel_model> enel_model::pretrain(std::span<const application_trace> runs,
                                                              const enel_options& options) {
    return learn(runs, options, [](const auto& search, const auto& plan) { return search.run(plan); });
}

BELLAMY_PUBLIC_INLINE result<enel_model> enel_model::pretrain_with(std::span<const application_trace> runs,
                                                                   const enel_options& options, int worker,
                                                                   detail::averager_reference<double> averager) {
    if (auto valid = detail::validate_worker(options.parallel, 0, worker); !valid) return valid.error();
    return learn(runs, options, [&](const auto& search, const auto& plan) {
        return search.run_as_worker(plan, static_cast<size_t>(worker), averager);
    });
}

BELLAMY_PUBLIC_INLINE result<void> enel_model::check(const application_trace& so_far, std::span<const int> scale_outs,
                                                     const enel_question& question) const {
    if (auto valid = validate(so_far); !valid) return valid;
    if (scale_outs.empty()) return detail::fail(errc::empty_candidates, "expected at least one scale-out, found none");
    if (auto valid = validate_scale_out(question.scale_out); !valid) return valid;
    for (const int scale_out : scale_outs)
        if (auto valid = validate_scale_out(scale_out); !valid) return valid;
    const auto& history = state_->set.runs;
    if (!detail::any_of(history, [&](const auto& run) { return run.application == so_far.application; }))
        return detail::fail(errc::empty_history, "expected an earlier run of ", so_far.application, ", found none");
    return {};
}

BELLAMY_PUBLIC_INLINE result<enel_forecast> enel_model::forecast(const application_trace& so_far,
                                                                 std::span<const int> scale_outs,
                                                                 const enel_question& question) const {
    if (auto valid = check(so_far, scale_outs, question); !valid) return valid.error();
    auto finished = detail::enel_reader::read(so_far);
    if (!finished) return finished.error();
    detail::enel_forecaster forecaster(state_->set, std::move(*finished), question.scale_out);
    enel_forecast answer;
    answer.scale_outs_.assign(scale_outs.begin(), scale_outs.end());
    if (forecaster.jobs() == 0) return answer;
    answer.gaps_s_ = forecaster.gaps_s();
    for (size_t job = 0; job < forecaster.jobs(); ++job) {
        answer.stages_.push_back(forecaster.stages(job));
        answer.first_stage_.push_back(answer.first_stage_.back() + answer.stages_.back());
    }
    const auto& trained = state_->trained;
    const auto parameters = question.fine_tune
                                ? forecaster.fine_tune(trained.parameters, trained.configuration.rates, question.seed)
                                : trained.parameters;
    for (const int scale_out : scale_outs) {
        forecaster.forecast(parameters, scale_out, question.first_job, [&](double job_s, auto stage_s) {
            answer.job_s_.push_back(job_s);
            detail::append(answer.stage_s_, stage_s);
        });
    }
    return answer;
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
