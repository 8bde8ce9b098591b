// Hyper-parameters of the Gaussian process as a vector that an optimiser moves.
#ifndef BELLAMY_DETAIL_BLEND_PROCESS_LAYOUT_HPP
#define BELLAMY_DETAIL_BLEND_PROCESS_LAYOUT_HPP

#include <bellamy/detail/blend/gaussian_process.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

// Positions in the vector that is optimised. All but the mean and the pressure's direction are logarithms.
struct process_layout {
    static constexpr std::size_t mean = 0;
    static constexpr std::size_t amplitudes = 1;
    static constexpr std::size_t nugget = amplitudes + process_terms;
    static constexpr std::size_t shape_length = nugget + 1;
    static constexpr std::size_t joint_length = nugget + 2;
    static constexpr std::size_t own_length = nugget + 3;
    static constexpr std::size_t pressure_length = nugget + 4;
    static constexpr std::size_t level_lengths = nugget + 5;
    std::size_t features = 0;
    bool learns_direction = false;
    [[nodiscard]] static constexpr std::size_t amplitude(process_term of) noexcept {
        return amplitudes + static_cast<std::size_t>(of);
    }
    [[nodiscard]] std::size_t joint_lengths() const noexcept { return level_lengths + features; }
    [[nodiscard]] std::size_t direction() const noexcept { return level_lengths + 2 * features; }
    [[nodiscard]] std::size_t size() const noexcept { return direction() + (learns_direction ? features : 0); }
};

/// Centre of the prior, and start. `amplitudes`: over the usual ones.
[[nodiscard]] inline std::vector<double> start_of_process(const process_layout& at, double mean, double amplitudes) {
    std::vector<double> start(at.size(), 0.0);
    for (std::size_t i = process_layout::level_lengths; i < at.direction(); ++i) start[i] = std::log(2.0);
    start[process_layout::mean] = mean;
    // Amplitudes in the order of process_term, nugget, lengths of shape, joint, own and pressure.
    constexpr std::array<double, 14> rest{.3, .7, .5, .3, .3, .15, .1, .25, .2, .03, 1., .7, .7, 1.};
    for (std::size_t i = 0; i < rest.size(); ++i) start[1 + i] = std::log(rest[i]);
    for (std::size_t i = 0; i < process_terms; ++i) start[process_layout::amplitudes + i] += std::log(amplitudes);
    return start;
}

/// Hyper-parameters stay within 4 of their centre: a tanh of what the optimiser moves.
inline constexpr double process_reach = 4;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
