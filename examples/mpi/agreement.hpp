// Whether all ranks do the same: another build, schema, history or option would train something that is no model.
#ifndef BELLAMY_EXAMPLES_MPI_AGREEMENT_HPP
#define BELLAMY_EXAMPLES_MPI_AGREEMENT_HPP

#include <fmt/format.h>
#include <bellamy/pretrain.hpp>
#include <bellamy/serialize.hpp>

#include <mpi.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../support/tool_error.hpp"

namespace tools {

namespace detail {

// FNV-1a. Not the CRC that a model ends with: with it, the CRC of every model is the same.
[[nodiscard]] inline std::uint64_t checksum(std::string_view text) noexcept {
    std::uint64_t sum = 0xCBF29CE484222325U;
    for (const char each : text) sum = (sum ^ static_cast<unsigned char>(each)) * 0x100000001B3U;
    return sum;
}

// Of this program's own file, where the system shows it; compilers round differently, and so do instructions.
[[nodiscard]] inline std::uint64_t build_checksum() {
    std::ifstream own("/proc/self/exe", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(own), {}};
    text += BELLAMY_VERSION;
    text += Eigen::SimdInstructionSetsInUse();
    return checksum(text);
}

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
    add(set.encodings.data(), static_cast<std::size_t>(set.encodings.size()));
    add(set.property_ids.data(), set.property_ids.size());
    add(set.first_id.data(), set.first_id.size());
    add(set.scale_outs.data(), set.scale_outs.size());
    add(set.runtimes_s.data(), set.runtimes_s.size());
    add(set.weights.data(), set.weights.size());
    for (const bool each : set.censored) text += each ? '1' : '0';
    return checksum(text);
}

[[nodiscard]] inline std::uint64_t options_checksum(const bellamy::pretrain_options& o) {
    const auto& p = o.parallel;
    return checksum(fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(o.mode), o.algorithm,
                                o.date, o.seed, o.epochs, o.batch_size, o.configuration.dropout,
                                o.configuration.learning_rate, o.configuration.weight_decay, o.trials, o.target_noise_s,
                                o.validation_share, p.workers, p.period, p.delay, static_cast<int>(p.merge),
                                p.average_moments));
}

}  // namespace detail

/// Collective: every rank finds the same. Errors: different_build, different_schema, different_runs, different_options.
inline void require_agreement(std::span<const bellamy::run> history, const bellamy::pretrain_options& options) {
    constexpr std::array<std::string_view, 4> names{"build", "schema", "runs", "options"};
    const std::array<std::uint64_t, 4> own{detail::build_checksum(), detail::schema_checksum(history),
                                           detail::history_checksum(history), detail::options_checksum(options)};
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<std::uint64_t> all(own.size() * static_cast<std::size_t>(ranks));
    const int count = static_cast<int>(own.size());
    MPI_Allgather(own.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, MPI_COMM_WORLD);
    for (std::size_t what = 0; what < own.size(); ++what)
        for (std::size_t rank = 1; rank < static_cast<std::size_t>(ranks); ++rank)
            if (all[rank * own.size() + what] != all[what])
                throw tool_error(
                    fmt::format("different_{}", names[what]),
                    fmt::format("expected the {} of rank 0 everywhere, found other ones on rank {}", names[what], rank));
}

}  // namespace tools

#endif
