// Writes files so that nothing is ever left half-written, and nothing of anyone else's is lost.
#ifndef BELLAMY_EXAMPLES_OUTPUT_FILE_HPP
#define BELLAMY_EXAMPLES_OUTPUT_FILE_HPP

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

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

}  // namespace detail

/// Where the links lead that stand at `path`, be it to a file or to none yet; without a link `path`. A rename to it keeps
/// the links. Error: cannot_write for links that lead nowhere.
[[nodiscard]] inline std::string link_target(const std::string& path) {
    std::filesystem::path at = path;
    constexpr int most_links = 40;  // as Linux has it
    for (int links = 0; links <= most_links; ++links) {
        std::error_code no_link;
        const auto next = std::filesystem::read_symlink(at, no_link);
        if (no_link) return at.string();
        at = at.parent_path() / next;
    }
    detail::refuse_to_write(path, std::make_error_code(std::errc::too_many_symbolic_link_levels));
}

/// A file that grows beside its place, under a name that nothing had, and moves there when it is complete. If it does not
/// come to that, nothing stays of it. A link keeps leading to its target, which is written; a device gets the bytes as they
/// come.
class output_file {
public:
    /// Error: cannot_write.
    explicit output_file(std::string path) : path_(std::move(path)) {
        std::error_code unknown;
        if (std::filesystem::is_directory(path_, unknown)) refuse(EISDIR);
        if (detail::is_device(path_)) {
            file_ = std::fopen(path_.c_str(), "wb");
            if (file_ == nullptr) refuse(errno);
            return;
        }
        target_ = link_target(path_);
        open_beside_target();
    }
    ~output_file() {
        if (file_ != nullptr) std::fclose(file_);
        if (!temporary_.empty()) std::remove(temporary_.c_str());
    }
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    /// Before anything is written: none but the owner can read it. Of a device that is left to whoever made it. Error:
    /// cannot_write.
    void make_private() const {
        if (temporary_.empty()) return;
        std::error_code why;
        using std::filesystem::perms;
        std::filesystem::permissions(temporary_, perms::owner_read | perms::owner_write, why);
        if (why) refuse(why.value());
    }

    /// Error: cannot_write.
    void write(std::string_view bytes) {
        errno = 0;
        if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) refuse(errno);
    }

    /// The file is complete. Error: cannot_write.
    void close() {
        errno = 0;
        if (std::fclose(std::exchange(file_, nullptr)) != 0) refuse(errno);
        if (temporary_.empty()) return;
        std::error_code why;
        std::filesystem::rename(temporary_, target_, why);
        if (why) refuse(why.value());
        temporary_.clear();
    }

private:
    [[noreturn]] void refuse(int why) const { detail::refuse_to_write(path_, {why, std::generic_category()}); }

    void open_beside_target() {
        constexpr int most_taken = 1000;
        for (int taken = 0; taken < most_taken && file_ == nullptr; ++taken) {
            auto name = target_ + ".partial" + (taken == 0 ? "" : std::to_string(taken));
            file_ = std::fopen(name.c_str(), "wbx");  // x: what is there already belongs to someone else
            if (file_ == nullptr && errno != EEXIST) break;
            if (file_ != nullptr) temporary_ = std::move(name);
        }
        if (file_ == nullptr) refuse(errno);
    }

    std::string path_;
    std::string target_{};
    std::string temporary_{};  // empty for a device, and where there is none
    std::FILE* file_ = nullptr;
};

/// Finds out, before hours of work, whether `path` can be written; leaves no trace, and a device alone: to whom a pipe leads
/// would see its end. Error: cannot_write.
inline void require_writable(const std::string& path) {
    if (detail::is_device(path)) return;
    const output_file probe(path);
}

/// At `path` stands afterwards either all of `contents` or what stood there before; a device gets the bytes. Error:
/// cannot_write.
inline void write_file(const std::string& path, std::string_view contents) {
    output_file file(path);
    file.write(contents);
    file.close();
}

}  // namespace tools

#endif
