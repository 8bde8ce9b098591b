// Any bytes as a zip archive: its files, and the logs that are found in it and imported.
#ifndef BELLAMY_TESTS_FUZZ_ZIP_ARCHIVE_HPP
#define BELLAMY_TESTS_FUZZ_ZIP_ARCHIVE_HPP

#include <atomic>
#include <filesystem>

#include "../../examples/support/event_log/import.hpp"
#include "../../examples/support/event_log/zip_archive.hpp"
#include "../../examples/support/tool_error.hpp"
#include "../support/temporary_directory.hpp"
#include "input.hpp"

namespace fuzz {

inline void read_member(const std::string& archive, const tools::event_log::zip_member& member) {
    std::int64_t read = 0;
    const bool good = read_zip_member(archive, member, [&](std::span<const char> part) {
        require(!part.empty(), "each piece of a file has bytes");
        read += static_cast<std::int64_t>(part.size());
        return true;
    });
    require(read <= member.unpacked_bytes, "a file has no more bytes than the directory says");
    require(!good || read == member.unpacked_bytes, "and no fewer, or it is damaged");
    if (read == 0) return;
    int pieces = 0;
    require(read_zip_member(archive, member, [&](std::span<const char>) { return ++pieces == 0; }) && pieces == 1,
            "who has enough gets no more");
}

inline void read_members(const std::string& archive) {
    std::int64_t unpacked = 0;
    try {
        for (const auto& each : tools::event_log::zip_members(archive)) {
            unpacked += each.unpacked_bytes;
            if (each.problem.empty()) read_member(archive, each);
        }
    } catch (const tools::tool_error& refused) {
        require(std::string_view(refused.what()).find("expected a zip archive") != std::string_view::npos,
                "what is refused is explained");
    }
    const auto most = tools::event_log::most_unpacked_bytes(static_cast<std::int64_t>(std::filesystem::file_size(archive)));
    require(unpacked <= most, "an archive unpacks to no more than it may");
}

inline void try_zip_archive(bytes all) {
    static const support::temporary_directory place;
    const auto archive = place / "logs.zip";
    support::write_text(archive, std::string(all.begin(), all.end()));
    read_members(archive);
    const auto sources = tools::event_log::find_logs({archive});
    require(!sources.empty(), "an archive has logs, or is said to have none");
    std::atomic<std::int64_t> bytes_done = 0;
    for (const auto& each : sources) {
        const auto made = import_log(each, {}, bytes_done);
        require(made.skipped.empty() != made.packed_trace.empty(), "a log is taken, or skipped with the reason");
    }
    require(place.listing() == "logs.zip ", "nothing is unpacked onto the disk");
}

}  // namespace fuzz

#endif
