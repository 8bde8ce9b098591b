// Definitions of what application_file.hpp declares: the sections of an application's file, its self-test, and its limits.
// The bytes are not trusted. What is around the sections: format/envelope.hpp.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_FILE_IMPL_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_FILE_IMPL_HPP

#include <bellamy/application_file.hpp>
#include <bellamy/detail/application/application_fields.hpp>
#include <bellamy/detail/base/file.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

/// Limit of what is restored beyond the file's own content, so that a small file cannot claim all memory.
inline constexpr double most_restored_bytes = 2147483648.0;

/// Section APPL.
struct stored_application {
    std::string name{};
    common_context properties{};
    scale_out_interval seen_scale_outs{};
};
void fields(auto& archive, is_or_is_const<stored_application> auto& application) {
    archive(application.name, application.properties, application.seen_scale_outs);
}

/// Questions to each tested part.
using application_self_test = std::vector<std::vector<self_test_question>>;

/// Indices of the first, the middle and the last of `count` parts, each once.
inline std::vector<size_t> first_middle_last(size_t count) {
    if (count == 0) return {};
    std::vector<size_t> indices{0, (count - 1) / 2, count - 1};
    sort_distinct(indices);
    return indices;
}

/// The parts that the self-test covers: of each shape the run, the time outside of jobs, small jobs, and up to three paths
/// and three stages.
inline std::vector<const application_part*> tested_parts(const application_state& state) {
    std::vector<const application_part*> tested;
    const auto add = [](auto& parts, const std::optional<application_part>& part) {
        if (part) parts.push_back(&*part);
    };
    for (const auto& [statistics, parts] : state.shapes) {
        add(tested, parts.run);
        add(tested, parts.outside);
        add(tested, parts.small_paths);
        std::vector<const application_part*> paths;
        for (const auto& path : parts.paths) add(paths, path);
        std::vector<const application_part*> stages;
        for (const auto& job : parts.stages)
            for (const auto& stage : job) add(stages, stage);
        for (const auto& all : {paths, stages})
            for (const size_t part : first_middle_last(all.size())) tested.push_back(all[part]);
    }
    return tested;
}

inline application_self_test make_self_test(const application_state& state) {
    application_self_test questions;
    for (const auto* part : tested_parts(state)) {
        questions.emplace_back();
        if (part->over_scale_outs()) questions.back() = make_self_test(*part->over_scale_outs());
    }
    return questions;
}

/// Errors: self_test_failed; invalid_model where the questions do not fit the parts.
inline result<void> run_self_test(const application_state& state, const application_self_test& questions) {
    const auto tested = tested_parts(state);
    if (tested.size() != questions.size()) return malformed("SELF", "questions to each part");
    for (size_t i = 0; i < tested.size(); ++i) {
        const auto& model = tested[i]->over_scale_outs();
        if (questions[i].size() > (model ? most_self_test_questions : 0))
            return malformed("SELF", "few questions to each part");
        if (questions[i].empty()) continue;
        if (auto passed = run_self_test(*model, questions[i]); !passed) return passed;
    }
    return {};
}

/// The sections of an application's file, as far as they were read.
class application_sections {
public:
    result<void> read(std::string_view name, std::uint32_t flags, byte_reader content) {
        if (name == "APPL") return keep_once(application_, content, name);
        if (name == "STGS") return keep_once<packed_reader>(shapes_, content, name);
        if (name == "SELF") return keep_once<packed_reader>(self_test_, content, name);
        if (name == "SCHM")
            return fail(errc::invalid_model, "expected a model of an application's stages, found one of an algorithm");
        if ((flags & must_be_understood) != 0)
            return fail(errc::unsupported_version, "expected sections that this version knows, found a newer one");
        return {};
    }

    /// Errors: invalid_model; self_test_failed.
    result<application_state> assemble() && {
        if (!application_ || !shapes_ || !self_test_)
            return fail(errc::invalid_model, "expected sections APPL, STGS and SELF, found less");
        const auto& seen = application_->seen_scale_outs;
        if (application_->name.size() > longest_name_bytes || !application_->properties.is_consistent() || !is_valid(seen))
            return malformed("APPL", "a name, properties and ordered scale-outs");
        if (shapes_->empty() || shapes_->size() > most_shapes) return malformed("STGS", "one to eight shapes");
        double bytes = 0;
        for (const auto& shape : *shapes_) bytes += restored_bytes(shape);
        if (!(bytes <= most_restored_bytes)) return malformed("STGS", "parts that fit into memory");
        application_state state{
            .application = std::move(application_->name), .properties = application_->properties, .seen_scale_outs = seen};
        const auto example = state.properties.context_of({});
        if (auto valid = validate(example); !valid) return malformed("APPL", "properties of a context");
        for (auto& stored : *shapes_) {
            auto shape = restored(std::move(stored), example);
            if (!shape) return shape.error();
            state.shapes.push_back(*std::move(shape));
        }
        if (auto passed = run_self_test(state, *self_test_); !passed) return passed.error();
        return state;
    }

private:
    std::optional<stored_application> application_;
    std::optional<std::vector<stored_shape>> shapes_;
    std::optional<application_self_test> self_test_;
};

}  // namespace detail

BELLAMY_PUBLIC_INLINE result<std::vector<std::byte>> to_bytes(const application_model& application) {
    const auto& state = detail::application_access::state_of(application);
    std::vector<detail::stored_shape> shapes;
    double restored_bytes = 0;
    for (const auto& shape : state.shapes)
        restored_bytes += detail::restored_bytes(shapes.emplace_back(detail::stored(shape)));
    detail::byte_writer sections;
    detail::write_section(sections, "APPL",
                          detail::stored_application{state.application, state.properties, state.seen_scale_outs});
    detail::write_section<detail::packed_writer>(sections, "STGS", shapes);
    detail::write_section<detail::packed_writer>(sections, "SELF", detail::make_self_test(state));
    auto bytes = detail::write_envelope(sections, 3);
    if (bytes.size() > largest_model_bytes || restored_bytes > detail::most_restored_bytes)
        return detail::fail(errc::number_too_large, "expected a model of at most ", largest_model_bytes, " bytes, and ",
                            detail::most_restored_bytes, " when it is loaded, found ", bytes.size(), " and ",
                            restored_bytes);
    return bytes;
}

BELLAMY_PUBLIC_INLINE result<application_model> application_from_bytes(std::span<const std::byte> bytes) {
    detail::application_sections sections;
    if (auto read = detail::read_sections(bytes, sections); !read) return read.error();
    auto state = std::move(sections).assemble();
    if (!state) return state.error();
    return detail::application_access::make(std::make_shared<const detail::application_state>(*std::move(state)));
}

BELLAMY_PUBLIC_INLINE result<void> save(const application_model& application, const std::string& path) {
    const auto bytes = to_bytes(application);
    if (!bytes) return bytes.error();
    return detail::write_file(path, *bytes);
}

BELLAMY_PUBLIC_INLINE result<application_model> load_application(const std::string& path) {
    const auto bytes = detail::read_file(path, largest_model_bytes);
    if (!bytes) return bytes.error();
    return application_from_bytes(*bytes);
}

}}  // namespace bellamy::BELLAMY_ABI

#endif
