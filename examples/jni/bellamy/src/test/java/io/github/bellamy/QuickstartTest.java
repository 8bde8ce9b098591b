package io.github.bellamy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuickstartTest {
  @Test
  void theReadmeShowsAProgramThatRuns(@TempDir Path folder) throws Exception {
    String readme = Files.readString(Path.of("../README.md"));
    assertTrue(readme.contains(Files.readString(Path.of("src/test/java/example/Quickstart.java"))), readme);
    Path file = folder.resolve("model.bellamy");
    try (RuntimeModel model = MadeUpJob.model()) {
      model.save(file);
    }
    ChildJvm child = ChildJvm.run("example.Quickstart", file.toString());
    assertEquals(0, child.status, child.output);
    assertTrue(child.output.startsWith("meets the deadline\n"), child.output);
    assertTrue(child.output.contains("chosen"), child.output);
  }
}
