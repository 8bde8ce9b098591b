package io.github.bellamy.spark;

import io.github.bellamy.Property;
import io.github.bellamy.PropertyRole;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the rescaler is told by Spark's configuration, and for a marked run by the local properties of its first job; immutable. */
final class RescalerSettings {
  static final String PREFIX = "spark.bellamy.";
  static final String PROPERTY = "property.";

  /** A job group whose name begins so marks a run of its own in a driver that lives long. */
  static final String RUN_START = PREFIX + "run.start";

  /** With those of the launcher, which may stand in the same configuration. */
  private static final List<String> NAMES =
      List.of(
          "costOfMissing", "deadline", "decisions", "delay", "giveBack", "history", "maxExecutors", "minExecutors", "model", "name", "name.rule",
          "price", "probability", "record", "rescale", "table");

  static final String TIME_EXPECTED = "seconds, or a time such as 90s or 15min";
  private static final Pattern TIME = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*(ms|s|m|min|h|d|)");
  private static final Map<String, Double> SECONDS =
      Map.of("", 1.0, "s", 1.0, "ms", 1e-3, "m", 60.0, "min", 60.0, "h", 3600.0, "d", (double) TimeUnit.DAYS.toSeconds(1));

  private final SortedMap<String, String> values;

  /** NaN where there is none: nothing is decided. */
  final double deadlineSeconds;
  final double probability;
  final boolean acts;
  /** Of a core and hour. */
  final double price;
  /** Of a missed deadline, in the same currency; 0 where it is to be met at any price. */
  final double costOfMissing;
  /** Also where the shuffle files of executors given back go with them. */
  final boolean losesShuffles;
  final int minExecutors;

  /** 0 is the most that a run of the history had. */
  final int maxExecutors;
  /** From a request to the executors at work; also the least time between two changes. */
  final double delaySeconds;
  /** A trace file, a folder of them or a saved application; null where there is none. */
  final Path history;
  /** Where runs are appended; null where they are not. */
  final Path record;
  /** One line of JSON for each question; null where they are not written. */
  final Path decisions;
  final List<Property> properties;

  /** How the name of the application loses what differs from run to run. */
  final NameRule nameRule;

  private final String name;

  /** The values stand without {@link #PREFIX}. Error: IllegalArgumentException, which tells what was expected. */
  RescalerSettings(Map<String, String> values) {
    this.values = new TreeMap<>(values);
    requireKnownNames();
    deadlineSeconds = values.containsKey("deadline") ? seconds("deadline", "") : Double.NaN;
    probability = number("probability", 0.9);
    if (!(probability > 0 && probability < 1)) {
      throw wrong("probability", "a number between 0 and 1");
    }
    String mode = values.getOrDefault("rescale", "advise");
    if (!mode.equals("act") && !mode.equals("advise")) {
      throw wrong("rescale", "advise or act");
    }
    acts = mode.equals("act");
    price = number("price", 1);
    if (!(price > 0 && price < Double.POSITIVE_INFINITY)) {
      throw wrong("price", "a number above 0");
    }
    costOfMissing = number("costOfMissing", 0);
    if (!(costOfMissing >= 0 && costOfMissing < Double.POSITIVE_INFINITY)) {
      throw wrong("costOfMissing", "a number of at least 0");
    }
    String giveBack = values.getOrDefault("giveBack", "safe");
    if (!giveBack.equals("safe") && !giveBack.equals("always")) {
      throw wrong("giveBack", "safe or always");
    }
    losesShuffles = giveBack.equals("always");
    minExecutors = whole("minExecutors", 1);
    maxExecutors = whole("maxExecutors", 0);
    if (minExecutors < 1 || (maxExecutors != 0 && maxExecutors < minExecutors)) {
      throw wrong("minExecutors", maxExecutors == 0 ? "1 or more" : "1 to maxExecutors, " + maxExecutors + ",");
    }
    delaySeconds = seconds("delay", "10s");
    history = path("history");
    record = values.containsKey("record") ? path("record") : recordOf(history);
    if (record != null && record.toString().endsWith(".zst")) { // readers would take it for compressed
      throw wrong("record", "a file of JSON Lines, which is not compressed");
    }
    decisions = path("decisions");
    properties = properties(this.values);
    name = values.getOrDefault("name", "");
    nameRule = NameRule.of(values.getOrDefault("name.rule", "clean"));
  }

