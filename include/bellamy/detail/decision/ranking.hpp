// Decision core of choose, rescale and choose_variants: expected cost, checks of a request, and the order of candidates.
#ifndef BELLAMY_DETAIL_DECISION_RANKING_HPP
#define BELLAMY_DETAIL_DECISION_RANKING_HPP

#include <bellamy/prediction.hpp>
#include <bellamy/price.hpp>

#include <optional>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Expectation of a function of the runtime, by the midpoints of 16 equally likely slices of the predicted distribution.
double expectation(const prediction& runtime, const auto& function) noexcept {
    if (runtime.is_point) return function(runtime.median_s);
    constexpr int slices = 16;
    double sum = 0;
    for (int i = 0; i < slices; ++i) sum += function(runtime.quantile_s((i + 0.5) / slices));
    return sum / slices;
}

inline double expected_cost(const price& costs, int scale_out, const prediction& runtime) noexcept {
    return expectation(runtime, [&](double runtime_s) { return cost_of(costs, scale_out, runtime_s); });
}

/// Corrects expected costs of which the least is chosen. The least of many uncertain estimates is too low (the optimizer's
/// curse), so that what is below their mean, in the logarithm, is shrunk towards it: the more, the larger its variance is
/// beside the variance among them (Smith and Winkler 2006).
class cost_shrinkage {
public:
    void add(double cost) noexcept {
        const double log_cost = std::log(cost);
        if (!std::isfinite(log_cost)) return;
        ++count_;
        sum_ += log_cost;
        squares_ += log_cost * log_cost;
    }

    /// At least the cost; 90 % of the costs are at most `upper_ratio()` times their median.
    double operator()(double cost, const auto& upper_ratio) const noexcept {
        if (count_ < 2) return cost;
        const double mean = sum_ / count_;
        const double variance = squares_ / count_ - mean * mean;
        const double sd = std::log(upper_ratio()) / 1.2816;
        const double shrunk = std::exp(mean + (std::log(cost) - mean) * variance / (variance + sd * sd));
        // A variance below is that of equal costs, by rounding.
        return sd > 0 && variance > 1e-12 && shrunk > cost ? shrunk : cost;
    }

private:
    double count_ = 0;
    double sum_ = 0;
    double squares_ = 0;
};

inline bool is_finite_and_at_least_0(double value) noexcept {
    return value >= 0 && value <= (std::numeric_limits<double>::max)();
}

inline result<void> validate_deadline(double deadline_s) noexcept {
    if (deadline_s > 0 && is_finite_and_at_least_0(deadline_s)) return {};
    return fail(errc::invalid_deadline, "expected a finite deadline > 0 seconds, found ", deadline_s);
}

inline result<void> validate_required_probability(double probability) noexcept {
    if (probability > 0 && probability < 1) return {};
    return fail(errc::invalid_probability, "expected a probability between 0 and 1, found ", probability);
}

inline result<void> validate_cost_of_missing(double cost) noexcept {
    if (is_finite_and_at_least_0(cost)) return {};
    return fail(errc::invalid_price, "expected a finite cost of missing the deadline >= 0, found ", cost);
}

/// The verdict table is optional, but must hold a row for each candidate where it is given.
inline result<void> validate_table(size_t rows, size_t candidates) noexcept {
    if (rows == 0 || rows >= candidates) return {};
    return fail(errc::buffer_too_small, "expected room for ", candidates, " rows, found ", rows);
}

/// Probabilities of meeting the limit below this are hopeless and count as equal: this far out in the tail, a candidate with
/// a wide distribution would beat a faster one by its width alone.
inline constexpr double hopeless_probability = 0.01;

/// What candidates are ordered by: the value first, then the tie-break, both minimised.
struct rank {
    /// Candidates that may be chosen precede all others.
    bool feasible = false;
    /// Far from what was seen, so that the prediction tells little: these come after all that are known.
    bool passed_over = false;
    /// Of meeting the limit; the first criterion among infeasible candidates.
    double probability = 0;
    double value = 0;
    int tie_break = 0;
};

/// Best feasible candidate and best infeasible one of a sequence; of equal ones the earliest. `Row` describes a candidate.
template <class Row>
class ranking {
public:
    /// Values of feasible candidates that differ by at most this, relative to 1 + |value|, are ties.
    explicit ranking(double tolerance = 0) noexcept : tolerance_(tolerance) {}

    void add(const rank& position, Row row) noexcept {
        auto& best = position.feasible ? feasible_ : infeasible_;
        if (!best || precedes(position, best->position)) best = ranked{position, std::move(row)};
    }

    bool is_feasible() const noexcept { return feasible_.has_value(); }
    /// The best infeasible candidate (the best effort) where none is feasible; null where there is no candidate at all.
    Row* best() noexcept {
        if (feasible_) return &feasible_->row;
        return infeasible_ ? &infeasible_->row : nullptr;
    }

    /// Where none is feasible, the probability of four fifths of the likeliest's odds, which counts as much: a little more
    /// is not worth every price. 0 where there is none.
    double enough_for_best_effort() const noexcept {
        if (feasible_ || !infeasible_ || infeasible_->position.probability < hopeless_probability) return 0;
        const double odds = 0.8 * infeasible_->position.probability;
        return odds / (1 - infeasible_->position.probability + odds);
    }

private:
    struct ranked {
        rank position;
        Row row;
    };

    /// Whether a comes before b; both are feasible or both are not.
    bool precedes(const rank& a, const rank& b) const noexcept {
        if (!a.feasible) {
            const double p = a.probability < hopeless_probability ? 0 : a.probability;
            const double q = b.probability < hopeless_probability ? 0 : b.probability;
            if (p > q || q > p) return p > q;
        } else if (a.passed_over != b.passed_over) {
            return b.passed_over;
        }
        const double tolerance = a.feasible ? tolerance_ : 0;
        if (is_below(a.value, b.value, tolerance)) return true;
        return !is_below(b.value, a.value, tolerance) && a.tie_break < b.tie_break;
    }
    static bool is_below(double x, double y, double tolerance) noexcept {
        return std::isinf(y) ? x < y : x < y - tolerance * (1 + std::abs(y));
    }

    double tolerance_;
    std::optional<ranked> feasible_;
    std::optional<ranked> infeasible_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
