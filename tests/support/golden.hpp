// Golden files: numbers from an independent implementation.
#ifndef BELLAMY_TESTS_SUPPORT_GOLDEN_HPP
#define BELLAMY_TESTS_SUPPORT_GOLDEN_HPP

#include <bellamy/network.hpp>

#include "numbered.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace support {

using json = nlohmann::json;

[[nodiscard]] inline std::ifstream open_golden(const std::string& name) {
    std::ifstream in(std::string(BELLAMY_GOLDEN_DIR "/") + name);
    if (!in) throw std::runtime_error("cannot read golden file " + name);
    return in;
}

[[nodiscard]] inline json golden(const std::string& name) {
    auto in = open_golden(name);
    return json::parse(in);
}

[[nodiscard]] inline std::vector<double> numbers(const json& list) { return list.get<std::vector<double>>(); }

using table_row = std::map<std::string, std::string>;

/// Rows of a comma-separated file without quotes, by column name.
[[nodiscard]] inline std::vector<table_row> golden_table(const std::string& name) {
    const auto split = [](const std::string& line) {
        std::vector<std::string> cells;
        std::istringstream rest(line);
        for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
        return cells;
    };
    auto in = open_golden(name);
    std::string line;
    std::getline(in, line);
    const auto names = split(line);
    std::vector<table_row> rows;
    while (std::getline(in, line)) {
        const auto cells = split(line);
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < cells.size(); ++i) row[names.at(i)] = cells[i];
    }
    return rows;
}

/// The layers of a golden file, whose weights are [out][in], in the order of network::parameters, which is [in][out].
template <class Scalar>
[[nodiscard]] std::vector<Scalar> flat_layers(const json& layers) {
    std::vector<Scalar> flat;
    for (const std::string layer :
         {"scale_out.0", "scale_out.1", "encoder.0", "encoder.1", "decoder.0", "decoder.1", "head.0", "head.1"}) {
        const auto weights = layers.at(layer + ".weight").get<std::vector<std::vector<Scalar>>>();
        for (std::size_t in = 0; in < weights.front().size(); ++in)
            for (const auto& row : weights) flat.push_back(row[in]);
        if (layers.contains(layer + ".bias"))
            for (const Scalar each : layers.at(layer + ".bias").get<std::vector<Scalar>>()) flat.push_back(each);
    }
    return flat;
}

/// The network of a golden file with "parameters", "scale_out_minimum" and "scale_out_span".
template <class Scalar>
[[nodiscard]] bellamy::network<Scalar> golden_network(const json& file) {
    bellamy::network<Scalar> result(5);
    const auto flat = flat_layers<Scalar>(file.at("parameters"));
    if (flat.size() != result.parameter_count(5)) throw std::runtime_error("unexpected number of golden parameters");
    result.set_parameters(flat);
    file.at("scale_out_minimum").get_to(result.runtime.scaler.minimum);
    file.at("scale_out_span").get_to(result.runtime.scaler.span);
    return result;
}

/// Five essential properties, then the optional ones; numbers are natural numbers, held fixed.
[[nodiscard]] inline bellamy::context golden_context(const json& values) {
    bellamy::context result;
    for (const auto& value : values) {
        const std::size_t position = result.essential.size() + result.optional.size();
        auto name = numbered("property_", position);
        (position < 5 ? result.essential : result.optional)
            .push_back(value.is_number() ? bellamy::natural(std::move(name), value.get<std::uint64_t>())
                                         : bellamy::text(std::move(name), value.get<std::string>()));
    }
    return result;
}

[[nodiscard]] inline json all_properties(const json& context) {
    json all = context.at("essential");
    all.insert(all.end(), context.at("optional").begin(), context.at("optional").end());
    return all;
}

}  // namespace support

#endif
