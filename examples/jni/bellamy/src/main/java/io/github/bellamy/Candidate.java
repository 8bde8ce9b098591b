package io.github.bellamy;

/** One way to run the job: a bound context (so, a machine type), a scale-out and what that costs; immutable. */
public final class Candidate {
  final Curve runtimes;
  final int scaleOut;
  final Price price;

  public Candidate(Curve runtimes, int scaleOut, Price price) {
    this.runtimes = Check.present(runtimes, "a curve");
    this.scaleOut = scaleOut;
    this.price = Check.present(price, "a price");
  }
}
