#include "not_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <string_view>

#include "names.hpp"

namespace tools::event_log {

namespace {

struct known_class {
    std::string_view part;  // of what the command of the driver runs
    std::string_view flag;
    std::string_view is;
};

constexpr std::array<known_class, 10> classes{
    {{"org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "server", "the Thrift server"},
     {"org.apache.spark.sql.connect.service.SparkConnectServer", "server", "a Spark Connect server"},
     {"org.apache.kyuubi.engine.spark.SparkSQLEngine", "server", "a Kyuubi engine"},
     {"org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver", "interactive", "an SQL shell"},
     {"org.apache.spark.repl.Main", "interactive", "spark-shell"},
     {"livy.rsc.driver.RSCDriverBootstrapper", "interactive", "a Livy session"},
     {"org.apache.zeppelin.", "interactive", "a Zeppelin notebook"},
     {"org.apache.toree.Main", "interactive", "a notebook with Toree"},
     {"org.apache.hive.spark.client.RemoteDriver", "server", "a session of Hive on Spark"},
     {"sparkr-shell", "interactive", "a shell of SparkR"}}};

struct known_name {
    std::string_view name;
    std::string_view flag;
    bool is_prefix = false;
};

// What shells and servers are called where nobody names them.
constexpr std::array<known_name, 16> interactive_or_server{{{"Spark shell", "interactive"},
                                                            {"PySparkShell", "interactive"},
                                                            {"pyspark-shell", "interactive"},
                                                            {"SparkR", "interactive"},
                                                            {"Zeppelin", "interactive"},
                                                            {"Databricks Shell", "interactive"},
                                                            {"Apache Toree", "interactive"},
                                                            {"sparklyr", "interactive"},
                                                            {"SparkSQL::", "interactive", true},
                                                            {"livy-session-", "interactive", true},
                                                            {"Thrift JDBC/ODBC Server", "server"},
                                                            {"Spark Connect server", "server"},
                                                            {"kyuubi_USER_", "server", true},
                                                            {"kyuubi_CONNECTION_", "server", true},
                                                            {"kyuubi_GROUP_", "server", true},
                                                            {"kyuubi_SERVER_", "server", true}}};

// With statements in its arguments a shell ends by itself.
[[nodiscard]] bool has_statements(std::string_view command) {
    const auto driver = command.find("SparkSQLCLIDriver");
    const auto arguments = driver == command.npos ? std::string_view() : command.substr(driver);
    return arguments.find(" -f ") != arguments.npos || arguments.find(" -e ") != arguments.npos;
}

// Livy tags its sessions and batches in YARN and Kubernetes.
[[nodiscard]] bool has_tag_of_livy(const application_log& log) {
    constexpr std::string_view session = "livy-session-";
    const auto in_yarn = log.property("spark.yarn.tags");
    return in_yarn.starts_with(session) || in_yarn.find(",livy-session-") != in_yarn.npos ||
           log.property("spark.kubernetes.driver.label.spark-app-tag").starts_with(session);
}

[[nodiscard]] std::optional<not_batch> by_command(const application_log& log) {
    const auto command = log.property("sun.java.command");
    const auto main_class = main_class_of(command);
    for (const auto& known : classes)
        if (main_class.find(known.part) != main_class.npos && !has_statements(command))
            return not_batch{std::string(known.flag), fmt::format("{}, by its main class", known.is)};
    return std::nullopt;
}

[[nodiscard]] std::optional<not_batch> by_name(const application_log& log) {
    const auto name = log.application().name.value_or("");
    for (const auto& known : interactive_or_server)
        if (known.is_prefix ? name.starts_with(known.name) : name == known.name)
            return not_batch{std::string(known.flag),
                             fmt::format("a {}, by its name {}", known.flag == "server" ? "server" : "shell", name)};
    return std::nullopt;
}

// In the mode "connect" a batch job brings a server of its own.
[[nodiscard]] std::optional<not_batch> by_events(const application_log& log) {
    const auto& sessions = log.sessions();
    if (sessions.contains(session::streaming)) return not_batch{"streaming", "a stream, by its queries or batches"};
    if (sessions.contains(session::thrift_server)) return not_batch{"server", "a Thrift server, by its sessions"};
    if (sessions.contains(session::connect) && log.property("spark.api.mode") != "connect")
        return not_batch{"server", "a Spark Connect server, by its sessions"};
    return std::nullopt;
}

[[nodiscard]] std::string tag_of(const application_log& log, std::string_view key) {
    const auto all = nlohmann::json::parse(log.property("spark.databricks.clusterUsageTags.clusterAllTags"), nullptr, false);
    if (!all.is_array()) return {};
    for (const auto& tag : all)
        if (tag.is_object() && tag.contains("key") && tag.contains("value") && tag["key"] == key && tag["value"].is_string())
            return tag["value"].get<std::string>();
    return {};
}

}  // namespace

std::string databricks_job_id(const application_log& log) {
    if (const auto stated = log.property("spark.databricks.job.id"); !stated.empty()) return stated;
    if (const auto tagged = tag_of(log, "JobId"); !tagged.empty()) return tagged;
    static const std::regex of_job("job-([0-9]{1,20})-run-[0-9]{1,20}.*");
    const auto cluster = log.property("spark.databricks.clusterUsageTags.clusterName").substr(0, 256);
    std::smatch parts;
    return std::regex_match(cluster, parts, of_job) ? parts[1].str() : std::string();
}

std::string databricks_job(const application_log& log) {
    if (!log.is_of_databricks()) return {};
    const auto id = databricks_job_id(log);
    if (id.empty()) return {};
    const auto name = tag_of(log, "RunName");
    return name.empty() ? "job " + id : name;
}

std::optional<not_batch> why_not_batch(const application_log& log) {
    if (auto reason = by_events(log)) return reason;
    if (log.is_of_databricks() && !databricks_job(log).empty()) return std::nullopt;
    if (auto reason = by_command(log)) return reason;
    if (has_statements(log.property("sun.java.command"))) return std::nullopt;
    if (has_tag_of_livy(log)) return not_batch{"interactive", "a Livy session, by its tag"};
    const bool has_repl =
        !log.property("spark.repl.class.uri").empty() || !log.property("spark.repl.class.outputDir").empty();
    if (has_repl && !log.is_of_databricks()) return not_batch{"interactive", "a shell, by the classes that it compiles"};
    return by_name(log);
}

}  // namespace tools::event_log
