// Runs as training sees them: every distinct property value encoded once, runs refer to them by number.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_TRAINING_SET_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_TRAINING_SET_HPP

#include <bellamy/detail/network/distinct_properties.hpp>
#include <bellamy/detail/network/training/columns.hpp>
#include <bellamy/network.hpp>

#include <span>
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

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
