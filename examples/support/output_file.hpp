// Writes files so that nothing is ever left half-written.
#ifndef BELLAMY_EXAMPLES_OUTPUT_FILE_HPP
#define BELLAMY_EXAMPLES_OUTPUT_FILE_HPP

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "tool_error.hpp"

namespace tools {

namespace detail {

[[noreturn]] inline void refuse_to_write(const std::string& path, const std::error_code& why) {
    throw tool_error("cannot_write",
                     fmt::format("expected a file that can be written at {}, found: {}", path, why.message()));
}

// A pipe, a terminal or /dev/null, which a rename would replace.
[[nodiscard]] inline bool is_device(const std::string& path) {
    std::error_code unknown;
    const auto kind = std::filesystem::status(path, unknown);
    return std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind) && !std::filesystem::is_directory(kind);
}

// Writes to the temporary neighbour of `path`; where that fails, nothing stays.
inline std::string write_temporary(const std::string& path, std::string_view contents) {
    if (std::filesystem::is_directory(path)) refuse_to_write(path, std::make_error_code(std::errc::is_a_directory));
    std::string temporary = is_device(path) ? path : path + ".partial";
    std::FILE* const file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) refuse_to_write(path, {errno, std::generic_category()});
    errno = 0;
    const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
    if (std::fclose(file) == 0 && written) return temporary;
    const std::error_code why{errno, std::generic_category()};
    if (temporary != path) std::filesystem::remove(temporary);
    refuse_to_write(path, why);
}

}  // namespace detail

/// Finds out, before hours of work, whether `path` can be written; leaves no trace, and a device alone: to whom a pipe leads
/// would see its end. Error: cannot_write.
inline void require_writable(const std::string& path) {
    if (!detail::is_device(path)) std::filesystem::remove(detail::write_temporary(path, ""));
}

/// At `path` stands afterwards either all of `contents` or what stood there before; a device gets the bytes. Error:
/// cannot_write.
inline void write_file(const std::string& path, std::string_view contents) {
    const auto temporary = detail::write_temporary(path, contents);
    if (temporary == path) return;
    std::error_code why;
    std::filesystem::rename(temporary, path, why);
    if (!why) return;
    std::filesystem::remove(temporary);
    detail::refuse_to_write(path, why);
}

}  // namespace tools

#endif
