// A blend fitted to a history: experts and their mixture weights. Binds a context to quantiles over the scale-outs.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_HPP

#include <bellamy/detail/base/shared.hpp>
#include <bellamy/detail/blend/cluster_regression.hpp>
#include <bellamy/detail/blend/expert_weights.hpp>
#include <bellamy/detail/blend/growth_trend.hpp>
#include <bellamy/detail/blend/hierarchical_ernest.hpp>
#include <bellamy/detail/blend/mixture_binding.hpp>
#include <bellamy/detail/blend/noise_posterior.hpp>

#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Diagnostics of a fit; not stored.
struct blend_report {
    std::uint32_t contexts = 0;
    std::uint32_t points = 0;
    /// Contexts that the hyper-parameters were fitted to.
    std::uint32_t fitted_contexts = 0;
    /// Three contexts or more: weights fitted to leave-one-context-out predictions. Else equal weights.
    bool left_out = false;
    /// False for an expert whose covariance could not be made positive definite.
    by_expert<bool> usable{};
    /// Largest jitter added to make a covariance positive definite; usually 0.
    double jitter = 0;
    std::vector<improbable_run> improbable_runs{};
};

/// What a file stores, and the report: the experts' factors are recomputed from it.
struct blend_data {
    feature_map features{};
    run_noise noise{};
    /// All contexts; the processes are factorised on the first `process_contexts`.
    history_data history{};
    /// Identity of each context of the history.
    std::vector<std::uint64_t> context_hashes{};
    size_t process_contexts = 0;
    growth_parameters growth{};
    by_process<std::optional<gaussian_process_parameters>> processes{};
    hierarchical_ernest_parameters ernest{};
    std::vector<blend_component> components{};
    /// Distinct scale-outs of the history, ascending.
    std::vector<int> seen_scale_outs{};
    double lowest_log_runtime = 0;
    double highest_log_runtime = 0;
    /// See `typical_curvature`.
    double curvature = 0;
    blend_report report{};
};

/// The experts, factorised on the history.
struct blend_experts {
    /// Cost: n^3/3 operations per process for n points.
    explicit blend_experts(const blend_data& data) {
        const double slope = data.features.pressure_slope();
        const auto process_history = leading_contexts(data.history, data.process_contexts);
        trend = growth_trend(data.features, data.growth);
        const auto residual = trend.residual(process_history);
        has_work_term = any_of(data.processes, [](const auto& parameters) {
            return parameters && parameters->variance(process_term::work) > 0;
        });
        const auto work_trends = has_work_term ? work_trends_within(process_history, slope) : matrix();
        matrix workspace;
        for (const auto kind : all_processes) {
            if (!data.processes[kind]) continue;
            const auto& history = uses_growth_trend(expert_of(kind)) ? residual : process_history;
            auto& process = processes[kind].emplace(*data.processes[kind], history, slope,
                                                    has_work_term ? &work_trends : nullptr, workspace);
            usable[expert_of(kind)] = process.usable();
            jitter = (std::max)(jitter, process.jitter());
        }
        const auto of_all = trend.residual(data.history);
        ernest.emplace(data.ernest, of_all, slope);
        usable[expert_kind::hierarchical_ernest] = ernest->usable();
        if (has_expert(data.components, expert_kind::cluster_regression) &&
            cluster_regression::is_for(data.features, process_history))
            regression.emplace(data.features, process_history);
        usable[expert_kind::cluster_regression] = regression.has_value();
        history_repeats = count_repeats(data.history, data.noise);
        const auto& contexts = data.history.contexts;
        for (const auto& point : data.history.points) {
            const double log_scale_out = std::log(point.scale_out);
            highest_log_scale_out = (std::max)(highest_log_scale_out, log_scale_out);
            highest_pressure = std::fmax(highest_pressure, contexts[point.context].pressure - log_scale_out);
        }
        difference_probability = probability_of_difference(of_all, history_repeats);
    }

