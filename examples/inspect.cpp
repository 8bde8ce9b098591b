// Shows what is in a model file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/detail/base/file.hpp>
#include <bellamy/detail/models/model_access.hpp>
#include <bellamy/limits.hpp>
#include <bellamy/serialize.hpp>

#include <CLI/CLI.hpp>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/model_text.hpp"
#include "support/printable.hpp"
#include "support/program.hpp"

namespace {

void print_basis(const bellamy::training_basis& basis) {
    fmt::print("algorithm   {}\n", basis.algorithm.empty() ? "not named" : tools::printable(basis.algorithm));
    fmt::print("learnt from {} runs in {} contexts, scale-outs {} to {}, {:.4g} to {:.4g} s\n", basis.runs, basis.contexts,
               basis.seen_scale_outs.smallest, basis.seen_scale_outs.largest, basis.shortest_runtime_s,
               basis.longest_runtime_s);
    if (!basis.date.empty()) fmt::print("date        {}\n", tools::printable(basis.date));
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
        if (each.property == property && each.numbers == 0)
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

// A property that had one value everywhere tells nothing apart, and is not kept.
void print_values(const bellamy::model& of) {
    const auto* features = std::visit([](const auto& kind) { return bellamy::detail::features_of(kind); },
                                      bellamy::detail::model_access::kind_of(of));
    if (features == nullptr) return;
    std::string lines;
    for (const auto* list : {&of.schema().essential, &of.schema().optional})
        for (const auto& each : *list)
            if (const auto values = known_values(*features, each.name); !values.empty())
                lines += fmt::format("  {:<22}{}\n", tools::printable(each.name), tools::printable(values));
    if (!lines.empty()) fmt::print("\nvalues known (others are extrapolation, or unlike any seen)\n{}", lines);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Shows what is in a model file.", "inspect");
    std::string path;
    app.add_option("MODEL", path, "Model file, as written by pretrain")->required();
    return tools::run_program(app, argc, argv, [&] {
        // Not asked for its size again: a pipe has none.
        const auto bytes = tools::loaded(bellamy::detail::read_file(path, bellamy::largest_model_bytes), path);
        const auto model = tools::loaded(bellamy::from_bytes(std::span(bytes)), path);
        const auto& schema = model.schema();
        fmt::print("file        {}, {} bytes\n", tools::printable(path), bytes.size());
        fmt::print("id          {}\n", bellamy::model_id(model));
        print_basis(model.basis());
        if (const auto runs = model.basis().observed_runs; runs > 0)
            fmt::print(
                "observed    {}, {}\n", tools::count(runs, "run"),
                model.kind() == bellamy::model_kind::network ? "which it is fine-tuned on" : "which it is conditioned on");
        fmt::print("scale-out   counts {}s\n", to_string(schema.unit));
        fmt::print("answers by  {}\n", tools::describe(model));
        print_properties("essential", schema.essential, to_string(schema.unit));
        print_properties("optional", schema.optional, to_string(schema.unit));
        print_values(model);
    });
}
