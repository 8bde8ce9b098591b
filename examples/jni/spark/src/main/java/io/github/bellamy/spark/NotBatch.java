package io.github.bellamy.spark;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;

/** Whether an application is no batch job: a stream, a server, a shell or a notebook, whose uptime is no runtime. One thread writes. */
final class NotBatch {
  private static final String STREAMING = "streaming";
  private static final String SERVER = "server";
  private static final String INTERACTIVE = "interactive";

  /** By what begins the name of an event's class. */
  private static final Map<String, String> EVENTS =
      Map.of(
          "org.apache.spark.sql.streaming.StreamingQueryListener$Query", STREAMING,
          "org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServer", SERVER,
          "org.apache.spark.sql.connect.service.SparkListenerConnect", "connect");

  /** Streams set these for the jobs of each batch. */
  private static final List<String> STREAM_KEYS = List.of("sql.streaming.queryId", "spark.streaming.internal.batchTime");

  /** By a part of what the driver's command runs. */
  private static final Map<String, String> CLASSES =
      Map.of(
          "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", SERVER,
          "org.apache.spark.sql.connect.service.SparkConnectServer", SERVER,
          "org.apache.kyuubi.engine.spark.SparkSQLEngine", SERVER,
          "org.apache.hive.spark.client.RemoteDriver", SERVER,
          "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver", INTERACTIVE,
          "org.apache.spark.repl.Main", INTERACTIVE,
          "livy.rsc.driver.RSCDriverBootstrapper", INTERACTIVE,
          "org.apache.zeppelin.", INTERACTIVE,
          "org.apache.toree.Main", INTERACTIVE,
          "sparkr-shell", INTERACTIVE);

  private static final Set<String> SHELLS =
      Set.of(
          "Spark shell", "PySparkShell", "pyspark-shell", "SparkR", "Zeppelin", "Databricks Shell", "Apache Toree", "sparklyr");

  private static final Set<String> SERVERS = Set.of("Thrift JDBC/ODBC Server", "Spark Connect server");

  /** Kyuubi calls its engines by whom they are shared. */
  private static final Pattern ENGINE_OF_KYUUBI = Pattern.compile("^kyuubi_(USER|CONNECTION|GROUP|SERVER)_");

  private final Set<String> sessions = new HashSet<>();

  /** By the name of its class. */
  void event(String name) {
    EVENTS.forEach(
        (prefix, kind) -> {
          if (name.startsWith(prefix)) {
            sessions.add(kind);
          }
        });
  }

  /** Whether a job is of a batch of structured streaming or of DStreams, by its properties. */
  static boolean isOfStream(Properties job) {
    return STREAM_KEYS.stream().anyMatch(job::containsKey);
  }

  void jobOfStream() {
    sessions.add(STREAMING);
  }

  /** Livy tags its sessions and batches in YARN and Kubernetes. */
  private static boolean hasTagOfLivy(Environment environment) {
    return ("," + environment.value("spark.yarn.tags")).contains(",livy-session-")
        || environment.value("spark.kubernetes.driver.label.spark-app-tag").startsWith("livy-session-");
  }

  /** streaming, server or interactive; empty of a batch job. */
  String flag(Environment environment, String name) {
    String command = environment.value("sun.java.command");
    if (sessions.contains(STREAMING)) {
      return STREAMING;
    }
    if (sessions.contains(SERVER) || (sessions.contains("connect") && !environment.value("spark.api.mode").equals("connect"))) {
      return SERVER;
    }
    if (!environment.databricksJob().isEmpty() || DriverCommand.hasStatements(command)) {
      return "";
    }
    String mainClass = DriverCommand.mainClass(command);
    for (Map.Entry<String, String> known : CLASSES.entrySet()) {
      if (mainClass.contains(known.getKey())) {
        return known.getValue();
      }
    }
    boolean hasRepl = !environment.value("spark.repl.class.uri").isEmpty() || !environment.value("spark.repl.class.outputDir").isEmpty();
    if (hasTagOfLivy(environment) || (hasRepl && !environment.isOfDatabricks())) {
      return INTERACTIVE;
    }
    if (SERVERS.contains(name) || ENGINE_OF_KYUUBI.matcher(name).find()) {
      return SERVER;
    }
    return SHELLS.contains(name) || name.startsWith("SparkSQL::") || name.startsWith("livy-session-") ? INTERACTIVE : "";
  }
}