    growth_trend trend{};
    by_process<std::optional<gaussian_process>> processes{};
    std::optional<hierarchical_ernest> ernest{};
    std::optional<cluster_regression> regression{};
    /// Whether a process has a covariance term of the work.
    bool has_work_term = false;
    /// Of the history, in units of the experts.
    double highest_log_scale_out = -infinite;
    /// ln(data size) - ln(memory of the cluster); passes over contexts where it is not known.
    double highest_pressure = -infinite;
    /// See `count_repeats`.
    double history_repeats = 0;
    /// See `probability_of_difference`.
    double difference_probability = 1;
    by_expert<bool> usable{};
    double jitter = 0;
};

/// Immutable; any number of threads may bind.
class fitted_blend {
public:
    /// Factorises the experts, and completes the report.
    explicit fitted_blend(blend_data data) : fitted_blend(blend_experts(data), data) {}
    /// Factorises the experts on first use; the report says nothing of them.
    static fitted_blend factorised_on_first_use(blend_data data) { return fitted_blend(shared(std::move(data))); }

    const blend_data& data() const noexcept { return *data_; }

    /// Shares the data with this one, and factorises the experts again on first use.
    fitted_blend without_factors() const { return fitted_blend(data_); }

    /// Whether an expert with a weight is usable.
    bool usable() const {
        return any_of(data_->components,
                      [&](const auto& component) { return component.weight > 0 && experts().usable[component.expert]; });
    }

    /// Quantiles over the scale-outs of the target context given runs observed in it (whose own contexts are not read).
    /// Unknown properties are integrated out over the history's values; each value costs one binding. Where the `wanted`
    /// scale-outs are knots that need no interpolation, only they are computed, and the curve is right at these alone.
    blend_curve bind(const context& target, std::span<const run> observed, std::span<const int> wanted = {}) const {
        // Knots: the experts predict at some, the others are interpolated.
        const mixture_binding all_knots(data_->seen_scale_outs, observed);
        const auto predicted = predicted_knots(all_knots.knots(), data_->seen_scale_outs, all_knots.observed_scale_outs());
        auto wanted_knots = predicted;
        std::erase_if(wanted_knots, [&](int knot) { return !contains(wanted, knot); });
        const bool only_wanted = !wanted.empty() && wanted_knots.size() == wanted.size();
        const auto& needed = only_wanted ? wanted_knots : predicted;
        const auto binding = all_knots.restricted_to(needed);

        // Prior: each expert's prediction for each completion of unknown properties.
        const auto completions = context_completions(data_->features, process_contexts())(target);
        const auto& features = completions.front().features;
        std::vector<weighted_prediction> predictions;
        for (const auto& completed : completions)
            for (auto& prediction : predict(target, completed, binding)) predictions.push_back(std::move(prediction));
        auto priors = prior_components(predictions, features.unseen_text);
        if (observed.size() > 1 && !priors.empty()) priors.push_back(context_shift(priors));

        // Posterior given the observed runs.
        const auto [rows, improbable_runs] = binding.quantiles(
            priors, deviation_kernel(binding.log_scale_outs()), data_->noise, experts().history_repeats,
            experts().difference_probability, {.lowest = data_->lowest_log_runtime, .highest = data_->highest_log_runtime},
            cluster_regression::is_of_clusters(data_->features));
        return {.table = interpolated_table(only_wanted ? std::span<const int>(needed) : all_knots.knots(), needed, rows,
                                            data_->curvature),
                .unlike_any_seen = features.unlike_any_seen,
                .outside_seen_sizes = features.outside_seen_sizes,
                .fewest_with_memory = completions.size() == 1 ? fewest_with_memory(features, observed) : 0,
                .contradictory_runs = improbable_runs > 0};
    }

private:
    // One expert's prediction under one hypothesis of the pressure and of the place of the memory cliff.
    struct weighted_prediction {
        expert_kind expert = expert_kind::process_over_trend;
        /// Of the hypothesis, and of the values by which unknown properties are completed.
        double probability = 1;
        double completion_probability = 1;
        /// Of the level, for values of properties and sizes that the history does not have.
        double level_variance = 0;
        expert_answer prediction{};
    };

