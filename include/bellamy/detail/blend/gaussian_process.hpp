// Gaussian process over contexts and scale-outs for the log-runtime, conditioned on a history: posterior of a context.
#ifndef BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_HPP
#define BELLAMY_DETAIL_BLEND_GAUSSIAN_PROCESS_HPP

#include <bellamy/detail/blend/covariance_terms.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The process conditioned on a history. Not stored: recomputed from data and hyper-parameters.
class gaussian_process {
public:
    /// Cost: n^3/3 operations for n points. Where `usable` is false, no jitter made the covariance positive definite.
    /// `work_trends`: see `work_trends_within`, computed where null. `workspace`: memory for n^2 numbers that processes can
    /// share.
    gaussian_process(gaussian_process_parameters parameters, const history_data& history, double pressure_slope,
                     const matrix* work_trends, matrix& workspace)
        : parameters_(std::move(parameters)), contexts_(history.contexts.size()) {
        const size_t n = history.points.size();
        const auto fill = [&] { fill_covariance(history, pressure_slope, work_trends, workspace); };
        fill();
        jitter_ = factorise_in_place(workspace, fill);
        if (jitter_ < 0) return;
        factor_ = upper_triangle(workspace);
        weights_.reserve(n);
        for (const auto& point : history.points) weights_.push_back(point.log_runtime - parameters_.mean);
        solve_transposed(factor_, std::span(weights_));
        solve_upper(factor_, std::span(weights_));
    }

    /// The same, with the work trends computed here.
    gaussian_process(gaussian_process_parameters parameters, const history_data& history, double pressure_slope,
                     matrix workspace = {})
        : gaussian_process(std::move(parameters), history, pressure_slope, nullptr, workspace) {}

    bool usable() const noexcept { return jitter_ >= 0; }
    double jitter() const noexcept { return jitter_; }
    const gaussian_process_parameters& parameters() const noexcept { return parameters_; }
    const upper_triangle& factor() const noexcept { return factor_; }
    /// K^-1 (l - mean).
    std::span<const double> weights() const noexcept { return weights_; }

    /// Posterior of a context. `history` begins with the one that the process was conditioned on; its runtimes do not
    /// matter. Cost: n^2 q operations for n points and q scale-outs.
    expert_answer operator()(const history_data& history, const expert_question& question) const {
        return std::move((*this)(history, std::span(&question, 1)).front());
    }
    /// Posteriors for several questions, which read the factor once.
    std::vector<expert_answer> operator()(const history_data& history, std::span<const expert_question> questions) const {
        size_t columns = 0;
        for (const auto& question : questions) columns += question.log_scale_outs.size();
        // Solved by whole packs of columns; those beyond the questions' are zero.
        columns = (columns + pack_lanes - 1) / pack_lanes * pack_lanes;
        matrix cross(weights_.size(), columns);
        size_t column = 0;
        for (const auto& question : questions) {
            scale_out_table table(parameters_, question.pressure_slope, question.log_scale_outs);
            add_covariances(history, question, contexts_, table, cross, column);
            column += question.log_scale_outs.size();
        }
        std::vector<double> means(columns, parameters_.mean);
        add_combination(means, cross, weights_.data());
        solve_transposed(factor_, cross);
        std::vector<expert_answer> answers;
        answers.reserve(questions.size());
        column = 0;
        for (const auto& question : questions) {
            const auto first = means.begin() + static_cast<std::ptrdiff_t>(column);
            const size_t q = question.log_scale_outs.size();
            const double anomaly_variance =
                question.known_context == no_context ? 0.0 : history.contexts[question.known_context].anomaly_variance;
            answers.push_back({.mean = {first, first + static_cast<std::ptrdiff_t>(q)},
                               .covariance = prior_covariance(question, anomaly_variance)});
            if (question.known_context == no_context && question.with_all && !question.with_all->empty())
                answers.back().between_contexts = covariance_between_contexts(question.log_scale_outs);
            subtract_explained(cross, column, question.with_all, answers.back().covariance);
            column += q;
        }
        return answers;
    }

private:
    // Matern terms between the distinct scale-outs of a history, which are few, and those of a question; the question's
    // pressure term.
    class scale_out_table {
    public:
        struct row {
            double scale_out;
            double log_scale_out;
            std::vector<double> materns;
        };

        scale_out_table(const gaussian_process_parameters& parameters, double pressure_slope,
                        std::span<const double> log_scale_outs)
            : parameters_(&parameters),
              log_scale_outs_(log_scale_outs.begin(), log_scale_outs.end()),
              pressures_(parameters.pressure_length, pressure_slope, log_scale_outs) {}

