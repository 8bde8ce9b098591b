// Definitions of choose_variants.hpp: places each variant of a job beside the load, and ranks them by expected cost.
#ifndef BELLAMY_DETAIL_PLACEMENT_CHOOSE_VARIANTS_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_CHOOSE_VARIANTS_IMPL_HPP

#include <bellamy/detail/decision/ranking.hpp>
#include <bellamy/detail/placement/strategies_impl.hpp>
#include <bellamy/placement/choose_variants.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {
namespace detail {

inline result<void> validate_load(const network& net, std::span<const int> load) noexcept {
    if (load.size() != net.size())
        return fail(errc::invalid_data_centre, "expected loads of ", net.size(), " data centres, found ", load.size());
    for (size_t i = 0; i < load.size(); ++i)
        if (load[i] < 0 || load[i] > net[i].slots)
            return fail(errc::invalid_data_centre, "expected a load from 0 to ", net[i].slots, " of data centre ", i,
                        ", found ", load[i]);
    return {};
}

struct job_placement {
    std::vector<std::uint32_t> where;
    double added_rate = infinite;
};

/// The cheapest placement of one job beside a load: over all strategies if few enough, else by crawlers.
inline std::optional<job_placement> place_job(const network& net, std::span<const int> load, const job_graph& job,
                                              const variant_options& options) {
    if (const auto list = enumeration(net, load, job, options.limits).all()) {
        std::vector<double> added(list->size());
        const double base = net.cost_rate(load);
        for (size_t k = 0; k < added.size(); ++k) {
            added[k] = base + list->traffic(k);
            for (const auto& count : list->counts(k)) {
                const int taken = load[count.data_centre];
                added[k] += net.cost(count.data_centre, taken + count.tasks) - net.cost(count.data_centre, taken);
            }
        }
        const size_t k = first_least(added);
        if (k == none) return std::nullopt;
        const auto where = list->where(k);
        return job_placement{.where = {where.begin(), where.end()}, .added_rate = added[k] - base};
    }
    crawler single(net, load, options.seed);
    if (!single.place(job, {})) return std::nullopt;
    return job_placement{.where = {single.where().begin(), single.where().end()}, .added_rate = single.added_rate()};
}

inline result<void> validate_question(const request& wanted, std::span<const variant> variants,
                                      std::span<variant_assessment> table) noexcept {
    if (wanted.goal != goal::cheapest_within_deadline)
        return fail(errc::invalid_option, "expected the goal cheapest_within_deadline, found ",
                    static_cast<int>(wanted.goal));
    if (auto valid = validate_deadline(wanted.deadline_s); !valid) return valid;
    if (auto valid = validate_required_probability(wanted.probability); !valid) return valid;
    if (!(wanted.budget == 0))
        return fail(errc::invalid_budget, "expected no budget for a goal without one, found ", wanted.budget);
    if (!(wanted.cost_of_missing == 0))
        return fail(errc::invalid_price, "expected no cost of missing the deadline, found ", wanted.cost_of_missing);
    if (variants.empty()) return fail(errc::empty_candidates, "expected at least one variant, found none");
    if (auto valid = validate_table(table.size(), variants.size()); !valid) return valid;
    for (const auto& choice : variants) {
        if (choice.scale_out < 1)
            return fail(errc::invalid_scale_out, "expected scale-outs of at least 1, found ", choice.scale_out);
        if (auto valid = bellamy::validate(choice.delays, false); !valid) return valid;
    }
    return {};
}

/// A row of the verdict table with the placement that it rests on.
struct placed_variant {
    variant_assessment row;
    std::vector<std::uint32_t> where;
};

/// Assesses the variants of one question.
struct variant_assessor {
    const network& net;
    std::span<const int> load;
    const request& wanted;
    const variant_options& options;

    placed_variant assess(const variant& choice, size_t number) const {
        variant_assessment row{
            .variant = number, .scale_out = choice.scale_out, .added_rate = infinite, .expected_cost = infinite};
        if (!choice.runtime.usable()) return {row, {}};
        row.expected_s = expectation(choice.runtime, [](double runtime_s) { return runtime_s; });
        row.probability = choice.runtime.probability_within(runtime_within_s(choice.delays, wanted.deadline_s));
        row.why = row.probability >= wanted.probability ? verdict::costs_more : verdict::misses_deadline;
        auto placement = place_job(net, load, choice.graph, options);
        row.fits = placement.has_value();
        if (!row.fits) return {row, {}};
        row.added_rate = placement->added_rate;
        row.expected_cost = row.expected_s * placement->added_rate / 3600;
        return {row, std::move(placement->where)};
    }

    /// Feasible variants by expected cost, then by scale-out; infeasible ones of equal probability by median.
    static rank position(const variant_assessment& row, const variant& choice) noexcept {
        if (row.why == verdict::misses_deadline) return {.probability = row.probability, .value = choice.runtime.median_s};
        return {.feasible = true, .value = row.expected_cost, .tie_break = row.scale_out};
    }
};

inline variant_decision decide(const variant_assessor& assessor, std::span<const variant> variants,
                               std::span<variant_assessment> table) {
    ranking<placed_variant> candidates(relative_tolerance);
    for (size_t i = 0; i < variants.size(); ++i) {
        auto assessed = assessor.assess(variants[i], i);
        if (!table.empty()) table[i] = assessed.row;
        if (assessed.row.why == verdict::not_usable || !assessed.row.fits) continue;
        const auto position = assessor.position(assessed.row, variants[i]);
        candidates.add(position, std::move(assessed));
    }
    auto* const best = candidates.best();
    if (best == nullptr) return {};
    variant_decision decision{.where = std::move(best->where)};
    if (candidates.is_feasible()) {
        best->row.why = verdict::chosen;
        if (!table.empty()) table[best->row.variant].why = verdict::chosen;
        const bool seen = !variants[best->row.variant].runtime.outside_seen_scale_outs;
        decision.outcome = seen ? outcome::meets_deadline : outcome::meets_deadline_by_extrapolation;
    }
    decision.chosen = best->row;
    return decision;
}

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<variant_decision> choose_variant(const network& net, std::span<const int> load,
                                                              std::span<const variant> variants, const request& wanted,
                                                              std::span<variant_assessment> table,
                                                              const variant_options& options) {
    if (auto valid = detail::validate_question(wanted, variants, table); !valid) return valid.error();
    if (auto valid = detail::validate_load(net, load); !valid) return valid.error();
    return detail::decide({net, load, wanted, options}, variants, table);
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
