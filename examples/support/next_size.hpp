// The data size of a run that is yet to come: given, listed from its input, or forecast from past sizes.
#ifndef BELLAMY_EXAMPLES_NEXT_SIZE_HPP
#define BELLAMY_EXAMPLES_NEXT_SIZE_HPP

#include <bellamy/model.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tools {

/// One possible size in MB, and how probable it is; shares sum to 1.
struct possible_size {
    double share = 1;
    std::uint64_t size_mb = 0;
};

/// What the next run may be like; one size without any doubt where it was given or listed, none where the runs have no size.
struct next_size {
    std::vector<possible_size> sizes{};
    std::string how{};  // in words
    bool is_forecast = false;

    /// The most probable middle; empty where there is no size.
    [[nodiscard]] std::optional<double> middle_mb() const;
};

/// The size of a run, in the property with the role data_size.
[[nodiscard]] std::optional<double> data_size(const bellamy::run& of);

/// The context with another data size, where it has one.
[[nodiscard]] bellamy::context with_size(bellamy::context of, std::uint64_t size);

/// Whether two contexts differ in their data sizes at most.
[[nodiscard]] bool are_alike_but_for_size(const bellamy::context& one, const bellamy::context& other);

[[nodiscard]] next_size given_size(std::uint64_t size_mb);

/// All bytes of the files at and below these paths, each file once; of hidden files and those whose names begin with '_'
/// none, as Spark does. Error: cannot_read.
[[nodiscard]] next_size listed_size(const std::vector<std::string>& paths);

/// Files are read once, more than once, or in parts: a size of files times the ratios of what past runs read to their files.
[[nodiscard]] next_size scaled_size(const next_size& files, std::vector<double> ratios);

/// Forecast from the latest hundred sizes of past runs that succeeded, in their order; of all where none did. It is the last
/// size but for a change, any past size again, or the trend of the last twelve: a Bayesian model average of the three.
[[nodiscard]] next_size forecast_size(std::span<const bellamy::run> past);

/// The model's curve for a context whose size is as `next` says: the mixture over its sizes. Errors: those of `bind`.
[[nodiscard]] bellamy::result<bellamy::curve> bind_next(const bellamy::model& general, const bellamy::context& like,
                                                        const next_size& next);

}  // namespace tools

#endif
