package io.github.bellamy.flink;

import io.github.bellamy.Assessment;
import io.github.bellamy.BellamyException;
import io.github.bellamy.Context;
import io.github.bellamy.Decision;
import io.github.bellamy.ErrorCode;
import io.github.bellamy.JobAdvisor;
import java.util.List;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The parallelism of a bounded job by its deadline, chosen before it is submitted. */
public final class BellamyFlinkSubmit {
  private BellamyFlinkSubmit() {}

  /**
   * Gives the environment the smallest of the parallelisms that meets the deadline with the probability, or else the one most likely
   * to, and has the runtime of the next job that it executes recorded. The advisor stays open until that job ended.
   */
  public static Decision prepare(
      StreamExecutionEnvironment environment,
      JobAdvisor advisor,
      Context context,
      List<Integer> parallelisms,
      double deadlineSeconds,
      double probability) {
    Decision decision = advisor.decide(context, parallelisms, deadlineSeconds, probability);
    Assessment chosen =
        decision
            .best()
            .orElseThrow(
                () -> new BellamyException(ErrorCode.EMPTY_CANDIDATES, "expected a usable prediction, found " + decision));
    environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
    environment.setParallelism(chosen.scaleOut());
    environment.registerJobListener(new RunRecorder(advisor, context, chosen.scaleOut()));
    return decision;
  }
}
