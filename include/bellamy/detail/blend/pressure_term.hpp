// The term of the pressure in the covariances of one point with the scale-outs asked about.
#ifndef BELLAMY_DETAIL_BLEND_PRESSURE_TERM_HPP
#define BELLAMY_DETAIL_BLEND_PRESSURE_TERM_HPP

#include <bellamy/detail/blend/expert_question.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// A point's covariances, which are being added up.
struct covariance_row {
    double* out;
    double t;  // ln(scale-out)
    const double* shapes;
    const double* work_trends = nullptr;
};

/// Matern 5/2 of how far pressures are apart. Its exp(-|a - b|) is a product of exponentials of a and of b, which are taken
/// once for each point and for each scale-out: a few instead of one for each pair.
class pressure_term {
public:
    /// `slope`: how the pressure changes with ln(scale-out).
    pressure_term(double length, double slope, std::span<const double> log_scale_outs)
        : rate_(root_five / length), slope_(rate_ * slope) {
        for (const double u : log_scale_outs) {
            at_.push_back(slope_ * u);
            rising_.push_back(std::exp(at_.back()));
            falling_.push_back(1 / rising_.back());
            farthest_ = (std::max)(farthest_, std::abs(at_.back()));
        }
    }

    /// Adds the term times `variance` to the rows of one context; `gap` is the difference of both pressures, finite.
    void add_to(std::span<const covariance_row> rows, double gap, double variance) {
        decays_.clear();
        for (const auto& row : rows) decays_.push_back(-std::abs(distance(row, gap)));
        exponentials(decays_);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double from = distance(rows[i], gap);
            if (std::abs(from) > most_exponent || farthest_ > most_exponent) {
                add_far(rows[i], from, variance);
            } else {
                add_near(rows[i], from, decays_[i], variance);
            }
        }
    }

private:
    // Beyond, a product of two might overflow.
    static constexpr double most_exponent = 300;

    // From a scale-out of 1, in lengths times the root of five.
    [[nodiscard]] double distance(const covariance_row& row, double gap) const noexcept {
        return rate_ * gap + slope_ * row.t;
    }

    // `decay`: exp(-|from|).
    void add_near(const covariance_row& row, double from, double decay, double variance) const noexcept {
        const double falling = from >= 0 ? decay : 1 / decay;
        const double rising = from >= 0 ? 1 / decay : decay;
        const auto add = [&](auto number, std::size_t k) {
            using numbers = decltype(number);
            numbers at;
            numbers rises;
            numbers falls;
            load(number, row.out + k);
            load(at, at_.data() + k);
            load(rises, rising_.data() + k);
            load(falls, falling_.data() + k);
            const numbers r = from - at;
            const numbers size = r >= 0 ? r : -r;
            const numbers own = r >= 0 ? falling * rises : rising * falls;
            store(row.out + k, number + variance * matern_value(size, own));
        };
        std::size_t k = 0;
        for (; k + pack_lanes <= at_.size(); k += pack_lanes) add(pack{}, k);
        for (; k < at_.size(); ++k) add(0.0, k);
    }

    void add_far(const covariance_row& row, double from, double variance) const noexcept {
        for (std::size_t k = 0; k < at_.size(); ++k) {
            const double r = std::abs(from - at_[k]);
            row.out[k] += variance * matern_value(r, std::exp(-r));
        }
    }

    double rate_;
    double slope_;
    double farthest_ = 0;
    std::vector<double> at_{};
    std::vector<double> rising_{};
    std::vector<double> falling_{};
    std::vector<double> decays_{};
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
