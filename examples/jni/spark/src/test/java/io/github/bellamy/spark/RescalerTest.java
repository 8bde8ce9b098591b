package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.bellamy.ApplicationModel;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.JobTrace;
import io.github.bellamy.Property;
import io.github.bellamy.PropertyRole;
import io.github.bellamy.ScaleOutUnit;
import io.github.bellamy.TraceOutcome;
import io.github.bellamy.spark.RescalerStatus.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the plugin records, asks for and leaves alone, by events that Spark might tell. */
class RescalerTest {
  private static final int JOBS = 6;
  private static final double SLACK = 10_000;
  private static final Map<String, byte[]> HISTORY = new HashMap<>();

  /** Remembers what was asked for. */
  private static final class FakeCluster implements Cluster {
    final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    volatile boolean takes = true;
    volatile boolean fails;
    volatile boolean keepsShuffles = true;
    volatile boolean allocatesDynamically;
    volatile int most = Integer.MAX_VALUE;
    final CountDownLatch entered = new CountDownLatch(1);
    volatile CountDownLatch wait = new CountDownLatch(0);

    @Override
    public boolean request(int executors) {
      entered.countDown();
      try {
        wait.await();
      } catch (InterruptedException stop) {
        throw new IllegalStateException(stop);
      }
      asked.add("request " + executors);
      if (fails) {
        FakeCluster.<RuntimeException>raise(new TimeoutException("no answer within 120 s"));
      }
      return takes;
    }

    /** As Scala's methods do: checked or not, undeclared. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Exception any) throws T {
      throw (T) any;
    }

    @Override
    public boolean allocatesDynamically() {
      return allocatesDynamically;
    }

    @Override
    public int leastExecutors() {
      return 1;
    }

    @Override
    public int mostExecutors() {
      return most;
    }

    @Override
    public boolean keepsShuffles() {
      return keepsShuffles;
    }

    @Override
    public boolean release(List<String> executors, int ofAll) {
      asked.add("release " + executors + " of " + ofAll);
      return takes;
    }
  }

  @TempDir Path folder;
  private final FakeCluster cluster = new FakeCluster();
  private long pauseFactor = 0;
  private SimulatedApplication application;
  private RescalerListener listener;
  private Rescaler rescaler;

  private Path history() {
    return folder.resolve("history.jsonl");
  }

  private Path decisions() {
    return folder.resolve("decisions.jsonl");
  }

  private void begin(String id, int executors, Map<String, String> values) {
    Map<String, String> all = new HashMap<>(values);
    all.putIfAbsent("history", history().toString());
    all.putIfAbsent("decisions", decisions().toString());
    rescaler = new Rescaler("sim", NameRule.of("clean"), cluster, () -> application.now, pauseFactor, 0);
    listener = new RescalerListener("spark 0", "sim", SimulatedApplication.START, 1, new RescalerSettings(all), rescaler);
    application = new SimulatedApplication(listener);
    application.start(id, executors);
  }

  private void runToTheEnd(String id, int executors, double slowness) {
    begin(id, executors, Map.of());
    application.jobs(JOBS, slowness);
    application.end();
  }

  /** Six runs on one to three executors, and what is learned of them; made once, since that takes a second. */
  private void makeHistory() throws IOException {
    if (HISTORY.isEmpty()) {
      double[] slowness = {1, 1.1, 0.95, 1.05, 0.9, 1.1};
      for (int i = 0; i < slowness.length; i++) {
        runToTheEnd("past " + i, 1 + i % 3, slowness[i]);
      }
      Files.deleteIfExists(decisions());
      try (Learned keeps = new Learned("sim", NameRule.of("clean"))) {
        keeps.refresh(history(), "");
      }
      try (Stream<Path> files = Files.list(folder)) {
        for (Path each : files.collect(Collectors.toList())) {
          HISTORY.put(each.getFileName().toString(), Files.readAllBytes(each));
        }
      }
    }
    for (Map.Entry<String, byte[]> each : HISTORY.entrySet()) {
      Files.write(folder.resolve(each.getKey()), each.getValue());
    }
  }

  private static List<JsonNode> lines(Path file) throws IOException {
    List<JsonNode> all = new ArrayList<>();
    if (Files.exists(file)) {
      for (String each : Files.readAllLines(file)) {
        all.add(new ObjectMapper().readTree(each));
      }
    }
    return all;
  }

