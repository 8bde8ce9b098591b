// Definitions of what enel_file.hpp declares: the sections of a file, their validation, and the self-test.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_FILE_IMPL_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_FILE_IMPL_HPP

#include <bellamy/detail/base/file.hpp>
#include <bellamy/detail/context/checks.hpp>
#include <bellamy/detail/enel/enel_impl.hpp>
#include <bellamy/detail/format/envelope.hpp>
#include <bellamy/detail/format/packed.hpp>
#include <bellamy/detail/format/self_test.hpp>
#include <bellamy/enel_file.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {
namespace detail {

/// Content of section ENEL.
struct stored_enel_network {
    std::vector<double> parameters{};
    enel_configuration configuration{};
    enel_scaler scaler{};
};

template <class Archive, is_or_is_const<stored_enel_network> Data>
void fields(Archive& archive, Data& data) {
    archive(data.parameters, data.configuration.alpha_dropout, data.configuration.edge_dropout,
            data.configuration.rates.learning_rate, data.configuration.rates.weight_decay, data.scaler.low,
            data.scaler.high);
}
template <class Archive, is_or_is_const<enel_stage> Data>
void fields(Archive& archive, Data& data) {
    archive(data.metrics, data.context, data.start, data.end, data.rescaling_share, data.time_s);
}
template <class Archive, is_or_is_const<enel_job> Data>
void fields(Archive& archive, Data& data) {
    archive(data.stages, data.parents, data.shape, data.start, data.end, data.rescaling_share, data.time_s, data.gap_s);
}
/// A model keeps finished runs only.
template <class Archive, is_or_is_const<enel_run> Data>
void fields(Archive& archive, Data& data) {
    archive(data.application, data.attempt, data.properties, data.data_size_mb, data.jobs, data.tail_s);
}

/// Validates runs read from a file, which may be corrupt or hostile.
class enel_runs_check {
public:
    /// Error: invalid_model.
    [[nodiscard]] static result<void> check(std::span<const enel_run> runs) {
        if (runs.empty()) return malformed("RUNS", "at least one run");
        for (const auto& run : runs) {
            if (run.application.size() > longest_name_bytes || run.attempt < 1 || run.jobs.empty() ||
                run.data_size_mb.value_or(0) > enel_largest_number || !is_within(run.tail_s, 0, longest_s) ||
                !are_valid(run.properties))
                return malformed("RUNS", "an application with valid properties and jobs");
            if (!std::all_of(run.jobs.begin(), run.jobs.end(), [](const enel_job& job) { return is_valid(job); }))
                return malformed("RUNS", "jobs of known stages without cycles");
        }
        return {};
    }

private:
    static constexpr double longest_s = 1e12;

    [[nodiscard]] static bool is_within(double value, double low, double high) noexcept {
        return value >= low && value <= high;
    }
    [[nodiscard]] static bool are_within(std::span<const double> values, double low, double high) noexcept {
        return std::all_of(values.begin(), values.end(), [&](double value) { return is_within(value, low, high); });
    }
    // Enumerators first: `validate` looks up their names.
    [[nodiscard]] static bool are_valid(const std::vector<property>& properties) {
        return std::all_of(properties.begin(), properties.end(),
                           [](const property& fact) { return fact.role <= property_role::machine_type; }) &&
               validate(context{.optional = properties});
    }

    [[nodiscard]] static bool is_valid(const enel_job& job) {
        const auto count = job.stages.size();
        if (count == 0 || job.parents.size() != count) return false;
        for (const auto& parents : job.parents)
            if (std::any_of(parents.begin(), parents.end(), [&](std::size_t parent) { return parent >= count; }) ||
                std::adjacent_find(parents.begin(), parents.end(), [](std::size_t a, std::size_t b) { return a >= b; }) !=
                    parents.end())
                return false;
        if (topological_order(job.parents).size() != count) return false;
        return is_timed(job) && is_within(job.gap_s, 0, longest_s) &&
               std::all_of(job.stages.begin(), job.stages.end(), [](const enel_stage& stage) {
                   return is_timed(stage) && are_within(stage.metrics, 0, 1e9) &&
                          std::all_of(stage.context.begin(), stage.context.end(),
                                      [](const enel_encoding& encoding) { return are_within(encoding, -1, 1); });
               });
    }
    template <class JobOrStage>
    [[nodiscard]] static bool is_timed(const JobOrStage& job_or_stage) noexcept {
        return is_within(job_or_stage.start, 0, largest_scale_out) && is_within(job_or_stage.end, 0, largest_scale_out) &&
               is_within(job_or_stage.rescaling_share, 0, 1) && is_within(job_or_stage.time_s, 0, longest_s);
    }
};

/// Access to the state of a network.
struct enel_access {
    using state = enel_model::state;
    [[nodiscard]] static const state& state_of(const enel_model& network) noexcept { return *network.state_; }
    [[nodiscard]] static enel_model make(std::shared_ptr<const state> assembled) { return enel_model(std::move(assembled)); }
};

/// Self-test: for up to three runs, the predicted time of all jobs before the start, at the run's own scale-out. Seconds.
[[nodiscard]] inline std::vector<double> enel_self_test(const enel_training_set& set, std::span<const double> parameters) {
    std::vector<double> totals_s;
    for (std::size_t i = 0; i < (std::min)(set.runs.size(), std::size_t{3}); ++i) {
        const auto& run = set.runs[i];
        const int x = static_cast<int>(std::lround((std::max)(1.0, run.jobs.front().mean_scale_out())));
        enel_forecaster forecaster(set,
                                   {.application = run.application,
                                    .attempt = run.attempt,
                                    .properties = run.properties,
                                    .data_size_mb = run.data_size_mb},
                                   x);
        double sum_s = 0;
        forecaster.forecast(parameters, x, 0, [&](std::size_t, double job_s, auto) { sum_s += job_s; });
        totals_s.push_back(sum_s);
    }
    return totals_s;
}

/// The sections of a file, read one by one, then assembled to a network.
class enel_sections {
public:
    [[nodiscard]] result<void> read(std::uint32_t name, std::uint32_t flags, byte_reader content) {
        if (name == section_name("ENEL")) return keep_once(network_, read_section<stored_enel_network>(content, "ENEL"));
        if (name == section_name("RUNS"))
            return keep_once(runs_, read_packed_section<std::vector<enel_run>>(content, "RUNS"));
        if (name == section_name("SELF")) return keep_once(answers_, read_section<std::vector<double>>(content, "SELF"));
        if ((flags & must_be_understood) != 0)
            return fail(errc::unsupported_version, "expected Enel's network, found another model or a newer version");
        return {};
    }

