// A made-up blend whose stored data are altered: with the checksum that belongs to them, and the old self-test.
#ifndef BELLAMY_TESTS_SUPPORT_ALTERED_BLEND_HPP
#define BELLAMY_TESTS_SUPPORT_ALTERED_BLEND_HPP

#include "made_up_blend.hpp"
#include "model_bytes.hpp"

namespace support {

/// The file of the made-up blend after `alter(bellamy::detail::blend_data&)`.
template <class Alter>
[[nodiscard]] bytes altered_blend(const Alter& alter) {
    auto sections = sections_of(made_up_blend());
    auto& stored = named(sections, "BLND").content;
    auto data = *bellamy::detail::read_section<bellamy::detail::blend_data>(bellamy::detail::byte_reader(stored), "BLND");
    alter(data);
    const auto written = bellamy::detail::content_of(data);
    stored.assign(written.bytes().begin(), written.bytes().end());
    return assembled(sections);
}

}  // namespace support

#endif
