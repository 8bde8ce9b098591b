// Small dense linear algebra of the inference path: row-major matrices, Cholesky factors, triangular solves.
#ifndef BELLAMY_DETAIL_MATHS_DENSE_HPP
#define BELLAMY_DETAIL_MATHS_DENSE_HPP

#include <bellamy/detail/base/compiler.hpp>
#include <bellamy/detail/maths/pack.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Row-major, rows next to each other.
class matrix {
public:
    matrix() = default;
    matrix(size_t rows, size_t columns, double value = 0) : rows_(rows), columns_(columns), values_(rows * columns, value) {}

    /// All zeros of this shape; reuses the memory where it is large enough.
    void reset(size_t rows, size_t columns) {
        rows_ = rows;
        columns_ = columns;
        values_.assign(rows * columns, 0.0);
    }

    size_t rows() const noexcept { return rows_; }
    size_t columns() const noexcept { return columns_; }
    double& operator()(size_t i, size_t j) noexcept { return values_[i * columns_ + j]; }
    double operator()(size_t i, size_t j) const noexcept { return values_[i * columns_ + j]; }
    double* row(size_t i) noexcept { return values_.data() + i * columns_; }
    const double* row(size_t i) const noexcept { return values_.data() + i * columns_; }
    std::span<double> values() noexcept { return values_; }
    std::span<const double> values() const noexcept { return values_; }

private:
    size_t rows_ = 0;
    size_t columns_ = 0;
    std::vector<double> values_;
};

// y += a x; the loop that everything below is built from, so that compilers vectorise it without reordering sums.
inline void add_scaled(double* y, const double* x, double a, size_t count) noexcept {
    for (size_t i = 0; i < count; ++i) y[i] += a * x[i];
}

/// Adjacent rows that are added in one pass over y.
inline constexpr size_t rows_per_pass = 8;

// y += a[0] x_0 + a[1] x_1 + ... of eight rows, `stride` apart, in this order: what eight calls of add_scaled give, with an
// eighth of the loads and stores of y. Precondition: y is none of the rows, which __restrict tells the compiler.
inline void add_scaled_rows(double* __restrict y, const double* __restrict x, size_t stride, const double* a,
                            size_t count) noexcept {
    const double a0 = a[0];
    const double a1 = a[1];
    const double a2 = a[2];
    const double a3 = a[3];
    const double a4 = a[4];
    const double a5 = a[5];
    const double a6 = a[6];
    const double a7 = a[7];
    for (size_t i = 0; i < count; ++i) {
        double sum = y[i];
        sum += a0 * x[i];
        sum += a1 * x[stride + i];
        sum += a2 * x[2 * stride + i];
        sum += a3 * x[3 * stride + i];
        sum += a4 * x[4 * stride + i];
        sum += a5 * x[5 * stride + i];
        sum += a6 * x[6 * stride + i];
        sum += a7 * x[7 * stride + i];
        y[i] = sum;
    }
}

// y += sum of a[k] x_k over the rows of x, k ascending, of their columns from `first` on. Not inlined: it has many callers.
[[gnu::noinline]] inline void add_combination(std::span<double> y, const matrix& x, const double* a,
                                              size_t first = 0) noexcept {
    size_t k = 0;
    for (; k + rows_per_pass <= x.rows(); k += rows_per_pass)
        add_scaled_rows(y.data(), x.row(k) + first, x.columns(), a + k, y.size());
    for (; k < x.rows(); ++k) add_scaled(y.data(), x.row(k) + first, a[k], y.size());
}

inline double dot(const double* x, const double* y, size_t count) noexcept {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += x[i] * y[i];
    return sum;
}

/// The upper triangle of a square matrix in half its memory.
class upper_triangle {
public:
    upper_triangle() = default;
    explicit upper_triangle(const matrix& source) : rows_(source.rows()) {
        values_.reserve(rows_ * (rows_ + 1) / 2);
        for (size_t i = 0; i < rows_; ++i) values_.insert(values_.end(), source.row(i) + i, source.row(i) + rows_);
    }

