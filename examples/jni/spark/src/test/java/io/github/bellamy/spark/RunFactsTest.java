package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What stands beside a recorded run. */
class RunFactsTest {
  @Test
  void aLackOfMemoryIsToldAsTheImporterTellsIt() throws Exception {
    List<String> lines = Files.readAllLines(Path.of(System.getProperty("golden"), "memory_deaths.tsv"));
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split("\t");
      assertEquals(cells[1].equals("yes"), RunFacts.tellsOutOfMemory(cells[0]), cells[0]);
    }
    assertEquals(19, lines.size());
  }
}
