// Made-up histories whose truth is known: laws of how a runtime grows with data size and scale-out.
#ifndef BELLAMY_BENCH_GROWTH_LAWS_HPP
#define BELLAMY_BENCH_GROWTH_LAWS_HPP

#include <bellamy/detail/base/random.hpp>

#include "history_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace bench {

/// Work per unit, s/x, from which the data no longer fit into the memory, and how much longer that work takes.
inline constexpr double cliff_at_mb = 4000;
inline constexpr double cliff_factor = 3;

[[nodiscard]] inline growth_row overhead_columns(double s, double x, double) { return {1, s / x}; }
/// A part of the work is serial (Amdahl 1967).
[[nodiscard]] inline growth_row amdahl_columns(double s, double x, double) { return {s, s / x}; }
/// Contention and coherency (Gunther's universal scalability law): s/x (1 + a (x - 1) + b x (x - 1)).
[[nodiscard]] inline growth_row usl_columns(double s, double x, double) { return {s / x, s * (x - 1) / x, s * (x - 1)}; }
[[nodiscard]] inline growth_row cliff_columns(double s, double x, double cliff) {
    return {1, s / x, s / x > cliff ? s / x : 0.0};
}
/// All units read from one disk.
[[nodiscard]] inline growth_row contention_columns(double s, double x, double) { return {1, s / x, s, x}; }

struct growth_law {
    std::string_view name{};
    growth_columns columns = nullptr;
    growth_row multiples{};
};

inline constexpr std::array<growth_law, 5> growth_laws{
    {{.name = "overhead", .columns = overhead_columns, .multiples = {25, 0.05}},
     {.name = "amdahl", .columns = amdahl_columns, .multiples = {0.002, 0.06}},
     {.name = "usl", .columns = usl_columns, .multiples = {0.06, 0.0015, 0.00008}},
     {.name = "cliff", .columns = cliff_columns, .multiples = {15, 0.04, 0.04 * (cliff_factor - 1)}},
     {.name = "contention", .columns = contention_columns, .multiples = {20, 0.05, 0.001, 0.8}}}};

/// Every context at one scale-out, or at all of them.
enum class layout : std::uint8_t { one_scale_out, grid };

struct made_up_options {
    layout laid_out = layout::one_scale_out;
    std::size_t contexts = 10;
    double noise = 0.03;      // standard deviation of ln t
    double straggler = 0.05;  // probability; it takes 1.3 to 2 times as long
    std::uint64_t seed = 0;
};

inline constexpr std::array<int, 5> made_up_scale_outs{3, 4, 6, 8, 12};
inline constexpr double least_size_mb = 1000;
inline constexpr double largest_size_mb = 100'000;