  /** Jobs one after another, each question answered before the next job begins. */
  private void answeredJobs(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      int before = lines(decisions()).size();
      application.jobs(1, 1);
      awaitDecisions(before + 1);
    }
  }

  private void awaitDecisions(int count) throws Exception {
    for (int waits = 0; lines(decisions()).size() < count; waits++) {
      assertTrue(waits < 3000, "expected an answer within 30 s");
      Thread.sleep(10);
    }
  }

  private JsonNode last() throws IOException {
    List<JsonNode> all = lines(decisions());
    return all.get(all.size() - 1);
  }

  private List<ApplicationTrace> recorded() throws IOException {
    return TraceFile.read(history(), "sim");
  }

  @Test
  void aRunIsRecordedAsATraceFileSaysIt() throws Exception {
    begin("app-1", 1, Map.of("property.data_size_MB", "500", "property.input", "rides", "property.share", "0.25"));
    application.jobs(1, 1);
    application.addExecutors(1);
    application.jobs(1, 1);
    application.end();
    // The same file is read by the tools' own reader.
    String expected = Files.readString(Path.of(System.getProperty("golden"), "recorded_run.jsonl"));
    assertEquals(expected, Files.readString(history()));
    ApplicationTrace read = recorded().get(0);
    assertEquals("app-1", read.run());
    assertEquals(ScaleOutUnit.CORE, read.unit());
    assertEquals(Property.natural("data_size_MB", 500).withRole(PropertyRole.DATA_SIZE), read.properties().get(0));
    assertEquals(Property.quantity("share", 0.25), read.properties().get(2));
    assertEquals(2, read.jobs().size());
    assertEquals(4, read.scaleOut().get(read.scaleOut().size() - 1).scaleOut());
    assertEquals(12, read.jobs().get(0).stages().get(0).taskSeconds().length);
  }

  @Test
  void withoutAHistoryItOnlyRecords() throws Exception {
    begin("first", 1, Map.of("rescale", "act", "deadline", "1"));
    application.jobs(JOBS, 1);
    application.end();
    assertEquals(List.of(), cluster.asked);
    assertEquals(List.of(), lines(decisions()));
    assertEquals(TraceOutcome.SUCCEEDED, recorded().get(0).outcome());
    assertEquals(JOBS, recorded().get(0).jobs().size());
  }

  @Test
  void onlyARunWithAHistoryIsAskedAbout() throws Exception {
    makeHistory();
    begin("has one", 1, Map.of());
    assertTrue(listener.asks());
    Rescaler another = new Rescaler("sim", NameRule.of("clean"), cluster, () -> application.now, pauseFactor, 0);
    RescalerSettings recordsOnly = new RescalerSettings(Map.of("record", history().toString()));
    assertFalse(new RescalerListener("spark 0", "sim", SimulatedApplication.START, 1, recordsOnly, another).asks());
    another.close();
    application.end();
  }

  @Test
  void itAsksForMoreWhereTheDeadlineNeedsIt() throws Exception {
    makeHistory();
    double alone = recorded().get(0).runtimeSeconds();
    double most = recorded().get(2).runtimeSeconds();
    assertTrue(most < 0.6 * alone);
    begin("late", 1, Map.of("rescale", "act", "deadline", Double.toString(0.9 * alone), "delay", "1", "maxExecutors", "3"));
    answeredJobs(1);
    assertEquals(1, cluster.asked.size(), () -> "asked for " + cluster.asked);
    assertTrue(List.of("request 2", "request 3").contains(cluster.asked.get(0)), cluster.asked.get(0));
    assertTrue(last().path("done").asText().startsWith("asks for "), last().toString());
    assertTrue(last().path("probability").asDouble() >= 0.9);
    application.addExecutors(cluster.asked.get(0).endsWith("2") ? 1 : 2);
    answeredJobs(1);
    assertEquals(1, cluster.asked.size(), () -> "asked for " + cluster.asked);
    application.jobs(JOBS - 2, 1);
    application.end();
    assertTrue(recorded().get(6).runtimeSeconds() <= 0.9 * alone, () -> "took longer than " + 0.9 * alone);
  }

  @Test
  void aQuestionWaitsUntilThoseBeforeHadTheirPauses() throws Exception {
    makeHistory();
    pauseFactor = 1_000_000;
    begin("small", 2, Map.of());
    answeredJobs(1);
    application.jobs(JOBS - 1, 1);
    application.end();
    assertEquals(1, lines(decisions()).size());
  }

