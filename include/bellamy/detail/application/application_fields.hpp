// What a file holds of the parts of an application, as lists of fields for an archive, and the conversions from and to
// models.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_FIELDS_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_FIELDS_HPP

#include <bellamy/detail/application/application_parts.hpp>
#include <bellamy/detail/format/model_bytes.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// An observed run, whose context is in a list that the runs of a part share.
struct stored_observation {
    size_t context = 0;
    int scale_out = 1;
    double runtime_s = 0;
    double weight = 1;
};

struct stored_model {
    schema properties{};
    training_basis basis{};
    stored_kind kind{};
    std::vector<context> contexts{};
    std::vector<stored_observation> observed{};
};

struct stored_part {
    quantile_row log_quantiles{};  // over all scale-outs
    std::uint32_t runs = 0;
    std::optional<stored_model> over_scale_outs{};
};

struct stored_shape {
    shape_statistics statistics{};
    application_parts<std::optional<stored_part>> parts{};
};

void fields(auto& archive, is_or_is_const<stored_observation> auto& observation) {
    archive(observation.context, observation.scale_out, observation.runtime_s, observation.weight);
}
/// The number of the kind, then what it holds; nothing for a network, which has no quantiles.
void fields(auto& archive, is_or_is_const<stored_kind> auto& kind) {
    const auto content = [&](auto& held) -> auto& {
        if constexpr (!std::is_const_v<std::remove_reference_t<decltype(held)>>) held.emplace();
        return *held;
    };
    auto number = kind.blend ? model_kind::blend : kind.shapes ? model_kind::shapes : model_kind::network;
    archive(number);
    if (number == model_kind::blend) archive(content(kind.blend));
    if (number == model_kind::shapes) archive(content(kind.shapes));
}
void fields(auto& archive, is_or_is_const<stored_model> auto& model) {
    archive(model.properties, model.basis, model.kind, model.contexts, model.observed);
}
void fields(auto& archive, is_or_is_const<stored_part> auto& part) {
    archive(part.log_quantiles, part.runs, part.over_scale_outs);
}
void fields(auto& archive, is_or_is_const<shape_statistics> auto& statistics) {
    archive(statistics.shape, statistics.runs, statistics.path_fraction, statistics.log_stage_fraction,
            statistics.outside_fraction_after, statistics.whole_weight, statistics.factor);
}
void fields(auto& archive, is_or_is_const<stored_shape> auto& shape) {
    auto& parts = shape.parts;
    archive(shape.statistics, parts.stages, parts.paths, parts.small_paths, parts.run, parts.outside);
}

inline stored_part stored(const application_part& part) {
    const auto& any = part.any_scale_out();
    stored_part stored_as{.log_quantiles = any.log_quantiles, .runs = any.observed_runs};
    if (!part.over_scale_outs()) return stored_as;
    const auto& fitted = *part.over_scale_outs();
    auto& model = stored_as.over_scale_outs.emplace(
        stored_model{.properties = fitted.schema(), .basis = model_access::general_basis(fitted)});
    if (const auto* blend = model_access::get_if<blend_kind>(fitted)) model.kind.blend = stored(*blend);
    if (const auto* shapes = model_access::get_if<shapes_kind>(fitted)) model.kind.shapes = stored(*shapes);
    for (const auto& run : fitted.observed()) {
        model.observed.push_back({.context = place_among(model.contexts, run.context),
                                  .scale_out = run.scale_out,
                                  .runtime_s = run.runtime_s,
                                  .weight = run.weight});
    }
    return stored_as;
}

inline stored_shape stored(const application_shape& shape) {
    const auto store = [](const std::optional<application_part>& part) {
        return part ? std::optional(stored(*part)) : std::nullopt;
    };
    return {.statistics = shape.statistics, .parts = map_parts(shape.parts, store)};
}

