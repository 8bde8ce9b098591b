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
  private static final int SLEEPY_JOBS = 8;

  /** A driver that lives for seconds is not worth compiling twice. */
  private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

  @TempDir Path folder;
  private Path history;
  private Path decisions;
  private Path log;
  private Path record;
  private String delay = "3s";
  private String maxExecutors = "3";
  private Class<?> main = SleepyRuns.class;
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
            .setMainClass(main.getName())
            .setAppName("sleepy")
            .setMaster(master)
            .setConf("spark.driver.memory", "512m")
            .setConf("spark.executor.memory", "512m")
            .setConf("spark.ui.enabled", "false")
            .setConf("spark.driver.extraJavaOptions", SHORT_LIVED)
            .setConf("spark.executor.extraJavaOptions", SHORT_LIVED)
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

  private void set(String... keysAndValues) {
    for (int i = 0; i < keysAndValues.length; i += 2) {
      settings.put(keysAndValues[i], keysAndValues[i + 1]);
    }
  }

  /** The jobs of this one read what its first job shuffled. */
  private void submitSleepy(String master) throws Exception {
    main = SleepyApplication.class;
    delay = "1s";
    Files.deleteIfExists(decisions);
    assertEquals(0, submit(master), this::said);
    System.out.println(ours());
  }

  private void learnSleepy(String master, int... executors) throws Exception {
    set("spark.test.workers", master.substring(master.indexOf('[') + 1, master.indexOf(',')));
    set("spark.bellamy.rescale", "advise", "spark.bellamy.giveBack", "safe");
    for (int each : executors) {
      set("spark.test.executors", Integer.toString(each));
      submitSleepy(master);
    }
    record = folder.resolve("record.jsonl");
    set("spark.bellamy.rescale", "act", "spark.bellamy.deadline", "3600");
  }

  private List<JsonNode> allDecisions() throws IOException {
    List<JsonNode> all = new ArrayList<>();
    for (String each : Files.readAllLines(decisions)) {
      all.add(new ObjectMapper().readTree(each));
    }
    return all;
  }

  private boolean anyDone(String words) throws IOException {
    return allDecisions().stream().anyMatch(each -> each.path("done").asText().matches(words));
  }

  private void assertJobsKnown(int most) throws IOException {
    for (JsonNode each : allDecisions()) {
      assertTrue(each.path("jobs").asInt() == most, each::toString);
    }
    assertEquals(0, lines("bellamy gives no advice"), this::said);
  }

  private static double metric(List<String> page, String name) {
    String line =
        page.stream()
            .filter(each -> each.contains("bellamy_forecast_" + name + "_Value"))
            .findFirst()
            .orElseThrow(() -> new AssertionError("expected a metric " + name + ", found " + page));
    return Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
  }

  /** Without decommissioning the stage of the first job would run again, for each executor given back. */
  @Test
  @Tag("alone")
  void nothingIsGivenBackWhereShuffledDataWouldGoAndSparksMetricsSaySo() throws Exception {
    String master = "local-cluster[2,1,512]";
    learnSleepy(master, 2);
    set("spark.ui.enabled", "true", "spark.ui.port", "0");
    set("spark.metrics.conf.*.sink.prometheusServlet.class", "org.apache.spark.metrics.sink.PrometheusServlet");
    set("spark.metrics.conf.*.sink.prometheusServlet.path", "/metrics/prometheus");
    submitSleepy(master);
    assertTrue(anyDone("keeps 1 executor, with which shuffled data would go"), this::said);
    assertEquals(0, lines("killed by driver"));
    assertEquals(1, lines("bellamy gives no executor back"), this::said);
    JsonNode last = allDecisions().get(allDecisions().size() - 1);
    List<String> page = Files.readAllLines(log).stream().filter(each -> each.startsWith("metrics_")).collect(Collectors.toList());
    double state = metric(page, "state");
    assertTrue(state == RescalerStatus.State.HELD.ordinal() || state == RescalerStatus.State.ACTING.ordinal(), () -> "found " + state);
    assertEquals(last.path("executors").asInt(), 2);
    assertTrue(metric(page, "remaining") >= 0 || Double.isNaN(metric(page, "remaining")));
    assertTrue(metric(page, "probability") > 0.9 || Double.isNaN(metric(page, "probability")));
    assertTrue(metric(page, "advice") >= 1);
  }

  @Test
  @Tag("alone")
  void whatIsShuffledMovesBeforeAnExecutorGoes() throws Exception {
    String master = "local-cluster[2,1,512]";
    learnSleepy(master, 1, 2);
    set("spark.decommission.enabled", "true", "spark.storage.decommission.enabled", "true");
    set("spark.storage.decommission.shuffleBlocks.enabled", "true");
    submitSleepy(master);
    assertTrue(anyDone("asks for 1 executor less"), this::said);
    assertJobsKnown(SLEEPY_JOBS);
    ApplicationTrace run = TraceFile.read(record, "sleepy").get(0);
    assertTrue(run.jobs().subList(1, run.jobs().size()).stream().allMatch(each -> each.stages().size() == 1), "a stage ran again");
  }

  /** The stage of the first job runs again in a later one, which is known for what it is. */
  @Test
  @Tag("alone")
  void aRunThatLosesAnExecutorAndWhatItShuffledStaysKnown() throws Exception {
    String master = "local-cluster[2,1,512]";
    learnSleepy(master, 2);
    set("spark.test.loses", "3");
    submitSleepy(master);
    ApplicationTrace run = TraceFile.read(record, "sleepy").get(0);
    assertTrue(run.jobs().stream().skip(1).anyMatch(each -> each.stages().size() > 1), "expected a stage to run again");
    assertJobsKnown(SLEEPY_JOBS);
    assertTrue(allDecisions().stream().anyMatch(each -> each.path("ended_jobs").asInt() > 4), this::said);
  }

  /** With the size before it gave one back, since it does not know the jobs to come. */
  @Test
  @Tag("alone")
  void whereItFallsSilentItRestoresTheLastSizeAtWhichItKnewTheAnswer() throws Exception {
    String master = "local-cluster[2,1,512]";
    learnSleepy(master, 1, 2);
    set("spark.test.comes", "2");
    set("spark.decommission.enabled", "true", "spark.storage.decommission.enabled", "true");
    set("spark.storage.decommission.shuffleBlocks.enabled", "true", "spark.test.unknown", "1");
    submitSleepy(master);
    assertTrue(anyDone("asks for 1 executor less"), this::said);
    assertEquals(1, lines("bellamy asks for 1 more executor: with 2 it last knew what was to come"), this::said);
    assertEquals(1, lines("the jobs of this run are not those of any run it learned from"), this::said);
  }

  /** So many cores, by the record: not every job is asked about. */
  private void assertCame(int cores) throws IOException {
    assertTrue(TraceFile.read(record, "sleepy").get(0).scaleOut().stream().anyMatch(each -> each.scaleOut() == cores), this::said);
  }

  private void asksForExecutorsOf(int cores) throws Exception {
    String master = "local-cluster[2," + cores + ",512]";
    set("spark.executor.cores", Integer.toString(cores), "spark.test.tasks", Integer.toString(8 * cores));
    learnSleepy(master, 1, 2);
    set("spark.test.executors", "1", "spark.test.comes", "2", "spark.bellamy.deadline", "1", "spark.bellamy.maxExecutors", "2");
    submitSleepy(master);
    assertTrue(anyDone("asks for 1 more executor"), this::said);
    assertEquals(cores, allDecisions().get(0).path("cores").asInt());
    assertCame(2 * cores);
  }

  @Test
  @Tag("alone")
  void itAsksForExecutorsOfTwoCores() throws Exception {
    asksForExecutorsOf(2);
  }

  @Test
  @Tag("alone")
  void itAsksForExecutorsOfFourCores() throws Exception {
    asksForExecutorsOf(4);
  }

  private void allocateDynamically(String least, String most) {
    set("spark.dynamicAllocation.enabled", "true", "spark.dynamicAllocation.shuffleTracking.enabled", "true");
    set("spark.dynamicAllocation.minExecutors", least, "spark.dynamicAllocation.maxExecutors", most);
    set("spark.dynamicAllocation.executorAllocationRatio", "0.1"); // by itself Spark has one executor for so few tasks
  }

  @Test
  @Tag("alone")
  void underDynamicAllocationItAsksForMore() throws Exception {
    String master = "local-cluster[3,1,512]";
    learnSleepy(master, 1, 2, 3);
    allocateDynamically("1", "2");
    set("spark.test.workers", "1", "spark.test.executors", "0", "spark.test.comes", "2");
    set("spark.bellamy.deadline", "1", "spark.bellamy.maxExecutors", "3");
    submitSleepy(master);
    assertTrue(anyDone("asks for 1 more executor"), this::said);
    assertTrue(allDecisions().stream().noneMatch(each -> each.path("chosen_cores").asInt() > 2), this::said);
    assertCame(2);
  }

  @Test
  @Tag("alone")
  void underDynamicAllocationItLeavesIdleExecutorsToSpark() throws Exception {
    String master = "local-cluster[2,1,512]";
    learnSleepy(master, 1, 2);
    allocateDynamically("1", "2");
    set("spark.test.executors", "0", "spark.dynamicAllocation.initialExecutors", "2");
    set("spark.bellamy.giveBack", "always");
    submitSleepy(master);
    assertTrue(anyDone("keeps 1 executor, which dynamic allocation gives back"), this::said);
    assertEquals(1, lines("bellamy gives no executor back: Spark's dynamic allocation does so"), this::said);
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
