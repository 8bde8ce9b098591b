package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.Run;
import io.github.bellamy.TraceOutcome;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.launcher.SparkLauncher;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real driver with real executors, of the Spark distribution in SPARK_HOME. */
class RescalerIT {
  private static final int SMALL_JOBS = 1000;

  @TempDir Path folder;
  private Path history;
  private Path decisions;
  private Path log;
  private String delay = "3s";

  @BeforeEach
  void findSpark() {
    String home = System.getenv("SPARK_HOME");
    assumeTrue(home != null && new File(home, "bin/spark-submit").exists(), "skipped: SPARK_HOME names no Spark");
    history = folder.resolve("history.jsonl");
    decisions = folder.resolve("decisions.jsonl");
    log = folder.resolve("spark.log");
  }

  private int submit(String master, String... arguments) throws Exception {
    SparkLauncher application =
        new SparkLauncher()
            .setAppResource(System.getProperty("applications"))
            .setMainClass(SleepyRuns.class.getName())
            .setAppName("sleepy")
            .setMaster(master)
            .setConf("spark.driver.memory", "512m")
            .setConf("spark.executor.memory", "512m")
            .setConf("spark.ui.enabled", "false")
            .setConf("spark.plugins", RescalerPlugin.class.getName())
            .setConf("spark.bellamy.history", history.toString())
            .setConf("spark.bellamy.decisions", decisions.toString())
            .setConf("spark.executor.cores", "1")
            .setConf("spark.bellamy.delay", delay)
            .setConf("spark.bellamy.maxExecutors", "3")
            .addAppArgs(arguments)
            .redirectError()
            .redirectOutput(log.toFile());
    for (Class<?> type : List.of(RescalerPlugin.class, Run.class)) {
      application.addJar(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
    return application.launch().waitFor();
  }

  private String said() {
    try {
      return ours();
    } catch (IOException unread) {
      return unread.toString();
    }
  }

  private String ours() throws IOException {
    return Files.readAllLines(log).stream().filter(each -> each.contains("bellamy")).collect(Collectors.joining("\n"));
  }

  private ApplicationTrace run(String name) throws IOException {
    return TraceFile.read(history, "sleepy").stream()
        .filter(each -> each.run().endsWith(" " + name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("expected a run " + name));
  }

  private List<JsonNode> decisions(String name) throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (String each : Files.readAllLines(decisions)) {
      JsonNode decision = new ObjectMapper().readTree(each);
      if (decision.path("run").asText().endsWith(" " + name)) {
        all.add(decision);
      }
    }
    assertTrue(!all.isEmpty(), "expected decisions of " + name);
    return all;
  }

  private boolean did(String name, String words) throws IOException {
    return decisions(name).stream().anyMatch(each -> each.path("done").asText().matches(words));
  }

  private double deadline(String name) throws IOException {
    return decisions(name).get(0).path("deadline_s").asDouble();
  }

  private void assertNeverAsked(String name) throws IOException {
    assertTrue(decisions(name).stream().noneMatch(each -> each.path("done").asText().startsWith("asks for ")));
  }

  private void assertAskedOnceAnExecutorWasLost() throws IOException {
    assertTrue(run("loses").scaleOut().stream().anyMatch(each -> each.scaleOut() == 1));
    assertTrue(
        decisions("loses").stream()
            .anyMatch(each -> each.path("cores").asInt() == 1 && each.path("done").asText().matches("asks for \\d more executors?")));
  }

  private void assertRecorded(List<String> names, int jobs) throws IOException {
    for (String each : names) {
      assertEquals(jobs, run(each).jobs().size());
      assertEquals(TraceOutcome.SUCCEEDED, run(each).outcome());
    }
  }

  /** Of {@code SleepyRuns ask} on one to three cores, slow enough in what cores do not help that one core costs the least. */
  private void makeUpHistory() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 6; i++) {
      int cores = 1 + i % 3;
      double slowness = i < 3 ? 1 : 1.15;
      double map = slowness * (0.15 + Math.ceil((double) SleepyRuns.TASKS / cores) * (SleepyRuns.SHORT_MILLIS / 1000.0 + 0.01));
      double reduce = slowness * (0.15 + Math.ceil((double) SleepyRuns.REDUCERS / cores) * 0.02);
      double at = 0;
      List<String> jobs = new ArrayList<>();
      for (int job = 0; job < SleepyRuns.SHORT_JOBS; job++) {
        double middle = at + 0.01 + map;
        double end = middle + reduce;
        jobs.add(
            String.format(
                Locale.ROOT,
                "{\"id\":%d,\"submitted_s\":%f,\"completed_s\":%f,\"stages\":[%s,%s]}",
                job, at, end + 0.01, stage(2 * job, "", SleepyRuns.TASKS, at + 0.01, middle, cores),
                stage(2 * job + 1, Integer.toString(2 * job), SleepyRuns.REDUCERS, middle, end, cores)));
        at = end + 0.02;
      }
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"format\":1,\"application\":\"sleepy\",\"run\":\"made up %d\",\"unit\":\"core\",\"runtime_s\":%f,\"properties\":{},"
                  + "\"scale_out\":[[0,%d]],\"jobs\":[%s]}\n",
              i, at, cores, String.join(",", jobs)));
    }
    Files.writeString(history, lines.toString());
  }

  private static String stage(int id, String parent, int tasks, double from, double to, int cores) {
    return String.format(
        Locale.ROOT,
        "{\"id\":%d,\"name\":\"%s\",\"parents\":[%s],\"tasks\":%d,\"submitted_s\":%f,\"completed_s\":%f,\"scale_out\":[%d,%d]}",
        id, SleepyRuns.STAGE, parent, tasks, from, to, cores, cores);
  }

  /** Asserts what was asked for and recorded, however fast Spark brings and takes executors. */
  private void assertAsksByDeadlines(String master) throws Exception {
    makeUpHistory();
    delay = "1s";
    assertEquals(0, submit(master, "2", "ask"), this::said);
    System.out.println(ours());
    assertRecorded(List.of("advised", "acting", "loses", "slack"), SleepyRuns.SHORT_JOBS);
    assertTrue(did("advised", "advises 1 more executor"), this::said);
    assertNeverAsked("advised");
    assertTrue(did("acting", "asks for 1 more executor"), this::said);
    assertAskedOnceAnExecutorWasLost();
    assertTrue(did("slack", "asks for 1 executor less"), this::said);
  }

  /** Before a release: half a minute on an idle machine, minutes on a busy one. */
  @Test
  @Tag("release")
  void aDriverAsksForExecutorsAndGivesThemBackByItsDeadline() throws Exception {
    assertAsksByDeadlines("local-cluster[2,1,512]");
  }

  /** The other kind of cluster that can be started here; Spark's package for Python has no scripts that start it. */
  @Test
  @Tag("release")
  void itDoesSoOnAStandaloneMasterToo() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String url = "spark://127.0.0.1:" + port;
    Process master = daemon("master.Master", "--host", "127.0.0.1", "--port", Integer.toString(port));
    Process worker = null;
    try {
      worker = daemon("worker.Worker", "--cores", "2", "--memory", "1g", "--work-dir", folder.resolve("work").toString(), url);
      assertAsksByDeadlines(url);
    } finally {
      if (worker != null) {
        worker.destroy();
        worker.waitFor();
      }
      master.destroy();
      master.waitFor();
    }
  }

  private Process daemon(String name, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of(System.getenv("SPARK_HOME") + "/bin/spark-class", "org.apache.spark.deploy." + name));
    command.addAll(List.of("--webui-port", "0"));
    command.addAll(List.of(arguments));
    ProcessBuilder process = new ProcessBuilder(command).redirectErrorStream(true);
    process.environment().put("SPARK_DAEMON_MEMORY", "256m");
    return process.redirectOutput(folder.resolve(name + ".log").toFile()).start();
  }

  /** Before a release, on a machine that does nothing else: Spark takes seconds to bring executors, and brings some back. */
  @Test
  @Tag("release")
  void aDriverLearnsFromItsRunsAndChangesItsExecutorsByItsDeadline() throws Exception {
    assertEquals(0, submit("local-cluster[3,1,512]", "3", "learn"), this::said);
    System.out.println(ours());
    RescalerReport report = new RescalerReport(decisions, history);
    report.print(System.out);
    assertRecorded(List.of("three", "two", "one", "acting", "slack", "loses"), SleepyRuns.LONG_JOBS);
    assertTrue(did("one", "advises \\d more executors?"));
    assertNeverAsked("one");
    assertTrue(run("one").runtimeSeconds() > deadline("one"));

    assertTrue(did("acting", "asks for \\d more executors?"));
    double deadline = deadline("acting");
    assertTrue(deadline < run("one").runtimeSeconds());
    if (run("acting").scaleOut().stream().anyMatch(each -> each.scaleOut() > 1 && each.atSeconds() < deadline / 3)) {
      assertTrue(run("acting").runtimeSeconds() < deadline); // else Spark brought them late
    }

    assertTrue(did("slack", "asks for \\d executors? less"));
    assertTrue(run("slack").runtimeSeconds() < deadline("slack"));
    assertAskedOnceAnExecutorWasLost();
    assertTrue(report.coverage() >= 0.5, () -> "the 90 % intervals held " + report.coverage());
  }

  /** Takes two minutes, and a machine that does nothing else. */
  @Test
  @Tag("bench")
  void questionsAndCallbacksOfAThousandSmallJobsCostLessThanAHundredthOfTheDriversTime() throws Exception {
    for (int i = 0; i < 3; i++) { // without a history, with one to learn from, and with what was learned of that
      assertEquals(0, submit("local-cluster[1,1,512]", "1", "small", Integer.toString(SMALL_JOBS)), this::said);
      System.out.println(ours().lines().filter(each -> !each.contains("jobs ended after")).collect(Collectors.joining("\n")));
      Matcher share = Pattern.compile("questions ([0-9.]+) s, callbacks ([0-9.]+) s, together [0-9.]+ % of the driver's ([0-9.]+) s").matcher(ours());
      assertTrue(share.find(), this::toString);
      double seconds = Double.parseDouble(share.group(1)) + Double.parseDouble(share.group(2));
      assertTrue(seconds < 0.01 * Double.parseDouble(share.group(3)), share::group);
      assertEquals(i + 1, TraceFile.read(history, "sleepy").size());
    }
  }
}
