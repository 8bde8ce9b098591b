// Jobs of a small network with all their strategies, and the choice of one strategy per job.
#ifndef BELLAMY_DETAIL_PLACEMENT_PROBLEM_HPP
#define BELLAMY_DETAIL_PLACEMENT_PROBLEM_HPP

#include <bellamy/detail/placement/tolerance.hpp>
#include <bellamy/placement/plan.hpp>
#include <bellamy/placement/strategies.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// The strategies of equal jobs, which share a list. `cells` says where the counts stand in a table of added costs.
struct job_type {
    explicit job_type(strategies all) : list(std::move(all)) {}

    strategies list;
    std::vector<std::size_t> jobs;
    std::vector<std::uint32_t> cells;
    std::vector<std::size_t> first_cell{0};

    [[nodiscard]] std::size_t size() const noexcept { return list.size(); }
};

/// Added cost of c more tasks in a data centre at a given load, for every data centre and c; infinite beyond the slots.
class added_costs {
public:
    added_costs(const network& net, std::size_t width) : net_(net), width_(width), cells_(net.size() * width) {}

    void fill(std::span<const int> load) noexcept {
        for (std::size_t i = 0; i < net_.size(); ++i) fill_row(i, load[i]);
    }
    void fill_row(std::size_t dc, int load) noexcept { write_row(dc, load, net_.cost(dc, load)); }
    /// The same without the switch-on: convex in the load, and never above the true added cost.
    void fill_below(std::span<const int> load) noexcept {
        for (std::size_t i = 0; i < net_.size(); ++i) {
            const auto& site = net_[i];
            const double switch_on = load[i] == 0 ? site.price_per_kwh * site.pue * site.switch_on_kw : 0;
            write_row(i, load[i], net_.cost(i, load[i]) + switch_on);
            cells_[i * width_] = 0;
        }
    }
    /// Added cost of a strategy, traffic included.
    [[nodiscard]] double of(const job_type& type, std::size_t k) const noexcept {
        double sum = type.list.traffic(k);
        for (std::size_t at = type.first_cell[k]; at < type.first_cell[k + 1]; ++at) sum += cells_[type.cells[at]];
        return sum;
    }
    void of_all(const job_type& type, double base, std::vector<double>& values) const {
        values.resize(type.size());
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = base + of(type, k);
    }

private:
    void write_row(std::size_t dc, int load, double before) noexcept {
        const auto costs = net_.costs(dc).subspan(static_cast<std::size_t>(load));
        for (std::size_t c = 0; c < width_; ++c) cells_[dc * width_ + c] = c < costs.size() ? costs[c] - before : infinite;
    }

    const network& net_;
    std::size_t width_;
    std::vector<double> cells_;
};

struct problem {
    const network& net;
    std::vector<job_type> types;
    std::vector<std::size_t> type_of_job;
    std::size_t width = 1;  // of a row of added costs

    [[nodiscard]] const job_type& type_of(std::size_t job) const noexcept { return types[type_of_job[job]]; }
    [[nodiscard]] std::size_t jobs() const noexcept { return type_of_job.size(); }
    [[nodiscard]] added_costs costs() const { return {net, width}; }
};

/// Completes a problem whose lists are known.
inline void index_cells(problem& subject) {
    for (const auto& type : subject.types)
        for (std::size_t k = 0; k < type.size(); ++k)
            for (const auto& each : type.list.counts(k))
                subject.width = (std::max)(subject.width, static_cast<std::size_t>(each.tasks) + 1);
    for (auto& type : subject.types)
        for (std::size_t k = 0; k < type.size(); ++k) {
            for (const auto& each : type.list.counts(k))
                type.cells.push_back(
                    static_cast<std::uint32_t>(each.data_centre * subject.width + static_cast<std::size_t>(each.tasks)));
            type.first_cell.push_back(type.cells.size());
        }
}

