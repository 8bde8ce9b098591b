package io.github.bellamy;

/** A cluster that a job may be tried on: a context (so, a machine type), a scale-out and what that costs; immutable. */
public final class TrialCandidate {
  final Context context;
  final int scaleOut;
  final Price price;

  public TrialCandidate(Context context, int scaleOut, Price price) {
    this.context = Check.present(context, "a context");
    this.scaleOut = scaleOut;
    this.price = Check.present(price, "a price");
  }

  public Context context() {
    return context;
  }

  public int scaleOut() {
    return scaleOut;
  }

  @Override
  public String toString() {
    return scaleOut + " of " + context;
  }
}
