// A history as a table: reads runs from CSV, and writes each new run as a line of it.
#ifndef BELLAMY_RUN_TABLE_HPP
#define BELLAMY_RUN_TABLE_HPP

#include <bellamy/detail/base/decimal.hpp>
#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/nearest_name.hpp>
#include <bellamy/schema.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

/// Names of the columns that are no property. The outcome, the weight and the start may be missing.
struct run_columns {
    std::string scale_out = "scale_out";
    std::string runtime_s = "runtime_s";
    std::string outcome = "outcome";            // see `history_from_csv`; "" where no column tells it
    std::string weight = "weight";              // empty: 1
    std::string started_at_s = "started_at_s";  // empty: unknown
};

/// The runs of a table with a line of column names; commas, semicolons or tabs separate its cells, which may be quoted.
///
/// The properties are those of the schema, by their names. What scales with the scale-out is the total of the cluster, of
/// which a unit has its share to 15 digits. An empty cell of an optional property leaves it out; that of an essential text
/// is an empty text, such as no arguments, but not of a machine type, which every machine has. An outcome is succeeded or
/// empty; where it is failed, killed or unfinished, the run is censored. Letters may be capital, and words a scheduler's:
/// OK, success, completed, done; error, failure; cancelled, timeout, aborted; running. Other columns are not read.
/// Allocates.
///
/// Errors, with the number of the line: unknown_property for a column that is missing and, where none is the outcome's, for
/// one of nearly its name, and for one that ends in outcome, result, state or status and holds an outcome (of three letters
/// or more: OK may be a place); duplicate_property for a column that is there twice or means two things, empty_history,
/// essential_count_mismatch for an empty cell of an essential number or machine type, invalid_quantity for text in place of
/// a number, invalid_option for an outcome that is none and for a row with too few or too many cells, and those of
/// `schema::context` and `validate`. The last line needs no end: where it was cut off within its last cell, it is read as it
/// is.
result<std::vector<run>> history_from_csv(std::string_view text, const schema& properties, const run_columns& columns = {});

/// The first line of such a table, with the line's end.
[[nodiscard]] std::string csv_header(const schema& properties, const run_columns& columns = {});

/// A run as a line below exactly `csv_header(properties)` (all columns, in that order), with the line's end: append it to
/// the file when the run has ended. Below more or fewer columns it is refused when the file is read; below others, or in
/// another order, it may be misread: compare a file's first line with `csv_header` before you append to it. Numbers are
/// written so that they are read as the same; an optional text that is empty is read as left out. Errors: those of
/// `validate` and of `schema::check`; unknown_value for a property without one, and for an empty machine type;
/// invalid_quantity for one that scales with the scale-out and has more than 15 digits.
result<std::string> to_csv_line(const run& done, const schema& properties);

namespace detail {

/// Capital letters as small ones.
inline std::string lower_case(std::string_view word) {
    std::string made(word);
    for (char& each : made) each = lower_case(each);
    return made;
}

/// Whether the run of an outcome is censored, in any letters and by what schedulers call it; nothing for other words.
inline std::optional<bool> is_censored(std::string_view outcome) {
    const auto whole = ' ' + lower_case(outcome) + ' ';
    const auto is_one_of = [&](std::string_view words) { return words.find(whole) != words.npos; };
    if (outcome.find(' ') != outcome.npos) return std::nullopt;
    if (is_one_of(" succeeded success successful completed done ok ")) return false;
    if (is_one_of(" failed failure error killed cancelled canceled aborted timeout timed_out unfinished running "))
        return true;
    return std::nullopt;
}

/// Whether a cell tells an outcome in a column of another name, too. OK does not: in a column state it may be a place.
inline bool is_surely_outcome(std::string_view cell) { return cell.size() > 2 && is_censored(cell).has_value(); }

/// Whether a column of this name may tell how runs ended.
inline bool is_like_outcome(std::string_view column) {
    const auto name = lower_case(column);
    return name.ends_with("outcome") || name.ends_with("result") || name.ends_with("state") || name.ends_with("status");
}

/// Takes the rows of a table one by one.
class csv_rows {
public:
    explicit csv_rows(std::string_view text) : rest_(text) {
        if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // byte order mark
        for (const char each : {';', '\t'})
            if (columns_with(each) > columns_with(separator_)) separator_ = each;
    }

