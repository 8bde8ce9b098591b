package io.github.bellamy.spark;

import io.github.bellamy.Context;
import io.github.bellamy.Run;
import io.github.bellamy.RunTable;
import io.github.bellamy.ScaleOutUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.scheduler.JobSucceeded$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends an application's runtime, from its start to its end, to a run table. Its scale-out is the number of its executors, or
 * of their cores where the context counts cores or slots. An application of which a job did not succeed, or that
 * lost executors, is not recorded: its runtime is that of no scale-out.
 */
final class RunRecorder extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(RunRecorder.class);

  private final Context context;
  private final RunTable table;
  private final long startMillis;
  // Spark calls a listener from one thread.
  private final Map<String, Integer> coresOfExecutors = new HashMap<>();
  private final Set<Integer> jobsNotSucceeded = new HashSet<>();
  private boolean lostExecutors;

  RunRecorder(Context context, RunTable table, long startMillis) {
    this.context = context;
    this.table = table;
    this.startMillis = startMillis;
  }

  @Override
  public void onExecutorAdded(SparkListenerExecutorAdded added) {
    coresOfExecutors.put(added.executorId(), added.executorInfo().totalCores());
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    lostExecutors = true;
  }

  @Override
  public void onJobStart(SparkListenerJobStart job) {
    // Spark reports a job's success before it wakes the application, but its failure after that: maybe after the application's end.
    jobsNotSucceeded.add(job.jobId());
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd job) {
    if (job.jobResult() == JobSucceeded$.MODULE$) {
      jobsNotSucceeded.remove(job.jobId());
    }
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    ScaleOutUnit unit = context.unit();
    int scaleOut =
        unit == ScaleOutUnit.CORE || unit == ScaleOutUnit.SLOT
            ? coresOfExecutors.values().stream().mapToInt(Integer::intValue).sum()
            : coresOfExecutors.size();
    if (lostExecutors || !jobsNotSucceeded.isEmpty()) {
      LOG.warn("bellamy does not record this application: a job did not succeed, or an executor was lost");
      return;
    }
    try {
      table.append(new Run(context, scaleOut, (end.time() - startMillis) / 1000.0, false, 1, startMillis / 1000.0));
    } catch (RuntimeException failed) {
      LOG.error("bellamy could not record this application", failed);
    }
  }
}
