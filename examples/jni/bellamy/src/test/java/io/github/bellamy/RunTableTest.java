package io.github.bellamy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunTableTest {
  @TempDir Path folder;

  private RunTable table(String name) {
    try (RuntimeModel model = MadeUpJob.model()) {
      return new RunTable(folder.resolve(name), model.schema());
    }
  }

  @Test
  void runsComeBackAsTheyWereWhateverTheirTexts() {
    RunTable table = table("runs.tsv");
    assertEquals(List.of(), table.read());
    List<String> texts = List.of("m5.large", "", "a\tb", "a\nb", "say \"hi\"", " ", "gr\u00f6\u00dfe");
    for (int i = 0; i < texts.size(); i++) {
      table.append(new Run(MadeUpJob.context(35, texts.get(i)), i + 1, 0.1 + i));
    }
    List<Run> read = table.read();
    assertEquals(texts.size(), read.size());
    for (int i = 0; i < texts.size(); i++) {
      assertEquals(MadeUpJob.context(35, texts.get(i)), read.get(i).context());
      assertEquals(i + 1, read.get(i).scaleOut());
      assertEquals(0.1 + i, read.get(i).runtimeSeconds());
    }
  }

  @Test
  void theFileIsATableThatTheToolsRead() throws IOException {
    table("runs.tsv").append(MadeUpJob.run(35, 4));
    assertEquals(
        "machine\tsize_gb\tskew\tmemory_gb\tscale_out\truntime_s\toutcome\tweight\tstarted_at_s\tflags\n"
            + "m5.large\t35\t0.5\t32\t4\t55.0\tsucceeded\t1.0\t\t\n",
        Files.readString(folder.resolve("runs.tsv")));
  }

  @Test
  void aTableOfSomebodyElseKeepsItsColumns() throws IOException {
    Path file = folder.resolve("theirs.tsv");
    Files.writeString(file, "runtime_s\tnote\tscale_out\tmemory_gb\tskew\tsize_gb\tmachine\r\n60\tslow\t2\t16\t0.5\t20\tm5.large\r\n");
    RunTable table = table("theirs.tsv");
    table.append(MadeUpJob.run(35, 4));
    assertTrue(Files.readString(file).endsWith("\n55.0\t\t4\t32\t0.5\t35\tm5.large\n"));
    assertEquals(MadeUpJob.context(20), table.read().get(0).context());
    assertEquals(2, table.read().size());
  }

  @Test
  void outcomesInAColumnOfAnotherNameAreRefusedAndOtherValuesThereAreNot() throws IOException {
    Path file = folder.resolve("theirs.tsv");
    RunTable table = table("theirs.tsv");
    for (String column : List.of("status", "finalStatus", "State", "job_result")) {
      String columns = "machine\tsize_gb\tskew\tmemory_gb\tscale_out\truntime_s\t" + column + "\n";
      for (String other : List.of("", "OK", "TX", "17", "finished")) {
        Files.writeString(file, columns + "m5.large\t35\t0.5\t32\t4\t5\t" + other + "\n");
        assertEquals(1, table.read().size());
      }
      for (String outcome : List.of("FAILED", "Succeeded", "timeout")) {
        Files.writeString(file, columns + "m5.large\t35\t0.5\t32\t4\t5\t" + outcome + "\n");
        BellamyException refused = assertThrows(BellamyException.class, table::read);
        assertEquals(ErrorCode.INVALID_TABLE, refused.code());
        assertTrue(refused.getMessage().contains(outcome + " in " + column + " of row 1"), refused.getMessage());
      }
    }
  }

  @Test
  void runsThatWereKilledOrCountMoreComeBackAsSuch() throws IOException {
    RunTable table = table("runs.tsv");
    table.append(new Run(MadeUpJob.context(35), 4, 55, true, 1));
    table.append(new Run(MadeUpJob.context(35), 4, 66, false, 2.5));
    List<Run> read = table.read();
    assertTrue(read.get(0).censored());
    assertEquals(1, read.get(0).weight());
    assertFalse(read.get(1).censored());
    assertEquals(2.5, read.get(1).weight());

    // As bellamy import spells outcomes; a weight that is not there is the usual one.
    Path file = folder.resolve("theirs.tsv");
    String columns = "machine\tsize_gb\tskew\tmemory_gb\tscale_out\truntime_s\toutcome\n";
    StringBuilder rows = new StringBuilder(columns);
    for (String outcome : List.of("", "succeeded", "failed", "killed", "unfinished")) {
      rows.append("m5.large\t35\t0.5\t32\t4\t5\t").append(outcome).append('\n');
    }
    Files.writeString(file, rows.toString());
    List<Boolean> censored = new ArrayList<>();
    table("theirs.tsv").read().forEach(each -> censored.add(each.censored()));
    assertEquals(List.of(false, false, true, true, true), censored);
    assertRefused(
        ErrorCode.INVALID_ARGUMENT, () -> table("theirs.tsv").append(new Run(MadeUpJob.context(35), 4, 5, false, 2)));
    assertEquals(rows.toString(), Files.readString(file));
    Files.writeString(file, columns + "m5.large\t35\t0.5\t32\t4\t5\tvanished\n");
    assertRefused(ErrorCode.INVALID_TABLE, () -> table("theirs.tsv").read());
  }

  @Test
  void flagsComeBackWithTheirRunsAndAreNotLostWhereTheTableHasNoColumn() throws IOException {
    RunTable table = table("runs.tsv");
    table.append(flagged(List.of("rescaled", "out_of_memory")));
    table.append(MadeUpJob.run(35, 4));
    assertEquals(List.of("rescaled", "out_of_memory"), table.read().get(0).flags());
    assertEquals(List.of(), table.read().get(1).flags());
    for (String wrong : List.of("", "a,b")) {
      assertRefused(ErrorCode.INVALID_ARGUMENT, () -> table.append(flagged(List.of(wrong))));
    }

    String theirs = "machine\tsize_gb\tskew\tmemory_gb\tscale_out\truntime_s\nm5.large\t35\t0.5\t32\t4\t5\n";
    Files.writeString(folder.resolve("theirs.tsv"), theirs);
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> table("theirs.tsv").append(flagged(List.of("rescaled"))));
    assertEquals(theirs, Files.readString(folder.resolve("theirs.tsv")));
  }

  private static Run flagged(List<String> flags) {
    return new Run(MadeUpJob.context(35), 4, 55, false, 1, 0, flags);
  }

  @Test
  void runsComeBackInTheOrderOfTheirStartsAndThoseWithoutOneFirst() throws IOException {
    RunTable table = table("runs.tsv");
    table.append(startedAt(1_700_000_060.5, 1));
    table.append(startedAt(1_700_000_000, 2));
    table.append(MadeUpJob.run(35, 3));
    table.append(startedAt(1_700_000_000, 4));
    List<Integer> order = new ArrayList<>();
    List<Double> starts = new ArrayList<>();
    for (Run each : table.read()) {
      order.add(each.scaleOut());
      starts.add(each.startedAtSeconds());
    }
    assertEquals(List.of(3, 2, 4, 1), order);
    assertEquals(List.of(0.0, 1_700_000_000.0, 1_700_000_000.0, 1_700_000_060.5), starts);
    assertTrue(Files.readString(folder.resolve("runs.tsv")).contains("\t1.0\t1700000060.5\t\n"));

    // A table that cannot tell starts keeps the order of its rows.
    Path file = folder.resolve("theirs.tsv");
    String columns = "machine\tsize_gb\tskew\tmemory_gb\tscale_out\truntime_s";
    Files.writeString(file, columns + "\n");
    table("theirs.tsv").append(startedAt(60, 2));
    assertEquals(0, table("theirs.tsv").read().get(0).startedAtSeconds());
    for (String time : List.of("yesterday", "nan", "NaN", "Infinity", "2026-01-01")) {
      Files.writeString(file, columns + "\tstarted_at_s\nm5.large\t35\t0.5\t32\t4\t5\t" + time + "\n");
      assertRefused(ErrorCode.INVALID_TABLE, () -> table("theirs.tsv").read());
    }
  }

  @Test
  void aModelKeepsWhenItsRunsBegan() {
    try (RuntimeModel model = MadeUpJob.model();
        RuntimeModel one = model.condition(List.of(startedAt(60, 4)));
        RuntimeModel same = model.condition(List.of(startedAt(60, 4)));
        RuntimeModel later = model.condition(List.of(startedAt(61, 4)))) {
      assertArrayEquals(one.toBytes(), same.toBytes());
      assertFalse(Arrays.equals(one.toBytes(), later.toBytes()));
    }
  }

  private static Run startedAt(double seconds, int scaleOut) {
    return new Run(MadeUpJob.context(35), scaleOut, MadeUpJob.runtimeSeconds(35, scaleOut), false, 1, seconds);
  }

  @Test
  void threadsLoseNoneOfEachOthersRuns() throws InterruptedException {
    RunTable table = table("runs.tsv");
    List<Thread> writers = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Thread writer =
          new Thread(
              () -> {
                for (int i = 1; i <= 25; i++) {
                  table.append(MadeUpJob.run(35, i));
                }
              });
      writer.start();
      writers.add(writer);
    }
    for (Thread each : writers) {
      each.join();
    }
    assertEquals(100, table.read().size());
  }

  @Test
  void whatTheTableCannotTellIsRefusedAndTheFileStaysAsItWas() throws IOException {
    RunTable table = table("runs.tsv");
    table.append(MadeUpJob.run(35, 4));
    String before = Files.readString(folder.resolve("runs.tsv"));
    Context context = MadeUpJob.context(35);
    assertRefused(ErrorCode.INVALID_RUNTIME, () -> table.append(new Run(context, 4, Double.NaN)));
    assertRefused(ErrorCode.INVALID_SCALE_OUT, () -> table.append(new Run(context, 0, 1)));
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> table.append(new Run(context, 4, 1, true, 0)));
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> table.append(startedAt(Double.NaN, 4)));
    Context shorter = new Context(context.essential(), List.of(), context.unit());
    assertRefused(ErrorCode.UNKNOWN_VALUE, () -> table.append(new Run(shorter, 4, 1)));
    assertEquals(before, Files.readString(folder.resolve("runs.tsv")));
    assertRefused(ErrorCode.CANNOT_WRITE, () -> table("absent/runs.tsv").append(MadeUpJob.run(35, 4)));
  }

  @Test
  void aTornLastRowIsNeitherReadAsARunNorLengthened() throws IOException {
    Path file = folder.resolve("runs.tsv");
    RunTable table = table("runs.tsv");
    table.append(MadeUpJob.run(35, 4));
    String torn = Files.readString(file) + "m5.large\t35\t0.5\t32\t4\t5";
    Files.writeString(file, torn);
    assertRefused(ErrorCode.INVALID_TABLE, () -> table.append(MadeUpJob.run(35, 4)));
    assertRefused(ErrorCode.INVALID_TABLE, table::read);
    assertEquals(torn, Files.readString(file));
  }

  @Test
  void wrongCellsAreRefusedByTheirRow() throws IOException {
    Path file = folder.resolve("runs.tsv");
    String columns = "machine\tsize_gb\tskew\tmemory_gb\tscale_out\truntime_s\n";
    for (String row : List.of("m\t35\t0.5\t32\tfour\t5\n", "m\t35\t0.5\t33\t4\t5\n", "m\t35\t0.5\t32\t0\t5\n", "m\t35\n")) {
      Files.writeString(file, columns + row);
      assertRefused(ErrorCode.INVALID_TABLE, () -> table("runs.tsv").read());
    }
    Files.writeString(file, "machine\n");
    assertRefused(ErrorCode.INVALID_TABLE, () -> table("runs.tsv").read());
  }

  private static void assertRefused(ErrorCode code, org.junit.jupiter.api.function.Executable call) {
    assertEquals(code, assertThrows(BellamyException.class, call).code());
  }
}
