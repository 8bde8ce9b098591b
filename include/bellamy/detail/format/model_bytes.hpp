// A whole model to bytes and back; nothing in the bytes is trusted.
#ifndef BELLAMY_DETAIL_FORMAT_MODEL_BYTES_HPP
#define BELLAMY_DETAIL_FORMAT_MODEL_BYTES_HPP

#include <bellamy/detail/format/sections.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// All that a model answers from: the sections but the self-test. Returns how many there are.
[[nodiscard]] inline std::uint32_t write_content(byte_writer& sections, const model& subject) {
    write_section(sections, schema_section, write_schema(subject.schema()));
    write_section(sections, basis_section, write_basis(subject.basis()));
    std::uint32_t count = 3;
    if (subject.kind() == model_kind::network) {
        write_section(sections, network_section, write_network(subject.parameters()));
    } else {
        if (subject.kind() == model_kind::blend) {
            write_section(sections, blend_section, write_blend(subject.experts().data()));
        } else {
            write_section(sections, shapes_section, write_shapes(subject.prior()));
        }
        write_section(sections, observed_section, write_observed(subject.observed()));
        ++count;
    }
    return count;
}

[[nodiscard]] inline std::vector<std::byte> write_model(const model& subject) {
    byte_writer sections;
    const auto count = write_content(sections, subject);
    write_section(sections, self_test_section, write_self_test(make_self_test(subject)));
    return write_envelope(sections, count + 1);
}

/// The sections of a model, as far as they were read.
struct model_sections {
    std::optional<schema> properties{};
    std::optional<training_basis> basis{};
    std::optional<network<>> parameters{};
    std::optional<std::shared_ptr<const best_model>> experts{};
    std::optional<std::shared_ptr<const shape_prior>> prior{};
    std::optional<std::vector<run>> observed{};
    std::optional<std::vector<self_test_question>> self_test{};

    [[nodiscard]] result<void> read(std::uint32_t name, std::uint32_t flags, byte_reader content) {
        if (name == schema_section) return keep(properties, read_schema(content));
        if (name == basis_section) return keep(basis, read_basis(content));
        if (name == network_section) return keep(parameters, read_network(content));
        if (name == blend_section) return keep(experts, read_blend(content));
        if (name == shapes_section) return keep(prior, read_shapes(content));
        if (name == observed_section) return keep(observed, read_observed(content));
        if (name == self_test_section) return keep(self_test, read_self_test(content));
        if ((flags & must_be_understood) != 0)
            return fail(errc::unsupported_version, "expected sections that this version knows, found a newer one");
        return {};
    }

    [[nodiscard]] result<model> assemble() && {
        if (!self_test) return fail(errc::invalid_model, "expected a self-test, found none");
        auto made = std::move(*this).assemble_untested();
        if (!made) return made;
        if (auto passed = run_self_test(*made, *self_test); !passed) return passed.error();
        return made;
    }

private:
    [[nodiscard]] result<model> assemble_untested() && {
        const int answers = (parameters ? 1 : 0) + (experts ? 1 : 0) + (prior ? 1 : 0);
        if (!properties || !basis || answers != 1 || observed.has_value() == parameters.has_value())
            return fail(errc::invalid_model,
                        "expected schema, basis, and a network or observed runs with what answers, found something else");
        if (parameters) {
            const std::size_t codes = properties->essential.size();
            if (parameters->essential_count() != codes)
                return fail(errc::invalid_model, "expected a network for ", codes, " essential properties, found one for ",
                            parameters->essential_count());
            return model(*std::move(properties), *std::move(basis), *std::move(parameters));
        }
        if (auto valid = validate_observed(*properties, *observed); !valid)
            return fail(errc::invalid_model, "observed ", valid.error().message());
        if (experts) return model(*std::move(properties), *std::move(basis), *std::move(experts), *std::move(observed));
        return model(*std::move(properties), *std::move(basis), *std::move(prior), *std::move(observed));
    }

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
