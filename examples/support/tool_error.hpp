// What the example programs throw for bad input that the library never gets to see.
#ifndef BELLAMY_EXAMPLES_TOOL_ERROR_HPP
#define BELLAMY_EXAMPLES_TOOL_ERROR_HPP

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace tools {

/// `what()` is "code: sentence", as that of `bellamy::failure`, so that users see one kind of message. The
/// code invalid_option is wrong usage.
class tool_error : public std::runtime_error {
public:
    tool_error(std::string_view code, std::string_view sentence)
        : std::runtime_error(fmt::format("{}: {}", code, sentence)) {}
};

}  // namespace tools

#endif
