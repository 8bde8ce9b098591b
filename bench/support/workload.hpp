// Pieces of work that are timed in turns.
#ifndef BELLAMY_BENCH_SUPPORT_WORKLOAD_HPP
#define BELLAMY_BENCH_SUPPORT_WORKLOAD_HPP

#include "clock.hpp"

#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace bench {

struct workload {
    std::string name{};
    /// What one call of `run` does this many of.
    std::size_t items = 1;
    std::function<void()> run{};
    /// Multiply-adds that one item cannot do without; 0 where it is not these that bound it.
    double multiply_adds = 0;
    /// Calls per round; found out at the first.
    std::size_t calls = 1;
    std::vector<double> ns_per_item{};
};

/// The middle value. Precondition: there is one.
[[nodiscard]] inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Times every workload once per round, so that what disturbs the machine disturbs all of them.
inline void time_in_turns(std::vector<workload>& all, int rounds, double ns_per_round = 5e6) {
    for (auto& each : all) {
        each.run();
        const double begin = now_ns();
        each.run();
        each.calls = static_cast<std::size_t>((std::max)(1.0, ns_per_round / (std::max)(1.0, now_ns() - begin)));
    }
    for (int round = 0; round < rounds; ++round) {
        for (auto& each : all) {
            const double begin = now_ns();
            for (std::size_t i = 0; i < each.calls; ++i) each.run();
            each.ns_per_item.push_back((now_ns() - begin) / static_cast<double>(each.calls * each.items));
        }
    }
}

}  // namespace bench

#endif
