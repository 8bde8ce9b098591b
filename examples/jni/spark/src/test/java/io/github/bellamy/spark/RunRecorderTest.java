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
  private RunTable table;
  private RunRecorder recorder;

  @BeforeEach
  void twoExecutorsStart() {
    Context context = new Context(List.of(Property.text("job", "word count")), List.of(), ScaleOutUnit.CORE);
    try (RuntimeModel cold = RuntimeModel.coldStart(context, "word count")) {
      table = new RunTable(folder.resolve("runs.tsv"), cold.schema());
    }
    recorder = new RunRecorder(context, table, 1000);
    recorder.onExecutorAdded(new SparkListenerExecutorAdded(0, "0", new ExecutorInfo("host", 2, Map$.MODULE$.empty())));
    recorder.onExecutorAdded(new SparkListenerExecutorAdded(0, "1", new ExecutorInfo("host", 4, Map$.MODULE$.empty())));
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
}
