// Shows what is in a model file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/detail/base/file.hpp>
#include <bellamy/detail/models/blend_kind.hpp>
#include <bellamy/limits.hpp>
#include <bellamy/serialize.hpp>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../support/json_record.hpp"
#include "../../support/model_record.hpp"
#include "../../support/model_text.hpp"
#include "../../support/printable.hpp"
#include "../../support/program.hpp"
#include "../command.hpp"

namespace {

void print_basis(const bellamy::training_basis& basis) {
    fmt::print("algorithm    {}\n", basis.algorithm.empty() ? "not named" : tools::printable(basis.algorithm));
    // Without a history of its own, the ranges are those of the runs that it is conditioned on.
    const auto source = basis.runs == 0 ? "other jobs" : fmt::format("{} runs in {} contexts", basis.runs, basis.contexts);
    fmt::print("learned from {}, scale-outs {} to {}, {:.4g} to {:.4g} s\n", source, basis.seen_scale_outs.smallest,
               basis.seen_scale_outs.largest, basis.shortest_runtime_s, basis.longest_runtime_s);
    if (!basis.date.empty()) fmt::print("date         {}\n", tools::printable(basis.date));
}

void print_properties(const char* title, const std::vector<bellamy::property_definition>& properties,
                      std::string_view unit) {
    fmt::print("\n{} properties: {}\n", title, properties.size());
    for (const auto& each : properties) {
        auto line = fmt::format("  {:<22}{:<16}", tools::printable(each.name), to_string(each.kind));
        if (each.role != bellamy::property_role::none) line += fmt::format("{:<18}", to_string(each.role));
        if (each.scales_with_scale_out) line += fmt::format("per {}", unit);
        line.erase(line.find_last_not_of(' ') + 1);
        fmt::print("{}\n", line);
    }
}

// A number's range or the texts of a property, as the model keeps them; empty where it keeps none.
[[nodiscard]] std::string known_values(const bellamy::detail::feature_map& features, const std::string& property) {
    for (const auto& each : features.known)
        if (each.property == property && each.numbers_per_value == 0)
            return fmt::format("{}", fmt::join(each.values, each.values.size() > 8 ? "; " : ", "));
    std::vector<std::string> ranges;
    for (const auto& each : features.columns) {
        if (each.property != property || each.source == bellamy::detail::feature_source::category) continue;
        const auto shown = [&](double value) { return fmt::format("{:.6g}", each.logarithm ? std::exp(value) : value); };
        ranges.push_back(shown(each.lowest) == shown(each.highest)
                             ? shown(each.lowest)
                             : fmt::format("{} to {}", shown(each.lowest), shown(each.highest)));
    }
    return fmt::format("{}", fmt::join(ranges, " | "));
}

[[nodiscard]] std::string values_of(const bellamy::model& of, const std::string& property) {
    const auto* features = bellamy::detail::features_of(of);
    return features == nullptr ? std::string() : known_values(*features, property);
}

// A property that had one value everywhere distinguishes nothing, and is not kept.
void print_values(const bellamy::model& of) {
    std::string lines;
    for (const auto* list : {&of.schema().essential, &of.schema().optional})
        for (const auto& property : *list)
            if (const auto values = values_of(of, property.name); !values.empty())
                lines += fmt::format("  {:<22}{}\n", tools::printable(property.name), tools::printable(values));
    if (!lines.empty()) fmt::print("\nvalues in the history (others are extrapolated)\n{}", lines);
}

[[nodiscard]] nlohmann::ordered_json as_json(const std::vector<bellamy::property_definition>& properties,
                                             const bellamy::model& of) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& property : properties)
        all.push_back({{"name", property.name},
                       {"kind", to_string(property.kind)},
                       {"role", to_string(property.role)},
                       {"scales_with_scale_out", property.scales_with_scale_out},
                       {"values", values_of(of, property.name)}});
    return all;
}

void print_inspect_json(const std::string& path, std::size_t bytes, const bellamy::model& model) {
    tools::print_record("inspect", {{"file", path},
                                    {"bytes", bytes},
                                    {"model", tools::to_json(model)},
                                    {"observed_runs", model.basis().observed_runs},
                                    {"unit", to_string(model.schema().unit)},
                                    {"essential", as_json(model.schema().essential, model)},
                                    {"optional", as_json(model.schema().optional, model)}});
}

int run_inspect(const std::string& path, bool json) {
    // Not asked for its size again: a pipe has none.
    const auto bytes = tools::loaded(bellamy::detail::read_file(path, bellamy::largest_model_bytes), path);
    const auto model = tools::loaded(bellamy::from_bytes(std::span(bytes)), path);
    if (json) {
        print_inspect_json(path, bytes.size(), model);
        return 0;
    }
    const auto& schema = model.schema();
    fmt::print("file         {}, {} bytes\n", tools::printable(path), bytes.size());
    fmt::print("id           {}\n", bellamy::model_id(model));
    print_basis(model.basis());
    if (const auto runs = model.basis().observed_runs; runs > 0)
        fmt::print(
            "observed     {} {}\n", tools::count(runs, "run"),
            model.kind() == bellamy::model_kind::network ? "of this job, fine-tuned on" : "of this job, conditioned on");
    fmt::print("scale-out    counts {}s\n", to_string(schema.unit));
    fmt::print("method       {}\n", tools::describe(model));
    print_properties("essential", schema.essential, to_string(schema.unit));
    print_properties("optional", schema.optional, to_string(schema.unit));
    print_values(model);
    return 0;
}

}  // namespace

tools::command_body tools::declare_inspect(CLI::App& app) {
    app.description("Shows what is in a model file: what it was learned from, its properties and the values that it knows.");
    struct inspect_options {
        std::string path;
        bool json = false;
    };
    const auto given = std::make_shared<inspect_options>();
    app.add_option("MODEL", given->path, "Model file, as written by bellamy pretrain")->required();
    app.add_flag("--json", given->json, "Print it as one line of JSON");
    return [given] { return run_inspect(given->path, given->json); };
}
