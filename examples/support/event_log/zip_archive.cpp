#include "zip_archive.hpp"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "../tool_error.hpp"

namespace tools::event_log {

namespace {

struct close_archive {
    void operator()(unzFile archive) const noexcept { (void)unzClose(archive); }
};
using opened_archive = std::unique_ptr<std::remove_pointer_t<unzFile>, close_archive>;

[[nodiscard]] tool_error cut_or_damaged() {
    return {"unreadable_archive", "expected a zip archive with a directory at its end, found one that is cut or damaged"};
}

[[nodiscard]] std::string why_unreadable(const unz_file_info64& entry) {
    constexpr unsigned long kind_of_file = 0170000;
    constexpr unsigned long link = 0120000;
    std::string found;
    if ((entry.flag & 1U) != 0)
        found = "one that is encrypted";
    else if (((entry.external_fa >> 16U) & kind_of_file) == link)
        found = "a link";
    else if (entry.compression_method != 0 && entry.compression_method != Z_DEFLATED)
        found = fmt::format("one of compression method {}", entry.compression_method);
    return found.empty() ? "" : "unreadable_member: expected a file that is stored or deflated, found " + found;
}

// The file at which the archive stands.
[[nodiscard]] zip_member current_member(unzFile archive) {
    unz_file_info64 entry{};
    unz64_file_pos at{};
    if (unzGetCurrentFileInfo64(archive, &entry, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK ||
        unzGetFilePos64(archive, &at) != UNZ_OK || entry.compressed_size > INT64_MAX || entry.uncompressed_size > INT64_MAX)
        throw cut_or_damaged();
    std::string name(entry.size_filename, '\0');
    if (unzGetCurrentFileInfo64(archive, &entry, name.data(), entry.size_filename, nullptr, 0, nullptr, 0) != UNZ_OK)
        throw cut_or_damaged();
    return {.name = std::move(name),
            .place = at.pos_in_zip_directory,
            .number = at.num_of_file,
            .packed_bytes = static_cast<std::int64_t>(entry.compressed_size),
            .unpacked_bytes = static_cast<std::int64_t>(entry.uncompressed_size),
            .problem = why_unreadable(entry)};
}

}  // namespace

std::vector<zip_member> zip_members(const std::string& path) {
    const opened_archive archive(unzOpen64(path.c_str()));
    if (!archive) throw cut_or_damaged();
    std::error_code problem;
    const auto archive_bytes = std::filesystem::file_size(path, problem);
    const auto most = most_unpacked_bytes(problem ? 0 : static_cast<std::int64_t>(archive_bytes));
    std::int64_t left = most;
    std::vector<zip_member> members;
    auto status = unzGoToFirstFile(archive.get());
    for (; status == UNZ_OK; status = unzGoToNextFile(archive.get())) {
        auto member = current_member(archive.get());
        if (member.unpacked_bytes > left)
            throw tool_error(
                "oversized_archive",
                fmt::format("expected a zip archive whose files have at most {} MB together, found more, {} MB of "
                            "them in {}",
                            most >> 20U, member.unpacked_bytes >> 20U, member.name));
        left -= member.unpacked_bytes;
        if (!member.name.ends_with('/')) members.push_back(std::move(member));
    }
    if (status != UNZ_END_OF_LIST_OF_FILE) throw cut_or_damaged();
    return members;
}

bool read_zip_member(const std::string& path, const zip_member& member,
                     const std::function<bool(std::span<const char>)>& use) {
    const opened_archive archive(unzOpen64(path.c_str()));
    const unz64_file_pos at{.pos_in_zip_directory = member.place, .num_of_file = member.number};
    if (!archive || unzGoToFilePos64(archive.get(), &at) != UNZ_OK || unzOpenCurrentFile(archive.get()) != UNZ_OK)
        return false;
    std::vector<char> room(std::size_t{1} << 12U);  // as much may be lost before a damage
    auto left = member.unpacked_bytes;
    while (left > 0) {
        const auto size = unzReadCurrentFile(archive.get(), room.data(), static_cast<unsigned>(room.size()));
        if (size <= 0) return false;
        left -= size;
        if (!use({room.data(), static_cast<std::size_t>(size)})) return true;
    }
    return unzCloseCurrentFile(archive.get()) == UNZ_OK;  // the checksum is right
}

}  // namespace tools::event_log
