package io.github.bellamy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class ApplicationModelTest {
  private static final int[] CANDIDATES = {2, 4, 8};
  private static ApplicationModel model;

  @BeforeAll
  static void learn() {
    model = ApplicationModel.pretrain(MadeUpApplication.history(), 0, 2);
  }

  @AfterAll
  static void close() {
    model.close();
  }

  private static Forecast whole() {
    return model.bind(MadeUpApplication.run(2, 1000, 1, 0).properties());
  }

  private static void assertRefused(ErrorCode code, String words, Executable call) {
    BellamyException refused = assertThrows(BellamyException.class, call);
    assertEquals(code, refused.code(), refused::getMessage);
    assertTrue(refused.getMessage().contains(words), refused::getMessage);
  }

  private static void assertCovers(Prediction stated, double seconds) {
    assertTrue(stated.quantileSeconds(0.05) <= seconds && seconds <= stated.quantileSeconds(0.95), () -> seconds + " in " + stated);
    // Not because it covers everything: a stage is told from a job, and a job from a run.
    assertTrue(stated.quantileSeconds(0.95) < 2.5 * stated.quantileSeconds(0.05), stated::toString);
  }

  private static ApplicationTrace with(JobTrace... jobs) {
    return new ApplicationTrace(
        "etl", "", ScaleOutUnit.CORE, List.of(), List.of(), List.of(jobs), 100, TraceOutcome.UNFINISHED);
  }

  @Test
  void aForecastCoversARunOfTheHistoryAndItsParts() {
    ApplicationTrace measured = MadeUpApplication.run(4, 1000, 1.4, MadeUpApplication.JOBS);
    assertEquals("etl", model.application());
    assertEquals(2, model.smallestSeenScaleOut());
    assertEquals(8, model.largestSeenScaleOut());
    try (Forecast forecast = whole()) {
      assertEquals(MadeUpApplication.JOBS, forecast.jobs());
      assertEquals(0, forecast.finishedJobs());
      assertEquals(2, forecast.stages(3));
      assertCovers(forecast.run(4), measured.runtimeSeconds());
      JobTrace job = measured.jobs().get(1);
      assertCovers(forecast.job(1, 4), job.completedSeconds() - job.submittedSeconds());
      for (int i = 0; i < 2; i++) {
        StageTrace stage = job.stages().get(i);
        assertCovers(forecast.stage(1, i, 4), stage.completedSeconds() - stage.submittedSeconds());
      }
      assertTrue(forecast.run(2).medianSeconds() > forecast.run(8).medianSeconds());
    }
  }

  @Test
  void jobsThatHaveEndedLateRaiseTheRest() {
    try (Forecast forecast = whole();
        Forecast onTime = forecast.observe(MadeUpApplication.run(4, 1000, 1, 2));
        Forecast late = forecast.observe(MadeUpApplication.run(4, 1000, 2, 2))) {
      assertEquals(2, onTime.finishedJobs());
      assertTrue(late.remaining(4).medianSeconds() > 1.2 * onTime.remaining(4).medianSeconds());
      assertTrue(onTime.remaining(4).medianSeconds() < forecast.run(4).medianSeconds());
      assertTrue(late.runFactor() > 1.2 * onTime.runFactor(), () -> late.runFactor() + " and " + onTime.runFactor());
      assertTrue(late.runFactorP05() < late.runFactor() && late.runFactor() < late.runFactorP95());
      assertTrue(Double.isNaN(forecast.runFactor()));
      assertEquals(0, forecast.finishedJobs());
    }
    ApplicationTrace ended = MadeUpApplication.run(4, 1000, 1, MadeUpApplication.JOBS);
    try (Forecast forecast = whole();
        Forecast soFar = forecast.observe(ended.after(2));
        Forecast done = forecast.observe(ended)) {
      assertEquals(2, soFar.finishedJobs());
      assertFalse(done.remaining(4).usable());
      assertTrue(Double.isNaN(done.runFactor()));
    }
  }

  @Test
  void aDecisionTellsWhatToChangeToAndWhy() {
    ApplicationTrace soFar = MadeUpApplication.run(2, 1000, 1, 2);
    double elapsed = soFar.runtimeSeconds();
    try (Forecast forecast = whole();
        Forecast rest = forecast.observe(soFar)) {
      double fast = rest.remaining(8).quantileSeconds(0.95);
      assertTrue(fast < rest.remaining(2).quantileSeconds(0.05));
      Price price = Price.perUnitAndHour(1).withStartUp(0.1);
      Rescaling more = rest.rescale(CANDIDATES, price, new RescaleRequest(elapsed + 0.1 + fast, elapsed, 0.9, 2));
      assertEquals(RescaleOutcome.MEETS_DEADLINE, more.outcome());
      assertTrue(more.changes());
      assertTrue(more.scaleOut() > 2);
      assertTrue(more.probability() >= 0.9);
      assertEquals(RescaleVerdict.MISSES_DEADLINE, more.table().get(0).verdict());
      assertEquals(2, more.table().get(0).scaleOut());
      assertEquals(rest.remaining(2).medianSeconds(), more.table().get(0).medianSeconds());
      assertEquals(rest.remaining(2).quantileSeconds(0.9), more.table().get(0).quantileSeconds());
      assertTrue(more.toString().startsWith("change to " + more.scaleOut() + ": meets the deadline\n  2: "));

      Rescaling stay = rest.rescale(CANDIDATES, price, new RescaleRequest(1000, elapsed, 0.9, 2));
      assertFalse(stay.changes());
      assertEquals(2, stay.scaleOut());
      Rescaling less = rest.rescale(CANDIDATES, price, new RescaleRequest(1000, elapsed, 0.9, 8));
      assertEquals(2, less.scaleOut());
      Rescaling dear =
          rest.rescale(CANDIDATES, price, new RescaleRequest(1000, elapsed, 0.9, 8).withCostOfChange(1e6));
      assertEquals(8, dear.scaleOut());
      assertEquals(RescaleVerdict.NOT_WORTH_THE_CHANGE, dear.table().get(0).verdict());
      Rescaling cheap =
          rest.rescale(CANDIDATES, price, new RescaleRequest(elapsed / 2, elapsed, 0.9, 8).withCostOfMissing(1));
      assertEquals(2, cheap.scaleOut());
      Rescaling late = rest.rescale(CANDIDATES, price, new RescaleRequest(elapsed / 2, elapsed, 0.9, 2));
      assertEquals(RescaleOutcome.DEADLINE_PASSED, late.outcome());
    }
  }

  @Test
  void durationsOfTasksAreLearnedFromToo() {
    List<ApplicationTrace> timed = new ArrayList<>();
    for (ApplicationTrace run : MadeUpApplication.history()) {
      List<JobTrace> jobs = new ArrayList<>();
      for (JobTrace job : run.jobs()) {
        List<StageTrace> stages = new ArrayList<>();
        for (StageTrace each : job.stages()) {
          int cores = run.scaleOut().get(0).scaleOut();
          double[] seconds = Collections.nCopies(cores, each.completedSeconds() - each.submittedSeconds()).stream()
              .mapToDouble(Double::doubleValue).toArray();
          stages.add(
              StageTrace.builder(each.id(), each.submittedSeconds(), each.completedSeconds()).parents(each.parents)
                  .tasks(cores).taskSeconds(seconds).firstWave(cores).scaleOut(cores, cores).build());
        }
        jobs.add(new JobTrace(job.id(), job.submittedSeconds(), job.completedSeconds(), stages));
      }
      timed.add(
          new ApplicationTrace(
              run.application(), run.run(), run.unit(), run.properties(), run.scaleOut(), jobs, run.runtimeSeconds(),
              run.outcome()));
    }
    try (ApplicationModel learned = ApplicationModel.pretrain(timed, 0, 2);
        Forecast with = learned.bind(timed.get(0).properties());
        Forecast without = whole()) {
      assertNotEquals(without.run(16).medianSeconds(), with.run(16).medianSeconds());
    }
  }

  @Test
  void anApplicationComesBackFromBytesAndFromAFileAsItWas(@TempDir Path folder) {
    Path file = folder.resolve("etl.bellamy");
    model.save(file);
    try (Forecast known = whole();
        ApplicationModel read = ApplicationModel.load(file);
        ApplicationModel copied = ApplicationModel.fromBytes(model.toBytes())) {
      for (ApplicationModel each : List.of(read, copied)) {
        assertArrayEquals(model.toBytes(), each.toBytes());
        assertEquals(model.application(), each.application());
        try (Forecast again = each.bind(MadeUpApplication.run(2, 1000, 1, 0).properties())) {
          assertEquals(known.run(4).quantileSeconds(0.9), again.run(4).quantileSeconds(0.9));
        }
      }
    }
    assertRefused(ErrorCode.CANNOT_READ, "absent", () -> ApplicationModel.load(folder.resolve("absent")));
    byte[] torn = model.toBytes();
    torn[torn.length / 2] ^= 1;
    assertRefused(ErrorCode.CORRUPTED, "", () -> ApplicationModel.fromBytes(torn));
    assertRefused(ErrorCode.NOT_A_MODEL, "", () -> ApplicationModel.fromBytes(new byte[0]));
    assertTrue(Files.exists(file));
  }

  @Test
  void theSameRunsGiveTheSameBytesOnAnyNumberOfThreads() {
    try (ApplicationModel again = ApplicationModel.pretrain(MadeUpApplication.history(), 0, 1)) {
      assertArrayEquals(model.toBytes(), again.toBytes());
    }
  }

  @Test
  void wrongTracesAreRefusedByTheirNumber() {
    assertRefused(ErrorCode.EMPTY_HISTORY, "", () -> ApplicationModel.pretrain(List.of(), 0, 1));
    assertRefused(ErrorCode.INVALID_OPTION, "threads", () -> ApplicationModel.pretrain(MadeUpApplication.history(), 0, -1));
    ApplicationTrace good = MadeUpApplication.run(2, 500, 1, MadeUpApplication.JOBS);
    ApplicationTrace backwards = with(new JobTrace(0, 5, 4, List.of()));
    assertRefused(ErrorCode.INVALID_TRACE, "run 1", () -> ApplicationModel.pretrain(List.of(good, backwards), 0, 1));
    try (Forecast forecast = whole()) {
      JobTrace open = new JobTrace(0, 1, Double.NaN, TraceOutcome.UNFINISHED, List.of());
      JobTrace ended = new JobTrace(1, 2, 3, List.of());
      assertRefused(ErrorCode.INVALID_TRACE, "", () -> forecast.observe(with(open, ended)));
      forecast.observe(with(ended, new JobTrace(2, 4, Double.NaN, TraceOutcome.UNFINISHED, List.of()))).close();
      StageTrace.Builder stage = StageTrace.builder(7, 2, 3);
      assertRefused(ErrorCode.INVALID_TRACE, "", () -> forecast.observe(inJob(stage.parents(7, 8).build())));
      StageTrace.Builder crowded = StageTrace.builder(7, 2, 3).tasks(1).taskSeconds(0.5, 0.5);
      assertRefused(ErrorCode.INVALID_TRACE, "durations", () -> forecast.observe(inJob(crowded.build())));
      StageTrace.Builder wave = StageTrace.builder(7, 2, 3).taskSeconds(0.5).firstWave(2);
      assertRefused(ErrorCode.INVALID_TRACE, "first wave", () -> forecast.observe(inJob(wave.build())));
    }
  }

  private static ApplicationTrace inJob(StageTrace stage) {
    return with(new JobTrace(0, 1, 4, List.of(stage)));
  }

  @Test
  void wrongQuestionsAreRefused() {
    RescaleRequest request = new RescaleRequest(100, 1, 0.9, 2);
    try (Forecast forecast = whole()) {
      assertRefused(ErrorCode.INVALID_SCALE_OUT, "", () -> forecast.run(-1));
      assertTrue(forecast.run(0).usable());
      assertRefused(ErrorCode.INVALID_ARGUMENT, "", () -> forecast.job(MadeUpApplication.JOBS, 2));
      assertRefused(ErrorCode.INVALID_ARGUMENT, "", () -> forecast.stage(0, -1, 2));
      assertRefused(ErrorCode.INVALID_ARGUMENT, "from 0 to 3", () -> forecast.stages(4));
      assertRefused(ErrorCode.EMPTY_CANDIDATES, "", () -> forecast.rescale(new int[0], Price.FREE, request));
      assertRefused(ErrorCode.INVALID_SCALE_OUT, "", () -> forecast.rescale(new int[] {0}, Price.FREE, request));
      assertRefused(ErrorCode.INVALID_PRICE, "", () -> forecast.rescale(CANDIDATES, Price.perUnitAndHour(-1), request));
      assertRefused(
          ErrorCode.INVALID_DEADLINE, "",
          () -> forecast.rescale(CANDIDATES, Price.FREE, new RescaleRequest(Double.NaN, 1, 0.9, 2)));
      assertRefused(
          ErrorCode.INVALID_RUNTIME, "",
          () -> forecast.rescale(CANDIDATES, Price.FREE, new RescaleRequest(10, -1, 0.9, 2)));
      assertRefused(
          ErrorCode.INVALID_PROBABILITY, "",
          () -> forecast.rescale(CANDIDATES, Price.FREE, new RescaleRequest(10, 1, 1.5, 2)));
      assertRefused(ErrorCode.INVALID_ARGUMENT, "a request", () -> forecast.rescale(CANDIDATES, Price.FREE, null));
      assertRefused(ErrorCode.INVALID_ARGUMENT, "a trace", () -> forecast.observe(null));
    }
    assertRefused(ErrorCode.INVALID_ARGUMENT, "traces", () -> ApplicationModel.pretrain(null, 0, 1));
    assertRefused(ErrorCode.INVALID_ARGUMENT, "an outcome", () -> new JobTrace(0, 0, 0, null, List.of()));
  }

  @Test
  void whatWasClosedIsRefusedAndAForecastOutlivesItsModel() {
    ApplicationModel brief = ApplicationModel.fromBytes(model.toBytes());
    Forecast forecast = brief.bind(List.of());
    brief.close();
    brief.close();
    assertRefused(ErrorCode.CLOSED, "ApplicationModel", brief::toBytes);
    assertRefused(ErrorCode.CLOSED, "ApplicationModel", () -> brief.bind(List.of()));
    // Another shape is bound anew, from what the model has learned.
    Forecast rest = forecast.observe(with(new JobTrace(0, 1, 4, List.of())));
    assertTrue(rest.remaining(4).usable());
    rest.close();
    forecast.close();
    assertRefused(ErrorCode.CLOSED, "Forecast", () -> forecast.run(2));
    assertRefused(ErrorCode.CLOSED, "Forecast", () -> forecast.observe(MadeUpApplication.run(2, 500, 1, 1)));
    assertRefused(
        ErrorCode.CLOSED, "Forecast", () -> forecast.rescale(CANDIDATES, Price.FREE, new RescaleRequest(9, 1, 0.9, 2)));
  }

  @Test
  void threadsThatShareAForecastGetTheSameAnswers() throws Exception {
    ApplicationTrace soFar = MadeUpApplication.run(4, 1000, 1.3, 2);
    try (Forecast forecast = whole();
        Forecast rest = forecast.observe(soFar)) {
      double expected = rest.remaining(4).medianSeconds();
      Callable<Double> ask =
          () -> {
            double last = 0;
            for (int i = 0; i < 200; i++) {
              try (Forecast mine = forecast.observe(soFar)) {
                last = mine.remaining(4).medianSeconds();
              }
            }
            return last;
          };
      ExecutorService pool = Executors.newFixedThreadPool(4);
      try {
        for (Future<Double> each : pool.invokeAll(Collections.nCopies(4, ask))) {
          assertEquals(expected, each.get());
        }
      } finally {
        pool.shutdownNow();
      }
    }
  }
}