/// Bytes that a part needs beyond those of its file: covariances of its processes, and the contexts of its observed runs.
inline double restored_bytes(const std::optional<stored_part>& part) noexcept {
    if (!part || !part->over_scale_outs) return 0;
    const auto& model = *part->over_scale_outs;
    double sum = 0;
    if (const auto& blend = model.kind.blend) {
        double points = 0;
        for (size_t c = 0; c < (std::min)(blend->process_contexts, blend->history.contexts.size()); ++c)
            points += static_cast<double>(blend->history.contexts[c].count);
        sum += static_cast<double>(process_kinds * sizeof(double)) * points * points;
    }
    for (const auto& observation : model.observed) {
        if (observation.context >= model.contexts.size()) continue;
        size_t bytes = sizeof(run);
        for_each_property(model.contexts[observation.context], [&](const property& each) {
            bytes += sizeof(each) + each.name.size();
            if (const auto* text = each.value.text()) bytes += text->size();
        });
        sum += static_cast<double>(bytes);
    }
    return sum;
}
inline double restored_bytes(const stored_shape& shape) noexcept {
    const auto& parts = shape.parts;
    double sum = restored_bytes(parts.run) + restored_bytes(parts.outside) + restored_bytes(parts.small_paths);
    for (const auto& path : parts.paths) sum += restored_bytes(path);
    for (const auto& job : parts.stages)
        for (const auto& stage : job) sum += restored_bytes(stage);
    return sum;
}

inline error malformed_part(std::string_view expected) noexcept { return malformed("STGS", expected); }

/// The model of a part. Error: invalid_model.
inline result<model> restored(stored_model&& stored) {
    if (!stored.kind.blend && !stored.kind.shapes) return malformed_part("parts with quantiles");
    for (const auto& context : stored.contexts)
        if (!has_valid_enumerators(context)) return malformed_part("valid contexts");
    std::vector<run> observed;
    for (const auto& observation : stored.observed) {
        if (observation.context >= stored.contexts.size()) return malformed_part("observed runs of its contexts");
        observed.push_back({.context = stored.contexts[observation.context],
                            .scale_out = observation.scale_out,
                            .runtime_s = observation.runtime_s,
                            .weight = observation.weight});
    }
    return restored(std::move(stored.properties), std::move(stored.basis), std::move(stored.kind), std::move(observed));
}

/// A part whose contexts have the properties of `example`. Error: invalid_model.
inline result<application_part> restored(stored_part&& stored, const context& example) {
    if (!all_of(stored.log_quantiles, is_moderate) ||
        !std::is_sorted(stored.log_quantiles.begin(), stored.log_quantiles.end()))
        return malformed_part("quantiles in their order");
    std::optional<model> over_scale_outs;
    if (stored.over_scale_outs) {
        auto fitted = restored(*std::move(stored.over_scale_outs));
        if (!fitted) return fitted.error();
        if (auto valid = fitted->schema().check(example); !valid)
            return malformed_part("parts of the application's properties");
        over_scale_outs = *std::move(fitted);
    }
    return application_part(std::move(over_scale_outs), stored.log_quantiles, stored.runs);
}

/// Whether every list has an entry for each job and stage, every job has a path or a fraction of one, and every number is in
/// its range.
inline bool is_consistent(const stored_shape& shape) noexcept {
    const auto& statistics = shape.statistics;
    const auto& parts = shape.parts;
    const size_t jobs = statistics.shape.size();
    if (jobs == 0 || statistics.runs == 0 || !parts.run || !parts.outside) return false;
    for (const size_t size : {parts.paths.size(), parts.stages.size(), statistics.path_fraction.size(),
                              statistics.log_stage_fraction.size(), statistics.outside_fraction_after.size()})
        if (size != jobs) return false;
    const auto is_fraction = [](double value) { return value >= 0 && value <= 1; };
    for (size_t job = 0; job < jobs; ++job) {
        const double path_fraction = statistics.path_fraction[job];
        const auto& log_fractions = statistics.log_stage_fraction[job];
        if (!is_fraction(path_fraction) || parts.paths[job].has_value() != (path_fraction == 0) ||
            (path_fraction > 0 && !parts.small_paths) || parts.stages[job].size() != log_fractions.size() ||
            !all_of(log_fractions, is_moderate))
            return false;
    }
    const auto& after = statistics.outside_fraction_after;
    return all_of(after, is_fraction) && is_fraction(statistics.whole_weight) && statistics.factor.is_consistent(jobs);
}

/// Error: invalid_model.
inline result<application_shape> restored(stored_shape&& shape, const context& example) {
    if (!is_consistent(shape)) return malformed_part("numbers that fit each other");
    result<void> valid;
    const auto restore = [&](std::optional<stored_part>& part) -> std::optional<application_part> {
        if (!part || !valid) return std::nullopt;
        auto fitted = restored(*std::move(part), example);
        if (!fitted) valid = fitted.error();
        return fitted ? std::optional(*std::move(fitted)) : std::nullopt;
    };
    application_shape restored_shape{.statistics = std::move(shape.statistics), .parts = map_parts(shape.parts, restore)};
    if (!valid) return valid.error();
    return restored_shape;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
