// Whole jobs from shares of jobs.
#ifndef BELLAMY_DETAIL_PLACEMENT_ROUNDING_HPP
#define BELLAMY_DETAIL_PLACEMENT_ROUNDING_HPP

#include <bellamy/detail/placement/moves.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace placement { namespace detail {

/// First the whole parts of the shares, then the fractions, the largest first; what is left is placed greedily.
[[nodiscard]] inline assignment rounded(const problem& subject, std::span<const std::vector<double>> shares) {
    assignment chosen(subject);
    std::vector<std::size_t> next(subject.types.size(), 0);
    const auto put = [&](std::size_t type, std::size_t k) {
        if (next[type] == subject.types[type].jobs.size() || !chosen.fits(type, k)) return;
        chosen.put(subject.types[type].jobs[next[type]++], k);
    };
    struct fraction {
        double share;
        std::size_t type;
        std::size_t strategy;
    };
    std::vector<fraction> fractions;
    for (std::size_t type = 0; type < shares.size(); ++type)
        for (std::size_t k = 0; k < shares[type].size(); ++k) {
            const double whole = std::floor(shares[type][k] + 1e-9);
            for (auto left = static_cast<std::size_t>(whole); left > 0; --left) put(type, k);
            // To nine digits, so that rounding of the solver decides no tie.
            if (const double rest = shares[type][k] - whole; rest > 1e-9)
                fractions.push_back({.share = std::round(rest * 1e9) / 1e9, .type = type, .strategy = k});
        }
    std::sort(fractions.begin(), fractions.end(), [](const fraction& x, const fraction& y) {
        if (x.share > y.share || x.share < y.share) return x.share > y.share;
        return x.type != y.type ? x.type < y.type : x.strategy < y.strategy;
    });
    for (const auto& each : fractions) put(each.type, each.strategy);
    place_greedily(subject, given_order(subject), chosen);
    return chosen;
}

}}}}  // namespace bellamy::BELLAMY_ABI::placement::detail

#endif