    explicit fitted_blend(shared<blend_data> data) noexcept : data_(std::move(data)) {}
    fitted_blend(blend_experts experts, blend_data& data) : data_(with_report(std::move(data), experts)) {
        (void)experts_.get([&] { return std::move(experts); });
    }
    static blend_data with_report(blend_data data, const blend_experts& experts) {
        data.report.usable = experts.usable;
        data.report.jitter = (std::max)(data.report.jitter, experts.jitter);
        return data;
    }

    const blend_experts& experts() const {
        return experts_.get([&] { return blend_experts(*data_); });
    }

    size_t index_of(const context& target) const {
        const auto hash = identity_hash(target);
        const auto& hashes = data_->context_hashes;
        const auto position = std::find(hashes.begin(), hashes.end(), hash);
        return position == hashes.end() ? no_context : static_cast<size_t>(position - hashes.begin());
    }

    std::span<const history_context> process_contexts() const noexcept {
        return std::span(data_->history.contexts).first(data_->process_contexts);
    }

    // Scale-out below which the cluster has less memory for its data than any that ran, and less than twice the data, which
    // then do not fit into the part that Spark takes by default (0.6). NaN or 0 where sizes or memory are not known.
    double fewest_with_memory(const context_features& features, std::span<const run> observed) const {
        if (data_->features.memory_per_node.empty() || data_->features.data_size_scales) return 0;
        const double highest_pressure = (std::max)(experts().highest_pressure, std::log(0.5));
        double fewest = std::exp(features.pressure - highest_pressure) / features.relative_cores;
        for (const auto& run : observed) fewest = (std::min)(fewest, static_cast<double>(run.scale_out));
        return fewest * (1 - 1e-9);  // rounded, so that the scale-out of a run is not below it
    }

    // Predictions of all usable experts for one completion of the target.
    std::vector<weighted_prediction> predict(const context& target, const completion& completed,
                                             const mixture_binding& binding) const {
        const auto& features = completed.features;
        const auto observed_knots = binding.observed_knots();
        // Of the scale-outs that experts see.
        std::vector<double> log_scale_outs;
        for (const int knot : binding.knots()) log_scale_outs.push_back(std::log(knot * features.relative_cores));
        expert_question question{.features = features.values,
                                 .pressure = features.pressure,
                                 .pressure_slope = data_->features.pressure_slope(),
                                 .log_scale_outs = log_scale_outs,
                                 .known_context = index_of(target),
                                 .with_all = &observed_knots};
        std::vector<weighted_prediction> predictions;
        const double size_sd = size_exponent_sd * features.log_size_ratio;
        const auto growth = experts().trend.at_size_ratio(features.log_size_ratio);
        const auto add = [&](expert_kind expert, double probability, expert_answer prediction) {
            // If the history has one size, an expert without a trend takes the growth with the size from it, without its
            // cliff.
            if (features.log_size_ratio != 0 && !uses_growth_trend(expert))
                for (size_t i = 0; i < log_scale_outs.size(); ++i)
                    prediction.mean[i] += growth(features.unclamped, log_scale_outs[i], infinite) -
                                          experts().trend(features.unclamped, log_scale_outs[i], infinite);
            const weighted_prediction weighted{.expert = expert,
                                               .probability = probability,
                                               .completion_probability = completed.probability,
                                               .level_variance = features.unseen_variance + size_sd * size_sd,
                                               .prediction = std::move(prediction)};
            for (auto& at_cliff : with_trend(growth, weighted, features, log_scale_outs))
                predictions.push_back(std::move(at_cliff));
        };
        if (experts().usable[expert_kind::hierarchical_ernest])
            add(expert_kind::hierarchical_ernest, 1, predict_by_ernest(question));
        if (experts().regression)
            for (auto& [probability, answer] : (*experts().regression)(features, log_scale_outs, observed_knots))
                add(expert_kind::cluster_regression, probability, std::move(answer));

        if (question.known_context >= data_->process_contexts) question.known_context = no_context;
        const auto trends =
            experts().has_work_term ? work_trends(data_->history, question, data_->process_contexts) : matrix();
        if (experts().has_work_term) question.work_trends = &trends;
        for (const auto kind : all_processes) {
            if (!experts().usable[expert_of(kind)]) continue;
            const auto& process = *experts().processes[kind];
            // The fitted direction of the pressure says nothing of a value that the history does not have.
            const bool uncertain = features.unseen_text && !process.parameters().pressure_direction.empty();
            const auto hypotheses =
                pressure_hypotheses(uncertain ? pressure_deviation(process_contexts(), features.values) : 0);
            std::vector<expert_question> questions(hypotheses.size(), question);
            for (size_t h = 0; h < hypotheses.size(); ++h) questions[h].pressure_shift = hypotheses[h].shift;
            auto process_predictions = process(data_->history, questions);
            for (size_t h = 0; h < hypotheses.size(); ++h)
                add(expert_of(kind), hypotheses[h].probability, std::move(process_predictions[h]));
        }
        return predictions;
    }

