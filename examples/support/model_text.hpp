// Says in words what a model is.
#ifndef BELLAMY_EXAMPLES_MODEL_TEXT_HPP
#define BELLAMY_EXAMPLES_MODEL_TEXT_HPP

#include <fmt/format.h>
#include <bellamy/model.hpp>

#include <string>
#include <string_view>

namespace tools {

/// "1 run", "2 runs".
[[nodiscard]] inline std::string count(std::size_t number, std::string_view unit) {
    return fmt::format("{} {}{}", number, unit, number == 1 ? "" : "s");
}

/// What answers in a model, and how certain that claims to be.
[[nodiscard]] inline std::string describe(const bellamy::model& subject) {
    const auto kind = to_string(subject.kind());
    if (subject.kind() != bellamy::model_kind::network) return fmt::format("{}, with quantiles", kind);
    return fmt::format("{} of {} parameters, points only", kind, subject.parameters().parameters().size());
}

}  // namespace tools

#endif
