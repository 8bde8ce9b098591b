// What a model was learned from and knows, as JSON.
#ifndef BELLAMY_EXAMPLES_MODEL_RECORD_HPP
#define BELLAMY_EXAMPLES_MODEL_RECORD_HPP

#include <bellamy/model.hpp>
#include <bellamy/serialize.hpp>

#include <nlohmann/json.hpp>

namespace tools {

/// Null for a date that was not given.
[[nodiscard]] inline nlohmann::ordered_json to_json(const bellamy::model& of) {
    using json = nlohmann::ordered_json;
    const auto& basis = of.basis();
    return {{"id", bellamy::model_id(of)},
            {"algorithm", basis.algorithm},
            {"date", basis.date.empty() ? json(nullptr) : json(basis.date)},
            {"kind", to_string(of.kind())},
            {"runs", basis.runs},
            {"contexts", basis.contexts},
            {"seen_scale_outs", {basis.seen_scale_outs.smallest, basis.seen_scale_outs.largest}},
            {"seen_runtimes_s", {basis.shortest_runtime_s, basis.longest_runtime_s}}};
}

}  // namespace tools

#endif
