// One crawler: places a job task by task, asking only data centres next to where it has been.
#ifndef BELLAMY_DETAIL_PLACEMENT_WALK_HPP
#define BELLAMY_DETAIL_PLACEMENT_WALK_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/placement/room.hpp>
#include <bellamy/placement/job_graph.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

using bellamy::detail::random_generator;

struct walk_options {
    /// How strongly cheap data centres are preferred; 0 not at all.
    double beta = 16;
    /// Data centres at which the crawler asks for room.
    int starts = 2;
    /// Where to start most of the time; empty for anywhere.
    std::span<const std::uint32_t> around{};
    /// Prefers free slots to low prices: for jobs that hardly fit.
    bool roomy = false;
    bool scouts = true;
};

/// Keeps its memory between walks: nothing is allocated once the largest job has been walked.
class walker {
public:
    explicit walker(const network& net) : net_(net), count_(net.size(), 0) {
        std::size_t most = 0;
        for (std::size_t i = 0; i < net.size(); ++i) most = (std::max)(most, net.neighbours(i).size());
        candidates_.reserve(most);
        weights_.reserve(most);
    }

    /// The placement found; empty after a walk that failed, and for a job of no tasks.
    [[nodiscard]] std::span<const std::uint32_t> where() const noexcept { return where_; }

    /// False where the walk got stuck. Ends after at most five steps per task.
    [[nodiscard]] bool walk(const job_graph& job, present_load& load, random_generator& random,
                            const walk_options& options) {
        start(job);
        std::size_t budget = 4 * std::size_t{job.tasks()};
        std::size_t k = 0;
        bool stuck = false;
        while (k < job.tasks() && !stuck) {
            const auto task = job.order()[k];
            collect(job, task, k, load, random, options);
            if (!candidates_.empty()) {
                choose(job, task, k, load, random, options);
                first_left_[++k] = left_.size();
            } else if (k == 0 || budget == 0) {
                stuck = true;
            } else {
                --budget;
                go_back(job, k);
            }
        }
        for (std::size_t i = 0; i < k; ++i) count_[where_[job.order()[i]]] = 0;
        if (stuck) where_.clear();
        return !stuck;
    }

private:
    void start(const job_graph& job) {
        where_.resize(job.tasks());
        start_.assign(job.tasks(), nowhere);
        first_left_.assign(std::size_t{job.tasks()} + 1, 0);
        left_.clear();
        left_.reserve(4 * std::size_t{job.tasks()});  // one for each step back
    }

    /// Takes back the task before, which must not go there again.
    void go_back(const job_graph& job, std::size_t& k) {
        left_.resize(first_left_[k]);
        start_[k] = nowhere;
        --k;
        const auto dc = where_[job.order()[k]];
        --count_[dc];
        left_.push_back(dc);
    }

    void collect(const job_graph& job, std::uint32_t task, std::size_t k, present_load& load, random_generator& random,
                 const walk_options& options) {
        candidates_.clear();
        const auto before = job.before(task);
        if (before.empty() && start_[k] == nowhere)
            start_[k] = start_at(static_cast<int>(job.tasks() - k), load, random, options);
        if (before.empty() && start_[k] == nowhere) return;
        const auto left = left_.begin() + static_cast<std::ptrdiff_t>(first_left_[k]);
        for (const auto dc : net_.neighbours(before.empty() ? start_[k] : where_[before.front().task])) {
            if (load[dc] + count_[dc] >= net_[dc].slots) continue;
            if (std::find(left, left_.end(), dc) != left_.end()) continue;
            bool allowed = true;
            for (std::size_t i = 1; i < before.size() && allowed; ++i) allowed = net_.may_talk(where_[before[i].task], dc);
            if (allowed) candidates_.push_back(dc);
        }
    }

    /// The data centre in whose neighbourhood a component starts; nowhere in a network without any.
    [[nodiscard]] std::uint32_t start_at(int wanted, present_load& load, random_generator& random,
                                         const walk_options& options) {
        if (net_.size() == 0) return nowhere;
        starts_.clear();
        if (!options.around.empty() && random.uniform() < 0.75) {
            starts_.push_back(options.around[random.below(options.around.size())]);
        } else {
            for (int i = 0; i < options.starts; ++i)
                starts_.push_back(static_cast<std::uint32_t>(random.below(net_.size())));
        }
        if (!options.scouts) return starts_.front();
        std::uint32_t best = nowhere;
        present_load::room of_best{};
        for (const auto from : starts_) {
            const auto at = load.scout(from, wanted);
            const auto room = load.room_at(at, wanted);
            const bool same = !room.less_than(of_best) && !of_best.less_than(room);
            if (best == nowhere || room.less_than(of_best) || (same && at < best)) best = at, of_best = room;
        }
        return best;
    }

    void choose(const job_graph& job, std::uint32_t task, std::size_t k, const present_load& load, random_generator& random,
                const walk_options& options) {
        std::size_t chosen = 0;
        if (candidates_.size() > 1) {
            weigh(job, task, k, load, options);
            double sum = 0;
            for (const double each : weights_) sum += each;
            double left = random.uniform() * sum;
            while (chosen + 1 < weights_.size() && !((left -= weights_[chosen]) < 0)) ++chosen;
        }
        where_[task] = candidates_[chosen];
        ++count_[candidates_[chosen]];
    }

    void weigh(const job_graph& job, std::uint32_t task, std::size_t k, const present_load& load,
               const walk_options& options) {
        weights_.resize(candidates_.size());
        if (options.roomy) {
            for (std::size_t i = 0; i < weights_.size(); ++i) {
                const auto dc = candidates_[i];
                const double free = net_[dc].slots - load[dc] - count_[dc];
                weights_[i] = free * free;
            }
            return;
        }
        double least = infinite;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            const auto dc = candidates_[i];
            weights_[i] = net_.price(dc, load[dc] + count_[dc], static_cast<int>(job.tasks() - k)) + traffic(job, task, dc);
            least = (std::min)(least, weights_[i]);
        }
        // The least summand keeps prices of 0 apart from nothing.
        for (double& each : weights_) each = std::pow((least + 1e-300) / (each + 1e-300), options.beta);
    }

    [[nodiscard]] double traffic(const job_graph& job, std::uint32_t task, std::uint32_t dc) const noexcept {
        double sum = 0;
        if (!net_.has_traffic_prices()) return sum;
        for (const auto& each : job.before(task))
            if (where_[each.task] != dc) sum += each.traffic * net_.traffic_price(dc, where_[each.task]);
        return sum;
    }

    static constexpr std::uint32_t nowhere = static_cast<std::uint32_t>(-1);

    const network& net_;
    std::vector<std::uint32_t> where_;
    std::vector<int> count_;  // of the job, per data centre; all 0 between walks
    std::vector<std::uint32_t> start_;
    // Data centres that the tasks up to the present one have left: those of the k-th from first_left_[k] on.
    std::vector<std::uint32_t> left_;
    std::vector<std::size_t> first_left_;
    std::vector<std::uint32_t> candidates_;
    std::vector<double> weights_;
    std::vector<std::uint32_t> starts_;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