        bool has(std::span<const double> log_scale_outs) const noexcept {
            return std::equal(log_scale_outs.begin(), log_scale_outs.end(), log_scale_outs_.begin(), log_scale_outs_.end());
        }
        // Neighbouring points have neighbouring scale-outs, so that the search begins after the last one.
        const row& operator()(double scale_out) {
            for (size_t step = 0; step < rows_.size(); ++step) {
                last_ = last_ + 1 < rows_.size() ? last_ + 1 : 0;
                if (rows_[last_].scale_out == scale_out) return rows_[last_];
            }
            const double t = std::log(scale_out);
            rows_.push_back(
                {.scale_out = scale_out, .log_scale_out = t, .materns = materns(*parameters_, t, log_scale_outs_)});
            last_ = rows_.size() - 1;
            return rows_.back();
        }
        pressure_term& pressures() noexcept { return pressures_; }

        // Of shape, joint and own shape, one after the other.
        static std::vector<double> materns(const gaussian_process_parameters& parameters, double log_scale_out,
                                           std::span<const double> log_scale_outs) {
            std::vector<double> values;
            values.reserve(3 * log_scale_outs.size());
            for (const double length : {parameters.shape_length, parameters.joint_length, parameters.own_length})
                for (const double t : log_scale_outs) values.push_back(matern_exponent((log_scale_out - t) / length));
            auto decays = values;
            exponentials(decays);
            for (size_t k = 0; k < values.size(); ++k) values[k] = matern_value(-values[k], decays[k]);
            return values;
        }

    private:
        const gaussian_process_parameters* parameters_;
        std::vector<double> log_scale_outs_;
        pressure_term pressures_;
        std::vector<row> rows_;
        size_t last_ = 0;
    };

    // The upper triangle of the covariance of a history's points with their noise, which is all that the factor needs.
    void fill_covariance(const history_data& history, double pressure_slope, const matrix* work_trends,
                         matrix& covariance) const {
        covariance.reset(history.points.size(), history.points.size());
        scale_out_table table(parameters_, pressure_slope, {});
        for (size_t c = 0; c < history.contexts.size(); ++c) {
            const auto& context = history.contexts[c];
            const auto log_scale_outs = history.log_scale_outs_of(context);
            auto question = question_about(context, pressure_slope, log_scale_outs);
            question.known_context = c;
            question.work_trends = work_trends;
            question.first_work_trend = context.first;
            // Contexts often have the same scale-outs.
            if (!table.has(log_scale_outs)) table = scale_out_table(parameters_, pressure_slope, log_scale_outs);
            add_covariances(history, question, c + 1, table, covariance, context.first);
        }
        for (size_t i = 0; i < covariance.rows(); ++i) covariance(i, i) += history.points[i].variance + least_variance;
    }

    // Adds the covariances of the history's first contexts with the question's scale-outs, columns from `column` on.
    void add_covariances(const history_data& history, const expert_question& question, size_t contexts,
                         scale_out_table& table, matrix& covariance, size_t column) const {
        const double pressure = parameters_.pressure_at(question.pressure, question.features) + question.pressure_shift;
        std::vector<covariance_row> rows;
        for (size_t c = 0; c < contexts; ++c) {
            const auto& context = history.contexts[c];
            const bool same = c == question.known_context;
            const pair_coefficients coefficients(parameters_,
                                                 similarity_between(parameters_, context.features, question.features), same);
            const double pressure_gap = same ? 0.0 : parameters_.pressure_at(context.pressure, context.features) - pressure;
            const double work_gap = same ? 0.0 : context.pressure - question.pressure;
            rows.clear();
            for (size_t i = context.first; i < context.first + context.count; ++i) {
                const auto& row = table(history.points[i].scale_out);
                const double* trends =
                    question.work_trends != nullptr ? question.work_trends->row(i) + question.first_work_trend : nullptr;
                rows.push_back({.covariances = covariance.row(i) + column,
                                .log_scale_out = row.log_scale_out,
                                .materns = row.materns.data(),
                                .work_trends = trends});
            }
            add_terms(coefficients, pressure_gap, work_gap, question, table.pressures(), rows);
            if (same) add_within_context(coefficients, context.anomaly_variance, question, rows);
        }
    }

