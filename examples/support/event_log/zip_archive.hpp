// The files in a zip archive, as the history server hands out logs.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_ZIP_ARCHIVE_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_ZIP_ARCHIVE_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tools::event_log {

/// One file of an archive: where its bytes stand, and whether they are deflated.
struct zip_member {
    std::string name{};
    std::int64_t offset = 0;
    std::int64_t packed_bytes = 0;
    bool is_deflated = false;
};

[[nodiscard]] inline bool is_zip(std::string_view first_bytes) noexcept { return first_bytes.starts_with("PK\x03\x04"); }

/// The files of an archive by its directory, also of more than 4 GB; empty where it has none, is cut, or its files are
/// encrypted or packed otherwise.
[[nodiscard]] std::optional<std::vector<zip_member>> zip_members(const std::string& path);

/// Gives the bytes of a file to `use` until that returns false. False: the archive cannot be read or is damaged.
[[nodiscard]] bool read_zip_member(const std::string& path, const zip_member& member,
                                   const std::function<bool(std::span<const char>)>& use);

}  // namespace tools::event_log

#endif
