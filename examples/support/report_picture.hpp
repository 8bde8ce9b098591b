// The pictures of a report, as SVG for an HTML page. Colours come from the page's classes, so that dark and light fit.
#ifndef BELLAMY_EXAMPLES_REPORT_PICTURE_HPP
#define BELLAMY_EXAMPLES_REPORT_PICTURE_HPP

#include <string>
#include <string_view>

#include "report.hpp"

namespace tools {

/// Runtime over scale-out: median, 50 % and 90 % bands, the runs, the deadline, the size now and the one proposed. Empty
/// without an advice or a usable prediction. `name` stands in its title.
[[nodiscard]] std::string curve_picture(const reported_application& one, std::string_view name);

/// The latest runs over their starts, or in their order where these are not known: how long each took, and what was
/// predicted before it began or, without a back-test, what is now expected of the size that it had.
[[nodiscard]] std::string runs_picture(const reported_application& one, std::string_view name);

/// Hours of each day of the period. Empty without start times.
[[nodiscard]] std::string days_picture(const fleet_report& report);

/// Median errors of the predictions of the runs of the period, by tenths of it. Empty without a back-test or start times.
[[nodiscard]] std::string errors_picture(const fleet_report& report);

}  // namespace tools

#endif
