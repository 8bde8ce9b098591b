#include "support/compare.hpp"
#include "support/made_up_curve.hpp"
#include "support/made_up_job.hpp"

#include <bellamy/baseline/ernest.hpp>

#include <memory>

using namespace bellamy;
using support::random_model;

namespace {

// A curve folds the context first and adds the same products in another order than the network does: a few float roundings.
constexpr double folding_tolerance = 1e-5;

template <class Number>
concept is_asked_about = requires(const curve& runtimes, Number scale_out) {
    runtimes.at(scale_out);
};
static_assert(is_asked_about<int> && is_asked_about<std::size_t>);
static_assert(!is_asked_about<double> && !is_asked_about<float>);

}  // namespace

TEST_CASE("a curve predicts what the network does with and without properties that scale") {
    const std::vector history{support::made_up_run(10, 2), support::made_up_run(20, 12)};
    auto properties = *schema_of(history);
    properties.optional.push_back(define(quantity("disk_tb", 1).per_scale_out_unit()));
    properties.optional.push_back(define(text("zone", "")));
    const model subject(properties, {.seen_scale_outs = {.smallest = 2, .largest = 12}},
                        support::random_network<float>(2, 9));

    auto all = support::made_up_context(70);
    all.optional.push_back(quantity("disk_tb", 1.5).per_scale_out_unit());
    all.optional.push_back(text("zone", "a-1"));
    auto fixed_only = support::made_up_context(70);
    fixed_only.optional = {text("zone", "a-1")};
    auto none = support::made_up_context(70);
    none.optional.clear();

    for (const auto& each : {support::made_up_context(10), all, fixed_only, none}) {
        const auto runtimes = subject.bind(each);
        REQUIRE(runtimes);
        for (const int x : {1, 2, 3, 7, 12, 100}) {
            CAPTURE(x);
            const auto expected = static_cast<double>(support::predict(subject.parameters(), each, x));
            CHECK(std::abs(runtimes->at(x).median_s - expected) <= folding_tolerance);
        }
    }
}

TEST_CASE("properties that scale change with the scale-out") {
    // A network that sees nothing of the scale-out itself.
    auto blind = support::random_network<float>(2, 4);
    blind.runtime.scale_out = {};
    const auto source = random_model();
    const model subject(source.schema(), source.basis(), blind);
    const auto scaling = *subject.bind(support::made_up_context(10));
    CHECK(scaling.at(2).median_s != scaling.at(3).median_s);
    auto fixed = support::made_up_context(10);
    fixed.optional.clear();
    const auto constant = *subject.bind(fixed);
    CHECK(constant.at(2).median_s == constant.at(3).median_s);
}

TEST_CASE("a question that is not valid gets no number") {
    const auto source = random_model();
    auto subject = support::made_up_context(10);
    const auto unlimited = *source.bind(subject);
    CHECK(unlimited.largest_valid_scale_out() == largest_scale_out);
    for (const int x : {0, -1, largest_scale_out + 1}) {
        CHECK(std::isnan(unlimited.at(x).median_s));
        CHECK_FALSE(unlimited.at(x).usable());
    }
    CHECK(std::isfinite(unlimited.at(1).median_s));
    CHECK(std::isfinite(unlimited.at(largest_scale_out).median_s));

    subject.optional[0].value = largest_natural / 100;
    const auto limited = *source.bind(subject);
    CHECK(limited.largest_valid_scale_out() == 100);
    CHECK(std::isfinite(limited.at(100).median_s));
    CHECK(std::isnan(limited.at(101).median_s));
}

TEST_CASE("a prediction says whether its scale-out lies outside those seen") {
    const auto runtimes = *random_model().bind(support::made_up_context(10));
    CHECK(runtimes.seen_scale_outs() == scale_out_interval{.smallest = 2, .largest = 12});
    for (const int x : {1, 13, 100}) CHECK(runtimes.at(x).outside_seen_scale_outs);
    for (const int x : {2, 7, 12}) CHECK_FALSE(runtimes.at(x).outside_seen_scale_outs);
}

TEST_CASE("a prediction is usable when it is a positive finite runtime") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(prediction{.median_s = 1e-300}.usable());
    CHECK(prediction{.median_s = (std::numeric_limits<double>::max)()}.usable());
    for (const double bad : {0.0, -1.0, infinity, -infinity, std::nan("")})
        CHECK_FALSE(prediction{.median_s = bad}.usable());
    CHECK_FALSE(prediction{}.usable());
    // A network can predict nonsense; it is passed on and marked.
    const auto negative = support::made_up_curve(0, -5).at(4);
    CHECK(negative.median_s < 0);
    CHECK_FALSE(negative.usable());
}

TEST_CASE("a curve needs no model behind it and can be copied") {
    const auto context = support::made_up_context(10);
    auto temporary = std::make_unique<model>(random_model());
    const auto first = *temporary->bind(context);
    const double before = first.at(6).median_s;
    temporary.reset();
    const curve second = first;
    CHECK(first.at(6).median_s == before);
    CHECK(second.at(6).median_s == before);
}

TEST_CASE("medians of many scale-outs are those of one by one, valid or not") {
    auto fixed = support::made_up_context(10);
    fixed.optional.clear();
    const auto source = random_model();
    const std::vector runs{support::made_up_run(10, 2), support::made_up_run(10, 4), support::made_up_run(10, 8)};
    for (const auto& subject : {*source.bind(fixed), *source.bind(support::made_up_context(10)),
                                *source.bind(support::made_up_context(largest_natural / 8)), *baseline::ernest(runs)}) {
        for (const int first : {-3, 1, 5, largest_scale_out - 10, (std::numeric_limits<int>::max)() - 5}) {
            CAPTURE(first);
            std::vector<float> plain(100);
            subject.medians_s(first, plain);
            for (std::size_t i = 0; i < plain.size(); ++i) {
                const auto x = static_cast<long long>(first) + static_cast<long long>(i);
                const double expected = x <= largest_scale_out ? subject.at(static_cast<int>(x)).median_s : std::nan("");
                if (std::isnan(expected)) {
                    CHECK(std::isnan(plain[i]));
                    continue;
                }
                // Two kernels round in different places.
                CHECK(plain[i] == doctest::Approx(expected).epsilon(1e-5));
            }
        }
    }
}

TEST_CASE("a curve is made of any small predictor, of points or of distributions") {
    struct halving {
        double operator()(int scale_out) const noexcept { return 600.0 / scale_out; }
        int largest_valid_scale_out() const noexcept { return 100; }
    };
    const curve points(halving{}, {.smallest = 2, .largest = 8}, 3);
    CHECK(points.at(4).median_s == 150);
    CHECK(points.at(4).is_point);
    CHECK(points.at(4).observed_runs == 3);
    CHECK_FALSE(points.at(4).outside_seen_scale_outs);
    CHECK(points.at(9).outside_seen_scale_outs);
    CHECK(points.largest_valid_scale_out() == 100);
    CHECK(std::isnan(points.at(101).median_s));

    const curve same([](int) noexcept { return prediction{.median_s = 7, .unlike_any_seen_context = true}; }, {});
    CHECK(same.at(1).median_s == 7);
    CHECK(same.at(1).unlike_any_seen_context);

    struct allocating {
        std::vector<double> runtimes_s;
        double operator()(int scale_out) const noexcept { return runtimes_s[static_cast<std::size_t>(scale_out)]; }
    };
    static_assert(!runtime_source<allocating>);
    static_assert(!runtime_source<double (*)(int)>);  // it may throw
    static_assert(!runtime_source<int>);
}
