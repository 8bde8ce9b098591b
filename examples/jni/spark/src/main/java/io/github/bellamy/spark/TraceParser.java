package io.github.bellamy.spark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.github.bellamy.ApplicationTrace;
import io.github.bellamy.JobTrace;
import io.github.bellamy.Property;
import io.github.bellamy.ScaleOutStep;
import io.github.bellamy.ScaleOutUnit;
import io.github.bellamy.StageTrace;
import io.github.bellamy.TraceOutcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Makes a trace of a line of a trace file, token by token: a driver that starts has a core for other things than trees of nodes. */
final class TraceParser {
  private static final JsonFactory TOKENS = new JsonFactory();

  /** What a run's fields mean where they are absent. */
  private static final Map<String, String> ABSENT =
      Map.of("format", "", "application", "", "run", "", "unit", "node", "outcome", "succeeded");

  private final JsonParser at;
  private String field = "";

  private TraceParser(JsonParser at) {
    this.at = at;
  }

  /** The run that a line holds. Error: IOException. */
  static ApplicationTrace parse(String line) throws IOException {
    return parse(line, null);
  }

  /** The same, as one of this application where it is not null. Error: IOException. */
  static ApplicationTrace parse(String line, String application) throws IOException {
    try (JsonParser tokens = TOKENS.createParser(line)) {
      tokens.nextToken();
      return new TraceParser(tokens).run(application);
    } catch (IllegalArgumentException wrong) {
      throw new IOException(wrong.getMessage(), wrong);
    }
  }

