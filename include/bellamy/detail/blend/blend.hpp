// Best mode: experts conditioned on a history and mixed by evidence, as quantiles over the scale-outs.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_HPP

#include <bellamy/detail/base/lazy.hpp>
#include <bellamy/detail/base/shared.hpp>
#include <bellamy/detail/blend/blend_curve.hpp>
#include <bellamy/detail/blend/expert_weights.hpp>
#include <bellamy/detail/blend/growth_trend.hpp>
#include <bellamy/detail/blend/hierarchical_ernest.hpp>
#include <bellamy/detail/blend/interpolation.hpp>
#include <bellamy/detail/blend/mixture_binding.hpp>
#include <bellamy/detail/blend/pressure_doubt.hpp>
#include <bellamy/detail/context/completions.hpp>
#include <bellamy/detail/context/features.hpp>

#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Of fitting and loading.
struct blend_report {
    std::uint32_t contexts = 0;
    std::uint32_t points = 0;
    /// Contexts that the processes are conditioned on, and those that the hyper-parameters were fitted to.
    std::uint32_t process_contexts = 0;
    std::uint32_t fitted_contexts = 0;
    /// Three contexts or more: leave-one-context-out fits and learned weights. Else neither.
    bool left_out = false;
    /// False for a process whose covariance could not be made positive definite.
    std::array<bool, expert_kinds> usable{};
    /// Largest jitter added to make a covariance positive definite; usually 0.
    double jitter = 0;
    std::vector<improbable_run> improbable_runs{};
};

/// What is stored: plain data, from which factors are recomputed.
struct blend_data {
    feature_map features{};
    run_noise noise{};
    /// All contexts; the processes are conditioned on the first `process_contexts`.
    history_data history{};
    /// Hash of each context's properties.
    std::vector<std::uint64_t> context_hashes{};
    std::size_t process_contexts = 0;
    growth_parameters growth{};
    std::array<std::optional<gaussian_process_parameters>, process_kinds> processes{};
    hierarchical_ernest_parameters ernest{};
    std::vector<blend_component> components{};
    /// Distinct scale-outs of the history, ascending.
    std::vector<int> seen_scale_outs{};
    double lowest_log_runtime = 0;
    double highest_log_runtime = 0;
    /// See `bend_of`.
    double bend = 0;
    blend_report report{};
};

/// The experts conditioned on the history.
struct blend_experts {
    /// Cost: n^3/3 operations per process for n points.
    explicit blend_experts(const blend_data& data) {
        const double slope = data.features.pressure_slope();
        const auto whole = leading_contexts(data.history, data.process_contexts);
        trend = growth_trend(data.features, data.growth);
        const auto residual = trend.residual(whole);
        knows_work = std::any_of(data.processes.begin(), data.processes.end(),
                                 [](const auto& each) { return each && each->variance(process_term::work) > 0; });
        const auto work = knows_work ? work_trends_within(whole, slope) : matrix();
        matrix room;
        for (std::size_t k = 0; k < process_kinds; ++k) {
            if (!data.processes[k]) continue;
            const auto& history = over_growth_trend(static_cast<expert_kind>(k)) ? residual : whole;
            processes[k].emplace(*data.processes[k], history, slope, knows_work ? &work : nullptr, room);
            usable[k] = processes[k]->usable();
            jitter = (std::max)(jitter, processes[k]->jitter());
        }
        ernest.emplace(data.ernest, trend.residual(data.history), slope);
        usable[static_cast<std::size_t>(expert_kind::hierarchical_ernest)] = ernest->usable();
    }

    growth_trend trend{};
    std::array<std::optional<gaussian_process>, process_kinds> processes{};
    std::optional<hierarchical_ernest> ernest{};
    /// Whether a process has a term of the work.
    bool knows_work = false;
    std::array<bool, expert_kinds> usable{};
    double jitter = 0;
};

class best_model {
public:
    /// Conditions the experts, and completes the report.
    explicit best_model(blend_data data) : best_model(blend_experts(data), data) {}
    /// Conditions the experts when they are first asked; the report says nothing of them.
    [[nodiscard]] static best_model conditioned_when_asked(blend_data data) { return best_model(shared(std::move(data))); }

    [[nodiscard]] const blend_data& data() const noexcept { return *data_; }

    /// Of the same data, which both share; its experts are conditioned when they are first asked, again.
    [[nodiscard]] best_model without_experts() const { return best_model(data_); }

