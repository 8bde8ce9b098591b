package io.github.bellamy;

/** Whether a decision meets what was asked for. */
public enum Outcome {
  /** Or the budget. */
  MEETS_DEADLINE("meets the deadline"),
  /** The same, but the choice lies outside the scale-outs or the data sizes that the model has seen. */
  MEETS_DEADLINE_BY_EXTRAPOLATION("meets the deadline by extrapolation"),
  /** No candidate meets the limit with the probability asked for; the one most likely to is the best effort. */
  INFEASIBLE("infeasible"),
  /** Meets the limit, but the context has a value that no run had, and none of it was observed. */
  MEETS_DEADLINE_UNLIKE_ANY_SEEN("meets the deadline, in a context unlike any seen"),
  /** Missing the deadline has a cost, and the cheapest candidate meets it with less than the probability asked for. */
  COSTS_LEAST("costs least"),
  /** The same, in a context that has a value that no run had, and none of it was observed. */
  COSTS_LEAST_UNLIKE_ANY_SEEN("costs least, in a context unlike any seen");

  private final String words;

  Outcome(String words) {
    this.words = words;
  }

  @Override
  public String toString() {
    return words;
  }
}
