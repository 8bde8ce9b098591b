package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.bellamy.Context;
import io.github.bellamy.Property;
import io.github.bellamy.Run;
import io.github.bellamy.RunTable;
import io.github.bellamy.RuntimeModel;
import io.github.bellamy.ScaleOutUnit;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.apache.spark.scheduler.JobFailed;
import org.apache.spark.scheduler.JobResult;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.cluster.ExecutorInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.collection.immutable.List$;
import scala.collection.immutable.Map$;

/** What Spark may tell of an application, in the orders in which it may. */
class RunRecorderTest {
  private static final JobResult SUCCEEDED = JobSucceeded$.MODULE$;
  private static final JobResult FAILED = new JobFailed(new IllegalStateException("failed as asked for"));

  @TempDir Path folder;
  private Context context;
  private RunTable table;
  private RunRecorder recorder;

  @BeforeEach
  void twoExecutorsStart() {
    context = new Context(List.of(Property.text("job", "word count")), List.of(), ScaleOutUnit.CORE);
    try (RuntimeModel cold = RuntimeModel.coldStart(context, "word count")) {
      table = new RunTable(folder.resolve("runs.tsv"), cold.schema());
    }
    listen(false);
  }

  private void listen(boolean dynamic) {
    recorder = new RunRecorder(context, table, 1000, dynamic);
    addExecutor(0, "0", 2);
    addExecutor(0, "1", 4);
  }

  private void addExecutor(long time, String id, int cores) {
    recorder.onExecutorAdded(new SparkListenerExecutorAdded(time, id, new ExecutorInfo("host", cores, Map$.MODULE$.empty())));
  }

  private void start(int job) {
    recorder.onJobStart(new SparkListenerJobStart(job, 0, List$.MODULE$.empty(), new Properties()));
  }

  private void end(int job, JobResult result) {
    recorder.onJobEnd(new SparkListenerJobEnd(job, 0, result));
  }

  private void endApplication() {
    recorder.onApplicationEnd(SimulatedApplication.applicationEnd(3500));
  }

  @Test
  void anApplicationWhoseJobsSucceedIsRecordedWithTheCoresOfItsExecutors() {
    start(0);
    start(1);
    end(1, SUCCEEDED);
    end(0, SUCCEEDED);
    endApplication();
    assertEquals(1, table.read().size());
    Run run = table.read().get(0);
    assertEquals(6, run.scaleOut());
    assertEquals(2.5, run.runtimeSeconds());
    assertEquals(1, run.startedAtSeconds());
  }

  @Test
  void anApplicationIsNotRecordedWhereAJobFailsBeforeItsEnd() {
    start(0);
    end(0, FAILED);
    start(1);
    end(1, SUCCEEDED);
    endApplication();
    assertEquals(List.of(), table.read());
  }

  @Test
  void anApplicationIsNotRecordedWhereAJobsFailureIsToldAfterItsEnd() {
    start(0);
    end(0, SUCCEEDED);
    start(1);
    endApplication();
    end(1, FAILED);
    assertEquals(List.of(), table.read());
  }

  @Test
  void anApplicationThatLosesAnExecutorIsNotRecorded() {
    recorder.onExecutorRemoved(new SparkListenerExecutorRemoved(0, "1", "lost"));
    endApplication();
    assertEquals(List.of(), table.read());
  }

  @Test
  void underDynamicAllocationTheScaleOutIsExecutorSecondsBySeconds() {
    listen(true);
    recorder.onJobStart(new SparkListenerJobStart(0, 1500, List$.MODULE$.empty(), new Properties()));
    addExecutor(2000, "2", 4); // 6 cores for 0.5 s, then 10 for 1 s
    recorder.onExecutorRemoved(new SparkListenerExecutorRemoved(3000, "1", "idle"));
    recorder.onExecutorRemoved(new SparkListenerExecutorRemoved(3000, "2", "idle")); // 2 for 0.5 s: 14 core-seconds in 2 s
    recorder.onJobEnd(new SparkListenerJobEnd(0, 3500, SUCCEEDED));
    recorder.onExecutorRemoved(new SparkListenerExecutorRemoved(3500, "0", "idle"));
    endApplication();
    assertEquals(1, table.read().size());
    assertEquals(7, table.read().get(0).scaleOut());
    assertEquals(2.5, table.read().get(0).runtimeSeconds());
  }

  @Test
  void underDynamicAllocationTheWaitForTheFirstExecutorDoesNotCount() {
    recorder = new RunRecorder(context, table, 1000, true);
    recorder.onJobStart(new SparkListenerJobStart(0, 1000, List$.MODULE$.empty(), new Properties()));
    addExecutor(2000, "0", 2);
    addExecutor(3000, "1", 4); // 2 cores for 1 s, 6 for 1 s
    recorder.onJobEnd(new SparkListenerJobEnd(0, 4000, SUCCEEDED));
    endApplication();
    assertEquals(4, table.read().get(0).scaleOut());
  }
}
