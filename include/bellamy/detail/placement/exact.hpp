// Dynamic programming over loads: the plan with the fewest unplaced jobs and, among those, the least cost.
#ifndef BELLAMY_DETAIL_PLACEMENT_EXACT_HPP
#define BELLAMY_DETAIL_PLACEMENT_EXACT_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/placement/problem.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

class exact_search {
public:
    exact_search(const problem& subject, const assignment& incumbent, std::size_t most_states)
        : problem_(subject),
          incumbent_(incumbent),
          most_states_(most_states),
          most_unplaced_(incumbent.unplaced()),
          upper_(incumbent.cost()) {
        for (std::size_t job = 0; job < subject.jobs(); ++job) order_.push_back(job);
        // Ties by job, so that every sort gives the same order.
        std::sort(order_.begin(), order_.end(), [&](std::size_t x, std::size_t y) {
            const std::size_t of_x = subject.type_of(x).size();
            const std::size_t of_y = subject.type_of(y).size();
            return of_x != of_y ? of_x > of_y : x < y;
        });
    }

    [[nodiscard]] result<assignment> best() {
        layers_.emplace_back();
        const auto start = problem_.net.load();
        layers_.back().add(start, {});
        for (std::size_t depth = 0; depth < order_.size(); ++depth)
            if (!expand(depth))
                return bellamy::detail::fail(errc::search_too_large, "expected at most ", most_states_,
                                             " loads to be searched, found more at job ", order_[depth]);
        return trace_back();
    }

private:
    /// The best way to a load: fewest unplaced jobs, then least traffic.
    struct label {
        std::size_t unplaced = 0;
        double traffic = 0;
        std::size_t parent = none;
        std::size_t strategy = none;
    };

    /// Labels of the loads after as many jobs, by load.
    class layer {
    public:
        [[nodiscard]] std::size_t size() const noexcept { return labels_.size(); }
        [[nodiscard]] const label& operator[](std::size_t i) const noexcept { return labels_[i]; }
        [[nodiscard]] std::span<const int> load(std::size_t i) const noexcept {
            return std::span(loads_).subspan(i * width_, width_);
        }
        void add(std::span<const int> load, const label& one) {
            width_ = load.size();
            if (2 * (size() + 1) > slots_.size()) grow();
            const std::size_t at = place_of(load);
            if (slots_[at] == none) {
                slots_[at] = size();
                labels_.push_back(one);
                loads_.insert(loads_.end(), load.begin(), load.end());
                return;
            }
            auto& old = labels_[slots_[at]];
            if (one.unplaced < old.unplaced || (one.unplaced == old.unplaced && better(one.traffic, old.traffic))) old = one;
        }
        /// Only the labels are needed to trace back.
        void forget_loads() noexcept {
            loads_ = {};
            slots_ = {};
        }

    private:
        [[nodiscard]] std::size_t place_of(std::span<const int> load) const noexcept {
            std::uint64_t hash = 0;
            for (const int each : load) {
                hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x94d049bb133111ebU;
                hash ^= hash >> 31U;
            }
            const std::size_t mask = slots_.size() - 1;
            std::size_t at = static_cast<std::size_t>(hash) & mask;
            while (slots_[at] != none) {
                const auto other = this->load(slots_[at]);
                if (std::equal(load.begin(), load.end(), other.begin())) break;
                at = (at + 1) & mask;
            }
            return at;
        }
        void grow() {
            slots_.assign((std::max)(std::size_t{64}, slots_.size() * 4), none);
            for (std::size_t i = 0; i < size(); ++i) slots_[place_of(load(i))] = i;
        }

        std::vector<label> labels_;
        std::vector<int> loads_;
        std::vector<std::size_t> slots_;
        std::size_t width_ = 0;
    };

