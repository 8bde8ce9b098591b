// Writes a model as sections and restores it; checks everything that it reads.
#ifndef BELLAMY_DETAIL_FORMAT_MODEL_BYTES_HPP
#define BELLAMY_DETAIL_FORMAT_MODEL_BYTES_HPP

#include <bellamy/detail/format/self_test.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// What a model file holds of its kind: one of these.
struct stored_kind {
    std::optional<blend_data> blend{};
    std::optional<stored_network> network{};
    std::optional<shape_prior> shapes{};
};

/// Calls with the kind that a model holds. Compiles the call for every kind.
template <class Call>
decltype(auto) visit_kind(const model& source, const Call& call) {
    if (const auto* blend = model_access::get_if<blend_kind>(source)) return call(*blend);
    if (const auto* network = model_access::get_if<network_kind>(source)) return call(*network);
    return call(*model_access::get_if<shapes_kind>(source));
}

/// Writes all sections but the self-test; returns their number.
inline std::uint32_t write_content(byte_writer& sections, const model& source) {
    write_section(sections, "SCHM", source.schema());
    write_section(sections, "BASE", model_access::general_basis(source));
    visit_kind(source, [&](const auto& kind) { write_section(sections, kind.section, stored(kind)); });
    if (!is_conditioned(source.kind())) return 3;
    write_section(sections, "OBSV", std::vector<run>(source.observed().begin(), source.observed().end()));
    return 4;
}

inline std::vector<std::byte> write_model(const model& source) {
    byte_writer sections;
    const auto count = write_content(sections, source);
    write_section(sections, "SELF", make_self_test(source));
    return write_envelope(sections, count + 1);
}

// Checks enumerators before anything looks up their names.
inline bool has_valid_enumerators(const context& observed) noexcept {
    const auto valid = [](const property& property) { return property.role <= property_role::machine_type; };
    return observed.unit <= scale_out_unit::core && all_of(observed.essential, valid) && all_of(observed.optional, valid);
}

/// A model from its sections. Error: invalid_model.
[[gnu::cold]] inline result<model> restored(schema&& properties, training_basis&& basis, stored_kind&& kind,
                                            std::optional<std::vector<run>>&& observed) {
    if (auto valid = validate(properties); !valid) return valid.error();
    if (auto valid = validate(basis); !valid) return valid.error();
    const bool conditioned = !kind.network;
    if (observed.has_value() != conditioned)
        return fail(errc::invalid_model, "expected ", conditioned ? "" : "no ",
                    "observed runs in a model of this kind, found ", conditioned ? "none" : "some");
    if (!conditioned) observed.emplace();
    for (const auto& run : *observed)
        if (!has_valid_enumerators(run.context)) return malformed("OBSV", "valid contexts");
    if (auto valid = validate_observed(properties, *observed); !valid)
        return fail(errc::invalid_model, "observed ", valid.error().message());
    const auto restore = [&](auto& stored) -> result<model> {
        auto valid_kind = restored(std::move(stored), properties);
        if (!valid_kind) return valid_kind.error();
        return model_access::make(std::move(properties), std::move(basis), *std::move(valid_kind), *std::move(observed));
    };
    if (kind.blend) return restore(*kind.blend);
    if (kind.network) return restore(*kind.network);
    return restore(*kind.shapes);
}

/// Collects the sections of a model file.
class model_sections {
public:
    [[gnu::cold]] result<void> read(std::string_view name, std::uint32_t flags, byte_reader content) {
        if (name == "SCHM") return keep_once(properties_, content, name);
        if (name == "BASE") return keep_once(basis_, content, name);
        if (name == "OBSV") return keep_once(observed_, content, name);
        if (name == "SELF") return keep_once(self_test_, content, name);
        if (name == blend_kind::section) return keep_kind(kind_.blend, content, name);
        if (name == network_kind::section) return keep_kind(kind_.network, content, name);
        if (name == shapes_kind::section) return keep_kind(kind_.shapes, content, name);
        if (name == "APPL")
            return fail(errc::invalid_model, "expected a model of an algorithm, found one of an application's stages");
        if ((flags & must_be_understood) != 0)
            return fail(errc::unsupported_version, "expected sections that this version knows, found a newer one");
        return {};
    }

    /// Errors: invalid_model; self_test_failed, where the self-test is run.
    [[gnu::cold]] result<model> assemble(bool with_self_test) && {
        if (!self_test_ || self_test_->size() > most_self_test_questions)
            return fail(errc::invalid_model, "expected a self-test of up to ", most_self_test_questions,
                        " questions in section SELF, found none or more");
        if (!properties_ || !basis_ || !has_kind())
            return fail(errc::invalid_model, "expected schema, basis and a kind of model, found less");
        auto loaded = restored(*std::move(properties_), *std::move(basis_), std::move(kind_), std::move(observed_));
        if (!loaded || !with_self_test) return loaded;
        if (const auto* kind = model_access::get_if<blend_kind>(*loaded); kind != nullptr && !kind->blend->usable())
            return fail(errc::invalid_model, "expected an expert that can answer in section BLND, found none");
        if (auto passed = run_self_test(*loaded, *self_test_); !passed) return passed.error();
        return loaded;
    }

private:
    bool has_kind() const noexcept { return kind_.blend || kind_.network || kind_.shapes; }

    [[gnu::cold]] result<void> keep_kind(auto& kind, byte_reader content, std::string_view section) {
        if (has_kind())
            return fail(errc::invalid_model, "expected one section of what answers, found it twice or another kind's");
        return keep_once(kind, content, section);
    }

    std::optional<schema> properties_;
    std::optional<training_basis> basis_;
    stored_kind kind_;
    std::optional<std::vector<run>> observed_;
    std::optional<std::vector<self_test_question>> self_test_;
};

/// Errors: those of the envelope and of `model_sections`. Skip the self-test only for bytes that passed it in this process.
[[gnu::cold]] inline result<model> read_model(std::span<const std::byte> bytes, bool with_self_test = true) {
    model_sections sections;
    if (auto read = read_sections(bytes, sections); !read) return read.error();
    return std::move(sections).assemble(with_self_test);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
