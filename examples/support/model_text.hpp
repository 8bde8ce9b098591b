// Says in words what a model is, or why none was loaded.
#ifndef BELLAMY_EXAMPLES_MODEL_TEXT_HPP
#define BELLAMY_EXAMPLES_MODEL_TEXT_HPP

#include <fmt/format.h>
#include <bellamy/model.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "tool_error.hpp"

namespace tools {

/// "1 run", "2 runs".
[[nodiscard]] inline std::string count(std::size_t number, std::string_view unit) {
    return fmt::format("{} {}{}", number, unit, number == 1 ? "" : "s");
}

/// How a model predicts.
[[nodiscard]] inline std::string describe(const bellamy::model& subject) {
    if (subject.kind() == bellamy::model_kind::network)
        return fmt::format("paper mode: network of {} parameters, no quantiles", subject.parameters().parameters().size());
    return subject.kind() == bellamy::model_kind::shapes ? "curves of other jobs, with quantiles"
                                                         : "best mode: statistical models, with quantiles";
}

/// What was loaded; an error names the file.
template <class Model>
[[nodiscard]] Model loaded(bellamy::result<Model> from, const std::string& path) {
    if (from) return *std::move(from);
    const auto& why = from.error();
    const bool is_named = why.message().find(path) != std::string_view::npos;
    throw tool_error(to_string(why.code()), fmt::format("{}{}", why.message(), is_named ? "" : " in " + path));
}

}  // namespace tools

#endif
