package io.github.bellamy;

import java.io.Serializable;

/** From a time on, in seconds since the start of the run, an application has so many units of scale-out; immutable. */
public final class ScaleOutStep implements Serializable {
  private static final long serialVersionUID = 1;

  private final double atSeconds;
  private final int scaleOut;

  /** 0 units before the first executor. */
  public ScaleOutStep(double atSeconds, int scaleOut) {
    this.atSeconds = atSeconds;
    this.scaleOut = scaleOut;
  }

  public double atSeconds() {
    return atSeconds;
  }

  public int scaleOut() {
    return scaleOut;
  }

  @Override
  public String toString() {
    return scaleOut + " from " + atSeconds + " s";
  }
}
