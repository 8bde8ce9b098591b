// The network in log mode as one more expert: its curve is the mean, and how far off it was for contexts left out the
// deviation.
#ifndef BELLAMY_DETAIL_BLEND_NETWORK_EXPERT_HPP
#define BELLAMY_DETAIL_BLEND_NETWORK_EXPERT_HPP

#include <bellamy/detail/blend/gaussian_process.hpp>
#include <bellamy/detail/network/log_network.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Plain data.
struct network_expert {
    log_network network{.parameters = bellamy::network<>(0)};
    /// Of a context's log-runtimes from the network's.
    double deviation = 0.1;
};

/// The network's log-runtimes of a context, with the deviation kernel around them. Allocates.
[[nodiscard]] inline expert_answer answer_of(const network_expert& expert, const prepared_network& prepared,
                                             const context& subject, std::span<const double> log_scale_outs) {
    const std::size_t q = log_scale_outs.size();
    const log_network_curve runtimes(expert.network, prepared, subject);
    expert_answer answer{.mean = std::vector<double>(q), .covariance = matrix(q, q)};
    for (std::size_t i = 0; i < q; ++i) {
        const auto x = static_cast<int>(std::lround(std::exp(log_scale_outs[i])));
        answer.mean[i] = std::log(runtimes((std::min)(x, runtimes.largest_valid_scale_out())));
        for (std::size_t j = 0; j < q; ++j)
            answer.covariance(i, j) =
                expert.deviation * expert.deviation * deviation_covariance(log_scale_outs[i], log_scale_outs[j]);
    }
    return answer;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
