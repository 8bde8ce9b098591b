package io.github.bellamy;

import java.io.Serializable;
import java.util.List;

/** The stages that an action of the driver started; immutable. Times are seconds from the start of the run, NaN where not known. */
public final class JobTrace implements Serializable {
  private static final long serialVersionUID = 1;

  private final long id;
  private final double submittedSeconds;
  private final double completedSeconds;
  private final TraceOutcome outcome;
  private final List<StageTrace> stages;

  /** A source without stages has jobs without them. */
  public JobTrace(long id, double submittedSeconds, double completedSeconds, TraceOutcome outcome, List<StageTrace> stages) {
    this.id = id;
    this.submittedSeconds = submittedSeconds;
    this.completedSeconds = completedSeconds;
    this.outcome = Check.present(outcome, "an outcome");
    this.stages = Check.list(stages, "stages");
  }

  /** A job that succeeded. */
  public JobTrace(long id, double submittedSeconds, double completedSeconds, List<StageTrace> stages) {
    this(id, submittedSeconds, completedSeconds, TraceOutcome.SUCCEEDED, stages);
  }

  public long id() {
    return id;
  }

  public double submittedSeconds() {
    return submittedSeconds;
  }

  public double completedSeconds() {
    return completedSeconds;
  }

  public TraceOutcome outcome() {
    return outcome;
  }

  public List<StageTrace> stages() {
    return stages;
  }

  @Override
  public String toString() {
    return "job " + id + ": " + submittedSeconds + " s to " + completedSeconds + " s, " + outcome + ", " + stages.size() + " stages";
  }
}
