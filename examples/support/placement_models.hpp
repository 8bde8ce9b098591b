// A job of the program place whose runtimes a model predicts.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_MODELS_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_MODELS_HPP

#include <bellamy/model.hpp>
#include <bellamy/placement/choose_variants.hpp>
#include <bellamy/serialize.hpp>

#include <filesystem>
#include <numeric>

#include "machines.hpp"
#include "model_text.hpp"
#include "placement_json.hpp"

namespace tools {

namespace detail {

/// As on the command line: null is a value that is not known.
[[nodiscard]] inline property_values properties_of(const std::string& where, const json& object) {
    const auto at = object.find("properties");
    if (at == object.end() || !at->is_object()) refuse_json(where, "an object \"properties\"", object);
    property_values values;
    for (const auto& [name, value] : at->items()) {
        if (!value.is_null() && !value.is_string() && !value.is_number())
            refuse_json(where, fmt::format("a text, a number or null as property \"{}\"", name), value);
        auto& found = values[name];
        if (!value.is_null()) found = value.is_string() ? value.get<std::string>() : value.dump();
    }
    return values;
}

/// Those that are given, else all that the model has seen.
[[nodiscard]] inline std::vector<int> scale_outs_of(const std::string& where, const json& object,
                                                    const bellamy::model& general) {
    if (!object.contains("scale_outs")) {
        const auto seen = general.basis().seen_scale_outs;
        std::vector<int> all(static_cast<std::size_t>(seen.largest - seen.smallest) + 1);
        std::iota(all.begin(), all.end(), seen.smallest);
        return all;
    }
    std::vector<int> all;
    for (const auto& each : filled_list(where, object, "scale_outs")) {
        if (!each.is_number_integer()) refuse_json(where, "whole numbers as scale_outs", each);
        all.push_back(static_cast<int>(std::clamp<std::int64_t>(each.get<std::int64_t>(), 0, 1'000'000'000)));
        bellamy::validate_scale_out(all.back()).value();
    }
    return all;
}

}  // namespace detail

/// The file of a job's model, whose path is relative to the folder. Error: cannot_read.
[[nodiscard]] inline std::string model_file_of(const std::string& where, const detail::json& object,
                                               const std::filesystem::path& folder) {
    const auto& path = object.at("model");
    if (!path.is_string()) detail::refuse_json(where, "the path of a file as \"model\"", path);
    return (folder / path.get<std::string>()).string();
}

/// A variant for every scale-out, of as many tasks in the job's shape, with the runtime that the model in the file predicts.
/// Errors: cannot_read, those of `load`, `to_context`, `bind` and job_graph::make.
[[nodiscard]] inline std::vector<bellamy::placement::variant> variants_of_model(const std::string& where,
                                                                                const detail::json& object,
                                                                                const std::string& file) {
    if (!object.contains("shape")) detail::refuse_json(where, "a \"shape\" beside the model", object);
    const auto general = loaded(bellamy::load(file), file);
    const auto curve = general.bind(to_context(general.schema(), detail::properties_of(where, object))).value();
    std::vector<bellamy::placement::variant> made;
    for (const int x : detail::scale_outs_of(where, object, general))
        made.push_back({.scale_out = x, .graph = detail::graph(where, object, x), .runtime = curve.at(x)});
    return made;
}

}  // namespace tools

#endif
