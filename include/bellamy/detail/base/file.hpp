// Reads and writes whole files; writing is atomic, by a temporary file and a rename.
#ifndef BELLAMY_DETAIL_BASE_FILE_HPP
#define BELLAMY_DETAIL_BASE_FILE_HPP

#include <bellamy/detail/base/file_stamp.hpp>
#include <bellamy/detail/base/message.hpp>

#include <array>
#include <cstdio>
#include <ctime>
#include <span>
#include <string>
#include <utility>
#include <vector>

#if defined(_WIN32)
#include <io.h>
#include <process.h>
#include <filesystem>
#elif defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// An open file, closed at the end of its scope.
class file {
public:
    file(const std::string& path, const char* mode) noexcept : handle_(std::fopen(path.c_str(), mode)) {}
    file(const file&) = delete;
    file& operator=(const file&) = delete;
    ~file() { (void)close(); }

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    std::FILE* get() const noexcept { return handle_; }
    /// Closes the file; false where buffered bytes could not be written.
    bool close() noexcept {
        auto* const open = std::exchange(handle_, nullptr);
        return open == nullptr || std::fclose(open) == 0;
    }

private:
    std::FILE* handle_;
};

/// All bytes of a file. Errors: cannot_read; invalid_model where it has more than `largest` bytes.
inline result<std::vector<std::byte>> read_file(const std::string& path, size_t largest) {
    const file in(path, "rb");
    if (!in) return fail(errc::cannot_read, "expected a readable file, found none at ", path);
    std::vector<std::byte> bytes;
    std::array<std::byte, 65536> part{};
    while (const size_t count = std::fread(part.data(), 1, part.size(), in.get())) {
        bytes.insert(bytes.end(), part.data(), part.data() + count);
        if (bytes.size() > largest)
            return fail(errc::invalid_model, "expected at most ", largest, " bytes, found more in ", path);
    }
    if (std::ferror(in.get()) != 0) return fail(errc::cannot_read, "expected a readable file, found a read error in ", path);
    return bytes;
}

/// Flushes a file to the disk, where the system supports it.
inline bool flush_to_disk(std::FILE* out) noexcept {
    if (std::fflush(out) != 0) return false;
#if defined(_WIN32)
    return _commit(_fileno(out)) == 0;
#elif defined(__unix__) || defined(__APPLE__)
    return fsync(fileno(out)) == 0;
#else
    return true;
#endif
}

/// Flushes a directory, which holds the new names of files; errors are ignored, for systems that do not support it.
inline void flush_directory([[maybe_unused]] const std::string& directory) noexcept {
#if defined(__unix__) || defined(__APPLE__)
    const int opened = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return;
    (void)fsync(opened);
    (void)close(opened);
#endif
}

inline std::string directory_of(const std::string& path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Renames `source` to `target`, which it replaces.
inline bool replace_file(const std::string& source, const std::string& target) noexcept {
#if defined(_WIN32)
    std::error_code failed;
    std::filesystem::rename(source, target, failed);
    return !failed;
#else
    return std::rename(source.c_str(), target.c_str()) == 0;
#endif
}

/// Whether `path` is a regular file or nothing: a rename would replace a device or a pipe.
inline bool is_file_or_none(const std::string& path) noexcept {
#if defined(_WIN32)
    std::error_code unknown;
    const auto kind = std::filesystem::status(path, unknown);
    return !std::filesystem::exists(kind) || std::filesystem::is_regular_file(kind);
#elif defined(__unix__) || defined(__APPLE__)
    struct stat status {};
    return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
#else
    return true;
#endif
}

/// A unique name in the directory of the target: from the process, the address of this thread's stack and, for other
/// machines that share the disk, the time.
inline std::string temporary_name(const std::string& path) {
#if defined(_WIN32)
    const auto process = _getpid();
#elif defined(__unix__) || defined(__APPLE__)
    const auto process = getpid();
#else
    const int process = 0;
#endif
    const auto stack_address = reinterpret_cast<std::uintptr_t>(&process);
    return path + "." + std::to_string(process) + "-" + std::to_string(stack_address) + "-" +
           std::to_string(std::time(nullptr)) + ".partial";
}

/// Writes a temporary file in the same directory and renames it: after a failure, the old file is unchanged.
inline result<void> write_file(const std::string& path, std::span<const std::byte> bytes) {
    if (!is_file_or_none(path))
        return fail(errc::cannot_write, "expected a regular file or none, found something else at ", path);
    const auto partial = temporary_name(path);
    const auto directory = directory_of(path);  // allocates before the file exists
    file out(partial, "wbx");                   // x: fails where the file exists
    if (!out && is_absent(directory))
        return fail(errc::cannot_write, "expected a folder that exists, found none at ", directory);
    if (!out) return fail(errc::cannot_write, "expected a writable folder, found that no file can be created at ", path);
    bool written = std::fwrite(bytes.data(), 1, bytes.size(), out.get()) == bytes.size();
    written = flush_to_disk(out.get()) && written;
    written = out.close() && written;
    if (written && replace_file(partial, path)) {
        flush_directory(directory);
        return {};
    }
    std::remove(partial.c_str());
    return fail(errc::cannot_write, "expected a writable file, found that it cannot be written: ", path);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
