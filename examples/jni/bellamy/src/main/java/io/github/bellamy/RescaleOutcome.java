package io.github.bellamy;

/** Whether a decision on the rest of a run meets its deadline. */
public enum RescaleOutcome {
  MEETS_DEADLINE("meets the deadline"),
  /**
   * None meets it with the probability asked for. The best effort is the cheapest of those about as likely to meet it as the
   * likeliest or, where all are hopeless, the fastest.
   */
  MISSES_DEADLINE("misses the deadline"),
  /** No time is left; the fastest is the best effort. */
  DEADLINE_PASSED("deadline passed"),
  /** No job is to come: it stays. */
  NOTHING_TO_COME("nothing to come"),
  /** It stays. */
  NO_USABLE_PREDICTION("no usable prediction"),
  /** Missing it has a cost, and the cheapest scale-out meets it with less than the probability asked for. */
  COSTS_LEAST("costs least");

  private final String words;

  RescaleOutcome(String words) {
    this.words = words;
  }

  @Override
  public String toString() {
    return words;
  }
}