    /// The cells of the next row that is not empty; nothing at the end.
    std::optional<std::vector<std::string>> next() {
        while (!rest_.empty()) {
            line_ = next_line_;
            auto cells = take_row();
            if (cells.size() != 1 || !cells.front().empty()) return cells;
        }
        return std::nullopt;
    }
    /// Number of the line in which that row began, from 1.
    size_t line() const noexcept { return line_; }
    /// Whether that row is the last and its line has no end, as after a write that was cut.
    bool is_cut() const noexcept { return is_cut_; }

private:
    /// Of the first row; separators inside quotes separate nothing.
    size_t columns_with(char separator) const {
        auto tried = *this;
        tried.separator_ = separator;
        return tried.take_row().size();
    }

    std::vector<std::string> take_row() {
        std::vector<std::string> cells(1);
        bool quoted = false;
        is_cut_ = true;
        while (!rest_.empty()) {
            const char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '\n') ++next_line_;
            if (c == '"' && quoted && rest_.starts_with('"')) {
                cells.back() += c;
                rest_.remove_prefix(1);
            } else if (c == '"' && (quoted || cells.back().empty())) {
                quoted = !quoted;
            } else if (!quoted && c == separator_) {
                cells.emplace_back();
            } else if (!quoted && c == '\n') {
                is_cut_ = false;
                break;
            } else if (quoted || c != '\r') {
                cells.back() += c;
            }
        }
        if (quoted) cells.clear();  // the rest of the text was taken for a cell
        return cells;
    }

    std::string_view rest_;
    char separator_ = ',';
    size_t line_ = 1;
    size_t next_line_ = 1;
    bool is_cut_ = false;
};

/// Where the columns of a table stand.
class run_layout {
public:
    /// Errors: unknown_property, duplicate_property.
    static result<run_layout> make(const std::vector<std::string>& header, const schema& properties,
                                   const run_columns& columns) {
        run_layout made;
        made.names_ = header;
        for (const auto& each : header)
            if (std::count(header.begin(), header.end(), each) > 1)
                return fail(errc::duplicate_property, "expected every column once, found ", each, " twice");
        std::vector<std::string> known{columns.scale_out, columns.runtime_s};
        for (const auto& each : properties.essential) known.push_back(each.name);
        const auto needed = known.size();
        known.insert(known.end(), {columns.outcome, columns.weight, columns.started_at_s});
        for (const auto& each : properties.optional) known.push_back(each.name);
        for (const auto& each : known)
            if (!each.empty() && std::count(known.begin(), known.end(), each) > 1)
                return fail(errc::duplicate_property, "expected a column to mean one thing, found two for ", each,
                            "; give a run's column another name in run_columns");
        for (size_t i = 0; i < needed; ++i)
            if (!made.find(known[i]))
                return fail(errc::unknown_property, "expected a column ", known[i], ", found ", made.listed());
        if (columns.outcome.empty() || made.find(columns.outcome)) return made;
        // Where it has another name, killed runs would be read as ones that ended.
        for (const auto& each : header)
            if (std::find(known.begin(), known.end(), each) == known.end()) {
                const bool is_slip = !nearest_name(each, {columns.outcome}).empty();
                if (is_slip || is_like_outcome(each)) made.like_outcome_.emplace_back(each, is_slip);
            }
        return made;
    }

    /// Columns that nothing is read from, where none is the outcome: whether it is misspelled in them, or has another name.
    const std::vector<std::pair<std::string, bool>>& like_outcome() const noexcept { return like_outcome_; }

