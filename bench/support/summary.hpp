// Errors by algorithm and cell, with bootstrap intervals over contexts.
#ifndef BELLAMY_BENCH_SUMMARY_HPP
#define BELLAMY_BENCH_SUMMARY_HPP

#include <bellamy/detail/base/random.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// One number per prediction, by the context it belongs to: contexts, not predictions, are the independent draws.
using values_by_context = std::map<std::string, std::vector<double>>;

struct interval {
    double low = 0;
    double high = 0;
};

[[nodiscard]] inline double mean_of(std::span<const double> values) {
    double sum = 0;
    for (const double each : values) sum += each;
    return sum / static_cast<double>(values.size());
}

[[nodiscard]] inline double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

[[nodiscard]] inline std::vector<double> all_values(const values_by_context& values) {
    std::vector<double> all;
    for (const auto& [context, part] : values) all.insert(all.end(), part.begin(), part.end());
    return all;
}

/// The 5 % and 95 % quantile of the mean when contexts are drawn with replacement, 2000 times, always the same ones.
[[nodiscard]] inline interval bootstrap_mean(const values_by_context& values) {
    std::vector<std::pair<double, double>> sums;  // of a context: values, their number
    for (const auto& [context, part] : values)
        sums.emplace_back(mean_of(part) * static_cast<double>(part.size()), static_cast<double>(part.size()));
    bellamy::detail::random_generator random(1);
    std::vector<double> means;
    for (int draw = 0; draw < 2000; ++draw) {
        double sum = 0;
        double count = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const auto& drawn = sums[random.below(sums.size())];
            sum += drawn.first;
            count += drawn.second;
        }
        means.push_back(sum / count);
    }
    std::ranges::sort(means);
    return {.low = means[100], .high = means[1899]};
}

/// A group of splits that is reported together.
struct cell {
    std::string name{};
    std::function<bool(int k, const std::string& mode)> contains{};
};

/// The cells of the protocol, then the pooled ones.
[[nodiscard]] inline std::vector<cell> cells() {
    return {{"k=0", [](int k, const std::string&) { return k == 0; }},
            {"k=1 extrap", [](int k, const std::string& mode) { return k == 1 && mode == "extrap"; }},
            {"k=2-5 extrap", [](int k, const std::string& mode) { return k >= 2 && k <= 5 && mode == "extrap"; }},
            {"k=2-5 interp", [](int k, const std::string& mode) { return k >= 2 && k <= 5 && mode == "interp"; }},
            {"k=6", [](int k, const std::string&) { return k == 6; }},
            {"k=1-5 extrap", [](int k, const std::string& mode) { return k >= 1 && k <= 5 && mode == "extrap"; }},
            {"k=2-6 interp", [](int k, const std::string& mode) { return k >= 2 && mode == "interp"; }},
            {"k>=4", [](int k, const std::string&) { return k >= 4; }},
            {"extrap, k<=1", [](int k, const std::string& mode) { return k <= 1 || mode == "extrap"; }}};
}

}  // namespace bench

#endif
