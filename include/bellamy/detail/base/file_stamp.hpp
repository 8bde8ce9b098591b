// A file's size, times and number on the disk, to detect a change without reading it.
#ifndef BELLAMY_DETAIL_BASE_FILE_STAMP_HPP
#define BELLAMY_DETAIL_BASE_FILE_STAMP_HPP

#include <bellamy/version.hpp>

#include <cstdint>
#include <optional>
#include <string>

#if !defined(_WIN32)
#include <sys/stat.h>

#include <cerrno>
#else
#include <filesystem>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Differs between two versions of a file, unless both have the same size and time and the system has no file numbers.
struct file_stamp {
    std::uint64_t size = 0;
    /// Time of the last change, in the system's units.
    std::int64_t changed = 0;
    std::int64_t changed_ns = 0;
    /// Number of the file on its disk, where the system has one: a file renamed to this name brings its own.
    std::uint64_t number = 0;

    bool operator==(const file_stamp&) const = default;
};

/// The stamp of a file; nothing where there is no regular file. Costs a system call.
inline std::optional<file_stamp> stamp_of(const std::string& path) {
#if !defined(_WIN32)
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
#if defined(__APPLE__)
    const auto& time = status.st_mtimespec;
#else
    const auto& time = status.st_mtim;
#endif
    return file_stamp{.size = static_cast<std::uint64_t>(status.st_size),
                      .changed = static_cast<std::int64_t>(time.tv_sec),
                      .changed_ns = static_cast<std::int64_t>(time.tv_nsec),
                      .number = static_cast<std::uint64_t>(status.st_ino)};
#else
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed) || failed) return std::nullopt;
    const auto size = std::filesystem::file_size(path, failed);
    if (failed) return std::nullopt;
    const auto time = std::filesystem::last_write_time(path, failed);
    if (failed) return std::nullopt;
    return file_stamp{.size = size, .changed = static_cast<std::int64_t>(time.time_since_epoch().count())};
#endif
}

/// Whether there is nothing at a path, which is more than that its stamp cannot be had: a disk may fail.
inline bool is_absent(const std::string& path) {
#if !defined(_WIN32)
    struct stat status {};
    return stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
#else
    std::error_code failed;
    return std::filesystem::status(path, failed).type() == std::filesystem::file_type::not_found;
#endif
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
