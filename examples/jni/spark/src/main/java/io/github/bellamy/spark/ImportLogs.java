package io.github.bellamy.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.deploy.SparkHadoopUtil;

/**
 * Event logs to traces as a Spark job: any file system and codec that Spark reads, several logs at once on the executors. They open a
 * log by Spark's own means and hand its text to the tool {@code bellamy import}, which Spark brings to them, so that one parser reads all.
 */
public final class ImportLogs {
  private static final int MOST_TASKS = 10_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What became of one log. */
  static final class Imported implements Serializable {
    private static final long serialVersionUID = 1;

    final EventLogs.Log log;
    /** JSON object of the tool's report. */
    String facts;
    /** As a line of a trace file; null where it is no run, or a newer attempt counts. */
    String trace;
    String run = "";
    long attempt;
    long startedAtMillis;
    boolean ended;
    long events;

    Imported(EventLogs.Log log) {
      this.log = log;
    }

    /** A file beside logs, which is none. */
    boolean passedOver() throws IOException {
      return trace == null && !log.wasNamed && !log.rolls && reason().matches("(?s)(no_event_log|empty_log|unreadable_codec):.*");
    }

    /** Why it is no run of the history; empty where it is one. */
    String reason() throws IOException {
      return JSON.readTree(facts).path("skipped").asText();
    }

    private void skip(String why) throws IOException {
      trace = null;
      ObjectNode told = (ObjectNode) JSON.readTree(facts);
      facts = JSON.writeValueAsString(told.put("taken", false).put("skipped", why));
    }
  }

  private ImportLogs() {}

  /**
   * One of each log, in their order; of several attempts at an application the newest has a trace. {@code tool} is the program's file
   * at the driver, {@code names} are its rules for names. Error: IOException where a path is not there.
   */
  static List<Imported> importAll(JavaSparkContext spark, String tool, List<String> names, List<String> paths) throws IOException {
    List<EventLogs.Log> logs = EventLogs.find(paths, spark.hadoopConfiguration());
    List<Integer> longestFirst = IntStream.range(0, logs.size()).boxed().collect(Collectors.toList());
    longestFirst.sort(Comparator.comparingLong(i -> -logs.get(i).bytes));
    List<EventLogs.Log> tasks = longestFirst.stream().map(logs::get).collect(Collectors.toList());
    spark.addFile(tool);
    String program = java.nio.file.Path.of(tool).getFileName().toString();
    List<String> rules = new ArrayList<>(names);
    List<Imported> done =
        spark
            .parallelize(tasks, Math.max(1, Math.min(MOST_TASKS, tasks.size())))
            .map(log -> importOne(log, SparkFiles.get(program), rules))
            .collect();
    List<Imported> all = new ArrayList<>(done);
    for (int i = 0; i < done.size(); i++) {
      all.set(longestFirst.get(i), done.get(i));
    }
    supersede(all);
    return all;
  }

  /** What an executor does. */
  private static Imported importOne(EventLogs.Log log, String tool, List<String> rules) throws IOException {
    java.nio.file.Path folder = Files.createTempDirectory("bellamy");
    java.nio.file.Path traces = folder.resolve("traces.jsonl");
    java.nio.file.Path report = folder.resolve("report.json");
    java.nio.file.Path words = folder.resolve("output");
    try {
      List<String> command =
          new ArrayList<>(List.of(tool, "import", "--traces", traces.toString(), "--report", report.toString(), "--threads", "1"));
      rules.forEach(each -> command.addAll(List.of("--name", each)));
      command.add("/dev/stdin");
      Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(words.toFile()).start();
      Imported made = new Imported(log);
      String problem = feed(log, process.getOutputStream());
      process.waitFor();
      if (problem != null) {
        made.facts = "{}";
        made.skip("cannot_read: " + problem);
        return made;
      }
      if (!Files.exists(report)) {
        throw new IOException("expected a report of " + tool + " on " + log.name + ", found: " + Files.readString(words));
      }
      take(made, report, traces);
      return made;
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while reading " + log.name, stop);
    } finally {
      for (java.nio.file.Path each : List.of(traces, report, words, folder)) {
        Files.deleteIfExists(each);
      }
    }
  }

  /** Null, or why the log cannot be opened. */
  private static String feed(EventLogs.Log log, OutputStream into) {
    Configuration hadoop = SparkHadoopUtil.get().newConfiguration(SparkEnv.get().conf());
    String problem = null;
    try {
      EventLogs.read(log, hadoop, SparkEnv.get().conf(), new EventLogs.Sink(into));
    } catch (IOException unreadable) {
      problem = unreadable.getMessage();
    }
    try {
      into.close();
    } catch (IOException hasReadEnough) {
      return problem;
    }
    return problem;
  }

