// Random quantiles of log-runtimes at some scale-outs.
#ifndef BELLAMY_TESTS_SUPPORT_MADE_UP_QUANTILES_HPP
#define BELLAMY_TESTS_SUPPORT_MADE_UP_QUANTILES_HPP

#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/maths/mixture.hpp>

#include <vector>

namespace support {

using bellamy::detail::median_index;

/// Ascending, around the median given.
[[nodiscard]] inline bellamy::detail::quantile_row random_quantiles(double median,
                                                                    bellamy::detail::random_generator& random) {
    bellamy::detail::quantile_row row{};
    row[median_index] = median;
    for (std::size_t k = median_index + 1; k < row.size(); ++k) row[k] = row[k - 1] + 0.01 + 0.1 * random.uniform();
    for (std::size_t k = median_index; k-- > 0;) row[k] = row[k + 1] - 0.01 - 0.1 * random.uniform();
    return row;
}

/// One row for each scale-out, medians up and down.
[[nodiscard]] inline std::vector<bellamy::detail::quantile_row> random_rows(std::size_t count,
                                                                            bellamy::detail::random_generator& random) {
    std::vector<bellamy::detail::quantile_row> rows;
    for (std::size_t i = 0; i < count; ++i) rows.push_back(random_quantiles(4 + 0.5 * random.normal(), random));
    return rows;
}

}  // namespace support

#endif