/// Types of jobs in the order in which they first appear; `list_of(job)` gives the strategies of a new one.
template <class ListOf>
[[nodiscard]] result<problem> make_problem(const network& net, std::span<const job_graph> jobs, const ListOf& list_of) {
    problem made{.net = net, .types = {}, .type_of_job = {}};
    std::vector<std::size_t> first_job;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        std::size_t type = 0;
        while (type < first_job.size() && !(jobs[first_job[type]] == jobs[job])) ++type;
        if (type == first_job.size()) {
            result<strategies> list = list_of(job);
            if (!list) return list.error();
            first_job.push_back(job);
            made.types.emplace_back(*std::move(list));
        }
        made.types[type].jobs.push_back(job);
        made.type_of_job.push_back(type);
    }
    index_cells(made);
    return made;
}

[[nodiscard]] inline result<problem> enumerate_all(const network& net, std::span<const job_graph> jobs,
                                                   const strategy_limits& limits) {
    return make_problem(net, jobs, [&](std::size_t job) { return enumerate(net, jobs[job], limits); });
}

/// One strategy per job, or none, and what that makes of the loads.
class assignment {
public:
    explicit assignment(const problem& subject)
        : problem_(&subject), load_(subject.net.load().begin(), subject.net.load().end()), choice_(subject.jobs(), none) {}

    [[nodiscard]] std::span<const int> load() const noexcept { return load_; }
    [[nodiscard]] std::span<const std::size_t> choice() const noexcept { return choice_; }
    [[nodiscard]] bool fits(std::size_t type, std::size_t k) const noexcept {
        const auto counts = problem_->types[type].list.counts(k);
        return std::all_of(counts.begin(), counts.end(), [&](const task_count& each) {
            return load_[each.data_centre] + each.tasks <= problem_->net[each.data_centre].slots;
        });
    }
    void put(std::size_t job, std::size_t k) noexcept {
        choice_[job] = k;
        for (const auto& each : problem_->type_of(job).list.counts(k)) load_[each.data_centre] += each.tasks;
    }
    /// Returns what it was placed with, or none.
    std::size_t take(std::size_t job) noexcept {
        const std::size_t k = choice_[job];
        if (k == none) return none;
        choice_[job] = none;
        for (const auto& each : problem_->type_of(job).list.counts(k)) load_[each.data_centre] -= each.tasks;
        return k;
    }
    [[nodiscard]] double traffic() const noexcept {
        double sum = 0;
        for (std::size_t job = 0; job < choice_.size(); ++job)
            if (choice_[job] != none) sum += problem_->type_of(job).list.traffic(choice_[job]);
        return sum;
    }
    [[nodiscard]] double cost() const noexcept { return problem_->net.cost_rate(load_) + traffic(); }
    [[nodiscard]] std::size_t unplaced() const noexcept {
        return static_cast<std::size_t>(std::count(choice_.begin(), choice_.end(), none));
    }
    /// Fewer unplaced jobs, or as many at a lower cost.
    [[nodiscard]] bool better_than(const assignment& other) const noexcept {
        if (unplaced() != other.unplaced()) return unplaced() < other.unplaced();
        return better(cost(), other.cost());
    }
    [[nodiscard]] plan as_plan() const;

private:
    const problem* problem_;
    std::vector<int> load_;
    std::vector<std::size_t> choice_;
};

inline plan assignment::as_plan() const {
    plan made{.where = {}, .load = load_, .unplaced = {}, .cost_rate = cost()};
    made.where.resize(choice_.size());
    for (std::size_t job = 0; job < choice_.size(); ++job) {
        if (choice_[job] == none) {
            made.unplaced.push_back(static_cast<std::uint32_t>(job));
            continue;
        }
        const auto where = problem_->type_of(job).list.where(choice_[job]);
        made.where[job].assign(where.begin(), where.end());
    }
    made.lower_bound = problem_->net.base_cost_rate();
    made.added_rate = made.cost_rate - made.lower_bound;
    return made;
}

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
