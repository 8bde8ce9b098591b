// The sections of a model file, each way; model_format.hpp has the table of them.
#ifndef BELLAMY_DETAIL_FORMAT_SECTIONS_HPP
#define BELLAMY_DETAIL_FORMAT_SECTIONS_HPP

#include <bellamy/detail/base/utf8.hpp>
#include <bellamy/detail/format/archive.hpp>
#include <bellamy/detail/format/envelope.hpp>
#include <bellamy/detail/format/self_test.hpp>
#include <bellamy/model.hpp>

#include <optional>
#include <string>

namespace bellamy::inline BELLAMY_ABI::detail {

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
    out.number(value.shortest_runtime_s);
    out.number(value.longest_runtime_s);
    out.text(value.date);
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
    value.shortest_runtime_s = in.wide_real();
    value.longest_runtime_s = in.wide_real();
    value.date = in.text(longest_name_bytes);
    if (!in.finished() || !is_utf8(value.algorithm) || !is_utf8(value.date))
        return malformed("BASE", "a complete training basis");
    if (!(value.shortest_runtime_s >= 0 && value.shortest_runtime_s <= value.longest_runtime_s &&
          std::isfinite(value.longest_runtime_s)))
        return malformed("BASE", "ordered runtimes");
    if (smallest < 1 || smallest > largest || largest > static_cast<std::uint32_t>(largest_scale_out))
        return malformed("BASE", "ordered scale-outs");
    value.seen_scale_outs = {.smallest = static_cast<int>(smallest), .largest = static_cast<int>(largest)};
    return value;
}

[[nodiscard]] inline result<network<>> read_network(byte_reader in) {
    for (const std::size_t width : widths(dimensions{}))
        if (in.number<std::uint32_t>() != width) return malformed("NETW", "a network of the default dimensions");
    const std::size_t essential = in.number<std::uint32_t>();
    if (essential > most_properties || in.remaining() != 4 * (6 + network<>::parameter_count(essential)))
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

inline void write_value(byte_writer& out, const property_value& value) {
    out.number(static_cast<std::uint8_t>(value.index()));
    if (const auto* words = std::get_if<std::string>(&value)) out.text(*words);
    if (const auto* natural = std::get_if<std::uint64_t>(&value)) out.number(*natural);
    if (const auto* quantity = std::get_if<double>(&value)) out.number(*quantity);
}

[[nodiscard]] inline property_value read_value(byte_reader& in) {
    switch (in.number<std::uint8_t>()) {
        case 0: return in.text(largest_model_bytes);
        case 1: return in.number<std::uint64_t>();
        case 2: return in.wide_real();
        case 3: return std::monostate{};
        default: in.refuse(); return std::monostate{};
    }
}

inline void write_property(byte_writer& out, const property& value) {
    out.text(value.name);
    out.number(static_cast<std::uint8_t>(value.role));
    out.number(static_cast<std::uint8_t>(value.scales_with_scale_out ? 1 : 0));
    write_value(out, value.value);
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
    const auto role = in.number<std::uint8_t>();
    const auto scales = in.number<std::uint8_t>();
    if (role > 4 || scales > 1) return false;
    value.role = static_cast<property_role>(role);
    value.scales_with_scale_out = scales == 1;
    value.value = read_value(in);
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

/// Questions of a self-test and the answers that the model gave.
[[nodiscard]] inline byte_writer write_self_test(const std::vector<self_test_question>& questions) {
    byte_writer out;
    out.number(static_cast<std::uint32_t>(questions.size()));
    for (const auto& each : questions) {
        out.number(each.observed_run);
        out.number(static_cast<std::uint32_t>(each.values.size()));
        for (const auto& value : each.values) write_value(out, value);
        for (const auto& answer : each.answers) {
            out.number(answer.scale_out);
            out.number(answer.median_s);
            out.number(answer.quantile_s);
        }
    }
    return out;
}

[[nodiscard]] inline result<std::vector<self_test_question>> read_self_test(byte_reader in) {
    const auto count = in.number<std::uint32_t>();
    if (count > most_self_test_questions) return malformed("SELF", "as many questions as a self-test may have");
    std::vector<self_test_question> questions(count);
    for (auto& each : questions) {
        each.observed_run = in.number<std::uint32_t>();
        const auto values = in.number<std::uint32_t>();
        if (values > 2 * most_properties) return malformed("SELF", "as many values as a context may have");
        for (std::uint32_t i = 0; i < values && in.good(); ++i) each.values.push_back(read_value(in));
        for (auto& answer : each.answers) {
            answer.scale_out = in.number<std::uint32_t>();
            answer.median_s = in.wide_real();
            answer.quantile_s = in.wide_real();
        }
    }
    if (!in.finished()) return malformed("SELF", "complete questions");
    return questions;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
