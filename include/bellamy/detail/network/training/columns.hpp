// Matrices of samples in columns, and the products that linear layers consist of. Plain loops in place of Eigen, whose types
// take seconds to compile.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_COLUMNS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_COLUMNS_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/base/eigen.hpp>
#include <bellamy/detail/maths/pack.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <type_traits>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A column-major matrix with `Rows` rows, or `rows` where that is std::dynamic_extent.
template <class Scalar, std::size_t Rows = std::dynamic_extent>
class columns {
public:
    columns() = default;
    explicit columns(std::size_t count, std::size_t rows = Rows) : rows_(rows), values_(count * rows) {}
    void resize(std::size_t count) { values_.resize(count * rows()); }

    [[nodiscard]] std::size_t rows() const noexcept { return Rows == std::dynamic_extent ? rows_ : Rows; }
    [[nodiscard]] std::size_t size() const noexcept { return values_.size() / rows(); }
    [[nodiscard]] std::span<Scalar, Rows> operator[](std::size_t column) noexcept {
        return std::span<Scalar, Rows>(values_.data() + column * rows(), rows());
    }
    [[nodiscard]] std::span<const Scalar, Rows> operator[](std::size_t column) const noexcept {
        return std::span<const Scalar, Rows>(values_.data() + column * rows(), rows());
    }
    /// Adjacent columns as one span.
    [[nodiscard]] std::span<Scalar> piece(std::size_t first, std::size_t count) noexcept {
        return std::span(values_).subspan(first * rows(), count * rows());
    }
    [[nodiscard]] std::span<const Scalar> piece(std::size_t first, std::size_t count) const noexcept {
        return std::span(values_).subspan(first * rows(), count * rows());
    }

private:
    std::size_t rows_ = Rows;
    aligned_vector<Scalar> values_{};
};

// Operations on columns or parts of them; a fixed length lets the compiler unroll them.
template <class Scalar, std::size_t Rows>
void copy_to(std::span<Scalar, Rows> target, std::type_identity_t<std::span<const Scalar, Rows>> source) noexcept {
    std::copy(source.begin(), source.end(), target.begin());
}
/// sum += factor * term.
template <class Scalar, std::size_t Rows>
void add_to(std::span<Scalar, Rows> sum, std::type_identity_t<std::span<const Scalar, Rows>> term,
            std::type_identity_t<Scalar> factor = 1) noexcept {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * term[i];
}
template <class Scalar, std::size_t Rows>
void divide(std::span<Scalar, Rows> values, std::type_identity_t<Scalar> divisor) noexcept {
    for (Scalar& value : values) value /= divisor;
}
template <class Scalar, std::size_t Rows>
void fill_zeros(std::span<Scalar, Rows> values) noexcept {
    std::fill(values.begin(), values.end(), Scalar(0));
}
[[nodiscard]] inline bool any_not_zero(std::span<const double> values) noexcept {
    return std::any_of(values.begin(), values.end(), [](double value) { return value != 0; });
}

/// Number of packs of sums that stay in registers together.
inline constexpr std::size_t most_packs = 10;

// y_j += sum over k of x[j * x_step + k * stride] * (column k of w), for `Columns` adjacent columns y_j, rows First to Rows.
template <std::size_t Rows, std::size_t Columns, std::size_t First = 0, class Scalar>
void add_combined(Scalar* y, const Scalar* w, const Scalar* x, std::size_t x_step, std::size_t stride,
                  std::size_t count) noexcept {
    constexpr std::size_t lanes = (std::min)(widest_lanes<Scalar>, std::bit_floor(Rows - First));
    constexpr std::size_t packs = (std::min)((Rows - First) / lanes, (std::max)(most_packs / Columns, std::size_t{1}));
    using register_type = pack_of<Scalar, lanes>;
    std::array<std::array<register_type, packs>, Columns> sums;
    BELLAMY_UNROLL for (std::size_t j = 0; j < Columns; ++j) BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p)
        load(sums[j][p], y + j * Rows + First + p * lanes);
    const Scalar* column = w + First;
    for (std::size_t k = 0; k < count; ++k, column += Rows) {
        std::array<register_type, packs> values;
        BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p) load(values[p], column + p * lanes);
        BELLAMY_UNROLL for (std::size_t j = 0; j < Columns; ++j) {
            const Scalar factor = x[j * x_step + k * stride];
            BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p) sums[j][p] += factor * values[p];
        }
    }
    BELLAMY_UNROLL for (std::size_t j = 0; j < Columns; ++j) BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p)
        store(y + j * Rows + First + p * lanes, sums[j][p]);
    constexpr std::size_t done = First + packs * lanes;
    if constexpr (done < Rows) add_combined<Rows, Columns, done>(y, w, x, x_step, stride, count);
}

/// The same for any number of columns, four at a time: four independent chains of additions hide latency.
template <std::size_t Rows, class Scalar>
void add_all_combined(Scalar* y, const Scalar* w, const Scalar* x, std::size_t x_step, std::size_t stride, std::size_t count,
                      std::size_t columns) noexcept {
    const std::size_t fours = columns - columns % 4;
    for (std::size_t i = 0; i < fours; i += 4) add_combined<Rows, 4>(y + i * Rows, w, x + i * x_step, x_step, stride, count);
    for (std::size_t i = fours; i < columns; ++i)
        add_combined<Rows, 1>(y + i * Rows, w, x + i * x_step, x_step, stride, count);
}

/// Dot product: sums lane by lane, then over the lanes.
template <std::size_t Rows, class Scalar>
[[nodiscard]] Scalar dot_of(const Scalar* x, const Scalar* y) noexcept {
    constexpr std::size_t lanes = (std::min)(widest_lanes<Scalar>, std::bit_floor(Rows));
    constexpr std::size_t packs = Rows / lanes;
    pack_of<Scalar, lanes> sums{};
    BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p) {
        pack_of<Scalar, lanes> a;
        pack_of<Scalar, lanes> b;
        load(a, x + p * lanes);
        load(b, y + p * lanes);
        sums += a * b;
    }
    std::array<Scalar, lanes> lane_sums;
    store(lane_sums.data(), sums);
    Scalar sum = lane_sums[0];
    BELLAMY_UNROLL for (std::size_t i = 1; i < lanes; ++i) sum += lane_sums[i];
    BELLAMY_UNROLL for (std::size_t i = packs * lanes; i < Rows; ++i) sum += x[i] * y[i];
    return sum;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
