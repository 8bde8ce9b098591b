package io.github.bellamy.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.bellamy.Run;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.spark.launcher.SparkLauncher;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real logs in every codec, read by the executors of the Spark distribution in SPARK_HOME and by the tool BELLAMY_PROGRAM. */
class ImportLogsIT {
  private static final List<String> OF_SPARKS_CODECS = List.of("café report.lz4", "orders join.snappy");

  /** What tells of the file, not of the run: the tool is given text by Spark. */
  private static final Set<String> OF_THE_FILE = Set.of("source", "shows", "bytes", "codec", "parts");

  @TempDir Path folder;
  private String tool;
  private Path logs;
  private Path output;

  @BeforeEach
  void findWhatItNeeds() throws IOException {
    String home = System.getenv("SPARK_HOME");
    assumeTrue(home != null && new File(home, "bin/spark-submit").exists(), "skipped: SPARK_HOME names no Spark");
    tool = System.getenv("BELLAMY_PROGRAM");
    assumeTrue(tool != null && new File(tool).exists(), "skipped: BELLAMY_PROGRAM names no bellamy");
    Path target = Path.of(System.getProperty("applications")).toAbsolutePath().getParent();
    logs = target.resolve("../../../../../shared/data/event_logs").normalize();
    assumeTrue(Files.isDirectory(logs), "skipped: no event logs in " + logs);
    output = folder.resolve("output");
  }

  private String said() {
    try {
      return Files.readString(output);
    } catch (IOException unread) {
      return unread.toString();
    }
  }

  private List<String> importOnSpark() throws Exception {
    Path traces = folder.resolve("spark.jsonl");
    SparkLauncher application =
        new SparkLauncher()
            .setAppResource(ImportLogs.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .setMainClass(ImportLogs.class.getName())
            .setMaster("local-cluster[2,1,512]")
            .setConf("spark.driver.memory", "512m")
            .setConf("spark.executor.memory", "512m")
            .setConf("spark.ui.enabled", "false")
            .addJar(Run.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .addAppArgs("--importer", tool, "--traces", traces.toString(), "--report", folder.resolve("spark.json").toString())
            .addAppArgs(logs.toString())
            .redirectError()
            .redirectOutput(output.toFile());
    assertEquals(0, application.launch().waitFor(), this::said);
    return Files.readAllLines(traces);
  }

  private List<String> importByTool() throws Exception {
    Path traces = folder.resolve("tool.jsonl");
    Process process =
        new ProcessBuilder(tool, "import", "--traces", traces.toString(), logs.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertEquals(0, process.waitFor(), this::said);
    return Files.readAllLines(traces);
  }

  private static boolean same(JsonNode expected, JsonNode found) {
    if (expected.isNumber()) {
      return found.isNumber() && Math.abs(expected.asDouble() - found.asDouble()) <= 1e-9 * (1 + Math.abs(expected.asDouble()));
    }
    if (!expected.isContainerNode()) {
      return expected.equals(found);
    }
    if (expected.size() != found.size()) {
      return false;
    }
    if (expected.isArray()) {
      for (int i = 0; i < expected.size(); i++) {
        if (!same(expected.path(i), found.path(i))) {
          return false;
        }
      }
      return true;
    }
    for (Iterator<String> each = expected.fieldNames(); each.hasNext(); ) {
      String name = each.next();
      if (!same(expected.path(name), found.path(name))) {
        return false;
      }
    }
    return true;
  }

  @Test
  void sparkGivesTheToolsTraces() throws Exception {
    List<String> bySpark = importOnSpark();
    List<String> byTool = importByTool();
    assertTrue(byTool.size() >= 20, this::said);
    assertEquals(byTool, bySpark);

    JsonNode report = new ObjectMapper().readTree(folder.resolve("spark.json").toFile());
    JsonNode expected = new ObjectMapper().readTree(logs.resolve("expected.json").toFile());
    for (String log : OF_SPARKS_CODECS) {
      int compared = 0;
      for (Iterator<String> each = expected.path(log).fieldNames(); each.hasNext(); ) {
        String fact = each.next();
        if (!OF_THE_FILE.contains(fact)) {
          JsonNode found = report.path(log).path(fact);
          assertTrue(
              same(expected.path(log).path(fact), found),
              () -> log + ": expected " + fact + " " + expected.path(log).path(fact) + ", found " + found);
          compared++;
        }
      }
      assertTrue(compared >= 25, log + ": only " + compared + " facts");
    }
    assertTrue(report.path("attempt_1.zstd").path("skipped").asText().startsWith("older_attempt: "));
  }
}
