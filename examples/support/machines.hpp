// From the words of the command line to the kinds of machine that a job may run on.
#ifndef BELLAMY_EXAMPLES_MACHINES_HPP
#define BELLAMY_EXAMPLES_MACHINES_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bellamy/schema.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "arguments.hpp"
#include "tool_error.hpp"

namespace tools {

/// By name; without a value where it is not known.
using property_values = std::map<std::string, std::optional<std::string>>;

/// "a=1", "b=2" as a map. Error: duplicate_property.
[[nodiscard]] inline property_values to_property_values(std::string_view option, const std::vector<std::string>& words,
                                                        std::string_view form = "NAME=VALUE") {
    property_values values;
    for (const auto& each : words) {
        const auto [name, value] = name_and_value(option, each, form);
        if (!values.emplace(name, value).second)
            throw tool_error("duplicate_property", fmt::format("expected every property once, found {} twice", name));
    }
    return values;
}

/// The context in the schema's order; optional properties without a value are left out.
/// Errors: unknown_property, missing_property, and those of `to_property`.
[[nodiscard]] inline bellamy::context to_context(const bellamy::schema& schema, property_values values) {
    bellamy::context made{.unit = schema.unit};
    std::vector<std::string> missing;
    std::vector<std::string> known;
    const auto take = [&](const bellamy::property_definition& meaning, std::vector<bellamy::property>& into) {
        known.push_back(meaning.name);
        const auto value = values.extract(meaning.name);
        if (value)
            into.push_back(value.mapped() ? to_property(meaning, with_unit_of(meaning.name, *value.mapped()),
                                                        "property " + meaning.name)
                                          : bellamy::unknown(meaning.name));
        return !value.empty();
    };
    for (const auto& each : schema.essential)
        if (!take(each, made.essential)) missing.push_back(each.name);
    for (const auto& each : schema.optional) take(each, made.optional);
    if (!values.empty())
        throw tool_error("unknown_property", fmt::format("expected one of the model's properties {}, found \"{}\"",
                                                         fmt::join(known, ", "), values.begin()->first));
    if (!missing.empty())
        throw tool_error("missing_property",
                         fmt::format("expected every essential property of the model, found no value of {}; what is not "
                                     "known may be given as unknown",
                                     fmt::join(missing, ", ")));
    return made;
}

/// The property that names the kind of machine: the one with that role or else an essential one called so.
[[nodiscard]] inline std::optional<std::string> machine_property(const bellamy::schema& schema) {
    for (const auto* list : {&schema.essential, &schema.optional})
        for (const auto& each : *list)
            if (each.role == bellamy::property_role::machine_type) return each.name;
    for (const auto& each : schema.essential)
        if (each.name == "machine_type") return each.name;
    return std::nullopt;
}

/// The kinds of machine given as "NAME=PRICE[,PROPERTY=VALUE]..." or, where none is, the one that the job's properties
/// name. `costs` are what they have in common; `money` is the currency of all prices. Errors: no_machine_property,
/// duplicate_machine, duplicate_property, and those of `to_context`.
[[nodiscard]] inline std::vector<machine> to_machines(const bellamy::schema& schema, const property_values& job,
                                                      const std::vector<std::string>& given, const bellamy::price& costs,
                                                      currency& money) {
    const auto naming = machine_property(schema);
    if (given.empty()) {
        const auto named = naming ? job.find(*naming) : job.end();
        return {{.name = named == job.end() ? "" : named->second.value_or("unknown"),
                 .costs = costs,
                 .job = to_context(schema, job)}};
    }
    if (!naming)
        throw tool_error("no_machine_property",
                         "expected a model with a property of the role machine_type to compare machines, found none");
    if (job.contains(*naming))
        throw tool_error("duplicate_property",
                         fmt::format("expected {} either as a property or from --machine, found both", *naming));
    constexpr std::string_view form = "NAME=PRICE[,PROPERTY=VALUE]... such as m4.xlarge=0.2,memory=16000";
    std::vector<machine> all;
    for (const auto& each : given) {
        auto words = split(each, ',');
        const auto [name, price] = name_and_value("--machine", words.front(), form);
        const auto per_hour = money.take(price, true);
        if (!per_hour) throw wrong_usage("--machine", form, each);
        if (std::any_of(all.begin(), all.end(), [&, &wanted = name](const auto& one) { return one.name == wanted; }))
            throw tool_error("duplicate_machine", fmt::format("expected every machine once, found {} twice", name));
        words.erase(words.begin());
        auto values = to_property_values("--machine", words, form);
        if (!values.emplace(*naming, name).second)
            throw tool_error("duplicate_property", fmt::format("expected {} once in {}, found it twice", *naming, each));
        values.insert(job.begin(), job.end());  // what the machine says of itself goes first
        all.push_back({.name = name, .costs = costs, .job = to_context(schema, std::move(values))});
        all.back().costs.per_unit_and_hour = *per_hour;
    }
    return all;
}

/// "m4.xlarge:4=310": 310 seconds on four of the machines named; with one kind of machine, its name may be left out.
/// Error: unknown_machine.
[[nodiscard]] inline std::pair<machine*, measured_runtime> to_runtime_on(std::string_view option, const std::string& text,
                                                                         std::vector<machine>& machines) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos) {
        const auto found = to_measured_runtime(option, text);
        if (machines.size() > 1) throw wrong_usage(option, "MACHINE:SCALE_OUT=TIME, as there are several machines", text);
        return {&machines.front(), found};
    }
    const auto name = text.substr(0, colon);
    const auto at = std::find_if(machines.begin(), machines.end(), [&](const auto& each) { return each.name == name; });
    if (at == machines.end()) {
        std::vector<std::string> known;
        for (const auto& each : machines) known.push_back(each.name);
        throw tool_error("unknown_machine", fmt::format("expected one of the machines {} in {}, found \"{}\"",
                                                        fmt::join(known, ", "), option, name));
    }
    return {&*at, to_measured_runtime(option, text.substr(colon + 1))};
}

}  // namespace tools

#endif
