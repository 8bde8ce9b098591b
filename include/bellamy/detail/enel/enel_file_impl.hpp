// Definitions of what enel_file.hpp declares.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_FILE_IMPL_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_FILE_IMPL_HPP

#include <bellamy/detail/base/file.hpp>
#include <bellamy/detail/enel/enel_fields.hpp>
#include <bellamy/detail/enel/enel_impl.hpp>
#include <bellamy/detail/format/packed.hpp>
#include <bellamy/enel_file.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Looks inside a network, and makes one.
struct enel_access {
    using state = enel_model::state;
    [[nodiscard]] static const state& state_of(const enel_model& of) noexcept { return *of.state_; }
    [[nodiscard]] static enel_model make(std::shared_ptr<const state> known) { return enel_model(std::move(known)); }
};

/// Of up to three runs, seconds of all jobs before the start at the run's own scale-out, as pre-trained.
[[nodiscard]] inline std::vector<double> enel_self_test(const enel_training_set& set, std::span<const double> parameters) {
    std::vector<double> answers;
    for (std::size_t i = 0; i < (std::min)(set.runs.size(), std::size_t{3}); ++i) {
        const auto& from = set.runs[i];
        const int x = static_cast<int>(std::lround((std::max)(1.0, from.jobs.front().mean_scale_out())));
        enel_forecaster forecaster(set,
                                   {.application = from.application,
                                    .attempt = from.attempt,
                                    .properties = from.properties,
                                    .data_size_mb = from.data_size_mb},
                                   x);
        double sum_s = 0;
        forecaster.forecast(parameters, x, 0, [&](std::size_t, double job_s, auto) { sum_s += job_s; });
        answers.push_back(sum_s);
    }
    return answers;
}

/// The sections of Enel's network, as far as they were read.
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
        for (const auto* each : {&network_->scaler.low, &network_->scaler.high})
            usable = usable && std::all_of(each->begin(), each->end(), is_moderate);
        if (!usable) return malformed("ENEL", "the parameters of the network");
        if (auto valid = enel_runs_check::check(*runs_); !valid) return valid.error();
        auto made = std::make_shared<enel_access::state>();
        made->report.training_runs = runs_->size();
        made->set.runs = *std::move(runs_);
        made->set.scaler = network_->scaler;
        made->trained.parameters = std::move(network_->parameters);
        made->trained.configuration = network_->configuration;
        const auto found = enel_self_test(made->set, made->trained.parameters);
        if (found.size() != answers_->size()) return malformed("SELF", "as many answers as questions");
        for (std::size_t i = 0; i < found.size(); ++i)
            if (!(std::abs(found[i] - (*answers_)[i]) <= self_test_tolerance * (std::max)(1.0, std::abs((*answers_)[i]))))
                return fail(errc::self_test_failed, "expected the answers that the network gave when it was saved, ",
                            (*answers_)[i], " s, found ", found[i], " s");
        return enel_access::make(std::move(made));
    }

private:
    std::optional<stored_enel_network> network_{};
    std::optional<std::vector<enel_run>> runs_{};
    std::optional<std::vector<double>> answers_{};
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<std::vector<std::byte>> to_bytes(const enel_model& subject) {
    const auto& of = detail::enel_access::state_of(subject);
    detail::byte_writer sections;
    detail::write_section(sections, "ENEL",
                          detail::stored_enel_network{of.trained.parameters, of.trained.configuration, of.set.scaler});
    detail::write_packed_section(sections, "RUNS", of.set.runs);
    detail::write_section(sections, "SELF", detail::enel_self_test(of.set, of.trained.parameters));
    auto whole = detail::write_envelope(sections, 3);
    if (whole.size() > largest_model_bytes)
        return detail::fail(errc::number_too_large, "expected a model of at most ", largest_model_bytes, " bytes, found ",
                            whole.size());
    return whole;
}

BELLAMY_PUBLIC_INLINE result<enel_model> enel_from_bytes(std::span<const std::byte> bytes) {
    detail::enel_sections found;
    if (auto read = detail::read_sections(bytes, found); !read) return read.error();
    return std::move(found).assemble();
}

BELLAMY_PUBLIC_INLINE result<void> save(const enel_model& subject, const std::string& path) {
    const auto bytes = to_bytes(subject);
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
