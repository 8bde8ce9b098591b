// Paper mode as a kind of model: the published network, fine-tuned; a median per scale-out without quantiles.
#ifndef BELLAMY_DETAIL_MODELS_NETWORK_KIND_HPP
#define BELLAMY_DETAIL_MODELS_NETWORK_KIND_HPP

#include <bellamy/detail/models/predictor.hpp>
#include <bellamy/detail/network/network_curve.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct network_kind {
    static constexpr std::string_view section = "NETW";

    explicit network_kind(network<> source) : parameters(std::move(source)), prepared(prepared_network(parameters)) {}

    result<curve> bind(const binding& question) const {
        if (question.non_increasing)
            return fail(errc::invalid_option,
                        "expected a model of best mode for a curve that does not increase, found a "
                        "network");
        return curve(network_curve(*prepared, question.target), question.basis.seen_scale_outs,
                     question.basis.observed_runs);
    }

    network<> parameters;
    /// The parameters as the kernels read them.
    shared<prepared_network> prepared;
};

/// A network as a model file holds it.
struct stored_network {
    std::array<size_t, 6> widths{};
    size_t essential_count = 0;
    min_max_scaler<float> scaler{};
    std::vector<float> parameters{};
};

template <class Archive, class Stored>
requires(std::is_same_v<std::remove_const_t<Stored>, stored_network>) void fields(Archive& archive, Stored& network) {
    archive(network.widths, network.essential_count, network.scaler.minimum, network.scaler.span, network.parameters);
}

constexpr std::array<size_t, 6> widths(const dimensions& d) noexcept {
    return {d.encoding, d.encoder_hidden, d.code, d.scale_out_hidden, d.scale_out_code, d.head_hidden};
}

inline stored_network stored(const network_kind& kind) {
    return {.widths = widths(dimensions{}),
            .essential_count = kind.parameters.essential_count(),
            .scaler = kind.parameters.runtime.scaler,
            .parameters = kind.parameters.parameters()};
}

/// Error: invalid_model, where the numbers are not those of a network for the schema.
[[gnu::cold]] inline result<network_kind> restored(const stored_network& source, const schema& properties) {
    constexpr auto section = network_kind::section;
    if (source.widths != widths(dimensions{})) return malformed(section, "a network of the default dimensions");
    if (source.essential_count != properties.essential.size())
        return fail(errc::invalid_model, "expected a network for ", properties.essential.size(),
                    " essential properties, found one for ", source.essential_count);
    if (source.parameters.size() != network<>::parameter_count(source.essential_count))
        return malformed(section, "as many parameters as the dimensions need");
    const auto finite = [](float parameter) { return std::isfinite(parameter); };
    const auto positive = [](float span) { return span > 0 && std::isfinite(span); };
    if (!all_of(source.parameters, finite) || !all_of(source.scaler.minimum, finite) ||
        !all_of(source.scaler.span, positive))
        return malformed(section, "finite parameters");
    network<> parameters(source.essential_count);
    parameters.runtime.scaler = source.scaler;
    parameters.set_parameters(source.parameters);
    return network_kind(std::move(parameters));
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
