// Enumerates the strategies of a job by depth-first search over its tasks.
#ifndef BELLAMY_DETAIL_PLACEMENT_STRATEGIES_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_STRATEGIES_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/placement/tolerance.hpp>
#include <bellamy/placement/strategies.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// Whether list x of counts comes before y, compared as counts of all data centres: a task in an earlier one makes it
/// greater.
[[nodiscard]] inline bool counts_before(std::span<const task_count> x, std::span<const task_count> y) noexcept {
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
        if (x[i].data_centre != y[i].data_centre) return x[i].data_centre > y[i].data_centre;
        if (x[i].tasks != y[i].tasks) return x[i].tasks < y[i].tasks;
    }
    return x.size() < y.size();
}

/// Strategies by their counts: a hash table with open addressing.
class strategy_table {
public:
    explicit strategy_table(std::uint32_t tasks) : found_(tasks), slots_(64, none) {}

    [[nodiscard]] std::size_t size() const noexcept { return found_.size(); }

    /// Keeps the first placement of these counts, or one with less traffic.
    void add(std::span<const task_count> counts, double traffic, std::span<const std::uint32_t> where) {
        const std::size_t at = place_of(counts);
        if (slots_[at] != none) {
            if (better(traffic, found_.traffic(slots_[at]))) found_.replace(slots_[at], traffic, where);
            return;
        }
        slots_[at] = found_.size();
        found_.add(counts, traffic, where);
        if (2 * found_.size() > slots_.size()) grow();
    }

    /// The same for a placement of a job, whose counts and traffic follow from it.
    void add(const network& net, const job_graph& job, std::span<const std::uint32_t> where) {
        double traffic = 0;
        for (const auto& edge : job.edges()) traffic += edge.traffic * net.traffic_price(where[edge.a], where[edge.b]);
        add(counts_of(where), traffic, where);
    }

    /// Tasks per data centre. The answer holds until the next call.
    [[nodiscard]] std::span<const task_count> counts_of(std::span<const std::uint32_t> where) {
        sorted_.assign(where.begin(), where.end());
        std::sort(sorted_.begin(), sorted_.end());
        counts_.clear();
        for (const auto dc : sorted_) {
            if (counts_.empty() || counts_.back().data_centre != dc) counts_.push_back({.data_centre = dc});
            ++counts_.back().tasks;
        }
        return counts_;
    }

    [[nodiscard]] strategies finish() {
        found_.finish();
        return std::move(found_);
    }

private:
    [[nodiscard]] static std::uint64_t hash(std::span<const task_count> counts) noexcept {
        std::uint64_t hash = 0;
        for (const auto& each : counts) {
            hash = (hash ^ (std::uint64_t{each.data_centre} << 20U) ^ static_cast<std::uint64_t>(each.tasks)) *
                   0xbf58476d1ce4e5b9U;
            hash ^= hash >> 29U;
        }
        return hash;
    }
    [[nodiscard]] std::size_t place_of(std::span<const task_count> counts) const noexcept {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = static_cast<std::size_t>(hash(counts)) & mask;
        while (slots_[at] != none) {
            const auto other = found_.counts(slots_[at]);
            if (std::equal(counts.begin(), counts.end(), other.begin(), other.end())) break;
            at = (at + 1) & mask;
        }
        return at;
    }
    void grow() {
        slots_.assign(slots_.size() * 4, none);
        for (std::size_t k = 0; k < found_.size(); ++k) slots_[place_of(found_.counts(k))] = k;
    }

    strategies found_;
    std::vector<std::size_t> slots_;  // a power of two
    std::vector<std::uint32_t> sorted_;
    std::vector<task_count> counts_;
};

class enumeration {
public:
    enumeration(const network& net, std::span<const int> load, const job_graph& job, const strategy_limits& limits)
        : net_(net),
          load_(load),
          job_(job),
          limits_(limits),
          where_(job.tasks()),
          count_(net.size(), 0),
          found_(job.tasks()) {}