  private static void take(Imported made, java.nio.file.Path report, java.nio.file.Path traces) throws IOException {
    JsonNode facts = JSON.readTree(Files.readString(report)).elements().next();
    made.facts = facts.toString();
    made.ended = facts.path("application_end").asBoolean();
    made.events = facts.path("events").asLong();
    if (!facts.path("taken").asBoolean()) {
      return;
    }
    made.trace = Files.readAllLines(traces).get(0);
    JsonNode trace = JSON.readTree(made.trace);
    made.run = trace.path("run").asText();
    made.attempt = trace.path("attempt").asLong(1);
    made.startedAtMillis = Math.round(1000 * trace.path("started_at_s").asDouble());
  }

  // As the tool does among the logs that it reads itself.
  private static void supersede(List<Imported> all) throws IOException {
    Comparator<Imported> newer =
        Comparator.<Imported>comparingLong(each -> each.attempt)
            .thenComparingLong(each -> each.startedAtMillis)
            .thenComparing(each -> each.ended)
            .thenComparingLong(each -> each.events)
            .reversed();
    Map<String, List<Imported>> byRun = new HashMap<>();
    all.stream().filter(each -> !each.run.isEmpty()).forEach(each -> byRun.computeIfAbsent(each.run, any -> new ArrayList<>()).add(each));
    for (List<Imported> logs : byRun.values()) {
      logs.sort(newer);
      Imported kept = logs.get(0);
      for (Imported each : logs.subList(1, logs.size())) {
        if (each.attempt == kept.attempt && each.startedAtMillis != kept.startedAtMillis) { // two applications with one id
          kept = each;
        } else if (each.attempt != kept.attempt) {
          each.skip("older_attempt: attempt " + kept.attempt + " of " + each.run + " is in " + kept.log.name);
        } else {
          each.skip("duplicate_run: " + each.run + " is in " + kept.log.name + ", too");
        }
      }
    }
  }

  /** The traces by the time when they began; compressed where the name ends in .zst. */
  static void writeTraces(List<Imported> all, String file, Configuration hadoop) throws IOException {
    List<Imported> runs = all.stream().filter(each -> each.trace != null).collect(Collectors.toList());
    runs.sort(Comparator.comparingLong(each -> each.startedAtMillis));
    Path path = new Path(file);
    try (OutputStream bytes = path.getFileSystem(hadoop).create(path, true);
        OutputStream to = file.endsWith(".zst") ? new ZstdOutputStream(bytes) : bytes) {
      for (Imported each : runs) {
        to.write((each.trace + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  /** The facts of every log, or why it was skipped, as JSON. */
  static void writeReport(List<Imported> all, String file, Configuration hadoop) throws IOException {
    ObjectNode report = JSON.createObjectNode();
    for (Imported each : all) {
      report.set(each.log.name, JSON.readTree(each.facts));
    }
    Path path = new Path(file);
    try (OutputStream to = path.getFileSystem(hadoop).create(path, true)) {
      to.write(JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(report));
    }
  }

  private static final String USAGE = "ImportLogs --importer FILE --traces FILE [--report FILE] [--name RULE]... LOG...";

  /** Paths are Hadoop's, but for the importer's, which is a file at the driver: {@value #USAGE}. */
  public static void main(String[] arguments) throws IOException {
    Map<String, String> files = new HashMap<>();
    List<String> names = new ArrayList<>();
    List<String> logs = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      boolean isOption = arguments[i].startsWith("--");
      if (isOption && (!List.of("--importer", "--traces", "--report", "--name").contains(arguments[i]) || i + 1 == arguments.length)) {
        logs.clear();
        break;
      } else if (arguments[i].equals("--name")) {
        names.add(arguments[++i]);
      } else if (isOption) {
        files.put(arguments[i], arguments[++i]);
      } else {
        logs.add(arguments[i]);
      }
    }
    if (logs.isEmpty() || !files.containsKey("--importer") || !files.containsKey("--traces")) {
      System.err.println(USAGE);
      System.exit(2);
    }
    try (JavaSparkContext spark = new JavaSparkContext()) {
      List<Imported> all = importAll(spark, files.get("--importer"), names, logs);
      int taken = 0;
      for (Imported each : all) {
        taken += each.trace != null ? 1 : 0;
        if (each.trace == null && !each.passedOver()) {
          System.out.println("skipped       " + each.log.name + ": " + each.reason());
        }
      }
      System.out.println("taken         " + taken + " runs of " + all.size() + " logs");
      if (files.containsKey("--report")) {
        writeReport(all, files.get("--report"), spark.hadoopConfiguration());
      }
      if (taken == 0) {
        throw new IOException("expected at least one event log that can be read, found none");
      }
      writeTraces(all, files.get("--traces"), spark.hadoopConfiguration());
    }
  }
}
