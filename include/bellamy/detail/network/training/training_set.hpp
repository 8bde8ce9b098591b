// The training set: runs with their properties encoded, split into training runs, validation runs and shares of workers.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_TRAINING_SET_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_TRAINING_SET_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/network/distinct_properties.hpp>
#include <bellamy/detail/network/training/columns.hpp>
#include <bellamy/network.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

template <class Scalar, dimensions D>
struct training_set {
    std::size_t essential_count = 0;
    columns<Scalar, D.encoding> encodings{};    // one column per distinct property value
    std::vector<std::uint32_t> property_ids{};  // run by run: essential properties in order, then its optional ones
    std::vector<std::size_t> first_id{0};       // where a run's ids start; one more entry than runs
    std::vector<int> scale_outs{};
    std::vector<Scalar> runtimes_s{};
    std::vector<Scalar> weights{};
    std::vector<bool> censored{};

    [[nodiscard]] std::size_t size() const noexcept { return scale_outs.size(); }
    [[nodiscard]] std::span<const std::uint32_t> ids_of(std::size_t run) const noexcept {
        return std::span(property_ids).subspan(first_id[run], first_id[run + 1] - first_id[run]);
    }
};

/// Precondition: `schema_of(history)` succeeds.
template <class Scalar, dimensions D>
[[nodiscard]] training_set<Scalar, D> make_training_set(std::span<const run> history) {
    training_set<Scalar, D> set;
    set.essential_count = history.front().context.essential.size();
    distinct_properties<Scalar, D.encoding> number_of;
    for (const auto& each : history) {
        for (const auto* list : {&each.context.essential, &each.context.optional})
            for (const auto& one : *list) set.property_ids.push_back(number_of(one, each.scale_out));
        set.first_id.push_back(set.property_ids.size());
        set.scale_outs.push_back(each.scale_out);
        set.runtimes_s.push_back(static_cast<Scalar>(each.runtime_s));
        set.weights.push_back(static_cast<Scalar>(each.weight));
        set.censored.push_back(each.censored);
    }
    const auto& encoded = number_of.encoded();
    set.encodings.resize(encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i) copy_to(set.encodings[i], encoded[i]);
    return set;
}

/// Which runs train and which validate.
struct holdout {
    std::vector<std::uint32_t> training{};
    std::vector<std::uint32_t> validation{};
    /// Of the training runs, those of each worker; with one worker it has them all and this may be empty.
    std::vector<std::vector<std::uint32_t>> shares{};
};

/// Holds out `share` of the runs of every (context, scale-out): of m runs round(share m), at least one when m >= 2, and at
/// most m - 1.
[[nodiscard]] inline holdout stratified_holdout(std::span<const std::uint32_t> contexts, std::span<const int> scale_outs,
                                                double share, random_generator& random) {
    std::map<std::pair<std::uint32_t, int>, std::vector<std::uint32_t>> strata;
    for (std::size_t i = 0; i < contexts.size(); ++i)
        strata[{contexts[i], scale_outs[i]}].push_back(static_cast<std::uint32_t>(i));
    holdout split;
    for (auto& [key, members] : strata) {
        random.shuffle(std::span(members));
        auto held = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(members.size())));
        if (held == 0 && share > 0 && members.size() >= 2) held = 1;
        held = (std::min)(held, static_cast<std::ptrdiff_t>(members.size()) - 1);  // something is left to train on
        split.validation.insert(split.validation.end(), members.begin(), members.begin() + held);
        split.training.insert(split.training.end(), members.begin() + held, members.end());
    }
    std::sort(split.training.begin(), split.training.end());
    std::sort(split.validation.begin(), split.validation.end());
    return split;
}

/// Deals these runs to the workers, stratum by stratum and shuffled within: shares differ by one run at most, and so do the
/// runs of a stratum. Draws nothing for one worker, who has them in their order.
[[nodiscard]] inline std::vector<std::vector<std::uint32_t>> stratified_shares(std::span<const std::uint32_t> runs,
                                                                               std::span<const std::uint32_t> contexts,
                                                                               std::span<const int> scale_outs,
                                                                               std::size_t workers,
                                                                               random_generator& random) {
    if (workers == 1) return {{runs.begin(), runs.end()}};
    std::map<std::pair<std::uint32_t, int>, std::vector<std::uint32_t>> strata;
    for (const auto run : runs) strata[{contexts[run], scale_outs[run]}].push_back(run);
    std::vector<std::vector<std::uint32_t>> shares(workers);
    std::size_t next = 0;
    for (auto& [key, members] : strata) {
        random.shuffle(std::span(members));
        for (const auto run : members) shares[next++ % workers].push_back(run);
    }
    for (auto& each : shares) std::sort(each.begin(), each.end());
    return shares;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
