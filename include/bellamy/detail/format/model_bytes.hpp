// A whole model to bytes and back; nothing in the bytes is trusted.
#ifndef BELLAMY_DETAIL_FORMAT_MODEL_BYTES_HPP
#define BELLAMY_DETAIL_FORMAT_MODEL_BYTES_HPP

#include <bellamy/detail/format/sections.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// All that a model answers from: the sections but the self-test. Returns how many there are.
[[nodiscard]] inline std::uint32_t write_content(byte_writer& sections, const model& subject) {
    write_section(sections, "SCHM", subject.schema());
    write_section(sections, "BASE", subject.basis());
    std::visit([&](const auto& kind) { write_section(sections, kind.section, stored(kind)); },
               model_access::kind_of(subject));
    if (!is_conditioned(subject.kind())) return 3;
    write_section(sections, "OBSV", std::vector<run>(subject.observed().begin(), subject.observed().end()));
    return 4;
}

[[nodiscard]] inline std::vector<std::byte> write_model(const model& subject) {
    byte_writer sections;
    const auto count = write_content(sections, subject);
    write_section(sections, "SELF", make_self_test(subject));
    return write_envelope(sections, count + 1);
}

template <class>
struct stored_kinds;
template <class... Kinds>
struct stored_kinds<std::variant<Kinds...>> {
    using type = std::variant<stored_of<Kinds>...>;
};
/// What a model file holds of any kind.
using stored_kind = stored_kinds<any_kind>::type;

// Enumerators are those of the format's, before anything asks for their names.
[[nodiscard]] inline bool is_valid(const context& subject) noexcept {
    const auto valid = [](const property& each) { return each.role <= property_role::machine_type; };
    return subject.unit <= scale_out_unit::core && std::all_of(subject.essential.begin(), subject.essential.end(), valid) &&
           std::all_of(subject.optional.begin(), subject.optional.end(), valid);
}

/// A model of what was read. Error: invalid_model.
[[nodiscard]] inline result<model> restored(schema&& properties, training_basis&& basis, stored_kind&& from,
                                            std::optional<std::vector<run>>&& observed) {
    if (auto valid = validate(properties); !valid) return valid.error();
    if (auto valid = validate(basis); !valid) return valid.error();
    auto kind = std::visit(
        [&](auto& stored) -> result<any_kind> {
            auto made = restored(std::move(stored), properties);
            if (!made) return made.error();
            return any_kind(*std::move(made));
        },
        from);
    if (!kind) return kind.error();
    const bool conditioned = std::visit([](const auto& each) { return each.is_conditioned; }, *kind);
    if (observed.has_value() != conditioned)
        return fail(errc::invalid_model, "expected ", conditioned ? "" : "no ",
                    "observed runs in a model of this kind, found ", conditioned ? "none" : "some");
    if (!conditioned) observed.emplace();
    for (const auto& each : *observed)
        if (!is_valid(each.context)) return malformed("OBSV", "valid contexts");
    if (auto valid = validate_observed(properties, *observed); !valid)
        return fail(errc::invalid_model, "observed ", valid.error().message());
    return model_access::make(std::move(properties), std::move(basis), *std::move(kind), *std::move(observed));
}

/// The sections of a model, as far as they were read.
class model_sections {
public:
    [[nodiscard]] result<void> read(std::uint32_t name, std::uint32_t flags, byte_reader content) {
        if (name == section_name("SCHM")) return keep_once(properties_, read_section<schema>(content, "SCHM"));
        if (name == section_name("BASE")) return keep_once(basis_, read_section<training_basis>(content, "BASE"));
        if (name == section_name("OBSV")) return keep_once(observed_, read_section<std::vector<run>>(content, "OBSV"));
        if (name == section_name("SELF"))
            return keep_once(self_test_, read_section<std::vector<self_test_question>>(content, "SELF"));
        if (auto known = read_kind(name, content)) return *known;
        if (name == section_name("APPL"))
            return fail(errc::invalid_model, "expected a model of an algorithm, found one of an application's stages");
        if (name == section_name("ENEL"))
            return fail(errc::invalid_model, "expected a model of an algorithm, found Enel's network");
        if ((flags & must_be_understood) != 0)
            return fail(errc::unsupported_version, "expected sections that this version knows, found a newer one");
        return {};
    }

    /// Errors: invalid_model; self_test_failed, where the test is asked for.
    [[nodiscard]] result<model> assemble(bool with_self_test) && {
        if (!self_test_ || self_test_->size() > most_self_test_questions)
            return fail(errc::invalid_model, "expected a self-test of up to ", most_self_test_questions,
                        " questions in section SELF, found none or more");
        if (!properties_ || !basis_ || !kind_)
            return fail(errc::invalid_model, "expected schema, basis and what answers, found less");
        auto made = restored(*std::move(properties_), *std::move(basis_), *std::move(kind_), std::move(observed_));
        if (!made || !with_self_test) return made;
        const auto able = std::visit([](const auto& kind) { return can_answer(kind); }, model_access::kind_of(*made));
        if (!able) return able.error();
        if (auto passed = run_self_test(*made, *self_test_); !passed) return passed.error();
        return made;
    }

private:
    // Nothing where the section is of no kind.
    [[nodiscard]] std::optional<result<void>> read_kind(std::uint32_t name, byte_reader content) {
        std::optional<result<void>> answer;
        const auto try_kind = [&]<class Kind>() {
            if (name != section_name(Kind::section)) return;
            std::optional<stored_of<Kind>> place;
            answer = keep_once(place, read_section<stored_of<Kind>>(content, Kind::section));
            if (!*answer) return;
            if (kind_)
                answer = fail(errc::invalid_model, "expected one section of what answers, found it twice or another kind's");
            kind_.emplace(*std::move(place));
        };
        for_each_kind(try_kind, static_cast<const any_kind*>(nullptr));
        return answer;
    }
    template <class Try, class... Kinds>
    static void for_each_kind(const Try& attempt, const std::variant<Kinds...>*) {
        (attempt.template operator()<Kinds>(), ...);
    }

    std::optional<schema> properties_{};
    std::optional<training_basis> basis_{};
    std::optional<stored_kind> kind_{};
    std::optional<std::vector<run>> observed_{};
    std::optional<std::vector<self_test_question>> self_test_{};
};

/// Without the self-test only where these very bytes have passed it in this process.
[[nodiscard]] inline result<model> read_model(std::span<const std::byte> bytes, bool with_self_test = true) {
    model_sections found;
    if (auto read = read_sections(bytes, found); !read) return read.error();
    return std::move(found).assemble(with_self_test);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
