// What scale-outs contribute to a network's predictions, computed once for all contexts.
#ifndef BELLAMY_SCALE_OUT_TABLE_HPP
#define BELLAMY_SCALE_OUT_TABLE_HPP

#include <bellamy/detail/network/kernels/dispatch.hpp>

#include <cassert>
#include <cmath>

namespace bellamy::inline BELLAMY_ABI {

/// A network's part of a prediction that depends on the scale-out only, for scale-outs 1 to `largest()`: with it, a whole
/// curve costs a few cycles per scale-out. It belongs to the network it was made from; with any other it is not used. Const
/// means safe to share between threads.
class scale_out_table {
public:
    /// Allocates 64 bytes per scale-out; takes tens of nanoseconds per scale-out.
    /// Precondition: 1 <= largest <= largest_scale_out.
    explicit scale_out_table(const network<>& source, int largest = 1024)
        : scale_out_table(detail::prepare(source.runtime), largest) {}

    /// As above, from a network that is prepared.
    scale_out_table(const detail::prepared_runtime& source, int largest)
        : fingerprint_(source.fingerprint), largest_(largest), blocks_(count_of_blocks(largest)) {
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            detail::simd::fill_table_block(source, static_cast<int>(1 + i * block_size), blocks_[i]);
            for (const float sum : blocks_[i].sums)
                can_split_ = can_split_ && sum <= detail::largest_split_exponent && sum >= -detail::largest_split_exponent;
        }
    }

    [[nodiscard]] int largest() const noexcept { return largest_; }

    /// Whether it was made from this network and knows scale-outs first .. first + count - 1.
    [[nodiscard]] bool covers(const detail::prepared_runtime& source, int first, std::size_t count) const noexcept {
        return source.fingerprint == fingerprint_ && first >= 1 && first <= largest_ &&
               count <= static_cast<std::size_t>(largest_ - first) + 1;
    }

    /// Seconds at scale-outs first .. first + out.size() - 1 for one start of the head. Precondition: covers them.
    void predict(const detail::prepared_runtime& source, const detail::head_sums& start, int first,
                 std::span<float> out) const noexcept {
        assert(covers(source, first, out.size()));
        detail::simd::predict_table(source, start, blocks_.data(), can_split_, static_cast<std::size_t>(first - 1),
                                    out.data(), out.size());
    }

    /// Seconds at one scale-out for one start of the head. Precondition: covers it.
    [[nodiscard]] float predict(const detail::prepared_runtime& source, const detail::head_sums& start,
                                int scale_out) const noexcept {
        assert(covers(source, scale_out, 1));
        return detail::simd::predict_table_one(source, start, blocks_.data(), static_cast<std::size_t>(scale_out - 1));
    }

private:
    static constexpr std::size_t block_size = detail::scale_out_table_block::size;
    [[nodiscard]] static std::size_t count_of_blocks(int largest) noexcept {
        assert(largest >= 1 && largest <= largest_scale_out);
        return (static_cast<std::size_t>(largest) + block_size - 1) / block_size;
    }

    std::uint64_t fingerprint_;
    int largest_;
    bool can_split_ = true;
    std::vector<detail::scale_out_table_block> blocks_;
};

}  // namespace bellamy::inline BELLAMY_ABI

#endif
