// Whether all ranks do the same: another build, schema, history or option would train something that is no model.
#ifndef BELLAMY_EXAMPLES_MPI_AGREEMENT_HPP
#define BELLAMY_EXAMPLES_MPI_AGREEMENT_HPP

#include <fmt/format.h>
#include <bellamy/detail/base/eigen.hpp>
#include <bellamy/parallel_training.hpp>
#include <bellamy/version.hpp>

#include <mpi.h>

#include <Eigen/Core>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../support/tool_error.hpp"

namespace tools {

/// Something that every rank must have alike.
struct shared_fact {
    std::string_view name;
    std::uint64_t sum = 0;
};

/// FNV-1a. Not the CRC that a model ends with: with it, the CRC of every model is the same.
[[nodiscard]] inline std::uint64_t checksum(std::string_view text) noexcept {
    std::uint64_t sum = 0xCBF29CE484222325U;
    for (const char each : text) sum = (sum ^ static_cast<unsigned char>(each)) * 0x100000001B3U;
    return sum;
}

/// Empty where there is no such file.
[[nodiscard]] inline std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// This program's own file, where the system shows it; compilers round differently, and so do instructions.
[[nodiscard]] inline shared_fact build_fact() {
    std::string text = bytes_of("/proc/self/exe");
    text += BELLAMY_VERSION;
    text += Eigen::SimdInstructionSetsInUse();
    return {"build", checksum(text)};
}

[[nodiscard]] inline std::string describe(const bellamy::parallel_options& of) {
    return fmt::format("{} {} {} {}", of.workers, of.period, of.delay, of.slow_momentum_or_default());
}

/// Collective: every rank finds the same. Error: different_ with the name of the first fact that is not the same everywhere.
inline void require_agreement(std::span<const shared_fact> own) {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<std::uint64_t> sums;
    for (const auto& each : own) sums.push_back(each.sum);
    std::vector<std::uint64_t> all(own.size() * static_cast<std::size_t>(ranks));
    const int count = static_cast<int>(own.size());
    MPI_Allgather(sums.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, MPI_COMM_WORLD);
    for (std::size_t what = 0; what < own.size(); ++what)
        for (std::size_t rank = 1; rank < static_cast<std::size_t>(ranks); ++rank)
            if (all[rank * own.size() + what] != all[what])
                throw tool_error(
                    fmt::format("different_{}", own[what].name),
                    fmt::format("expected the {} of rank 0 everywhere, found other ones on rank {}", own[what].name, rank));
}

}  // namespace tools

#endif
