// A report in Prometheus' text format, as the textfile collector of node_exporter reads it.
#ifndef BELLAMY_EXAMPLES_REPORT_METRICS_HPP
#define BELLAMY_EXAMPLES_REPORT_METRICS_HPP

#include <string>

#include "report_text.hpp"

namespace tools {

/// One family for each figure, with a sample for each application that has it. Names of applications are the short ones of
/// the page, which differ from each other.
[[nodiscard]] std::string metrics_of(const fleet_report& report, const report_style& style);

}  // namespace tools

#endif
