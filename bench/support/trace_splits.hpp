// Recorded Spark applications whose data sizes hardly repeat, split by scale-out and by size.
#ifndef BELLAMY_BENCH_TRACE_SPLITS_HPP
#define BELLAMY_BENCH_TRACE_SPLITS_HPP

#include <bellamy/error.hpp>

#include "../../examples/support/tool_error.hpp"
#include "history_case.hpp"

#include <fmt/format.h>

#if defined(BELLAMY_HAS_ZSTD)
#include <zstd.h>
#endif

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace bench {

#if defined(BELLAMY_HAS_ZSTD)
inline constexpr std::string_view zstd_missing{};
#else
inline constexpr std::string_view zstd_missing =
    "expected zstd when this was built, found none (Debian: apt-get install libzstd-dev)";
#endif

/// The text of a file compressed by zstd. Errors: cannot_read, no_zstd.
[[nodiscard]] inline std::string read_zstd(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string packed{std::istreambuf_iterator<char>(in), {}};
    if (!in || packed.empty()) throw tools::tool_error("cannot_read", "expected a readable file, found " + path);
#if defined(BELLAMY_HAS_ZSTD)
    const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
    std::string text;
    std::string room(ZSTD_DStreamOutSize(), '\0');
    ZSTD_inBuffer from{packed.data(), packed.size(), 0};
    std::size_t left = 1;
    while (from.pos < from.size || left != 0) {
        ZSTD_outBuffer to{room.data(), room.size(), 0};
        const std::size_t before = from.pos;
        left = ZSTD_decompressStream(context.get(), &to, &from);
        if (ZSTD_isError(left) != 0U || (before == from.size && to.pos == 0))
            throw tools::tool_error("cannot_read", "expected data compressed by zstd in " + path);
        text.append(room.data(), to.pos);
    }
    return text;
#else
    throw tools::tool_error("no_zstd", std::string(zstd_missing));
#endif
}

/// Runs of traces, one JSON object a line, with the data size and nothing else. Error: cannot_read with the line.
[[nodiscard]] inline std::vector<bellamy::run> runs_of_traces(std::string_view lines, const std::string& name) {
    std::vector<bellamy::run> runs;
    std::size_t number = 0;
    while (!lines.empty()) {
        const auto end = (std::min)(lines.find('\n'), lines.size());
        const auto line = lines.substr(0, end);
        lines.remove_prefix((std::min)(end + 1, lines.size()));
        ++number;
        if (line.empty()) continue;
        try {
            const auto read = nlohmann::json::parse(line);
            bellamy::run one{.scale_out = read.at("scale_out").at(0).at(1).get<int>(),
                             .runtime_s = read.at("runtime_s").get<double>()};
            one.context.essential = {
                bellamy::quantity("data_size_MB", read.at("properties").at("data_size_MB").get<double>())
                    .with_role(bellamy::property_role::data_size)};
            runs.push_back(std::move(one));
        } catch (const nlohmann::json::exception& problem) {
            throw tools::tool_error("cannot_read", fmt::format("expected a trace with scale_out, runtime_s and data_size_MB "
                                                               "in {}, line {}: {}",
                                                               name, number, problem.what()));
        }
    }
    return runs;
}

/// *scale*: each scale-out in turn is left out, where there are several; *size*: of the runs by data size, positions 2, 6,
/// 10, ... from 0 are; *big*: the runs above the 0.75 quantile of the data sizes.
[[nodiscard]] inline std::vector<history_case> splits_of_traces(std::vector<bellamy::run> runs, const std::string& name) {
    std::vector<history_case> cases;
    const auto split = [&](const char* kind, const auto& is_test) {
        history_case made{.part = "traces", .group = name + " " + kind};
        std::vector<bellamy::run> history;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (is_test(i)) {
                made.tests.push_back({.of = runs[i], .median_s = runs[i].runtime_s});
            } else {
                history.push_back(runs[i]);
            }
        }
        made.history = std::make_shared<const std::vector<bellamy::run>>(std::move(history));
        cases.push_back(std::move(made));
    };
    std::ranges::stable_sort(runs, {}, [](const bellamy::run& each) { return data_size_of(each.context); });
    std::set<int> scale_outs;
    for (const auto& each : runs) scale_outs.insert(each.scale_out);
    if (scale_outs.size() > 1)
        for (const int x : scale_outs) split("scale", [&](std::size_t i) { return runs[i].scale_out == x; });
    split("size", [](std::size_t i) { return i % 4 == 2; });
    const double place = 0.75 * static_cast<double>(runs.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto size_at = [&](std::size_t i) { return data_size_of(runs[(std::min)(i, runs.size() - 1)].context); };
    const double largest = size_at(below) + (place - std::floor(place)) * (size_at(below + 1) - size_at(below));
    split("big", [&](std::size_t i) { return size_at(i) > largest; });
    return cases;
}

}  // namespace bench

#endif
