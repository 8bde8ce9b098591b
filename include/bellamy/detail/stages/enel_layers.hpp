// Linear, SELU, Linear, SELU for a list of columns: the shape of three parts of Enel's network.
#ifndef BELLAMY_DETAIL_STAGES_ENEL_LAYERS_HPP
#define BELLAMY_DETAIL_STAGES_ENEL_LAYERS_HPP

#include <bellamy/detail/network/training/layers.hpp>
#include <bellamy/detail/stages/enel_parameters.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Working storage for up to `capacity` columns; allocated once, in the constructor. Columns may be computed in pieces,
/// where the input of one depends on the output of another; the gradient of the parameters is that of all of them.
template <class Layers>
class enel_layers_pass {
    static constexpr int in = static_cast<int>(Layers::inputs);
    static constexpr int hidden = static_cast<int>(Layers::hidden);
    static constexpr int out = static_cast<int>(Layers::outputs);

public:
    explicit enel_layers_pass(Eigen::Index capacity)
        : inputs_(in, capacity),
          inputs_gradient_(in, capacity),
          hidden_(hidden, capacity),
          hidden_gradient_(hidden, capacity),
          outputs_(out, capacity),
          outputs_gradient_(out, capacity) {}

    /// To be filled in by the caller before `forward`.
    [[nodiscard]] auto input(Eigen::Index column) { return inputs_.col(column); }
    [[nodiscard]] auto output(Eigen::Index column) const { return outputs_.col(column); }
    /// To be filled in by the caller before `backward_inputs`.
    [[nodiscard]] auto output_gradient(Eigen::Index column) { return outputs_gradient_.col(column); }
    [[nodiscard]] auto input_gradient(Eigen::Index column) const { return inputs_gradient_.col(column); }

    void forward(const double* at, Eigen::Index first, Eigen::Index count) {
        auto h = hidden_.middleCols(first, count);
        auto y = outputs_.middleCols(first, count);
        first_.forward(at, inputs_.middleCols(first, count), h);
        selu_forward<double>(piece(hidden_, first, count));
        second_.forward(at + Layers::first_size, h, y);
        selu_forward<double>(piece(outputs_, first, count));
    }

    /// From the gradient of the outputs: that of the inputs.
    void backward_inputs(const double* at, Eigen::Index first, Eigen::Index count) {
        auto dy = outputs_gradient_.middleCols(first, count);
        auto dh = hidden_gradient_.middleCols(first, count);
        selu_backward<double>(piece(outputs_, first, count), piece(outputs_gradient_, first, count));
        second_.backward_input(at + Layers::first_size, dy, dh);
        selu_backward<double>(piece(hidden_, first, count), piece(hidden_gradient_, first, count));
        first_.backward_input(at, dh, inputs_gradient_.middleCols(first, count));
    }

    /// After `backward_inputs` of the same columns: the gradient of the parameters. Columns that were not computed must be
    /// among the cleared ones.
    void backward_parameters(double* to, Eigen::Index count) {
        first_.backward_parameters(to, inputs_.leftCols(count), hidden_gradient_.leftCols(count));
        second_.backward_parameters(to + Layers::first_size, hidden_.leftCols(count), outputs_gradient_.leftCols(count));
    }

    /// Takes a column out of the gradient of the parameters.
    void clear(Eigen::Index column) {
        for (const auto values : {piece(inputs_, column, 1), piece(hidden_, column, 1), piece(hidden_gradient_, column, 1),
                                  piece(outputs_gradient_, column, 1)})
            std::fill(values.begin(), values.end(), 0.0);
    }

private:
    template <class Matrix>
    [[nodiscard]] static std::span<double> piece(Matrix& matrix, Eigen::Index first, Eigen::Index count) noexcept {
        return {matrix.data() + first * matrix.rows(), static_cast<std::size_t>(count * matrix.rows())};
    }

    linear_layer<double, in, hidden, true, batch_size::few> first_;
    linear_layer<double, hidden, out, true, batch_size::few> second_;
    columns<double, Layers::inputs> inputs_;
    columns<double, Layers::inputs> inputs_gradient_;
    columns<double, Layers::hidden> hidden_;
    columns<double, Layers::hidden> hidden_gradient_;
    columns<double, Layers::outputs> outputs_;
    columns<double, Layers::outputs> outputs_gradient_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
