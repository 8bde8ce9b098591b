package io.github.bellamy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Stay, or go to another scale-out, and the table why; made by {@link Forecast#rescale}; immutable. */
public final class Rescaling {
  static final int HEAD_NUMBERS = 5;
  static final int ROW_NUMBERS = 7;

  /** One scale-out for the rest of the run. */
  public static final class Row {
    private final double[] numbers;

    private Row(double[] numbers) {
      this.numbers = numbers;
    }

    public int scaleOut() {
      return (int) numbers[0];
    }

    /** Of the rest of the run, without the delay of the change. */
    public double medianSeconds() {
      return numbers[1];
    }

    /** The rest of the run takes no longer with the probability of the request. */
    public double quantileSeconds() {
      return numbers[2];
    }

    /** Of meeting the deadline, the delay of the change included. */
    public double probability() {
      return numbers[3];
    }

    /** Of the rest of the run, the change included. */
    public double expectedCost() {
      return numbers[4];
    }

    /** The scale-out lies outside those seen: the answer is an extrapolation. */
    public boolean outsideSeenScaleOuts() {
      return ((int) numbers[5] & 1) != 0;
    }

    public RescaleVerdict verdict() {
      return RescaleVerdict.values()[(int) numbers[6]];
    }

    @Override
    public String toString() {
      return String.format(
          "%d: %.1f s, probability %.3f, cost %.3g, %s", scaleOut(), medianSeconds(), probability(), expectedCost(), verdict());
    }
  }

  private final RescaleOutcome outcome;
  private final int scaleOut;
  private final boolean changes;
  private final double probability;
  private final double expectedCost;
  private final List<Row> table;

  Rescaling(double[] answer, int rows) {
    outcome = RescaleOutcome.values()[(int) answer[0]];
    scaleOut = (int) answer[1];
    changes = answer[2] != 0;
    probability = answer[3];
    expectedCost = answer[4];
    List<Row> all = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      double[] numbers = new double[ROW_NUMBERS];
      System.arraycopy(answer, HEAD_NUMBERS + i * ROW_NUMBERS, numbers, 0, ROW_NUMBERS);
      all.add(new Row(numbers));
    }
    table = Collections.unmodifiableList(all);
  }

  public RescaleOutcome outcome() {
    return outcome;
  }

  /** The one to have for the rest of the run; the present one where nothing changes. */
  public int scaleOut() {
    return scaleOut;
  }

  public boolean changes() {
    return changes;
  }

  /** Of meeting the deadline at the scale-out chosen, the delay of a change included; 0 where nothing was chosen. */
  public double probability() {
    return probability;
  }

  public double expectedCost() {
    return expectedCost;
  }

  /** One row per scale-out, in their order; empty predictions where nothing was to decide. */
  public List<Row> table() {
    return table;
  }

  @Override
  public String toString() {
    StringBuilder words =
        new StringBuilder(changes ? "change to " : "stay at ").append(scaleOut).append(": ").append(outcome);
    table.forEach(row -> words.append("\n  ").append(row));
    return words.toString();
  }
}
