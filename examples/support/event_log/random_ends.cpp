#include "random_ends.hpp"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "names.hpp"

namespace tools::event_log {

namespace {

// Runs that are called the same before an end of the same kind.
struct alike {
    std::set<std::string> random{};  // names whose end was taken off
    std::vector<run_row*> others{};  // the only run of each name
};

}  // namespace

std::map<std::string, std::string> join_random_ends(std::span<run_row* const> rows) {
    std::map<std::string, std::size_t> runs_of;
    for (const auto* row : rows) ++runs_of[row->application];
    std::map<std::pair<std::string, bool>, alike> groups;
    for (auto* row : rows) {
        const auto before = before_random_end(row->name);
        if (!before) continue;
        auto application = clean_name(before->name);
        const bool was_taken = row->application == application;
        auto& group = groups[{std::move(application), before->of_pod}];
        if (before->is_certain && was_taken) {
            group.random.insert(row->name);
        } else if (!before->is_certain && runs_of[row->application] == 1 && row->application == clean_name(row->name)) {
            group.others.push_back(row);
        }
    }
    std::map<std::string, std::string> joined;
    for (const auto& [key, group] : groups) {
        const std::size_t enough = key.second ? 1 : 3;
        if (group.random.size() < enough || group.random.size() + group.others.size() < 3) continue;
        for (auto* row : group.others) joined[std::exchange(row->application, key.first)] = key.first;
    }
    return joined;
}

}  // namespace tools::event_log
