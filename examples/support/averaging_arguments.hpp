// How workers that train together average: the options of every program that pre-trains a network.
#ifndef BELLAMY_EXAMPLES_AVERAGING_ARGUMENTS_HPP
#define BELLAMY_EXAMPLES_AVERAGING_ARGUMENTS_HPP

#include <bellamy/parallel_training.hpp>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace tools {

/// The merge rule is read as text, for `to_merge_rule`.
[[nodiscard]] inline std::vector<const CLI::Option*> declare_averaging(CLI::App& app, bellamy::parallel_options& parallel,
                                                                       std::string& merge) {
    return {app.add_option("--period", parallel.period, "Steps after which workers average their parameters")
                ->capture_default_str(),
            app.add_option("--delay", parallel.delay, "Steps that an average may travel before it is merged")
                ->capture_default_str(),
            app.add_option("--merge", merge, "How it is merged: corrected, weighted or overwrite")->capture_default_str(),
            app.add_flag("--average-moments", parallel.average_moments, "Average Adam's moments too; else they stay local"),
            app.add_option("--slow-momentum", parallel.slow_momentum,
                           "Part of the last average's move that parameters move on by [0.5 from period 16 on, else 0]")};
}

[[nodiscard]] inline bellamy::merge_rule to_merge_rule(const std::string& merge) {
    return to_enumerator<bellamy::merge_rule::overwrite>("--merge", merge);
}

}  // namespace tools

#endif
