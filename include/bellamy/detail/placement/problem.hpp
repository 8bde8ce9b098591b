// Jobs with all their strategies, one of which is assigned to each: greedy assignment, rounding and local search.
#ifndef BELLAMY_DETAIL_PLACEMENT_PROBLEM_HPP
#define BELLAMY_DETAIL_PLACEMENT_PROBLEM_HPP

#include <bellamy/detail/placement/costs.hpp>
#include <bellamy/placement/plan.hpp>
#include <bellamy/placement/strategies.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement::detail {

/// Equal jobs and their common list of strategies. `cells` are the positions of its counts in a table of added costs.
struct job_type {
    struct priced_strategy {
        size_t strategy = none;
        double cost = infinite;
    };

    explicit job_type(strategies all) : list(std::move(all)) {}

    strategies list;
    std::vector<size_t> jobs;
    std::vector<std::uint32_t> cells;
    std::vector<size_t> first_cell{0};

    /// Number of strategies, not of jobs.
    size_t size() const noexcept { return list.size(); }
    /// Cost of a strategy at a price per slot of each data centre, traffic included.
    double cost_at(std::span<const double> prices, size_t k) const noexcept {
        double sum = list.traffic(k);
        for (const auto& count : list.counts(k)) sum += prices[count.data_centre] * count.tasks;
        return sum;
    }
    /// The first strategy of least cost; none where the list is empty.
    priced_strategy cheapest_at(std::span<const double> prices) const noexcept {
        priced_strategy best;
        for (size_t k = 0; k < size(); ++k)
            if (const double cost = cost_at(prices, k); cost < best.cost) best = {k, cost};
        return best;
    }
};

inline bool fits(const network& net, std::span<const task_count> counts, std::span<const int> load) noexcept {
    return all_of(counts, [&](const task_count& count) {
        return load[count.data_centre] + count.tasks <= net[count.data_centre].slots;
    });
}

/// Adds the counts to the load (sign 1), or takes them off (sign -1).
inline void add_counts(std::span<const task_count> counts, int sign, std::span<int> load) noexcept {
    for (const auto& count : counts) load[count.data_centre] += sign * count.tasks;
}

/// Table of the added cost of c more tasks at a load, for every data centre and c; infinite beyond the slots.
class added_costs {
public:
    added_costs(const network& net, size_t width) : net_(net), width_(width), cells_(net.size() * width) {}

    void fill(std::span<const int> load) noexcept {
        for (size_t i = 0; i < net_.size(); ++i) fill_row(i, load[i]);
    }
    void fill_row(size_t dc, int load) noexcept { write_row(dc, load, net_.cost(dc, load)); }
    /// Without the switch-on cost: convex in the load, and a lower bound of the added cost.
    void fill_lower_bounds(std::span<const int> load) noexcept {
        for (size_t i = 0; i < net_.size(); ++i) {
            const auto& site = net_[i];
            const double switch_on = load[i] == 0 ? site.price_per_kwh * site.pue * site.switch_on_kw : 0;
            write_row(i, load[i], net_.cost(i, load[i]) + switch_on);
            cells_[i * width_] = 0;
        }
    }
    /// Added cost of a strategy, traffic included.
    double cost(const job_type& type, size_t k) const noexcept {
        double sum = type.list.traffic(k);
        for (size_t i = type.first_cell[k]; i < type.first_cell[k + 1]; ++i) sum += cells_[type.cells[i]];
        return sum;
    }
    /// `base` plus the added cost of each strategy.
    void write_costs(const job_type& type, double base, std::vector<double>& values) const {
        values.resize(type.size());
        for (size_t k = 0; k < values.size(); ++k) values[k] = base + cost(type, k);
    }

private:
    void write_row(size_t dc, int load, double present_cost) noexcept {
        const auto costs = net_.costs(dc).subspan(static_cast<size_t>(load));
        for (size_t c = 0; c < width_; ++c) cells_[dc * width_ + c] = c < costs.size() ? costs[c] - present_cost : infinite;
    }

    const network& net_;
    size_t width_;
    std::vector<double> cells_;
};

struct problem {
    const network& net;
    std::vector<job_type> types;
    std::vector<size_t> type_of_job;
    size_t width = 1;  // of a row of added costs

    const job_type& type_of(size_t job) const noexcept { return types[type_of_job[job]]; }
    size_t jobs() const noexcept { return type_of_job.size(); }
    added_costs costs() const { return {net, width}; }
};

