// Saves and loads Enel's pre-trained network. Format, versions and validation: detail/format/envelope.hpp.
#ifndef BELLAMY_ENEL_FILE_HPP
#define BELLAMY_ENEL_FILE_HPP

#include <bellamy/enel.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The network and its history as bytes, with a self-test: forecasts of up to three runs, which take most of the time. About
/// 41 KB, and some 230 bytes for each stage of each run. Allocates. Error: number_too_large (more than 64 MB, which would
/// not be loaded).
[[nodiscard]] result<std::vector<std::byte>> to_bytes(const enel_model& network);

/// Reads a network from bytes, which need not be trusted. The forecasts of its self-test agree to a ten-thousandth; with the
/// same build and machine, all forecasts are those of the saved network bit by bit. Errors: not_a_model,
/// unsupported_version, truncated, corrupted, invalid_model; self_test_failed where this build or machine predicts
/// otherwise.
[[nodiscard]] result<enel_model> enel_from_bytes(std::span<const std::byte> bytes);

/// Writes a model file as `save` of models does. Errors: those of `to_bytes`, cannot_write.
[[nodiscard]] result<void> save(const enel_model& network, const std::string& path);

/// Reads a model file. Errors: cannot_read, and those of `enel_from_bytes`.
[[nodiscard]] result<enel_model> load_enel(const std::string& path);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/enel/enel_file_impl.hpp>  // IWYU pragma: export
#endif

#endif
