package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.JobTrace;
import io.github.bellamy.TraceOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.Success$;
import org.apache.spark.executor.ExecutorMetrics;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerEnvironmentUpdate;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.TaskInfo;
import org.apache.spark.scheduler.TaskLocality;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;
import scala.collection.immutable.List$;

class RunListenerTest {
  @TempDir Path folder;

  /** What the recorder plugin adds where no model is named. */
  @Test
  void aRunIsRecordedWithoutAModelAsTheRescalerRecordsIt() throws Exception {
    Path record = folder.resolve("runs.jsonl");
    RescalerSettings settings =
        new RescalerSettings(
            Map.of(
                "record", record.toString(), "property.data_size_MB", "500", "property.input", "rides", "property.share", "0.25"));
    SimulatedApplication application =
        new SimulatedApplication(new RunListener("spark 0", "sim", SimulatedApplication.START, 1, settings));
    application.start("app-1", 1);
    application.jobs(1, 1);
    application.addExecutors(1);
    application.jobs(1, 1);
    application.end();
    assertEquals(Files.readString(Path.of(System.getProperty("golden"), "recorded_run.jsonl")), Files.readString(record));
  }

  /** Counts what it is told. */
  private static final class Counting extends RunListener {
    int runs;
    int jobs;
    boolean wantsToKnow;
    boolean concurrent;
    boolean fails;
    int saidFailures;
    final List<Integer> endedJobs = new ArrayList<>();

    Counting(RescalerSettings settings) {
      super("spark 0", "sim", SimulatedApplication.START, 1, settings);
    }

    @Override
    void sayFailed(Throwable failed) {
      saidFailures++;
    }

    @Override
    void runBegan(RescalerSettings ofTheRun) {
      runs++;
    }

    @Override
    void jobBegan(RunTrace ofRun) {
      jobs++;
      concurrent |= ofRun.concurrent();
      if (fails) {
        throw new IllegalStateException("as asked for");
      }
    }

    @Override
    boolean asks() {
      return wantsToKnow;
    }

    @Override
    void jobEnded(RunTrace ofRun, RescalerSettings ofTheRun, long time) {
      endedJobs.add(ofRun.soFar(time).jobs().size());
    }
  }

  private Path record() {
    return folder.resolve("runs.jsonl");
  }

  private Counting recording() {
    return new Counting(new RescalerSettings(Map.of("record", record().toString())));
  }

  private static SimulatedApplication started(RunListener listener) {
    SimulatedApplication application = new SimulatedApplication(listener);
    application.start("app-1", 1);
    return application;
  }

  private static void mark(SimulatedApplication application, String run) {
    application.setLocal("spark.jobGroup.id", "spark.bellamy.run.start " + run);
  }

  private static void unmark(SimulatedApplication application) {
    application.setLocal("spark.jobGroup.id", "another");
  }

  @Test
  void eventsAreWorkedThroughManyAtATimeWhereNobodyAsks() {
    Counting listener = recording();
    SimulatedApplication application = started(listener); // two events
    application.jobs(2, 1); // thirty each
    assertEquals(0, listener.jobs);
    application.jobs(1, 1); // the first of its events is the 63rd
    assertEquals(3, listener.jobs);
    assertEquals(List.of(), listener.endedJobs);
  }

  @Test
  void whoAsksIsToldAtOnceOfAllJobsThatHaveEnded() {
    Counting listener = recording();
    SimulatedApplication application = started(listener);
    application.jobs(2, 1);
    listener.wantsToKnow = true;
    application.jobs(2, 1);
    assertEquals(List.of(3, 4), listener.endedJobs);
  }

  @Test
  void aMarkedRunBeginsAtOnceAndNoEventIsLost() throws Exception {
    Counting listener = recording();
    SimulatedApplication application = started(listener);
    mark(application, "first");
    application.startJob(2);
    assertEquals(1, listener.runs);
    application.runStages(2, 1);
    application.endJob(0, null);
    application.jobs(99, 1);
    mark(application, "second");
    application.jobs(1, 1);
    assertEquals(2, listener.runs);
    application.end();
    List<ApplicationTrace> runs = TraceFile.read(record(), "sim");
    assertEquals(List.of("app-1 first", "app-1 second"), List.of(runs.get(0).run(), runs.get(1).run()));
    assertEquals(100, runs.get(0).jobs().size());
    assertEquals(1, runs.get(1).jobs().size());
    for (JobTrace job : runs.get(0).jobs()) {
      assertEquals(List.of(12, 12), List.of(job.stages().get(0).taskSeconds().length, job.stages().get(1).taskSeconds().length));
    }
  }

