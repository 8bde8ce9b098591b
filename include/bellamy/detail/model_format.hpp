// The sections of a model file, each way; serialize.hpp has the envelope's layout.
#ifndef BELLAMY_DETAIL_MODEL_FORMAT_HPP
#define BELLAMY_DETAIL_MODEL_FORMAT_HPP

#include <bellamy/detail/best/blend_bytes.hpp>
#include <bellamy/detail/byte_io.hpp>
#include <bellamy/detail/crc64.hpp>
#include <bellamy/detail/utf8.hpp>
#include <bellamy/model.hpp>

#include <optional>
#include <string>

namespace bellamy::inline BELLAMY_ABI {

/// Version of the model format that this library writes; it reads every minor version of this major one.
inline constexpr std::uint16_t model_format_major = 0;
inline constexpr std::uint16_t model_format_minor = 1;

/// Larger model files are refused.
inline constexpr std::size_t largest_model_bytes = std::size_t{64} << 20U;

}  // namespace bellamy::inline BELLAMY_ABI

namespace bellamy::inline BELLAMY_ABI::detail {

inline constexpr std::array<unsigned char, 8> model_magic{'b', 'e', 'l', 'l', 'a', 'm', 'y', 0x1a};
inline constexpr std::size_t model_header_bytes = 24;
inline constexpr std::size_t model_checksum_bytes = 8;
inline constexpr std::uint32_t must_be_understood = 1;

[[nodiscard]] constexpr std::uint32_t section_name(std::string_view letters) noexcept {
    std::uint32_t name = 0;
    for (std::size_t i = 0; i < 4; ++i)
        name |= static_cast<std::uint32_t>(static_cast<unsigned char>(letters[i])) << (8 * i);
    return name;
}
inline constexpr std::uint32_t schema_section = section_name("SCHM");
inline constexpr std::uint32_t basis_section = section_name("BASE");
inline constexpr std::uint32_t network_section = section_name("NETW");
inline constexpr std::uint32_t blend_section = section_name("BLND");
inline constexpr std::uint32_t log_network_section = section_name("LOGN");
inline constexpr std::uint32_t shapes_section = section_name("SHAP");
inline constexpr std::uint32_t observed_section = section_name("OBSV");

inline void write_section(byte_writer& out, std::uint32_t name, const byte_writer& content) {
    out.number(name);
    out.number(must_be_understood);
    out.number(static_cast<std::uint64_t>(content.bytes().size()));
    out.append(content.bytes());
}

inline void write_definitions(byte_writer& out, const std::vector<property_definition>& list) {
    out.number(static_cast<std::uint32_t>(list.size()));
    for (const auto& each : list) {
        out.text(each.name);
        out.number(static_cast<std::uint8_t>(each.kind));
        out.number(static_cast<std::uint8_t>(each.role));
        out.number(static_cast<std::uint8_t>(each.scales_with_scale_out ? 1 : 0));
    }
}

[[nodiscard]] inline byte_writer write_schema(const schema& value) {
    byte_writer out;
    out.number(static_cast<std::uint8_t>(value.unit));
    write_definitions(out, value.essential);
    write_definitions(out, value.optional);
    return out;
}

[[nodiscard]] inline byte_writer write_basis(const training_basis& value) {
    byte_writer out;
    out.text(value.algorithm);
    out.number(value.runs);
    out.number(value.contexts);
    out.number(value.observed_runs);
    out.number(static_cast<std::uint32_t>(value.seen_scale_outs.smallest));
    out.number(static_cast<std::uint32_t>(value.seen_scale_outs.largest));
    return out;
}

[[nodiscard]] constexpr std::array<std::size_t, 6> widths(const dimensions& d) noexcept {
    return {d.encoding, d.encoder_hidden, d.code, d.scale_out_hidden, d.scale_out_code, d.head_hidden};
}

[[nodiscard]] inline byte_writer write_network(const network<>& value) {
    byte_writer out;
    for (const std::size_t width : widths(dimensions{})) out.number(static_cast<std::uint32_t>(width));
    out.number(static_cast<std::uint32_t>(value.essential_count()));
    for (const float each : value.runtime.scaler.minimum) out.number(each);
    for (const float each : value.runtime.scaler.span) out.number(each);
    for (const float each : value.parameters()) out.number(each);
    return out;
}

[[nodiscard]] inline error malformed(std::string_view section, std::string_view expected) noexcept {
    return fail(errc::invalid_model, "expected ", expected, " in section ", section, ", found something else");
}

[[nodiscard]] inline bool read_definitions(byte_reader& in, std::vector<property_definition>& list) {
    const std::size_t count = in.number<std::uint32_t>();
    if (count > most_properties) return false;
    for (std::size_t i = 0; i < count; ++i) {
        property_definition each{.name = in.text(longest_name_bytes)};
        const auto kind = in.number<std::uint8_t>();
        const auto role = in.number<std::uint8_t>();
        const auto scales = in.number<std::uint8_t>();
        if (!in.good() || each.name.empty() || !is_utf8(each.name) || kind > 2 || role > 4 || scales > 1) return false;
        each.kind = static_cast<property_kind>(kind);
        each.role = static_cast<property_role>(role);
        each.scales_with_scale_out = scales == 1;
        list.push_back(std::move(each));
    }
    return true;
}

[[nodiscard]] inline result<schema> read_schema(byte_reader in) {
    schema value;
    const auto unit = in.number<std::uint8_t>();
    if (unit > 3) return malformed("SCHM", "a unit of scale-out from 0 to 3");
    value.unit = static_cast<scale_out_unit>(unit);
    if (!read_definitions(in, value.essential) || !read_definitions(in, value.optional) || !in.finished())
        return malformed("SCHM", "valid property definitions");
    return value;
}

[[nodiscard]] inline result<training_basis> read_basis(byte_reader in) {
    training_basis value{.algorithm = in.text(longest_name_bytes)};
    value.runs = in.number<std::uint32_t>();
    value.contexts = in.number<std::uint32_t>();
    value.observed_runs = in.number<std::uint32_t>();
    const auto smallest = in.number<std::uint32_t>();
    const auto largest = in.number<std::uint32_t>();
    if (!in.finished() || !is_utf8(value.algorithm)) return malformed("BASE", "a complete training basis");
    if (smallest < 1 || smallest > largest || largest > static_cast<std::uint32_t>(largest_scale_out))
        return malformed("BASE", "ordered scale-outs");
    value.seen_scale_outs = {.smallest = static_cast<int>(smallest), .largest = static_cast<int>(largest)};
    return value;
}

[[nodiscard]] inline result<network<>> read_network(byte_reader in) {
    for (const std::size_t width : widths(dimensions{}))
        if (in.number<std::uint32_t>() != width) return malformed("NETW", "a network of the default dimensions");
    const std::size_t essential = in.number<std::uint32_t>();
    if (essential > most_properties + most_number_slots || in.remaining() != 4 * (6 + network<>::parameter_count(essential)))
        return malformed("NETW", "as many parameters as the dimensions need");
    network<> value(essential);
    for (float& each : value.runtime.scaler.minimum) each = in.real();
    for (float& each : value.runtime.scaler.span) each = in.real();
    std::vector<float> parameters(network<>::parameter_count(essential));
    bool finite = true;
    for (float& each : parameters) {
        each = in.real();
        finite = finite && std::isfinite(each);
    }
    for (std::size_t i = 0; i < scale_out_features_count; ++i)
        finite = finite && std::isfinite(value.runtime.scaler.minimum[i]) && std::isfinite(value.runtime.scaler.span[i]) &&
                 value.runtime.scaler.span[i] > 0;
    if (!finite) return malformed("NETW", "finite parameters");
    value.set_parameters(parameters);
    return value;
}

/// Checks everything but the sections; returns their bytes.
[[nodiscard]] inline result<std::span<const std::byte>> open_envelope(std::span<const std::byte> bytes) {
    const auto magic = std::as_bytes(std::span(model_magic));
    if (bytes.size() < magic.size() || !std::equal(magic.begin(), magic.end(), bytes.begin()))
        return fail(errc::not_a_model, "expected a bellamy model, found other bytes (", bytes.size(), " of them)");
    byte_reader in(bytes.subspan(magic.size()));
    const auto major = in.number<std::uint16_t>();
    const auto minor = in.number<std::uint16_t>();
    (void)in.number<std::uint32_t>();
    const auto size = in.number<std::uint64_t>();
    if (!in.good() || bytes.size() < model_header_bytes + model_checksum_bytes)
        return fail(errc::truncated, "expected a complete model, found only ", bytes.size(), " bytes");
    if (major != model_format_major)
        return fail(errc::unsupported_version, "expected model format ", model_format_major, ".x, found ", major, ".",
                    minor);
    if (size != bytes.size()) return fail(errc::truncated, "expected ", size, " bytes, found ", bytes.size());
    const auto checked = bytes.first(bytes.size() - model_checksum_bytes);
    if (byte_reader(bytes.last(model_checksum_bytes)).number<std::uint64_t>() != crc64(checked))
        return fail(errc::corrupted, "expected the checksum of an unaltered model, found another");
    return checked.subspan(model_header_bytes);
}

[[nodiscard]] inline byte_writer write_blend(const blend_data& value) {
    byte_writer out;
    blend_writer archive(out);
    archive(value);
    return out;
}

[[nodiscard]] inline result<std::shared_ptr<const best_model>> read_blend(byte_reader in) {
    blend_data data;
    blend_reader archive(in);
    archive(data);
    if (!archive.finished() || !is_consistent(data)) return malformed("BLND", "data that fit each other");
    auto made = std::make_shared<const best_model>(std::move(data));
    if (!made->usable()) return malformed("BLND", "an expert that can answer");
    return made;
}

/// What makes a network one in log mode; its parameters stand in the network's section.
[[nodiscard]] inline byte_writer write_log_mode(const log_network& value) {
    byte_writer out;
    blend_writer archive(out);
    archive(value.target.lowest_log_runtime, value.target.highest_log_runtime, value.features);
    return out;
}

[[nodiscard]] inline result<log_network> read_log_mode(byte_reader in) {
    log_network value{.parameters = network<>(0)};
    blend_reader archive(in);
    archive(value.target.lowest_log_runtime, value.target.highest_log_runtime, value.features);
    const bool ordered = is_moderate(value.target.lowest_log_runtime) && is_moderate(value.target.highest_log_runtime) &&
                         value.target.lowest_log_runtime <= value.target.highest_log_runtime;
    if (!archive.finished() || !ordered || !is_consistent(value.features))
        return malformed("LOGN", "data that fit each other");
    return value;
}

[[nodiscard]] inline byte_writer write_shapes(const shape_prior& value) {
    byte_writer out;
    blend_writer archive(out);
    archive(value);
    return out;
}

[[nodiscard]] inline result<std::shared_ptr<const shape_prior>> read_shapes(byte_reader in) {
    shape_prior data;
    blend_reader archive(in);
    archive(data);
    if (!archive.finished() || !is_consistent(data)) return malformed("SHAP", "data that fit each other");
    return std::make_shared<const shape_prior>(std::move(data));
}

inline void write_property(byte_writer& out, const property& value) {
    out.text(value.name);
    out.number(static_cast<std::uint8_t>(value.kind()));
    out.number(static_cast<std::uint8_t>(value.role));
    out.number(static_cast<std::uint8_t>(value.scales_with_scale_out ? 1 : 0));
    if (const auto* words = std::get_if<std::string>(&value.value)) out.text(*words);
    if (const auto* natural = std::get_if<std::uint64_t>(&value.value)) out.number(*natural);
    if (const auto* quantity = std::get_if<double>(&value.value)) out.number(*quantity);
}

[[nodiscard]] inline byte_writer write_observed(std::span<const run> runs) {
    byte_writer out;
    out.number(static_cast<std::uint32_t>(runs.size()));
    for (const auto& each : runs) {
        out.number(static_cast<std::uint8_t>(each.context.unit));
        for (const auto* list : {&each.context.essential, &each.context.optional}) {
            out.number(static_cast<std::uint32_t>(list->size()));
            for (const auto& one : *list) write_property(out, one);
        }
        out.number(static_cast<std::uint32_t>(each.scale_out));
        out.number(each.runtime_s);
        out.number(static_cast<std::uint8_t>(each.censored ? 1 : 0));
        out.number(each.weight);
        out.number(each.timestamp_s.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return out;
}

[[nodiscard]] inline bool read_property(byte_reader& in, property& value) {
    value.name = in.text(longest_name_bytes);
    const auto kind = in.number<std::uint8_t>();
    const auto role = in.number<std::uint8_t>();
    const auto scales = in.number<std::uint8_t>();
    if (kind > 3 || role > 4 || scales > 1) return false;
    value.role = static_cast<property_role>(role);
    value.scales_with_scale_out = scales == 1;
    if (kind == 0) value.value = in.text(largest_model_bytes);
    if (kind == 1) value.value = in.number<std::uint64_t>();
    if (kind == 2) value.value = in.wide_real();
    if (kind == 3) value.value = std::monostate{};
    return in.good();
}

[[nodiscard]] inline result<std::vector<run>> read_observed(byte_reader in) {
    std::vector<run> runs;
    for (auto count = in.number<std::uint32_t>(); count > 0 && in.good(); --count) {
        auto& each = runs.emplace_back();
        const auto unit = in.number<std::uint8_t>();
        if (unit > 3) return malformed("OBSV", "a unit of scale-out from 0 to 3");
        each.context.unit = static_cast<scale_out_unit>(unit);
        for (auto* list : {&each.context.essential, &each.context.optional}) {
            const std::size_t size = in.number<std::uint32_t>();
            if (size > most_properties) return malformed("OBSV", "as many properties as a context may have");
            for (std::size_t i = 0; i < size; ++i)
                if (!read_property(in, list->emplace_back())) return malformed("OBSV", "valid properties");
        }
        each.scale_out = static_cast<int>((std::min)(in.number<std::uint32_t>(), std::uint32_t{0x7fffffff}));
        each.runtime_s = in.wide_real();
        each.censored = in.number<std::uint8_t>() != 0;
        each.weight = in.wide_real();
        if (const double timestamp_s = in.wide_real(); !std::isnan(timestamp_s)) each.timestamp_s = timestamp_s;
    }
    if (!in.finished()) return malformed("OBSV", "complete runs");
    return runs;
}

[[nodiscard]] inline std::vector<std::byte> write_model(const model& subject) {
    byte_writer sections;
    write_section(sections, schema_section, write_schema(subject.schema()));
    write_section(sections, basis_section, write_basis(subject.basis()));
    std::uint32_t count = 3;
    if (subject.kind() == model_kind::network) {
        write_section(sections, network_section, write_network(subject.parameters()));
    } else if (subject.kind() == model_kind::log_network) {
        write_section(sections, network_section, write_network(subject.in_log_mode().parameters));
        write_section(sections, log_network_section, write_log_mode(subject.in_log_mode()));
        ++count;
    } else {
        if (subject.kind() == model_kind::blend) {
            write_section(sections, blend_section, write_blend(subject.experts().data()));
        } else {
            write_section(sections, shapes_section, write_shapes(subject.prior()));
        }
        write_section(sections, observed_section, write_observed(subject.observed()));
        ++count;
    }

    byte_writer out;
    out.append(std::as_bytes(std::span(model_magic)));
    out.number(model_format_major);
    out.number(model_format_minor);
    out.number(count);
    out.number(static_cast<std::uint64_t>(model_header_bytes + sections.bytes().size() + model_checksum_bytes));
    out.append(sections.bytes());
    out.number(crc64(out.bytes()));
    return std::move(out).take();
}

/// The sections of a model, as far as they were read.
struct model_sections {
    std::optional<schema> properties{};
    std::optional<training_basis> basis{};
    std::optional<network<>> parameters{};
    std::optional<log_network> log_mode{};
    std::optional<std::shared_ptr<const best_model>> experts{};
    std::optional<std::shared_ptr<const shape_prior>> prior{};
    std::optional<std::vector<run>> observed{};

    [[nodiscard]] result<void> read(std::uint32_t name, std::uint32_t flags, byte_reader content) {
        if (name == schema_section) return keep(properties, read_schema(content));
        if (name == basis_section) return keep(basis, read_basis(content));
        if (name == network_section) return keep(parameters, read_network(content));
        if (name == log_network_section) return keep(log_mode, read_log_mode(content));
        if (name == blend_section) return keep(experts, read_blend(content));
        if (name == shapes_section) return keep(prior, read_shapes(content));
        if (name == observed_section) return keep(observed, read_observed(content));
        if ((flags & must_be_understood) != 0)
            return fail(errc::unsupported_version, "expected sections that this version knows, found a newer one");
        return {};
    }

    [[nodiscard]] result<model> assemble() && {
        const int answers = (parameters ? 1 : 0) + (experts ? 1 : 0) + (prior ? 1 : 0);
        if (!properties || !basis || answers != 1 || observed.has_value() == parameters.has_value() ||
            (log_mode && !parameters))
            return fail(errc::invalid_model,
                        "expected schema, basis, and a network or observed runs with what answers, found something else");
        if (parameters) {
            const std::size_t codes = properties->essential.size() + (log_mode ? log_mode->slots() : 0);
            if (parameters->essential_count() != codes)
                return fail(errc::invalid_model, "expected a network for ", codes, " essential properties, found one for ",
                            parameters->essential_count());
            if (!log_mode) return model(*std::move(properties), *std::move(basis), *std::move(parameters));
            log_mode->parameters = *std::move(parameters);
            return model(*std::move(properties), *std::move(basis), *std::move(log_mode));
        }
        if (experts && (*experts)->data().network &&
            (*experts)->data().network->network.parameters.essential_count() !=
                properties->essential.size() + (*experts)->data().network->network.slots())
            return fail(errc::invalid_model, "expected a network for ", properties->essential.size(),
                        " essential properties among the experts, found another");
        if (auto valid = validate_observed(*properties, *observed); !valid)
            return fail(errc::invalid_model, "observed ", valid.error().message());
        if (experts) return model(*std::move(properties), *std::move(basis), *std::move(experts), *std::move(observed));
        return model(*std::move(properties), *std::move(basis), *std::move(prior), *std::move(observed));
    }

private:
    template <class Value>
    [[nodiscard]] static result<void> keep(std::optional<Value>& place, result<Value>&& read) {
        if (!read) return read.error();
        if (place) return fail(errc::invalid_model, "expected every section once, found one twice");
        place = *std::move(read);
        return {};
    }
};

[[nodiscard]] inline result<model> read_model(std::span<const std::byte> bytes) {
    const auto opened = open_envelope(bytes);
    if (!opened) return opened.error();
    byte_reader in(*opened);
    model_sections found;
    for (auto sections = byte_reader(bytes.subspan(12)).number<std::uint32_t>(); sections > 0; --sections) {
        const auto name = in.number<std::uint32_t>();
        const auto flags = in.number<std::uint32_t>();
        const auto size = in.number<std::uint64_t>();
        if (!in.good() || size > in.remaining())
            return fail(errc::invalid_model, "expected sections within the file, found one that ends beyond it");
        if (auto read = found.read(name, flags, byte_reader(in.take(static_cast<std::size_t>(size)))); !read)
            return read.error();
    }
    if (!in.finished())
        return fail(errc::invalid_model, "expected nothing after the last section, found ", in.remaining(), " bytes");
    return std::move(found).assemble();
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
