// A small table of runs with the columns of the C3O experiments, and a model made of it.
#ifndef BELLAMY_TESTS_EXAMPLES_MADE_UP_TABLE_HPP
#define BELLAMY_TESTS_EXAMPLES_MADE_UP_TABLE_HPP

#include "run_program.hpp"

#include <string>
#include <vector>

namespace support {

inline const std::string c3o_columns =
    "instance_count\tmachine_type\tslots\tmemory\tdata_size_MB\tline_length\tlines\tgross_runtime\n";

/// One line: a sort of so many megabytes on so many nodes of 4 slots and 16000 MB.
[[nodiscard]] inline std::string c3o_line(int size_mb, int scale_out, const std::string& runtime_s) {
    std::string line;
    for (const auto& cell :
         {std::to_string(scale_out), std::string("m4.xlarge"), std::to_string(4 * scale_out),
          std::to_string(16000 * scale_out), std::to_string(size_mb), std::string("100"), std::string("1000"), runtime_s})
        line += (line.empty() ? "" : "\t") + cell;
    return line + "\n";
}

/// Three data sizes at scale-outs 2, 4, 8 and 12: 12 runs in 3 contexts, lines 2 to 13.
[[nodiscard]] inline std::string c3o_table() {
    std::string table = c3o_columns;
    for (const int size_mb : {8000, 16000, 24000})
        for (const int x : {2, 4, 8, 12}) table += c3o_line(size_mb, x, std::to_string(20 + size_mb / 50 / x));
    return table;
}

/// The command that pre-trains on the table "sort.tsv" of a folder, briefly: these tests are not about what is learnt.
[[nodiscard]] inline std::vector<std::string> pretrain_command(const temporary_directory& place) {
    return {BELLAMY_PROGRAM, "pretrain", "--c3o", place / "sort.tsv", "--mode", "paper", "--epochs", "5"};
}

/// Writes the table "sort.tsv" and the model "sort.bellamy".
inline void make_model(const temporary_directory& place) {
    write_text(place / "sort.tsv", c3o_table());
    (void)check_succeeds(pretrain_command(place) + std::vector<std::string>{"--out", place / "sort.bellamy"});
}

/// The command that asks a model made of the table about one of its jobs.
[[nodiscard]] inline std::vector<std::string> sort_job(const std::string& model,
                                                       const std::vector<std::string>& machine = {
                                                           "--property", "machine_type=m4.xlarge"}) {
    return std::vector<std::string>{BELLAMY_PROGRAM, "allocate",
                                    "--model",       model,
                                    "--property",    "job_args=",
                                    "--property",    "data_size_MB=16000",
                                    "--property",    "data_characteristics=100 1000",
                                    "--property",    "environment=public cloud aws emr"} +
           machine;
}

}  // namespace support

#endif
