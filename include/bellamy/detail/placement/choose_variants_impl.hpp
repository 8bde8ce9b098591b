// Definitions of what placement/choose.hpp declares.
#ifndef BELLAMY_DETAIL_PLACEMENT_CHOOSE_VARIANTS_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_CHOOSE_VARIANTS_IMPL_HPP

#include <bellamy/detail/base/inline.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/decision/expected_cost.hpp>
#include <bellamy/detail/placement/strategies_impl.hpp>
#include <bellamy/placement/choose_variants.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// Mean over the middles of 16 equally likely slices; the median of a point.
[[nodiscard]] inline double expected_seconds(const prediction& predicted) noexcept {
    if (predicted.is_point) return predicted.median_s;
    constexpr int slices = 16;
    double sum = 0;
    for (int i = 0; i < slices; ++i) sum += predicted.quantile_s((i + 0.5) / slices);
    return sum / slices;
}

[[nodiscard]] inline result<void> validate_load(const network& net, std::span<const int> load) noexcept {
    using bellamy::detail::fail;
    if (load.size() != net.size())
        return fail(errc::invalid_data_centre, "expected loads of ", net.size(), " data centres, found ", load.size());
    for (std::size_t i = 0; i < load.size(); ++i)
        if (load[i] < 0 || load[i] > net[i].slots)
            return fail(errc::invalid_data_centre, "expected a load from 0 to ", net[i].slots, " of data centre ", i,
                        ", found ", load[i]);
    return {};
}

struct single_placement {
    std::vector<std::uint32_t> where;
    double added_rate = infinite;
    bool found = false;
};

/// The cheapest placement of one job beside a load: of all strategies where they can be listed, else by crawlers.
[[nodiscard]] inline single_placement place_one(const network& net, std::span<const int> load, const job_graph& job,
                                                const variant_options& options) {
    single_placement best;
    if (const auto list = enumeration(net, load, job, options.limits).all()) {
        std::vector<double> added(list->size());
        const double base = net.cost_rate(load);
        for (std::size_t k = 0; k < added.size(); ++k) {
            added[k] = base + list->traffic(k);
            for (const auto& each : list->counts(k)) {
                const int taken = load[each.data_centre];
                added[k] += net.cost(each.data_centre, taken + each.tasks) - net.cost(each.data_centre, taken);
            }
        }
        const std::size_t k = first_least(added);
        if (k == none) return best;
        const auto where = list->where(k);
        return {.where = {where.begin(), where.end()}, .added_rate = added[k] - base, .found = true};
    }
    crawler single(net, load, options.seed);
    if (!single.place(job, {})) return best;
    return {.where = {single.where().begin(), single.where().end()}, .added_rate = single.added_rate(), .found = true};
}

class variant_chooser {
public:
    variant_chooser(const network& net, std::span<const int> load, const request& wanted, const variant_options& options)
        : net_(net), load_(load), wanted_(wanted), options_(options) {}

    [[nodiscard]] static result<void> validate(const request& wanted, std::span<const variant> variants,
                                               std::span<variant_assessment> table) noexcept {
        using bellamy::detail::fail;
        if (wanted.goal != goal::cheapest_within_deadline)
            return fail(errc::invalid_option, "expected the goal cheapest_within_deadline, found ",
                        static_cast<int>(wanted.goal));
        if (!(wanted.deadline_s > 0 && wanted.deadline_s <= (std::numeric_limits<double>::max)()))
            return fail(errc::invalid_deadline, "expected a finite deadline > 0 seconds, found ", wanted.deadline_s);
        if (!(wanted.probability > 0 && wanted.probability < 1))
            return fail(errc::invalid_probability, "expected a probability between 0 and 1, found ", wanted.probability);
        if (!(wanted.budget == 0))
            return fail(errc::invalid_budget, "expected no budget for a goal without one, found ", wanted.budget);
        if (!(wanted.cost_of_missing == 0))
            return fail(errc::invalid_price, "expected no cost of missing the deadline, found ", wanted.cost_of_missing);
        if (variants.empty()) return fail(errc::empty_candidates, "expected at least one variant, found none");
        if (!table.empty() && table.size() < variants.size())
            return fail(errc::buffer_too_small, "expected room for ", variants.size(), " rows, found ", table.size());
        for (const auto& each : variants) {
            if (each.scale_out < 1)
                return fail(errc::invalid_scale_out, "expected scale-outs of at least 1, found ", each.scale_out);
            if (auto valid = bellamy::validate(each.costs); !valid) return valid;
            if (!(each.busy_part > 0 && each.busy_part <= 1))
                return fail(errc::invalid_option, "expected a busy part in (0, 1], found ", each.busy_part);
        }
        return {};
    }

