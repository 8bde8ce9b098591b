// Forward pass and backpropagation of a perceptron of two layers, for a batch in columns.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_PERCEPTRON_PASS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_PERCEPTRON_PASS_HPP

#include <bellamy/detail/network/training/layers.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Two layers with biases (linear, SELU, linear, SELU) for up to `most_columns` columns. Allocates in the constructor only.
/// Columns may be computed in pieces, where the input of one depends on the output of another; the gradient of the
/// parameters sums over all of them.
template <class Scalar, size_t In, size_t Hidden, size_t Out>
class perceptron_pass {
    using second_layer = linear_layer<Scalar, Hidden, Out, true>;

public:
    /// `inputs` is needed where In is std::dynamic_extent.
    explicit perceptron_pass(size_t most_columns, size_t inputs = In)
        : first_layer_(inputs),
          inputs_(most_columns, inputs),
          inputs_gradient_(most_columns, inputs),
          hidden_(most_columns),
          hidden_gradient_(most_columns),
          outputs_(most_columns),
          outputs_gradient_(most_columns) {}

    /// Written by the caller before `forward`; zeros until then.
    std::span<Scalar, In> input(size_t column) { return inputs_[column]; }
    std::span<const Scalar, Out> output(size_t column) const { return outputs_[column]; }
    std::span<const Scalar> outputs(size_t count) const noexcept { return outputs_.first(count); }
    /// Written by the caller before `backward_hidden`.
    std::span<Scalar, Out> output_gradient(size_t column) { return outputs_gradient_[column]; }
    std::span<Scalar> outputs_gradient(size_t count) noexcept { return outputs_gradient_.first(count); }
    /// After `backward_inputs`.
    std::span<const Scalar, In> input_gradient(size_t column) const { return inputs_gradient_[column]; }

    void forward(const Scalar* parameters, size_t first, size_t count) {
        const auto hidden = hidden_.piece(first, count);
        const auto outputs = outputs_.piece(first, count);
        first_layer_.forward(parameters, inputs_.piece(first, count), hidden);
        selu_forward<Scalar>(hidden);
        second_layer().forward(parameters + first_layer_.parameter_count(), hidden, outputs);
        selu_forward<Scalar>(outputs);
    }

    /// Gradient of the hidden layer by that of the outputs.
    void backward_hidden(const Scalar* parameters, size_t first, size_t count) {
        const auto outputs_gradient = outputs_gradient_.piece(first, count);
        const auto hidden_gradient = hidden_gradient_.piece(first, count);
        selu_backward<Scalar>(outputs_.piece(first, count), outputs_gradient);
        second_layer().backward_input(parameters + first_layer_.parameter_count(), outputs_gradient, hidden_gradient);
        selu_backward<Scalar>(hidden_.piece(first, count), hidden_gradient);
    }
    /// Gradient of the inputs, after `backward_hidden`.
    void backward_inputs(const Scalar* parameters, size_t first, size_t count) {
        first_layer_.backward_input(parameters, hidden_gradient_.piece(first, count), inputs_gradient_.piece(first, count));
    }
    /// That of the first inputs of columns 0, 1, ..., as many as `gradient` has for each of `count`.
    void backward_inputs(const Scalar* parameters, size_t count, std::span<Scalar> gradient) const {
        first_layer_.backward_input(parameters, hidden_gradient_.first(count), gradient);
    }
    /// Gradient of the parameters over columns 0 to `count`, after `backward_hidden`. Columns that were not computed must be
    /// cleared.
    void backward_parameters(Scalar* gradient, size_t count) const {
        first_layer_.backward_parameters(gradient, inputs_.first(count), hidden_gradient_.first(count));
        second_layer().backward_parameters(gradient + first_layer_.parameter_count(), hidden_.first(count),
                                           outputs_gradient_.first(count));
    }

    /// Removes a column from the gradient of the parameters.
    void clear(size_t column) {
        fill_zeros(inputs_[column]);
        fill_zeros(hidden_[column]);
        fill_zeros(hidden_gradient_[column]);
        fill_zeros(outputs_gradient_[column]);
    }

private:
    linear_layer<Scalar, In, Hidden, true> first_layer_;
    columns<Scalar, In> inputs_;
    columns<Scalar, In> inputs_gradient_;
    columns<Scalar, Hidden> hidden_;
    columns<Scalar, Hidden> hidden_gradient_;
    columns<Scalar, Out> outputs_;
    columns<Scalar, Out> outputs_gradient_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
