package io.github.bellamy;

/** Why a scale-out was chosen for the rest of a run or not. */
public enum RescaleVerdict {
  CHOSEN("chosen"),
  MISSES_DEADLINE("misses the deadline"),
  NOT_USABLE("no usable prediction"),
  COSTS_MORE("costs more"),
  /** It meets the deadline at less cost, but saves no more than the change costs. */
  NOT_WORTH_THE_CHANGE("not worth the change");

  private final String words;

  RescaleVerdict(String words) {
    this.words = words;
  }

  @Override
  public String toString() {
    return words;
  }
}
