package io.github.bellamy;

/** Prices and habits of one kind of machine, in the caller's currency; immutable. */
public final class Price {
  public static final Price FREE = perUnitAndHour(0);

  /** That stand for a price on the native side. */
  static final int NUMBERS = 5;

  private final double perUnitAndHour;
  private final double startUpSeconds;
  private final double billingGranularitySeconds;
  private final double interruptionsPerHour;
  private final double rerunShare;

  private Price(double perUnitAndHour, double startUp, double granularity, double interruptions, double rerunShare) {
    this.perUnitAndHour = perUnitAndHour;
    this.startUpSeconds = startUp;
    this.billingGranularitySeconds = granularity;
    this.interruptionsPerHour = interruptions;
    this.rerunShare = rerunShare;
  }

  /** Of one unit of scale-out. */
  public static Price perUnitAndHour(double price) {
    return new Price(price, 0, 0, 0, 0.5);
  }

  /** Until the job begins; paid for, and part of what a deadline waits for. */
  public Price withStartUp(double seconds) {
    return new Price(perUnitAndHour, seconds, billingGranularitySeconds, interruptionsPerHour, rerunShare);
  }

  /** Started periods are paid in full. */
  public Price billedPer(double seconds) {
    return new Price(perUnitAndHour, startUpSeconds, seconds, interruptionsPerHour, rerunShare);
  }

  /** Of the whole cluster, each making a share of the work necessary again (spot machines). */
  public Price withInterruptions(double perHour, double shareToRunAgain) {
    return new Price(perUnitAndHour, startUpSeconds, billingGranularitySeconds, perHour, shareToRunAgain);
  }

  void write(double[] numbers, int at) {
    numbers[at] = perUnitAndHour;
    numbers[at + 1] = startUpSeconds;
    numbers[at + 2] = billingGranularitySeconds;
    numbers[at + 3] = interruptionsPerHour;
    numbers[at + 4] = rerunShare;
  }
}
