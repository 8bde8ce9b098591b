package io.github.bellamy.flink;

import io.github.bellamy.Context;
import io.github.bellamy.JobAdvisor;
import io.github.bellamy.Run;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.JobListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells an advisor the runtime of a job that {@code execute} waited for, unless it failed. */
public final class RunRecorder implements JobListener {
  private static final Logger LOG = LoggerFactory.getLogger(RunRecorder.class);

  private final JobAdvisor advisor;
  private final Context context;
  private final int parallelism;

  public RunRecorder(JobAdvisor advisor, Context context, int parallelism) {
    this.advisor = advisor;
    this.context = context;
    this.parallelism = parallelism;
  }

  @Override
  public void onJobSubmitted(JobClient client, Throwable failure) {}

  @Override
  public void onJobExecuted(JobExecutionResult result, Throwable failure) {
    if (failure != null || !result.isJobExecutionResult()) {
      LOG.warn("bellamy does not record this job: it failed, or was not waited for");
      return;
    }
    try {
      long runtimeMillis = result.getNetRuntime(TimeUnit.MILLISECONDS);
      double startedAtSeconds = (System.currentTimeMillis() - runtimeMillis) / 1000.0;
      advisor.record(new Run(context, parallelism, runtimeMillis / 1000.0, false, 1, startedAtSeconds));
    } catch (RuntimeException failed) {
      LOG.error("bellamy could not record this job", failed);
    }
  }
}
