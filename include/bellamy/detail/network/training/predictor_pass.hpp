// Forward and backward pass of the scale-out network and the head, for a batch with given property codes.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_PREDICTOR_PASS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_PREDICTOR_PASS_HPP

#include <bellamy/detail/network/parameters.hpp>
#include <bellamy/detail/network/training/perceptron_pass.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Holds the buffers for batches of up to `largest_batch` samples; allocates in the constructor only.
template <class Scalar, dimensions D>
class predictor_pass {
    using layout = parameter_layout<D>;
    static constexpr size_t code = D.scale_out_code;

public:
    predictor_pass(size_t essential_count, size_t largest_batch)
        : scale_out_(largest_batch), head_(largest_batch, layout::head_inputs(essential_count)) {}

    /// Scaled scale-out features of a sample; the caller sets them.
    std::span<Scalar, scale_out_features_count> features(size_t sample) { return scale_out_.input(sample); }
    /// Codes of a sample's properties (essential ones, then the mean of the optional ones); zeros until the caller sets
    /// them.
    std::span<Scalar> codes(size_t sample) { return head_.input(sample).subspan(code); }
    /// Gradient by those codes, after `backward_head` for all inputs.
    std::span<const Scalar> codes_gradient(size_t sample) const { return head_.input_gradient(sample).subspan(code); }
    /// Predicted runtimes of the last `forward_head`.
    std::span<const Scalar> predictions_s(size_t samples) const noexcept { return head_.outputs(samples); }
    /// Derivative of the loss by the predictions; the caller sets it before `backward_head`.
    std::span<Scalar> predictions_gradient(size_t samples) noexcept { return head_.outputs_gradient(samples); }

    void forward_scale_out(const Scalar* parameters, size_t samples) {
        scale_out_.forward(parameters + layout::scale_out, 0, samples);
        for (size_t i = 0; i < samples; ++i) copy_to(head_.input(i).template first<code>(), scale_out_.output(i));
    }
    void forward_head(const Scalar* parameters, size_t samples) { head_.forward(parameters + layout::head, 0, samples); }

    /// Which inputs of the head need a gradient.
    enum class inputs { none, scale_out, all };

    void backward_head(const Scalar* parameters, Scalar* gradient, size_t samples, inputs inputs_with_gradient) {
        const Scalar* weights = parameters + layout::head;
        head_.backward_hidden(weights, 0, samples);
        head_.backward_parameters(gradient + layout::head, samples);
        if (inputs_with_gradient == inputs::all) {
            head_.backward_inputs(weights, 0, samples);
            for (size_t i = 0; i < samples; ++i)
                copy_to(scale_out_.output_gradient(i), head_.input_gradient(i).template first<code>());
        } else if (inputs_with_gradient == inputs::scale_out) {
            head_.backward_inputs(weights, samples, scale_out_.outputs_gradient(samples));
        }
    }

    void backward_scale_out(const Scalar* parameters, Scalar* gradient, size_t samples) {
        scale_out_.backward_hidden(parameters + layout::scale_out, 0, samples);
        scale_out_.backward_parameters(gradient + layout::scale_out, samples);
    }

private:
    perceptron_pass<Scalar, scale_out_features_count, D.scale_out_hidden, code> scale_out_;
    perceptron_pass<Scalar, std::dynamic_extent, D.head_hidden, 1> head_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
