package io.github.bellamy.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Locale;

/** How good the forecasts of recorded runs were: what the plugin wrote as decisions, held against its traces. */
public final class RescalerReport {
  private final Map<String, Double> runtimes = new HashMap<>();
  private final List<JsonNode> decisions = new ArrayList<>();

  /** Error: IOException. */
  RescalerReport(Path decisionFile, Path traceFile) throws IOException {
    ObjectMapper json = new ObjectMapper();
    for (String line : Files.readAllLines(traceFile)) {
      JsonNode run = json.readTree(line);
      runtimes.put(run.path("run").asText(), run.path("runtime_s").asDouble());
    }
    for (String line : Files.readAllLines(decisionFile)) {
      JsonNode each = json.readTree(line);
      if (each.has("rest_s") && runtimes.containsKey(each.path("run").asText())) {
        decisions.add(each);
      }
    }
  }

  private double actual(JsonNode decision) {
    return runtimes.get(decision.path("run").asText()) - decision.path("last_end_s").asDouble();
  }

  private boolean covered(JsonNode decision) {
    double actual = actual(decision);
    return decision.path("rest_p05_s").asDouble() <= actual && actual <= decision.path("rest_p95_s").asDouble();
  }

  /** A run is comparable as long as its executors stay as they were when the forecast was made. */
  private boolean comparable(JsonNode decision) {
    return decisions.stream()
        .filter(each -> each.path("run").equals(decision.path("run")))
        .allMatch(
            each ->
                each.path("last_end_s").asDouble() < decision.path("last_end_s").asDouble()
                    || each.path("cores").equals(decision.path("cores")));
  }

  /** Share of comparable forecasts whose 90 % interval held what came; NaN where there is none. */
  double coverage() {
    return decisions.stream().filter(this::comparable).mapToInt(each -> covered(each) ? 1 : 0).average().orElse(Double.NaN);
  }

  void print(PrintStream to) {
    to.println("run                          jobs  cores   rest s     5 %    95 %  actual  error %  held   question ms  done");
    double[] errors = new double[decisions.size()];
    int comparable = 0;
    for (JsonNode each : decisions) {
      double error = each.path("rest_s").asDouble() / actual(each) - 1;
      boolean same = comparable(each);
      if (same) {
        errors[comparable++] = Math.abs(error);
      }
      to.printf(
          Locale.ROOT,
          "%-28s %2d/%2d %5d %8.2f %7.2f %7.2f %7.2f %8s  %-6s %11.3f  %s%n",
          each.path("run").asText(),
          each.path("ended_jobs").asInt(),
          each.path("jobs").asInt(),
          each.path("cores").asInt(),
          each.path("rest_s").asDouble(),
          each.path("rest_p05_s").asDouble(),
          each.path("rest_p95_s").asDouble(),
          actual(each),
          same ? String.format(Locale.ROOT, "%.1f", 100 * error) : "changed",
          same ? (covered(each) ? "yes" : "no") : "",
          each.path("question_ms").asDouble(),
          each.path("done").asText());
    }
    Arrays.sort(errors, 0, comparable);
    to.printf(
        Locale.ROOT,
        "%d forecasts of runs whose executors did not change: median error %.1f %%, 90 %% intervals that held %.0f %%%n",
        comparable,
        comparable == 0 ? Double.NaN : 100 * errors[comparable / 2],
        100 * coverage());
  }

  /** {@code RescalerReport DECISIONS TRACES}: the files of {@code spark.bellamy.decisions} and {@code spark.bellamy.record}. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("RescalerReport DECISIONS TRACES");
      System.exit(2);
    }
    new RescalerReport(Path.of(arguments[0]), Path.of(arguments[1])).print(System.out);
  }
}
