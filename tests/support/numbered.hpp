// "p7": a name with a number.
#ifndef BELLAMY_TESTS_SUPPORT_NUMBERED_HPP
#define BELLAMY_TESTS_SUPPORT_NUMBERED_HPP

#include <string>

namespace support {

// Appended, because GCC 12 warns wrongly about "p" + std::to_string(number).
[[nodiscard]] inline std::string numbered(std::string name, std::size_t number) {
    name += std::to_string(number);
    return name;
}

}  // namespace support

#endif
