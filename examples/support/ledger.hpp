// What was proposed, which proposals were applied, and what came of them.
#ifndef BELLAMY_EXAMPLES_LEDGER_HPP
#define BELLAMY_EXAMPLES_LEDGER_HPP

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advice.hpp"
#include "stop_rule.hpp"

namespace tools {

/// A size as the ledger keeps it, and what was stated of it.
struct stated_size {
    int scale_out = 0;
    std::int64_t executor_cores = 0;      // 0 where not known
    std::int64_t executor_memory_mb = 0;  // 0 where not known
    double probability = 0;               // to meet the deadline
    double expected_unit_hours = 0;
};

/// A line of the ledger.
struct ledger_entry {
    double at_s = 0;  // since the Unix epoch
    std::string application{};
    /// What the odds rested on, in words.
    std::string model{};
    double deadline_s = 0;
    deadline_start from = deadline_start::submission;
    stated_size present{};
    /// Empty where nothing was proposed.
    std::optional<stated_size> proposed{};
};

/// Of proposals that runs came of.
struct ledger_sums {
    std::size_t proposals = 0;
    std::size_t applied = 0;  // runs at a proposed size and configuration that succeeded, or failed after the deadline
    std::size_t changed = 0;  // of those, at another size than before
    std::size_t in_time = 0;  // of those that were applied
    double stated_in_time = 0;
    double unit_hours = 0;
    /// What the size before would have taken, by the ratio of what was predicted of both.
    double unit_hours_before = 0;

    /// Nothing where a size stayed, whatever rounding leaves of the difference.
    [[nodiscard]] double saved() const {
        const double saved = unit_hours_before - unit_hours;
        return std::abs(saved) <= 1e-9 * unit_hours_before ? 0 : saved;
    }
    void add(const ledger_sums& other);
};

/// Of one application, until now.
struct application_ledger {
    ledger_sums sums{};
    /// Why nothing is proposed; empty where the odds were kept.
    std::string stopped{};
};

/// All lines of the file, none where it does not exist. Errors: cannot_read; invalid_ledger with the line.
[[nodiscard]] std::vector<ledger_entry> read_ledger(const std::string& path);

/// Appends lines. Error: cannot_write.
void append_to_ledger(const std::string& path, std::span<const ledger_entry> entries);

/// What came of the entries of this application: the runs that began after one and before the next were at the size it
/// proposed, or they were not. While proposals are stopped, runs at the size that was the present one tell whether what is
/// stated would hold again.
[[nodiscard]] application_ledger look_back(std::span<const ledger_entry> entries, const application_history& history);

/// The line for an advice that is given now.
[[nodiscard]] ledger_entry to_entry(const application_history& of, const advice& made, double now_s);

/// "9 runs applied, of 12 proposals: 8 in time, 8.3 expected; 4 at another size than before: 1.2 executor-hours saved (8.0 %
/// of the hours of all these runs)".
[[nodiscard]] std::string describe(const ledger_sums& sums, std::string_view unit);

}  // namespace tools

#endif
