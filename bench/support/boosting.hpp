// Gradient boosting of trees over the runs of all contexts, as C3O predicts (Will et al. 2021); by xgboost.
#ifndef BELLAMY_BENCH_BOOSTING_HPP
#define BELLAMY_BENCH_BOOSTING_HPP

#include <bellamy/detail/context/features_fit.hpp>

#include "../../examples/support/tool_error.hpp"

#if defined(BELLAMY_HAS_XGBOOST)
#include <xgboost/c_api.h>
#endif

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

#if defined(BELLAMY_HAS_XGBOOST)
inline constexpr std::string_view boosting_missing{};
#else
inline constexpr std::string_view boosting_missing =
    "expected xgboost when this was built, found none (Debian: apt-get install libxgboost-dev)";
#endif

/// Rows of features as the statistical experts see them, besides ln(scale-out), and the log-runtime they led to.
struct boosting_rows {
    std::size_t columns = 0;
    std::vector<float> features{};
    std::vector<float> log_runtimes{};
};

class boosting_features {
public:
    explicit boosting_features(std::span<const bellamy::run> history)
        : map_(bellamy::detail::make_feature_map(bellamy::detail::group_runs(history))) {}

    [[nodiscard]] std::size_t columns() const noexcept { return map_.columns.size() + 2; }

    /// A row of one context per scale-out. What is not known is NaN, which xgboost takes as missing.
    void append(const bellamy::context& subject, std::span<const int> scale_outs, std::vector<float>& to) const {
        const auto found = map_(subject);
        for (const int scale_out : scale_outs) {
            const double log_scale_out = std::log(static_cast<double>(scale_out));
            for (const double each : found.values) to.push_back(static_cast<float>(each));
            to.push_back(static_cast<float>(found.pressure + map_.pressure_slope() * log_scale_out));
            to.push_back(static_cast<float>(log_scale_out));
        }
    }
    void append(const bellamy::context& subject, int scale_out, std::vector<float>& to) const {
        append(subject, std::span(&scale_out, 1), to);
    }

    void append(std::span<const bellamy::run> runs, boosting_rows& to) const {
        to.columns = columns();
        for (const auto& each : runs) {
            append(each.context, each.scale_out, to.features);
            to.log_runtimes.push_back(static_cast<float>(std::log(each.runtime_s)));
        }
    }

private:
    bellamy::detail::feature_map map_;
};

/// A trained ensemble of trees.
class boosted_trees {
public:
    boosted_trees(const boosting_features& features, const boosting_rows& rows, std::uint64_t seed) : features_(&features) {
#if defined(BELLAMY_HAS_XGBOOST)
        const auto count = rows.log_runtimes.size();
        mean_ = std::accumulate(rows.log_runtimes.begin(), rows.log_runtimes.end(), 0.0F) / static_cast<float>(count);
        std::vector<float> labels;
        for (const float each : rows.log_runtimes) labels.push_back(each - mean_);
        const auto matrix = matrix_of(rows.features, rows.columns);
        check(XGDMatrixSetFloatInfo(matrix.get(), "label", labels.data(), labels.size()));
        const std::array<DMatrixHandle, 1> matrices{matrix.get()};
        BoosterHandle made = nullptr;
        check(XGBoosterCreate(matrices.data(), matrices.size(), &made));
        booster_ = {made, &XGBoosterFree};
        const std::vector<std::pair<const char*, std::string>> parameters{
            {"objective", "reg:squarederror"}, {"base_score", "0"},    {"tree_method", "exact"},
            {"max_depth", max_depth},          {"eta", learning_rate}, {"nthread", "1"},
            {"seed", std::to_string(seed)},    {"verbosity", "0"}};
        for (const auto& [name, value] : parameters) check(XGBoosterSetParam(made, name, value.c_str()));
        for (int round = 0; round < rounds; ++round) check(XGBoosterUpdateOneIter(made, round, matrix.get()));
#else
        (void)rows;
        (void)seed;
        throw tools::tool_error("no_boosting", std::string(boosting_missing));
#endif
    }

    /// Seconds.
    [[nodiscard]] double operator()(const bellamy::context& subject, int scale_out) const {
#if defined(BELLAMY_HAS_XGBOOST)
        std::vector<float> row;
        features_->append(subject, scale_out, row);
        const auto matrix = matrix_of(row, row.size());
        bst_ulong count = 0;
        const float* predicted = nullptr;
        check(XGBoosterPredict(booster_.get(), matrix.get(), 0, 0, 0, &count, &predicted));
        return std::exp(static_cast<double>(mean_ + predicted[0]));
#else
        (void)subject;
        (void)scale_out;
        return std::numeric_limits<double>::quiet_NaN();
#endif
    }

#if defined(BELLAMY_HAS_XGBOOST)
    /// Without the mean, which is to be added to what the file answers.
    void save(const std::string& path) const { check(XGBoosterSaveModel(booster_.get(), path.c_str())); }
    [[nodiscard]] float mean() const noexcept { return mean_; }

    static void check(int status) {
        if (status != 0) throw tools::tool_error("boosting_failed", XGBGetLastError());
    }
#endif

private:
    [[maybe_unused]] const boosting_features* features_;
    [[maybe_unused]] float mean_ = 0;

#if defined(BELLAMY_HAS_XGBOOST)
    // The choice on splits_dev.csv.
    static constexpr const char* max_depth = "3";
    static constexpr const char* learning_rate = "0.1";
    static constexpr int rounds = 300;

    using matrix_owner = std::unique_ptr<void, int (*)(void*)>;

    [[nodiscard]] static matrix_owner matrix_of(const std::vector<float>& features, std::size_t columns) {
        DMatrixHandle made = nullptr;
        check(XGDMatrixCreateFromMat_omp(features.data(), features.size() / columns, columns,
                                         std::numeric_limits<float>::quiet_NaN(), &made, 1));
        return {made, &XGDMatrixFree};
    }

    std::unique_ptr<void, int (*)(void*)> booster_{nullptr, &XGBoosterFree};
#endif
};

/// The history, ready to be trained on together with the observed runs of a target.
class boosting {
public:
    boosting(std::span<const bellamy::run> history, std::uint64_t seed) : features_(history), seed_(seed) {
        features_.append(history, rows_);
    }

    /// Trained on history and observed runs; must not outlive this. Errors: boosting_failed, no_boosting.
    [[nodiscard]] boosted_trees with(std::span<const bellamy::run> observed) const {
        auto all = rows_;
        features_.append(observed, all);
        return {features_, all, seed_};
    }

private:
    boosting_features features_;
    boosting_rows rows_{};
    std::uint64_t seed_;
};

}  // namespace bench

#endif