    [[nodiscard]] result<strategies> all() {
        for (std::uint32_t i = 0; i < net_.size(); ++i) everywhere_.push_back(i);
        if (!search()) {
            if (steps_ > limits_.steps)
                return bellamy::detail::fail(errc::too_many_strategies, "expected at most ", limits_.steps,
                                             " steps to all strategies, found more");
            return bellamy::detail::fail(errc::too_many_strategies, "expected at most ", limits_.strategies,
                                         " strategies, found more");
        }
        return found_.finish();
    }

private:
    /// A task being placed: its candidates, the next of them, and the traffic of the tasks before it.
    struct level {
        std::span<const std::uint32_t> candidates;
        std::size_t next = 0;
        double traffic = 0;
    };

    [[nodiscard]] bool search() {
        const std::size_t tasks = job_.tasks();
        if (tasks == 0) return keep(0);
        std::vector<level> levels;
        levels.reserve(tasks);
        levels.push_back({.candidates = candidates(0)});
        while (!levels.empty()) {
            auto& now = levels.back();
            const std::size_t depth = levels.size() - 1;
            const auto task = job_.order()[depth];
            if (now.next > 0) --count_[where_[task]];
            if (!advance(now, task)) {
                levels.pop_back();
                continue;
            }
            if (++steps_ > limits_.steps) return false;
            where_[task] = now.candidates[now.next++];
            ++count_[where_[task]];
            const double traffic = now.traffic + traffic_of(task);
            if (depth + 1 < tasks)
                levels.push_back({.candidates = candidates(depth + 1), .traffic = traffic});
            else if (!keep(traffic))
                return false;
        }
        return true;
    }

    [[nodiscard]] std::span<const std::uint32_t> candidates(std::size_t depth) const noexcept {
        const auto before = job_.before(job_.order()[depth]);
        return before.empty() ? std::span<const std::uint32_t>(everywhere_) : net_.neighbours(where_[before.front().task]);
    }

    /// Moves on to the next candidate that has a slot and may talk to the neighbours before.
    [[nodiscard]] bool advance(level& now, std::uint32_t task) const noexcept {
        for (; now.next < now.candidates.size(); ++now.next) {
            const auto dc = now.candidates[now.next];
            if (load_[dc] + count_[dc] >= net_[dc].slots) continue;
            const auto before = job_.before(task);
            const bool allowed = std::all_of(before.begin(), before.end(),
                                             [&](const auto& each) { return net_.may_talk(where_[each.task], dc); });
            if (allowed) return true;
        }
        // What is left behind must not be taken back again.
        now.next = 0;
        return false;
    }

    [[nodiscard]] double traffic_of(std::uint32_t task) const noexcept {
        double sum = 0;
        if (!net_.has_traffic_prices()) return sum;
        for (const auto& each : job_.before(task)) sum += each.traffic * net_.traffic_price(where_[task], where_[each.task]);
        return sum;
    }

    [[nodiscard]] bool keep(double traffic) {
        found_.add(found_.counts_of(where_), traffic, where_);
        return found_.size() <= limits_.strategies;
    }

    const network& net_;
    std::span<const int> load_;
    const job_graph& job_;
    const strategy_limits& limits_;
    std::vector<std::uint32_t> everywhere_;
    std::vector<std::uint32_t> where_;
    std::vector<int> count_;
    strategy_table found_;
    std::uint64_t steps_ = 0;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

BELLAMY_PUBLIC_INLINE void strategies::finish() {
    std::vector<std::size_t> order(size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(),
              [&](std::size_t x, std::size_t y) { return detail::counts_before(counts(x), counts(y)); });
    strategies sorted(tasks_);
    for (const std::size_t k : order) sorted.add(counts(k), traffic(k), where(k));
    *this = std::move(sorted);
}

BELLAMY_PUBLIC_INLINE result<strategies> enumerate(const network& net, const job_graph& job, const strategy_limits& limits) {
    return detail::enumeration(net, net.load(), job, limits).all();
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
