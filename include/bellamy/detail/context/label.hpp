// Checks what the caller says about a model in words.
#ifndef BELLAMY_DETAIL_CONTEXT_LABEL_HPP
#define BELLAMY_DETAIL_CONTEXT_LABEL_HPP

#include <bellamy/detail/base/message.hpp>
#include <bellamy/detail/base/utf8.hpp>
#include <bellamy/limits.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Words in UTF-8 of at most `longest_name_bytes`; `what` names them in the error.
[[nodiscard]] inline result<void> validate_label(std::string_view what, std::string_view words) {
    if (!is_utf8(words)) return fail(errc::invalid_text, "expected ", what, " in UTF-8, found other bytes");
    if (words.size() > longest_name_bytes)
        return fail(errc::invalid_text, "expected ", what, " of at most ", longest_name_bytes, " bytes, found ",
                    words.size());
    return {};
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
