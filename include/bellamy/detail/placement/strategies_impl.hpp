// Definitions of strategies.hpp: enumerates the strategies of a job by depth-first search over its tasks.
#ifndef BELLAMY_DETAIL_PLACEMENT_STRATEGIES_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_STRATEGIES_IMPL_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/placement/costs.hpp>
#include <bellamy/placement/strategies.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {
namespace detail {

/// Lexicographic order of counts over all data centres, from their sparse lists: a task in an earlier data centre makes a
/// list greater.
inline bool counts_before(std::span<const task_count> x, std::span<const task_count> y) noexcept {
    for (size_t i = 0; i < x.size() && i < y.size(); ++i) {
        if (x[i].data_centre != y[i].data_centre) return x[i].data_centre > y[i].data_centre;
        if (x[i].tasks != y[i].tasks) return x[i].tasks < y[i].tasks;
    }
    return x.size() < y.size();
}

inline std::uint64_t bits_of(int tasks) noexcept { return static_cast<std::uint64_t>(tasks); }
inline std::uint64_t bits_of(const task_count& count) noexcept {
    return (std::uint64_t{count.data_centre} << 20U) ^ bits_of(count.tasks);
}

/// Hash of a load, or of a list of counts.
std::uint64_t hash(const auto& key) noexcept {
    std::uint64_t hash = 0;
    for (const auto& part : key) {
        hash = (hash ^ bits_of(part)) * 0xbf58476d1ce4e5b9U;
        hash ^= hash >> 29U;
    }
    return hash;
}

/// Hash table with open addressing: the indices of elements that the caller stores, by their keys.
class hash_index {
public:
    /// The entry of a key among `size` elements, `key_of(i)` being their keys: an index, or none for a new key. The caller
    /// sets a new one.
    size_t& entry(const auto& key, size_t size, const auto& key_of) {
        if (2 * (size + 1) > entries_.size()) {
            entries_.assign((std::max)(size_t{64}, entries_.size() * 4), none);
            for (size_t i = 0; i < size; ++i) probe(key_of(i), key_of) = i;
        }
        return probe(key, key_of);
    }

private:
    size_t& probe(const auto& key, const auto& key_of) noexcept {
        const size_t mask = entries_.size() - 1;
        for (auto slot = static_cast<size_t>(hash(key)) & mask;; slot = (slot + 1) & mask) {
            if (entries_[slot] == none) return entries_[slot];
            const auto stored = key_of(entries_[slot]);
            if (std::equal(key.begin(), key.end(), stored.begin(), stored.end())) return entries_[slot];
        }
    }

    std::vector<size_t> entries_;  // as many as a power of two
};

/// Strategies by their counts, each with its placement of least traffic.
class strategy_table {
public:
    explicit strategy_table(std::uint32_t tasks) : list_(tasks) {}

    size_t size() const noexcept { return list_.size(); }

    /// Keeps the first placement of its counts, or a later one with less traffic.
    void add(double traffic, task_places where) {
        const auto counts = counts_of(where);
        auto& index = index_.entry(counts, size(), [&](size_t k) { return list_.counts(k); });
        if (index != none) {
            if (better(traffic, list_.traffic(index))) list_.replace(index, traffic, where);
            return;
        }
        index = list_.size();
        list_.add(counts, traffic, where);
    }

    /// The list, sorted. The last call.
    strategies finish() {
        list_.finish();
        return std::move(list_);
    }

private:
    /// Tasks per data centre. Valid until the next call.
    std::span<const task_count> counts_of(task_places where) {
        sorted_.assign(where.begin(), where.end());
        sort(sorted_);
        counts_.clear();
        for (const auto dc : sorted_) {
            if (counts_.empty() || counts_.back().data_centre != dc) counts_.push_back({.data_centre = dc});
            ++counts_.back().tasks;
        }
        return counts_;
    }

