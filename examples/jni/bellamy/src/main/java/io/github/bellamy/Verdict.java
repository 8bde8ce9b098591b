package io.github.bellamy;

/** Why a candidate was chosen or not. */
public enum Verdict {
  CHOSEN("chosen"),
  LARGER_THAN_NEEDED("larger than needed"),
  MISSES_DEADLINE("misses the deadline"),
  NOT_USABLE("no usable prediction"),
  COSTS_MORE("costs more"),
  EXCEEDS_BUDGET("exceeds the budget"),
  SLOWER("slower"),
  UNLIKE_ANY_SEEN("unlike any seen");

  private final String words;

  Verdict(String words) {
    this.words = words;
  }

  @Override
  public String toString() {
    return words;
  }
}
