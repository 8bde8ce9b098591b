#include "zip_archive.hpp"

#include <zlib.h>

#include <algorithm>
#include <fstream>

namespace tools::event_log {

namespace {

constexpr std::uint64_t in_extra_field = 0xFFFFFFFFU;  // a number of 32 bits that stands in the field for 64 bits

// Bytes of the archive as little-endian numbers; 0 beyond their end.
class fields {
public:
    explicit fields(std::string_view bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t at(std::size_t place, std::size_t size) const {
        std::uint64_t number = 0;
        for (std::size_t i = size; i-- > 0;)
            number = (number << 8U) | (place + i < bytes_.size() ? static_cast<unsigned char>(bytes_[place + i]) : 0U);
        return number;
    }
    [[nodiscard]] std::string_view text(std::size_t place, std::size_t size) const {
        return place < bytes_.size() ? bytes_.substr(place, size) : std::string_view();
    }

private:
    std::string_view bytes_;
};

[[nodiscard]] std::string bytes_at(std::ifstream& file, std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(file.bad() ? 0 : static_cast<std::size_t>((std::max<std::streamsize>)(0, file.gcount())));
    return bytes;
}

struct directory {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// The record at the archive's end, which a comment of at most 64 KB may follow, or that for large archives before it.
[[nodiscard]] std::optional<directory> directory_of(std::ifstream& file) {
    file.seekg(0, std::ios::end);
    const auto end = static_cast<std::uint64_t>((std::max<std::streamoff>)(0, file.tellg()));
    const std::uint64_t searched = (std::min<std::uint64_t>)(end, 22 + 65535 + 20);
    const auto tail = bytes_at(file, end - searched, searched);
    const auto place = tail.rfind("PK\x05\x06");
    if (place == tail.npos) return std::nullopt;
    const fields record(std::string_view(tail).substr(place));
    directory entries{.offset = record.at(16, 4), .size = record.at(12, 4)};
    if (entries.offset != in_extra_field && entries.size != in_extra_field) return entries;
    const auto locator = tail.rfind("PK\x06\x07", place);
    if (locator == tail.npos) return std::nullopt;
    const auto large = bytes_at(file, fields(std::string_view(tail).substr(locator)).at(8, 8), 56);
    if (!large.starts_with("PK\x06\x06")) return std::nullopt;
    return directory{.offset = fields(large).at(48, 8), .size = fields(large).at(40, 8)};
}

// Sizes and offsets of 64 bits stand in an extra field, those alone that the entry has no room for.
void take_large(std::string_view extra, std::uint64_t& unpacked, std::uint64_t& packed, std::uint64_t& offset) {
    const fields all(extra);
    for (std::size_t at = 0; at + 4 <= extra.size(); at += 4 + all.at(at + 2, 2)) {
        if (all.at(at, 2) != 1) continue;
        auto place = at + 4;
        for (auto* number : {&unpacked, &packed, &offset}) {
            if (*number != in_extra_field) continue;
            *number = all.at(place, 8);
            place += 8;
        }
    }
}

}  // namespace

std::optional<std::vector<zip_member>> zip_members(const std::string& path) {
    constexpr std::uint64_t largest_directory = std::uint64_t{256} << 20U;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    const auto where = directory_of(file);
    if (!where || where->size > largest_directory) return std::nullopt;
    const auto bytes = bytes_at(file, where->offset, where->size);
    const fields all(bytes);
    std::vector<zip_member> members;
    for (std::size_t at = 0; all.text(at, 4) == "PK\x01\x02";) {
        const auto name_size = all.at(at + 28, 2);
        const auto extra_size = all.at(at + 30, 2);
        auto packed = all.at(at + 20, 4);
        auto unpacked = all.at(at + 24, 4);
        auto offset = all.at(at + 42, 4);
        take_large(all.text(at + 46 + name_size, extra_size), unpacked, packed, offset);
        const auto method = all.at(at + 10, 2);
        const bool is_encrypted = (all.at(at + 8, 2) & 1U) != 0;
        const std::string name(all.text(at + 46, name_size));
        at += 46 + name_size + extra_size + all.at(at + 32, 2);
        if (name.ends_with('/')) continue;
        const auto header = bytes_at(file, offset, 30);
        if (is_encrypted || (method != 0 && method != 8) || !is_zip(header)) return std::nullopt;
        const auto data = offset + 30 + fields(header).at(26, 2) + fields(header).at(28, 2);
        if (data > INT64_MAX || packed > INT64_MAX) return std::nullopt;
        members.push_back({.name = name,
                           .offset = static_cast<std::int64_t>(data),
                           .packed_bytes = static_cast<std::int64_t>(packed),
                           .is_deflated = method == 8});
    }
    return members;
}

bool read_zip_member(const std::string& path, const zip_member& member,
                     const std::function<bool(std::span<const char>)>& use) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(member.offset);
    z_stream stream{};
    if (!file || inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
    std::vector<char> packed(std::size_t{1} << 16U);
    std::vector<char> room(std::size_t{1} << 18U);
    bool good = true;
    bool more = true;
    bool ended = !member.is_deflated;
    for (auto left = member.packed_bytes; good && more && left > 0;) {
        file.read(packed.data(), (std::min<std::streamsize>)(left, static_cast<std::streamsize>(packed.size())));
        const auto size = file.gcount();
        left -= size;
        if (size <= 0) good = false;
        if (!member.is_deflated) {
            more = use({packed.data(), static_cast<std::size_t>(size)});
            continue;
        }
        stream.next_in = reinterpret_cast<Bytef*>(packed.data());
        stream.avail_in = static_cast<uInt>(size);
        while (good && more && !ended && (stream.avail_in > 0 || stream.avail_out == 0)) {
            stream.next_out = reinterpret_cast<Bytef*>(room.data());
            stream.avail_out = static_cast<uInt>(room.size());
            const int status = inflate(&stream, Z_NO_FLUSH);
            ended = status == Z_STREAM_END;
            good = ended || status == Z_OK || status == Z_BUF_ERROR;
            const auto count = room.size() - stream.avail_out;
            if (count > 0) more = use({room.data(), count});
            if (status == Z_BUF_ERROR && count == 0) break;
        }
    }
    inflateEnd(&stream);
    return good && (ended || !more);
}

}  // namespace tools::event_log
