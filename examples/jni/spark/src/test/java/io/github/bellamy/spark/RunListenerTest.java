package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.JobTrace;
import io.github.bellamy.TraceOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    assertEquals(0, History.read(record(), "sim", "").runs());
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
    assertEquals(1, History.read(record(), "sim", "").runs());
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
