// Linear, SELU, Linear, SELU for a list of columns: the shape of three parts of Enel's network.
#ifndef BELLAMY_DETAIL_ENEL_ENEL_LAYERS_HPP
#define BELLAMY_DETAIL_ENEL_ENEL_LAYERS_HPP

#include <bellamy/detail/enel/enel_parameters.hpp>
#include <bellamy/detail/network/training/columns.hpp>
#include <bellamy/detail/network/training/layers.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Working storage for up to `capacity` columns; allocated once, in the constructor. Columns may be computed in pieces,
/// where the input of one depends on the output of another; the gradient of the parameters is that of all of them.
template <class Layers>
class enel_layers_pass {
    static constexpr std::size_t in = Layers::inputs;
    static constexpr std::size_t hidden = Layers::hidden;
    static constexpr std::size_t out = Layers::outputs;
    using first_layer = linear_layer<double, in, hidden, true>;
    using second_layer = linear_layer<double, hidden, out, true>;

public:
    explicit enel_layers_pass(std::size_t capacity)
        : inputs_(capacity),
          inputs_gradient_(capacity),
          hidden_(capacity),
          hidden_gradient_(capacity),
          outputs_(capacity),
          outputs_gradient_(capacity) {}

    /// To be filled in by the caller before `forward`.
    [[nodiscard]] std::span<double, in> input(std::size_t column) { return inputs_[column]; }
    [[nodiscard]] std::span<const double, out> output(std::size_t column) const { return outputs_[column]; }
    /// To be filled in by the caller before `backward_inputs`.
    [[nodiscard]] std::span<double, out> output_gradient(std::size_t column) { return outputs_gradient_[column]; }
    [[nodiscard]] std::span<const double, in> input_gradient(std::size_t column) const { return inputs_gradient_[column]; }

    void forward(const double* at, std::size_t first, std::size_t count) {
        const auto h = hidden_.piece(first, count);
        const auto y = outputs_.piece(first, count);
        first_layer().forward(at, inputs_.piece(first, count), h);
        selu_forward<double>(h);
        second_layer().forward(at + Layers::first_size, h, y);
        selu_forward<double>(y);
    }

    /// From the gradient of the outputs: that of the inputs.
    void backward_inputs(const double* at, std::size_t first, std::size_t count) {
        const auto dy = outputs_gradient_.piece(first, count);
        const auto dh = hidden_gradient_.piece(first, count);
        selu_backward<double>(outputs_.piece(first, count), dy);
        second_layer().backward_input(at + Layers::first_size, dy, dh);
        selu_backward<double>(hidden_.piece(first, count), dh);
        first_layer().backward_input(at, dh, inputs_gradient_.piece(first, count));
    }

    /// After `backward_inputs` of the same columns: the gradient of the parameters. Columns that were not computed must be
    /// among the cleared ones.
    void backward_parameters(double* to, std::size_t count) {
        first_layer().backward_parameters(to, inputs_.piece(0, count), hidden_gradient_.piece(0, count));
        second_layer().backward_parameters(to + Layers::first_size, hidden_.piece(0, count),
                                           outputs_gradient_.piece(0, count));
    }

    /// Takes a column out of the gradient of the parameters.
    void clear(std::size_t column) {
        fill_zeros(inputs_[column]);
        fill_zeros(hidden_[column]);
        fill_zeros(hidden_gradient_[column]);
        fill_zeros(outputs_gradient_[column]);
    }

private:
    columns<double, in> inputs_;
    columns<double, in> inputs_gradient_;
    columns<double, hidden> hidden_;
    columns<double, hidden> hidden_gradient_;
    columns<double, out> outputs_;
    columns<double, out> outputs_gradient_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
