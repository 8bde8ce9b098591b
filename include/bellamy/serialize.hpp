// Models as bytes, files and C++ headers.
// The format, its versions and what is checked: detail/format/envelope.hpp.
#ifndef BELLAMY_SERIALIZE_HPP
#define BELLAMY_SERIALIZE_HPP

#include <bellamy/model.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The model as bytes, with a self-test: a few predictions to compare after loading. Costs up to three times a `bind`.
/// Allocates.
[[nodiscard]] std::vector<std::byte> to_bytes(const model& source);

/// Identifies a model: 16 hexadecimal digits, the checksum of all sections but the self-test. The same on every machine,
/// before saving and after loading; it does not protect against forgery. Allocates.
[[nodiscard]] std::string model_id(const model& source);

/// The model that bytes hold; nothing in them is trusted. Its self-test has passed, within a ten-thousandth. Recomputes the
/// factors of best mode, a millisecond or two. Errors: not_a_model,
/// unsupported_version, truncated, corrupted, invalid_model; self_test_failed where this build or machine predicts something
/// else.
result<model> from_bytes(std::span<const std::byte> bytes);

/// The same for an embedded array.
inline result<model> from_bytes(std::span<const unsigned char> bytes) { return from_bytes(std::as_bytes(bytes)); }

/// Writes a model file: a temporary file, synced to disk and renamed. A failure or crash leaves the previous file (a crash
/// also the temporary file, whose name begins with the model's). Error: cannot_write.
result<void> save(const model& source, const std::string& path);

/// Reads a model file. Errors: cannot_read, and those of `from_bytes`.
result<model> load(const std::string& path);

/// The model as a C++ header that defines `bellamy_models::NAME`, an array for `from_bytes`; it includes nothing.
/// `comment` stands at its top, line by line. Error: invalid_option where `name` is not an identifier.
result<std::string> to_header(const model& source, std::string_view name, std::string_view comment = {});

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/format/serialize_impl.hpp>  // IWYU pragma: export
#endif

#endif