  @Test
  void aForecastCoversWhatCameOfIt() throws Exception {
    makeHistory();
    begin("covered", 2, Map.of());
    answeredJobs(JOBS - 1);
    application.jobs(1, 1);
    application.end();
    double runtime = recorded().get(6).runtimeSeconds();
    for (JsonNode each : lines(decisions()).subList(0, JOBS - 1)) {
      double actual = runtime - each.path("last_end_s").asDouble();
      assertTrue(
          each.path("rest_p05_s").asDouble() <= actual && actual <= each.path("rest_p95_s").asDouble(),
          () -> actual + " s: " + each);
    }
  }

  private void beginWithArguments(String run, String arguments) {
    begin(run, 2, Map.of());
    RunListenerTest.environment(listener, Map.of(), "org.apache.spark.deploy.SparkSubmit --class Main app.jar " + arguments);
  }

  @Test
  void aRunIsPredictedByThePropertiesThatAreRecordedOfIt() throws Exception {
    for (String arguments : List.of("small", "small", "large", "large")) {
      beginWithArguments("past", arguments);
      application.jobs(JOBS, arguments.equals("large") ? 4 : 1);
      application.end();
    }
    beginWithArguments("next", "large");
    application.jobs(1, 4);
    awaitDecisions(1);
    application.jobs(JOBS - 1, 4);
    application.end();
    JsonNode first = lines(decisions()).get(0);
    double actual = recorded().get(4).runtimeSeconds() - first.path("last_end_s").asDouble();
    assertEquals(actual, first.path("rest_s").asDouble(), 0.1 * actual, first::toString);
  }

  @Test
  void itNeverGoesAboveTheMostNorBelowTheLeast() throws Exception {
    makeHistory();
    begin("hopeless", 1, Map.of("rescale", "act", "deadline", "5", "maxExecutors", "2"));
    answeredJobs(1);
    assertEquals(List.of("request 2"), cluster.asked);
    application.end();
    cluster.asked.clear();
    begin("slack", 3, Map.of("rescale", "act", "deadline", "" + SLACK, "minExecutors", "2", "delay", "1ms"));
    answeredJobs(1);
    assertEquals(List.of("release [2] of 3"), cluster.asked);
    application.end();
  }

