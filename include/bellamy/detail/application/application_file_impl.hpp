// Definitions of what application_file.hpp declares.
#ifndef BELLAMY_DETAIL_APPLICATION_APPLICATION_FILE_IMPL_HPP
#define BELLAMY_DETAIL_APPLICATION_APPLICATION_FILE_IMPL_HPP

#include <bellamy/application_file.hpp>
#include <bellamy/detail/application/application_bytes.hpp>
#include <bellamy/detail/base/file.hpp>

namespace bellamy { inline namespace BELLAMY_ABI {

BELLAMY_PUBLIC_INLINE result<std::vector<std::byte>> to_bytes(const application_model& subject) {
    return detail::write_application(detail::application_access::state_of(subject));
}

BELLAMY_PUBLIC_INLINE result<application_model> application_from_bytes(std::span<const std::byte> bytes) {
    auto state = detail::read_application(bytes);
    if (!state) return state.error();
    return detail::application_access::make(std::make_shared<const detail::application_state>(*std::move(state)));
}

BELLAMY_PUBLIC_INLINE result<void> save(const application_model& subject, const std::string& path) {
    const auto bytes = to_bytes(subject);
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
