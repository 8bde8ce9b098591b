// The size of a Spark application, or of a job of Flink, in the words of those who submit it.
#ifndef BELLAMY_EXAMPLES_SPARK_SIZE_HPP
#define BELLAMY_EXAMPLES_SPARK_SIZE_HPP

#include <fmt/format.h>
#include <bellamy/run.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

/// What to submit with. 0 where not known: that setting is then left to whoever submits. Executors are not known where
/// `total_cores` is.
struct spark_size {
    std::int64_t executors = 0;
    std::int64_t executor_cores = 0;
    std::int64_t executor_memory_mb = 0;
    std::int64_t total_cores = 0;  // where the cores of an executor are not known
    bool is_dynamic = false;       // executors come and go by dynamic allocation
    bool is_local = false;         // spark.master is local: the driver does the work, with `executor_cores` threads
    // Of a job of Flink executors are TaskManagers, the cores of one are its slots, and all cores are the parallelism.
    bool is_flink = false;
};

/// So many units of scale-out as executors and cores; `before` tells the cores and the memory of one executor. Where cores
/// or slots are counted and executors had been several, as many executors as these cores need; where the cores of one are
/// not known, cores in all.
[[nodiscard]] inline spark_size size_of(int scale_out, bellamy::scale_out_unit unit, spark_size before) {
    const bool counts_cores = unit == bellamy::scale_out_unit::core || unit == bellamy::scale_out_unit::slot;
    spark_size made = before;
    if (before.is_flink) {
        made.total_cores = scale_out;
        made.executors = before.executor_cores > 0 ? (scale_out + before.executor_cores - 1) / before.executor_cores : 0;
    } else if (!counts_cores) {
        made.executors = scale_out;
    } else if (!before.is_local && before.executor_cores < 1) {
        made.executors = 0;
        made.total_cores = scale_out;
    } else if (before.is_local || before.executors <= 1) {
        made.executors = 1;
        made.executor_cores = scale_out;
    } else {
        made.executors = (scale_out + before.executor_cores - 1) / before.executor_cores;
    }
    return made;
}

/// "4 x 2 cores, 4096 MB", or of Flink "-p 4, 2 TaskManagers x 2 slots".
[[nodiscard]] inline std::string describe(const spark_size& size) {
    if (size.is_flink) {
        std::string made = fmt::format("-p {}", size.total_cores);
        if (size.executors > 0) made += fmt::format(", {} TaskManager{}", size.executors, size.executors == 1 ? "" : "s");
        if (size.executors > 0 && size.executor_cores > 0)
            made += fmt::format(" x {} slot{}", size.executor_cores, size.executor_cores == 1 ? "" : "s");
        return made;
    }
    if (size.total_cores > 0) return fmt::format("{} core{} in all", size.total_cores, size.total_cores == 1 ? "" : "s");
    std::string made = size.is_local ? fmt::format("local[{}]", size.executor_cores) : fmt::format("{}", size.executors);
    if (!size.is_local && size.executor_cores > 0)
        made += fmt::format(" x {} core{}", size.executor_cores, size.executor_cores == 1 ? "" : "s");
    if (size.executor_memory_mb > 0) made += fmt::format(", {} MB", size.executor_memory_mb);
    return made;
}

/// A line of comment for the settings of a size, where these say little; else empty.
[[nodiscard]] inline std::string_view caution_of(const spark_size& size) {
    const bool is_known = size.executor_cores > 0 || size.executor_memory_mb > 0 || size.total_cores > 0;
    return is_known ? "" : "# what the history counts may be machines: cores and memory of an executor are not known\n";
}

/// A setting of Spark.
struct spark_setting {
    std::string name{};
    std::string value{};
};

