// What an application model holds as lists of fields for an archive: from parts to what is stored of them, and back.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_FIELDS_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_FIELDS_HPP

#include <bellamy/detail/application/application_parts.hpp>
#include <bellamy/detail/format/model_bytes.hpp>
#include <bellamy/detail/format/packed.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// An observed run; its context stands once for all of a part.
struct stored_observation {
    std::size_t context = 0;
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
    quantile_row log_quantiles{};  // whatever the scale-out
    std::uint32_t runs = 0;
    std::optional<stored_model> learned{};
};

/// Of a shape, the jobs that are learned as shares of their path times together; both empty where there are none.
struct stored_small_jobs {
    stored_part paths{};
    std::vector<double> share{};  // 0 for jobs that are learned by themselves
};

struct stored_shape {
    std::vector<std::uint64_t> shape{};
    std::size_t runs = 0;
    std::vector<std::vector<std::optional<stored_part>>> stages{};
    std::vector<stored_part> paths{};  // empty for jobs that `stored_small_jobs` has
    stored_part run{};
    stored_part outside{};
    std::vector<std::vector<double>> log_share{};
    std::vector<double> outside_after{};
    double whole_weight = 0;
    run_factor factor{};
};

template <class Archive, is_or_is_const<stored_observation> Data>
void fields(Archive& archive, Data& of) {
    archive(of.context, of.scale_out, of.runtime_s, of.weight);
}
template <class Archive, is_or_is_const<stored_model> Data>
void fields(Archive& archive, Data& of) {
    archive(of.properties, of.basis, of.kind, of.contexts, of.observed);
}
template <class Archive, is_or_is_const<stored_part> Data>
void fields(Archive& archive, Data& of) {
    archive(of.log_quantiles, of.runs, of.learned);
}
template <class Archive, is_or_is_const<stored_shape> Data>
void fields(Archive& archive, Data& of) {
    archive(of.shape, of.runs, of.stages, of.paths, of.run, of.outside, of.log_share, of.outside_after, of.whole_weight,
            of.factor);
}
template <class Archive, is_or_is_const<stored_small_jobs> Data>
void fields(Archive& archive, Data& of) {
    archive(of.paths, of.share);
}

[[nodiscard]] inline stored_part stored(const component& part) {
    const auto& any = part.at_any_scale_out();
    stored_part made{.log_quantiles = any.log_quantiles, .runs = any.observed_runs};
    if (!part.learned()) return made;
    const auto& from = *part.learned();
    made.learned = {.properties = from.schema(),
                    .basis = from.basis(),
                    .kind = visit_kind(from, [](const auto& kind) -> stored_kind { return stored(kind); })};
    auto& contexts = made.learned->contexts;
    for (const auto& each : from.observed()) {
        const auto found = std::find(contexts.begin(), contexts.end(), each.context);
        const auto number = static_cast<std::size_t>(found - contexts.begin());
        if (found == contexts.end()) contexts.push_back(each.context);
        made.learned->observed.push_back(
            {.context = number, .scale_out = each.scale_out, .runtime_s = each.runtime_s, .weight = each.weight});
    }
    return made;
}

[[nodiscard]] inline stored_shape stored(const shape_parts& from) {
    stored_shape made{.shape = from.shape,
                      .runs = from.runs,
                      .run = stored(from.parts.run),
                      .outside = stored(from.parts.outside),
                      .log_share = from.log_share,
                      .outside_after = from.outside_after,
                      .whole_weight = from.whole_weight,
                      .factor = from.factor};
    const auto store = [](const std::unique_ptr<component>& part) {
        return part ? std::optional(stored(*part)) : std::nullopt;
    };
    for (const auto& job : from.parts.stages) {
        auto& own = made.stages.emplace_back();
        for (const auto& each : job) own.push_back(store(each));
    }
    for (const auto& each : from.parts.paths) made.paths.push_back(each ? stored(*each) : stored_part{});
    return made;
}

[[nodiscard]] inline stored_small_jobs stored_small(const shape_parts& from) {
    const bool has_any = std::any_of(from.path_share.begin(), from.path_share.end(), [](double each) { return each > 0; });
    if (!has_any) return {};
    return {.paths = stored(from.parts.small_paths), .share = from.path_share};
}

/// Bytes that a part needs beyond those of its file: covariances of its processes, and the contexts of its observed runs.
[[nodiscard]] inline double restored_bytes(const stored_part& of) noexcept {
    if (!of.learned) return 0;
    double sum = 0;
    if (const auto* blend = std::get_if<blend_data>(&of.learned->kind)) {
        double points = 0;
        for (std::size_t c = 0; c < (std::min)(blend->process_contexts, blend->history.contexts.size()); ++c)
            points += static_cast<double>(blend->history.contexts[c].count);
        sum += static_cast<double>(process_kinds * sizeof(double)) * points * points;
    }
    const auto bytes_of = [](const std::vector<property>& list) {
        std::size_t bytes = 0;
        for (const auto& each : list) {
            bytes += sizeof(property) + each.name.size();
            if (const auto* words = std::get_if<std::string>(&each.value)) bytes += words->size();
        }
        return bytes;
    };
    for (const auto& each : of.learned->observed) {
        if (each.context >= of.learned->contexts.size()) continue;
        const auto& own = of.learned->contexts[each.context];
        sum += static_cast<double>(sizeof(run) + bytes_of(own.essential) + bytes_of(own.optional));
    }
    return sum;
}
[[nodiscard]] inline double restored_bytes(const stored_shape& of) noexcept {
    double sum = restored_bytes(of.run) + restored_bytes(of.outside);
    for (const auto& each : of.paths) sum += restored_bytes(each);
    for (const auto& job : of.stages)
        for (const auto& each : job) sum += each ? restored_bytes(*each) : 0;
    return sum;
}

