package io.github.bellamy.spark;

import io.github.bellamy.Property;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.scheduler.SparkListenerEnvironmentUpdate;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * The settings of a driver that tell what its run had, as the event log states them: what may be a secret is hidden. One thread
 * writes, before the first job.
 */
final class Environment {
  private static final String REDACTED = "*********(redacted)";
  private static final String DEFAULT_REDACTION = "(?i)secret|password|token|access[.]?key";
  private static final long DEFAULT_MEMORY_MB = 1024;
  private static final Pattern SIZE = Pattern.compile("([0-9]+(?:\\.[0-9]*)?)([bkmgtp]?)b?");

  private static final List<String> MACHINE_TYPES =
      List.of(
          "spark.databricks.workerNodeTypeId",
          "spark.databricks.clusterUsageTags.clusterNodeType",
          "spark.kubernetes.executor.node.selector.node.kubernetes.io/instance-type",
          "spark.kubernetes.node.selector.node.kubernetes.io/instance-type",
          "spark.kubernetes.executor.node.selector.beta.kubernetes.io/instance-type",
          "spark.kubernetes.node.selector.beta.kubernetes.io/instance-type",
          "spark.dataproc.executor.compute.tier");
  private static final List<String> DRIVER_MACHINE_TYPES =
      List.of(
          "spark.databricks.driverNodeTypeId",
          "spark.databricks.clusterUsageTags.driverNodeType",
          "spark.dataproc.driver.compute.tier");

  private final Map<String, String> values = new HashMap<>();
  private long profileMemoryMb;

  void take(SparkListenerEnvironmentUpdate update) {
    Map<String, String> all = new HashMap<>();
    for (String part : List.of("Spark Properties", "System Properties")) {
      if (update.environmentDetails().contains(part)) {
        for (Iterator<Tuple2<String, String>> settings = update.environmentDetails().apply(part).iterator(); settings.hasNext(); ) {
          Tuple2<String, String> setting = settings.next();
          all.putIfAbsent(setting._1(), setting._2());
        }
      }
    }
    Pattern secret = Pattern.compile(all.getOrDefault("spark.redaction.regex", DEFAULT_REDACTION));
    all.forEach((key, value) -> values.putIfAbsent(key, hides(secret, key, value) ? REDACTED : value));
  }

  private static boolean hides(Pattern secret, String key, String value) {
    return secret.matcher(key).find() || secret.matcher(value).find();
  }

  /** Of the resource profile that all stages have by default. */
  void defaultMemory(long megabytes) {
    profileMemoryMb = megabytes;
  }

  /** Empty where it was not set. */
  String value(String name) {
    return values.getOrDefault(name, "");
  }

  private String firstOf(List<String> names) {
    return names.stream().map(this::value).filter(value -> !value.isEmpty()).findFirst().orElse("");
  }

  /**
   * What is known before the first job, with the names that the importer of event logs gives it. Settings that are hidden or cannot
   * be read say nothing of an executor: whoever reads the trace would refuse them.
   */
  List<Property> properties() {
    List<Property> all = new ArrayList<>();
    if (megabytes(value("spark.executor.memory")) >= 0) {
      add(all, "spark.executor.memory", value("spark.executor.memory"));
    }
    if (count("spark.executor.cores") > 0) {
      add(all, "spark.executor.cores", value("spark.executor.cores"));
    }
    add(all, "spark.dynamicAllocation.enabled", value("spark.dynamicAllocation.enabled"));
    String arguments = DriverCommand.arguments(value("sun.java.command"));
    add(all, "arguments", arguments.isEmpty() ? "" : NameRule.clean(arguments));
    add(all, "machine_type", firstOf(MACHINE_TYPES));
    add(all, "driver_machine_type", firstOf(DRIVER_MACHINE_TYPES));
    return all;
  }

  private static void add(List<Property> to, String name, String value) {
    if (!value.isEmpty()) {
      to.add(RescalerSettings.withRole(Property.text(name, value)));
    }
  }

  /**
   * By the settings or the default resource profile; Spark's default where neither names it; 0 where no settings are known or what
   * they name is no size.
   */
  long executorMemoryMb() {
    String master = value("spark.master");
    boolean isLocal = master.startsWith("local") && !master.startsWith("local-cluster");
    String stated = value(isLocal ? "spark.driver.memory" : "spark.executor.memory");
    if (!stated.isEmpty()) {
      return Math.max(0, megabytes(stated));
    }
    if (!isLocal && profileMemoryMb > 0) {
      return profileMemoryMb;
    }
    return values.isEmpty() ? 0 : DEFAULT_MEMORY_MB;
  }

  int taskCpus() {
    return Math.max(1, count("spark.task.cpus"));
  }

  /** 0 where it is no number. */
  int count(String name) {
    Matcher digits = Pattern.compile("^[0-9]{1,9}").matcher(value(name));
    return digits.find() ? Integer.parseInt(digits.group()) : 0;
  }

  /** The kind of cluster manager: local, yarn, k8s and so on. */
  String master() {
    return value("spark.master").split("[:\\[]", 2)[0];
  }

  /** "8g" in the spelling of Spark's sizes; a number alone counts MB; -1 where it is none. */
  static long megabytes(String spelled) {
    Matcher size = SIZE.matcher(spelled.toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      return -1;
    }
    int power = size.group(2).isEmpty() ? 2 : "bkmgtp".indexOf(size.group(2));
    return Math.round(Double.parseDouble(size.group(1)) * Math.pow(1024, power - 2));
  }
}
