// Bellamy's network (paper, section III): its dimensions, its parameters and the forward pass.
#ifndef BELLAMY_NETWORK_HPP
#define BELLAMY_NETWORK_HPP

#include <bellamy/encoding.hpp>

#include <vector>

namespace bellamy { inline namespace BELLAMY_ABI {

namespace detail {

// SELU (Klambauer et al. 2017), the activation of every hidden layer and of the prediction itself.
inline constexpr double selu_scale = 1.0507009873554805;
inline constexpr double selu_alpha = 1.6732632423543772;
/// Minus the limit of SELU at minus infinity; alpha dropout replaces dropped values by that limit.
inline constexpr double selu_saturation = selu_scale * selu_alpha;

template <std::floating_point Scalar>
[[nodiscard]] Scalar selu(Scalar x) noexcept {
    return x > 0 ? Scalar(selu_scale) * x : Scalar(selu_saturation) * (std::exp(x) - 1);
}

template <std::floating_point Scalar, size_t Size>
void apply_selu(std::span<Scalar, Size> values) noexcept {
    for (Scalar& value : values) value = selu(value);
}

}  // namespace detail

/// Widths of the layers. The number of essential properties is not among them: it is chosen at run time.
struct dimensions {
    size_t encoding = 40;
    size_t encoder_hidden = 8;
    size_t code = 4;
    size_t scale_out_hidden = 16;
    size_t scale_out_code = 8;
    size_t head_hidden = 8;

    constexpr bool operator==(const dimensions&) const = default;
};

/// y = W x + b, with or without b; weights stand input by input, so that one input's weights for all outputs are adjacent.
template <std::floating_point Scalar, size_t In, size_t Out, bool HasBias>
struct linear {
    static constexpr size_t inputs = In;
    static constexpr size_t outputs = Out;

    std::array<Scalar, In * Out> weights{};
    std::array<Scalar, HasBias ? Out : 0> bias{};

    [[nodiscard]] std::array<Scalar, Out> operator()(std::span<const Scalar, In> x) const noexcept {
        std::array<Scalar, Out> y{};
        if constexpr (HasBias) y = bias;
        for (size_t i = 0; i < In; ++i)
            for (size_t o = 0; o < Out; ++o) y[o] += weights[i * Out + o] * x[i];
        return y;
    }

    /// Calls visit(span of weights, number of inputs) and then visit(span of biases, 0).
    static void for_each_block(auto& self, auto&& visit) {
        visit(std::span(self.weights), In);
        if constexpr (HasBias) visit(std::span(self.bias), size_t{0});
    }
};

/// Two linear layers, the first followed by SELU: the shape of every part of the network but the head.
template <std::floating_point Scalar, size_t In, size_t Hidden, size_t Out, bool HasBias>
struct two_layers {
    linear<Scalar, In, Hidden, HasBias> first;
    linear<Scalar, Hidden, Out, HasBias> second;

    /// Output of the second layer, not yet activated.
    [[nodiscard]] std::array<Scalar, Out> operator()(std::span<const Scalar, In> x) const noexcept {
        auto hidden = first(x);
        detail::apply_selu(std::span(hidden));
        return second(std::span<const Scalar, Hidden>(hidden));
    }

    static void for_each_block(auto& self, auto&& visit) {
        self.first.for_each_block(self.first, visit);
        self.second.for_each_block(self.second, visit);
    }
};

/// Start values of the head's first layer: its bias, plus what a context's codes contribute.
template <std::floating_point Scalar, dimensions D>
using head_start = std::array<Scalar, D.head_hidden>;

/// The scale-out network (f) and the head (z), with a context folded into the head's start: maps a scale-out to seconds.
/// Never allocates.
template <std::floating_point Scalar, dimensions D>
struct runtime_network {
    min_max_scaler<Scalar> scaler;
    two_layers<Scalar, scale_out_features_count, D.scale_out_hidden, D.scale_out_code, true> scale_out;  // f
    std::array<Scalar, D.scale_out_code * D.head_hidden> scale_out_weights{};  // of the head's first layer, input by input
    linear<Scalar, D.head_hidden, 1, true> head_second;

    /// The code of a scale-out.
    [[nodiscard]] std::array<Scalar, D.scale_out_code> code(Scalar x) const noexcept {
        const auto features = scaler(x);
        auto result = scale_out(std::span<const Scalar, scale_out_features_count>(features));
        detail::apply_selu(std::span(result));
        return result;
    }

    /// Predicted seconds at scale-out x; may be zero or negative, since the output is a SELU.
    [[nodiscard]] Scalar operator()(head_start<Scalar, D> sum, Scalar x) const noexcept {
        const auto scale_out_code = code(x);
        for (size_t i = 0; i < D.scale_out_code; ++i)
            for (size_t o = 0; o < D.head_hidden; ++o)
                sum[o] += scale_out_weights[i * D.head_hidden + o] * scale_out_code[i];
        detail::apply_selu(std::span(sum));
        return detail::selu(head_second(std::span<const Scalar, D.head_hidden>(sum))[0]);
    }
};

/// The property encoder (g): maps an encoded property to its code; shared by all properties. Never allocates.
template <std::floating_point Scalar, dimensions D>
struct property_encoder {
    two_layers<Scalar, D.encoding, D.encoder_hidden, D.code, false> layers;

