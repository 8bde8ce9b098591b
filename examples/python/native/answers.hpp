// Predictions as Python sees them: one, many, and the curve that makes them.
#ifndef BELLAMY_PYTHON_ANSWERS_HPP
#define BELLAMY_PYTHON_ANSWERS_HPP

#include <nanobind/ndarray.h>

#include "records.hpp"

namespace python {

template <class Number>
using buffer = nb::ndarray<Number, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The answers of one call; arrays are written into buffers of as many elements.
class rows {
public:
    explicit rows(size_t count) : held_(count, sized<bellamy_prediction>()) {}

    [[nodiscard]] bellamy_prediction* data() noexcept { return held_.data(); }
    [[nodiscard]] size_t size() const noexcept { return held_.size(); }
    [[nodiscard]] bellamy_prediction at(size_t i) const { return held_.at(i); }

    void medians(buffer<double> out) const {
        fill(out, [](const auto& each) { return each.median_s; });
    }
    /// Into every `step`-th element from `first` on: a column of a matrix.
    void quantiles(double p, buffer<double> out, size_t first, size_t step) const {
        fill(
            out, [p](const auto& each) { return bellamy_prediction_quantile(&each, p); }, first, step);
    }
    void probabilities(double limit_s, buffer<double> out) const {
        fill(out, [limit_s](const auto& each) { return bellamy_prediction_probability(&each, limit_s); });
    }
    void flags(buffer<uint32_t> out) const {
        fill(out, [](const auto& each) { return each.flags; });
    }
    void observed_runs(buffer<uint32_t> out) const {
        fill(out, [](const auto& each) { return each.observed_runs; });
    }

private:
    template <class Out, class Value>
    void fill(Out& out, const Value& value, size_t first = 0, size_t step = 1) const {
        if (first >= step || out.size() != held_.size() * step)
            throw refusal{bellamy_errc_invalid_argument, "expected a buffer with room for each prediction"};
        for (size_t i = 0; i < held_.size(); ++i) out.data()[i * step + first] = value(held_[i]);
    }

    std::vector<bellamy_prediction> held_;
};

/// The answers of a function that takes scale-outs and fills rows.
template <class Ask>
[[nodiscard]] rows ask(const std::vector<int32_t>& scale_outs, const Ask& with) {
    rows made(scale_outs.size());
    const nb::gil_scoped_release others_go_on;
    with(scale_outs.data(), scale_outs.size(), made.data());
    return made;
}

[[nodiscard]] inline bellamy_prediction at(const curve& of, int32_t scale_out) {
    auto made = sized<bellamy_prediction>();
    call(bellamy_curve_predict, of.get(), &scale_out, size_t{1}, &made);
    return made;
}

}  // namespace python

#endif
