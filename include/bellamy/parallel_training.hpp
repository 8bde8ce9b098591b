// Training by several workers: how often they average their parameters, and how an average that arrives late is merged.
#ifndef BELLAMY_PARALLEL_TRAINING_HPP
#define BELLAMY_PARALLEL_TRAINING_HPP

#include <bellamy/version.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bellamy { inline namespace BELLAMY_ABI {

/// What a worker with parameters w does with the average a of the snapshots, of which its own was s.
enum class merge_rule : std::uint8_t {
    corrected = 0,  // w + (a - s): keeps the steps since the snapshot, and the mean of all workers
    weighted = 1,   // (w + a) / 2
    overwrite = 2,  // a: loses the steps since the snapshot
};

[[nodiscard]] constexpr std::string_view to_string(merge_rule rule) noexcept {
    constexpr std::array<std::string_view, 3> names{"corrected", "weighted", "overwrite"};
    return names[static_cast<std::size_t>(rule)];
}

/// Delayed averaging, after DaSGD (Zhou et al. 2020, arXiv 2006.00441; the merge rules are ours): each worker steps on its
/// own share of the runs, publishes its parameters after every `period`-th step, and merges their average `delay` steps
/// later, so that communication is hidden behind computation. Delay 0 is local SGD; period 1 and delay 0 is synchronous SGD.
///
/// Workers are not threads: the result depends on these numbers and the seed, not on how many threads the workers share.
struct parallel_options {
    /// 1 trains as if there were no averaging. At most one per run to train on. Each takes batches of `batch_size`.
    int workers = 1;
    int period = 4;
    /// From 0 to period - 1.
    int delay = 2;
    merge_rule merge = merge_rule::corrected;
    /// Averages Adam's moments with the parameters; else each worker keeps its own.
    bool average_moments = false;
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
concept averager = requires(Averager& one, std::span<const Scalar> snapshot) {
    /// Publishes a copy of the snapshot and returns without waiting for others.
    one.begin(snapshot);
    /// Whether the oldest average that was not finished is there. Asked after every step: communication may progress here.
    { one.arrived() } -> std::same_as<bool>;
    /// Waits for the oldest average. Valid until the next call; empty where it will never come.
    { one.finish() } -> std::same_as<std::span<const Scalar>>;
};

namespace detail {

/// Any averager by reference, so that what trains with it is compiled once.
template <class Scalar>
class averager_reference {
public:
    template <averager<Scalar> Averager>
    explicit averager_reference(Averager& to) noexcept
        : to_(&to),
          begin_([](void* one, std::span<const Scalar> snapshot) { static_cast<Averager*>(one)->begin(snapshot); }),
          arrived_([](void* one) -> bool { return static_cast<Averager*>(one)->arrived(); }),
          finish_([](void* one) -> std::span<const Scalar> { return static_cast<Averager*>(one)->finish(); }) {}

    void begin(std::span<const Scalar> snapshot) { begin_(to_, snapshot); }
    [[nodiscard]] bool arrived() { return arrived_(to_); }
    [[nodiscard]] std::span<const Scalar> finish() { return finish_(to_); }

private:
    void* to_;
    void (*begin_)(void*, std::span<const Scalar>);
    bool (*arrived_)(void*);
    std::span<const Scalar> (*finish_)(void*);
};

}  // namespace detail

}}  // namespace bellamy::BELLAMY_ABI

#endif
