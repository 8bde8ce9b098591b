// The optimiser's vector of a Gaussian process's hyper-parameters: positions, and centre of their prior.
#ifndef BELLAMY_DETAIL_BLEND_PROCESS_LAYOUT_HPP
#define BELLAMY_DETAIL_BLEND_PROCESS_LAYOUT_HPP

#include <bellamy/detail/blend/covariance_terms.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Positions of the hyper-parameters in the optimiser's vector. All but the mean and the pressure's direction are
/// logarithms.
struct process_layout {
    static constexpr size_t mean = 0;
    static constexpr size_t amplitudes = 1;
    static constexpr size_t nugget = amplitudes + process_terms;
    static constexpr size_t shape_length = nugget + 1;
    static constexpr size_t joint_length = nugget + 2;
    static constexpr size_t own_length = nugget + 3;
    static constexpr size_t pressure_length = nugget + 4;
    static constexpr size_t level_lengths = nugget + 5;
    size_t features = 0;
    bool has_direction = false;
    static constexpr size_t amplitude(process_term term) noexcept { return amplitudes + static_cast<size_t>(term); }
    size_t joint_lengths() const noexcept { return level_lengths + features; }
    size_t direction() const noexcept { return level_lengths + 2 * features; }
    size_t size() const noexcept { return direction() + (has_direction ? features : 0); }
};

/// Centre of the hyper-parameters' prior, where the optimiser starts. `amplitudes`: relative to the default ones.
inline std::vector<double> prior_centre(const process_layout& layout, double mean, double amplitudes) {
    std::vector<double> centre(layout.size(), 0.0);
    for (size_t i = process_layout::level_lengths; i < layout.direction(); ++i) centre[i] = std::log(2.0);
    centre[process_layout::mean] = mean;
    // Amplitudes in the order of process_term, nugget, lengths of shape, joint, own and pressure.
    constexpr std::array<double, 14> values{.3, .7, .5, .3, .3, .15, .1, .25, .2, .03, 1., .7, .7, 1.};
    for (size_t i = 0; i < values.size(); ++i) centre[1 + i] = std::log(values[i]);
    for (size_t i = 0; i < process_terms; ++i) centre[process_layout::amplitudes + i] += std::log(amplitudes);
    return centre;
}

/// Hyper-parameters stay within so much of their centre, by a tanh of the optimiser's vector.
inline constexpr double process_reach = 4;

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