    strategies list_;
    hash_index index_;
    // Buffers of `counts_of`: data centres in order, and how many tasks each has.
    std::vector<std::uint32_t> sorted_;
    std::vector<task_count> counts_;
};

/// Depth-first search over the tasks in their order, with an explicit stack.
class enumeration {
public:
    enumeration(const network& net, std::span<const int> load, const job_graph& job, const strategy_limits& limits)
        : net_(net),
          load_(load),
          job_(job),
          limits_(limits),
          where_(job.tasks()),
          tasks_at_(net.size(), 0),
          table_(job.tasks()) {}

    result<strategies> all() {
        for (std::uint32_t i = 0; i < net_.size(); ++i) all_data_centres_.push_back(i);
        if (search()) return table_.finish();
        if (steps_ > limits_.steps)
            return fail(errc::too_many_strategies, "expected at most ", limits_.steps,
                        " steps to all strategies, found more");
        return fail(errc::too_many_strategies, "expected at most ", limits_.strategies, " strategies, found more");
    }

private:
    /// One level of the search: candidates for a task, the next of them, and the traffic cost of the tasks before it.
    struct level {
        std::span<const std::uint32_t> candidates;
        size_t next = 0;
        double traffic = 0;
    };

    bool search() {
        const size_t tasks = job_.tasks();
        if (tasks == 0) return keep(0);
        std::vector<level> levels;
        levels.reserve(tasks);
        levels.push_back({.candidates = candidates(0)});
        while (!levels.empty()) {
            auto& now = levels.back();
            const size_t depth = levels.size() - 1;
            const auto task = job_.order()[depth];
            if (now.next > 0) --tasks_at_[where_[task]];
            if (!advance(now, task)) {
                levels.pop_back();
                continue;
            }
            if (++steps_ > limits_.steps) return false;
            where_[task] = now.candidates[now.next++];
            ++tasks_at_[where_[task]];
            const double traffic = now.traffic + traffic_rate(net_, job_.neighbours_before(task), where_, where_[task]);
            if (depth + 1 < tasks)
                levels.push_back({.candidates = candidates(depth + 1), .traffic = traffic});
            else if (!keep(traffic))
                return false;
        }
        return true;
    }

    std::span<const std::uint32_t> candidates(size_t depth) const noexcept {
        const auto before = job_.neighbours_before(job_.order()[depth]);
        return before.empty() ? std::span<const std::uint32_t>(all_data_centres_)
                              : net_.neighbours(where_[before.front().task]);
    }

    /// Advances to the next candidate with a free slot that links allow; false after the last one.
    bool advance(level& now, std::uint32_t task) const noexcept {
        for (; now.next < now.candidates.size(); ++now.next) {
            const auto dc = now.candidates[now.next];
            if (load_[dc] + tasks_at_[dc] >= net_[dc].slots) continue;
            if (links_allow(net_, job_.neighbours_before(task), where_, dc)) return true;
        }
        // The search subtracts the task of a level whose next is above 0.
        now.next = 0;
        return false;
    }

    bool keep(double traffic) {
        table_.add(traffic, where_);
        return table_.size() <= limits_.strategies;
    }

    const network& net_;
    std::span<const int> load_;
    const job_graph& job_;
    const strategy_limits& limits_;
    std::vector<std::uint32_t> all_data_centres_;
    std::vector<std::uint32_t> where_;
    std::vector<int> tasks_at_;
    strategy_table table_;
    std::uint64_t steps_ = 0;
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE void strategies::finish() {
    auto order = detail::first_indices(size());
    detail::sort(order, [&](size_t x, size_t y) { return detail::counts_before(counts(x), counts(y)); });
    strategies sorted(tasks_);
    for (const size_t k : order) sorted.add(counts(k), traffic(k), where(k));
    *this = std::move(sorted);
}

BELLAMY_PUBLIC_INLINE result<strategies> enumerate(const network& net, const job_graph& job, const strategy_limits& limits) {
    return detail::enumeration(net, net.load(), job, limits).all();
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
