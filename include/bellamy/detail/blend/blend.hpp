// The best mode: experts conditioned on a history, mixed by evidence, read as quantiles over the scale-outs.
#ifndef BELLAMY_DETAIL_BLEND_BLEND_HPP
#define BELLAMY_DETAIL_BLEND_BLEND_HPP

#include <bellamy/detail/blend/blend_curve.hpp>
#include <bellamy/detail/blend/expert_weights.hpp>
#include <bellamy/detail/blend/hierarchical_ernest.hpp>
#include <bellamy/detail/blend/interpolation.hpp>
#include <bellamy/detail/blend/pressure_doubt.hpp>
#include <bellamy/detail/context/completions.hpp>
#include <bellamy/detail/context/features.hpp>

#include <optional>

namespace bellamy::inline BELLAMY_ABI::detail {

/// What happened while fitting and loading; an answer can say what it rests on.
struct blend_report {
    std::uint32_t contexts = 0;
    std::uint32_t points = 0;
    /// Contexts that the processes are conditioned on, and that the hyper-parameters were fitted to.
    std::uint32_t process_contexts = 0;
    std::uint32_t fitted_contexts = 0;
    /// Three contexts or more: leave-one-context-out fit and learned weights. Else prior weights and no such fit.
    bool left_out = false;
    /// A process whose covariance could not be made positive definite is not used.
    std::array<bool, expert_kinds> usable{};
    /// Largest jitter that was added to make a covariance positive definite; 0 is the usual case.
    double jitter = 0;
};

/// Everything that has to be stored: plain data, from which factors are recomputed.
struct blend_data {
    feature_map features{};
    run_noise noise{};
    /// All contexts; the processes are conditioned on the first `process_contexts`.
    history_data history{};
    /// Hash of each context's properties.
    std::vector<std::uint64_t> context_hashes{};
    std::size_t process_contexts = 0;
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

/// Answers stay within this factor (as a logarithm: 100) of all runtimes seen, of the history and of the target.
inline constexpr double most_beyond_seen = 4.605170185988091;

/// So that seconds neither overflow nor become zero.
inline constexpr double largest_log_runtime = 700;

/// Where answers stay for log-runtimes seen from `lowest` to `highest`. Both ends are limited on both sides: what was seen,
/// or stored in a model, may lie wholly beyond.
[[nodiscard]] inline std::pair<double, double> answer_bounds(double lowest, double highest) noexcept {
    return {std::clamp(lowest - most_beyond_seen, -largest_log_runtime, largest_log_runtime),
            std::clamp(highest + most_beyond_seen, -largest_log_runtime, largest_log_runtime)};
}

/// The run asked for has both parts of the noise; all wide parts together are one component.
inline void add_run_noise(const conditioned_mixture& posterior, std::size_t knot, const scale_out_noise& noise,
                          std::vector<normal_component>& mixture) {
    mixture.clear();
    double mean = 0;
    double second = 0;
    for (std::size_t c = 0; c < posterior.weights.size(); ++c) {
        const double w = posterior.weights[c];
        const double m = posterior.means(c, knot);
        const double v = posterior.variances(c, knot);
        mean += w * m;
        second += w * (v + m * m);
        mixture.push_back({.weight = w * (1 - noise.straggler), .mean = m, .deviation = std::sqrt(v + noise.narrow)});
    }
    const double variance = (std::max)(second - mean * mean, 0.0);
    mixture.push_back(
        {.weight = noise.straggler, .mean = mean + noise.delay, .deviation = std::sqrt(variance + noise.wide)});
}

class best_model {
public:
    /// Recomputes the factors. Cost: n^3/3 operations per process for n points.
    explicit best_model(blend_data data) : data_(std::move(data)) {
        const double slope = data_.features.pressure_slope();
        std::vector<std::size_t> first(data_.process_contexts);
        for (std::size_t c = 0; c < first.size(); ++c) first[c] = c;
        process_history_ = select_contexts(data_.history, first);
        auto& usable = data_.report.usable;
        usable = {};
        for (std::size_t k = 0; k < process_kinds; ++k) {
            if (!data_.processes[k]) continue;
            processes_[k].emplace(*data_.processes[k], process_history_, slope);
            usable[k] = processes_[k]->usable();
            data_.report.jitter = (std::max)(data_.report.jitter, processes_[k]->jitter());
        }
        ernest_.emplace(data_.ernest, data_.history, slope);
        usable[static_cast<std::size_t>(expert_kind::hierarchical_ernest)] = ernest_->usable();
    }

    [[nodiscard]] const blend_data& data() const noexcept { return data_; }

    /// Whether any expert can answer.
    [[nodiscard]] bool usable() const noexcept {
        return std::any_of(data_.components.begin(), data_.components.end(), [&](const auto& each) {
            return each.weight > 0 && data_.report.usable[static_cast<std::size_t>(each.expert)];
        });
    }

