// Question to an expert, a context at several scale-outs, and its answer, a joint normal distribution of log-runtimes.
#ifndef BELLAMY_DETAIL_BLEND_EXPERT_QUESTION_HPP
#define BELLAMY_DETAIL_BLEND_EXPERT_QUESTION_HPP

#include <bellamy/detail/context/history.hpp>
#include <bellamy/detail/maths/dense.hpp>
#include <bellamy/detail/maths/kernels.hpp>

#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// No context of the history.
inline constexpr size_t no_context = (std::numeric_limits<size_t>::max)();

/// A context at several scale-outs.
struct expert_question {
    std::span<const double> features{};
    double pressure = 0;        // NaN where unknown
    double pressure_slope = 0;  // change with ln(scale-out)
    std::span<const double> log_scale_outs{};
    /// Its index where it is a context of the history.
    size_t known_context = no_context;
    /// Added to the pressure: a hypothesis where it is uncertain.
    double pressure_shift = 0;
    /// See `work_trends`; the question's scale-outs are the columns from `first_work_trend` on. Computed where null.
    const matrix* work_trends = nullptr;
    size_t first_work_trend = 0;
    /// Indices of the scale-outs whose covariances with all others are needed; the rest need variances only. All, where
    /// null.
    const std::vector<size_t>* with_all = nullptr;
};

/// The work trend W between the points of a history's first contexts and the question's scale-outs. It has no
/// hyper-parameters, so that processes share it. Rows of contexts whose pressure is unknown are zero.
inline matrix work_trends(const history_data& history, const expert_question& question, size_t contexts) {
    const size_t q = question.log_scale_outs.size();
    matrix trends(history.points_of_first(contexts), q);
    for (size_t c = 0; c < contexts; ++c) {
        const auto& context = history.contexts[c];
        const double pressure_gap = c == question.known_context ? 0.0 : context.pressure - question.pressure;
        if (!std::isfinite(pressure_gap)) continue;
        for (size_t i = context.first; i < context.first + context.count; ++i) {
            const double t = std::log(history.points[i].scale_out);
            for (size_t k = 0; k < q; ++k)
                trends(i, k) = work_exponent(pressure_gap + question.pressure_slope * (t - question.log_scale_outs[k]));
        }
        exponentials(trends.values().subspan(context.first * q, context.count * q));
    }
    return trends;
}

/// A context of a history as if it were a new one.
inline expert_question question_about(const history_context& context, double pressure_slope,
                                      std::span<const double> log_scale_outs) noexcept {
    return {.features = context.features,
            .pressure = context.pressure,
            .pressure_slope = pressure_slope,
            .log_scale_outs = log_scale_outs};
}

/// The covariances of all pairs of scale-outs.
inline matrix kernel_of(std::span<const double> log_scale_outs, const auto& covariance) {
    const size_t q = log_scale_outs.size();
    matrix kernel(q, q);
    for (size_t i = 0; i < q; ++i)
        for (size_t j = 0; j < q; ++j) kernel(i, j) = covariance(log_scale_outs[i], log_scale_outs[j]);
    return kernel;
}

/// Joint normal distribution of the log-runtime, without run noise, at the question's scale-outs.
struct expert_answer {
    std::vector<double> mean{};
    matrix covariance{};
    /// The part of it that a new context shares with no other (random effects); empty where nobody asks for it.
    matrix between_contexts{};
};

/// An expert's answer under one of several hypotheses, and the probability of that.
struct weighted_answer {
    double probability = 1;
    expert_answer answer{};
};

/// The work trends of all points of a history with each other; the upper triangle of blocks of contexts.
inline matrix work_trends_within(const history_data& history, double pressure_slope) {
    matrix trends(history.points.size(), history.points.size());
    for (size_t c = 0; c < history.contexts.size(); ++c) {
        const auto& context = history.contexts[c];
        const auto log_scale_outs = history.log_scale_outs_of(context);
        auto question = question_about(context, pressure_slope, log_scale_outs);
        question.known_context = c;
        const matrix columns = work_trends(history, question, c + 1);
        for (size_t i = 0; i < columns.rows(); ++i)
            std::copy(columns.row(i), columns.row(i) + context.count, trends.row(i) + context.first);
    }
    return trends;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