    size_t rows() const noexcept { return rows_; }
    /// Precondition: i <= j.
    double operator()(size_t i, size_t j) const noexcept { return values_[i * (2 * rows_ - i - 1) / 2 + j]; }
    /// Row i from its diagonal on.
    const double* from_diagonal(size_t i) const noexcept { return values_.data() + i * (2 * rows_ - i - 1) / 2 + i; }

private:
    size_t rows_ = 0;
    std::vector<double> values_;
};
inline const double* from_diagonal(const matrix& upper, size_t i) noexcept { return upper.row(i) + i; }
inline const double* from_diagonal(const upper_triangle& upper, size_t i) noexcept { return upper.from_diagonal(i); }

/// Rows of a triangular system that are solved together.
inline constexpr size_t rows_per_panel = 4;

// `height` rows of b from `first` on, `packs` packs of columns from c on: each row j loses u(k, j) times row k for all k
// below `solved`, in ascending order. The sums stay in registers meanwhile.
template <class Pack, size_t packs, size_t height>
void subtract_tile(const auto& upper, matrix& b, size_t first, size_t solved, size_t c) noexcept {
    constexpr size_t lanes = lanes_of<Pack>;
    const size_t stride = b.columns();
    double* const target = b.row(first) + c;
    const double* solved_row = b.row(0) + c;
    std::array<std::array<Pack, packs>, height> sums;
    BELLAMY_UNROLL for (size_t r = 0; r < height; ++r) {
        BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p) load(sums[r][p], target + r * stride + p * lanes);
    }
    for (size_t k = 0; k < solved; ++k, solved_row += stride) {
        const double* factors = from_diagonal(upper, k) + (first - k);
        std::array<Pack, packs> row;
        BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p) load(row[p], solved_row + p * lanes);
        BELLAMY_UNROLL for (size_t r = 0; r < height; ++r) {
            const double factor = factors[r];
            BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p) sums[r][p] -= factor * row[p];
        }
    }
    BELLAMY_UNROLL for (size_t r = 0; r < height; ++r) {
        BELLAMY_UNROLL for (size_t p = 0; p < packs; ++p) store(target + r * stride + p * lanes, sums[r][p]);
    }
}

// The same for all columns from c on.
template <size_t height>
void subtract_rows(const auto& upper, matrix& b, size_t first, size_t solved, size_t c) noexcept {
    for (; c + 3 * pack_lanes <= b.columns(); c += 3 * pack_lanes)
        subtract_tile<pack, 3, height>(upper, b, first, solved, c);
    for (; c + pack_lanes <= b.columns(); c += pack_lanes) subtract_tile<pack, 1, height>(upper, b, first, solved, c);
    for (; c < b.columns(); ++c) subtract_tile<double, 1, height>(upper, b, first, solved, c);
}

// Rows `first` to `end`, at most a panel, lose their multiples of the solved rows, those above `first`, from column c on.
void subtract_solved(const auto& upper, matrix& b, size_t first, size_t end, size_t c) noexcept {
    if (end - first == rows_per_panel) return subtract_rows<rows_per_panel>(upper, b, first, first, c);
    for (size_t row = first; row < end; ++row) subtract_rows<1>(upper, b, row, first, c);
}

/// Cholesky factorisation: overwrites the upper triangle of the symmetric `a` by U with a = U'U, which depends on nothing
/// below the diagonal; what stands there is spoiled.
/// False where `a` is not positive definite (or not finite); `a` is then spoiled. Not inlined: it has many callers.
[[gnu::noinline]] inline bool factorise(matrix& a) noexcept {
    const size_t n = a.rows();
    for (size_t first = 0; first < n; first += rows_per_panel) {
        const size_t end = first + rows_per_panel < n ? first + rows_per_panel : n;
        subtract_solved(a, a, first, end, first);
        for (size_t k = first; k < end; ++k) {
            double* pivot_row = a.row(k);
            if (!(pivot_row[k] > 0) || !std::isfinite(pivot_row[k])) return false;
            const double root = std::sqrt(pivot_row[k]);
            pivot_row[k] = root;
            for (size_t j = k + 1; j < n; ++j) pivot_row[j] /= root;
            for (size_t i = k + 1; i < end; ++i) add_scaled(a.row(i) + i, pivot_row + i, -pivot_row[i], n - i);
        }
    }
    return true;
}

