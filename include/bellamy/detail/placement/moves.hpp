// Greedy choice of strategies, and local search: one job moves, or two at once.
#ifndef BELLAMY_DETAIL_PLACEMENT_MOVES_HPP
#define BELLAMY_DETAIL_PLACEMENT_MOVES_HPP

#include <bellamy/detail/placement/problem.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// Each job in turn to its cheapest strategy; a job without room stays unplaced. Jobs that have a choice keep it.
inline void place_greedily(const problem& subject, std::span<const std::size_t> order, assignment& chosen) {
    auto costs = subject.costs();
    std::vector<double> values;
    for (const std::size_t job : order) {
        if (chosen.choice()[job] != none) continue;
        costs.fill(chosen.load());
        costs.of_all(subject.type_of(job), chosen.cost(), values);
        if (const std::size_t k = first_least(values); k != none) chosen.put(job, k);
    }
}

[[nodiscard]] inline std::vector<std::size_t> given_order(const problem& subject) {
    std::vector<std::size_t> order(subject.jobs());
    for (std::size_t job = 0; job < order.size(); ++job) order[job] = job;
    return order;
}

/// Jobs with more tasks first; equal ones in the given order.
[[nodiscard]] inline std::vector<std::size_t> largest_first(const problem& subject) {
    auto order = given_order(subject);
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        const auto of_x = subject.type_of(x).list.tasks();
        const auto of_y = subject.type_of(y).list.tasks();
        return of_x != of_y ? of_x > of_y : x < y;
    });
    return order;
}

[[nodiscard]] inline assignment greedy(const problem& subject, std::span<const std::size_t> order) {
    assignment chosen(subject);
    place_greedily(subject, order, chosen);
    return chosen;
}

class local_search {
public:
    local_search(const problem& subject, assignment& chosen)
        : problem_(subject), chosen_(chosen), costs_(subject.costs()), below_(subject.costs()) {}

    /// Never leaves more jobs unplaced, nor a higher cost.
    void run(bool with_pairs) {
        constexpr int most_rounds = 20;
        for (int round = 0; round < most_rounds; ++round) {
            bool changed = move_singles();
            if (!changed && with_pairs) changed = move_pairs();
            if (!changed) return;
        }
    }

private:
    [[nodiscard]] bool move_singles() {
        bool changed = false;
        for (std::size_t job = 0; job < problem_.jobs(); ++job) {
            const std::size_t old = chosen_.take(job);
            costs_.fill(chosen_.load());
            costs_.of_all(problem_.type_of(job), chosen_.cost(), values_);
            const std::size_t best = first_least(values_);
            const bool moves = best != none && (old == none || better(values_[best], values_[old]));
            if (moves) changed = true;
            if (const std::size_t k = moves ? best : old; k != none) chosen_.put(job, k);
        }
        return changed;
    }

    [[nodiscard]] bool move_pairs() {
        constexpr std::size_t most_pairs = 1'000'000;
        bool changed = false;
        for (std::size_t a = 0; a < problem_.jobs(); ++a)
            for (std::size_t b = a + 1; b < problem_.jobs(); ++b) {
                if (chosen_.choice()[a] == none && chosen_.choice()[b] == none) continue;
                if (problem_.type_of(a).size() * problem_.type_of(b).size() > most_pairs) continue;
                if (move_pair(a, b)) changed = true;
            }
        return changed;
    }

    [[nodiscard]] bool move_pair(std::size_t a, std::size_t b) {
        const double now = chosen_.cost();
        const std::size_t old_a = chosen_.take(a);
        const std::size_t old_b = chosen_.take(b);
        double best = infinite;
        if (old_a != none && old_b != none) best = now;
        std::size_t best_a = old_a;
        std::size_t best_b = old_b;
        bool found = false;

        const auto& of_a = problem_.type_of(a);
        const auto& of_b = problem_.type_of(b);
        const double base = chosen_.cost();
        costs_.fill(chosen_.load());
        below_.fill_below(chosen_.load());
        // Whatever a takes, b costs at least this: most of a's strategies need no look at b's.
        double least_b = infinite;
        for (std::size_t k = 0; k < of_b.size(); ++k) least_b = (std::min)(least_b, below_.of(of_b, k));
        for (std::size_t k = 0; k < of_a.size(); ++k) {
            const double with_a = base + costs_.of(of_a, k);
            if (std::isinf(with_a) || !better(with_a + least_b, best)) continue;
            for (const auto& each : of_a.list.counts(k))
                costs_.fill_row(each.data_centre, chosen_.load()[each.data_centre] + each.tasks);
            costs_.of_all(of_b, with_a, values_);
            for (const auto& each : of_a.list.counts(k)) costs_.fill_row(each.data_centre, chosen_.load()[each.data_centre]);
            const std::size_t other = first_least(values_);
            if (other == none || !better(values_[other], best)) continue;
            best = values_[other];
            best_a = k;
            best_b = other;
            found = true;
        }
        if (best_a != none) chosen_.put(a, best_a);
        if (best_b != none) chosen_.put(b, best_b);
        return found;
    }

    const problem& problem_;
    assignment& chosen_;
    added_costs costs_;
    added_costs below_;
    std::vector<double> values_;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
