// Reads sites and jobs of the program place from JSON.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_FILES_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_FILES_HPP

#include <bellamy/placement/choose_variants.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "placement_json.hpp"
#include "placement_models.hpp"

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
    std::string model_file{};
};

namespace detail {

/// Log-normal; without a deviation a point.
[[nodiscard]] inline bellamy::prediction runtime(const std::string& where, const json& object) {
    bellamy::prediction made{.median_s = number(where, object, "median_s")};
    const double deviation = number_or(where, object, "log_deviation", 0);
    if (!(made.median_s > 0)) refuse_json(where, "a number \"median_s\" > 0", object);
    if (deviation < 0) refuse_json(where, "a number \"log_deviation\" >= 0", object);
    if (!(deviation > 0) || !made.usable()) return made;
    made.is_point = false;
    for (std::size_t i = 0; i < made.log_quantiles.size(); ++i)
        made.log_quantiles[i] = std::log(made.median_s) + deviation * bellamy::detail::standard_normal_quantiles[i];
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
    detail::tell_unused(file, parsed, {"data_centres", "links"});
    std::vector<std::string> names;
    std::vector<bellamy::placement::data_centre> made;
    for (const auto& each : detail::list(file, parsed, "data_centres")) {
        const auto where = fmt::format("data centre {} of {}", made.size(), file);
        names.push_back(detail::name_of(each, fmt::format("site {}", made.size())));
        detail::tell_unused(where, each,
                            {"name", "slots", "load", "price", "pue", "idle", "dynamic", "exponent", "switch_on"});
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

/// Models are looked for beside the file. Errors: cannot_read, those of placement::job_graph::make, and of
/// `variants_of_model`.
[[nodiscard]] inline std::vector<placeable_job> read_jobs(const std::string& file, std::string_view text) {
    const auto parsed = detail::parse_json(file, text);
    if (!parsed.is_array()) detail::refuse_json(file, "a list of jobs", parsed);
    std::vector<placeable_job> jobs;
    for (const auto& each : parsed) {
        const auto where = fmt::format("job {} of {}", jobs.size(), file);
        auto& job = jobs.emplace_back();
        job.name = detail::name_of(each, fmt::format("job {}", jobs.size() - 1));
        const bool by_model = each.is_object() && each.contains("model");
        if (by_model && each.contains("variants")) detail::refuse_json(where, "a model or variants, not both", each);
        if (!by_model && (!each.is_object() || !each.contains("variants"))) {
            detail::tell_unused(where, each, {"name", "tasks", "edges", "shape"});
            job.graph = detail::graph(where, each, -1);
            continue;
        }
        job.wanted.deadline_s = detail::number(where, each, "deadline_s");
        job.wanted.probability = detail::number_or(where, each, "probability", job.wanted.probability);
        if (by_model) {
            detail::tell_unused(where, each,
                                {"name", "deadline_s", "probability", "model", "properties", "shape", "scale_outs"});
            job.model_file = model_file_of(where, each, std::filesystem::path(file).parent_path());
            job.variants = variants_of_model(where, each, job.model_file);
            continue;
        }
        detail::tell_unused(where, each, {"name", "deadline_s", "probability", "variants"});
        for (const auto& variant : detail::filled_list(where, each, "variants")) {
            detail::tell_unused(where, variant, {"scale_out", "tasks", "edges", "shape", "median_s", "log_deviation"});
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