  @Test
  void aJobOfAnotherGroupDoesNotCutARunInTwo() throws Exception {
    Counting listener = recording();
    SimulatedApplication application = started(listener);
    mark(application, "first");
    int own = application.startJob(2);
    unmark(application);
    int other = application.startJob(2);
    assertTrue(listener.concurrent);
    application.endJob(own, null);
    mark(application, "first");
    own = application.startJob(2); // beside the other one, too
    application.endJob(other, null);
    application.endJob(own, null);
    application.end();
    assertEquals(1, listener.runs);
    List<ApplicationTrace> runs = TraceFile.read(record(), "sim");
    assertEquals(1, runs.size());
    assertEquals(2, runs.get(0).jobs().size());
    assertEquals(TraceOutcome.UNFINISHED, runs.get(0).outcome());
    assertEquals(0, History.read(record(), "sim", NameRule.of("clean"), "").runs());
  }

  @Test
  void nothingIsLearnedFromPartsOfMarkedRunsThatTakeTurns() throws Exception {
    Counting listener = recording();
    SimulatedApplication application = started(listener);
    mark(application, "first");
    int first = application.startJob(2);
    mark(application, "second");
    int second = application.startJob(2);
    application.endJob(first, null);
    application.endJob(second, null);
    for (String each : List.of("second", "first", "second")) {
      listener.concurrent = false;
      mark(application, each);
      application.jobs(1, 1);
      unmark(application); // the events are worked through
      application.jobs(1, 1);
      assertTrue(listener.concurrent);
    }
    mark(application, "third");
    application.jobs(1, 1);
    application.end();
    assertEquals(5, TraceFile.read(record(), "sim").size());
    assertEquals(1, History.read(record(), "sim", NameRule.of("clean"), "").runs());
  }

  @Test
  void aRunThatBeginsBesideAJobOfNoneIsConcurrent() {
    Counting listener = recording();
    SimulatedApplication application = started(listener);
    int other = application.startJob(2);
    mark(application, "first");
    int own = application.startJob(2);
    assertTrue(listener.concurrent);
    application.endJob(other, null);
    application.endJob(own, null);
    listener.concurrent = false;
    mark(application, "second");
    application.jobs(1, 1);
    application.end();
    assertFalse(listener.concurrent);
  }

  @Test
  void aRunThatTookNoTimeIsNotRecorded() throws Exception {
    Counting listener = recording();
    SimulatedApplication application = started(listener);
    mark(application, "empty");
    int job = application.startJob(0);
    listener.onJobEnd(new SparkListenerJobEnd(job, application.now, JobSucceeded$.MODULE$));
    mark(application, "second");
    application.jobs(1, 1);
    application.end();
    List<ApplicationTrace> runs = TraceFile.read(record(), "sim");
    assertEquals(1, runs.size());
    assertEquals("app-1 second", runs.get(0).run());
  }

  @Test
  void nothingIsKeptOfARunThatNothingNeeds() {
    Counting listener = new Counting(new RescalerSettings(Map.of()));
    SimulatedApplication application = started(listener);
    application.jobs(1, 1);
    application.end();
    assertEquals(0, listener.jobs);
  }

  @Test
  void aRunOfVeryManyJobsIsDropped() throws Exception {
    Counting listener = recording();
    SimulatedApplication application = started(listener);
    mark(application, "long");
    for (int i = 0; i <= RunListener.MOST_JOBS; i++) {
      application.endJob(application.startJob(0), null);
    }
    mark(application, "second");
    application.jobs(1, 1);
    application.end();
    assertEquals(RunListener.MOST_JOBS + 1, listener.jobs);
    assertEquals(List.of("app-1 second"), List.of(TraceFile.read(record(), "sim").get(0).run()));
  }

