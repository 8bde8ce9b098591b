// Remaining time of a training, extrapolated from the time elapsed.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_ETA_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_ETA_HPP

#include <bellamy/version.hpp>

#include <chrono>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Measures from its construction.
class training_pace {
public:
    double elapsed_s() const noexcept {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    /// Precondition: done > 0.
    double seconds_left(long long done, long long total) const noexcept {
        return elapsed_s() * static_cast<double>(total - done) / static_cast<double>(done);
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
