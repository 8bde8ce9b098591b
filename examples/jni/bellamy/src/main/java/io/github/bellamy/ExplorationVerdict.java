package io.github.bellamy;

/** Whether to make another run of a search, and why not. */
public enum ExplorationVerdict {
  GO_ON("go on"),
  COSTS_MORE_THAN_IT_GAINS("another run costs more than it gains"),
  BELOW_LEAST_GAIN("the expected gain is below the bound"),
  EVERYTHING_TRIED("everything was tried"),
  /** No candidate meets the limit with a probability of 0.01 or more. */
  HOPELESS("no candidate is likely to meet the limit");

  private final String words;

  ExplorationVerdict(String words) {
    this.words = words;
  }

  @Override
  public String toString() {
    return words;
  }
}