    [[nodiscard]] bool expand(std::size_t depth) {
        layers_.emplace_back();
        const std::size_t job = order_[depth];
        const auto& type = problem_.type_of(job);
        std::vector<double> slopes(problem_.net.size());
        std::vector<int> load(problem_.net.size());
        for (std::size_t i = 0; i < layers_[depth].size(); ++i) {
            const label from = layers_[depth][i];
            const auto start = layers_[depth].load(i);
            std::copy(start.begin(), start.end(), load.begin());
            const double rest = least_rest(depth + 1, load, slopes);
            if (!promising(from, rest + least_of(type, slopes), load)) continue;
            for (std::size_t k = 0; k < type.size(); ++k) {
                if (!fits(type, k, load)) continue;
                change(type, k, load, 1);
                const label next{
                    .unplaced = from.unplaced, .traffic = from.traffic + type.list.traffic(k), .parent = i, .strategy = k};
                if (promising(next, rest, load)) layers_.back().add(load, next);
                change(type, k, load, -1);
            }
            if (from.unplaced < most_unplaced_)
                layers_.back().add(load, {.unplaced = from.unplaced + 1, .traffic = from.traffic, .parent = i});
            if ((states_ + layers_.back().size()) > most_states_) return false;
        }
        states_ += layers_.back().size();
        layers_[depth].forget_loads();
        return true;
    }

    /// What the jobs to come cost at least, by the slopes of the convex costs, which only grow with the load.
    [[nodiscard]] double least_rest(std::size_t depth, std::span<const int> load, std::vector<double>& slopes) const {
        for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = problem_.net.convex_slope(i, load[i]);
        std::vector<double> of_type(problem_.types.size(), infinite);
        double sum = 0;
        for (std::size_t at = depth; at < order_.size(); ++at) {
            const std::size_t type = problem_.type_of_job[order_[at]];
            if (std::isinf(of_type[type])) of_type[type] = least_of(problem_.types[type], slopes);
            sum += of_type[type];
        }
        return sum;
    }
    [[nodiscard]] static double least_of(const job_type& type, std::span<const double> slopes) noexcept {
        double least = infinite;
        for (std::size_t k = 0; k < type.size(); ++k) {
            double sum = type.list.traffic(k);
            for (const auto& each : type.list.counts(k)) sum += slopes[each.data_centre] * each.tasks;
            least = (std::min)(least, sum);
        }
        return least;
    }
    /// Whether a label can still lead to something better than the best known plan.
    [[nodiscard]] bool promising(const label& one, double rest, std::span<const int> load) const noexcept {
        if (one.unplaced != most_unplaced_) return one.unplaced < most_unplaced_;
        double sum = one.traffic + rest;
        for (std::size_t i = 0; i < load.size(); ++i) sum += problem_.net.convex_cost_at(i, load[i]);
        return sum <= upper_ + tolerance(upper_);
    }
    [[nodiscard]] bool fits(const job_type& type, std::size_t k, std::span<const int> load) const noexcept {
        const auto counts = type.list.counts(k);
        return std::all_of(counts.begin(), counts.end(), [&](const task_count& each) {
            return load[each.data_centre] + each.tasks <= problem_.net[each.data_centre].slots;
        });
    }
    static void change(const job_type& type, std::size_t k, std::span<int> load, int sign) noexcept {
        for (const auto& each : type.list.counts(k)) load[each.data_centre] += sign * each.tasks;
    }

    [[nodiscard]] assignment trace_back() const {
        const auto& last = layers_.back();
        std::size_t best = none;
        double least = infinite;
        for (std::size_t i = 0; i < last.size(); ++i) {
            const double cost = problem_.net.cost_rate(last.load(i)) + last[i].traffic;
            const bool fewer = best != none && last[i].unplaced < last[best].unplaced;
            if (best == none || fewer || (last[i].unplaced == last[best].unplaced && better(cost, least))) {
                best = i;
                least = cost;
            }
        }
        if (best == none) return incumbent_;
        assignment found(problem_);
        for (std::size_t depth = order_.size(); depth > 0; --depth) {
            const auto& one = layers_[depth][best];
            if (one.strategy != none) found.put(order_[depth - 1], one.strategy);
            best = one.parent;
        }
        return found.better_than(incumbent_) ? found : incumbent_;
    }

    const problem& problem_;
    const assignment& incumbent_;
    std::size_t most_states_;
    std::size_t most_unplaced_;
    double upper_;
    std::vector<std::size_t> order_;
    std::vector<layer> layers_;
    std::size_t states_ = 0;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
