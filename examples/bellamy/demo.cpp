// `bellamy allocate` as a program of its own, which is built much sooner than all commands.
#include <CLI/CLI.hpp>

#include "../support/program.hpp"
#include "command.hpp"

int main(int argc, char** argv) {
    CLI::App app("", "bellamy allocate");
    const auto body = tools::declare_allocate(app);
    return tools::run_program(app, argc, argv, body);
}
