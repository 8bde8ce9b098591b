// A network's parameters as the kernels read them: plain arrays, the same for all sets of instructions.
//
// Every layer works on y = z * log2(e), so that SELU(z) = scale * ln 2 * g(y) with g(y) = max(y, 0) + k * (2^min(y, 0) - 1)
// and k = alpha * log2(e). The factors go into the weights of the next layer, which leaves max, min and one power of two.
// Adding k to the next layer's bias instead of subtracting it here would save an addition, and cost small values two of
// their digits.
#ifndef BELLAMY_DETAIL_NETWORK_PREPARED_NETWORK_HPP
#define BELLAMY_DETAIL_NETWORK_PREPARED_NETWORK_HPP

#include <bellamy/network.hpp>

#include <numbers>

namespace bellamy { inline namespace BELLAMY_ABI { namespace detail {

/// The kernels are written for the published network.
inline constexpr dimensions kernel_dimensions{};

/// k as float: the activation's polynomials have this very constant term, so that g(y) = y holds exactly for y >= 0.
inline constexpr float selu_kernel_constant = 2.41400862F;

/// The start of the head: pre-activations of its first layer, in kernel form, without the scale-out's part. Its bias plus
/// the contributions of a context's codes.
struct head_sums {
    std::array<float, kernel_dimensions.head_hidden> values{};
};

/// Parameters of the scale-out network and the head, in kernel form.
struct prepared_runtime {
    static constexpr size_t hidden = kernel_dimensions.scale_out_hidden;
    static constexpr size_t code = kernel_dimensions.scale_out_code;
    static constexpr size_t head = kernel_dimensions.head_hidden;

    std::array<float, scale_out_features_count * hidden> first_weights{};  // feature by feature
    std::array<float, hidden> first_bias{};
    std::array<float, hidden * code> second_weights{};  // input by input
    std::array<float, code> second_bias{};
    std::array<float, code * head> head_weights{};  // input by input
    std::array<float, head> output_weights{};
    float output_bias = 0;
    float output_scale = 0;
    // The features of x, all but their division by the span, which is in the weights. Differences are taken before anything
    // is rounded: 1/(x + 1e-6) - least = (1 - least * x - least * 1e-6) / (x + 1e-6), and ln x from x / reference.
    float least_reciprocal = 0;
    float least_reciprocal_offset = 0;
    float log_reference = 1;
    float inverse_log_reference = 1;
    float least_scale_out = 0;
};

/// Parameters of the property encoder, in kernel form.
struct prepared_encoder {
    static constexpr size_t inputs = kernel_dimensions.encoding;
    static constexpr size_t hidden = kernel_dimensions.encoder_hidden;
    static constexpr size_t code = kernel_dimensions.code;

    std::array<float, inputs * hidden> first{};  // input by input
    // For i = 0..3: the weights of hidden value i, then those of value i + 4, twice over.
    std::array<float, 2 * hidden * code> second{};
};

/// A network's parameters in kernel form. Allocates in its constructor only; about 5 KB.
class prepared_network {
public:
    static constexpr size_t weights_per_code = network<>::weights_per_code;
    struct code_weights {
        alignas(64) std::array<float, weights_per_code> values{};  // input by input
    };

    // Aligned here, where they stay, and not as types: a curve holds them too, and over-aligned values are awkward to pass.
    alignas(64) prepared_runtime runtime;
    alignas(64) prepared_encoder encoder;
    head_sums head_bias;

    explicit prepared_network(const network<>& source);

    size_t essential_count() const noexcept { return codes_.size() - 1; }
    /// Weights from a code into the head; `position` essential_count() is the mean of the optional codes.
    const code_weights& weights_of(size_t position) const noexcept { return codes_[position]; }

private:
    std::vector<code_weights> codes_;  // of the essential codes in order, then of the optional ones' mean
};

/// Questions that are predicted together.
inline constexpr size_t batch_block = 16;

/// One question: the codes of the essential properties, then of the optional ones, in kernel form.
struct coded_question {
    const float* codes = nullptr;
    size_t optional_count = 0;
    float scale_out = 1;
};

inline constexpr double log2_e = std::numbers::log2e;

/// scaled = factor * values, rounded once.
inline void scale(std::span<const float> values, double factor, std::span<float> scaled) noexcept {
    std::transform(values.begin(), values.end(), scaled.begin(),
                   [=](float value) { return static_cast<float>(static_cast<double>(value) * factor); });
}

/// Kernel form of the scale-out network and the last layer.
inline prepared_runtime prepare(const runtime_network<float, kernel_dimensions>& source) noexcept {
    prepared_runtime result;
    const auto& scaler = source.scaler;
    const auto minimum = [&](size_t i) { return static_cast<double>(scaler.minimum[i]); };
    result.least_reciprocal = scaler.minimum[0];
    result.least_reciprocal_offset = static_cast<float>(minimum(0) * 1e-6);
    // Any reference near the smallest scale-out will do: the difference of the logarithms is added to the bias.
    result.log_reference = static_cast<float>(std::exp(minimum(1)));
    result.inverse_log_reference = 1 / result.log_reference;
    result.least_scale_out = scaler.minimum[2];
    const double log_offset = std::log(static_cast<double>(result.log_reference)) - minimum(1);

    std::array<double, prepared_runtime::hidden> first_bias{};
    for (size_t o = 0; o < first_bias.size(); ++o)
        first_bias[o] = static_cast<double>(source.scale_out.first.bias[o]) * log2_e;
    for (size_t k = 0; k < scale_out_features_count; ++k) {
        for (size_t o = 0; o < prepared_runtime::hidden; ++o) {
            const auto index = k * prepared_runtime::hidden + o;
            const double weight = static_cast<double>(source.scale_out.first.weights[index]) * log2_e;
            const double per_unit = weight / static_cast<double>(scaler.span[k]);
            result.first_weights[index] = static_cast<float>(per_unit);
            if (k == 1) first_bias[o] += per_unit * log_offset;
        }
    }
    std::transform(first_bias.begin(), first_bias.end(), result.first_bias.begin(),
                   [](double value) { return static_cast<float>(value); });
    scale(source.scale_out.second.weights, selu_scale, result.second_weights);
    scale(source.scale_out.second.bias, log2_e, result.second_bias);
    scale(source.scale_out_weights, selu_scale, result.head_weights);
    scale(source.head_second.weights, selu_scale, result.output_weights);
    scale(source.head_second.bias, log2_e, {&result.output_bias, 1});
    result.output_scale = static_cast<float>(selu_scale * std::numbers::ln2);
    return result;
}

/// Kernel form of the property encoder.
inline prepared_encoder prepare(const property_encoder<float, kernel_dimensions>& source) noexcept {
    prepared_encoder result;
    scale(source.layers.first.weights, log2_e, result.first);
    std::array<float, prepared_encoder::hidden * prepared_encoder::code> second{};
    scale(source.layers.second.weights, selu_scale, second);
    for (size_t lane = 0; lane < 16; ++lane) {
        const size_t upper = (lane / 4) % 2;
        for (size_t i = 0; i < 4; ++i) result.second[i * 16 + lane] = second[(i + 4 * upper) * 4 + lane % 4];
    }
    return result;
}

inline prepared_network::prepared_network(const network<>& source)
    : runtime(prepare(source.runtime)), encoder(prepare(source.encoder)), codes_(source.essential_count() + 1) {
    scale(source.head_bias, log2_e, head_bias.values);
    for (size_t i = 0; i < codes_.size(); ++i) scale(source.code_weights(i), selu_scale, codes_[i].values);
}

}}}  // namespace bellamy::BELLAMY_ABI::detail

#endif
