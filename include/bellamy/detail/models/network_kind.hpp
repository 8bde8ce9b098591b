// Paper mode as a kind of model: the published network, fine-tuned, a point per scale-out.
#ifndef BELLAMY_DETAIL_MODELS_NETWORK_KIND_HPP
#define BELLAMY_DETAIL_MODELS_NETWORK_KIND_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/shared.hpp>
#include <bellamy/detail/context/features.hpp>
#include <bellamy/detail/models/binding.hpp>
#include <bellamy/detail/network/network_curve.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

struct network_kind {
    static constexpr std::string_view name = "network";
    static constexpr std::string_view section = "NETW";
    static constexpr bool is_conditioned = false;

    explicit network_kind(network<> with) : parameters(std::move(with)), prepared(prepared_network(parameters)) {}

    network<> parameters;
    /// The parameters as the kernels read them.
    shared<prepared_network> prepared;
};

[[nodiscard]] inline result<curve> bind(const network_kind& kind, const binding& asked) {
    if (asked.non_increasing)
        return fail(errc::invalid_option, "expected a model of best mode for a curve that does not increase, found a ",
                    kind.name);
    return curve(network_curve(*kind.prepared, asked.subject), asked.basis.seen_scale_outs, asked.basis.observed_runs);
}

/// A network knows no values of its history.
[[nodiscard]] inline const feature_map* features_of(const network_kind&) noexcept { return nullptr; }

[[nodiscard]] inline result<void> can_answer(const network_kind&) noexcept { return {}; }

/// A network as a model file holds it.
struct stored_network {
    std::array<std::size_t, 6> widths{};
    std::size_t essential_count = 0;
    min_max_scaler<float> scaler{};
    std::vector<float> parameters{};
};

template <class Archive, class Stored>
requires(std::is_same_v<std::remove_const_t<Stored>, stored_network>) void fields(Archive& archive, Stored& of) {
    archive(of.widths, of.essential_count, of.scaler.minimum, of.scaler.span, of.parameters);
}

[[nodiscard]] constexpr std::array<std::size_t, 6> widths(const dimensions& d) noexcept {
    return {d.encoding, d.encoder_hidden, d.code, d.scale_out_hidden, d.scale_out_code, d.head_hidden};
}

[[nodiscard]] inline stored_network stored(const network_kind& kind) {
    return {.widths = widths(dimensions{}),
            .essential_count = kind.parameters.essential_count(),
            .scaler = kind.parameters.runtime.scaler,
            .parameters = kind.parameters.parameters()};
}

/// Errors: invalid_model, where the numbers are none of a network for the schema.
[[nodiscard]] inline result<network_kind> restored(const stored_network& from, const schema& properties) {
    const auto malformed = [](std::string_view expected) {
        return fail(errc::invalid_model, "expected ", expected, " in section ", network_kind::section,
                    ", found something else");
    };
    if (from.widths != widths(dimensions{})) return malformed("a network of the default dimensions");
    if (from.essential_count != properties.essential.size())
        return fail(errc::invalid_model, "expected a network for ", properties.essential.size(),
                    " essential properties, found one for ", from.essential_count);
    if (from.parameters.size() != network<>::parameter_count(from.essential_count))
        return malformed("as many parameters as the dimensions need");
    const auto finite = [](float each) { return std::isfinite(each); };
    const auto positive = [](float each) { return each > 0 && std::isfinite(each); };
    if (!std::all_of(from.parameters.begin(), from.parameters.end(), finite) ||
        !std::all_of(from.scaler.minimum.begin(), from.scaler.minimum.end(), finite) ||
        !std::all_of(from.scaler.span.begin(), from.scaler.span.end(), positive))
        return malformed("finite parameters");
    network<> parameters(from.essential_count);
    parameters.runtime.scaler = from.scaler;
    parameters.set_parameters(from.parameters);
    return network_kind(std::move(parameters));
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
