// Writes a made-up network of the published shape twice: as a model of ours, and as an ONNX graph of what is left of it once
// one context is folded, from features of scale-outs to seconds.
#include <bellamy/serialize.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>

#include "support/made_up.hpp"

namespace {

using namespace bellamy;

/// One message of protocol buffers.
class message {
public:
    message& number(unsigned field, std::uint64_t value) {
        variable(field << 3U);
        variable(value);
        return *this;
    }
    message& text(unsigned field, std::string_view value) {
        variable(field << 3U | 2U);
        variable(value.size());
        bytes_ += value;
        return *this;
    }
    message& nested(unsigned field, const message& value) { return text(field, value.bytes_); }
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    void variable(std::uint64_t value) {
        for (; value >= 128; value >>= 7U) bytes_ += static_cast<char>(value % 128 + 128);
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

/// Field numbers are those of onnx.proto; 1 is the type of 32-bit floating-point numbers.
class onnx_graph {
public:
    void layer(const std::string& name, std::span<const float> weights, std::span<const float> bias) {
        constant(name + ".weights", weights, {weights.size() / bias.size(), bias.size()});
        constant(name + ".bias", bias, {bias.size()});
        graph_.nested(1, message()
                             .text(1, last_)
                             .text(1, name + ".weights")
                             .text(1, name + ".bias")
                             .text(2, name + ".sums")
                             .text(4, "Gemm"));
        graph_.nested(1, message().text(1, name + ".sums").text(2, name).text(4, "Selu"));
        last_ = name;
    }
    [[nodiscard]] std::string model(std::size_t inputs, std::size_t outputs) {
        graph_.text(2, "folded").nested(11, value("features", inputs)).nested(12, value(last_, outputs));
        return message().number(1, 7).nested(7, graph_).nested(8, message().number(2, 13)).bytes();
    }

private:
    void constant(const std::string& name, std::span<const float> values, const std::vector<std::size_t>& dimensions) {
        message made;
        for (const auto size : dimensions) made.number(1, size);
        made.number(2, 1).text(8, name);
        made.text(9, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
        graph_.nested(5, made);
    }
    [[nodiscard]] static message value(const std::string& name, std::size_t columns) {
        const auto shape = message().nested(1, message().text(2, "count")).nested(1, message().number(1, columns));
        return message().text(1, name).nested(2, message().nested(1, message().number(1, 1).nested(2, shape)));
    }

    message graph_;
    std::string last_ = "features";
};

void write(const std::string& folder) {
    const auto network = bench::made_up_network();
    const auto job = bench::context_number(40, false);
    std::array<std::vector<bellamy::network<>::code>, 2> codes;
    for (const bool optional : {false, true}) {
        for (const auto& each : optional ? job.optional : job.essential) {
            std::array<float, 40> encoded{};
            encode(each, 1, std::span(encoded));
            codes[optional ? 1 : 0].push_back(network.encoder(encoded));
        }
    }
    const auto& runtime = network.runtime;
    onnx_graph graph;
    graph.layer("scale_out.0", runtime.scale_out.first.weights, runtime.scale_out.first.bias);
    graph.layer("scale_out.1", runtime.scale_out.second.weights, runtime.scale_out.second.bias);
    graph.layer("head.0", runtime.scale_out_weights, network.fold(codes[0], codes[1]));
    graph.layer("runtime_s", runtime.head_second.weights, runtime.head_second.bias);
    std::ofstream(folder + "/folded.onnx", std::ios::binary) << graph.model(3, 1);

    std::ofstream features(folder + "/features.bin", std::ios::binary);
    for (int x = 1; x <= 1024; ++x) {
        const auto numbers = runtime.scaler(static_cast<float>(x));
        features.write(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
    }
    const run example{.context = job, .scale_out = 2, .runtime_s = 1};
    const model ours(schema_of(std::span(&example, 1)).value(),
                     {.algorithm = "made-up", .runs = 1, .contexts = 1, .seen_scale_outs = {.smallest = 2, .largest = 12}},
                     network);
    save(ours, folder + "/network.bellamy").value();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        write(argc > 1 ? argv[1] : ".");
    } catch (const std::exception& failed) {
        std::fprintf(stderr, "%s\n", failed.what());
        return 1;
    }
}
