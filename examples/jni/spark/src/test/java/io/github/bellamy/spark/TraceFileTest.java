package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines that cannot be appended. */
class TraceFileTest {
  @TempDir Path folder;

  private static void append(Path file, int characters) throws IOException {
    TraceFile.append(file, into -> into.writeStringField("run", "r".repeat(characters)), true);
  }

  /** A process that may not write so much: {@code TooLong FILE}. */
  static final class TooLong {
    public static void main(String[] arguments) {
      System.out.println(assertThrows(IOException.class, () -> append(Path.of(arguments[0]), 100_000)));
    }
  }

  @Test
  void aLineThatCannotBeWrittenLeavesNoPartOfIt() throws Exception {
    Path file = folder.resolve("runs.jsonl");
    append(file, 10);
    String before = Files.readString(file);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                "sh", "-c", "ulimit -f 16; exec \"$@\"", "sh", java, "-XX:-UsePerfData", "-cp", System.getProperty("java.class.path"),
                TooLong.class.getName(), file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertEquals(before, Files.readString(file));
    append(file, 10);
    assertEquals(before + before, Files.readString(file));
  }

  @Test
  void aWriterThatKeepsTheLockIsNotWaitedForLong() throws Exception {
    Path file = folder.resolve("runs.jsonl");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertTrue(held.isValid());
      IOException told = assertThrows(IOException.class, () -> append(file, 10));
      assertTrue(told.getMessage().contains("another writer"), told.getMessage());
    }
    append(file, 10);
    assertEquals(1, Files.readAllLines(file).size());
  }
}