    std::optional<size_t> find(std::string_view name) const {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end()) return std::nullopt;
        return static_cast<size_t>(found - names_.begin());
    }
    size_t size() const noexcept { return names_.size(); }

private:
    std::string listed() const {
        std::string all;
        for (const auto& each : names_) all += (all.empty() ? "" : ", ") + each;
        return all;
    }

    std::vector<std::string> names_;
    std::vector<std::pair<std::string, bool>> like_outcome_;
};

/// What one unit of scale-out has of a total. To 15 digits: runs of one context at several scale-outs have the same.
inline double share_of(double total, int scale_out) {
    const double share = total / scale_out;
    std::array<char, 32> digits{};
    auto* const end = digits.data() + digits.size();
    const auto written = std::to_chars(digits.data(), end, share, std::chars_format::general, 15);
    return nearest_decimal_of({digits.data(), static_cast<size_t>(written.ptr - digits.data())}).value_or(share);
}

/// One row as a run.
class run_of_row {
public:
    run_of_row(const std::vector<std::string>& cells, const run_layout& layout) : cells_(cells), layout_(layout) {}

    result<run> read(const schema& properties, const run_columns& columns) const {
        if (cells_.size() != layout_.size())
            return fail(errc::invalid_option, "expected ", layout_.size(), " cells, found ", cells_.size());
        for (const auto& [name, is_slip] : layout_.like_outcome())
            if (is_slip || is_surely_outcome(cell(name)))
                return fail(errc::unknown_property, "expected a column ", columns.outcome, " or none like it, found \"",
                            cell(name), "\" in ", name,
                            "; name the outcome's column in run_columns, or \"\" if there is none");
        run made;
        const auto scale_out = number(columns.scale_out);
        if (!scale_out) return scale_out.error();
        if (*scale_out != std::floor(*scale_out) || *scale_out < 1 || *scale_out > largest_scale_out)
            return fail(errc::invalid_scale_out, "expected a whole number from 1 to ", largest_scale_out, " in ",
                        columns.scale_out, ", found ", *scale_out);
        made.scale_out = static_cast<int>(*scale_out);
        const auto runtime_s = number(columns.runtime_s);
        if (!runtime_s) return runtime_s.error();
        made.runtime_s = *runtime_s;
        if (auto told = read_rest(made, columns); !told) return told.error();
        auto context = read_context(properties, made.scale_out);
        if (!context) return context.error();
        made.context = *std::move(context);
        if (auto valid = validate(made); !valid) return valid.error();
        return made;
    }

private:
    // Empty where there is no such column.
    std::string_view cell(std::string_view name) const {
        const auto column = layout_.find(name);
        return column && !name.empty() ? std::string_view(cells_[*column]) : std::string_view();
    }

    result<double> number(std::string_view name) const {
        const auto value = nearest_decimal_of(cell(name));
        if (!value) return fail(errc::invalid_quantity, "expected a number alone in ", name, ", found \"", cell(name), "\"");
        return *value;
    }

    result<void> read_rest(run& made, const run_columns& columns) const {
        const auto outcome = cell(columns.outcome);
        const auto is_bound = is_censored(outcome.empty() ? "succeeded" : outcome);
        if (!is_bound)
            return fail(errc::invalid_option, "expected succeeded, failed, killed or unfinished in ", columns.outcome,
                        ", found \"", outcome, "\"");
        made.censored = *is_bound;
        for (const auto* name : {&columns.weight, &columns.started_at_s}) {
            if (cell(*name).empty()) continue;
            const auto value = number(*name);
            if (!value) return value.error();
            if (name == &columns.weight) {
                made.weight = *value;
            } else {
                made.timestamp_s = *value;
            }
        }
        return {};
    }

