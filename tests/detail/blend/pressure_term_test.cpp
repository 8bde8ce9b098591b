#include <bellamy/detail/base/random.hpp>
#include <bellamy/detail/blend/pressure_term.hpp>

#include <doctest/doctest.h>

using namespace bellamy::detail;

TEST_CASE("the pressure's term is Matern of the pressures' distance, near and farther than exponentials reach") {
    random_generator random(1);
    const std::vector<double> log_scale_outs{0, std::log(2), std::log(7), std::log(30), std::log(1e6)};
    for (const double length : {1e-3, 0.02, 0.3, 4.0, 50.0})
        for (const double slope : {-1.0, 0.0})
            for (int round = 0; round < 50; ++round) {
                const double gap = round == 0 ? 0 : random.normal() * (round % 5 == 0 ? 500 : 3);
                const double t = round % 2 == 0 ? log_scale_outs[2] : 10 * random.uniform();
                std::vector<double> found(log_scale_outs.size(), 1);
                const std::array rows{covariance_row{.out = found.data(), .t = t, .shapes = nullptr}};
                pressure_term(length, slope, log_scale_outs).add_to(rows, gap, 0.25);
                for (std::size_t k = 0; k < found.size(); ++k) {
                    CAPTURE(length);
                    CAPTURE(gap);
                    const double expected = 1 + 0.25 * matern((gap + slope * (t - log_scale_outs[k])) / length);
                    // Rounding of exponents up to 300.
                    CHECK(std::abs(found[k] - expected) < 1e-13);
                }
            }
}
