// An expert for few runs on clusters of several machine types: log-linear regression on slots, cores, memory and data size.
#ifndef BELLAMY_DETAIL_BLEND_CLUSTER_REGRESSION_HPP
#define BELLAMY_DETAIL_BLEND_CLUSTER_REGRESSION_HPP

#include <bellamy/detail/blend/cluster_posterior.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The law of any job given a history, at any place of its memory cliff. It has no fitted hyper-parameters, which few runs
/// would overfit. Immutable.
class cluster_regression {
public:
    /// Whether contexts are clusters whose cores are known or counted, that differ in cores or memory, and in nothing but
    /// machines and data sizes.
    static bool is_of_clusters(const feature_map& features) {
        const auto is_of_machine = [&](const feature_column& column) {
            return column.source == feature_source::cores || column.property == features.memory_per_node;
        };
        return !(features.cores_per_node.empty() && features.machine_type.empty()) &&
               any_of(features.columns, is_of_machine) && features.are_of_clusters();
    }
    /// Whether these are all that a history has, with few points.
    static bool is_for(const feature_map& features, const history_data& history) {
        constexpr size_t most_points = 64;
        return history.points.size() <= most_points && is_of_clusters(features);
    }

    /// Precondition: `is_for` the history.
    cluster_regression(const feature_map& features, const history_data& history)
        : columns_(columns_of(features)),
          knows_memory_(!features.memory_per_node.empty()),
          log_least_cores_(std::log(features.least_cores)),
          posterior_(posterior_of(history)) {}

    /// For each hypothesis of the cliff, without the growth with the size where the history has only one. `with_all`: as in
    /// `expert_question`.
    std::vector<weighted_answer> operator()(const context_features& features, std::span<const double> log_scale_outs,
                                            std::span<const size_t> with_all) const {
        // Each hypothesis costs a binding.
        constexpr double least_probability = 0.02;
        std::vector<cluster_point> points;
        for (const double log_scale_out : log_scale_outs)
            points.push_back(point_at(features.values, features.unclamped, log_scale_out, features.log_size_ratio));
        return posterior_(points, with_all, least_probability);
    }

    /// Predictions of every context's points from all other contexts.
    std::vector<std::vector<weighted_answer>> predict_left_out_contexts(const history_data& history) const {
        return posterior_.leave_out(values_of(history.contexts, &history_context::count));
    }

private:
    struct column_use {
        /// `cluster_term_count` of columns that tell machine types apart.
        cluster_term term = cluster_term_count;
        double log_sd = 1;
    };

    static std::vector<column_use> columns_of(const feature_map& features) {
        std::vector<column_use> columns;
        for (const auto& each : features.columns) {
            columns.push_back({.log_sd = each.deviation});
            if (!each.logarithm) continue;
            auto& term = columns.back().term;
            if (each.source == feature_source::cores) term = cores;
            if (each.property == features.memory_per_node) term = memory;
            if (each.property == features.data_size) term = data_size;
        }
        return columns;
    }

    cluster_posterior posterior_of(const history_data& history) {
        // Killed runs may have been stuck, and outliers have as large a variance.
        std::vector<cluster_run> runs;
        for (const auto& point : history.points) {
            const auto& values = history.contexts[point.context].features;
            (void)place_among(machines_, machine_of(values));
            runs.push_back({.at = point_at(values, values, std::log(point.scale_out), 0),
                            .log_runtime = point.log_runtime,
                            .variance = (std::max)(point.variance, cluster_noise_sd * cluster_noise_sd),
                            .is_doubtful = point.variance >= beyond_bound_variance});
        }
        return {{law_of_any_job()}, possible_cliffs(values_of(runs, &cluster_run::at)), runs};
    }

    /// `values`: winsorised, as those of the machines that are known.
    cluster_point point_at(std::span<const double> values, std::span<const double> unclamped, double log_scale_out,
                           double log_size_ratio) const {
        cluster_point point{.terms = {1}};
        for (size_t i = 0; i < columns_.size(); ++i)
            if (columns_[i].term != cluster_term_count) point.terms[columns_[i].term] = columns_[i].log_sd * unclamped[i];
        point.terms[slots] = log_scale_out + log_least_cores_ - log_usual_slots;
        point.terms[squared_slots] = point.terms[slots] * point.terms[slots];
        if (knows_memory_)
            point.log_memory = point.terms[memory] + point.terms[slots] - point.terms[data_size] - log_size_ratio;
        point.machine =
            static_cast<size_t>(std::find(machines_.begin(), machines_.end(), machine_of(values)) - machines_.begin());
        return point;
    }

    std::vector<double> machine_of(std::span<const double> values) const {
        std::vector<double> machine;
        for (size_t i = 0; i < columns_.size(); ++i)
            if (columns_[i].term == cluster_term_count) machine.push_back(values[i]);
        return machine;
    }

    std::vector<column_use> columns_;
    bool knows_memory_;
    double log_least_cores_;
    std::vector<std::vector<double>> machines_;
    cluster_posterior posterior_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
