#include "../../bench/support/boosting.hpp"

#include <doctest/doctest.h>

#include "../support/made_up_job.hpp"

using support::made_up_context;

TEST_CASE("boosting sees what the statistical experts see, and the scale-out") {
    const auto history = support::made_up_history(4);
    const bench::boosting_features features(history);
    bench::boosting_rows rows;
    features.append(history, rows);
    CHECK(rows.columns == features.columns());
    CHECK(rows.features.size() == rows.columns * history.size());
    CHECK(rows.log_runtimes.size() == history.size());
    CHECK(rows.log_runtimes.front() == doctest::Approx(std::log(history.front().runtime_s)).epsilon(1e-6));  // float

    std::vector<float> row;
    features.append(made_up_context(20), 6, row);
    const auto pressure = row[row.size() - 2];  // ln of gigabytes per gigabyte of the cluster's memory
    CHECK(pressure == doctest::Approx(std::log(20.0 / 8 / 6)).epsilon(1e-6));
    CHECK(row.back() == doctest::Approx(std::log(6.0)).epsilon(1e-6));
}

#if defined(BELLAMY_HAS_XGBOOST)
TEST_CASE("boosting learns the history, follows an observed run, and repeats itself") {
    const auto history = support::made_up_history(6, 3);
    const bench::boosting training(history, 1);
    const auto alone = training.with({});
    // Trees reproduce what they have seen but for the shrinkage, which leaves 0.9^300 of a leaf, and the penalty on leaves.
    CHECK(alone(made_up_context(30), 4) == doctest::Approx(support::made_up_runtime_s(30, 4)).epsilon(0.1));
    CHECK(alone(made_up_context(30), 4) > alone(made_up_context(10), 4));
    CHECK(alone(made_up_context(30), 4) > alone(made_up_context(30), 12));
    CHECK(training.with({})(made_up_context(30), 4) == alone(made_up_context(30), 4));

    auto slow = support::made_up_run(90, 4);
    slow.runtime_s *= 3;
    const std::vector<bellamy::run> observed{slow};
    CHECK(training.with(observed)(slow.context, 4) > 1.1 * alone(slow.context, 4));
}
#endif
