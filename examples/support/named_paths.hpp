// What a program reads and writes: outputs are told apart from inputs and from each other before any work.
#ifndef BELLAMY_EXAMPLES_NAMED_PATHS_HPP
#define BELLAMY_EXAMPLES_NAMED_PATHS_HPP

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "output_file.hpp"

namespace tools {

/// A path as it was given, empty where it was not, and what it was given as: "--out" or "the history".
struct named_path {
    std::string as;
    std::string path;
};

/// As a word of an error.
[[nodiscard]] inline std::string describe(const named_path& one) { return one.as + " " + one.path; }

/// The same name for each of several inputs.
[[nodiscard]] inline std::vector<named_path> each_as(const std::string& as, const std::vector<std::string>& paths) {
    std::vector<named_path> made;
    for (const auto& each : paths) made.push_back({as, each});
    return made;
}

/// Whether two paths are one file, by whatever spelling or link, also where it does not exist yet. A device is none: it
/// loses nothing by what is written to it.
[[nodiscard]] inline bool is_same_file(const std::string& one, const std::string& other) {
    if (one.empty() || other.empty() || detail::is_device(one)) return false;
    std::error_code unknown;
    if (std::filesystem::exists(one, unknown) || std::filesystem::exists(other, unknown))
        return std::filesystem::equivalent(one, other, unknown);
    const auto whole = [&](const std::string& path) {
        const auto made = std::filesystem::weakly_canonical(std::filesystem::absolute(link_target(path)), unknown);
        return unknown ? std::filesystem::path(path) : made;
    };
    return whole(one) == whole(other);
}

/// Every output can be written, is no input and no other output. Errors: cannot_write, output_is_input, output_given_twice.
inline void require_outputs(const std::vector<named_path>& outputs, const std::vector<named_path>& inputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& output = outputs[i];
        for (const auto& input : inputs)
            if (is_same_file(output.path, input.path))
                throw tool_error("output_is_input", fmt::format("expected an output that is no input, found {}, which is {}",
                                                                describe(output), describe(input)));
        for (std::size_t other = 0; other < i; ++other)
            if (is_same_file(output.path, outputs[other].path))
                throw tool_error("output_given_twice", fmt::format("expected a file for each output, found {}, which is {}",
                                                                   describe(output), describe(outputs[other])));
    }
    for (const auto& each : outputs) {
        if (each.as == "--plot" && !each.path.empty() && !detail::is_device(each.path) && !each.path.ends_with(".svg"))
            throw tool_error("invalid_option", fmt::format("expected a name that ends in .svg, found {}", describe(each)));
        if (!each.path.empty()) require_writable(each.path);
    }
}

}  // namespace tools

#endif
