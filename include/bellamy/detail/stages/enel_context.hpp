// From codes of encodings to the context of every row of a batch: three means of codes. And the gradient back.
#ifndef BELLAMY_DETAIL_STAGES_ENEL_CONTEXT_HPP
#define BELLAMY_DETAIL_STAGES_ENEL_CONTEXT_HPP

#include <bellamy/detail/stages/enel_batch.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Codes of a batch's distinct encodings, one a column.
using enel_codes = columns<double, enel_layout::code>;
using enel_contexts = columns<double, enel_layout::context>;

/// Rows of zeros have the code zero (there are no biases) and count in the mean; a mean over no rows is zero.
inline void mean_codes(const enel_batch& batch, const enel_codes& codes, enel_contexts& contexts) {
    constexpr auto code = static_cast<Eigen::Index>(enel_layout::code);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        auto context = contexts.col(static_cast<Eigen::Index>(row));
        for (Eigen::Index part = 0; part < 3; ++part) {
            const std::uint32_t group = batch.groups[row][static_cast<std::size_t>(part)];
            auto mean = context.segment<code>(part * code);
            if (part < 2 && row > 0 && group == batch.groups[row - 1][static_cast<std::size_t>(part)]) {
                mean = contexts.col(static_cast<Eigen::Index>(row) - 1).segment<code>(part * code);
                continue;
            }
            const auto ids = batch.ids_of_group(group);
            mean.setZero();
            for (const std::uint32_t id : ids)
                if (id != enel_batch::none) mean += codes.col(static_cast<Eigen::Index>(id));
            if (!ids.empty()) mean /= static_cast<double>(ids.size());
        }
    }
}

/// Adds to the gradient of the codes what the gradient of the contexts makes of it.
template <class CodesGradient>
void mean_codes_backward(const enel_batch& batch, const enel_contexts& contexts_gradient, CodesGradient&& codes_gradient) {
    constexpr auto code = static_cast<Eigen::Index>(enel_layout::code);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        for (Eigen::Index part = 0; part < 3; ++part) {
            const auto ids = batch.ids_of_group(batch.groups[row][static_cast<std::size_t>(part)]);
            if (ids.empty()) continue;
            const auto gradient = contexts_gradient.col(static_cast<Eigen::Index>(row)).segment<code>(part * code);
            for (const std::uint32_t id : ids)
                if (id != enel_batch::none)
                    codes_gradient.col(static_cast<Eigen::Index>(id)) += gradient / static_cast<double>(ids.size());
        }
    }
}

/// How often every distinct encoding occurs: the required and the optional rows once per row of the graph, and the rows of
/// every stage and summary.
[[nodiscard]] inline std::vector<double> occurrences(const enel_batch& batch) {
    std::vector<double> counts(static_cast<std::size_t>(batch.encodings.cols()), 0.0);
    for (const auto& groups : batch.groups)
        for (const std::uint32_t group : groups)
            for (const std::uint32_t id : batch.ids_of_group(group))
                if (id != enel_batch::none) ++counts[id];
    return counts;
}

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
