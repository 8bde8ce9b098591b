package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.github.bellamy.Property;
import java.io.IOException;
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

  private static final JsonFactory TOKENS = new JsonFactory();
  private static final String DATABRICKS = "spark.databricks.clusterUsageTags.";

  /** What Databricks calls the cluster of a job's run. */
  private static final Pattern CLUSTER_OF_JOB = Pattern.compile("job-([0-9]{1,20})-run-[0-9]{1,20}.*");

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
  private boolean ofDatabricks; // by a setting that its clusters have

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
    take(all);
  }

  /** Settings by their names. */
  void take(Map<String, String> all) {
    Pattern secret = Pattern.compile(all.getOrDefault("spark.redaction.regex", DEFAULT_REDACTION));
    all.forEach((key, value) -> values.putIfAbsent(key, hides(secret, key, value) ? REDACTED : value));
    ofDatabricks = values.keySet().stream().anyMatch(name -> name.startsWith(DATABRICKS));
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

  boolean isOfDatabricks() {
    return ofDatabricks;
  }

  /** The job that a cluster of Databricks was made for: the name of its runs, else "job" and its number; empty where there is none. */
  String databricksJob() {
    String id = databricksJobId();
    if (id.isEmpty()) {
      return "";
    }
    String name = tag("RunName");
    return name.isEmpty() ? "job " + id : name;
  }

  /** The number of that job; empty where none is stated. */
  private String databricksJobId() {
    if (!isOfDatabricks()) {
      return "";
    }
    String stated = value("spark.databricks.job.id").isEmpty() ? tag("JobId") : value("spark.databricks.job.id");
    Matcher cluster = CLUSTER_OF_JOB.matcher(value(DATABRICKS + "clusterName"));
    return stated.isEmpty() && cluster.matches() ? cluster.group(1) : stated;
  }

  /** Of the list of keys and values that a cluster of Databricks is tagged with; empty where it has no such tag. */
  private String tag(String wanted) {
    String found = "";
    try (JsonParser at = TOKENS.createParser(value(DATABRICKS + "clusterAllTags"))) {
      if (at.nextToken() != JsonToken.START_ARRAY) {
        return "";
      }
      for (JsonToken each = at.nextToken(); each != JsonToken.END_ARRAY; each = at.nextToken()) {
        if (each == JsonToken.START_OBJECT) {
          Map<String, String> tag = texts(at);
          found = found.isEmpty() && wanted.equals(tag.get("key")) ? tag.getOrDefault("value", "") : found;
        } else if (each == null) {
          return "";
        } else {
          at.skipChildren();
        }
      }
      return found;
    } catch (IOException noJson) {
      return "";
    }
  }

  /** Fields of the object that begins here, of those that are texts. */
  private static Map<String, String> texts(JsonParser at) throws IOException {
    Map<String, String> all = new HashMap<>();
    while (at.nextToken() == JsonToken.FIELD_NAME) {
      String name = at.currentName();
      if (at.nextToken() == JsonToken.VALUE_STRING) {
        all.put(name, at.getText());
      } else {
        at.skipChildren();
      }
    }
    return all;
  }

  /** What an application with these settings is called: a job of Databricks by its runs, others as they call themselves. */
  static String nameOf(Map<String, String> settings, String asItCallsItself) {
    Environment of = new Environment();
    of.take(settings);
    String job = of.databricksJob();
    return job.isEmpty() ? asItCallsItself : job;
  }

  /** Whether executors come and go as they are needed. */
  boolean allocatesDynamically() {
    return value("spark.dynamicAllocation.enabled").equals("true") || value(DATABRICKS + "clusterScalingType").equals("autoscaling");
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
    add(all, "arguments", clean(DriverCommand.arguments(value("sun.java.command"))));
    add(all, "machine_type", firstOf(MACHINE_TYPES));
    add(all, "driver_machine_type", firstOf(DRIVER_MACHINE_TYPES));
    add(all, "cluster", clean(value(DATABRICKS + "clusterName")));
    add(all, "job", databricksJobId());
    return all;
  }

  private static String clean(String words) {
    return words.isEmpty() ? "" : NameRule.clean(words);
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
