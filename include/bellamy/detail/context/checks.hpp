// Checks of labels (UTF-8 of bounded length) and of scale-outs in questions.
#ifndef BELLAMY_DETAIL_CONTEXT_CHECKS_HPP
#define BELLAMY_DETAIL_CONTEXT_CHECKS_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/limits.hpp>

#include <cstddef>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Checks a text for UTF-8 and at most `longest_name_bytes`; `what` names it in the error.
inline result<void> validate_label(std::string_view what, std::string_view words) {
    if (!is_utf8(words)) return fail(errc::invalid_text, "expected ", what, " in UTF-8, found other bytes");
    if (words.size() > longest_name_bytes)
        return fail(errc::invalid_text, "expected ", what, " of at most ", longest_name_bytes, " bytes, found ",
                    words.size());
    return {};
}

/// The same error, with the number of the question that it concerns.
inline error in_question(size_t number, const error& cause) noexcept { return with_subject(cause, "question ", number); }

/// Checks 1 <= scale_out <= largest.
inline result<void> check_scale_out(int scale_out, int largest) noexcept {
    if (scale_out >= 1 && scale_out <= largest) return {};
    return fail(errc::invalid_scale_out, "expected a scale-out from 1 to ", largest, ", found ", scale_out);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
