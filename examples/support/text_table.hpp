// Cells in columns as wide as they need; numbers to the right, words to the left.
#ifndef BELLAMY_EXAMPLES_TEXT_TABLE_HPP
#define BELLAMY_EXAMPLES_TEXT_TABLE_HPP

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "printable.hpp"

namespace tools {

class text_table {
public:
    void add_column(std::string title, bool of_numbers) { columns_.push_back({std::move(title), of_numbers}); }
    void add_cell(std::string cell) { cells_.push_back(printable(std::move(cell))); }

    [[nodiscard]] std::string text() const {
        std::vector<std::size_t> widths;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            widths.push_back(columns_[c].title.size());
            for (std::size_t i = c; i < cells_.size(); i += columns_.size())
                widths.back() = std::max(widths.back(), cells_[i].size());
        }
        std::string lines;
        const auto add = [&](const std::string& cell, std::size_t c) {
            lines +=
                columns_[c].of_numbers ? fmt::format("{:>{}}", cell, widths[c]) : fmt::format("{:<{}}", cell, widths[c]);
            if (c + 1 < columns_.size()) {
                lines += "  ";
            } else {
                lines.erase(lines.find_last_not_of(' ') + 1);
                lines += '\n';
            }
        };
        for (std::size_t c = 0; c < columns_.size(); ++c) add(columns_[c].title, c);
        for (std::size_t i = 0; i < cells_.size(); ++i) add(cells_[i], i % columns_.size());
        return lines;
    }

private:
    struct column {
        std::string title;
        bool of_numbers;
    };
    std::vector<column> columns_{};
    std::vector<std::string> cells_{};
};

}  // namespace tools

#endif
