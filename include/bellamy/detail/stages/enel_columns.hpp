// Columns of numbers as Enel's network stores them, and its linear layers over them. Plain loops in place of Eigen, whose
// types take a unit seconds to compile.
#ifndef BELLAMY_DETAIL_STAGES_ENEL_COLUMNS_HPP
#define BELLAMY_DETAIL_STAGES_ENEL_COLUMNS_HPP

#include <bellamy/detail/base/unroll.hpp>
#include <bellamy/detail/maths/pack.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace bellamy::inline BELLAMY_ABI::detail {

/// `Rows` numbers a column, next to each other.
template <std::size_t Rows>
class enel_columns {
public:
    enel_columns() = default;
    explicit enel_columns(std::size_t count) : values_(count * Rows) {}
    void resize(std::size_t count) { values_.resize(count * Rows); }

    [[nodiscard]] std::size_t size() const noexcept { return values_.size() / Rows; }
    [[nodiscard]] std::span<double, Rows> operator[](std::size_t column) noexcept {
        return std::span<double, Rows>(values_.data() + column * Rows, Rows);
    }
    [[nodiscard]] std::span<const double, Rows> operator[](std::size_t column) const noexcept {
        return std::span<const double, Rows>(values_.data() + column * Rows, Rows);
    }
    /// Neighbouring columns as one span.
    [[nodiscard]] std::span<double> piece(std::size_t first, std::size_t count) noexcept {
        return std::span(values_).subspan(first * Rows, count * Rows);
    }
    [[nodiscard]] std::span<const double> piece(std::size_t first, std::size_t count) const noexcept {
        return std::span(values_).subspan(first * Rows, count * Rows);
    }

private:
    std::vector<double> values_{};
};

// Of columns or parts of them, whose length is known, so that the loops are unrolled.
template <std::size_t Rows>
void copy_to(std::span<double, Rows> to, std::span<const double, Rows> from) noexcept {
    std::copy(from.begin(), from.end(), to.begin());
}
/// to += factor * from.
template <std::size_t Rows>
void add_to(std::span<double, Rows> to, std::span<const double, Rows> from, double factor = 1) noexcept {
    for (std::size_t i = 0; i < Rows; ++i) to[i] += factor * from[i];
}
template <std::size_t Rows>
void divide(std::span<double, Rows> values, double divisor) noexcept {
    for (double& each : values) each /= divisor;
}
inline void fill_zeros(std::span<double> values) noexcept { std::fill(values.begin(), values.end(), 0.0); }
[[nodiscard]] inline bool any_not_zero(std::span<const double> values) noexcept {
    return std::any_of(values.begin(), values.end(), [](double each) { return each != 0; });
}

/// Sums that stay in registers together.
inline constexpr std::size_t most_packs = 10;

// y += sum over k of x[k * stride] times column k of w: the last `Left` of `Rows` numbers each.
template <std::size_t Rows, std::size_t Left = Rows>
void add_combined(double* y, const double* w, const double* x, std::size_t stride, std::size_t count) noexcept {
    constexpr std::size_t packs = (std::min)(Left / pack_lanes, most_packs);
    constexpr std::size_t rest = Left / pack_lanes > most_packs ? 0 : Left % pack_lanes;
    constexpr std::size_t done = packs * pack_lanes + rest;
    std::array<pack, packs> sums;
    std::array<double, rest> singles;
    BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p) load(sums[p], y + p * pack_lanes);
    BELLAMY_UNROLL for (std::size_t r = 0; r < rest; ++r) singles[r] = y[packs * pack_lanes + r];
    const double* column = w;
    for (std::size_t k = 0; k < count; ++k, column += Rows) {
        const double factor = x[k * stride];
        BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p) {
            pack values;
            load(values, column + p * pack_lanes);
            sums[p] += factor * values;
        }
        BELLAMY_UNROLL for (std::size_t r = 0; r < rest; ++r) singles[r] += factor * column[packs * pack_lanes + r];
    }
    BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p) store(y + p * pack_lanes, sums[p]);
    BELLAMY_UNROLL for (std::size_t r = 0; r < rest; ++r) y[packs * pack_lanes + r] = singles[r];
    if constexpr (done < Left) add_combined<Rows, Left - done>(y + done, w + done, x, stride, count);
}

/// Lane by lane, then the lanes.
template <std::size_t Rows>
[[nodiscard]] double dot_of(const double* x, const double* y) noexcept {
    constexpr std::size_t packs = Rows / pack_lanes;
    pack sums{};
    BELLAMY_UNROLL for (std::size_t p = 0; p < packs; ++p) {
        pack a;
        pack b;
        load(a, x + p * pack_lanes);
        load(b, y + p * pack_lanes);
        sums += a * b;
    }
    std::array<double, pack_lanes> lanes;
    store(lanes.data(), sums);
    double sum = lanes[0];
    BELLAMY_UNROLL for (std::size_t i = 1; i < pack_lanes; ++i) sum += lanes[i];
    BELLAMY_UNROLL for (std::size_t i = packs * pack_lanes; i < Rows; ++i) sum += x[i] * y[i];
    return sum;
}

/// y = W x + b over columns. Parameters: W input by input (Out numbers each), then b.
template <std::size_t In, std::size_t Out>
struct enel_linear {
    static void forward(const double* at, std::span<const double> x, std::span<double> y) noexcept {
        for (std::size_t i = 0; i < x.size() / In; ++i) {
            double* const to = y.data() + i * Out;
            std::copy_n(at + In * Out, Out, to);
            add_combined<Out>(to, at, x.data() + i * In, 1, In);
        }
    }

    /// From the gradient of y: that of the parameters.
    static void backward_parameters(double* to, std::span<const double> x, std::span<const double> dy) noexcept {
        constexpr double one = 1;
        const std::size_t count = x.size() / In;
        std::fill_n(to, (In + 1) * Out, 0.0);
        for (std::size_t i = 0; i < In; ++i) add_combined<Out>(to + i * Out, dy.data(), x.data() + i, In, count);
        add_combined<Out>(to + In * Out, dy.data(), &one, 0, count);
    }

    /// From the gradient of y: that of x.
    static void backward_input(const double* at, std::span<const double> dy, std::span<double> dx) noexcept {
        for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = dot_of<Out>(at + i % In * Out, dy.data() + i / In * Out);
    }
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
