// Forward and backward pass of the scale-out network and the head, for a batch with given property codes.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_PREDICTOR_PASS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_PREDICTOR_PASS_HPP

#include <bellamy/detail/network/parameters.hpp>
#include <bellamy/detail/network/training/layers.hpp>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// Holds the buffers for batches of up to `capacity` samples; allocates in the constructor only.
template <class Scalar, dimensions D>
class predictor_pass {
    using layout = parameter_layout<D>;
    static constexpr std::size_t code = D.scale_out_code;

public:
    predictor_pass(std::size_t essential_count, std::size_t capacity)
        : head_first_(layout::head_inputs(essential_count)),
          features_(capacity),
          hidden_(capacity),
          hidden_gradient_(capacity),
          code_(capacity),
          code_gradient_(capacity),
          inputs_(capacity, layout::head_inputs(essential_count)),
          input_gradient_(capacity, layout::head_inputs(essential_count)),
          head_(capacity),
          head_gradient_(capacity),
          output_(capacity),
          output_gradient_(capacity) {}

    /// Scaled scale-out features of a sample; the caller sets them.
    [[nodiscard]] std::span<Scalar, scale_out_features_count> features(std::size_t sample) { return features_[sample]; }
    /// Codes of a sample's properties (essential ones, then the mean of the optional ones); zeros until the caller sets
    /// them.
    [[nodiscard]] std::span<Scalar> codes(std::size_t sample) { return inputs_[sample].subspan(code); }
    /// Gradient by those codes, after `backward_head` for all inputs.
    [[nodiscard]] std::span<const Scalar> codes_gradient(std::size_t sample) const {
        return input_gradient_[sample].subspan(code);
    }
    /// Predicted seconds, after `forward_head`.
    [[nodiscard]] std::span<const Scalar> predicted_s(std::size_t samples) const noexcept {
        return output_.piece(0, samples);
    }
    /// Derivative of the loss by the predictions; the caller sets it before `backward_head`.
    [[nodiscard]] std::span<Scalar> predicted_gradient(std::size_t samples) noexcept {
        return output_gradient_.piece(0, samples);
    }

    void forward_scale_out(const Scalar* parameters, std::size_t samples) {
        const Scalar* weights = parameters + layout::scale_out;
        const auto hidden = hidden_.piece(0, samples);
        const auto codes = code_.piece(0, samples);
        scale_out_first().forward(weights, features_.piece(0, samples), hidden);
        selu_forward<Scalar>(hidden);
        scale_out_second().forward(weights + scale_out_first().parameter_count(), hidden, codes);
        selu_forward<Scalar>(codes);
        for (std::size_t i = 0; i < samples; ++i) copy_to(inputs_[i].template first<code>(), code_[i]);
    }

    void forward_head(const Scalar* parameters, std::size_t samples) {
        const Scalar* weights = parameters + layout::head;
        const auto hidden = head_.piece(0, samples);
        const auto output = output_.piece(0, samples);
        head_first_.forward(weights, inputs_.piece(0, samples), hidden);
        selu_forward<Scalar>(hidden);
        head_second().forward(weights + head_first_.parameter_count(), hidden, output);
        selu_forward<Scalar>(output);
    }

    /// Which inputs of the head need a gradient.
    enum class inputs { none, scale_out, all };

    void backward_head(const Scalar* parameters, Scalar* gradient, std::size_t samples, inputs inputs_with_gradient) {
        const Scalar* weights = parameters + layout::head;
        Scalar* head_gradient = gradient + layout::head;
        const auto output_gradient = output_gradient_.piece(0, samples);
        const auto hidden_gradient = head_gradient_.piece(0, samples);
        selu_backward<Scalar>(output_.piece(0, samples), output_gradient);
        head_second().backward_parameters(head_gradient + head_first_.parameter_count(), head_.piece(0, samples),
                                          output_gradient);
        head_second().backward_input(weights + head_first_.parameter_count(), output_gradient, hidden_gradient);
        selu_backward<Scalar>(head_.piece(0, samples), hidden_gradient);
        head_first_.backward_parameters(head_gradient, inputs_.piece(0, samples), hidden_gradient);
        if (inputs_with_gradient == inputs::all) {
            head_first_.backward_input(weights, hidden_gradient, input_gradient_.piece(0, samples));
            for (std::size_t i = 0; i < samples; ++i) copy_to(code_gradient_[i], input_gradient_[i].template first<code>());
        } else if (inputs_with_gradient == inputs::scale_out) {
            head_first_.backward_input(weights, hidden_gradient, code_gradient_.piece(0, samples));
        }
    }

    void backward_scale_out(const Scalar* parameters, Scalar* gradient, std::size_t samples) {
        const Scalar* weights = parameters + layout::scale_out;
        Scalar* scale_out_gradient = gradient + layout::scale_out;
        const auto code_gradient = code_gradient_.piece(0, samples);
        const auto hidden_gradient = hidden_gradient_.piece(0, samples);
        selu_backward<Scalar>(code_.piece(0, samples), code_gradient);
        scale_out_second().backward_parameters(scale_out_gradient + scale_out_first().parameter_count(),
                                               hidden_.piece(0, samples), code_gradient);
        scale_out_second().backward_input(weights + scale_out_first().parameter_count(), code_gradient, hidden_gradient);
        selu_backward<Scalar>(hidden_.piece(0, samples), hidden_gradient);
        scale_out_first().backward_parameters(scale_out_gradient, features_.piece(0, samples), hidden_gradient);
    }

private:
    using scale_out_first = linear_layer<Scalar, scale_out_features_count, D.scale_out_hidden, true>;
    using scale_out_second = linear_layer<Scalar, D.scale_out_hidden, D.scale_out_code, true>;
    using head_second = linear_layer<Scalar, D.head_hidden, 1, true>;

    linear_layer<Scalar, std::dynamic_extent, D.head_hidden, true> head_first_;
    columns<Scalar, scale_out_features_count> features_;
    columns<Scalar, D.scale_out_hidden> hidden_;
    columns<Scalar, D.scale_out_hidden> hidden_gradient_;
    columns<Scalar, D.scale_out_code> code_;
    columns<Scalar, D.scale_out_code> code_gradient_;
    columns<Scalar> inputs_;
    columns<Scalar> input_gradient_;
    columns<Scalar, D.head_hidden> head_;
    columns<Scalar, D.head_hidden> head_gradient_;
    columns<Scalar, 1> output_;
    columns<Scalar, 1> output_gradient_;
};

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
