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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.apache.spark.launcher.SparkLauncher;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real driver with real executors, of the Spark distribution in SPARK_HOME. */
class RescalerIT {
  @TempDir Path folder;
  private Path history;
  private Path decisions;
  private Path log;
  private Path record;
  private String delay = "3s";
  private String maxExecutors = "3";
  private final Map<String, String> settings = new HashMap<>(); // more of them

  @BeforeEach
  void findSpark() {
    String home = System.getenv("SPARK_HOME");
    assumeTrue(home != null && new File(home, "bin/spark-submit").exists(), "skipped: SPARK_HOME names no Spark");
    history = folder.resolve("history.jsonl");
    record = history;
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
            .setConf("spark.bellamy.record", record.toString())
            .setConf("spark.bellamy.decisions", decisions.toString())
            .setConf("spark.executor.cores", "1")
            .setConf("spark.standalone.executorRemoveDelayOnDisconnection", "100ms") // and not 5 s, to learn why it went
            .setConf("spark.bellamy.delay", delay)
            .setConf("spark.bellamy.giveBack", "always") // no job reads what another one shuffled
            .setConf("spark.bellamy.maxExecutors", maxExecutors)
            .addAppArgs(arguments)
            .redirectError()
            .redirectOutput(log.toFile());
    settings.forEach(application::setConf);
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
    return TraceFile.read(record, "sleepy").stream()
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

  private List<Double> runFactors(String name, IntPredicate afterJobs) throws IOException {
    List<Double> found =
        decisions(name).stream()
            .filter(each -> each.has("run_factor") && afterJobs.test(each.path("ended_jobs").asInt()))
            .map(each -> each.path("run_factor").asDouble())
            .collect(Collectors.toList());
    assertTrue(!found.isEmpty(), () -> "expected run factors of " + name + "\n" + said());
    return found;
  }

  /** The next job read again what the lost executor had cached: longer than one executor alone takes. */
  private void assertRunFactorRoseWithTheLoss() throws IOException {
    List<Double> before = runFactors("loses", jobs -> jobs <= SleepyRuns.LOST_BEFORE);
    List<Double> after = runFactors("loses", jobs -> jobs > SleepyRuns.LOST_BEFORE);
    double last = before.get(before.size() - 1);
    assertTrue(after.get(0) > 1.1 * last, () -> "run factors " + before + " before the loss, " + after + " after it\n" + said());
  }

  /** With histories that the driver makes up. */
  private void runOnTwoExecutors(String master, String mode) throws Exception {
    delay = "1s";
    maxExecutors = "2";
    record = folder.resolve("record.jsonl");
    assertEquals(0, submit(master, "2", mode, folder.toString()), this::said);
    System.out.println(ours());
  }

  private void assertAsksByDeadlines(String master) throws Exception {
    runOnTwoExecutors(master, "ask");
    assertRecorded(List.of("loses", "acting"), SleepyRuns.SHORT_JOBS);
    assertRecorded(List.of("slack"), SleepyRuns.SLACK_JOBS);
    assertRecorded(List.of("advised"), SleepyRuns.ADVISED_JOBS);
    assertAskedOnceAnExecutorWasLost();
    assertRunFactorRoseWithTheLoss();
    assertTrue(did("slack", "asks for 1 executor less"), this::said);
    assertTrue(did("advised", "advises 1 more executor"), this::said);
    assertNeverAsked("advised");
    assertTrue(did("acting", "asks for 1 more executor"), this::said);
    assertTrue(run("acting").runtimeSeconds() <= deadline("acting"), () -> "acting took longer than its deadline\n" + said());
  }

  @Test
  @Tag("alone")
  void aDriverAsksForExecutorsAndGivesThemBackByItsDeadline() throws Exception {
    assertAsksByDeadlines("local-cluster[2,1,512]");
  }

  /** The other kind of cluster that can be started here; Spark's package for Python has no scripts that start it. */
  @Test
  @Tag("alone")
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

  private long lines(String words) throws IOException {
    return Files.readAllLines(log).stream().filter(each -> each.contains(words)).count();
  }

  @Test
  @Tag("alone")
  void executorsGivenBackAreDecommissionedWhereThatIsOn() throws Exception {
    settings.put("spark.decommission.enabled", "true");
    runOnTwoExecutors("local-cluster[2,1,512]", "slack");
    assertTrue(did("slack", "asks for 1 executor less"), this::said);
    assertEquals(1, lines("is decommissioned after"));
    assertEquals(0, lines("killed by driver"));
  }

  @Test
  @Tag("alone")
  void itOnlyAdvisesAndSaysSoOnceWhereSparkAllocatesExecutorsDynamically() throws Exception {
    settings.put("spark.dynamicAllocation.enabled", "true");
    settings.put("spark.dynamicAllocation.shuffleTracking.enabled", "true");
    settings.put("spark.dynamicAllocation.minExecutors", "2");
    settings.put("spark.dynamicAllocation.maxExecutors", "2");
    settings.put("spark.bellamy.rescale", "act");
    runOnTwoExecutors("local-cluster[2,1,512]", "slack");
    assertTrue(did("slack", "advises 1 executor less"), this::said);
    assertNeverAsked("slack");
    assertEquals(1, lines("bellamy only advises"), this::said);
  }

  /** On a machine that does nothing else: Spark takes seconds to bring executors, and brings some back. */
  @Test
  @Tag("alone")
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

    assertTrue(did("slack", "asks for \\d executors? less"));
    assertTrue(run("slack").runtimeSeconds() < deadline("slack"));
    assertAskedOnceAnExecutorWasLost();
    assertTrue(report.coverage() >= 0.5, () -> "the 90 % intervals held " + report.coverage());
  }
}
