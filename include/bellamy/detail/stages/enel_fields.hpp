// What a file holds of Enel's network: its parameters, and the runs that it compares with, whose encodings stand once.
#ifndef BELLAMY_DETAIL_STAGES_ENEL_FIELDS_HPP
#define BELLAMY_DETAIL_STAGES_ENEL_FIELDS_HPP

#include <bellamy/detail/context/label.hpp>
#include <bellamy/detail/format/packed.hpp>
#include <bellamy/detail/stages/enel_run.hpp>
#include <bellamy/detail/stages/enel_steps.hpp>

#include <functional>
#include <map>

namespace bellamy::inline BELLAMY_ABI::detail {

struct stored_enel_network {
    std::vector<double> parameters{};
    enel_configuration configuration{};
    enel_scaler scaler{};
};
struct stored_enel_stage {
    enel_metrics metrics{};
    std::array<std::uint64_t, enel_stage_rows> context{};  // numbers of encodings
    double start = 0;
    double end = 0;
    double rescaling_share = 0;
    double time_s = 0;
};
struct stored_enel_job {
    std::vector<stored_enel_stage> stages{};
    stage_graph parents{};
    std::uint64_t shape = 0;
    double start = 0;
    double end = 0;
    double rescaling_share = 0;
    double time_s = 0;
    double gap_s = 0;
};
struct stored_enel_run {
    std::string application{};
    std::int64_t attempt = 1;
    std::vector<property> properties{};
    std::optional<std::uint64_t> data_size_mb{};
    std::vector<stored_enel_job> jobs{};
    double tail_s = 0;
};
struct stored_enel_history {
    std::vector<enel_encoding> encodings{};
    std::vector<stored_enel_run> runs{};
};

template <class Archive, is_or_is_const<stored_enel_network> Data>
void fields(Archive& archive, Data& of) {
    archive(of.parameters, of.configuration.alpha_dropout, of.configuration.edge_dropout,
            of.configuration.rates.learning_rate, of.configuration.rates.weight_decay, of.scaler.low, of.scaler.high);
}
template <class Archive, is_or_is_const<stored_enel_stage> Data>
void fields(Archive& archive, Data& of) {
    archive(of.metrics, of.context, of.start, of.end, of.rescaling_share, of.time_s);
}
template <class Archive, is_or_is_const<stored_enel_job> Data>
void fields(Archive& archive, Data& of) {
    archive(of.stages, of.parents, of.shape, of.start, of.end, of.rescaling_share, of.time_s, of.gap_s);
}
template <class Archive, is_or_is_const<stored_enel_run> Data>
void fields(Archive& archive, Data& of) {
    archive(of.application, of.attempt, of.properties, of.data_size_mb, of.jobs, of.tail_s);
}
template <class Archive, is_or_is_const<stored_enel_history> Data>
void fields(Archive& archive, Data& of) {
    archive(of.encodings, of.runs);
}

/// What the runs take in memory, nearly all of it encodings.
[[nodiscard]] inline double restored_bytes(const stored_enel_history& of) noexcept {
    double bytes = 0;
    for (const auto& run : of.runs)
        for (const auto& job : run.jobs)
            bytes += static_cast<double>(sizeof(enel_job) +
                                         job.stages.size() * (sizeof(enel_stage) + sizeof(stage_graph::value_type)));
    return bytes;
}

[[nodiscard]] inline stored_enel_history stored(std::span<const enel_run> runs) {
    stored_enel_history made;
    std::map<enel_encoding, std::uint64_t> numbers;
    const auto number_of = [&](const enel_encoding& encoding) {
        const auto [found, is_new] = numbers.try_emplace(encoding, numbers.size());
        if (is_new) made.encodings.push_back(encoding);
        return found->second;
    };
    for (const auto& run : runs) {
        made.runs.push_back({.application = run.application,
                             .attempt = run.attempt,
                             .properties = run.properties,
                             .data_size_mb = run.data_size_mb,
                             .tail_s = run.tail_s});
        for (const auto& job : run.jobs) {
            auto& own = made.runs.back().jobs.emplace_back();
            own = {.parents = job.parents,
                   .shape = job.shape,
                   .start = job.start,
                   .end = job.end,
                   .rescaling_share = job.rescaling_share,
                   .time_s = job.time_s,
                   .gap_s = job.gap_s};
            for (const auto& stage : job.stages) {
                auto& one = own.stages.emplace_back();
                one = {.metrics = stage.metrics,
                       .start = stage.start,
                       .end = stage.end,
                       .rescaling_share = stage.rescaling_share,
                       .time_s = stage.time_s};
                for (std::size_t i = 0; i < enel_stage_rows; ++i) one.context[i] = number_of(stage.context[i]);
            }
        }
    }
    return made;
}

/// Makes runs of what a file holds. Error: invalid_model.
class enel_restorer {
public:
    explicit enel_restorer(const stored_enel_history& from) noexcept : from_(from) {}

