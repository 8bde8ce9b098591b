// An empty directory that is gone at the end of the test.
#ifndef BELLAMY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_HPP
#define BELLAMY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_HPP

#include "numbered.hpp"

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>

namespace support {

class temporary_directory {
public:
    temporary_directory() {
        std::random_device entropy;
        do {
            path_ = std::filesystem::temp_directory_path() / numbered("bellamy-tests-", entropy());
        } while (!std::filesystem::create_directory(path_));
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

    /// Names of what is in it, each followed by a blank.
    [[nodiscard]] std::string listing() const {
        std::set<std::string> sorted;
        for (const auto& each : std::filesystem::directory_iterator(path_)) sorted.insert(each.path().filename().string());
        std::string names;
        for (const auto& each : sorted) names += each + ' ';
        return names;
    }

private:
    std::filesystem::path path_;
};

[[nodiscard]] inline std::string read_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

inline void write_text(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

}  // namespace support

#endif
