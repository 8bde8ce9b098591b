// The training set: runs with their properties encoded, split into training runs, validation runs and shares of workers.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_TRAINING_SET_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_TRAINING_SET_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/base/sort.hpp>
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

/// Indices of runs, or of what a run has.
using index_list = std::vector<std::uint32_t>;
using index_span = std::span<const std::uint32_t>;

/// Encoded runs; each distinct property value is encoded once, and runs refer to it by its id.
template <class Scalar, dimensions D>
struct training_set {
    size_t essential_count = 0;
    columns<Scalar, D.encoding> encodings{};  // one column per distinct property value
    index_list property_ids{};                // run by run: the essential properties in order, then the optional ones
    std::vector<size_t> first_id{0};          // where a run's ids start; one more entry than runs
    std::vector<int> scale_outs{};
    std::vector<Scalar> runtimes_s{};
    std::vector<Scalar> weights{};
    std::vector<bool> censored{};

    size_t size() const noexcept { return scale_outs.size(); }
    index_span ids_of(size_t run) const noexcept { return slice_of(property_ids, first_id, run); }
};

/// Encodes a history. Precondition: `schema_of(history)` succeeds.
template <class Scalar, dimensions D>
training_set<Scalar, D> make_training_set(std::span<const bellamy::run> history) {
    training_set<Scalar, D> set;
    set.essential_count = history.front().context.essential.size();
    distinct_properties<Scalar, D.encoding> number_of;
    for (const auto& run : history) {
        for_each_property(run.context,
                          [&](const property& each) { set.property_ids.push_back(number_of(each, run.scale_out)); });
        set.first_id.push_back(set.property_ids.size());
        set.scale_outs.push_back(run.scale_out);
        set.runtimes_s.push_back(static_cast<Scalar>(run.runtime_s));
        set.weights.push_back(static_cast<Scalar>(run.weight));
        set.censored.push_back(run.censored);
    }
    const auto& encoded = number_of.encoded();
    set.encodings.resize(encoded.size());
    for (size_t i = 0; i < encoded.size(); ++i) copy_to(set.encodings[i], encoded[i]);
    return set;
}

/// A split into training runs and validation runs, by index.
struct holdout {
    index_list training{};
    index_list validation{};
    /// The training runs of each worker; may be empty for a single worker, which has them all.
    std::vector<index_list> shares{};
};

/// Runs by (context, scale-out), in random order within each.
inline auto shuffled_strata(index_span runs, index_span contexts, std::span<const int> scale_outs,
                            random_generator& random) {
    std::map<std::pair<std::uint32_t, int>, index_list> strata;
    for (const auto run : runs) strata[{contexts[run], scale_outs[run]}].push_back(run);
    for (auto& [key, members] : strata) random.shuffle(std::span(members));
    return strata;
}

/// Stratified split: holds out a fraction of the runs of every (context, scale-out). Of m runs, round(fraction m) are held
/// out, at least one when m >= 2, and at most m - 1.
inline holdout stratified_holdout(index_span contexts, std::span<const int> scale_outs, double fraction,
                                  random_generator& random) {
    index_list runs;
    for (const size_t run : first_indices(contexts.size())) runs.push_back(static_cast<std::uint32_t>(run));
    holdout split;
    for (const auto& [key, members] : shuffled_strata(runs, contexts, scale_outs, random)) {
        auto held_out = static_cast<size_t>(std::lround(fraction * count_of(members)));
        if (held_out == 0 && fraction > 0 && members.size() >= 2) held_out = 1;
        held_out = (std::min)(held_out, members.size() - 1);  // something is left to train on
        append(split.validation, index_span(members).first(held_out));
        append(split.training, index_span(members).subspan(held_out));
    }
    sort(split.training);
    sort(split.validation);
    return split;
}

/// Distributes the runs over the workers, stratum by stratum and shuffled within: the workers' numbers of runs differ by at
/// most one, in all and in each stratum. A single worker has all runs in their order, without a random draw.
inline std::vector<index_list> stratified_shares(index_span runs, index_span contexts, std::span<const int> scale_outs,
                                                 size_t workers, random_generator& random) {
    if (workers == 1) return {{runs.begin(), runs.end()}};
    std::vector<index_list> shares(workers);
    size_t next = 0;
    for (const auto& [key, members] : shuffled_strata(runs, contexts, scale_outs, random))
        for (const auto run : members) shares[next++ % workers].push_back(run);
    for (auto& share : shares) sort(share);
    return shares;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
