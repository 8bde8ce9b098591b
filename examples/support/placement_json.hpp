// Fields of the JSON files of the program place, and how a bad one is refused.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_JSON_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_JSON_HPP

#include <fmt/format.h>
#include <bellamy/placement/job_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tool_error.hpp"

namespace tools { namespace detail {

using json = nlohmann::json;

[[noreturn]] inline void refuse_json(const std::string& where, const std::string& expected, const json& found) {
    throw tool_error("cannot_read", fmt::format("expected {} in {}, found {}", expected, where,
                                                found.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60)));
}

/// No key may stand twice in an object: all but the last would be ignored.
[[nodiscard]] inline json parse_json(const std::string& where, std::string_view text) {
    std::vector<std::set<std::string>> keys;  // of the objects that are open
    const auto check = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
            refuse_json(where, "every key once", parsed);
        return true;
    };
    try {
        return json::parse(text, check);
    } catch (const json::parse_error& problem) {
        const std::string what = problem.what();  // "[its name] parse error at line 1, column 2: ..."
        throw tool_error("cannot_read",
                         fmt::format("expected JSON in {}, found a {}", where, what.substr(what.find(' ') + 1, 160)));
    }
}

/// Tells fields that nobody reads on standard error, since a misspelt one leaves a default in force.
inline void tell_unused(const std::string& where, const json& object, std::initializer_list<std::string_view> used) {
    if (!object.is_object()) return;
    for (const auto& [name, value] : object.items())
        if (std::find(used.begin(), used.end(), name) == used.end())
            fmt::print(stderr, "not used      \"{}\" in {}; expected {}\n", name, where, fmt::join(used, ", "));
}

/// A number; what is absent has the default, where there is one.
[[nodiscard]] inline double number(const std::string& where, const json& object, const char* name,
                                   const double* otherwise = nullptr) {
    if (!object.is_object()) refuse_json(where, "an object", object);
    const auto at = object.find(name);
    if (at == object.end() && otherwise != nullptr) return *otherwise;
    if (at == object.end() || !at->is_number()) refuse_json(where, fmt::format("a number \"{}\"", name), object);
    return at->get<double>();
}
[[nodiscard]] inline double number_or(const std::string& where, const json& object, const char* name, double otherwise) {
    return number(where, object, name, &otherwise);
}
/// A whole number that an int holds; the library says whether it makes sense.
[[nodiscard]] inline int whole(const std::string& where, const json& object, const char* name, double otherwise = NAN) {
    const double value = number(where, object, name, std::isnan(otherwise) ? nullptr : &otherwise);
    if (!(value >= -2e9 && value <= 2e9) || std::floor(value) < value)
        refuse_json(where, fmt::format("a whole number \"{}\"", name), object);
    return static_cast<int>(value);
}

[[nodiscard]] inline const json& list(const std::string& where, const json& object, const char* name) {
    if (!object.is_object() || !object.contains(name) || !object.at(name).is_array())
        refuse_json(where, fmt::format("a list \"{}\"", name), object);
    return object.at(name);
}
/// One that has something in it.
[[nodiscard]] inline const json& filled_list(const std::string& where, const json& object, const char* name) {
    const auto& found = list(where, object, name);
    if (found.empty()) refuse_json(where, fmt::format("something in the list \"{}\"", name), object);
    return found;
}

/// Pairs of numbers, with a third one or not.
template <class Pair>
[[nodiscard]] std::vector<Pair> pairs(const std::string& where, const json& all, double Pair::*third) {
    std::vector<Pair> found;
    for (const auto& each : all) {
        const bool good = each.is_array() && (each.size() == 2 || each.size() == 3) && each[0].is_number_unsigned() &&
                          each[1].is_number_unsigned() && (each.size() == 2 || each[2].is_number());
        if (!good || each[0].get<std::uint64_t>() > 0xFFFFFFFFU || each[1].get<std::uint64_t>() > 0xFFFFFFFFU)
            refuse_json(where, "pairs such as [0, 1] or [0, 1, 0.5]", each);
        Pair one;
        one.a = each[0].get<std::uint32_t>();
        one.b = each[1].get<std::uint32_t>();
        if (each.size() == 3) one.*third = each[2].get<double>();
        found.push_back(one);
    }
    return found;
}

/// The graph of the job at `where`, which the library does not know.
[[nodiscard]] inline bellamy::placement::job_graph graph_at(const std::string& where,
                                                            bellamy::result<bellamy::placement::job_graph>&& made) {
    if (!made) throw tool_error(to_string(made.error().code()), fmt::format("{} in {}", made.error().message(), where));
    return *std::move(made);
}

/// Tasks with edges, or a shape of as many tasks as the scale-out.
[[nodiscard]] inline bellamy::placement::job_graph graph(const std::string& where, const json& object, int otherwise_tasks) {
    using bellamy::placement::job_graph;
    const int tasks = whole(where, object, "tasks", otherwise_tasks);
    if (tasks < 0) refuse_json(where, "a whole number \"tasks\" >= 0", object);
    const auto count = static_cast<std::uint32_t>(tasks);
    if (object.contains("shape")) {
        const auto& shape = object.at("shape");
        if (shape == "path") return graph_at(where, job_graph::path(count));
        if (shape == "star") return graph_at(where, job_graph::star(count));
        if (shape == "cycle") return graph_at(where, job_graph::cycle(count));
        if (shape == "complete") return graph_at(where, job_graph::complete(count));
        refuse_json(where, "a shape path, star, cycle or complete", shape);
    }
    const auto edges = pairs(where, list(where, object, "edges"), &bellamy::placement::task_edge::traffic);
    return graph_at(where, job_graph::make(count, edges));
}

}  // namespace detail

}  // namespace tools

#endif
