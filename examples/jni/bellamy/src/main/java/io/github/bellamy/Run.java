package io.github.bellamy;

import java.io.Serializable;
import java.util.List;

/** One recorded execution of a job; immutable. */
public final class Run implements Serializable {
  private static final long serialVersionUID = 1;

  private final Context context;
  private final int scaleOut;
  private final double runtimeSeconds;
  private final boolean censored;
  private final double weight;
  private final double startedAtSeconds;
  private final List<String> flags;

  /** A run that finished. */
  public Run(Context context, int scaleOut, double runtimeSeconds) {
    this(context, scaleOut, runtimeSeconds, false, 1);
  }

  /** A run that, where censored, was killed after that time, and that counts {@code weight} times as much as the usual one. */
  public Run(Context context, int scaleOut, double runtimeSeconds, boolean censored, double weight) {
    this(context, scaleOut, runtimeSeconds, censored, weight, 0);
  }

  /** The same that began at a time, in seconds since the Unix epoch; 0 where it was not recorded. */
  public Run(
      Context context, int scaleOut, double runtimeSeconds, boolean censored, double weight, double startedAtSeconds) {
    this(context, scaleOut, runtimeSeconds, censored, weight, startedAtSeconds, List.of());
  }

  /** The same with what else is to be known of it, as {@code bellamy import} tells it: {@code rescaled}, {@code out_of_memory}; models take no notice. */
  public Run(
      Context context,
      int scaleOut,
      double runtimeSeconds,
      boolean censored,
      double weight,
      double startedAtSeconds,
      List<String> flags) {
    this.context = Check.present(context, "a run's context");
    this.scaleOut = scaleOut;
    this.runtimeSeconds = runtimeSeconds;
    this.censored = censored;
    this.weight = weight;
    this.startedAtSeconds = startedAtSeconds;
    this.flags = List.copyOf(Check.present(flags, "a run's flags"));
  }

  public Context context() {
    return context;
  }

  public int scaleOut() {
    return scaleOut;
  }

  public double runtimeSeconds() {
    return runtimeSeconds;
  }

  public boolean censored() {
    return censored;
  }

  public double weight() {
    return weight;
  }

  /** Since the Unix epoch; 0 where it was not recorded. */
  public double startedAtSeconds() {
    return startedAtSeconds;
  }

  /** What else is to be known of the run; unmodifiable. */
  public List<String> flags() {
    return flags;
  }

  @Override
  public String toString() {
    return context + " at " + scaleOut + ": " + runtimeSeconds + " s" + (censored ? " or more" : "");
  }
}
