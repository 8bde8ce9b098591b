// Stand-ins for names that are not to be shown: the same name has the same one, in every call with the same file.
#ifndef BELLAMY_EXAMPLES_PSEUDONYMS_HPP
#define BELLAMY_EXAMPLES_PSEUDONYMS_HPP

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "event_log/run_row.hpp"
#include "history.hpp"

namespace tools {

/// The pseudonyms of a file, and those that are added. The file is as private as the names: it leads back to them.
class pseudonyms {
public:
    /// Of a file that is not there, none. Errors: cannot_read, invalid_pseudonyms.
    explicit pseudonyms(std::string path);

    /// That of a text, or the next new one: "application-7". Texts of two kinds may be alike, and have two pseudonyms. None
    /// for an empty text.
    [[nodiscard]] std::string of(std::string_view kind, const std::string& text);

    /// Writes the file anew. Error: cannot_write.
    void keep() const;

private:
    std::string path_;
    std::map<std::string, std::string> by_text_{};  // of other kinds than applications after "KIND="
    std::set<std::string> taken_{};
    std::map<std::string, std::size_t, std::less<>> count_{};  // by kind
};

/// Gives each application its pseudonym. Errors: those of the file.
void replace_names(team_history& of, const std::string& path);

/// Ids of runs become their numbers within the application, which may be quoted in warnings.
void number_runs(team_history& of);

/// Names of applications, ids of runs and arguments become pseudonyms.
void redact(event_log::run_row& row, pseudonyms& names);

/// The line of a trace file with pseudonyms for all texts but those of a known set of values, such as outcomes, and machine
/// types: names, ids, arguments, names of stages, which have paths in them, and values of properties. Names of properties
/// stay.
[[nodiscard]] std::string redacted_trace(const std::string& line, pseudonyms& names);

}  // namespace tools

#endif
