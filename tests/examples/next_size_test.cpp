// The data size of a run that is yet to come.
#include "../../examples/support/next_size.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <bellamy/cold_start.hpp>

#include <cmath>
#include <filesystem>

#include "../../examples/support/tool_error.hpp"
#include "../support/temporary_directory.hpp"

using support::temporary_directory;
using support::write_text;
using tools::forecast_size;

namespace {

bellamy::context job(std::uint64_t size_mb) {
    return {.essential = {bellamy::natural("data_size_MB", size_mb).with_role(bellamy::property_role::data_size)}};
}

std::vector<bellamy::run> runs_of(const std::vector<std::uint64_t>& sizes) {
    std::vector<bellamy::run> made;
    for (const auto size : sizes) made.push_back({.context = job(size), .scale_out = 4, .runtime_s = 100});
    return made;
}

void check_shares(const tools::next_size& of) {
    double sum = 0;
    for (std::size_t i = 0; i < of.sizes.size(); ++i) {
        sum += of.sizes[i].share;
        if (i > 0) CHECK(of.sizes[i - 1].size_mb <= of.sizes[i].size_mb);
    }
    CHECK(sum == doctest::Approx(1));
}

}  // namespace

TEST_CASE("a size that never changed is certain") {
    const auto steady = forecast_size(runs_of({500, 500, 500, 500, 500}));
    REQUIRE(steady.sizes.size() == 1);
    CHECK(steady.sizes.front().size_mb == 500);
    CHECK(forecast_size(runs_of({700})).sizes.front().size_mb == 700);
    CHECK(forecast_size({}).sizes.empty());
    // A change more than a hundred runs ago is none.
    std::vector<std::uint64_t> changed(149, 1000);
    changed.front() = 900;
    CHECK(forecast_size(runs_of(changed)).sizes.size() == 1);
}

TEST_CASE("few sizes are not taken for more than they tell: those that were seen stay probable, and a trend goes on") {
    const auto two = forecast_size(runs_of({500, 700}));
    check_shares(two);
    CHECK(two.sizes.front().size_mb <= 500);
    CHECK(two.sizes.back().size_mb > 700);
    const auto jumping = forecast_size(runs_of({200, 290, 120, 205, 280, 198}));
    check_shares(jumping);
    CHECK(jumping.how == "forecast from 6 past sizes");
    CHECK(jumping.sizes.front().size_mb < 140);
    CHECK(jumping.sizes.back().size_mb > 280);
    CHECK(*jumping.middle_mb() > 195);
    CHECK(*jumping.middle_mb() < 250);
    const auto growing = forecast_size(runs_of({1000, 1105, 1220, 1350, 1490, 1650}));
    check_shares(growing);
    CHECK(*growing.middle_mb() == doctest::Approx(1820).epsilon(0.03));
    CHECK(growing.sizes.front().size_mb > 1500);
    // A step: the sizes before it are less probable with each run behind it.
    const auto stepped = forecast_size(runs_of({100, 100, 101, 800, 805, 800, 798, 802}));
    CHECK(*stepped.middle_mb() == doctest::Approx(800).epsilon(0.05));
}

TEST_CASE("what a run that did not succeed had read is no size to forecast from, unless none succeeded") {
    auto runs = runs_of({1000, 1050, 980, 1010, 990, 100});
    runs.back().censored = true;
    for (const auto& possible : forecast_size(runs).sizes) CHECK(possible.size_mb > 800);
    for (auto& run : runs) run.censored = true;
    CHECK(forecast_size(runs).sizes.front().size_mb < 800);
}

TEST_CASE("growing data are forecast to grow, with the scatter of past forecasts") {
    std::vector<std::uint64_t> sizes;
    for (int i = 0; i < 20; ++i)
        sizes.push_back(static_cast<std::uint64_t>(1000 * std::pow(1.1, i) * (1 + 0.03 * std::sin(7.0 * i))));
    const auto next = forecast_size(runs_of(sizes));
    check_shares(next);
    CHECK(next.how == "forecast from 20 past sizes");
    CHECK(*next.middle_mb() == doctest::Approx(1000 * std::pow(1.1, 20)).epsilon(0.06));
    CHECK(next.sizes.back().size_mb > next.sizes.front().size_mb);
    CHECK(static_cast<double>(next.sizes.back().size_mb) < 1.2 * *next.middle_mb());
}