/// Where executors come and go, the limits of dynamic allocation are set to one number of them; else it is switched off.
[[nodiscard]] inline std::vector<spark_setting> settings_of(const spark_size& size) {
    std::vector<spark_setting> made;
    const auto add = [&](const char* name, std::int64_t value, const char* unit = "") {
        made.push_back({name, fmt::format("{}{}", value, unit)});
    };
    const char* memory = "spark.executor.memory";
    if (size.is_local) {
        made.push_back({"spark.master", fmt::format("local[{}]", size.executor_cores)});
        memory = "spark.driver.memory";
    } else if (size.total_cores > 0) {
        add("spark.cores.max", size.total_cores);
        return made;
    } else {
        made.push_back({"spark.dynamicAllocation.enabled", size.is_dynamic ? "true" : "false"});
        if (size.is_dynamic)
            for (const char* limit : {"initialExecutors", "minExecutors", "maxExecutors"})
                made.push_back({fmt::format("spark.dynamicAllocation.{}", limit), fmt::format("{}", size.executors)});
        if (!size.is_dynamic) add("spark.executor.instances", size.executors);
        if (size.executor_cores > 0) {
            add("spark.executor.cores", size.executor_cores);
            add("spark.cores.max", size.executors * size.executor_cores);  // a standalone cluster knows no instances
        }
    }
    if (size.executor_memory_mb > 0) add(memory, size.executor_memory_mb, "m");
    return made;
}

/// Options of spark-submit, in one line.
[[nodiscard]] inline std::string to_spark_submit(const spark_size& size) {
    std::string made;
    for (const auto& setting : settings_of(size)) {
        if (!made.empty()) made += ' ';
        if (setting.name == "spark.master") {
            made += "--master " + setting.value;
        } else if (setting.name == "spark.driver.memory") {
            made += "--driver-memory " + setting.value;
        } else {
            made += "--conf " + setting.name + "=" + setting.value;
        }
    }
    return made;
}

/// Lines of a properties file, such as spark-defaults.conf or that of `spark-submit --properties-file`.
[[nodiscard]] inline std::string to_spark_conf(const spark_size& size) {
    std::string made;
    for (const auto& setting : settings_of(size)) made += setting.name + " " + setting.value + "\n";
    return made;
}

/// A name that Kubernetes takes: small letters, digits and '-', at most 63 of them.
[[nodiscard]] inline std::string to_kubernetes_name(std::string_view name) {
    std::string made;
    for (const char c : name) {
        const bool is_capital = c >= 'A' && c <= 'Z';
        const char small = is_capital ? static_cast<char>(c - 'A' + 'a') : c;
        const bool fits = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9');
        if (fits) {
            made += small;
        } else if (!made.empty() && made.back() != '-') {
            made += '-';
        }
    }
    made.resize((std::min)(made.size(), std::size_t{63}));
    while (!made.empty() && made.back() == '-') made.pop_back();
    return made.empty() ? "application" : made;
}

/// A merge patch for the manifest of a SparkApplication of the Kubernetes operator: kubectl patch --local -f MANIFEST --type
/// merge --patch-file FILE. Of an object in the cluster, the operator would run it again.
[[nodiscard]] inline std::string to_spark_application(const spark_size& size) {
    std::string made = "spec:\n";
    const std::string memory = size.executor_memory_mb > 0 ? fmt::format("    memory: {}m\n", size.executor_memory_mb) : "";
    if (size.is_local) return made + fmt::format("  driver:\n    cores: {}\n{}", size.executor_cores, memory);
    if (size.total_cores > 0) return made + fmt::format("  sparkConf:\n    spark.cores.max: \"{}\"\n", size.total_cores);
    if (size.is_dynamic) {
        made += fmt::format(
            "  dynamicAllocation:\n    enabled: true\n    initialExecutors: {0}\n    minExecutors: {0}\n    maxExecutors: "
            "{0}\n",
            size.executors);
        if (size.executor_cores > 0 || !memory.empty()) made += "  executor:\n";
    } else {
        made += fmt::format("  dynamicAllocation:\n    enabled: false\n  executor:\n    instances: {}\n", size.executors);
    }
    if (size.executor_cores > 0) made += fmt::format("    cores: {}\n", size.executor_cores);
    return made + memory;
}

/// Options of `flink run`, in one line. How many TaskManagers there are is no option of a job.
[[nodiscard]] inline std::string to_flink_run(const spark_size& size) { return fmt::format("-p {}", size.total_cores); }

/// Lines of Flink's configuration, config.yaml or flink-conf.yaml. TaskManagers stand in a comment: how many there are is
/// for whoever starts them, and on YARN and Kubernetes for Flink itself.
[[nodiscard]] inline std::string to_flink_conf(const spark_size& size) {
    auto made = fmt::format("parallelism.default: {}\n", size.total_cores);
    if (size.executor_cores > 0) made += fmt::format("taskmanager.numberOfTaskSlots: {}\n", size.executor_cores);
    if (size.executors > 0) made += fmt::format("# TaskManagers: {}\n", size.executors);
    return made;
}

}  // namespace tools

#endif
