// A made-up stream of recurring jobs, and the truth about their runtimes, which no scheduler gets to see.
#ifndef BELLAMY_EXAMPLES_MADE_UP_WORKLOAD_HPP
#define BELLAMY_EXAMPLES_MADE_UP_WORKLOAD_HPP

#include <bellamy/price.hpp>
#include <bellamy/run.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace workload {

struct machine_type {
    std::string name;
    int cores;
    int memory_mb;
    double slowness;  // per core
    bellamy::price costs;
};

/// What the provider rents out, by the started minute and with a minute and a half until the job begins.
[[nodiscard]] inline std::vector<machine_type> machine_types() {
    const auto costs = [](double per_hour) {
        return bellamy::price{.per_unit_and_hour = per_hour, .start_up_s = 90, .billing_granularity_s = 60};
    };
    return {{"compute", 8, 15000, 0.9, costs(0.34)}, {"memory", 8, 61000, 1.0, costs(0.53)}};
}

inline constexpr std::array<int, 5> scale_outs{2, 4, 8, 12, 16};

/// The same report, over somebody's log files.
struct data_set {
    std::string format;
    int size_mb;
};

/// Once submitted, it has so much time until its result is needed.
struct job {
    data_set data;
    double deadline_s;
    double luck;  // this job's run takes so many times the usual, wherever it runs
};

[[nodiscard]] inline bellamy::context context_of(const data_set& data, const machine_type& on) {
    using bellamy::property_role;
    return {.essential = {bellamy::text("machine_type", on.name).with_role(property_role::machine_type),
                          bellamy::natural("data_size_mb", static_cast<std::uint64_t>(data.size_mb))
                              .with_role(property_role::data_size),
                          bellamy::text("format", data.format)},
            .optional = {bellamy::natural("memory_mb", static_cast<std::uint64_t>(on.memory_mb))
                             .with_role(property_role::memory_per_node)
                             .per_scale_out_unit(),
                         bellamy::natural("cores", static_cast<std::uint64_t>(on.cores))
                             .with_role(property_role::cores_per_node)
                             .per_scale_out_unit()}};
}

/// The truth: a part that nothing shortens, a part that is shared, a shuffle that grows, and spilling where memory is short.
[[nodiscard]] inline double usual_runtime_s(const data_set& data, const machine_type& on, int scale_out) {
    const double parsing = data.format == "json" ? 1.7 : data.format == "csv" ? 1.0 : 0.6;
    const double work = parsing * on.slowness * data.size_mb / (on.cores * 4.0);
    const double shuffle = 5 * std::log2(scale_out) + 0.8 * scale_out;
    const double need = 2.2 * data.size_mb / (0.6 * on.memory_mb * scale_out);
    const double spilling = 1 + 0.7 * std::clamp(need - 1, 0.0, 2.0);
    return 35 + shuffle + work / scale_out * spilling;
}

/// Seeded; the same on every platform, which the distributions of the standard library are not.
class generator {
public:
    explicit generator(std::uint64_t seed) : bits_(seed) {}

    [[nodiscard]] double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(bits_() >> 11U) * 0x1p-53;
    }
    template <class List>
    [[nodiscard]] const auto& one_of(const List& list) {
        return list[static_cast<std::size_t>(uniform(0, static_cast<double>(list.size())))];
    }
    /// Runs differ by a few percent, and one in thirty is a straggler.
    [[nodiscard]] double luck() {
        double normal = -6;
        for (int i = 0; i < 12; ++i) normal += uniform(0, 1);
        const double usual = std::exp(0.05 * normal);
        return uniform(0, 1) < 1 / 30.0 ? usual * uniform(1.3, 1.8) : usual;
    }
    [[nodiscard]] std::vector<data_set> data_sets(int count) {
        const std::array<std::string, 3> formats{"json", "csv", "parquet"};
        std::vector<data_set> made;
        for (int i = 0; i < count; ++i)
            made.push_back({formats[static_cast<std::size_t>(i) % formats.size()],
                            static_cast<int>(std::exp(uniform(std::log(4000.0), std::log(60000.0))))});
        return made;
    }
    /// Deadlines are from what the fastest cluster just about keeps to generous ones.
    [[nodiscard]] job next_job(const std::vector<data_set>& data) {
        job made{.data = one_of(data), .deadline_s = 0, .luck = luck()};
        double fastest_s = 1e9;
        for (const auto& each : machine_types())
            for (const int x : scale_outs)
                fastest_s = std::min(fastest_s, each.costs.start_up_s + usual_runtime_s(made.data, each, x));
        made.deadline_s = fastest_s * uniform(1.0, 2.5);
        return made;
    }

private:
    std::mt19937_64 bits_;
};

}  // namespace workload

#endif
