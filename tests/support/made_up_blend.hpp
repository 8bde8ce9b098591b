// Best-mode models and curves of the made-up job, fitted once.
#ifndef BELLAMY_TESTS_SUPPORT_MADE_UP_BLEND_HPP
#define BELLAMY_TESTS_SUPPORT_MADE_UP_BLEND_HPP

#include <bellamy/detail/blend/blend_fit.hpp>
#include <bellamy/detail/models/blend_kind.hpp>

#include "made_up_job.hpp"

namespace support {

[[nodiscard]] inline bellamy::model blend_of(const std::vector<bellamy::run>& history) {
    return bellamy::detail::model_access::make(
        *bellamy::schema_of(history),
        {.algorithm = "made-up",
         .runs = static_cast<std::uint32_t>(history.size()),
         .contexts = 10,
         .seen_scale_outs = {.smallest = 2, .largest = 12}},
        bellamy::detail::blend_kind{.blend = bellamy::detail::shared(bellamy::detail::fit_blend(history))});
}

/// Ten sizes from 10 to 100 GB on two machines at six scale-outs, three runs each that differ by up to 6 %. They have all
/// experts.
[[nodiscard]] inline std::vector<bellamy::run> noisy_history() {
    auto history = on_two_machines(made_up_history(10, 3));
    for (std::size_t i = 0; i < history.size(); ++i)
        history[i].runtime_s *= 0.97 + 0.03 * static_cast<double>((i * 7) % 5) / 2;
    return history;
}

[[nodiscard]] inline const bellamy::model& made_up_blend() {
    static const auto subject = blend_of(noisy_history());
    return subject;
}

}  // namespace support

#endif