    /// Binds a context, conditioned on runs of it (their contexts are not looked at). Where values of the context are not
    /// known, the ones in the history are weighed by how well they explain the runs; that costs as many bindings.
    [[nodiscard]] blend_curve bind(const context& subject, std::span<const run> observed) const {
        std::vector<int> observed_scale_outs;
        for (const auto& each : observed) observed_scale_outs.push_back(each.scale_out);
        const auto knots = knot_scale_outs(data_.seen_scale_outs, observed_scale_outs);
        std::vector<double> log_scale_outs;
        log_scale_outs.reserve(knots.size());
        for (const int x : knots) log_scale_outs.push_back(std::log(static_cast<double>(x)));

        const auto completions = context_completions(data_.features, process_history_)(subject);
        const bool unlike_any_seen = completions.front().features.unlike_any_seen;
        const auto components = unlike_any_seen ? evenly_weighted(data_.components) : data_.components;
        std::vector<std::vector<weighed_answer>> answers;
        answers.reserve(completions.size());
        std::vector<prior_component> priors;
        for (const auto& each : completions) {
            answers.push_back(ask(subject, each.features, log_scale_outs));
            for (const auto& answer : answers.back()) add_priors(answer, components, std::log(each.share), priors);
        }
        const auto seen = observations_of(observed, knots);
        const auto posterior = condition(priors, deviation_kernel(log_scale_outs), seen);

        blend_curve made;
        std::array<quantile_row, most_knots> rows{};
        std::vector<normal_component> mixture;
        const auto [lowest, highest] = bounds(observed);
        for (std::size_t i = 0; i < knots.size(); ++i) {
            add_run_noise(posterior, i, data_.noise.nearest(log_scale_outs[i]), mixture);
            rows[i] = quantiles_of(mixture);
            for (double& each : rows[i]) each = std::clamp(each, lowest, highest);
        }
        interpolate(knots, std::span(rows).first(knots.size()),
                    interpolated_knots(knots, data_.seen_scale_outs, observed_scale_outs), data_.bend);
        made.table = knot_table(knots, std::span(rows).first(knots.size()));
        made.unlike_any_seen = unlike_any_seen;
        made.seen_context = index_of(subject) != no_context;
        made.observed_runs = observed.size();
        made.log_evidence = posterior.log_evidence;
        return made;
    }

private:
    struct weighed_answer {
        expert_kind expert = expert_kind::process_marginal;
        double share = 1;
        expert_answer answer{};
    };

    [[nodiscard]] std::size_t index_of(const context& subject) const {
        const auto hash = identity_hash(subject);
        const auto at = std::find(data_.context_hashes.begin(), data_.context_hashes.end(), hash);
        return at == data_.context_hashes.end() ? no_context : static_cast<std::size_t>(at - data_.context_hashes.begin());
    }

    // One answer of each expert, and of the process with the learned direction several where that may lead astray.
    [[nodiscard]] std::vector<weighed_answer> ask(const context& subject, const context_features& features,
                                                  std::span<const double> log_scale_outs) const {
        expert_question question{.features = features.values,
                                 .pressure = features.pressure,
                                 .pressure_slope = data_.features.pressure_slope(),
                                 .log_scale_outs = log_scale_outs,
                                 .same = index_of(subject)};
        std::vector<weighed_answer> answers;
        const auto& usable = data_.report.usable;
        if (usable[static_cast<std::size_t>(expert_kind::hierarchical_ernest)])
            answers.push_back({.expert = expert_kind::hierarchical_ernest, .answer = (*ernest_)(data_.history, question)});
        if (question.same >= data_.process_contexts) question.same = no_context;
        for (std::size_t k = 0; k < process_kinds; ++k) {
            if (!usable[k]) continue;
            const bool doubted = features.unlike_any_seen && !processes_[k]->parameters().pressure_direction.empty();
            for (const auto& each : pressure_hypotheses(doubted ? pressure_doubt(process_history_, features.values) : 0)) {
                question.pressure_shift = each.shift;
                answers.push_back({.expert = static_cast<expert_kind>(k),
                                   .share = each.share,
                                   .answer = (*processes_[k])(process_history_, question)});
            }
        }
        return answers;
    }

    static void add_priors(const weighed_answer& from, std::span<const blend_component> components, double log_share,
                           std::vector<prior_component>& priors) {
        for (const auto& each : components)
            if (each.expert == from.expert && each.weight > 0)
                priors.push_back({.answer = &from.answer,
                                  .scale = each.scale,
                                  .deviation = each.deviation,
                                  .log_weight = std::log(each.weight) + std::log(from.share) + log_share});
    }

    [[nodiscard]] std::vector<observation> observations_of(std::span<const run> observed,
                                                           const std::vector<int>& knots) const {
        std::vector<observation> seen;
        for (const auto& each : observed) {
            const auto at = std::lower_bound(knots.begin(), knots.end(), each.scale_out);
            // A scale-out that found no knot counts at the nearest one.
            const std::size_t above = (std::min)(static_cast<std::size_t>(at - knots.begin()), knots.size() - 1);
            const std::size_t index =
                above > 0 && each.scale_out - knots[above - 1] < knots[above] - each.scale_out ? above - 1 : above;
            const auto& noise = data_.noise.nearest(std::log(static_cast<double>(each.scale_out)));
            seen.push_back({.at = index,
                            .log_runtime = std::log(each.runtime_s),
                            .narrow = noise.narrow,
                            .wide = noise.wide,
                            .straggler = noise.straggler,
                            .delay = noise.delay,
                            .censored = each.censored});
        }
        return seen;
    }

    [[nodiscard]] std::pair<double, double> bounds(std::span<const run> observed) const noexcept {
        double lowest = data_.lowest_log_runtime;
        double highest = data_.highest_log_runtime;
        for (const auto& each : observed) {
            lowest = (std::min)(lowest, std::log(each.runtime_s));
            highest = (std::max)(highest, std::log(each.runtime_s));
        }
        return answer_bounds(lowest, highest);
    }

    blend_data data_;
    history_data process_history_{};
    std::array<std::optional<gaussian_process>, process_kinds> processes_{};
    std::optional<hierarchical_ernest> ernest_{};
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