/// A history of one law, its multiples varied by up to a factor of two, and three questions: inside what was seen, at larger
/// scale-outs, and of larger data. Sizes span two decades and do not repeat.
[[nodiscard]] inline std::vector<history_case> made_up_history(const growth_law& law, const made_up_options& options) {
    bellamy::detail::random_generator random(options.seed);
    auto multiples = law.multiples;
    for (double& each : multiples) each *= std::exp2(2 * random.uniform() - 1);
    const auto runtime_s = [&](double size, int x) {
        const auto row = law.columns(size, x, cliff_at_mb);
        double sum = 0;
        for (std::size_t j = 0; j < row.size(); ++j) sum += multiples[j] * row[j];
        return sum;
    };
    const auto run_of = [&](double size, int x) {
        bellamy::run one{.scale_out = x, .runtime_s = runtime_s(size, x) * std::exp(options.noise * random.normal())};
        if (random.uniform() < options.straggler) one.runtime_s *= 1.3 + 0.7 * random.uniform();
        one.context.essential = {bellamy::quantity("data_size_MB", size).with_role(bellamy::property_role::data_size)};
        return one;
    };
    const auto size_from = [&](double least, double largest) { return least * std::pow(largest / least, random.uniform()); };
    const auto any_scale_out = [&] { return made_up_scale_outs[random.below(made_up_scale_outs.size())]; };

    std::vector<bellamy::run> history;
    double least = largest_size_mb;
    double most = least_size_mb;
    for (std::size_t c = 0; c < options.contexts; ++c) {
        const double size = size_from(least_size_mb, largest_size_mb);
        least = (std::min)(least, size);
        most = (std::max)(most, size);
        if (options.laid_out == layout::one_scale_out) {
            history.push_back(run_of(size, any_scale_out()));
        } else {
            for (const int x : made_up_scale_outs) history.push_back(run_of(size, x));
        }
    }
    int last = 0;
    for (const auto& each : history) last = (std::max)(last, each.scale_out);
    const std::string name =
        fmt::format("{} {} {}", law.name, options.laid_out == layout::grid ? "grid" : "one", options.contexts);
    const auto shared = std::make_shared<const std::vector<bellamy::run>>(history);
    std::vector<history_case> cases;
    const auto ask = [&](const char* question, const auto& draw) {
        history_case made{.part = "made-up", .group = name + " " + question, .history = shared, .truth = law.columns};
        for (int i = 0; i < 8; ++i) {
            const auto [size, x] = draw();
            made.tests.push_back({.of = run_of(size, x), .median_s = runtime_s(size, x)});
        }
        cases.push_back(std::move(made));
    };
    ask("inside", [&] { return std::pair(size_from(least, most), history[random.below(history.size())].scale_out); });
    ask("scale-out", [&] {
        return std::pair(size_from(least, most), static_cast<int>(std::lround(last * (1.3 + 0.7 * random.uniform()))));
    });
    ask("size", [&] { return std::pair(most * (1.3 + 0.7 * random.uniform()), any_scale_out()); });
    return cases;
}

/// A history of machine types whose speeds differ by a third (standard deviation of the logarithm) and that nothing but
/// their name tells apart, on a grid of sizes and scale-outs; asked are other sizes of a type seen, and of one never seen
/// with no, one and two runs observed.
inline void add_made_up_machines(std::size_t machines, std::uint64_t seed, std::vector<history_case>& cases) {
    bellamy::detail::random_generator random(seed);
    std::vector<double> speeds;
    for (std::size_t m = 0; m <= machines; ++m) speeds.push_back(std::exp(0.33 * random.normal()));
    const auto median_s = [&](std::size_t machine, double size, int x) { return speeds[machine] * (25 + 0.05 * size / x); };
    const auto run_of = [&](std::size_t machine, double size, int x) {
        bellamy::run one{.scale_out = x, .runtime_s = median_s(machine, size, x) * std::exp(0.03 * random.normal())};
        one.context.essential = {
            bellamy::text("machine_type", fmt::format("type {}", machine)).with_role(bellamy::property_role::machine_type),
            bellamy::quantity("data_size_MB", size).with_role(bellamy::property_role::data_size)};
        return one;
    };
    const auto size_of = [&] { return least_size_mb * std::pow(largest_size_mb / least_size_mb, random.uniform()); };
    std::vector<bellamy::run> history;
    for (std::size_t m = 0; m < machines; ++m)
        for (int i = 0; i < 4; ++i) {
            const double size = size_of();
            for (const int x : made_up_scale_outs) history.push_back(run_of(m, size, x));
        }
    const auto shared = std::make_shared<const std::vector<bellamy::run>>(std::move(history));
    const auto ask = [&](std::size_t machine, const std::string& group, std::size_t observed) {
        for (int i = 0; i < 4; ++i) {
            const double size = size_of();
            history_case made{.part = "made-up", .group = group, .history = shared};
            for (std::size_t k = 0; k < observed; ++k)
                made.observed.push_back(run_of(machine, size, made_up_scale_outs[3 - 2 * k]));
            for (const int x : made_up_scale_outs)
                made.tests.push_back({.of = run_of(machine, size, x), .median_s = median_s(machine, size, x)});
            cases.push_back(std::move(made));
        }
    };
    ask(0, fmt::format("{} machine types, seen", machines), 0);
    for (std::size_t k = 0; k < 3; ++k) ask(machines, fmt::format("{} machine types, unseen k={}", machines, k), k);
}

}  // namespace bench

#endif
