package io.github.bellamy;

import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** Runtime over scale-outs for one context, made by {@link RuntimeModel#bind}; needs no model behind it. Thread-safe. */
public final class Curve extends NativeHandle {
  Curve(long address) {
    super(address, Native::curveFree);
  }

  /** Prediction for one scale-out; beyond 1,000,000, or below 1, its median is NaN. Error: CLOSED. */
  public Prediction at(int scaleOut) {
    double[] numbers = new double[Native.PREDICTION_NUMBERS];
    long address = acquire();
    try {
      Native.curveAt(address, scaleOut, numbers);
    } finally {
      release();
    }
    return new Prediction(numbers);
  }

  /** The median alone, in seconds; allocates nothing. Error: CLOSED. */
  public double medianSeconds(int scaleOut) {
    return quantileSeconds(scaleOut, 0.5);
  }

  /** One quantile alone, in seconds; NaN unless 0 &lt; p &lt; 1; allocates nothing. Error: CLOSED. */
  public double quantileSeconds(int scaleOut, double p) {
    long address = acquire();
    try {
      return Native.curveQuantile(address, scaleOut, p);
    } finally {
      release();
    }
  }

  /** One quantile each, in seconds, of many scale-outs. Errors: CLOSED, INVALID_ARGUMENT where the arrays differ in length. */
  public void quantilesSeconds(int[] scaleOuts, double p, double[] runtimeSeconds) {
    Check.sizes(
        Check.present(scaleOuts, "scale-outs").length,
        "runtimes",
        Check.present(runtimeSeconds, "an array for the runtimes").length,
        "the array");
    long address = acquire();
    try {
      Native.curveQuantiles(address, scaleOuts, p, runtimeSeconds);
    } finally {
      release();
    }
  }

  /**
   * Medians in seconds at scale-outs first, first + 1, ..., as many as the buffer has left, from its position on, which does not
   * move; nothing is copied. Errors: CLOSED, INVALID_ARGUMENT where the buffer is not direct, read-only or not in native order.
   */
  public void mediansSeconds(int first, FloatBuffer runtimeSeconds) {
    Check.present(runtimeSeconds, "a buffer");
    if (!runtimeSeconds.isDirect() || runtimeSeconds.isReadOnly() || runtimeSeconds.order() != ByteOrder.nativeOrder()) {
      throw new BellamyException(
          ErrorCode.INVALID_ARGUMENT, "expected a direct, writable buffer in native order, found " + runtimeSeconds);
    }
    long address = acquire();
    try {
      Native.curveMedians(address, first, runtimeSeconds, runtimeSeconds.position(), runtimeSeconds.remaining());
    } finally {
      release();
    }
  }
}
