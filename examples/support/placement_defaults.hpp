// What the program place carries: the research network Abilene with electricity prices of its cities, and some jobs.
#ifndef BELLAMY_EXAMPLES_PLACEMENT_DEFAULTS_HPP
#define BELLAMY_EXAMPLES_PLACEMENT_DEFAULTS_HPP

#include <string_view>

namespace tools {

/// Nodes and links: Internet Topology Zoo (Knight et al. 2011), CC BY 4.0. Prices in USD per kWh: US industrial electricity
/// of the cities' states in 2023 (EIA, public domain). PUE: survey average of 2023 (Uptime Institute). Slots, loads and
/// power are assumed.
inline constexpr std::string_view default_sites = R"({"data_centres": [
  {"name": "New York", "slots": 6, "load": 0, "price": 0.0687, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 1},
  {"name": "Chicago", "slots": 7, "load": 1, "price": 0.0820, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 0},
  {"name": "Washington DC", "slots": 8, "load": 2, "price": 0.1085, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 0},
  {"name": "Seattle", "slots": 9, "load": 3, "price": 0.0635, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 0},
  {"name": "Sunnyvale", "slots": 10, "load": 0, "price": 0.1864, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 1},
  {"name": "Los Angeles", "slots": 6, "load": 1, "price": 0.1864, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 0},
  {"name": "Denver", "slots": 7, "load": 2, "price": 0.0850, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 0},
  {"name": "Kansas City", "slots": 8, "load": 3, "price": 0.0790, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 0},
  {"name": "Houston", "slots": 9, "load": 0, "price": 0.0660, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 1},
  {"name": "Atlanta", "slots": 10, "load": 1, "price": 0.0688, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 0},
  {"name": "Indianapolis", "slots": 6, "load": 2, "price": 0.0824, "pue": 1.58, "idle": 0.06, "dynamic": 0.12, "exponent": 2, "switch_on": 0}],
 "links": [[0, 1], [0, 2], [1, 10], [2, 9], [3, 4], [3, 6], [4, 5], [4, 6],
           [5, 8], [6, 7], [7, 8], [7, 10], [8, 9], [9, 10]]})";

/// Made up. A job of several variants runs as one of them: runtimes are log-normal, given by their median in seconds.
inline constexpr std::string_view default_jobs = R"([
  {"name": "sort", "deadline_s": 700, "probability": 0.9, "variants": [
    {"scale_out": 2, "shape": "star", "median_s": 900, "log_deviation": 0.2},
    {"scale_out": 4, "shape": "star", "median_s": 500, "log_deviation": 0.2},
    {"scale_out": 6, "shape": "star", "median_s": 380, "log_deviation": 0.2}]},
  {"name": "ring", "tasks": 4, "edges": [[0, 1], [1, 2], [2, 3], [0, 3]]},
  {"name": "shuffle", "tasks": 4, "edges": [[0, 2], [0, 3], [1, 2], [1, 3]]},
  {"name": "pipeline", "tasks": 4, "edges": [[0, 1], [1, 2], [2, 3]]},
  {"name": "query", "tasks": 4, "edges": [[0, 1], [0, 2], [0, 3]]},
  {"name": "triangle", "tasks": 3, "edges": [[0, 1], [1, 2], [0, 2]]}])";

}  // namespace tools

#endif
