// Stand-ins for names that are not to be shown: the same name has the same one, in every call with the same file.
#ifndef BELLAMY_EXAMPLES_STAND_INS_HPP
#define BELLAMY_EXAMPLES_STAND_INS_HPP

#include <string>
#include <string_view>

#include "history.hpp"

namespace tools {

/// Gives each application the stand-in that the file has for its name, or the next new one, "application-7", which is added
/// to the file. The file is as private as the names: it leads back to them. Errors: cannot_read, invalid_stand_ins,
/// cannot_write.
void replace_names(team_history& of, const std::string& path);

/// Ids of runs become their numbers within the application, which may be quoted in warnings.
void number_runs(team_history& of);

}  // namespace tools

#endif
