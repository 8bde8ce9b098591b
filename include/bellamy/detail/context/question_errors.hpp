// What can be wrong with one of many questions.
#ifndef BELLAMY_DETAIL_CONTEXT_QUESTION_ERRORS_HPP
#define BELLAMY_DETAIL_CONTEXT_QUESTION_ERRORS_HPP

#include <bellamy/detail/base/message.hpp>

#include <cstddef>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

[[nodiscard]] inline error in_question(std::size_t number, const error& cause) noexcept {
    return fail(cause.code(), "question ", number, ": ", cause.message());
}

[[nodiscard]] inline result<void> check_scale_out(int scale_out, int largest) noexcept {
    if (scale_out >= 1 && scale_out <= largest) return {};
    return fail(errc::invalid_scale_out, "expected a scale-out from 1 to ", largest, ", found ", scale_out);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
