// Two versions of a model on disk: the valid one, and the previous one for a roll-back.
//
//   <name>.bellamy                the valid version
//   <name>.<checksum>.before      the version before the one with this checksum
//
// The rename to <name>.bellamy decides which version is valid, and its checksum which one is the previous one: a process
// that is killed leaves both versions unchanged or both exchanged.
#ifndef BELLAMY_DETAIL_FORMAT_VERSIONS_HPP
#define BELLAMY_DETAIL_FORMAT_VERSIONS_HPP

#include <bellamy/detail/base/file.hpp>
#include <bellamy/detail/format/envelope.hpp>

#if defined(_WIN32)
#include <filesystem>
#else
#include <dirent.h>
#endif

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// With what is added to it, a name of a file stays below the usual limit of 255 bytes.
inline constexpr size_t longest_model_name_bytes = 128;

/// Refuses names that could lead out of a folder, that hide a file, or that not every system can store.
/// Error: invalid_option.
inline result<void> check_model_name(std::string_view name) noexcept {
    const auto forbidden = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || contains(std::string_view("/\\:*?\"<>|"), c);
    };
    if (!name.empty() && name.size() <= longest_model_name_bytes && name.front() != '.' && is_utf8(name) &&
        !any_of(name, forbidden))
        return {};
    return fail(errc::invalid_option, "expected a name of 1 to ", longest_model_name_bytes,
                " bytes of UTF-8 that do not begin with a dot, without control characters and / \\ : * ? \" < > |, found ",
                name.size(), " bytes that are none");
}

/// The checksum at the end of a model file; nothing where the file is damaged or not a model.
inline std::optional<std::uint64_t> checksum_of_model(std::span<const std::byte> bytes) {
    if (!open_envelope(bytes)) return std::nullopt;
    return byte_reader(bytes.last(model_checksum_bytes)).number<std::uint64_t>();
}

inline constexpr std::string_view model_ending = ".bellamy";
inline constexpr std::string_view before_ending = ".before";

inline std::string version_path(const std::string& folder, std::string_view name) {
    return folder + "/" + std::string(name) + std::string(model_ending);
}
inline std::string version_before_path(const std::string& folder, std::string_view name, std::uint64_t checksum) {
    return folder + "/" + std::string(name) + "." + hexadecimal(checksum) + std::string(before_ending);
}

/// Why a call for a model's file failed. A missing file: the job has no model yet. A missing folder: perhaps a disk that is
/// not mounted.
inline error unless_absent(const std::string& path, const error& cause) {
    if (!is_absent(path)) return cause;
    const auto folder = directory_of(path);
    if (is_absent(folder)) return fail(errc::cannot_read, "expected a folder that exists, found none at ", folder);
    return fail(errc::model_not_found, "expected a model, found no file ", path);
}

/// The bytes of a model's file. Errors: model_not_found, also where the file vanishes meanwhile; those of `read_file`.
inline result<std::vector<std::byte>> read_version(const std::string& path) {
    if (!stamp_of(path))
        return unless_absent(path, fail(errc::cannot_read, "expected a readable file, found none at ", path));
    auto bytes = read_file(path, largest_model_bytes);
    return bytes ? std::move(bytes) : unless_absent(path, bytes.error());
}

/// Makes a version valid, and the one that was valid the version before. Writes through to the disk, at most twice.
/// Errors: cannot_read, cannot_write; then both versions are as they were.
/// Precondition: `next` is a model; nobody else of this process writes versions of this name.
inline result<void> place_version(const std::string& folder, std::string_view name, std::span<const std::byte> next) {
    const auto path = version_path(folder, name);
    if (!stamp_of(path)) return write_file(path, next);
    const auto current = read_version(path);
    if (!current) return current.error().code() == errc::model_not_found ? write_file(path, next) : current.error();
    const auto current_checksum = checksum_of_model(*current);
    const auto next_checksum = checksum_of_model(next);
    if (const auto opened = open_envelope(*current); !opened && opened.error().code() == errc::unsupported_version)
        return opened.error();                             // of a newer library, which would lose it
    if (!current_checksum) return write_file(path, next);  // damaged: there is nothing to go back to
    if (current_checksum == next_checksum) return {};
    const auto obsolete = version_before_path(folder, name, *current_checksum);
    if (auto kept = write_file(version_before_path(folder, name, *next_checksum), *current); !kept) return kept;
    if (auto placed = write_file(path, next); !placed) return placed;
    std::remove(obsolete.c_str());
    return {};
}

/// The names of all entries, in the order of the system. Error: cannot_read.
inline result<std::vector<std::string>> entries_of(const std::string& directory) {
    std::vector<std::string> names;
#if defined(_WIN32)
    std::error_code failed;
    for (auto at = std::filesystem::directory_iterator(directory, failed);
         !failed && at != std::filesystem::directory_iterator(); at.increment(failed))
        names.push_back(at->path().filename().string());
    if (!failed) return names;
#else
    const struct folder {
        DIR* opened;
        ~folder() {
            if (opened != nullptr) (void)closedir(opened);
        }
    } open{opendir(directory.c_str())};
    if (open.opened != nullptr) {
        // Each thread has a stream of its own, for which readdir is safe. NOLINTNEXTLINE(concurrency-mt-unsafe)
        while (const auto* const entry = readdir(open.opened)) names.emplace_back(entry->d_name);
        return names;
    }
#endif
    return fail(errc::cannot_read, "expected a readable folder, found none at ", directory);
}

/// The names of the files with this ending, without it, in alphabetical order. Error: cannot_read.
inline result<std::vector<std::string>> names_of_files(const std::string& directory, std::string_view ending) {
    auto found = entries_of(directory);
    if (!found) return found;
    std::erase_if(*found, [&](std::string& file) {
        if (!file.ends_with(ending) || !stamp_of(directory + "/" + file)) return true;
        file.resize(file.size() - ending.size());
        return !check_model_name(file);
    });
    sort(*found);
    return found;
}

/// Removes a model and all versions before it. Errors: model_not_found, cannot_read, cannot_write.
inline result<void> remove_versions(const std::string& folder, std::string_view name) {
    const auto path = version_path(folder, name);
    const auto inside = folder + "/";
    const auto entries = entries_of(folder);
    if (!entries) return unless_absent(path, entries.error());
    if (std::remove(path.c_str()) != 0)
        return unless_absent(
            path,
            fail(errc::cannot_write, "expected a folder in which files may be removed, found that this cannot be: ", path));
    const auto before = version_before_path({}, name, 0).substr(1);  // with zeros for the checksum
    const auto checksum_at = before.size() - before_ending.size() - 16;
    for (const auto& entry : *entries)
        if (entry.size() == before.size() && entry.ends_with(before_ending) &&
            entry.compare(0, checksum_at, before, 0, checksum_at) == 0)
            std::remove((inside + entry).c_str());
    flush_directory(inside);
    return {};
}

/// The bytes of the version before the one with this checksum. Errors: model_not_found, those of `read_file`.
inline result<std::vector<std::byte>> read_version_before(const std::string& folder, std::string_view name,
                                                          std::uint64_t checksum) {
    const auto path = version_before_path(folder, name, checksum);
    auto bytes = read_version(path);
    if (!bytes && is_absent(path)) return fail(errc::model_not_found, "expected a version before the valid one, found none");
    return bytes;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
