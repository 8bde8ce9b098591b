// Whether all ranks pre-train the published network on the same runs.
#ifndef BELLAMY_EXAMPLES_MPI_PRETRAINING_AGREEMENT_HPP
#define BELLAMY_EXAMPLES_MPI_PRETRAINING_AGREEMENT_HPP

#include <bellamy/detail/network/training/training_set.hpp>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <array>

#include "agreement.hpp"

namespace tools {

namespace detail {

[[nodiscard]] inline std::uint64_t schema_checksum(std::span<const bellamy::run> history) {
    const auto shared = bellamy::schema_of(history).value();
    const auto bytes = bellamy::to_bytes(bellamy::model(shared, {}, bellamy::network<>(shared.essential.size())));
    return checksum({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Of all that training reads.
[[nodiscard]] inline std::uint64_t history_checksum(std::span<const bellamy::run> history) {
    const auto set = bellamy::detail::make_training_set<float, bellamy::dimensions{}>(history);
    std::string text;
    const auto add = [&](const auto* values, std::size_t count) {
        text.append(reinterpret_cast<const char*>(values), count * sizeof *values);
    };
    const auto encodings = set.encodings.piece(0, set.encodings.size());
    add(encodings.data(), encodings.size());
    add(set.property_ids.data(), set.property_ids.size());
    add(set.first_id.data(), set.first_id.size());
    add(set.scale_outs.data(), set.scale_outs.size());
    add(set.runtimes_s.data(), set.runtimes_s.size());
    add(set.weights.data(), set.weights.size());
    for (const bool each : set.censored) text += each ? '1' : '0';
    return checksum(text);
}

[[nodiscard]] inline std::uint64_t options_checksum(const bellamy::pretrain_options& o) {
    return checksum(fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(o.mode), o.algorithm, o.date,
                                o.seed, o.epochs, o.batch_size, o.configuration.dropout, o.configuration.learning_rate,
                                o.configuration.weight_decay, o.trials, o.target_noise_s, o.validation_share,
                                describe(o.parallel)));
}

}  // namespace detail

/// Collective: every rank finds the same. Errors: different_build, different_schema, different_runs, different_options.
inline void require_agreement(std::span<const bellamy::run> history, const bellamy::pretrain_options& options) {
    require_agreement(std::array{build_fact(), shared_fact{"schema", detail::schema_checksum(history)},
                                 shared_fact{"runs", detail::history_checksum(history)},
                                 shared_fact{"options", detail::options_checksum(options)}});
}

}  // namespace tools

#endif