  /** What the runs are known by of an application that calls itself so. */
  String application(String fullName) {
    return name.isEmpty() ? nameRule.apply(fullName) : name;
  }

  /** The same, but for what a run's own values say. */
  RescalerSettings with(Map<String, String> ofTheRun) {
    if (ofTheRun.isEmpty()) {
      return this;
    }
    Map<String, String> all = new TreeMap<>(values);
    all.putAll(ofTheRun);
    return new RescalerSettings(all);
  }

  private static Path recordOf(Path history) {
    if (history == null || history.toString().endsWith(".bellamy") || history.toString().endsWith(".zst")) {
      return null;
    }
    return history.toString().endsWith(".jsonl") ? history : history.resolve(TraceFile.APPENDED);
  }

  // Numbers are numbers, as in a trace file: that a run of the history and this one mean the same.
  private static List<Property> properties(SortedMap<String, String> values) {
    List<Property> all = new ArrayList<>();
    values.forEach(
        (key, value) -> {
          if (key.startsWith(PROPERTY)) {
            all.add(property(key.substring(PROPERTY.length()), value));
          }
        });
    return all;
  }

  static Property property(String name, String value) {
    double number = Double.NaN;
    if (value.matches("[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
      number = Double.parseDouble(value);
    }
    Property made = Double.isNaN(number) || Double.isInfinite(number) ? Property.text(name, value) : property(name, number);
    return withRole(made);
  }

  static Property property(String name, double number) {
    boolean natural = number >= 0 && number < 1L << 39 && number == Math.rint(number);
    Property made;
    if (natural) {
      made = Property.natural(name, (long) number);
    } else if (number > 0) {
      made = Property.quantity(name, number);
    } else {
      made = Property.text(name, Double.toString(number));
    }
    return withRole(made);
  }

  static Property withRole(Property of) {
    switch (of.name()) {
      case "data_size_MB":
        return of.withRole(PropertyRole.DATA_SIZE);
      case "machine_type":
        return of.withRole(PropertyRole.MACHINE_TYPE);
      default:
        return of;
    }
  }

  /** Error: IllegalArgumentException for an address such as hdfs:/a or s3a://b, which would be taken for a relative path. */
  static Path pathOnDriver(String setting, String name) {
    if (name.startsWith("file:")) {
      return Path.of(name.substring("file:".length()));
    }
    if (name.matches("[A-Za-z][A-Za-z0-9+.-]+:.*")) {  // a drive of Windows has one letter
      throw new IllegalArgumentException(
          "expected a path on the driver's disk, or of a folder that it mounts, in " + setting + ", found " + name);
    }
    return Path.of(name);
  }

  private Path path(String key) {
    String name = values.get(key);
    return name == null ? null : pathOnDriver(PREFIX + key, name);
  }

  private double number(String key, double otherwise) {
    try {
      return values.containsKey(key) ? Double.parseDouble(values.get(key)) : otherwise;
    } catch (NumberFormatException noNumber) {
      throw wrong(key, "a number");
    }
  }

  private int whole(String key, int otherwise) {
    double number = number(key, otherwise);
    if (number != Math.rint(number)) {
      throw wrong(key, "a whole number");
    }
    return (int) number;
  }

  private void requireKnownNames() {
    for (String key : values.keySet()) {
      if (!NAMES.contains(key) && !key.startsWith(PROPERTY)) {
        throw new IllegalArgumentException(
            "expected " + PREFIX + " with one of " + String.join(", ", NAMES) + " or " + PROPERTY + "NAME, found " + PREFIX + key);
      }
    }
  }

  private double seconds(String key, String otherwise) {
    try {
      return toSeconds(values.getOrDefault(key, otherwise));
    } catch (NumberFormatException e) {
      throw wrong(key, TIME_EXPECTED);
    }
  }

  /** Of seconds, or a time such as 90s or 15min. */
  static double toSeconds(String text) {
    Matcher found = TIME.matcher(text.trim());
    if (!found.matches()) {
      throw new NumberFormatException("expected " + TIME_EXPECTED + ", found " + text);
    }
    return Double.parseDouble(found.group(1)) * SECONDS.get(found.group(2));
  }

  private IllegalArgumentException wrong(String key, String expected) {
    return new IllegalArgumentException("expected " + expected + " in " + PREFIX + key + ", found " + values.get(key));
  }
}
