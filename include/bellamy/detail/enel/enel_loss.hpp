// Enel's losses of times and of metrics, and the derivatives that backpropagation starts from.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_LOSS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_LOSS_HPP

#include <bellamy/detail/enel/enel_pass.hpp>
#include <bellamy/detail/network/training/layers.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct enel_losses {
    double times = 0;
    double metrics = 0;
    double reconstruction = 0;

    [[nodiscard]] double total() const noexcept { return times + metrics + reconstruction; }
};

/// Loss and mean absolute error of the times.
struct enel_time_loss {
    double loss = 0;
    double error_s = 0;
};

/// Smooth L1 in seconds, one mean over all stages and jobs whose time is known. Leaves the derivatives in the pass.
[[nodiscard]] inline enel_time_loss compare_times(const enel_batch& batch, enel_times_pass& pass) noexcept {
    double count = 0;
    for (const double truth : batch.stage_s) count += truth > 0 ? 1 : 0;
    for (const double truth : batch.job_s) count += truth > 0 ? 1 : 0;
    enel_time_loss sum;
    const auto compare = [&](std::span<const double> truths, std::span<const double> predicted, std::span<double> gradient) {
        for (std::size_t i = 0; i < truths.size(); ++i) {
            gradient[i] = 0;
            if (!(truths[i] > 0)) continue;
            const double residual = predicted[i] - truths[i];
            sum.loss += smooth_l1(residual) / count;
            sum.error_s += std::abs(residual) / count;
            gradient[i] = smooth_l1_derivative(residual) / count;
        }
    };
    compare(batch.stage_s, pass.stage_s(), pass.stage_gradient());
    compare(batch.job_s, pass.job_s(), pass.job_gradient());
    return sum;
}

/// Squared error of the predicted metrics, mean over the entries of all stages whose metrics are known; a stage without a
/// known predecessor has no error but counts. Leaves the derivatives in the pass.
[[nodiscard]] inline double compare_metrics(const enel_batch& batch, enel_metrics_pass& pass) noexcept {
    double count = 0;
    const auto is_known = [&](std::uint32_t row) { return any_not_zero(batch.metrics[row]); };
    for (const std::uint32_t row : batch.order) count += is_known(row) ? static_cast<double>(enel_metrics_count) : 0;
    fill_zeros(pass.predicted_gradient().piece(0, batch.rows()));
    double sum = 0;
    for (const std::uint32_t row : batch.order) {
        if (!pass.has_predecessor(row) || !is_known(row)) continue;
        for (std::size_t i = 0; i < enel_metrics_count; ++i) {
            const double difference = pass.predicted()[row][i] - batch.metrics[row][i];
            sum += difference * difference / count;
            pass.predicted_gradient()[row][i] = 2 / count * difference;
        }
    }
    return sum;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
