// The page of a report: one HTML file that needs nothing beside it and no network.
#ifndef BELLAMY_EXAMPLES_REPORT_PAGE_HPP
#define BELLAMY_EXAMPLES_REPORT_PAGE_HPP

#include <string>

#include "report_text.hpp"

namespace tools {

/// The whole page: answers, sums, a table of all applications, and a section for each of them.
[[nodiscard]] std::string page_of(const fleet_report& report, const report_style& style);

}  // namespace tools

#endif