[[nodiscard]] inline error malformed_part(std::string_view expected) noexcept { return malformed("STGS", expected); }

/// The model of a part. Error: invalid_model.
[[nodiscard]] inline result<model> restored(stored_model&& from) {
    if (std::holds_alternative<stored_network>(from.kind)) return malformed_part("parts with quantiles");
    for (const auto& each : from.contexts)
        if (!is_valid(each)) return malformed_part("valid contexts");
    std::vector<run> observed;
    for (const auto& each : from.observed) {
        if (each.context >= from.contexts.size()) return malformed_part("observed runs of its contexts");
        observed.push_back({.context = from.contexts[each.context],
                            .scale_out = each.scale_out,
                            .runtime_s = each.runtime_s,
                            .weight = each.weight});
    }
    return restored(std::move(from.properties), std::move(from.basis), std::move(from.kind), std::move(observed));
}

/// A part whose contexts are like `example`. Error: invalid_model.
[[nodiscard]] inline result<component> restored(stored_part&& from, const context& example) {
    if (!std::all_of(from.log_quantiles.begin(), from.log_quantiles.end(), is_moderate) ||
        !std::is_sorted(from.log_quantiles.begin(), from.log_quantiles.end()))
        return malformed_part("quantiles in their order");
    std::optional<model> learned;
    if (from.learned) {
        auto made = restored(*std::move(from.learned));
        if (!made) return made.error();
        if (auto fits = made->schema().check(example); !fits) return malformed_part("parts of the application's properties");
        learned = *std::move(made);
    }
    return component(std::move(learned), from.log_quantiles, from.runs);
}

[[nodiscard]] inline bool is_consistent(const stored_shape& of) noexcept {
    const std::size_t jobs = of.shape.size();
    if (jobs == 0 || of.runs == 0 || of.paths.size() != jobs || of.stages.size() != jobs || of.log_share.size() != jobs)
        return false;
    for (std::size_t job = 0; job < jobs; ++job)
        if (of.stages[job].size() != of.log_share[job].size() ||
            !std::all_of(of.log_share[job].begin(), of.log_share[job].end(), is_moderate))
            return false;
    const auto is_share = [](double value) { return value >= 0 && value <= 1; };
    return of.outside_after.size() == jobs && std::all_of(of.outside_after.begin(), of.outside_after.end(), is_share) &&
           is_share(of.whole_weight) && of.factor.is_consistent(jobs);
}

/// Whether these can be small jobs of the shape: a job has a part or a share.
[[nodiscard]] inline bool is_consistent(const stored_small_jobs& of, const stored_shape& whole) noexcept {
    if (of.share.empty()) return of.paths.runs == 0 && !of.paths.learned;
    if (of.share.size() != whole.paths.size()) return false;
    for (std::size_t job = 0; job < of.share.size(); ++job) {
        const bool is_small = of.share[job] != 0;
        if (is_small && (!(of.share[job] > 0 && of.share[job] <= 1) || whole.paths[job].learned)) return false;
    }
    return true;
}

/// Error: invalid_model.
[[nodiscard]] inline result<shape_parts> restored(stored_shape&& from, stored_small_jobs&& small_jobs,
                                                  const context& example) {
    if (!is_consistent(from) || !is_consistent(small_jobs, from)) return malformed_part("numbers that fit each other");
    small_jobs.share.resize(from.paths.size());
    shape_parts made{.shape = std::move(from.shape),
                     .runs = from.runs,
                     .path_share = std::move(small_jobs.share),
                     .log_share = std::move(from.log_share),
                     .outside_after = std::move(from.outside_after),
                     .whole_weight = from.whole_weight,
                     .factor = std::move(from.factor)};
    result<void> whole;
    const auto restore = [&](stored_part& part, component& to) {
        if (!whole) return;
        auto own = restored(std::move(part), example);
        if (own) {
            to = *std::move(own);
        } else {
            whole = own.error();
        }
    };
    const auto restore_own = [&](stored_part& part, std::unique_ptr<component>& to) {
        to = std::make_unique<component>();
        restore(part, *to);
    };
    restore(from.run, made.parts.run);
    restore(from.outside, made.parts.outside);
    restore(small_jobs.paths, made.parts.small_paths);
    made.parts.paths.resize(from.paths.size());
    made.parts.stages.resize(from.paths.size());
    for (std::size_t job = 0; job < from.paths.size(); ++job) {
        if (made.path_share[job] == 0) restore_own(from.paths[job], made.parts.paths[job]);
        for (auto& each : from.stages[job]) {
            auto& own = made.parts.stages[job].emplace_back();
            if (each) restore_own(*each, own);
        }
    }
    if (!whole) return whole.error();
    return made;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