  @Test
  void itGivesTheNewestBackWhereTheDeadlineAllowsIt() throws Exception {
    makeHistory();
    begin("slack", 3, Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms"));
    answeredJobs(1);
    assertEquals(List.of("release [1, 2] of 3"), cluster.asked);
    application.removeExecutor("1");
    application.removeExecutor("2");
    answeredJobs(1);
    assertEquals(1, cluster.asked.size());
    application.end();
  }

  @Test
  void itGivesNothingBackWhereShuffledDataWouldGoUnlessToldTo() throws Exception {
    makeHistory();
    cluster.keepsShuffles = false;
    begin("kept", 3, Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms"));
    answeredJobs(1);
    assertEquals(List.of(), cluster.asked);
    application.end();
    begin("told", 3, Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms", "giveBack", "always"));
    answeredJobs(1);
    assertEquals(List.of("release [1, 2] of 3"), cluster.asked);
    application.end();
  }

  @Test
  void itAsksAgainWhenAnExecutorIsLost() throws Exception {
    makeHistory();
    double two = recorded().get(1).runtimeSeconds();
    begin("loses one", 2, Map.of("rescale", "act", "deadline", Double.toString(1.3 * two), "delay", "1", "maxExecutors", "3"));
    answeredJobs(1);
    assertEquals(List.of(), cluster.asked);
    application.removeExecutor("1");
    answeredJobs(1);
    assertEquals(1, cluster.asked.size());
    assertTrue(cluster.asked.get(0).startsWith("request "), cluster.asked.get(0));
    application.end();
  }

  private double restOfAJob() throws IOException {
    return last().path("rest_s").asDouble() / (last().path("jobs").asInt() - last().path("ended_jobs").asInt());
  }

  @Test
  void jobsThatTakeLongerThanInTheHistoryLengthenTheRest() throws Exception {
    makeHistory();
    begin("slow", 2, Map.of());
    answeredJobs(1);
    double usual = restOfAJob();
    double usualFactor = last().path("run_factor").asDouble();
    for (int i = 2; i <= 3; i++) {
      application.jobs(1, 2);
      awaitDecisions(i);
    }
    assertTrue(restOfAJob() > 1.1 * usual, last()::toString);
    assertTrue(last().path("run_factor").asDouble() > 1.1 * usualFactor, last()::toString);
    assertTrue(last().path("run_factor_p05").asDouble() > 0, last()::toString);
    application.end();
  }

  @Test
  void adviceChangesNothing() throws Exception {
    makeHistory();
    begin("advised", 1, Map.of("deadline", "10"));
    answeredJobs(2);
    assertEquals(List.of(), cluster.asked);
    assertTrue(last().path("done").asText().startsWith("advises "), last().toString());
    application.end();
  }

  @Test
  void underDynamicAllocationItAsksForMoreWithinItsBounds() throws Exception {
    makeHistory();
    cluster.allocatesDynamically = true;
    cluster.most = 2;
    begin("dynamic", 1, Map.of("rescale", "act", "deadline", "10", "maxExecutors", "3"));
    answeredJobs(1);
    assertEquals(List.of("request 2"), cluster.asked);
    assertEquals(State.ACTING, rescaler.status().state());
    application.end();
    assertEquals(7, recorded().size());
  }

  @Test
  void underDynamicAllocationItLeavesIdleExecutorsToSpark() throws Exception {
    makeHistory();
    cluster.allocatesDynamically = true;
    begin("idle", 3, Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms", "giveBack", "always"));
    answeredJobs(1);
    assertEquals(List.of(), cluster.asked);
    assertEquals("keeps 2 executors, which dynamic allocation gives back", last().path("done").asText());
    assertEquals("held", last().path("state").asText());
    application.jobThatIsUnknown();
    awaitState(State.SILENT);
    assertEquals(List.of(), cluster.asked);
    application.end();
  }

  private void awaitState(State expected) throws Exception {
    for (int waits = 0; rescaler.status().state() != expected; waits++) {
      assertTrue(waits < 3000, () -> "expected to be " + expected + " within 30 s, found " + rescaler.status().state());
      Thread.sleep(10);
    }
  }

  private double metric(String name) {
    MetricRegistry metrics = new MetricRegistry();
    rescaler.status().register(metrics);
    Object value = metrics.getGauges().get("bellamy.forecast." + name).getValue();
    return ((Number) value).doubleValue();
  }

  private void assertNothingIsKnown(State state) {
    assertEquals(state.ordinal(), metric("state"));
    for (String name : List.of("remaining", "probability", "advice")) {
      assertTrue(Double.isNaN(metric(name)), name);
    }
  }

  private void assertIsKnown(State state, double executors) throws IOException {
    assertEquals(state.ordinal(), metric("state"));
    assertEquals(state.name().toLowerCase(Locale.ROOT), last().path("state").asText());
    assertEquals(last().path("rest_s").asDouble(), metric("remaining"));
    assertEquals(executors, metric("advice"));
    assertTrue(metric("probability") >= 0 && metric("probability") <= 1);
  }

  /** A decision is written after its metrics. */
  @Test
  void everyStateHasItsMetrics() throws Exception {
    begin("learning", 1, Map.of("rescale", "act", "deadline", "10"));
    application.jobs(1, 1);
    assertNothingIsKnown(State.LEARNING);
    application.jobs(JOBS - 1, 1);
    application.end();
    Files.delete(history());
    makeHistory();
    begin("forecast", 2, Map.of());
    answeredJobs(1);
    assertEquals(State.ADVISING.ordinal(), metric("state"));
    assertEquals(last().path("rest_s").asDouble(), metric("remaining"));
    assertTrue(Double.isNaN(metric("probability")) && Double.isNaN(metric("advice")));
    application.end();
    begin("advising", 3, Map.of("deadline", "" + SLACK, "delay", "1ms"));
    answeredJobs(1);
    assertIsKnown(State.ADVISING, 1);
    application.end();
    begin("acting", 3, Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms"));
    answeredJobs(1);
    assertIsKnown(State.ACTING, 1);
    application.end();
    cluster.keepsShuffles = false;
    begin("held", 3, Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms"));
    answeredJobs(1);
    assertIsKnown(State.HELD, 1);
    application.jobThatIsUnknown();
    awaitState(State.SILENT);
    assertNothingIsKnown(State.SILENT);
    application.end();
  }

  /** Of three executors one is left, and nothing is known any more. */
  private void giveTwoBackAnd(Map<String, String> settings, Runnable whatIsUnknown) throws Exception {
    Map<String, String> all = new HashMap<>(Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms"));
    all.putAll(settings);
    begin("blind", 3, all);
    answeredJobs(1);
    assertEquals(List.of("release [1, 2] of 3"), cluster.asked);
    application.removeExecutor("1");
    application.removeExecutor("2");
    whatIsUnknown.run();
    awaitState(State.SILENT);
    application.end();
  }

  @Test
  void whereItFallsSilentItAsksForTheSizeAtWhichItLastKnewWhatIsToCome() throws Exception {
    makeHistory();
    giveTwoBackAnd(
        Map.of(),
        () -> {
          application.jobThatIsUnknown();
          application.jobs(2, 1);
        });
    assertEquals(List.of("release [1, 2] of 3", "request 3"), cluster.asked);
  }

  @Test
  void soItDoesWhereJobsBeginToRunConcurrently() throws Exception {
    makeHistory();
    giveTwoBackAnd(
        Map.of(),
        () -> {
          int first = application.startJob(2);
          application.runStages(2, 1);
          int second = application.startJob(2);
          application.endJob(first, null);
          application.runStages(2, 1);
          application.endJob(second, null);
          application.jobs(1, 1);
        });
    assertEquals(List.of("release [1, 2] of 3", "request 3"), cluster.asked);
  }

  @Test
  void whatItAskedForStaysWhereItFallsSilent() throws Exception {
    makeHistory();
    begin("late", 1, Map.of("rescale", "act", "deadline", "10", "delay", "1ms", "maxExecutors", "3"));
    answeredJobs(1);
    assertEquals(List.of("request 3"), cluster.asked);
    application.addExecutors(2);
    application.jobThatIsUnknown();
    awaitState(State.SILENT);
    application.end();
    assertEquals(List.of("request 3"), cluster.asked);
  }

  @Test
  void adviceOfASilentRunRestoresNothing() throws Exception {
    makeHistory();
    begin("advised", 3, Map.of("deadline", "" + SLACK, "delay", "1ms"));
    answeredJobs(1);
    application.removeExecutor("2");
    application.jobThatIsUnknown();
    awaitState(State.SILENT);
    application.end();
    assertEquals(List.of(), cluster.asked);
  }

  @Test
  void aStageThatRunsAgainInALaterJobIsKnownForWhatItIs() throws Exception {
    makeHistory();
    begin("recomputes", 2, Map.of("rescale", "act", "deadline", "" + SLACK, "minExecutors", "2"));
    answeredJobs(2);
    double before = last().path("run_factor").asDouble();
    application.jobThatRecomputes(0);
    awaitDecisions(3);
    assertEquals(3, last().path("ended_jobs").asInt());
    assertEquals(JOBS, last().path("jobs").asInt());
    assertTrue(last().path("run_factor").asDouble() > before, last()::toString); // its time counts
    assertEquals("acting", last().path("state").asText());
    answeredJobs(JOBS - 3);
    application.end();
    assertEquals(3, recorded().get(6).jobs().get(2).stages().size()); // the record has all
  }

  @Test
  void aStageThatIsTriedAgainIsKnownForWhatItIs() throws Exception {
    makeHistory();
    begin("retries", 2, Map.of("rescale", "act", "deadline", "" + SLACK, "minExecutors", "2"));
    answeredJobs(1);
    application.jobThatRetries();
    awaitDecisions(2);
    assertEquals("acting", last().path("state").asText());
    application.end();
    assertEquals(4, recorded().get(6).jobs().get(1).stages().size());
  }

  @Test
  void whereMissingHasACostTheLeastExpectedCostDecides() throws Exception {
    makeHistory();
    double alone = recorded().get(0).runtimeSeconds();
    for (String missing : List.of("0", "0.000001", "1000000")) {
      begin("priced " + missing, 1, Map.of("deadline", Double.toString(0.7 * alone), "costOfMissing", missing, "delay", "1s", "maxExecutors", "3"));
      answeredJobs(1);
      boolean adds = last().path("chosen_cores").asInt() > SimulatedApplication.CORES;
      assertEquals(!missing.equals("0.000001"), adds, last()::toString);
      assertEquals(adds ? "meets the deadline" : "costs least", last().path("outcome").asText());
      application.end();
    }
  }

  /** At a price of a million, a miss that costs a thousand is cheaper than another executor. */
  @Test
  void thePriceOfACoreHourIsOfTheSameCurrency() throws Exception {
    makeHistory();
    double alone = recorded().get(0).runtimeSeconds();
    for (String price : List.of("0.1", "1000000")) {
      begin(
          "priced " + price, 1,
          Map.of("deadline", Double.toString(0.7 * alone), "costOfMissing", "1", "price", price, "delay", "1s", "maxExecutors", "3"));
      answeredJobs(1);
      assertEquals(price.equals("0.1"), last().path("chosen_cores").asInt() > SimulatedApplication.CORES, last()::toString);
      application.end();
    }
  }

  private void assertLeftAlone(String run, String flag, Runnable mark) throws Exception {
    makeHistory();
    begin(run, 3, Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms"));
    mark.run();
    application.jobs(JOBS, 1);
    awaitState(State.SILENT);
    application.end();
    assertEquals(List.of(), cluster.asked);
    assertEquals(List.of(), lines(decisions()));
    assertTrue(lines(history()).get(6).path("flags").asText().contains(flag), () -> "found no mark");
  }

  @Test
  void streamsAreLeftAlone() throws Exception {
    assertLeftAlone("stream", "streaming", () -> application.setLocal("sql.streaming.queryId", "7"));
  }

  @Test
  void shellsAreLeftAlone() throws Exception {
    String command = "org.apache.spark.deploy.SparkSubmit --class org.apache.spark.repl.Main spark-shell";
    assertLeftAlone("shell", "interactive", () -> RunListenerTest.environment(listener, Map.of(), command));
  }

  @Test
  void itWaitsForAChangeToTakeEffect() throws Exception {
    makeHistory();
    begin("waits", 1, Map.of("rescale", "act", "deadline", "10", "delay", "1h", "maxExecutors", "3"));
    answeredJobs(2);
    assertEquals(1, cluster.asked.size());
    assertEquals("waits for the last change", last().path("done").asText());
    application.end();
  }

  @Test
  void aRefusedRequestLeavesTheApplicationAsItWas() throws Exception {
    makeHistory();
    cluster.takes = false;
    begin("refused", 1, Map.of("rescale", "act", "deadline", "10"));
    answeredJobs(1);
    assertTrue(last().path("done").asText().startsWith("was refused "), last().toString());
    application.jobs(JOBS - 1, 1);
    application.end();
    assertEquals(7, recorded().size());
  }

  @Test
  void aRequestThatFailsCountsAsRefused() throws Exception {
    makeHistory();
    cluster.fails = true;
    begin("fails", 1, Map.of("rescale", "act", "deadline", "10", "delay", "1ms"));
    answeredJobs(2);
    assertTrue(last().path("done").asText().startsWith("was refused "), last().toString());
    assertEquals(2, cluster.asked.size());
    application.end();
    assertEquals(7, recorded().size());
  }

  /** What is chosen once the deadline has passed. */
  private int bestEffort(int most) throws Exception {
    begin("most " + most, 1, Map.of("deadline", "100ms", "maxExecutors", "" + most));
    answeredJobs(1);
    application.end();
    return last().path("chosen_cores").asInt();
  }

  @Test
  void theMostIsACandidateAsLongAsTheLibraryKnowsSoMany() throws Exception {
    makeHistory();
    assertEquals(100 * SimulatedApplication.CORES, bestEffort(100));
    for (int most : new int[] {600_000, Integer.MAX_VALUE}) {
      int chosen = bestEffort(most);
      assertTrue(chosen > 100 && chosen <= 1_000_000, () -> "chose " + chosen);
    }
  }

  @Test
  void executorsThatAreGoingAreNotGivenBackAgain() throws Exception {
    makeHistory();
    begin("going", 3, Map.of("rescale", "act", "deadline", "" + SLACK, "delay", "1ms"));
    answeredJobs(2);
    assertEquals(List.of("release [1, 2] of 3"), cluster.asked);
    assertEquals(SimulatedApplication.CORES, last().path("cores").asInt());
    application.end();
  }

  @Test
  void aQuestionThatWaitedIsAnsweredAsOfTheEndOfItsJob() throws Exception {
    makeHistory();
    cluster.wait = new CountDownLatch(1);
    begin("waited", 1, Map.of("rescale", "act", "deadline", "10", "delay", "10h"));
    application.jobs(1, 1);
    assertTrue(cluster.entered.await(30, TimeUnit.SECONDS));
    application.jobs(1, 1);
    application.now += 100_000;
    cluster.wait.countDown();
    awaitDecisions(2);
    assertEquals(last().path("last_end_s").asDouble(), last().path("elapsed_s").asDouble());
    application.end();
  }

  @Test
  void aDeadlineThatHasPassedGetsTheBestEffort() throws Exception {
    makeHistory();
    begin("passed", 1, Map.of("rescale", "act", "deadline", "100ms", "maxExecutors", "3"));
    answeredJobs(1);
    assertEquals("deadline passed", last().path("outcome").asText());
    assertEquals(List.of("request 3"), cluster.asked);
    application.end();
  }

  @Test
  void jobsThatRunConcurrentlyGetNoAdvice() throws Exception {
    makeHistory();
    begin("threads", 1, Map.of("rescale", "act", "deadline", "10"));
    int first = application.startJob(2);
    application.runStages(2, 1);
    int second = application.startJob(2);
    application.endJob(first, null);
    application.runStages(2, 1);
    application.endJob(second, null);
    application.jobs(2, 1);
    application.end();
    assertEquals(List.of(), cluster.asked);
    assertEquals(List.of(), lines(decisions()));
    assertEquals(4, recorded().get(6).jobs().size());
  }

  @Test
  void jobsOfAnotherShapeGetNoAdvice() throws Exception {
    makeHistory();
    begin("adaptive", 1, Map.of("rescale", "act", "deadline", "10"));
    for (int i = 0; i < 3; i++) {
      application.jobThatIsUnknown();
    }
    application.end();
    assertEquals(List.of(), cluster.asked);
    assertEquals(List.of(), lines(decisions()));
    assertEquals(3, recorded().get(6).jobs().get(0).stages().size());
  }

  @Test
  void aModelOfAnotherApplicationGivesNoAdvice() throws Exception {
    Path file = folder.resolve("other.bellamy");
    List<JobTrace> jobs = List.of(new JobTrace(0, 1, 2, List.of()));
    ApplicationTrace other =
        new ApplicationTrace("other", "", ScaleOutUnit.CORE, List.of(), List.of(), jobs, 3, TraceOutcome.SUCCEEDED);
    try (ApplicationModel model = ApplicationModel.pretrain(List.of(other), 0, 1)) {
      model.save(file);
    }
    begin("mistaken", 1, Map.of("rescale", "act", "deadline", "1", "history", file.toString()));
    application.jobs(JOBS, 1);
    application.end();
    assertEquals(List.of(), cluster.asked);
    assertEquals(List.of(), lines(decisions()));
  }

  @Test
  void aHistoryThatIsNoneIsLeftAsItIs() throws Exception {
    for (String wrong : List.of("no trace\n", "{\"format\": 2}\n", "{\"format\": 1, \"application\": \"sim\"")) {
      Files.writeString(history(), wrong);
      Path record = folder.resolve("record.jsonl");
      Files.deleteIfExists(record);
      begin("unread", 1, Map.of("rescale", "act", "deadline", "1", "record", record.toString()));
      application.jobs(2, 1);
      application.end();
      assertEquals(wrong, Files.readString(history()));
      assertEquals(1, TraceFile.read(record, "sim").size());
    }
    // A last line without an end is not lengthened, and nothing is thrown at Spark.
    runToTheEnd("torn", 1, 1);
    assertEquals("{\"format\": 1, \"application\": \"sim\"", Files.readString(history()));
    assertEquals(List.of(), cluster.asked);
  }

  /** An application in a process whose native library cannot be loaded: {@code LostLibrary FOLDER}. */
  static final class LostLibrary {
    public static void main(String[] arguments) {
      RescalerTest test = new RescalerTest();
      test.folder = Path.of(arguments[0]);
      test.begin("without the library", 1, Map.of("rescale", "act", "deadline", "1"));
      test.application.jobs(JOBS, 1);
      test.application.end();
      System.out.println("asked for " + test.cluster.asked);
    }
  }

  @Test
  void withoutItsNativeLibraryItStillRecords() throws Exception {
    makeHistory();
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                java, "-Dbellamy.native.library=" + folder.resolve("lost.so"), "-cp", System.getProperty("java.class.path"),
                LostLibrary.class.getName(), folder.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertTrue(output.contains("asked for []"), output);
    assertEquals("without the library", recorded().get(6).run());
    assertEquals(List.of(), lines(decisions()));
  }

  @Test
  void ofQuestionsThatWaitTheNewestIsAnswered() throws Exception {
    makeHistory();
    cluster.wait = new CountDownLatch(1);
    begin("busy", 1, Map.of("rescale", "act", "deadline", "10", "delay", "1h"));
    application.jobs(1, 1);
    assertTrue(cluster.entered.await(30, TimeUnit.SECONDS));
    application.jobs(JOBS - 2, 1);
    cluster.wait.countDown();
    awaitDecisions(2);
    application.end();
    assertEquals(2, lines(decisions()).size());
    assertEquals(JOBS - 1, last().path("ended_jobs").asInt());
  }

  @Test
  void aRunWhoseJobFailedIsRecordedAsSuch() throws Exception {
    begin("fails", 1, Map.of());
    application.jobs(1, 1);
    int job = application.startJob(2);
    application.runStages(1, 1);
    application.endJob(job, "Job aborted due to stage failure\nat line 7");
    application.end();
    assertEquals(TraceOutcome.FAILED, recorded().get(0).outcome());
    assertEquals("Job aborted due to stage failure", lines(history()).get(0).path("failure").asText());
  }

  @Test
  void markedRunsOfALongDriverHaveTheirOwnStartAndValues() throws Exception {
    begin("notebook", 1, Map.of("deadline", "1"));
    application.jobs(2, 1); // before the first mark: of no run
    for (int i = 0; i < 4; i++) {
      application.setLocal("spark.jobGroup.id", "spark.bellamy.run.start cell " + i);
      application.setLocal("spark.bellamy.property.data_size_MB", "" + (100 + i));
      application.setLocal("spark.bellamy.deadline", i == 3 ? "" + SLACK : "1s");
      if (i == 3) {
        answeredJobs(JOBS);
      } else {
        application.jobs(JOBS, 1);
      }
    }
    application.setLocal("spark.jobGroup.id", "something else");
    application.jobs(1, 1);
    application.end();
    assertEquals(4, recorded().size());
    for (int i = 0; i < 4; i++) {
      ApplicationTrace run = recorded().get(i);
      assertEquals("notebook cell " + i, run.run());
      assertEquals(JOBS, run.jobs().size());
      assertEquals(Property.natural("data_size_MB", 100 + i).withRole(PropertyRole.DATA_SIZE), run.properties().get(0));
      assertEquals(0, run.jobs().get(0).submittedSeconds());
      assertEquals(2, run.scaleOut().get(0).scaleOut());
    }
    JsonNode answer = last();
    assertEquals("notebook cell 3", answer.path("run").asText());
    assertEquals(SLACK, answer.path("deadline_s").asDouble());
  }

  @Test
  void settingsAreReadAndWrongOnesNamed() {
    RescalerSettings set = new RescalerSettings(Map.of("deadline", "1.5min", "history", "file:/data", "rescale", "act"));
    assertEquals(90, set.deadlineSeconds);
    assertTrue(set.acts);
    assertEquals(Path.of("/data/runs.jsonl"), set.record);
    assertEquals(90, new RescalerSettings(Map.of("deadline", "90")).deadlineSeconds);
    assertTrue(Double.isNaN(new RescalerSettings(Map.of()).deadlineSeconds));
    assertFalse(set.with(Map.of("rescale", "advise")).acts);
    for (Map<String, String> wrong :
        List.of(
            Map.of("deadline", "soon"), Map.of("rescale", "on"), Map.of("probability", "1"), Map.of("minExecutors", "0"),
            Map.of("minExecutors", "3", "maxExecutors", "2"), Map.of("maxExecutors", "many"), Map.of("minExecutors", "2.7"),
            Map.of("price", "0"), Map.of("costOfMissing", "-1"), Map.of("dead-line", "90s"),
            Map.of("history", "hdfs://names/traces"), Map.of("record", "s3a://bucket/runs.jsonl"), Map.of("record", "runs.jsonl.zst"),
            Map.of("history", "dbfs:/traces"))) {
      IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> new RescalerSettings(wrong));
      assertTrue(refused.getMessage().contains("spark.bellamy."), refused::getMessage);
    }
  }
}
