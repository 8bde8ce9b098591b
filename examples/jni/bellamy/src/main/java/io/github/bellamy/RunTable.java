package io.github.bellamy;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A file of runs, one per line: a column for each property of a schema, {@value #SCALE_OUT}, {@value #RUNTIME}, {@value #OUTCOME},
 * {@value #WEIGHT}, {@value #STARTED_AT} (seconds since 1970) and {@value #FLAGS} (separated by commas), separated by tabs, as
 * {@code pretrain --table --outcome outcome --weight weight --time started_at_s} reads it. A table of somebody else may lack the last
 * four: its runs finished, count as usual, and are in their order. The outcome is succeeded (or empty), or failed, killed or
 * unfinished: then the run is censored. An empty cell of the weight or the start tells nothing of it. What scales is written as a total
 * of the cluster. Threads and processes may append at the same time: the file is locked meanwhile, and what is appended is on the disk
 * when the call returns.
 */
public final class RunTable {
  public static final String SCALE_OUT = "scale_out";
  public static final String RUNTIME = "runtime_s";
  public static final String OUTCOME = "outcome";
  public static final String WEIGHT = "weight";
  public static final String STARTED_AT = "started_at_s";
  public static final String FLAGS = "flags";

  private static final String SUCCEEDED = "succeeded";
  private static final List<String> CENSORED = List.of("killed", "failed", "unfinished");
  // What schedulers write of these. Not OK: in a column state it may be a place.
  private static final List<String> OUTCOMES =
      List.of(
          "succeeded", "success", "successful", "completed", "done", "killed", "failed", "unfinished", "failure", "error",
          "cancelled", "canceled", "aborted", "timeout", "timed_out", "running");

  private final Path file;
  private final Schema schema;

  /** The file need not exist yet. Error: INVALID_TABLE where a property has the name of one of the other columns. */
  public RunTable(Path file, Schema schema) {
    this.file = Check.present(file, "a file");
    this.schema = Check.present(schema, "a schema");
    for (String taken : List.of(SCALE_OUT, RUNTIME, OUTCOME, WEIGHT, STARTED_AT, FLAGS)) {
      if (schema.names().contains(taken)) {
        throw invalid("no property called " + taken, schema.names());
      }
    }
  }

  /**
   * Errors: INVALID_RUNTIME, INVALID_SCALE_OUT, UNKNOWN_VALUE for a property without a value, INVALID_ARGUMENT for a weight that is
   * not finite and greater than zero, for a start that is not finite, for a flag that is empty or has a comma, and for a run that is
   * censored, weighted or flagged where the table has no column to tell it (a start is left out there: the rows are in their order); INVALID_TABLE, CANNOT_WRITE. All of them leave the
   * file as it was.
   */
  public void append(Run run) {
    Map<String, String> cells = cells(Check.present(run, "a run"));
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        FileLock lock = lock(channel)) {
      long size = channel.size();
      List<String> columns = columns();
      StringBuilder lines = new StringBuilder();
      if (size == 0) {
        columns.add(OUTCOME);
        columns.add(WEIGHT);
        columns.add(STARTED_AT);
        columns.add(FLAGS);
        lines.append(row(columns));
      } else {
        String found = contents(channel);
        columns = parse(found).get(0);
        requireColumns(columns);
        boolean tells = (!run.censored() || columns.contains(OUTCOME))
            && (run.weight() == 1 || columns.contains(WEIGHT))
            && (run.flags().isEmpty() || columns.contains(FLAGS));
        if (!tells) {
          throw new BellamyException(
              ErrorCode.INVALID_ARGUMENT,
              "expected a finished run of weight 1 without flags for " + file + ", which has no columns for them, found " + run);
        }
      }
      List<String> values = new ArrayList<>();
      columns.forEach(each -> values.add(cells.getOrDefault(each, "")));
      lines.append(row(values));
      write(channel, size, Wire.utf8(lines.toString()));
    } catch (IOException failed) {
      throw new BellamyException(ErrorCode.CANNOT_WRITE, "expected to append to " + file + ", found: " + failed, failed);
    }
  }

  /**
   * All runs so far, none where there is no file, in the order of their starts, as {@link RuntimeModel#drift} takes them: those
   * without one come first, in the order of their rows. Errors: INVALID_TABLE with the row, also where no column is called outcome
   * and one whose name ends in outcome, result, state or status holds one; INVALID_QUANTITY, CANNOT_READ.
   */
  public List<Run> read() {
    if (!Files.exists(file)) {
      return List.of();
    }
    List<List<String>> rows;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = lock(channel)) {
      rows = parse(contents(channel));
    } catch (IOException failed) {
      throw new BellamyException(ErrorCode.CANNOT_READ, "expected to read " + file + ", found: " + failed, failed);
    }
    if (rows.isEmpty()) {
      return List.of();
    }
    List<String> columns = rows.get(0);
    requireColumns(columns);
    List<Run> runs = new ArrayList<>();
    for (List<String> row : rows.subList(1, rows.size())) {
      if (row.size() != columns.size()) {
        throw invalid(columns.size() + " cells in row " + (runs.size() + 1), row.size());
      }
      requireNamedOutcome(columns, row, runs.size() + 1);
      runs.add(run(columns, row, runs.size() + 1));
    }
    runs.sort(Comparator.comparingDouble(Run::startedAtSeconds));
    return runs;
  }

  private List<String> columns() {
    List<String> names = schema.names();
    names.add(SCALE_OUT);
    names.add(RUNTIME);
    return names;
  }

  private void requireColumns(List<String> found) {
    if (!found.containsAll(columns())) {
      throw invalid("the columns " + columns(), found);
    }
  }

  // Killed runs would be read as ones that finished.
  private void requireNamedOutcome(List<String> columns, List<String> row, int number) {
    for (int i = 0; i < columns.size(); i++) {
      boolean isLikeOutcome = columns.get(i).toLowerCase(Locale.ROOT).matches(".*(outcome|result|state|status)|outc.*");
      boolean isKnown = columns.contains(OUTCOME) || schema.names().contains(columns.get(i));
      if (isLikeOutcome && !isKnown && OUTCOMES.contains(row.get(i).toLowerCase(Locale.ROOT))) {
        throw invalid(
            "outcomes in a column " + OUTCOME + " (or rename one that holds something else)",
            row.get(i) + " in " + columns.get(i) + " of row " + number);
      }
    }
  }

  private Map<String, String> cells(Run run) {
    if (!(run.weight() > 0 && run.weight() <= Double.MAX_VALUE)) {
      throw new BellamyException(ErrorCode.INVALID_ARGUMENT, "expected a finite weight > 0, found " + run.weight());
    }
    if (!(run.runtimeSeconds() > 0 && run.runtimeSeconds() <= Double.MAX_VALUE)) {
      throw new BellamyException(
          ErrorCode.INVALID_RUNTIME, "expected a finite runtime > 0 seconds, found " + run.runtimeSeconds());
    }
    if (!Double.isFinite(run.startedAtSeconds())) {
      throw new BellamyException(
          ErrorCode.INVALID_ARGUMENT, "expected a finite start in seconds, found " + run.startedAtSeconds());
    }
    if (run.flags().stream().anyMatch(each -> each.isEmpty() || each.contains(","))) {
      throw new BellamyException(
          ErrorCode.INVALID_ARGUMENT, "expected flags that are not empty and have no comma, found " + run.flags());
    }
    if (run.scaleOut() < 1) {
      throw new BellamyException(ErrorCode.INVALID_SCALE_OUT, "expected a scale-out >= 1, found " + run.scaleOut());
    }
    Map<String, String> cells = new HashMap<>();
    for (List<Property> list : List.of(run.context().essential(), run.context().optional())) {
      list.forEach(each -> cells.put(each.name(), cell(each, run.scaleOut())));
    }
    if (!cells.keySet().equals(byName().keySet())) {
      throw new BellamyException(
          ErrorCode.UNKNOWN_VALUE, "expected a value of each of " + schema.names() + ", found " + cells.keySet());
    }
    cells.put(SCALE_OUT, Integer.toString(run.scaleOut()));
    cells.put(RUNTIME, Double.toString(run.runtimeSeconds()));
    cells.put(OUTCOME, run.censored() ? CENSORED.get(0) : SUCCEEDED);
    cells.put(WEIGHT, Double.toString(run.weight()));
    cells.put(FLAGS, String.join(",", run.flags()));
    if (run.startedAtSeconds() != 0) {
      cells.put(STARTED_AT, BigDecimal.valueOf(run.startedAtSeconds()).toPlainString());
    }
    return cells;
  }

  private static String cell(Property property, int scaleOut) {
    int times = property.scalesWithScaleOut() ? scaleOut : 1;
    switch (property.kind()) {
      case TEXT:
        return (String) property.value();
      case NATURAL:
        return Long.toString((Long) property.value() * times);
      case QUANTITY:
        return Double.toString((Double) property.value() * times);
      default:
        throw new BellamyException(
            ErrorCode.UNKNOWN_VALUE, "expected a known value of property " + property.name() + ", found unknown");
    }
  }

  private Map<String, Schema.Definition> byName() {
    Map<String, Schema.Definition> all = new HashMap<>();
    schema.essential().forEach(each -> all.put(each.name(), each));
    schema.optional().forEach(each -> all.put(each.name(), each));
    return all;
  }

  private Run run(List<String> columns, List<String> row, int number) {
    Map<String, Schema.Definition> meanings = byName();
    try {
      int scaleOut = Integer.parseInt(row.get(columns.indexOf(SCALE_OUT)));
      Map<String, String> values = new HashMap<>();
      for (String name : schema.names()) {
        String cell = row.get(columns.indexOf(name));
        values.put(name, meanings.get(name).scalesWithScaleOut() ? share(meanings.get(name), cell, scaleOut) : cell);
      }
      String weight = columns.contains(WEIGHT) ? row.get(columns.indexOf(WEIGHT)) : "";
      String startedAt = columns.contains(STARTED_AT) ? row.get(columns.indexOf(STARTED_AT)) : "";
      String flags = columns.contains(FLAGS) ? row.get(columns.indexOf(FLAGS)) : "";
      return new Run(
          schema.context(values),
          scaleOut,
          Double.parseDouble(row.get(columns.indexOf(RUNTIME))),
          columns.contains(OUTCOME) && isCensored(row.get(columns.indexOf(OUTCOME)), number),
          weight.isEmpty() ? 1 : Double.parseDouble(weight),
          startedAt.isEmpty() ? 0 : finite(startedAt),
          flags.isEmpty() ? List.of() : List.of(flags.split(",")));
    } catch (NumberFormatException | ArithmeticException wrong) {
      throw new BellamyException(
          ErrorCode.INVALID_TABLE, "expected numbers that fit in row " + number + " of " + file + ", found " + row, wrong);
    }
  }

  private static double finite(String cell) {
    double number = Double.parseDouble(cell);
    if (!Double.isFinite(number)) {
      throw new NumberFormatException(cell);
    }
    return number;
  }

  private boolean isCensored(String outcome, int number) {
    if (!outcome.isEmpty() && !outcome.equals(SUCCEEDED) && !CENSORED.contains(outcome)) {
      throw invalid("succeeded, failed, killed or unfinished as the outcome of row " + number, outcome);
    }
    return CENSORED.contains(outcome);
  }

  // Of one unit of scale-out, of a total.
  private static String share(Schema.Definition meaning, String total, int scaleOut) {
    if (meaning.kind() == PropertyKind.QUANTITY) {
      return Double.toString(Double.parseDouble(total) / scaleOut);
    }
    long whole = Long.parseLong(total);
    if (whole % scaleOut != 0) {
      throw new ArithmeticException("not divisible");
    }
    return Long.toString(whole / scaleOut);
  }

  private BellamyException invalid(String expected, Object found) {
    return new BellamyException(
        ErrorCode.INVALID_TABLE, "expected " + expected + " in " + file + ", found " + found);
  }

  // Within one JVM a lock that is held is not waited for.
  private static FileLock lock(FileChannel channel) throws IOException {
    while (true) {
      try {
        return channel.lock();
      } catch (OverlappingFileLockException held) {
        try {
          Thread.sleep(1);
        } catch (InterruptedException stopped) {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted while waiting for the lock", stopped);
        }
      }
    }
  }

  private static String contents(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {}
    return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
  }

  private static void write(FileChannel channel, long size, byte[] lines) throws IOException {
    try {
      ByteBuffer left = ByteBuffer.wrap(lines);
      while (left.hasRemaining()) {
        channel.write(left, size + left.position());
      }
      channel.force(true);
    } catch (IOException full) {
      channel.truncate(size);
      throw full;
    }
  }

  private static String row(List<String> cells) {
    List<String> quoted = new ArrayList<>();
    for (String each : cells) {
      boolean plain = each.chars().noneMatch(c -> c == '\t' || c == '\n' || c == '\r' || c == '"');
      quoted.add(plain ? each : '"' + each.replace("\"", "\"\"") + '"');
    }
    return String.join("\t", quoted) + "\n";
  }

  // Cells may be quoted, with quotes inside doubled.
  private List<List<String>> parse(String text) {
    if (!text.isEmpty() && !text.endsWith("\n")) {
      throw invalid("a line end after the last row (was an append interrupted?)", "none");
    }
    List<List<String>> rows = new ArrayList<>();
    List<String> row = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        boolean doubled = quoted && i + 1 < text.length() && text.charAt(i + 1) == '"';
        if (doubled) {
          cell.append('"');
          i++;
        } else {
          quoted = !quoted;
        }
      } else if (quoted || c != '\t' && c != '\n' && c != '\r') {
        cell.append(c);
      } else if (c != '\r') {
        row.add(cell.toString());
        cell.setLength(0);
        if (c == '\n') {
          rows.add(row);
          row = new ArrayList<>();
        }
      }
    }
    return rows;
  }
}
