// Application models as bytes and files. The format, its versions and what is checked: detail/format/envelope.hpp.
#ifndef BELLAMY_APPLICATION_FILE_HPP
#define BELLAMY_APPLICATION_FILE_HPP

#include <bellamy/application.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// The model as bytes, with a self-test: questions to some of its parts and their present answers. At most 64 bytes for each
/// part (stage, job, run) and recorded run, plus about a kilobyte for each part. Costs a few binds of parts. Allocates.
/// Error: number_too_large, where loading would refuse it (above 64 MB; 2 GB in memory).
result<std::vector<std::byte>> to_bytes(const application_model& application);

/// The application model in these bytes, which are not trusted. Its self-test must pass within a ten-thousandth. With the
/// same build and machine it predicts the same bits as the saved model. Takes milliseconds for each part. Errors:
/// not_a_model, unsupported_version, truncated, corrupted, invalid_model; self_test_failed where this build or machine
/// predicts otherwise.
result<application_model> application_from_bytes(std::span<const std::byte> bytes);

/// Writes a model file as `save` of models does. Errors: those of `to_bytes`, cannot_write.
result<void> save(const application_model& application, const std::string& path);

/// Reads a model file. Errors: cannot_read, and those of `application_from_bytes`.
result<application_model> load_application(const std::string& path);

}}  // namespace bellamy::BELLAMY_ABI

#ifndef BELLAMY_COMPILED
#include <bellamy/detail/application/application_file_impl.hpp>  // IWYU pragma: export
#endif

#endif
