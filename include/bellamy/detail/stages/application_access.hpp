// What the library itself may do with an application model: make one, and look inside.
#ifndef BELLAMY_DETAIL_STAGES_APPLICATION_ACCESS_HPP
#define BELLAMY_DETAIL_STAGES_APPLICATION_ACCESS_HPP

#include <bellamy/application.hpp>
#include <bellamy/detail/stages/application_parts.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

struct application_access {
    [[nodiscard]] static application_model make(std::shared_ptr<const application_state> state) {
        return application_model(std::move(state));
    }
    [[nodiscard]] static const application_state& state_of(const application_model& of) noexcept { return *of.state_; }
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