/// b = U'^-1 b for each column of b. Here and below U is a matrix or an upper_triangle.
void solve_transposed(const auto& upper, matrix& b) noexcept {
    const size_t n = upper.rows();
    const size_t q = b.columns();
    for (size_t first = 0; first < n; first += rows_per_panel) {
        const size_t end = first + rows_per_panel < n ? first + rows_per_panel : n;
        subtract_solved(upper, b, first, end, 0);
        for (size_t i = first; i < end; ++i) {
            double* solved = b.row(i);
            for (size_t c = 0; c < q; ++c) solved[c] /= upper(i, i);
            for (size_t j = i + 1; j < end; ++j) add_scaled(b.row(j), solved, -upper(i, j), q);
        }
    }
}

/// b = U'^-1 b.
void solve_transposed(const auto& upper, std::span<double> b) noexcept {
    const size_t n = upper.rows();
    for (size_t i = 0; i < n; ++i) {
        b[i] /= upper(i, i);
        add_scaled(b.data() + i + 1, from_diagonal(upper, i) + 1, -b[i], n - i - 1);
    }
}

/// b = U^-1 b. The sums of a panel's rows are independent chains, to hide latency.
void solve_upper(const auto& upper, std::span<double> b) noexcept {
    const size_t n = upper.rows();
    for (size_t end = n, first = 0; end > 0; end = first) {
        first = (end - 1) / rows_per_panel * rows_per_panel;
        std::array<double, rows_per_panel> sums{};
        for (size_t j = end; j < n; ++j)
            BELLAMY_UNROLL for (size_t r = 0; r < rows_per_panel; ++r) sums[r] += upper(first + r, j) * b[j];
        for (size_t i = end; i-- > first;) {
            b[i] -= sums[i - first] + dot(from_diagonal(upper, i) + 1, b.data() + i + 1, end - i - 1);
            b[i] /= upper(i, i);
        }
    }
}

/// (U'U)^-1, both triangles.
inline matrix inverse_of_factorised(const matrix& upper) {
    const size_t n = upper.rows();
    matrix half(n, n);
    for (size_t i = 0; i < n; ++i) half(i, i) = 1;
    solve_transposed(upper, half);  // U'^-1, lower triangular
    matrix inverse(n, n);
    for (size_t k = 0; k < n; ++k)
        for (size_t i = 0; i <= k; ++i) add_scaled(inverse.row(i), half.row(k), half(k, i), k + 1);
    return inverse;
}

/// Adds sign * a'b, where a is (n, p) and b (n, q), to the (p, q) matrix c.
inline void add_product(matrix& c, const matrix& a, const matrix& b, double sign = 1) {
    std::vector<double> column(a.rows());
    for (size_t i = 0; i < a.columns(); ++i) {
        for (size_t k = 0; k < a.rows(); ++k) column[k] = sign * a(k, i);
        add_combination({c.row(i), c.columns()}, b, column.data());
    }
}

/// Cholesky factor of a + jitter in place. The jitter grows from 0 in powers of ten of the mean diagonal until `a` is
/// positive definite; `remake()` restores `a` before each retry. Returns the jitter, or a negative number where a thousandth
/// of the mean diagonal is not enough.
double factorise_in_place(matrix& a, const auto& remake) {
    double mean = 0;
    for (size_t i = 0; i < a.rows(); ++i) mean += a(i, i) / static_cast<double>(a.rows());
    for (const double relative : {0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3}) {
        if (relative > 0) remake();
        for (size_t i = 0; i < a.rows(); ++i) a(i, i) += relative * mean;
        if (factorise(a)) return relative * mean;
    }
    return -1;
}

/// The same, with the factor in a matrix of its own.
inline double factorise_with_jitter(const matrix& a, matrix& factor) {
    factor = a;
    return factorise_in_place(factor, [&] { factor = a; });
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
