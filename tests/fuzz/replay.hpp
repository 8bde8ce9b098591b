// A fuzzer's body on each file of its corpus.
#ifndef BELLAMY_TESTS_FUZZ_REPLAY_HPP
#define BELLAMY_TESTS_FUZZ_REPLAY_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "input.hpp"

namespace fuzz {

template <class Body>
void replay(const std::string& name, const Body& body) {
    std::vector<std::filesystem::path> files;
    for (const auto& each : std::filesystem::directory_iterator(std::filesystem::path(BELLAMY_FUZZ_CORPUS) / name))
        files.push_back(each.path());
    REQUIRE_FALSE(files.empty());
    std::sort(files.begin(), files.end());
    for (const auto& each : files) {
        CAPTURE(each.filename().string());
        std::ifstream in(each, std::ios::binary);
        const std::string content((std::istreambuf_iterator<char>(in)), {});
        const std::vector<std::uint8_t> whole(content.begin(), content.end());
        CHECK_NOTHROW(body(bytes(whole)));
    }
}

}  // namespace fuzz

#endif
