// Forward and backward through the scale-out network and the head, for a batch whose property codes are given.
#ifndef BELLAMY_DETAIL_NETWORK_TRAINING_PREDICTOR_PASS_HPP
#define BELLAMY_DETAIL_NETWORK_TRAINING_PREDICTOR_PASS_HPP

#include <bellamy/detail/network/parameter_layout.hpp>
#include <bellamy/detail/network/training/layers.hpp>

namespace bellamy::inline BELLAMY_ABI::detail {

/// Working storage for batches of up to `capacity` samples; allocated once, in the constructor.
template <class Scalar, dimensions D, batch_size Size>
class predictor_pass {
    using layout = parameter_layout<D>;
    static constexpr int hidden = static_cast<int>(D.scale_out_hidden);
    static constexpr int code = static_cast<int>(D.scale_out_code);
    static constexpr int head_hidden = static_cast<int>(D.head_hidden);

public:
    predictor_pass(std::size_t essential_count, Eigen::Index capacity)
        : head_first_(static_cast<Eigen::Index>(layout::head_inputs(essential_count))),
          features_(3, capacity),
          hidden_(hidden, capacity),
          hidden_gradient_(hidden, capacity),
          code_(code, capacity),
          code_gradient_(code, capacity),
          inputs_(layout::head_inputs(essential_count), capacity),
          input_gradient_(layout::head_inputs(essential_count), capacity),
          head_(head_hidden, capacity),
          head_gradient_(head_hidden, capacity),
          output_(1, capacity),
          output_gradient_(1, capacity) {
        inputs_.setZero();
    }

    /// Scaled scale-out features of the samples, to be filled in by the caller.
    [[nodiscard]] auto features(Eigen::Index samples) { return features_.leftCols(samples); }
    /// Codes of the samples' properties (essential ones, then the mean of the optional ones), to be filled in by the caller.
    [[nodiscard]] auto codes(Eigen::Index samples) { return inputs_.bottomRows(inputs_.rows() - code).leftCols(samples); }
    /// Gradient of those codes, after `backward_head` with `for_codes`.
    [[nodiscard]] auto codes_gradient(Eigen::Index samples) const {
        return input_gradient_.bottomRows(input_gradient_.rows() - code).leftCols(samples);
    }
    /// Predicted seconds, after `forward_head`.
    [[nodiscard]] std::span<const Scalar> predicted_s(Eigen::Index samples) const noexcept {
        return leading(output_, samples);
    }
    /// Derivative of the loss by the predictions, to be filled in by the caller before `backward_head`.
    [[nodiscard]] std::span<Scalar> predicted_gradient(Eigen::Index samples) noexcept {
        return leading(output_gradient_, samples);
    }

    void forward_scale_out(const Scalar* parameters, Eigen::Index samples) {
        const Scalar* at = parameters + layout::scale_out;
        auto h = hidden_.leftCols(samples);
        auto c = code_.leftCols(samples);
        scale_out_first_.forward(at, features_.leftCols(samples), h);
        selu_forward<Scalar>(leading(hidden_, samples));
        scale_out_second_.forward(at + scale_out_first_.parameter_count(), h, c);
        selu_forward<Scalar>(leading(code_, samples));
        inputs_.topRows(code).leftCols(samples) = c;
    }

    void forward_head(const Scalar* parameters, Eigen::Index samples) {
        const Scalar* at = parameters + layout::head;
        auto h = head_.leftCols(samples);
        auto y = output_.leftCols(samples);
        head_first_.forward(at, inputs_.leftCols(samples), h);
        selu_forward<Scalar>(leading(head_, samples));
        head_second_.forward(at + head_first_.parameter_count(), h, y);
        selu_forward<Scalar>(leading(output_, samples));
    }

    /// Which inputs of the head need a gradient.
    enum class inputs { none, scale_out, all };

    void backward_head(const Scalar* parameters, Scalar* gradient, Eigen::Index samples, inputs wanted) {
        const Scalar* at = parameters + layout::head;
        Scalar* to = gradient + layout::head;
        auto dy = output_gradient_.leftCols(samples);
        auto dh = head_gradient_.leftCols(samples);
        selu_backward<Scalar>(leading(output_, samples), leading(output_gradient_, samples));
        head_second_.backward_parameters(to + head_first_.parameter_count(), head_.leftCols(samples), dy);
        head_second_.backward_input(at + head_first_.parameter_count(), dy, dh);
        selu_backward<Scalar>(leading(head_, samples), leading(head_gradient_, samples));
        head_first_.backward_parameters(to, inputs_.leftCols(samples), dh);
        const auto weights = head_first_.weights(at);
        if (wanted == inputs::all) {
            head_first_.backward_input(at, dh, input_gradient_.leftCols(samples));
            code_gradient_.leftCols(samples) = input_gradient_.topRows(code).leftCols(samples);
        } else if (wanted == inputs::scale_out) {
            multiply<Size>(code_gradient_.leftCols(samples), weights.template leftCols<code>().transpose(), dh);
        }
    }

    void backward_scale_out(const Scalar* parameters, Scalar* gradient, Eigen::Index samples) {
        const Scalar* at = parameters + layout::scale_out;
        Scalar* to = gradient + layout::scale_out;
        auto dc = code_gradient_.leftCols(samples);
        auto dh = hidden_gradient_.leftCols(samples);
        selu_backward<Scalar>(leading(code_, samples), leading(code_gradient_, samples));
        scale_out_second_.backward_parameters(to + scale_out_first_.parameter_count(), hidden_.leftCols(samples), dc);
        scale_out_second_.backward_input(at + scale_out_first_.parameter_count(), dc, dh);
        selu_backward<Scalar>(leading(hidden_, samples), leading(hidden_gradient_, samples));
        scale_out_first_.backward_parameters(to, features_.leftCols(samples), dh);
    }

private:
    linear_layer<Scalar, 3, hidden, true, Size> scale_out_first_;
    linear_layer<Scalar, hidden, code, true, Size> scale_out_second_;
    linear_layer<Scalar, Eigen::Dynamic, head_hidden, true, Size> head_first_;
    linear_layer<Scalar, head_hidden, 1, true, Size> head_second_;
    columns<Scalar, 3> features_;
    columns<Scalar, D.scale_out_hidden> hidden_;
    columns<Scalar, D.scale_out_hidden> hidden_gradient_;
    columns<Scalar, D.scale_out_code> code_;
    columns<Scalar, D.scale_out_code> code_gradient_;
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> inputs_;
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> input_gradient_;
    columns<Scalar, D.head_hidden> head_;
    columns<Scalar, D.head_hidden> head_gradient_;
    Eigen::Matrix<Scalar, 1, Eigen::Dynamic> output_;
    Eigen::Matrix<Scalar, 1, Eigen::Dynamic> output_gradient_;
};

}  // namespace bellamy::inline BELLAMY_ABI::detail

#endif
