#include "mixed_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace tools {

namespace {

using bellamy::log_runtime_quantiles;

// A case's distribution at one scale-out.
struct weighted_quantiles {
    log_runtime_quantiles log_quantiles{};
    double share = 0;
};

[[nodiscard]] weighted_quantiles quantiles_of(const possible_runtime& possible, const bellamy::prediction& predicted) {
    weighted_quantiles made{.log_quantiles = predicted.log_quantiles, .share = possible.share};
    for (double& each : made.log_quantiles) {
        each += possible.log_factor;
        if (possible.least_s > 0) each = std::max(each, std::log(possible.least_s));
        if (possible.delay_s > 0) each = std::log(std::exp(each) + possible.delay_s);
    }
    return made;
}

// The standard normal quantile of the probability of at most this runtime: nearly linear in it.
[[nodiscard]] double z_score_of(const std::vector<weighted_quantiles>& parts, double log_runtime) {
    constexpr double least = 1e-12;
    double probability = 0;
    for (const auto& part : parts)
        probability +=
            part.share * bellamy::detail::normal_cdf(bellamy::detail::z_score_at(part.log_quantiles, log_runtime));
    return bellamy::detail::normal_quantile(std::clamp(probability, least, 1 - least));
}

// The parts' quantile, averaged.
[[nodiscard]] double mean_quantile(const std::vector<weighted_quantiles>& parts, std::size_t q) {
    double mean = 0;
    for (const auto& part : parts) mean += part.share * part.log_quantiles[q];
    return mean;
}

// Where the distribution function reaches a standard normal quantile, between the least and the largest of the parts:
// secants from the parts' mean, and bisection where one leaves the bracket or three do not halve it.
[[nodiscard]] double quantile_of(const std::vector<weighted_quantiles>& parts, std::size_t q) {
    constexpr double precision = 1e-6;
    const auto& z = bellamy::detail::standard_normal_quantiles;
    double low = parts.front().log_quantiles[q];
    double high = low;
    for (const auto& part : parts) {
        low = std::min(low, part.log_quantiles[q]);
        high = std::max(high, part.log_quantiles[q]);
    }
    double guess = mean_quantile(parts, q);
    const std::size_t other = q > 0 ? q - 1 : 1;
    double slope = (z[q] - z[other]) / (guess - mean_quantile(parts, other));
    double error = z_score_of(parts, guess) - z[q];
    double width = high - low;
    for (int step = 0; step < 96 && std::abs(error) >= precision && high - low > precision; ++step) {
        (error < 0 ? low : high) = guess;
        double next = guess - error / slope;
        // Beside a point mass secants may creep.
        const bool creeps = step % 3 == 2 && high - low > 0.5 * width;
        if (step % 3 == 2) width = high - low;
        if (creeps || !(next > low && next < high)) next = 0.5 * (low + high);
        const double next_error = z_score_of(parts, next) - z[q];
        slope = (next_error - error) / (next - guess);
        guess = next;
        error = next_error;
    }
    return guess;
}

[[nodiscard]] log_runtime_quantiles mixed(const std::vector<weighted_quantiles>& parts) {
    if (parts.size() == 1) return parts.front().log_quantiles;
    log_runtime_quantiles made{};
    for (std::size_t q = 0; q < made.size(); ++q) {
        made[q] = quantile_of(parts, q);
        if (q > 0) made[q] = std::max(made[q], made[q - 1]);
    }
    return made;
}

// A mixture at some scale-outs, interpolated in ln scale-out between them: small enough for a curve to hold.
struct mixture_knots {
    static constexpr std::size_t most = 40;
    std::array<double, most> log_scale_out{};
    std::array<bellamy::log_runtime_quantiles, most> quantiles{};
    std::size_t count = 0;
    double log_least_s = -std::numeric_limits<double>::infinity();
    int last_gain = bellamy::largest_scale_out;
    bool unlike_any_seen = false;
    bool outside_seen_sizes = false;
    bool contradictory = false;