    result<context> read_context(const schema& properties, int scale_out) const {
        std::vector<named_value> values;
        for (const auto* list : {&properties.essential, &properties.optional})
            for (const auto& each : *list) {
                const auto text = cell(each.name);
                const bool may_be_empty = each.kind == property_kind::text && each.role != property_role::machine_type &&
                                          list == &properties.essential;
                if (text.empty() && !may_be_empty) continue;
                if (each.kind == property_kind::text) {
                    values.emplace_back(each.name, text);
                    continue;
                }
                const auto total = number(each.name);
                if (!total) return total.error();
                values.emplace_back(each.name, each.scales_with_scale_out ? share_of(*total, scale_out) : *total);
            }
        return properties.context(values);
    }

    const std::vector<std::string>& cells_;
    const run_layout& layout_;
};

inline std::string csv_cell(std::string_view text) {
    // A byte order mark that begins a name is a part of it.
    if (text.find_first_of("\",;\t\r\n") == text.npos && !text.starts_with("\xEF\xBB\xBF")) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

inline std::string csv_cell(const property& of, int scale_out) {
    const int units = of.scales_with_scale_out ? scale_out : 1;
    if (const auto* text = of.value.text()) return csv_cell(*text);
    if (const auto* natural = of.value.natural()) return number_text(*natural * static_cast<std::uint64_t>(units));
    return number_text(*of.value.quantity() * units);
}

}  // namespace detail

inline result<std::vector<run>> history_from_csv(std::string_view text, const schema& properties,
                                                 const run_columns& columns) {
    detail::csv_rows rows(text);
    const auto header = rows.next();
    if (!header) return detail::fail(errc::empty_history, "expected a line of column names, found an empty text");
    const auto layout = detail::run_layout::make(*header, properties, columns);
    if (!layout) return layout.error();
    std::vector<run> history;
    while (const auto cells = rows.next()) {
        auto read = detail::run_of_row(*cells, *layout).read(properties, columns);
        if (!read)
            return detail::with_subject(
                read.error(), "line ", rows.line(),
                rows.is_cut() && cells->size() < layout->size() ? " (cut off, or a quote is open)" : "");
        history.push_back(*std::move(read));
    }
    if (history.empty()) return detail::fail(errc::empty_history, "expected at least one run, found column names alone");
    return history;
}

inline std::string csv_header(const schema& properties, const run_columns& columns) {
    std::string line;
    detail::for_each_property(properties, [&](const auto& each) { line += detail::csv_cell(each.name) + ','; });
    for (const auto& name : {columns.scale_out, columns.runtime_s, columns.outcome, columns.weight, columns.started_at_s})
        line += detail::csv_cell(name) + ',';
    line.back() = '\n';
    return line;
}

inline result<std::string> to_csv_line(const run& done, const schema& properties) {
    if (auto valid = validate(done); !valid) return valid.error();
    if (auto same = properties.check(done.context); !same) return same.error();
    for (const auto* list : {&done.context.essential, &done.context.optional})
        for (const auto& each : *list) {
            if (each.kind() == property_kind::unknown ||
                (each.role == property_role::machine_type && detail::csv_cell(each, 1).empty()))
                return detail::fail(errc::unknown_value, "expected a known value of property ", each.name, ", found none");
            const double share = each.value.number();
            if (each.scales_with_scale_out && detail::share_of(share * done.scale_out, done.scale_out) != share)
                return detail::fail(errc::invalid_quantity, "expected at most 15 digits in property ", each.name,
                                    ", which scales with the scale-out, found ", share);
        }
    std::string line;
    for (const auto& each : done.context.essential) line += detail::csv_cell(each, done.scale_out) + ',';
    for (const auto& each : properties.optional) {
        for (const auto& own : done.context.optional)
            if (own.name == each.name) line += detail::csv_cell(own, done.scale_out);
        line += ',';
    }
    return line + detail::number_text(done.scale_out) + ',' + detail::number_text(done.runtime_s) +
           (done.censored ? ",killed," : ",succeeded,") + detail::number_text(done.weight) + ',' +
           (done.timestamp_s ? detail::number_text(*done.timestamp_s) : "") + '\n';
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
