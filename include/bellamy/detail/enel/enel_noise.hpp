// Noise on what Enel's network trains on.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_NOISE_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_NOISE_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/enel/enel_batch.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Standard deviations as published, drawn per number for every batch.
struct enel_noise {
    double job_s = 1.5;
    double stage_s = 0.5;
    double ratio = 0.025;  // metrics and rescaling shares
    double context = 0.025;

    [[nodiscard]] static constexpr enel_noise none() noexcept { return {0, 0, 0, 0}; }
    [[nodiscard]] bool any() const noexcept { return job_s > 0 || stage_s > 0 || ratio > 0 || context > 0; }

    /// Overwrites the numbers of `noisy`, a copy of `clean`. What is not known (rows of zeros) stays so, and an encoding has
    /// the same noise wherever it occurs in the batch.
    void apply(const enel_batch& clean, enel_batch& noisy, random_generator& random) const {
        const auto absolute = [&](double value, double deviation) {
            return value == 0 ? 0 : std::abs(value + deviation * random.normal());
        };
        for (std::size_t i = 0; i < clean.job_s.size(); ++i) noisy.job_s[i] = absolute(clean.job_s[i], job_s);
        for (std::size_t i = 0; i < clean.rows(); ++i) {
            noisy.stage_s[i] = absolute(clean.stage_s[i], stage_s);
            noisy.rescaling_share[i] = absolute(clean.rescaling_share[i], ratio);
            if (!any_not_zero(clean.metrics[i])) continue;
            for (std::size_t k = 0; k < enel_metrics_count; ++k)
                noisy.metrics[i][k] = std::abs(clean.metrics[i][k] + ratio * random.normal());
        }
        const auto encodings = clean.encodings.piece(0, clean.encodings.size());
        const auto to = noisy.encodings.piece(0, clean.encodings.size());
        for (std::size_t i = 0; i < encodings.size(); ++i) to[i] = encodings[i] + context * random.normal();
    }
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
