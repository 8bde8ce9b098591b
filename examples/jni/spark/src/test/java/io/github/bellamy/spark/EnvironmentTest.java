package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What settings become, as the importer of event logs has it. */
class EnvironmentTest {
  /** Fields of a recorded run that are no properties of its context. */
  private static final Set<String> BESIDE = Set.of("application", "name", "executor_memory_MB", "master", "flags");

  @TempDir Path folder;

  private JsonNode recorded(Map<String, String> all) throws IOException {
    Map<String, String> own = new HashMap<>(Map.of("record", folder.resolve("runs.jsonl").toString()));
    all.forEach(
        (name, value) -> {
          if (name.startsWith(RescalerSettings.PREFIX)) {
            own.put(name.substring(RescalerSettings.PREFIX.length()), value);
          }
        });
    Map<String, String> spark = new HashMap<>(all);
    String command = all.getOrDefault("sun.java.command", "");
    spark.remove("sun.java.command");
    String name = Environment.nameOf(all, "orders");
    RunListener listener = new RunListener("spark 0", name, SimulatedApplication.START, 1, new RescalerSettings(own));
    RunListenerTest.environment(listener, spark, command);
    SimulatedApplication application = new SimulatedApplication(listener);
    application.start("app-1", 1);
    application.jobs(1, 1);
    application.end();
    List<String> lines = Files.readAllLines(folder.resolve("runs.jsonl"));
    return new ObjectMapper().readTree(lines.get(lines.size() - 1));
  }

  @Test
  void settingsBecomeThePropertiesThatTheImporterGives() throws Exception {
    List<String> lines = Files.readAllLines(Path.of(System.getProperty("golden"), "run_properties.tsv"));
    Map<Map<String, String>, Map<String, String>> expected = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split("\t");
      Map<String, String> settings = new HashMap<>();
      for (int i = 0; i + 3 < cells.length; i += 2) {
        settings.put(cells[i], cells[i + 1]);
      }
      expected.computeIfAbsent(settings, none -> new HashMap<>()).put(cells[cells.length - 2], cells[cells.length - 1]);
    }
    for (Map.Entry<Map<String, String>, Map<String, String>> each : expected.entrySet()) {
      String of = each.getKey().toString();
      JsonNode run = recorded(each.getKey());
      Map<String, String> properties = new HashMap<>();
      run.path("properties").fields().forEachRemaining(field -> properties.put(field.getKey(), field.getValue().asText()));
      Map<String, String> wanted = new HashMap<>(each.getValue());
      for (String field : BESIDE) {
        String value = wanted.remove(field);
        if (value != null) {
          assertEquals(value, run.has(field) ? run.path(field).asText() : "-", field + " of " + of);
        }
      }
      assertEquals(wanted, properties, of);
    }
    assertEquals(47, expected.size());
  }
}
