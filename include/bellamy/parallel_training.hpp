// Training by several workers: how often they average their parameters, and when an average is merged.
#ifndef BELLAMY_PARALLEL_TRAINING_HPP
#define BELLAMY_PARALLEL_TRAINING_HPP

#include <bellamy/version.hpp>

#include <concepts>
#include <optional>
#include <span>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Delayed averaging, after DaSGD (Zhou et al. 2020, arXiv 2006.00441; the merge rule is ours): each worker trains on its
/// share of the runs, publishes a snapshot s of its parameters w after every `period`-th step, and when the snapshots'
/// average a arrives `delay` steps later, w becomes w + (a - s): the steps since the snapshot are kept, and communication is
/// hidden behind computation. Delay 0 is local SGD; period 1 and delay 0 is synchronous SGD. Adam's moments stay local.
///
/// Workers are not threads: the result depends on these numbers and the seed, not on how many threads the workers share.
struct parallel_options {
    /// 1 trains as if there were no averaging. At most one per run to train on. Each takes batches of `batch_size`.
    int workers = 1;
    int period = 4;
    /// From 0 to period - 1.
    int delay = 2;
    /// From 0 to below 1. With every average, moves all workers' parameters on by this part of what the average has moved
    /// since the one before (after SlowMo, Wang et al. 2020, arXiv 1910.00643). Averages of many steps lag behind what
    /// synchronous training does, and 0.5 makes up for that. At short periods it adds to Adam's own momentum and can
    /// diverge. Unset, it is 0.5 at periods of 16 steps and more, and 0 below.
    std::optional<double> slow_momentum{};

    [[nodiscard]] constexpr double slow_momentum_or_default() const noexcept {
        return slow_momentum.value_or(period >= 16 ? 0.5 : 0.0);
    }
};

/// One worker's access to the average of all workers' snapshots. Snapshots are averaged in the order in which they began,
/// which is the same for all workers; several may be on their way. The sum is taken in the order of the workers: the same
/// bits, whoever averages.
template <class Averager, class Scalar>
concept averager = requires(Averager& averager, std::span<const Scalar> snapshot) {
    /// Publishes a copy of the snapshot and returns without waiting for others.
    averager.begin(snapshot);
    /// Whether the oldest average that was not finished has arrived. Called after every step: communication may progress
    /// here.
    { averager.arrived() } -> std::same_as<bool>;
    /// Waits for the oldest average. Valid until the next call; empty where it will never come.
    { averager.finish() } -> std::same_as<std::span<const Scalar>>;
};

namespace detail {

/// Any averager by reference, so that what trains with it is compiled once.
template <class Scalar>
class averager_reference {
public:
    template <averager<Scalar> Averager>
    explicit averager_reference(Averager& averager) noexcept
        : averager_(&averager),
          begin_([](void* untyped, std::span<const Scalar> snapshot) { static_cast<Averager*>(untyped)->begin(snapshot); }),
          arrived_([](void* untyped) -> bool { return static_cast<Averager*>(untyped)->arrived(); }),
          finish_([](void* untyped) -> std::span<const Scalar> { return static_cast<Averager*>(untyped)->finish(); }) {}

    void begin(std::span<const Scalar> snapshot) { begin_(averager_, snapshot); }
    [[nodiscard]] bool arrived() { return arrived_(averager_); }
    [[nodiscard]] std::span<const Scalar> finish() { return finish_(averager_); }

private:
    void* averager_;
    void (*begin_)(void*, std::span<const Scalar>);
    bool (*arrived_)(void*);
    std::span<const Scalar> (*finish_)(void*);
};

}  // namespace detail

}}  // namespace bellamy::BELLAMY_ABI

#endif
