package io.github.bellamy;

/** How a run, a job or a stage ended. */
public enum TraceOutcome {
  SUCCEEDED,
  FAILED,
  KILLED,
  /** It still runs, or its end was not recorded. */
  UNFINISHED
}
