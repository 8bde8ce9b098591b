// Definitions of arrivals.hpp: slots and accumulated cost of running jobs.
#ifndef BELLAMY_DETAIL_PLACEMENT_ARRIVALS_IMPL_HPP
#define BELLAMY_DETAIL_PLACEMENT_ARRIVALS_IMPL_HPP

#include <bellamy/detail/placement/choose_variants_impl.hpp>
#include <bellamy/placement/arrivals.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement {

BELLAMY_PUBLIC_INLINE result<data_centre_state::arrival> data_centre_state::place(std::span<const variant> variants,
                                                                                  const request& wanted, double now_s,
                                                                                  std::span<variant_assessment> table) {
    if (auto valid = advance_allowed(now_s); !valid) return valid.error();
    auto decided = choose_variant(*net_, load_, variants, wanted, table, options_);
    if (!decided) return decided.error();
    arrival placed{.accepted = {}, .decision = *std::move(decided)};
    if (const auto& chosen = placed.decision.chosen)
        placed.accepted = start(variants[chosen->variant].graph, placed.decision.where, now_s);
    return placed;
}

BELLAMY_PUBLIC_INLINE result<std::optional<data_centre_state::ticket>> data_centre_state::place(const job_graph& job,
                                                                                                double now_s) {
    if (auto valid = advance_allowed(now_s); !valid) return valid.error();
    const auto placement = detail::place_job(*net_, load_, job, options_);
    if (!placement) return std::optional<ticket>{};
    return std::optional<ticket>{start(job, placement->where, now_s)};
}

BELLAMY_PUBLIC_INLINE result<void> data_centre_state::depart(ticket job, double now_s) noexcept {
    const auto entry = find(job);
    if (entry == running_.end())
        return detail::fail(errc::invalid_option, "expected the ticket of a running job, found ", job);
    if (auto valid = advance_allowed(now_s); !valid) return valid;
    advance(now_s);
    for (const auto dc : entry->where) --load_[dc];
    running_.erase(entry);
    return {};
}

BELLAMY_PUBLIC_INLINE result<void> data_centre_state::advance_allowed(double now_s) const noexcept {
    if (now_s >= last_s_ && std::isfinite(now_s)) return {};
    return detail::fail(errc::invalid_option, "expected a time from ", last_s_, " seconds on, found ", now_s);
}

BELLAMY_PUBLIC_INLINE data_centre_state::ticket data_centre_state::start(const job_graph& job,
                                                                         const std::vector<std::uint32_t>& where,
                                                                         double now_s) {
    // Allocations come first, so that nothing has changed if one fails.
    running_job added{.number = next_, .where = where, .traffic = detail::traffic_rate(*net_, job, where)};
    running_.reserve(running_.size() + 1);
    advance(now_s);
    running_.push_back(std::move(added));
    for (const auto dc : where) ++load_[dc];
    return next_++;
}

}}}  // namespace bellamy::BELLAMY_ABI::placement

#endif
