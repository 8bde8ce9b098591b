// One prediction of bench/stages beside its truth, as a row of a table, and the scores of many.
#ifndef BELLAMY_BENCH_STAGE_ROWS_HPP
#define BELLAMY_BENCH_STAGE_ROWS_HPP

#include <bellamy/prediction.hpp>

#include "history_case.hpp"
#include "summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace bench {

enum class stage_quantity : std::uint8_t { stage, job, run, remaining };

[[nodiscard]] inline std::string_view to_string(stage_quantity what) noexcept {
    constexpr std::array<std::string_view, 4> names{"stage", "job", "run", "remaining"};
    return names[static_cast<std::size_t>(what)];
}

/// `job` and `stage` are positions from 0; -1 where they do not apply.
struct stage_answer {
    stage_quantity what = stage_quantity::run;
    int job = -1;
    int stage = -1;
    bellamy::prediction predicted{};
    /// Of the one run that a replay rests on; 0 where there is no such run.
    int source_scale_out = 0;
};

struct stage_row {
    std::string application{};
    std::string part{};
    std::string run{};
    int scale_out = 0;
    int after_job = -1;
    stage_answer answer{};
    std::string method{};
    double truth_s = 0;

    /// The method; a replay also by how far it is from its source.
    [[nodiscard]] std::string group() const {
        if (answer.source_scale_out == 0) return method;
        const double factor = static_cast<double>(scale_out) / answer.source_scale_out;
        return method + (factor == 1 ? " x1" : factor >= 0.5 && factor <= 2 ? " <=x2" : " >x2");
    }
    [[nodiscard]] double error() const noexcept { return std::abs(answer.predicted.median_s / truth_s - 1); }
};

/// RFC 4180: what holds a separator or a quote is quoted.
[[nodiscard]] inline std::string csv_text(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

[[nodiscard]] inline std::string to_csv(std::span<const stage_row> rows) {
    std::string table =
        "application,run,scale_out,after_job,what,job,stage,method,truth_s,predicted_s,p05_s,p25_s,p75_s,p95_s\n";
    for (const auto& each : rows) {
        const auto& predicted = each.answer.predicted;
        table += fmt::format("{},{},{},{},{},{},{},{},{},{}", csv_text(each.application), csv_text(each.run), each.scale_out,
                             each.after_job, to_string(each.answer.what), each.answer.job, each.answer.stage, each.method,
                             each.truth_s, predicted.median_s);
        for (const double p : {0.05, 0.25, 0.75, 0.95})
            table += predicted.is_point ? "," : fmt::format(",{}", predicted.quantile_s(p));
        table += '\n';
    }
    return table;
}

struct stage_score {
    std::size_t rows = 0;
    double mean = 0;
    double median = 0;
    /// NaN for points.
    double covered_50 = 0;
    double covered_90 = 0;
};

[[nodiscard]] inline stage_score score_of(std::span<const stage_row* const> rows) {
    std::vector<double> errors;
    double in_50 = 0;
    double in_90 = 0;
    bool points = false;
    for (const auto* each : rows) {
        const auto& predicted = each->answer.predicted;
        errors.push_back(each->error());
        points = points || predicted.is_point;
        const auto inside = [&](double share) {
            const auto range = predicted.interval_s(share);
            return each->truth_s >= range.low_s && each->truth_s <= range.high_s ? 1.0 : 0.0;
        };
        in_50 += inside(0.5);
        in_90 += inside(0.9);
    }
    const auto count = static_cast<double>(rows.size());
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {.rows = rows.size(),
            .mean = mean_of(errors),
            .median = median_of(errors),
            .covered_50 = points ? none : in_50 / count,
            .covered_90 = points ? none : in_90 / count};
}

/// By split, application, method and what.
using stage_scores = std::map<std::tuple<std::string, std::string, stage_quantity, std::string>, stage_score>;

[[nodiscard]] inline stage_scores scores_of(std::span<const stage_row> rows) {
    std::map<stage_scores::key_type, std::vector<const stage_row*>> groups;
    for (const auto& each : rows)
        for (const auto& application : {each.application, std::string("all")})
            groups[{each.part, application, each.answer.what, each.group()}].push_back(&each);
    stage_scores scores;
    for (const auto& [key, own] : groups) scores[key] = score_of(own);
    return scores;
}

}  // namespace bench

#endif
