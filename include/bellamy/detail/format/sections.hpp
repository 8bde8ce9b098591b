// The sections of a model file that every kind of model has, as lists of fields; envelope.hpp has the table of sections.
#ifndef BELLAMY_DETAIL_FORMAT_SECTIONS_HPP
#define BELLAMY_DETAIL_FORMAT_SECTIONS_HPP

#include <bellamy/detail/format/archive.hpp>
#include <bellamy/detail/format/envelope.hpp>
#include <bellamy/detail/format/self_test.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

void fields(auto& archive, is_or_is_const<property_definition> auto& of) {
    archive(of.name, of.kind, of.role, of.scales_with_scale_out);
}
void fields(auto& archive, is_or_is_const<schema> auto& of) { archive(of.unit, of.essential, of.optional); }
void fields(auto& archive, is_or_is_const<scale_out_interval> auto& of) { archive(of.smallest, of.largest); }
void fields(auto& archive, is_or_is_const<training_basis> auto& of) {
    archive(of.algorithm, of.runs, of.contexts, of.observed_runs, of.seen_scale_outs, of.shortest_runtime_s,
            of.longest_runtime_s, of.date);
}
void fields(auto& archive, is_or_is_const<property> auto& of) {
    archive(of.name, of.value, of.role, of.scales_with_scale_out);
}
void fields(auto& archive, is_or_is_const<context> auto& of) { archive(of.unit, of.essential, of.optional); }
void fields(auto& archive, is_or_is_const<run> auto& of) {
    archive(of.context, of.scale_out, of.runtime_s, of.censored, of.weight, of.timestamp_s);
}

/// A value as the content of a section.
template <class Value>
[[nodiscard]] byte_writer content_of(const Value& value) {
    byte_writer content;
    archive_writer archive(content);
    archive(value);
    return content;
}

template <class Value>
void write_section(byte_writer& out, std::string_view name, const Value& value) {
    write_section(out, section_name(name), content_of(value));
}

[[nodiscard]] inline error malformed(std::string_view section, std::string_view expected) noexcept {
    return fail(errc::invalid_model, "expected ", expected, " in section ", section, ", found something else");
}

/// Reads a section of one value. Error: invalid_model where it does not end with the value.
template <class Value>
[[nodiscard]] result<Value> read_section(byte_reader content, std::string_view name) {
    Value value;
    archive_reader archive(content);
    archive(value);
    if (!archive.finished()) return malformed(name, "complete data");
    return value;
}

/// Keeps what a section held. Error: invalid_model where it stood before.
template <class Value>
[[nodiscard]] result<void> keep_once(std::optional<Value>& place, result<Value> read) {
    if (!read) return read.error();
    if (place) return fail(errc::invalid_model, "expected every section once, found one twice");
    place = *std::move(read);
    return {};
}

[[nodiscard]] inline bool is_valid(const std::vector<property_definition>& list) {
    return list.size() <= most_properties && std::all_of(list.begin(), list.end(), [](const auto& each) {
               return !each.name.empty() && each.name.size() <= longest_name_bytes && each.kind < property_kind::unknown &&
                      each.role <= property_role::machine_type;
           });
}

[[nodiscard]] inline result<void> validate(const schema& value) {
    if (value.unit > scale_out_unit::core) return malformed("SCHM", "a unit of scale-out from 0 to 3");
    if (!is_valid(value.essential) || !is_valid(value.optional)) return malformed("SCHM", "valid property definitions");
    return {};
}

[[nodiscard]] inline result<void> validate(const training_basis& value) {
    if (value.algorithm.size() > longest_name_bytes || value.date.size() > longest_name_bytes)
        return malformed("BASE", "names of usual length");
    if (!(value.shortest_runtime_s >= 0 && value.shortest_runtime_s <= value.longest_runtime_s &&
          std::isfinite(value.longest_runtime_s)))
        return malformed("BASE", "ordered runtimes");
    const auto& seen = value.seen_scale_outs;
    if (seen.smallest < 1 || seen.smallest > seen.largest || seen.largest > largest_scale_out)
        return malformed("BASE", "ordered scale-outs");
    return {};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
