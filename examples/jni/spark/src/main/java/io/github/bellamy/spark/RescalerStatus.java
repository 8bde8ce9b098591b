package io.github.bellamy.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;

/** In which state a rescaler is and what it answered last, for Spark's metrics system. Its threads write, any thread reads. */
final class RescalerStatus {
  /** As {@code bellamy.forecast.state} counts them, from 0. */
  enum State {
    /** There is nothing to predict from, or no job of this run has ended. */
    LEARNING,
    /** It predicts and changes nothing. */
    ADVISING,
    /** It changes executors where the deadline needs or allows it. */
    ACTING,
    /** It would change executors, but something forbids that. */
    HELD,
    /** It has a history and does not know what is to come. */
    SILENT
  }

  static final String PREFIX = "bellamy.forecast.";

  /** Immutable, so that what is read together was written together. */
  private static final class Answer {
    final State state;
    final double remainingSeconds;
    final double probability;
    final double executors;

    Answer(State state, double remainingSeconds, double probability, double executors) {
      this.state = state;
      this.remainingSeconds = remainingSeconds;
      this.probability = probability;
      this.executors = executors;
    }
  }

  private volatile Answer last = new Answer(State.LEARNING, Double.NaN, Double.NaN, Double.NaN);

  State state() {
    return last.state;
  }

  /** Without an answer. */
  void enter(State state) {
    last = new Answer(state, Double.NaN, Double.NaN, Double.NaN);
  }

  /** What is not known is NaN: the probability without a deadline, and then how many executors to have. */
  void answered(State state, double remainingSeconds, double probability, double executors) {
    last = new Answer(state, remainingSeconds, probability, executors);
  }

  /** Spark adds the application, the driver and the plugin's class to the names. */
  void register(MetricRegistry metrics) {
    Gauge<Integer> state = () -> last.state.ordinal();
    Gauge<Double> remaining = () -> last.remainingSeconds;
    Gauge<Double> probability = () -> last.probability;
    Gauge<Double> executors = () -> last.executors;
    metrics.register(PREFIX + "state", state);
    metrics.register(PREFIX + "remaining", remaining);
    metrics.register(PREFIX + "probability", probability);
    metrics.register(PREFIX + "advice", executors);
  }
}
