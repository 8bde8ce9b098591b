// Whole files in, whole files out; what is written appears completely or not at all.
#ifndef BELLAMY_DETAIL_FILE_HPP
#define BELLAMY_DETAIL_FILE_HPP

#include <bellamy/detail/message.hpp>

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bellamy::inline BELLAMY_ABI::detail {

struct close_file {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using file = std::unique_ptr<std::FILE, close_file>;

[[nodiscard]] inline result<std::vector<std::byte>> read_file(const std::string& path, std::size_t largest) {
    const file in(std::fopen(path.c_str(), "rb"));
    if (!in) return fail(errc::cannot_read, "expected a readable file, found none at ", path);
    std::vector<std::byte> bytes;
    std::array<std::byte, 65536> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), in.get())) {
        bytes.insert(bytes.end(), part.data(), part.data() + count);
        if (bytes.size() > largest)
            return fail(errc::invalid_model, "expected at most ", largest, " bytes, found more in ", path);
    }
    if (std::ferror(in.get()) != 0) return fail(errc::cannot_read, "expected a readable file, found a read error in ", path);
    return bytes;
}

/// Writes beside the target and renames, so that a failure leaves what was there before.
[[nodiscard]] inline result<void> write_file(const std::string& path, std::span<const std::byte> bytes) {
    const std::string partial = path + ".partial";
    file out(std::fopen(partial.c_str(), "wb"));
    if (!out) return fail(errc::cannot_write, "expected a writable file, found that it cannot be created: ", partial);
    bool written = std::fwrite(bytes.data(), 1, bytes.size(), out.get()) == bytes.size();
    written = std::fclose(out.release()) == 0 && written;
    if (written && std::rename(partial.c_str(), path.c_str()) == 0) return {};
    std::remove(partial.c_str());
    return fail(errc::cannot_write, "expected a writable file, found that it cannot be written: ", path);
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
