// Takes the bytes of a model apart and puts them together again, with size and checksum repaired.
#ifndef BELLAMY_TESTS_SUPPORT_MODEL_BYTES_HPP
#define BELLAMY_TESTS_SUPPORT_MODEL_BYTES_HPP

#include <bellamy/serialize.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace support {

using bytes = std::vector<std::byte>;

struct section {
    std::string name{};
    std::uint32_t flags = 0;
    bytes content{};
};

/// Precondition: the bytes of a whole file.
[[nodiscard]] inline std::vector<section> sections_of(std::span<const std::byte> whole) {
    bellamy::detail::byte_reader in(whole);
    (void)in.take(12);
    std::vector<section> sections(in.number<std::uint32_t>());
    (void)in.number<std::uint64_t>();
    for (auto& each : sections) {
        const auto name = in.take(4);
        each.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
        each.flags = in.number<std::uint32_t>();
        const auto content = in.take(static_cast<std::size_t>(in.number<std::uint64_t>()));
        each.content.assign(content.begin(), content.end());
    }
    return sections;
}
[[nodiscard]] inline std::vector<section> sections_of(const bellamy::model& subject) {
    return sections_of(bellamy::to_bytes(subject));
}

[[nodiscard]] inline section& named(std::vector<section>& sections, const std::string& name) {
    for (auto& each : sections)
        if (each.name == name) return each;
    throw std::runtime_error("no section " + name);
}

/// Overwrites a part of the bytes with a number, little-endian.
template <class Number>
void overwrite(bytes& all, std::size_t offset, Number value) {
    bellamy::detail::byte_writer out;
    out.number(value);
    std::copy(out.bytes().begin(), out.bytes().end(), all.begin() + static_cast<std::ptrdiff_t>(offset));
}

/// The same file after an edit, with its last 8 bytes the checksum of the rest.
[[nodiscard]] inline bytes with_checksum(bytes all) {
    overwrite(all, all.size() - 8, bellamy::detail::crc64(std::span(std::as_const(all)).first(all.size() - 8)));
    return all;
}

[[nodiscard]] inline bytes assembled(const std::vector<section>& sections, std::uint16_t major = bellamy::model_format_major,
                                     std::uint16_t minor = bellamy::model_format_minor) {
    bellamy::detail::byte_writer out;
    out.append(std::as_bytes(std::span(bellamy::detail::model_magic)));
    out.number(major);
    out.number(minor);
    out.number(static_cast<std::uint32_t>(sections.size()));
    out.number(std::uint64_t{0});
    for (const auto& each : sections) {
        out.append(std::as_bytes(std::span(each.name)));
        out.number(each.flags);
        out.number(static_cast<std::uint64_t>(each.content.size()));
        out.append(each.content);
    }
    out.number(std::uint64_t{0});
    auto all = std::move(out).take();
    overwrite(all, 16, static_cast<std::uint64_t>(all.size()));
    return with_checksum(std::move(all));
}

}  // namespace support

#endif
