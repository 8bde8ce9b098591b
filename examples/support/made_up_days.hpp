// Made-up arrivals and prices, to start files of one's own from.
#ifndef BELLAMY_EXAMPLES_MADE_UP_DAYS_HPP
#define BELLAMY_EXAMPLES_MADE_UP_DAYS_HPP

#include <fmt/format.h>

#include <bellamy/detail/base/random.hpp>
#include <bellamy/placement/network.hpp>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace tools {

namespace detail {

/// 1 in the middle, higher in the evening and lower at night.
[[nodiscard]] inline double daily_wave(int hour) noexcept {
    return 1 + 0.4 * std::sin(2 * std::numbers::pi * (hour - 12) / 24.0);
}

[[nodiscard]] inline std::string csv_cell(const std::string& text) {
    if (text.find_first_of(",;\t\"\n\r") == text.npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace detail

/// Jobs of 2 to 6 tasks that run for 1 to 8 hours; more arrive in the evening than at night.
[[nodiscard]] inline std::string made_up_arrivals(int hours, std::uint64_t seed) {
    constexpr std::array<std::string_view, 4> shapes{"path", "star", "cycle", "complete"};
    bellamy::detail::random_generator random(seed);
    std::string text = "job,arrives_h,ends_h,tasks,shape\n";
    int job = 0;
    for (int hour = 0; hour < hours; ++hour)
        for (double expected = detail::daily_wave(hour); random.uniform() < expected; expected -= 1) {
            const auto ends_h = hour + 1 + static_cast<int>(random.below(8));
            const auto tasks = 2 + random.below(5);
            text += fmt::format("job-{},{},{},{},{}\n", job++, hour, ends_h, tasks, shapes[random.below(shapes.size())]);
        }
    return text;
}

/// The prices of the sites over a day, each in a time zone of its own.
[[nodiscard]] inline std::string made_up_prices(const std::vector<std::string>& names,
                                                const bellamy::placement::network& net) {
    std::string text = "hour";
    for (const auto& name : names) text += "," + detail::csv_cell(name);
    for (int hour = 0; hour < 24; ++hour) {
        text += fmt::format("\n{}", hour);
        for (std::size_t i = 0; i < net.size(); ++i)
            text += fmt::format(",{:.4f}", net[i].price_per_kwh * detail::daily_wave(hour + static_cast<int>(i % 24)));
    }
    return text + "\n";
}

}  // namespace tools

#endif