    [[nodiscard]] std::array<Scalar, D.code> operator()(std::span<const Scalar, D.encoding> encoded) const noexcept {
        auto code = layers(encoded);
        detail::apply_selu(std::span(code));
        return code;
    }
};

/// sum += W code, with the weights of one code, input by input.
template <std::floating_point Scalar, dimensions D>
void add_code(head_start<Scalar, D>& sum, std::span<const Scalar, D.code * D.head_hidden> weights,
              const std::array<Scalar, D.code>& code) noexcept {
    for (size_t i = 0; i < D.code; ++i)
        for (size_t o = 0; o < D.head_hidden; ++o) sum[o] += weights[i * D.head_hidden + o] * code[i];
}

/// The whole network as a plain value. Copying allocates (the weights of the codes), the forward pass does not.
///
/// The head (z) reads [scale-out code | essential codes in order | mean of the optional codes]; it is stored in parts, so
/// that a context can be folded. Initially all parameters are zero.
template <std::floating_point Scalar = float, dimensions D = dimensions{}>
class network {
public:
    using code = std::array<Scalar, D.code>;
    using start = head_start<Scalar, D>;
    static constexpr size_t weights_per_code = D.code * D.head_hidden;

    runtime_network<Scalar, D> runtime;   // f and z, but for what a context contributes to z
    property_encoder<Scalar, D> encoder;  // g
    two_layers<Scalar, D.code, D.encoder_hidden, D.encoding, false> decoder;  // h, before its tanh
    start head_bias{};

    explicit network(size_t essential_count) : code_weights_((essential_count + 1) * weights_per_code) {}

    [[nodiscard]] size_t essential_count() const noexcept { return code_weights_.size() / weights_per_code - 1; }

    /// Number of parameters; 1,177 for 5 essential properties and the default dimensions.
    [[nodiscard]] static constexpr size_t parameter_count(size_t essential_count) noexcept {
        constexpr auto scale_out =
            (scale_out_features_count + 1) * D.scale_out_hidden + (D.scale_out_hidden + 1) * D.scale_out_code;
        constexpr auto encoder_and_decoder = 2 * (D.encoding + D.code) * D.encoder_hidden;
        const auto head_inputs = D.scale_out_code + (essential_count + 1) * D.code;
        return scale_out + encoder_and_decoder + (head_inputs + 1) * D.head_hidden + D.head_hidden + 1;
    }

    /// Weights from a code into the head's first layer; `position` essential_count() is the mean of the optional codes.
    [[nodiscard]] std::span<const Scalar, weights_per_code> code_weights(size_t position) const noexcept {
        return std::span<const Scalar, weights_per_code>(code_weights_.data() + position * weights_per_code,
                                                         weights_per_code);
    }

    /// The head's start for a context of essential codes, in order, and any number of optional ones.
    /// Precondition: essential.size() == essential_count().
    [[nodiscard]] start fold(std::span<const code> essential, std::span<const code> optional) const noexcept {
        start sum = head_bias;
        for (size_t i = 0; i < essential.size(); ++i) add_code<Scalar, D>(sum, code_weights(i), essential[i]);
        if (!optional.empty()) {
            code mean{};
            for (const auto& optional_code : optional)
                for (size_t i = 0; i < mean.size(); ++i) mean[i] += optional_code[i] / static_cast<Scalar>(optional.size());
            add_code<Scalar, D>(sum, code_weights(essential.size()), mean);
        }
        return sum;
    }

    /// Calls visit(span of parameters, inputs of the layer) for every block of weights and visit(span, 0) for biases, in
    /// the order scale-out network, encoder, decoder, head. `self` is a network, const or not.
    static void for_each_block(auto& self, auto&& visit) {
        const size_t head_inputs = D.scale_out_code + self.code_weights_.size() / D.head_hidden;
        self.runtime.scale_out.for_each_block(self.runtime.scale_out, visit);
        self.encoder.layers.for_each_block(self.encoder.layers, visit);
        self.decoder.for_each_block(self.decoder, visit);
        visit(std::span(self.runtime.scale_out_weights), head_inputs);
        visit(std::span(self.code_weights_), head_inputs);
        visit(std::span(self.head_bias), size_t{0});
        self.runtime.head_second.for_each_block(self.runtime.head_second, visit);
    }

    /// All parameters in the order of `for_each_block`. Allocates the vector.
    [[nodiscard]] std::vector<Scalar> parameters() const {
        std::vector<Scalar> flat;
        flat.reserve(parameter_count(essential_count()));
        for_each_block(*this, [&](auto block, size_t) { flat.insert(flat.end(), block.begin(), block.end()); });
        return flat;
    }

    /// Precondition: flat.size() == parameter_count(essential_count()).
    void set_parameters(std::span<const Scalar> flat) noexcept {
        size_t next = 0;
        for_each_block(*this, [&](auto block, size_t) {
            for (Scalar& parameter : block) parameter = flat[next++];
        });
    }

private:
    std::vector<Scalar> code_weights_;  // of the head's first layer, code by code: see `code_weights`
};

}}  // namespace bellamy::BELLAMY_ABI

#endif
