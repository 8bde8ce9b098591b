// The methods that questions far beyond a history are put to.
#ifndef BELLAMY_BENCH_FAR_METHODS_HPP
#define BELLAMY_BENCH_FAR_METHODS_HPP

#include "far_splits.hpp"
#include "history_methods.hpp"

namespace bench {

/// Size-aware Ernest over cores where they are known, else over the scale-out.
class ernest_over_units {
public:
    explicit ernest_over_units(std::vector<bellamy::run> history) : law_(ernest_columns, over_units(history)) {}

    /// Seconds.
    [[nodiscard]] double operator()(const bellamy::context& asked, int scale_out) const {
        return law_(asked, static_cast<int>(units_of({.context = asked, .scale_out = scale_out})));
    }

private:
    [[nodiscard]] static std::vector<bellamy::run>& over_units(std::vector<bellamy::run>& runs) {
        for (auto& run : runs) run.scale_out = static_cast<int>(units_of(run));
        return runs;
    }
    fitted_law law_;
};

/// Best mode, and Ernest.
[[nodiscard]] inline std::vector<method> far_methods() {
    return {
        {.name = "best", .learn = learn_best},
        {.name = "ernest", .learn = line([](const std::vector<bellamy::run>& runs) { return ernest_over_units(runs); })}};
}

}  // namespace bench

#endif