TEST_CASE("sizes that jump to and fro are forecast from all past ones, steps that stay from the last") {
    const auto jumping = forecast_size(runs_of({100, 900, 880, 110, 105, 895, 100, 900, 880, 110, 890, 105, 900, 895}));
    check_shares(jumping);
    for (const auto& possible : jumping.sizes) CHECK((possible.size_mb <= 110 || possible.size_mb >= 880));
    CHECK(jumping.sizes.front().size_mb < 120);
    CHECK(jumping.sizes.back().size_mb > 870);
    const auto stepping = forecast_size(runs_of({100, 100, 100, 100, 100, 800, 800, 800, 800, 800}));
    CHECK(*stepping.middle_mb() == doctest::Approx(800));
    CHECK(stepping.sizes[1].size_mb > 400);
}

TEST_CASE("a listed size is that of the files that Spark would read, and a path that is none is refused") {
    const temporary_directory place;
    std::filesystem::create_directories(place / "in/part=1");
    std::filesystem::create_directories(place / "in/_temporary");
    const std::string megabyte(std::size_t{1} << 20U, 'x');
    write_text(place / "in/part=1/a", megabyte + "x");
    write_text(place / "in/b", megabyte);
    write_text(place / "in/_SUCCESS", megabyte);
    write_text(place / "in/.b.crc", megabyte);
    write_text(place / "in/_temporary/c", megabyte);
    CHECK(tools::listed_size({place / "in"}).sizes.front().size_mb == 3);  // 2 MB and a byte
    CHECK(tools::listed_size({place / "in/b", place / "in/part=1"}).sizes.front().size_mb == 3);
    for (const auto& again : {place / "in", place / "in/", place / "in/b", place / "in/../in/part=1"})
        CHECK(tools::listed_size({place / "in", again}).sizes.front().size_mb == 3);
    REQUIRE(::mkfifo((place / "in/pipe").c_str(), 0600) == 0);
    CHECK(tools::listed_size({place / "in"}).sizes.front().size_mb == 3);
    CHECK_THROWS_AS((void)tools::listed_size({place / "in/pipe"}), tools::tool_error);
    // Links are other paths of the same files, also those in a circle.
    std::filesystem::create_symlink("b", place / "in/link");
    std::filesystem::create_directory_symlink("..", place / "in/part=1/circle");
    std::filesystem::create_directory(place / "links");
    std::filesystem::create_symlink(place / "in/part=1/a", place / "links/a");
    CHECK(tools::listed_size({place / "links"}).sizes.front().size_mb == 2);
    std::filesystem::create_directory_symlink(place / "in", place / "links/in");
    for (const auto& folder : {place / "in", place / "links"}) {
        CHECK(tools::listed_size({folder}).sizes.front().size_mb == 3);
        CHECK(tools::listed_size({folder, place / "in"}).sizes.front().size_mb == 3);
    }
    CHECK_THROWS_AS((void)tools::listed_size({place / "none"}), tools::tool_error);
    std::filesystem::create_symlink("none", place / "in/broken");
    CHECK_THROWS_AS((void)tools::listed_size({place / "in"}), tools::tool_error);
}

TEST_CASE("an answer over possible sizes is their mixture: wider than each, and the middle one's where they agree") {
    const auto runs = runs_of({1000});
    const auto model = bellamy::cold_start(job(1000), "job").value().condition(runs).value();
    const auto alone = tools::bind_next(model, job(1000), tools::given_size(1000)).value().at(4);
    CHECK(alone.median_s == doctest::Approx(model.bind(job(1000)).value().at(4).median_s));

    const tools::next_size same{.sizes = {{.share = 0.5, .size_mb = 1000}, {.share = 0.5, .size_mb = 1000}}};
    const auto twice = tools::bind_next(model, job(1000), same).value();
    CHECK(twice.at(4).median_s == doctest::Approx(alone.median_s).epsilon(1e-6));
    CHECK(twice.at(4).quantile_s(0.9) == doctest::Approx(alone.quantile_s(0.9)).epsilon(1e-4));

    const tools::next_size apart{.sizes = {{.share = 0.5, .size_mb = 500}, {.share = 0.5, .size_mb = 2000}}};
    const auto mixed = tools::bind_next(model, job(1000), apart).value().at(4);
    const auto low = model.bind(job(500)).value().at(4);
    const auto high = model.bind(job(2000)).value().at(4);
    for (const double limit_s : {20.0, 60.0, 100.0, 200.0, 900.0})
        CHECK(mixed.probability_within(limit_s) ==
              doctest::Approx(0.5 * (low.probability_within(limit_s) + high.probability_within(limit_s))).epsilon(0.02));
}
