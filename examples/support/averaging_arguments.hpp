// How workers that train together average: the options of every program that pre-trains a network.
#ifndef BELLAMY_EXAMPLES_AVERAGING_ARGUMENTS_HPP
#define BELLAMY_EXAMPLES_AVERAGING_ARGUMENTS_HPP

#include <bellamy/parallel_training.hpp>

#include <CLI/CLI.hpp>
#include <vector>

namespace tools {

[[nodiscard]] inline std::vector<const CLI::Option*> declare_averaging(CLI::App& app, bellamy::parallel_options& parallel) {
    return {app.add_option("--period", parallel.period, "Steps after which workers average their parameters")
                ->capture_default_str(),
            app.add_option("--delay", parallel.delay, "Steps that an average may travel before it is merged")
                ->capture_default_str(),
            app.add_option("--slow-momentum", parallel.slow_momentum,
                           "Part of the last average's move that parameters move on by [0.5 from period 16 on, else 0]")};
}

}  // namespace tools

#endif
