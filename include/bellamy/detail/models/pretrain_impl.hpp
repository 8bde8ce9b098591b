// Definitions of pretrain.hpp: checks the options and the history, then fits a blend or trains the network.
#ifndef BELLAMY_DETAIL_MODELS_PRETRAIN_IMPL_HPP
#define BELLAMY_DETAIL_MODELS_PRETRAIN_IMPL_HPP

#include <bellamy/detail/blend/blend_fit.hpp>
#include <bellamy/detail/context/checks.hpp>
#include <bellamy/detail/models/blend_kind.hpp>
#include <bellamy/detail/network/training/search.hpp>
#include <bellamy/pretrain.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

inline result<void> validate(const pretrain_options& options) {
    const auto outside = [](std::string_view name, double value, std::string_view range) {
        return fail(errc::invalid_option, "expected ", name, " ", range, ", found ", value);
    };
    if (options.mode > training_mode::paper) return outside("mode", static_cast<int>(options.mode), "from 0 to 1");
    if (options.epochs < 1) return outside("epochs", options.epochs, ">= 1");
    if (options.batch_size < 1 || options.batch_size > 65536)
        return outside("batch_size", options.batch_size, "from 1 to 65536");
    if (options.trials < 1 || options.trials > 27) return outside("trials", options.trials, "from 1 to 27");
    if (options.threads < 1 || options.threads > 1024) return outside("threads", options.threads, "from 1 to 1024");
    if (!(options.time_budget_s >= 0)) return outside("time_budget_s", options.time_budget_s, ">= 0");
    if (!(options.configuration.dropout >= 0 && options.configuration.dropout < 1))
        return outside("dropout", options.configuration.dropout, "in [0, 1)");
    if (!(options.configuration.learning_rate > 0 && options.configuration.learning_rate <= 1))
        return outside("learning_rate", options.configuration.learning_rate, "in (0, 1]");
    if (!(options.configuration.weight_decay >= 0 && options.configuration.weight_decay <= 1))
        return outside("weight_decay", options.configuration.weight_decay, "in [0, 1]");
    if (!(options.target_noise_s >= 0 && options.target_noise_s <= 1e6))
        return outside("target_noise_s", options.target_noise_s, "in [0, 1e6]");
    if (!(options.validation_share >= 0 && options.validation_share < 1))
        return outside("validation_share", options.validation_share, "in [0, 1)");
    return validate(options.parallel);
}

/// The configurations to try: the given one, or some of the search space in random order.
inline std::vector<pretraining_configuration> configurations_of(const pretrain_options& options, random_generator& random) {
    const pretraining_configuration given{
        .tuned = options.configuration, .target_noise_s = options.target_noise_s, .batch_size = options.batch_size};
    if (options.trials == 1) return {given};
    auto all = search_space(given);
    random.shuffle(std::span(all));
    all.resize(static_cast<size_t>(options.trials));
    return all;
}

/// A validated history, its contexts numbered, and the schema and training basis of the model.
struct pretraining_input {
    std::span<const run> history;
    std::vector<std::uint32_t> contexts;
    schema properties;
    training_basis basis;
};

inline result<pretraining_input> prepare(std::span<const run> history, const pretrain_options& options) {
    auto properties = schema_of(history);
    if (!properties) return properties.error();
    if (auto valid = validate(options); !valid) return valid.error();
    if (auto valid = validate_label("an algorithm name", options.algorithm); !valid) return valid.error();
    if (auto valid = validate_label("a date", options.date); !valid) return valid.error();
    auto contexts = context_numbers(history);
    const size_t context_count = *std::max_element(contexts.begin(), contexts.end()) + size_t{1};
    if (context_count < 2)
        return fail(
            errc::single_context,
            "expected runs of at least 2 contexts to pre-train on, found 1: until then condition a cold_start on them");

    training_basis basis{.algorithm = options.algorithm, .date = options.date};
    widen(basis, history);
    basis.runs = static_cast<std::uint32_t>(history.size());
    basis.contexts = static_cast<std::uint32_t>(context_count);
    return pretraining_input{history, std::move(contexts), *std::move(properties), std::move(basis)};
}

