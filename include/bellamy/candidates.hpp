// The candidates of a choice, of several contexts at several scale-outs, with the curves that they refer to.
#ifndef BELLAMY_CANDIDATES_HPP
#define BELLAMY_CANDIDATES_HPP

#include <bellamy/choose.hpp>
#include <bellamy/model.hpp>

#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Grows by one context at a time and shares its curves with its copies; `choose` takes it in place of a span. Not for
/// several threads.
class candidate_list {
public:
    /// A candidate of this context at each of the scale-outs, all of this price and tag. Allocates. Errors: those of
    /// `model::bind`; empty_candidates without a scale-out, as a range that runs backwards has none; then the list is as it
    /// was.
    result<void> add(const model& general, const context& job, scale_out_list scale_outs, const price& costs = {},
                     std::uint64_t tag = 0) {
        const auto runtimes = general.bind(job);
        if (!runtimes) return runtimes.error();
        return add(*runtimes, scale_outs, costs, tag);
    }
    /// The same for a curve, which is copied.
    result<void> add(const curve& runtimes, scale_out_list scale_outs, const price& costs = {}, std::uint64_t tag = 0) {
        if (scale_outs.values.empty())
            return detail::fail(errc::empty_candidates, "expected scale-outs to choose from, found none");
        const auto& shared_curve = *curves_.emplace_back(runtimes);
        for (const int scale_out : scale_outs.values)
            candidates_.push_back({.runtimes = &shared_curve, .scale_out = scale_out, .costs = costs, .tag = tag});
        return {};
    }

    [[nodiscard]] std::span<const candidate> all() const noexcept { return candidates_; }
    operator std::span<const candidate>() const noexcept { return all(); }  // NOLINT(google-explicit-constructor)

private:
    std::vector<detail::shared<curve>> curves_;  // whose addresses stay
    std::vector<candidate> candidates_;
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