inline void index_cells(problem& instance) {
    for (const auto& type : instance.types)
        for (size_t k = 0; k < type.size(); ++k)
            for (const auto& count : type.list.counts(k))
                instance.width = (std::max)(instance.width, static_cast<size_t>(count.tasks) + 1);
    for (auto& type : instance.types)
        for (size_t k = 0; k < type.size(); ++k) {
            for (const auto& count : type.list.counts(k))
                type.cells.push_back(
                    static_cast<std::uint32_t>(count.data_centre * instance.width + static_cast<size_t>(count.tasks)));
            type.first_cell.push_back(type.cells.size());
        }
}

/// Groups equal jobs into types, in order of first appearance; `list_strategies(job)` gives the strategies of a new type.
result<problem> make_problem(const network& net, std::span<const job_graph> jobs, const auto& list_strategies) {
    problem instance{.net = net, .types = {}, .type_of_job = {}};
    for (size_t job = 0; job < jobs.size(); ++job) {
        size_t type = 0;
        while (type < instance.types.size() && !(jobs[instance.types[type].jobs.front()] == jobs[job])) ++type;
        if (type == instance.types.size()) {
            result<strategies> list = list_strategies(job);
            if (!list) return list.error();
            instance.types.emplace_back(*std::move(list));
        }
        instance.types[type].jobs.push_back(job);
        instance.type_of_job.push_back(type);
    }
    index_cells(instance);
    return instance;
}

inline result<problem> enumerate_all(const network& net, std::span<const job_graph> jobs, const strategy_limits& limits) {
    return make_problem(net, jobs, [&](size_t job) { return enumerate(net, jobs[job], limits); });
}

/// One strategy or none for each job, and the resulting load.
class assignment {
public:
    explicit assignment(const problem& instance)
        : problem_(&instance),
          load_(instance.net.load().begin(), instance.net.load().end()),
          choice_(instance.jobs(), none) {}

    std::span<const int> load() const noexcept { return load_; }
    std::span<const size_t> choice() const noexcept { return choice_; }
    void put(size_t job, size_t k) noexcept {
        choice_[job] = k;
        add_counts(problem_->type_of(job).list.counts(k), 1, load_);
    }
    /// Unassigns a job and returns its strategy, or none.
    size_t take(size_t job) noexcept {
        const size_t k = std::exchange(choice_[job], none);
        if (k != none) add_counts(problem_->type_of(job).list.counts(k), -1, load_);
        return k;
    }
    double cost() const noexcept {
        double traffic = 0;
        for (size_t job = 0; job < choice_.size(); ++job)
            if (choice_[job] != none) traffic += problem_->type_of(job).list.traffic(choice_[job]);
        return problem_->net.cost_rate(load_) + traffic;
    }
    size_t unplaced() const noexcept { return static_cast<size_t>(std::count(choice_.begin(), choice_.end(), none)); }
    bool better_than(const assignment& reference) const noexcept {
        return better_plan(unplaced(), cost(), reference.unplaced(), reference.cost());
    }
    plan as_plan() const {
        plan solution{.where = {}, .load = load_, .unplaced = {}, .cost_rate = cost()};
        solution.where.resize(choice_.size());
        for (std::uint32_t job = 0; job < choice_.size(); ++job) {
            if (choice_[job] == none) {
                solution.unplaced.push_back(job);
                continue;
            }
            const auto where = problem_->type_of(job).list.where(choice_[job]);
            solution.where[job].assign(where.begin(), where.end());
        }
        solution.lower_bound = problem_->net.base_cost_rate();
        solution.added_rate = solution.cost_rate - solution.lower_bound;
        return solution;
    }

private:
    const problem* problem_;
    std::vector<int> load_;
    std::vector<size_t> choice_;
};

/// Assigns its cheapest strategy to each unassigned job in turn; a job without a feasible one stays unassigned.
inline void assign_greedily(const problem& instance, std::span<const size_t> order, assignment& current) {
    auto costs = instance.costs();
    std::vector<double> values;
    for (const size_t job : order) {
        if (current.choice()[job] != none) continue;
        costs.fill(current.load());
        costs.write_costs(instance.type_of(job), current.cost(), values);
        if (const size_t k = first_least(values); k != none) current.put(job, k);
    }
}

inline std::vector<size_t> given_order(const problem& instance) { return first_indices(instance.jobs()); }

/// Jobs with more tasks first; equal ones in the given order.
inline std::vector<size_t> largest_first(const problem& instance) {
    auto order = given_order(instance);
    sort_stably(order,
                [&](size_t x, size_t y) { return instance.type_of(x).list.tasks() > instance.type_of(y).list.tasks(); });
    return order;
}

inline assignment greedy(const problem& instance, std::span<const size_t> order) {
    assignment current(instance);
    assign_greedily(instance, order, current);
    return current;
}

