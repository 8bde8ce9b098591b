// The files in a zip archive, as the history server hands out logs. Nothing is unpacked onto the disk.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_ZIP_ARCHIVE_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_ZIP_ARCHIVE_HPP

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tools::event_log {

/// One file of an archive. Its name is but a name: no file of the system is looked for under it.
struct zip_member {
    std::string name{};
    std::uint64_t place = 0;  // of its entry in the directory
    std::uint64_t number = 0;
    std::int64_t packed_bytes = 0;
    std::int64_t unpacked_bytes = 0;
    /// Why it cannot be read; empty where it can.
    std::string problem{};
};

[[nodiscard]] inline bool is_zip(std::string_view first_bytes) noexcept { return first_bytes.starts_with("PK\x03\x04"); }

/// What the files of an archive may unpack to together: 200 times its own size, and no less than 1 GiB. Real event logs have
/// 10 to 25 times the size of what they are deflated to.
[[nodiscard]] constexpr std::int64_t most_unpacked_bytes(std::int64_t archive_bytes) noexcept {
    constexpr std::int64_t ratio = 200;
    constexpr std::int64_t always = std::int64_t{1} << 30U;
    if (archive_bytes > INT64_MAX / ratio) return INT64_MAX;
    return archive_bytes * ratio > always ? archive_bytes * ratio : always;
}

/// The files of an archive by its directory, those that cannot be read with the reason. Errors: unreadable_archive where it
/// is cut or damaged, oversized_archive where it would unpack to more than it may.
[[nodiscard]] std::vector<zip_member> zip_members(const std::string& path);

/// Gives the bytes of a file without a problem to `use` until that returns false. False: they are damaged, or end too soon.
[[nodiscard]] bool read_zip_member(const std::string& path, const zip_member& member,
                                   const std::function<bool(std::span<const char>)>& use);

}  // namespace tools::event_log

#endif