    [[nodiscard]] variant_decision decide(std::span<const variant> variants, std::span<variant_assessment> table) {
        for (std::size_t i = 0; i < variants.size(); ++i) {
            auto row = assess(variants[i], i);
            if (!table.empty()) table[i] = row;
            if (row.why == verdict::not_usable || !row.fits) continue;
            if (row.why == verdict::costs_more) {
                if (!best_ || cheaper(row, *best_)) best_ = row, where_ = place_;
            } else if (!effort_ || likelier(row, variants[i], *effort_, variants[effort_->variant])) {
                effort_ = row, where_of_effort_ = place_;
            }
        }
        if (!best_) return {.outcome = outcome::infeasible, .chosen = effort_, .where = std::move(where_of_effort_)};
        best_->why = verdict::chosen;
        if (!table.empty()) table[best_->variant].why = verdict::chosen;
        const bool seen = !variants[best_->variant].runtime.outside_seen_scale_outs;
        return {.outcome = seen ? outcome::meets_deadline : outcome::meets_deadline_by_extrapolation,
                .chosen = best_,
                .where = std::move(where_)};
    }

private:
    [[nodiscard]] variant_assessment assess(const variant& one, std::size_t number) {
        variant_assessment row{
            .variant = number, .scale_out = one.scale_out, .added_rate = infinite, .expected_cost = infinite};
        if (!one.runtime.usable()) return row;
        row.expected_s = expected_seconds(one.runtime);
        row.probability = one.runtime.probability_within(runtime_within_s(one.costs, wanted_.deadline_s));
        row.why = row.probability >= wanted_.probability ? verdict::costs_more : verdict::misses_deadline;
        auto found = place_one(net_, load_, one.graph, options_);
        row.fits = found.found;
        if (!found.found) return row;
        row.added_rate = found.added_rate;
        row.expected_cost = row.expected_s * one.busy_part * found.added_rate / 3600;
        place_ = std::move(found.where);
        return row;
    }
    [[nodiscard]] static bool cheaper(const variant_assessment& one, const variant_assessment& other) noexcept {
        if (better(one.expected_cost, other.expected_cost)) return true;
        return !better(other.expected_cost, one.expected_cost) && one.scale_out < other.scale_out;
    }
    /// Neither keeps the deadline. Hopeless probabilities are not compared, as in choose.
    [[nodiscard]] static bool likelier(const variant_assessment& one, const variant& of_one, const variant_assessment& other,
                                       const variant& of_other) noexcept {
        const double p = one.probability < bellamy::detail::least_probability ? 0 : one.probability;
        const double q = other.probability < bellamy::detail::least_probability ? 0 : other.probability;
        if (p > q || q > p) return p > q;
        return of_one.runtime.median_s < of_other.runtime.median_s;
    }

    const network& net_;
    std::span<const int> load_;
    const request& wanted_;
    const variant_options& options_;
    std::vector<std::uint32_t> place_;  // of the variant that was assessed last
    std::optional<variant_assessment> best_;
    std::optional<variant_assessment> effort_;
    std::vector<std::uint32_t> where_;
    std::vector<std::uint32_t> where_of_effort_;
};

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

BELLAMY_PUBLIC_INLINE result<double> busy_part(std::span<const int> tasks_per_stage,
                                               std::span<const double> stage_s) noexcept {
    using bellamy::detail::fail;
    if (tasks_per_stage.size() != stage_s.size())
        return fail(errc::buffer_too_small, "expected seconds of ", tasks_per_stage.size(), " stages, found ",
                    stage_s.size());
    if (stage_s.empty()) return fail(errc::empty_candidates, "expected at least one stage, found none");
    double tasks = 0;
    double seconds = 0;
    double busy_s = 0;
    for (std::size_t stage = 0; stage < stage_s.size(); ++stage) {
        if (tasks_per_stage[stage] < 1)
            return fail(errc::invalid_job_graph, "expected at least 1 task in stage ", stage, ", found ",
                        tasks_per_stage[stage]);
        if (!(stage_s[stage] > 0 && stage_s[stage] <= 1e100))
            return fail(errc::invalid_runtime, "expected seconds > 0 and finite of stage ", stage, ", found ",
                        stage_s[stage]);
        tasks += tasks_per_stage[stage];
        seconds += stage_s[stage];
        busy_s += tasks_per_stage[stage] * stage_s[stage];
    }
    return (std::min)(1.0, busy_s / (tasks * seconds));
}

BELLAMY_PUBLIC_INLINE result<variant_decision> choose(const network& net, std::span<const int> load,
                                                      std::span<const variant> variants, const request& wanted,
                                                      std::span<variant_assessment> table, const variant_options& options) {
    if (auto valid = detail::variant_chooser::validate(wanted, variants, table); !valid) return valid.error();
    if (auto valid = detail::validate_load(net, load); !valid) return valid.error();
    return detail::variant_chooser(net, load, wanted, options).decide(variants, table);
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
