// A whole application model to bytes and back; nothing in the bytes is trusted. format/envelope.hpp has what stands around
// the sections.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_BYTES_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_BYTES_HPP

#include <bellamy/application.hpp>
#include <bellamy/detail/application/application_fields.hpp>
#include <bellamy/detail/application/application_parts.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Limit of what is restored beyond the file's own content, so that a small file cannot ask for all memory.
inline constexpr double most_restored_bytes = 2147483648.0;

/// What an application model says about all its runs.
struct stored_application {
    std::string name{};
    common_context properties{};
    scale_out_interval seen{};
};
template <class Archive, is_or_is_const<stored_application> Data>
void fields(Archive& archive, Data& of) {
    archive(of.name, of.properties, of.seen);
}

/// Of every part that is asked, its questions.
using application_self_test = std::vector<std::vector<self_test_question>>;

/// The parts that the self-test asks: of each shape the run, what is outside of jobs, small jobs together, and up to three
/// paths and stages.
[[nodiscard]] inline std::vector<const component*> asked_parts(const application_state& of) {
    std::vector<const component*> asked;
    const auto add_some = [&](const std::vector<const component*>& from) {
        for (std::size_t i = 0; i < (std::min)(from.size(), std::size_t{3}); ++i)
            asked.push_back(from[i * (from.size() - 1) / 2 % from.size()]);
    };
    for (const auto& shape : of.shapes) {
        std::vector<const component*> paths;
        for (const auto& each : shape.parts.paths)
            if (each) paths.push_back(each.get());
        std::vector<const component*> stages;
        for (const auto& job : shape.parts.stages)
            for (const auto& each : job)
                if (each) stages.push_back(each.get());
        add_some({&shape.parts.run});
        add_some({&shape.parts.outside});
        if (shape.parts.small_paths.learned()) add_some({&shape.parts.small_paths});
        add_some(paths);
        add_some(stages);
    }
    return asked;
}

[[nodiscard]] inline application_self_test make_self_test(const application_state& of) {
    application_self_test made;
    for (const auto* each : asked_parts(of)) {
        made.emplace_back();
        if (each->learned()) made.back() = make_self_test(*each->learned());
    }
    return made;
}

/// Errors: self_test_failed; invalid_model where the questions are others.
[[nodiscard]] inline result<void> run_self_test(const application_state& of, const application_self_test& questions) {
    const auto asked = asked_parts(of);
    if (asked.size() != questions.size()) return malformed("SELF", "questions to each part");
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (questions[i].size() > (asked[i]->learned() ? most_self_test_questions : 0))
            return malformed("SELF", "few questions to each part");
        if (questions[i].empty()) continue;
        if (auto passed = run_self_test(*asked[i]->learned(), questions[i]); !passed) return passed;
    }
    return {};
}

/// Error: number_too_large, where `read_application` would refuse it.
[[nodiscard]] inline result<std::vector<std::byte>> write_application(const application_state& of) {
    std::vector<stored_shape> shapes;
    std::vector<stored_small_jobs> small_jobs;
    double bytes = 0;
    bool has_small = false;
    for (const auto& each : of.shapes) {
        shapes.push_back(stored(each));
        small_jobs.push_back(stored_small(each));
        has_small = has_small || !small_jobs.back().share.empty();
        bytes += restored_bytes(shapes.back()) + restored_bytes(small_jobs.back().paths);
    }
    byte_writer sections;
    write_section(sections, "APPL", stored_application{of.application, of.properties, of.seen});
    write_packed_section(sections, "STGS", shapes);
    if (has_small) write_packed_section(sections, "SMAL", small_jobs);
    write_packed_section(sections, "SELF", make_self_test(of));
    auto whole = write_envelope(sections, has_small ? 4 : 3);
    if (whole.size() > largest_model_bytes || bytes > most_restored_bytes)
        return fail(errc::number_too_large, "expected a model of at most ", largest_model_bytes, " bytes, and ",
                    most_restored_bytes, " when it is loaded, found ", whole.size(), " and ", bytes);
    return whole;
}

/// The sections of an application model, as far as they were read.
class application_sections {
public:
    [[nodiscard]] result<void> read(std::uint32_t name, std::uint32_t flags, byte_reader content) {
        if (name == section_name("APPL")) return keep_once(whole_, read_section<stored_application>(content, "APPL"));
        if (name == section_name("STGS"))
            return keep_once(shapes_, read_packed_section<std::vector<stored_shape>>(content, "STGS"));
        if (name == section_name("SMAL"))
            return keep_once(small_, read_packed_section<std::vector<stored_small_jobs>>(content, "SMAL"));
        if (name == section_name("SELF"))
            return keep_once(self_test_, read_packed_section<application_self_test>(content, "SELF"));
        if (name == section_name("SCHM"))
            return fail(errc::invalid_model, "expected a model of an application's stages, found one of an algorithm");
        if (name == section_name("ENEL"))
            return fail(errc::invalid_model, "expected a model of an application's stages, found Enel's network");
        if ((flags & must_be_understood) != 0)
            return fail(errc::unsupported_version, "expected sections that this version knows, found a newer one");
        return {};
    }

    /// Errors: invalid_model; self_test_failed.
    [[nodiscard]] result<application_state> assemble() && {
        if (!whole_ || !shapes_ || !self_test_)
            return fail(errc::invalid_model, "expected sections APPL, STGS and SELF, found less");
        const auto& seen = whole_->seen;
        if (whole_->name.size() > longest_name_bytes || !whole_->properties.is_consistent() || seen.smallest < 1 ||
            seen.smallest > seen.largest || seen.largest > largest_scale_out)
            return malformed("APPL", "a name, properties and ordered scale-outs");
        if (shapes_->empty() || shapes_->size() > most_shapes) return malformed("STGS", "one to eight shapes");
        if (!small_) small_.emplace(shapes_->size());
        if (small_->size() != shapes_->size()) return malformed("SMAL", "jobs of each shape");
        double bytes = 0;
        for (const auto& each : *shapes_) bytes += restored_bytes(each);
        for (const auto& each : *small_) bytes += restored_bytes(each.paths);
        if (!(bytes <= most_restored_bytes)) return malformed("STGS", "parts that fit into memory");
        application_state made{.application = std::move(whole_->name), .properties = whole_->properties, .seen = seen};
        const auto example = made.properties.of({});
        if (auto valid = validate(example); !valid) return malformed("APPL", "properties of a context");
        for (std::size_t i = 0; i < shapes_->size(); ++i) {
            auto own = restored(std::move((*shapes_)[i]), std::move((*small_)[i]), example);
            if (!own) return own.error();
            made.shapes.push_back(*std::move(own));
        }
        if (auto passed = run_self_test(made, *self_test_); !passed) return passed.error();
        return made;
    }

private:
    std::optional<stored_application> whole_{};
    std::optional<std::vector<stored_shape>> shapes_{};
    std::optional<std::vector<stored_small_jobs>> small_{};
    std::optional<application_self_test> self_test_{};
};

[[nodiscard]] inline result<application_state> read_application(std::span<const std::byte> bytes) {
    application_sections found;
    if (auto read = read_sections(bytes, found); !read) return read.error();
    return std::move(found).assemble();
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
