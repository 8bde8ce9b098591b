#include "held_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tools {

namespace {

// Probability to meet the deadline at the proposed size, were the next run's data of this size.
[[nodiscard]] double probability_with(const application_history& of, const advice& made, double size_mb) {
    const auto next = predict_next(of, {.model = made.model, .latest = made.latest}, made.like,
                                   given_size(static_cast<std::uint64_t>(std::llround(size_mb))));
    if (!next) return 0;
    const auto predicted = next->from_first_executor.at(made.proposal->scale_out);
    if (!predicted.usable()) return 0;
    const double deadline_s = made.wanted.deadline_s;
    if (made.waits_s.empty()) return predicted.probability_within(deadline_s);
    double probability = 0;
    for (const double wait_s : made.waits_s)
        if (wait_s < deadline_s) probability += predicted.probability_within(deadline_s - wait_s);
    return probability / static_cast<double>(made.waits_s.size());
}

}  // namespace

std::optional<held_sizes> sizes_held(const application_history& of, const advice& made) {
    const auto next_mb = made.size.middle_mb();
    if (!made.proposal || !next_mb || !(*next_mb >= 1)) return std::nullopt;
    held_sizes sizes{.next_mb = *next_mb};
    for (const auto& run : of.runs) sizes.largest_seen_mb = std::max(sizes.largest_seen_mb, data_size(run).value_or(0));
    const auto is_held = [&](double size_mb) { return probability_with(of, made, size_mb) >= made.wanted.probability; };
    if (!is_held(sizes.next_mb)) return sizes;
    double low = sizes.next_mb;
    double high = 2 * std::max(sizes.next_mb, sizes.largest_seen_mb);
    sizes.is_end = is_held(high);
    // Bisected to 2 %, on the safe side.
    while (!sizes.is_end && high > 1.02 * low && high > low + 1) {
        const double middle = std::sqrt(low * high);
        (is_held(middle) ? low : high) = middle;
    }
    sizes.up_to_mb = sizes.is_end ? high : low;
    return sizes;
}

std::string describe(const held_sizes& sizes, const std::string& unit) {
    if (sizes.up_to_mb <= 0)
        return fmt::format(
            "with no data size for certain: less probably than required with the {:.0f} {} that the next run "
            "most probably has",
            sizes.next_mb, unit);
    auto text =
        fmt::format("with data up to {}{:.0f} {}, {:.3g} times the {:.0f} that the next run most probably has",
                    sizes.is_end ? "at least " : "", sizes.up_to_mb, unit, sizes.up_to_mb / sizes.next_mb, sizes.next_mb);
    if (sizes.up_to_mb > sizes.largest_seen_mb) text += fmt::format("; no run had more than {:.0f}", sizes.largest_seen_mb);
    return text;
}

}  // namespace tools
