// Enel's pre-trained network as bytes and files. The format, its versions and what is checked: detail/format/envelope.hpp.
#ifndef BELLAMY_ENEL_FILE_HPP
#define BELLAMY_ENEL_FILE_HPP

#include <bellamy/enel.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The network and the runs that it compares with as bytes, with a self-test: forecasts of up to three runs. About 41 KB,
/// and for each stage of each run some 230 bytes. Costs the forecasts. Allocates. Error: number_too_large, beyond what is
/// loaded (64 MB).
[[nodiscard]] result<std::vector<std::byte>> to_bytes(const enel_model& subject);

/// The network that bytes hold; nothing in them is trusted. It has given the answers of its self-test within a
/// ten-thousandth, and answers bit by bit as the saved one where build and machine are the same. Errors: not_a_model,
/// unsupported_version, truncated, corrupted, invalid_model; self_test_failed where this build or machine answers otherwise.
[[nodiscard]] result<enel_model> enel_from_bytes(std::span<const std::byte> bytes);

/// Writes a model file as `save` of models does. Errors: those of `to_bytes`, cannot_write.
[[nodiscard]] result<void> save(const enel_model& subject, const std::string& path);

/// Reads a model file. Errors: cannot_read, and those of `enel_from_bytes`.
[[nodiscard]] result<enel_model> load_enel(const std::string& path);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/enel/enel_file_impl.hpp>  // IWYU pragma: export
#endif

#endif
