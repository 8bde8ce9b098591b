// From codes of encodings to the context of every row of a batch: three means of codes. And the gradient back.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_CONTEXT_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_CONTEXT_HPP

#include <bellamy/detail/enel/enel_batch.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Codes of a batch's distinct encodings, one a column.
using enel_codes = columns<double, enel_layout::code>;
using enel_contexts = columns<double, enel_layout::context>;

/// Of a context: the codes' mean of one of its three parts.
template <class Context>
[[nodiscard]] auto part_of(Context context, std::size_t part) noexcept {
    constexpr std::size_t code = enel_layout::code;
    return std::span<typename Context::element_type, code>(context.data() + part * code, code);
}

/// Rows of zeros have the code zero (there are no biases) and count in the mean; a mean over no rows is zero.
inline void mean_codes(const enel_batch& batch, const enel_codes& codes, enel_contexts& contexts) {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        for (std::size_t part = 0; part < 3; ++part) {
            const std::uint32_t group = batch.groups[row][part];
            const auto mean = part_of(contexts[row], part);
            if (part < 2 && row > 0 && group == batch.groups[row - 1][part]) {
                copy_to(mean, part_of(contexts[row - 1], part));
                continue;
            }
            const auto ids = batch.ids_of_group(group);
            fill_zeros(mean);
            for (const std::uint32_t id : ids)
                if (id != enel_batch::none) add_to(mean, codes[id]);
            if (!ids.empty()) divide(mean, static_cast<double>(ids.size()));
        }
    }
}

/// Adds to the gradient of the codes, column by column, what the gradient of the contexts makes of it.
inline void mean_codes_backward(const enel_batch& batch, const enel_contexts& contexts_gradient,
                                std::span<double> codes_gradient) {
    constexpr std::size_t code = enel_layout::code;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        for (std::size_t part = 0; part < 3; ++part) {
            const auto ids = batch.ids_of_group(batch.groups[row][part]);
            const double share = 1 / static_cast<double>(ids.size());
            for (const std::uint32_t id : ids)
                if (id != enel_batch::none)
                    add_to(codes_gradient.subspan(id * code).first<code>(), part_of(contexts_gradient[row], part), share);
        }
    }
}

/// How often every distinct encoding occurs: the required and the optional rows once per row of the graph, and the rows of
/// every stage and summary.
[[nodiscard]] inline std::vector<double> occurrences(const enel_batch& batch) {
    std::vector<double> counts(batch.encodings.size(), 0.0);
    for (const auto& groups : batch.groups)
        for (const std::uint32_t group : groups)
            for (const std::uint32_t id : batch.ids_of_group(group))
                if (id != enel_batch::none) ++counts[id];
    return counts;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