    // Hierarchical Ernest reads no runtimes but those of the target.
    expert_answer predict_by_ernest(expert_question question) const {
        const auto& ernest = *experts().ernest;
        if (question.known_context == no_context) return ernest(data_->history, question);
        const auto residual =
            experts().trend.residual(select_contexts(data_->history, std::span(&question.known_context, 1)));
        question.known_context = 0;
        return ernest(residual, question);
    }

    // From a prediction of the trend's residual to that of the log-runtime, for each place that the memory cliff may have.
    std::vector<weighted_prediction> with_trend(const growth_trend& trend, const weighted_prediction& residual,
                                                const context_features& features,
                                                std::span<const double> log_scale_outs) const {
        if (!uses_growth_trend(residual.expert)) return {residual};
        const auto cliffs = trend.cliff_positions();
        std::vector<weighted_prediction> predictions(cliffs.size(), residual);
        for (size_t i = 0; i < cliffs.size(); ++i) {
            predictions[i].probability /= count_of(cliffs);
            trend.add_to(predictions[i].prediction.mean, features.unclamped, log_scale_outs, cliffs[i]);
            add_trend_doubt(predictions[i].prediction.covariance, log_scale_outs, experts().highest_log_scale_out);
        }
        return predictions;
    }

    // Every prediction with every fitted scale and deviation of its expert. Refers to the predictions.
    std::vector<prior_component> prior_components(const std::vector<weighted_prediction>& predictions,
                                                  bool unseen_text) const {
        const auto components = unseen_text ? evenly_weighted(data_->components) : data_->components;
        std::vector<prior_component> priors;
        for (const auto& weighted : predictions)
            for (const auto& component : components)
                if (component.expert == weighted.expert && component.weight > 0)
                    priors.push_back({.prediction = &weighted.prediction,
                                      .scale = component.scale,
                                      .deviation_sd = component.deviation_sd,
                                      .level_variance = weighted.level_variance,
                                      .log_weight = std::log(component.weight) + std::log(weighted.probability) +
                                                    std::log(weighted.completion_probability),
                                      .expert = weighted.expert});
        return priors;
    }

    // Mixture component of a context-level shift: a factor at all scale-outs that no expert predicts. Without it, runs that
    // agree with each other but with no expert would all be taken for stragglers. One run alone cannot tell a shift from a
    // straggler.
    static prior_component context_shift(const std::vector<prior_component>& priors) {
        auto shift = priors.front();
        for (const auto& prior : priors)
            if (prior.log_weight > shift.log_weight) shift = prior;
        shift.level_variance += context_shift_sd * context_shift_sd;
        shift.log_weight = log_sum_exp(values_of(priors, &prior_component::log_weight)) + std::log(context_shift_weight);
        return shift;
    }

    /// Standard deviation of the power of the data size that runtimes grow with, where the history has one size.
    static constexpr double size_exponent_sd = 0.25;
    /// Prior weight of a shift relative to all other components, and the standard deviation of its logarithm.
    static constexpr double context_shift_weight = 0.02;
    static constexpr double context_shift_sd = 0.7;

    shared<blend_data> data_;
    lazy<blend_experts> experts_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
