package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the model kept beside a history is taken, and when it is learned anew. */
class LearnedTest {
  private static final int RUNS = 8;

  @TempDir Path folder;
  private Path history;
  private int written;

  @BeforeEach
  void aHistoryOfRuns() throws IOException {
    history = folder.resolve("history.jsonl");
    append("sim", RUNS);
  }

  private void append(String application, int runs) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < runs; i++) {
      double seconds = 5 + written % 3;
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"format\":1,\"application\":\"%s\",\"run\":\"run %d\",\"unit\":\"core\",\"runtime_s\":%s,\"properties\":{},"
                  + "\"scale_out\":[[0,%d]],\"jobs\":[{\"id\":0,\"submitted_s\":1,\"completed_s\":%s}]}\n",
              application, written++, seconds + 1, 1 + i % 3, seconds));
    }
    Files.writeString(history, lines.toString(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** What a driver that starts now forecasts by. */
  private byte[] modelOf(String application) throws IOException {
    try (Learned learned = new Learned(application, NameRule.of("clean"))) {
      learned.refresh(history, "");
      return learned.model().toBytes();
    }
  }

  private List<Path> kept() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(each -> each.toString().endsWith(".bellamy")).sorted().collect(Collectors.toList());
    }
  }

  /** A model of other runs under the name of the one that is kept, by which is seen whether that is taken. */
  private byte[] plantAnother() throws IOException {
    Path name = kept().get(0);
    byte[] mine = Files.readAllBytes(history);
    written++;
    Files.delete(history);
    append("sim", 2);
    byte[] other = modelOf("sim");
    for (Path each : kept()) {
      Files.delete(each);
    }
    Files.write(name, other);
    Files.write(history, mine);
    return other;
  }

  @Test
  void whatIsKeptIsTakenUntilTheHistoryHasGrownByAQuarter() throws IOException {
    byte[] learned = modelOf("sim");
    assertEquals(1, kept().size());
    byte[] planted = plantAnother();
    assertFalse(Arrays.equals(learned, planted));
    assertArrayEquals(planted, modelOf("sim"));
    append("sim", RUNS / 4);
    assertArrayEquals(planted, modelOf("sim"));
    append("sim", 1);
    assertFalse(Arrays.equals(planted, modelOf("sim")));
    assertEquals(1, kept().size());
    assertArrayEquals(Files.readAllBytes(kept().get(0)), modelOf("sim"));
  }

  @Test
  void aLongDriverTakesWhatAnotherOneHasKept() throws IOException {
    try (Learned longDriver = new Learned("sim", NameRule.of("clean"))) {
      longDriver.refresh(history, "");
      append("sim", RUNS);
      byte[] learnedByAnother = modelOf("sim");
      byte[] planted = plantAnother();
      longDriver.refresh(history, "");
      assertArrayEquals(planted, longDriver.model().toBytes());
      assertFalse(Arrays.equals(planted, learnedByAnother));
    }
  }

  @Test
  void aModelOfAnotherApplicationIsRefusedAtEveryCall() throws IOException {
    Path other = folder.resolve("other.bellamy");
    Files.write(other, modelOf("sim"));
    try (Learned learned = new Learned("not sim", NameRule.of("clean"))) {
      for (int i = 0; i < 2; i++) {
        assertThrows(IOException.class, () -> learned.refresh(other, ""));
        assertNull(learned.model());
      }
    }
  }

  @Test
  void whatWasLearnedOfAHistoryThatBreaksIsForgotten() throws IOException {
    String whole = Files.readString(history);
    try (Learned learned = new Learned("sim", NameRule.of("clean"))) {
      learned.refresh(history, "");
      Files.writeString(history, whole + "no trace\n");
      for (int i = 0; i < 2; i++) {
        assertThrows(IOException.class, () -> learned.refresh(history, ""));
        assertNull(learned.model());
      }
      Files.writeString(history, whole);
      learned.refresh(history, "");
      assertNotNull(learned.model());
    }
  }

  @Test
  void runsThatAreAppendedToAFolderStandBehindItsOtherFiles() throws IOException {
    Path logs = Files.createDirectories(folder.resolve("history"));
    String runs = Files.readString(history);
    Files.writeString(logs.resolve("traces.jsonl"), runs);
    Files.writeString(logs.resolve("runs.jsonl"), runs);
    long before = History.read(logs, "sim", NameRule.of("clean"), "").checksum(2 * RUNS);
    Files.writeString(logs.resolve("runs.jsonl"), runs.lines().findFirst().get() + "\n", StandardOpenOption.APPEND);
    assertEquals(before, History.read(logs, "sim", NameRule.of("clean"), "").checksum(2 * RUNS));
  }

  @Test
  void runsOfOneDriverMayHaveHistoriesOfTheirOwn() throws IOException {
    byte[] first = modelOf("sim");
    Path other = folder.resolve("other.jsonl");
    Files.writeString(other, Files.readString(history).replace("\"completed_s\":5", "\"completed_s\":3"));
    try (Learned learned = new Learned("sim", NameRule.of("clean"))) {
      learned.refresh(history, "");
      learned.refresh(other, "");
      assertFalse(Arrays.equals(first, learned.model().toBytes()));
      learned.refresh(history, "");
      assertArrayEquals(first, learned.model().toBytes());
    }
  }

  @Test
  void aBrokenFileIsLearnedAnewAndReplaced() throws IOException {
    byte[] learned = modelOf("sim");
    for (byte[] broken : List.of(new byte[0], new byte[] {1, 2, 3}, Arrays.copyOf(learned, learned.length / 2))) {
      Files.write(kept().get(0), broken);
      assertArrayEquals(learned, modelOf("sim"));
      assertArrayEquals(learned, Files.readAllBytes(kept().get(0)));
    }
  }

  @Test
  void aModelOfRunsThatTheHistoryDoesNotBeginWithIsStale() throws IOException {
    modelOf("sim");
    byte[] planted = plantAnother();
    Files.writeString(history, Files.readString(history).replaceFirst("\"runtime_s\":[0-9.]+", "\"runtime_s\":9.5"));
    assertFalse(Arrays.equals(planted, modelOf("sim")));
    assertEquals(1, kept().size());
  }

  @Test
  void eachApplicationOfAHistoryKeepsItsOwn() throws IOException {
    append("other", 3);
    byte[] learned = modelOf("sim");
    byte[] other = modelOf("other");
    assertEquals(2, kept().size());
    assertArrayEquals(learned, modelOf("sim"));
    assertArrayEquals(other, modelOf("other"));
    // Another application's model under the name of this one's is not taken.
    for (Path each : kept()) {
      Files.write(each, other);
    }
    assertArrayEquals(learned, modelOf("sim"));
  }

  @Test
  void whereNothingCanBeKeptItLearnsAllTheSame() throws IOException {
    byte[] learned = modelOf("sim");
    Path name = kept().get(0);
    Files.delete(name);
    Files.createDirectories(name.resolve("in the way"));
    assertArrayEquals(learned, modelOf("sim"));
  }

  @Test
  void onlyRunsThatSucceededOnCoresAndAreNotThePresentOneCount() throws IOException {
    String line = Files.readAllLines(history).get(0);
    for (String other :
        List.of(
            line.replace("\"core\"", "\"node\""), line.replace("\"unit\"", "\"outcome\":\"failed\",\"unit\""),
            line.replace("\"sim\"", "\"other\""), line.replace("\"unit\":\"core\",", ""))) {
      Files.writeString(history, other + "\n", StandardOpenOption.APPEND);
    }
    assertEquals(RUNS, History.read(history, "sim", NameRule.of("clean"), "").runs());
    assertEquals(RUNS - 1, History.read(history, "sim", NameRule.of("clean"), "run 3").runs());
    // The fields may stand behind the jobs.
    String jobsFirst = "{\"jobs\":[{\"id\":0}],\"run\":\"late\",\"application\":\"sim\",\"unit\":\"core\",\"format\":1}";
    Files.writeString(history, jobsFirst + "\n", StandardOpenOption.APPEND);
    assertEquals(RUNS + 1, History.read(history, "sim", NameRule.of("clean"), "").runs());
    for (String wrong : List.of("{}", "[]", "7", "{\"format\":2}", "{\"format\":1,\"application\":\"sim\"")) {
      Files.writeString(history, wrong + "\n");
      IOException refused = assertThrows(IOException.class, () -> History.read(history, "sim", NameRule.of("clean"), ""));
      assertEquals(true, refused.getMessage().contains("history.jsonl, line 1: "), refused::getMessage);
    }
  }
}