  /** The settings of a run, as Spark tells them before its first job. */
  static void environment(RunListener listener, Map<String, String> spark, String command) {
    scala.collection.immutable.List<Tuple2<String, String>> settings = List$.MODULE$.empty();
    for (Map.Entry<String, String> each : spark.entrySet()) {
      settings = settings.$colon$colon(new Tuple2<>(each.getKey(), each.getValue()));
    }
    scala.collection.immutable.List<Tuple2<String, String>> system = List$.MODULE$.empty();
    system = system.$colon$colon(new Tuple2<>("sun.java.command", command));
    Object all = new scala.collection.immutable.Map.Map2<>("Spark Properties", settings, "System Properties", system);
    try {
      SparkListenerEnvironmentUpdate update =
          (SparkListenerEnvironmentUpdate) SparkListenerEnvironmentUpdate.class.getConstructors()[0].newInstance(all);
      listener.onEnvironmentUpdate(update);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private JsonNode recorded(Map<String, String> values, Map<String, String> spark, String name, String command) throws IOException {
    Map<String, String> all = new HashMap<>(values);
    all.put("record", record().toString());
    RunListener listener = new RunListener("spark 0", name, SimulatedApplication.START, 1, new RescalerSettings(all));
    environment(listener, spark, command);
    SimulatedApplication application = started(listener);
    application.jobs(1, 1);
    application.end();
    List<String> lines = Files.readAllLines(record());
    return new ObjectMapper().readTree(lines.get(lines.size() - 1));
  }

  @Test
  void settingsThatAreHiddenAreNoProperties() throws Exception {
    String hidden = "*********(redacted)";
    JsonNode run = recorded(Map.of(), Map.of("spark.executor.memory", hidden, "spark.executor.cores", hidden), "sim", "a.Main");
    assertTrue(run.path("properties").path("spark.executor.memory").isMissingNode());
    assertTrue(run.path("properties").path("spark.executor.cores").isMissingNode());
    assertEquals(0, run.path("executor_memory_MB").asInt());
  }

  @Test
  void aRunHasThePropertiesAndTheCleanNameThatItsEventLogGives() throws Exception {
    Map<String, String> spark =
        Map.of(
            "spark.executor.memory", "900m", "spark.executor.cores", "2", "spark.task.cpus", "2", "spark.master", "spark://h:7077",
            "spark.kubernetes.node.selector.node.kubernetes.io/instance-type", "m5.large");
    String submit = "org.apache.spark.deploy.SparkSubmit --class a.Main job.jar ";
    JsonNode run = recorded(Map.of("property.data_size_MB", "500"), spark, "sales-report-2026-11-01", submit + "daily 2026-11-01");
    assertEquals("sales-report", run.path("application").asText());
    assertEquals("sales-report-2026-11-01", run.path("name").asText());
    assertEquals("900m", run.path("properties").path("spark.executor.memory").asText());
    assertEquals("daily", run.path("properties").path("arguments").asText());
    assertEquals("m5.large", run.path("properties").path("machine_type").asText());
    assertEquals(500, run.path("properties").path("data_size_MB").asInt());
    assertEquals(500, run.path("data_size_MB").asInt());
    assertEquals(900, run.path("executor_memory_MB").asInt());
    assertEquals(1, run.path("executors").asInt());
    assertEquals(2, run.path("cores").asInt());
    assertEquals(0.5, run.path("slots_per_unit").asDouble());
    assertEquals("spark", run.path("master").asText());
    assertTrue(run.path("flags").isMissingNode());
  }

  @Test
  void executorsThatComeWithinTheFirstSecondsAreNoRescalingThoseThatComeLaterAre() throws Exception {
    for (int before : List.of(1, 3)) { // jobs of 7 s
      SimulatedApplication application = started(recording());
      application.jobs(before, 1);
      application.addExecutors(2);
      application.jobs(1, 1);
      application.end();
      List<String> lines = Files.readAllLines(record());
      JsonNode run = new ObjectMapper().readTree(lines.get(lines.size() - 1));
      assertEquals(before == 1 ? "" : "rescaled", run.path("flags").asText());
      assertEquals(before == 1 ? 3 : 1, run.path("executors").asInt());
    }
  }

  @Test
  void aRunWhoseExecutorsDifferInCoresOrProfileIsMarked() throws Exception {
    for (int cores : List.of(SimulatedApplication.CORES, 8)) {
      for (int profile : List.of(0, 1)) {
        SimulatedApplication application = started(recording());
        application.addExecutor(cores, profile);
        application.jobs(1, 1);
        application.end();
        List<String> lines = Files.readAllLines(record());
        JsonNode run = new ObjectMapper().readTree(lines.get(lines.size() - 1));
        boolean same = cores == SimulatedApplication.CORES && profile == 0;
        assertEquals(same ? "" : "mixed_executors", run.path("flags").asText());
      }
    }
  }

  @Test
  void aMarkedRunIsToldOfTheExecutorsThatAreThereWhenItBegins() throws Exception {
    SimulatedApplication application = started(recording());
    application.addExecutor(8, 0);
    mark(application, "first");
    application.jobs(1, 1);
    application.removeExecutor("1");
    mark(application, "second");
    application.jobs(1, 1);
    application.end();
    List<String> lines = Files.readAllLines(record());
    assertEquals("mixed_executors", new ObjectMapper().readTree(lines.get(0)).path("flags").asText());
    assertEquals("", new ObjectMapper().readTree(lines.get(1)).path("flags").asText());
  }

  @Test
  void anExecutorThatGoesEndsTheStartInWhichOthersCome() throws Exception {
    SimulatedApplication application = started(recording());
    application.addExecutors(1);
    int job = application.startJob(2);
    application.runStages(1, 1);
    application.removeExecutor("1");
    application.now += 100;
    application.addExecutors(1);
    application.runStages(1, 1);
    application.endJob(job, null);
    application.end();
    JsonNode run = new ObjectMapper().readTree(Files.readString(record()));
    assertEquals("rescaled", run.path("flags").asText());
  }

  /** A task more in the first stage, of so long by the driver's clock. */
  private JsonNode recordedWithTask(long millis, TaskMetrics metrics) throws IOException {
    RunListener listener = recording();
    SimulatedApplication application = started(listener);
    application.jobs(1, 1);
    TaskInfo info = new TaskInfo(99, 12, 0, 12, application.now, "0", "host", TaskLocality.PROCESS_LOCAL(), false);
    info.finishTime_$eq(application.now + millis);
    listener.onTaskEnd(new SparkListenerTaskEnd(0, 0, "ResultTask", Success$.MODULE$, info, new ExecutorMetrics(), metrics));
    application.end();
    List<String> lines = Files.readAllLines(record());
    return new ObjectMapper().readTree(lines.get(lines.size() - 1));
  }

  @Test
  void aRunWhoseTasksTakeSecondsLessThanTheirExecutorsSayHasAWrongClock() throws Exception {
    TaskMetrics metrics = new TaskMetrics();
    metrics.setExecutorRunTime(5000);
    assertEquals("", recordedWithTask(4000, metrics).path("flags").asText());
    assertEquals("wrong_clock", recordedWithTask(3999, metrics).path("flags").asText());
    assertEquals("", recordedWithTask(605_000, metrics).path("flags").asText());
    assertEquals("wrong_clock", recordedWithTask(605_001, metrics).path("flags").asText());
  }

  @Test
  void aRunOfWhichTwoEventsAreAQuarterOfAYearApartHasAWrongClock() throws Exception {
    for (int days : List.of(89, 91)) {
      SimulatedApplication application = started(recording());
      application.jobs(1, 1);
      application.now += TimeUnit.DAYS.toMillis(days);
      application.end();
      List<String> lines = Files.readAllLines(record());
      JsonNode run = new ObjectMapper().readTree(lines.get(lines.size() - 1));
      assertEquals(days == 89 ? "" : "wrong_clock", run.path("flags").asText());
    }
  }

  @Test
  void whereLessThanAByteWasReadForTenRecordsTheyTellTheSize() throws Exception {
    for (int bytes : List.of(9, 10)) {
      TaskMetrics metrics = new TaskMetrics();
      metrics.inputMetrics().incBytesRead(bytes);
      metrics.inputMetrics().incRecordsRead(100);
      JsonNode run = recordedWithTask(1, metrics);
      assertEquals(bytes == 9 ? "records" : "bytes", run.path("data_measure").asText());
      assertEquals(bytes == 9 ? 0 : 1, run.path("data_size_MB").asInt());
    }
  }

  /** Records of a table without bytes beside those of files; the sources of its stage by their names. */
  private JsonNode recordedBesideFiles(long bytesOfFiles, long withoutBytes, String... sources) throws IOException {
    RunListener listener = recording();
    SimulatedApplication application = started(listener);
    int job = application.startJob(2);
    for (int stage = 0; stage < 2; stage++) {
      TaskMetrics metrics = new TaskMetrics();
      metrics.inputMetrics().incBytesRead(stage == 0 ? bytesOfFiles : 0);
      metrics.inputMetrics().incRecordsRead(stage == 0 ? 1000 : withoutBytes);
      application.runStageOf(stage == 0 ? new String[] {"FileScanRDD"} : sources, metrics);
    }
    application.endJob(job, null);
    application.end();
    List<String> lines = Files.readAllLines(record());
    return new ObjectMapper().readTree(lines.get(lines.size() - 1));
  }

  @Test
  void recordsWithoutBytesTellTheSizeWhereTheyAreTenTimesThoseOfFilesButNotRowsOfARange() throws Exception {
    assertEquals("bytes", recordedBesideFiles(1 << 19, 10_000, "DataSourceRDD").path("data_measure").asText());
    assertEquals("records", recordedBesideFiles(1 << 19, 10_001, "DataSourceRDD").path("data_measure").asText());
    assertEquals("records", recordedBesideFiles(1 << 19, 10_001, "ParallelCollectionRDD", "DataSourceRDD").path("data_measure").asText());
    JsonNode ofRange = recordedBesideFiles(1 << 19, 10_000_000, "ParallelCollectionRDD");
    assertEquals("bytes", ofRange.path("data_measure").asText());
    assertEquals(6, ofRange.path("data_size_MB").asInt());
    assertEquals(12_000, ofRange.path("records_read").asInt());
  }

  @Test
  void recordsWithoutBytesOfLessDataThanTheFilesLeaveTheirBytesTheSize() throws Exception {
    assertEquals("bytes", recordedBesideFiles(100 << 20, 20_000, "DataSourceRDD").path("data_measure").asText());
  }

  @Test
  void whatMayBeASecretIsHiddenAsInTheEventLog() throws Exception {
    String command = "org.apache.spark.deploy.SparkSubmit --conf x.password=1 job.jar daily";
    JsonNode run = recorded(Map.of(), Map.of("spark.executor.memory", "1g"), "sim", command);
    assertTrue(run.path("properties").path("arguments").isMissingNode());
  }

  @Test
  void theUsersNameAndRuleComeFirst() throws Exception {
    assertEquals("orders", recorded(Map.of("name", "orders"), Map.of(), "x-2026-11-01", "").path("application").asText());
    assertEquals("x-2026-11-01", recorded(Map.of("name.rule", "exact"), Map.of(), "x-2026-11-01", "").path("application").asText());
    assertEquals("x", recorded(Map.of("name.rule", "s/-.*//"), Map.of(), "x-2026-11-01", "").path("application").asText());
    assertThrows(IllegalArgumentException.class, () -> new RescalerSettings(Map.of("name.rule", "dirty")));
  }

  @Test
  void shellsAreMarkedAndNothingIsLearnedFromThem() throws Exception {
    JsonNode run = recorded(Map.of(), Map.of(), "sim", "org.apache.spark.deploy.SparkSubmit --class org.apache.spark.repl.Main spark-shell");
    assertEquals("interactive", run.path("flags").asText());
    assertEquals(0, History.read(record(), "sim", NameRule.of("clean"), "").runs());
  }

  @Test
  void aBatchJobWhoseArgumentsOrNameAreLikeThoseOfAShellIsOne() throws Exception {
    String submit = "org.apache.spark.deploy.SparkSubmit --verbose --class a.Main job.jar ";
    assertTrue(recorded(Map.of(), Map.of(), "sim", submit + "--find org.apache.spark.repl.Main").path("flags").isMissingNode());
    assertTrue(recorded(Map.of(), Map.of(), "kyuubi_usage_report", submit).path("flags").isMissingNode());
    assertEquals("server", recorded(Map.of(), Map.of(), "kyuubi_USER_SPARK_SQL_u", submit).path("flags").asText());
  }

  @Test
  void runsOfAHistoryAreKnownByTheSameRule() throws Exception {
    recorded(Map.of("name.rule", "exact"), Map.of(), "sim-2026-11-01", "");
    recorded(Map.of(), Map.of(), "sim-2026-11-02", "");
    assertEquals(2, History.read(record(), "sim", NameRule.of("clean"), "").runs());
    assertEquals(1, History.read(record(), "sim", NameRule.of("exact"), "").runs());
    assertEquals("sim", History.read(record(), "sim", NameRule.of("clean"), "").newest().get(0).application());
  }

  @Test
  void whatFailsIsSaidAgainInTheNextMarkedRun() {
    Counting listener = recording();
    SimulatedApplication application = started(listener);
    listener.fails = true;
    for (String each : List.of("first", "second")) {
      mark(application, each);
      application.jobs(2, 1);
    }
    application.end();
    assertEquals(2, listener.saidFailures);
  }
}
