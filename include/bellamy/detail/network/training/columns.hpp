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
template <class Scalar, size_t Rows = std::dynamic_extent>
class columns {
public:
    columns() = default;
    explicit columns(size_t count, size_t rows = Rows) : rows_(rows), values_(count * rows) {}
    void resize(size_t count) { values_.resize(count * rows()); }

    size_t rows() const noexcept { return Rows == std::dynamic_extent ? rows_ : Rows; }
    size_t size() const noexcept { return values_.size() / rows(); }
    std::span<Scalar, Rows> operator[](size_t column) noexcept {
        return std::span<Scalar, Rows>(values_.data() + column * rows(), rows());
    }
    std::span<const Scalar, Rows> operator[](size_t column) const noexcept {
        return std::span<const Scalar, Rows>(values_.data() + column * rows(), rows());
    }
    /// Adjacent columns as one span.
    std::span<Scalar> piece(size_t first, size_t count) noexcept {
        return std::span(values_).subspan(first * rows(), count * rows());
    }
    std::span<const Scalar> piece(size_t first, size_t count) const noexcept {
        return std::span(values_).subspan(first * rows(), count * rows());
    }
    std::span<Scalar> first(size_t count) noexcept { return piece(0, count); }
    std::span<const Scalar> first(size_t count) const noexcept { return piece(0, count); }

private:
    size_t rows_ = Rows;
    aligned_vector<Scalar> values_{};
};

// Operations on columns or parts of them; a fixed length lets the compiler unroll them.
template <class Scalar, size_t Rows>
void copy_to(std::span<Scalar, Rows> target, std::type_identity_t<std::span<const Scalar, Rows>> source) noexcept {
    std::copy(source.begin(), source.end(), target.begin());
}
/// sum += factor * term.
template <class Scalar, size_t Rows>
void add_to(std::span<Scalar, Rows> sum, std::type_identity_t<std::span<const Scalar, Rows>> term,
            std::type_identity_t<Scalar> factor = 1) noexcept {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * term[i];
}
template <class Scalar, size_t Rows>
void divide(std::span<Scalar, Rows> values, std::type_identity_t<Scalar> divisor) noexcept {
    for (Scalar& value : values) value /= divisor;
}
template <class Scalar, size_t Rows>
void fill_zeros(std::span<Scalar, Rows> values) noexcept {
    std::fill(values.begin(), values.end(), Scalar(0));
}
inline bool any_not_zero(std::span<const double> values) noexcept {
    return std::any_of(values.begin(), values.end(), [](double value) { return value != 0; });
}

/// Number of packs of sums that stay in registers together.
inline constexpr size_t most_packs = 10;

// y_j += sum over k of x[j * x_step + k * stride] * (column k of w), for `Columns` adjacent columns y_j, rows First to Rows.
template <size_t Rows, size_t Columns, size_t First = 0, class Scalar>
void add_combined(Scalar* y, const Scalar* w, const Scalar* x, size_t x_step, size_t stride, size_t count) noexcept {
    constexpr size_t lanes = (std::min)(widest_lanes<Scalar>, std::bit_floor(Rows - First));
    constexpr size_t packs = (std::min)((Rows - First) / lanes, (std::max)(most_packs / Columns, size_t{1}));
    using register_type = pack_of<Scalar, lanes>;
    std::array<std::array<register_type, packs>, Columns> sums;
    BELLAMY_UNROLL for (size_t j = 0; j < Columns; ++j) BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p)
        load(sums[j][p], y + j * Rows + First + p * lanes);
    const Scalar* column = w + First;
    for (size_t k = 0; k < count; ++k, column += Rows) {
        std::array<register_type, packs> values;
        BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p) load(values[p], column + p * lanes);
        BELLAMY_UNROLL for (size_t j = 0; j < Columns; ++j) {
            const Scalar factor = x[j * x_step + k * stride];
            BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p) sums[j][p] += factor * values[p];
        }
    }
    BELLAMY_UNROLL for (size_t j = 0; j < Columns; ++j) BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p)
        store(y + j * Rows + First + p * lanes, sums[j][p]);
    constexpr size_t done = First + packs * lanes;
    if constexpr (done < Rows) add_combined<Rows, Columns, done>(y, w, x, x_step, stride, count);
}

/// The same for any number of columns, four at a time: four independent chains of additions hide latency.
template <size_t Rows, class Scalar>
void add_all_combined(Scalar* y, const Scalar* w, const Scalar* x, size_t x_step, size_t stride, size_t count,
                      size_t columns) noexcept {
    const size_t fours = columns - columns % 4;
    for (size_t i = 0; i < fours; i += 4) add_combined<Rows, 4>(y + i * Rows, w, x + i * x_step, x_step, stride, count);
    for (size_t i = fours; i < columns; ++i) add_combined<Rows, 1>(y + i * Rows, w, x + i * x_step, x_step, stride, count);
}

/// Dot product: sums lane by lane, then over the lanes.
template <size_t Rows, class Scalar>
Scalar dot_of(const Scalar* x, const Scalar* y) noexcept {
    constexpr size_t lanes = (std::min)(widest_lanes<Scalar>, std::bit_floor(Rows));
    constexpr size_t packs = Rows / lanes;
    pack_of<Scalar, lanes> sums{};
    BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p) {
        pack_of<Scalar, lanes> a;
        pack_of<Scalar, lanes> b;
        load(a, x + p * lanes);
        load(b, y + p * lanes);
        sums += a * b;
    }
    std::array<Scalar, lanes> lane_sums;
    store(lane_sums.data(), sums);
    Scalar sum = lane_sums[0];
    BELLAMY_UNROLL for (size_t i = 1; i < lanes; ++i) sum += lane_sums[i];
    BELLAMY_UNROLL for (size_t i = packs * lanes; i < Rows; ++i) sum += x[i] * y[i];
    return sum;
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
