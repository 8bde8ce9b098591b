// What an expert of best mode is asked and answers: one context at several scale-outs.
#ifndef BELLAMY_DETAIL_BLEND_EXPERT_QUESTION_HPP
#define BELLAMY_DETAIL_BLEND_EXPERT_QUESTION_HPP

#include <bellamy/detail/context/history.hpp>
#include <bellamy/detail/maths/dense.hpp>
#include <bellamy/detail/maths/exponentials.hpp>
#include <bellamy/detail/maths/kernels.hpp>

#include <limits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// No context of the history.
inline constexpr std::size_t no_context = (std::numeric_limits<std::size_t>::max)();

/// What an expert is asked: one context at several scale-outs.
struct expert_question {
    std::span<const double> features{};
    double pressure = 0;        // NaN where unknown
    double pressure_slope = 0;  // change with ln(scale-out)
    std::span<const double> log_scale_outs{};
    /// Its index where it is a context of the history.
    std::size_t same = no_context;
    /// How much higher than known the pressure is taken to be.
    double pressure_shift = 0;
    /// See `work_trends`: of more scale-outs than those asked about, which are the columns from this one on.
    const matrix* work_trends = nullptr;
    std::size_t first_work_trend = 0;
    /// Scale-outs whose covariances with all are asked for; of the others only the variances are. All, where null.
    const std::vector<std::size_t>* with_all = nullptr;
};

/// The work trend between the points of a history's first contexts and the scale-outs asked about. It has no
/// hyper-parameters: processes that are asked the same share it. Rows of contexts whose work is unknown are zero.
[[nodiscard]] inline matrix work_trends(const history_data& history, const expert_question& question, std::size_t contexts) {
    const std::size_t q = question.log_scale_outs.size();
    matrix made(history.points_of_first(contexts), q);
    for (std::size_t c = 0; c < contexts; ++c) {
        const auto& other = history.contexts[c];
        const double gap = c == question.same ? 0.0 : other.pressure - question.pressure;
        if (!std::isfinite(gap)) continue;
        for (std::size_t i = other.first; i < other.first + other.count; ++i) {
            const double t = std::log(history.points[i].scale_out);
            for (std::size_t k = 0; k < q; ++k)
                made(i, k) = work_exponent(gap + question.pressure_slope * (t - question.log_scale_outs[k]));
        }
        exponentials(made.values().subspan(other.first * q, other.count * q));
    }
    return made;
}

/// About a context of a history as if it were a new one.
[[nodiscard]] inline expert_question question_about(const history_context& own, double pressure_slope,
                                                    std::span<const double> log_scale_outs) noexcept {
    return {.features = own.features,
            .pressure = own.pressure,
            .pressure_slope = pressure_slope,
            .log_scale_outs = log_scale_outs};
}

/// Joint normal distribution of the log-runtime (without run noise) at the scale-outs asked about.
struct expert_answer {
    std::vector<double> mean{};
    matrix covariance{};
};

/// Of all points of a history with each other; the upper triangle of blocks of contexts.
[[nodiscard]] inline matrix work_trends_within(const history_data& history, double pressure_slope) {
    matrix made(history.points.size(), history.points.size());
    for (const auto& own : history.contexts) {
        const auto log_scale_outs = history.log_scale_outs_of(own);
        auto question = question_about(own, pressure_slope, log_scale_outs);
        question.same = static_cast<std::size_t>(&own - history.contexts.data());
        const matrix columns = work_trends(history, question, question.same + 1);
        for (std::size_t i = 0; i < columns.rows(); ++i)
            std::copy(columns.row(i), columns.row(i) + own.count, made.row(i) + own.first);
    }
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
