package io.github.bellamy;

/** What is best among the candidates. */
public enum Goal {
  /** Fewest units of scale-out; prices do not matter. */
  SMALLEST_WITHIN_DEADLINE,
  /** Least expected cost. */
  CHEAPEST_WITHIN_DEADLINE,
  /** Least median time to the result. */
  FASTEST_WITHIN_BUDGET,
  /** No deadline, no budget. */
  LEAST_EXPECTED_COST
}