    [[nodiscard]] result<std::vector<enel_run>> runs() const {
        const auto bounded = [](const enel_encoding& each) { return are_within(each, -1, 1); };
        if (!std::all_of(from_.encodings.begin(), from_.encodings.end(), bounded))
            return malformed("RUNS", "encodings from -1 to 1");
        if (from_.runs.empty()) return malformed("RUNS", "at least one run");
        std::vector<enel_run> made;
        for (const auto& each : from_.runs) {
            if (each.application.size() > longest_name_bytes || each.attempt < 1 || each.jobs.empty() ||
                each.data_size_mb.value_or(0) > enel_largest_number || !are_within({each.tail_s}, 0, longest_s) ||
                !are_valid(each.properties))
                return malformed("RUNS", "an application with valid properties and jobs");
            made.push_back({.application = each.application,
                            .attempt = each.attempt,
                            .properties = each.properties,
                            .data_size_mb = each.data_size_mb,
                            .tail_s = each.tail_s});
            for (const auto& job : each.jobs) {
                if (!is_valid(job)) return malformed("RUNS", "jobs of known stages without cycles");
                made.back().jobs.push_back(restored(job));
            }
        }
        return made;
    }

private:
    static constexpr double longest_s = 1e12;

    template <std::size_t Size>
    [[nodiscard]] static bool are_within(const std::array<double, Size>& values, double low, double high) noexcept {
        return std::all_of(values.begin(), values.end(), [&](double each) { return each >= low && each <= high; });
    }
    [[nodiscard]] static bool are_within(std::initializer_list<double> values, double low, double high) noexcept {
        return std::all_of(values.begin(), values.end(), [&](double each) { return each >= low && each <= high; });
    }
    // Enumerators before anything asks for their names.
    [[nodiscard]] static bool are_valid(const std::vector<property>& properties) {
        return std::all_of(properties.begin(), properties.end(),
                           [](const property& each) { return each.role <= property_role::machine_type; }) &&
               validate(context{.optional = properties});
    }

    [[nodiscard]] bool is_valid(const stored_enel_job& job) const {
        const auto count = job.stages.size();
        if (count == 0 || job.parents.size() != count) return false;
        for (const auto& parents : job.parents)
            if (std::any_of(parents.begin(), parents.end(), [&](std::size_t each) { return each >= count; }) ||
                std::adjacent_find(parents.begin(), parents.end(), std::greater_equal<>{}) != parents.end())
                return false;
        if (topological_order(job.parents).size() != count) return false;
        const auto timed = [](const auto& each) {
            return are_within({each.start, each.end}, 0, largest_scale_out) && are_within({each.rescaling_share}, 0, 1) &&
                   are_within({each.time_s}, 0, longest_s);
        };
        return timed(job) && are_within({job.gap_s}, 0, longest_s) &&
               std::all_of(job.stages.begin(), job.stages.end(), [&](const stored_enel_stage& each) {
                   return timed(each) && are_within(each.metrics, 0, 1e9) &&
                          std::all_of(each.context.begin(), each.context.end(),
                                      [&](std::uint64_t row) { return row < from_.encodings.size(); });
               });
    }

    [[nodiscard]] enel_job restored(const stored_enel_job& job) const {
        enel_job made{.parents = job.parents,
                      .shape = job.shape,
                      .start = job.start,
                      .end = job.end,
                      .rescaling_share = job.rescaling_share,
                      .time_s = job.time_s,
                      .gap_s = job.gap_s};
        for (const auto& stage : job.stages) {
            auto& one = made.stages.emplace_back();
            one = {.metrics = stage.metrics,
                   .start = stage.start,
                   .end = stage.end,
                   .rescaling_share = stage.rescaling_share,
                   .time_s = stage.time_s};
            for (std::size_t i = 0; i < enel_stage_rows; ++i)
                one.context[i] = from_.encodings[static_cast<std::size_t>(stage.context[i])];
        }
        return made;
    }

    const stored_enel_history& from_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