    /// Whether any expert can answer.
    [[nodiscard]] bool usable() const {
        return std::any_of(data_->components.begin(), data_->components.end(), [&](const auto& each) {
            return each.weight > 0 && experts().usable[static_cast<std::size_t>(each.expert)];
        });
    }

    /// Binds a context, conditioned on runs of it (their contexts are not looked at). Unknown values of the context are
    /// integrated out over those of the history, weighed by how well they explain the runs; each costs one binding. Where
    /// `only` is not empty and the answers at these scale-outs need no others, the curve is right at these alone.
    [[nodiscard]] blend_curve bind(const context& subject, std::span<const run> observed,
                                   std::span<const int> only = {}) const {
        mixture_binding target(data_->seen_scale_outs, observed);
        const std::vector<int> knots(target.knots().begin(), target.knots().end());
        const auto interpolated = interpolated_knots(knots, data_->seen_scale_outs, target.observed_scale_outs());
        const auto is_asked = [&](int x, std::size_t i) {
            return !interpolated[i] && std::find(only.begin(), only.end(), x) != only.end();
        };
        std::size_t asked_alone = 0;
        for (std::size_t i = 0; i < knots.size(); ++i) asked_alone += is_asked(knots[i], i) ? 1U : 0U;
        const bool partly = !only.empty() && asked_alone == only.size();
        target.leave_out([&](int x, std::size_t i) { return partly ? !is_asked(x, i) : interpolated[i]; });

        const auto completions = context_completions(data_->features, process_contexts())(subject);
        const auto& asked = completions.front().features;
        const auto components = asked.unseen_text ? evenly_weighted(data_->components) : data_->components;
        const auto observed_knots = target.observed_knots();
        std::vector<std::vector<weighed_answer>> answers;
        answers.reserve(completions.size());
        std::vector<prior_component> priors;
        for (const auto& each : completions) {
            answers.push_back(ask(subject, each.features, target.log_scale_outs(), observed_knots));
            for (const auto& answer : answers.back())
                add_priors(answer, components, each.features.unseen_variance, std::log(each.share), priors);
        }
        if (observed.size() > 1) add_surprise(priors);
        const auto rows =
            target.condition_on_runs(priors, deviation_kernel(target.log_scale_outs()), data_->noise,
                                     {.lowest = data_->lowest_log_runtime, .highest = data_->highest_log_runtime});
        return {.table = partly ? knot_table(target.knots(), rows) : table_of(knots, interpolated, target.knots(), rows),
                .unlike_any_seen = asked.unlike_any_seen,
                .outside_seen_sizes = asked.outside_seen_sizes};
    }

private:
    struct weighed_answer {
        expert_kind expert = expert_kind::process_over_trend;
        double share = 1;
        expert_answer answer{};
    };

    explicit best_model(shared<blend_data> data) noexcept : data_(std::move(data)) {}
    best_model(blend_experts made, blend_data& data) : data_(completed(std::move(data), made)) {
        (void)experts_.get([&] { return std::move(made); });
    }
    [[nodiscard]] static blend_data completed(blend_data data, const blend_experts& made) {
        data.report.usable = made.usable;
        data.report.jitter = (std::max)(data.report.jitter, made.jitter);
        return data;
    }

    [[nodiscard]] const blend_experts& experts() const {
        return experts_.get([&] { return blend_experts(*data_); });
    }

    [[nodiscard]] std::size_t index_of(const context& subject) const {
        const auto hash = identity_hash(subject);
        const auto at = std::find(data_->context_hashes.begin(), data_->context_hashes.end(), hash);
        return at == data_->context_hashes.end() ? no_context : static_cast<std::size_t>(at - data_->context_hashes.begin());
    }

    [[nodiscard]] std::span<const history_context> process_contexts() const noexcept {
        return std::span(data_->history.contexts).first(data_->process_contexts);
    }

