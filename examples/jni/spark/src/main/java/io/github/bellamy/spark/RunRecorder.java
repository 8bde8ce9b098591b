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
 * of their cores where the context counts cores or slots; under dynamic allocation their average while jobs ran, which is
 * executor-seconds by seconds. An application of which a job did not succeed, or that lost an executor without dynamic allocation, is not
 * recorded: its runtime is that of no scale-out.
 */
final class RunRecorder extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(RunRecorder.class);

  private final Context context;
  private final RunTable table;
  private final long startMillis;
  private final boolean dynamic;
  private final ExecutorSeconds executorSeconds = new ExecutorSeconds();
  // Spark calls a listener from one thread.
  private final Map<String, Integer> coresOfExecutors = new HashMap<>();
  private final Set<Integer> jobsNotSucceeded = new HashSet<>();
  private boolean lostExecutors;

  /** {@code dynamic}: executors come and go by Spark's dynamic allocation. */
  RunRecorder(Context context, RunTable table, long startMillis, boolean dynamic) {
    this.context = context;
    this.table = table;
    this.startMillis = startMillis;
    this.dynamic = dynamic;
  }

  @Override
  public void onExecutorAdded(SparkListenerExecutorAdded added) {
    coresOfExecutors.put(added.executorId(), added.executorInfo().totalCores());
    executorSeconds.changed(added.time(), coresOfExecutors.size(), cores());
  }

  private int cores() {
    return coresOfExecutors.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    lostExecutors |= !dynamic;
    coresOfExecutors.remove(removed.executorId());
    executorSeconds.changed(removed.time(), coresOfExecutors.size(), cores());
  }

  @Override
  public void onJobStart(SparkListenerJobStart job) {
    // Spark reports a job's success before it wakes the application, but its failure after that: maybe after the application's end.
    jobsNotSucceeded.add(job.jobId());
    executorSeconds.jobStarted(job.time());
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd job) {
    executorSeconds.jobEnded(job.time());
    if (job.jobResult() == JobSucceeded$.MODULE$) {
      jobsNotSucceeded.remove(job.jobId());
    }
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    if (lostExecutors || !jobsNotSucceeded.isEmpty()) {
      LOG.warn("bellamy does not record this application: a job did not succeed, or an executor was lost");
      return;
    }
    try {
      table.append(new Run(context, scaleOut(), (end.time() - startMillis) / 1000.0, false, 1, startMillis / 1000.0));
    } catch (RuntimeException failed) {
      LOG.error("bellamy could not record this application", failed);
    }
  }

  private int scaleOut() {
    boolean ofCores = context.unit() == ScaleOutUnit.CORE || context.unit() == ScaleOutUnit.SLOT;
    if (dynamic) {
      return (int) Math.max(1, Math.round(executorSeconds.average(ofCores)));
    }
    return ofCores ? cores() : coresOfExecutors.size();
  }
}
