// What makes runs recur: the name of an application without what differs from run to run.
#ifndef BELLAMY_EXAMPLES_EVENT_LOG_NAMES_HPP
#define BELLAMY_EXAMPLES_EVENT_LOG_NAMES_HPP

#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tools::event_log {

/// The default rule takes away, where they stand between separators or at an end: ids of Spark, YARN and Kubernetes, UUIDs,
/// hexadecimal ids of 8 and more digits, steps of EMR, runs of Glue jobs, dates and times of day in the usual spellings,
/// numbers of 8 and more digits, and "attempt", "retry", "try" or "run" with a number. Of the separators around them one
/// stays between words, none at an end. At the end of a name also what Airflow and Kubernetes append: '-' and 8 random
/// letters and digits, or 5 of the 27 that Kubernetes draws from. All else, sizes and versions too, stays as it is; so does
/// a name that would become empty. What is longer than 512 bytes is cut.
[[nodiscard]] std::string clean_name(std::string_view name);

/// What a name is without an end such as Airflow ('-' and 8 letters or digits) or Kubernetes (5, before the number of a pod
/// where there is one) gives at random.
struct name_before_end {
    std::string_view name;
    bool of_pod = false;
    bool is_certain = false;  // no word, version or size
};

/// Empty of a name that does not end so.
[[nodiscard]] std::optional<name_before_end> before_random_end(std::string_view name);

/// The command of Spark's launcher without options: what stands behind the program's file, or the `--arg`s of a YARN driver.
[[nodiscard]] std::string arguments_of(std::string_view java_command);

/// What such a command runs: the class behind `--class`, else the program's file; without a launcher its first word. Words
/// in the arguments of the program are none of it.
[[nodiscard]] std::string main_class_of(std::string_view java_command);

/// How names become those of applications: the default rule, none, or replacements of the user's own.
class name_rule {
public:
    /// "clean" (the default rule), "exact" or "s/REGEX/TEXT/" (any separator in the place of "/"; ECMAScript, $1 for a
    /// group). The rules apply in the order of their additions; without any, names are cleaned. Error: invalid_option.
    void add(const std::string& rule);

    /// Whether it is the user's own.
    [[nodiscard]] bool is_given() const noexcept { return !is_default_; }

    [[nodiscard]] std::string operator()(std::string_view name) const;

private:
    struct step {
        bool clean = false;
        std::regex what{};
        std::string by{};
    };
    std::vector<step> steps_{};
    bool is_default_ = true;
};

}  // namespace tools::event_log

#endif