    /// Errors: invalid_model; self_test_failed.
    [[nodiscard]] result<enel_model> assemble() && {
        if (!network_ || !runs_ || !answers_)
            return fail(errc::invalid_model, "expected sections ENEL, RUNS and SELF, found less");
        const auto& parameters = network_->parameters;
        const auto& rates = network_->configuration.rates;
        bool usable = parameters.size() == enel_layout::size && rates.learning_rate > 0 && rates.learning_rate <= 1 &&
                      rates.weight_decay >= 0 && rates.weight_decay <= 1 &&
                      std::all_of(parameters.begin(), parameters.end(), is_moderate);
        for (const auto* extremes : {&network_->scaler.low, &network_->scaler.high})
            usable = usable && std::all_of(extremes->begin(), extremes->end(), is_moderate);
        if (!usable) return malformed("ENEL", "the parameters of the network");
        if (auto valid = enel_runs_check::check(*runs_); !valid) return valid.error();
        auto state = std::make_shared<enel_access::state>();
        state->report.training_runs = runs_->size();
        state->set.runs = *std::move(runs_);
        state->set.scaler = network_->scaler;
        state->trained.parameters = std::move(network_->parameters);
        state->trained.configuration = network_->configuration;
        const auto totals_s = enel_self_test(state->set, state->trained.parameters);
        if (totals_s.size() != answers_->size()) return malformed("SELF", "as many answers as questions");
        for (std::size_t i = 0; i < totals_s.size(); ++i)
            if (!(std::abs(totals_s[i] - (*answers_)[i]) <= self_test_tolerance * (std::max)(1.0, std::abs((*answers_)[i]))))
                return fail(errc::self_test_failed, "expected the answers that the network gave when it was saved, ",
                            (*answers_)[i], " s, found ", totals_s[i], " s");
        return enel_access::make(std::move(state));
    }

private:
    std::optional<stored_enel_network> network_{};
    std::optional<std::vector<enel_run>> runs_{};
    std::optional<std::vector<double>> answers_{};
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<std::vector<std::byte>> to_bytes(const enel_model& network) {
    const auto& state = detail::enel_access::state_of(network);
    detail::byte_writer sections;
    detail::write_section(
        sections, "ENEL",
        detail::stored_enel_network{state.trained.parameters, state.trained.configuration, state.set.scaler});
    detail::write_packed_section(sections, "RUNS", state.set.runs);
    detail::write_section(sections, "SELF", detail::enel_self_test(state.set, state.trained.parameters));
    auto bytes = detail::write_envelope(sections, 3);
    if (bytes.size() > largest_model_bytes)
        return detail::fail(errc::number_too_large, "expected a model of at most ", largest_model_bytes, " bytes, found ",
                            bytes.size());
    return bytes;
}

BELLAMY_PUBLIC_INLINE result<enel_model> enel_from_bytes(std::span<const std::byte> bytes) {
    detail::enel_sections sections;
    if (auto read = detail::read_sections(bytes, sections); !read) return read.error();
    return std::move(sections).assemble();
}

BELLAMY_PUBLIC_INLINE result<void> save(const enel_model& network, const std::string& path) {
    const auto bytes = to_bytes(network);
    if (!bytes) return bytes.error();
    return detail::write_file(path, *bytes);
}

BELLAMY_PUBLIC_INLINE result<enel_model> load_enel(const std::string& path) {
    const auto bytes = detail::read_file(path, largest_model_bytes);
    if (!bytes) return bytes.error();
    return enel_from_bytes(*bytes);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
