// Small networks and what they answer, computed property by property with the public parts only.
#ifndef BELLAMY_TESTS_SUPPORT_NETWORKS_HPP
#define BELLAMY_TESTS_SUPPORT_NETWORKS_HPP

#include <bellamy/detail/network/parameters.hpp>
#include <bellamy/network.hpp>

#include <vector>

namespace support {

/// Random weights and, unlike a fresh network, random biases too.
template <class Scalar, bellamy::dimensions D = bellamy::dimensions{}>
[[nodiscard]] bellamy::network<Scalar, D> random_network(std::size_t essential_count, std::uint64_t seed) {
    bellamy::detail::random_generator random(seed);
    bellamy::network<Scalar, D> result(essential_count);
    auto parameters = result.parameters();
    for (Scalar& each : parameters) each = static_cast<Scalar>(0.4 * random.normal());
    result.set_parameters(parameters);
    result.runtime.scaler = bellamy::min_max_scaler<Scalar>::of(std::vector{2, 4, 12});
    return result;
}

template <class Scalar, bellamy::dimensions D>
[[nodiscard]] std::vector<typename bellamy::network<Scalar, D>::code> codes_of(const bellamy::network<Scalar, D>& source,
                                                                               const std::vector<bellamy::property>& list,
                                                                               int scale_out) {
    std::vector<typename bellamy::network<Scalar, D>::code> codes;
    for (const auto& each : list) {
        std::array<Scalar, D.encoding> encoded{};
        bellamy::encode(each, scale_out, std::span(encoded));
        codes.push_back(source.encoder(encoded));
    }
    return codes;
}

/// Seconds that the network predicts for a context at a scale-out.
template <class Scalar, bellamy::dimensions D>
[[nodiscard]] Scalar predict(const bellamy::network<Scalar, D>& source, const bellamy::context& subject, int scale_out) {
    const auto start =
        source.fold(codes_of(source, subject.essential, scale_out), codes_of(source, subject.optional, scale_out));
    return source.runtime(start, static_cast<Scalar>(scale_out));
}

}  // namespace support

#endif
