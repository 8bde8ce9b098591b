package io.github.bellamy;

import java.io.Serializable;
import java.util.List;

/**
 * What one run of an application did, job by job and stage by stage; immutable. Of a run that still goes on it is the progress so
 * far: the jobs that have ended.
 */
public final class ApplicationTrace implements Serializable {
  private static final long serialVersionUID = 1;

  private final String application;
  private final String run;
  private final ScaleOutUnit unit;
  private final List<Property> properties;
  private final List<ScaleOutStep> scaleOut;
  private final List<JobTrace> jobs;
  private final double runtimeSeconds;
  private final TraceOutcome outcome;

  /**
   * @param run its name, empty where it has none
   * @param properties known before the start, without the scale-out
   * @param scaleOut in the order of time, none where not known
   * @param jobs in the order of submission
   * @param runtimeSeconds from start to end; of an unfinished run, until the last time that is known
   */
  public ApplicationTrace(
      String application,
      String run,
      ScaleOutUnit unit,
      List<Property> properties,
      List<ScaleOutStep> scaleOut,
      List<JobTrace> jobs,
      double runtimeSeconds,
      TraceOutcome outcome) {
    this.application = Check.present(application, "the name of an application");
    this.run = Check.present(run, "the name of a run");
    this.unit = Check.present(unit, "a unit of scale-out");
    this.properties = Check.list(properties, "properties");
    this.scaleOut = Check.list(scaleOut, "steps of the scale-out");
    this.jobs = Check.list(jobs, "jobs");
    this.runtimeSeconds = runtimeSeconds;
    this.outcome = Check.present(outcome, "an outcome");
  }

  /** The same run when so many of its jobs had ended, to look back at it. Its steps of the scale-out end there too. */
  public ApplicationTrace after(int finishedJobs) {
    List<JobTrace> first = jobs.subList(0, Math.min(finishedJobs, jobs.size()));
    double until = first.stream().mapToDouble(JobTrace::completedSeconds).max().orElse(0);
    List<ScaleOutStep> steps = new java.util.ArrayList<>(scaleOut);
    steps.removeIf(each -> each.atSeconds() > until);
    return new ApplicationTrace(application, run, unit, properties, steps, first, until, TraceOutcome.UNFINISHED);
  }

  public String application() {
    return application;
  }

  public String run() {
    return run;
  }

  public ScaleOutUnit unit() {
    return unit;
  }

  public List<Property> properties() {
    return properties;
  }

  public List<ScaleOutStep> scaleOut() {
    return scaleOut;
  }

  public List<JobTrace> jobs() {
    return jobs;
  }

  public double runtimeSeconds() {
    return runtimeSeconds;
  }

  public TraceOutcome outcome() {
    return outcome;
  }

  @Override
  public String toString() {
    return application + " " + run + ": " + jobs.size() + " jobs, " + runtimeSeconds + " s, " + outcome;
  }
}
