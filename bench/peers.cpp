// What peers.py calls: our kernels and plain Eigen on the same network and inputs, timed where no interpreter stands
// between.
#include <bellamy/detail/base/eigen.hpp>
#include <bellamy/detail/network/network_curve.hpp>

#include "support/clock.hpp"
#include "support/encoded_batch.hpp"
#include "support/made_up.hpp"

namespace {

using namespace bellamy;
using matrix = Eigen::MatrixXf;
using vector = Eigen::VectorXf;

enum class task : int { curve = 0, batch = 1 };

[[nodiscard]] const network<>& source() {
    static const network<> result = bench::made_up_network();
    return result;
}

[[nodiscard]] network<>::start folded() {
    std::array<std::vector<network<>::code>, 2> codes;
    const auto job = bench::context_number(40, false);
    for (const bool optional : {false, true}) {
        for (const auto& each : optional ? job.optional : job.essential) {
            std::array<float, 40> encoded{};
            encode(each, 1, std::span(encoded));
            codes[optional ? 1 : 0].push_back(source().encoder(encoded));
        }
    }
    return source().fold(codes[0], codes[1]);
}

[[nodiscard]] float scale_out_number(task what, int i) {
    return static_cast<float>(what == task::curve ? 1 + i : 1 + i % 12);
}

/// The network as one writes it first with Eigen: samples in columns, whole matrices.
class plain_eigen {
public:
    plain_eigen() {
        const auto& from = source();
        scale_out_first_ = weights(from.runtime.scale_out.first.weights, 16);
        scale_out_second_ = weights(from.runtime.scale_out.second.weights, 8);
        encoder_first_ = weights(from.encoder.layers.first.weights, 8);
        encoder_second_ = weights(from.encoder.layers.second.weights, 4);
        head_first_ = matrix(8, 32);
        head_first_.leftCols(8) = weights(from.runtime.scale_out_weights, 8);
        for (std::size_t i = 0; i < 6; ++i)
            head_first_.middleCols(static_cast<Eigen::Index>(8 + 4 * i), 4) = weights(from.code_weights(i), 8);
        head_second_ = weights(from.runtime.head_second.weights, 1);
        scale_out_first_bias_ = bias(from.runtime.scale_out.first.bias);
        scale_out_second_bias_ = bias(from.runtime.scale_out.second.bias);
        head_bias_ = bias(from.head_bias);
        folded_ = bias(folded());
        output_bias_ = from.runtime.head_second.bias[0];
    }

    void curve(const matrix& features, float* out) const {
        const matrix code = scale_out_code(features);
        finish((head_first_.leftCols(8) * code).colwise() + folded_, out);
    }
    void batch(const float* encoded, const matrix& features, float* out) const {
        const auto count = features.cols();
        const Eigen::Map<const matrix> all(encoded, 40, 8 * count);
        const matrix codes = selu(encoder_second_ * selu(encoder_first_ * all));
        matrix inputs(32, count);
        inputs.topRows(8) = scale_out_code(features);
        for (Eigen::Index i = 0; i < count; ++i) {
            for (Eigen::Index p = 0; p < 5; ++p) inputs.col(i).segment<4>(8 + 4 * p) = codes.col(8 * i + p);
            inputs.col(i).tail<4>() = (codes.col(8 * i + 5) + codes.col(8 * i + 6) + codes.col(8 * i + 7)) / 3.0F;
        }
        finish((head_first_ * inputs).colwise() + head_bias_, out);
    }

private:
    template <class Range>
    [[nodiscard]] static matrix weights(const Range& from, Eigen::Index rows) {
        return Eigen::Map<const matrix>(from.data(), rows, static_cast<Eigen::Index>(from.size()) / rows);
    }
    template <class Range>
    [[nodiscard]] static vector bias(const Range& from) {
        return Eigen::Map<const vector>(from.data(), static_cast<Eigen::Index>(from.size()));
    }
    [[nodiscard]] static matrix selu(const matrix& z) {
        const auto scale = static_cast<float>(detail::selu_scale);
        const auto saturation = static_cast<float>(detail::selu_saturation);
        return (scale * z.array().max(0.0F) + saturation * (z.array().min(0.0F).exp() - 1.0F)).matrix();
    }
    [[nodiscard]] matrix scale_out_code(const matrix& features) const {
        const matrix hidden = selu((scale_out_first_ * features).colwise() + scale_out_first_bias_);
        return selu((scale_out_second_ * hidden).colwise() + scale_out_second_bias_);
    }
    void finish(const matrix& head, float* out) const {
        const matrix sums = (head_second_ * selu(head)).array() + output_bias_;
        Eigen::Map<matrix>(out, 1, head.cols()) = selu(sums);
    }