    [[nodiscard]] bellamy::log_runtime_quantiles at(int scale_out) const noexcept {
        const double x = std::log(static_cast<double>(scale_out));
        const auto* const begin = log_scale_out.data();
        const auto above = static_cast<std::size_t>(std::upper_bound(begin, begin + count, x) - begin);
        const std::size_t right = std::min(std::max(above, std::size_t{1}), count - 1);
        const double share = (x - log_scale_out[right - 1]) / (log_scale_out[right] - log_scale_out[right - 1]);
        bellamy::log_runtime_quantiles made{};
        for (std::size_t q = 0; q < made.size(); ++q)
            made[q] =
                std::max(log_least_s, quantiles[right - 1][q] + share * (quantiles[right][q] - quantiles[right - 1][q]));
        return made;
    }
    [[nodiscard]] bellamy::prediction operator()(int scale_out) const noexcept {
        bellamy::prediction made{.is_point = false, .log_quantiles = at(scale_out)};
        if (scale_out > last_gain) {
            const auto there = at(last_gain);
            for (std::size_t q = 0; q < there.size(); ++q) made.log_quantiles[q] = std::max(made.log_quantiles[q], there[q]);
        }
        made.median_s = std::exp(made.log_quantiles[made.log_quantiles.size() / 2]);
        made.unlike_any_seen_context = unlike_any_seen;
        made.outside_seen_data_sizes = outside_seen_sizes;
        made.contradictory_observed_runs = contradictory;
        return made;
    }
};
static_assert(sizeof(mixture_knots) <= bellamy::curve::capacity_bytes);

[[nodiscard]] bellamy::scale_out_interval seen_by(std::span<const possible_runtime> cases) {
    auto seen = cases.front().runtimes->seen_scale_outs();
    for (const auto& possible : cases) {
        const auto other = possible.runtimes->seen_scale_outs();
        seen.smallest = std::min(seen.smallest, other.smallest);
        seen.largest = std::max(seen.largest, other.largest);
    }
    return seen;
}

}  // namespace

bellamy::curve mixed_curve(std::span<const possible_runtime> cases) {
    const auto& first = cases.front();
    const bool gains_everywhere = first.last_gain >= bellamy::largest_scale_out;
    if (cases.size() == 1 && first.log_factor == 0 && first.delay_s == 0 && first.least_s == 0 && gains_everywhere)
        return *first.runtimes;
    mixture_knots made;
    auto observed = std::numeric_limits<std::uint32_t>::max();
    double unlike_share = 0;
    double outside_share = 0;
    for (const auto& possible : cases) {
        observed = std::min(observed, possible.runtimes->observed_runs());
        const auto predicted = possible.runtimes->at(possible.runtimes->seen_scale_outs().largest);
        if (predicted.unlike_any_seen_context) unlike_share += possible.share;
        if (predicted.outside_seen_data_sizes) outside_share += possible.share;
    }
    made.unlike_any_seen = unlike_share > 0.5;
    made.outside_seen_sizes = outside_share > 0.5;
    // Bounds hold beyond the last knot, too.
    if (cases.size() == 1) {
        made.last_gain = first.last_gain;
        if (first.least_s > 0) made.log_least_s = std::log(first.least_s + first.delay_s);
    }
    for (int x = 1; made.count < mixture_knots::most && x <= bellamy::largest_scale_out; x += x < 16 ? 1 : x / 8) {
        std::vector<weighted_quantiles> parts;
        parts.reserve(cases.size());
        for (const auto& possible : cases) {
            const auto predicted = possible.runtimes->at(x);
            if (!predicted.usable() || predicted.is_point) return *cases[cases.size() / 2].runtimes;
            parts.push_back(quantiles_of(possible, predicted));
            made.contradictory = made.contradictory || predicted.contradictory_observed_runs;
        }
        made.log_scale_out[made.count] = std::log(static_cast<double>(x));
        made.quantiles[made.count++] = mixed(parts);
    }
    return bellamy::curve(made, seen_by(cases), observed);
}

bellamy::prediction possibly_scaled(bellamy::prediction predicted, double factor) {
    if (predicted.is_point || !predicted.usable() || factor == 1) return predicted;
    const auto part = [&](double log_factor) { return quantiles_of({.share = 0.5, .log_factor = log_factor}, predicted); };
    predicted.log_quantiles = mixed({part(0), part(std::log(factor))});
    predicted.median_s = std::exp(predicted.log_quantiles[predicted.log_quantiles.size() / 2]);
    return predicted;
}

}  // namespace tools