    // One answer of each expert; several of a process whose learned direction is in doubt, and where a memory cliff may lie
    // on either side.
    [[nodiscard]] std::vector<weighed_answer> ask(const context& subject, const context_features& features,
                                                  std::span<const double> log_scale_outs,
                                                  const std::vector<std::size_t>& observed_knots) const {
        expert_question question{.features = features.values,
                                 .pressure = features.pressure,
                                 .pressure_slope = data_->features.pressure_slope(),
                                 .log_scale_outs = log_scale_outs,
                                 .same = index_of(subject),
                                 .with_all = &observed_knots};
        const auto& asked = experts();
        std::vector<weighed_answer> answers;
        const auto add = [&](expert_kind kind, double share, expert_answer answer) {
            if (!over_growth_trend(kind)) {
                answers.push_back({.expert = kind, .share = share, .answer = std::move(answer)});
                return;
            }
            const auto cliffs = asked.trend.cliff_shares(features.unlimited, log_scale_outs);
            for (const double cliff : cliffs) {
                auto placed = answer;
                asked.trend.add_to(placed.mean, features.unlimited, log_scale_outs, cliff);
                answers.push_back(
                    {.expert = kind, .share = share / static_cast<double>(cliffs.size()), .answer = std::move(placed)});
            }
        };
        if (asked.usable[static_cast<std::size_t>(expert_kind::hierarchical_ernest)])
            add(expert_kind::hierarchical_ernest, 1, ask_ernest(question));
        if (question.same >= data_->process_contexts) question.same = no_context;
        const auto& history = data_->history;
        const auto work = asked.knows_work ? work_trends(history, question, data_->process_contexts) : matrix();
        if (asked.knows_work) question.work_trends = &work;
        for (std::size_t k = 0; k < process_kinds; ++k) {
            if (!asked.usable[k]) continue;
            const auto& process = *asked.processes[k];
            const bool doubted = features.unseen_text && !process.parameters().pressure_direction.empty();
            const auto hypotheses = pressure_hypotheses(doubted ? pressure_doubt(process_contexts(), features.values) : 0);
            std::vector<expert_question> questions(hypotheses.size(), question);
            for (std::size_t h = 0; h < hypotheses.size(); ++h) questions[h].pressure_shift = hypotheses[h].shift;
            auto found = process(history, questions);
            for (std::size_t h = 0; h < hypotheses.size(); ++h)
                add(static_cast<expert_kind>(k), hypotheses[h].share, std::move(found[h]));
        }
        return answers;
    }

    // Of the runtimes, hierarchical Ernest looks at those of the context asked about alone.
    [[nodiscard]] expert_answer ask_ernest(expert_question question) const {
        const auto& asked = experts();
        if (question.same == no_context) return (*asked.ernest)(data_->history, question);
        const auto own = asked.trend.residual(select_contexts(data_->history, std::span(&question.same, 1)));
        question.same = 0;
        return (*asked.ernest)(own, question);
    }

    // Of all knots, from rows of those that were asked about, which are all that are not interpolated.
    [[nodiscard]] knot_table table_of(std::span<const int> knots, const std::vector<bool>& interpolated,
                                      std::span<const int> asked, std::span<const quantile_row> rows) const {
        std::vector<quantile_row> all(knots.size());
        for (std::size_t i = 0, next = 0; i < knots.size() && next < asked.size(); ++i)
            if (knots[i] == asked[next]) all[i] = rows[next++];
        interpolate(knots, all, interpolated, data_->bend);
        return {knots, all};
    }

    static void add_priors(const weighed_answer& from, std::span<const blend_component> components, double unseen_variance,
                           double log_share, std::vector<prior_component>& priors) {
        for (const auto& each : components)
            if (each.expert == from.expert && each.weight > 0)
                priors.push_back({.answer = &from.answer,
                                  .scale = each.scale,
                                  .deviation = each.deviation,
                                  .level_variance = unseen_variance,
                                  .log_weight = std::log(each.weight) + std::log(from.share) + log_share});
    }

    // A context that takes a factor longer than its properties say, at all scale-outs: else runs that agree with each other,
    // and with no expert, would all be stragglers. One run alone does not tell such a context from a slow run.
    static void add_surprise(std::vector<prior_component>& priors) {
        if (priors.empty()) return;
        auto surprise = *std::max_element(priors.begin(), priors.end(),
                                          [](const auto& a, const auto& b) { return a.log_weight < b.log_weight; });
        std::vector<double> logs(priors.size());
        std::transform(priors.begin(), priors.end(), logs.begin(), [](const auto& each) { return each.log_weight; });
        surprise.level_variance += surprise_deviation * surprise_deviation;
        surprise.log_weight = log_sum_exp(logs) + std::log(surprise_share);
        priors.push_back(surprise);
    }

    /// Share of such contexts, and the standard deviation of the factor's logarithm.
    static constexpr double surprise_share = 0.02;
    static constexpr double surprise_deviation = 0.7;

    shared<blend_data> data_;
    lazy<blend_experts> experts_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