    matrix scale_out_first_, scale_out_second_, encoder_first_, encoder_second_, head_first_, head_second_;
    vector scale_out_first_bias_, scale_out_second_bias_, head_bias_, folded_;
    float output_bias_ = 0;
};

struct inputs {
    std::vector<float> encoded;
    std::vector<float> scale_outs;
    matrix features;

    inputs(task what, int count) : features(3, count) {
        if (what == task::batch) encoded = bench::encoded_contexts(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            scale_outs.push_back(scale_out_number(what, i));
            const auto of_x = source().runtime.scaler(scale_outs.back());
            for (int k = 0; k < 3; ++k) features(k, i) = of_x[static_cast<std::size_t>(k)];
        }
    }
};

template <class Run>
[[nodiscard]] double ns_per_item(int count, int repeats, Run run) {
    run();
    const double begin = bench::now_ns();
    for (int i = 0; i < repeats; ++i) run();
    return (bench::now_ns() - begin) / repeats / count;
}

}  // namespace

// All return nanoseconds of CPU time per item and write `count` predictions.
extern "C" {

int peers_parameter_count() { return static_cast<int>(network<>::parameter_count(5)); }
void peers_parameters(float* flat, float* folded_start) {
    const auto all = source().parameters();
    std::copy(all.begin(), all.end(), flat);
    const auto start = folded();
    std::copy(start.begin(), start.end(), folded_start);
}
void peers_inputs(int what, int count, float* encoded, float* features) {
    const inputs all(static_cast<task>(what), count);
    std::copy(all.encoded.begin(), all.encoded.end(), encoded);
    std::copy_n(all.features.data(), 3 * count, features);
}
double peers_ours(int what, int count, int repeats, float* out) {
    const inputs all(static_cast<task>(what), count);
    const std::span found(out, static_cast<std::size_t>(count));
    const auto run_and_keep = [&](const auto& run) {
        return ns_per_item(count, repeats, [&] {
            run();
            bench::keep(*out);
        });
    };
    if (static_cast<task>(what) == task::curve) {
        const detail::network_curve runtimes(source(), bench::context_number(40, false));
        if (count == 1) return run_and_keep([&] { *out = runtimes(1); });
        return run_and_keep([&] { runtimes(1, found); });
    }
    const detail::prepared_network prepared(source());
    return run_and_keep(
        [&] { bench::predict_encoded(prepared, all.encoded.data(), 3, all.scale_outs.data(), out, found.size()); });
}
/// Every text as 40 numbers.
double peers_encode_text(const char* const* texts, int count, int repeats, float* out) {
    const std::vector<std::string_view> given(texts, texts + count);
    return ns_per_item(count, repeats, [&] {
        float* to = out;
        for (const auto each : given) {
            encode_text(each, std::span<float, 40>(to, 40));
            to += 40;
        }
        bench::keep(*out);
    });
}
double peers_eigen(int what, int count, int repeats, float* out) {
    const inputs all(static_cast<task>(what), count);
    static const plain_eigen network;
    return ns_per_item(count, repeats, [&] {
        if (static_cast<task>(what) == task::curve) {
            network.curve(all.features, out);
        } else {
            network.batch(all.encoded.data(), all.features, out);
        }
        bench::keep(*out);
    });
}

}  // extern "C"
