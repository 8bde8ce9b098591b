package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** What is no batch job, as the importer of event logs has it. */
class NotBatchTest {
  private static String flagOf(String[] cells) {
    NotBatch told = new NotBatch();
    Map<String, String> settings = new HashMap<>();
    String name = "orders";
    for (int i = 0; i + 2 < cells.length; i += 2) {
      String value = cells[i + 1];
      switch (cells[i]) {
        case "event":
          told.event(value);
          break;
        case "job":
          Properties job = new Properties();
          job.setProperty(value, "1");
          if (NotBatch.isOfStream(job)) {
            told.jobOfStream();
          }
          break;
        case "name":
          name = value;
          break;
        default:
          settings.put(cells[i], value);
      }
    }
    Environment environment = new Environment();
    environment.take(settings);
    return told.flag(environment, Environment.nameOf(settings, name));
  }

  @Test
  void eventsClassesNamesAndTagsTellWhatIsNoBatchJobAsTheyTellTheImporter() throws Exception {
    List<String> lines = Files.readAllLines(Path.of(System.getProperty("golden"), "not_batch.tsv"));
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split("\t");
      String expected = cells[cells.length - 1];
      assertEquals(expected.equals("-") ? "" : expected, flagOf(cells), line);
    }
    assertEquals(68, lines.size());
  }
}
