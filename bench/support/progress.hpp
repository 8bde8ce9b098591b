// Shows on a terminal how many of the target contexts are done; silent where standard error is no terminal.
#ifndef BELLAMY_BENCH_PROGRESS_HPP
#define BELLAMY_BENCH_PROGRESS_HPP

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace bench {

inline void show_progress(std::size_t finished, std::size_t total) {
    static const bool on_terminal = isatty(STDERR_FILENO) == 1;
    if (!on_terminal) return;
    const std::size_t filled = 40 * finished / total;
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {}/{} target contexts{}", "", filled, "", 40 - filled, finished, total,
               finished == total ? "\n" : "");
    std::fflush(stderr);
}

}  // namespace bench

#endif
