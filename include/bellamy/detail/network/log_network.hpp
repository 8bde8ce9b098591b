// The network in log mode: it learns the logarithm of the runtime, and reads the context's numbers beside the codes.
#ifndef BELLAMY_DETAIL_NETWORK_LOG_NETWORK_HPP
#define BELLAMY_DETAIL_NETWORK_LOG_NETWORK_HPP

#include <bellamy/detail/context/features.hpp>
#include <bellamy/detail/network/network_curve.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// What a network in log mode is trained on instead of seconds: 20 ln(y / y0), so that the loss (quadratic below 1) is about
/// relative errors and turns linear at 5 %. y0 lies a factor of four below all runtimes seen: what the output layer has to
/// give is positive, where SELU is linear.
struct log_target {
    static constexpr double unit = 20;
    /// Answers stay within this factor (4, as a logarithm) of the runtimes seen.
    static constexpr double margin = 1.3862943611198906;

    double lowest_log_runtime = 0;
    double highest_log_runtime = 0;

    [[nodiscard]] double of_runtime(double runtime_s) const noexcept {
        return unit * (std::log(runtime_s) - lowest_log_runtime + margin);
    }
    /// Bounded, whatever the network says; NaN stays NaN.
    [[nodiscard]] double to_runtime_s(double output) const noexcept {
        const double most = unit * (highest_log_runtime - lowest_log_runtime + 2 * margin);
        return std::exp(std::clamp(output, 0.0, most) / unit + lowest_log_runtime - margin);
    }

    friend bool operator==(const log_target&, const log_target&) = default;
};

/// Numbers of a context for the head, in slots of as many as a code has; zeros fill the last one. The pressure, where the
/// history has it, comes first.
class number_slots {
public:
    static constexpr std::size_t per_slot = dimensions{}.code;

    explicit number_slots(const feature_map& features) noexcept : features_(features) {}

    [[nodiscard]] std::size_t slots() const noexcept { return (count() + per_slot - 1) / per_slot; }

    /// The pressure at scale-out 1. 0, the mean, where a number is not known.
    [[nodiscard]] std::vector<double> of(const context& subject) const {
        const auto found = features_(subject);
        std::vector<double> numbers;
        numbers.reserve(slots() * per_slot);
        if (features_.has_pressure())
            numbers.push_back(std::isfinite(found.pressure) ? found.pressure - features_.pressure_mean : 0.0);
        numbers.insert(numbers.end(), found.values.begin(), found.values.end());
        numbers.resize(slots() * per_slot);
        return numbers;
    }

    /// What to add to the first number at a scale-out.
    [[nodiscard]] double pressure_at(double scale_out) const noexcept { return pressure_slope() * std::log(scale_out); }
    [[nodiscard]] double pressure_slope() const noexcept {
        return features_.has_pressure() ? features_.pressure_slope() : 0.0;
    }

private:
    [[nodiscard]] std::size_t count() const noexcept {
        return features_.columns.size() + (features_.has_pressure() ? 1 : 0);
    }

    const feature_map& features_;
};

/// The network's essential codes are those of the properties, then the slots of numbers.
struct log_network {
    network<> parameters;
    feature_map features{};
    log_target target{};

    [[nodiscard]] std::size_t slots() const noexcept { return number_slots(features).slots(); }
};

/// A network in log mode with one context folded into it.
class log_network_curve {
public:
    /// Precondition: the context fits the network's schema, and `prepared` is the network's. Allocates and takes
    /// microseconds.
    log_network_curve(const log_network& source, const prepared_network& prepared, const context& subject)
        : target_(source.target), codes_(fold(source, prepared, subject)) {}

    /// Seconds. Precondition: 1 <= scale_out <= largest_valid_scale_out().
    [[nodiscard]] double operator()(int scale_out) const noexcept {
        return target_.to_runtime_s(static_cast<double>(codes_(scale_out)));
    }

    [[nodiscard]] int largest_valid_scale_out() const noexcept { return codes_.largest_valid_scale_out(); }

private:
    [[nodiscard]] static network_curve fold(const log_network& source, const prepared_network& prepared,
                                            const context& subject) {
        const number_slots slots(source.features);
        std::vector<float> numbers;
        for (const double each : slots.of(subject)) numbers.push_back(static_cast<float>(each));
        return {prepared, subject, numbers, static_cast<float>(slots.pressure_slope())};
    }

    log_target target_;
    network_curve codes_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
