// What a process has in memory now.
#ifndef BELLAMY_BENCH_SUPPORT_TENANT_MEMORY_HPP
#define BELLAMY_BENCH_SUPPORT_TENANT_MEMORY_HPP

#include <cstdlib>
#include <fstream>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace bench {

/// Bytes on the heap, of all libraries; 0 where the system does not tell.
[[nodiscard]] inline double heap_bytes() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const auto now = mallinfo2();
    return static_cast<double>(now.uordblks + now.hblkhd);
#else
    return 0;
#endif
}

/// The sum of the lines of the kernel's account that begin so: "Rss:", or "Private_" for what is shared with no other
/// process. 0 where the system does not tell.
[[nodiscard]] inline double resident_bytes(const char* beginning = "Rss:") {
    std::ifstream rollup("/proc/self/smaps_rollup");
    double sum = 0;
    for (std::string line; std::getline(rollup, line);)
        if (line.starts_with(beginning)) sum += 1024 * std::strtod(line.c_str() + line.find(':') + 1, nullptr);
    return sum;
}

}  // namespace bench

#endif
