// Crawler: places one job task by task in a random walk that queries only data centres next to those it has visited.
#ifndef BELLAMY_DETAIL_PLACEMENT_WALK_HPP
#define BELLAMY_DETAIL_PLACEMENT_WALK_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/placement/costs.hpp>
#include <bellamy/detail/placement/free_slots.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement::detail {

struct walk_options {
    /// Exponent of the preference for cheap data centres; 0 draws uniformly.
    double beta = 16;
    /// Random data centres from which a start is sought.
    int starts = 2;
    /// Data centres from which three of four starts are sought; empty for any.
    std::span<const std::uint32_t> preferred_starts{};
    /// Prefers free slots to low prices, for jobs that hardly fit.
    bool prefers_free_slots = false;
    /// Whether a start moves on to where more and cheaper slots are free.
    bool improves_starts = true;
};

/// Reuses its memory: allocates nothing once the largest job has been walked.
class walker {
public:
    explicit walker(const network& net) : net_(net), tasks_at_(net.size(), 0) {
        candidates_.reserve(most_neighbours(net));
        weights_.reserve(most_neighbours(net));
    }

    /// The data centre of each task; empty after a walk that failed, and for a job of no tasks.
    task_places where() const noexcept { return where_; }

    /// Depth-first with backtracking, at most five steps per task; false where that ends without a placement.
    bool walk(const job_graph& job, present_load& load, random_generator& random, const walk_options& options) {
        reset(job);
        size_t steps_back = 4 * size_t{job.tasks()};
        size_t k = 0;  // position in the order of tasks
        bool stuck = false;
        while (k < job.tasks() && !stuck) {
            const auto task = job.order()[k];
            collect_candidates(job, k, load, random, options);
            if (!candidates_.empty()) {
                where_[task] = draw(job, k, load, random, options);
                ++tasks_at_[where_[task]];
                first_excluded_[++k] = excluded_.size();
            } else if (k == 0 || steps_back == 0) {
                stuck = true;
            } else {
                --steps_back;
                backtrack(job.order()[k - 1], k);
                --k;
            }
        }
        for (size_t i = 0; i < k; ++i) tasks_at_[where_[job.order()[i]]] = 0;
        if (stuck) where_.clear();
        return !stuck;
    }

private:
    void reset(const job_graph& job) {
        where_.resize(job.tasks());
        start_.assign(job.tasks(), no_start);
        first_excluded_.assign(size_t{job.tasks()} + 1, 0);
        excluded_.clear();
        excluded_.reserve(4 * size_t{job.tasks()});  // one for each step back
    }

    /// Takes back the task before position k, and excludes its data centre for it.
    void backtrack(std::uint32_t task, size_t k) {
        excluded_.resize(first_excluded_[k]);
        start_[k] = no_start;
        --tasks_at_[where_[task]];
        excluded_.push_back(where_[task]);
    }

    /// Data centres with a free slot that links allow for the k-th task.
    void collect_candidates(const job_graph& job, size_t k, present_load& load, random_generator& random,
                            const walk_options& options) {
        candidates_.clear();
        const auto before = job.neighbours_before(job.order()[k]);
        if (before.empty() && start_[k] == no_start) {
            start_[k] = find_start(static_cast<int>(job.tasks() - k), load, random, options);
            if (start_[k] == no_start) return;
        }
        const auto excluded = std::span(excluded_).subspan(first_excluded_[k]);
        // The links of the first neighbour are in the list already.
        const auto remaining = before.empty() ? before : before.subspan(1);
        for (const auto dc : net_.neighbours(before.empty() ? start_[k] : where_[before.front().task])) {
            if (load[dc] + tasks_at_[dc] >= net_[dc].slots || contains(excluded, dc)) continue;
            if (links_allow(net_, remaining, where_, dc)) candidates_.push_back(dc);
        }
    }

    /// The data centre around which a component of the job starts; none in a network without any.
    std::uint32_t find_start(int wanted, present_load& load, random_generator& random, const walk_options& options) {
        if (net_.size() == 0) return no_start;
        possible_starts_.clear();
        if (!options.preferred_starts.empty() && random.uniform() < 0.75) {
            possible_starts_.push_back(options.preferred_starts[random.below(options.preferred_starts.size())]);
        } else {
            for (int i = 0; i < options.starts; ++i)
                possible_starts_.push_back(static_cast<std::uint32_t>(random.below(net_.size())));
        }
        if (!options.improves_starts) return possible_starts_.front();
        std::uint32_t best = no_start;
        present_load::capacity best_capacity{};
        for (const auto start : possible_starts_) {
            const auto dc = load.better_start(start, wanted);
            const auto capacity = load.capacity_around(dc, wanted);
            if (best == no_start || std::pair(capacity, dc) < std::pair(best_capacity, best))
                best = dc, best_capacity = capacity;
        }
        return best;
    }

    /// Draws the data centre of the k-th task among the candidates, by their weights; a single one costs no random number.
    std::uint32_t draw(const job_graph& job, size_t k, const present_load& load, random_generator& random,
                       const walk_options& options) {
        if (candidates_.size() == 1) return candidates_.front();
        weigh(job, k, load, options);
        return candidates_[random.index(weights_, sum_of(weights_))];
    }

    /// Weights (least price / price)^beta or, where free slots are preferred, their squared number.
    void weigh(const job_graph& job, size_t k, const present_load& load, const walk_options& options) {
        weights_.resize(candidates_.size());
        if (options.prefers_free_slots) {
            for (size_t i = 0; i < weights_.size(); ++i) {
                const double free = net_[candidates_[i]].slots - load[candidates_[i]] - tasks_at_[candidates_[i]];
                weights_[i] = free * free;
            }
            return;
        }
        double least = infinite;
        for (size_t i = 0; i < weights_.size(); ++i) {
            const auto dc = candidates_[i];
            weights_[i] = net_.price(dc, load[dc] + tasks_at_[dc], static_cast<int>(job.tasks() - k)) +
                          traffic_rate(net_, job.neighbours_before(job.order()[k]), where_, dc);
            least = (std::min)(least, weights_[i]);
        }
        // 1e-300 avoids 0 / 0 for prices of 0.
        for (double& weight : weights_) weight = std::pow((least + 1e-300) / (weight + 1e-300), options.beta);
    }

    static constexpr std::uint32_t no_start = static_cast<std::uint32_t>(-1);

    const network& net_;
    std::vector<std::uint32_t> where_;
    std::vector<int> tasks_at_;         // tasks of the job per data centre; all 0 between walks
    std::vector<std::uint32_t> start_;  // per position: where its component starts
    // Data centres that backtracking excludes: for position k from first_excluded_[k] on.
    std::vector<std::uint32_t> excluded_;
    std::vector<size_t> first_excluded_;
    std::vector<std::uint32_t> candidates_;
    std::vector<double> weights_;
    // Of which `find_start` takes one, or the best that steepest descent reaches from them.
    std::vector<std::uint32_t> possible_starts_;
};

}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
