package io.github.bellamy;

import java.io.Serializable;

/** One attempt of a stage; immutable. Times are seconds from the start of the run, NaN where not known. */
public final class StageTrace implements Serializable {
  private static final long serialVersionUID = 1;
  private static final int UNKNOWN = -1;

  final long id;
  final long attempt;
  final String name;
  final long[] parents;
  final long tasks;
  final double submittedSeconds;
  final double completedSeconds;
  final TraceOutcome outcome;
  final int startScaleOut;
  final int endScaleOut;
  final double[] taskSeconds;
  final long firstWave;

  private StageTrace(Builder from) {
    id = from.id;
    attempt = from.attempt;
    name = from.name;
    parents = from.parents;
    tasks = from.tasks;
    submittedSeconds = from.submittedSeconds;
    completedSeconds = from.completedSeconds;
    outcome = from.outcome;
    startScaleOut = from.startScaleOut;
    endScaleOut = from.endScaleOut;
    taskSeconds = from.taskSeconds;
    firstWave = from.firstWave;
  }

  /** A stage that succeeded, of which nothing else is known. */
  public static StageTrace of(long id, double submittedSeconds, double completedSeconds) {
    return builder(id, submittedSeconds, completedSeconds).build();
  }

  public static Builder builder(long id, double submittedSeconds, double completedSeconds) {
    return new Builder(id, submittedSeconds, completedSeconds);
  }

  public long id() {
    return id;
  }

  public TraceOutcome outcome() {
    return outcome;
  }

  public double submittedSeconds() {
    return submittedSeconds;
  }

  public double completedSeconds() {
    return completedSeconds;
  }

  /** Durations of the tasks that succeeded, in the order of launch; none where not known. */
  public double[] taskSeconds() {
    return taskSeconds.clone();
  }

  @Override
  public String toString() {
    return "stage " + id + ": " + submittedSeconds + " s to " + completedSeconds + " s, " + outcome;
  }

  /** What else is known of a stage. For one thread. */
  public static final class Builder {
    private final long id;
    private final double submittedSeconds;
    private final double completedSeconds;
    private long attempt;
    private String name = "";
    private long[] parents = {};
    private long tasks = UNKNOWN;
    private TraceOutcome outcome = TraceOutcome.SUCCEEDED;
    private int startScaleOut = UNKNOWN;
    private int endScaleOut = UNKNOWN;
    private double[] taskSeconds = {};
    private long firstWave = UNKNOWN;

    private Builder(long id, double submittedSeconds, double completedSeconds) {
      this.id = id;
      this.submittedSeconds = submittedSeconds;
      this.completedSeconds = completedSeconds;
    }

    public Builder attempt(long number) {
      attempt = number;
      return this;
    }

    public Builder name(String words) {
      name = Check.present(words, "a stage's name");
      return this;
    }

    /** Ids of stages of the same job that must end first. */
    public Builder parents(long... ids) {
      parents = Check.present(ids, "parents").clone();
      return this;
    }

    public Builder tasks(long count) {
      tasks = count;
      return this;
    }

    public Builder outcome(TraceOutcome how) {
      outcome = Check.present(how, "an outcome");
      return this;
    }

    /** Of the application, when the stage was submitted and when it was completed. */
    public Builder scaleOut(int start, int end) {
      startScaleOut = start;
      endScaleOut = end;
      return this;
    }

    /** Durations of the tasks that succeeded, in the order of launch. */
    public Builder taskSeconds(double... seconds) {
      taskSeconds = Check.present(seconds, "durations of tasks").clone();
      return this;
    }

    /** How many of those tasks were among the first on a core of their executor. */
    public Builder firstWave(long count) {
      firstWave = count;
      return this;
    }

    public StageTrace build() {
      return new StageTrace(this);
    }
  }
}
