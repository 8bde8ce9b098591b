#include "next_size.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "mixed_curve.hpp"
#include "tool_error.hpp"

namespace tools {

namespace {

constexpr std::size_t most_sizes = 7;
constexpr std::size_t trend_length = 12;
constexpr std::size_t most_past_sizes = 100;

[[nodiscard]] double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Ways to forecast ln size one step ahead.
[[nodiscard]] double last_size(std::span<const double> past) { return past.back(); }

// Least squares over the latest sizes.
[[nodiscard]] double trend_of_sizes(std::span<const double> past) {
    const auto recent = past.last(std::min(past.size(), trend_length));
    const auto n = static_cast<double>(recent.size());
    const double mean = mean_of(recent);
    const double middle = (n - 1) / 2;
    double products = 0;
    double squares = 0;
    for (std::size_t i = 0; i < recent.size(); ++i) {
        const double at = static_cast<double>(i) - middle;
        products += at * (recent[i] - mean);
        squares += at * at;
    }
    return mean + (squares > 0 ? products / squares * (n - middle) : 0);
}

struct way {
    double (*forecast)(std::span<const double>);
    double prior;
    bool is_of_all;  // any past size may come again, rather than one near the forecast
};
constexpr std::array<way, 3> ways{{{&last_size, 1, false}, {&mean_of, 1, true}, {&trend_of_sizes, 0.5, false}}};

[[nodiscard]] std::uint64_t to_size(double log_size) {
    return static_cast<std::uint64_t>(
        std::llround(std::clamp(std::exp(log_size) - 1, 0.0, static_cast<double>(bellamy::largest_natural))));
}

// Where a way expects ln size, how its errors scatter, and its posterior weight but for a factor that all ways share.
struct weighed_forecast {
    double middle = 0;
    double scatter = 0;
    double log_weight = 0;
};

// Errors are normal with an unknown variance, so that the next one is Student's; before the first, it is about a tenth.
[[nodiscard]] weighed_forecast weigh(const way& by, std::span<const double> past) {
    constexpr double first_error = 0.1;
    double squares = first_error * first_error;
    double count = 1;
    weighed_forecast made{.middle = by.forecast(past), .log_weight = std::log(by.prior)};
    for (std::size_t i = 1; i < past.size(); ++i, ++count) {
        const double error = past[i] - by.forecast(past.first(i));
        made.log_weight -= 0.5 * std::log(squares) + 0.5 * (count + 1) * std::log1p(error * error / squares);
        squares += error * error;
    }
    made.scatter = std::sqrt(squares / count);
    return made;
}

struct weighted_size {
    double log_size;
    double weight;
};

// What each way expects: sizes normal about its forecast, or the past ones.
[[nodiscard]] std::vector<weighted_size> expected_sizes(std::span<const double> past) {
    constexpr std::array<double, most_sizes> normal_quantiles{-1.465, -0.792, -0.366, 0, 0.366, 0.792, 1.465};
    std::array<weighed_forecast, ways.size()> forecasts{};
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < ways.size(); ++i) {
        forecasts[i] = weigh(ways[i], past);
        most = std::max(most, forecasts[i].log_weight);
    }
    std::vector<weighted_size> made;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const double weight = std::exp(forecasts[i].log_weight - most);
        if (ways[i].is_of_all) {
            for (const double each : past) made.push_back({each, weight / static_cast<double>(past.size())});
        } else {
            for (const double quantile : normal_quantiles)
                made.push_back({forecasts[i].middle + quantile * forecasts[i].scatter, weight / most_sizes});
        }
    }
    return made;
}

// Bayesian model average of the ways, as equally probable sizes.
[[nodiscard]] std::vector<possible_size> averaged(std::span<const double> past) {
    auto points = expected_sizes(past);
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.log_size < b.log_size; });
    double sum = 0;
    for (const auto& each : points) sum += each.weight;
    std::vector<possible_size> made;
    auto point = points.begin();
    double below = point->weight;
    for (std::size_t i = 0; i < most_sizes; ++i) {
        const double wanted = sum * static_cast<double>(2 * i + 1) / (2 * most_sizes);
        while (below < wanted && point + 1 != points.end()) below += (++point)->weight;
        made.push_back({.share = 1.0 / most_sizes, .size_mb = to_size(point->log_size)});
    }
    return made;
}

}  // namespace

std::optional<double> next_size::middle_mb() const {
    if (sizes.empty()) return std::nullopt;
    const std::size_t middle = sizes.size() / 2;
    return static_cast<double>(sizes[middle].size_mb);
}

std::optional<double> data_size(const bellamy::run& of) {
    for (const auto* list : {&of.context.essential, &of.context.optional})
        for (const auto& each : *list) {
            if (each.role != bellamy::property_role::data_size) continue;
            if (const double size = each.value.number(); !std::isnan(size)) return size;
        }
    return std::nullopt;
}

bellamy::context with_size(bellamy::context of, std::uint64_t size) {
    for (auto* list : {&of.essential, &of.optional})
        for (auto& each : *list) {
            if (each.role != bellamy::property_role::data_size) continue;
            if (each.value.quantity() != nullptr) {
                each.value = std::max(1e-9, static_cast<double>(size));
            } else {
                each.value = size;
            }
        }
    return of;
}

