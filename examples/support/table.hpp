// Reads a table of text, separated by tabs, commas or semicolons, with a line of column names.
#ifndef BELLAMY_EXAMPLES_TABLE_HPP
#define BELLAMY_EXAMPLES_TABLE_HPP

#include <csv.h>
#include <fmt/ranges.h>
#include <bellamy/run.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bad_rows.hpp"
#include "tool_error.hpp"

namespace tools {

struct table_row {
    std::size_t line = 0;  // of the file, from 1, where the row begins
    std::vector<std::string> cells{};
};

/// Every row has as many cells as there are columns.
struct table {
    std::string path{};
    std::vector<std::string> columns{};
    std::vector<table_row> rows{};

    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
        const auto at = std::find(columns.begin(), columns.end(), name);
        if (at == columns.end()) return std::nullopt;
        return static_cast<std::size_t>(at - columns.begin());
    }

    /// Errors: unknown_column; duplicate_column, where two have that name (others may).
    [[nodiscard]] std::size_t column(std::string_view name) const {
        if (std::count(columns.begin(), columns.end(), name) > 1)
            throw tool_error("duplicate_column",
                             fmt::format("expected column {} of {} once, found \"{}\" twice", name, path, name));
        if (const auto at = find(name)) return *at;
        throw tool_error("unknown_column", fmt::format("expected one of the columns {} of {}, found \"{}\"",
                                                       fmt::join(columns, ", "), path, name));
    }

    /// "column memory, line 7 of runs.tsv": for errors.
    [[nodiscard]] std::string where(const table_row& row, std::size_t column) const {
        return fmt::format("column {}, line {} of {}", columns[column], row.line, path);
    }
};

namespace detail {

[[nodiscard]] inline std::string read_file(const std::string& path) {
    const auto refuse = [&]() -> tool_error {
        return {"cannot_read", fmt::format("expected a file that can be read at {}, found: {}", path,
                                           std::generic_category().message(errno))};
    };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) throw refuse();
    std::string contents;
    std::string block(1U << 16U, '\0');
    while (const auto size = std::fread(block.data(), 1, block.size(), file.get())) contents.append(block, 0, size);
    if (std::ferror(file.get()) != 0) throw refuse();
    return contents;
}

[[nodiscard]] inline std::size_t count_lines(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

inline void require_utf8(std::string_view contents, const std::string& path) {
    const auto valid = [](std::string_view text) {
        return text.find('\0') == text.npos &&  // no text has it, but UTF-16 does
               bellamy::validate(bellamy::context{.essential = {bellamy::text("table", std::string(text))}}).has_value();
    };
    if (valid(contents)) return;
    std::size_t line = 1;
    std::string_view rest = contents;
    for (std::size_t end = 0; (end = rest.find('\n')) != rest.npos && valid(rest.substr(0, end)); ++line)
        rest.remove_prefix(end + 1);
    throw tool_error("invalid_text",
                     fmt::format("expected a table of UTF-8 text at {}, found other bytes in line {}{}", path, line,
                                 contents.find('\0') != contents.npos ? ": it is neither a table nor an event log" : ""));
}

// What the parser's callbacks fill.
struct collected_rows {
    std::vector<table_row> rows{};
    table_row current{.line = 1};
    std::size_t line = 1;

    static void add_field(void* text, std::size_t size, void* self) {
        auto& all = *static_cast<collected_rows*>(self);
        const auto& cell = all.current.cells.emplace_back(static_cast<const char*>(text), size);
        all.line += count_lines(cell);
    }

    // Called for every line end, so also for empty lines, which are no rows.
    static void end_row(int terminator, void* self) {
        auto& all = *static_cast<collected_rows*>(self);
        if (terminator == '\n') ++all.line;
        if (!all.current.cells.empty()) all.rows.push_back(std::move(all.current));
        all.current = {.line = all.line};
    }
};

[[nodiscard]] inline std::vector<table_row> parse_rows(std::string_view contents, char delimiter, const std::string& path) {
    csv_parser parser{};
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) throw std::bad_alloc();
    const std::unique_ptr<csv_parser, void (*)(csv_parser*)> owner(&parser, &csv_free);
    csv_set_delim(&parser, static_cast<unsigned char>(delimiter));
    csv_set_space_func(&parser, [](unsigned char) { return 0; });  // blanks belong to the text

    collected_rows all;
    const auto parsed =
        csv_parse(&parser, contents.data(), contents.size(), &collected_rows::add_field, &collected_rows::end_row, &all);
    if (parsed != contents.size() || csv_fini(&parser, &collected_rows::add_field, &collected_rows::end_row, &all) != 0)
        throw tool_error("misplaced_quote",
                         fmt::format("expected quotes only around whole fields in line {} of {}, found one elsewhere",
                                     all.current.line, path));
    return std::move(all.rows);
}

}  // namespace detail

namespace detail {

// A tab where the first line has one, else the semicolon or the comma, whichever it has more of.
[[nodiscard]] inline char delimiter_of(std::string_view contents) {
    const auto first = contents.substr(0, contents.find('\n'));
    if (first.find('\t') != first.npos) return '\t';
    return std::count(first.begin(), first.end(), ';') > std::count(first.begin(), first.end(), ',') ? ';' : ',';
}

}  // namespace detail

/// The table that a file holds. `path` is for errors. Rows with too few or too many fields are left out, and added to `bad`.
/// Errors: empty_table, invalid_text, misplaced_quote.
[[nodiscard]] inline table parse_table(std::string_view contents, const std::string& path, bad_rows& bad) {
    if (contents.starts_with("\xEF\xBB\xBF")) contents.remove_prefix(3);  // byte-order mark
    detail::require_utf8(contents, path);
    auto rows = detail::parse_rows(contents, detail::delimiter_of(contents), path);
    if (rows.empty()) throw tool_error("empty_table", fmt::format("expected column names in {}, found an empty file", path));

    const auto line_without_end = contents.ends_with('\n') ? 0 : rows.back().line;
    table read{.path = path, .columns = std::move(rows.front().cells)};
    rows.erase(rows.begin());
    std::erase_if(rows, [&](const table_row& row) {
        if (row.cells.size() == read.columns.size()) return false;
        const bool is_cut = row.line == line_without_end && row.cells.size() < read.columns.size();
        bad.add({"ragged_row",
                 fmt::format("expected {} fields in line {} of {}, found {}{}", read.columns.size(), row.line, path,
                             row.cells.size(), is_cut ? " and no line end: the last line seems cut off" : "")});
        return true;
    });
    read.rows = std::move(rows);
    return read;
}

/// The same, where rows with too few or too many fields are an error. Errors: ragged_row, and those above.
[[nodiscard]] inline table parse_table(std::string_view contents, const std::string& path) {
    bad_rows bad;
    auto read = parse_table(contents, path, bad);
    bad.require_none();
    return read;
}

/// Reads the table at `path`. Errors: cannot_read, and those of `parse_table`.
[[nodiscard]] inline table read_table(const std::string& path, bad_rows& bad) {
    return parse_table(detail::read_file(path), path, bad);
}
[[nodiscard]] inline table read_table(const std::string& path) { return parse_table(detail::read_file(path), path); }

}  // namespace tools

#endif
