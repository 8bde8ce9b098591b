// Reads sites and jobs of the program place from JSON.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_FILES_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_FILES_HPP

#include <bellamy/placement/choose.hpp>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tool_error.hpp"

namespace tools {

struct sites {
    std::vector<std::string> names;
    bellamy::placement::network net;
};

/// A job of one graph, or of several variants with predicted runtimes and a deadline.
struct placeable_job {
    std::string name;
    bellamy::placement::job_graph graph;
    std::vector<bellamy::placement::variant> variants;
    bellamy::request wanted{};
};

namespace detail {

using json = nlohmann::json;

[[noreturn]] inline void refuse_json(const std::string& where, const std::string& expected, const json& found) {
    throw tool_error("cannot_read", fmt::format("expected {} in {}, found {}", expected, where,
                                                found.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60)));
}

[[nodiscard]] inline json parse_json(const std::string& where, std::string_view text) {
    auto parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded())
        throw tool_error("cannot_read", fmt::format("expected JSON in {}, found something else", where));
    return parsed;
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

/// Tasks with edges, or a shape of as many tasks as the scale-out.
[[nodiscard]] inline bellamy::placement::job_graph graph(const std::string& where, const json& object, int otherwise_tasks) {
    using bellamy::placement::job_graph;
    const int tasks = whole(where, object, "tasks", otherwise_tasks);
    const auto count = static_cast<std::uint32_t>(tasks);
    if (object.contains("shape")) {
        const auto& shape = object.at("shape");
        if (shape == "path") return job_graph::path(count).value();
        if (shape == "star") return job_graph::star(count).value();
        if (shape == "cycle") return job_graph::cycle(count).value();
        if (shape == "complete") return job_graph::complete(count).value();
        refuse_json(where, "a shape path, star, cycle or complete", shape);
    }
    const auto edges = pairs(where, list(where, object, "edges"), &bellamy::placement::task_edge::traffic);
    return job_graph::make(count, edges).value();
}

/// Log-normal; without a deviation a point.
[[nodiscard]] inline bellamy::prediction runtime(const std::string& where, const json& object) {
    bellamy::prediction made{.median_s = number(where, object, "median_s")};
    const double deviation = number_or(where, object, "log_deviation", 0);
    if (!(deviation > 0) || !made.usable()) return made;
    made.is_point = false;
    for (std::size_t i = 0; i < made.log_quantiles.size(); ++i)
        made.log_quantiles[i] = std::log(made.median_s) + deviation * bellamy::detail::quantile_deviates[i];
    return made;
}

[[nodiscard]] inline std::string name_of(const json& object, std::string otherwise) {
    const auto at = object.is_object() ? object.find("name") : object.end();
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::move(otherwise);
}

}  // namespace detail

[[nodiscard]] inline std::string read_json_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
        throw tool_error("cannot_read", fmt::format("expected a file that can be read at {}, found none", path));
    return text.str();
}

/// Errors: cannot_read, those of placement::network::make.
[[nodiscard]] inline sites read_sites(const std::string& file, std::string_view text) {
    const auto parsed = detail::parse_json(file, text);
    std::vector<std::string> names;
    std::vector<bellamy::placement::data_centre> made;
    for (const auto& each : detail::list(file, parsed, "data_centres")) {
        const auto where = fmt::format("data centre {} of {}", made.size(), file);
        names.push_back(detail::name_of(each, fmt::format("site {}", made.size())));
        made.push_back({.slots = detail::whole(where, each, "slots"),
                        .load = detail::whole(where, each, "load", 0),
                        .price_per_kwh = detail::number(where, each, "price"),
                        .pue = detail::number_or(where, each, "pue", 1),
                        .idle_kw_per_slot = detail::number_or(where, each, "idle", 0),
                        .dynamic_kw_per_slot = detail::number_or(where, each, "dynamic", 0),
                        .exponent = detail::number_or(where, each, "exponent", 2),
                        .switch_on_kw = detail::number_or(where, each, "switch_on", 0)});
    }
    const auto links = detail::pairs(file, detail::list(file, parsed, "links"), &bellamy::placement::link::traffic_price);
    return {.names = std::move(names), .net = bellamy::placement::network::make(made, links).value()};
}

/// Errors: cannot_read, those of placement::job_graph::make.
[[nodiscard]] inline std::vector<placeable_job> read_jobs(const std::string& file, std::string_view text) {
    const auto parsed = detail::parse_json(file, text);
    if (!parsed.is_array()) detail::refuse_json(file, "a list of jobs", parsed);
    std::vector<placeable_job> jobs;
    for (const auto& each : parsed) {
        const auto where = fmt::format("job {} of {}", jobs.size(), file);
        auto& job = jobs.emplace_back();
        job.name = detail::name_of(each, fmt::format("job {}", jobs.size() - 1));
        if (!each.is_object() || !each.contains("variants")) {
            job.graph = detail::graph(where, each, -1);
            continue;
        }
        job.wanted.deadline_s = detail::number(where, each, "deadline_s");
        job.wanted.probability = detail::number_or(where, each, "probability", job.wanted.probability);
        for (const auto& variant : detail::list(where, each, "variants")) {
            const int scale_out = detail::whole(where, variant, "scale_out");
            job.variants.push_back({.scale_out = scale_out,
                                    .graph = detail::graph(where, variant, scale_out),
                                    .runtime = detail::runtime(where, variant)});
        }
    }
    return jobs;
}

}  // namespace tools

#endif
