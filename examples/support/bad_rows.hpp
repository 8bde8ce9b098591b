// Rows of a table that cannot be used: some are told at once and all counted, or they are left out.
#ifndef BELLAMY_EXAMPLES_BAD_ROWS_HPP
#define BELLAMY_EXAMPLES_BAD_ROWS_HPP

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tool_error.hpp"

namespace tools {

/// Collects what is wrong with rows while a table is read.
class bad_rows {
public:
    explicit bad_rows(bool skip = false) : skip_(skip) {}

    void add(const tool_error& problem) { problems_.emplace_back(problem.what()); }

    /// Error: that of the first row, which names the others too, unless they are to be left out.
    void require_none() const {
        if (skip_ || problems_.empty()) return;
        const auto& first = problems_.front();
        const auto end_of_code = first.find(": ");
        auto sentence = first.substr(end_of_code + 2);
        for (std::size_t i = 1; i < problems_.size() && i < most_named; ++i) sentence += "; " + problems_[i];
        if (problems_.size() > most_named) sentence += fmt::format("; and {} more", problems_.size() - most_named);
        if (problems_.size() > 1) sentence += fmt::format(" ({} bad rows)", problems_.size());
        throw tool_error(first.substr(0, end_of_code), sentence);
    }

    [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

private:
    static constexpr std::size_t most_named = 5;
    bool skip_;
    std::vector<std::string> problems_{};
};

}  // namespace tools

#endif
