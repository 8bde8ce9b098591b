// From predictions to a decision: the smallest scale-out that meets a deadline, and the whole table why.
#ifndef BELLAMY_CHOOSE_HPP
#define BELLAMY_CHOOSE_HPP

#include <bellamy/curve.hpp>
#include <bellamy/detail/message.hpp>

#include <optional>
#include <span>

namespace bellamy::inline BELLAMY_ABI {

/// Why a candidate was chosen or not.
enum class verdict : std::uint8_t {
    chosen = 0,
    larger_than_needed = 1,  // meets the deadline, but so does a smaller one
    misses_deadline = 2,
    not_usable = 3,  // the prediction is not a positive, finite runtime
};

[[nodiscard]] constexpr std::string_view to_string(verdict why) noexcept {
    constexpr std::array<std::string_view, 4> names{"chosen", "larger than needed", "misses the deadline",
                                                    "no usable prediction"};
    return names[static_cast<std::size_t>(why)];
}

/// One row of the table behind a decision.
struct assessment {
    int scale_out = 0;
    prediction predicted{};
    verdict why = verdict::not_usable;
};

enum class outcome : std::uint8_t {
    meets_deadline = 0,
    /// The choice is predicted to meet the deadline, but lies outside the scale-outs that the model has seen.
    meets_deadline_by_extrapolation = 1,
    /// No candidate is predicted to meet the deadline; the fastest one, if any is usable, is the best effort.
    infeasible = 2,
};

[[nodiscard]] constexpr std::string_view to_string(outcome kind) noexcept {
    constexpr std::array<std::string_view, 3> names{"meets the deadline", "meets the deadline by extrapolation",
                                                    "infeasible"};
    return names[static_cast<std::size_t>(kind)];
}

/// The answer: a candidate, and whether it keeps the deadline.
struct decision {
    bellamy::outcome outcome = outcome::infeasible;
    /// The chosen candidate or, when infeasible, the best effort; empty when no prediction was usable.
    std::optional<assessment> candidate{};

    [[nodiscard]] bool feasible() const noexcept { return outcome != bellamy::outcome::infeasible; }
};

/// Scale-outs first, first + step, ... up to and including last where the steps reach it.
struct scale_out_range {
    int first = 1;
    int last = 1;
    int step = 1;

    [[nodiscard]] constexpr std::size_t size() const noexcept {
        if (step < 1 || last < first) return 0;
        return static_cast<std::size_t>((static_cast<long long>(last) - first) / step) + 1;
    }
    [[nodiscard]] constexpr int operator[](std::size_t i) const noexcept { return first + static_cast<int>(i) * step; }
};

namespace detail {

[[nodiscard]] inline bool faster(const assessment& one, const std::optional<assessment>& other) noexcept {
    return !other || one.predicted.median_s < other->predicted.median_s;
}

template <class ScaleOuts>
[[nodiscard]] result<decision> choose(const curve& runtimes, const ScaleOuts& scale_outs, double deadline_s,
                                      std::span<assessment> table) noexcept {
    if (!(deadline_s > 0) || deadline_s > (std::numeric_limits<double>::max)())
        return fail(errc::invalid_deadline, "expected a finite deadline > 0 seconds, found ", deadline_s);
    if (scale_outs.size() == 0) return fail(errc::empty_candidates, "expected at least one candidate scale-out, found none");
    if (!table.empty() && table.size() < scale_outs.size())
        return fail(errc::buffer_too_small, "expected room for ", scale_outs.size(), " rows, found ", table.size());
    for (std::size_t i = 0; i < scale_outs.size(); ++i)
        if (const int x = scale_outs[i]; x < 1 || x > runtimes.largest_valid_scale_out())
            return fail(errc::invalid_scale_out, "expected scale-outs from 1 to ", runtimes.largest_valid_scale_out(),
                        ", found ", x);

    std::optional<assessment> smallest;
    std::optional<assessment> fastest;
    for (std::size_t i = 0; i < scale_outs.size(); ++i) {
        assessment row{.scale_out = scale_outs[i], .predicted = runtimes.at(scale_outs[i])};
        if (row.predicted.usable()) {
            row.why = row.predicted.median_s <= deadline_s ? verdict::larger_than_needed : verdict::misses_deadline;
            if (faster(row, fastest)) fastest = row;
            if (row.why == verdict::larger_than_needed && (!smallest || row.scale_out < smallest->scale_out)) smallest = row;
        }
        if (!table.empty()) table[i] = row;
    }
    if (!smallest) return decision{.outcome = outcome::infeasible, .candidate = fastest};

    smallest->why = verdict::chosen;
    for (std::size_t i = 0; i < scale_outs.size() && !table.empty(); ++i)
        if (table[i].scale_out == smallest->scale_out) table[i].why = verdict::chosen;
    const bool seen = !smallest->predicted.outside_seen_scale_outs;
    return decision{.outcome = seen ? outcome::meets_deadline : outcome::meets_deadline_by_extrapolation,
                    .candidate = smallest};
}

}  // namespace detail

/// The smallest of the scale-outs whose predicted runtime is at most `deadline_s`.
///
/// `table`, where given, receives one row per candidate in their order; it must have room for all of them. Allocates
/// nothing, and never executes anything. Errors: invalid_deadline, empty_candidates, invalid_scale_out, buffer_too_small.
[[nodiscard]] inline result<decision> choose(const curve& runtimes, std::span<const int> scale_outs, double deadline_s,
                                             std::span<assessment> table = {}) noexcept {
    return detail::choose(runtimes, scale_outs, deadline_s, table);
}

/// The same for a range of scale-outs.
[[nodiscard]] inline result<decision> choose(const curve& runtimes, scale_out_range scale_outs, double deadline_s,
                                             std::span<assessment> table = {}) noexcept {
    return detail::choose(runtimes, scale_outs, deadline_s, table);
}

}  // namespace bellamy::inline BELLAMY_ABI

#endif