  /**
   * Whether a line holds a run of the application, but not this one, that succeeded, that no mark speaks against, and whose scale-out
   * counts cores. Looks no further than to the fields that tell it, which stand before the jobs. Error: IOException.
   */
  static boolean canBeLearnedFrom(String line, String application, NameRule names, String butForRun) throws IOException {
    Map<String, String> wanted = new HashMap<>(ABSENT);
    int left = wanted.size();
    String flags = "";
    try (JsonParser parser = TOKENS.createParser(line)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("expected an object, found " + parser.currentToken());
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        if (left == 0 && field.equals("jobs")) {
          break;
        }
        JsonToken value = parser.nextToken();
        flags = field.equals("flags") && value.isScalarValue() ? parser.getText() : flags;
        if (value != JsonToken.VALUE_NULL && value.isScalarValue() && wanted.containsKey(field)) {
          wanted.put(field, parser.getText());
          left--;
        } else {
          parser.skipChildren();
        }
      }
    }
    requireFormat(wanted.get("format"));
    String name = wanted.get("application");
    return (name.equals(application) || names.apply(name).equals(application))
        && Arrays.stream(flags.split(",")).noneMatch(NOT_LEARNED::contains)
        && wanted.get("outcome").equals("succeeded")
        && wanted.get("unit").equals("core")
        && (butForRun.isEmpty() || !wanted.get("run").equals(butForRun));
  }

  /** Marks of runs whose times or sizes are not those of a batch job, as the importer of event logs gives them. */
  private static final Set<String> NOT_LEARNED =
      Set.of("streaming", "server", "interactive", "lost_events", "wrong_clock", "mixed_executors", "incomplete");

  private static void requireFormat(String found) throws IOException {
    if (!found.equals("1")) {
      throw new IOException("expected format 1, found " + (found.isEmpty() ? "none" : found));
    }
  }

  private ApplicationTrace run(String application) throws IOException {
    Map<String, String> words = new HashMap<>(ABSENT);
    double runtimeSeconds = 0;
    List<Property> properties = new ArrayList<>();
    List<ScaleOutStep> steps = new ArrayList<>();
    List<JobTrace> jobs = new ArrayList<>();
    for (begin(JsonToken.START_OBJECT); hasKnownField(); ) {
      switch (field) {
        case "runtime_s":
          runtimeSeconds = at.getDoubleValue();
          break;
        case "properties":
          for (begin(JsonToken.START_OBJECT); hasField(); ) {
            properties.add(property(at.currentName()));
          }
          break;
        case "scale_out":
          for (begin(JsonToken.START_ARRAY); hasElement(); ) {
            double[] step = pair();
            steps.add(new ScaleOutStep(step[0], (int) step[1]));
          }
          break;
        case "jobs":
          for (begin(JsonToken.START_ARRAY); hasElement(); ) {
            jobs.add(job());
          }
          break;
        default:
          if (words.containsKey(field)) {
            words.put(field, at.getText());
          }
          at.skipChildren();
      }
    }
    requireFormat(words.get("format"));
    return new ApplicationTrace(
        application == null ? words.get("application") : application,
        words.get("run"),
        ScaleOutUnit.valueOf(words.get("unit").toUpperCase(Locale.ROOT)),
        properties,
        steps,
        jobs,
        runtimeSeconds,
        outcome(words.get("outcome")));
  }

  private Property property(String name) throws IOException {
    if (at.currentToken() == JsonToken.VALUE_NULL) {
      return Property.unknown(name);
    }
    return at.currentToken().isNumeric()
        ? RescalerSettings.property(name, at.getDoubleValue())
        : RescalerSettings.withRole(Property.text(name, at.getText()));
  }

  /** What jobs and stages have both. */
  private final class Span {
    long id;
    double submitted = Double.NaN;
    double completed = Double.NaN;
    TraceOutcome outcome = TraceOutcome.SUCCEEDED;

    /** Whether the field was one of these. */
    boolean takes() throws IOException {
      switch (field) {
        case "id":
          id = at.getLongValue();
          return true;
        case "submitted_s":
          submitted = at.getDoubleValue();
          return true;
        case "completed_s":
          completed = at.getDoubleValue();
          return true;
        case "outcome":
          outcome = outcome(at.getText());
          return true;
        default:
          return false;
      }
    }
  }

  private JobTrace job() throws IOException {
    Span span = new Span();
    List<StageTrace> stages = new ArrayList<>();
    for (begin(JsonToken.START_OBJECT); hasKnownField(); ) {
      if (field.equals("stages")) {
        for (begin(JsonToken.START_ARRAY); hasElement(); ) {
          stages.add(stage());
        }
      } else if (!span.takes()) {
        at.skipChildren();
      }
    }
    return new JobTrace(span.id, span.submitted, span.completed, span.outcome, stages);
  }

  private StageTrace stage() throws IOException {
    Span span = new Span();
    long attempt = 0;
    String name = "";
    double[] parents = {};
    long tasks = -1;
    double[] scaleOut = null;
    double[] taskSeconds = {};
    long firstWave = -1;
    for (begin(JsonToken.START_OBJECT); hasKnownField(); ) {
      switch (field) {
        case "attempt":
          attempt = at.getLongValue();
          break;
        case "name":
          name = at.getText();
          break;
        case "parents":
          parents = numbers();
          break;
        case "tasks":
          tasks = at.getLongValue();
          break;
        case "scale_out":
          scaleOut = pair();
          break;
        case "task_s":
          taskSeconds = numbers();
          break;
        case "first_wave":
          firstWave = at.getLongValue();
          break;
        default:
          if (!span.takes()) {
            at.skipChildren();
          }
      }
    }
    StageTrace.Builder made =
        StageTrace.builder(span.id, span.submitted, span.completed)
            .attempt(attempt)
            .name(name)
            .parents(Arrays.stream(parents).mapToLong(each -> (long) each).toArray())
            .tasks(tasks)
            .outcome(span.outcome)
            .taskSeconds(taskSeconds)
            .firstWave(firstWave);
    if (scaleOut != null) {
      made.scaleOut((int) scaleOut[0], (int) scaleOut[1]);
    }
    return made.build();
  }

  private static TraceOutcome outcome(String word) {
    return TraceOutcome.valueOf(word.toUpperCase(Locale.ROOT));
  }

  private void begin(JsonToken with) throws IOException {
    if (at.currentToken() != with) {
      throw new IOException("expected " + with + ", found " + at.currentToken() + " in " + field);
    }
  }

  /** Goes to the first token of the next field's value. */
  private boolean hasField() throws IOException {
    if (at.nextToken() != JsonToken.FIELD_NAME) {
      return false;
    }
    field = at.currentName();
    at.nextToken();
    return true;
  }

  /** Likewise, past fields that are null: as if they were absent. */
  private boolean hasKnownField() throws IOException {
    boolean has = hasField();
    while (has && at.currentToken() == JsonToken.VALUE_NULL) {
      has = hasField();
    }
    return has;
  }

  private boolean hasElement() throws IOException {
    return at.nextToken() != JsonToken.END_ARRAY;
  }

  private double[] pair() throws IOException {
    double[] found = numbers();
    if (found.length != 2) {
      throw new IOException("expected two numbers in " + field + ", found " + found.length);
    }
    return found;
  }

  private double[] numbers() throws IOException {
    double[] all = new double[4];
    int count = 0;
    for (begin(JsonToken.START_ARRAY); hasElement(); ) {
      all = count == all.length ? Arrays.copyOf(all, 2 * count) : all;
      all[count++] = at.getDoubleValue();
    }
    return Arrays.copyOf(all, count);
  }
}