    // Of what a new context shares with no other: random effects of the context and of its configurations.
    matrix covariance_between_contexts(std::span<const double> log_scale_outs) const {
        return kernel_of(log_scale_outs, [&](double t, double u) {
            return parameters_.variance(process_term::own_level) +
                   parameters_.variance(process_term::own_shape) * matern((t - u) / parameters_.own_length) +
                   (t == u ? parameters_.nugget * parameters_.nugget : 0);
        });
    }

    // Covariance of a context with itself, without any history.
    matrix prior_covariance(const expert_question& question, double anomaly_variance) const {
        const size_t q = question.log_scale_outs.size();
        matrix covariance(q, q);
        const pair_coefficients coefficients(
            parameters_, similarity_between(parameters_, question.features, question.features), /*same_context=*/true);
        std::vector<std::vector<double>> materns;
        std::vector<covariance_row> rows;
        for (size_t i = 0; i < q; ++i) {
            const double t = question.log_scale_outs[i];
            materns.push_back(scale_out_table::materns(parameters_, t, question.log_scale_outs));
            rows.push_back({.covariances = covariance.row(i), .log_scale_out = t, .materns = materns.back().data()});
        }
        pressure_term pressures(parameters_.pressure_length, question.pressure_slope, question.log_scale_outs);
        add_terms(coefficients, 0, 0, question, pressures, rows);
        add_within_context(coefficients, anomaly_variance, question, rows);
        return covariance;
    }

    // Terms of any two contexts. An unknown pressure has no covariance with any other (the gap is NaN); within one context
    // it only moves with the scale-out.
    static void add_terms(const pair_coefficients& coefficients, double pressure_gap, double work_gap,
                          const expert_question& question, pressure_term& pressures, std::span<const covariance_row> rows) {
        const auto& log_scale_outs = question.log_scale_outs;
        const size_t q = log_scale_outs.size();
        for (const auto& row : rows)
            for (size_t k = 0; k < q; ++k)
                row.covariances[k] += coefficients.without_pressure(row.materns[k], row.materns[q + k]);
        if (coefficients.pressure > 0 && std::isfinite(pressure_gap))
            pressures.add_to(rows, pressure_gap, coefficients.pressure);
        if (!(coefficients.work > 0 && std::isfinite(work_gap))) return;
        for (const auto& row : rows)
            for (size_t k = 0; k < q; ++k) {
                const double difference = work_gap + question.pressure_slope * (row.log_scale_out - log_scale_outs[k]);
                row.covariances[k] +=
                    coefficients.work * (row.work_trends != nullptr ? row.work_trends[k] : work_trend(difference));
            }
    }

    // Terms of one context with itself that others have not; the level's is in `add_terms`.
    void add_within_context(const pair_coefficients& coefficients, double anomaly_variance, const expert_question& question,
                            std::span<const covariance_row> rows) const noexcept {
        const size_t q = question.log_scale_outs.size();
        for (const auto& row : rows)
            for (size_t k = 0; k < q; ++k) {
                const double t = question.log_scale_outs[k];
                row.covariances[k] += coefficients.own_shape * row.materns[2 * q + k];
                if (row.log_scale_out == t) row.covariances[k] += parameters_.nugget * parameters_.nugget;
                if (anomaly_variance > 0) row.covariances[k] += anomaly_variance * anomaly_covariance(row.log_scale_out, t);
            }
    }

    // Subtracts what the history explains of the covariances that are needed: products of the columns from `column` on.
    static void subtract_explained(const matrix& cross, size_t column, const std::vector<size_t>* with_all,
                                   matrix& covariance) {
        const size_t q = covariance.rows();
        std::vector<double> coefficients(cross.rows());
        const auto subtract_row = [&](size_t i) {
            for (size_t k = 0; k < cross.rows(); ++k) coefficients[k] = -cross(k, column + i);
            add_combination({covariance.row(i), q}, cross, coefficients.data(), column);
        };
        if (with_all == nullptr) {
            for (size_t i = 0; i < q; ++i) subtract_row(i);
            return;
        }
        std::vector<double> variances(q);
        for (size_t i = 0; i < q; ++i) variances[i] = covariance(i, i);
        for (size_t k = 0; k < cross.rows(); ++k) {
            const double* row = cross.row(k) + column;
            for (size_t i = 0; i < q; ++i) variances[i] -= row[i] * row[i];
        }
        for (const size_t i : *with_all) subtract_row(i);
        for (size_t i = 0; i < q; ++i) covariance(i, i) = variances[i];
    }

    gaussian_process_parameters parameters_;
    size_t contexts_;
    upper_triangle factor_{};
    std::vector<double> weights_;
    double jitter_ = -1;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
