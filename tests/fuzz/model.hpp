// Any bytes as a model: refused with a reason, or a model that binds, answers, learns and can be saved.
#ifndef BELLAMY_TESTS_FUZZ_MODEL_HPP
#define BELLAMY_TESTS_FUZZ_MODEL_HPP

#include <bellamy/choose.hpp>
#include <bellamy/serialize.hpp>

#include <cmath>
#include <numeric>

#include "input.hpp"

namespace fuzz {

/// A context of the model's properties; every third value is not known where `some_unknown`.
[[nodiscard]] inline bellamy::context context_for(const bellamy::schema& properties, bool some_unknown) {
    bellamy::context made{.unit = properties.unit};
    std::size_t i = 0;
    const auto value_of = [&](const bellamy::property_definition& definition) {
        bellamy::property each{
            .name = definition.name, .role = definition.role, .scales_with_scale_out = definition.scales_with_scale_out};
        ++i;
        if (definition.kind == bellamy::property_kind::text) each.value = std::string("m5.large");
        if (definition.kind == bellamy::property_kind::natural) each.value = std::uint64_t{30 + i};
        if (definition.kind == bellamy::property_kind::quantity) each.value = 0.5 * static_cast<double>(i);
        if (some_unknown && i % 3 == 0) each.value = std::nullopt;
        return each;
    };
    for (const auto& each : properties.essential) made.essential.push_back(value_of(each));
    for (const auto& each : properties.optional) made.optional.push_back(value_of(each));
    return made;
}

inline void require_answers(const bellamy::model& subject, const bellamy::context& job) {
    const bool conditioned = bellamy::is_conditioned(subject.kind());
    for (const bool non_increasing : {false, true}) {
        const auto runtimes = subject.bind(job, {.non_increasing = non_increasing});
        if (!runtimes) {
            require(!runtimes.error().message().empty(), "what is refused is explained");
            continue;
        }
        for (const int x : {0, 1, 2, 3, 7, 64, 100'000, bellamy::largest_scale_out}) {
            const auto answer = runtimes->at(x);
            if (x < 1) {
                require(std::isnan(answer.median_s), "a question that is not valid gets no number");
                continue;
            }
            if (!conditioned) continue;
            require(answer.median_s >= 0, "a blend answers with a runtime");
            require(answer.quantile_s(0.1) <= answer.quantile_s(0.5) && answer.quantile_s(0.5) <= answer.quantile_s(0.9),
                    "quantiles are ordered");
            const double within = answer.probability_within(100);
            require(within >= 0 && within <= 1, "a probability lies between 0 and 1");
        }
        std::array<int, 32> scale_outs{};
        std::iota(scale_outs.begin(), scale_outs.end(), 1);
        std::array<bellamy::assessment, 32> table{};
        (void)choose(*runtimes, scale_outs, 300, 0.9, table).has_value();
        std::array<float, 40> medians{};
        runtimes->medians_s(1, medians);
    }
}

inline void try_model(bytes all) {
    const auto loaded = bellamy::from_bytes(std::as_bytes(all));
    if (!loaded) {
        require(!loaded.error().message().empty(), "what is refused is explained");
        return;
    }
    const auto written = bellamy::to_bytes(*loaded);
    const auto again = bellamy::from_bytes(written);
    require(again.has_value(), "what was loaded can be saved and loaded");
    require(bellamy::to_bytes(*again) == written, "and stays as it is");

    const auto job = context_for(loaded->schema(), false);
    require_answers(*loaded, job);
    require_answers(*loaded, context_for(loaded->schema(), true));
    if (!loaded->observed().empty()) require_answers(*loaded, loaded->observed().front().context);

    std::vector<bellamy::run> runs{{.context = job, .scale_out = 3, .runtime_s = 100},
                                   {.context = job, .scale_out = 6, .runtime_s = 70, .censored = true}};
    if (const auto wiser = loaded->condition(runs)) require_answers(*wiser, job);
}

}  // namespace fuzz

#endif