/// Rounds fractional numbers of jobs per type and strategy: whole parts first, then the largest fractions; what is left is
/// assigned greedily.
inline assignment rounded(const problem& instance, std::span<const std::vector<double>> fractional) {
    assignment current(instance);
    std::vector<size_t> next(instance.types.size(), 0);
    const auto put = [&](size_t type, size_t k) {
        const auto& jobs = instance.types[type].jobs;
        if (next[type] == jobs.size() || !fits(instance.net, instance.types[type].list.counts(k), current.load())) return;
        current.put(jobs[next[type]++], k);
    };
    struct fraction {
        double value;
        size_t type;
        size_t strategy;
    };
    std::vector<fraction> fractions;
    for (size_t type = 0; type < fractional.size(); ++type)
        for (size_t k = 0; k < fractional[type].size(); ++k) {
            const double whole = std::floor(fractional[type][k] + 1e-9);
            for (auto left = static_cast<size_t>(whole); left > 0; --left) put(type, k);
            // To nine digits, so that rounding errors of the solver decide no tie.
            if (const double rest = fractional[type][k] - whole; rest > 1e-9)
                fractions.push_back({.value = std::round(rest * 1e9) / 1e9, .type = type, .strategy = k});
        }
    sort_stably(fractions, [](const fraction& x, const fraction& y) { return x.value > y.value; });
    for (const auto& part : fractions) put(part.type, part.strategy);
    assign_greedily(instance, given_order(instance), current);
    return current;
}

/// Local search over assignments: moves of one job to its best strategy, then moves of two jobs at once.
class assignment_search {
public:
    assignment_search(const problem& instance, assignment& current)
        : problem_(instance), current_(current), costs_(instance.costs()), lower_bounds_(instance.costs()) {}

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
    bool move_singles() {
        bool changed = false;
        for (size_t job = 0; job < problem_.jobs(); ++job) {
            const size_t old = current_.take(job);
            costs_.fill(current_.load());
            costs_.write_costs(problem_.type_of(job), current_.cost(), values_);
            const size_t best = first_least(values_);
            const bool moves = best != none && (old == none || better(values_[best], values_[old]));
            changed = changed || moves;
            if (const size_t k = moves ? best : old; k != none) current_.put(job, k);
        }
        return changed;
    }

    bool move_pairs() {
        constexpr size_t most_pairs = 1'000'000;
        bool changed = false;
        for (size_t a = 0; a < problem_.jobs(); ++a)
            for (size_t b = a + 1; b < problem_.jobs(); ++b) {
                if (current_.choice()[a] == none && current_.choice()[b] == none) continue;
                if (problem_.type_of(a).size() * problem_.type_of(b).size() > most_pairs) continue;
                if (move_pair(a, b)) changed = true;
            }
        return changed;
    }

    bool move_pair(size_t a, size_t b) {
        const double present_cost = current_.cost();
        size_t best_a = current_.take(a);
        size_t best_b = current_.take(b);
        double best = infinite;
        if (best_a != none && best_b != none) best = present_cost;
        bool changed = false;

        const auto& type_a = problem_.type_of(a);
        const auto& type_b = problem_.type_of(b);
        const double cost_without_both = current_.cost();
        costs_.fill(current_.load());
        lower_bounds_.fill_lower_bounds(current_.load());
        // Lower bound of b's added cost whatever a takes: it prunes most strategies of a.
        double least_b = infinite;
        for (size_t k = 0; k < type_b.size(); ++k) least_b = (std::min)(least_b, lower_bounds_.cost(type_b, k));
        for (size_t k = 0; k < type_a.size(); ++k) {
            const double with_a = cost_without_both + costs_.cost(type_a, k);
            if (std::isinf(with_a) || !better(with_a + least_b, best)) continue;
            const auto counts = type_a.list.counts(k);
            for (const auto& count : counts)
                costs_.fill_row(count.data_centre, current_.load()[count.data_centre] + count.tasks);
            costs_.write_costs(type_b, with_a, values_);
            for (const auto& count : counts) costs_.fill_row(count.data_centre, current_.load()[count.data_centre]);
            const size_t k_b = first_least(values_);
            if (k_b == none || !better(values_[k_b], best)) continue;
            best = values_[k_b];
            best_a = k;
            best_b = k_b;
            changed = true;
        }
        if (best_a != none) current_.put(a, best_a);
        if (best_b != none) current_.put(b, best_b);
        return changed;
    }

    const problem& problem_;
    assignment& current_;
    added_costs costs_;
    added_costs lower_bounds_;
    std::vector<double> values_;
};

}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
