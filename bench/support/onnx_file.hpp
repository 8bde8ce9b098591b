// A network as an ONNX file, for peers that read such: the tenants' own parameters, without PyTorch to export them.
#ifndef BELLAMY_BENCH_SUPPORT_ONNX_FILE_HPP
#define BELLAMY_BENCH_SUPPORT_ONNX_FILE_HPP

#include <bellamy/network.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// A message of protocol buffers, as far as ONNX needs it.
class protobuf {
public:
    protobuf& number(int field, std::uint64_t value) {
        key(field, 0);
        varint(value);
        return *this;
    }
    protobuf& bytes(int field, std::string_view value) {
        key(field, 2);
        varint(value.size());
        all_ += value;
        return *this;
    }
    protobuf& message(int field, const protobuf& value) { return bytes(field, value.all_); }
    [[nodiscard]] const std::string& str() const noexcept { return all_; }

private:
    void key(int field, unsigned wire) { varint(static_cast<std::uint64_t>(field) << 3U | wire); }
    void varint(std::uint64_t value) {
        for (; value >= 128; value >>= 7U) all_ += static_cast<char>(value % 128 + 128);
        all_ += static_cast<char>(value);
    }
    std::string all_{};
};

/// The graph of a network with three optional properties: `encoded` [contexts, properties, 40] and `features` [contexts,
/// scale-outs, 3] to `runtime_s` [contexts, scale-outs, 1]. The mean of the optional codes is folded into their weights, and
/// a context's part of the head is computed once for all its scale-outs: what somebody who knows the network would export.
class onnx_graph {
public:
    [[nodiscard]] static std::string of(const bellamy::network<>& source) {
        const auto& from = source.runtime;
        const auto& encoder = source.encoder.layers;
        constexpr std::uint64_t optional = 3;
        const std::uint64_t properties = source.essential_count() + optional;
        onnx_graph made;
        made.describe(11, "encoded", {"contexts", "properties", ""}, 40);
        made.describe(11, "features", {"contexts", "scale_outs", ""}, 3);
        made.describe(12, "runtime_s", {"contexts", "scale_outs", ""}, 1);
        made.layer("encoded", "hidden_code", encoder.first.weights, {}, 40);
        made.layer("hidden_code", "codes", encoder.second.weights, {}, 8);
        std::vector<float> head;
        for (std::uint64_t p = 0; p < properties; ++p)
            for (const float each : source.code_weights(std::min<std::size_t>(p, source.essential_count())))
                head.push_back(p < source.essential_count() ? each : each / static_cast<float>(optional));
        const std::array<std::int64_t, 3> flat{-1, 1, static_cast<std::int64_t>(4 * properties)};
        made.tensor("flat", {3}, 7, std::as_bytes(std::span(flat)));
        made.node("Reshape", {"codes", "flat"}, "all_codes");
        made.linear("all_codes", "context", head, source.head_bias, 4 * properties);
        made.layer("features", "hidden_scale_out", from.scale_out.first.weights, from.scale_out.first.bias, 3);
        made.layer("hidden_scale_out", "scale_out", from.scale_out.second.weights, from.scale_out.second.bias, 16);
        made.linear("scale_out", "scale_out_part", from.scale_out_weights, {}, 8);
        made.node("Add", {"scale_out_part", "context"}, "head_sum");
        made.node("Selu", {"head_sum"}, "head");
        made.layer("head", "runtime_s", from.head_second.weights, from.head_second.bias, 8);
        made.graph_.bytes(2, "bellamy");
        return protobuf().number(1, 8).message(7, made.graph_).message(8, protobuf().bytes(1, "").number(2, 13)).str();
    }

private:
    void describe(int field, std::string_view name, std::initializer_list<std::string_view> axes, std::uint64_t last) {
        protobuf shape;
        for (const auto axis : axes) shape.message(1, axis.empty() ? protobuf().number(1, last) : protobuf().bytes(2, axis));
        const auto type = protobuf().message(1, protobuf().number(1, 1).message(2, shape));
        graph_.message(field, protobuf().bytes(1, name).message(2, type));
    }
    void tensor(std::string_view name, std::initializer_list<std::uint64_t> dimensions, std::uint64_t type,
                std::span<const std::byte> values) {
        protobuf made;
        for (const auto each : dimensions) made.number(1, each);
        made.number(2, type).bytes(8, name);
        made.bytes(9, {reinterpret_cast<const char*>(values.data()), values.size()});
        graph_.message(5, made);
    }
    void node(std::string_view operation, std::initializer_list<std::string_view> inputs, std::string_view output) {
        protobuf made;
        for (const auto each : inputs) made.bytes(1, each);
        graph_.message(1, made.bytes(2, output).bytes(4, operation));
    }
    // Weights stand input by input, as ONNX has a matrix on the right.
    void linear(const std::string& input, const std::string& output, std::span<const float> weights,
                std::span<const float> bias, std::uint64_t inputs) {
        tensor(output + ".weights", {inputs, weights.size() / inputs}, 1, std::as_bytes(weights));
        node("MatMul", {input, output + ".weights"}, bias.empty() ? output : output + ".product");
        if (bias.empty()) return;
        tensor(output + ".bias", {bias.size()}, 1, std::as_bytes(bias));
        node("Add", {output + ".product", output + ".bias"}, output);
    }
    void layer(const std::string& input, const std::string& output, std::span<const float> weights,
               std::span<const float> bias, std::uint64_t inputs) {
        linear(input, output + ".sum", weights, bias, inputs);
        node("Selu", {output + ".sum"}, output);
    }
    protobuf graph_{};
};

}  // namespace bench

#endif
