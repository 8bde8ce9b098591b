// The commands of the program `bellamy`. A new one is a file in commands/ and its name and line here.
#ifndef BELLAMY_EXAMPLES_COMMAND_HPP
#define BELLAMY_EXAMPLES_COMMAND_HPP

#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <string_view>

namespace tools {

/// Does what a command is for, once its options are read. Returns the exit code.
using command_body = std::function<int()>;

/// Each declares its options in `app`, which must outlive the body that is returned.
command_body declare_import(CLI::App& app);
command_body declare_backtest(CLI::App& app);
command_body declare_recommend(CLI::App& app);
command_body declare_report(CLI::App& app);
command_body declare_pretrain(CLI::App& app);
command_body declare_inspect(CLI::App& app);
command_body declare_allocate(CLI::App& app);
command_body declare_explore(CLI::App& app);
command_body declare_forecast(CLI::App& app);
command_body declare_place(CLI::App& app);

struct command {
    std::string_view name;
    std::string_view purpose;  // its line in the program's help: at most 66 characters
    command_body (*declare)(CLI::App& app);
};

/// In the order of the help.
inline constexpr std::array commands{
    command{"import", "Read Spark event logs into traces and a table of runs", declare_import},
    command{"backtest", "Check predictions against the runs of a history", declare_backtest},
    command{"recommend", "Propose a size for the next run of every application", declare_recommend},
    command{"report", "Sum up a fleet: its cost, what to change, what is at risk", declare_report},
    command{"pretrain", "Learn a model from an application's runs or a table", declare_pretrain},
    command{"inspect", "Show what is in a model file", declare_inspect},
    command{"allocate", "Choose a cluster for one job within a deadline or a budget", declare_allocate},
    command{"explore", "Find the cheapest cluster of a job in a few trial runs", declare_explore},
    command{"forecast", "Predict the rest of a running application, and rescale it", declare_forecast},
    command{"place", "Place jobs over sites at the least cost of power and traffic", declare_place},
};

}  // namespace tools

#endif
