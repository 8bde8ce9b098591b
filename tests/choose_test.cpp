#include "support/compare.hpp"
#include "support/made_up_curve.hpp"

#include <bellamy/choose.hpp>

using namespace bellamy;
using support::check_refused;
using support::made_up_curve;

namespace {

// 600 s of shared work and 20 s of one's own: 620, 320, 220, 170, 140, 120, ... seconds. Seen at 2 to 12.
const curve falling = made_up_curve(600, 20);

int chosen(const result<decision>& answer) {
    REQUIRE(answer);
    REQUIRE(answer->candidate);
    return answer->candidate->scale_out;
}

}  // namespace

TEST_CASE("the smallest scale-out predicted under the deadline is chosen") {
    const auto answer = choose(falling, {.first = 2, .last = 12}, 150);
    CHECK(chosen(answer) == 5);
    CHECK(answer->outcome == outcome::meets_deadline);
    CHECK(answer->feasible());
    CHECK(answer->candidate->why == verdict::chosen);
    CHECK(answer->candidate->predicted.median_s == doctest::Approx(140).epsilon(1e-5));

    CHECK(chosen(choose(falling, {.first = 2, .last = 12, .step = 2}, 150)) == 6);
    CHECK(chosen(choose(falling, std::vector{12, 4, 8, 6, 2}, 150)) == 6);
    CHECK(chosen(choose(falling, std::vector{6, 6}, 150)) == 6);
    // Not the fastest but the smallest, even where more nodes are slower.
    CHECK(chosen(choose(made_up_curve(600, 0, 6), {.first = 2, .last = 100}, 1000)) == 2);
}

TEST_CASE("a prediction equal to the deadline meets it") {
    const double exactly = falling.at(5).median_s;
    CHECK(chosen(choose(falling, {.first = 2, .last = 12}, exactly)) == 5);
    CHECK(chosen(choose(falling, {.first = 2, .last = 12}, std::nextafter(exactly, 0))) == 6);
}

TEST_CASE("a choice outside the scale-outs seen is called an extrapolation") {
    // 50 seconds at 20, within float precision.
    const auto above = choose(falling, {.first = 2, .last = 40}, 50.01);
    CHECK(chosen(above) == 20);
    CHECK(above->outcome == outcome::meets_deadline_by_extrapolation);
    CHECK(above->feasible());
    CHECK(above->candidate->predicted.outside_seen_scale_outs);

    const auto below = choose(falling, {.first = 1, .last = 12}, 700);
    CHECK(chosen(below) == 1);
    CHECK(below->outcome == outcome::meets_deadline_by_extrapolation);
}

TEST_CASE("when nothing meets the deadline the fastest is the best effort") {
    const auto answer = choose(falling, std::vector{4, 12, 8}, 30);
    CHECK(chosen(answer) == 12);
    CHECK(answer->outcome == outcome::infeasible);
    CHECK_FALSE(answer->feasible());
    CHECK(answer->candidate->why == verdict::misses_deadline);
    // 600/x + 6x is lowest at 10.
    CHECK(chosen(choose(made_up_curve(600, 0, 6), {.first = 2, .last = 20}, 1)) == 10);
}

TEST_CASE("of equally fast best efforts the first listed is returned") {
    CHECK(chosen(choose(made_up_curve(0, 50), std::vector{7, 3, 5}, 10)) == 7);
}

TEST_CASE("without a usable prediction there is no candidate") {
    for (const auto& useless : {made_up_curve(0, -5), made_up_curve(1e38F, 0, 3e38F)}) {
        std::array<assessment, 3> table{};
        const auto answer = choose(useless, std::vector{2, 3, 4}, 1000, table);
        REQUIRE(answer);
        CHECK(answer->outcome == outcome::infeasible);
        CHECK_FALSE(answer->candidate.has_value());
        for (const auto& row : table) CHECK(row.why == verdict::not_usable);
    }
}

TEST_CASE("an unusable prediction is never chosen though it is below the deadline") {
    // 60/x - 10: negative beyond 6.
    CHECK(chosen(choose(made_up_curve(60, -10), std::vector{8, 10, 5, 12}, 100)) == 5);
}

TEST_CASE("the table has one row per candidate in their order and says why") {
    struct row {
        int scale_out;
        double seconds;
        verdict why;
    };
    const row expected[] = {{12, 70, verdict::larger_than_needed},
                            {2, 320, verdict::misses_deadline},
                            {6, 120, verdict::chosen},
                            {20, 50, verdict::larger_than_needed}};
    std::array<assessment, 5> table{};  // one more than needed
    table[4].scale_out = -7;
    REQUIRE(choose(falling, std::vector{12, 2, 6, 20}, 150, table));
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        CHECK(table[i].scale_out == expected[i].scale_out);
        CHECK(table[i].predicted.median_s == doctest::Approx(expected[i].seconds).epsilon(1e-5));
        CHECK(table[i].predicted.outside_seen_scale_outs == (expected[i].scale_out > 12));
        CHECK(table[i].why == expected[i].why);
    }
    CHECK(table[4].scale_out == -7);

    const auto range = choose(falling, {.first = 2, .last = 12, .step = 5}, 1, table);
    REQUIRE(range);
    CHECK(table[0].scale_out == 2);
    CHECK(table[1].scale_out == 7);
    CHECK(table[2].scale_out == 12);
    CHECK(table[2].why == verdict::misses_deadline);
}

TEST_CASE("a range ends where its steps reach") {
    CHECK(scale_out_range{.first = 2, .last = 12, .step = 5}.size() == 3);
    CHECK(scale_out_range{.first = 2, .last = 11, .step = 5}.size() == 2);
    CHECK(scale_out_range{.first = 4, .last = 4}.size() == 1);
    CHECK(scale_out_range{.first = 5, .last = 4}.size() == 0);
    CHECK(scale_out_range{.first = 1, .last = 4, .step = 0}.size() == 0);
    CHECK(scale_out_range{.first = 1, .last = 4, .step = -1}.size() == 0);
    constexpr int most = (std::numeric_limits<int>::max)();
    CHECK(scale_out_range{.first = -most, .last = most}.size() == 2 * static_cast<std::size_t>(most) + 1);
}

TEST_CASE("a request with a defect is refused by name") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double deadline_s : {0.0, -1.0, infinity, std::nan("")})
        check_refused(choose(falling, {.first = 2, .last = 12}, deadline_s), errc::invalid_deadline, {"deadline > 0"});
    check_refused(choose(falling, std::span<const int>{}, 100), errc::empty_candidates);
    check_refused(choose(falling, {.first = 5, .last = 4}, 100), errc::empty_candidates);
    check_refused(choose(falling, {.first = 2, .last = 4, .step = 0}, 100), errc::empty_candidates);
    check_refused(choose(falling, {.first = 0, .last = 4}, 100), errc::invalid_scale_out, {"found 0"});
    check_refused(choose(falling, std::vector{2, -3}, 100), errc::invalid_scale_out, {"found -3"});
    check_refused(choose(falling, std::vector{2, largest_scale_out + 1}, 100), errc::invalid_scale_out, {"1000001"});
    check_refused(choose(falling, {.first = 1, .last = (std::numeric_limits<int>::max)()}, 100), errc::invalid_scale_out);
    std::array<assessment, 2> small{};
    check_refused(choose(falling, std::vector{2, 3, 4}, 100, small), errc::buffer_too_small, {"3", "2"});
}