bool are_alike_but_for_size(const bellamy::context& one, const bellamy::context& other) {
    return with_size(one, 1) == with_size(other, 1);
}

next_size given_size(std::uint64_t size_mb) { return {.sizes = {{.size_mb = size_mb}}, .how = "given"}; }

namespace {

void require_read(const std::error_code& why, const std::filesystem::path& path) {
    if (why)
        throw tool_error("cannot_read", fmt::format("expected an input file or folder of this machine at {}, found: {}",
                                                    path.string(), why.message()));
}

// Bytes of the files at and below a path that were not counted yet; by what links lead to, so that those in a circle end.
[[nodiscard]] std::uintmax_t bytes_at(const std::filesystem::path& path, std::set<std::filesystem::path>& counted) {
    namespace fs = std::filesystem;
    std::error_code why;
    const auto led_to = fs::canonical(path, why);
    require_read(why, path);
    if (!counted.insert(led_to).second) return 0;
    std::uintmax_t bytes = 0;
    if (!fs::is_directory(led_to, why)) {
        bytes = fs::file_size(led_to, why);
        require_read(why, path);
        return bytes;
    }
    auto at = fs::directory_iterator(led_to, why);
    for (; !why && at != fs::directory_iterator(); at.increment(why)) {
        const auto name = at->path().filename().string();
        std::error_code unknown;
        const bool is_pipe_or_such = fs::is_other(at->path(), unknown);
        if (!name.starts_with('.') && !name.starts_with('_') && !is_pipe_or_such) bytes += bytes_at(at->path(), counted);
    }
    require_read(why, path);
    return bytes;
}

}  // namespace

next_size listed_size(const std::vector<std::string>& paths) {
    std::uintmax_t bytes = 0;
    std::set<std::filesystem::path> counted;  // a path may be given twice, or with a folder that holds it
    for (const auto& path : paths) bytes += bytes_at(path, counted);
    if (bytes == 0)
        throw tool_error("cannot_read",
                         fmt::format("expected input files with data in them at {}, found 0 bytes", fmt::join(paths, ", ")));
    constexpr std::uintmax_t megabyte = std::uintmax_t{1} << 20U;
    return {.sizes = {{.size_mb = static_cast<std::uint64_t>((bytes + megabyte - 1) / megabyte)}}, .how = "listed"};
}

next_size scaled_size(const next_size& files, std::vector<double> ratios) {
    std::sort(ratios.begin(), ratios.end());
    const auto count = std::min(most_sizes, ratios.size());
    next_size made{.how = fmt::format("{} MB of files, of which past runs read {:.2g} times as much",
                                      files.sizes.front().size_mb, ratios[ratios.size() / 2])};
    for (std::size_t i = 0; i < count; ++i) {
        const double ratio = ratios[(2 * i + 1) * ratios.size() / (2 * count)];
        const double size = std::clamp(ratio * static_cast<double>(files.sizes.front().size_mb), 0.0,
                                       static_cast<double>(bellamy::largest_natural));
        made.sizes.push_back(
            {.share = 1 / static_cast<double>(count), .size_mb = static_cast<std::uint64_t>(std::llround(size))});
    }
    return made;
}

next_size forecast_size(std::span<const bellamy::run> past) {
    std::vector<double> logs;
    const bool none_succeeded = std::all_of(past.begin(), past.end(), [](const auto& run) { return run.censored; });
    for (const auto& run : past) {
        if (run.censored && !none_succeeded) continue;
        if (const auto size = data_size(run)) logs.push_back(std::log(*size + 1));
    }
    if (logs.empty()) return {};
    const auto recent = std::span(logs).last(std::min(logs.size(), most_past_sizes));
    const bool is_steady = std::all_of(recent.begin(), recent.end(), [&](double each) { return each == recent.front(); });
    if (is_steady) return {.sizes = {{.size_mb = to_size(logs.back())}}, .how = "as always", .is_forecast = true};
    return {
        .sizes = averaged(recent), .how = fmt::format("forecast from {} past sizes", recent.size()), .is_forecast = true};
}

bellamy::result<bellamy::curve> bind_next(const bellamy::model& general, const bellamy::context& like,
                                          const next_size& next) {
    if (next.sizes.empty()) return general.bind(like);
    if (next.sizes.size() == 1) return general.bind(with_size(like, next.sizes.front().size_mb));
    std::vector<bellamy::curve> curves;
    curves.reserve(next.sizes.size());
    for (const auto& each : next.sizes) {
        auto bound = general.bind(with_size(like, each.size_mb));
        if (!bound) return bound.error();
        curves.push_back(*bound);
    }
    std::vector<possible_runtime> cases;
    cases.reserve(curves.size());
    for (std::size_t i = 0; i < curves.size(); ++i) cases.push_back({.runtimes = &curves[i], .share = next.sizes[i].share});
    return mixed_curve(cases);
}

}  // namespace tools