/// Paper mode: trains the network. `run(search, configurations, seed)` is the search's.
result<trained> pretrain_network(pretraining_input input, const pretrain_options& options, const auto& run) {
    const auto set = make_training_set<float, dimensions{}>(input.history);
    random_generator random(options.seed);
    auto split = stratified_holdout(input.contexts, set.scale_outs, options.validation_share, random);
    if (auto valid = validate_shares(options.parallel, split.training.size()); !valid) return valid.error();
    split.shares = stratified_shares(split.training, input.contexts, set.scale_outs,
                                     static_cast<size_t>(options.parallel.workers), random);
    const auto scaler = min_max_scaler<float>::of(set.scale_outs);
    const auto configurations = configurations_of(options, random);
    const pretraining_search<float, dimensions{}> search(set, split, scaler, options.parallel);
    const auto outcome = run(search, configurations, random.bits());
    if (outcome.lost) return lost_worker(options.parallel);
    if (!outcome.best)
        return fail(errc::training_diverged, "expected a finite validation loss in ", outcome.epochs,
                    " epochs, found none; a smaller learning rate may help");

    const auto validated = outcome.best->validated();
    return trained{.model = model(std::move(input.properties), std::move(input.basis), outcome.best->best_network()),
                   .report = {.epochs = outcome.epochs,
                              .best_epoch = validated.best_epoch,
                              .stopped = outcome.stopped,
                              .error_before_s = validated.first_error_s,
                              .error_after_s = validated.best_error_s,
                              .chosen = outcome.configuration.tuned,
                              .contradictory_configurations = count_contradictions(input.history, input.contexts),
                              .censored_runs = count_censored(input.history)}};
}

inline result<trained> pretrain_blend(pretraining_input input, const pretrain_options& options) {
    const blend_options how{.seed = options.seed, .threads = static_cast<size_t>(options.threads)};
    auto experts = fit_blend(input.history, how);
    if (!experts.usable())
        return fail(errc::training_diverged, "expected a history that some expert can be fitted to, found none");
    const auto& fitted = experts.data().report;
    training_report report{.stopped = stop_reason::closed_form,
                           .contradictory_configurations = count_contradictions(input.history, input.contexts),
                           .censored_runs = count_censored(input.history),
                           .experts = {.points = fitted.points,
                                       .fitted_contexts = fitted.fitted_contexts,
                                       .left_one_out = fitted.left_out,
                                       .jitter = fitted.jitter,
                                       .improbable_runs = fitted.improbable_runs}};
    for (const auto expert : all_experts)
        if (fitted.usable[expert]) report.experts.usable.push_back(to_string(expert));
    return trained{.model = model_access::make(std::move(input.properties), std::move(input.basis),
                                               blend_kind{.blend = shared(std::move(experts))}),
                   .report = std::move(report)};
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<trained> pretrain(std::span<const run> history, const pretrain_options& options) {
    auto input = detail::prepare(history, options);
    if (!input) return input.error();
    if (options.mode == training_mode::best) return detail::pretrain_blend(*std::move(input), options);
    const auto run = [&](const auto& search, const auto& configurations, std::uint64_t seed) {
        return search.run(configurations, options.epochs, seed, static_cast<size_t>(options.threads), options.time_budget_s,
                          options.progress);
    };
    return detail::pretrain_network(*std::move(input), options, run);
}

BELLAMY_PUBLIC_INLINE result<model> learn(const model& general, std::span<const run> history) {
    if (general.kind() == model_kind::network)
        return detail::fail(
            errc::not_conditionable,
            "expected a model of best mode or a cold start, found a network: fine_tune it, or pretrain another");
    const pretrain_options options{.algorithm = general.basis().algorithm, .date = general.basis().date};
    auto input = detail::prepare(history, options);
    if (!input) return input.error();
    if (const auto* const kind = detail::model_access::get_if<detail::blend_kind>(general))
        if (auto blend = detail::update_blend(kind->blend->data(), history))
            return detail::model_access::make(std::move(input->properties), std::move(input->basis),
                                              detail::blend_kind{.blend = detail::shared(*std::move(blend))});
    auto anew = detail::pretrain_blend(*std::move(input), options);
    if (!anew) return anew.error();
    return std::move(anew->model);
}

BELLAMY_PUBLIC_INLINE result<trained> detail::pretrain_as_worker(std::span<const run> history,
                                                                 const pretrain_options& options, int worker,
                                                                 averager_reference<float> averager) {
    auto input = prepare(history, options);
    if (!input) return input.error();
    if (options.mode != training_mode::paper)
        return fail(errc::invalid_option, "expected paper mode, found mode ", static_cast<int>(options.mode));
    if (auto valid = validate_worker(options.parallel, options.time_budget_s, worker); !valid) return valid.error();
    const auto run = [&](const auto& search, const auto& configurations, std::uint64_t seed) {
        return search.run_as_worker(static_cast<size_t>(worker), averager, configurations, options.epochs, seed,
                                    options.progress);
    };
    return pretrain_network(*std::move(input), options, run);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
