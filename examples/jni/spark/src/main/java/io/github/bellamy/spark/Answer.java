package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.bellamy.Forecast;
import io.github.bellamy.Prediction;
import io.github.bellamy.Rescaling;
import java.io.IOException;
import java.util.Locale;

/** What a question was answered, in words and as a line of JSON. Valid as long as its forecast is open. */
final class Answer {
  private final Question of;
  private final Forecast rest;
  private final Prediction remaining;
  private final double elapsed;
  private final Rescaling decision;

  /** Without a decision where there is none to make. */
  Answer(Question of, Forecast rest, Rescaling decision) {
    this.of = of;
    this.rest = rest;
    this.decision = decision;
    remaining = rest.remaining(of.cores);
    elapsed = of.elapsedSeconds();
  }

  /** NaN where it is not known. */
  double remainingSeconds() {
    return remaining.usable() ? remaining.medianSeconds() : Double.NaN;
  }

  /** Of meeting the deadline with the executors at hand; NaN where there is none, or the rest is not known. */
  double probability() {
    boolean known = decision != null && remaining.usable();
    return known ? remaining.probabilityWithin(Math.max(0, of.settings.deadlineSeconds - elapsed)) : Double.NaN;
  }

  /** How many executors to have; those at hand where nothing is to change, NaN where there is no decision. */
  double executors() {
    return decision == null ? Double.NaN : of.executorsFor(decision);
  }

  /** {@code done}: what was done about it. */
  String words(String done) {
    String so =
        String.format(
            Locale.ROOT, "%s: %d of %d jobs ended after %.1f s", of.soFar.run(), rest.finishedJobs(), rest.jobs(), elapsed);
    if (!remaining.usable()) {
      return so;
    }
    so += String.format(Locale.ROOT, "; the rest takes %s at %s", remaining, counted(of.cores, "core"));
    if (!Double.isNaN(rest.runFactor())) {
      so +=
          String.format(
              Locale.ROOT, ", run factor %.2f (90%%: %.2f to %.2f)", rest.runFactor(), rest.runFactorP05(), rest.runFactorP95());
    }
    if (decision == null) {
      return so;
    }
    so += String.format(Locale.ROOT, "; deadline %.1f s: probability %.3f", of.settings.deadlineSeconds, probability());
    return decision.changes()
        ? so + String.format(Locale.ROOT, ", %.3f at %s: %s", decision.probability(), counted(decision.scaleOut(), "core"), done)
        : so + ": " + done;
  }

  static String counted(int count, String of) {
    return count + " " + of + (count == 1 ? "" : "s");
  }

  /** {@code took}: nanoseconds of the answer. */
  void writeTo(JsonGenerator into, RescalerStatus.State state, String done, long took) throws IOException {
    into.writeStringField("run", of.soFar.run());
    into.writeStringField("state", state.name().toLowerCase(Locale.ROOT));
    into.writeNumberField("ended_jobs", rest.finishedJobs());
    into.writeNumberField("jobs", rest.jobs());
    into.writeNumberField("elapsed_s", elapsed);
    into.writeNumberField("last_end_s", of.elapsedSeconds());
    into.writeNumberField("cores", of.cores);
    into.writeNumberField("executors", of.executors.size());
    into.writeNumberField("question_ms", took / 1e6);
    if (remaining.usable()) {
      into.writeNumberField("rest_s", remaining.medianSeconds());
      into.writeNumberField("rest_p05_s", remaining.quantileSeconds(0.05));
      into.writeNumberField("rest_p95_s", remaining.quantileSeconds(0.95));
    }
    if (!Double.isNaN(rest.runFactor())) {
      into.writeNumberField("run_factor", rest.runFactor());
      into.writeNumberField("run_factor_p05", rest.runFactorP05());
      into.writeNumberField("run_factor_p95", rest.runFactorP95());
    }
    if (decision != null) {
      into.writeNumberField("deadline_s", of.settings.deadlineSeconds);
      into.writeStringField("outcome", decision.outcome().toString());
      into.writeNumberField("chosen_cores", decision.scaleOut());
      into.writeNumberField("probability", decision.probability());
      into.writeStringField("done", done);
    }
  }
}
