// How well decisions were made: reliability of stated probabilities, and cost at equal hit rate.
#ifndef BELLAMY_BENCH_DECISION_SCORES_HPP
#define BELLAMY_BENCH_DECISION_SCORES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace bench {

/// A probability that was stated, and the share of runs for which it came true.
struct stated_and_realised {
    double stated = 0;
    double realised = 0;
};

/// Means over the statements of one range of probabilities; all 0 where there is none.
struct reliability_bin {
    std::size_t count = 0;
    double stated = 0;
    double realised = 0;
};

/// The ranges are [0, 0.2), [0.2, 0.4), ..., [0.8, 1].
[[nodiscard]] inline std::array<reliability_bin, 5> reliability(std::span<const stated_and_realised> statements) {
    std::array<reliability_bin, 5> bins{};
    for (const auto& each : statements) {
        auto& own = bins[(std::min)(static_cast<std::size_t>(each.stated * 5), bins.size() - 1)];
        ++own.count;
        own.stated += each.stated;
        own.realised += each.realised;
    }
    for (auto& each : bins) {
        if (each.count == 0) continue;
        each.stated /= static_cast<double>(each.count);
        each.realised /= static_cast<double>(each.count);
    }
    return bins;
}

/// What one setting of a rule's margin led to, on average over all questions.
struct sweep_point {
    double hit = 0;
    double regret = 0;
};

/// The mean regret of a rule at a hit rate, linear between the neighbouring settings around it; where the sweep passes it
/// several times, the least, for every rule alike. Nothing where no two neighbours are on either side.
[[nodiscard]] inline std::optional<double> regret_at(std::span<const sweep_point> sweep, double hit) {
    std::optional<double> least;
    const auto offer = [&](double regret) {
        if (!least || regret < *least) least = regret;
    };
    for (std::size_t i = 0; i < sweep.size(); ++i) {
        if (sweep[i].hit == hit) offer(sweep[i].regret);
        if (i == 0) continue;
        const auto& a = sweep[i - 1];
        const auto& b = sweep[i];
        if ((a.hit < hit) == (b.hit < hit)) continue;
        offer(a.regret + (b.regret - a.regret) * (hit - a.hit) / (b.hit - a.hit));
    }
    return least;
}

}  // namespace bench

#endif
